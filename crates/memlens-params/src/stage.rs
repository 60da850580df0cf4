//! The stages of the ranking pipeline, in their order.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Names a stage of the ranking pipeline; the order of the variants is the order of the pipeline.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type,
)]
#[serde(rename_all = "snake_case")]
pub enum StageId {
    /// The vector list.
    Vector,
    /// The BM25 list.
    Bm25,
    /// The two lists made one score.
    Fusion,
    /// A model that reads query and chunk together.
    Rerank,
    /// A boost for what several observations say.
    Corroboration,
    /// A weight from thumbs.
    Feedback,
    /// A weight from age.
    Decay,
    /// Maximal marginal relevance.
    Diversity,
    /// Overlapping text goes to the back.
    Repeats,
    /// What scores too low is left out.
    Threshold,
    /// The number of results.
    Limit,
    /// A command of the person's own.
    Hook,
    /// The number of tokens.
    Budget,
}

/// Tells what a person should know of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StageInfo {
    /// The stage.
    pub id: StageId,
    /// Its name on screen.
    pub label: &'static str,
    /// The toggle parameter that switches it off.
    pub switch: &'static str,
    /// What it does.
    pub sentence: &'static str,
}

impl StageId {
    /// Every stage, in the order of the pipeline.
    pub const ALL: [StageId; 13] = [
        StageId::Vector,
        StageId::Bm25,
        StageId::Fusion,
        StageId::Rerank,
        StageId::Corroboration,
        StageId::Feedback,
        StageId::Decay,
        StageId::Diversity,
        StageId::Repeats,
        StageId::Threshold,
        StageId::Limit,
        StageId::Hook,
        StageId::Budget,
    ];

    /// Returns the stage's name in files, parameters and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            StageId::Vector => "vector",
            StageId::Bm25 => "bm25",
            StageId::Fusion => "fusion",
            StageId::Rerank => "rerank",
            StageId::Corroboration => "corroboration",
            StageId::Feedback => "feedback",
            StageId::Decay => "decay",
            StageId::Diversity => "diversity",
            StageId::Repeats => "repeats",
            StageId::Threshold => "threshold",
            StageId::Limit => "limit",
            StageId::Hook => "hook",
            StageId::Budget => "budget",
        }
    }

    /// Returns what a person should know of the stage.
    pub fn info(self) -> StageInfo {
        let (label, switch, sentence) = match self {
            StageId::Vector => (
                "Vector",
                "vector_on",
                "Chunks by the cosine of their meaning to the question's.",
            ),
            StageId::Bm25 => (
                "BM25",
                "bm25_on",
                "Chunks by the question's words that they hold, rare words first.",
            ),
            StageId::Fusion => (
                "Fusion",
                "fusion_on",
                "One score from both lists, by the method chosen.",
            ),
            StageId::Rerank => (
                "Rerank",
                "rerank_on",
                "A model reads the question and each chunk together.",
            ),
            StageId::Corroboration => (
                "Corroboration",
                "corroboration_on",
                "A boost for what several observations say.",
            ),
            StageId::Feedback => (
                "Feedback",
                "feedback_on",
                "A weight from your thumbs on a chunk.",
            ),
            StageId::Decay => ("Decay", "decay_on", "Older notes count less."),
            StageId::Diversity => (
                "Diversity",
                "diversity_on",
                "Chunks unlike those already shown come earlier.",
            ),
            StageId::Repeats => (
                "Repeats",
                "repeats_on",
                "A chunk whose text better rows already show goes to the back.",
            ),
            StageId::Threshold => (
                "Threshold",
                "threshold_on",
                "Leaves out what scores too low.",
            ),
            StageId::Limit => ("Limit", "limit_on", "Keeps the best rows only."),
            StageId::Hook => (
                "Hook",
                "hook_on",
                "A command of your own reorders the results.",
            ),
            StageId::Budget => (
                "Budget",
                "budget_on",
                "Keeps what fits into a number of tokens.",
            ),
        };
        StageInfo {
            id: self,
            label,
            switch,
            sentence,
        }
    }
}

/// Returns every stage with its description, in the order of the pipeline.
pub fn stages() -> [StageInfo; 13] {
    StageId::ALL.map(StageId::info)
}
