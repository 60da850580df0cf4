//! A trace in columns, as the window shows it while a slider moves.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

use crate::answers::RerankScale;
use crate::detail::{Detail, HookMove, RerankState};
use crate::trace::{Entry, StageTrace, Status, Trace};
use crate::{CandidateSet, ListId};

/// A stage in the strip.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StageSummary {
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
    /// `n_in - n_out`.
    pub n_dropped: u32,
    /// Wall time in microseconds; none where nothing was timed.
    pub micros: Option<f64>,
    /// One fact about its work.
    pub note: Option<String>,
}

/// What one stage adds to a row's final score; a row's parts sum to it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Part {
    /// The stage.
    pub stage: StageId,
    /// What it adds; negative where it takes away.
    pub amount: f64,
}

/// The copies that are folded under a row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FoldedCopies {
    /// The row.
    pub slot: u32,
    /// The slots of the copies, the newest first.
    pub copies: Vec<u32>,
}

/// Where the rows stand in one list, by slot.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ListColumn {
    /// The stage that reads it.
    pub stage: StageId,
    /// The 1-based rank within its depth.
    pub rank: Vec<Option<u32>>,
    /// The raw score there; empty for Memlens's own lists, whose scores stand on the rows.
    pub score: Vec<Option<f64>>,
}

/// What a stage of a pipeline outside this crate made of scores and order, by slot.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OwnColumn {
    /// The stage.
    pub stage: StageId,
    /// The score after it; none for rows that did not reach it.
    pub score: Vec<Option<f64>>,
    /// The 1-based rank after it; none for rows that did not reach it, or were dropped there.
    pub rank: Vec<Option<u32>>,
}

/// One ranking in columns; every column but `stages` and `order` is indexed by slot. Those of
/// stages behind fusion are empty where their stage says nothing of any row, which is so in most rankings: they travel
/// at every step of a slider.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Columns {
    /// Every stage, in the order of the pipeline.
    pub stages: Vec<StageSummary>,
    /// All slots: the kept ones best first, then the dropped ones, nearest to being kept first.
    pub order: Vec<u32>,
    /// How many of `order` are kept.
    pub n_kept: u32,
    /// The kept rows under which copies are folded, best first.
    pub copies: Vec<FoldedCopies>,
    /// Where the rows stand in each list that is in use, in the order of their stages.
    pub lists: Vec<ListColumn>,
    /// The fused score.
    pub fused: Vec<Option<f64>>,
    /// The rank by fused score.
    pub fused_rank: Vec<Option<u32>>,
    /// The normalised RRF score, whatever method fuses.
    pub rrf: Vec<Option<f64>>,
    /// The rank by RRF.
    pub rrf_rank: Vec<Option<u32>>,
    /// What the reranker's scores mean; none where no row has one.
    pub rerank_scale: Option<RerankScale>,
    /// Whether the row is sent to the reranker and scored; none where that stage does nothing.
    pub rerank_state: Vec<Option<RerankState>>,
    /// The reranker's score as reported; none without one.
    pub rerank_score: Vec<Option<f64>>,
    /// The rank before the reranker.
    pub rerank_rank_before: Vec<Option<u32>>,
    /// The rank after it.
    pub rerank_rank_after: Vec<Option<u32>>,
    /// How many rows wait for a score of the reranker, which is asked on release.
    pub n_pending: u32,
    /// Whether the person's command was not asked for the rows that reach it, which is done on release.
    pub hook_pending: bool,
    /// The last score the row had; none when it never got one.
    pub score: Vec<Option<f64>>,
    /// How many others say the same as the row, where the corroboration stage counted them.
    pub n_corroborating: Vec<Option<u32>>,
    /// The weight of the row's thumbs; `None` where the feedback stage weighed none.
    pub feedback_weight: Vec<Option<f64>>,
    /// What the row's age leaves of its score, in `[0, 1]`; none where it does not decay.
    pub decay_factor: Vec<Option<f64>>,
    /// The rank before diversity.
    pub diversity_rank_before: Vec<Option<u32>>,
    /// The rank after it.
    pub diversity_rank_after: Vec<Option<u32>>,
    /// What the final score is made of.
    pub parts: Vec<Vec<Part>>,
    /// The stage that dropped the row.
    pub dropped_by: Vec<Option<StageId>>,
    /// Why it was dropped.
    pub reason: Vec<Option<String>>,
    /// A remark on a kept row.
    pub remark: Vec<Option<String>>,
    /// What each stage of another pipeline made of scores and order, for those that changed either.
    pub own: Vec<OwnColumn>,
    /// The tokens of the kept rows together.
    pub tokens_used: u32,
    /// The lowest score among the kept rows without a hit in the BM25 list: above this `min_score`
    /// such rows start to drop.
    pub min_score_mark: Option<f64>,
}

