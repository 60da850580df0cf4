//! Observations that state the same in the whole memory: found, counted for ranking, and listed with their places.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use memlens_engine::view::AgreementStep;
use memlens_engine::{Engine, Event, Library, Listener, Said, SaidPlace, opened_cluster};
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

/// Notes that say the same in nearly the same words, with days of which two cannot be right.
fn reworded() -> Notes {
    let dated = |day: &str, text: &str| format!("---\ndate: {day}\n---\n{text}\n");
    Notes::new(&[
        ("ada/relay.md", &dated("2026-02-01", PORT)),
        (
            "iris/relay.md",
            &dated("2026-03-09", &PORT.replace("small", "little old")),
        ),
        ("otto/epoch.md", &dated("1970-01-01", PORT)),
        ("otto/future.md", &dated("2999-01-01", PORT)),
        ("otto/undated.md", PORT),
        (
            "zoe/garden.md",
            "The tomatoes behind the shed need water each morning.",
        ),
    ])
}

#[test]
fn every_limit_of_both_measures_counts_what_the_list_at_it_has() {
    let notes = reworded();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    agreed(&library);
    let clustering = library.clustering().expect("there was a pass");
    let of = |params: &Params| clustering.report(params, None);
    let at = |measure, simhash_distance, word_overlap| Params {
        agreement_measure: measure,
        simhash_distance,
        word_overlap,
        ..Params::default()
    };
    let report = of(&Params::default());
    assert_eq!((report.by_bits.len(), report.by_words.len()), (8, 51));
    for step in &report.by_bits {
        let listed = of(&at(AgreementMeasure::Simhash, step.limit as u32, 0.6));
        assert_eq!(listed.corroborated_count, step.n, "{} bits", step.limit);
    }
    for step in &report.by_words {
        let listed = of(&at(AgreementMeasure::Words, 3, step.limit));
        assert_eq!(listed.corroborated_count, step.n, "{} of words", step.limit);
    }
    let first_and_last = |steps: &[AgreementStep]| (steps[0].n, steps[steps.len() - 1].n);
    assert_eq!(first_and_last(&report.by_words), (4, 5));
    let scope = library.scope("iris").expect("it is there");
    let of_iris = clustering.report(&Params::default(), Some(&scope));
    assert_eq!(first_and_last(&of_iris.by_words), (0, 1));
}

#[test]
fn an_opened_statement_names_the_words_that_differ_and_both_distances() {
    let notes = reworded();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    agreed(&library);
    let folder = library.lists().snapshot.folders[0].id.0.to_string();
    let opened = |path: &str, line: u32, text: &str, word_overlap: f64| {
        let params = Params {
            agreement_measure: AgreementMeasure::Words,
            word_overlap,
            ..Params::default()
        };
        let place = SaidPlace {
            folder: &folder,
            path,
            line,
            text,
        };
        opened_cluster(&library, &params, place)
    };
    let report = |word_overlap: f64| {
        let params = Params {
            agreement_measure: AgreementMeasure::Words,
            word_overlap,
            ..Params::default()
        };
        let clustering = library.clustering().expect("there was a pass");
        clustering.report(&params, None).clusters
    };
    let [listed] = report(0.6)
        .try_into()
        .expect("one thing is said more than once");
    let days = (listed.first_date.as_deref(), listed.last_date.as_deref());
    assert_eq!(days, (Some("2026-02-01"), Some("2026-03-09")));
    assert_eq!(
        (listed.n_undated, listed.sources.join(" ")),
        (3, "ada iris otto".into())
    );

    let found = opened(
        "iris/relay.md",
        4,
        &PORT.replace("small", "little old"),
        0.6,
    )
    .expect("it is in the notes");
    assert_eq!(found.canonical.said.path, "ada/relay.md");
    assert_eq!(
        (found.n_members, found.members.len(), found.n_sources),
        (4, 4, 3)
    );
    let farthest = found.members.last().expect("it is said by others");
    let marked: Vec<&str> = farthest
        .parts
        .iter()
        .filter(|part| part.is_marked)
        .map(|part| part.text.as_str())
        .collect();
    assert_eq!(
        (marked, farthest.missing.as_slice()),
        (vec!["little old"], &["small".to_owned()][..])
    );
    assert_eq!(farthest.date.as_deref(), Some("2026-03-09"));
    assert!(farthest.bits > 0 && farthest.overlap < 1.0);
    let clustering = library.clustering().expect("there was a pass");
    for (steps, measure) in [
        (&found.by_bits, AgreementMeasure::Simhash),
        (&found.by_words, AgreementMeasure::Words),
    ] {
        for step in steps {
            let params = Params {
                agreement_measure: measure,
                simhash_distance: if measure == AgreementMeasure::Simhash {
                    step.limit as u32
                } else {
                    3
                },
                word_overlap: if measure == AgreementMeasure::Words {
                    step.limit
                } else {
                    0.6
                },
                ..Params::default()
            };
            let here = clustering
                .report(&params, None)
                .clusters
                .into_iter()
                .find(|cluster| {
                    let said = std::iter::once(&cluster.canonical).chain(&cluster.members);
                    said.into_iter().any(|said| said.path == "iris/relay.md")
                });
            let n = here.map_or(1, |cluster| cluster.n_members + 1);
            assert_eq!(step.n, n, "{measure:?} {}", step.limit);
        }
    }
    // Alone at the strictest limit, and its text nowhere in the notes.
    let alone = opened(
        "iris/relay.md",
        4,
        &PORT.replace("small", "little old"),
        1.0,
    );
    let alone = alone.expect("it is in the notes");
    assert_eq!((alone.n_members, alone.n_sources), (0, 1));
    assert_eq!(alone.canonical.said.path, "iris/relay.md");
    assert!(opened("iris/relay.md", 4, "It was deleted.", 0.6).is_none());
    // The text is found at another place of it.
    let moved = opened("iris/gone.md", 9, PORT, 1.0).expect("its text is in the notes");
    assert_eq!(moved.n_members, 3);
}
