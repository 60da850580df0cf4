//! What the user chooses for contradictions: the pairs of opposite words, by which notes are compared again after a change, and the
//! model of the second opinion.

use std::path::Path;

use memlens_engine::view::DriftKind;
use memlens_engine::{Library, acts, drift_report, oppositions};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, open};

use crate::watched::{Watched, scratch};

fn notes() -> Notes {
    Notes::new(&[
        ("a.md", "The valve in the cellar is primed.\n"),
        ("b.md", "The valve in the cellar is drained.\n"),
        ("c.md", "Deploys are allowed on Fridays.\n"),
        ("d.md", "Deploys are forbidden on Fridays.\n"),
    ])
}

/// The kinds and places of what is found, sure or not.
fn found(library: &Library) -> Vec<(DriftKind, String, String)> {
    let report = drift_report(library, &Params::default(), None).expect("the pass succeeds");
    let contradictions = report.contradictions.into_iter();
    contradictions
        .map(|one| (one.kind, one.a.path, one.b.path))
        .collect()
}

fn opposite(a: &str, b: &str) -> (DriftKind, String, String) {
    (DriftKind::Opposition, a.to_owned(), b.to_owned())
}

#[test]
fn notes_are_compared_by_the_pairs_of_the_user() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    // Another process, such as a server.
    let other = open(dir.path());
    let check = |expected: &[(DriftKind, String, String)]| {
        assert_eq!(found(&library), expected);
        assert!(!library.needs_aggregation());
        assert_eq!(found(&other), expected);
    };
    let deploys = opposite("c.md", "d.md");
    let valve = opposite("a.md", "b.md");
    check(std::slice::from_ref(&deploys));

    let all = acts::add_opposition(&library.to_write(), "primed", "drained").expect("it is new");
    assert!(all[0].is_own);
    assert!(library.needs_aggregation());
    assert!(other.needs_aggregation());
    check(&[valve.clone(), deploys]);

    acts::switch_opposition(&library.to_write(), "allow | forbid", false).expect("it is known");
    check(&[valve]);
    let listed = oppositions(&other).expect("they can be read");
    let off: Vec<&str> = listed
        .iter()
        .filter(|pair| !pair.is_on)
        .map(|pair| pair.id.as_str())
        .collect();
    assert_eq!(off, ["allow | forbid"]);

    acts::remove_opposition(&library.to_write(), "primed | drained").expect("it is there");
    check(&[]);
    // What changes nothing does not repeat the pass.
    acts::switch_opposition(&library.to_write(), "allow | forbid", false).expect("it is known");
    assert!(!library.needs_aggregation());
}

#[test]
fn a_refused_pair_changes_nothing() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let before = oppositions(&library).expect("they can be read");
    found(&library);
    for (words, opposite) in [
        ("open", "sealed"),
        ("primed", ""),
        ("offen", "geschlossen\u{df}"),
    ] {
        let refused = acts::add_opposition(&library.to_write(), words, opposite);
        assert!(refused.is_err(), "{words} | {opposite}");
    }
    assert_eq!(oppositions(&library).expect("they can be read"), before);
    assert!(!library.needs_aggregation());
}

#[test]
fn a_window_drops_what_the_old_pairs_found_and_compares_again() {
    let notes = notes();
    let dir = scratch();
    let watched = Watched::of(dir.path(), &[&notes]);
    let params = Params::default();
    let n_found = |answer: memlens_engine::view::DriftAnswer| {
        answer
            .report
            .map(|report| report.contradictions.len())
            .unwrap_or_default()
    };
    let before = watched
        .engine
        .drift_now(&params)
        .expect("the pass succeeds");
    assert_eq!(n_found(before), 1);
    acts::add_opposition(&watched.engine, "primed", "drained").expect("it is new");
    // The background may have compared them already.
    let between = watched.engine.drift(&params).expect("it can be read");
    assert_ne!(n_found(between), 1);
    let after = watched
        .engine
        .drift_now(&params)
        .expect("the pass succeeds");
    assert_eq!(n_found(after), 2);
}

#[test]
fn a_window_asks_the_model_of_the_second_opinion_in_the_background() {
    let notes = Notes::new(&[(
        "a.md",
        "# One\n\nThe mail relay listens on port 8093.\n\n# Two\n\nThe mail relay listens on port 8443.\n",
    )]);
    let dir = scratch();
    let mut watched = Watched::of(dir.path(), &[&notes]);
    let params = Params::default();
    let opinions = |watched: &Watched| -> Vec<Option<bool>> {
        let answer = watched.engine.drift(&params).expect("it can be read");
        let found = answer.report.expect("a pass was made").contradictions;
        let probable = found.iter().map(|drifted| {
            assert!(!drifted.sure);
            let opinion = drifted.second_opinion.as_ref();
            opinion.map(|opinion| opinion.contradiction > 0.8)
        });
        probable.collect()
    };
    watched
        .engine
        .drift_now(&params)
        .expect("the pass succeeds");
    assert_eq!(opinions(&watched), [None]);
    let before = watched.engine.state().second_opinions;
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tiny-nli");
    acts::choose_second_opinion(&watched.engine, model.to_str()).expect("it is such a model");
    watched.wait("the model is asked", |watched| {
        opinions(watched) == [Some(true)]
    });
    assert!(watched.engine.state().second_opinions > before);
    acts::choose_second_opinion(&watched.engine, None).expect("it can be removed");
    assert_eq!(opinions(&watched), [None]);
}
