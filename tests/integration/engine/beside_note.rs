//! Beside a note: the notes most like it, what says the same, and the past questions about it.

use std::collections::HashMap;

use memlens_engine::{
    FolderId, Library, RecallChange, acts, beside_note, note_questions, notes_like, said_elsewhere,
};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, index, open};
use serde_json::{Value, json};

use crate::watched::{Watched, scratch};

fn folder(library: &Library) -> FolderId {
    library.lists().snapshot.folders[0].id
}

/// The best cosine of two chunks of a note and each other note, by comparing all with all.
fn all_with_all(library: &Library, path: &str) -> Vec<(String, f64)> {
    let lists = library.lists();
    let mut best: HashMap<String, f64> = HashMap::new();
    let places = 0..lists.snapshot.n_chunks();
    let vector = |place: u32| lists.vectors.vector(lists.rows.whole(place)).to_vec();
    for own in places
        .clone()
        .filter(|at| lists.snapshot.chunk(*at).0.path == path)
    {
        for other in places.clone() {
            let name = &lists.snapshot.chunk(other).0.path;
            if name == path {
                continue;
            }
            let cosine = f64::from(lists.vectors.dot(&vector(own), lists.rows.whole(other)));
            let known = best.entry(name.clone()).or_insert(cosine);
            *known = known.max(cosine);
        }
    }
    let mut best: Vec<(String, f64)> = best.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    best.truncate(10);
    best
}

#[test]
fn the_notes_most_like_it_are_those_of_comparing_all_with_all() {
    // A note of many chunks that are all like the first, which must not hide the other notes.
    let crowd: String = (0..200)
        .map(|at| {
            format!(
                "## Part {at}\n\nThe push relay listens on port {at}. {}\n\n",
                "It hums. ".repeat(60)
            )
        })
        .collect();
    let mut notes = vec![
        (
            "a.md".to_owned(),
            "# Relay\n\nThe push relay listens on port 8093.\n\n# Bees\n\nBees sleep in winter.\n"
                .to_owned(),
        ),
        ("crowd.md".to_owned(), crowd),
    ];
    for at in 0..20 {
        let word = ["relay", "bees", "boat", "koi"][at % 4];
        notes.push((
            format!("n{at:02}.md"),
            format!("The {word} of number {at} is on port {at}.\n"),
        ));
    }
    let notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let notes = Notes::new(&notes);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    for path in ["a.md", "crowd.md", "n03.md"] {
        let found = notes_like(&library, folder(&library), path).expect("it can be read");
        let cosines: Vec<f64> = found.notes.iter().map(|note| note.cosine).collect();
        let expected = all_with_all(&library, path);
        let of_all: Vec<f64> = expected.iter().map(|(_, cosine)| *cosine).collect();
        if found.n_compared == found.n_chunks {
            assert_eq!(cosines, of_all, "{path}");
        } else {
            assert_eq!(found.n_compared, 64, "{path}");
        }
        for note in &found.notes {
            let whole: HashMap<_, _> = expected.iter().cloned().collect();
            assert!(
                whole
                    .get(&note.path)
                    .is_none_or(|cosine| note.cosine <= *cosine),
                "{path}"
            );
        }
    }
    let none = notes_like(&library, folder(&library), "gone.md").expect("it can be read");
    assert_eq!((none.notes.len(), none.n_chunks), (0, 0));
}

