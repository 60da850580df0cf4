//! Answers of external models and commands: facts of a search that arrive after its retrieval.

use std::collections::{BTreeMap, BTreeSet};

use memlens_params::RerankMode;
use serde::Serialize;
use specta::Type;

use crate::ChunkId;

/// The scale of a reranker's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankScale {
    /// A score in `[0, 1]`, used as it is.
    Unit,
    /// Any number; the logistic function maps it to `[0, 1]`.
    Logit,
    /// The mean of each question token's best cosine, in `[-1, 1]`. Only meaningful relative to the other rows of the
    /// same search.
    MaxSim,
}

/// The known scores of one reranker configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankScores {
    /// The kind of reranker that was called.
    pub mode: RerankMode,
    /// Number of characters of each text that it read; 0 if it read the whole text.
    pub max_chars: u32,
    /// Identifies the provider, so that scores of different servers are not mixed.
    pub provider: String,
    /// The model's name, as shown to the user.
    pub model: String,
    /// The scale of the scores.
    pub scale: RerankScale,
    /// The finite scores as the provider reported them.
    pub scores: BTreeMap<ChunkId, f64>,
    /// Chunks that were sent but got no score; they are ranked as if they had not been sent.
    pub unscored: BTreeSet<ChunkId>,
    /// Why the last call gave no scores, as a message for the user; `None` if it did not fail.
    pub failure: Option<String>,
}

/// The answer of the user's command for the rows that it received.
#[derive(Debug, Clone, PartialEq)]
pub struct HookAnswer {
    /// The rows that the command received, with their scores, best first.
    pub given: Vec<(ChunkId, f64)>,
    /// The rows that the command returned, with their scores, best first. Each is one of `given`, at most once. `Err`
    /// is a message for the user that says why there is no answer.
    pub returned: Result<Vec<(ChunkId, f64)>, String>,
}
