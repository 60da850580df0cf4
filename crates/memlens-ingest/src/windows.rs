//! Windows: the short pieces that are embedded in addition to the whole chunk.
//!
//! Built per file, independently of the chunks and without overlap: lines are packed greedily, a heading starts a new
//! window, and the heading path precedes the text.
//!
//! Properties checked: each rule by table; windows ascend and cover every line that is not blank; a window is longer
//! than allowed only by its headings; every chunk gets a window if there is any; time and space stay linear.

use std::ops::Range;

use crate::lines::lines_from;
use crate::outline::{Heading, HeadingPath};

/// Separates the titles of a printed heading path.
const PATH_JOINT: &str = " > ";

/// A window of headings alone ends at this multiple of a window's length. The embedder reads only about 1000
/// characters, so nothing is lost to a search, and a file of nothing but headings stays cheap.
const HEADING_WINDOWS_MAX: usize = 4;

/// A window that is not assigned to chunks yet.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The text to embed: the heading path, a line end, and the window's lines.
    pub(crate) text: String,
    /// From the first byte of its first line or piece to the last of its last.
    pub(crate) bytes: Range<usize>,
}

/// Packs the lines of `text` from `start` (the start of a line) on into windows of at most `chars_max` characters.
///
/// Lengths count each unit (a line, a piece of a long line, a heading) and 1 for its joint. Blank lines are skipped.
pub(crate) fn build(
    text: &str,
    start: usize,
    headings: &[Heading],
    chars_max: usize,
) -> Vec<Draft> {
    let mut packer = Packer {
        text,
        chars_max: chars_max.max(1),
        path: HeadingPath::default(),
        units: Vec::new(),
        chars: 0,
        has_body: false,
        windows: Vec::new(),
    };
    let mut headings = headings.iter().peekable();
    let mut heading_end = start;
    for line in lines_from(text, start) {
        if let Some(heading) = headings.next_if(|heading| heading.bytes.start == line.start) {
            packer.push_heading(heading);
            heading_end = heading.bytes.end;
        }
        // Lines that belong to a heading, such as its underline, are handled already.
        if line.start >= heading_end {
            packer.push_line(line);
        }
    }
    packer.close();
    packer.windows
}

/// Returns for every window the chunks that it belongs to, as ascending indices into `chunks`.
///
/// These are the chunks that hold at least half of its bytes. A chunk without any window gets those that touch it,
/// otherwise the nearest (the earlier of two equally near). `chunks` and `windows` ascend in start and end.
pub(crate) fn assign(windows: &[Range<usize>], chunks: &[Range<usize>]) -> Vec<Vec<u32>> {
    let mut assigned: Vec<Vec<u32>> = vec![Vec::new(); windows.len()];
    for (chunk_idx, chunk) in (0..).zip(chunks) {
        let first = windows.partition_point(|window| window.end <= chunk.start);
        let touching =
            first..first + windows[first..].partition_point(|window| window.start < chunk.end);
        let is_half_inside = |window: &Range<usize>| {
            2 * (window.end.min(chunk.end) - window.start.max(chunk.start)) >= window.len()
        };
        let mut is_alone = true;
        for window_idx in touching
            .clone()
            .filter(|&idx| is_half_inside(&windows[idx]))
        {
            assigned[window_idx].push(chunk_idx);
            is_alone = false;
        }
        if !is_alone {
            continue;
        }
        if touching.is_empty() {
            let before = first
                .checked_sub(1)
                .map(|idx| (chunk.start - windows[idx].end, idx));
            let after = windows
                .get(first)
                .map(|window| (window.start - chunk.end, first));
            if let Some((_, nearest)) = before.into_iter().chain(after).min() {
                assigned[nearest].push(chunk_idx);
            }
        } else {
            touching.for_each(|window_idx| assigned[window_idx].push(chunk_idx));
        }
    }
    assigned
}

/// A line or a piece of one.
struct Unit {
    /// Its range in the document; for a heading including `#`.
    bytes: Range<usize>,
    /// The range of its text.
    said: Range<usize>,
}

