//! Faults below the writer: after anything failed, hung or was full for a while, the library equals a fresh one.
//!
//! Properties checked: a failure is retried after a wait, is reported once, and ends no pause; a note that always fails
//! is skipped by name and keeps no other note from being indexed; no fault unwatches a folder or removes notes that
//! cannot be looked at; the user's actions do not wait for indexing but interrupt it; while nothing can be saved
//! nothing more is read; walks and indexing take turns.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memlens_embed::Hashing;
use memlens_engine::acts;
use memlens_engine::view::{FolderStatus, Happening, IndexingPhase};
use memlens_engine::{Engine, FolderId, Indexer, Step, Watching};
use memlens_faults::{Fault, Place, Plan};
use memlens_params::Params;
use memlens_tests::{Notes, check_equals_fresh, faulty, index};

use crate::watched::{Watched, scratch};

/// Frequent walks, which soon find changes that the system does not report.
const OFTEN: Watching = Watching {
    polls: false,
    walk_every: Duration::from_millis(300),
};

fn n_tries(it: &Watched) -> u32 {
    match it.engine.state().phase {
        IndexingPhase::Failed { n_tries, .. } => n_tries,
        IndexingPhase::Working | IndexingPhase::Paused => 0,
    }
}

fn is_working(it: &Watched) -> bool {
    it.engine.state().phase == IndexingPhase::Working && it.is_idle()
}

fn problems(engine: &Engine) -> Vec<(String, String)> {
    let problems = engine.library().problems().expect("they can be explained");
    let problems = problems.into_iter();
    problems.map(|it| (it.path, it.message)).collect()
}

