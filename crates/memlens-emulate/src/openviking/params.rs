//! The settings of OpenViking, by their own names.

use memlens_params::make::{log, needs, number, optional, whole};
use memlens_params::{ParameterKind, RerankMode, StageId, StageInfo, choice, parameters};

use crate::staging::stage;

/// The list by inner product.
pub const VECTOR: StageId = StageId("openviking.vector");
/// Turns the inner product into a score.
pub const SCORE: StageId = StageId("openviking.score");
/// Lowers the scores of old events.
pub const DECAY: StageId = StageId("openviking.decay");
/// Selects the records that are inspected.
pub const CANDIDATES: StageId = StageId("openviking.candidates");
/// Keeps the best record of each address.
pub const ADDRESS: StageId = StageId("openviking.address");
/// The stage that applies its reranker's scores.
pub const RERANK: StageId = StageId("openviking.rerank");
/// The score that must be exceeded.
pub const THRESHOLD: StageId = StageId("openviking.threshold");
/// Limits the number of results.
pub const LIMIT: StageId = StageId("openviking.limit");

static STAGES: [StageInfo; 8] = [
    stage(
        VECTOR,
        "Vector",
        None,
        "The inner product of question and record, both as vectors of 8-bit numbers.",
    ),
    stage(
        SCORE,
        "Score",
        None,
        "(1 + inner product) / 2: what is unrelated lies near 0.5.",
    ),
    stage(
        DECAY,
        "Event decay",
        Some("openviking.event_decay"),
        "Halves the score of events for every week behind the protected time.",
    ),
    stage(
        CANDIDATES,
        "Candidates",
        None,
        "Keeps as many records as are asked for, twice as many where they are reranked.",
    ),
    stage(
        ADDRESS,
        "One per address",
        None,
        "Keeps the best record of each address, so that fewer than asked for may be left.",
    ),
    stage(
        RERANK,
        "Rerank",
        Some("openviking.rerank"),
        "Puts its reranker's score of a record's summary in place of the vector score; only search does.",
    ),
    stage(
        THRESHOLD,
        "Threshold",
        None,
        "Keeps scores above the threshold, whether reranked or not.",
    ),
    stage(LIMIT, "Limit", None, "Keeps the first records."),
];

choice! {
    /// The endpoint that is called.
    Endpoint {
        /// Searches by vectors, without a reranker.
        Find = "find",
        /// Searches by vectors, and reranks if a reranker is configured.
        Search = "search",
    }
}

parameters! {
    /// The settings of OpenViking 0.5.
    pub struct OpenViking;
    prefix "openviking."; stages &STAGES; rules |_| Ok(());
    endpoint: Endpoint = Endpoint::Search, Some(CANDIDATES), Rank, "Asked by", None, ParameterKind::Choice { options: Endpoint::OPTIONS }, None, "What OpenViking is asked by: find never reranks, whatever is configured.";
    event_decay: bool = false, Some(DECAY), Rank, "Event decay", None, ParameterKind::Toggle, None, "Whether records of events fade with their age.";
    event_protection_h: f64 = 0.0, Some(DECAY), Rank, "events_time_decay_protection", Some("hours"), number(0.0, 720.0, 1.0), None, "How long an event does not fade.";
    rerank: bool = false, Some(RERANK), Retrieve, "Rerank", None, ParameterKind::Toggle, needs("openviking.endpoint", &["search"]), "Whether a reranker is configured.";
    rerank_by: RerankMode = RerankMode::Off, Some(RERANK), Retrieve, "Filled in by", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, needs("openviking.endpoint", &["search"]), "Your own reranker in the place of OpenViking's, on the beginning of each note, since its model's summaries are missing: late interaction, or the model or provider of Settings. Off shows the order before.";
    rerank_threshold: f64 = 0.1, Some(THRESHOLD), Rank, "rerank.threshold", None, number(-1.0, 1.0, 0.01), None, "The score that must be exceeded where the question names none; it acts on vector scores as well.";
    score_threshold: Option<f64> = None, Some(THRESHOLD), Rank, "score_threshold", None, optional(number(-1.0, 1.0, 0.01)), None, "The score that must be exceeded, as the question names it.";
    score_gte: bool = false, Some(THRESHOLD), Rank, "score_gte", None, ParameterKind::Toggle, None, "Whether a score equal to the threshold is kept; OpenViking 0.5.2 knows it, but no request can set it.";
    limit: u32 = 10, Some(LIMIT), Rank, "limit", Some("records"), log(whole(1, 100, 1)), None, "How many records are returned; default_search_limit has no effect.";
}

/// Number of records per result that are inspected if they are reranked.
const RERANKED_TIMES: u32 = 2;
/// More records than are inspected for any limit.
pub const DEPTH_MAX: u32 = 1000;

impl OpenViking {
    /// Returns whether a reranker is called.
    pub fn is_reranked(&self) -> bool {
        self.rerank && self.endpoint == Endpoint::Search
    }

    /// Returns how many records are inspected.
    pub fn depth(&self) -> u32 {
        let times = if self.is_reranked() {
            RERANKED_TIMES
        } else {
            1
        };
        self.limit.saturating_mul(times)
    }

    /// Returns the score that must be exceeded.
    pub fn threshold(&self) -> f64 {
        self.score_threshold.unwrap_or(self.rerank_threshold)
    }
}
