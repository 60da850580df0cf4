//! The difference of two versions of a note by lines, in parts with a few lines around each change.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

/// Lines around a change.
const CONTEXT: usize = 2;
/// Lines of a diff that are in its parts.
const LINES_MOST: usize = 400;
/// After this, a diff is found more coarsely.
const TIME: Duration = Duration::from_millis(100);

/// A line of a version, with its number in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedLine {
    /// Line in the file, 1-based. Several lines of a JSON string have the number of its first.
    pub number: u32,
    /// Its text without its end.
    pub text: String,
}

/// Which version has a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// Both.
    Same,
    /// The later one alone.
    Added,
    /// The former one alone.
    Removed,
}

/// Lines that follow each other in their version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffPart {
    /// Line of its first line in the later version, 1-based; in the former version if the later one has none of its lines.
    pub line: u32,
    /// Its lines.
    pub lines: Vec<(LineKind, String)>,
}

/// The difference of two versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDiff {
    /// The changes with their surroundings, at most 400 lines.
    pub parts: Vec<DiffPart>,
    /// Number of added lines, also of those that are in no part.
    pub n_added: u32,
    /// Number of removed lines, also of those that are in no part.
    pub n_removed: u32,
    /// Whether lines are left out.
    pub is_cut: bool,
    /// Whether a string of JSON was compared in its chunks, of which neighbours may share lines.
    pub is_by_chunk: bool,
}

impl LineDiff {
    /// Whether both versions have the same lines.
    pub fn is_empty(&self) -> bool {
        self.n_added == 0 && self.n_removed == 0
    }

    /// Bytes of all lines in its parts.
    pub(crate) fn n_bytes(&self) -> usize {
        let lines = self.parts.iter().flat_map(|part| &part.lines);
        lines.map(|(_, text)| text.len()).sum()
    }
}

/// The difference of two versions of a text.
pub fn line_diff(before: &[NumberedLine], after: &[NumberedLine]) -> LineDiff {
    fn texts(lines: &[NumberedLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }
    let (old, new) = (texts(before), texts(after));
    let found = TextDiff::configure()
        .deadline(Instant::now() + TIME)
        .diff_slices(&old, &new);
    let mut diff = LineDiff::default();
    let mut n_lines = 0;
    for group in found.grouped_ops(CONTEXT) {
        let mut part = Part::default();
        for change in group.iter().flat_map(|op| found.iter_changes(op)) {
            let (kind, n) = match change.tag() {
                ChangeTag::Equal => (LineKind::Same, None),
                ChangeTag::Insert => (LineKind::Added, Some(&mut diff.n_added)),
                ChangeTag::Delete => (LineKind::Removed, Some(&mut diff.n_removed)),
            };
            if let Some(n) = n {
                *n += 1;
            }
            if n_lines == LINES_MOST {
                diff.is_cut = true;
                continue;
            }
            n_lines += 1;
            let number = |at: Option<usize>, lines: &[NumberedLine]| at.map(|at| lines[at].number);
            let numbers = (
                number(change.old_index(), before),
                number(change.new_index(), after),
            );
            if !part.follows(numbers) {
                diff.parts.extend(std::mem::take(&mut part).finished());
            }
            part.push(kind, numbers, change.value());
        }
        diff.parts.extend(part.finished());
    }
    diff
}

/// The numbers of a line in the former and in the later version.
type Numbers = (Option<u32>, Option<u32>);

/// A part that grows.
#[derive(Default)]
struct Part {
    first: Numbers,
    last: Numbers,
    lines: Vec<(LineKind, String)>,
}

impl Part {
    /// Whether a line stands directly after the last one of its version.
    fn follows(&self, (old, new): Numbers) -> bool {
        let is_next = |last: Option<u32>, next: Option<u32>| match (last, next) {
            (Some(last), Some(next)) => next == last || next == last + 1,
            _ => true,
        };
        is_next(self.last.0, old) && is_next(self.last.1, new)
    }

    fn push(&mut self, kind: LineKind, (old, new): Numbers, text: &str) {
        self.first = (self.first.0.or(old), self.first.1.or(new));
        self.last = (old.or(self.last.0), new.or(self.last.1));
        self.lines.push((kind, text.to_owned()));
    }

    fn finished(self) -> Option<DiffPart> {
        Some(DiffPart {
            line: self.first.1.or(self.first.0)?,
            lines: self.lines,
        })
    }
}

/// A chunk of a version, from which its lines are put together.
pub(crate) struct Piece<'t> {
    pub(crate) start_line: u32,
    pub(crate) bytes: Range<u32>,
    pub(crate) text: &'t str,
}

