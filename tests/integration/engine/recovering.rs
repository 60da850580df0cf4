//! Lists that are damaged, stale or of another model are rebuilt, with a notice, and never served.
//!
//! Properties checked: a query is only ever compared with vectors of its own model; a reader waits for a writer that
//! builds; lists of a database that is gone are not served; lists that could not be written are rebuilt at the next
//! step; a note that the user saves does not wait for a check of the whole library; a search that reads damage waits
//! until it is repaired.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memlens_embed::{Embedder, Hashing};
use memlens_engine::view::{Activity, Happening};
use memlens_engine::{EmbedderSource, EngineError, Indexer, Library, Observer, Step, report};
use memlens_faults::{Fault, Place};
use memlens_params::Params;
use memlens_store::{Store, StoreError};
use memlens_tests::{
    Asked, Other, Recording, answers, check_equals_fresh, content, failing, fresh, hashing, index,
    index_with, open,
};

use crate::damages::check_notices;
use crate::sound::{QUERIES, copy, flip, largest, sound};
use crate::watched::Watched;

/// A missing list does not cost the other one: a large list takes minutes to build.
#[test]
fn a_sound_list_follows_what_was_forgotten_when_the_other_is_rebuilt() {
    let it = sound();
    let vectors = || largest(&it.dir.path().join("vectors"), "flat.");
    let text = || largest(&it.dir.path().join("text"), ".term");
    let alter = |sql: &str| {
        let database = rusqlite::Connection::open(it.dir.path().join("library.sqlite"));
        let n_changed = database.expect("it is SQLite").execute(sql, []);
        assert_eq!(n_changed.expect("it can be changed"), 1);
    };
    let reopen = |list: &str| {
        let (indexer, notices) =
            Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        drop(indexer);
        let n_rebuilt = |notice: &&String| notice.contains(" was rebuilt: ");
        assert_eq!(notices.iter().filter(n_rebuilt).count(), 1, "{notices:?}");
        assert!(notices[0].starts_with(&format!("the {list} list was rebuilt: ")));
        assert_eq!(index(it.dir.path(), &[it.notes.path()]).n_added, 1);
        check_equals_fresh(it.dir.path(), &[it.notes.path()], &QUERIES);
    };
    let rows = vectors();
    fs::remove_dir_all(it.dir.path().join("text")).expect("it is there");
    alter("UPDATE chunks SET text = replace(text, 'quiet', 'quick') WHERE text LIKE '%hall 3.'");
    reopen("BM25");
    assert_eq!(vectors(), rows, "the list goes on");
    let terms = text();
    fs::remove_file(it.dir.path().join("vectors/flat")).expect("it is there");
    alter("UPDATE embeddings SET vector = zeroblob(length(vector)) WHERE id = 1");
    reopen("vector");
    assert!(terms.exists(), "the list goes on");
}

/// Opening reads no vector, so a large library opens as fast as a small one.
#[test]
fn a_vector_with_a_flipped_bit_is_repaired_by_its_reader() {
    let it = sound();
    let turn = || flip(&largest(&it.dir.path().join("vectors"), "flat."));
    let n_notices = |notices: &[String]| {
        let is_reported =
            |notice: &&String| notice.starts_with("the vector list was rebuilt: cannot ");
        notices.iter().filter(is_reported).count()
    };
    let search = |library: &Library| library.search(QUERIES[0], &Params::default(), None);
    // By a search, if no process writes.
    turn();
    let library = open(it.dir.path());
    assert_eq!(library.notices(), [""; 0]);
    let found = search(&library).expect("it is repaired");
    assert_eq!(n_notices(&found.notices), 1, "{:?}", found.notices);
    let found = search(&library).expect("it can be searched");
    assert_eq!(n_notices(&found.notices), 0, "{:?}", found.notices);
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    drop(library);
    // While another process writes nothing is found, rather than in a wrong order.
    turn();
    let library = open(it.dir.path());
    let (mut indexer, notices) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    assert_eq!(notices, [""; 0]);
    let error = search(&library).map(drop).expect_err("it is not repaired");
    assert!(
        error.to_string().contains("is not as it was written"),
        "{error}"
    );
    // By the writer, when it walks.
    let mut observer = Recorder::default();
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    let never = AtomicBool::new(false);
    indexer.scan(&folder, &never).expect("it can be walked");
    let step = indexer.run(&never, &mut observer);
    assert_eq!(step.expect("it can be written"), Step::Idle);
    assert_eq!(n_notices(&observer.notices), 1, "{:?}", observer.notices);
    assert_eq!(indexer.counts().n_embedded, 0);
    assert!(library.refresh().expect("it can be read"));
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
}

