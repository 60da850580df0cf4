//! A trace in columns, as the window shows it while a slider moves.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::answers::RerankScale;
use crate::stages::corroboration::Corroboration;
use crate::stages::decay::Decay;
use crate::stages::diversity::Diversity;
use crate::stages::feedback::Feedback;
use crate::stages::fusion::Fusion;
use crate::stages::hook::HookMove;
use crate::stages::lists::Listed;
use crate::stages::repeats::Repeats;
use crate::stages::rerank::{Rerank, RerankState};
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

/// The ranks and scores of the rows in one list, by slot.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ListColumn {
    /// The stage that reads the list.
    pub stage: StageId,
    /// The 1-based rank within the list's depth.
    pub rank: Vec<Option<u32>>,
    /// The raw score in the list. Empty for Memlens's own lists, whose scores are part of the rows.
    pub score: Vec<Option<f64>>,
}

/// Scores and ranks after a stage of a pipeline in another crate, by slot.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OwnColumn {
    /// The stage's identifier in the pipeline.
    pub stage: StageId,
    /// The score after the stage; `None` for rows that did not reach it.
    pub score: Vec<Option<f64>>,
    /// The 1-based rank after the stage; `None` for rows that did not reach it or were dropped there.
    pub rank: Vec<Option<u32>>,
}

/// One ranking in columns. Every column but `stages`, `order`, `copies`, `lists` and `own` is indexed by slot. The
/// columns of stages behind fusion are empty if their stage has no entries, as in most rankings, because the columns
/// are sent at every step of a slider.
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
    /// One column per list that is in use, in the order of their stages.
    pub lists: Vec<ListColumn>,
    /// The fused score, if the row is listed.
    pub fused: Vec<Option<f64>>,
    /// The 1-based rank by fused score.
    pub fused_rank: Vec<Option<u32>>,
    /// The normalised RRF score, under every fusion method.
    pub rrf: Vec<Option<f64>>,
    /// The 1-based rank by RRF.
    pub rrf_rank: Vec<Option<u32>>,
    /// The scale of the reranker's scores; `None` if no row has one.
    pub rerank_scale: Option<RerankScale>,
    /// Whether the row is sent to the reranker and scored; `None` for rows that did not reach that stage.
    pub rerank_state: Vec<Option<RerankState>>,
    /// The reranker's score as reported; `None` if the row has none.
    pub rerank_score: Vec<Option<f64>>,
    /// The 1-based rank before the reranker.
    pub rerank_rank_before: Vec<Option<u32>>,
    /// The 1-based rank after the reranker.
    pub rerank_rank_after: Vec<Option<u32>>,
    /// Number of rows that wait for a score of the reranker, which is called when the slider is released.
    pub n_pending: u32,
    /// Whether the user's command has not run yet for the rows that reach it; it runs when the slider is released.
    pub hook_pending: bool,
    /// The row's last score; `None` if it never got one.
    pub score: Vec<Option<f64>>,
    /// Number of others that say the same as the row; `None` for rows that did not reach the corroboration stage.
    pub n_corroborating: Vec<Option<u32>>,
    /// The weight of the row's thumbs; `None` if no thumb counted.
    pub feedback_weight: Vec<Option<f64>>,
    /// The share of its score that the row's age leaves, in `[0, 1]`; `None` if it does not decay.
    pub decay_factor: Vec<Option<f64>>,
    /// The 1-based rank before diversity.
    pub diversity_rank_before: Vec<Option<u32>>,
    /// The 1-based rank after diversity.
    pub diversity_rank_after: Vec<Option<u32>>,
    /// The parts that sum to the final score.
    pub parts: Vec<Vec<Part>>,
    /// The stage that dropped the row, if any.
    pub dropped_by: Vec<Option<StageId>>,
    /// Why the row was dropped; `None` if it was not.
    pub reason: Vec<Option<String>>,
    /// A remark on a kept row, if any.
    pub remark: Vec<Option<String>>,
    /// Scores and ranks after each stage of a pipeline in another crate that changed either.
    pub own: Vec<OwnColumn>,
    /// The sum of the kept rows' tokens.
    pub tokens_used: u32,
    /// The lowest score among the kept rows that have no hit in the BM25 list. A `min_score` above it starts to drop
    /// such rows.
    pub min_score_mark: Option<f64>,
}

