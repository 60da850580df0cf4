//! What the targets share: documents out of raw bytes, and what holds for every document that was read.
//!
//! A target panics if a property does not hold; libFuzzer then keeps the input.

use std::ops::Range;

use memlens_ingest::{IngestOptions, Kind, Parsed, observations, parse};

/// How long an input becomes whose parts are repeated. What takes time by the square of its length is slow by then.
const REPEATED_BYTES: usize = 128 * 1024;

/// What the chunks of a document may hold in all: its length this many times, and a free amount.
const CHUNKS_PER_BYTE: usize = 5;
const FREE_BYTES: usize = 2 * 1024 * 1024;

/// Maximum metadata of a chunk beside its text: titles, agent and id.
const BYTES_BESIDE_TEXT_MAX: usize = 8 * 1024;

/// Maximum length of a message to the user, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 600;

/// Takes the lengths of chunks and windows from the beginning of an input; the remainder is the document.
///
/// The first byte says whether the document is used as it is, or each of its parts (between NULs, which no document
/// contains) is repeated to hundreds of kilobytes; the next three are the lengths, `0` for the defaults.
pub fn document(input: &[u8]) -> Option<(Vec<u8>, IngestOptions)> {
    let ([how, chunk, overlap, window], rest) = input.split_first_chunk::<4>()?;
    let usual = IngestOptions::default();
    let length = |byte: u8, usual: u32, most: u32| match byte {
        b'0' => usual,
        byte => u32::from(byte) * most / 255,
    };
    let options = IngestOptions {
        chunk_chars: length(*chunk, usual.chunk_chars, 8000),
        chunk_overlap_chars: length(*overlap, usual.chunk_overlap_chars, 4000),
        window_chars: length(*window, usual.window_chars, 2000).max(10),
    };
    let document = if *how == b'*' {
        repeated(rest)
    } else {
        rest.to_vec()
    };
    Some((document, options))
}

/// Repeats each part of an input, separated by NULs, until each takes an equal share of [`REPEATED_BYTES`]; a part that
/// begins with `\x01` is used once, without that byte.
fn repeated(input: &[u8]) -> Vec<u8> {
    let n_parts = input.split(|&byte| byte == 0).count();
    let mut document = Vec::new();
    for part in input.split(|&byte| byte == 0) {
        match part {
            [] => {}
            [1, once @ ..] => document.extend_from_slice(once),
            part => document.extend(part.repeat((REPEATED_BYTES / n_parts / part.len()).max(1))),
        }
    }
    document
}

/// Reads a document twice, checks what holds for every document, and returns it; `None` if it is refused.
///
/// # Panics
/// If a check fails.
pub fn read(kind: Kind, bytes: &[u8], options: &IngestOptions) -> Option<Parsed> {
    let parsed = parse(kind, bytes, options).ok()?;
    check(&parsed, bytes.len());
    check_observations(&parsed);
    if bytes.len() < REPEATED_BYTES / 8 {
        let again = parse(kind, bytes, options).expect("it was read before");
        assert_eq!(parsed, again);
    }
    Some(parsed)
}

