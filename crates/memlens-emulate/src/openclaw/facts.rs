//! What OpenClaw's stages look at beside the lists: facts of each row, by slot.

use std::sync::Arc;

use memlens_rank::{CandidateSet, OwnFacts, number};

use super::reasons::precise;

/// The facts of one retrieval.
pub struct Facts {
    /// Those of each row, by slot.
    pub rows: Vec<RowFact>,
}

/// The facts of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// Its keyword score and what raises it; none where no word hit its text.
    pub raised: Option<Raised>,
    /// How well its note's path matches, `|r| / (1 + |r|)`; none where it does not, or for a later chunk of the note.
    pub path: Option<f64>,
    /// How exactly the question names its note.
    pub named: Named,
    /// How many days old it is, not below 0; none where it never decays.
    pub age_days: Option<f64>,
    /// The importance that it states, 1 to 10.
    pub importance: Option<u8>,
    /// The words of its beginning by number, ascending.
    pub beginning: Arc<[u32]>,
    /// Its beginning in lower case if that has no word; MMR since 2026.8 compares it.
    pub wordless: Option<Arc<str>>,
}

/// How exactly a question names a note; more is more exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Named {
    /// Not.
    #[default]
    No,
    /// By its name without extension.
    Stem,
    /// By its name.
    Name,
    /// By its whole path.
    Path,
}

impl Facts {
    /// The facts on a set; none on a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}

/// What a share of the question's words adds.
const SHARE_WEIGHT: f64 = 0.45;
/// What the density of the question's words adds.
const DENSITY_WEIGHT: f64 = 0.2;
/// What each word of the question adds that is a part of the path, and what the length of a chunk adds at most.
const EACH: f64 = 0.18;
/// How long a chunk is whose length adds 1.
const LENGTH_UNITS: f64 = 160.0;

/// How a keyword score is raised by what the chunk holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raised {
    /// The raw score, `|r| / (1 + |r|)`.
    pub raw: f64,
    /// How many of the question's distinct words the chunk holds, of how many.
    pub n_held: u32,
    /// Distinct words of the question.
    pub n_words: u32,
    /// Distinct words of the chunk.
    pub n_distinct: u32,
    /// Words of the question in the path.
    pub n_in_path: u32,
    /// Its length in UTF-16 units.
    pub units: u32,
}

impl Raised {
    /// `min(1, raw + 0.45 share + 0.2 density + 0.18 words in the path + min(length / 160, 0.18))`.
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

    /// The formula with its values.
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
