//! Cuts documents like qmd, in UTF-16 units like its own language.

use std::sync::LazyLock;

use regex::Regex;

/// Maximum number of tokens in a chunk for vectors.
const TOKENS_MAX: usize = 900;
/// Assumed number of characters per token before tokens are counted.
const CHARS_PER_TOKEN: usize = 3;
/// The sizes of chunks for vectors: 900, 135 and 200 tokens of 3 characters.
const FOR_VECTORS: Sizes = Sizes {
    max: TOKENS_MAX * CHARS_PER_TOKEN,
    overlap: 135 * CHARS_PER_TOKEN,
    window: 200 * CHARS_PER_TOKEN,
};
/// The sizes of chunks for reranking: the same tokens of 4 characters.
const FOR_RERANKING: Sizes = Sizes {
    max: 3600,
    overlap: 540,
    window: 800,
};
/// The share of the maximum number of tokens that a chunk aims at when it is cut again.
const SAFETY: f64 = 0.95;
/// The share of a break's score that is lost at the far edge of the window.
const DECAY: f64 = 0.7;

/// The score of a break as the end of a chunk: a heading by its level, a code fence, a rule, blank lines, a list item,
/// a line end.
const HEADINGS: [f64; 6] = [100.0, 90.0, 80.0, 70.0, 60.0, 50.0];
const FENCE: f64 = 80.0;
const RULE: f64 = 60.0;
const BLANK: f64 = 20.0;
const ITEM: f64 = 5.0;
const LINE: f64 = 1.0;

const NEWLINE: u16 = b'\n' as u16;

/// Replaces the tokenizer of its embedding model, which Memlens does not have: pieces of at most four letters or
/// digits, every other character by itself. It only decides whether a dense chunk is cut again.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:[\p{L}\p{N}]{1,4}|[^\s\p{L}\p{N}])|\s+$").expect("a valid pattern")
});

/// A piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Start of the piece in units.
    pub start: usize,
    /// Length of the piece in units.
    pub len: usize,
    /// The text of the piece.
    pub text: String,
}

#[derive(Clone, Copy)]
struct Sizes {
    max: usize,
    overlap: usize,
    window: usize,
}

/// Returns a text in UTF-16 units.
pub fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Returns the chunks that are embedded.
pub fn for_vectors(units: &[u16]) -> Vec<Piece> {
    let mut found = Vec::new();
    for (start, end) in cut(units, FOR_VECTORS) {
        within_tokens(&units[start..end], start, &mut found);
    }
    found
}

/// Returns the chunks, one of which is reranked and printed.
pub fn for_reranking(units: &[u16]) -> Vec<Piece> {
    let ranges = cut(units, FOR_RERANKING);
    ranges
        .into_iter()
        .map(|(start, end)| piece(&units[start..end], start))
        .collect()
}

fn piece(units: &[u16], start: usize) -> Piece {
    Piece {
        start,
        len: units.len(),
        text: String::from_utf16_lossy(units),
    }
}

/// Cuts a chunk again while it has too many tokens.
fn within_tokens(units: &[u16], start: usize, found: &mut Vec<Piece>) {
    let whole = piece(units, start);
    let n_tokens = TOKEN.find_iter(&whole.text).count();
    if n_tokens <= TOKENS_MAX || units.len() <= 1 {
        found.push(whole);
        return;
    }
    let per_token = units.len() as f64 / n_tokens as f64;
    let max = ((TOKENS_MAX as f64 * per_token * SAFETY) as usize).clamp(1, units.len() - 1);
    let half = |size: usize| (size as f64 * per_token / 2.0) as usize;
    let sizes = Sizes {
        max,
        overlap: half(FOR_VECTORS.overlap).min(max - 1),
        window: half(FOR_VECTORS.window),
    };
    let mut ranges = cut(units, sizes);
    if ranges.len() <= 1 {
        let max = (units.len() / 2).max(1);
        let in_halves = Sizes {
            max,
            overlap: 0,
            window: 0,
        };
        ranges = cut(units, in_halves);
    }
    if ranges.len() <= 1 {
        // A surrogate pair, which is one character.
        found.push(whole);
        return;
    }
    for (from, to) in ranges {
        within_tokens(&units[from..to], start + from, found);
    }
}

