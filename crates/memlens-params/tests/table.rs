//! Every line of the table is valid; every error names parameter, value and range.

use memlens_params::{
    ParameterKind, ParameterSet, Params, Phase, Value, parameter, print, stages, table,
};

fn check(settings: &[&str], expected: Result<&[&str], &str>) {
    let mut params = Params::default();
    let before = params.clone();
    let result = params.assign_all(settings.iter().copied());
    match expected {
        Ok(changed) => {
            result.unwrap_or_else(|error| panic!("{settings:?}: {error}"));
            let found: Vec<String> = params
                .changed()
                .iter()
                .map(|(id, value)| format!("{id}={value}"))
                .collect();
            assert_eq!(found, changed, "{settings:?}");
        }
        Err(message) => {
            assert_eq!(
                result.map_err(|error| error.to_string()),
                Err(message.to_owned())
            );
            assert_eq!(params, before, "a refusal changes nothing");
        }
    }
}

#[test]
fn settings_are_read_or_refused_by_name() {
    check(
        &["fusion=rrf", "fusion_k=1"],
        Ok(&["fusion=rrf", "fusion_k=1"]),
    );
    check(
        &["vector_weight=0", "text_weight=1"],
        Ok(&["vector_weight=0", "text_weight=1"]),
    );
    check(
        &["text_weight=0", "vector_weight=0", "text_weight=0.5"],
        Ok(&["vector_weight=0", "text_weight=0.5"]),
    );
    check(
        &["bm25_on=off", "rerank_threshold=-3"],
        Ok(&["bm25_on=false", "rerank_threshold=-3"]),
    );
    check(&["rerank_threshold=none", "budget_tokens=off"], Ok(&[]));
    check(&["repeat_share=off"], Ok(&["repeat_share=1"]));
    check(
        &["vector_weight=0", "text_weight=0"],
        Err("cannot use vector_weight 0 together with text_weight 0: one of them must be above 0"),
    );
    check(
        &["min_score=1.5"],
        Err("cannot set min_score to 1.5: the range is 0 to 1"),
    );
    let long = "é".repeat(1_000_000);
    let beginning = "é".repeat(80);
    check(
        &[&format!("{long}=1")],
        Err(&format!("unknown parameter {beginning}…")),
    );
    check(
        &[&format!("fusion={long}")],
        Err(&format!(
            "cannot set fusion to {beginning}…: it takes one of calibrated, rrf, relative, weighted"
        )),
    );
    check(
        &["min_score=1e300"],
        Err(&format!(
            "cannot set min_score to 1{}…: the range is 0 to 1",
            "0".repeat(79)
        )),
    );
    check(
        &["min_score=NaN"],
        Err("cannot set min_score to NaN: the range is 0 to 1"),
    );
    check(
        &["min_score=-inf"],
        Err("cannot set min_score to -inf: the range is 0 to 1"),
    );
    check(
        &["min_score=high"],
        Err("cannot set min_score to high: it takes 0 to 1"),
    );
    check(
        &["max_results=2.5"],
        Err("cannot set max_results to 2.5: the range is whole numbers from 1 to 100"),
    );
    check(
        &["max_results=0"],
        Err("cannot set max_results to 0: the range is whole numbers from 1 to 100"),
    );
    check(
        &["fusion=sum"],
        Err("cannot set fusion to sum: it takes one of calibrated, rrf, relative, weighted"),
    );
    check(
        &["bm25_on=maybe"],
        Err("cannot set bm25_on to maybe: it takes true or false"),
    );
    check(
        &["min_scor=1"],
        Err("unknown parameter min_scor: did you mean min_score?"),
    );
    check(&["colour=red"], Err("unknown parameter colour"));
    check(
        &["min_score"],
        Err("cannot read \"min_score\" as a setting: it must be id=value"),
    );
    check(
        &["chunk_chars=400", "chunk_overlap_chars=300"],
        Err(
            "cannot use chunk_overlap_chars 300 with chunk_chars 400: the overlap must be at most half of the chunk",
        ),
    );
}

#[test]
fn a_setting_without_effect_says_why() {
    let check = |settings: &[&str], expected: &[&str]| {
        let mut params = Params::default();
        params.assign_all(settings.iter().copied()).unwrap();
        assert_eq!(
            params.without_effect(settings.iter().copied()),
            expected,
            "{settings:?}"
        );
    };
    check(&["min_score=0.2", "feedback_on=false", "rerank=off"], &[]);
    check(
        &["feedback_strength=2", "feedback_strength = 1"],
        &[
            "feedback_strength has no effect while the stage Feedback is off; feedback_on=true switches it on",
        ],
    );
    check(&["feedback_strength=2", "feedback_on=true"], &[]);
    check(
        &[
            "simhash_distance=2",
            "agreement_measure=words",
            "corroboration_on=on",
        ],
        &[
            "simhash_distance has no effect with agreement_measure=words; it acts with agreement_measure=simhash",
        ],
    );
    check(
        &["rerank_share=0.5"],
        &[
            "rerank_share has no effect with rerank=off; it acts with rerank=late or rerank=model or rerank=http",
        ],
    );
    check(&["rerank_share=0.5", "rerank=late"], &[]);
}

