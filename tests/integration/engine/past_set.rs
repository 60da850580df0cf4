//! The live query set of past questions, copies of it, and what forgetting leaves of both.

use std::collections::BTreeSet;

use memlens_engine::view::{CopiedPast, IfTaken, NewSetFrom, QueryEdit, QuerySetInfo};
use memlens_engine::{EngineError, acts, past, recall_logs, tuning};
use memlens_store::{Judgment, NewPast, Origin, ReadLog, Store, StoredPreset};
use memlens_tests::Notes;
use serde_json::json;

use crate::forgetting::{QUESTION, asked, days_ago, found, library, notes};
use crate::watched::{Watched, scratch};

fn log() -> ReadLog {
    ReadLog {
        path: "/log".to_owned(),
        agent: "openclaw".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    }
}

fn open_with(notes: &Notes, questions: &[NewPast]) -> (tempfile::TempDir, Watched) {
    let dir = library(notes, questions);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    (dir, watched)
}

fn sets(watched: &Watched) -> Vec<QuerySetInfo> {
    let library = watched.engine.library();
    tuning::query_sets(library).expect("they can be listed")
}

fn names(watched: &Watched) -> Vec<String> {
    sets(watched).into_iter().map(|it| it.name).collect()
}

fn questions_of(watched: &Watched, set: &str) -> Vec<String> {
    let set = tuning::query_set(watched.engine.library(), set);
    let queries = set.expect("it is there").queries;
    queries.into_iter().map(|it| it.query).collect()
}

fn copies(watched: &Watched) -> Vec<CopiedPast> {
    let logs = recall_logs(watched.engine.library());
    logs.expect("they can be listed").copies
}

/// A question after which a note was opened.
fn opened(call: &str, question: &str, path: &str, at_ms: i64) -> NewPast {
    NewPast {
        opened: json!([{"path": path, "lines": [1, 1], "at_ms": at_ms}]).to_string(),
        ..asked(call, question, at_ms)
    }
}

#[test]
fn the_set_follows_the_questions_and_is_there_again_after_forgetting() {
    let notes = notes();
    // After the notes were written.
    let now = days_ago(-1);
    let dir = library(&notes, &[opened("1", QUESTION, "router.md", now)]);
    let library = memlens_tests::open(dir.path());
    let keep = |question: &NewPast| {
        let mut store = Store::open(dir.path()).expect("nobody else writes");
        let kept = store.keep_past(&log(), std::slice::from_ref(question), &[]);
        kept.expect("it can be kept");
    };
    let names = || -> Vec<String> {
        let sets = tuning::query_sets(&library).expect("they can be listed");
        sets.into_iter().map(|it| it.name).collect()
    };
    let questions = |set: &str| -> Vec<String> {
        let queries = tuning::query_set(&library, set)
            .expect("it is there")
            .queries;
        queries.into_iter().map(|it| it.query).collect()
    };
    assert_eq!(names(), ["Judgments", "Past questions"]);
    let live = tuning::query_sets(&library)
        .expect("they can be listed")
        .remove(1);
    assert_eq!(
        (&*live.id, live.is_live, live.counts.n_judged),
        ("past", true, 1)
    );
    keep(&asked("2", "when are bees treated", now));
    assert_eq!(questions("past"), [QUESTION, "when are bees treated"]);
    // By its name too, in any case.
    assert_eq!(questions("past Questions").len(), 2);
    let refused = acts::delete_query_set(&library.to_write(), "past");
    let refused = refused.expect_err("it is not stored").to_string();
    assert!(refused.contains("forget past questions"), "{refused}");

    acts::forget_recall(&library.to_write()).expect("it can be forgotten");
    assert_eq!(names(), ["Judgments"]);
    keep(&asked("3", "who feeds the koi", now));
    assert_eq!(questions("past"), ["who feeds the koi"]);
}

#[test]
fn notes_that_changed_since_are_counted_and_left_out() {
    let notes = notes();
    for name in ["router.md", "bees.md"] {
        let file = std::fs::File::options().write(true).open(notes.at(name));
        let dated = file.and_then(|file| file.set_modified(std::time::SystemTime::now()));
        dated.expect("it is ours");
    }
    let questions = [
        opened("1", QUESTION, "router.md", days_ago(3)),
        opened("2", "when are bees treated", "bees.md", days_ago(3)),
        opened("3", "who feeds the koi", "koi.md", days_ago(-1)),
    ];
    let (_dir, watched) = open_with(&notes, &questions);
    let library = watched.engine.library();
    let set = tuning::query_set(library, "past").expect("it is there");
    // Both notes were saved after the questions.
    let expected = [
        "2 opened or cited notes were changed since and are not counted",
        "1 opened or cited note is not counted: it is gone, not watched, or one of several with its name",
    ];
    assert_eq!(set.notices, expected);
    assert!(set.queries.iter().all(|it| it.relevant.is_none()));
    let out = scratch();
    let notices = past::write_queries(
        library,
        &Default::default(),
        &out.path().join("queries.jsonl"),
    );
    assert_eq!(notices.expect("it can be written"), expected);
}

