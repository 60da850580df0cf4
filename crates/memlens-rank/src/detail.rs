//! A stage's reason for one row, and the one place where a reason becomes a number.

use memlens_params::{AgreementMeasure, CorroborationBy, FusionMethod};
use serde::Serialize;

use crate::DateSource;

/// Names one of the two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum List {
    /// By cosine.
    Vector,
    /// By BM25.
    Bm25,
}

/// Holds the numbers with which a stage decided on one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Detail {
    /// Where the row stands in a list.
    Listed {
        /// The list.
        list: List,
        /// Its 1-based rank; none when the list does not hold it at any fetched depth.
        rank: Option<u32>,
        /// Its raw score; none when there is none.
        score: Option<f64>,
        /// The depth to which the list is read.
        depth: u32,
        /// The cosine of the best window.
        window: Option<f64>,
        /// The cosine of the whole chunk.
        whole: Option<f64>,
        /// First and last line of the best window.
        window_lines: Option<(u32, u32)>,
        /// How many words of the question it holds.
        n_matched: u32,
        /// How many words the question has.
        n_words: u32,
    },
    /// How both lists made one score: `(vector_weight * vector + text_weight * text) / divisor`.
    Fusion {
        /// The method that formed `vector` and `text`.
        method: FusionMethod,
        /// Whether a list holds the row within its depth; a row in neither is dropped.
        is_listed: bool,
        /// The vector side on the method's scale.
        vector: f64,
        /// The text side on the method's scale.
        text: f64,
        /// The weight used for the vector side; 0 when that side is missing altogether.
        vector_weight: f64,
        /// The weight used for the text side; 0 when that side is missing altogether.
        text_weight: f64,
        /// What the sum is divided by, above 0.
        divisor: f64,
        /// The normalised RRF score, whatever the method, in `[0, 1]`.
        rrf: f64,
        /// The 1-based place by RRF among the listed rows; none for a row in neither list.
        rrf_rank: Option<u32>,
        /// The rank in the vector list within its depth.
        vector_rank: Option<u32>,
        /// The rank in the BM25 list within its depth.
        text_rank: Option<u32>,
        /// The constant that RRF used.
        k: u32,
        /// The BM25 score and its ideal, for the formula of the calibrated method.
        bm25: f64,
        /// `BM25_ideal` of the question.
        bm25_ideal: f64,
    },
    /// How many others say the same: `base + gain * log2(1 + n_others)`.
    Corroboration {
        /// The score before.
        base: f64,
        /// What a doubling adds.
        gain: f64,
        /// What is counted.
        by: CorroborationBy,
        /// How many other members or sources say the same as the best supported observation of the row.
        n_others: u32,
        /// That observation, an id of the aggregation; none where nobody agrees with any.
        observation: Option<u32>,
        /// How many observations the row holds.
        n_observations: u32,
        /// How many of them another says too.
        n_agreed: u32,
        /// By what two observations say the same.
        measure: AgreementMeasure,
        /// Up to how many differing bits, or from which share of common words on.
        limit: f64,
        /// The 1-based ranks, after this stage, of better rows that together say all of it, ascending; the row is
        /// dropped then. Empty when they do not, or near-duplicates are kept.
        said_by: Vec<u32>,
    },
    /// What the person's thumbs weigh: `base * weight`, `weight = 1 + strength * 0.5 * (n_up - n_down) / (n_up + n_down
    /// + 2)`.
    Feedback {
        /// The score before.
        base: f64,
        /// Thumbs up.
        n_up: u32,
        /// Thumbs down.
        n_down: u32,
        /// `feedback_strength`.
        strength: f64,
        /// 1 without thumbs, in `(0.5, 1.5)` at strength 1, in `(0, 2)` at 2.
        weight: f64,
    },
    /// What age leaves: `base * factor`, `factor = exp(-ln 2 * days / half_life_days)`.
    Decay {
        /// The score before.
        base: f64,
        /// Age in days, at least 0; none where it does not decay.
        days: Option<f64>,
        /// Where the date comes from; none where there is none.
        from: Option<DateSource>,
        /// Whether the file does not decay, whatever its date.
        is_evergreen: bool,
        /// `half_life_days`.
        half_life_days: f64,
        /// In `[0, 1]`; 1 where it does not decay.
        factor: f64,
    },
    /// What the row adds to those above it: `lambda * score - (1 - lambda) * cosine`, the greatest of those left.
    Diversity {
        /// The score.
        score: f64,
        /// `mmr_lambda`.
        lambda: f64,
        /// The cosine to the most similar row above; 0 for the first.
        cosine: f64,
        /// The 1-based rank, after this stage, of that row; none for the first, and beyond the rows that are compared.
        nearest: Option<u32>,
        /// Whether it is among the rows that are compared.
        is_compared: bool,
        /// The row's new 0-based place.
        place: u32,
    },
    /// How much of the row's text better rows already show.
    Repeats {
        /// The share of its bytes, in `[0, 1]`.
        share: f64,
        /// Above this share it moves to the back.
        limit: f64,
        /// The 1-based ranks, after this stage, of the rows that showed it, ascending; empty when none did.
        shown_by: Vec<u32>,
        /// The row's new 0-based place.
        place: u32,
    },
    /// The row's score against the two floors.
    Threshold {
        /// The score.
        score: f64,
        /// `min_score`.
        min_score: f64,
        /// `min_score_of_best` times the best score; 0 when that is off.
        min_of_best: f64,
    },
    /// The row's rank against the number of results.
    Limit {
        /// The 1-based rank.
        rank: u32,
        /// `max_results`.
        max_results: u32,
    },
    /// The row's tokens against what is left.
    Budget {
        /// Its tokens.
        tokens: u32,
        /// What was left when it came.
        left: u32,
    },
}