/// Checks that a search with `source` leaves out the vectors and reports why, and that words still find notes.
fn check_words_alone(dir: &Path, source: EmbedderSource, notice: &str) {
    let library = Library::open(dir, source).expect("it can be opened");
    let search = library
        .search("quiet relay", &Params::default(), None)
        .expect("it can be searched");
    assert_eq!(
        search.notices,
        [format!("The order comes from words alone: {notice}.")]
    );
    assert!(
        search
            .set()
            .candidates
            .iter()
            .all(|candidate| candidate.cosines.whole.is_none())
    );
    assert!(!search.rank(&Params::default()).kept().is_empty());
    // Without a word there is nothing to search by.
    let search = library
        .search("?!", &Params::default(), None)
        .expect("it can be searched");
    assert_eq!(
        search.notices,
        [format!(
            "Nothing can be compared: “?!” has no letters or digits, and there are no vectors: {notice}."
        )]
    );
    assert_eq!(
        (
            search.set().candidates.len(),
            search.rank(&Params::default()).kept().len()
        ),
        (0, 0)
    );
}

#[test]
fn a_query_is_compared_with_vectors_of_its_own_model_alone() {
    let it = sound();
    let of_another = |id: &str| {
        format!("the notes were embedded by hashing-64 and not by {id}; index them again")
    };
    let others: [(EmbedderSource, String); 3] = [
        (Arc::new(|_| Ok(Box::new(Other::default()))), of_another("other-64")),
        (Arc::new(|_| Ok(Box::new(Hashing::new(32)))), of_another("hashing-32")),
        (
            failing(),
            "no embedding: cannot find the embedding model (`cargo xtask setup` fetches what is missing): looked at nowhere".to_owned(),
        ),
    ];
    for (source, notice) in others {
        check_words_alone(it.dir.path(), source.clone(), &notice);
        // Also if this reader has to rebuild the list.
        fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there");
        check_words_alone(it.dir.path(), source, &notice);
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0]);
        assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    }
}

#[test]
fn another_model_embeds_again_and_the_first_one_comes_back_for_nothing() {
    let it = sound();
    let before = content(&open(it.dir.path()).store());
    let reindexed =
        ["all notes are re-indexed: the model, the chunk lengths or Memlens itself changed"];
    let others: [fn() -> Box<dyn Embedder>; 2] =
        [|| Box::new(Hashing::new(32)), || Box::new(Other::default())];
    for other in others {
        let (indexer, notices) = Indexer::open(it.dir.path(), other()).expect("it can be opened");
        assert_eq!(notices.first().map(String::as_str), Some(reindexed[0]));
        drop(indexer);
        let counts = index_with(it.dir.path(), &[it.notes.path()], other());
        assert_eq!(counts.n_added, 12);
        assert!(counts.n_embedded > 12);

        let asked = Arc::new(Asked::default());
        let counts = index_with(
            it.dir.path(),
            &[it.notes.path()],
            Box::new(Recording::new(&asked)),
        );
        assert_eq!(
            (counts.n_added, counts.n_embedded, asked.texts().len()),
            (12, 0, 0)
        );
        let library = open(it.dir.path());
        assert_eq!(content(&library.store()), before);
        assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    }
}

#[test]
fn a_reader_waits_for_a_writer_that_builds() {
    let it = sound();
    fs::remove_dir_all(it.dir.path().join("text")).expect("it is there");
    let lock = Store::open(it.dir.path()).expect("it can be opened");
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| answers(&open(it.dir.path()), &QUERIES, &Params::default()));
        // Whatever the reader has seen by now, it answers from sound lists or not at all.
        drop(lock);
        // The reader may repair the lists itself once no process writes; this process then waits for its turn.
        let patience = Instant::now();
        while Indexer::open(it.dir.path(), Box::new(Hashing::default())).is_err() {
            assert!(
                patience.elapsed() < Duration::from_secs(60),
                "it never ends"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(reader.join().expect("it can be searched"), it.answers);
    });
}

