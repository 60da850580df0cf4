//! A trace in columns, as the window shows it while a slider moves.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::answers::RerankScale;
use crate::look::{Cell, Column, Score};
use crate::stages::{HookMove, Repeats, Rerank, RerankState};
use crate::trace::{Entry, StageTrace, Status, Trace};
use crate::{CandidateSet, ListId};

/// A stage as the strip of stages shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StageSummary {
    /// The stage's identifier in the pipeline.
    pub id: StageId,
    /// The stage's name as displayed to the user.
    pub label: &'static str,
    /// Whether it did its work.
    pub status: Status,
    /// Number of rows that reached the stage; for a list, the number of chunks searched.
    pub n_in: u32,
    /// Number of rows that left the stage; for a list, its length within the depth.
    pub n_out: u32,
    /// `n_in - n_out`.
    pub n_dropped: u32,
    /// Wall time in microseconds; `None` if it was not measured.
    pub micros: Option<f64>,
    /// A short fact about the stage's work.
    pub note: Option<String>,
}

/// What one stage adds to a row's final score; a row's parts sum to it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Part {
    /// The stage that adds the amount.
    pub stage: StageId,
    /// The amount added; negative if the stage lowers the score.
    pub amount: f64,
}

/// The copies that are folded under a row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FoldedCopies {
    /// The slot of the row that is shown.
    pub slot: u32,
    /// The slots of the copies, newest first.
    pub copies: Vec<u32>,
}

/// What one column of the table shows of each row, by slot. A vector is empty if the column shows nothing of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CellColumn {
    /// Identifies the column; see [`Column::key`].
    pub key: &'static str,
    /// The stage that the column belongs to.
    pub stage: StageId,
    /// Whether the stage reads a list.
    pub is_list: bool,
    /// The 1-based rank before the stage.
    pub before: Vec<Option<u32>>,
    /// The 1-based rank after the stage; in a list, the rank in the list.
    pub rank: Vec<Option<u32>>,
    /// The number that the cell shows.
    pub value: Vec<Option<f64>>,
    /// Whether the row is sent to a reranker and scored.
    pub state: Vec<Option<RerankState>>,
}

/// The content of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CellValue {
    /// The 1-based rank before the stage.
    pub before: Option<u32>,
    /// The 1-based rank after the stage.
    pub rank: Option<u32>,
    /// The number that the cell shows.
    pub value: Option<f64>,
    /// Whether the row is sent to a reranker and scored.
    pub state: Option<RerankState>,
}

impl CellValue {
    /// Returns a cell with the ranks of an entry.
    pub fn ranks(entry: &Entry) -> CellValue {
        CellValue {
            before: entry.rank_before,
            rank: entry.rank_after,
            ..CellValue::default()
        }
    }

    /// Returns a cell with a number.
    pub fn of(value: impl Into<Option<f64>>) -> CellValue {
        CellValue {
            value: value.into(),
            ..CellValue::default()
        }
    }
}

impl CellColumn {
    fn new(key: &'static str, stage: &StageTrace) -> CellColumn {
        let first = stage.entries.first();
        CellColumn {
            key,
            stage: stage.id,
            is_list: first.is_some_and(|first| first.detail.listed().is_some()),
            before: Vec::new(),
            rank: Vec::new(),
            value: Vec::new(),
            state: Vec::new(),
        }
    }

    fn set(&mut self, slot: u32, n_slots: usize, cell: CellValue) {
        fn set<T: Clone>(all: &mut Vec<Option<T>>, slot: u32, n_slots: usize, one: Option<T>) {
            if one.is_some() {
                all.resize(n_slots, None);
                all[slot as usize] = one;
            }
        }
        set(&mut self.before, slot, n_slots, cell.before);
        set(&mut self.rank, slot, n_slots, cell.rank);
        set(&mut self.value, slot, n_slots, cell.value);
        set(&mut self.state, slot, n_slots, cell.state);
    }
}