#[test]
fn a_walk_that_fails_waits_and_goes_on_by_itself() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let fault = Fault::at(Place::Store, dir.path())
        .only("record problems")
        .fills_the_disk();
    notes.write(".ignore", "x\n");
    it.wait("it failed four times", |it| n_tries(it) >= 4);
    // Each of these calls makes the thread pass through its whole loop.
    for _ in 0..10 {
        let none = FolderId(i64::MAX);
        it.engine
            .remove_folder(none)
            .expect("there is none to remove");
    }
    assert_eq!(fault.n_triggered(), 4, "nothing is tried before it is time");
    let state = it.engine.state();
    let IndexingPhase::Failed { why, retry_s, .. } = state.phase else {
        panic!("it goes on: {:?}", state.phase);
    };
    assert!(
        why.starts_with("cannot record problems: the disk that holds"),
        "{why}"
    );
    assert!((1..=8).contains(&retry_s), "{retry_s}");
    let notice = format!("Indexing failed; Memlens keeps retrying: {why}");
    assert_eq!(state.notices, [notice]);
    assert_eq!(it.status(&notes), Some(FolderStatus::Watching));
    drop(fault);
    it.wait("it works again", |it| {
        is_working(it) && it.found("relay").is_empty()
    });
    assert!(it.engine.state().notices.is_empty());
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_failure_ends_no_pause() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let fault = Fault::at(Place::Store, dir.path())
        .only("read the folders")
        .fails();
    it.engine.pause_indexing(true);
    notes.write("b.md", "The relay.");
    it.wait("it failed and was tried again", |_| {
        fault.n_triggered() >= 2
    });
    assert_eq!(it.engine.state().phase, IndexingPhase::Paused);
    drop(fault);
    it.wait("the work that waits is reported", |it| {
        it.engine.state().indexing.is_some()
    });
    assert_eq!(it.engine.state().phase, IndexingPhase::Paused);
    assert_eq!(it.found("relay"), [""; 0]);
    it.engine.pause_indexing(false);
    it.wait("it goes on", |it| {
        is_working(it) && it.found("relay") == ["b.md"]
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

/// Checks that a note which always fails is skipped by name, and found after it no longer fails.
fn check_skipped(dir: &Path, refuse: impl FnOnce() -> Box<dyn FnOnce()>, why: &str) {
    let notes = Notes::new(&[("0.md", "The old hall."), ("z.md", "The relay.")]);
    let mut it = Watched::open_with(dir, faulty(dir), OFTEN).adding(&[&notes]);
    let relent = refuse();
    notes.write("0.md", "The poisoned attic.");
    notes.write("00.md", "The poisoned cellar.");
    for number in 1..40 {
        notes.write(&format!("{number}.md"), format!("The kitchen {number}."));
    }
    it.wait("all others are found", |it| it.found("kitchen").len() == 39);
    let message = |path: &str| {
        (
            path.to_owned(),
            format!("skipped after 3 failed attempts: {why}"),
        )
    };
    it.wait("they are named, and nothing of them is found", |it| {
        problems(&it.engine) == [message("0.md"), message("00.md")]
            && it.found("poisoned").is_empty()
            && it.found("old").is_empty()
    });
    it.wait_reported(Happening::Skipped, "0.md");
    relent();
    it.wait("they are found after all", |it| {
        is_working(it) && it.found("poisoned").len() == 2
    });
    assert!(problems(&it.engine).is_empty());
    it.check_equals_fresh(dir, &[&notes]);
}

#[test]
fn a_note_that_gives_no_vector_keeps_no_other_waiting() {
    let dir = scratch();
    let path = dir.path().to_owned();
    check_skipped(
        dir.path(),
        || {
            let fault = Fault::at(Place::Embedder, &path).only("poisoned").fails();
            Box::new(|| drop(fault))
        },
        "cannot embed text: a fault for a test",
    );
}

#[test]
fn a_note_that_cannot_be_saved_keeps_no_other_waiting() {
    let dir = scratch();
    let path = dir.path().join("library.sqlite");
    let run = move |sql: &str| {
        let database = rusqlite::Connection::open(&path).expect("it is SQLite");
        let patience = database.busy_timeout(Duration::from_secs(60));
        patience.expect("it can wait");
        database.execute_batch(sql).expect("it can be done");
    };
    check_skipped(
        dir.path(),
        || {
            run(
                "CREATE TRIGGER refuse BEFORE INSERT ON chunks WHEN NEW.text LIKE '%poisoned%'
                 BEGIN SELECT RAISE(ABORT, 'refused for a test'); END",
            );
            Box::new(move || run("DROP TRIGGER refuse"))
        },
        "cannot save a chunk: refused for a test",
    );
}

#[test]
fn a_model_that_fails_altogether_skips_no_note() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    let mut it =
        Watched::open_with(dir.path(), faulty(dir.path()), Watching::default()).adding(&[&notes]);
    let fault = Fault::at(Place::Embedder, dir.path()).fails();
    notes.write("a.md", "The attic.");
    notes.write("b.md", "The cellar.");
    it.wait("it failed twice", |it| n_tries(it) == 2);
    assert_eq!(
        (problems(&it.engine), it.found("hall")),
        (vec![], vec!["a.md".to_owned()])
    );
    drop(fault);
    // The user does not have to wait.
    it.engine.pause_indexing(false);
    it.wait("it works again", |it| {
        is_working(it) && it.found("attic") == ["a.md"]
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn whatever_fails_for_a_while_the_library_equals_a_fresh_one() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let store = || Fault::at(Place::Store, dir.path());
    let lists = || Fault::at(Place::Lists, dir.path());
    let (root, folder) = (
        || Fault::at(Place::Root, notes.path()),
        || Fault::at(Place::Walk, notes.path()),
    );
    let mut it =
        Watched::open_with(dir.path(), faulty(dir.path()), Watching::default()).adding(&[&notes]);
    let faults: Vec<(&str, Plan)> = vec![
        ("the folders", store().only("read the folders")),
        ("the documents", store().only("read the documents")),
        ("a document", store().only("read a document")),
        ("problems", store().only("record problems")),
        ("embeddings", store().only("save embeddings")),
        (
            "the second embeddings",
            store().only("save embeddings").after(1),
        ),
        ("looking up", store().only("look up embeddings")),
        ("documents", store().only("save documents")),
        ("the text list", lists().only("text list")),
        ("the vector list", lists().only("vector list")),
        ("the watched folder", root()),
        ("a folder in it", folder().only("x")),
        ("the model", Fault::at(Place::Embedder, dir.path())),
    ];
    for (round, (name, plan)) in faults.into_iter().enumerate() {
        let fault = if round % 2 == 0 {
            plan.fails()
        } else {
            plan.fills_the_disk()
        };
        notes.write("a.md", format!("The attic{round}."));
        notes.write(&format!("x/{round}.md"), format!("The cellar{round}."));
        notes.write(".ignore", format!("gone{round}\n"));
        if round > 0 {
            notes.remove(&format!("x/{}.md", round - 1));
        }
        it.wait(&format!("{name} failed"), |it| {
            fault.n_triggered() > 0 && (n_tries(it) > 0 || it.is_idle())
        });
        drop(fault);
        it.engine.pause_indexing(false);
        // A folder that could not be read is checked again when something changes in it, or after ten minutes.
        notes.write(".ignore", format!("gone {round}\n"));
        it.wait(&format!("{name} is over"), |it| {
            is_working(it)
                && it.status(&notes) == Some(FolderStatus::Watching)
                && it.found(&format!("attic{round}")) == ["a.md"]
                && it.found(&format!("cellar{round}")) == [format!("x/{round}.md")]
                && it.engine.state().n_files == 3
                && it.engine.state().n_problems == 0
        });
    }
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_passing_error_of_the_database_has_no_folder_unwatched() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let failing = || {
        let plan = Fault::at(Place::Store, dir.path()).only("read the folders");
        plan.times(1).fails()
    };
    let fault = failing();
    notes.write("b.md", "The relay.");
    it.wait_reported(Happening::Added, "b.md");
    assert_eq!(fault.n_triggered(), 1);
    // While it is paused and resumed.
    let id = it.id(&notes);
    for is_paused in [true, false] {
        let fault = failing();
        it.engine
            .pause_folder(id, is_paused)
            .expect("it can be explained");
        it.wait("it was triggered", |it| {
            fault.n_triggered() == 1 && is_working(it)
        });
    }
    notes.write("c.md", "The attic.");
    it.wait_reported(Happening::Added, "c.md");
    // And at the start.
    drop(it);
    // The folders are read once before, to open the library.
    let plan = Fault::at(Place::Store, dir.path()).only("read the folders");
    let fault = plan.after(1).times(2).fails();
    let mut it = Watched::open(dir.path());
    it.wait("it is watched", |it| {
        it.status(&notes) == Some(FolderStatus::Watching)
    });
    assert_eq!(fault.n_triggered(), 2);
    notes.write("d.md", "The cellar.");
    it.wait_reported(Happening::Added, "d.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn notes_in_a_folder_that_cannot_be_looked_into_stay() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("x/b.md", "The relay."),
        ("xy/c.md", "The attic."),
    ]);
    let dir = scratch();
    let mut it = Watched::open_with(dir.path(), faulty(dir.path()), OFTEN).adding(&[&notes]);
    let fault = Fault::at(Place::Walk, notes.path()).only("x").fails();
    fs::remove_file(notes.at("a.md")).expect("it can be removed");
    it.wait("it was walked", |it| {
        problems(&it.engine).len() == 2 && it.found("hall").is_empty() && is_working(it)
    });
    let message = "cannot list all of this folder: a fault for a test; its notes stay in the library as they were";
    assert_eq!(
        problems(&it.engine),
        ["x", "xy"].map(|path| (path.to_owned(), message.to_owned()))
    );
    assert_eq!(it.found("relay"), ["x/b.md"]);
    assert!(!it.has_reported(Happening::Deleted, "x/b.md"));
    drop(fault);
    it.wait("it is looked into again", |it| {
        problems(&it.engine).is_empty()
    });
    notes.remove("x/b.md");
    it.wait_reported(Happening::Deleted, "x/b.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_folder_that_the_system_refused_for_a_moment_is_taken_up_again() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::open_with(dir.path(), faulty(dir.path()), OFTEN).adding(&[&notes]);
    let fault = Fault::at(Place::Root, notes.path()).times(1).fails();
    it.wait("it is missing", |it| {
        it.status(&notes) == Some(FolderStatus::Missing)
    });
    assert_eq!(
        (fault.n_triggered(), it.found("hall")),
        (1, vec!["a.md".to_owned()])
    );
    // Nothing about the folder changes.
    it.wait("it is there", |it| {
        it.status(&notes) == Some(FolderStatus::Watching)
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn what_a_person_does_waits_for_no_indexing() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("b.md", "The relay."),
        ("same.md", "The kitchen."),
    ]);
    let other = Notes::new(&[("c.md", "The attic.")]);
    let dir = scratch();
    let mut it =
        Watched::open_with(dir.path(), faulty(dir.path()), Watching::default()).adding(&[&notes]);
    let id = it.id(&notes);
    let library = it.engine.library();
    let search = library
        .search("kitchen", &Params::default(), None)
        .expect("it can be searched");
    let rows = search.rows().expect("they are its own");
    let slot = rows.iter().position(|row| row.path == "same.md");
    let slot = slot.expect("it is found") as u32;
    let places = [
        Fault::at(Place::Embedder, dir.path()).only("endless"),
        Fault::at(Place::Lists, dir.path()),
        Fault::at(Place::Root, other.path()),
    ];
    for (number, plan) in places.into_iter().enumerate() {
        let fault = plan.hangs();
        match number {
            0 => notes.write("a.md", "The endless hall."),
            1 => notes.write("b.md", "The loud relay."),
            _ => {
                let state = it.engine.add_folder(other.path()).expect("it can be added");
                let status: Vec<FolderStatus> = state.folders.iter().map(|it| it.status).collect();
                assert_eq!(status.len(), 2, "it is there at once");
                assert!(status.contains(&FolderStatus::Waiting));
            }
        }
        fault.wait();
        let engine = &it.engine;
        acts::save_preset(engine, "mine", &Params::default()).expect("it can be saved");
        acts::vote(engine, search.id, slot, number % 2 == 0).expect("it can be rated");
        assert_eq!(engine.pause_indexing(true).phase, IndexingPhase::Paused);
        assert_eq!(engine.pause_indexing(false).phase, IndexingPhase::Working);
        let is_paused = |state: memlens_engine::view::LibraryState| {
            state
                .folders
                .iter()
                .any(|it| it.status == FolderStatus::Paused)
        };
        assert!(is_paused(
            engine.pause_folder(id, true).expect("it can be paused")
        ));
        assert!(!is_paused(
            engine.pause_folder(id, false).expect("it can go on")
        ));
        acts::delete_preset(engine, "mine").expect("it can be deleted");
        drop(fault);
        it.wait("it went on", is_working);
    }
    // The same thumb again takes it back.
    let thumbs = acts::vote(&it.engine, search.id, slot, true);
    assert_eq!(thumbs.expect("it can be taken back"), []);
    assert_eq!(it.found("endless"), ["a.md"]);
    it.check_equals_fresh(dir.path(), &[&notes, &other]);
}

#[test]
fn a_pause_stops_a_walk() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("b.md", "The relay."),
        ("c.md", "The attic."),
    ]);
    let dir = scratch();
    let mut it = Watched::open(dir.path());
    let fault = Fault::at(Place::Walk, notes.path()).times(1).hangs();
    it.engine.add_folder(notes.path()).expect("it can be added");
    fault.wait();
    it.engine.pause_indexing(true);
    drop(fault);
    let walked = Fault::at(Place::Walk, notes.path()).fails();
    // The answer shows that the thread has finished what it was doing.
    it.engine
        .remove_folder(FolderId(i64::MAX))
        .expect("there is none to remove");
    assert_eq!(walked.n_triggered(), 0, "no other entry was looked at");
    assert_eq!(it.status(&notes), Some(FolderStatus::Waiting));
    drop(walked);
    it.engine.pause_indexing(false);
    it.wait("it is indexed", is_working);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[cfg(unix)]
#[test]
fn a_change_through_another_name_is_found_by_the_next_walk() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let outside = Notes::new(&[]);
    let dir = scratch();
    fs::hard_link(notes.at("a.md"), outside.at("other.md")).expect("it can have two names");
    let mut it = Watched::open_with(dir.path(), faulty(dir.path()), OFTEN).adding(&[&notes]);
    fs::write(outside.at("other.md"), "The attic.").expect("it can be written");
    it.wait("the change is found", |it| it.found("attic") == ["a.md"]);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn walks_and_indexing_take_turns() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let started = Instant::now();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let indexing_took = started.elapsed();
    let walk = || Fault::at(Place::Root, notes.path());
    let first = walk().times(1).hangs();
    notes.write(".ignore", "x\n");
    notes.write("b.md", "The relay.");
    first.wait();
    // During the walk something happens that needs another walk, and the walk takes longer than indexing a note.
    notes.write(".ignore", "y\n");
    std::thread::sleep(Duration::from_secs(4).max(4 * indexing_took));
    let second = walk().hangs();
    drop(first);
    it.wait(
        "what the first walk found is indexed before the second",
        |it| it.found("relay") == ["b.md"],
    );
    second.wait();
    drop(second);
    it.wait("both are over", is_working);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn while_nothing_can_be_saved_nothing_more_is_read() {
    let notes = Notes::new(&[]);
    for number in 0..400 {
        notes.write(&format!("old/{number}.md"), format!("The hall {number}."));
    }
    let dir = scratch();
    index(dir.path(), &[notes.path()]);
    // Known texts: nothing must be embedded, which would fail as well.
    notes.rename("old", "new");
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folders = indexer.store().folders().expect("they can be read");
    indexer.scan(&folders[0], &go_on).expect("it can be walked");
    let full = Fault::at(Place::Store, dir.path())
        .only("save documents")
        .fills_the_disk();
    indexer.run(&go_on, &mut ()).expect_err("the disk is full");
    let n_read = indexer.progress().n_done;
    assert!((1..800).contains(&n_read), "{n_read}");
    for _ in 0..20 {
        indexer.step(&go_on, &mut ()).expect_err("it is full still");
        assert_eq!(indexer.progress().n_done, n_read);
    }
    drop(full);
    let step = indexer.run(&go_on, &mut ()).expect("there is room again");
    assert_eq!(step, Step::Idle);
    drop(indexer);
    check_equals_fresh(dir.path(), &[notes.path()], &["hall 7"]);
}

#[test]
fn the_nearest_folder_that_was_looked_into_tells_what_is_gone() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("x/b.md", "The relay."),
        ("x/c.md", "The attic."),
    ]);
    let dir = scratch();
    index(dir.path(), &[notes.path()]);
    let n_removed = || index(dir.path(), &[notes.path()]).n_removed;
    notes.remove("x/b.md");
    // The entries of a folder are unknown if the walk failed at the folder around it.
    let walk = Fault::at(Place::Walk, notes.path()).times(1).fails();
    assert_eq!((n_removed(), walk.n_triggered()), (0, 1));
    drop(walk);
    let entry = Fault::at(Place::Entry, notes.path()).only("a.md").fails();
    assert_eq!((n_removed(), entry.n_triggered()), (1, 1));
    notes.remove("a.md");
    assert_eq!(n_removed(), 1, "nothing is left that cannot be looked at");
    drop(entry);
    check_equals_fresh(dir.path(), &[notes.path()], &["hall attic"]);
}

#[test]
fn a_pause_saves_what_was_read() {
    let notes = Notes::new(&[("b.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    it.engine.pause_indexing(true);
    notes.write("a.md", "The relay.");
    // Changes that were being read would be stopped and saved by the pause.
    notes.remove("b.md");
    notes.write("c.md", "The attic.");
    it.wait("three wait", |it| {
        let indexing = it.engine.state().indexing;
        indexing.is_some_and(|it| it.n_total - it.n_done == 3)
    });
    let second = Fault::at(Place::Store, dir.path())
        .only("read a document")
        .after(1);
    let second = second.times(1).hangs();
    it.engine.pause_indexing(false);
    second.wait();
    it.engine.pause_indexing(true);
    drop(second);
    it.wait("what was done is found", |it| {
        it.found("hall").is_empty() && it.found("attic") == ["c.md"]
    });
    let state = it.engine.state();
    assert_eq!(state.phase, IndexingPhase::Paused);
    assert!(state.indexing.is_some(), "one is not read yet");
    it.engine.pause_indexing(false);
    it.wait("the others are found", is_working);
    it.check_equals_fresh(dir.path(), &[&notes]);
}
