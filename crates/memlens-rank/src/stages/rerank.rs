//! Blends a model's scores into those of the best fused rows.
//!
//! Ranking never calls a model. It uses the scores that are known and marks the rows whose score is missing. Rows
//! without a score go below all rows that have one, in fused order, so that two scales never mix.

use memlens_params::{Params, RerankMode, StageId};

use serde::Serialize;
use specta::Type;

use crate::CellValue;
use crate::answers::{RerankScale, RerankScores};
use crate::look::{Cell, Column, Hue, Look, Sort, Start};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, Term, Terms, record};
use crate::stages::SWITCHED_OFF;
use crate::trace::Entry;
use crate::words::{number, scored, setting, times};

/// Weight of the fused score beside MaxSim under late interaction. A MaxSim weight of 0.3 improves results on chat-like
/// notes and costs least on others.
const LATE_FUSED_WEIGHT: f64 = 0.7;
/// Weight of MaxSim under late interaction.
const LATE_MAX_SIM_WEIGHT: f64 = 0.3;
/// Size of the pool as a multiple of `max_results`.
const POOL_OF_RESULTS: u32 = 3;
/// How far below the lowest reranked row the best of the other rows is placed: enough to keep the order, too little to
/// be visible.
const MARGIN: f64 = 1e-6;

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateMix {
    /// By how many standard deviations the fused score is above the mean of the scored rows.
    pub z_fused: f64,
    /// By how many standard deviations MaxSim is above the mean of the scored rows.
    pub z_max_sim: f64,
    /// The mix, before it is mapped to the span of the fused scores.
    pub mix: f64,
    /// The least and the greatest mix of the scored rows.
    pub mixes: (f64, f64),
    /// The least and the greatest fused score of the scored rows.
    pub fused: (f64, f64),
}

impl LateMix {
    /// The mix, mapped linearly to the span of the fused scores. The best fused score if all mixes are equal.
    fn value(&self) -> f64 {
        let ((mix_low, mix_high), (low, high)) = (self.mixes, self.fused);
        if mix_high > mix_low {
            low + (high - low) * ((self.mix - mix_low) / (mix_high - mix_low))
        } else {
            high
        }
    }

    /// The formula of the value, without it.
    fn formula(&self) -> String {
        let ((mix_low, mix_high), (low, high)) = (self.mixes, self.fused);
        if mix_high > mix_low {
            format!(
                "late = {} + {} · ({} \u{2212} {}) / {}",
                number(low, 4),
                number(high - low, 4),
                number(self.mix, 3),
                as_operand(mix_low),
                number(mix_high - mix_low, 3),
            )
        } else {
            "late = best fused score, because all mixes are equal".to_owned()
        }
    }
}

/// A number after an operator: a negative one is in parentheses.
fn as_operand(value: f64) -> String {
    let text = number(value, 3);
    if text.starts_with('\u{2212}') {
        format!("({text})")
    } else {
        text
    }
}

/// How a model's score was blended: `(1 - share) * base + share * value`. A row without a model score gets `base -
/// shift`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerank {
    /// The score before the stage.
    pub base: f64,
    /// The 1-based rank before the stage.
    pub rank: u32,
    /// Number of rows that are sent.
    pub n_sent: u32,
    /// Whether the row is sent and scored.
    pub state: RerankState,
    /// The score as the model reported it; `None` if the row has none.
    pub raw: Option<f64>,
    /// The scale of the model's scores; `None` before the first answer.
    pub scale: Option<RerankScale>,
    /// The model's score on the scale of fused scores; 0 if the row has none.
    pub value: f64,
    /// The parts of `value` under late interaction.
    pub late: Option<LateMix>,
    /// Value of the parameter `rerank_share`, in `(0, 1]`.
    pub share: f64,
    /// Lowers the rows without a model score below those with one; at least 0, and 0 for rows with one.
    pub shift: f64,
    /// Value of `rerank_threshold`, on the scale of the reranker.
    pub threshold: Option<f64>,
}

/// Blends in the score of a reranker.
pub const STAGE: Stage = Stage {
    id: StageId::RERANK,
    explain: rerank,
    look: Look {
        columns: &[Column {
            key: "rerank",
            label: "Rerank",
            name: "Rerank",
            below: "rank · score",
            cell: Cell::Reranked,
            sort: Sort::Rank,
            is_lasting: false,
            weight: 90,
        }],
        start: Some(Start::choice("rerank", "late")),
        ..Look::of(Hue::Rerank)
    },
};