/// Is what a reason does to a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// Nothing.
    Keep,
    /// The row has this score from here on; finite.
    Score(f64),
    /// The row takes this 0-based place until a later stage scores anew.
    Place(u32),
    /// The row goes no further.
    Drop,
}

impl Detail {
    /// Returns what the reason does to the row.
    ///
    /// This is the only place where a reason becomes a number; replaying it gives every score.
    pub fn effect(&self) -> Effect {
        match *self {
            Detail::Listed { .. } => Effect::Keep,
            Detail::Fusion {
                is_listed: false, ..
            } => Effect::Drop,
            Detail::Fusion {
                vector,
                text,
                vector_weight,
                text_weight,
                divisor,
                ..
            } => Effect::Score((vector_weight * vector + text_weight * text) / divisor),
            Detail::Corroboration { ref said_by, .. } if !said_by.is_empty() => Effect::Drop,
            Detail::Corroboration {
                base,
                gain,
                n_others,
                ..
            } => Effect::Score(base + gain * (1.0 + f64::from(n_others)).log2()),
            Detail::Feedback { base, weight, .. } => Effect::Score(weighted(base, weight)),
            Detail::Decay { base, factor, .. } => Effect::Score(weighted(base, factor)),
            Detail::Diversity { place, .. } | Detail::Repeats { place, .. } => Effect::Place(place),
            Detail::Threshold {
                score,
                min_score,
                min_of_best,
            } => {
                if score >= min_score && score >= min_of_best {
                    Effect::Keep
                } else {
                    Effect::Drop
                }
            }
            Detail::Limit { rank, max_results } => {
                if rank <= max_results {
                    Effect::Keep
                } else {
                    Effect::Drop
                }
            }
            Detail::Budget { tokens, left } => {
                if tokens <= left {
                    Effect::Keep
                } else {
                    Effect::Drop
                }
            }
        }
    }
}

/// Returns `score * weight`; a score below 0, which a poor cosine may give, moves the same way: up where the weight is
/// above 1, down below.
pub(crate) fn weighted(score: f64, weight: f64) -> f64 {
    if score >= 0.0 {
        score * weight
    } else {
        score * (2.0 - weight)
    }
}
