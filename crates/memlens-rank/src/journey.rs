//! One row through all stages: steps, waterfall, formulas, and its distance from its neighbour.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::reason::{Effect, Placer};
use crate::trace::{Entry, StageTrace, Status, Trace};
use crate::words::number;

/// What one stage did to the row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct JourneyStep {
    /// The stage's identifier in the pipeline.
    pub stage: StageId,
    /// The stage's name as displayed to the user.
    pub label: String,
    /// Whether the stage did its work.
    pub status: Status,
    /// The 1-based rank before the stage; `None` before the lists are fused.
    pub rank_before: Option<u32>,
    /// The 1-based rank after the stage; `None` if dropped. In a list stage, the rank in the list.
    pub rank_after: Option<u32>,
    /// The score before the stage, if any.
    pub score_before: Option<f64>,
    /// The score after the stage. In a list stage, the raw score in the list.
    pub score_after: Option<f64>,
    /// Whether the stage dropped the row.
    pub dropped: bool,
    /// What happened and why.
    pub sentence: String,
}

/// A bar of the waterfall, from one score to another.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Bar {
    /// The stage that the bar belongs to.
    pub stage: StageId,
    /// The text beside the bar.
    pub label: String,
    /// The rank in the list, or `old → new`.
    pub rank: Option<String>,
    /// The score at which the bar starts.
    pub from: f64,
    /// The score at which the bar ends.
    pub to: f64,
    /// Whether the bar is a running total rather than a step.
    pub total: bool,
}

impl Bar {
    /// Returns the bar of a stage that changed a score.
    fn of_change(stage: &StageTrace, entry: &Entry) -> Bar {
        let rank = match (entry.rank_before, entry.rank_after) {
            (Some(before), Some(after)) if before != after => Some(format!("{before} → {after}")),
            (_, after) => after.map(|rank| format!("rank {rank}")),
        };
        Bar {
            stage: stage.id,
            label: stage.label.to_owned(),
            rank,
            from: entry.score_before.unwrap_or(0.0),
            to: entry.score_after.unwrap_or(0.0),
            total: false,
        }
    }
}

/// A formula with its values filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FormulaLine {
    /// The stage that the formula belongs to.
    pub stage: StageId,
    /// The stage's name as displayed to the user.
    pub label: String,
    /// The formula as text, with its values.
    pub expression: String,
    /// The formula's result, unrounded.
    pub value: f64,
}

