//! A stage's reason for one row, and the one place where a reason becomes a number.

use memlens_params::FusionMethod;
use serde::Serialize;

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
            Detail::Repeats { place, .. } => Effect::Place(place),
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
