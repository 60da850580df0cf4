//! The settings of each edition of OpenClaw, by their own names.

use memlens_params::make::{log, number, whole};
use memlens_params::{ParamError, StageId, StageInfo, parameters};

use crate::staging::stage;

/// The list by cosine of vectors.
pub const VECTOR: StageId = StageId("openclaw.vector");
/// The list of full-text search by FTS5.
pub const TEXT: StageId = StageId("openclaw.text");
/// The notes whose path the question names.
pub const PATHS: StageId = StageId("openclaw.paths");
/// Combines the lists to one score.
pub const FUSION: StageId = StageId("openclaw.fusion");
/// Lowers the scores of older notes.
pub const DECAY: StageId = StageId("openclaw.decay");
/// Weights entries by their stated importance.
pub const IMPORTANCE: StageId = StageId("openclaw.importance");
/// Moves up rows that differ from those above.
pub const MMR: StageId = StageId("openclaw.mmr");
/// Moves notes that the question names to the top.
pub const NAMED: StageId = StageId("openclaw.named");
/// The threshold `minScore` on scores.
pub const THRESHOLD: StageId = StageId("openclaw.threshold");
/// The limit `maxResults` on results.
pub const LIMIT: StageId = StageId("openclaw.limit");

const VECTOR_STAGE: StageInfo = stage(
    VECTOR,
    "Vector",
    None,
    "The cosine of question and chunk, over all chunks.",
);
const TEXT_STAGE: StageInfo = stage(
    TEXT,
    "Keywords",
    None,
    "What SQLite's full-text search finds, its bm25 as |r| / (1 + |r|).",
);
const THRESHOLD_STAGE: StageInfo = stage(
    THRESHOLD,
    "minScore",
    None,
    "Drops rows below minScore; where nothing is left, keyword hits come back.",
);
const LIMIT_STAGE: StageInfo = stage(LIMIT, "maxResults", None, "Keeps the first rows.");

static STAGES_2026_2: [StageInfo; 5] = [
    VECTOR_STAGE,
    stage(
        TEXT,
        "Keywords",
        None,
        "What SQLite's full-text search finds; every hit scores 1.0, as its bm25 was clamped.",
    ),
    stage(
        FUSION,
        "Sum",
        None,
        "vectorWeight × vector + textWeight × keywords; a list that lacks the chunk adds 0.",
    ),
    stage(THRESHOLD, "minScore", None, "Drops rows below minScore."),
    LIMIT_STAGE,
];

static STAGES_2026_7: [StageInfo; 7] = [
    VECTOR_STAGE,
    TEXT_STAGE,
    stage(
        FUSION,
        "Sum",
        None,
        "vectorWeight × vector + textWeight × keywords; a list that lacks the chunk adds 0.",
    ),
    stage(
        DECAY,
        "Decay",
        Some("openclaw.decay_on"),
        "Halves the score of dated notes with every half-life.",
    ),
    stage(
        MMR,
        "MMR",
        Some("openclaw.mmr_on"),
        "Moves up rows whose words differ from those of the rows above.",
    ),
    THRESHOLD_STAGE,
    LIMIT_STAGE,
];

static STAGES_2026_8: [StageInfo; 10] = [
    VECTOR_STAGE,
    TEXT_STAGE,
    stage(
        PATHS,
        "Path",
        None,
        "Notes whose path holds the question's words; one that the question names comes first.",
    ),
    stage(
        FUSION,
        "Sum",
        None,
        "0.7 × vector + 0.3 × keywords, which are raised by the words that a chunk holds; both weights are fixed.",
    ),
    stage(
        DECAY,
        "Decay",
        None,
        "Halves the score of dated notes every 30 days; always on.",
    ),
    stage(
        IMPORTANCE,
        "Importance",
        None,
        "Weighs entries of MEMORY.md and USER.md by the importance that they state.",
    ),
    stage(
        MMR,
        "MMR",
        None,
        "Moves up rows whose words differ from those of the rows above; always on, lambda 0.7.",
    ),
    stage(
        NAMED,
        "Named note",
        None,
        "A note whose path, name or stem is the question goes first and counts 1.0.",
    ),
    THRESHOLD_STAGE,
    LIMIT_STAGE,
];

/// At least one weight must be above 0, because OpenClaw divides both by their sum.
fn check_weights(vector: f64, text: f64) -> Result<(), ParamError> {
    if vector + text > 0.0 {
        Ok(())
    } else {
        Err(ParamError::NoWeight)
    }
}

