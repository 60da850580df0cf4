//! What Hindsight's fusion can be told, by its own names.

use memlens_params::make::{log, needs, number, off_at, optional, whole};
use memlens_params::{ParameterKind, StageId, StageInfo, choice, parameters};

use crate::staging::stage;

/// The arm by meaning.
pub const SEMANTIC: StageId = StageId("hindsight.semantic");
/// The arm by words.
pub const BM25: StageId = StageId("hindsight.bm25");
/// One order of the arms.
pub const FUSION: StageId = StageId("hindsight.fusion");
/// How many are reranked.
pub const CANDIDATES: StageId = StageId("hindsight.candidates");
/// The scores of its cross-encoder.
pub const RERANK: StageId = StageId("hindsight.rerank");
/// The least of these.
pub const MIN_RERANKER: StageId = StageId("hindsight.min_reranker");
/// What time, proofs and boosts make of them.
pub const SCORE: StageId = StageId("hindsight.score");
/// The least of that.
pub const MIN_FINAL: StageId = StageId("hindsight.min_final");
/// How many are shown.
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
    /// How the arms are put in one order.
    Reranking {
        /// By their ranks, then by a cross-encoder.
        CrossEncoder = "cross_encoder",
        /// By their ranks.
        Rrf = "rrf",
        /// In turn.
        Interleave = "interleave",
    }
}

choice! {
    /// How much an arm is boosted.
    Boost {
        /// Not at all.
        None = "none",
        /// A little.
        Low = "low",
        /// More.
        Medium = "medium",
        /// Most.
        High = "high",
    }
}

choice! {
    /// How recency falls with age.
    Recency {
        /// In a line, over a year.
        Linear = "linear",
        /// By half in 90 days.
        Exponential = "exponential",
        /// Not at all.
        None = "none",
    }
}

parameters! {
    /// What the fusion of Hindsight 1.1 can be told.
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
    /// What a rank in a boosted arm is divided by; none where it is not boosted.
    pub fn divisor(self) -> Option<f64> {
        match self {
            Boost::None => None,
            Boost::Low => Some(2.0),
            Boost::Medium => Some(4.0),
            Boost::High => Some(8.0),
        }
    }

    /// What its first rank adds to a score.
    pub fn most(self) -> f64 {
        match self {
            Boost::None => 0.0,
            Boost::Low => 0.05,
            Boost::Medium => 0.2,
            Boost::High => 0.5,
        }
    }
}
