//! Past questions that the user forgets, or that became too old: nothing that was made of them stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use memlens_engine::acts;
use memlens_engine::past;
use memlens_engine::tuning;
use memlens_engine::view::{Happening, IfTaken, JobKind, NewSetFrom};
use memlens_engine::{EngineError, PastFilter, PastOnly, PastPage, RecallChange};
use memlens_params::Params;
use memlens_store::{Judgment, NewPast, Origin, ReadLog, ScoreCache, Store, StoreError};
use memlens_tests::{Notes, index, open};
use serde_json::json;

use crate::watched::{Watched, scratch};

pub(crate) const QUESTION: &str = "which port does the router use";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const LOG: &str = ".openclaw/agents/main/sessions/7f3a.jsonl";

pub(crate) fn days_ago(n: i64) -> i64 {
    jiff::Timestamp::now().as_millisecond() - n * DAY_MS
}

pub(crate) fn asked(call: &str, question: &str, at_ms: i64) -> NewPast {
    NewPast {
        agent: "openclaw".to_owned(),
        session: "s".to_owned(),
        call: call.to_owned(),
        at_ms: Some(at_ms),
        is_opening: false,
        has_failed: false,
        is_pattern: false,
        served: None,
        question: question.to_owned(),
        settings: "{}".to_owned(),
        returned: Some("[]".to_owned()),
        opened: "[]".to_owned(),
        cited: "[]".to_owned(),
    }
}

pub(crate) fn notes() -> Notes {
    Notes::new(&[
        ("router.md", "The router listens on port 8093.\n"),
        ("bees.md", "Bees are treated in December.\n"),
    ])
}

/// The words that are in a file below a folder.
pub(crate) fn found<'a>(dir: &Path, words: &[&'a str]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(self::found(&path, words));
            continue;
        }
        let bytes = fs::read(&path).expect("it can be read");
        let is_there = |word: &&&str| {
            let mut at = bytes.windows(word.len());
            at.any(|bytes| bytes == word.as_bytes())
        };
        found.extend(words.iter().filter(is_there));
    }
    found
}

