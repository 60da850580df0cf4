//! The order of the stages, and the driver that runs them.

use memlens_params::{Params, StageId, Table, TypedSet, Values};
use serde::Serialize;
use specta::Type;

use crate::reason::{Detail, Effect, Reason};
use crate::trace::{Entry, StageTrace, Status, Trace};
use crate::{CandidateSet, List, ListId, ListState, Look, StageLook};

/// The input of a stage, besides the rows.
pub struct Context<'a, P = Params> {
    /// The facts that retrieval found.
    pub set: &'a CandidateSet,
    /// The parameters of the pipeline.
    pub params: &'a P,
    /// Whether reasons are recorded. If not, a stage may leave out work that has no effect on any row.
    pub is_recorded: bool,
}

impl<P> Context<'_, P> {
    /// Returns the reasons as the driver takes them, one per row: with a record all of them, without one only their
    /// effects.
    pub fn decided<R: Reason>(&self, reasons: impl IntoIterator<Item = R>) -> Reasons {
        let reasons = reasons.into_iter();
        if self.is_recorded {
            let details = Detail::all(reasons.collect::<Vec<R>>());
            Reasons {
                effects: details.iter().map(Detail::effect).collect(),
                details,
            }
        } else {
            Reasons {
                effects: reasons.map(|reason| reason.effect().finite()).collect(),
                details: Vec::new(),
            }
        }
    }
}

/// The two lists of Memlens's own pipeline.
impl<'a> Context<'a> {
    /// Returns the vector list; `None` if it is missing or switched off.
    pub fn vector_list(&self) -> Option<&'a List> {
        self.list(ListId::VECTOR, self.params.vector_on)
    }

    /// Returns the BM25 list; `None` if it is missing or switched off.
    pub fn text_list(&self) -> Option<&'a List> {
        self.list(ListId::BM25, self.params.bm25_on)
    }

    fn list(&self, id: ListId, is_on: bool) -> Option<&'a List> {
        self.set
            .list(id)
            .filter(|list| is_on && list.state == ListState::Ready)
    }
}

/// A row on its way through the stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The row, as an index into the set's candidates.
    pub slot: u32,
    /// The row's place by the pipeline's [`Ties`].
    pub order: u32,
    /// The score so far; `None` before the lists are fused.
    pub score: Option<f64>,
    /// The score before decay; `None` if decay did not act, and after a later stage scored again.
    pub before_decay: Option<f64>,
}

/// The reasons of a stage, one per row in the order before the stage, made by [`Context::decided`]; or none if nothing
/// was decided.
pub struct Reasons {
    effects: Vec<Effect>,
    /// Empty if reasons are not recorded.
    details: Vec<Detail>,
}

impl Reasons {
    /// The stage decided nothing.
    pub const NONE: Reasons = Reasons {
        effects: Vec::new(),
        details: Vec::new(),
    };
}

/// The result of a stage: its status and its reasons.
pub struct Outcome {
    /// Whether the stage did its work.
    pub status: Status,
    /// The reasons, one per row.
    pub reasons: Reasons,
    /// A short fact about the stage's work.
    pub note: Option<String>,
    /// Replaces the numbers of rows in and out: chunks searched, and length of the list.
    pub counts: Option<(u32, u32)>,
}

impl Outcome {
    /// Returns the outcome of a stage that did its work.
    pub fn applied(reasons: Reasons) -> Outcome {
        Outcome {
            status: Status::Applied,
            reasons,
            note: None,
            counts: None,
        }
    }

    /// Returns the outcome of a stage that had nothing to do.
    pub fn skipped(why: impl Into<String>) -> Outcome {
        Outcome {
            status: Status::Skipped { why: why.into() },
            reasons: Reasons::NONE,
            note: None,
            counts: None,
        }
    }

    /// Returns the outcome of a stage that could not do its work; the rows keep their order.
    pub fn fallback(why: impl Into<String>) -> Outcome {
        Outcome {
            status: Status::Fallback { why: why.into() },
            reasons: Reasons::NONE,
            note: None,
            counts: None,
        }
    }
}

/// A stage: its identifier, the function that gives its reasons, and how it is shown.
pub struct Stage<P: 'static = Params> {
    /// Identifies the stage in its table.
    pub id: StageId,
    /// Returns for each of the rows, in their order, the reason that decides what happens to it.
    pub explain: fn(&Context<'_, P>, &[Row]) -> Outcome,
    /// How the stage is shown.
    pub look: Look,
}

/// The identifier of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct PipelineId(pub &'static str);

/// The identifier of a retriever, whose candidate sets a pipeline ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct RetrieverId(pub &'static str);

impl RetrieverId {
    /// The identifier of Memlens's own retriever.
    pub const NATIVE: RetrieverId = RetrieverId("memlens");
}

/// How rows with equal scores are ordered, and the order in which all rows start.
#[derive(Clone, Copy)]
pub enum Ties {
    /// By a total order: the function returns a distinct place for each slot.
    Order(fn(&CandidateSet) -> Vec<u32>),
    /// By the order before the stage, as a stable sort leaves them. The rows start by their place.
    Stable(fn(&CandidateSet) -> Vec<u32>),
}

