//! A stage's reason for one row, and the only place where a reason becomes a number.

use memlens_params::{AgreementMeasure, CorroborationBy, FusionMethod};
use serde::Serialize;
use specta::Type;

use crate::answers::RerankScale;
use crate::reason::OwnReason;
use crate::stages::rerank::blended;
use crate::{DateSource, ListId, ListValue};

/// Whether a row is sent to the reranker and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankState {
    /// The row is not among those that are sent.
    NotSent,
    /// The row is among those that are sent; its score has not arrived yet.
    Pending,
    /// The row was sent, but the answer has no score for it; it is ranked as if not sent.
    Unscored,
    /// The row was sent and has a score.
    Scored,
}

/// The parts of the mix under late interaction: `mix = 0.7 * z_fused + 0.3 * z_max_sim`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LateMix {
    /// By how many standard deviations the fused score lies above the mean of the scored rows.
    pub z_fused: f64,
    /// By how many standard deviations MaxSim lies above the mean of the scored rows.
    pub z_max_sim: f64,
    /// The mix, before it is mapped to the span of the fused scores.
    pub mix: f64,
}

/// What the user's command did with a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "move", rename_all = "snake_case")]
pub enum HookMove {
    /// The command has not run for these rows yet.
    Pending,
    /// The command left the row out.
    Dropped {
        /// The 1-based rank at which the command received the row.
        rank: u32,
    },
    /// The command returned the row.
    Placed {
        /// The 1-based rank at which the command received the row.
        rank: u32,
        /// The score with which the command received the row.
        base: f64,
        /// The row's new 0-based place.
        place: u32,
        /// The score that the command returned.
        score: f64,
    },
}