parameters! {
    /// The settings of OpenClaw 2026.2.
    pub struct Feb2026;
    prefix "openclaw."; stages &STAGES_2026_2; rules |it| check_weights(it.vector_weight, it.text_weight);
    chunk_tokens: u32 = CHUNK_TOKENS.1, Some(VECTOR), Retrieve, "chunking.tokens", Some("tokens"), log(whole(8, 4000, 1)), None, "How long a chunk is, a token taken for four characters. Notes are cut and embedded again.";
    chunk_overlap: u32 = CHUNK_OVERLAP.1, Some(VECTOR), Retrieve, "chunking.overlap", Some("tokens"), whole(0, 1000, 1), None, "How much of a chunk the next one repeats, in whole lines; less than a chunk. Notes are cut and embedded again.";
    vector_weight: f64 = 0.7, Some(FUSION), Rank, "vectorWeight", None, number(0.0, 1.0, 0.05), None, "The share of the vector score in the sum.";
    text_weight: f64 = 0.3, Some(FUSION), Rank, "textWeight", None, number(0.0, 1.0, 0.05), None, "The share of the keyword score in the sum.";
    candidate_multiplier: u32 = 4, Some(FUSION), Rank, "candidateMultiplier", None, whole(1, 20, 1), None, "How many candidates each list gives for every result wanted, 200 at most.";
    min_score: f64 = 0.35, Some(THRESHOLD), Rank, "minScore", None, number(0.0, 1.0, 0.01), None, "Rows with a lower score are dropped.";
    max_results: u32 = 6, Some(LIMIT), Rank, "maxResults", Some("chunks"), log(whole(1, 500, 1)), None, "How many chunks the agent is given.";
}

parameters! {
    /// The settings of OpenClaw 2026.3 to 2026.7.
    pub struct Jul2026;
    prefix "openclaw."; stages &STAGES_2026_7; rules |it| check_weights(it.vector_weight, it.text_weight);
    chunk_tokens: u32 = CHUNK_TOKENS.1, Some(VECTOR), Retrieve, "chunking.tokens", Some("tokens"), log(whole(8, 4000, 1)), None, "How long a chunk is, a token taken for four characters. Notes are cut and embedded again.";
    chunk_overlap: u32 = CHUNK_OVERLAP.1, Some(VECTOR), Retrieve, "chunking.overlap", Some("tokens"), whole(0, 1000, 1), None, "How much of a chunk the next one repeats, in whole lines; less than a chunk. Notes are cut and embedded again.";
    vector_weight: f64 = 0.7, Some(FUSION), Rank, "vectorWeight", None, number(0.0, 1.0, 0.05), None, "The share of the vector score in the sum.";
    text_weight: f64 = 0.3, Some(FUSION), Rank, "textWeight", None, number(0.0, 1.0, 0.05), None, "The share of the keyword score in the sum.";
    candidate_multiplier: u32 = 4, Some(FUSION), Rank, "candidateMultiplier", None, whole(1, 20, 1), None, "How many candidates each list gives for every result wanted, 200 at most.";
    decay_on: bool = false, Some(DECAY), Rank, "temporalDecay.enabled", None, memlens_params::ParameterKind::Toggle, None, "Whether older notes count less.";
    half_life_days: f64 = 30.0, Some(DECAY), Rank, "halfLifeDays", Some("days"), log(number(1.0, 3650.0, 1.0)), None, "After how many days a dated note counts half.";
    mmr_on: bool = false, Some(MMR), Rank, "mmr.enabled", None, memlens_params::ParameterKind::Toggle, None, "Whether rows like those above them move down.";
    mmr_lambda: f64 = 0.7, Some(MMR), Rank, "mmr.lambda", None, number(0.0, 1.0, 0.05), None, "1 keeps the order by score; 0 looks at difference alone.";
    min_score: f64 = 0.35, Some(THRESHOLD), Rank, "minScore", None, number(0.0, 1.0, 0.01), None, "Rows with a lower score are dropped.";
    max_results: u32 = 6, Some(LIMIT), Rank, "maxResults", Some("chunks"), log(whole(1, 500, 1)), None, "How many chunks the agent is given.";
}

parameters! {
    /// The settings of OpenClaw 2026.8 and later; weights, candidates, decay, MMR and chunking are fixed.
    pub struct Since2026Aug;
    prefix "openclaw."; stages &STAGES_2026_8; rules |_| Ok(());
    min_score: f64 = 0.35, Some(THRESHOLD), Rank, "minScore", None, number(0.0, 1.0, 0.01), None, "Rows with a lower score are dropped.";
    max_results: u32 = 6, Some(LIMIT), Rank, "maxResults", Some("chunks"), log(whole(1, 500, 1)), None, "How many chunks the agent is given.";
}

/// Parameter id and default of a chunk's length.
pub const CHUNK_TOKENS: (&str, u32) = ("openclaw.chunk_tokens", 400);
/// Parameter id and default of the overlap of chunks.
pub const CHUNK_OVERLAP: (&str, u32) = ("openclaw.chunk_overlap", 80);

/// Maximum number of candidates of a list.
pub const CANDIDATES_MAX: u32 = 200;

/// Returns the number of candidates of each list: `maxResults * candidateMultiplier`, at most 200.
pub fn n_candidates(max_results: u32, multiplier: u32) -> u32 {
    max_results
        .saturating_mul(multiplier)
        .clamp(1, CANDIDATES_MAX)
}
