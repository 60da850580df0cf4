//! The rules on labelled pairs (CC0, `tests/fixtures`): the figures that they must keep.
//!
//! `observations.jsonl` and `pairs.tsv` are the development sets: the rules were written with both in view, so these figures
//! say that nothing got worse, not how good the rules are on other notes. `alike.tsv` are pairs that resemble
//! contradictions and are none, but for eight; `near.tsv` are contradictions that resemble those pairs. `heldout_a.tsv` and `heldout_b.tsv` were
//! written by others; of these the second was not read while the rules were written.
//!
//! `observations.jsonl` are 39 observations of five agents: of the 741 pairs, 30 contradict. `pairs.tsv` are 36 pairs that
//! contradict and 44 that look like it and do not.

use memlens_contradict::{Oppositions, Rules};
use serde::Deserialize;

#[derive(Deserialize)]
struct Said {
    id: String,
    text: String,
    group: String,
    relation_to_base: String,
}

/// What is reported of the labelled pairs.
#[derive(Default)]
struct Figures {
    n_true: usize,
    n_right: usize,
    wrong: Vec<String>,
}

impl Figures {
    fn precision(&self) -> f64 {
        self.n_right as f64 / (self.n_right + self.wrong.len()) as f64
    }
}

/// Returns the figures of the sure ones, and of all.
fn figures<'a>(pairs: impl IntoIterator<Item = (bool, &'a str, &'a str)>) -> [Figures; 2] {
    let rules = Rules::new(&Oppositions::standard());
    let mut figures = [Figures::default(), Figures::default()];
    for (is_true, a, b) in pairs {
        let verdict = rules.compare(&rules.read(a), &rules.read(b));
        for (at, of_kind) in figures.iter_mut().enumerate() {
            of_kind.n_true += usize::from(is_true);
            if verdict
                .contradiction()
                .is_some_and(|found| found.sure || at == 1)
            {
                if is_true {
                    of_kind.n_right += 1;
                } else {
                    of_kind.wrong.push(format!("{a} / {b}"));
                }
            }
        }
    }
    figures
}

#[test]
fn observations_of_agents() {
    let said: Vec<Said> = include_str!("fixtures/observations.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut pairs = Vec::new();
    for (at, a) in said.iter().enumerate() {
        for b in &said[..at] {
            assert_ne!(a.id, b.id);
            let contradicts = |said: &Said| said.relation_to_base == "contradicts";
            let is_true = a.group == b.group && contradicts(a) != contradicts(b);
            pairs.push((is_true, a.text.as_str(), b.text.as_str()));
        }
    }
    let [sure, all] = figures(pairs);
    assert_eq!((all.n_true, all.wrong), (30, Vec::<String>::new()));
    assert!(all.n_right >= 23, "{} of 30", all.n_right);
    assert!(sure.n_right >= 5, "{} of 30", sure.n_right);
}

#[test]
fn pairs_with_hard_negatives() {
    let [sure, all] = figures(labelled(include_str!("fixtures/pairs.tsv")));
    assert_eq!(all.n_true, 36);
    assert!(sure.n_right >= 22, "{} of 36", sure.n_right);
    assert!(all.n_right >= 34, "{} of 36", all.n_right);
    assert_eq!(sure.wrong, Vec::<String>::new());
    assert!(all.precision() >= 0.95, "{:?}", all.wrong);
}

fn labelled(pairs: &str) -> Vec<(bool, &str, &str)> {
    pairs
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            (parts[0] == "c", parts[1], parts[2])
        })
        .collect()
}

#[test]
fn pairs_that_only_look_like_contradictions() {
    let pairs = labelled(include_str!("fixtures/alike.tsv"));
    assert_eq!(pairs.len(), 168);
    let [sure, all] = figures(pairs);
    assert_eq!((sure.n_true, sure.wrong), (8, Vec::<String>::new()));
    assert!(sure.n_right >= 7, "{} of 8", sure.n_right);
    assert!(all.wrong.len() <= 120, "{:?}", all.wrong);
}

#[test]
fn contradictions_near_those_pairs_are_found() {
    let pairs = labelled(include_str!("fixtures/near.tsv"));
    let [sure, all] = figures(pairs);
    assert_eq!((all.n_true, all.n_right), (29, 29));
    assert!(sure.n_right >= 26, "{} of 29", sure.n_right);
}

#[test]
fn pairs_that_the_rules_were_not_written_for() {
    for (pairs, n_true, n_sure, n_wrong) in [
        (include_str!("fixtures/heldout_a.tsv"), 60, 12, 0),
        (include_str!("fixtures/heldout_b.tsv"), 50, 5, 1),
    ] {
        let [sure, _] = figures(labelled(pairs));
        assert_eq!(sure.n_true, n_true);
        assert!(sure.n_right >= n_sure, "{} of {n_true}", sure.n_right);
        assert!(sure.wrong.len() <= n_wrong, "{:?}", sure.wrong);
    }
}
