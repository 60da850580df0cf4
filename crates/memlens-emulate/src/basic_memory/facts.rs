//! The input of basic-memory's stages: the places of each note in the lists.

use memlens_rank::{CandidateSet, ListState, OwnFacts};

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Whether the question could be compared by its vector.
    pub vector: ListState,
    /// Whether a search for every word was possible.
    pub strict: ListState,
    /// Number of notes that hold every word.
    pub n_strict: u32,
    /// Number of notes that hold any word; `None` if the question has no such expression.
    pub n_relaxed: Option<u32>,
    /// Number of notes that have a vector.
    pub n_near: u32,
    /// The facts of each note, by slot.
    pub rows: Vec<RowFact>,
    /// The reranker's scores, by slot; `None` if it was not called.
    pub rerank: Option<Vec<f64>>,
}

/// The facts of one note.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowFact {
    /// The note's path, as basic-memory names it.
    pub path: String,
    /// The positions of its chunks, the most similar first, as many as the reranker would read; empty without vectors.
    pub best: Vec<u32>,
    /// Its best chunk; `None` without a vector.
    pub near: Option<Near>,
    /// Its place among the notes with every word.
    pub strict: Option<Match>,
    /// Its place among the notes with any word.
    pub relaxed: Option<Match>,
}

/// The best chunk of a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The chunk's 1-based position among all chunks.
    pub position: u32,
    /// The chunk's similarity to the question, in 0..1.
    pub similarity: f64,
}

/// A match of SQLite's full-text search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Rank of the note, counted from 1.
    pub rank: u32,
    /// The result of `bm25()`: lower is better, and below 0.
    pub bm25: f64,
    /// The column in which the words were found.
    pub found_in: Column,
}

/// The searched columns, in order; the first that matches the question decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The title of the note.
    Title,
    /// Title, text, permalink and path with their parts, up to a maximum length.
    Stems,
    /// The whole text of the note.
    Text,
    /// All of these columns at once.
    Any,
}

impl Facts {
    /// Returns the facts of a set; `None` for a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }

    /// Returns whether any word is sufficient: it may be, and no note holds every word.
    pub fn is_relaxed(&self, may_be: bool) -> bool {
        may_be && self.n_strict == 0 && self.n_relaxed.is_some()
    }
}

impl RowFact {
    /// Returns its place in the text list that counts.
    pub fn matched(&self, is_relaxed: bool) -> Option<Match> {
        if is_relaxed {
            self.relaxed
        } else {
            self.strict
        }
    }
}