/// One ranking in columns, sent at every step of a slider, so without data that nothing shows. Every vector but `stages`,
/// `order`, `copies` and `cells` is indexed by slot.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Columns {
    /// All stages in the order of the pipeline.
    pub stages: Vec<StageSummary>,
    /// All slots: the kept ones, best first, then the dropped ones, those dropped by the latest stages first.
    pub order: Vec<u32>,
    /// Number of slots in `order` that are kept.
    pub n_kept: u32,
    /// The kept rows under which copies are folded, best first.
    pub copies: Vec<FoldedCopies>,
    /// The columns of the table, in the order of their stages.
    pub cells: Vec<CellColumn>,
    /// The scale of the reranker's scores; `None` if no row has one.
    pub rerank_scale: Option<RerankScale>,
    /// Number of rows that wait for a score of the reranker, which is called when the slider is released.
    pub n_pending: u32,
    /// Whether the user's command has not run yet for the rows that reach it; it runs when the slider is released.
    pub hook_pending: bool,
    /// The row's last score; `None` if it never got one.
    pub score: Vec<Option<f64>>,
    /// The parts that sum to the final score.
    pub parts: Vec<Vec<Part>>,
    /// The stage that dropped the row, if any.
    pub dropped_by: Vec<Option<StageId>>,
    /// Why the row was dropped; `None` if it was not.
    pub reason: Vec<Option<String>>,
    /// A remark on a kept row, if any.
    pub remark: Vec<Option<String>>,
    /// The sum of the kept rows' tokens.
    pub tokens_used: u32,
    /// The lowest score among the kept rows that have no hit in the BM25 list. A `min_score` above it starts to drop
    /// such rows.
    pub min_score_mark: Option<f64>,
}

impl Columns {
    /// Returns a column of the table, or `None` if the ranking has no such column.
    pub fn cells_of(&self, key: &str) -> Option<&CellColumn> {
        self.cells.iter().find(|column| column.key == key)
    }

    /// Adds what an entry says of the reranker, the user's command and copies.
    fn add_facts(&mut self, entry: &Entry) {
        let detail = &entry.detail;
        if let Some(Rerank { state, scale, .. }) = detail.get() {
            self.rerank_scale = self.rerank_scale.or(*scale);
            self.n_pending += u32::from(*state == RerankState::Pending);
        }
        self.hook_pending |= matches!(detail.get(), Some(HookMove::Pending));
        if let Some(Repeats { copies, .. }) = detail.get()
            && !copies.is_empty()
        {
            self.copies.push(FoldedCopies {
                slot: entry.slot,
                copies: copies.clone(),
            });
        }
    }

    /// Returns a message for each stage that fell back: its name, and why.
    pub fn fallbacks(&self) -> impl Iterator<Item = String> {
        self.stages.iter().filter_map(|stage| match &stage.status {
            Status::Fallback { why } => Some(format!("{} fell back: {why}", stage.label)),
            Status::Applied | Status::Skipped { .. } => None,
        })
    }
}

