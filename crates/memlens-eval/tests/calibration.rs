//! Thresholds that exclude nonsense.
//!
//! Properties checked: a threshold keeps what a naive count gives; no threshold is better than the suggested one; bins
//! contain every score.

use proptest::prelude::*;

use memlens_eval::{AtLine, Calibration};

/// The rule of the suggestion, computed separately: Youden's J with nonsense, otherwise F1.
fn worth(at: &AtLine, relevant: &[f64], nonsense: &[f64]) -> f64 {
    let n = at.n_relevant as f64;
    if relevant.is_empty() {
        return 0.0;
    }
    if nonsense.is_empty() {
        return 2.0 * n / (n + at.n_not_relevant as f64 + relevant.len() as f64);
    }
    n / relevant.len() as f64 - at.n_nonsense as f64 / nonsense.len() as f64
}

fn of(relevant: &[f64], not_relevant: &[f64], nonsense: &[f64]) -> Calibration {
    Calibration::of(relevant, not_relevant, nonsense).expect("there is a score")
}

#[test]
fn a_line_between_them_keeps_answers_and_no_nonsense() {
    let it = of(&[0.61, 0.5, 0.42], &[0.55, 0.1, 0.05], &[0.2, 0.31]);
    let line = it.suggested().expect("one parts them");
    assert_eq!(
        (
            line.line,
            line.n_relevant,
            line.n_nonsense,
            line.n_not_relevant
        ),
        (0.37, 3, 0, 1)
    );
    assert_eq!((line.precision, line.recall), (Some(0.75), Some(1.0)));
    assert!(it.separates());
    assert_eq!(
        it.sentence(),
        "0.37 keeps every row with an answer and leaves all 2 nonsense questions without a result."
    );
    let present = it.at(0.1);
    assert_eq!((present.n_not_relevant, present.n_nonsense), (2, 2));
}

#[test]
fn where_none_parts_them_the_price_is_reported() {
    let it = of(&[0.9, 0.8, 0.7, 0.65, 0.2], &[], &[0.1, 0.3, 0.4, 0.75]);
    let line = it.suggested().expect("one is better than none");
    assert_eq!((line.n_relevant, line.n_nonsense), (4, 1));
    assert!(!it.separates());
    assert_eq!(
        it.sentence(),
        format!(
            "No line keeps nonsense out without losing answers: {} keeps 4 of 5 rows with an answer, and 1 of 4 nonsense questions still find something.",
            line.line
        )
    );
    // A threshold that loses more than a fifth of the answers is not suggested, whatever it excludes.
    let dear = of(&[0.9, 0.8, 0.2, 0.1], &[], &[0.3, 0.4, 0.5]);
    assert_eq!(dear.suggested(), None);
    let hopeless = of(&[0.1, 0.2], &[0.9], &[0.5, 0.6]);
    assert_eq!((hopeless.suggested(), hopeless.separates()), (None, false));
    assert!(hopeless.sentence().starts_with("Nonsense scores as high"));
}

#[test]
fn a_line_that_moves_in_steps_is_reported_where_it_can_stand() {
    let stepped =
        |relevant: &[f64], nonsense: &[f64]| of(relevant, &[], nonsense).in_steps_of(0.01);
    let it = stepped(&[0.527, 0.6], &[0.511]);
    let line = it.suggested().expect("one parts them");
    assert_eq!((line.line, line.n_relevant, line.n_nonsense), (0.52, 2, 0));
    assert!(
        it.sentence().starts_with("0.52 keeps every row"),
        "{}",
        it.sentence()
    );
    // There is no step between these two.
    let it = stepped(&[0.518], &[0.511]);
    assert_eq!((it.suggested(), it.separates()), (None, true));
}

#[test]
fn without_nonsense_answers_are_parted_from_other_rows() {
    let it = of(&[0.9, 0.8], &[0.3, 0.2, 0.1], &[]);
    let line = it.suggested().expect("one is better than none");
    assert_eq!((line.n_relevant, line.n_not_relevant), (2, 0));
    assert!(it.separates());
    assert_eq!(
        it.sentence(),
        "0.55 keeps 2 of 2 rows with an answer and 0 of 3 others. No nonsense question tells what it keeps out."
    );
}

#[test]
fn where_something_is_missing_nothing_is_suggested() {
    assert_eq!(Calibration::of(&[], &[], &[f64::NAN]), None);
    let none_relevant = of(&[], &[0.5], &[0.4]);
    assert_eq!(none_relevant.suggested(), None);
    assert_eq!(none_relevant.at(0.45).recall, None);
    assert_eq!(none_relevant.at(0.6).precision, None);
    assert!(none_relevant.sentence().starts_with("No answer is among"));
    let all_relevant = of(&[0.5, 0.4], &[], &[]);
    assert_eq!(all_relevant.suggested(), None);
    assert!(all_relevant.sentence().starts_with("All rows hold"));
    let one = of(&[0.5], &[], &[]);
    assert_eq!((one.suggested(), one.at(0.5).n_relevant), (None, 1));
    let equal = of(&[0.5; 3], &[0.5; 3], &[0.5; 3]);
    assert_eq!((equal.suggested(), equal.separates()), (None, false));
    let bins = equal.histogram(0.5);
    assert_eq!(bins.edges, [0.5, 0.51]);
    assert_eq!((bins.relevant, bins.nonsense), (vec![3], vec![3]));
}

