//! Cuts notes into chunks like OpenClaw.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use memlens_params::{ParameterSet, Value, Values};

use super::Edition;
use super::params::{CHUNK_OVERLAP, CHUNK_TOKENS};

/// Number of UTF-16 units that count as a token.
const TOKEN_UNITS: usize = 4;
/// Minimum length of a chunk.
const CHUNK_UNITS_MIN: usize = 32;

/// The comments that it writes into notes: `<!-- importance: 7 -->`.
static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)<!--\s*(?:importance|trigger|project)\s*:[^\r\n]*?-->")
        .expect("a valid pattern")
});
static IMPORTANCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)<!--\s*importance\s*:\s*(\d+)\s*-->").expect("a valid pattern")
});
/// Blanks at the end of a line or of the text.
static BLANK_ENDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("[ \\t]+(?P<end>[\r\n\u{2028}\u{2029}]|$)").expect("a valid pattern")
});
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^#{1,6}(?:\s|$)").expect("a valid pattern"));

/// A piece of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// First line, 1-based, as OpenClaw counts: one more after the last line end.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// The text of the piece.
    pub text: String,
    /// The importance that an entry of MEMORY.md or USER.md states, 1 to 10.
    pub importance: Option<u8>,
}

/// The length of chunks, which can be set up to 2026.7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunking {
    tokens: u32,
    overlap: u32,
}

impl Default for Chunking {
    /// The default of every edition.
    fn default() -> Chunking {
        Chunking {
            tokens: CHUNK_TOKENS.1,
            overlap: CHUNK_OVERLAP.1,
        }
    }
}

impl Chunking {
    /// Returns the lengths in these parameters; the defaults if their edition fixes them.
    pub fn of(values: &Values) -> Chunking {
        let number = |(id, default): (&str, u32)| match values.get(id) {
            Some(Value::Number(number)) => number as u32,
            Some(Value::Toggle(_) | Value::Choice(_) | Value::Unset) | None => default,
        };
        Chunking {
            tokens: number(CHUNK_TOKENS),
            overlap: number(CHUNK_OVERLAP),
        }
    }

    /// Returns the length of a chunk.
    fn units(self) -> usize {
        (self.tokens as usize * TOKEN_UNITS).max(CHUNK_UNITS_MIN)
    }

    /// Returns how much of a chunk the next one repeats, always less than a chunk.
    fn overlap_units(self) -> usize {
        self.overlap.min(self.tokens.saturating_sub(1)) as usize * TOKEN_UNITS
    }
}

/// Cuts a note like an edition of OpenClaw. `path` is the note's path in the workspace.
pub fn cut(edition: Edition, chunking: Chunking, path: &str, text: &str) -> Vec<Piece> {
    let packing = match edition {
        Edition::V2026_2 | Edition::V2026_7 => Packing { edition, chunking },
        Edition::V2026_8 => Packing {
            edition,
            chunking: Chunking::default(),
        },
    };
    let mut pieces = match edition {
        Edition::V2026_2 | Edition::V2026_7 => pack(&lines(text), 1, packing),
        Edition::V2026_8 if matches!(path, "MEMORY.md" | "USER.md") => entries(text, packing),
        Edition::V2026_8 => pack(&lines(&bare(text)), 1, packing),
    };
    // Equal pieces of a long line have the same id in its index, and are stored once.
    let mut seen = HashSet::new();
    pieces.retain(|piece| {
        let place = (piece.start_line, piece.end_line, piece.text.clone());
        !piece.text.trim().is_empty() && seen.insert(place)
    });
    pieces
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// How an edition weighs characters, splits long lines, and selects the overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Packing {
    edition: Edition,
    chunking: Chunking,
}

impl Packing {
    fn weight(self, text: &str) -> usize {
        text.chars().map(|sign| self.weight_of(sign)).sum()
    }

    /// Returns the weight of a character.
    fn weight_of(self, sign: char) -> usize {
        match self.edition {
            Edition::V2026_2 => sign.len_utf16(),
            Edition::V2026_7 => weight_2026_7(sign),
            Edition::V2026_8 => weight_2026_8(sign),
        }
    }

    /// `next` is the weight of the line that did not fit.
    fn overlap(self, current: &[(String, u32)], next: usize) -> Vec<(String, u32)> {
        match self.edition {
            Edition::V2026_2 | Edition::V2026_7 => self.whole_lines(current),
            Edition::V2026_8 => self.last_of(current, next),
        }
    }

    /// Returns the last whole lines until they make up the overlap.
    fn whole_lines(self, current: &[(String, u32)]) -> Vec<(String, u32)> {
        let overlap = self.chunking.overlap_units();
        let mut carried = 0;
        let mut from = current.len();
        while from > 0 && carried < overlap {
            from -= 1;
            carried += self.weight(&current[from].0) + 1;
        }
        current[from..].to_vec()
    }