impl Trace {
    /// Returns the trace in columns. `micros` returns the wall time of a stage in microseconds, if it was measured.
    pub fn columns(&self, set: &CandidateSet, micros: impl Fn(StageId) -> Option<f64>) -> Columns {
        let n = set.candidates.len();
        let stages = self.stages.iter();
        let mut columns = Columns {
            stages: stages
                .map(|stage| StageSummary::new(stage, micros(stage.id)))
                .collect(),
            order: self.kept().to_vec(),
            n_kept: self.kept().len() as u32,
            copies: Vec::new(),
            cells: Vec::new(),
            rerank_scale: None,
            n_pending: 0,
            hook_pending: false,
            score: vec![None; n],
            parts: vec![Vec::new(); n],
            dropped_by: vec![None; n],
            reason: vec![None; n],
            remark: vec![None; n],
            tokens_used: self
                .kept()
                .iter()
                .map(|slot| set.candidates[*slot as usize].tokens)
                .sum(),
            min_score_mark: None,
        };
        // The score that the threshold compares with `min_score`.
        let mut compared = vec![None; n];
        for stage in &self.stages {
            columns.cells.extend(cells(stage, n));
            for entry in &stage.entries {
                let at = entry.slot as usize;
                let detail = &entry.detail;
                let shares = entry.detail.shares().into_iter();
                columns.parts[at].extend(shares.map(|(stage, amount)| Part { stage, amount }));
                if let Some(amount) = entry.change() {
                    columns.parts[at].push(Part {
                        stage: stage.id,
                        amount,
                    });
                }
                columns.add_facts(entry);
                compared[at] = detail.compared().or(compared[at]);
                if entry.detail.listed().is_none() {
                    columns.score[at] = entry.score_after.or(entry.score_before);
                }
                if entry.is_dropped {
                    columns.dropped_by[at] = Some(stage.id);
                    columns.reason[at] = entry.detail.drop_reason();
                    columns.remark[at] = None;
                } else if let Some(remark) = entry.detail.remark() {
                    columns.remark[at] = Some(remark);
                }
            }
        }
        columns
            .order
            .extend(self.dropped().iter().map(|(slot, _)| slot));
        // Entries are in the order before the stage, which may differ from the order of the result.
        let rank_of = |slot: u32| self.kept().iter().position(|kept| *kept == slot);
        columns.copies.retain(|row| rank_of(row.slot).is_some());
        columns.copies.sort_by_key(|row| rank_of(row.slot));
        columns.min_score_mark = self
            .kept()
            .iter()
            .filter(|slot| set.value(ListId::BM25, **slot).score.is_none())
            .filter_map(|slot| compared[*slot as usize].or(columns.score[*slot as usize]))
            .min_by(f64::total_cmp);
        columns
    }
}

impl StageSummary {
    fn new(stage: &StageTrace, micros: Option<f64>) -> StageSummary {
        StageSummary {
            id: stage.id,
            label: stage.label,
            status: stage.status.clone(),
            n_in: stage.n_in,
            n_out: stage.n_out,
            n_dropped: stage.n_in.saturating_sub(stage.n_out),
            micros,
            note: stage.note.clone(),
        }
    }
}

/// Returns the columns of a stage. A stage that did nothing has only those that last.
fn cells(stage: &StageTrace, n_slots: usize) -> Vec<CellColumn> {
    if stage.look.is_plain {
        return plain_cells(stage, n_slots).into_iter().collect();
    }
    let is_idle = stage.entries.is_empty() && matches!(stage.status, Status::Skipped { .. });
    let declared = stage.look.columns.iter();
    declared
        .filter(|column| column.is_lasting || !is_idle)
        .map(|column| {
            let mut cells = CellColumn::new(column.key, stage);
            for entry in &stage.entries {
                let cell = entry.detail.cell(column, entry);
                let value = cell.value.filter(|_| !is_of_row(column));
                cells.set(entry.slot, n_slots, CellValue { value, ..cell });
            }
            cells
        })
        .collect()
}

/// Returns whether the rows already have the column's numbers.
fn is_of_row(column: &Column) -> bool {
    match column.cell {
        Cell::Ranked(Score { of_row, .. }) | Cell::Scored(Score { of_row, .. }) => of_row.is_some(),
        Cell::Reranked | Cell::Counted { .. } | Cell::Weight { .. } | Cell::Place => false,
    }
}

/// Returns the ranks and scores after a stage without declared columns; `None` if it reads no list and changed no score
/// and no order.
fn plain_cells(stage: &StageTrace, n_slots: usize) -> Option<CellColumn> {
    let mut cells = CellColumn::new(stage.id.as_str(), stage);
    let scores = |entry: &Entry| entry.score_after != entry.score_before;
    // When rows are dropped, those behind them move up, which does not change the order.
    let drops = stage.entries.iter().any(|entry| entry.is_dropped);
    let moves = |entry: &Entry| !drops && entry.rank_after != entry.rank_before;
    let changes = |entry: &Entry| scores(entry) || moves(entry);
    if !cells.is_list && !stage.entries.iter().any(changes) {
        return None;
    }
    for entry in &stage.entries {
        let cell = CellValue {
            rank: entry.rank_after,
            value: entry.score_after,
            ..CellValue::default()
        };
        cells.set(entry.slot, n_slots, cell);
    }
    Some(cells)
}