#[test]
fn borders_can_be_read() {
    let scores: Vec<f64> = (0..200).map(|at| f64::from(at) / 200.0).collect();
    let bins = of(&scores, &[], &[]).histogram(0.1);
    // 2 * 0.5 / cbrt(200) = 0.17, rounded up to 0.2.
    assert_eq!(bins.edges, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    assert_eq!(bins.relevant, [40; 5]);
}

fn scores() -> impl Strategy<Value = Vec<f64>> {
    let score = prop_oneof![
        -0.5..1.0f64,
        Just(0.3),
        (0..20u32).prop_map(|it| f64::from(it) / 20.0)
    ];
    prop::collection::vec(score, 0..40)
}

proptest! {
    #[test]
    fn counts_are_those_of_a_naive_look(
        relevant in scores(), others in scores(), nonsense in scores(), line in -0.6..1.1f64,
    ) {
        let Some(it) = Calibration::of(&relevant, &others, &nonsense) else { return Ok(()) };
        let n = |scores: &[f64]| scores.iter().filter(|score| **score >= line).count();
        let at = it.at(line);
        prop_assert_eq!((at.n_relevant, at.n_not_relevant, at.n_nonsense), (n(&relevant), n(&others), n(&nonsense)));
        if let Some(precision) = at.precision {
            prop_assert!((precision * (n(&relevant) + n(&others)) as f64 - n(&relevant) as f64).abs() < 1e-9);
        }
        prop_assert_eq!(at.recall.is_none(), relevant.is_empty());
        let parts = relevant.iter().all(|score| nonsense.iter().all(|other| score > other));
        prop_assert_eq!(it.separates(), parts);
    }

    #[test]
    fn no_line_is_worth_more_than_the_suggested_one(
        relevant in scores(), others in scores(), nonsense in scores(), line in -0.6..1.1f64,
    ) {
        let Some(it) = Calibration::of(&relevant, &others, &nonsense) else { return Ok(()) };
        let worth = |at: &AtLine| worth(at, &relevant, &nonsense);
        let lowest = it.at(-1.0);
        let best = it.suggested().unwrap_or(lowest);
        let other = it.at(line);
        // A threshold that loses more than a fifth of the answers is not suggested.
        let is_advice = |at: &AtLine| at.recall.is_none_or(|recall| recall >= 0.8);
        prop_assert!(is_advice(&best));
        prop_assert!(worth(&best) >= worth(&other) - 1e-9 || !is_advice(&other));
        if let Some(best) = it.suggested() {
            prop_assert_eq!(it.at(best.line), best);
            prop_assert!(worth(&best) > worth(&lowest));
            // Ties take the lowest: a lower one of equal worth keeps the same rows.
            if line < best.line && (worth(&other) - worth(&best)).abs() < 1e-12 {
                prop_assert_eq!(
                    (other.n_relevant, other.n_not_relevant, other.n_nonsense),
                    (best.n_relevant, best.n_not_relevant, best.n_nonsense)
                );
            }
        }
        prop_assert!(!it.sentence().is_empty());
    }

    #[test]
    fn bins_hold_every_score(
        relevant in scores(), others in scores(), nonsense in scores(), present in -0.6..1.1f64, scale in prop::sample::select(vec![1.0, 0.003, 7000.0, 1e20, 1e-20]),
    ) {
        let scaled = |scores: &[f64]| scores.iter().map(|it| it * scale).collect::<Vec<f64>>();
        let (relevant, others, nonsense) = (scaled(&relevant), scaled(&others), scaled(&nonsense));
        let present = present * scale;
        let Some(it) = Calibration::of(&relevant, &others, &nonsense) else { return Ok(()) };
        let bins = it.histogram(present);
        let n_bins = bins.edges.len() - 1;
        prop_assert!((1..=40).contains(&n_bins));
        prop_assert!(bins.edges.is_sorted_by(|a, b| a < b));
        prop_assert!(bins.edges[0] <= present && present <= bins.edges[n_bins]);
        for (counts, scores) in [(&bins.relevant, &relevant), (&bins.not_relevant, &others), (&bins.nonsense, &nonsense)] {
            prop_assert_eq!(counts.len(), n_bins);
            for (at, count) in counts.iter().enumerate() {
                let is_in = |score: &&f64| bins.edges[at] <= **score && **score < bins.edges[at + 1];
                prop_assert_eq!(scores.iter().filter(is_in).count(), *count as usize);
            }
        }
    }
}
