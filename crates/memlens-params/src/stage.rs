//! The stages of a ranking pipeline: their identifiers, and Memlens's own in order.

use serde::Serialize;
use specta::Type;

/// The identifier of a stage, the same in files, on the command line and in the window. It belongs to a pipeline, which
/// defines the order of its stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct StageId(pub &'static str);

/// The description of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StageInfo {
    /// The identifier of the stage.
    pub id: StageId,
    /// The stage's name as displayed to the user.
    pub label: &'static str,
    /// The toggle parameter that switches it off; `None` if it is always on.
    pub switch: Option<&'static str>,
    /// What it does, as a sentence for the user.
    pub sentence: &'static str,
}

impl StageId {
    /// Ranks by the vector list.
    pub const VECTOR: StageId = StageId("vector");
    /// Ranks by the BM25 list.
    pub const BM25: StageId = StageId("bm25");
    /// Fuses the two lists into one score.
    pub const FUSION: StageId = StageId("fusion");
    /// Blends in the score of a reranker.
    pub const RERANK: StageId = StageId("rerank");
    /// Raises what several observations say.
    pub const CORROBORATION: StageId = StageId("corroboration");
    /// Weights rows by the user's thumbs.
    pub const FEEDBACK: StageId = StageId("feedback");
    /// Weights rows by their age.
    pub const DECAY: StageId = StageId("decay");
    /// Reorders by maximal marginal relevance.
    pub const DIVERSITY: StageId = StageId("diversity");
    /// Moves overlapping text to the end.
    pub const REPEATS: StageId = StageId("repeats");
    /// Drops rows with low scores.
    pub const THRESHOLD: StageId = StageId("threshold");
    /// Limits the number of results.
    pub const LIMIT: StageId = StageId("limit");
    /// Runs the user's own command.
    pub const HOOK: StageId = StageId("hook");
    /// Limits the number of tokens.
    pub const BUDGET: StageId = StageId("budget");

    /// Returns the stage's name in files.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

const fn stage(
    id: StageId,
    label: &'static str,
    switch: &'static str,
    sentence: &'static str,
) -> StageInfo {
    StageInfo {
        id,
        label,
        switch: Some(switch),
        sentence,
    }
}

#[rustfmt::skip]
static STAGES: [StageInfo; 13] = [
    stage(StageId::VECTOR, "Vector", "vector_on", "Ranks chunks by how close their meaning is to the question (cosine)."),
    stage(StageId::BM25, "BM25", "bm25_on", "Ranks chunks by the question's words they contain; rare words count more."),
    stage(StageId::FUSION, "Fusion", "fusion_on", "Combines both lists into one score."),
    stage(StageId::RERANK, "Rerank", "rerank_on", "Has a model read the question and each chunk together."),
    stage(StageId::CORROBORATION, "Corroboration", "corroboration_on", "Boosts what several observations agree on."),
    stage(StageId::FEEDBACK, "Feedback", "feedback_on", "Weighs chunks by your thumbs, by how close their questions are to this one."),
    stage(StageId::DECAY, "Decay", "decay_on", "Makes older notes count less."),
    stage(StageId::DIVERSITY, "Diversity", "diversity_on", "Brings forward chunks that differ from those above."),
    stage(StageId::REPEATS, "Repeats", "repeats_on", "Folds copies of a chunk under the first, and moves chunks to the end when better rows already show their text."),
    stage(StageId::THRESHOLD, "Threshold", "threshold_on", "Drops rows that score too low."),
    stage(StageId::LIMIT, "Limit", "limit_on", "Keeps only the best rows."),
    stage(StageId::HOOK, "Hook", "hook_on", "Lets your own command reorder the results."),
    stage(StageId::BUDGET, "Budget", "budget_on", "Keeps what fits within a token limit."),
];

/// Returns the stages of Memlens's own pipeline, in order.
pub fn stages() -> &'static [StageInfo] {
    &STAGES
}
