//! The order of the stages, and the driver that runs them.

use memlens_params::{Params, StageId};

use crate::detail::{Detail, Effect};
use crate::stages;
use crate::trace::{Entry, StageTrace, Status, Trace};
use crate::{CandidateSet, ListState};

/// Is what a stage may look at.
pub struct Context<'a> {
    /// The facts.
    pub set: &'a CandidateSet,
    /// The parameters.
    pub params: &'a Params,
}

impl Context<'_> {
    /// Returns the row's rank in the vector list, when the list is used and holds it in its depth.
    pub fn vector_rank(&self, slot: u32) -> Option<u32> {
        self.uses_vector()
            .then(|| self.set.candidates[slot as usize].vector.rank)
            .flatten()
            .filter(|rank| *rank <= self.params.vector_depth)
    }

    /// Returns the row's rank in the BM25 list, when the list is used and holds it in its depth.
    pub fn text_rank(&self, slot: u32) -> Option<u32> {
        self.uses_text()
            .then(|| self.set.candidates[slot as usize].text.rank)
            .flatten()
            .filter(|rank| *rank <= self.params.bm25_depth)
    }

    /// Tells whether there is a vector list and it is switched on.
    pub fn uses_vector(&self) -> bool {
        self.params.vector_on && self.set.vector == ListState::Ready
    }

    /// Tells whether there is a BM25 list and it is switched on.
    pub fn uses_text(&self) -> bool {
        self.params.bm25_on && self.set.text == ListState::Ready
    }
}

/// Is a row on its way through the stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// An index into the set's candidates.
    pub slot: u32,
    /// [`crate::Candidate::order`], which breaks every tie.
    pub order: u32,
    /// The score so far; none before the lists are fused.
    pub score: Option<f64>,
}

/// Is what a stage says: its status, and a reason per row in the order in which they came.
pub struct Outcome {
    /// Whether it did its work.
    pub status: Status,
    /// One per row, or none at all where nothing was decided.
    pub details: Vec<Detail>,
    /// One fact about the work.
    pub note: Option<String>,
    /// Chunks searched and length, where they are not the rows in and out.
    pub counts: Option<(u32, u32)>,
}

impl Outcome {
    /// Returns the outcome of a stage that did its work.
    pub fn applied(details: Vec<Detail>) -> Outcome {
        Outcome {
            status: Status::Applied,
            details,
            note: None,
            counts: None,
        }
    }

    /// Returns the outcome of a stage that had nothing to do.
    pub fn skipped(why: impl Into<String>) -> Outcome {
        Outcome {
            status: Status::Skipped { why: why.into() },
            details: Vec::new(),
            note: None,
            counts: None,
        }
    }

    /// Returns the outcome of a stage that could not do its work; the rows stay as they came.
    pub fn fallback(why: impl Into<String>) -> Outcome {
        Outcome {
            status: Status::Fallback { why: why.into() },
            details: Vec::new(),
            note: None,
            counts: None,
        }
    }
}

/// Is one stage: its name and the function that gives its reasons.
pub struct Stage {
    /// Its name.
    pub id: StageId,
    /// Looks at the rows, in their order, and says why each goes where.
    pub explain: fn(&Context<'_>, &[Row]) -> Outcome,
}

/// Names a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineId {
    /// Memlens's own.
    Native,
}

/// Is a list of stages.
pub struct Pipeline {
    /// Its name.
    pub id: PipelineId,
    /// Its stages, in order.
    pub stages: &'static [Stage],
}

/// Memlens's own pipeline.
pub static NATIVE: Pipeline = Pipeline {
    id: PipelineId::Native,
    stages: &[
        Stage {
            id: StageId::Vector,
            explain: stages::lists::vector,
        },
        Stage {
            id: StageId::Bm25,
            explain: stages::lists::bm25,
        },
        Stage {
            id: StageId::Fusion,
            explain: stages::fusion::fusion,
        },
        Stage {
            id: StageId::Rerank,
            explain: stages::rerank::rerank,
        },
        Stage {
            id: StageId::Corroboration,
            explain: stages::corroboration::corroboration,
        },
        Stage {
            id: StageId::Feedback,
            explain: stages::weights::feedback,
        },
        Stage {
            id: StageId::Decay,
            explain: stages::weights::decay,
        },
        Stage {
            id: StageId::Diversity,
            explain: stages::diversity::diversity,
        },
        Stage {
            id: StageId::Repeats,
            explain: stages::repeats::repeats,
        },
        Stage {
            id: StageId::Threshold,
            explain: stages::cuts::threshold,
        },
        Stage {
            id: StageId::Limit,
            explain: stages::cuts::limit,
        },
        Stage {
            id: StageId::Hook,
            explain: stages::hook::hook,
        },
        Stage {
            id: StageId::Budget,
            explain: stages::cuts::budget,
        },
    ],
};

