//! An open library follows its folders by itself: real notify, real files.
//!
//! Properties checked: what is done to a note is told and can be searched then; afterwards the library equals a fresh
//! one; folders that are paused, go away and come back; a second engine beside the first.
//!
//! Nothing waits a fixed time: every step waits for an event of the engine, for [`PATIENCE`] at most.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memlens_engine::view::{Activity, FolderStatus, Happening};
use memlens_engine::{Engine, Event, FolderId, Listener};
use memlens_params::Params;
use memlens_tests::{Notes, answers, content, fresh, hashing, open};

/// How long an event may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Is an engine with everything it has told.
struct Watched {
    engine: Engine,
    events: Receiver<Event>,
    told: Vec<Activity>,
}

impl Watched {
    fn open(dir: &Path) -> Watched {
        let (sender, events) = channel();
        let sender = Mutex::new(sender);
        let listener: Listener = Arc::new(move |event| {
            // The test may have ended.
            let _ = sender.lock().expect("nobody panics").send(event);
        });
        let engine = Engine::open(dir, hashing(), listener).expect("it can be opened");
        Watched {
            engine,
            events,
            told: Vec::new(),
        }
    }

    /// Opens an engine that watches these notes and has nothing left to do.
    fn of(dir: &Path, notes: &[&Notes]) -> Watched {
        let mut watched = Watched::open(dir);
        for notes in notes {
            watched
                .engine
                .add_folder(notes.path())
                .expect("it can be added");
        }
        watched.wait("everything is indexed", |it| it.is_idle());
        watched.told.clear();
        watched
    }

    /// Waits until `is_so`, which is asked again after every event.
    fn wait(&mut self, what: &str, is_so: impl Fn(&Watched) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            let left = PATIENCE.saturating_sub(started.elapsed());
            match self.events.recv_timeout(left) {
                Ok(Event::Activity(activity)) => self.told.push(activity),
                Ok(Event::State(_)) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "waited in vain until {what}; told {:?}; state {:?}",
                        self.told,
                        self.engine.state()
                    )
                }
            }
        }
    }

    fn wait_told(&mut self, what: Happening, path: &str) {
        self.wait(&format!("{what:?} {path} is told"), |it| {
            it.has_told(what, path)
        });
    }

    fn has_told(&self, what: Happening, path: &str) -> bool {
        self.told
            .iter()
            .any(|activity| activity.what == what && activity.path == path)
    }

    fn is_idle(&self) -> bool {
        let state = self.engine.state();
        state.indexing.is_none()
            && state
                .folders
                .iter()
                .all(|folder| folder.status != FolderStatus::Waiting)
    }

    fn status(&self, notes: &Notes) -> Option<FolderStatus> {
        let state = self.engine.state();
        let folder = state
            .folders
            .into_iter()
            .find(|folder| Path::new(&folder.path) == notes.path());
        folder.map(|folder| folder.status)
    }

    fn id(&self, notes: &Notes) -> FolderId {
        let state = self.engine.state();
        let folder = state
            .folders
            .into_iter()
            .find(|folder| Path::new(&folder.path) == notes.path());
        FolderId(
            folder
                .and_then(|folder| folder.id.parse().ok())
                .expect("it is watched"),
        )
    }

    /// Returns the notes in which a word stands, as this engine finds them.
    fn found(&self, word: &str) -> Vec<String> {
        let library = self.engine.library();
        let search = library
            .search(word, &Params::default(), None)
            .expect("it can be searched");
        let rows = search.rows().expect("they are its own");
        rows.into_iter()
            .filter(|row| row.bm25.is_some())
            .map(|row| row.path)
            .collect()
    }

    /// Ends the engine and checks that the library equals a fresh one.
    fn check_equals_fresh(self, dir: &Path, notes: &[&Notes]) {
        drop(self);
        let paths: Vec<&Path> = notes.iter().map(|notes| notes.path()).collect();
        let anew = fresh(&paths);
        let [found, expected] = [dir, anew.path()].map(|dir| {
            let library = open(dir);
            let content = content(&library.store());
            (
                content,
                answers(&library, &["hall relay", "attic"], &Params::default()),
            )
        });
        assert_eq!(found, expected);
    }
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