#[test]
fn statements_that_other_notes_make_are_listed_in_the_order_of_the_note() {
    let notes = Notes::new(&[
        (
            "a.md",
            "- The boat is lifted out in October every year.\n- Alone.\n- The push relay listens on port 8093 at night.\n",
        ),
        (
            "b.md",
            "- The push relay listens on port 8093 at night.\n- Alone too.\n",
        ),
        (
            "c.md",
            "- The push relay listens on port 8093 at night.\n- The boat is lifted out in October every year.\n",
        ),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = Params::default();
    assert_eq!(
        said_elsewhere(&library, &params, folder(&library), "a.md"),
        None
    );
    library.aggregate().expect("they can be compared");
    let said =
        said_elsewhere(&library, &params, folder(&library), "a.md").expect("they were compared");
    let shown: Vec<(u32, u32, u32, bool)> = said
        .statements
        .iter()
        .map(|one| {
            (
                one.own.line,
                one.n_others,
                one.n_notes,
                one.other.as_ref().is_some_and(|it| it.path != "a.md"),
            )
        })
        .collect();
    assert_eq!(shown, [(1, 1, 1, true), (3, 2, 2, true)]);
    assert_eq!((said.n, said.is_stale), (2, false));
}

/// A log of OpenClaw: one search that returned the router, after which the note on bees was opened.
fn log() -> String {
    let at = jiff::Timestamp::now().to_string();
    let line = |message: Value| {
        json!({"type": "message", "timestamp": at, "message": message}).to_string() + "\n"
    };
    let call = |id: &str, name: &str, arguments: Value| {
        let call = json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments});
        line(json!({"role": "assistant", "content": [call]}))
    };
    let results =
        json!([{"path": "memory/router.md", "startLine": 1, "endLine": 1, "score": 0.61}]);
    let answer = line(json!({
        "role": "toolResult", "toolCallId": "a", "toolName": "memory_search", "content": [], "details": {"results": results},
    }));
    let text = "Bees are treated in December.";
    let opened = line(json!({
        "role": "toolResult", "toolCallId": "b", "toolName": "memory_get",
        "content": [{"type": "text", "text": text}], "details": {"path": "memory/bees.md", "text": text},
    }));
    json!({"type": "session", "id": "7f3a", "timestamp": at}).to_string()
        + "\n"
        + &call("a", "memory_search", json!({"query": "which port"}))
        + &answer
        + &call("b", "memory_get", json!({"path": "memory/bees.md"}))
        + &opened
}

#[test]
fn past_questions_found_or_missed_a_note() {
    let home = Notes::new(&[
        (
            ".openclaw/workspace/memory/router.md",
            "The router listens on port 8093.\n",
        ),
        (
            ".openclaw/workspace/memory/bees.md",
            "Bees are treated in December.\n",
        ),
        (
            ".openclaw/workspace/memory/koi.md",
            "The koi eat at noon.\n",
        ),
        (".openclaw/agents/main/sessions/7f3a.jsonl", &log()),
    ]);
    let dir = scratch();
    index(dir.path(), &[&home.path().join(".openclaw/workspace")]);
    let mut watched = Watched::at_home(dir.path(), &home);
    watched.wait("everything is indexed", Watched::is_idle);
    let engine = &watched.engine;
    let library = engine.library();
    let of = |name: &str| {
        let path = format!("memory/{name}.md");
        note_questions(library, folder(library), &path).expect("it can be read")
    };
    let before = of("router");
    assert_eq!((before.n, before.n_past, before.is_allowed), (0, 0, false));
    let is_allowed = RecallChange {
        is_allowed: Some(true),
        ..RecallChange::default()
    };
    acts::change_recall(engine, is_allowed).expect("it can be chosen");
    acts::import_recall(engine, None).expect("it can be read");
    let router = of("router");
    let [found] = router.questions.as_slice() else {
        panic!("{router:?}")
    };
    assert_eq!(
        (
            found.question.as_str(),
            found.rank,
            found.is_opened,
            found.is_missed
        ),
        ("which port", Some(1), false, false)
    );
    let bees = of("bees");
    let missed: Vec<_> = bees.questions.iter().filter(|one| one.is_missed).collect();
    let [missed] = missed.as_slice() else {
        panic!("{bees:?}")
    };
    assert_eq!(
        (missed.question.as_str(), missed.rank, missed.is_opened),
        ("which port", None, true)
    );
    assert_eq!(of("koi").n, 0);
    assert!(of("koi").n_past > 0);
    let whole =
        beside_note(library, "memory/bees.md", None, &Params::default()).expect("it can be read");
    assert_eq!(whole.questions, bees);
}