/// A list of stages, with the retriever whose sets they rank and the rule for ties.
///
/// Its parameters are those of `P`'s table.
pub struct Pipeline<P: 'static = Params> {
    /// The identifier of the pipeline.
    pub id: PipelineId,
    /// The pipeline's name as displayed to the user.
    pub label: &'static str,
    /// The stages in order; each is described in the table of `P`.
    pub stages: &'static [Stage<P>],
    /// How equal scores are ordered.
    pub ties: Ties,
    /// The retriever that makes its candidate sets.
    pub retriever: RetrieverId,
}

/// A pipeline with its parameter type erased, as sessions, the window and the command line hold it.
pub trait AnyPipeline: Sync {
    /// Returns the identifier of the pipeline.
    fn id(&self) -> PipelineId;

    /// Returns the pipeline's name as displayed to the user.
    fn label(&self) -> &'static str;

    /// Returns the retriever that makes its candidate sets.
    fn retriever(&self) -> RetrieverId;

    /// Returns the table of its parameters and stages.
    fn table(&self) -> &'static Table;

    /// Returns how its stages are shown, in their order.
    fn looks(&self) -> Vec<StageLook>;

    /// Like [`rank_observed`], with values of its table. Values of another table count as its defaults.
    fn rank_observed(
        &self,
        set: &CandidateSet,
        values: &Values,
        after: &mut dyn FnMut(StageId),
    ) -> Trace;

    /// Like [`rank`], with values of its table.
    fn rank(&self, set: &CandidateSet, values: &Values) -> Trace {
        self.rank_observed(set, values, &mut |_| ())
    }

    /// Like [`order`], with values of its table.
    fn order(&self, set: &CandidateSet, values: &Values) -> Vec<(u32, f64)>;

    /// Like [`dropped_at`], with values of its table.
    fn dropped_at(&self, set: &CandidateSet, values: &Values, slot: u32) -> Option<usize>;
}

impl<P: TypedSet> AnyPipeline for Pipeline<P> {
    fn id(&self) -> PipelineId {
        self.id
    }

    fn label(&self) -> &'static str {
        self.label
    }

    fn retriever(&self) -> RetrieverId {
        self.retriever
    }

    fn table(&self) -> &'static Table {
        P::default().table()
    }

    fn looks(&self) -> Vec<StageLook> {
        let look = |stage: &Stage<P>| StageLook {
            stage: stage.id,
            look: stage.look,
        };
        self.stages.iter().map(look).collect()
    }

    fn rank_observed(
        &self,
        set: &CandidateSet,
        values: &Values,
        after: &mut dyn FnMut(StageId),
    ) -> Trace {
        rank_observed(set, &P::of(values), self, after)
    }

    fn order(&self, set: &CandidateSet, values: &Values) -> Vec<(u32, f64)> {
        order(set, &P::of(values), self)
    }

    fn dropped_at(&self, set: &CandidateSet, values: &Values, slot: u32) -> Option<usize> {
        dropped_at(set, &P::of(values), self, slot)
    }
}

/// Ranks the candidates and records why.
///
/// Pure and total: the same input gives the same trace, whatever the order of the candidates, and every score is
/// finite. Equal scores are ordered by the pipeline's [`Ties`].
pub fn rank<P: TypedSet>(set: &CandidateSet, params: &P, pipeline: &Pipeline<P>) -> Trace {
    rank_observed(set, params, pipeline, |_| ())
}

/// Like [`rank`], but calls `after` when a stage is done, so that a caller with a clock can time it.
pub fn rank_observed<P: TypedSet>(
    set: &CandidateSet,
    params: &P,
    pipeline: &Pipeline<P>,
    mut after: impl FnMut(StageId),
) -> Trace {
    let context = Context {
        set,
        params,
        is_recorded: true,
    };
    let table = params.table();
    let mut rows = start(set, pipeline.ties);
    let mut traces = Vec::with_capacity(pipeline.stages.len());
    for stage in pipeline.stages {
        let outcome = (stage.explain)(&context, &rows);
        let info = table.stage(stage.id);
        let label = info.map_or(stage.id.as_str(), |info| info.label);
        traces.push(apply(outcome, stage, label, pipeline.ties, &mut rows));
        after(stage.id);
    }
    Trace::new(traces, rows.iter().map(|row| row.slot).collect())
}

/// Returns the slots that [`rank`] keeps, best first, each with its last score.
///
/// Runs the same stages, effects and sorting without the record, for callers that rank thousands of times.
pub fn order<P: TypedSet>(
    set: &CandidateSet,
    params: &P,
    pipeline: &Pipeline<P>,
) -> Vec<(u32, f64)> {
    let (rows, _) = unrecorded(set, params, pipeline, |_| false);
    let scored = rows.iter().map(|row| (row.slot, row.score.unwrap_or(0.0)));
    scored.collect()
}