struct Packer<'a> {
    text: &'a str,
    chars_max: usize,
    path: HeadingPath,
    units: Vec<Unit>,
    /// Characters of the units, each with its joint.
    chars: usize,
    has_body: bool,
    windows: Vec<Draft>,
}

impl Packer<'_> {
    fn push_heading(&mut self, heading: &Heading) {
        if self.has_body {
            self.close();
        }
        self.path.enter(self.text, heading);
        let pieces = pieces(self.text, heading.title.clone(), self.chars_max);
        for (idx, (said, chars)) in pieces.into_iter().enumerate() {
            let start = if idx == 0 {
                heading.bytes.start
            } else {
                said.start
            };
            // What exceeds a window counts as body, so that a heading of any length is packed like text.
            self.push(
                Unit {
                    bytes: start..said.end,
                    said,
                },
                chars,
                idx > 0,
            );
        }
    }

    fn push_line(&mut self, line: Range<usize>) {
        let stripped = self.text[line.clone()].trim_end();
        for (said, chars) in pieces(
            self.text,
            line.start..line.start + stripped.len(),
            self.chars_max,
        ) {
            self.push(
                Unit {
                    bytes: said.clone(),
                    said,
                },
                chars,
                true,
            );
        }
    }

    fn push(&mut self, unit: Unit, chars: usize, is_body: bool) {
        let chars = chars + 1;
        let limit = if self.has_body {
            self.chars_max
        } else {
            HEADING_WINDOWS_MAX * self.chars_max
        };
        if self.chars + chars > limit {
            self.close();
        }
        self.units.push(unit);
        self.chars += chars;
        self.has_body |= is_body;
    }

    fn close(&mut self) {
        let units = std::mem::take(&mut self.units);
        self.chars = 0;
        self.has_body = false;
        let (Some(first), Some(last)) = (units.first(), units.last()) else {
            return;
        };
        let bytes = first.bytes.start..last.bytes.end;
        let titles: Vec<&str> = self.path.titles().map(String::as_str).collect();
        let mut text = titles.join(PATH_JOINT);
        for unit in &units {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&self.text[unit.said.clone()]);
        }
        self.windows.push(Draft { text, bytes });
    }
}

/// Splits `line` into pieces of at most `chars_max` characters, each with its length; empty if the line is blank.
///
/// A line that fits is one piece, unchanged. A longer one is split at sentence ends, and the sentences are packed
/// again. A sentence that is too long is cut at the last blank before the limit, or at the limit.
fn pieces(text: &str, line: Range<usize>, chars_max: usize) -> Vec<(Range<usize>, usize)> {
    let whole = &text[line.clone()];
    if whole.trim().is_empty() {
        return Vec::new();
    }
    // Counted only if the number of bytes does not decide.
    let chars = if whole.len() <= 4 * chars_max {
        whole.chars().count()
    } else {
        usize::MAX
    };
    if chars <= chars_max {
        return vec![(line, chars)];
    }
    let mut pieces: Vec<(Range<usize>, usize)> = Vec::new();
    let mut is_open = false;
    for sentence in sentences(text, line) {
        let parts = cut(text, sentence, chars_max);
        let n_parts = parts.len();
        for (idx, (part, chars)) in parts.into_iter().enumerate() {
            match pieces.last_mut().filter(|_| is_open) {
                Some((open, open_chars)) if n_parts == 1 => {
                    let between = text[open.end..part.start].chars().count();
                    if *open_chars + between + chars <= chars_max {
                        open.end = part.end;
                        *open_chars += between + chars;
                        continue;
                    }
                }
                Some(_) | None => {}
            }
            pieces.push((part, chars));
            // More may follow the rest of a cut sentence; its earlier parts are full.
            is_open = idx + 1 == n_parts;
        }
    }
    pieces
}

/// Returns the sentences of a line. A sentence ends with one of `. ! ? ; :` before white space, or with the line.
fn sentences(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = None;
    let mut end = line.start;
    let mut may_end = false;
    for (at, char) in text[line.clone()].char_indices() {
        let at = line.start + at;
        if char.is_whitespace() {
            if may_end {
                sentences.extend(start.take().map(|start| start..end));
                may_end = false;
            }
            continue;
        }
        start = start.or(Some(at));
        end = at + char.len_utf8();
        may_end = matches!(char, '.' | '!' | '?' | ';' | ':');
    }
    sentences.extend(start.map(|start| start..end));
    sentences
}