/// Blends the known scores into the fused ones. Sends nothing.
fn rerank(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if !params.rerank_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if params.rerank == RerankMode::Off {
        return Outcome::skipped("off: no provider is chosen");
    }
    if params.rerank_share == 0.0 {
        return Outcome::skipped("off: share 0");
    }
    if rows.is_empty() {
        return Outcome::skipped("no candidates");
    }
    let n_sent = n_sent(params).min(rows.len() as u32);
    let known = context
        .set
        .rerank
        .iter()
        .find(|known| known.mode == params.rerank && known.max_chars == chars_read(params));
    let raw: Vec<Option<f64>> = rows[..n_sent as usize]
        .iter()
        .map(|row| {
            let chunk = context.set.candidates[row.slot as usize].chunk;
            known?.scores.get(&chunk).copied()
        })
        .collect();
    let n_scored = raw.iter().flatten().count() as u32;
    let is_unscored = |row: &Row| {
        let chunk = context.set.candidates[row.slot as usize].chunk;
        known.is_some_and(|known| known.unscored.contains(&chunk))
    };
    let unscored: Vec<bool> = rows[..n_sent as usize]
        .iter()
        .zip(&raw)
        .map(|(row, raw)| raw.is_none() && is_unscored(row))
        .collect();
    let n_unscored = unscored.iter().filter(|is_it| **is_it).count() as u32;
    let failure = known.and_then(|known| known.failure.as_ref());
    if let (Some(why), true) = (failure, n_scored + n_unscored < n_sent) {
        return Outcome::fallback(why);
    }
    let blended = known.map_or_else(
        || vec![None; raw.len()],
        |known| blend(known, &raw, rows, params.rerank_share),
    );
    let reasons = context.decided(reasons(&blended, &unscored, rows, params, known));
    let n_pending = n_sent - n_scored - n_unscored;
    let waiting = format!("{n_pending} of {n_sent} scores pending");
    if n_scored == 0 && n_pending == 0 {
        return Outcome {
            reasons,
            ..Outcome::skipped(format!("0 of {n_sent} texts were scored"))
        };
    }
    if n_scored == 0 {
        return Outcome {
            reasons,
            ..Outcome::skipped(waiting)
        };
    }
    let asked = known.map_or("", |known| &known.model);
    Outcome {
        note: Some(if n_pending > 0 {
            waiting
        } else if n_unscored > 0 {
            format!("{n_scored} of {n_sent} texts were scored by {asked}")
        } else {
            format!("{n_sent} by {asked}")
        }),
        ..Outcome::applied(reasons)
    }
}

/// Returns how many characters of each text the reranker reads; 0 for the whole text.
///
/// Late interaction reads the whole text: it calls no external service, and with the first 500 characters alone its
/// gain on LoCoMo turns into a loss.
pub fn chars_read(params: &Params) -> u32 {
    match params.rerank {
        RerankMode::Off | RerankMode::Late => 0,
        RerankMode::Model | RerankMode::Http => params.rerank_max_chars,
    }
}

/// Returns how many of the best fused rows are sent, if there are that many.
fn n_sent(params: &Params) -> u32 {
    match params.rerank_max_docs {
        0 => POOL_OF_RESULTS * params.max_results,
        max_docs => max_docs,
    }
}

/// The parts of a scored row's new score.
#[derive(Clone, Copy)]
struct Blended {
    raw: f64,
    value: f64,
    late: Option<LateMix>,
    score: f64,
}

/// Returns the parts of the score of each row that was sent; `None` for a row without a model score.
fn blend(
    known: &RerankScores,
    raw: &[Option<f64>],
    rows: &[Row],
    share: f64,
) -> Vec<Option<Blended>> {
    let scored: Vec<(f64, f64)> = raw
        .iter()
        .zip(rows)
        .filter_map(|(raw, row)| raw.map(|raw| (row.score.unwrap_or(0.0), raw)))
        .collect();
    let values: Vec<(f64, Option<LateMix>)> = match known.scale {
        scale @ (RerankScale::Unit | RerankScale::Logit) => scored
            .iter()
            .map(|(_, raw)| (scale.to_unit(*raw), None))
            .collect(),
        RerankScale::MaxSim => late(&scored),
    };
    let mut values = values.into_iter();
    raw.iter()
        .zip(rows)
        .map(|(raw, row)| {
            let raw = (*raw)?;
            let (value, late) = values.next()?;
            let base = row.score.unwrap_or(0.0);
            Some(Blended {
                raw,
                value,
                late,
                score: blended(base, value, share),
            })
        })
        .collect()
}

