//! The stages of a ranking pipeline: how they are named, and Memlens's own in their order.

use serde::Serialize;
use specta::Type;

/// The name of a stage, the same in files, on the command line and in the window. It belongs to a pipeline, and so does the
/// order of the stages; a name says nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct StageId(pub &'static str);

/// What a person should know of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StageInfo {
    /// The stage.
    pub id: StageId,
    /// Its name on screen.
    pub label: &'static str,
    /// The toggle parameter that switches it off; none where it is always on.
    pub switch: Option<&'static str>,
    /// What it does.
    pub sentence: &'static str,
}

impl StageId {
    /// The vector list.
    pub const VECTOR: StageId = StageId("vector");
    /// The BM25 list.
    pub const BM25: StageId = StageId("bm25");
    /// The two lists made one score.
    pub const FUSION: StageId = StageId("fusion");
    /// A model that reads query and chunk together.
    pub const RERANK: StageId = StageId("rerank");
    /// A boost for what several observations say.
    pub const CORROBORATION: StageId = StageId("corroboration");
    /// A weight from thumbs.
    pub const FEEDBACK: StageId = StageId("feedback");
    /// A weight from age.
    pub const DECAY: StageId = StageId("decay");
    /// Maximal marginal relevance.
    pub const DIVERSITY: StageId = StageId("diversity");
    /// Overlapping text goes to the back.
    pub const REPEATS: StageId = StageId("repeats");
    /// What scores too low is left out.
    pub const THRESHOLD: StageId = StageId("threshold");
    /// The number of results.
    pub const LIMIT: StageId = StageId("limit");
    /// A command of the person's own.
    pub const HOOK: StageId = StageId("hook");
    /// The number of tokens.
    pub const BUDGET: StageId = StageId("budget");

    /// The stage's name.
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

/// The stages of Memlens's own pipeline, in its order.
pub fn stages() -> &'static [StageInfo] {
    &STAGES
}
