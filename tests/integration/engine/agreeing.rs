//! Observations that state the same in the whole memory: found, counted for ranking, and listed with their places.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use memlens_engine::{Engine, Event, Library, Listener, Said};
use memlens_params::{AgreementMeasure, Params, StageId};
use memlens_tests::{Notes, fresh, hashing, index, open};

const PORT: &str = "The push relay listens on port 8093 of the small server in the hall.";

/// Returns notes of which three name the same port of the relay, and a fourth names another port.
fn notes() -> Notes {
    let notes = Notes::new(&[
        (
            "iris/relay.md",
            &format!("# Relay\n\n- {PORT}\n- It is grey.\n"),
        ),
        (
            "otto/log.md",
            &format!(
                "---\nagent: otto\ndate: 2026-01-05\n---\nQuiet day.\n\n{}\n",
                PORT.to_lowercase()
            ),
        ),
        ("otto/other.md", &PORT.replace("8093", "8443")),
    ]);
    notes.write(
        "said.jsonl",
        format!("{{\"text\": \"{PORT}\", \"agent\": \"ada\", \"weight\": 3}}\n"),
    );
    notes
}

fn agreed(library: &Library) -> Params {
    assert_eq!(library.aggregate().ok(), Some(true));
    assert_eq!(
        library.aggregate().ok(),
        Some(false),
        "nothing changed since"
    );
    Params {
        corroboration_on: true,
        ..Params::default()
    }
}

fn places(said: &[Said]) -> Vec<(&str, u32, &str)> {
    said.iter()
        .map(|said| (said.path.as_str(), said.line, said.source.as_str()))
        .collect()
}

#[test]
fn what_is_said_more_than_once_is_reported_with_its_places() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = agreed(&library);
    let report = library
        .clustering()
        .expect("there was a pass")
        .report(&params, None);
    let [cluster] = report.clusters.as_slice() else {
        panic!("one thing is said more than once: {:?}", report.clusters)
    };
    // The heaviest observation represents the cluster; the one with another port is not in it.
    assert_eq!(
        places(std::slice::from_ref(&cluster.canonical)),
        [("said.jsonl", 1, "ada")]
    );
    assert_eq!(
        places(&cluster.members),
        [("iris/relay.md", 3, "iris"), ("otto/log.md", 7, "otto")]
    );
    assert!(
        cluster
            .members
            .iter()
            .all(|member| member.distance == 0.0 && member.measure == AgreementMeasure::Simhash)
    );
    assert_eq!((cluster.n_sources, report.corroborated_count), (3, 3));
    assert_eq!(report.n_observations, 6);
}

#[test]
fn a_supported_row_is_boosted_and_its_journey_names_who_supports_it() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let question = "which port does the push relay listen on";
    let before = library
        .search(question, &Params::default(), None)
        .expect("it can be searched");
    let params = agreed(&library);
    // A search made before the pass is unchanged.
    let stage = before.rank(&params);
    let stage = stage.stage(StageId::CORROBORATION).expect("it is a stage");
    assert!(stage.entries.is_empty());

    let search = library
        .search(question, &params, None)
        .expect("it can be searched");
    let trace = search.rank(&params);
    let supported: Vec<(String, u32)> = trace
        .kept()
        .iter()
        .map(|slot| {
            let journey = search.journey(&params, *slot).expect("it can be explained");
            assert_eq!(journey.supporters.len() as u32, journey.n_supporters);
            (journey.row.path, journey.n_supporters)
        })
        .filter(|(_, n_supporters)| *n_supporters > 0)
        .collect();
    let mut supported = supported;
    supported.sort();
    let expected = ["iris/relay.md", "otto/log.md", "said.jsonl"].map(|path| (path.to_owned(), 2));
    assert_eq!(supported, expected);
    for entry in &trace
        .stage(StageId::CORROBORATION)
        .expect("it is a stage")
        .entries
    {
        let (before, after) = (
            entry.score_before.expect("fused"),
            entry.score_after.expect("boosted"),
        );
        let boost = 0.1 * 3_f64.log2();
        let is_boosted = (after - before - boost).abs() < 1e-12;
        assert!(is_boosted || after == before, "{before} {after}");
    }
}

