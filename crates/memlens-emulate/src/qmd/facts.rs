//! What qmd's stages look at: the lists of every search, and what is known of each note.

use memlens_rank::{CandidateSet, ListState, ListValue, OwnFacts};

use super::document::Shown;
use super::question::Kind;

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// A list for every search, in the order in which qmd fuses them.
    pub lists: Vec<SearchList>,
    /// Whether the question has typed lines, which `query` searches instead of it.
    pub is_typed: bool,
    /// Whether an intent is stated, so that no strong match ends the search early.
    pub has_intent: bool,
    /// Whether its model was asked for more searches.
    pub is_expanded: bool,
    /// What is known of each note, by slot.
    pub rows: Vec<RowFact>,
    /// What its reranker gave each note, by slot; none where it was not asked.
    pub rerank: Option<Vec<f64>>,
}

/// Where a search comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The question itself.
    Question,
    /// A line that its model added.
    Added,
    /// A typed line of the question.
    Typed,
}

/// What one search found.
#[derive(Debug, Clone)]
pub struct SearchList {
    /// What it is searched by; [`Kind::Lex`] for words.
    pub kind: Kind,
    /// Where it comes from.
    pub role: Role,
    /// What for, with the collection where each is a list of its own.
    pub name: String,
    /// Whether it could be formed.
    pub state: ListState,
    /// How deep it may reach for every note that it gives: ten matches, three chunks.
    pub reach_each: u32,
    /// How many notes it holds.
    pub n_hits: u32,
    /// Its notes among the candidates, best first.
    pub hits: Vec<Hit>,
}

/// One note in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The candidate.
    pub slot: u32,
    /// Its 1-based place among all notes.
    pub rank: u32,
    /// Its 1-based place among what the list reaches into: all matches of all collections, or all chunks of its own.
    pub reach: u32,
    /// Its score.
    pub score: f64,
}

impl SearchList {
    /// Whether a list of `depth` notes reaches a note.
    pub fn reaches(&self, hit: &Hit, depth: u32) -> bool {
        hit.reach <= depth.saturating_mul(self.reach_each)
    }

    /// The notes that a list of `depth` gives.
    pub fn first(&self, depth: u32) -> impl Iterator<Item = &Hit> {
        let hits = self.hits.iter().filter(move |hit| self.reaches(hit, depth));
        hits.take(depth as usize)
    }

    /// Rank and score of each candidate in a list of `depth`, by slot.
    pub fn values(&self, depth: u32, n_slots: usize) -> Vec<ListValue> {
        let mut values = vec![ListValue::default(); n_slots];
        for (rank, hit) in (1..).zip(self.first(depth)) {
            values[hit.slot as usize] = ListValue {
                score: Some(hit.score),
                rank: Some(rank),
            };
        }
        values
    }
}

/// What is known of one note.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// The chunk that is reranked.
    pub chunk: Chunk,
    /// What `query` prints: the best lines of that chunk.
    pub in_chunk: Shown,
    /// What `search` and `vsearch` print: the best lines of the note.
    pub in_note: Shown,
}

/// Where the chunk of a note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Its beginning, in UTF-16 units.
    pub start: u32,
    /// Its length in them.
    pub units: u32,
    /// Its first line, 1-based.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
}

impl Facts {
    /// The facts on a set; none on a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}
