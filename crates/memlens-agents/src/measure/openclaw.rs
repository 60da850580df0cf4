//! How OpenClaw 2026.9.6 cuts a workspace file that is over its limit. Lengths are UTF-16 units.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::body::{Body, is_space};
use super::{Count, Kept, Measured, Part, Rounded, byte_at};
use crate::agent::Unit;

/// With less than this left of the total, no further file is loaded.
pub(crate) const FILE_BUDGET_MIN: u64 = 64;

/// Room for text below which a short marker is used.
const CONTENT_MIN: u64 = 16;

/// Longest line of the digest.
const DIGEST_LINE_MAX: u64 = 240;

static LIST_OR_HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:#{1,6}|\s*[-*+]|\s*[0-9]+[.)])\s+\S").expect("it is valid"));

static CANDIDATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(?:AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|owner|security|secret|credential|test|validation|command|commit|push|github|pr)(?-u:\b)|(?:🔴|禁止|嚴禁|不得|絕不|絕對不|切勿|必須|務必|一律|紅線)",
    )
    .expect("it is valid")
});

static HIGH_PRIORITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(?:AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|security|secret|credential)(?-u:\b)|(?:🔴|禁止|嚴禁|不得|絕不|絕對不|切勿)",
    )
    .expect("it is valid")
});

/// What is loaded of a file, of at most `most` units.
pub(super) fn trimmed(body: &Body, name: &str, most: u64) -> Measured {
    let text = body.text();
    let n = size(text);
    if n <= most {
        return Measured {
            kept: body.kept(0..text.len(), Part::Head),
            left_out: Vec::new(),
            removed: Vec::new(),
            given: text.to_owned(),
            counts: vec![count(n, most, None, 0)],
        };
    }
    if name.eq_ignore_ascii_case("AGENTS.md") {
        return with_digest(body, n, most);
    }
    let (head, tail, marker) = shares(name, n, most);
    let ends = Ends::of(text, n, head, tail);
    let separator = if marker.contains('\n') { "\n" } else { "" };
    let parts = [&text[ends.head.clone()], &marker, &text[ends.tail.clone()]];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    ends.measured(
        body,
        n,
        most,
        clipped(&parts.join(separator), most),
        Vec::new(),
    )
}

/// Units of the head and of the tail, and the marker between them.
fn shares(name: &str, n: u64, most: u64) -> (u64, u64, String) {
    let full = |head: u64, tail: u64| {
        format!(
            "\n[...truncated, read {name} for full content...]\n…(truncated {name}: kept {head}+{tail} chars of {n})…\n"
        )
    };
    let compact = |head: u64, tail: u64| format!("[…truncated {head}+{tail}/{n}]");
    let separators = |head: u64, tail: u64, marker: &str| {
        if marker.contains('\n') {
            u64::from(head > 0) + u64::from(tail > 0)
        } else {
            0
        }
    };
    let is_full = most.saturating_sub(size(&full(0, 0)) + 2) >= CONTENT_MIN;
    let template = |head, tail| {
        if is_full {
            full(head, tail)
        } else {
            compact(head, tail)
        }
    };
    let (mut head, mut tail) = (0, 0);
    let mut marker = template(0, 0);
    for _ in 0..3 {
        let budget = most.saturating_sub(size(&marker) + separators(head, tail, &marker));
        let next = (budget * 3 / 4, budget / 4);
        let next_marker = template(next.0, next.1);
        if next == (head, tail) && size(&next_marker) == size(&marker) {
            break;
        }
        (head, tail) = next;
        marker = next_marker;
    }
    loop {
        let rendered = head + tail + size(&marker) + separators(head, tail, &marker);
        if rendered <= most || (head == 0 && tail == 0) {
            break;
        }
        let overflow = rendered - most;
        if tail > 0 {
            tail = tail.saturating_sub(overflow);
        } else {
            head = head.saturating_sub(overflow);
        }
        marker = template(head, tail);
    }
    if head == 0 && tail == 0 {
        let single = template(1, 0);
        if 1 + size(&single) + separators(1, 0, &single) <= most {
            head = 1;
            marker = single;
        }
    }
    (head, tail, marker)
}

/// A line that may go into the digest, with the line of prose before it.
struct Candidate {
    text: String,
    is_high_priority: bool,
    source: Range<usize>,
}