#[test]
fn chunks_of_notes_that_came_since_hold_nothing_until_the_next_pass() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = agreed(&library);
    notes.write("new.md", PORT);
    index(dir.path(), &[notes.path()]);
    assert_eq!(library.refresh().ok(), Some(true));
    let n_supporters = || {
        let search = library
            .search("push relay port", &params, None)
            .expect("it can be searched");
        let slot = (0..search.set().candidates.len() as u32)
            .find(|slot| search.row(*slot).is_ok_and(|row| row.path == "new.md"))
            .expect("it is found");
        search
            .journey(&params, slot)
            .expect("it can be explained")
            .n_supporters
    };
    assert!(library.needs_aggregation());
    assert_eq!(n_supporters(), 0);
    assert_eq!(library.aggregate().ok(), Some(true));
    assert_eq!(n_supporters(), 3);
    notes.remove("iris/relay.md");
    index(dir.path(), &[notes.path()]);
    assert_eq!(library.refresh().ok(), Some(true));
    assert_eq!(library.aggregate().ok(), Some(true));
    assert_eq!(n_supporters(), 2);
}

#[test]
fn overlapping_chunks_do_not_corroborate_themselves() {
    let lines: String = (0..80)
        .map(|at| {
            format!(
                "- Shelf {at} of the cellar holds {} jars of plum jam from the old tree.\n",
                at * 7
            )
        })
        .collect();
    let notes = Notes::new(&[("cellar.md", lines.as_str())]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    assert!(library.lists().snapshot.n_chunks() > 2);
    let params = agreed(&library);
    let report = library
        .clustering()
        .expect("there was a pass")
        .report(&params, None);
    assert_eq!((report.n_observations, report.corroborated_count), (80, 0));
}

#[test]
fn what_several_sources_say_comes_before_copies() {
    let copied = "Water the tomatoes behind the shed before eight each morning.";
    let notes = Notes::new(&[
        ("ada/garden.md", &format!("- {copied}\n- {PORT}\n")),
        ("ada/plan.md", &format!("{copied}\n")),
        ("ada/old.md", &format!("{copied}\n")),
        ("otto/relay.md", &format!("{PORT}\n")),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = agreed(&library);
    let clustering = library.clustering().expect("there was a pass");
    let first = |scope: Option<&str>| {
        let scope = scope.map(|typed| library.scope(typed).expect("it is there"));
        let report = clustering.report(&params, scope.as_ref());
        let each = report.clusters.into_iter();
        each.map(|it| (it.n_sources, it.n_members))
            .collect::<Vec<_>>()
    };
    assert_eq!(first(None), [(2, 1), (1, 2)]);
    assert_eq!(first(Some("otto")), [(2, 1)]);
    assert_eq!(first(Some("ada/old.md")), [(1, 2)]);
}

#[test]
fn the_engine_compares_once_somebody_makes_use_of_it() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let (reported, events) = mpsc::channel();
    let listener: Listener = Arc::new(move |event| {
        let _ = reported.send(event);
    });
    let engine = Engine::open(dir.path(), hashing(), listener).expect("it can be opened");
    engine.keep_aggregated(&Params::default());
    assert_eq!(engine.state().clustering, None);
    let params = Params {
        corroboration_on: true,
        ..Params::default()
    };
    engine.keep_aggregated(&params);
    let is_compared =
        |event: &Event| matches!(event, Event::State(state) if state.clustering.is_some());
    let compared =
        std::iter::from_fn(|| events.recv_timeout(Duration::from_secs(60)).ok()).find(is_compared);
    assert!(compared.is_some(), "it is reported when they are compared");
    let search = engine
        .library()
        .search("push relay port", &params, None)
        .expect("it can be searched");
    let answer = engine.library().answer(&search, &params);
    assert_eq!(
        answer.expect("it can be explained").clustering,
        engine.state().clustering
    );
}
