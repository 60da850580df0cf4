//! What an agent loads of one file: which ranges of its text, and the text that reaches the agent.
//!
//! Held to what the published programs were seen to load (`tests/loads.rs`).

mod body;
mod hermes;
mod openclaw;

use std::ops::Range;

use crate::agent::{Cap, Keeps, Unit};
use body::Body;
pub(crate) use body::html_comments;
pub(crate) use openclaw::{FILE_BUDGET_MIN, clamped, shown_in_digest};

/// What is loaded of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Byte ranges of the file's text that are loaded, sorted within each part.
    pub kept: Vec<Kept>,
    /// Entries that are not loaded although no limit leaves them out.
    pub left_out: Vec<LeftOut>,
    /// Byte ranges of the front matter and the comments that the agent removes before it counts, sorted.
    pub removed: Vec<Range<usize>>,
    /// The text that the agent is given, with its markers.
    pub given: String,
    /// One for each limit of the cap.
    pub counts: Vec<Count>,
}

/// A range of a file's text that is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Bytes of the file's text.
    pub range: Range<usize>,
    /// Which part of the file it is.
    pub part: Part,
}

/// An entry that is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Bytes of the file's text.
    pub range: Range<usize>,
    /// The threat patterns that it matches, by the agent's names; empty if an equal entry before it is loaded.
    pub threats: Vec<String>,
}

/// How a range is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// As it is, from the beginning of the file.
    Head,
    /// As it is, from the end of the file.
    Tail,
    /// As a line of a digest, shortened to 240 characters.
    Digest,
}

/// One limit of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Unit in which the limit counts.
    pub unit: Unit,
    /// Size of the file in that unit, without what is removed before counting.
    pub used: u64,
    /// The limit in that unit.
    pub cap: u64,
    /// The bytes of the file that this limit leaves out.
    pub cut: Option<Range<usize>>,
    /// How much of `used` is not loaded as it is, by this limit and those before it; 0 without a cut.
    pub left_out: u64,
}

impl Measured {
    /// The bytes of the file from the first that is cut to the last; `None` if no limit cuts.
    pub fn cut(&self) -> Option<Range<usize>> {
        let cuts = self.counts.iter().filter_map(|count| count.cut.clone());
        cuts.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end))
    }

    /// Nothing of a file is loaded.
    pub(crate) fn nothing(text: &str, unit: Unit) -> Measured {
        Measured {
            kept: Vec::new(),
            left_out: Vec::new(),
            removed: Vec::new(),
            given: String::new(),
            counts: vec![Count {
                unit,
                used: unit.size(text.trim_end_matches(body::is_space)),
                cap: 0,
                cut: Some(0..text.len()),
                left_out: unit.size(text.trim_end_matches(body::is_space)),
            }],
        }
    }
}

/// What an agent loads of a file's text. `name` is the file's name, which some markers repeat; `left` lowers every limit that
/// cuts, where other files have spent a total.
pub fn measure(text: &str, name: &str, cap: &Cap, left: Option<u64>) -> Measured {
    if cap.keeps == Keeps::Entries {
        return hermes::entries(text, name, cap);
    }
    let body = Body::of(text, cap.removed);
    Measured {
        removed: body.removed().to_vec(),
        ..measure_body(&body, name, cap, left)
    }
}

fn measure_body(body: &Body, name: &str, cap: &Cap, left: Option<u64>) -> Measured {
    let whole = body.text();
    match cap.keeps {
        Keeps::OpenClaw => {
            let most = cap.limits.first().map_or(u64::MAX, |limit| limit.most);
            let most = left.map_or(most, |left| left.min(most));
            openclaw::trimmed(body, name, most)
        }
        Keeps::Ends { head, tail } => ends(body, cap, (head, tail)),
        Keeps::Beginning | Keeps::BeginningExactly | Keeps::Entries => {
            // The carriage return of the line break at a cut is not loaded either.
            let loaded_to = |end: usize| match &whole[..end] {
                before if whole[end..].starts_with('\n') && before.ends_with('\r') => end - 1,
                _ => end,
            };
            let mut end = whole.len();
            let mut counts = Vec::new();
            for limit in &cap.limits {
                let before = end;
                if limit.cuts {
                    end = if cap.keeps == Keeps::BeginningExactly {
                        byte_at(&whole[..end], limit.unit, limit.most, Rounded::Down)
                    } else {
                        beginning(&whole[..end], limit.unit, limit.most)
                    };
                }
                let is_cut = end < before;
                let used = limit.unit.size(whole);
                counts.push(Count {
                    unit: limit.unit,
                    used,
                    cap: limit.most,
                    cut: is_cut.then(|| body.source_of(end)..body.source_end()),
                    left_out: if is_cut {
                        used - limit.unit.size(&whole[..loaded_to(end)])
                    } else {
                        0
                    },
                });
            }
            let end = loaded_to(end);
            Measured {
                kept: body.kept(0..end, Part::Head),
                left_out: Vec::new(),
                removed: Vec::new(),
                given: whole[..end].to_owned(),
                counts,
            }
        }
    }
}

