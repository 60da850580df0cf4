//! The table of Memlens's own pipeline: every parameter on one line.

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::make::{log, needs, number, off_at, optional, whole};
use crate::{ParamError, Parameter, ParameterKind, StageId, choice, parameters, stages};

choice! {
    /// What the vector list compares with the question.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    VectorUnit {
        /// `(2 * best window + whole chunk) / 3`.
        Windows = "windows",
        /// The whole chunk's vector alone.
        Chunk = "chunk",
    }
}
choice! {
    /// Which chunks the BM25 list holds.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    Bm25Join {
        /// Any word of the question.
        Or = "or",
        /// Every word of the question.
        And = "and",
    }
}
choice! {
    /// How two lists become one score.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    FusionMethod {
        /// Weighted sum of cosine and of BM25 divided by its ideal.
        Calibrated = "calibrated",
        /// Reciprocal rank fusion, normalised.
        Rrf = "rrf",
        /// Weighted sum of min-max scores.
        Relative = "relative",
        /// Weighted sum of cosine and b/(1+b), undivided.
        Weighted = "weighted",
    }
}
choice! {
    /// Which model reranks.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    RerankMode {
        /// None.
        Off = "off",
        /// Late interaction over the bundled model.
        Late = "late",
        /// A cross-encoder on this machine.
        Model = "model",
        /// A provider over HTTP.
        Http = "http",
    }
}
choice! {
    /// What corroborates.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    CorroborationBy {
        /// Every observation that says the same.
        Members = "members",
        /// Every other source that says the same.
        Sources = "sources",
    }
}
choice! {
    /// By what two observations say the same.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    AgreementMeasure {
        /// Differing bits of their SimHashes.
        Simhash = "simhash",
        /// Their share of common words.
        Words = "words",
    }
}
choice! {
    /// What happens to near-duplicates of a better row.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    NearDuplicates {
        /// They stay.
        Keep = "keep",
        /// They are dropped.
        Collapse = "collapse",
    }
}
choice! {
    /// What happens to copies of a better row's text.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    Copies {
        /// They are folded under it.
        Fold = "fold",
        /// They stay.
        Keep = "keep",
    }
}
choice! {
    /// Whether the user's own command runs.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(rename_all = "snake_case")]
    HookMode {
        /// It does not.
        Off = "off",
        /// It does.
        On = "on",
    }
}

const V: Option<StageId> = Some(StageId::VECTOR);
const B: Option<StageId> = Some(StageId::BM25);
const F: Option<StageId> = Some(StageId::FUSION);
const RR: Option<StageId> = Some(StageId::RERANK);
const CO: Option<StageId> = Some(StageId::CORROBORATION);
const FB: Option<StageId> = Some(StageId::FEEDBACK);
const DE: Option<StageId> = Some(StageId::DECAY);
const DI: Option<StageId> = Some(StageId::DIVERSITY);
const RP: Option<StageId> = Some(StageId::REPEATS);
const TH: Option<StageId> = Some(StageId::THRESHOLD);
const LI: Option<StageId> = Some(StageId::LIMIT);
const HO: Option<StageId> = Some(StageId::HOOK);
const BU: Option<StageId> = Some(StageId::BUDGET);
const CHUNKS: Option<&str> = Some("chunks");
const CHARS: Option<&str> = Some("characters");