fn with_digest(body: &Body, n: u64, most: u64) -> Measured {
    let text = body.text();
    let mut head = most * 45 / 100;
    let mut tail = most * 15 / 100;
    let mut budget = most * 35 / 100;
    let candidates = if budget > 0 {
        candidates(text)
    } else {
        Vec::new()
    };
    let mut chosen = digest(&candidates, budget);
    let render = |chosen: &BTreeSet<usize>, budget: u64, head: u64, tail: u64| {
        let ends = Ends::of(text, n, head, tail);
        let lines: Vec<&str> = chosen.iter().map(|&at| &*candidates[at].text).collect();
        let lines = lines.join("\n");
        // Without a budget nothing counts as omitted.
        let n_omitted = if budget == 0 {
            0
        } else {
            candidates.len() - chosen.len()
        };
        let parts = [
            text[ends.head.clone()].to_owned(),
            "[...truncated, read AGENTS.md for full content...]".to_owned(),
            if lines.is_empty() {
                String::new()
            } else {
                "[Policy digest from AGENTS.md]".to_owned()
            },
            lines.clone(),
            if n_omitted > 0 {
                format!("[...{n_omitted} more policy lines omitted...]")
            } else {
                String::new()
            },
            format!(
                "…(truncated AGENTS.md: kept {head}+policy {}+{tail} chars of {n})…",
                size(&lines)
            ),
            text[ends.tail].to_owned(),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    };
    let mut rendered = render(&chosen, budget, head, tail);
    while size(&rendered) > most && (tail > 0 || head > 1 || budget > 0) {
        let overflow = size(&rendered) - most;
        if tail > 0 {
            tail = tail.saturating_sub(overflow);
        } else if head > 1 {
            head = head.saturating_sub(overflow).max(1);
        } else {
            budget = budget.saturating_sub(overflow);
            chosen = digest(&candidates, budget);
        }
        rendered = render(&chosen, budget, head, tail);
    }
    let lines = chosen.iter().map(|&at| candidates[at].source.clone());
    let lines = lines
        .flat_map(|range| body.kept(range, Part::Digest))
        .collect();
    Ends::of(text, n, head, tail).measured(body, n, most, clipped(&rendered, most), lines)
}

fn candidates(text: &str) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut prose: Option<(String, Range<usize>)> = None;
    let mut at = 0;
    for source in text.split('\n') {
        let range = at..at + source.len();
        at = range.end + 1;
        let line = normalised(source.strip_suffix('\r').unwrap_or(source));
        if line.is_empty() || line.starts_with("```") || line.starts_with("~~~") {
            prose = None;
        } else if LIST_OR_HEADING.is_match(&line) || CANDIDATE.is_match(&line) {
            let is_high_priority = HIGH_PRIORITY.is_match(&line);
            candidates.push(match prose.take() {
                Some((before, start)) => Candidate {
                    text: format!("{before}\n{line}"),
                    is_high_priority,
                    source: start.start..range.end,
                },
                None => Candidate {
                    text: line,
                    is_high_priority,
                    source: range,
                },
            });
        } else {
            prose = Some((line, range));
        }
    }
    candidates
}

/// A line with single spaces, cut at the longest that the digest shows.
fn normalised(line: &str) -> String {
    let words: Vec<&str> = line
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    if size(&line) <= DIGEST_LINE_MAX {
        return line;
    }
    format!("{}…", clipped(&line, DIGEST_LINE_MAX - 1))
}

/// Number of bytes of a line that the digest shows.
pub(crate) fn shown_in_digest(line: &str) -> usize {
    let words: Vec<&str> = line
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    if size(&words.join(" ")) <= DIGEST_LINE_MAX {
        return line.len();
    }
    let start = line.len() - line.trim_start_matches(is_space).len();
    let mut n_units = 0;
    let mut is_between = false;
    for (at, sign) in line[start..].char_indices() {
        if is_space(sign) {
            n_units += u64::from(!is_between);
            is_between = true;
            continue;
        }
        is_between = false;
        n_units += sign.len_utf16() as u64;
        if n_units > DIGEST_LINE_MAX - 1 {
            return start + at;
        }
    }
    line.len()
}

/// The candidates that fit into a budget, those of high priority first.
fn digest(candidates: &[Candidate], budget: u64) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    let mut used = 0;
    let high = (0..candidates.len()).filter(|&at| candidates[at].is_high_priority);
    for at in high.chain(0..candidates.len()) {
        let more = u64::from(!chosen.is_empty()) + size(&candidates[at].text);
        if !chosen.contains(&at) && used + more <= budget {
            chosen.insert(at);
            used += more;
        }
    }
    chosen
}

/// The bytes of a text that are kept at its ends.
struct Ends {
    head: Range<usize>,
    tail: Range<usize>,
}

impl Ends {
    /// A pair of surrogates at a cut is left out whole.
    fn of(text: &str, n: u64, head: u64, tail: u64) -> Ends {
        Ends {
            head: 0..byte_at(text, Unit::Utf16, head, Rounded::Down),
            tail: byte_at(text, Unit::Utf16, n.saturating_sub(tail), Rounded::Up)..text.len(),
        }
    }

    fn measured(
        self,
        body: &Body,
        n: u64,
        most: u64,
        given: String,
        digest: Vec<Kept>,
    ) -> Measured {
        let cut = body.source_of(self.head.end)..body.source_of(self.tail.start);
        let left_out = size(&body.text()[self.head.end..self.tail.start]);
        let mut kept = body.kept(self.head, Part::Head);
        kept.extend(body.kept(self.tail, Part::Tail));
        kept.extend(digest);
        Measured {
            kept,
            left_out: Vec::new(),
            removed: Vec::new(),
            given,
            counts: vec![count(n, most, Some(cut), left_out)],
        }
    }
}

fn count(used: u64, cap: u64, cut: Option<Range<usize>>, left_out: u64) -> Count {
    Count {
        unit: Unit::Utf16,
        used,
        cap,
        cut,
        left_out,
    }
}

/// A text within a budget, with an ellipsis where it was cut.
pub(crate) fn clamped(text: &str, budget: u64) -> String {
    match budget {
        0 => String::new(),
        _ if size(text) <= budget => text.to_owned(),
        1..=3 => clipped(text, budget),
        _ => format!("{}…", clipped(text, budget - 1)),
    }
}

fn clipped(text: &str, most: u64) -> String {
    text[..byte_at(text, Unit::Utf16, most, Rounded::Down)].to_owned()
}

fn size(text: &str) -> u64 {
    Unit::Utf16.size(text)
}