/// Returns the index of the stage at which [`rank`] drops a slot, or `None` if it keeps it. Keeps no record.
pub fn dropped_at<P: TypedSet>(
    set: &CandidateSet,
    params: &P,
    pipeline: &Pipeline<P>,
    slot: u32,
) -> Option<usize> {
    let is_gone = |rows: &[Row]| rows.iter().all(|row| row.slot != slot);
    unrecorded(set, params, pipeline, is_gone).1
}

/// Returns the rows after all stages, or after the first stage whose rows satisfy `is_enough`, with its index.
fn unrecorded<P: TypedSet>(
    set: &CandidateSet,
    params: &P,
    pipeline: &Pipeline<P>,
    is_enough: impl Fn(&[Row]) -> bool,
) -> (Vec<Row>, Option<usize>) {
    let context = Context {
        set,
        params,
        is_recorded: false,
    };
    let mut rows = start(set, pipeline.ties);
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let Reasons { effects, .. } = (stage.explain)(&context, &rows).reasons;
        if !effects.is_empty() {
            rows = decide(&effects, pipeline.ties, &rows);
        }
        if is_enough(&rows) {
            return (rows, Some(at));
        }
    }
    (rows, None)
}

/// Returns all rows in their starting order.
fn start(set: &CandidateSet, ties: Ties) -> Vec<Row> {
    let (Ties::Order(order) | Ties::Stable(order)) = ties;
    let mut rows: Vec<Row> = (0..)
        .zip(order(set))
        .map(|(slot, order)| Row {
            slot,
            order,
            score: None,
            before_decay: None,
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.order);
    rows
}

/// Applies the outcome of a stage to the rows, and records it.
fn apply<P>(
    outcome: Outcome,
    stage: &Stage<P>,
    label: &'static str,
    ties: Ties,
    rows: &mut Vec<Row>,
) -> StageTrace {
    let Outcome {
        status,
        reasons: Reasons { effects, details },
        note,
        counts,
    } = outcome;
    let n_in = rows.len() as u32;
    let entries = if effects.is_empty() {
        Vec::new()
    } else {
        let kept = decide(&effects, ties, rows);
        let entries = entries(details, effects, rows, &kept);
        *rows = kept;
        entries
    };
    let (n_in, n_out) = counts.unwrap_or((n_in, rows.len() as u32));
    StageTrace {
        id: stage.id,
        label,
        look: stage.look,
        status,
        n_in,
        n_out,
        note,
        entries,
    }
}

/// Applies an effect to every row, and sorts. Returns the kept rows.
fn decide(effects: &[Effect], ties: Ties, rows: &[Row]) -> Vec<Row> {
    let mut kept = Vec::with_capacity(rows.len());
    let mut places = Vec::new();
    let mut is_scored = false;
    for (row, effect) in rows.iter().zip(effects) {
        is_scored |= matches!(effect, Effect::Score(_) | Effect::Fade { .. });
        places.extend(effect.place().map(|place| (place, row.slot)));
        if *effect != Effect::Drop {
            kept.push(Row {
                score: effect.score().or(row.score),
                before_decay: match *effect {
                    Effect::Fade { before, .. } => Some(before),
                    Effect::Score(_) | Effect::Settle { .. } => None,
                    Effect::Keep | Effect::Place(_) | Effect::Drop => row.before_decay,
                },
                ..*row
            });
        }
    }

    if is_scored {
        let by_score = |a: &Row, b: &Row| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0));
        match ties {
            Ties::Order(_) => {
                kept.sort_unstable_by(|a, b| by_score(a, b).then_with(|| a.order.cmp(&b.order)))
            }
            Ties::Stable(_) => kept.sort_by(by_score),
        }
    } else if !places.is_empty() {
        // A stage that places rows gives a place to each of them.
        let mut place_of = vec![u32::MAX; n_slots(rows)];
        for (place, slot) in places {
            place_of[slot as usize] = place;
        }
        kept.sort_unstable_by_key(|row| place_of[row.slot as usize]);
    }
    kept
}

/// Returns the highest slot plus one.
fn n_slots(rows: &[Row]) -> usize {
    let n_slots = rows.iter().map(|row| row.slot as usize + 1);
    n_slots.max().unwrap_or(0)
}

/// Returns the record of a stage: what its reasons did to the rows before it.
fn entries(details: Vec<Detail>, effects: Vec<Effect>, rows: &[Row], kept: &[Row]) -> Vec<Entry> {
    let mut rank_of = vec![None; n_slots(rows)];
    if kept.iter().any(|row| row.score.is_some()) {
        for (rank, row) in (1..).zip(kept) {
            rank_of[row.slot as usize] = Some(rank);
        }
    }
    (1..)
        .zip(rows)
        .zip(effects.into_iter().zip(details))
        .map(|((rank, row), (effect, detail))| {
            // A list stage ranks rows that have no score yet.
            let (rank_after, score_after) = match detail.listed() {
                Some(listed) => (listed.rank, listed.score),
                None => (rank_of[row.slot as usize], effect.score().or(row.score)),
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
        .collect()
}
