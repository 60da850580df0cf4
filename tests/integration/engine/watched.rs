//! An engine that watches, and all its reports: shared by the tests of watching and of failing.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memlens_engine::view::{Activity, FolderStatus, Happening};
use memlens_engine::{EmbedderSource, Engine, Event, FolderId, Home, Listener, Watching};
use memlens_params::Params;
use memlens_tests::{Notes, answers, content, fresh, hashing, open};

/// The most time that anything may take, on a machine however busy. Ten thousand files took 21 s beside a build.
const PATIENCE: Duration = Duration::from_secs(180);

/// An engine and all its reports so far.
pub struct Watched {
    pub engine: Engine,
    events: Receiver<Event>,
    pub reported: Vec<Activity>,
}

impl Watched {
    pub fn open(dir: &Path) -> Watched {
        Watched::open_with(dir, hashing(), Watching::default())
    }

    /// Opens an engine whose agents live in a home of their own.
    pub fn at_home(dir: &Path, home: &Notes) -> Watched {
        let home = Home::new(home.path());
        Watched::open_in(dir, hashing(), Watching::default(), Some(home))
    }

    pub fn open_with(dir: &Path, source: EmbedderSource, watching: Watching) -> Watched {
        Watched::open_in(dir, source, watching, None)
    }

    fn open_in(
        dir: &Path,
        source: EmbedderSource,
        watching: Watching,
        home: Option<Home>,
    ) -> Watched {
        let (sender, events) = channel();
        let sender = Mutex::new(sender);
        let listener: Listener = Arc::new(move |event| {
            // The test may have ended.
            let _ = sender.lock().expect("nobody panics").send(event);
        });
        let engine =
            Engine::open_to_watch(dir, source, watching, home, listener).expect("it can be opened");
        Watched {
            engine,
            events,
            reported: Vec::new(),
        }
    }

    /// Opens an engine that watches these notes and has nothing left to do.
    pub fn of(dir: &Path, notes: &[&Notes]) -> Watched {
        Watched::open(dir).adding(notes)
    }

    pub fn adding(self, notes: &[&Notes]) -> Watched {
        let mut watched = self;
        for notes in notes {
            watched
                .engine
                .add_folder(notes.path())
                .expect("it can be added");
        }
        watched.wait("everything is indexed", |it| it.is_idle());
        watched.reported.clear();
        watched
    }

    /// Waits until `is_so` returns true; it is called again after every event.
    pub fn wait(&mut self, what: &str, is_so: impl Fn(&Watched) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            let left = PATIENCE.saturating_sub(started.elapsed());
            match self.events.recv_timeout(left) {
                Ok(Event::Activity(activity)) => self.reported.push(activity),
                Ok(Event::State(_) | Event::Job(_) | Event::Lost(_)) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "waited in vain until {what}; reported {:?}; state {:?}",
                        self.reported,
                        self.engine.state()
                    )
                }
            }
        }
    }

    /// Takes up the events that have arrived, without waiting.
    pub fn take_up(&mut self) {
        let reported = self.events.try_iter().filter_map(|event| match event {
            Event::Activity(activity) => Some(activity),
            Event::State(_) | Event::Job(_) | Event::Lost(_) => None,
        });
        self.reported.extend(reported);
    }

    pub fn wait_reported(&mut self, what: Happening, path: &str) {
        self.wait(&format!("{what:?} {path} is reported"), |it| {
            it.has_reported(what, path)
        });
    }

    pub fn has_reported(&self, what: Happening, path: &str) -> bool {
        self.reported
            .iter()
            .any(|activity| activity.what == what && activity.path == path)
    }

    pub fn is_idle(&self) -> bool {
        let state = self.engine.state();
        state.indexing.is_none()
            && state.scanning.is_none()
            && state
                .folders
                .iter()
                .all(|folder| folder.status != FolderStatus::Waiting)
    }

    pub fn status(&self, notes: &Notes) -> Option<FolderStatus> {
        self.status_and_why(notes).map(|(status, _)| status)
    }

    pub fn status_and_why(&self, notes: &Notes) -> Option<(FolderStatus, String)> {
        let state = self.engine.state();
        let folder = state
            .folders
            .into_iter()
            .find(|folder| Path::new(&folder.path) == notes.path());
        folder.map(|folder| (folder.status, folder.why.unwrap_or_default()))
    }

    pub fn id(&self, notes: &Notes) -> FolderId {
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

    /// Returns the notes that hold a word, as this engine finds them.
    pub fn found(&self, word: &str) -> Vec<String> {
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

    /// Closes the engine and checks that the library equals a fresh one.
    pub fn check_equals_fresh(self, dir: &Path, notes: &[&Notes]) {
        drop(self);
        let paths: Vec<&Path> = notes.iter().map(|notes| notes.path()).collect();
        let fresh_dir = fresh(&paths);
        let [found, expected] = [dir, fresh_dir.path()].map(|dir| {
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

/// Makes a folder for a library, which is deleted when the value is dropped.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}
