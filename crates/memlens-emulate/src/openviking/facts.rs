//! What OpenViking's stages look at: how near each record is, and what else is known of it.

use memlens_rank::{CandidateSet, ListState, OwnFacts};

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Whether the question could be compared by its vector.
    pub vector: ListState,
    /// How many records were compared.
    pub n_records: u32,
    /// Whether any of them is what is known of a folder.
    pub has_folders: bool,
    /// What is known of each record, by slot.
    pub rows: Vec<RowFact>,
    /// What its reranker gave each record, by slot, or why its answer is not used; none where it was not asked.
    pub rerank: Option<Result<Vec<Given>, String>>,
}

/// What is known of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// The inner product of both vectors, as the store has them; none without a vector.
    pub inner: Option<f64>,
    /// Its 1-based place among all records; none without a vector.
    pub rank: Option<u32>,
    /// The number of its address, which the records of one folder share.
    pub uri: u32,
    /// How long ago an event was written, in seconds, or will be; none for what is no event.
    pub event_age_s: Option<f64>,
}

/// What a reranker said of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    /// It was not asked: the record has no summary.
    NotRead,
    /// This score.
    Score(f64),
    /// No finite number.
    NoNumber,
}

impl Facts {
    /// The facts on a set; none on a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}
