//! What basic-memory's stages look at: where each list holds a note.

use memlens_rank::{CandidateSet, ListState, OwnFacts};

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Whether the question could be compared by its vector.
    pub vector: ListState,
    /// Whether notes with every word could be looked for.
    pub strict: ListState,
    /// How many notes hold every word.
    pub n_strict: u32,
    /// How many hold any; none where the question asks for every word or nothing.
    pub n_relaxed: Option<u32>,
    /// How many notes have a vector.
    pub n_near: u32,
    /// What is known of each note, by slot.
    pub rows: Vec<RowFact>,
    /// What its reranker gave each note, by slot; none where it was not asked.
    pub rerank: Option<Vec<f64>>,
}

/// What is known of one note.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowFact {
    /// Its path as basic-memory names it.
    pub path: String,
    /// Its chunks by their place in it, the most similar first, as far as its reranker would read them; empty without vectors.
    pub best: Vec<u32>,
    /// Its best chunk; none without a vector.
    pub near: Option<Near>,
    /// Its place among the notes with every word.
    pub strict: Option<Match>,
    /// Its place among the notes with any word.
    pub relaxed: Option<Match>,
}

/// The best chunk of a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its 1-based place among all chunks.
    pub position: u32,
    /// How similar it is, in 0..1.
    pub similarity: f64,
}

/// A note that SQLite's full-text search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its 1-based place.
    pub rank: u32,
    /// What `bm25()` says: the better, the further below 0.
    pub bm25: f64,
    /// Where the words were found.
    pub found_in: Column,
}

/// What is searched for words, in this order; the first that holds the question decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The title.
    Title,
    /// Title, text, permalink and path with their parts, up to some length.
    Stems,
    /// The whole text.
    Text,
    /// All columns at once.
    Any,
}

impl Facts {
    /// The facts on a set; none on a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }

    /// Whether any word is enough: no note holds every one, and it may be.
    pub fn is_relaxed(&self, may_be: bool) -> bool {
        may_be && self.n_strict == 0 && self.n_relaxed.is_some()
    }
}

impl RowFact {
    /// Its place in the list of words that counts.
    pub fn matched(&self, is_relaxed: bool) -> Option<Match> {
        if is_relaxed {
            self.relaxed
        } else {
            self.strict
        }
    }
}
