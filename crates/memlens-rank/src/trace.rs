//! The record of one ranking.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::{Detail, Look};

/// Whether a stage did its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// The stage did its work.
    Applied,
    /// The stage had nothing to do, or was switched off.
    Skipped {
        /// Why, as a message for the user.
        why: String,
    },
    /// The stage could not do its work and used the next best method.
    Fallback {
        /// Why, as a message for the user.
        why: String,
    },
}

/// What a stage did to one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The row, as an index into the set's candidates.
    pub slot: u32,
    /// The 1-based rank before the stage; `None` before the lists are fused.
    pub rank_before: Option<u32>,
    /// The 1-based rank after the stage; `None` if dropped. In a list stage, the rank in the list.
    pub rank_after: Option<u32>,
    /// The score before the stage, if any.
    pub score_before: Option<f64>,
    /// The score after the stage. In a list stage, the raw score in the list.
    pub score_after: Option<f64>,
    /// Whether the stage dropped the row.
    pub is_dropped: bool,
    /// Why the stage did this.
    pub detail: Detail,
}

/// What one stage did to all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTrace {
    /// The stage's identifier in the pipeline.
    pub id: StageId,
    /// The stage's name as displayed to the user.
    pub label: &'static str,
    /// How the stage is shown.
    pub look: Look,
    /// Whether it did its work.
    pub status: Status,
    /// Number of rows that reached the stage; for a list, the number of chunks searched.
    pub n_in: u32,
    /// Number of rows that left the stage; for a list, its length within the depth.
    pub n_out: u32,
    /// A short fact about the stage's work, such as how many rows it moved.
    pub note: Option<String>,
    /// One entry per row that reached the stage, in the order before it; empty if the stage decided nothing.
    pub entries: Vec<Entry>,
}

/// The record of one ranking: what every stage did to every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// All stages in the order of the pipeline.
    pub stages: Vec<StageTrace>,
    kept: Vec<u32>,
}

impl Entry {
    /// Returns by how much the stage changed the row's score; `None` if it did not change or the row had no score
    /// before.
    pub fn change(&self) -> Option<f64> {
        let change = self.score_after? - self.score_before?;
        (change != 0.0 && self.detail.listed().is_none()).then_some(change)
    }
}

impl Trace {
    pub(crate) fn new(stages: Vec<StageTrace>, kept: Vec<u32>) -> Trace {
        Trace { stages, kept }
    }

    /// Returns the slots of the rows that passed every stage, best first.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Returns every dropped slot with the stage that dropped it. The last stages come first; within a stage, the order
    /// is that of the rows before it.
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

    /// Returns the record of a stage, or `None` if the pipeline has no such stage.
    pub fn stage(&self, id: StageId) -> Option<&StageTrace> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// Returns what each stage did to the row, in the order of the pipeline.
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
