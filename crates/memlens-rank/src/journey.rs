//! One row through all stages: steps, waterfall, formulas, and what parts it from its neighbour.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::detail::{Detail, List};
use crate::explain::number;
use crate::trace::{Status, Trace};

/// Is what one stage did to the row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct JourneyStep {
    /// The stage.
    pub stage: StageId,
    /// Its name on screen.
    pub label: String,
    /// Whether the stage did its work.
    pub status: Status,
    /// The 1-based rank before; none before the lists are fused.
    pub rank_before: Option<u32>,
    /// The 1-based rank after; in a list, the rank there; none when dropped.
    pub rank_after: Option<u32>,
    /// The score before.
    pub score_before: Option<f64>,
    /// The score after; in a list, the raw score there.
    pub score_after: Option<f64>,
    /// Whether the row was dropped here.
    pub dropped: bool,
    /// What happened and why.
    pub sentence: String,
}

/// Is a bar of the waterfall, from score to score.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Bar {
    /// The stage.
    pub stage: StageId,
    /// What the bar is.
    pub label: String,
    /// The rank in the list, or `old → new`.
    pub rank: Option<String>,
    /// Where it starts.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Whether it is a running total rather than a step.
    pub total: bool,
}

/// Is a formula with its values filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FormulaLine {
    /// The stage.
    pub stage: StageId,
    /// Its name on screen.
    pub label: String,
    /// The formula.
    pub expression: String,
    /// Its result, unrounded.
    pub value: f64,
}

/// Is the journey of one row, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct JourneyCore {
    /// Its 1-based final rank; none when dropped.
    pub rank: Option<u32>,
    /// Its last score; none when it never got one.
    pub score: Option<f64>,
    /// The stage that dropped it and why.
    pub dropped: Option<(StageId, String)>,
    /// A step per stage.
    pub steps: Vec<JourneyStep>,
    /// The waterfall.
    pub bars: Vec<Bar>,
    /// The formulas.
    pub formula: Vec<FormulaLine>,
    /// What parts it from the row below it, or from the one above where it is the last.
    pub neighbour: Option<String>,
}

impl Trace {
    /// Returns the journey of one row.
    pub fn journey(&self, slot: u32) -> JourneyCore {
        let mut journey = JourneyCore {
            rank: self
                .kept()
                .iter()
                .position(|kept| *kept == slot)
                .map(|at| at as u32 + 1),
            score: None,
            dropped: None,
            steps: Vec::with_capacity(self.stages.len()),
            bars: Vec::new(),
            formula: Vec::new(),
            neighbour: None,
        };
        for stage in &self.stages {
            let entry = stage.entries.iter().find(|entry| entry.slot == slot);
            let label = stage.id.info().label.to_owned();
            journey.steps.push(JourneyStep {
                stage: stage.id,
                label: label.clone(),
                status: stage.status.clone(),
                rank_before: entry.and_then(|entry| entry.rank_before),
                rank_after: entry.and_then(|entry| entry.rank_after),
                score_before: entry.and_then(|entry| entry.score_before),
                score_after: entry.and_then(|entry| entry.score_after),
                dropped: entry.is_some_and(|entry| entry.is_dropped),
                sentence: entry.map_or_else(
                    || idle(&stage.status, journey.dropped.as_ref()),
                    |entry| entry.detail.sentence(),
                ),
            });
            let Some(entry) = entry else { continue };
            for (expression, value) in entry.detail.formulas() {
                journey.formula.push(FormulaLine {
                    stage: stage.id,
                    label: label.clone(),
                    expression,
                    value,
                });
            }
            if !matches!(entry.detail, Detail::Listed { .. }) {
                journey.score = entry.score_after.or(entry.score_before);
            }
            if let Some(shares) = entry.detail.shares() {
                journey.bars = self.bars(slot, shares, entry.score_after);
            }
            if let Some(reason) = entry.detail.drop_reason() {
                journey.dropped = Some((stage.id, reason));
            }
        }
        journey.neighbour = self.neighbour(&journey, slot);
        journey
    }