#[rustfmt::skip]
parameters! {
    /// A value for every parameter of Memlens's own pipeline.
    #[derive(Serialize, Deserialize, Type)]
    #[serde(deny_unknown_fields)]
    pub struct Params;
    prefix ""; stages stages(); rules rules;
    vector_on: bool = true, V, Rank, "Vector", None, ParameterKind::Toggle, None, "Uses the vector list.";
    vector_depth: u32 = 50, V, Rank, "Depth", CHUNKS, log(whole(1, 1000, 1)), None, "How many of the chunks nearest in meaning go on to fusion.";
    vector_unit: VectorUnit = VectorUnit::Windows, V, Retrieve, "Compare by", None, ParameterKind::Choice { options: VectorUnit::OPTIONS }, None, "Compares the question with a chunk's best window and the whole chunk, or with the whole chunk alone.";
    bm25_on: bool = true, B, Rank, "BM25", None, ParameterKind::Toggle, None, "Uses the BM25 list.";
    bm25_depth: u32 = 50, B, Rank, "Depth", CHUNKS, log(whole(1, 1000, 1)), None, "How many of the chunks that match the words best go on to fusion.";
    bm25_join: Bm25Join = Bm25Join::Or, B, Retrieve, "Join words by", None, ParameterKind::Choice { options: Bm25Join::OPTIONS }, None, "Matches any word (or) or requires all of them (and). And often finds nothing for natural questions.";
    fusion_on: bool = true, F, Rank, "Fusion", None, ParameterKind::Toggle, None, "Combines both lists into one score. When off, the vector list alone ranks, or BM25 if the vector list is off.";
    fusion: FusionMethod = FusionMethod::Calibrated, F, Rank, "Method", None, ParameterKind::Choice { options: FusionMethod::OPTIONS }, None, "How the two lists are combined. Calibrated leans on meaning when the memory does not know the words.";
    fusion_k: u32 = 60, F, Rank, "k", None, whole(1, 200, 1), needs("fusion", &["rrf"]), "The constant of reciprocal rank fusion. Small values favour first places; large ones even ranks out.";
    vector_weight: f64 = 0.6, F, Rank, "Vector weight", None, number(0.0, 1.0, 0.01), None, "How much the vector list counts.";
    text_weight: f64 = 0.4, F, Rank, "Text weight", None, number(0.0, 1.0, 0.01), None, "How much the BM25 list counts.";
    rerank_on: bool = true, RR, Rank, "Rerank", None, ParameterKind::Toggle, None, "Uses the chosen reranker.";
    rerank: RerankMode = RerankMode::Off, RR, Outside, "Provider", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, None, "Which model reads the question and each chunk together.";
    rerank_max_docs: u32 = 20, RR, Outside, "Max docs", CHUNKS, off_at(whole(0, 200, 1), 0.0), needs("rerank", &["late", "model", "http"]), "How many of the best fused rows go to the reranker. 0 sends three times max results.";
    rerank_max_chars: u32 = 500, RR, Outside, "Max chars", CHARS, off_at(whole(0, 8000, 50), 0.0), needs("rerank", &["late", "model", "http"]), "How much of each text a model or provider reads. 0 means all of it; late interaction always reads all of it.";
    rerank_threshold: Option<f64> = None, RR, Rank, "Drop below", None, optional(number(-20.0, 20.0, 0.01)), needs("rerank", &["late", "model", "http"]), "Drops reranked rows below this score, on the reranker's own scale.";
    rerank_share: f64 = 1.0, RR, Rank, "Share", None, number(0.0, 1.0, 0.01), needs("rerank", &["late", "model", "http"]), "The reranker's share of the score. 0 keeps the fused order; 1 follows the reranker alone.";
    rerank_timeout_ms: u32 = 10_000, RR, Outside, "Timeout", Some("ms"), whole(100, 60_000, 100), needs("rerank", &["late", "model", "http"]), "How long to wait for the reranker before keeping the fused order.";
    corroboration_on: bool = false, CO, Rank, "Corroboration", None, ParameterKind::Toggle, None, "Boosts what several observations agree on.";
    corroboration_gain: f64 = 0.1, CO, Rank, "Gain", None, number(0.0, 0.5, 0.01), None, "Score added each time the number of agreeing observations doubles.";
    corroboration_by: CorroborationBy = CorroborationBy::Members, CO, Rank, "Counted by", None, ParameterKind::Choice { options: CorroborationBy::OPTIONS }, None, "Counts agreeing observations, or the different sources they come from.";
    near_duplicates: NearDuplicates = NearDuplicates::Keep, CO, Rank, "Near-duplicates", None, ParameterKind::Choice { options: NearDuplicates::OPTIONS }, None, "Keeps or drops near-duplicates of a better row.";
    agreement_measure: AgreementMeasure = AgreementMeasure::Simhash, CO, Rank, "Same by", None, ParameterKind::Choice { options: AgreementMeasure::OPTIONS }, None, "Compares observations by the fingerprints of their words (SimHash, unreliable on short texts) or by word overlap.";
    simhash_distance: u32 = 3, CO, Rank, "Distance", Some("bits of 64"), whole(0, 7, 1), needs("agreement_measure", &["simhash"]), "Maximum number of differing bits of the word fingerprints (SimHash) of two observations that count as the same. At 3 of 64 bits, fingerprints are 95 % alike.";
    word_overlap: f64 = 0.6, CO, Rank, "Word overlap", None, number(0.5, 1.0, 0.01), needs("agreement_measure", &["words"]), "Minimum word overlap for two observations to count as the same.";
    feedback_on: bool = false, FB, Rank, "Feedback", None, ParameterKind::Toggle, None, "Weighs rows by your thumbs, for this question and for questions close to it. When off, thumbs are judgments only.";
    feedback_strength: f64 = 1.0, FB, Rank, "Strength", None, number(0.0, 2.0, 0.05), None, "How much thumbs count. Each counts by the cosine of its question to this one.";
    decay_on: bool = true, DE, Rank, "Decay", None, ParameterKind::Toggle, None, "Lets older notes count less.";
    half_life_days: f64 = 0.0, DE, Rank, "Half-life", Some("days"), off_at(number(0.0, 365.0, 1.0), 0.0), None, "Days after which a note counts half as much. 0 switches decay off.";
    diversity_on: bool = true, DI, Rank, "Diversity", None, ParameterKind::Toggle, None, "Prefers rows that differ from those above.";
    mmr_lambda: f64 = 1.0, DI, Rank, "λ", None, off_at(number(0.0, 1.0, 0.01), 1.0), None, "1 ranks by score alone; 0 only by difference from the rows above.";
    repeats_on: bool = true, RP, Rank, "Repeats", None, ParameterKind::Toggle, None, "Folds copies and moves repeated text to the end.";
    copies: Copies = Copies::Fold, RP, Rank, "Copies", None, ParameterKind::Choice { options: Copies::OPTIONS }, None, "Folds chunks whose texts are copies of each other, in one note or several, under the best of them, or keeps every row.";
    repeat_share: f64 = 0.5, RP, Rank, "Share", None, off_at(number(0.0, 1.0, 0.01), 1.0), None, "Moves a chunk to the end when better rows already show more than this share of it. 1 switches it off.";
    threshold_on: bool = true, TH, Rank, "Threshold", None, ParameterKind::Toggle, None, "Drops rows that score too low.";
    min_score: f64 = 0.10, TH, Rank, "Min score", None, number(0.0, 1.0, 0.01), None, "Drops rows whose score before decay is lower, so age alone drops none.";
    min_score_of_best: f64 = 0.0, TH, Rank, "Of the best", None, off_at(number(0.0, 1.0, 0.01), 0.0), None, "Drops rows whose score after decay is below this share of the best row's. 0 switches it off.";
    limit_on: bool = true, LI, Rank, "Limit", None, ParameterKind::Toggle, None, "Limits the number of results.";
    max_results: u32 = 10, LI, Rank, "Max results", Some("rows"), whole(1, 100, 1), None, "Maximum number of rows to keep.";
    hook_on: bool = true, HO, Rank, "Hook", None, ParameterKind::Toggle, None, "Runs your own command.";
    hook: HookMode = HookMode::Off, HO, Outside, "Command", None, ParameterKind::Choice { options: HookMode::OPTIONS }, None, "Whether the command in Settings may reorder the results.";
    hook_timeout_ms: u32 = 5000, HO, Outside, "Timeout", Some("ms"), whole(100, 60_000, 100), needs("hook", &["on"]), "How long to wait for the command before ignoring it.";
    budget_on: bool = true, BU, Rank, "Budget", None, ParameterKind::Toggle, None, "Limits the total tokens of the results.";
    budget_tokens: u32 = 0, BU, Rank, "Tokens", Some("tokens"), off_at(whole(0, 32_000, 50), 0.0), None, "Maximum total tokens of the results. 0 switches it off.";
    chunk_chars: u32 = 1600, None, Index, "Chunk length", CHARS, whole(200, 8000, 50), None, "Maximum length of a chunk.";
    chunk_overlap_chars: u32 = 320, None, Index, "Chunk overlap", CHARS, off_at(whole(0, 4000, 10), 0.0), None, "How much of a chunk's end the next one repeats.";
    window_chars: u32 = 400, None, Index, "Window length", CHARS, whole(100, 2000, 50), None, "Length of the windows that are embedded alongside the whole chunk.";
    aggregation_interval_s: u32 = 60, None, Index, "Aggregate every", Some("s"), whole(5, 3600, 5), None, "How often clusters are updated when notes change.";
}

fn rules(params: &Params) -> Result<(), ParamError> {
    if params.vector_weight == 0.0 && params.text_weight == 0.0 {
        return Err(ParamError::NoWeight);
    }
    if params.chunk_overlap_chars * 2 > params.chunk_chars {
        return Err(ParamError::Overlap {
            overlap: params.chunk_overlap_chars,
            chunk: params.chunk_chars,
        });
    }
    Ok(())
}

/// Returns all parameters of Memlens's own pipeline, in order.
pub fn table() -> &'static [Parameter] {
    &Params::parameters().parameters
}

/// Returns the parameter of Memlens's own pipeline with this id.
///
/// # Errors
/// Like [`crate::Table::parameter`].
pub fn parameter(id: &str) -> Result<&'static Parameter, ParamError> {
    Params::parameters().parameter(id)
}