/// The journey of one row, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct JourneyCore {
    /// The 1-based final rank; `None` if dropped.
    pub rank: Option<u32>,
    /// The last score; `None` if the row never got one.
    pub score: Option<f64>,
    /// The stage that dropped the row, and why.
    pub dropped: Option<(StageId, String)>,
    /// One step per stage of the pipeline.
    pub steps: Vec<JourneyStep>,
    /// The bars of the waterfall, in the order of the stages.
    pub bars: Vec<Bar>,
    /// The formulas behind the scores, in the order of the stages.
    pub formula: Vec<FormulaLine>,
    /// The score that a row must reach; `None` if no stage has such a threshold, or no row reached that stage.
    pub min_score: Option<f64>,
    /// How far the score that was compared with `min_score` is below it; `None` unless the row was dropped for that.
    pub short_by: Option<f64>,
    /// What separates the row from the one below it, or from the one above if it is the last.
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
            min_score: self
                .stages
                .iter()
                .find_map(|stage| stage.entries.first()?.detail.least()),
            short_by: None,
            neighbour: None,
        };
        for stage in &self.stages {
            let entry = stage.entries.iter().find(|entry| entry.slot == slot);
            let label = stage.label.to_owned();
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
            if entry.detail.listed().is_none() {
                journey.score = entry.score_after.or(entry.score_before);
            }
            let shares = entry.detail.shares();
            if !shares.is_empty() {
                journey.bars = self.bars(slot, stage, shares, entry);
            }
            if entry.change().is_some() {
                journey.bars.push(Bar::of_change(stage, entry));
            }
            if let Some(reason) = entry.detail.drop_reason() {
                journey.dropped = Some((stage.id, reason));
                journey.short_by = short_by(entry);
            }
        }
        if let Some(last) = journey.bars.last().filter(|bar| !bar.total) {
            journey.bars.push(Bar {
                label: "Score".to_owned(),
                rank: None,
                from: 0.0,
                total: true,
                ..last.clone()
            });
        }
        journey.neighbour = self.neighbour(&journey, slot);
        journey
    }

    /// Returns the bars of the stage that fused the lists.
    fn bars(
        &self,
        slot: u32,
        fusing: &StageTrace,
        shares: Vec<(StageId, f64)>,
        entry: &Entry,
    ) -> Vec<Bar> {
        let mut at = 0.0;
        let mut bars: Vec<Bar> = shares
            .into_iter()
            .map(|(stage, amount)| {
                let bar = Bar {
                    stage,
                    label: self.label(stage).to_owned(),
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
            stage: fusing.id,
            label: entry.detail.total().unwrap_or(fusing.label).to_owned(),
            rank: None,
            from: 0.0,
            to: entry.score_after.unwrap_or(at),
            total: true,
        });
        bars
    }

    fn label(&self, stage: StageId) -> &'static str {
        self.stage(stage)
            .map_or(stage.as_str(), |stage| stage.label)
    }

    fn list_rank(&self, stage: StageId, slot: u32) -> Option<u32> {
        let entry = self
            .stage(stage)?
            .entries
            .iter()
            .find(|entry| entry.slot == slot)?;
        entry.detail.listed()?.rank
    }

    /// Returns what every stage added to the row's score, in the order of the pipeline. The amounts sum to the score.
    fn amounts(&self, slot: u32) -> Option<Vec<(StageId, f64)>> {
        let entries = self.entries_of(slot);
        let shares = entries
            .iter()
            .map(|(_, entry)| entry.detail.shares())
            .find(|shares| !shares.is_empty())?;
        let changes = entries
            .iter()
            .filter_map(|(stage, entry)| Some((stage.id, entry.change()?)));
        Some(shares.into_iter().chain(changes).collect())
    }

    /// Describes, stage by stage, what separates the row from the next one, or the last row from the one above.
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
        // A row that was moved may be above one with a higher score.
        if difference != 0.0 && (difference > 0.0) != is_above {
            let more = if difference < 0.0 { "more" } else { "less" };
            let amount = number(difference.abs(), 3);
            return Some(format!(
                "rank {other_rank} scores {amount} {more}; {} placed it",
                self.placed_by(slot, other)
            ));
        }
        let (mine, theirs) = (self.amounts(slot)?, self.amounts(other)?);
        let amount_of = |amounts: &[(StageId, f64)], stage| {
            let of_stage = amounts.iter().find(|(other, _)| *other == stage);
            of_stage.map_or(0.0, |(_, amount)| *amount)
        };
        let by_stage: Vec<String> = self
            .stages
            .iter()
            // A skipped stage separates no rows.
            .filter(|stage| !matches!(stage.status, Status::Skipped { .. }))
            .filter(|stage| {
                [&mine, &theirs]
                    .iter()
                    .any(|amounts| amounts.iter().any(|(other, _)| *other == stage.id))
            })
            .map(|stage| {
                let difference = amount_of(&mine, stage.id) - amount_of(&theirs, stage.id);
                format!("{} {}", stage.label, signed(difference))
            })
            .collect();
        let word = if is_above { "above" } else { "below" };
        let amount = number(difference.abs(), 3);
        Some(format!(
            "{amount} {word} rank {other_rank}: {}",
            by_stage.join(", ")
        ))
    }

    /// Returns the name of the last stage that put a row below another one that was below it before; `None` if no stage
    /// did, or one of them was dropped first.
    pub fn put_below(&self, slot: u32, other: u32) -> Option<&'static str> {
        let entry_of =
            |stage: &StageTrace, slot| stage.entries.iter().position(|it| it.slot == slot);
        self.stages.iter().rev().find_map(|stage| {
            let row = &stage.entries[entry_of(stage, slot)?];
            let other = &stage.entries[entry_of(stage, other)?];
            let was_above = row.rank_before? < other.rank_before?;
            let is_above = row.rank_after? < other.rank_after?;
            (was_above && !is_above).then(|| match row.detail.placer() {
                Placer::Named(name) => name,
                Placer::Nothing | Placer::Stage => stage.label,
            })
        })
    }

    /// Returns the name of the last stage that placed one of two rows regardless of its score.
    fn placed_by(&self, slot: u32, other: u32) -> &'static str {
        let placer = |stage: &StageTrace| {
            let of_rows = stage.entries.iter();
            of_rows
                .filter(|entry| entry.slot == slot || entry.slot == other)
                .find_map(|entry| match entry.detail.placer() {
                    Placer::Nothing => None,
                    Placer::Stage => Some(stage.label),
                    Placer::Named(name) => Some(name),
                })
        };
        self.stages
            .iter()
            .rev()
            .find_map(placer)
            .unwrap_or("an earlier stage")
    }

    /// Returns the row's last score; `None` if it never got one.
    fn score_of(&self, slot: u32) -> Option<f64> {
        let entries = self.stages.iter().rev().flat_map(|stage| &stage.entries);
        entries
            .filter(|entry| entry.slot == slot && entry.detail.listed().is_none())
            .find_map(|entry| entry.score_after)
    }
}

