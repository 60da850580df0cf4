//! A pipeline of another crate: one list, two stages, its own parameters, and ties in the order in which rows came. It
//! shows that ranking assumes nothing of Memlens's own pipeline.

use memlens_engine::{pipeline, pipelines, stage_looks};
use memlens_params::{ParameterSet, TypedSet, Value, Values};
use memlens_rank::AnyPipeline;
use memlens_tests::tiny::{CUT, LOOK, TINY, Tiny, set};

fn tiny() -> &'static dyn AnyPipeline {
    &TINY
}

#[test]
fn another_pipeline_ranks_by_its_own_list_facts_parameters_and_ties() {
    let mut values = Values::defaults(tiny().table());
    // Scores 2, 2.5, 2, 3: of equal rows the later one, which came first, stays first.
    let trace = tiny().rank(&set([2.0, 2.0, 2.0, 3.0]), &values);
    assert_eq!(trace.kept(), [3, 1]);
    assert_eq!(trace.dropped(), [(2, CUT), (0, CUT)]);
    values.assign_all(["tiny.bonus=5", "tiny.keep=3"]).unwrap();
    let trace = tiny().rank(&set([2.0, 2.0, 2.0, 3.0]), &values);
    assert_eq!(trace.kept(), [1, 3, 2]);
    let mut stages = Vec::new();
    tiny().rank_observed(&set([1.0; 4]), &values, &mut |stage| stages.push(stage));
    assert_eq!(stages, [LOOK, CUT]);
}

#[test]
fn its_journey_is_explained_by_its_own_reasons() {
    let trace = tiny().rank(
        &set([2.0, 2.0, 1.0, 3.0]),
        &Values::defaults(tiny().table()),
    );
    let journey = trace.journey(1);
    assert_eq!((journey.rank, journey.score), (Some(2), Some(2.5)));
    let steps: Vec<(&str, &str)> = journey
        .steps
        .iter()
        .map(|step| (step.label.as_str(), step.sentence.as_str()))
        .collect();
    assert_eq!(steps, [("Look", "2 words"), ("Cut", "place 2 of 2")]);
    assert_eq!(journey.formula[0].expression, "2 + 0.5");
    assert_eq!(journey.formula[0].value, 2.5);
    let bars: Vec<(&str, f64, f64)> = journey
        .bars
        .iter()
        .map(|bar| (bar.label.as_str(), bar.from, bar.to))
        .collect();
    assert_eq!(bars, [("Look", 0.0, 2.5), ("Look", 0.0, 2.5)]);
    assert_eq!(
        journey.neighbour.as_deref(),
        Some("0.500 below rank 1: Look \u{2212}0.500")
    );
    assert_eq!(
        trace.journey(0).dropped,
        Some((CUT, "place 3 of 2".to_owned()))
    );
}

#[test]
fn its_columns_name_its_stages() {
    let set = set([2.0, 2.0, 1.0, 3.0]);
    let columns = tiny()
        .rank(&set, &Values::defaults(tiny().table()))
        .columns(&set, |_| None);
    assert_eq!(columns.order, [3, 1, 0, 2]);
    assert_eq!(columns.n_kept, 2);
    assert_eq!(columns.cells.len(), 1, "the cut changes no score");
    let cells = &columns.cells[0];
    assert_eq!((cells.stage, cells.is_list), (LOOK, false));
    assert_eq!(cells.value, [Some(2.0), Some(2.5), Some(1.0), Some(3.0)]);
    assert_eq!(cells.rank, [Some(3), Some(2), Some(4), Some(1)]);
    assert_eq!(columns.remark[1].as_deref(), Some("pinned"));
    assert_eq!(columns.dropped_by, [Some(CUT), None, Some(CUT), None]);
    let labels: Vec<&str> = columns.stages.iter().map(|stage| stage.label).collect();
    assert_eq!(labels, ["Look", "Cut"]);
    let sum = |slot: usize| {
        columns.parts[slot]
            .iter()
            .map(|part| part.amount)
            .sum::<f64>()
    };
    assert_eq!(sum(1), 2.5);
}

#[test]
fn its_parameters_have_ids_rules_and_refusals_of_their_own() {
    let table = tiny().table();
    let ids: Vec<&str> = table.parameters.iter().map(|it| it.id).collect();
    assert_eq!(ids, ["tiny.places", "tiny.bonus", "tiny.keep"]);
    let mut values = Values::defaults(table);
    let before = values.clone();
    for (setting, refusal) in [
        (
            "tiny.bonuss=1",
            "unknown parameter tiny.bonuss: did you mean tiny.bonus?",
        ),
        ("min_score=1", "unknown parameter min_score"),
        (
            "tiny.keep=0",
            "cannot set tiny.keep to 0: the range is whole numbers from 1 to 10",
        ),
        // Each value is in its range, but not together with the others.
        (
            "tiny.bonus=10 tiny.keep=10",
            "cannot use vector_weight 0 together with text_weight 0: one of them must be above 0",
        ),
    ] {
        let refused = values.assign_all(setting.split(' ')).unwrap_err();
        assert_eq!(refused.to_string(), refusal);
        assert_eq!(values, before, "a refusal changes nothing");
    }
    values.set("tiny.keep", Value::Number(7.0)).unwrap();
    assert_eq!(values.changed(), [("tiny.keep", Value::Number(7.0))]);
    assert_eq!(
        Tiny::of(&values),
        Tiny {
            keep: 7,
            ..Tiny::default()
        }
    );
    assert_eq!(Tiny::of(&values).values(), values);
    assert_eq!(
        serde_json::to_string(&values).unwrap(),
        r#"{"tiny.places":100.0,"tiny.bonus":0.5,"tiny.keep":7.0}"#
    );
    // Values of another table have no effect.
    let ours = memlens_params::Params::default().values();
    assert_eq!(Tiny::of(&ours), Tiny::default());
}

#[test]
fn a_score_that_is_not_finite_counts_as_nothing() {
    let set = set([f64::NAN, f64::INFINITY, 1.0, 2.0]);
    let trace = tiny().rank(&set, &Values::defaults(tiny().table()));
    assert_eq!(trace.kept(), [3, 2]);
    let mut entries = trace.stages.iter().flat_map(|stage| &stage.entries);
    assert!(entries.all(|entry| entry.score_after.is_none_or(f64::is_finite)));
    let detail = serde_json::to_value(&trace.stages[1].entries[0].detail).unwrap();
    assert_eq!(
        detail,
        serde_json::json!({ "kind": "own", "rank": 1.0, "keep": 2.0 })
    );
}

#[test]
fn a_stage_looks_the_same_in_every_pipeline() {
    let known = stage_looks();
    let editions = ["openclaw@2026.2", "openclaw@2026.7"];
    let editions = editions.map(|named| pipeline(named).expect("it is known"));
    for pipeline in pipelines().into_iter().chain(editions) {
        for one in pipeline.looks() {
            assert!(known.contains(&one), "{}: {one:?}", pipeline.label());
        }
    }
}