/// A library with these questions, and a judgment of each.
pub(crate) fn library(notes: &Notes, questions: &[NewPast]) -> tempfile::TempDir {
    let dir = scratch();
    index(dir.path(), &[notes.path()]);
    let log = ReadLog {
        path: "/log".to_owned(),
        agent: "openclaw".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let judgments: Vec<Judgment> = questions
        .iter()
        .map(|asked| Judgment {
            origin: Origin::Observed,
            question: asked.question.clone(),
            hash: [7; 32],
            text: "The router listens on port 8093.".to_owned(),
            path: "router.md".to_owned(),
            at_ms: asked.at_ms.expect("it has a time"),
        })
        .collect();
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    store
        .keep_past(&log, questions, &judgments)
        .expect("it can be kept");
    dir
}

/// Whether the vector of the question is kept on the disk.
fn is_vector_kept(watched: &Watched) -> bool {
    let library = watched.engine.library();
    let model = format!("question of {}", library.lists().vectors.model());
    let cache = ScoreCache::open(library.dir()).expect("it can be opened");
    let found = cache
        .vectors_of(&model, &[QUESTION])
        .expect("they can be read");
    found[0].is_some()
}

/// How many questions there are, and whether a replay is known.
fn known(watched: &Watched) -> (u32, bool) {
    let library = watched.engine.library();
    let listed = past::page(
        library,
        &PastFilter::default(),
        PastOnly::All,
        &PastPage::default(),
    )
    .expect("they can be listed");
    (listed.n_all, listed.replay.is_some())
}

fn n_observed(watched: &Watched) -> usize {
    let store = watched.engine.library().store();
    store
        .judgments(Origin::Observed)
        .expect("they can be read")
        .len()
}

fn replay(watched: &Watched) {
    let replayed = past::replay(watched.engine.library(), &PastFilter::default(), None)
        .expect("they can be asked");
    assert!(replayed.is_some());
}

#[test]
fn what_was_made_of_questions_goes_with_them() {
    let notes = notes();
    let dir = library(&notes, &[asked("1", QUESTION, days_ago(1))]);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    replay(&watched);
    assert_eq!(known(&watched), (1, true));
    assert!(is_vector_kept(&watched));
    assert_eq!(acts::forget_recall(&watched.engine).expect("it can"), 1);
    assert_eq!(known(&watched), (0, false));
    assert!(!is_vector_kept(&watched));
    assert_eq!(n_observed(&watched), 0);
}

#[test]
fn erasing_all_leaves_nothing_of_what_happened() {
    let notes = notes();
    let dir = library(&notes, &[asked("1", QUESTION, days_ago(1))]);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    notes.write("koi.md", "The koi eat at noon.\n");
    watched.wait_reported(Happening::Added, "koi.md");
    replay(&watched);
    watched.engine.erase_all().expect("it can be erased");
    assert_eq!(known(&watched), (0, false));
    assert_eq!(watched.engine.activity(), []);
}

#[test]
fn what_is_older_than_the_person_keeps_it_goes_at_once() {
    let notes = notes();
    let all = [
        asked("1", QUESTION, days_ago(40)),
        asked("2", "when are bees treated", days_ago(20)),
    ];
    let dir = library(&notes, &all);
    let watched = Watched::open(dir.path());
    let keep = |keep_days: u32| {
        acts::change_recall(
            &watched.engine,
            RecallChange {
                keep_days: Some(keep_days),
                ..RecallChange::default()
            },
        )
    };
    replay(&watched);
    keep(60).expect("it can be chosen");
    assert_eq!((known(&watched), n_observed(&watched)), ((2, true), 2));
    assert!(is_vector_kept(&watched));
    keep(30).expect("it can be chosen");
    // What was made of them goes along.
    assert_eq!((known(&watched), n_observed(&watched)), ((1, false), 1));
    assert!(!is_vector_kept(&watched));
    let refused = keep(0);
    assert!(
        matches!(refused, Err(EngineError::System { .. })),
        "{refused:?}"
    );
}

/// An agent's log with so many searches.
fn log_of(n_questions: usize) -> String {
    let at = jiff::Timestamp::now().to_string();
    let line = |message: serde_json::Value| {
        json!({"type": "message", "timestamp": at, "message": message}).to_string() + "\n"
    };
    let mut log = json!({"type": "session", "id": "7f3a", "timestamp": at}).to_string() + "\n";
    for id in 0..n_questions {
        let id = id.to_string();
        let call = json!({
            "type": "toolCall", "id": id, "name": "memory_search", "arguments": {"query": format!("question {id}")},
        });
        log += &line(json!({"role": "assistant", "content": [call]}));
        log += &line(json!({
            "role": "toolResult", "toolCallId": id, "toolName": "memory_search", "content": [], "details": {"results": []},
        }));
    }
    log
}

#[test]
fn imports_that_are_stopped_lose_nothing_and_the_next_one_reads_the_rest() {
    let notes = notes();
    notes.write(LOG, log_of(200));
    let dir = scratch();
    let watched = Watched::at_home(dir.path(), &notes);
    let engine = &watched.engine;
    acts::change_recall(
        engine,
        RecallChange {
            is_allowed: Some(true),
            ..RecallChange::default()
        },
    )
    .expect("it can be chosen");
    std::thread::scope(|scope| {
        // One of them waits for the other.
        let imports = [(); 2].map(|()| scope.spawn(|| acts::import_recall(engine, None)));
        while imports.iter().any(|import| !import.is_finished()) {
            engine.library().stop(JobKind::Import);
            std::thread::yield_now();
        }
        for import in imports {
            let imported = import.join().expect("it does not panic");
            let imported = imported.expect("a stop is no error");
            assert!(imported.is_stopped || known(&watched).0 == 200);
        }
    });
    let imported = acts::import_recall(engine, None).expect("it can be read");
    assert!(!imported.is_stopped);
    assert_eq!(known(&watched).0, 200);
}

#[test]
fn an_import_is_refused_before_it_reads_anything_while_another_process_writes() {
    let notes = notes();
    let dir = scratch();
    let watched = Watched::at_home(dir.path(), &notes);
    // Not allowed either, which is read under the lock.
    let refused = acts::import_recall(&open(dir.path()).to_write(), None);
    assert!(
        matches!(refused, Err(EngineError::Store(StoreError::Locked { .. }))),
        "{refused:?}"
    );
    drop(watched);
    let refused = acts::import_recall(&open(dir.path()).to_write(), None);
    assert!(
        matches!(refused, Err(EngineError::RecallNotAllowed)),
        "{refused:?}"
    );
}

#[test]
fn a_delayed_read_of_the_logs_reads_nothing_forgotten_meanwhile() {
    let notes = notes();
    notes.write(LOG, log_of(200));
    let dir = scratch();
    let watched = Watched::at_home(dir.path(), &notes);
    let engine = &watched.engine;
    for _ in 0..8 {
        acts::change_recall(
            engine,
            RecallChange {
                is_allowed: Some(true),
                ..RecallChange::default()
            },
        )
        .expect("it can be chosen");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| match acts::import_recall(engine, None) {
                    Ok(_) | Err(EngineError::RecallNotAllowed) => {}
                    Err(error) => panic!("{error}"),
                });
            }
            acts::forget_recall(engine).expect("it can be forgotten");
        });
        assert_eq!(known(&watched).0, 0);
    }
    // Nothing keeps it from being read again.
    acts::change_recall(
        engine,
        RecallChange {
            is_allowed: Some(true),
            ..RecallChange::default()
        },
    )
    .expect("it can be chosen");
    assert_eq!(
        acts::import_recall(engine, None)
            .expect("it can be read")
            .n_new,
        200
    );
}

