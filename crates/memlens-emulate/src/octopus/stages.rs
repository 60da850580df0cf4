//! The known stages of Octopus.
//!
//! Tested: only the vector list ranks; the floor keeps 0.6 and drops what is below; three times as many are reranked as are left; without a
//! candidate nothing is asked; ranks before and after are told.

use memlens_rank::{Context, ListId, ListState, Outcome, Row};

use super::params::Octopus;
use super::reasons::{Floored, Listed, Ranks};
use crate::staging::{counted, each, own};

/// How many times as many are reranked as are left.
const RERANKED_TIMES: u32 = 3;

pub fn vector(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    let list = context.set.list(ListId::VECTOR);
    let outcome = each(rows, |row| {
        own(Listed {
            value: context.set.value(ListId::VECTOR, row.slot),
        })
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

pub fn floor(_: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    each(rows, |row| {
        own(Floored {
            score: row.score.unwrap_or_default(),
        })
    })
}

pub fn candidates(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    let limit = context.params.top_n.saturating_mul(RERANKED_TIMES);
    counted(rows, limit, "chunks that are reranked")
}

pub fn rerank(_: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    if rows.is_empty() {
        return Outcome::skipped("no candidates: Octopus does not ask its reranker");
    }
    let details = (1..=rows.len() as u32).map(|original| own(Ranks { original }));
    let note = "Octopus asks its reranker here, where one is enabled for the agent; without its scores the order before it stays";
    Outcome {
        note: Some(note.to_owned()),
        ..Outcome::applied(details.collect())
    }
}

pub fn limit(context: &Context<'_, Octopus>, rows: &[Row]) -> Outcome {
    counted(rows, context.params.top_n, "chunks that are left")
}

#[cfg(test)]
mod tests {
    use memlens_params::{ParameterSet, StageId, Value, Values};
    use memlens_rank::{AnyPipeline, CandidateSet, Detail, StageTrace, Status, Trace};

    use crate::octopus::KNOWN_STEPS;

    fn ranked(cosines: &[f64], top_n: f64) -> Trace {
        let given = [("octopus.top_n", Value::Number(top_n))];
        let values = Values::defaults(KNOWN_STEPS.table()).with(given);
        KNOWN_STEPS.rank(
            &CandidateSet::of_cosines(cosines),
            &values.expect("in range"),
        )
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
    fn ranks_before_and_after_are_told() {
        let trace = ranked(&[0.7, 0.9], 5.0);
        let terms = |slot: u32| {
            let mut entries = stage(&trace, "octopus.rerank").entries.iter();
            let entry = entries.find(|it| it.slot == slot).expect("it is reranked");
            let Detail::Own(reason) = &entry.detail else {
                panic!("{entry:?}");
            };
            reason.get().terms()
        };
        assert_eq!(terms(0), [("OriginalRank", 2.0), ("NewRank", 2.0)]);
        assert_eq!(terms(1), [("OriginalRank", 1.0), ("NewRank", 1.0)]);
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