#[test]
fn an_open_library_keeps_its_lists_until_it_takes_up_others() {
    let it = sound();
    let library = Library::open(it.dir.path(), hashing()).expect("it can be opened");
    it.notes.write("new.md", "The attic.");
    index(it.dir.path(), &[it.notes.path()]);
    let n_chunks = library.lists().snapshot.n_chunks();
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    assert!(library.refresh().expect("it can be taken up"));
    assert_eq!(library.lists().snapshot.n_chunks(), n_chunks + 1);
    assert!(!library.refresh().expect("nothing changed"));
    // A search made before is still ranked by what it found.
    let search = library
        .search("attic", &Params::default(), None)
        .expect("it can be searched");
    let trace = search.rank(&Params::default());
    it.notes.remove("new.md");
    index(it.dir.path(), &[it.notes.path()]);
    assert!(library.refresh().expect("it can be taken up"));
    assert_eq!(
        library
            .kept(search.id)
            .expect("it is kept")
            .rank(&Params::default()),
        trace
    );
}

#[test]
fn a_text_that_is_gone_is_none_and_says_why() {
    let it = sound();
    let library = Library::open(it.dir.path(), hashing()).expect("it can be opened");
    let params = Params::default();
    let search = library
        .search("hall 3", &params, None)
        .expect("it can be searched");
    it.notes.write("3.md", "The relay is gone.");
    index(it.dir.path(), &[it.notes.path()]);
    let rows = search.rows().expect("they can be explained");
    let at = rows.iter().position(|row| row.path == "3.md");
    let slot = at.expect("it is a candidate") as u32;
    let why = Some("The note has changed since this search.");
    let snippets = search.snippets(&[slot]).expect("they can be explained");
    let [snippet] = snippets.as_slice() else {
        panic!("{snippets:?}")
    };
    assert_eq!((&snippet.text, snippet.missing.as_deref()), (&None, why));
    let journey = search.journey(&params, slot).expect("it can be explained");
    assert_eq!((&journey.text, journey.missing.as_deref()), (&None, why));
    let report = report(&library, &search, &params).expect("it can be explained");
    let rows = report.results.iter().chain(&report.dropped);
    let missing: Vec<(&str, bool, Option<&str>)> = rows
        .filter(|row| row.missing.is_some() || row.snippet.is_none())
        .map(|row| {
            (
                row.path.as_str(),
                row.snippet.is_none(),
                row.missing.as_deref(),
            )
        })
        .collect();
    assert_eq!(missing, [("3.md", true, why)]);
}

#[test]
fn the_search_that_is_shown_is_kept_and_of_the_others_the_last_used() {
    let it = sound();
    let library = Library::open(it.dir.path(), hashing()).expect("it can be opened");
    let search = || {
        let search = library.search("hall 3", &Params::default(), None);
        search.expect("it can be searched").id
    };
    let shown = search();
    library.shown(shown).expect("it is kept");
    let used = search();
    let unused = search();
    // Far more searches than are kept, such as saving notes causes.
    for _ in 0..20 {
        search();
        library.kept(used).expect("it was just used");
    }
    library.kept(shown).expect("somebody looks at it");
    let gone = library.kept(unused).map(drop).expect_err("nobody used it");
    assert!(matches!(gone, EngineError::SearchGone { id } if id == unused));
    // Another search is shown now.
    library.shown(used).expect("it is kept");
    for _ in 0..20 {
        search();
    }
    library.kept(used).expect("somebody looks at it");
    assert!(library.kept(shown).is_err());
}

#[test]
fn lists_of_a_database_that_is_gone_are_not_served() {
    let it = sound();
    for name in ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"] {
        let _ = fs::remove_file(it.dir.path().join(name));
    }
    let error = Library::open(it.dir.path(), hashing())
        .map(drop)
        .expect_err("there is none");
    assert!(error.to_string().starts_with("there is no library in "));
    let (indexer, notices) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it restarts");
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(
        notices[0].starts_with("the library's database was missing"),
        "{notices:?}"
    );
    // The user's own data is kept in a file beside the database.
    assert!(notices[1].contains("1 watched folder"), "{notices:?}");
    drop(indexer);
    assert_eq!(open(it.dir.path()).lists().snapshot.n_chunks(), 0);
    let counts = index(it.dir.path(), &[it.notes.path()]);
    assert_eq!(counts.n_added, 12);
}

/// Records the notices and the paths of the activities.
#[derive(Default)]
struct Recorder {
    notices: Vec<String>,
    paths: Vec<String>,
}

impl Observer for Recorder {
    fn committed(&mut self, happened: &[Activity]) {
        self.paths
            .extend(happened.iter().map(|one| one.path.clone()));
    }

    fn noticed(&mut self, notice: &str) {
        self.notices.push(notice.to_owned());
    }
}

