//! A library's notes as OpenClaw would search them.
//!
//! Properties checked: what is indexed and under which path; only the agent's own folders if they are known; vectors
//! come from the library, then from the cache, then from the model; a stop leaves a search by words and loses nothing;
//! notes that changed meanwhile are left out and reported; "why not?" and scopes work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_engine::view::JobKind;
use memlens_engine::{
    EngineError, Library, Part, Place, Ranking, Scope, Search, WhyNot, pipeline, why,
};
use memlens_faults::{Fault, Place as FaultPlace};
use memlens_params::{ParameterSet, Params, Value};
use memlens_tests::{Asked, Notes, faulty, fresh, index, open, recording};

/// Returns a note of 80 lines about a word, longer than a chunk.
fn long(word: &str) -> String {
    (1..=80)
        .map(|n| format!("- line {n} of the {word} says nothing new\n"))
        .collect()
}

fn ranking(named: &str) -> Ranking {
    Ranking::of(pipeline(named).expect("it is known"))
}

fn all(named: &str) -> Ranking {
    let mut ranking = ranking(named);
    for (id, value) in [("openclaw.min_score", 0.0), ("openclaw.max_results", 100.0)] {
        ranking
            .values
            .set(id, Value::Number(value))
            .expect("it is in range");
    }
    ranking
}

fn ask(library: &Library, ranking: &Ranking) -> Arc<Search> {
    library
        .search_as("router", ranking, Part::All)
        .expect("it can be searched")
}

/// Returns the paths of the kept rows, best first.
fn kept(library: &Library, ranking: &Ranking) -> Vec<String> {
    let search = ask(library, ranking);
    let trace = search.rank(&ranking.values);
    let row = |slot: &u32| search.row(*slot).expect("a row").path;
    trace.kept().iter().map(row).collect()
}

