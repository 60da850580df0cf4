//! A stage's reason for one row, and the one place where a reason becomes a number.

use memlens_params::{AgreementMeasure, CorroborationBy, FusionMethod};
use serde::Serialize;
use specta::Type;

use crate::answers::RerankScale;
use crate::reason::OwnReason;
use crate::stages::rerank::blended;
use crate::{DateSource, ListId, ListValue};

/// How far a row is on its way to a score of the reranker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RerankState {
    /// It is not among the rows that are sent.
    NotSent,
    /// It is, and its score is not there yet.
    Pending,
    /// It was sent, and the answer has no score for it; it counts as not sent.
    Unscored,
    /// It has one.
    Scored,
}

/// What late interaction mixes: `mix = 0.7 * z_fused + 0.3 * z_max_sim`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LateMix {
    /// By how many standard deviations the fused score lies above the mean of the scored rows.
    pub z_fused: f64,
    /// Likewise for MaxSim.
    pub z_max_sim: f64,
    /// The mix, before it is mapped to the span of the fused scores.
    pub mix: f64,
}

/// What the person's command did with a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "move", rename_all = "snake_case")]
pub enum HookMove {
    /// It was not asked for these rows yet.
    Pending,
    /// It left the row out.
    Dropped {
        /// The 1-based rank with which the row was given.
        rank: u32,
    },
    /// It gave the row back.
    Placed {
        /// The 1-based rank with which the row was given.
        rank: u32,
        /// The score with which it was given.
        base: f64,
        /// Its new 0-based place.
        place: u32,
        /// The score that the command gave.
        score: f64,
    },
}

/// The numbers with which a stage decided on one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Detail {
    /// Where the row stands in a list.
    Listed {
        /// The list.
        list: ListId,
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
    /// What a model that reads question and text together gave: `(1 - share) * base + share * value`; a row without a
    /// score becomes `base - shift`.
    Rerank {
        /// The score before.
        base: f64,
        /// The 1-based rank before.
        rank: u32,
        /// How many rows are sent.
        n_sent: u32,
        /// Whether the row is sent and scored.
        state: RerankState,
        /// The score as the model reported it; none without one.
        raw: Option<f64>,
        /// What the model's scores mean; none before the first.
        scale: Option<RerankScale>,
        /// The model's score on the scale of fused scores; 0 without one.
        value: f64,
        /// What `value` was mixed from, under late interaction.
        late: Option<LateMix>,
        /// `rerank_share`.
        share: f64,
        /// What puts the rows without a score below those with one, at least 0; 0 for rows with one.
        shift: f64,
        /// `rerank_threshold`.
        threshold: Option<f64>,
    },
    /// What the person's command said.
    Hook(HookMove),
    /// How many others say the same: `base + gain * log2(1 + min(n_others, 8))`.
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
    /// What the user's thumbs weigh: `base * weight`, `weight = 1 + strength * 0.5 * (up - down) / (up + down + 2)`.
    Feedback {
        /// The score before.
        base: f64,
        /// Number of thumbs up.
        n_up: u32,
        /// Number of thumbs down.
        n_down: u32,
        /// The thumbs up, each counted by its closeness in `[0, 1]`, see [`Thumbs`](crate::Thumbs).
        up: f64,
        /// Likewise the thumbs down.
        down: f64,
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
    /// How much of the row's text better rows already show, and which rows are copies of each other.
    Repeats {
        /// The share of its bytes, in `[0, 1]`.
        share: f64,
        /// Above this share it moves to the back.
        limit: f64,
        /// The 1-based ranks, after this stage, of the rows that showed it, ascending; empty when none did.
        shown_by: Vec<u32>,
        /// The row's new 0-based place; 0 for a row that is folded.
        place: u32,
        /// The 1-based rank, after this stage, of the best row whose text is a copy of this one's; the row is dropped then.
        /// `None` for a row without copies, for the best of them, and where copies are not folded.
        folded_under: Option<u32>,
        /// How many copies are folded under the row.
        n_copies: u32,
        /// Their slots, the newest first, ties by their order; empty if the reasons are not read.
        #[serde(skip)]
        copies: Vec<u32>,
    },
    /// The row's score against the two floors: kept where `before_decay >= min_score` and `score >= min_of_best`.
    Threshold {
        /// The score.
        score: f64,
        /// The score before decay; `score` where decay did not act.
        before_decay: f64,
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
    /// A reason of a pipeline outside this crate.
    Own(OwnReason),
}

/// What a reason does to a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// Nothing.
    Keep,
    /// The row has this score from here on; finite.
    Score(f64),
    /// The row takes this 0-based place until a later stage scores anew.
    Place(u32),
    /// Both: the row has this score and takes this 0-based place, whatever the other scores are.
    Settle {
        /// The place.
        place: u32,
        /// The score; finite.
        score: f64,
    },
    /// The row goes no further.
    Drop,
}

impl Effect {
    /// The score that the row has from here on; none where it keeps the one that it has.
    pub(crate) fn score(self) -> Option<f64> {
        match self {
            Effect::Score(score) | Effect::Settle { score, .. } => Some(score),
            Effect::Keep | Effect::Place(_) | Effect::Drop => None,
        }
    }

    /// The 0-based place that the row takes; none where its score decides.
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
    /// What the reason does to the row.
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

    /// Where a list holds the row within its depth, and with which raw score; none for the reason of any other stage.
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

    /// The score that every row must reach; none for the reason of a stage that asks for none.
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
    /// How much a score falls short of the one that every row must reach, where the row was dropped by that. `score` is
    /// the row's before the stage.
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

/// More others than these add nothing: at the default gain no more than 0.317.
pub(crate) const OTHERS_MAX: u32 = 8;

/// `gain * log2(1 + min(n_others, OTHERS_MAX))`.
pub(crate) fn boost(gain: f64, n_others: u32) -> f64 {
    gain * (1.0 + f64::from(n_others.min(OTHERS_MAX))).log2()
}

/// `lambda * score - (1 - lambda) * cosine`.
pub(crate) fn marginal_relevance(lambda: f64, score: f64, cosine: f64) -> f64 {
    lambda * score - (1.0 - lambda) * cosine
}

/// `score * weight`; a score below 0, which a poor cosine may give, moves the same way: up where the weight is
/// above 1, down below.
pub(crate) fn weighted(score: f64, weight: f64) -> f64 {
    if score >= 0.0 {
        score * weight
    } else {
        score * (2.0 - weight)
    }
}
