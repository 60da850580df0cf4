//! Notes as OpenClaw cuts them into chunks.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use memlens_params::{ParameterSet, Value, Values};

use super::Edition;
use super::params::{CHUNK_OVERLAP, CHUNK_TOKENS};

/// What a token is taken for.
const TOKEN_UNITS: usize = 4;
/// No chunk is made shorter.
const CHUNK_UNITS_MIN: usize = 32;
/// What a text that is cut finer by tokens is cut into.
const FINE_UNITS: usize = 400;

/// What it writes into notes about them: `<!-- importance: 7 -->`.
static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[ \t]*<!--\s*(?:importance|trigger|project):[^\n]*?-->").expect("a valid pattern")
});
static IMPORTANCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<!--\s*importance:\s*(\d+)\s*-->").expect("a valid pattern"));

/// A piece of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// First line, 1-based, as OpenClaw counts: one more behind the last line end.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Its text.
    pub text: String,
    /// What an entry of MEMORY.md or USER.md says of its importance, 1 to 10.
    pub importance: Option<u8>,
}

/// How long chunks are, as OpenClaw can be told up to 2026.7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunking {
    tokens: u32,
    overlap: u32,
}

impl Default for Chunking {
    /// As every edition cuts that is told nothing.
    fn default() -> Chunking {
        Chunking {
            tokens: CHUNK_TOKENS.1,
            overlap: CHUNK_OVERLAP.1,
        }
    }
}

impl Chunking {
    /// What these parameters say; the defaults where their edition fixes them.
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

    /// How long a chunk is.
    fn units(self) -> usize {
        (self.tokens as usize * TOKEN_UNITS).max(CHUNK_UNITS_MIN)
    }

    /// How much of a chunk the next one repeats: less than a chunk.
    fn overlap_units(self) -> usize {
        self.overlap.min(self.tokens.saturating_sub(1)) as usize * TOKEN_UNITS
    }
}

/// Cuts a note as an edition of OpenClaw does. `path` is the note's in the workspace.
pub fn cut(edition: Edition, chunking: Chunking, path: &str, text: &str) -> Vec<Piece> {
    let by_lines = Packing::ByLines(chunking);
    let mut pieces = match edition {
        Edition::V2026_2 | Edition::V2026_7 => pack(&lines(text), 1, by_lines),
        Edition::V2026_8 if matches!(path, "MEMORY.md" | "USER.md") => entries(text),
        Edition::V2026_8 => pack(&lines(&bare(text)), 1, Packing::ByWeight),
    };
    pieces.retain(|piece| !piece.text.trim().is_empty());
    pieces
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// How lines are counted, and what of those so far begins the next chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// In UTF-16 units, as long as it is told; whole lines are repeated.
    ByLines(Chunking),
    /// Signs of dense scripts as four; no more is repeated than fits beside the next line.
    ByWeight,
}

impl Packing {
    fn chunking(self) -> Chunking {
        match self {
            Packing::ByLines(chunking) => chunking,
            Packing::ByWeight => Chunking::default(),
        }
    }

    fn weight(self, text: &str) -> usize {
        match self {
            Packing::ByLines(_) => units(text),
            Packing::ByWeight => weighted(text),
        }
    }

    /// `next` is the weight of the line that did not fit.
    fn overlap(self, current: &[(String, u32)], next: usize) -> Vec<(String, u32)> {
        match self {
            Packing::ByLines(chunking) => whole_lines(current, chunking.overlap_units()),
            Packing::ByWeight => last_of(current, next),
        }
    }
}