#[test]
fn each_agent_of_a_program_has_its_own_questions() {
    let notes = notes();
    let now = days_ago(-1);
    let dir = library(&notes, &[]);
    let keep = |member: &str, questions: &[NewPast]| {
        let log = ReadLog {
            path: format!("/home/iris/.openclaw/agents/{member}/sessions/{member}.jsonl"),
            ..log()
        };
        let mut store = Store::open(dir.path()).expect("nobody else writes");
        let kept = store.keep_past(&log, questions, &[]);
        kept.expect("it can be kept");
    };
    let of_set = || -> Vec<(String, Option<String>, Vec<String>)> {
        let library = memlens_tests::open(dir.path());
        let set = tuning::query_set(&library, "past").expect("it is there");
        let queries = set.queries.into_iter().map(|query| {
            let relevant = query.relevant.into_iter().flatten();
            let names = relevant.map(|gold| {
                let name = gold.path.rsplit('/').next();
                name.unwrap_or_default().to_owned()
            });
            (query.query, query.category, names.collect())
        });
        queries.collect()
    };
    let row = |category: &str, note: &str| {
        let category = Some(category.to_owned());
        (QUESTION.to_owned(), category, vec![note.to_owned()])
    };
    keep("main", &[opened("1", QUESTION, "router.md", now)]);
    assert_eq!(of_set(), [row("openclaw", "router.md")]);
    keep("lab", &[opened("2", QUESTION, "bees.md", now + 1)]);
    assert_eq!(
        of_set(),
        [
            row("openclaw (main)", "router.md"),
            row("openclaw (lab)", "bees.md")
        ]
    );
}

#[test]
fn a_copied_question_that_the_user_edited_is_theirs() {
    let notes = notes();
    let now = days_ago(0);
    let questions = [
        asked("1", QUESTION, now),
        asked("2", "when are bees treated", now),
    ];
    let (_dir, watched) = open_with(&notes, &questions);
    let engine = &watched.engine;
    let past = NewSetFrom::Set {
        set: "past".to_owned(),
    };
    let make = |name: &str| acts::new_query_set(engine, name, &past, IfTaken::Replace);
    let copy = make("Mine").expect("it can be made").info;
    let all = make("All").expect("it can be made").info;
    assert!(!copy.is_live && copy.id != all.id);
    for name in ["Past questions", "past"] {
        let made = make(name);
        assert!(
            matches!(made, Err(EngineError::QuerySet { .. })),
            "{name} is taken"
        );
    }
    let set = tuning::query_set(engine.library(), &copy.id).expect("it is there");
    let edit = QueryEdit {
        id: Some(set.queries[0].id.clone()),
        query: "which port does the new router use".to_owned(),
        category: None,
        scope: None,
        relevant: None,
    };
    acts::save_query(engine, &copy.id, &edit).expect("it can be saved");
    let copied = |set: &str, n_queries, n_kept| CopiedPast {
        set: set.to_owned(),
        n_queries,
        n_kept,
    };
    assert_eq!(
        copies(&watched),
        [copied("All", 2, 0), copied("Mine", 1, 1)]
    );
    acts::forget_recall(engine).expect("it can be forgotten");
    assert_eq!(names(&watched), ["Judgments", "Mine"]);
    assert_eq!(
        questions_of(&watched, "Mine"),
        ["which port does the new router use"]
    );
    assert_eq!(copies(&watched), []);
}

#[test]
fn a_set_that_an_earlier_version_stored_is_still_found() {
    let notes = notes();
    let dir = library(&notes, &[asked("1", QUESTION, days_ago(0))]);
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    let content = json!({"base": "", "queries": [{"id": "past-1", "query": "who feeds the koi"}]});
    let stored = memlens_store::NewSet {
        hash: "0".repeat(64),
        changed_ms: 1,
        summary: "{}".to_owned(),
        content: content.to_string(),
    };
    let id = store
        .add_query_set("Past questions", &stored)
        .expect("it can be saved")
        .expect("it is new")
        .to_string();
    drop(store);
    let notices = |watched: &Watched, named: &str| {
        let set = tuning::query_set(watched.engine.library(), named);
        set.expect("it is there").notices.join("\n")
    };
    let renamed = "your stored set of this name is now called “Past questions (copy)”";
    {
        let watched = Watched::open(dir.path());
        let expected = ["Judgments", "Past questions", "Past questions (copy)"];
        assert_eq!(names(&watched), expected);
        for named in ["Past questions (copy)", &id] {
            assert_eq!(questions_of(&watched, named), ["who feeds the koi"]);
        }
        assert_eq!(questions_of(&watched, "Past questions"), [QUESTION]);
        assert!(notices(&watched, "Past questions").contains(renamed));
        assert!(!notices(&watched, "Past questions (copy)").contains("is now called"));
    }
    // A set of the user's has the marked name already.
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    let other = memlens_store::NewSet {
        content: json!({"base": "", "queries": []}).to_string(),
        ..stored
    };
    let added = store.add_query_set("Past questions (copy)", &other);
    assert!(added.expect("it can be saved").is_some());
    drop(store);
    let watched = Watched::open(dir.path());
    let none: [&str; 0] = [];
    assert_eq!(questions_of(&watched, "Past questions (copy)"), none);
    let found = questions_of(&watched, "Past questions (copy 2)");
    assert_eq!(found, ["who feeds the koi"]);
}