    /// Returns the last lines that fit beside the next one; if none fits, the tail of the last one.
    fn last_of(self, current: &[(String, u32)], next: usize) -> Vec<(String, u32)> {
        let beside = self.chunking.units().saturating_sub(next);
        let room = self.chunking.overlap_units().min(beside);
        let mut carried = 0;
        let mut kept = Vec::new();
        for (text, number) in current.iter().rev() {
            let size = self.weight(text) + 1;
            if carried + size > room {
                if kept.is_empty() {
                    let tail = self.tail(text, room.saturating_sub(1));
                    if !tail.is_empty() {
                        kept.push((tail, *number));
                    }
                }
                break;
            }
            carried += size;
            kept.push((text.clone(), *number));
        }
        kept.reverse();
        kept
    }

    /// Returns the end of a text with at most this weight.
    fn tail(self, text: &str, room: usize) -> String {
        let mut weight = 0;
        let mut start = text.len();
        for (at, sign) in text.char_indices().rev() {
            weight += self.weight_of(sign);
            if weight > room {
                break;
            }
            start = at;
        }
        text[start..].to_owned()
    }

    /// Splits a line into pieces that fit into a chunk.
    fn segments(self, line: &str) -> Vec<String> {
        if line.is_empty() {
            return vec![String::new()];
        }
        let chunk_units = self.chunking.units();
        let fits = |piece: &String| self.weight(piece) <= chunk_units;
        match self.edition {
            Edition::V2026_2 => slices(line, chunk_units, PairAtEnd::Within),
            Edition::V2026_7 => {
                let step = (self.chunking.tokens as usize).max(1);
                let fine = |piece: String| match fits(&piece) {
                    true => vec![piece],
                    false => slices(&piece, step, PairAtEnd::Within),
                };
                let coarse = slices(line, chunk_units, PairAtEnd::Behind);
                coarse.into_iter().flat_map(fine).collect()
            }
            Edition::V2026_8 => {
                let fine = |piece: String| match fits(&piece) {
                    true => vec![piece],
                    false => self.by_weight(&piece),
                };
                let coarse = slices(line, chunk_units, PairAtEnd::Behind);
                coarse.into_iter().flat_map(fine).collect()
            }
        }
    }

    /// Splits a text into pieces with at most the weight of a chunk.
    fn by_weight(self, text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        let (mut current, mut weight) = (String::new(), 0);
        for sign in text.chars() {
            let own = self.weight_of(sign);
            if weight + own > self.chunking.units() {
                pieces.push(std::mem::take(&mut current));
                weight = 0;
            }
            current.push(sign);
            weight += own;
        }
        pieces.push(current);
        pieces
    }
}

/// Packs whole lines greedily; a line longer than a chunk is cut.
fn pack(lines: &[&str], first_line: u32, packing: Packing) -> Vec<Piece> {
    let chunk_units = packing.chunking.units();
    let mut pieces = Vec::new();
    let mut current: Vec<(String, u32)> = Vec::new();
    let mut current_weight = 0;
    let flush = |current: &[(String, u32)], pieces: &mut Vec<Piece>| {
        let (Some((_, first)), Some((_, last))) = (current.first(), current.last()) else {
            return;
        };
        let texts: Vec<&str> = current.iter().map(|(text, _)| text.as_str()).collect();
        pieces.push(Piece {
            start_line: *first,
            end_line: *last,
            text: texts.join("\n"),
            importance: None,
        });
    };
    for (number, line) in (first_line..).zip(lines) {
        for segment in packing.segments(line) {
            let size = packing.weight(&segment) + 1;
            if current_weight + size > chunk_units && !current.is_empty() {
                flush(&current, &mut pieces);
                current = packing.overlap(&current, size);
                let weights = current.iter().map(|(text, _)| packing.weight(text) + 1);
                current_weight = weights.sum();
            }
            current_weight += size;
            current.push((segment, number));
        }
    }
    flush(&current, &mut pieces);
    pieces
}

/// Where a surrogate pair goes that a cut would split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairAtEnd {
    /// Into the piece before the cut, which gets one unit longer.
    Within,
    /// Into the piece after the cut.
    Behind,
}

/// Splits a text into pieces of at most `units_max` UTF-16 units; no character is split.
fn slices(text: &str, units_max: usize, pair: PairAtEnd) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut current = String::new();
    let mut current_units = 0;
    for sign in text.chars() {
        let units = sign.len_utf16();
        let is_full = match pair {
            PairAtEnd::Within => current_units >= units_max,
            PairAtEnd::Behind => current_units + units > units_max,
        };
        if is_full {
            pieces.push(std::mem::take(&mut current));
            current_units = 0;
        }
        current.push(sign);
        current_units += units;
    }
    pieces.push(current);
    pieces
}

pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// 2026.7: a character of a dense script counts as a token of four units.
fn weight_2026_7(sign: char) -> usize {
    let is_dense = matches!(
        sign,
        '\u{2e80}'..='\u{9fff}'
            | '\u{a000}'..='\u{a4ff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff01}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{20000}'..='\u{2fa1f}'
    );
    if is_dense { 4 } else { sign.len_utf16() }
}