#[test]
fn lists_that_could_not_be_written_take_up_what_they_missed_at_the_next_step() {
    let it = sound();
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    it.notes.write("new.md", "The attic.");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    // A folder is in the place where the list's new head is to be written.
    let blocked = it.dir.path().join("vectors/flat.new");
    fs::create_dir(&blocked).expect("a folder can be made");
    let mut recorder = Recorder::default();
    let error = indexer
        .run(&go_on, &mut recorder)
        .expect_err("the list cannot be written")
        .to_string();
    assert!(error.contains(&format!("{}", blocked.display())), "{error}");
    assert!(
        recorder.paths.is_empty(),
        "what cannot be found is not reported"
    );
    assert!(indexer.is_busy(), "there is something left to do");
    // Writing the list is retried until it succeeds, and nothing else is done.
    indexer
        .step(&go_on, &mut recorder)
        .expect_err("the list cannot be written yet");
    fs::remove_dir(&blocked).expect("it can be removed");
    // Although nothing changed, the next step repairs it.
    assert_eq!(
        indexer
            .run(&go_on, &mut recorder)
            .expect("it can be written"),
        Step::Idle
    );
    assert_eq!(recorder.notices, [""; 0], "nothing is rebuilt");
    assert_eq!(recorder.paths, ["new.md"]);
    drop(indexer);
    let library = open(it.dir.path());
    assert_eq!(library.notices(), [""; 0]);
    let fresh_dir = fresh(&[it.notes.path()]);
    assert_eq!(
        answers(&library, &["attic"], &Params::default()),
        answers(&open(fresh_dir.path()), &["attic"], &Params::default())
    );
}

