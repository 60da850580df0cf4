//! The alarm: a saved note that past questions no longer find is reported, with the questions.

use std::time::Duration;

use memlens_engine::acts;
use memlens_engine::past;
use memlens_engine::view::Happening;
use memlens_engine::{PastFilter, PastOnly, PastPage};
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::{Notes, index};

use crate::watched::{Watched, scratch};

const QUESTION: &str = "which port does the router use";
const WITH: &str = "The router listens on port 8093.\n";
const WITHOUT: &str = "Bees are treated in December.\n";

fn asked() -> NewPast {
    NewPast {
        agent: "codex".to_owned(),
        session: "s".to_owned(),
        call: "1".to_owned(),
        at_ms: Some(jiff::Timestamp::now().as_millisecond()),
        is_opening: false,
        has_failed: false,
        is_pattern: false,
        served: None,
        question: QUESTION.to_owned(),
        settings: "{}".to_owned(),
        returned: Some("[]".to_owned()),
        opened: "[]".to_owned(),
        cited: "[]".to_owned(),
    }
}

/// Returns a library of two notes whose agents asked one question.
fn library(notes: &Notes) -> tempfile::TempDir {
    let dir = scratch();
    index(dir.path(), &[notes.path()]);
    let log = ReadLog {
        path: "/log".to_owned(),
        agent: "codex".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    store
        .keep_past(&log, &[asked()], &[])
        .expect("it can be kept");
    dir
}

/// Saves the note and waits for the alarm.
fn edit(watched: &mut Watched, notes: &Notes, text: &str) {
    watched.reported.clear();
    notes.write("router.md", text);
    watched.wait_reported(Happening::Changed, "router.md");
    watched.wait("everything is indexed", Watched::is_idle);
    std::thread::sleep(Duration::from_secs(2));
    watched.take_up();
}

#[test]
fn an_edit_that_takes_a_note_out_of_an_answer_is_reported() {
    let notes = Notes::new(&[("router.md", WITH), ("bees.md", WITHOUT)]);
    let dir = library(&notes);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    // The results of the question are learnt in the background. Until then an edit has nothing to be compared with.
    for _ in 0..20 {
        edit(&mut watched, &notes, WITHOUT);
        if watched.has_reported(Happening::Lost, "router.md") {
            break;
        }
        edit(&mut watched, &notes, WITH);
    }
    assert!(
        watched.has_reported(Happening::Lost, "router.md"),
        "{:?}",
        watched.reported
    );
    let listed = past::page(
        watched.engine.library(),
        &PastFilter::default(),
        PastOnly::All,
        &PastPage::default(),
    )
    .expect("they can be listed");
    let lost = listed.lost.expect("it is asked to the list too");
    assert_eq!(
        lost.sentence,
        "After this edit 1 past question does not find router.md any more (ranked by Memlens)."
    );
    assert_eq!(lost.edited, ["router.md"]);
    assert_eq!(lost.notes[0].questions[0].question, QUESTION);

    acts::forget_recall(&watched.engine).expect("it can be forgotten");
    let listed = past::page(
        watched.engine.library(),
        &PastFilter::default(),
        PastOnly::All,
        &PastPage::default(),
    )
    .expect("they can be listed");
    assert_eq!(listed.lost, None);
    let reported = watched.engine.activity();
    assert!(reported.iter().any(|it| it.what == Happening::Changed));
    assert!(
        reported.iter().all(|it| it.what != Happening::Lost),
        "{reported:?}"
    );
}

#[test]
fn nothing_is_reported_if_the_user_disabled_it() {
    let notes = Notes::new(&[("router.md", WITH), ("bees.md", WITHOUT)]);
    let dir = library(&notes);
    let mut watched = Watched::open(dir.path());
    acts::change_recall(
        &watched.engine,
        memlens_engine::RecallChange {
            is_alarm_on: Some(false),
            ..memlens_engine::RecallChange::default()
        },
    )
    .expect("it can be chosen");
    watched.wait("everything is indexed", Watched::is_idle);
    for text in [WITHOUT, WITH, WITHOUT] {
        edit(&mut watched, &notes, text);
        assert!(!watched.has_reported(Happening::Lost, "router.md"));
    }
}
