//! The input of qmd's stages: the lists of every search, and the facts of each note.

use memlens_rank::{CandidateSet, ListState, ListValue, OwnFacts};

use super::document::Shown;
use super::question::Kind;

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// One list per search, in the order in which qmd fuses them.
    pub lists: Vec<SearchList>,
    /// Whether the question has typed lines, which `query` searches instead of the question itself.
    pub is_typed: bool,
    /// Whether an intent is stated, so that no strong match ends the search early.
    pub has_intent: bool,
    /// Whether its model was called for more searches.
    pub is_expanded: bool,
    /// The facts of each note, by slot.
    pub rows: Vec<RowFact>,
    /// The reranker's scores, by slot; `None` if it was not called.
    pub rerank: Option<Vec<f64>>,
}

/// The origin of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The question as it was asked.
    Question,
    /// A line that its model added.
    Added,
    /// A typed line of the question.
    Typed,
}

/// The result of one search.
#[derive(Debug, Clone)]
pub struct SearchList {
    /// The kind of search; [`Kind::Lex`] for words.
    pub kind: Kind,
    /// The origin of the search.
    pub role: Role,
    /// The searched text, with the collection if each has its own list.
    pub name: String,
    /// Whether the list could be computed.
    pub state: ListState,
    /// Number of matches or chunks it may inspect per returned note: ten matches, three chunks.
    pub reach_each: u32,
    /// Number of notes in the list.
    pub n_hits: u32,
    /// Its notes among the candidates, best first.
    pub hits: Vec<Hit>,
}

/// One note in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The slot of the candidate.
    pub slot: u32,
    /// The 1-based rank among all notes.
    pub rank: u32,
    /// The 1-based position among all matches of all collections, or among all chunks of its own.
    pub reach: u32,
    /// The score of the note.
    pub score: f64,
}

impl SearchList {
    /// Returns whether a list of `depth` notes reaches a note.
    pub fn reaches(&self, hit: &Hit, depth: u32) -> bool {
        hit.reach <= depth.saturating_mul(self.reach_each)
    }

    /// Returns the notes of a list of `depth`.
    pub fn first(&self, depth: u32) -> impl Iterator<Item = &Hit> {
        let hits = self.hits.iter().filter(move |hit| self.reaches(hit, depth));
        hits.take(depth as usize)
    }

    /// Returns rank and score of each candidate in a list of `depth`, by slot.
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

/// The facts of one note.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// The chunk that is reranked.
    pub chunk: Chunk,
    /// The lines that `query` prints: the best lines of that chunk.
    pub in_chunk: Shown,
    /// The lines that `search` and `vsearch` print: the best lines of the note.
    pub in_note: Shown,
}

/// The position of a note's chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Start of the chunk in UTF-16 units.
    pub start: u32,
    /// Length of the chunk in UTF-16 units.
    pub units: u32,
    /// First line of the chunk, 1-based.
    pub first_line: u32,
    /// Last line of the chunk, 1-based.
    pub last_line: u32,
}

impl Facts {
    /// Returns the facts of a set; `None` for a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}