#[test]
fn a_workspace_is_indexed_as_the_edition_does() {
    let notes = Notes::new(&[
        (
            "MEMORY.md",
            "# Rules\n\n- The router stands in the hall. <!-- importance: 10 -->\n",
        ),
        ("USER.md", "- Likes the router blue.\n"),
        ("memory/attic.md", "A router in the attic.\n"),
        ("projects/router.md", "The router of the project.\n"),
        ("memory/list.txt", "The router in a list.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let mut newest = kept(&library, &all("openclaw"));
    newest.sort();
    newest.dedup();
    assert_eq!(newest, ["MEMORY.md", "USER.md", "memory/attic.md"]);
    let mut before = kept(&library, &all("openclaw@2026.7"));
    before.sort();
    before.dedup();
    assert_eq!(
        before,
        ["MEMORY.md", "memory/attic.md"],
        "USER.md is not indexed before 2026.8"
    );
    let search = ask(&library, &all("openclaw"));
    assert!(
        search.notices[0]
            .starts_with("OpenClaw 2026.9, emulated over 3 notes, as if in its memory folder."),
        "{:?}",
        search.notices
    );
    let trace = search.rank(&all("openclaw").values);
    let is_entry = |slot: &&u32| {
        search
            .row(**slot)
            .is_ok_and(|row| row.path == "MEMORY.md" && row.start_line == 3)
    };
    let slot = *trace
        .kept()
        .iter()
        .find(is_entry)
        .expect("the entry is kept");
    let journey = search
        .journey(&all("openclaw").values, slot)
        .expect("a journey");
    let step = |stage: &str| {
        let step = journey
            .steps
            .iter()
            .find(|step| step.stage.as_str() == stage);
        step.map(|step| step.sentence.clone()).unwrap_or_default()
    };
    assert_eq!(step("openclaw.importance"), "importance 10 of 10: × 1.2500");
    assert_eq!(
        journey.text.as_deref(),
        Some("- The router stands in the hall.\n"),
        "its comment is stripped"
    );
    assert_eq!(journey.min_score, Some(0.0), "as the waterfall marks it");
}

#[test]
fn the_agents_own_folders_are_its_memory_where_they_are_known() {
    let own = Notes::new(&[("memory/a.md", "The router of the agent.\n")]);
    let other = Notes::new(&[("b.md", "The router of somebody else.\n")]);
    let dir = fresh(&[own.path(), other.path()]);
    let library = open(dir.path());
    assert_eq!(kept(&library, &all("openclaw")).len(), 2);
    let folder = library.lists().snapshot.folders[0].clone();
    let is_own = folder.path == own.path().display().to_string();
    let id = if is_own {
        folder.id
    } else {
        library.lists().snapshot.folders[1].id
    };
    memlens_store::Store::open(dir.path())
        .expect("nobody writes")
        .set_folder_agent(id, Some("openclaw"))
        .expect("it can be saved");
    library.refresh().expect("it can be read");
    assert_eq!(kept(&library, &all("openclaw")), ["memory/a.md"]);
    assert!(ask(&library, &all("openclaw")).notices[0].contains("1 note of its workspace"));
}

#[test]
fn vectors_come_from_the_library_then_the_cache_then_the_model() {
    let notes = Notes::new(&[
        ("short.md", "The router stands in the hall."),
        ("long.md", &long("router")),
    ]);
    let dir = fresh(&[notes.path()]);
    let asked = Arc::new(Asked::default());
    let library = Library::open(dir.path(), recording(&asked)).expect("it opens");
    // 2026.7 cuts notes as Memlens does: the library holds every vector.
    ask(&library, &ranking("openclaw@2026.7"));
    assert_eq!(asked.texts(), ["router"]);
    // 2026.9 cuts differently, except for the note that is one chunk. The question was just embedded.
    ask(&library, &ranking("openclaw"));
    let embedded = asked.texts();
    assert!(
        embedded.len() > 2 && !embedded.contains(&"The router stands in the hall.".to_owned()),
        "{embedded:?}"
    );
    // Another process finds the vectors in the cache.
    let again = Arc::new(Asked::default());
    let other = Library::open(dir.path(), recording(&again)).expect("it opens");
    let search = ask(&other, &ranking("openclaw"));
    assert_eq!(again.texts(), ["router"]);
    assert_eq!(
        search.set().lists[0].n_hits as usize,
        search.set().n_chunks as usize
    );
    // Only the chunks of a changed note are embedded.
    notes.write("long.md", long("lamp"));
    index(dir.path(), &[notes.path()]);
    other.refresh().expect("it can be read");
    ask(&other, &ranking("openclaw"));
    assert!(again.texts()[1..].iter().all(|text| text.contains("lamp")));
    assert!(again.texts().len() > 2);
}

#[test]
fn a_stop_reaches_a_search_that_waits_for_another_one() {
    let notes = Notes::new(&[("long.md", &long("router"))]);
    let dir = fresh(&[notes.path()]);
    let library = Library::open(dir.path(), faulty(dir.path())).expect("it opens");
    let hang = Fault::at(FaultPlace::Embedder, dir.path())
        .only("line 40 of the router")
        .hangs();
    let emulation = &library.jobs().emulation;
    let searches = std::thread::scope(|scope| {
        let searches = [(); 2].map(|()| scope.spawn(|| ask(&library, &all("openclaw"))));
        let started = Instant::now();
        while emulation.progress().is_none() || emulation.n_runs() < 2 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "one embeds and one waits"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        library.stop(JobKind::Emulation);
        drop(hang);
        searches.map(|search| search.join().expect("it is answered"))
    });
    for search in searches {
        let mut notices = search.notices.iter();
        assert!(
            notices.any(|notice| notice.contains("ask again to go on")),
            "{:?}",
            search.notices
        );
    }
}

#[test]
fn a_stop_leaves_words_alone_and_the_next_question_goes_on() {
    let notes = Notes::new(&[("long.md", &long("router"))]);
    let dir = fresh(&[notes.path()]);
    let library = Library::open(dir.path(), faulty(dir.path())).expect("it opens");
    let hang = Fault::at(FaultPlace::Embedder, dir.path())
        .only("line 40 of the router")
        .hangs();
    let search = std::thread::scope(|scope| {
        let search = scope.spawn(|| ask(&library, &all("openclaw")));
        let started = Instant::now();
        while library.jobs().emulation.progress().is_none() {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "it is reported that it embeds"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        library.stop(JobKind::Emulation);
        drop(hang);
        search.join().expect("it is answered")
    });
    assert_eq!(library.jobs().emulation.progress(), None);
    let by_words = search
        .notices
        .iter()
        .any(|notice| notice.contains("ask again to go on"));
    assert!(by_words, "{:?}", search.notices);
    assert!(
        !search.rank(&all("openclaw").values).kept().is_empty(),
        "words find it"
    );
    let whole = ask(&library, &all("openclaw"));
    assert!(
        !whole
            .notices
            .iter()
            .any(|notice| notice.contains("ask again")),
        "{:?}",
        whole.notices
    );
}

#[test]
fn a_note_that_changed_since_is_left_out_and_reported() {
    let notes = Notes::new(&[
        ("a.md", "The router in the hall.\n"),
        ("b.md", "A router in the attic.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    notes.write("a.md", "The lamp, and no router any more.\n");
    let library = open(dir.path());
    let search = ask(&library, &all("openclaw"));
    assert_eq!(kept(&library, &all("openclaw")), ["b.md"]);
    let reported = search
        .notices
        .iter()
        .any(|notice| notice.starts_with("1 note was left out"));
    assert!(reported, "{:?}", search.notices);
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("it can be read");
    assert_eq!(kept(&library, &all("openclaw")).len(), 2);
}

#[test]
fn why_not_and_scopes_work_on_it() {
    let notes = Notes::new(&[
        ("hall/a.md", "The router stands in the hall.\n"),
        ("attic/b.md", "Spiders.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let ranking = ranking("openclaw@2026.2");
    let search = ask(&library, &ranking);
    let place = Place {
        folder,
        path: "attic/b.md".to_owned(),
        line: None,
    };
    let answer =
        why(&library, &search, &ranking.values, &place, None).expect("it can be explained");
    let WhyNot::Searched { chunks, .. } = &answer.why else {
        panic!("{answer:?}");
    };
    let fixes = chunks[0].fixes.as_ref().expect("changes are tried");
    assert!(
        chunks[0].sentence.contains("minScore"),
        "{}",
        chunks[0].sentence
    );
    assert!(
        fixes
            .iter()
            .any(|fix| fix.parameter == "openclaw.min_score"),
        "{fixes:?}"
    );
    let scope = Scope {
        folder,
        path: "attic".to_owned(),
    };
    let scoped = library
        .search_as("router", &all("openclaw"), Part::Folder(scope))
        .expect("it can be searched");
    assert!(
        scoped
            .rows()
            .expect("rows")
            .iter()
            .all(|row| row.path == "attic/b.md")
    );
    // A note that the program ignores is still in the library.
    notes.write("memory/c.md", "The router.\n");
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("it can be read");
    let answer = why(
        &library,
        &ask(&library, &ranking),
        &ranking.values,
        &place,
        None,
    );
    assert_eq!(
        answer.expect("it can be explained").sentence,
        "OpenClaw 2026.2 does not search this note."
    );
    // The search is ranked only by the program's own parameters.
    assert!(search.for_params(&Params::default()).is_err());
    let refused = library.search_as(" ", &ranking, Part::All).map(|_| ());
    assert!(matches!(refused, Err(EngineError::EmptyQuery)));
}

#[test]
fn without_a_model_words_answer() {
    let notes = Notes::new(&[("a.md", "The router stands in the hall.\n")]);
    let dir = fresh(&[notes.path()]);
    let library = Library::open(dir.path(), memlens_tests::failing()).expect("it opens");
    assert_eq!(kept(&library, &all("openclaw")), ["a.md"]);
}

#[test]
fn chunks_are_cut_as_the_parameters_say() {
    let notes = Notes::new(&[("long.md", &long("router"))]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let usual = ranking("openclaw@2026.7");
    let mut short = usual.clone();
    for (id, number) in [
        ("openclaw.chunk_tokens", 50.0),
        ("openclaw.chunk_overlap", 0.0),
    ] {
        let number = Value::Number(number);
        short.values.set(id, number).expect("it is in range");
    }
    let before = ask(&library, &usual);
    let asked = ask(&library, &short);
    // 80 lines of about 40 characters: a chunk of 200 characters holds at most five.
    let n_chunks = asked.set().n_chunks;
    assert!((16..=27).contains(&n_chunks), "{n_chunks}");
    assert!(before.set().n_chunks < 5);
    let refused = before.for_params(&short.values).map(|search| search.id);
    assert!(
        matches!(refused, Err(EngineError::OtherLists { .. })),
        "{refused:?}"
    );
    assert_eq!(ask(&library, &usual).set().n_chunks, before.set().n_chunks);
}