/// Returns the start and the end of each chunk.
fn cut(units: &[u16], sizes: Sizes) -> Vec<(usize, usize)> {
    if units.len() <= sizes.max {
        return vec![(0, units.len())];
    }
    let breaks = breaks(units);
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let target = (start + sizes.max).min(units.len());
        let mut end = target;
        if target < units.len() {
            let best = best_break(&breaks, target, sizes.window);
            end = best.filter(|it| *it > start).unwrap_or(target);
        }
        let end = off_pair(units, end, start);
        found.push((start, end));
        if end >= units.len() {
            return found;
        }
        // The next chunk repeats the overlap, unless there would be no progress.
        let next = end.checked_sub(sizes.overlap).filter(|it| *it > start);
        start = off_pair(units, next.unwrap_or(end), start);
    }
}

/// Returns the break with the highest score between the window's edge and the target; ties keep the first.
fn best_break(breaks: &[(usize, f64)], target: usize, window: usize) -> Option<usize> {
    let edge = target.saturating_sub(window);
    let mut best: Option<(usize, f64)> = None;
    for (at, worth) in breaks {
        if *at < edge {
            continue;
        }
        if *at > target {
            break;
        }
        let share = (target - at) as f64 / window as f64;
        let worth = worth * (1.0 - share * share * DECAY);
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((*at, worth));
        }
    }
    best.map(|(at, _)| at)
}

/// Returns a position that splits no surrogate pair: one unit earlier, or later if that would not be after `floor`.
fn off_pair(units: &[u16], at: usize, floor: usize) -> usize {
    let is_inside = at > 0
        && at < units.len()
        && (0xd800..0xdc00).contains(&units[at - 1])
        && (0xdc00..0xe000).contains(&units[at]);
    match is_inside {
        true if at - 1 > floor => at - 1,
        true => at + 1,
        false => at,
    }
}

/// Returns every line end outside code fences, with its score.
fn breaks(units: &[u16]) -> Vec<(usize, f64)> {
    let begins = |at: usize, text: &str| {
        let mut rest = units[at.min(units.len())..].iter();
        text.bytes()
            .all(|byte| rest.next() == Some(&u16::from(byte)))
    };
    let is_space_at = |at: usize| units.get(at).is_some_and(|unit| is_space(*unit));
    let mut found = Vec::new();
    let mut fence: Option<usize> = None;
    let mut fences = Vec::new();
    // A match of a pattern cannot overlap the next one.
    let (mut after_rule, mut after_bullet, mut after_number) = (0, 0, 0);
    for at in 0..units.len() {
        if units[at] != NEWLINE {
            continue;
        }
        let mut worth = LINE;
        let next = at + 1;
        let level = (next..units.len())
            .take_while(|it| units[*it] == u16::from(b'#'))
            .count();
        if (1..=HEADINGS.len()).contains(&level) {
            worth = worth.max(HEADINGS[level - 1]);
        }
        if begins(next, "```") {
            worth = worth.max(FENCE);
            match fence.take() {
                None => fence = Some(at),
                Some(start) => fences.push((start, at + 4)),
            }
        }
        let is_rule = ["---", "***", "___"].iter().any(|it| begins(next, it));
        if is_rule && at >= after_rule {
            let blank = (next + 3..units.len()).take_while(|it| is_space(units[*it]));
            if let Some(last) = blank.filter(|it| units[*it] == NEWLINE).last() {
                worth = worth.max(RULE);
                after_rule = last + 1;
            }
        }
        let is_first = at == 0 || units[at - 1] != NEWLINE;
        if is_first && units.get(next) == Some(&NEWLINE) {
            worth = worth.max(BLANK);
        }
        let is_bullet = begins(next, "-") || begins(next, "*");
        if is_bullet && is_space_at(next + 1) && at >= after_bullet {
            worth = worth.max(ITEM);
            after_bullet = next + 2;
        }
        let is_digit = |it: &usize| (u16::from(b'0')..=u16::from(b'9')).contains(&units[*it]);
        let n_digits = (next..units.len()).take_while(is_digit).count();
        let dot = next + n_digits;
        if n_digits > 0 && begins(dot, ".") && is_space_at(dot + 1) && at >= after_number {
            worth = worth.max(ITEM);
            after_number = dot + 2;
        }
        found.push((at, worth));
    }
    fences.extend(fence.map(|start| (start, units.len())));
    found.retain(|(at, _)| !fences.iter().any(|(start, end)| at > start && at < end));
    found
}

/// Returns whether JavaScript treats the unit as white space.
pub fn is_space(unit: u16) -> bool {
    matches!(
        unit,
        0x09..=0x0d | 0x20 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 | 0xfeff
    )
}

/// Returns the words of a text between white space.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space_char).filter(|word| !word.is_empty())
}

/// Returns a text without surrounding white space.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space_char)
}

/// Like [`is_space`], for a character.
pub fn is_space_char(sign: char) -> bool {
    u16::try_from(u32::from(sign)).is_ok_and(is_space)
}