#[test]
fn notes_are_followed_as_they_change() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    assert_eq!(it.status(&notes), Some(FolderStatus::Watching));

    notes.write("new.md", "The attic.");
    it.wait_told(Happening::Added, "new.md");
    assert_eq!(it.found("attic"), ["new.md"]);

    notes.write("a.md", "The cellar.");
    it.wait_told(Happening::Changed, "a.md");
    assert_eq!(
        (it.found("cellar"), it.found("hall")),
        (vec!["a.md".to_owned()], vec![])
    );

    // As editors save: a new file beside the note, put in its place.
    for number in 0..3 {
        it.told.clear();
        notes.write(".a.md.tmp", format!("The cellar, saved {number} times."));
        notes.rename(".a.md.tmp", "a.md");
        it.wait_told(Happening::Changed, "a.md");
        assert_eq!(it.found(&number.to_string()), ["a.md"]);
    }
    // Or with the old one kept for a moment.
    it.told.clear();
    notes.rename("a.md", "a.md~");
    notes.write("a.md", "The kitchen.");
    notes.remove("a.md~");
    it.wait("the kitchen is found", |it| it.found("kitchen") == ["a.md"]);
    assert_eq!(it.found("cellar"), [""; 0]);

    notes.rename("new.md", "x/moved.md");
    it.wait_told(Happening::Renamed, "x/moved.md");
    assert_eq!(it.found("attic"), ["x/moved.md"]);

    notes.remove("x/moved.md");
    it.wait_told(Happening::Deleted, "x/moved.md");
    assert_eq!(it.found("attic"), [""; 0]);
    assert!(it.engine.activity().len() >= 7 && it.engine.activity()[0].what == Happening::Deleted);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn folders_in_a_folder_are_followed() {
    let notes = Notes::new(&[("x/y/a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);

    notes.rename("x", "z");
    it.wait("the folder's new name is found", |it| {
        it.found("hall") == ["z/y/a.md"] && it.found("relay") == ["z/b.md"]
    });
    // A new folder is followed from then on.
    notes.write("n/e/w/c.md", "The attic.");
    it.wait_told(Happening::Added, "n/e/w/c.md");
    notes.write("n/e/w/c.md", "The cellar.");
    it.wait_told(Happening::Changed, "n/e/w/c.md");
    // A folder that comes from elsewhere with notes in it, and one that goes.
    let outside = Notes::new(&[("d.md", "The kitchen.")]);
    fs::rename(outside.path(), notes.at("came")).expect("it can be renamed");
    it.wait_told(Happening::Added, "came/d.md");
    fs::remove_dir_all(notes.at("n")).expect("it can be removed");
    it.wait_told(Happening::Deleted, "n/e/w/c.md");
    // Rules change what is read.
    notes.write(".ignore", "came\n");
    it.wait_told(Happening::Deleted, "came/d.md");
    assert_eq!(it.found("kitchen"), [""; 0]);
    notes.remove(".ignore");
    it.wait("the kitchen is back", |it| {
        it.found("kitchen") == ["came/d.md"]
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_folder_goes_away_and_comes_back() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let away = notes.path().with_file_name("away");
    for round in 0..2 {
        fs::rename(notes.path(), &away).expect("it can be renamed");
        it.wait("the folder is missing", |it| {
            it.status(&notes) == Some(FolderStatus::Missing)
        });
        assert_eq!(
            (it.found("relay"), it.engine.state().n_files),
            (vec!["b.md".to_owned()], 2)
        );
        // Something is done to it meanwhile.
        fs::write(away.join("a.md"), format!("The attic {round}.")).expect("it can be written");
        fs::rename(&away, notes.path()).expect("it can be renamed");
        it.wait("the folder is back", |it| {
            it.status(&notes) == Some(FolderStatus::Watching)
                && it.found(&round.to_string()) == ["a.md"]
        });
        // It is followed again.
        it.told.clear();
        notes.write("b.md", format!("The relay {round}."));
        it.wait_told(Happening::Changed, "b.md");
    }
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_paused_folder_is_left_alone_until_it_goes_on() {
    let (paused, other) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&paused, &other]);
    let id = it.id(&paused);
    it.engine.pause_folder(id, true).expect("it can be paused");
    assert_eq!(it.status(&paused), Some(FolderStatus::Paused));
    paused.write("a.md", "The attic.");
    paused.write("c.md", "The attic.");
    // Whatever happened there would have been seen before this.
    for round in 0..3 {
        it.told.clear();
        other.write("b.md", format!("The relay {round}."));
        it.wait_told(Happening::Changed, "b.md");
    }
    assert_eq!(
        (it.found("attic"), it.found("hall")),
        (vec![], vec!["a.md".to_owned()])
    );

    it.engine.pause_folder(id, false).expect("it can go on");
    it.wait("what was done meanwhile is found", |it| {
        it.found("attic") == ["a.md", "c.md"]
    });
    assert_eq!(it.status(&paused), Some(FolderStatus::Watching));
    paused.remove("c.md");
    it.wait_told(Happening::Deleted, "c.md");
    it.check_equals_fresh(dir.path(), &[&paused, &other]);
}

#[test]
fn indexing_is_paused_and_goes_on() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    it.engine.pause_indexing(true);
    notes.write("b.md", "The relay.");
    it.wait("the work that waits is told", |it| {
        it.engine
            .state()
            .indexing
            .is_some_and(|progress| progress.paused && progress.n_total > progress.n_done)
    });
    assert_eq!(it.found("relay"), [""; 0]);
    it.engine.pause_indexing(false);
    it.wait_told(Happening::Added, "b.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn what_happened_while_nobody_looked_is_found_at_the_start() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    drop(Watched::of(dir.path(), &[&notes]));
    notes.write("a.md", "The attic.");
    notes.remove("b.md");
    let mut it = Watched::open(dir.path());
    it.wait("the changes are found", |it| {
        it.found("attic") == ["a.md"] && it.found("relay").is_empty()
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_removed_folder_is_forgotten_at_once() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&first, &second]);
    let id = it.id(&second);
    let state = it.engine.remove_folder(id).expect("it can be removed");
    assert_eq!(
        (state.folders.len(), state.n_files, it.found("relay")),
        (1, 1, vec![])
    );
    // And may come back.
    it.engine
        .add_folder(second.path())
        .expect("it can be added");
    it.wait("it is back", |it| it.found("relay") == ["b.md"]);
    it.check_equals_fresh(dir.path(), &[&first, &second]);
}

#[test]
fn a_second_engine_reads_what_the_first_writes_and_takes_over_from_it() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut first = Watched::of(dir.path(), &[&notes]);
    let mut second = Watched::open(dir.path());
    let read_only = second
        .engine
        .state()
        .read_only
        .expect("the first one writes");
    assert!(
        read_only.contains(&format!("process {}", std::process::id())),
        "{read_only}"
    );
    let error = second
        .engine
        .add_folder(dir.path())
        .expect_err("it only reads");
    assert!(
        error.to_string().starts_with("cannot change the library: "),
        "{error}"
    );

    notes.write("b.md", "The relay.");
    first.wait_told(Happening::Added, "b.md");
    second.wait("the other one's change is found", |it| {
        it.found("relay") == ["b.md"]
    });

    drop(first);
    second.wait("it may write", |it| {
        it.engine.state().read_only.is_none() && it.status(&notes) == Some(FolderStatus::Watching)
    });
    notes.write("c.md", "The attic.");
    second.wait_told(Happening::Added, "c.md");
    second.check_equals_fresh(dir.path(), &[&notes]);
}
