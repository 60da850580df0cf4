//! The record of one ranking.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::Detail;

/// Whether a stage did its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// It did.
    Applied,
    /// It had nothing to do, or was switched off.
    Skipped {
        /// Why, for a person.
        why: String,
    },
    /// It could not do its own work and did the next best.
    Fallback {
        /// Why, for a person.
        why: String,
    },
}

/// What a stage did to one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The row: an index into the set's candidates.
    pub slot: u32,
    /// The 1-based rank before the stage; none before the lists are fused.
    pub rank_before: Option<u32>,
    /// The 1-based rank after it; in a list stage, the rank in the list; none when dropped.
    pub rank_after: Option<u32>,
    /// The score before it.
    pub score_before: Option<f64>,
    /// The score after it; in a list stage, the raw score in the list.
    pub score_after: Option<f64>,
    /// Whether the stage dropped the row.
    pub is_dropped: bool,
    /// Why.
    pub detail: Detail,
}

/// What one stage did.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTrace {
    /// The stage.
    pub id: StageId,
    /// Its name on screen.
    pub label: &'static str,
    /// Whether it did its work.
    pub status: Status,
    /// Rows that reached it; for a list, the chunks searched.
    pub n_in: u32,
    /// Rows that left it; for a list, its length within the depth.
    pub n_out: u32,
    /// One fact about its work.
    pub note: Option<String>,
    /// One entry per row that reached it, in the order before it; empty where it decided nothing.
    pub entries: Vec<Entry>,
}

/// The record of one ranking: what every stage did to every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Every stage of the pipeline in its order.
    pub stages: Vec<StageTrace>,
    kept: Vec<u32>,
}

impl Entry {
    /// By how much the stage changed a score that the row had before; none where it did not.
    pub fn change(&self) -> Option<f64> {
        let change = self.score_after? - self.score_before?;
        (change != 0.0 && self.detail.listed().is_none()).then_some(change)
    }
}

impl Trace {
    pub(crate) fn new(stages: Vec<StageTrace>, kept: Vec<u32>) -> Trace {
        Trace { stages, kept }
    }

    /// The slots of the rows that passed every stage, best first.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Every dropped slot with the stage that dropped it, nearest to being kept first:
    /// by stage from the last to the first, then by the rank with which it came.
    pub fn dropped(&self) -> Vec<(u32, StageId)> {
        self.stages
            .iter()
            .rev()
            .flat_map(|stage| {
                stage
                    .entries
                    .iter()
                    .filter(|entry| entry.is_dropped)
                    .map(|entry| (entry.slot, stage.id))
            })
            .collect()
    }

    /// The stage's record; every stage of the pipeline has one.
    pub fn stage(&self, id: StageId) -> Option<&StageTrace> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// What each stage did to the row, in the order of the pipeline.
    pub fn entries_of(&self, slot: u32) -> Vec<(&StageTrace, &Entry)> {
        self.stages
            .iter()
            .filter_map(|stage| {
                stage
                    .entries
                    .iter()
                    .find(|entry| entry.slot == slot)
                    .map(|entry| (stage, entry))
            })
            .collect()
    }
}