#[test]
fn a_replay_leaves_alone_what_a_person_looks_at() {
    let notes = notes();
    let all: Vec<NewPast> = (0..30)
        .map(|at| {
            asked(
                &at.to_string(),
                &format!("question {at} of bees"),
                days_ago(1),
            )
        })
        .collect();
    let dir = library(&notes, &all);
    let watched = Watched::open(dir.path());
    let library = watched.engine.library();
    let search = library
        .search("bees", &Params::default(), None)
        .expect("it can be asked");
    replay(&watched);
    assert!(library.kept(search.id).is_ok());
}

#[test]
fn a_question_that_cannot_be_asked_ends_no_replay() {
    let notes = notes();
    let all = [
        asked("1", QUESTION, days_ago(1)),
        asked("2", " ", days_ago(1)),
    ];
    let dir = library(&notes, &all);
    let watched = Watched::open(dir.path());
    let library = watched.engine.library();
    let summary = past::replay(library, &PastFilter::default(), None)
        .expect("one can be asked")
        .expect("nobody stopped it");
    assert_eq!(summary.n_questions, 1);
    let reported = summary.notices.join("\n");
    assert!(
        reported.contains("1 question could not be asked again: "),
        "{reported}"
    );
}

#[test]
fn no_word_of_what_was_forgotten_is_left_in_any_file() {
    // No other word begins like these, so that the list of words holds them whole.
    let [asked_word, note_word, set_word, run_word] =
        ["zyzzyva", "xylophone", "quincunx", "jodhpurs"];
    let words = [asked_word, note_word, set_word, run_word];
    let notes = notes();
    notes.write(
        "gone.md",
        format!("# {note_word}\n\nThe {note_word} stands here.\n"),
    );
    let question = format!("which port does the {asked_word} use");
    let dir = library(&notes, &[asked("1", &question, days_ago(1))]);
    // A run of the past questions, as it is kept.
    let run = json!({
        "schema_version": 1, "queries": "Past questions", "queries_hash": "", "corpus": "", "pipeline": "native",
        "params": {}, "all": null, "nothing": null,
        "per_query": [{"id": "past-1", "query": question, "category": null, "recall@1": 1.0, "recall@5": 1.0,
            "recall@10": 1.0, "hit@1": 1.0, "hit@5": 1.0, "hit@10": 1.0, "mrr@10": 1.0, "ndcg@10": 1.0,
            "precision": 1.0, "hit_file": 1.0, "hit_file@1": 1.0, "hit_file@5": 1.0, "returned": 1.0}],
    });
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    let kept_run = store.add_run("kept", 1, &run.to_string());
    let kept_run = kept_run.expect("it can be saved");
    let own_run = store
        .add_run(run_word, 1, run_word)
        .expect("it can be saved");
    drop(store);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    let engine = &watched.engine;
    let past = NewSetFrom::Set {
        set: "past".to_owned(),
    };
    let make = |name: &str, from: &NewSetFrom| {
        let made = acts::new_query_set(engine, name, from, IfTaken::Refuse);
        made.expect("it can be made").info
    };
    let of_past = make("Copied", &past);
    let own = NewSetFrom::Questions {
        questions: vec![set_word.to_owned()],
    };
    let own = make("Own", &own);
    assert_eq!(found(dir.path(), &words), BTreeSet::from(words));

    acts::forget_recall(engine).expect("it can be forgotten");
    acts::delete_query_set(engine, &own.id).expect("it can be deleted");
    acts::delete_run(engine, &own_run.to_string()).expect("it can be deleted");
    let sets = tuning::query_sets(engine.library()).expect("they can be listed");
    assert!(sets.iter().all(|it| it.id != of_past.id), "{sets:?}");
    let run = engine
        .library()
        .store()
        .run(kept_run)
        .expect("it can be read");
    let run = run.expect("its figures stay").content;
    assert!(run.contains("(forgotten)"), "{run}");
    fs::remove_file(notes.at("gone.md")).expect("it is there");
    watched.wait_reported(Happening::Deleted, "gone.md");
    watched.wait("everything is indexed", Watched::is_idle);
    // It comes to rest when it is closed, at the latest.
    drop(watched);
    assert_eq!(found(dir.path(), &words), BTreeSet::new());
}
