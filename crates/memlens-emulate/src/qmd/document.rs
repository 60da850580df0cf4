//! One note as qmd indexes it: its title, its chunks, and the lines that it prints.

use std::sync::LazyLock;

use regex::Regex;

use super::cut::{self, Piece, is_space, split, trim};

/// Weight of a word of the intent, relative to one of the question, when a chunk is selected.
const INTENT_IN_CHUNK: f64 = 0.5;
/// The same weight when a line is selected.
const INTENT_IN_LINE: f64 = 0.3;
/// Words of at most this many UTF-16 units are ignored when a chunk is selected.
const SHORT_UNITS: usize = 2;
/// Number of units around the chunk in which the line is selected.
const AROUND_UNITS: usize = 100;
/// Number of lines printed before the best one, and from it on.
const LINES_BEFORE: usize = 1;
const LINES_FROM: usize = 3;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mR)^##?[\s\u{feff}]+([^\n\r\u{2028}\u{2029}]+)").expect("a valid pattern")
});
static SECOND_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mR)^##[\s\u{feff}]+([^\n\r\u{2028}\u{2029}]+)").expect("a valid pattern")
});

/// Returns the title of a note: its first heading of level 1 or 2, otherwise its file name.
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

/// The words by which a chunk, and then a line, is selected.
pub struct Wanted {
    question: Vec<String>,
    intent: Vec<String>,
}

impl Wanted {
    /// Returns the words of a question and those of an intent.
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
        // Added one by one, as in qmd, for the same rounding.
        let intent = self.intent.iter().filter(|word| lower.contains(*word));
        intent.fold(n_held as f64, |sum, _| sum + intent_weight)
    }
}

/// The lines that qmd prints, all 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Line at which the passage starts.
    pub first: u32,
    /// Line at which the passage ends.
    pub last: u32,
    /// The line that holds the most words.
    pub best: u32,
}

/// One note of the index.
pub struct Document {
    units: Vec<u16>,
    /// The chunks, one of which is reranked.
    chunks: Vec<Piece>,
    /// Those chunks in lower case.
    lower: Vec<String>,
}

impl Document {
    /// Cuts a note's text into chunks.
    pub fn new(text: &str) -> Document {
        let units = cut::units(text);
        let chunks = cut::for_reranking(&units);
        Document {
            lower: chunks.iter().map(|it| it.text.to_lowercase()).collect(),
            chunks,
            units,
        }
    }

    /// Returns the chunk that holds the most words; ties keep the first.
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

    /// Returns the 1-based line of a position.
    pub fn line_of(&self, at: usize) -> u32 {
        1 + n_newlines(&self.units[..at.min(self.units.len())])
    }

    /// Returns the printed lines of the whole note.
    pub fn shown(&self, wanted: &Wanted) -> Shown {
        let (best, _) = best_line(&self.units, wanted);
        shown(&self.units, best, 0)
    }

    /// Returns the printed lines of a chunk.
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

/// Returns the 0-based line with the most words, and how many it holds.
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