/// Packs whole lines greedily; a line longer than a chunk is cut.
fn pack(lines: &[&str], first_line: u32, packing: Packing) -> Vec<Piece> {
    let chunk_units = packing.chunking().units();
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
        for segment in segments(line, packing) {
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

/// The last whole lines until they make up the overlap.
fn whole_lines(current: &[(String, u32)], overlap_units: usize) -> Vec<(String, u32)> {
    let mut carried = 0;
    let mut from = current.len();
    while from > 0 && carried < overlap_units {
        from -= 1;
        carried += units(&current[from].0) + 1;
    }
    current[from..].to_vec()
}

/// The last lines as far as they fit beside the next one; of the first that does not, its tail.
fn last_of(current: &[(String, u32)], next: usize) -> Vec<(String, u32)> {
    let chunking = Packing::ByWeight.chunking();
    let room = chunking
        .overlap_units()
        .min(chunking.units().saturating_sub(next));
    let mut carried = 0;
    let mut kept = Vec::new();
    for (text, number) in current.iter().rev() {
        let size = weighted(text) + 1;
        if carried + size > room {
            if kept.is_empty() {
                let tail = tail(text, room.saturating_sub(1));
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

/// The end of a text that weighs at most so much.
fn tail(text: &str, room: usize) -> String {
    let mut weight = 0;
    let mut start = text.len();
    for (at, sign) in text.char_indices().rev() {
        weight += weight_of(sign);
        if weight > room {
            break;
        }
        start = at;
    }
    text[start..].to_owned()
}

/// A line in pieces that fit into a chunk.
fn segments(line: &str, packing: Packing) -> Vec<String> {
    if line.is_empty() {
        return vec![String::new()];
    }
    let chunk_units = packing.chunking().units();
    let coarse = slices(line, chunk_units);
    if packing != Packing::ByWeight {
        return coarse;
    }
    coarse
        .into_iter()
        .flat_map(|piece| {
            if weighted(&piece) > chunk_units {
                slices(&piece, FINE_UNITS)
            } else {
                vec![piece]
            }
        })
        .collect()
}

/// A text in pieces of so many UTF-16 units; no character is split.
fn slices(text: &str, units_max: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut current = String::new();
    let mut current_units = 0;
    for sign in text.chars() {
        if current_units >= units_max {
            pieces.push(std::mem::take(&mut current));
            current_units = 0;
        }
        current.push(sign);
        current_units += sign.len_utf16();
    }
    pieces.push(current);
    pieces
}

pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A text's length where a sign of a script without blanks counts as a token of four characters.
fn weighted(text: &str) -> usize {
    text.chars().map(weight_of).sum()
}

fn weight_of(sign: char) -> usize {
    let is_dense = matches!(
        sign,
        '\u{b7}'
            | '\u{2e80}'..='\u{9fff}'
            | '\u{a000}'..='\u{a4ff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe4f}'
            | '\u{ff00}'..='\u{ffef}'
            | '\u{20000}'..='\u{2fa1f}'
    );
    if is_dense { 4 } else { 1 }
}

/// MEMORY.md and USER.md: each entry (a line that begins with `- `) is a chunk, what stands before the first as well.
fn entries(text: &str) -> Vec<Piece> {
    let lines = lines(text);
    let mut starts: Vec<usize> = (0..lines.len()).filter(|at| is_entry(lines[*at])).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .flat_map(|(start, end)| {
            let whole = lines[*start..end].join("\n");
            let importance = IMPORTANCE
                .captures(&whole)
                .and_then(|found| found[1].parse().ok())
                .filter(|importance| (1..=10).contains(importance));
            let mut pieces = pack(
                &self::lines(&bare(&whole)),
                *start as u32 + 1,
                Packing::ByWeight,
            );
            for piece in &mut pieces {
                piece.importance = importance;
            }
            pieces
        })
        .collect()
}

/// A text without OpenClaw's own comments, line for line.
fn bare(text: &str) -> Cow<'_, str> {
    COMMENT.replace_all(text, "")
}

fn is_entry(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("* ")
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
        // Ten lines of nine signs, each ten with its end.
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
    fn chunks_are_as_long_as_they_are_told() {
        assert_eq!(lines_of(400.0, 80.0), [(1, 10)]);
        // 40 signs hold four lines.
        assert_eq!(lines_of(10.0, 0.0), [(1, 4), (5, 8), (9, 10)]);
        // Whole lines are repeated until they make up 8 signs, 12 signs.
        assert_eq!(lines_of(10.0, 2.0), [(1, 4), (4, 7), (7, 10)]);
        assert_eq!(lines_of(10.0, 3.0), [(1, 4), (3, 6), (5, 8), (7, 10)]);
        // No chunk repeats all of the one before: 9 tokens of 10.
        assert_eq!(lines_of(10.0, 500.0), lines_of(10.0, 9.0));
        assert_eq!(
            Chunking::of(&Jul2026::default().values()),
            Chunking::default()
        );
    }
}