/// A check of a million chunks takes a minute.
#[test]
fn saved_notes_wait_for_no_look_through_the_library() {
    let it = sound();
    flip(&largest(&it.dir.path().join("vectors"), "flat."));
    let fault = Fault::at(Place::Store, it.dir.path())
        .only("look through the library")
        .hangs();
    let mut watched = Watched::open(it.dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    fault.wait();
    it.notes.write("new.md", "The attic.");
    watched.wait_reported(Happening::Added, "new.md");
    drop(fault);
    let is_reported = |watched: &Watched| {
        let notices = watched.engine.state().notices;
        notices
            .iter()
            .any(|it| it.contains("the vector list was rebuilt"))
    };
    watched.wait("the list is repaired", is_reported);
    watched.wait("nothing is left to do", Watched::is_idle);
    watched.check_equals_fresh(it.dir.path(), &[&it.notes]);
}

/// Otherwise it would be found once nothing is left to index, which may take hours.
#[test]
fn what_a_search_finds_damaged_the_window_repairs_before_all_else() {
    let it = sound();
    flip(&largest(&it.dir.path().join("vectors"), "flat."));
    let look = Fault::at(Place::Store, it.dir.path())
        .only("look through the library")
        .times(1)
        .hangs();
    let mut watched = Watched::open(it.dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    look.wait();
    watched.engine.pause_indexing(true);
    assert_eq!(
        answers(watched.engine.library(), &QUERIES, &Params::default()),
        it.answers
    );
    drop(look);
    watched.engine.pause_indexing(false);
    let is_reported = |watched: &Watched| !watched.engine.state().notices.is_empty();
    watched.wait("it can be explained", is_reported);
    check_notices(
        &watched.engine.state().notices,
        &["vector"],
        "by the window",
    );
    watched.check_equals_fresh(it.dir.path(), &[&it.notes]);
}

/// A disk may once return wrong bytes, and memory may flip a bit of a cached file.
#[test]
fn what_was_bad_for_a_moment_is_read_again() {
    let it = sound();
    let turn = || flip(&largest(&it.dir.path().join("vectors"), "flat."));
    turn();
    let library = open(it.dir.path());
    // This keeps the list from being rebuilt.
    let (_indexer, _) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let search = || library.search(QUERIES[0], &Params::default(), None);
    let error = search().map(drop).expect_err("it is not as it was written");
    assert!(
        error.to_string().contains("is not as it was written"),
        "{error}"
    );
    turn();
    search().expect("it is as it was written again");
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
}

/// A full disk may stay full for hours; the window shows that meanwhile.
#[test]
fn no_search_waits_for_repair_that_fails() {
    let it = sound();
    flip(&largest(&it.dir.path().join("vectors"), "flat."));
    let full = Fault::at(Place::Store, it.dir.path())
        .only("look through the library")
        .fills_the_disk();
    let mut watched = Watched::open(it.dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    let search = |watched: &Watched| {
        let library = watched.engine.library();
        library.search(QUERIES[0], &Params::default(), None)
    };
    for _ in 0..2 {
        let error = search(&watched).map(drop).expect_err("it is not repaired");
        assert_eq!(error.code(), "error", "{error}");
    }
    watched.wait("it can be explained", |watched| {
        let notices = watched.engine.state().notices;
        notices.iter().any(|it| it.contains("Indexing failed"))
    });
    drop(full);
    watched.wait("it is repaired", |watched| search(watched).is_ok());
    watched.wait("nothing is left to do", Watched::is_idle);
    watched.check_equals_fresh(it.dir.path(), &[&it.notes]);
}

/// A process killed between the commit of the library and those of the lists leaves such lists behind. Rebuilding them
/// takes minutes in a large library.
#[test]
fn lists_that_are_behind_receive_what_they_missed() {
    let it = sound();
    it.notes.write("3.md", "The loud relay came to hall 3.");
    it.notes.write("new.md", "A quiet relay of its own.");
    it.notes.remove("5.md");
    index(it.dir.path(), &[it.notes.path()]);
    it.notes.write("3.md", "The quiet relay is back in hall 3.");
    index(it.dir.path(), &[it.notes.path()]);
    let rows = |dir: &Path| {
        largest(&dir.join("vectors"), "flat.")
            .file_name()
            .map(ToOwned::to_owned)
    };
    let behind = |lists: &[&str]| {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        copy(it.dir.path(), dir.path());
        for list in lists {
            copy(&it.old.path().join(list), &dir.path().join(list));
        }
        dir
    };
    let check = |dir: &Path| {
        let library = open(dir);
        assert_eq!(library.notices(), [""; 0]);
        drop(library);
        check_equals_fresh(dir, &[it.notes.path()], &QUERIES);
    };
    for lists in [&["text", "vectors"][..], &["text"], &["vectors"]] {
        let dir = behind(lists);
        let before = rows(dir.path());
        // By a writer, and by a search if no process writes.
        let (indexer, notices) =
            Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        assert_eq!(notices, [""; 0], "{lists:?}");
        drop(indexer);
        assert_eq!(rows(dir.path()), before, "nothing is rebuilt");
        check(dir.path());
        check(behind(lists).path());
    }
    // If the library no longer knows what changed, or if the lists are newer than the library, they are rebuilt.
    let log_is_lost = behind(&["text", "vectors"]);
    let connection = rusqlite::Connection::open(log_is_lost.path().join("library.sqlite"));
    connection
        .and_then(|connection| {
            connection.execute(
                "DELETE FROM changed WHERE at < (SELECT max(at) FROM changed)",
                [],
            )
        })
        .expect("it can be changed");
    let ahead = tempfile::tempdir().expect("a scratch folder can be made");
    copy(it.old.path(), ahead.path());
    for list in ["text", "vectors"] {
        copy(&it.dir.path().join(list), &ahead.path().join(list));
    }
    for (dir, name) in [(log_is_lost, "the log is lost"), (ahead, "ahead")] {
        let (_, notices) =
            Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        check_notices(&notices, &["BM25", "vector"], name);
    }
}

/// Otherwise the list would look as sound as what was written, and would be served.
#[test]
fn a_vector_that_turned_in_the_library_is_not_taken_into_a_list() {
    let it = sound();
    let connection = rusqlite::Connection::open(it.dir.path().join("library.sqlite"));
    // A bit that hardly changes the length of the vector.
    connection
        .and_then(|connection| {
            connection.execute(
                "UPDATE embeddings SET vector = CAST(x'01' || substr(vector, 2) AS BLOB)
                 WHERE id = (SELECT embedding FROM chunks ORDER BY id LIMIT 1) AND substr(vector, 1, 1) <> x'01'",
                [],
            )
        })
        .map(|n_changed| assert_eq!(n_changed, 1))
        .expect("it can be changed");
    let store = Store::open(it.dir.path()).expect("it can be opened");
    let mut n_damaged = 0;
    store
        .for_each_embedding(|_, vector| -> Result<(), StoreError> {
            n_damaged += usize::from(vector.is_none());
            Ok(())
        })
        .expect("they can be read");
    assert_eq!(n_damaged, 1);
    drop(store);
    // Rebuilding the list removes the note, which is then read again.
    fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there");
    let counts = index(it.dir.path(), &[it.notes.path()]);
    assert_eq!((counts.n_added, counts.n_embedded), (1, 1));
    check_equals_fresh(it.dir.path(), &[it.notes.path()], &QUERIES);
}
