//! Documents: parses the bytes of a file into text, chunks and windows.
//!
//! Properties checked, for arbitrary bytes and texts: parsing never panics; chunks cover everything that is not blank
//! and are slices of the text; lines agree with bytes; every chunk has a window if there is any; hostile input stays
//! cheap.

use std::ops::Range;
use std::path::Path;

use jiff::civil::Date;

use crate::chunks::{Allowance, pack};
use crate::decode::{Decoded, decode};
use crate::error::IngestError;
use crate::front_matter::{FrontMatter, Head, head};
use crate::json::{self, Observations};
use crate::lines::{Lines, offset};
use crate::outline::{HeadingPath, Outline};
use crate::walk::MAX_FILE_BYTES;
use crate::windows;

/// Reported once, where chunks begin to be packed without overlap.
pub(crate) const OVERLAP_GIVEN_UP: &str =
    "long and short lines repeat too much of each other; chunks do not overlap from here on";

/// How documents are cut into chunks and windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestOptions {
    /// Length of a chunk in UTF-16 units, counting one for each line's end; below 32 it counts as 32.
    pub chunk_chars: u32,
    /// How much of a chunk's end the next one repeats at least, in the same units, in whole lines; 0 = nothing. More
    /// than half of `chunk_chars` counts as half.
    pub chunk_overlap_chars: u32,
    /// Length of a window in characters, without its heading path; 0 counts as 1.
    pub window_chars: u32,
}

/// How a file is read; determined by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// With front matter, headings and fences: `.md`, `.markdown`, `.mdx`.
    Markdown,
    /// As plain lines: `.txt`, `.text`, `.org`, `.rst`, `.adoc`, `.asciidoc`.
    Plain,
    /// As one or more observations per line: `.jsonl`, `.ndjson`. Never read as plain text.
    Jsonl,
    /// As memories or messages in one document, or as JSONL: `.json`. Any other JSON is not read.
    Json,
}

/// Something that was left out or guessed while reading, as a message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The 1-based line; `None` if it concerns the whole document.
    pub line: Option<u32>,
    /// Lower case, without a full stop.
    pub message: String,
}

/// A unit of retrieval: contiguous lines of a document, or a piece of a line that is too long.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Never blank. The document's text at `bytes`; for JSON, the text of the strings there.
    pub text: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line, 1-based and inclusive. Nothing after the last line end counts as a line.
    pub end_line: u32,
    /// Byte range in [`Parsed::text`], on character boundaries.
    pub bytes: Range<u32>,
    /// The headings above the first line that is not blank, outermost first, without missing levels. For JSON, the
    /// title of the conversation or the label of the memory.
    pub heading_path: Vec<String>,
    /// The agent from the record of JSON, otherwise from the front matter; at most 200 characters.
    pub agent: Option<String>,
    /// The date from the same place.
    pub date: Option<Date>,
    /// The weight from the same place, in `[0, inf)`; `None` if not given, which is not 0.
    pub weight: Option<f64>,
    /// The `id` of a JSON record, numbers as written; at most 200 characters. It may not be unique.
    pub external_id: Option<String>,
}

/// A unit of embedding: a few lines that belong together, with their heading path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The text to embed: the heading path joined by ` > `, a line end, and the lines.
    pub text: String,
    /// First line of the window, 1-based.
    pub start_line: u32,
    /// Last line, 1-based and inclusive.
    pub end_line: u32,
    /// Byte range in [`Parsed::text`], on character boundaries.
    pub bytes: Range<u32>,
    /// The chunks that it belongs to, as ascending indices into [`Parsed::chunks`]; may be empty.
    pub chunks: Vec<u32>,
}

/// Text, chunks and metadata of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// How the document was read.
    pub kind: Kind,
    /// The text, without byte order mark, with `\n` line ends. All byte ranges refer to it.
    pub text: String,
    /// Front matter; empty except for Markdown.
    pub front: FrontMatter,
    /// Starts never descend, ends ascend. Two chunks may start at the same byte, but never have the same range.
    pub chunks: Vec<Chunk>,
    /// Ascending, without overlap. Front matter has none, so a document of front matter alone has chunks and no
    /// windows.
    pub windows: Vec<Window>,
    /// In the order in which they were found.
    pub problems: Vec<Problem>,
    /// The usual name of the detected or guessed encoding.
    pub encoding: &'static str,
}