/// Where a text that may be over a limit is cut; its length if it is not.
fn beginning(text: &str, unit: Unit, most: u64) -> usize {
    if unit == Unit::Lines {
        let breaks = text.match_indices('\n').map(|(at, _)| at);
        return breaks
            .skip((most as usize).saturating_sub(1))
            .map(|at| if most == 0 { 0 } else { at })
            .next()
            .unwrap_or(text.len());
    }
    if unit.size(text) <= most {
        return text.len();
    }
    let at = byte_at(text, unit, most, Rounded::Down);
    // A line break right at the limit ends the last line that fits.
    let line = text[..at].rfind('\n');
    let line = if text[at..].starts_with('\n') {
        Some(at)
    } else {
        line
    };
    line.filter(|&line| line > 0).unwrap_or(at)
}

/// The ends of a text over its limit, with the number of tokens left out between them, as Codex loads its summary.
fn ends(body: &Body, cap: &Cap, (head, tail): (u64, u64)) -> Measured {
    let whole = body.text();
    let Some(limit) = cap.limits.first() else {
        return Measured {
            kept: body.kept(0..whole.len(), Part::Head),
            left_out: Vec::new(),
            removed: Vec::new(),
            given: whole.to_owned(),
            counts: Vec::new(),
        };
    };
    let used = limit.unit.size(whole);
    let mut counts = vec![Count {
        unit: limit.unit,
        used,
        cap: limit.most,
        cut: None,
        left_out: 0,
    }];
    if used <= limit.most {
        return Measured {
            kept: body.kept(0..whole.len(), Part::Head),
            left_out: Vec::new(),
            removed: Vec::new(),
            given: whole.to_owned(),
            counts,
        };
    }
    let until = byte_at(whole, limit.unit, limit.most * head / 100, Rounded::Down);
    let again = byte_at(
        whole,
        limit.unit,
        used - limit.most * tail / 100,
        Rounded::Up,
    );
    counts[0].cut = Some(body.source_of(until)..body.source_of(again));
    counts[0].left_out = used - limit.unit.size(&whole[..until]) - limit.unit.size(&whole[again..]);
    let tokens = (used - limit.most).div_ceil(4);
    let mut kept = body.kept(0..until, Part::Head);
    kept.extend(body.kept(again..whole.len(), Part::Tail));
    Measured {
        kept,
        left_out: Vec::new(),
        removed: Vec::new(),
        given: format!(
            "{}…{tokens} tokens truncated…{}",
            &whole[..until],
            &whole[again..]
        ),
        counts,
    }
}

/// How to round a limit inside a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounded {
    Down,
    Up,
}

/// Byte offset at which `n` units of a text end.
fn byte_at(text: &str, unit: Unit, n: u64, rounded: Rounded) -> usize {
    let mut sum = 0;
    for (at, next) in text.char_indices() {
        if sum >= n {
            return at;
        }
        sum += match unit {
            Unit::Characters => 1,
            Unit::Utf16 => next.len_utf16() as u64,
            Unit::Bytes => next.len_utf8() as u64,
            Unit::Lines => u64::from(next == '\n'),
        };
        if sum > n && rounded == Rounded::Down {
            return at;
        }
    }
    text.len()
}

/// The line, counted from 1, that a byte is in.
pub(crate) fn line_of(text: &str, at: usize) -> u64 {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, unit: Unit, most: u64, kept: &str) {
        let end = beginning(text, unit, most);
        assert_eq!(&text[..end], kept, "{text:?}, {most} {unit:?}");
    }

    #[test]
    fn the_beginning_ends_at_a_line_break_where_there_is_one() {
        use Unit::{Bytes, Characters, Lines, Utf16};
        check("a\nb\nc", Lines, 3, "a\nb\nc");
        check("a\nb\nc", Lines, 2, "a\nb");
        check("a\nb\n\nc", Lines, 3, "a\nb\n");
        check("", Lines, 2, "");
        check("a\nbc", Characters, 4, "a\nbc");
        check("a\nbc", Characters, 3, "a");
        check("abc\nd", Characters, 3, "abc");
        check("abcd\ne", Characters, 3, "abc");
        check("äb", Bytes, 2, "ä");
        check("äb", Bytes, 1, "");
        check("🦞b", Characters, 2, "🦞b");
        check("🦞b", Utf16, 2, "🦞");
        check("🦞b", Utf16, 1, "");
    }

    #[test]
    fn sizes_are_counted_as_the_agent_counts() {
        for (unit, size) in [
            (Unit::Characters, 3),
            (Unit::Utf16, 4),
            (Unit::Bytes, 6),
            (Unit::Lines, 2),
        ] {
            assert_eq!(unit.size("🦞\nb"), size, "{unit:?}");
        }
        assert_eq!(Unit::Lines.size(""), 0);
    }
}