/// `(1 - share) * base + share * value`.
fn blended(base: f64, value: f64, share: f64) -> f64 {
    (1.0 - share) * base + share * value
}

/// Mixes fused scores and MaxSim by their z-scores; see [`LateMix::value`].
fn late(scored: &[(f64, f64)]) -> Vec<(f64, Option<LateMix>)> {
    let fused: Vec<f64> = scored.iter().map(|(fused, _)| *fused).collect();
    let max_sim: Vec<f64> = scored.iter().map(|(_, max_sim)| *max_sim).collect();
    let z_scores: Vec<(f64, f64)> = z_scores(&fused)
        .into_iter()
        .zip(z_scores(&max_sim))
        .collect();
    let mix = |(z_fused, z_max_sim): (f64, f64)| {
        LATE_FUSED_WEIGHT * z_fused + LATE_MAX_SIM_WEIGHT * z_max_sim
    };
    let mixes = span(z_scores.iter().copied().map(mix));
    let fused = span(fused.into_iter());
    z_scores
        .into_iter()
        .map(|(z_fused, z_max_sim)| {
            let late = LateMix {
                z_fused,
                z_max_sim,
                mix: mix((z_fused, z_max_sim)),
                mixes,
                fused,
            };
            (late.value(), Some(late))
        })
        .collect()
}

fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Returns by how many standard deviations each value is above the mean; 0 for all if they are equal.
fn z_scores(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum::<f64>()
        / n)
        .sqrt();
    // Rounding may make equal values differ from their mean.
    let (low, high) = span(values.iter().copied());
    let is_flat = low == high || deviation == 0.0;
    values
        .iter()
        .map(|value| {
            if is_flat {
                0.0
            } else {
                (value - mean) / deviation
            }
        })
        .collect()
}

impl RerankScale {
    /// A score on this scale as a number in `[0, 1]`, in the same order.
    pub fn to_unit(self, score: f64) -> f64 {
        match self {
            RerankScale::Unit => score,
            RerankScale::Logit => logistic(score),
            RerankScale::MaxSim => f64::midpoint(1.0, score),
        }
    }
}

/// `1 / (1 + e^-x)`.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn reasons(
    blended: &[Option<Blended>],
    unscored: &[bool],
    rows: &[Row],
    params: &Params,
    known: Option<&RerankScores>,
) -> impl Iterator<Item = Rerank> {
    let n_sent = blended.len() as u32;
    let score_of = |row: &Row| row.score.unwrap_or(0.0);
    let lowest = blended
        .iter()
        .flatten()
        .map(|blended| blended.score)
        .min_by(f64::total_cmp);
    let best_of_others = rows
        .iter()
        .enumerate()
        .filter(|(at, _)| blended.get(*at).copied().flatten().is_none())
        .map(|(_, row)| score_of(row))
        .max_by(f64::total_cmp);
    let shift = match (lowest, best_of_others) {
        (Some(lowest), Some(best)) if best >= lowest => best - lowest + MARGIN,
        (Some(_) | None, _) => 0.0,
    };
    (1..).zip(rows).map(move |(rank, row)| {
        let of_row = blended.get(rank as usize - 1).copied().flatten();
        Rerank {
            base: score_of(row),
            rank,
            n_sent,
            state: match of_row {
                Some(_) => RerankState::Scored,
                None if unscored.get(rank as usize - 1) == Some(&true) => RerankState::Unscored,
                None if rank <= n_sent => RerankState::Pending,
                None => RerankState::NotSent,
            },
            raw: of_row.map(|blended| blended.raw),
            scale: known.map(|known| known.scale),
            value: of_row.map_or(0.0, |blended| blended.value),
            late: of_row.and_then(|blended| blended.late),
            share: params.rerank_share,
            shift: of_row.map_or(shift, |_| 0.0),
            threshold: params.rerank_threshold,
        }
    })
}

