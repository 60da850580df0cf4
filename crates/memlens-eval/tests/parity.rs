//! The figures equal those of the reference scorer, `reference/score.py`.
//!
//! Properties checked: on 400 random rankings every metric of the reference has the same value.
//! `reference/make_cases.py` generates them with a fixed seed and writes `cases.jsonl` with the scorer's own function.

use memlens_eval::{Place, score};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
struct Case {
    relevant: Vec<Place>,
    returned: Vec<Place>,
    scores: Map<String, Value>,
}

#[test]
fn figures_are_those_of_the_reference_scorer() {
    let cases = include_str!("reference/cases.jsonl");
    let mut n_cases = 0;
    for (line, case) in (1..).zip(cases.lines()) {
        let case: Case = serde_json::from_str(case).expect("it is a case");
        let found = serde_json::to_value(score(&case.relevant, &case.returned));
        let found = found.expect("it is plain data");
        for (metric, expected) in &case.scores {
            let (found, expected) = (found[metric].as_f64(), expected.as_f64());
            let (found, expected) = found.zip(expected).expect("both are numbers");
            assert!(
                (found - expected).abs() < 1e-12,
                "{metric} of line {line}: {found} in place of {expected}"
            );
        }
        n_cases += 1;
    }
    assert_eq!(n_cases, 400);
}