/// Ranks the candidates and records why.
///
/// Pure and total: the same input gives the same trace, whatever the order of the candidates, and
/// every score is finite. Equal scores are ordered by [`crate::Candidate::order`].
pub fn rank(set: &CandidateSet, params: &Params, pipeline: &Pipeline) -> Trace {
    rank_observed(set, params, pipeline, |_| ())
}

/// As [`rank`]; calls `after` when a stage is done, so that a caller with a clock can time it.
pub fn rank_observed(
    set: &CandidateSet,
    params: &Params,
    pipeline: &Pipeline,
    mut after: impl FnMut(StageId),
) -> Trace {
    let context = Context { set, params };
    let mut rows: Vec<Row> = (0..)
        .zip(&set.candidates)
        .map(|(slot, candidate)| Row {
            slot,
            order: candidate.order,
            score: None,
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.order);

    let mut traces = Vec::with_capacity(pipeline.stages.len());
    for stage in pipeline.stages {
        traces.push(run(stage, &context, &mut rows));
        after(stage.id);
    }
    Trace::new(traces, rows.iter().map(|row| row.slot).collect())
}

/// Runs one stage: asks for its reasons, applies them, sorts, and records.
fn run(stage: &Stage, context: &Context<'_>, rows: &mut Vec<Row>) -> StageTrace {
    let Outcome {
        status,
        details,
        note,
        counts,
    } = (stage.explain)(context, rows);
    let n_in = rows.len() as u32;
    if details.is_empty() {
        let (n_in, n_out) = counts.unwrap_or((n_in, n_in));
        return StageTrace {
            id: stage.id,
            status,
            n_in,
            n_out,
            note,
            entries: Vec::new(),
        };
    }

    let effects: Vec<Effect> = details.iter().map(Detail::effect).collect();
    let mut kept = Vec::with_capacity(rows.len());
    let mut places = Vec::new();
    let mut is_scored = false;
    for (row, effect) in rows.iter().zip(&effects) {
        match *effect {
            Effect::Keep => kept.push(*row),
            Effect::Score(score) => {
                is_scored = true;
                kept.push(Row {
                    score: Some(score),
                    ..*row
                });
            }
            Effect::Place(place) => {
                places.push((place, row.slot));
                kept.push(*row);
            }
            Effect::Settle { place, score } => {
                places.push((place, row.slot));
                kept.push(Row {
                    score: Some(score),
                    ..*row
                });
            }
            Effect::Drop => {}
        }
    }

    if is_scored {
        kept.sort_unstable_by(|a, b| {
            let (a_score, b_score) = (a.score.unwrap_or(0.0), b.score.unwrap_or(0.0));
            b_score
                .total_cmp(&a_score)
                .then_with(|| a.order.cmp(&b.order))
        });
    } else if !places.is_empty() {
        // A stage that places says a place for every row.
        let mut place_of = vec![u32::MAX; context.set.candidates.len()];
        for (place, slot) in places {
            place_of[slot as usize] = place;
        }
        kept.sort_unstable_by_key(|row| place_of[row.slot as usize]);
    }

    let mut rank_of = vec![None; context.set.candidates.len()];
    if kept.iter().any(|row| row.score.is_some()) {
        for (rank, row) in (1..).zip(&kept) {
            rank_of[row.slot as usize] = Some(rank);
        }
    }
    let entries = (1..)
        .zip(rows.iter())
        .zip(effects.into_iter().zip(details))
        .map(|((rank, row), (effect, detail))| {
            let score = match effect {
                Effect::Score(score) | Effect::Settle { score, .. } => Some(score),
                Effect::Keep | Effect::Place(_) | Effect::Drop => row.score,
            };
            // A list ranks rows that have no score yet.
            let (rank_after, score_after) = match &detail {
                Detail::Listed {
                    rank, score, depth, ..
                } => (rank.filter(|rank| rank <= depth), *score),
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
                | Detail::Budget { .. } => (rank_of[row.slot as usize], score),
            };
            Entry {
                slot: row.slot,
                rank_before: row.score.map(|_| rank),
                rank_after,
                score_before: row.score,
                score_after,
                is_dropped: effect == Effect::Drop,
                detail,
            }
        })
        .collect();
    *rows = kept;
    let (n_in, n_out) = counts.unwrap_or((n_in, rows.len() as u32));
    StageTrace {
        id: stage.id,
        status,
        n_in,
        n_out,
        note,
        entries,
    }
}