impl RerankScale {
    /// Formats a raw score with the name of its scale.
    fn text(self, raw: f64) -> String {
        match self {
            RerankScale::Unit => format!("score {}", number(raw, 3)),
            RerankScale::Logit => format!("logit {}", number(raw, 2)),
            RerankScale::MaxSim => format!("MaxSim {}", number(raw, 3)),
        }
    }
}

impl From<RerankState> for Term {
    fn from(value: RerankState) -> Term {
        Term::Word(match value {
            RerankState::NotSent => "not_sent",
            RerankState::Pending => "pending",
            RerankState::Unscored => "unscored",
            RerankState::Scored => "scored",
        })
    }
}

impl From<RerankScale> for Term {
    fn from(value: RerankScale) -> Term {
        Term::Word(match value {
            RerankScale::Unit => "unit",
            RerankScale::Logit => "logit",
            RerankScale::MaxSim => "max_sim",
        })
    }
}

impl From<LateMix> for Term {
    fn from(value: LateMix) -> Term {
        Term::Terms(Terms(vec![
            ("z_fused", value.z_fused.into()),
            ("z_max_sim", value.z_max_sim.into()),
            ("mix", value.mix.into()),
        ]))
    }
}

impl Rerank {
    /// Returns the formulas of the model's score on the scale of fused scores.
    fn formulas_of_value(&self, raw: f64, scale: RerankScale) -> Vec<(String, f64)> {
        match (scale, self.late) {
            (RerankScale::MaxSim, Some(late)) => vec![
                (
                    format!(
                        "mix = {LATE_FUSED_WEIGHT} · {} + {LATE_MAX_SIM_WEIGHT} · {}",
                        number(late.z_fused, 3),
                        number(late.z_max_sim, 3)
                    ),
                    late.mix,
                ),
                (late.formula(), self.value),
            ],
            (RerankScale::Logit, _) => {
                let negative = number(-raw, 3);
                vec![(format!("logistic = 1 / (1 + e^({negative}))"), self.value)]
            }
            (RerankScale::Unit | RerankScale::MaxSim, _) => Vec::new(),
        }
    }
}

impl Reason for Rerank {
    fn effect(&self) -> Effect {
        let is_below = |(raw, threshold)| raw < threshold;
        if self.raw.zip(self.threshold).is_some_and(is_below) {
            return Effect::Drop;
        }
        Effect::Score(match self.state {
            RerankState::Scored => blended(self.base, self.value, self.share),
            RerankState::NotSent | RerankState::Pending | RerankState::Unscored => {
                self.base - self.shift
            }
        })
    }

    fn sentence(&self) -> String {
        let fused = number(self.base, 3);
        match (self.state, self.raw, self.scale) {
            (RerankState::NotSent, _, _) => {
                let Rerank { rank, n_sent, .. } = self;
                format!("not sent: rank {rank} > {n_sent} sent; fused {fused}")
            }
            (RerankState::Scored, Some(raw), Some(scale)) => {
                let raw = scale.text(raw);
                match self.threshold {
                    Some(threshold) if self.effect() == Effect::Drop => {
                        let threshold = number(threshold, 2);
                        format!("below the rerank threshold: {raw} < {threshold}")
                    }
                    Some(_) | None => format!("{raw}; fused {fused}"),
                }
            }
            (RerankState::Unscored, _, _) => {
                format!(
                    "sent, but the answer has no score for it; counts as not sent; fused {fused}"
                )
            }
            (RerankState::Pending | RerankState::Scored, _, _) => {
                format!("pending: sent, no score yet; fused {fused}")
            }
        }
    }

    fn record(&self) -> Record {
        record!("rerank", self: base, rank, n_sent, state, raw, scale, value, late, share, shift, threshold)
    }

    fn cell(&self, _: &Column, entry: &Entry) -> CellValue {
        CellValue {
            value: self.raw,
            state: Some(self.state),
            ..CellValue::ranks(entry)
        }
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        if let Some((raw, scale)) = self.raw.zip(self.scale) {
            let blend = format!(
                "{} · {} + {} · {}",
                setting(1.0 - self.share),
                times(self.base),
                setting(self.share),
                times(self.value)
            );
            let mut lines = self.formulas_of_value(raw, scale);
            lines.extend(scored(blend, self.effect()));
            lines
        } else if self.shift > 0.0 {
            let (base, shift) = (times(self.base), times(self.shift));
            scored(
                format!("{base} \u{2212} {shift}, below all reranked rows"),
                self.effect(),
            )
        } else {
            Vec::new()
        }
    }
}