impl Columns {
    /// For each stage that could not do its own work what it was and why, for a person.
    pub fn fallbacks(&self) -> impl Iterator<Item = String> {
        self.stages.iter().filter_map(|stage| match &stage.status {
            Status::Fallback { why } => Some(format!("{} fell back: {why}", stage.label)),
            Status::Applied | Status::Skipped { .. } => None,
        })
    }
}

impl Trace {
    /// The trace in columns; `micros` gives the wall time of a stage that was timed.
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
        // What the threshold compares with `min_score`.
        let mut compared = vec![None; n];
        for stage in &self.stages {
            columns.lists.extend(list_column(stage, n));
            columns.own.extend(own_column(stage, n));
            for entry in &stage.entries {
                let at = entry.slot as usize;
                if let Detail::Fusion {
                    is_listed: true,
                    rrf,
                    rrf_rank,
                    ..
                } = entry.detail
                {
                    columns.rrf[at] = Some(rrf);
                    columns.rrf_rank[at] = rrf_rank;
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
                if let Detail::Rerank {
                    state, raw, scale, ..
                } = entry.detail
                {
                    columns.rerank_scale = columns.rerank_scale.or(scale);
                    columns.rerank_state[at] = Some(state);
                    columns.rerank_score[at] = raw;
                    columns.rerank_rank_before[at] = entry.rank_before;
                    columns.rerank_rank_after[at] = entry.rank_after;
                    columns.n_pending += u32::from(state == RerankState::Pending);
                }
                columns.hook_pending |= matches!(entry.detail, Detail::Hook(HookMove::Pending));
                if let Detail::Corroboration { n_others, .. } = entry.detail {
                    columns.n_corroborating[at] = Some(n_others);
                }
                if let Detail::Feedback {
                    up, down, weight, ..
                } = entry.detail
                {
                    columns.feedback_weight[at] = (up + down > 0.0).then_some(weight);
                }
                if let Detail::Decay { days, factor, .. } = entry.detail {
                    columns.decay_factor[at] = days.map(|_| factor);
                }
                if let Detail::Repeats { copies, .. } = &entry.detail
                    && !copies.is_empty()
                {
                    columns.copies.push(FoldedCopies {
                        slot: entry.slot,
                        copies: copies.clone(),
                    });
                }
                if let Detail::Threshold { before_decay, .. } = entry.detail {
                    compared[at] = Some(before_decay);
                }
                if let Detail::Diversity { .. } = entry.detail {
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
        // Entries are in the order before the stage, which for rows with copies may not be the order after it.
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

/// The column of a stage that reads a list; none for any other, and for a list that is not in use.
fn list_column(stage: &StageTrace, n_slots: usize) -> Option<ListColumn> {
    let first = stage.entries.first()?;
    first.detail.listed()?;
    let is_own = matches!(first.detail, Detail::Own(_));
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

/// The column of a stage whose reasons are of another crate; none for one that changed no score and no place.
fn own_column(stage: &StageTrace, n_slots: usize) -> Option<OwnColumn> {
    let is_own =
        |entry: &Entry| matches!(entry.detail, Detail::Own(_)) && entry.detail.listed().is_none();
    let scores = |entry: &Entry| entry.score_after != entry.score_before;
    // Where rows are dropped, those behind them move up, which changes no order.
    let drops = stage.entries.iter().any(|entry| entry.is_dropped);
    let moves = |entry: &Entry| !drops && entry.rank_after != entry.rank_before;
    let changes = |entry: &Entry| is_own(entry) && (scores(entry) || moves(entry));
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