impl Columns {
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
        let n_told_by = |stage| {
            let says_something = |stage: &StageTrace| !stage.entries.is_empty();
            if self.stage(stage).is_some_and(says_something) {
                n
            } else {
                0
            }
        };
        let n_reranked = n_told_by(StageId::RERANK);
        let n_diversified = n_told_by(StageId::DIVERSITY);
        let mut columns = Columns {
            stages: self
                .stages
                .iter()
                .map(|stage| StageSummary {
                    id: stage.id,
                    label: stage.label,
                    status: stage.status.clone(),
                    n_in: stage.n_in,
                    n_out: stage.n_out,
                    n_dropped: stage.n_in.saturating_sub(stage.n_out),
                    micros: micros(stage.id),
                    note: stage.note.clone(),
                })
                .collect(),
            order: self.kept().to_vec(),
            n_kept: self.kept().len() as u32,
            copies: Vec::new(),
            lists: Vec::new(),
            fused: vec![None; n],
            fused_rank: vec![None; n],
            rrf: vec![None; n],
            rrf_rank: vec![None; n],
            rerank_scale: None,
            rerank_state: vec![None; n_reranked],
            rerank_score: vec![None; n_reranked],
            rerank_rank_before: vec![None; n_reranked],
            rerank_rank_after: vec![None; n_reranked],
            n_pending: 0,
            hook_pending: false,
            score: vec![None; n],
            n_corroborating: vec![None; n_told_by(StageId::CORROBORATION)],
            feedback_weight: vec![None; n_told_by(StageId::FEEDBACK)],
            decay_factor: vec![None; n_told_by(StageId::DECAY)],
            diversity_rank_before: vec![None; n_diversified],
            diversity_rank_after: vec![None; n_diversified],
            parts: vec![Vec::new(); n],
            dropped_by: vec![None; n],
            reason: vec![None; n],
            remark: vec![None; n],
            own: Vec::new(),
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
            columns.lists.extend(list_column(stage, n));
            columns.own.extend(own_column(stage, n));
            for entry in &stage.entries {
                let at = entry.slot as usize;
                let detail = &entry.detail;
                if let Some(fusion) = detail.get::<Fusion>().filter(|it| it.is_listed) {
                    columns.rrf[at] = Some(fusion.rrf);
                    columns.rrf_rank[at] = fusion.rrf_rank;
                    columns.fused[at] = entry.score_after;
                    columns.fused_rank[at] = entry.rank_after;
                }
                let shares = entry.detail.shares().into_iter();
                columns.parts[at].extend(shares.map(|(stage, amount)| Part { stage, amount }));
                if let Some(amount) = entry.change() {
                    columns.parts[at].push(Part {
                        stage: stage.id,
                        amount,
                    });
                }
                if let Some(Rerank {
                    state, raw, scale, ..
                }) = detail.get()
                {
                    columns.rerank_scale = columns.rerank_scale.or(*scale);
                    columns.rerank_state[at] = Some(*state);
                    columns.rerank_score[at] = *raw;
                    columns.rerank_rank_before[at] = entry.rank_before;
                    columns.rerank_rank_after[at] = entry.rank_after;
                    columns.n_pending += u32::from(*state == RerankState::Pending);
                }
                columns.hook_pending |= matches!(detail.get(), Some(HookMove::Pending));
                if let Some(Corroboration { n_others, .. }) = detail.get() {
                    columns.n_corroborating[at] = Some(*n_others);
                }
                if let Some(Feedback {
                    up, down, weight, ..
                }) = detail.get()
                {
                    columns.feedback_weight[at] = (up + down > 0.0).then_some(*weight);
                }
                if let Some(Decay { days, factor, .. }) = detail.get() {
                    columns.decay_factor[at] = days.map(|_| *factor);
                }
                if let Some(Repeats { copies, .. }) = detail.get()
                    && !copies.is_empty()
                {
                    columns.copies.push(FoldedCopies {
                        slot: entry.slot,
                        copies: copies.clone(),
                    });
                }
                compared[at] = detail.compared().or(compared[at]);
                if detail.get::<Diversity>().is_some() {
                    columns.diversity_rank_before[at] = entry.rank_before;
                    columns.diversity_rank_after[at] = entry.rank_after;
                }
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

/// Returns the column of a stage that reads a list; `None` for other stages, and if the list is not in use.
fn list_column(stage: &StageTrace, n_slots: usize) -> Option<ListColumn> {
    let first = stage.entries.first()?;
    first.detail.listed()?;
    let is_own = first.detail.get::<Listed>().is_none();
    let mut column = ListColumn {
        stage: stage.id,
        rank: vec![None; n_slots],
        score: vec![None; if is_own { n_slots } else { 0 }],
    };
    for entry in &stage.entries {
        column.rank[entry.slot as usize] = entry.rank_after;
        if let Some(score) = column.score.get_mut(entry.slot as usize) {
            *score = entry.detail.listed().and_then(|value| value.score);
        }
    }
    Some(column)
}

/// Returns the column of a stage of another crate; `None` if it changed no score and no order.
fn own_column(stage: &StageTrace, n_slots: usize) -> Option<OwnColumn> {
    let first = &stage.entries.first()?.detail;
    if first.listed().is_some() || !first.record().is_of_other_crate() {
        return None;
    }
    let scores = |entry: &Entry| entry.score_after != entry.score_before;
    // When rows are dropped, those behind them move up, which does not change the order.
    let drops = stage.entries.iter().any(|entry| entry.is_dropped);
    let moves = |entry: &Entry| !drops && entry.rank_after != entry.rank_before;
    let changes = |entry: &Entry| scores(entry) || moves(entry);
    if !stage.entries.iter().any(changes) {
        return None;
    }
    let mut column = OwnColumn {
        stage: stage.id,
        score: vec![None; n_slots],
        rank: vec![None; n_slots],
    };
    for entry in &stage.entries {
        column.score[entry.slot as usize] = entry.score_after;
        column.rank[entry.slot as usize] = entry.rank_after;
    }
    Some(column)
}