/// 2026.9: common dense characters count as one token of four units, rarer ones as two to four tokens.
fn weight_2026_8(sign: char) -> usize {
    match sign {
        '\u{b7}'
        | '\u{3000}'..='\u{319f}'
        | '\u{4e00}'..='\u{9fa5}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{ff01}'..='\u{ff60}' => 4,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{2fff}'
        | '\u{31a0}'..='\u{4dff}'
        | '\u{9fa6}'..='\u{a4ff}'
        | '\u{a700}'..='\u{a707}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{d7b0}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' => 12,
        '\u{2c7}'
        | '\u{2c9}'..='\u{2cb}'
        | '\u{2d9}'
        | '\u{2ea}'..='\u{2eb}'
        | '\u{305}'
        | '\u{323}'
        | '\u{fe10}'..='\u{fe4f}'
        | '\u{ff61}'..='\u{ffdc}'
        | '\u{ffe0}'..='\u{ffe6}' => 8,
        '\u{1d360}'..='\u{1d371}' => 12,
        '\u{16fe0}'..='\u{16fff}'
        | '\u{1aff0}'..='\u{1afff}'
        | '\u{1b000}'..='\u{1b16f}'
        | '\u{1f200}'..='\u{1f2ff}'
        | '\u{20000}'..='\u{2fa1f}'
        | '\u{30000}'..='\u{3347f}' => 16,
        _ => sign.len_utf16(),
    }
}

/// MEMORY.md and USER.md: an entry (a line that begins with `- `) and a heading start a chunk. A chunk of an entry has
/// the importance that any line of the entry states; another chunk has that of its own lines.
fn entries(text: &str, packing: Packing) -> Vec<Piece> {
    let bare = bare(text);
    let (lines, stated) = (lines(&bare), lines(text));
    let begins = |line: &str| line.starts_with("- ") || HEADING.is_match(line);
    let mut starts: Vec<usize> = (0..lines.len()).filter(|at| begins(lines[*at])).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .flat_map(|(start, end)| {
            let (start, is_entry) = (*start, lines[*start].starts_with("- "));
            let mut pieces = pack(&lines[start..end], start as u32 + 1, packing);
            for piece in &mut pieces {
                let (from, to) = match is_entry {
                    true => (start, end),
                    false => (piece.start_line as usize - 1, piece.end_line as usize),
                };
                let of_lines = stated.get(from..to).unwrap_or_default();
                piece.importance = of_lines.iter().filter_map(|line| importance(line)).max();
            }
            pieces
        })
        .collect()
}

/// Returns the importance that a line states at its end, 1 to 10.
fn importance(line: &str) -> Option<u8> {
    if !line.trim_end().ends_with("-->") {
        return None;
    }
    let stated = IMPORTANCE.captures_iter(line);
    stated
        .filter_map(|found| found[1].parse().ok())
        .filter(|importance| (1..=10).contains(importance))
        .max()
}

/// Returns a text without OpenClaw's own comments. If it has one, blanks at line ends are removed too.
fn bare(text: &str) -> Cow<'_, str> {
    match COMMENT.replace_all(text, "") {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(text) => Cow::Owned(BLANK_ENDS.replace_all(&text, "$end").into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use memlens_params::{ParameterSet, Value};

    use super::super::params::Jul2026;
    use super::{Chunking, cut};
    use crate::openclaw::Edition;

    fn lines_of(tokens: f64, overlap: f64) -> Vec<(u32, u32)> {
        let mut values = Jul2026::default().values();
        for (id, number) in [
            ("openclaw.chunk_tokens", tokens),
            ("openclaw.chunk_overlap", overlap),
        ] {
            values
                .set(id, Value::Number(number))
                .expect("it is in range");
        }
        // Ten lines of nine characters, each ten with its line end.
        let text = ["nine sign"; 10].join("\n");
        let pieces = cut(
            Edition::V2026_7,
            Chunking::of(&values),
            "memory/a.md",
            &text,
        );
        pieces
            .iter()
            .map(|it| (it.start_line, it.end_line))
            .collect()
    }

    #[test]
    fn chunks_have_the_configured_length() {
        assert_eq!(lines_of(400.0, 80.0), [(1, 10)]);
        // 40 characters hold four lines.
        assert_eq!(lines_of(10.0, 0.0), [(1, 4), (5, 8), (9, 10)]);
        // Whole lines are repeated until they make up 8 characters, and 12 characters.
        assert_eq!(lines_of(10.0, 2.0), [(1, 4), (4, 7), (7, 10)]);
        assert_eq!(lines_of(10.0, 3.0), [(1, 4), (3, 6), (5, 8), (7, 10)]);
        // No chunk repeats all of the previous one: 9 tokens of 10.
        assert_eq!(lines_of(10.0, 500.0), lines_of(10.0, 9.0));
        assert_eq!(
            Chunking::of(&Jul2026::default().values()),
            Chunking::default()
        );
    }
}
