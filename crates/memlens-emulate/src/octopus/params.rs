//! The settings of Octopus, by their own names.

use memlens_params::make::{log, whole};
use memlens_params::{ParameterKind, RerankMode, StageId, StageInfo, parameters};

use crate::staging::stage;

/// The stage of the vector list.
pub const VECTOR: StageId = StageId("octopus.vector");
/// Drops chunks with a low cosine.
pub const FLOOR: StageId = StageId("octopus.floor");
/// Selects the chunks to rerank.
pub const CANDIDATES: StageId = StageId("octopus.candidates");
/// Reorders by its reranker's scores.
pub const RERANK: StageId = StageId("octopus.rerank");
/// Limits the number of results.
pub const LIMIT: StageId = StageId("octopus.limit");

static STAGES: [StageInfo; 5] = [
    stage(
        VECTOR,
        "Vector",
        None,
        "The order by meaning; here Memlens's vector list. Whether Octopus also searches by words is not known.",
    ),
    stage(
        FLOOR,
        "Floor",
        None,
        "Drops what is below 0.6, which is fixed in Octopus and was chosen for another embedding model.",
    ),
    stage(
        CANDIDATES,
        "Candidates",
        None,
        "Keeps three times as many as TopN for the reranker.",
    ),
    stage(
        RERANK,
        "Rerank",
        None,
        "The order of its reranker, where one is enabled; without its scores the order before it stays.",
    ),
    stage(LIMIT, "TopN", None, "Keeps the first."),
];

parameters! {
    /// The known settings of Octopus.
    pub struct Octopus;
    prefix "octopus."; stages &STAGES; rules |_| Ok(());
    rerank_by: RerankMode = RerankMode::Off, Some(RERANK), Retrieve, "Filled in by", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, None, "Your own reranker in the place of Octopus's: late interaction, or the model or provider of Settings. Off shows the order before.";
    top_n: u32 = 5, Some(LIMIT), Rank, "TopN", Some("results"), log(whole(1, 100, 1)), None, "How many results are left; three times as many are reranked.";
}
