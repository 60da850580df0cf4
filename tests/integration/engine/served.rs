//! Calls that Memlens served: recorded after consent, stored once, asked again as they were answered, forgotten with the rest.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use memlens_agents::{PastKind, PastQuestion, Returned, ServedCall, Used};
use memlens_engine::view::Fate;
use memlens_engine::{Library, Part, PastFilter, PastKinds, Ranking, RecallChange, acts, past};
use memlens_params::Params;
use memlens_tests::Notes;

use crate::forgetting::{days_ago, found};
use crate::watched::{Watched, scratch};

const QUESTION: &str = "where do the koi eat";

fn notes() -> Notes {
    Notes::new(&[
        ("koi.md", "The koi eat at noon in the pond.\n"),
        ("tea.md", "Oolong tea is drunk in the evening.\n"),
    ])
}

fn allow(watched: &Watched, is_on: bool) {
    let change = RecallChange {
        records_calls: Some(is_on),
        ..RecallChange::default()
    };
    acts::change_recall(&watched.engine, change).expect("it can be chosen");
}

fn calls(dir: &Path) -> PathBuf {
    dir.join("served-calls")
}

fn wait_until_taken(dir: &Path) {
    let started = std::time::Instant::now();
    while calls(dir).exists() {
        assert!(started.elapsed().as_secs() < 60, "it is still there");
        std::thread::yield_now();
    }
}

/// Appends what a server appends.
fn append(dir: &Path, text: &str) {
    let file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(calls(dir));
    let mut file = file.expect("it can be opened");
    file.write_all(text.as_bytes()).expect("it can be written");
}

/// The call that a server would record of a search now.
fn call(library: &Library, id: &str, ranking: &Ranking) -> PastQuestion {
    let search = library
        .search_as(QUESTION, ranking, Part::All)
        .expect("it can be asked");
    let columns = search.columns(&ranking.values);
    let kept = &columns.order[..columns.n_kept as usize];
    let results = kept.iter().take(1).map(|slot| {
        let row = search.row_facts(*slot).expect("it is there");
        let folder = library.lists().snapshot.folders[0].path.clone();
        Returned {
            path: format!("{folder}/{}", row.note.path),
            lines: Some((row.start_line, row.end_line)),
            score: columns.score[*slot as usize],
            is_name_only: false,
            line_hashes: Vec::new(),
            text: None,
        }
    });
    PastQuestion {
        agent: "claude-code".to_owned(),
        call: id.to_owned(),
        at_ms: Some(days_ago(0)),
        question: QUESTION.to_owned(),
        returned: Some(results.collect()),
        served: Some(ServedCall {
            client: "claude-code-x".to_owned(),
            agent: None,
            folders: None,
            ranking: serde_json::to_value(ranking.to_view()).expect("it is plain data"),
            generation: search.generation(),
            scope: None,
            max_results: 1,
            min_score: None,
        }),
        ..PastQuestion::default()
    }
}

fn line(call: &PastQuestion) -> String {
    serde_json::to_string(call).expect("it is plain data") + "\n"
}

fn listed(watched: &Watched) -> Vec<past::Past> {
    let filter = PastFilter {
        kinds: PastKinds::All,
        ..PastFilter::default()
    };
    past::list(watched.engine.library(), &filter).expect("they can be listed")
}

fn by_words() -> Ranking {
    Ranking::native(&Params {
        vector_on: false,
        ..Params::default()
    })
}

#[test]
fn a_call_is_stored_once_and_asked_again_by_the_ranking_that_answered_it() {
    let (notes, dir) = (notes(), scratch());
    let mut watched = Watched::of(dir.path(), &[&notes]);
    allow(&watched, true);
    let ranking = by_words();
    let call = call(watched.engine.library(), "1", &ranking);
    // A server died while it wrote the first line.
    append(dir.path(), &format!("{{\"agent\": \"cl\n{}", line(&call)));
    watched.wait("it is stored", |it| listed(it).len() == 1);
    assert!(!calls(dir.path()).exists());
    let id = listed(&watched)[0].id.to_string();
    let library = watched.engine.library();
    let again = past::then_now(library, &id, None).expect("it can be asked");
    assert_eq!(
        again.row.served.as_ref().map(|it| it.client.as_str()),
        Some("claude-code-x")
    );
    assert_eq!(again.ranking, ranking.to_view());
    assert_eq!(
        (again.not_compared.as_deref(), &again.row.fates),
        (None, &Some(vec![Fate::Kept]))
    );
    let said = again.asked_again.expect("it is a served call");
    assert!(said.is_same);
    assert!(
        said.sentence
            .contains("the same results; neither the notes nor their vectors have changed"),
        "{said:?}"
    );
    assert_eq!(again.then[0].path, again.now[0].name);
    let other = past::then_now(library, &id, Some(&Ranking::native(&Params::default())));
    let other = other.expect("it can be asked").not_compared;
    assert!(other.is_some_and(|why| why.contains("another ranking")));

    // The writer died after it had stored the call and before it removed the file.
    append(dir.path(), &line(&call));
    append(
        dir.path(),
        &line(&PastQuestion {
            call: "2".to_owned(),
            ..call
        }),
    );
    watched.wait("the second is stored", |it| listed(it).len() >= 2);
    assert_eq!(listed(&watched).len(), 2);

    notes.write("koi.md", "The carp sleep.\n");
    watched.wait_reported(memlens_engine::view::Happening::Changed, "koi.md");
    let changed = past::then_now(watched.engine.library(), &id, None).expect("it can be asked");
    let said = changed.asked_again.expect("it is a served call");
    assert!(
        said.sentence
            .contains("the notes or their vectors have changed since"),
        "{said:?}"
    );
}

