//! The settings of Hindsight's fusion, by their own names.

use memlens_params::make::{log, needs, number, off_at, optional, whole};
use memlens_params::{ParameterKind, StageId, StageInfo, choice, parameters};

use crate::staging::stage;

/// The arm that searches by meaning.
pub const SEMANTIC: StageId = StageId("hindsight.semantic");
/// The arm that searches by words.
pub const BM25: StageId = StageId("hindsight.bm25");
/// Fuses the arms into one order.
pub const FUSION: StageId = StageId("hindsight.fusion");
/// Selects the memories to rerank.
pub const CANDIDATES: StageId = StageId("hindsight.candidates");
/// The stage that applies its cross-encoder's scores.
pub const RERANK: StageId = StageId("hindsight.rerank");
/// Drops low scores of the reranker.
pub const MIN_RERANKER: StageId = StageId("hindsight.min_reranker");
/// Applies time, proofs and boosts to the scores.
pub const SCORE: StageId = StageId("hindsight.score");
/// Drops low scores after that.
pub const MIN_FINAL: StageId = StageId("hindsight.min_final");
/// Limits the number of results.
pub const LIMIT: StageId = StageId("hindsight.limit");

static STAGES: [StageInfo; 9] = [
    stage(
        SEMANTIC,
        "Semantic",
        None,
        "The arm by meaning; here Memlens's vector list.",
    ),
    stage(
        BM25,
        "BM25",
        None,
        "The arm by words; here Memlens's BM25 list.",
    ),
    stage(
        FUSION,
        "Fusion",
        None,
        "The sum of 1 / (60 + rank) over the arms, or their first, second, third and so on in turn.",
    ),
    stage(
        CANDIDATES,
        "Candidates",
        None,
        "Keeps the memories that are reranked; a boosted arm counts as if it ranked them higher.",
    ),
    stage(
        RERANK,
        "Rerank",
        None,
        "The scores of its cross-encoder, or of the place where there are none.",
    ),
    stage(
        MIN_RERANKER,
        "Least reranked",
        None,
        "Drops lower reranked scores.",
    ),
    stage(
        SCORE,
        "Score",
        None,
        "The reranked score, raised or lowered by recency, time and proofs, and what boosted arms add.",
    ),
    stage(MIN_FINAL, "Least score", None, "Drops lower scores."),
    stage(
        LIMIT,
        "Shown",
        None,
        "Keeps the first memories; Hindsight cuts its answer by a budget of tokens instead.",
    ),
];

choice! {
    /// How the arms are fused.
    Reranking {
        /// By their ranks, then by a cross-encoder.
        CrossEncoder = "cross_encoder",
        /// By their ranks, without a cross-encoder.
        Rrf = "rrf",
        /// By taking memories from each in turn.
        Interleave = "interleave",
    }
}

choice! {
    /// The strength of an arm's boost.
    Boost {
        /// The arm is not boosted.
        None = "none",
        /// The arm is boosted slightly.
        Low = "low",
        /// The arm is boosted more.
        Medium = "medium",
        /// The arm is boosted most.
        High = "high",
    }
}

choice! {
    /// How recency decreases with age.
    Recency {
        /// Linearly with age, over a year.
        Linear = "linear",
        /// By half in 90 days.
        Exponential = "exponential",
        /// Recency has no effect at all.
        None = "none",
    }
}

parameters! {
    /// The settings of the fusion of Hindsight 1.1.
    pub struct Hindsight;
    prefix "hindsight."; stages &STAGES; rules |_| Ok(());
    max_candidates_per_source: u32 = 0, Some(FUSION), Rank, "max_candidates_per_source", Some("memories"), off_at(whole(0, 300, 1), 0.0), None, "How many memories each arm gives at most; 0 for all.";
    reranking: Reranking = Reranking::CrossEncoder, Some(FUSION), Rank, "Reranking", None, ParameterKind::Choice { options: Reranking::OPTIONS }, None, "How one order is made: by ranks and then a cross-encoder, by ranks, or in turn.";
    boost_semantic: Boost = Boost::None, Some(CANDIDATES), Rank, "Boost semantic", None, ParameterKind::Choice { options: Boost::OPTIONS }, None, "How much more the arm by meaning counts.";
    boost_bm25: Boost = Boost::None, Some(CANDIDATES), Rank, "Boost bm25", None, ParameterKind::Choice { options: Boost::OPTIONS }, None, "How much more the arm by words counts.";
    reranker_max_candidates: u32 = 300, Some(CANDIDATES), Rank, "reranker_max_candidates", Some("memories"), log(whole(1, 1000, 1)), None, "How many memories are reranked.";
    min_reranker: Option<f64> = None, Some(MIN_RERANKER), Rank, "Least reranked score", None, optional(number(0.0, 1.0, 0.01)), needs("hindsight.reranking", &["cross_encoder", "rrf"]), "Memories with a lower reranked score are dropped.";
    recency_decay_function: Recency = Recency::Linear, Some(SCORE), Rank, "recency_decay_function", None, ParameterKind::Choice { options: Recency::OPTIONS }, needs("hindsight.reranking", &["cross_encoder", "rrf"]), "How recency falls with age.";
    min_final: Option<f64> = None, Some(MIN_FINAL), Rank, "Least score", None, optional(number(0.0, 2.0, 0.01)), needs("hindsight.reranking", &["cross_encoder", "rrf"]), "Memories with a lower score are dropped.";
    limit: u32 = 20, Some(LIMIT), Rank, "Shown", Some("memories"), log(whole(1, 1000, 1)), None, "How many memories are shown; Hindsight cuts its answer by a budget of tokens instead.";
}

impl Boost {
    /// Returns the divisor of ranks in a boosted arm; `None` if it is not boosted.
    pub fn divisor(self) -> Option<f64> {
        match self {
            Boost::None => None,
            Boost::Low => Some(2.0),
            Boost::Medium => Some(4.0),
            Boost::High => Some(8.0),
        }
    }

    /// Returns what its first rank adds to a score.
    pub fn most(self) -> f64 {
        match self {
            Boost::None => 0.0,
            Boost::Low => 0.05,
            Boost::Medium => 0.2,
            Boost::High => 0.5,
        }
    }
}