/// The numbers with which a stage decided on one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Detail {
    /// The row's place in a list.
    Listed {
        /// The list that the stage reads.
        list: ListId,
        /// The 1-based rank in the list; `None` beyond the depth that was fetched.
        rank: Option<u32>,
        /// The raw score in the list; `None` if the list has none for this row.
        score: Option<f64>,
        /// The depth to which the list is read.
        depth: u32,
        /// The cosine of the best window.
        window: Option<f64>,
        /// The cosine of the whole chunk.
        whole: Option<f64>,
        /// First and last line of the best window, 1-based.
        window_lines: Option<(u32, u32)>,
        /// Number of distinct words of the question that the chunk holds.
        n_matched: u32,
        /// Number of distinct words in the question.
        n_words: u32,
    },
    /// How both lists were fused: `(vector_weight * vector + text_weight * text) / divisor`.
    Fusion {
        /// The method that computed `vector` and `text`.
        method: FusionMethod,
        /// Whether a list holds the row within its depth; other rows are dropped.
        is_listed: bool,
        /// The vector side on the method's scale.
        vector: f64,
        /// The text side on the method's scale.
        text: f64,
        /// The weight used for the vector side; 0 if that list is not in use.
        vector_weight: f64,
        /// The weight used for the text side; 0 if that list is not in use.
        text_weight: f64,
        /// The divisor of the sum, above 0.
        divisor: f64,
        /// The normalised RRF score under every method, in `[0, 1]`.
        rrf: f64,
        /// The 1-based rank by RRF among the listed rows; `None` for a row in neither list.
        rrf_rank: Option<u32>,
        /// The rank in the vector list; `None` beyond its depth.
        vector_rank: Option<u32>,
        /// The rank in the BM25 list; `None` beyond its depth.
        text_rank: Option<u32>,
        /// The constant `k` that RRF used.
        k: u32,
        /// The BM25 score, for the formula of the calibrated method.
        bm25: f64,
        /// `BM25_ideal` of the question, for the same formula.
        bm25_ideal: f64,
    },
    /// How a model's score was blended: `(1 - share) * base + share * value`. A row without a model score gets `base -
    /// shift`.
    Rerank {
        /// The score before the stage.
        base: f64,
        /// The 1-based rank before the stage.
        rank: u32,
        /// Number of rows that are sent.
        n_sent: u32,
        /// Whether the row is sent and scored.
        state: RerankState,
        /// The score as the model reported it; `None` if the row has none.
        raw: Option<f64>,
        /// The scale of the model's scores; `None` before the first answer.
        scale: Option<RerankScale>,
        /// The model's score on the scale of fused scores; 0 if the row has none.
        value: f64,
        /// The parts of `value` under late interaction.
        late: Option<LateMix>,
        /// `rerank_share`.
        share: f64,
        /// Lowers the rows without a model score below those with one; at least 0, and 0 for rows with one.
        shift: f64,
        /// `rerank_threshold`.
        threshold: Option<f64>,
    },
    /// What the user's command did.
    Hook(HookMove),
    /// How many others say the same: `base + gain * log2(1 + min(n_others, 8))`.
    Corroboration {
        /// The score before the stage.
        base: f64,
        /// What each doubling of `1 + n_others` adds.
        gain: f64,
        /// Whether members or sources are counted.
        by: CorroborationBy,
        /// Number of other members or sources that say the same as the row's best-supported observation.
        n_others: u32,
        /// The best-supported observation, an id of the aggregation; `None` if none of the row's observations is in a
        /// cluster.
        observation: Option<u32>,
        /// Number of observations that the row holds.
        n_observations: u32,
        /// Number of the row's observations that another one agrees with.
        n_agreed: u32,
        /// The measure by which observations agree.
        measure: AgreementMeasure,
        /// The greatest number of differing bits, or the least share of common words, at which two observations agree.
        limit: f64,
        /// The 1-based ranks, after this stage, of better rows that together say all of it, ascending; the row is
        /// dropped then. Empty if they do not, or if near-duplicates are kept.
        said_by: Vec<u32>,
    },
    /// How thumbs weight the row: `base * weight`, `weight = 1 + strength * 0.5 * (up - down) / (up + down + 2)`.
    Feedback {
        /// The score before the stage.
        base: f64,
        /// Number of thumbs up.
        n_up: u32,
        /// Number of thumbs down.
        n_down: u32,
        /// The thumbs up, each counted by its closeness in `[0, 1]`; see [`Thumbs`](crate::Thumbs).
        up: f64,
        /// The thumbs down, counted in the same way.
        down: f64,
        /// `feedback_strength`.
        strength: f64,
        /// 1 without thumbs, in `(0.5, 1.5)` at strength 1, in `(0, 2)` at 2.
        weight: f64,
    },
    /// How age weights the row: `base * factor`, `factor = exp(-ln 2 * days / half_life_days)`.
    Decay {
        /// The score before the stage.
        base: f64,
        /// Age in days, at least 0; `None` if the row does not decay.
        days: Option<f64>,
        /// Source of the date, if any.
        from: Option<DateSource>,
        /// Whether the file does not decay, whatever its date.
        is_evergreen: bool,
        /// `half_life_days`.
        half_life_days: f64,
        /// The factor in `[0, 1]`; 1 if the row does not decay.
        factor: f64,
    },
    /// What the row adds to those above it: `lambda * score - (1 - lambda) * cosine`, the greatest of those left.
    Diversity {
        /// The score before the stage.
        score: f64,
        /// `mmr_lambda`.
        lambda: f64,
        /// The cosine to the most similar row above; 0 for the first row.
        cosine: f64,
        /// The 1-based rank, after this stage, of that row; `None` for the first row and for rows that are not
        /// compared.
        nearest: Option<u32>,
        /// Whether the row is among those that are compared.
        is_compared: bool,
        /// The row's new 0-based place.
        place: u32,
    },
    /// How much of the row's text better rows already show, and which rows are its copies.
    Repeats {
        /// The share of the row's bytes that is shown, in `[0, 1]`.
        share: f64,
        /// The row moves to the end if `share` is above this.
        limit: f64,
        /// The 1-based ranks, after this stage, of the rows that show it, ascending; may be empty.
        shown_by: Vec<u32>,
        /// The row's new 0-based place; 0 if it is folded.
        place: u32,
        /// The 1-based rank, after this stage, of the best row whose text is a copy of this one's; the row is dropped
        /// then. `None` for a row without copies, for the best of them, and if copies are not folded.
        folded_under: Option<u32>,
        /// Number of copies that are folded under the row.
        n_copies: u32,
        /// The slots of the copies, newest first, ties by their order; empty if reasons are not recorded.
        #[serde(skip)]
        copies: Vec<u32>,
    },
    /// The row's score against the two floors: kept if `before_decay >= min_score` and `score >= min_of_best`.
    Threshold {
        /// The score before the stage.
        score: f64,
        /// The score before decay; equals `score` if decay did not act.
        before_decay: f64,
        /// `min_score`.
        min_score: f64,
        /// `min_score_of_best` times the best score; 0 if that parameter is 0.
        min_of_best: f64,
    },
    /// The row's rank against the number of results.
    Limit {
        /// The 1-based rank before the stage.
        rank: u32,
        /// `max_results`.
        max_results: u32,
    },
    /// The row's tokens against the rest of the budget.
    Budget {
        /// The row's length in tokens.
        tokens: u32,
        /// The tokens left in the budget before this row.
        left: u32,
    },
    /// A reason of a pipeline in another crate.
    Own(OwnReason),
}

/// What a reason does to a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// The row keeps its score and order.
    Keep,
    /// The row has this score from here on; finite.
    Score(f64),
    /// The row takes this 0-based place until a later stage scores again.
    Place(u32),
    /// The row gets this score and takes this 0-based place, regardless of the other scores.
    Settle {
        /// The row's new 0-based place.
        place: u32,
        /// The row's new score; finite.
        score: f64,
    },
    /// The row is dropped and reaches no later stage.
    Drop,
}

impl Effect {
    /// Returns the row's new score; `None` if its score does not change.
    pub(crate) fn score(self) -> Option<f64> {
        match self {
            Effect::Score(score) | Effect::Settle { score, .. } => Some(score),
            Effect::Keep | Effect::Place(_) | Effect::Drop => None,
        }
    }

