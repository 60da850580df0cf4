//! The input of OpenViking's stages: the similarity and further facts of each record.

use memlens_rank::{CandidateSet, ListState, OwnFacts};

/// The facts of one retrieval.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Whether the question could be compared by its vector.
    pub vector: ListState,
    /// Number of records that were compared.
    pub n_records: u32,
    /// Whether any of them is the abstract or overview of a folder.
    pub has_folders: bool,
    /// The facts of each record, by slot.
    pub rows: Vec<RowFact>,
    /// The reranker's scores, by slot, or why its answer is not used; `None` if it was not called.
    pub rerank: Option<Result<Vec<Given>, String>>,
}

/// The facts of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFact {
    /// The inner product of both vectors, as the store has them; `None` without a vector.
    pub inner: Option<f64>,
    /// Its 1-based rank among all records; `None` without a vector.
    pub rank: Option<u32>,
    /// The number of its address, which the records of one folder share.
    pub uri: u32,
    /// Age of an event in seconds, negative if it is in the future; `None` if it is no event.
    pub event_age_s: Option<f64>,
}

/// A reranker's answer about a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    /// The record was not sent, because it has no summary.
    NotRead,
    /// The score of the record.
    Score(f64),
    /// The answer is not a finite number.
    NoNumber,
}

impl Facts {
    /// Returns the facts of a set; `None` for a set of another retriever.
    pub fn of(set: &CandidateSet) -> Option<&Facts> {
        set.own.as_ref().and_then(OwnFacts::get)
    }
}