#[test]
fn nothing_is_stored_without_consent() {
    let (notes, dir) = (notes(), scratch());
    let mut watched = Watched::of(dir.path(), &[&notes]);
    let call = call(watched.engine.library(), "1", &by_words());
    append(dir.path(), &line(&call));
    wait_until_taken(dir.path());
    assert_eq!(listed(&watched), []);
    allow(&watched, true);
    append(dir.path(), &line(&call));
    watched.wait("it is stored", |it| listed(it).len() == 1);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_file_is_not_followed() {
    let (notes, dir) = (notes(), scratch());
    let mut watched = Watched::of(dir.path(), &[&notes]);
    allow(&watched, true);
    let call = call(watched.engine.library(), "1", &by_words());
    let other = notes.at("others.jsonl");
    fs::write(&other, line(&call)).expect("it can be written");
    watched.wait_reported(memlens_engine::view::Happening::Added, "others.jsonl");
    std::os::unix::fs::symlink(&other, calls(dir.path())).expect("links can be made");
    let taken = acts::import_recall(&watched.engine, None);
    let refused = taken.expect_err("it is a link").to_string();
    assert!(refused.contains("it is a link"), "{refused}");
    assert_eq!(listed(&watched), []);
    assert!(other.exists());
}

#[test]
fn calls_are_forgotten_with_the_rest_and_with_what_waits() {
    let (notes, dir) = (notes(), scratch());
    let mut watched = Watched::of(dir.path(), &[&notes]);
    allow(&watched, true);
    let words = ["zebrafinch", "quokkatail"];
    let library = watched.engine.library();
    let stored = PastQuestion {
        question: words[0].to_owned(),
        ..call(library, "1", &by_words())
    };
    let opening = PastQuestion {
        kind: PastKind::Opening,
        question: String::new(),
        returned: None,
        opened: vec![Used {
            path: format!("/x/{}.md", words[1]),
            lines: None,
            at_ms: None,
            is_part: false,
        }],
        call: "2".to_owned(),
        ..stored.clone()
    };
    let old = PastQuestion {
        at_ms: Some(days_ago(400)),
        call: "3".to_owned(),
        ..stored.clone()
    };
    append(dir.path(), &(line(&old) + &line(&stored) + &line(&opening)));
    watched.wait("they are stored", |it| listed(it).len() == 2);
    assert_eq!(found(dir.path(), &words), BTreeSet::from(words));
    let n_gone = acts::forget_recall(&watched.engine).expect("it can be forgotten");
    assert_eq!((n_gone, listed(&watched).len()), (1, 0));
    // The consent is withdrawn: what a server appends meanwhile is dropped.
    append(dir.path(), &line(&stored));
    drop(watched);
    let watched = Watched::open(dir.path());
    wait_until_taken(dir.path());
    assert_eq!(listed(&watched), []);
    drop(watched);
    assert_eq!(found(dir.path(), &words), BTreeSet::new());

    let watched = Watched::open(dir.path());
    allow(&watched, true);
    append(dir.path(), &line(&stored));
    watched.engine.erase_all().expect("it can be erased");
    drop(watched);
    assert_eq!(found(dir.path(), &words), BTreeSet::new());
}

#[test]
fn a_search_that_the_agent_s_log_has_too_is_one_question_with_both() {
    let (notes, dir) = (notes(), scratch());
    let mut watched = Watched::of(dir.path(), &[&notes]);
    allow(&watched, true);
    let call = call(watched.engine.library(), "1", &by_words());
    let of_log = PastQuestion {
        session: "s".to_owned(),
        call: "toolu_1".to_owned(),
        served: None,
        ..call.clone()
    };
    let log = memlens_store::ReadLog {
        path: "/log".to_owned(),
        agent: "claude-code".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let keep = |watched: &Watched| {
        acts::Writes::write(&watched.engine, |store| {
            Ok(store.keep_past(&log, &[past::stored(&of_log)], &[])?)
        })
        .expect("it can be kept")
    };
    keep(&watched);
    append(dir.path(), &line(&call));
    watched.wait("it is taken over", |it| {
        listed(it)
            .first()
            .is_some_and(|past| past.asked.served.is_some())
    });
    let all = listed(&watched);
    assert_eq!((all.len(), all[0].asked.session.as_str()), (1, "s"));
    // The log is read again, and does not say how it was answered.
    assert_eq!(keep(&watched).n_updated, 0);
    assert!(listed(&watched)[0].asked.served.is_some());
}
