//! The stages of Memlens's own pipeline, one per file: each with its reason, and how it is shown.

mod budget;
mod corroboration;
mod decay;
mod diversity;
mod feedback;
mod fusion;
mod hook;
mod limit;
mod lists;
mod repeats;
mod rerank;
mod threshold;
mod weights;

pub use budget::Budget;
pub use corroboration::{Corroboration, cluster_level};
pub use decay::Decay;
pub use diversity::Diversity;
pub use feedback::Feedback;
pub use fusion::Fusion;
pub use hook::HookMove;
pub use limit::Limit;
pub use lists::{Listed, ListedPart};
pub use repeats::Repeats;
pub use rerank::{LateMix, Rerank, RerankState, chars_read};
pub use threshold::Threshold;

use crate::pipeline::{Pipeline, PipelineId, RetrieverId, Ties};

/// Why a stage that the user switched off does nothing.
const SWITCHED_OFF: &str = "switched off";

/// Memlens's own pipeline of stages.
pub static NATIVE: Pipeline = Pipeline {
    id: PipelineId("memlens"),
    label: "Memlens",
    ties: Ties::Order(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId::NATIVE,
    stages: &[
        lists::VECTOR,
        lists::BM25,
        fusion::STAGE,
        rerank::STAGE,
        corroboration::STAGE,
        feedback::STAGE,
        decay::STAGE,
        diversity::STAGE,
        repeats::STAGE,
        threshold::STAGE,
        limit::STAGE,
        hook::STAGE,
        budget::STAGE,
    ],
};
