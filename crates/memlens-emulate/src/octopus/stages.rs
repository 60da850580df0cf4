//! The known stages of Octopus.
//!
//! Tested: only the vector list ranks; the floor keeps 0.6 and drops lower cosines; three times as many are reranked as
//! are returned; without a candidate the reranker is not called; ranks before and after are shown.

use memlens_rank::{Context, ListId, ListState, Outcome, Row};

use super::params::Octopus;
use super::reasons::{Floored, Listed, Ranks};
use crate::filling::Filled;
use crate::staging::{counted, each, in_order};

/// Number of reranked rows per returned row.
const RERANKED_TIMES: u32 = 3;

pub fn vector(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    let list = context.set.list(ListId::VECTOR);
    let outcome = each(context, rows, |row| Listed {
        value: context.set.value(ListId::VECTOR, row.slot),
    });
    let note = match list.map(|it| &it.state) {
        Some(ListState::Missing(why)) => why.clone(),
        Some(ListState::Ready) | None => {
            "over Memlens's own vector list; a search by words is not known of Octopus".to_owned()
        }
    };
    Outcome {
        note: Some(note),
        counts: list.map(|it| {
            (
                context.set.n_chunks,
                it.values
                    .iter()
                    .filter(|value| value.score.is_some())
                    .count() as u32,
            )
        }),
        ..outcome
    }
}

pub fn floor(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    each(context, rows, |row| Floored {
        score: row.score.unwrap_or_default(),
    })
}

pub fn candidates(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    let limit = context.params.top_n.saturating_mul(RERANKED_TIMES);
    counted(context, rows, limit, "chunks are reranked")
}

/// Orders the rows by the reranker's scores, if all of them are known.
pub fn rerank(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    if rows.is_empty() {
        return Outcome::skipped("no candidates: Octopus does not ask its reranker");
    }
    let filled = Filled::by(context.set, context.params.rerank_by);
    let chunk = |row: &Row| context.set.candidates[row.slot as usize].chunk;
    let given: Vec<Option<f64>> = rows.iter().map(|row| filled?.share(chunk(row))).collect();
    let n_given = given.iter().flatten().count();
    let places = in_order(
        rows,
        |_| true,
        |a, b| {
            let score = |at: usize| given[at].filter(|_| n_given == rows.len());
            score(b).unwrap_or(0.0).total_cmp(&score(a).unwrap_or(0.0))
        },
    );
    let placed = (1..).zip(places.into_iter().zip(&given));
    let reasons = placed.map(|(original, (place, given))| Ranks {
        original,
        new: place.map_or(original, |place| place + 1),
        given: given.filter(|_| n_given == rows.len()),
    });
    let note = match filled {
        Some(filled) => filled.sentence("Octopus", n_given, rows.len()),
        None => "Octopus asks its reranker here, where one is enabled for the agent; without its scores the order before it stays".to_owned(),
    };
    Outcome {
        note: Some(note),
        ..Outcome::applied(context.decided(reasons))
    }
}

pub fn limit(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    counted(context, rows, context.params.top_n, "chunks are left")
}

#[cfg(test)]
mod tests {
    use memlens_params::{ParameterSet, RerankMode, StageId, Value, Values};
    use memlens_rank::{
        AnyPipeline, CandidateSet, RerankScale, RerankScores, StageTrace, Status, Trace,
    };

    use crate::octopus::KNOWN_STEPS;

    fn ranked(cosines: &[f64], top_n: f64) -> Trace {
        let given = [("octopus.top_n", Value::Number(top_n))];
        let values = Values::defaults(KNOWN_STEPS.table()).with(given);
        KNOWN_STEPS.rank(
            &CandidateSet::of_cosines(cosines),
            &values.expect("in range"),
        )
    }

