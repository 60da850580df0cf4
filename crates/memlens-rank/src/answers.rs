//! What models and commands outside answered: facts of a search that came after its retrieval.

use std::collections::{BTreeMap, BTreeSet};

use memlens_params::RerankMode;
use serde::Serialize;
use specta::Type;

use crate::ChunkId;

/// Names what a reranker's scores mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankScale {
    /// In `[0, 1]`, as they are.
    Unit,
    /// Any number; the logistic function makes it a share.
    Logit,
    /// The mean of each question token's best cosine, in `[-1, 1]`; it says something beside the others' only.
    MaxSim,
}

/// The scores that are known for one way of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankScores {
    /// Who was asked.
    pub mode: RerankMode,
    /// How much of each text it read; 0 for all of it.
    pub max_chars: u32,
    /// Who scored, as far as it tells one server from another.
    pub provider: String,
    /// The model's name, for a person.
    pub model: String,
    /// What the scores mean.
    pub scale: RerankScale,
    /// The scores as reported, finite.
    pub scores: BTreeMap<ChunkId, f64>,
    /// Chunks whose texts were sent and got no score; they count as not sent.
    pub unscored: BTreeSet<ChunkId>,
    /// Why the last call gave no scores, for a person; none where none failed.
    pub failure: Option<String>,
}

/// What the person's command said of the rows that it was given.
#[derive(Debug, Clone, PartialEq)]
pub struct HookAnswer {
    /// The rows that it was given with their scores, best first.
    pub given: Vec<(ChunkId, f64)>,
    /// The rows that it gave back with their scores, best first, each one of `given` and none twice; or why there is no
    /// answer, for a person.
    pub returned: Result<Vec<(ChunkId, f64)>, String>,
}
