//! Facts of each row, by slot, that OpenClaw's stages use besides the lists.

use std::sync::Arc;

use memlens_rank::{CandidateSet, OwnFacts, number};

use super::reasons::precise;

/// The facts of one retrieval.
pub struct Facts {
    /// The facts of each row, by slot.
    pub rows: Vec<RowFact>,
}

/// The facts of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// Its keyword score and what raises it; `None` if no word hit its text.
    pub raised: Option<Raised>,
    /// How well its note's path matches, `|r| / (1 + |r|)`; `None` if it does not, and for later chunks of the note.
    pub path: Option<f64>,
    /// How exactly the question names its note.
    pub named: Named,
    /// Age in days, at least 0; `None` if it never decays.
    pub age_days: Option<f64>,
    /// The importance that it states, 1 to 10.
    pub importance: Option<u8>,
    /// The words of its beginning by number, ascending.
    pub beginning: Arc<[u32]>,
    /// Its beginning in lower case if that has no word; MMR since 2026.8 compares it.
    pub wordless: Option<Arc<str>>,
}

/// How exactly a question names a note, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Named {
    /// The question does not name it.
    #[default]
    No,
    /// By its file name without extension.
    Stem,
    /// By its complete file name.
    Name,
    /// By its complete path in the workspace.
    Path,
}

impl Facts {
    /// Returns the facts of a set; `None` for a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}

/// The weight of the share of the question's words.
const SHARE_WEIGHT: f64 = 0.45;
/// The weight of the density of the question's words.
const DENSITY_WEIGHT: f64 = 0.2;
/// Added for each word of the question in the path; also the maximum that a chunk's length adds.
const EACH: f64 = 0.18;
/// The length in UTF-16 units by which a chunk's length is divided.
const LENGTH_UNITS: f64 = 160.0;

/// How a keyword score is raised by the content of the chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raised {
    /// The raw score, `|r| / (1 + |r|)`.
    pub raw: f64,
    /// Number of distinct words of the question in the chunk.
    pub n_held: u32,
    /// Number of distinct words in the question.
    pub n_words: u32,
    /// Number of distinct words in the chunk.
    pub n_distinct: u32,
    /// Number of words of the question in the path.
    pub n_in_path: u32,
    /// Length of the chunk in UTF-16 units.
    pub units: u32,
}

impl Raised {
    /// Returns `min(1, raw + 0.45 share + 0.2 density + 0.18 words in the path + min(length / 160, 0.18))`.
    pub fn score(&self) -> f64 {
        (self.raw + self.boost()).min(1.0)
    }

    fn boost(&self) -> f64 {
        let held = f64::from(self.n_held);
        let share = held / f64::from(self.n_words.max(1));
        let density = held / f64::from(self.n_distinct.max(1));
        share * SHARE_WEIGHT
            + density * DENSITY_WEIGHT
            + f64::from(self.n_in_path) * EACH
            + self.by_length()
    }

    fn by_length(&self) -> f64 {
        (f64::from(self.units) / LENGTH_UNITS).min(EACH)
    }

    /// Returns the formula with its values.
    pub fn expression(&self) -> String {
        format!(
            "min(1, {} + {SHARE_WEIGHT} × {}/{} + {DENSITY_WEIGHT} × {}/{} + {EACH} × {} + {})",
            precise(self.raw),
            self.n_held,
            self.n_words.max(1),
            self.n_held,
            self.n_distinct.max(1),
            self.n_in_path,
            number(self.by_length(), 4)
        )
    }
}