    /// The same, reranked by the reranker that replaces it.
    fn filled(cosines: &[f64], scores: &[f64], failure: Option<&str>) -> Trace {
        let mut set = CandidateSet::of_cosines(cosines);
        let chunks: Vec<_> = set.candidates.iter().map(|it| it.chunk).collect();
        set.rerank.push(RerankScores {
            mode: RerankMode::Http,
            max_chars: 0,
            provider: String::new(),
            model: "rerank-3".to_owned(),
            scale: RerankScale::Unit,
            scores: chunks.into_iter().zip(scores.iter().copied()).collect(),
            unscored: Default::default(),
            failure: failure.map(str::to_owned),
        });
        let by = Value::Choice("http".to_owned());
        let values = Values::defaults(KNOWN_STEPS.table()).with([("octopus.rerank_by", by)]);
        KNOWN_STEPS.rank(&set, &values.expect("in range"))
    }

    fn stage<'a>(trace: &'a Trace, id: &'static str) -> &'a StageTrace {
        trace.stage(StageId(id)).expect("a stage")
    }

    fn n_left(trace: &Trace, id: &'static str) -> usize {
        let entries = stage(trace, id).entries.iter();
        entries.filter(|it| !it.is_dropped).count()
    }

    #[test]
    fn the_floor_is_0_6() {
        let trace = ranked(&[0.599, 0.9, 0.6, -0.2, 0.7], 5.0);
        assert_eq!(trace.kept(), [1, 4, 2]);
    }

    #[test]
    fn three_times_as_many_are_reranked_as_are_left() {
        let cosines: Vec<f64> = (0..40).map(|at| 1.0 - f64::from(at) / 100.0).collect();
        for top_n in [1_u32, 2, 5] {
            let trace = ranked(&cosines, f64::from(top_n));
            assert_eq!(n_left(&trace, "octopus.candidates"), 3 * top_n as usize);
            assert_eq!(trace.kept().len(), top_n as usize);
        }
        assert_eq!(
            KNOWN_STEPS
                .table()
                .parameter("octopus.top_n")
                .expect("it is there")
                .default,
            Value::Number(5.0)
        );
    }

    #[test]
    fn ranks_before_and_after_are_reported() {
        let trace = ranked(&[0.7, 0.9], 5.0);
        let terms = |slot: u32| {
            let mut entries = stage(&trace, "octopus.rerank").entries.iter();
            let entry = entries.find(|it| it.slot == slot).expect("it is reranked");
            entry.detail.terms()
        };
        assert_eq!(terms(0), [("OriginalRank", 2.0), ("NewRank", 2.0)]);
        assert_eq!(terms(1), [("OriginalRank", 1.0), ("NewRank", 1.0)]);
    }

    #[test]
    fn a_reranker_of_ones_own_gives_the_order_where_it_read_all() {
        let note = |trace: &Trace| stage(trace, "octopus.rerank").note.clone();
        let cosines = [0.9, 0.8, 0.7];
        let trace = filled(&cosines, &[0.2, 0.9, 0.9], None);
        // Equal scores keep their order.
        assert_eq!(trace.kept(), [1, 2, 0]);
        assert_eq!(trace.journey(1).score, Some(0.9));
        assert_eq!(
            note(&trace).as_deref(),
            Some("filled in by your reranker, rerank-3, in the place of Octopus's model")
        );
        let some = filled(&cosines, &[0.2, 0.9], None);
        assert_eq!(some.kept(), [0, 1, 2]);
        assert!(note(&some).is_some_and(|it| it.contains("2 of 3; ask again")));
        let failed = filled(&cosines, &[], Some("it is not there"));
        assert_eq!(failed.kept(), [0, 1, 2]);
        assert!(note(&failed).is_some_and(|it| it.ends_with("failed: it is not there")));
    }

    #[test]
    fn without_candidates_nothing_is_asked() {
        let rerank = |cosines: &[f64]| {
            stage(&ranked(cosines, 5.0), "octopus.rerank")
                .status
                .clone()
        };
        for none in [&[][..], &[0.5, 0.1]] {
            assert!(
                matches!(rerank(none), Status::Skipped { why } if why.contains("no candidates"))
            );
        }
        assert_eq!(rerank(&[0.8]), Status::Applied);
    }
}