fn check(parsed: &Parsed, n_bytes: usize) {
    let text = parsed.text.as_str();
    let lines = Lines::of(text);
    assert!(!text.contains(['\r', '\0']) && !text.starts_with('\u{feff}'));
    // No encoding gives more than three bytes for one.
    assert!(text.len() <= 3 * n_bytes);
    let mut held = 0;
    let mut beside = 0;
    let mut covered = 0;
    let mut previous = 0..0;
    for chunk in &parsed.chunks {
        let slice = slice(text, &chunk.bytes);
        assert!(!chunk.text.trim().is_empty());
        assert!(chunk.bytes.start >= previous.start && chunk.bytes.end > previous.end);
        assert_eq!(
            (chunk.start_line, chunk.end_line),
            lines.of_range(&chunk.bytes)
        );
        match parsed.kind {
            Kind::Jsonl => assert_eq!(chunk.start_line, chunk.end_line),
            Kind::Json => {}
            Kind::Markdown | Kind::Plain => {
                assert_eq!(slice, chunk.text);
                let start = chunk.bytes.start as usize;
                assert!(start <= covered || text[covered..start].trim().is_empty());
                covered = chunk.bytes.end as usize;
            }
        }
        assert!(
            chunk
                .weight
                .is_none_or(|weight| weight.is_finite() && weight >= 0.0)
        );
        assert!(chunk.heading_path.len() <= 6);
        let names = [&chunk.agent, &chunk.external_id].into_iter().flatten();
        let said = names
            .chain(&chunk.heading_path)
            .map(String::len)
            .sum::<usize>();
        assert!(
            said <= BYTES_BESIDE_TEXT_MAX,
            "{said} bytes beside the text"
        );
        held += chunk.text.len();
        beside += said;
        previous = chunk.bytes.clone();
    }
    if matches!(parsed.kind, Kind::Markdown | Kind::Plain) {
        assert!(text[covered..].trim().is_empty(), "nothing is lost");
    }
    assert!(
        held <= CHUNKS_PER_BYTE * text.len() + FREE_BYTES,
        "chunks hold {held}"
    );
    assert!(
        beside <= held * 40 + FREE_BYTES,
        "{beside} bytes stand beside {held}"
    );

    let mut has_window = vec![false; parsed.chunks.len()];
    let mut end = 0;
    for window in &parsed.windows {
        assert!(window.bytes.start >= end, "windows do not overlap");
        assert!(!slice(text, &window.bytes).trim().is_empty() && !window.text.trim().is_empty());
        assert_eq!(
            (window.start_line, window.end_line),
            lines.of_range(&window.bytes)
        );
        assert!(window.chunks.is_sorted_by(|a, b| a < b));
        for &chunk in &window.chunks {
            has_window[chunk as usize] = true;
        }
        end = window.bytes.end;
    }
    assert!(
        parsed.windows.is_empty() || has_window.iter().all(|has| *has),
        "no chunk goes without"
    );

    for problem in &parsed.problems {
        assert!(
            problem
                .line
                .is_none_or(|line| (1..=lines.n()).contains(&line)),
            "{problem:?}"
        );
        assert!(
            !problem.message.is_empty() && problem.message.len() <= MESSAGE_BYTES_MAX,
            "{problem:?}"
        );
    }
}

fn check_observations(parsed: &Parsed) {
    let lines = Lines::of(&parsed.text);
    let mut end = 0;
    let mut said = 0;
    for observation in observations(parsed) {
        assert!(
            observation.bytes.start >= end,
            "observations do not overlap"
        );
        assert!(!slice(&parsed.text, &observation.bytes).trim().is_empty());
        assert!(!observation.text.trim().is_empty() && !observation.text.contains('\n'));
        assert_eq!(
            (observation.start_line, observation.end_line),
            lines.of_range(&observation.bytes)
        );
        said += observation.text.len();
        end = observation.bytes.end;
    }
    // A name of a sign may be shorter than the sign.
    assert!(said <= 3 * parsed.text.len());
}

/// A part of a text, which is on character boundaries and not empty.
fn slice<'a>(text: &'a str, bytes: &Range<u32>) -> &'a str {
    let slice = text
        .get(bytes.start as usize..bytes.end as usize)
        .expect("a part of the text");
    assert!(!slice.is_empty());
    slice
}

/// Lines counted apart from the crate that is tested.
struct Lines {
    ends: Vec<usize>,
    n: u32,
}

impl Lines {
    fn of(text: &str) -> Self {
        Self {
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            n: text.lines().count().max(1) as u32,
        }
    }

    fn n(&self) -> u32 {
        self.n
    }

    /// First and last line; the end may be behind the last line end, where no line is.
    fn of_range(&self, bytes: &Range<u32>) -> (u32, u32) {
        let line = |byte: u32| {
            let n_before = self.ends.partition_point(|&end| end < byte as usize) as u32;
            (n_before + 1).min(self.n)
        };
        (line(bytes.start), line(bytes.end))
    }
}