/// Parses a document.
///
/// An empty or blank document has no chunks. Everything else that is wrong is read as far as possible and reported in
/// [`Parsed::problems`].
///
/// # Errors
/// [`IngestError::TooLarge`] above [`MAX_FILE_BYTES`], [`IngestError::Binary`] if it contains a NUL,
/// [`IngestError::NoTexts`] for JSON of no known form.
pub fn parse(kind: Kind, bytes: &[u8], options: &IngestOptions) -> Result<Parsed, IngestError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(IngestError::TooLarge);
    }
    let Decoded {
        text,
        encoding,
        problem,
    } = decode(bytes)?;
    let mut parsed = Parsed {
        kind,
        text: String::new(),
        front: FrontMatter::default(),
        chunks: Vec::new(),
        windows: Vec::new(),
        problems: problem.into_iter().collect(),
        encoding,
    };
    match kind {
        Kind::Markdown => {
            let Head {
                front,
                body_start,
                outline_start,
                problems,
            } = head(&text);
            parsed.front = front;
            parsed.problems.extend(problems);
            parsed.fill(
                &text,
                body_start,
                &Outline::of(&text, outline_start),
                options,
            );
        }
        Kind::Plain => parsed.fill(&text, 0, &Outline::default(), options),
        Kind::Jsonl | Kind::Json => {
            let Observations {
                chunks,
                windows,
                problems,
            } = if kind == Kind::Json {
                json::document(&text, options)?
            } else {
                json::observations(&text, options)
            };
            parsed.chunks = chunks;
            parsed.windows = windows;
            parsed.problems.extend(problems);
        }
    }
    parsed.text = text;
    Ok(parsed)
}

/// Returns the BLAKE3 hash of a text, the key of its cached data.
pub fn content_hash(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

impl Default for IngestOptions {
    /// The lengths with which the default ranking was measured.
    fn default() -> Self {
        Self {
            chunk_chars: 1600,
            chunk_overlap_chars: 320,
            window_chars: 400,
        }
    }
}

impl Kind {
    /// Returns how the file at `path` is read, by its extension in any case; `None` if it is not read.
    ///
    /// Files without extension are not read, not even `README`, because the name does not tell what they hold.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "txt" | "text" | "org" | "rst" | "adoc" | "asciidoc" => Some(Self::Plain),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Returns the name of the kind: `markdown`, `plain`, `jsonl` or `json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
        }
    }
}