/// Cuts a sentence into parts of at most `chars_max` characters, at blanks if there are any. Blanks at cuts are left
/// out.
fn cut(text: &str, sentence: Range<usize>, chars_max: usize) -> Vec<(Range<usize>, usize)> {
    let mut parts = Vec::new();
    let mut start = sentence.start;
    while start < sentence.end {
        let mut blank = None;
        let mut n_chars = 0;
        let mut limit = sentence.end;
        for (at, char) in text[start..sentence.end].char_indices() {
            if n_chars == chars_max {
                limit = start + at;
                break;
            }
            if char.is_whitespace() {
                blank = Some((start + at, n_chars));
            }
            n_chars += 1;
        }
        let (end, n_chars) = if limit == sentence.end {
            (limit, n_chars)
        } else {
            blank.unwrap_or((limit, n_chars))
        };
        let part = &text[start..end];
        let trimmed = part.trim_end();
        parts.push((
            start..start + trimmed.len(),
            n_chars - part[trimmed.len()..].chars().count(),
        ));
        start = end + (text[end..sentence.end].len() - text[end..sentence.end].trim_start().len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Outline;
    use proptest::prelude::*;

    fn windows(text: &str, chars_max: usize) -> Vec<Draft> {
        build(text, 0, &Outline::of(text, 0).headings, chars_max)
    }

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = windows(text, 20)
            .into_iter()
            .map(|window| window.text)
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lines_are_packed() {
        check("", &[]);
        check(" \n\t\n", &[]);
        check("one  \n\n  two\t\n", &["one\n  two"]);
        // 10 + 1 and 8 + 1 make 20; one more character does not fit.
        check("0123456789\n01234567", &["0123456789\n01234567"]);
        check("0123456789\n012345678", &["0123456789", "012345678"]);
        // Characters, not bytes.
        check(
            "水水水水水水水水水水\n🌊🌊🌊🌊🌊🌊🌊🌊",
            &["水水水水水水水水水水\n🌊🌊🌊🌊🌊🌊🌊🌊"],
        );
    }

    #[test]
    fn headings_start_windows_and_stand_in_front() {
        check(
            "intro\n# A\nbody\n## B\nmore",
            &["intro", "A\nA\nbody", "A > B\nB\nmore"],
        );
        // Headings without a body continue in the next window, and their length does not close it.
        check(
            "# Long title of A\n## Long title of B\nbody\nmore body and more",
            &[
                "Long title of A > Long title of B\nLong title of A\nLong title of B\nbody",
                "Long title of A > Long title of B\nmore body and more",
            ],
        );
        check("text\n# A\n# B\n", &["text", "B\nA\nB"]);
        check("# A\n### C\nx\n# \ny", &["A > C\nA\nC\nx", "y"]);
        check("A\n=\nx\n```\n# no\n```", &["A\nA\nx\n```\n# no\n```"]);
    }

    #[test]
    fn long_lines_are_split_at_sentences() {
        check(
            "One two. Three! Four five six seven.",
            &["One two. Three!", "Four five six seven."],
        );
        check(
            "a.b.c.d.e.f.g.h.i.j.k. L m n o p q r s.",
            &["a.b.c.d.e.f.g.h.i.j.", "k. L m n o p q r s."],
        );
        check(
            "No sentence end here but many words",
            &["No sentence end", "here but many words"],
        );
        check(
            "Short one. No sentence end here but many",
            &["Short one.", "No sentence end", "here but many"],
        );
        check(
            "No sentence end anywhere. Yes. Yes.",
            &["No sentence end", "anywhere. Yes. Yes."],
        );
        check(
            &"x".repeat(45),
            &[&"x".repeat(20), &"x".repeat(20), "xxxxx"],
        );
        check(&"水".repeat(25), &[&"水".repeat(20), "水水水水水"]);
        check(
            "# A title that is much longer than one window\nbody",
            &[
                "A title that is much longer than one window\nA title that is\nmuch longer than",
                "A title that is much longer than one window\none window\nbody",
            ],
        );
    }

    #[test]
    fn headings_alone_do_not_grow_without_end() {
        let found = windows(&"# A title\n".repeat(1000), 20);
        assert!(
            found.iter().all(|window| window.text.len() < 120),
            "{}",
            found[0].text
        );
        assert_eq!(
            found.len(),
            100,
            "10 titles of 7 characters and a joint are 80"
        );
    }

    #[test]
    #[expect(
        clippy::single_range_in_vec_init,
        reason = "lists of ranges of which some have one"
    )]
    fn windows_go_to_chunks() {
        for (windows, chunks, expected) in [
            // A window that is half inside counts for both.
            (
                vec![0..10, 11..21],
                vec![0..16, 16..21],
                vec![vec![0], vec![0, 1]],
            ),
            // Less than half in the second chunk, so only in the first.
            (vec![0..10], vec![0..6, 4..10], vec![vec![0, 1]]),
            (
                vec![0..10, 11..21],
                vec![0..14, 13..21],
                vec![vec![0], vec![1]],
            ),
            // A chunk without any window gets all that touch it.
            (
                vec![0..10, 11..21],
                vec![0..8, 8..13, 13..21],
                vec![vec![0, 1], vec![1, 2]],
            ),
            // Touching nothing: the nearest, and the earlier of two.
            (
                vec![0..10, 30..40],
                vec![0..10, 18..20, 21..22, 30..40],
                vec![vec![0, 1], vec![2, 3]],
            ),
            (vec![0..10, 30..40], vec![19..21], vec![vec![0], vec![]]),
            (vec![10..20], vec![0..5, 25..30], vec![vec![0, 1]]),
            (vec![], vec![0..5], vec![]),
        ] {
            assert_eq!(
                assign(&windows, &chunks),
                expected,
                "{windows:?} {chunks:?}"
            );
        }
    }

    fn any_text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[a-c .!]{0,60}",
            "[水🌊é。 ]{0,60}",
            "#{1,6} [a-z ]{0,50}",
            Just("```".to_owned()),
            Just("===".to_owned()),
            "\\PC{0,20}",
        ];
        proptest::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn windows_cover_the_text(text in any_text(), chars_max in 1_usize..50) {
            let outline = Outline::of(&text, 0);
            let found = build(&text, 0, &outline.headings, chars_max);
            let mut covered = 0;
            let is_underline_or_mark = |gap: &str| gap.chars().all(|char| char.is_whitespace() || "#=-".contains(char));
            for window in &found {
                prop_assert!(window.bytes.start >= covered && window.bytes.end > window.bytes.start);
                prop_assert!(is_underline_or_mark(&text[covered..window.bytes.start]), "{:?}", &text[covered..window.bytes.start]);
                covered = window.bytes.end;
            }
            prop_assert!(is_underline_or_mark(&text[covered..]));
            if outline.headings.is_empty() {
                prop_assert!(found.iter().all(|window| window.text.chars().count() <= chars_max));
            }
        }

        #[test]
        fn no_chunk_goes_without(
            windows in proptest::collection::vec((0_usize..9, 1_usize..9), 1..20),
            chunks in proptest::collection::vec((0_usize..9, 1_usize..9), 0..20),
        ) {
            let ascending = |steps: &[(usize, usize)]| {
                let mut at = 0;
                steps.iter().map(|&(gap, length)| { at += gap + length; at - length..at }).collect::<Vec<_>>()
            };
            let (windows, chunks) = (ascending(&windows), ascending(&chunks));
            let assigned = assign(&windows, &chunks);
            for idx in (0..).take(chunks.len()) {
                prop_assert!(assigned.iter().any(|chunks| chunks.contains(&idx)));
            }
            for (window, assigned) in windows.iter().zip(&assigned) {
                prop_assert!(assigned.is_sorted_by(|a, b| a < b));
                // A chunk that holds the whole window always has it.
                for (idx, chunk) in (0..).zip(&chunks) {
                    if chunk.start <= window.start && window.end <= chunk.end {
                        prop_assert!(assigned.contains(&idx));
                    }
                }
            }
        }
    }
}