/// Returns how far the compared score is below the score that every row must reach; `None` unless the row was dropped
/// for that.
fn short_by(entry: &Entry) -> Option<f64> {
    let compared = entry.detail.compared().or(entry.score_before)?;
    let least = entry.detail.least().filter(|least| compared < *least)?;
    (entry.detail.effect() == Effect::Drop).then_some(least - compared)
}

/// Returns the sentence for a stage that has no entry for the row.
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

#[cfg(test)]
mod tests {
    use memlens_params::Params;

    use super::*;
    use crate::{
        CandidateSet, Context, Hue, Look, NATIVE, Outcome, Pipeline, Reason, Row, Stage, rank,
    };

    /// A score or a place, and what it says of itself.
    #[derive(Debug)]
    struct Moved {
        effect: Effect,
        placer: Placer,
    }

    impl Reason for Moved {
        fn effect(&self) -> Effect {
            self.effect
        }
        fn sentence(&self) -> String {
            "moved".to_owned()
        }
        fn placer(&self) -> Placer {
            self.placer
        }
    }

    /// Scores each row by its slot, so that the last is first.
    fn scored(context: &Context<'_>, rows: &[Row]) -> Outcome {
        Outcome::applied(context.decided(rows.iter().map(|row| Moved {
            effect: Effect::Score(f64::from(row.slot)),
            placer: Placer::Nothing,
        })))
    }

    /// Places each row by its slot, so that the first is first.
    fn placed(context: &Context<'_>, rows: &[Row], placer: Placer) -> Outcome {
        Outcome::applied(context.decided(rows.iter().map(|row| Moved {
            effect: Effect::Place(row.slot),
            placer,
        })))
    }

    #[test]
    fn what_placed_a_row_is_the_stage_a_name_or_an_earlier_stage() {
        type Explain = fn(&Context<'_>, &[Row]) -> Outcome;
        let check = |explain: Explain, expected: &str, put_below: &str| {
            let stage = |id, explain| Stage {
                id,
                explain,
                look: Look::of(Hue::Cut),
            };
            let stages = [
                stage(StageId::FUSION, scored as Explain),
                stage(StageId::DIVERSITY, explain),
            ];
            let pipeline = Pipeline {
                stages: Box::leak(Box::new(stages)),
                ..NATIVE
            };
            let set = CandidateSet::of_cosines(&[0.5, 0.5]);
            let trace = rank(&set, &Params::default(), &pipeline);
            assert_eq!(trace.kept(), [0, 1]);
            let neighbour = trace.journey(0).neighbour;
            assert_eq!(neighbour.as_deref(), Some(expected));
            assert_eq!(trace.put_below(1, 0), Some(put_below));
            assert_eq!(trace.put_below(0, 1), None);
        };
        check(
            |context, rows| placed(context, rows, Placer::Stage),
            "rank 2 scores 1.000 more; Diversity placed it",
            "Diversity",
        );
        check(
            |context, rows| placed(context, rows, Placer::Named("the order of slots")),
            "rank 2 scores 1.000 more; the order of slots placed it",
            "the order of slots",
        );
        check(
            |context, rows| placed(context, rows, Placer::Nothing),
            "rank 2 scores 1.000 more; an earlier stage placed it",
            "Diversity",
        );
    }
}