/// A library in which each word is planted where a past question leaves it: its words, the text of a result, the path of what was
/// opened, the text of a judgment, a copied set, and a run. Besides, a preset of the user's.
fn planted(notes: &Notes, words: [&str; 7]) -> tempfile::TempDir {
    let [asked_word, result, path, judged, set, run, preset] = words;
    let question = format!("which port does the {asked_word} use");
    let dir = library(notes, &[]);
    let past = NewPast {
        returned: Some(
            json!([{"path": "router.md", "lines": [1, 1], "score": 0.5, "text": format!("The {result}.")}])
                .to_string(),
        ),
        opened: json!([{"path": format!("{path}.md"), "lines": [1, 1], "at_ms": 5}]).to_string(),
        ..asked("1", &question, days_ago(1))
    };
    let judgment = Judgment {
        origin: Origin::Observed,
        question: question.clone(),
        hash: [7; 32],
        text: format!("The {judged} listens."),
        path: "router.md".to_owned(),
        at_ms: 5,
    };
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    store
        .keep_past(&log(), &[past], &[judgment])
        .expect("it can be kept");
    let record = json!({
        "schema_version": 1, "queries": "Past questions", "queries_hash": "", "corpus": "", "pipeline": "native",
        "params": {}, "all": null, "nothing": null,
        "per_query": [{"id": "past-1", "query": format!("who is the {run}"), "category": null, "recall@1": 1.0,
            "recall@5": 1.0, "recall@10": 1.0, "hit@1": 1.0, "hit@5": 1.0, "hit@10": 1.0, "mrr@10": 1.0, "ndcg@10": 1.0,
            "precision": 1.0, "hit_file": 1.0, "hit_file@1": 1.0, "hit_file@5": 1.0, "returned": 1.0}],
    });
    // The run's question is one of the log too, and a copied set holds one that the log has lost since.
    let of_run = asked("2", &format!("who is the {run}"), days_ago(1));
    store
        .keep_past(&log(), &[of_run], &[])
        .expect("it can be kept");
    store
        .add_run("of past questions", 1, &record.to_string())
        .expect("it can be saved");
    let copied =
        json!({"base": "", "queries": [{"id": "past-90", "query": format!("where is the {set}")}]});
    let copied = memlens_store::NewSet {
        hash: "1".to_owned(),
        changed_ms: 1,
        summary: "{}".to_owned(),
        content: copied.to_string(),
    };
    store
        .add_query_set("Copied", &copied)
        .expect("it can be saved");
    let of_user = StoredPreset {
        name: preset.to_owned(),
        params: "{}".to_owned(),
    };
    store.save_preset(&of_user).expect("it can be saved");
    // All that the user made is in a file of its own too.
    store.come_to_rest(true).expect("it can rest");
    dir
}

const WORDS: [&str; 7] = [
    "zyzzyva",
    "xylophone",
    "quincunx",
    "jodhpurs",
    "kumquat",
    "wysteria",
    "ukulele",
];

#[test]
fn forgetting_leaves_no_word_of_a_past_question_in_any_byte() {
    let notes = notes();
    let dir = planted(&notes, WORDS);
    assert_eq!(found(dir.path(), &WORDS), BTreeSet::from(WORDS));
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    // What is made of the live set while it is measured.
    assert_eq!(questions_of(&watched, "past").len(), 2);
    acts::forget_recall(&watched.engine).expect("it can be forgotten");
    drop(watched);
    // The preset is the user's.
    assert_eq!(found(dir.path(), &WORDS), BTreeSet::from([WORDS[6]]));
}

#[test]
fn erasing_leaves_no_word_of_anything_in_any_byte() {
    let notes = notes();
    let dir = planted(&notes, WORDS);
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    watched.engine.erase_all().expect("it can be erased");
    drop(watched);
    assert_eq!(found(dir.path(), &WORDS), BTreeSet::new());
}