impl Parsed {
    /// Adds chunks and windows of a document made of lines.
    fn fill(&mut self, text: &str, body_start: usize, outline: &Outline, options: &IngestOptions) {
        let lines = Lines::of(text);
        let mut allowance = Allowance::of(text.len());
        let packed = pack(text, &outline.fences, options, &mut allowance);
        if let Some(byte) = packed.overlap_given_up_at {
            self.problems.push(Problem {
                line: Some(lines.line_of(offset(byte))),
                message: OVERLAP_GIVEN_UP.to_owned(),
            });
        }
        let drafts = windows::build(
            text,
            body_start,
            &outline.headings,
            options.window_chars as usize,
        );
        let window_bytes: Vec<Range<usize>> =
            drafts.iter().map(|draft| draft.bytes.clone()).collect();
        let assigned = windows::assign(&window_bytes, &packed.chunks);
        self.windows = drafts
            .into_iter()
            .zip(assigned)
            .map(|(draft, chunks)| {
                let bytes = offset(draft.bytes.start)..offset(draft.bytes.end);
                Window {
                    text: draft.text,
                    start_line: lines.line_of(bytes.start),
                    end_line: lines.line_of(bytes.end),
                    bytes,
                    chunks,
                }
            })
            .collect();
        let mut path = HeadingPath::default();
        let mut headings = outline.headings.iter().peekable();
        for range in packed.chunks {
            let slice = &text[range.clone()];
            let first = range.start + slice.len() - slice.trim_start().len();
            while let Some(heading) = headings.next_if(|heading| heading.bytes.start <= first) {
                path.enter(text, heading);
            }
            let bytes = offset(range.start)..offset(range.end);
            self.chunks.push(Chunk {
                text: slice.to_owned(),
                start_line: lines.line_of(bytes.start),
                end_line: lines.line_of(bytes.end),
                bytes,
                heading_path: path.titles().cloned().collect(),
                agent: self.front.agent.clone(),
                date: self.front.date,
                weight: self.front.weight,
                external_id: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    /// The kinds that accept any text.
    const KINDS: [Kind; 3] = [Kind::Markdown, Kind::Plain, Kind::Jsonl];
    const ALL_KINDS: [Kind; 4] = [Kind::Markdown, Kind::Plain, Kind::Jsonl, Kind::Json];

    fn markdown(text: &str) -> Parsed {
        parse(Kind::Markdown, text.as_bytes(), &IngestOptions::default()).expect("text")
    }

    fn checkout() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Counts lines as an editor does.
    fn n_lines(text: &str) -> u32 {
        offset(text.lines().count())
    }

    /// Asserts the properties that hold for every document.
    fn assert_sound(parsed: &Parsed, options: &IngestOptions) {
        let Parsed {
            text,
            chunks,
            windows,
            ..
        } = parsed;
        let lines = Lines::of(text);
        let n_lines = n_lines(text);
        let slice = |bytes: &Range<u32>| {
            text.get(bytes.start as usize..bytes.end as usize)
                .expect("a slice of the text")
        };
        let mut covered = 0;
        for (idx, chunk) in chunks.iter().enumerate() {
            assert!(!chunk.text.trim().is_empty());
            assert!(1 <= chunk.start_line && chunk.start_line <= chunk.end_line);
            assert!(chunk.end_line <= n_lines, "{chunk:?}");
            let (start, end) = (chunk.bytes.start, chunk.bytes.end);
            assert_eq!(
                (chunk.start_line, chunk.end_line),
                (lines.line_of(start), lines.line_of(end))
            );
            if let Some(previous) = idx.checked_sub(1).map(|idx| &chunks[idx].bytes) {
                assert!(start >= previous.start && end > previous.end);
            }
            match parsed.kind {
                Kind::Jsonl => assert_eq!(chunk.start_line, chunk.end_line),
                Kind::Json => {}
                Kind::Markdown | Kind::Plain => {
                    assert_eq!(slice(&chunk.bytes), chunk.text);
                    assert!(start <= covered || slice(&(covered..start)).trim().is_empty());
                    covered = end;
                }
            }
        }
        if matches!(parsed.kind, Kind::Markdown | Kind::Plain) {
            assert!(
                text[covered as usize..].trim().is_empty(),
                "nothing is lost"
            );
        }
        let mut n_windows = vec![0; chunks.len()];
        let mut after = 0;
        for window in windows {
            assert!(window.bytes.start >= after && !slice(&window.bytes).trim().is_empty());
            assert!(!window.text.trim().is_empty());
            after = window.bytes.end;
            assert!(1 <= window.start_line && window.start_line <= window.end_line);
            assert!(window.end_line <= n_lines, "{window:?}");
            assert_eq!(
                (window.start_line, window.end_line),
                (
                    lines.line_of(window.bytes.start),
                    lines.line_of(window.bytes.end)
                )
            );
            assert!(window.chunks.is_sorted_by(|a, b| a < b));
            window
                .chunks
                .iter()
                .for_each(|&chunk| n_windows[chunk as usize] += 1);
        }
        assert!(
            windows.is_empty() || n_windows.iter().all(|&n| n > 0),
            "every chunk has a window: {options:?}"
        );
    }

    #[derive(serde::Deserialize)]
    struct Golden {
        path: String,
        start_line: u32,
        end_line: u32,
        sha256: String,
    }

    #[test]
    fn chunks_are_those_of_the_original() {
        let golden = std::fs::read_to_string(
            checkout().join("tests/golden/openclaw/2026.7.35.chunks.jsonl"),
        )
        .expect("golden file");
        let golden: Vec<Golden> = golden
            .lines()
            .map(|line| serde_json::from_str(line).expect("golden row"))
            .collect();
        let mut paths: Vec<&str> = golden.iter().map(|row| row.path.as_str()).collect();
        paths.dedup();
        assert_eq!(paths.len(), 11);
        for path in paths {
            let note = path
                .strip_prefix("memory/")
                .expect("a path of its workspace");
            let bytes = std::fs::read(checkout().join("tests/fixtures/agent-memory-57").join(note))
                .expect("fixture");
            let parsed = parse(Kind::Markdown, &bytes, &IngestOptions::default()).expect("text");
            let found: Vec<_> = parsed
                .chunks
                .iter()
                .map(|chunk| {
                    (
                        chunk.start_line,
                        chunk.end_line,
                        hex(&Sha256::digest(&chunk.text)),
                    )
                })
                .collect();
            let expected: Vec<_> = golden
                .iter()
                .filter(|row| row.path == path)
                .map(|row| {
                    // The original counts an empty text after the last line end as one more line.
                    let end_line = row.end_line.min(n_lines(&parsed.text));
                    (row.start_line, end_line, row.sha256.clone())
                })
                .collect();
            assert_eq!(found, expected, "{path}");
            assert_sound(&parsed, &IngestOptions::default());
            assert!(parsed.problems.is_empty());
        }
    }

    #[test]
    fn kinds_by_name() {
        for (name, kind) in [
            ("a.md", Some(Kind::Markdown)),
            ("A.MD", Some(Kind::Markdown)),
            ("sub/a.markdown", Some(Kind::Markdown)),
            ("a.mdx", Some(Kind::Markdown)),
            ("a.b.txt", Some(Kind::Plain)),
            ("a.org", Some(Kind::Plain)),
            ("a.rst", Some(Kind::Plain)),
            ("a.adoc", Some(Kind::Plain)),
            ("A.AsciiDoc", Some(Kind::Plain)),
            ("queries.jsonl", Some(Kind::Jsonl)),
            ("a.ndjson", Some(Kind::Jsonl)),
            ("a.json", Some(Kind::Json)),
            ("a.md.bak", None),
            ("a.md~", None),
            ("README", None),
            (".md", None),
            ("", None),
        ] {
            assert_eq!(Kind::of(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn front_matter_belongs_to_chunks_and_not_to_windows() {
        let parsed = markdown(
            "---\nagent: iris\ndate: 2026-03-01\nweight: 2\n---\n# Router\n\nIt is grey.\n",
        );
        let [chunk] = parsed.chunks.as_slice() else {
            panic!("{:?}", parsed.chunks)
        };
        assert!(chunk.text.starts_with("---\nagent: iris"));
        assert_eq!(
            (chunk.agent.as_deref(), chunk.weight),
            (Some("iris"), Some(2.0))
        );
        assert_eq!(chunk.date, "2026-03-01".parse().ok());
        assert!(
            chunk.heading_path.is_empty(),
            "the first line stands above the heading"
        );
        let [window] = parsed.windows.as_slice() else {
            panic!("{:?}", parsed.windows)
        };
        assert_eq!(
            (window.text.as_str(), window.start_line, window.end_line),
            ("Router\nRouter\nIt is grey.", 6, 8)
        );

        let alone = markdown("---\nagent: iris\n---\n");
        assert_eq!((alone.chunks.len(), alone.windows.len()), (1, 0));

        let broken = markdown("---\nagent: [iris\n---\nIt is grey.\n");
        assert_eq!(broken.problems.len(), 1);
        assert_eq!(
            broken.windows[0].text, "---\nagent: [iris\n---\nIt is grey.",
            "read as text, without a heading underlined by its end"
        );
        assert_eq!(broken.chunks[0].agent, None);
    }

    #[test]
    fn headings_count_in_markdown_alone() {
        let section = |title: &str, lines: usize| {
            format!("{title}\n\n{}", "Some words about it here.\n".repeat(lines))
        };
        let text = section("# A", 70) + &section("## B", 70) + &section("### C", 70);
        let paths: Vec<String> = markdown(&text)
            .chunks
            .iter()
            .map(|chunk| chunk.heading_path.join(">"))
            .collect();
        assert_eq!(paths, ["A", "A", "A>B", "A>B>C", "A>B>C"]);
        let plain = parse(Kind::Plain, text.as_bytes(), &IngestOptions::default()).expect("text");
        assert!(
            plain
                .chunks
                .iter()
                .all(|chunk| chunk.heading_path.is_empty())
        );
        assert!(plain.windows[0].text.starts_with("# A\nSome"));
    }

    #[test]
    fn bad_input() {
        for kind in KINDS {
            for text in ["", "\n\n", " \t\r\n", "\u{FEFF}"] {
                let parsed = parse(kind, text.as_bytes(), &IngestOptions::default()).expect("text");
                assert_eq!(
                    (
                        parsed.chunks.len(),
                        parsed.windows.len(),
                        parsed.problems.len()
                    ),
                    (0, 0, 0),
                    "{text:?}"
                );
            }
            let binary = parse(kind, b"\x89PNG\r\n\x1a\n\0\0", &IngestOptions::default());
            assert!(
                matches!(binary, Err(IngestError::Binary { line: 3 })),
                "{binary:?}"
            );
            let large = vec![b'x'; 16 * 1024 * 1024 + 1];
            assert!(matches!(
                parse(kind, &large, &IngestOptions::default()),
                Err(IngestError::TooLarge)
            ));
        }
        let latin = parse(
            Kind::Markdown,
            b"# Caf\xE9\n\nd\xE9j\xE0 vu",
            &IngestOptions::default(),
        )
        .expect("text");
        assert_eq!(
            (latin.encoding, latin.chunks[0].heading_path[0].as_str()),
            ("windows-1252", "Café")
        );
        assert_eq!(
            latin.problems[0].message,
            "not UTF-8 at byte 5, read as windows-1252"
        );
        let dos = parse(
            Kind::Markdown,
            b"\xEF\xBB\xBF---\r\nagent: x\r\n---\r\n# T\r\n\r\nbody\r\n",
            &IngestOptions::default(),
        )
        .expect("text");
        assert_eq!(dos.front.agent.as_deref(), Some("x"));
        assert_eq!(
            (dos.windows[0].text.as_str(), dos.windows[0].end_line),
            ("T\nT\nbody", 6)
        );
    }

    #[test]
    fn a_query_file_is_never_plain_text() {
        let bytes = std::fs::read(checkout().join("tests/fixtures/agent-memory-57/queries.jsonl"))
            .expect("fixture");
        let parsed = parse(Kind::Jsonl, &bytes, &IngestOptions::default()).expect("text");
        assert_eq!((parsed.chunks.len(), parsed.windows.len()), (0, 0));
        assert_eq!(parsed.problems.len(), 1);
        assert_eq!(
            parsed.problems[0].message,
            "lines 1 to 57: no text or content; skipped"
        );
    }

    #[test]
    fn hard_input_is_read_in_linear_time() {
        let mib = 1024 * 1024;
        let cases: [(&str, Kind, String); 24] = [
            ("one line", Kind::Plain, "x".repeat(10 * mib)),
            ("one line of words", Kind::Markdown, "word ".repeat(2 * mib)),
            (
                "one line of sentences",
                Kind::Markdown,
                "One two. ".repeat(mib),
            ),
            ("one Chinese line", Kind::Markdown, "水".repeat(3 * mib)),
            ("blank lines", Kind::Markdown, "\n".repeat(16 * mib)),
            ("short lines", Kind::Markdown, "a\n".repeat(8 * mib)),
            ("headings", Kind::Markdown, "# a\n".repeat(4 * mib)),
            (
                "one huge heading",
                Kind::Markdown,
                format!("# {}\n{}", "a".repeat(8 * mib), "b\n".repeat(3 * mib)),
            ),
            (
                "long and short lines",
                Kind::Markdown,
                format!("{}\n{}", "x".repeat(1590), "\ny".repeat(160)).repeat(8000),
            ),
            ("quotes", Kind::Markdown, ">".repeat(mib)),
            ("lists", Kind::Markdown, "* ".repeat(mib)),
            (
                "quotes over lines",
                Kind::Markdown,
                format!("{}a\n{}", ">".repeat(mib), "a\n".repeat(mib)),
            ),
            (
                "a fence in lists over blank lines",
                Kind::Markdown,
                format!("{}```\n{}", "* ".repeat(mib), "\n".repeat(mib)),
            ),
            (
                "lists over blank lines",
                Kind::Markdown,
                format!("{}a{}", "* ".repeat(180), "\n".repeat(mib)),
            ),
            ("table", Kind::Markdown, "| a | b |\n".repeat(1_000_000)),
            (
                "front matter",
                Kind::Markdown,
                format!("---\n{}---\n", "a: b\n".repeat(2 * mib)),
            ),
            ("brackets", Kind::Markdown, "[".repeat(mib)),
            ("stars", Kind::Markdown, "*a _".repeat(mib)),
            ("fences", Kind::Markdown, "```\n".repeat(mib)),
            (
                "one JSON line",
                Kind::Jsonl,
                format!("{{\"text\": \"{}\"}}", "\\u6c34\\n".repeat(mib)),
            ),
            ("bad JSON lines", Kind::Jsonl, "{\n".repeat(4 * mib)),
            (
                "short JSON lines",
                Kind::Jsonl,
                "{\"content\": [{\"text\": \"a\"}]}\n".repeat(400_000),
            ),
            (
                "one JSON list",
                Kind::Json,
                format!(
                    "[{}{{\"text\": \"a\"}}]",
                    "{\"text\": \"a\", \"date\": \"2026\"},".repeat(400_000)
                ),
            ),
            (
                "one observation of many strings",
                Kind::Json,
                format!(
                    "{{\"name\": \"a\", \"observations\": [{}\"b\"]}}",
                    "\"b\\n\",".repeat(mib)
                ),
            ),
        ];
        for (name, kind, text) in cases {
            let started = Instant::now();
            let parsed = parse(kind, text.as_bytes(), &IngestOptions::default()).expect("text");
            let n_said = crate::observations(&parsed).len();
            let elapsed = started.elapsed();
            eprintln!(
                "{name}: {elapsed:?}, {} chunks, {} windows, {n_said} observations",
                parsed.chunks.len(),
                parsed.windows.len()
            );
            // On idle cores each takes less than two seconds; a quadratic algorithm would take hours.
            assert!(elapsed < Duration::from_secs(20), "{name}: {elapsed:?}");
            assert_sound(&parsed, &IngestOptions::default());
            let held: usize = parsed.chunks.iter().map(|chunk| chunk.text.len()).sum();
            assert!(
                held <= 5 * text.len() + 2 * mib,
                "{name}: chunks hold {held}"
            );
        }
    }

    #[test]
    fn hashes_tell_texts_apart() {
        assert_eq!(
            hex(&content_hash("")),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
        assert_ne!(content_hash("a"), content_hash("b"));
    }

    fn any_options() -> impl Strategy<Value = IngestOptions> {
        (0_u32..200, 0_u32..200, 0_u32..100).prop_map(
            |(chunk_chars, chunk_overlap_chars, window_chars)| IngestOptions {
                chunk_chars,
                chunk_overlap_chars,
                window_chars,
            },
        )
    }

    /// A record of a known form, or nearly one.
    fn any_record() -> impl Strategy<Value = String> {
        let text = || "\"([a-c é]|\\\\n|\\\\u00e9|\\\\ud83d){0,60}\"";
        prop_oneof![
            text().prop_map(|text| format!("{{\"role\": \"user\", \"content\": {text}}}")),
            (text(), text()).prop_map(|(a, b)| format!(
                "{{\"message\": {{\"content\": [{{\"type\": \"text\", \"text\": {a}}}, {b}, {{\"type\": \"tool_use\"}}]}}}}"
            )),
            (text(), text()).prop_map(|(a, b)| format!("{{\"observations\": [{a}, {a}], \"name\": {b}}}")),
            (text(), text()).prop_map(|(a, b)| format!("{{\"to\": {a}, \"from\": {b}, \"relationType\": {a}}}")),
            text().prop_map(|text| format!("{{\"memory\": {text}, \"id\": {text}, \"created_at\": {text}}}")),
            Just("{\"content\": []}".to_owned()),
            Just("[]".to_owned()),
        ]
    }

    fn any_note() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[a-c .:!]{0,80}",
            "\\PC{0,40}",
            "[水🌊é]{0,80}",
            "#{0,7} [a-z]{0,10}",
            "(- |> |    |\t|1\\. ){0,3}[a-z#`~=-]{0,8}",
            "(---|===|```|~~~|agent: x|<!--|-->|\\.\\.\\.)",
            "\\{\"(text|content)\": \"[a-z\\\\n ]{0,99}\"\\}",
        ];
        proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn any_note_is_read(note in any_note(), options in any_options()) {
            for kind in KINDS {
                let parsed = parse(kind, note.as_bytes(), &options).expect("text");
                assert_sound(&parsed, &options);
                prop_assert_eq!(&parsed, &parse(kind, note.as_bytes(), &options).expect("text"));
            }
        }

        #[test]
        fn any_records_are_read(
            records in proptest::collection::vec(any_record(), 1..8),
            between in prop_oneof![Just(","), Just(",\n"), Just("\n")],
            options in any_options(),
        ) {
            let document = match between {
                "\n" => records.join(between),
                _ => format!("{{\"messages\": [{}]}}", records.join(between)),
            };
            for kind in [Kind::Json, Kind::Jsonl] {
                if let Ok(parsed) = parse(kind, document.as_bytes(), &options) {
                    assert_sound(&parsed, &options);
                    for said in crate::observations(&parsed) {
                        prop_assert!(said.start_line <= said.end_line && !said.text.trim().is_empty());
                    }
                }
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), options in any_options()) {
            for kind in ALL_KINDS {
                if let Ok(parsed) = parse(kind, &bytes, &options) {
                    assert_sound(&parsed, &options);
                }
            }
        }
    }
}