/// The lines that a version's chunks hold, and whether a string of JSON was in several chunks. The chunks are in the order of their
/// bytes and may overlap.
pub(crate) fn lines_of(pieces: &[Piece<'_>]) -> (Vec<NumberedLine>, bool) {
    let is_text = |piece: &Piece<'_>| piece.bytes.len() == piece.text.len();
    if let Some(lines) = pieces.iter().all(is_text).then(|| joined(pieces)).flatten() {
        return (lines, false);
    }
    // The text of a JSON string is not that of the file.
    let lines = pieces.iter().flat_map(|piece| {
        let number = piece.start_line;
        piece.text.lines().map(move |text| NumberedLine {
            number,
            text: text.to_owned(),
        })
    });
    let is_cut = pieces
        .windows(2)
        .any(|two| two[0].start_line == two[1].start_line);
    (lines.collect(), is_cut)
}

/// The lines of a text without blank ones at its ends; `None` if the chunks are not parts of one.
fn joined(pieces: &[Piece<'_>]) -> Option<Vec<NumberedLine>> {
    let mut lines: Vec<NumberedLine> = Vec::new();
    let mut end = 0;
    for piece in pieces {
        let is_after_gap = piece.bytes.start > end || lines.is_empty();
        let fresh = match is_after_gap {
            true => piece.text,
            false => {
                let known = ((end - piece.bytes.start) as usize).min(piece.text.len());
                piece.text.get(known..)?
            }
        };
        end = end.max(piece.bytes.end);
        let mut fresh = fresh.split('\n');
        let first = fresh.next().unwrap_or_default();
        match lines.last_mut() {
            Some(last) if !is_after_gap => last.text.push_str(first),
            Some(last) if last.number == piece.start_line => {
                // Only white space between the pieces of a long line is in no chunk.
                if !last.text.is_empty() {
                    last.text.push(' ');
                }
                last.text.push_str(first);
            }
            last => {
                // What is between chunks is blank.
                let from = last.map_or(piece.start_line, |last| last.number + 1);
                lines.extend((from..piece.start_line).map(blank));
                lines.push(NumberedLine {
                    number: piece.start_line,
                    text: first.to_owned(),
                });
            }
        }
        for text in fresh {
            let number = lines.last()?.number + 1;
            lines.push(NumberedLine {
                number,
                text: text.to_owned(),
            });
        }
    }
    for line in &mut lines {
        let n = line.text.trim_end_matches('\r').len();
        line.text.truncate(n);
    }
    // Blank lines at the ends are in a chunk or not.
    while lines.pop_if(|line| line.text.trim().is_empty()).is_some() {}
    let n_blank = lines
        .iter()
        .take_while(|line| line.text.trim().is_empty())
        .count();
    lines.drain(..n_blank);
    Some(lines)
}

fn blank(number: u32) -> NumberedLine {
    NumberedLine {
        number,
        text: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(text: &str) -> Vec<NumberedLine> {
        let lines = (1..).zip(text.lines());
        lines
            .map(|(number, text)| NumberedLine {
                number,
                text: text.to_owned(),
            })
            .collect()
    }

    fn printed(diff: &LineDiff) -> String {
        let mut text = String::new();
        for part in &diff.parts {
            text += &format!("@{}", part.line);
            for (kind, line) in &part.lines {
                let sign = match kind {
                    LineKind::Same => ' ',
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                };
                text += &format!("|{sign}{line}");
            }
        }
        text
    }

    #[test]
    fn a_part_names_its_line_in_the_later_version_or_in_the_former_if_that_alone_has_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let diff = |new| line_diff(&numbered(old), &numbered(new));
        let one = diff("a\nb\nc\nd\nE\nf\ng\nh\ni\nj\n");
        assert_eq!(printed(&one), "@3| c| d|-e|+E| f| g");
        let went = diff("b\nc\nd\ne\nf\ng\nh\nj\n");
        assert_eq!(printed(&went), "@1|-a| b| c@6| g| h|-i| j");
        assert_eq!((went.n_added, went.n_removed, went.is_cut), (0, 2, false));
        assert_eq!(printed(&diff("")).matches('-').count(), 10);
        assert!(diff(old).is_empty());
    }

    #[test]
    fn lines_that_are_not_neighbours_are_in_two_parts() {
        let line = |number, text: &str| NumberedLine {
            number,
            text: text.to_owned(),
        };
        let diff = line_diff(
            &[line(10, "x"), line(40, "y")],
            &[line(12, "x"), line(42, "z")],
        );
        assert_eq!(printed(&diff), "@12| x@42|-y|+z");
    }

    #[test]
    fn a_long_diff_is_cut_and_its_figures_are_not() {
        let long: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let diff = line_diff(&[], &numbered(&long));
        assert!(diff.is_cut);
        assert_eq!((diff.n_added, diff.n_removed), (1000, 0));
        assert_eq!(diff.parts[0].lines.len(), LINES_MOST);
    }

    #[test]
    fn a_string_of_json_has_the_line_of_its_record() {
        let piece = |start_line, bytes: Range<u32>, text| Piece {
            start_line,
            bytes,
            text,
        };
        let (lines, is_by_chunk) =
            lines_of(&[piece(1, 0..9, "one"), piece(2, 10..30, "five\nsix")]);
        let lines: Vec<(u32, &str)> = lines.iter().map(|it| (it.number, &*it.text)).collect();
        assert_eq!(lines, [(1, "one"), (2, "five"), (2, "six")]);
        assert!(!is_by_chunk);
        assert!(lines_of(&[piece(2, 0..9, "a"), piece(2, 5..20, "b")]).1);
    }

    #[test]
    fn blank_lines_between_chunks_are_lines() {
        let text = "a\n\n\nb c\n";
        let piece = |start_line, bytes: Range<usize>| Piece {
            start_line,
            bytes: bytes.start as u32..bytes.end as u32,
            text: &text[bytes],
        };
        let all = lines_of(&[piece(1, 0..text.len())]).0;
        assert_eq!(all.len(), 4);
        // The blank lines, and the blank between the pieces of a line, are in no chunk.
        let pieces = [piece(1, 0..2), piece(4, 4..5), piece(4, 6..8)];
        assert_eq!(lines_of(&pieces).0, all);
    }

    proptest! {
        /// Overlapping pieces of a text give its lines.
        #[test]
        fn pieces_give_the_lines_of_their_text(
            text in "([a-c\u{e9}]{0,5}\n){1,20}",
            cuts in proptest::collection::vec((0..60usize, 0..30usize), 1..8),
        ) {
            let boundary = |mut at: usize| {
                at = at.min(text.len());
                while !text.is_char_boundary(at) { at -= 1; }
                at
            };
            // They cover the text from its beginning on, each from a place in the one before.
            let mut ranges: Vec<Range<usize>> = Vec::from([Range { start: 0, end: boundary(10) }]);
            for (ahead, back) in &cuts {
                let end = ranges.last().map_or(0, |range| range.end);
                ranges.push(boundary(end.saturating_sub(*back))..boundary(end + ahead));
            }
            ranges.sort_by_key(|range| range.start);
            let end = ranges.iter().map(|range| range.end).max().unwrap_or_default();
            let pieces: Vec<Piece<'_>> = ranges.iter().map(|range| Piece {
                start_line: text[..range.start].matches('\n').count() as u32 + 1,
                bytes: range.start as u32..range.end as u32,
                text: &text[range.clone()],
            }).collect();
            let (lines, is_by_chunk) = lines_of(&pieces);
            prop_assert!(!is_by_chunk);
            let mut expected = numbered(&text[..end]);
            while expected.pop_if(|line| line.text.is_empty()).is_some() {}
            while expected.first().is_some_and(|line| line.text.is_empty()) {
                expected.remove(0);
            }
            prop_assert_eq!(lines, expected);
        }
    }
}