    /// Returns the row's new 0-based place; `None` if its score decides the place.
    pub(crate) fn place(self) -> Option<u32> {
        match self {
            Effect::Place(place) | Effect::Settle { place, .. } => Some(place),
            Effect::Keep | Effect::Score(_) | Effect::Drop => None,
        }
    }
}

fn kept_if(is_kept: bool) -> Effect {
    if is_kept { Effect::Keep } else { Effect::Drop }
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
            Detail::Rerank {
                raw: Some(raw),
                threshold: Some(threshold),
                ..
            } if raw < threshold => Effect::Drop,
            Detail::Rerank {
                base,
                state: RerankState::Scored,
                value,
                share,
                ..
            } => Effect::Score(blended(base, value, share)),
            Detail::Rerank { base, shift, .. } => Effect::Score(base - shift),
            Detail::Hook(HookMove::Pending) => Effect::Keep,
            Detail::Hook(HookMove::Dropped { .. }) => Effect::Drop,
            Detail::Hook(HookMove::Placed { place, score, .. }) => Effect::Settle { place, score },
            Detail::Corroboration { ref said_by, .. } if !said_by.is_empty() => Effect::Drop,
            Detail::Corroboration {
                base,
                gain,
                n_others,
                ..
            } => Effect::Score(base + boost(gain, n_others)),
            Detail::Feedback { base, weight, .. } => Effect::Score(weighted(base, weight)),
            Detail::Decay { base, factor, .. } => Effect::Score(weighted(base, factor)),
            Detail::Repeats {
                folded_under: Some(_),
                ..
            } => Effect::Drop,
            Detail::Diversity { place, .. } | Detail::Repeats { place, .. } => Effect::Place(place),
            Detail::Threshold {
                score,
                before_decay,
                min_score,
                min_of_best,
            } => kept_if(before_decay >= min_score && score >= min_of_best),
            Detail::Limit { rank, max_results } => kept_if(rank <= max_results),
            Detail::Budget { tokens, left } => kept_if(tokens <= left),
            Detail::Own(ref reason) => reason.effect(),
        }
    }

    /// Returns the row's rank in a list, `None` beyond the depth, and its raw score; `None` for the reason of any other
    /// stage.
    pub fn listed(&self) -> Option<ListValue> {
        match self {
            Detail::Listed {
                rank, score, depth, ..
            } => Some(ListValue {
                rank: rank.filter(|rank| rank <= depth),
                score: *score,
            }),
            Detail::Own(reason) => reason.get().listed(),
            Detail::Fusion { .. }
            | Detail::Rerank { .. }
            | Detail::Hook(_)
            | Detail::Corroboration { .. }
            | Detail::Feedback { .. }
            | Detail::Decay { .. }
            | Detail::Diversity { .. }
            | Detail::Repeats { .. }
            | Detail::Threshold { .. }
            | Detail::Limit { .. }
            | Detail::Budget { .. } => None,
        }
    }

    /// Returns the score that every row must reach; `None` for stages without such a threshold.
    pub(crate) fn least(&self) -> Option<f64> {
        match self {
            Detail::Threshold { min_score, .. } => Some(*min_score),
            Detail::Own(reason) => reason.get().least(),
            Detail::Listed { .. }
            | Detail::Fusion { .. }
            | Detail::Rerank { .. }
            | Detail::Hook(_)
            | Detail::Corroboration { .. }
            | Detail::Feedback { .. }
            | Detail::Decay { .. }
            | Detail::Diversity { .. }
            | Detail::Repeats { .. }
            | Detail::Limit { .. }
            | Detail::Budget { .. } => None,
        }
    }
}

impl Detail {
    /// Returns how far the row's score is below the score that every row must reach; `None` unless the row was dropped
    /// for that. `score` is the row's score before the stage.
    pub(crate) fn short_by(&self, score: Option<f64>) -> Option<f64> {
        let compared = if let Detail::Threshold { before_decay, .. } = self {
            Some(*before_decay)
        } else {
            score
        }?;
        let least = self.least().filter(|least| compared < *least)?;
        (self.effect() == Effect::Drop).then_some(least - compared)
    }
}

/// The greatest number of others that count. At the default gain they add at most 0.317.
pub(crate) const OTHERS_MAX: u32 = 8;

/// `gain * log2(1 + min(n_others, OTHERS_MAX))`.
pub(crate) fn boost(gain: f64, n_others: u32) -> f64 {
    gain * (1.0 + f64::from(n_others.min(OTHERS_MAX))).log2()
}

/// `lambda * score - (1 - lambda) * cosine`.
pub(crate) fn marginal_relevance(lambda: f64, score: f64, cosine: f64) -> f64 {
    lambda * score - (1.0 - lambda) * cosine
}

/// `score * weight`. A score below 0, which a poor cosine may give, moves in the same direction: up if the weight is
/// above 1, down if below.
pub(crate) fn weighted(score: f64, weight: f64) -> f64 {
    if score >= 0.0 {
        score * weight
    } else {
        score * (2.0 - weight)
    }
}
