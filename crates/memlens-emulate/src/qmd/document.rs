//! One note as qmd keeps it: its title, its chunks, and the lines that it shows of it.

use std::sync::LazyLock;

use regex::Regex;

use super::cut::{self, Piece, is_space, split, trim};

/// What a word of the intent counts beside one of the question, where a chunk is chosen.
const INTENT_IN_CHUNK: f64 = 0.5;
/// The same, where a line is chosen.
const INTENT_IN_LINE: f64 = 0.3;
/// How short a word may not be to choose a chunk by, in UTF-16 units.
const SHORT_UNITS: usize = 2;
/// How many units around the chunk are looked at for the line.
const AROUND_UNITS: usize = 100;
/// How many lines are shown before the best, and with it and after it.
const LINES_BEFORE: usize = 1;
const LINES_FROM: usize = 3;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mR)^##?[\s\u{feff}]+([^\n\r\u{2028}\u{2029}]+)").expect("a valid pattern")
});
static SECOND_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mR)^##[\s\u{feff}]+([^\n\r\u{2028}\u{2029}]+)").expect("a valid pattern")
});

/// The title of a note: its first heading of the first two levels, else its name.
pub fn title(text: &str, path: &str) -> String {
    let first = |pattern: &Regex| {
        let found = pattern.captures(text)?;
        Some(trim(found.get(1)?.as_str()).to_owned())
    };
    let mut title = first(&HEADING);
    if matches!(title.as_deref(), Some("Notes" | "📝 Notes")) {
        title = first(&SECOND_LEVEL).or(title);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !ending.is_empty() => stem,
        _ => name,
    };
    title
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| stem.to_owned())
}

/// What a chunk, and then a line, is chosen by.
pub struct Wanted {
    question: Vec<String>,
    intent: Vec<String>,
}

impl Wanted {
    /// The words of a question and those of an intent.
    pub fn new(question: &str, intent: Vec<String>) -> Wanted {
        let lower = question.to_lowercase();
        Wanted {
            question: split(&lower).map(str::to_owned).collect(),
            intent,
        }
    }

    fn count(&self, lower: &str, shortest: usize, intent_weight: f64) -> f64 {
        let is_long = |word: &&String| word.encode_utf16().count() > shortest;
        let words = self.question.iter().filter(is_long);
        let n_held = words.filter(|word| lower.contains(*word)).count();
        // Added one by one, as qmd does.
        let intent = self.intent.iter().filter(|word| lower.contains(*word));
        intent.fold(n_held as f64, |sum, _| sum + intent_weight)
    }
}

/// The lines that qmd shows, all 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The one that holds most words.
    pub best: u32,
}

/// One note.
pub struct Document {
    units: Vec<u16>,
    /// The chunks of which one is reranked.
    chunks: Vec<Piece>,
    /// Those chunks in lower case.
    lower: Vec<String>,
}

impl Document {
    /// A note's text, cut.
    pub fn new(text: &str) -> Document {
        let units = cut::units(text);
        let chunks = cut::for_reranking(&units);
        Document {
            lower: chunks.iter().map(|it| it.text.to_lowercase()).collect(),
            chunks,
            units,
        }
    }

    /// The chunk that holds most words, the first of equals.
    pub fn chunk(&self, wanted: &Wanted) -> &Piece {
        let mut best = (0, -1.0);
        for (at, lower) in self.lower.iter().enumerate() {
            let count = wanted.count(lower, SHORT_UNITS, INTENT_IN_CHUNK);
            if count > best.1 {
                best = (at, count);
            }
        }
        &self.chunks[best.0]
    }

    /// The 1-based line of a place.
    pub fn line_of(&self, at: usize) -> u32 {
        1 + n_newlines(&self.units[..at.min(self.units.len())])
    }

    /// What is shown of the whole note.
    pub fn shown(&self, wanted: &Wanted) -> Shown {
        let (best, _) = best_line(&self.units, wanted);
        shown(&self.units, best, 0)
    }

    /// What is shown of a chunk.
    pub fn shown_in(&self, chunk: &Piece, wanted: &Wanted) -> Shown {
        let from = chunk.start.saturating_sub(AROUND_UNITS);
        let to = (chunk.start + chunk.len + AROUND_UNITS).min(self.units.len());
        let around = &self.units[from..to];
        let (mut best, count) = best_line(around, wanted);
        if count <= 0.0 {
            if chunk.start == 0 {
                return self.shown(wanted);
            }
            best = n_newlines(&around[..chunk.start - from]) as usize;
        }
        let n_before = n_newlines(&self.units[..from]);
        let shown = shown(around, best, n_before);
        let lines = around.split(|unit| *unit == u16::from(b'\n'));
        let skipped = (shown.first - n_before) as usize - 1;
        let n_lines = (shown.last - shown.first) as usize + 1;
        let is_blank = lines
            .skip(skipped)
            .take(n_lines)
            .all(|line| line.iter().all(|unit| is_space(*unit)));
        if chunk.start > 0 && is_blank {
            return self.shown(wanted);
        }
        shown
    }
}

fn n_newlines(units: &[u16]) -> u32 {
    units.iter().filter(|it| **it == u16::from(b'\n')).count() as u32
}

/// The line with most words, 0-based, and how many it holds.
fn best_line(units: &[u16], wanted: &Wanted) -> (usize, f64) {
    let lower = String::from_utf16_lossy(units).to_lowercase();
    let mut best = (0, -1.0);
    for (at, line) in lower.split('\n').enumerate() {
        let count = wanted.count(line, 0, INTENT_IN_LINE);
        if count > best.1 {
            best = (at, count);
        }
    }
    best
}

fn shown(units: &[u16], best: usize, n_before: u32) -> Shown {
    let n_lines = n_newlines(units) as usize + 1;
    Shown {
        first: best.saturating_sub(LINES_BEFORE) as u32 + 1 + n_before,
        last: (best + LINES_FROM).min(n_lines) as u32 + n_before,
        best: best as u32 + 1 + n_before,
    }
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn titles_are_headings_or_names() {
        let cases = [
            ("# One\n", "a.md", "One"),
            ("text\r\n##  Two \r\n", "a.md", "Two"),
            ("### Three\n", "sub/a.b.md", "a.b"),
            ("# Notes\n\n## Real\n", "a.md", "Real"),
            ("# Notes\n", "a.md", "Notes"),
            ("#\n\nBelow\n", "a.md", "Below"),
        ];
        for (text, path, expected) in cases {
            assert_eq!(title(text, path), expected, "{text:?}");
        }
    }
}