    fn bars(&self, slot: u32, shares: [(StageId, f64); 2], fused: Option<f64>) -> Vec<Bar> {
        let mut at = 0.0;
        let mut bars: Vec<Bar> = shares
            .into_iter()
            .map(|(stage, amount)| {
                let bar = Bar {
                    stage,
                    label: stage.info().label.to_owned(),
                    rank: self
                        .list_rank(stage, slot)
                        .map(|rank| format!("rank {rank}")),
                    from: at,
                    to: at + amount,
                    total: false,
                };
                at += amount;
                bar
            })
            .collect();
        bars.push(Bar {
            stage: StageId::Fusion,
            label: "Fused".to_owned(),
            rank: None,
            from: 0.0,
            to: fused.unwrap_or(at),
            total: true,
        });
        bars
    }

    fn list_rank(&self, stage: StageId, slot: u32) -> Option<u32> {
        let entry = self
            .stage(stage)?
            .entries
            .iter()
            .find(|entry| entry.slot == slot)?;
        matches!(
            entry.detail,
            Detail::Listed {
                list: List::Vector | List::Bm25,
                ..
            }
        )
        .then_some(entry.rank_after)
        .flatten()
    }

    fn shares_of(&self, slot: u32) -> Option<[(StageId, f64); 2]> {
        self.stage(StageId::Fusion)?
            .entries
            .iter()
            .find(|entry| entry.slot == slot)?
            .detail
            .shares()
    }

    /// Tells what parts the row from the next one, or the last from the one above, by what each
    /// list adds.
    fn neighbour(&self, journey: &JourneyCore, slot: u32) -> Option<String> {
        let rank = journey.rank? as usize;
        let below = self.kept().get(rank).map(|slot| (*slot, rank + 1));
        let above = || {
            self.kept()
                .get(rank.checked_sub(2)?)
                .map(|slot| (*slot, rank - 1))
        };
        let (other, other_rank) = below.or_else(above)?;
        let difference = journey.score? - self.score_of(other)?;
        let is_above = other_rank > rank;
        // A row that the repeats stage moved may stand above one with a higher score.
        if difference != 0.0 && (difference > 0.0) != is_above {
            let more = if difference < 0.0 { "more" } else { "less" };
            let amount = number(difference.abs(), 3);
            return Some(format!(
                "rank {other_rank} scores {amount} {more}; repeats placed it"
            ));
        }
        let by_list: Vec<String> = self
            .shares_of(slot)?
            .iter()
            .zip(self.shares_of(other)?)
            .map(|((stage, mine), (_, theirs))| {
                format!("{} {}", stage.info().label, signed(mine - theirs))
            })
            .collect();
        let word = if is_above { "above" } else { "below" };
        let amount = number(difference.abs(), 3);
        Some(format!(
            "{amount} {word} rank {other_rank}: {}",
            by_list.join(", ")
        ))
    }

    /// Returns the row's last score; none when it never got one.
    fn score_of(&self, slot: u32) -> Option<f64> {
        let entries = self.stages.iter().rev().flat_map(|stage| &stage.entries);
        entries
            .filter(|entry| entry.slot == slot && !matches!(entry.detail, Detail::Listed { .. }))
            .find_map(|entry| entry.score_after)
    }
}

/// Returns what to say of a stage that has no entry for the row.
fn idle(status: &Status, dropped: Option<&(StageId, String)>) -> String {
    match (dropped, status) {
        (Some(_), _) => "not reached".to_owned(),
        (None, Status::Skipped { why } | Status::Fallback { why }) => why.clone(),
        (None, Status::Applied) => "nothing to do".to_owned(),
    }
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "" } else { "+" };
    format!("{sign}{}", number(value, 3))
}