#[test]
fn every_default_is_accepted_and_survives_json() {
    let defaults = Params::default();
    for line in table() {
        let value = defaults
            .get(line.id)
            .expect("the table and the struct have the same ids");
        assert_eq!(line.check(value.clone()), Ok(value), "{}", line.id);
    }
    assert!(defaults.changed().is_empty());
    let json = serde_json::to_string(&defaults).unwrap();
    assert_eq!(serde_json::from_str::<Params>(&json).unwrap(), defaults);
    assert!(serde_json::from_str::<Params>(&json.replace("min_score", "min_scores")).is_err());
}

#[test]
fn every_value_of_a_range_can_be_set_and_read() {
    for line in table() {
        let values = match line.kind {
            ParameterKind::Number {
                min, max, optional, ..
            } => {
                let mut values = vec![Value::Number(min), Value::Number(max)];
                values.extend(optional.then_some(Value::Unset));
                values
            }
            ParameterKind::Choice { options } => options
                .iter()
                .map(|word| Value::Choice((*word).to_owned()))
                .collect(),
            ParameterKind::Toggle => vec![Value::Toggle(true), Value::Toggle(false)],
        };
        for value in values {
            // Leaves room for the two rules that involve several parameters.
            let mut params = Params {
                vector_weight: 1.0,
                text_weight: 1.0,
                chunk_chars: 8000,
                chunk_overlap_chars: 0,
                ..Params::default()
            };
            params
                .set(line.id, value.clone())
                .unwrap_or_else(|error| panic!("{}: {error}", line.id));
            assert_eq!(params.get(line.id), Some(value), "{}", line.id);
        }
    }
}

#[test]
fn only_what_asks_the_lists_again_makes_other_lists() {
    for line in table() {
        let other = match (&line.kind, &line.default) {
            (ParameterKind::Choice { options }, Value::Choice(now)) => Value::Choice(
                options
                    .iter()
                    .find(|word| *word != now)
                    .unwrap()
                    .to_string(),
            ),
            (ParameterKind::Toggle, Value::Toggle(now)) => Value::Toggle(!now),
            (ParameterKind::Number { min, max, .. }, now) => {
                Value::Number(if *now == Value::Number(*min) {
                    *max
                } else {
                    *min
                })
            }
            (kind, value) => panic!("{}: {kind:?} with {value:?}", line.id),
        };
        let mut params = Params {
            chunk_overlap_chars: 0,
            text_weight: 1.0,
            vector_weight: 1.0,
            ..Params::default()
        };
        let before = params.clone();
        params.set(line.id, other).unwrap();
        assert_eq!(
            before.retrieves_as(&params),
            line.phase != Phase::Retrieve,
            "{}",
            line.id
        );
    }
}

#[test]
fn ids_are_unique_and_every_stage_has_its_switch() {
    let mut ids: Vec<&str> = table().iter().map(|line| line.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
    for stage in stages() {
        let switch = parameter(stage.switch.expect("every stage of ours has a switch")).unwrap();
        assert_eq!(
            (switch.stage, switch.kind),
            (Some(stage.id), ParameterKind::Toggle)
        );
    }
    let mut stages: Vec<&str> = stages().iter().map(|stage| stage.id.as_str()).collect();
    stages.sort_unstable();
    assert!(stages.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn what_is_printed_holds_every_parameter() {
    for text in [print::typescript(), print::json_schema(), print::markdown()] {
        for line in table() {
            assert!(text.contains(line.id), "{} is missing", line.id);
        }
    }
}

#[test]
fn what_a_parameter_needs_can_be_chosen_and_decides_whether_it_is_read() {
    for line in table() {
        let Some(needs) = line.needs else {
            assert!(line.is_read(&Params::default()), "{}", line.id);
            continue;
        };
        let chosen = parameter(needs.parameter).expect("the table has it");
        let ParameterKind::Choice { options } = chosen.kind else {
            panic!("{} is no choice", needs.parameter)
        };
        for option in options {
            let mut params = Params::default();
            params
                .assign(needs.parameter, option)
                .expect("it can be chosen");
            let is_read = needs.one_of.contains(option);
            assert_eq!(line.is_read(&params), is_read, "{} {option}", line.id);
        }
        assert!(needs.one_of.iter().all(|choice| options.contains(choice)));
    }
}
