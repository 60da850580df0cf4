//! The library as the window holds it: one thread writes and watches, everyone else reads.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_embed::lower_priority;
use memlens_params::Params;
use memlens_store::{Folder, FolderId, Imported, NewFeedback, Store, StoreError, StoredPreset};

use crate::aggregator::{Aggregator, Alarm};
use crate::agreement::uses_agreement;
use crate::feedback::{self, FeedbackEntry, FeedbackImport, RowThumb};
use crate::indexer::{Indexer, Observer, Step};
use crate::model::{EmbedderSource, Purpose};
use crate::preset::stored_text;
use crate::view::{
    Activity, FolderState, FolderStatus, FolderTree, Happening, LibraryState, Progress,
};
use crate::watch::Watch;
use crate::{EngineError, Library};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(120);
/// How often a quiet thread looks for folders that came back, or for what another process wrote.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long nothing must have happened until the library is tidied.
const TIDY_AFTER: Duration = Duration::from_secs(20);
/// How long a process that may not write, or could not, waits until it tries again.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(30);
/// How often a folder in which new ones appear is walked before it has come to rest.
const WALKS_MAX: usize = 4;
/// How many things that happened are kept for the window.
const ACTIVITY_KEPT: usize = 500;

/// Tells how changes in the folders are noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Watching {
    /// The system tells; folders where it cannot are looked through now and then.
    #[default]
    Told,
    /// All folders are looked through now and then: for places where the system stays silent.
    Polled,
}

/// Is something the window should show without having asked.
#[derive(Debug, Clone)]
pub enum Event {
    /// The library changed.
    State(Box<LibraryState>),
    /// Something happened to a note and can be searched now.
    Activity(Activity),
}

/// Is told of every event; called from the writing thread.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// Holds a library that is written, watched and searched.
pub struct Engine {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
    /// Ends with its value.
    _aggregator: Aggregator,
}

/// What both sides see.
struct Shared {
    library: Library,
    model: String,
    state: Mutex<Moving>,
    /// Set to have the writing thread look at its commands soon.
    interrupt: AtomicBool,
    stop: AtomicBool,
    /// Rung when the library changed and somebody uses corroboration.
    alarm: Arc<Alarm>,
    /// Set once somebody does: what nobody uses costs nothing.
    wants_agreement: AtomicBool,
    listener: Listener,
}

/// What the writing thread changes and the window shows.
#[derive(Default)]
struct Moving {
    progress: Option<Progress>,
    is_paused: bool,
    statuses: HashMap<FolderId, (FolderStatus, Option<String>)>,
    activity: VecDeque<Activity>,
    notices: Vec<String>,
    /// Why the last step failed, and when; none since one worked, or since the person paused or went on.
    failure: Option<(String, Instant)>,
    /// The files that wait to be read, as they were a moment ago.
    unfinished: HashMap<FolderId, HashSet<String>>,
    read_only: Option<String>,
}

type Reply<T> = SyncSender<Result<T, EngineError>>;

enum Command {
    AddFolder(PathBuf, Reply<()>),
    RemoveFolder(FolderId, Reply<()>),
    PauseFolder(FolderId, bool, Reply<()>),
    /// Whether it is paused stands in [`Moving`]; this has it seen soon.
    Pause,
    SavePreset(StoredPreset, Reply<()>),
    DeletePreset(String, Reply<()>),
    Vote(NewFeedback, Reply<()>),
    UndoFeedback(String, Reply<()>),
    ImportFeedback(Vec<NewFeedback>, Reply<Imported>),
    EraseAll(Reply<()>),
    /// Something was seen in a folder: it is due soon.
    Seen,
    Stop,
}

impl Engine {
    /// Opens the library in `dir`, brings it into step with its folders and watches them.
    ///
    /// While another process writes, when there is no model to index with, or where this process may
    /// not write, it is only read, and its state says so.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn open(
        dir: &Path,
        source: EmbedderSource,
        listener: Listener,
    ) -> Result<Engine, EngineError> {
        Engine::open_to_watch(dir, source, Watching::Told, listener)
    }

    /// Does the same and says how changes are to be noticed.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_to_watch(
        dir: &Path,
        source: EmbedderSource,
        watching: Watching,
        listener: Listener,
    ) -> Result<Engine, EngineError> {
        let mut moving = Moving::default();
        let mut model = String::new();
        let mut refused = None;
        let opened = source(Purpose::Indexing)
            .map_err(EngineError::from)
            .and_then(|embedder| {
                model.clone_from(&embedder.info().name);
                Indexer::open(dir, embedder)
            });
        let indexer = match opened {
            Ok((indexer, notices)) => {
                moving.notices = notices;
                Some(indexer)
            }
            Err(error) if is_only_no_writing(&error) => {
                moving.read_only = Some(error.to_string());
                refused = Some(error);
                None
            }
            Err(error) => return Err(error),
        };
        let library = match (Library::open(dir, source.clone()), refused) {
            // There is none because none could be made: that is what must be told.
            (Err(EngineError::Store(StoreError::Missing { .. })), Some(refused)) => {
                return Err(refused);
            }
            (opened, _) => opened?,
        };
        moving.notices.extend(library.notices().iter().cloned());
        let shared = Arc::new(Shared {
            library,
            model,
            state: Mutex::new(moving),
            interrupt: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            alarm: Arc::new(Alarm::default()),
            wants_agreement: AtomicBool::new(false),
            listener,
        });
        let interval = u64::from(Params::default().aggregation_interval_s);
        let passes = shared.clone();
        let aggregator = Aggregator::start(
            shared.alarm.clone(),
            Duration::from_secs(interval),
            move || passes.aggregate(),
        )?;

        let (commands, received) = mpsc::channel();
        let (worker_shared, worker_commands) = (shared.clone(), commands.clone());
        let thread = std::thread::Builder::new()
            .name("memlens-writer".to_owned())
            .spawn(move || {
                lower_priority();
                Worker::new(worker_shared, worker_commands, watching)
                    .run(indexer, &received, &source);
            })
            .map_err(|error| EngineError::System {
                attempt: "start the writing thread",
                why: error.to_string(),
            })?;
        Ok(Engine {
            shared,
            commands,
            thread: Some(thread),
            _aggregator: aggregator,
        })
    }

    /// Returns the library, to read.
    pub fn library(&self) -> &Library {
        &self.shared.library
    }

    /// Returns the library in one line and behind it.
    pub fn state(&self) -> LibraryState {
        self.shared.state()
    }

    /// Has observations compared in the background from now on, where these parameters make use of
    /// it; an event tells when they are.
    pub fn aggregate_for(&self, params: &Params) {
        if uses_agreement(params) {
            self.shared.wants_agreement.store(true, Ordering::Relaxed);
            if self.library().needs_aggregation() {
                self.shared.alarm.ring();
            }
        }
    }

    /// Adds a folder to watch and starts to index it.
    ///
    /// # Errors
    /// As [`Indexer::add_folder`], and [`EngineError::ReadOnly`].
    pub fn add_folder(&self, path: &Path) -> Result<LibraryState, EngineError> {
        let path = path.to_owned();
        self.ask(|reply| Command::AddFolder(path, reply))?;
        Ok(self.state())
    }

    /// Forgets a folder.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn remove_folder(&self, folder: FolderId) -> Result<LibraryState, EngineError> {
        self.ask(|reply| Command::RemoveFolder(folder, reply))?;
        Ok(self.state())
    }

    /// Pauses or resumes a folder.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn pause_folder(
        &self,
        folder: FolderId,
        is_paused: bool,
    ) -> Result<LibraryState, EngineError> {
        self.ask(|reply| Command::PauseFolder(folder, is_paused, reply))?;
        Ok(self.state())
    }

    /// Forgets everything: folders, notes, embeddings, presets, thumbs. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`], [`EngineError::Index`].
    pub fn erase_all(&self) -> Result<LibraryState, EngineError> {
        self.ask(Command::EraseAll)?;
        Ok(self.state())
    }

    /// Pauses or resumes all indexing.
    pub fn pause_indexing(&self, is_paused: bool) -> LibraryState {
        {
            let mut moving = self.shared.moving();
            moving.is_paused = is_paused;
            moving.failure = None;
            // At once: the writing thread may still be busy with a text.
            if let Some(progress) = &mut moving.progress {
                progress.paused = is_paused;
            }
        }
        self.send(Command::Pause);
        self.state()
    }

    /// Returns what happened, newest first.
    pub fn activity(&self) -> Vec<Activity> {
        self.shared.moving().activity.iter().cloned().collect()
    }

    /// Returns every folder with what it holds.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn trees(&self) -> Result<Vec<FolderTree>, EngineError> {
        self.state()
            .folders
            .into_iter()
            .map(|folder| {
                let id = FolderId(folder.id.parse().unwrap_or_default());
                let pending = self.shared.moving().unfinished.get(&id).cloned();
                Ok(FolderTree {
                    entries: self.library().tree(id, &pending.unwrap_or_default())?,
                    folder,
                })
            })
            .collect()
    }

    /// Saves parameters under a name.
    ///
    /// # Errors
    /// [`EngineError::Preset`] for an empty name, [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn save_preset(&self, name: &str, params: &Params) -> Result<(), EngineError> {
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(EngineError::Preset {
                origin: "without a name".to_owned(),
                why: "give it a name".to_owned(),
            });
        }
        let preset = StoredPreset {
            name,
            params: stored_text(params),
        };
        self.ask(|reply| Command::SavePreset(preset, reply))
    }

    /// Deletes a preset.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn delete_preset(&self, name: &str) -> Result<(), EngineError> {
        let name = name.to_owned();
        self.ask(|reply| Command::DeletePreset(name, reply))
    }

    /// Gives a row of a search a thumb: turns the other one, takes back the same one. Every search
    /// that is kept ranks by it from now on. Returns the thumbs of the search's rows.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`], [`EngineError::NoRow`], [`EngineError::ReadOnly`],
    /// [`EngineError::Store`].
    pub fn vote(&self, search: u32, slot: u32, up: bool) -> Result<Vec<RowThumb>, EngineError> {
        let library = self.library();
        let kept = library.kept(search)?;
        let vote = kept.vote(&library.store(), slot, up)?;
        self.ask(|reply| Command::Vote(vote, reply))?;
        library.row_thumbs(&kept)
    }

    /// Takes a thumb back. Returns those that are left, the newest first.
    ///
    /// # Errors
    /// [`EngineError::NoFeedback`], [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn undo_feedback(&self, id: &str) -> Result<Vec<FeedbackEntry>, EngineError> {
        let id = id.to_owned();
        self.ask(|reply| Command::UndoFeedback(id, reply))?;
        self.library().feedback()
    }

    /// Adds the thumbs of a file that was exported, as [`Library::import_feedback`].
    ///
    /// # Errors
    /// [`EngineError::File`], [`EngineError::Feedback`], [`EngineError::ReadOnly`],
    /// [`EngineError::Store`].
    pub fn import_feedback(&self, path: &Path) -> Result<FeedbackImport, EngineError> {
        let (votes, problems) = feedback::read_file(path)?;
        let imported = self.ask(|reply| Command::ImportFeedback(votes, reply))?;
        Ok(FeedbackImport::new(imported, problems))
    }

    fn send(&self, command: Command) {
        // The thread only ends when this engine is dropped.
        let _ = self.commands.send(command);
        // After it is sent, so that whoever stops for it also finds it.
        self.shared.interrupt.store(true, Ordering::Relaxed);
    }

    fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, EngineError> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.send(command(reply));
        answer.recv().unwrap_or_else(|_| {
            Err(EngineError::System {
                attempt: "change the library",
                why: "the writing thread has ended".to_owned(),
            })
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by its own thread.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn moving(&self) -> MutexGuard<'_, Moving> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> LibraryState {
        let lists = self.library.lists();
        let snapshot = &lists.snapshot;
        let n_problems = self.library.store().n_unreadable().unwrap_or_default();
        let moving = self.moving();
        let folders = snapshot
            .folders
            .iter()
            .map(|folder| {
                let documents = snapshot
                    .documents
                    .iter()
                    .filter(|document| document.folder == folder.id);
                let (mut n_files, mut n_chunks) = (0, 0);
                for document in documents {
                    n_files += 1;
                    n_chunks += document.chunks.end - document.chunks.start;
                }
                let (status, why) = moving
                    .statuses
                    .get(&folder.id)
                    .cloned()
                    .unwrap_or((FolderStatus::Waiting, moving.read_only.clone()));
                FolderState {
                    id: folder.id.0.to_string(),
                    path: folder.path.clone(),
                    name: folder.name.clone(),
                    n_files,
                    n_chunks,
                    status,
                    why,
                }
            })
            .collect();
        LibraryState {
            folders,
            n_files: snapshot.documents.len() as u32,
            n_chunks: snapshot.chunks.len() as u32,
            n_problems,
            model: self.model.clone(),
            generation: snapshot.generation as u32,
            agreement: self.library.agreement().map(|it| it.generation as u32),
            indexing: moving.progress.clone(),
            data_dir: self.library.dir().display().to_string(),
            data_bytes: self.library.data_size().total,
            notices: moving
                .notices
                .iter()
                .chain(moving.failure.as_ref().map(|(why, _)| why))
                .cloned()
                .collect(),
            read_only: moving.read_only.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Passes over all observations where anything changed, and tells.
    fn aggregate(&self) {
        match self.library.aggregate() {
            Ok(false) => {}
            Ok(true) => self.tell_state(),
            Err(error) => tracing::error!(%error, "cannot aggregate observations"),
        }
    }

    fn tell_state(&self) {
        if self.wants_agreement.load(Ordering::Relaxed) && self.library.needs_aggregation() {
            self.alarm.ring();
        }
        (self.listener)(Event::State(Box::new(self.state())));
    }

    fn tell_activity(&self, happened: &[Activity]) {
        {
            let mut moving = self.moving();
            for activity in happened {
                moving.activity.push_front(activity.clone());
            }
            moving.activity.truncate(ACTIVITY_KEPT);
        }
        for activity in happened {
            (self.listener)(Event::Activity(activity.clone()));
        }
    }
}

/// Tells whether an error keeps the library from being written and not from being read.
fn is_only_no_writing(error: &EngineError) -> bool {
    if let EngineError::Store(StoreError::Folder { source, .. }) = error {
        return matches!(
            source.kind(),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
        );
    }
    matches!(
        error,
        EngineError::Store(StoreError::Locked { .. }) | EngineError::Embed(_)
    )
}

/// Is what tells one folder from another that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

/// Is a folder as it was when it was last taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    identity: Identity,
    /// When its rights or entries last changed, nanoseconds since 1970.
    changed_ns: i64,
}

impl Stamp {
    /// Returns what stands at a path; none where that is no folder.
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Stamp> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_dir())?;
        Some(Stamp {
            identity: Identity {
                device: metadata.dev(),
                inode: metadata.ino(),
            },
            changed_ns: metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec(),
        })
    }

    /// Returns what stands at a path; none where that is no folder.
    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Stamp> {
        path.is_dir().then_some(Stamp {
            identity: Identity {
                device: 0,
                inode: 0,
            },
            changed_ns: 0,
        })
    }
}

/// Is the thread that writes and watches.
struct Worker {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    watching: Watching,
    watches: HashMap<FolderId, Watch>,
    stamps: HashMap<FolderId, Option<Stamp>>,
    last_told: Instant,
    last_looked: Instant,
    /// Since when there has been nothing to do; none while there is.
    idle_since: Option<Instant>,
    is_tidy: bool,
}

impl Worker {
    fn new(shared: Arc<Shared>, commands: Sender<Command>, watching: Watching) -> Worker {
        Worker {
            shared,
            commands,
            watching,
            watches: HashMap::new(),
            stamps: HashMap::new(),
            last_told: Instant::now(),
            last_looked: Instant::now(),
            idle_since: None,
            is_tidy: false,
        }
    }

    fn run(
        mut self,
        indexer: Option<Indexer>,
        received: &Receiver<Command>,
        source: &EmbedderSource,
    ) {
        let indexer = match indexer {
            Some(indexer) => indexer,
            None => match self.read_until_free(received, source) {
                Some(indexer) => indexer,
                None => return,
            },
        };
        self.write(indexer, received);
    }

    /// Follows what another process writes, until it ends and this one may write.
    fn read_until_free(
        &mut self,
        received: &Receiver<Command>,
        source: &EmbedderSource,
    ) -> Option<Indexer> {
        let mut was_written = self.shared.library.writer().is_some();
        let mut last_try = Instant::now();
        loop {
            match received.recv_timeout(LOOK_EVERY) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(command) => self.refuse(command),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.library.refresh().unwrap_or(false) {
                self.shared.tell_state();
            }
            let is_written = self.shared.library.writer().is_some();
            let has_ended = was_written && !is_written;
            was_written = is_written;
            // To try takes a model, so it is not done every moment.
            if is_written || !(has_ended || last_try.elapsed() >= TRY_AGAIN_AFTER) {
                continue;
            }
            last_try = Instant::now();
            // Asked first, for it costs little.
            let opened = Store::open(self.shared.library.dir())
                .map(drop)
                .map_err(EngineError::from)
                .and_then(|()| Ok(source(Purpose::Indexing)?))
                .and_then(|embedder| Indexer::open(self.shared.library.dir(), embedder));
            let mut moving = self.shared.moving();
            match opened {
                Ok((indexer, notices)) => {
                    moving.read_only = None;
                    moving.notices.extend(notices);
                    return Some(indexer);
                }
                Err(error) => moving.read_only = Some(error.to_string()),
            }
        }
    }

    fn refuse(&self, command: Command) {
        let why = self.shared.moving().read_only.clone().unwrap_or_default();
        let refused = || Err(EngineError::ReadOnly { why: why.clone() });
        match command {
            Command::AddFolder(_, reply)
            | Command::RemoveFolder(_, reply)
            | Command::PauseFolder(_, _, reply)
            | Command::SavePreset(_, reply)
            | Command::DeletePreset(_, reply)
            | Command::Vote(_, reply)
            | Command::UndoFeedback(_, reply)
            | Command::EraseAll(reply) => {
                let _ = reply.send(refused());
            }
            Command::ImportFeedback(_, reply) => {
                let _ = reply.send(Err(EngineError::ReadOnly { why }));
            }
            Command::Pause | Command::Seen | Command::Stop => {}
        }
    }

    fn write(&mut self, mut indexer: Indexer, received: &Receiver<Command>) {
        for folder in indexer.store().folders().unwrap_or_default() {
            self.take_up(&mut indexer, &folder);
        }
        self.refresh();
        loop {
            // Before the look, so that what is sent after it still stops the step.
            self.shared.interrupt.store(false, Ordering::Relaxed);
            match received.try_recv() {
                Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return,
                Ok(command) => {
                    self.obey(&mut indexer, command);
                    continue;
                }
                Err(TryRecvError::Empty) => {}
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                return;
            }
            self.look_around(&mut indexer);
            self.try_again();
            if indexer.is_busy() && !self.shared.moving().is_paused {
                (self.idle_since, self.is_tidy) = (None, false);
                self.step(&mut indexer);
                continue;
            }
            self.tidy(&mut indexer);
            match received.recv_timeout(self.rest()) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(command) => self.obey(&mut indexer, command),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Does a step of the work.
    fn step(&mut self, indexer: &mut Indexer) {
        let shared = self.shared.clone();
        let mut teller = Teller {
            shared: &shared,
            watches: &self.watches,
            last_told: &mut self.last_told,
        };
        match indexer.step(&shared.interrupt, &mut teller) {
            Ok(Step::More | Step::Cancelled | Step::Idle) => {
                if self.shared.moving().failure.take().is_some() {
                    self.shared.tell_state();
                }
            }
            Err(error) => self.fail(indexer, &error),
        }
        if !indexer.is_busy() {
            self.note_progress(indexer);
            self.refresh();
        }
    }

    /// Goes on after a failure, once some time has passed: there may be room on the disk again.
    fn try_again(&self) {
        let mut moving = self.shared.moving();
        let is_due = moving
            .failure
            .as_ref()
            .is_some_and(|(_, when)| when.elapsed() >= TRY_AGAIN_AFTER);
        if is_due && moving.is_paused {
            moving.is_paused = false;
        }
    }

    /// Stops working for a while, or until the person goes on, and says why.
    fn fail(&mut self, indexer: &Indexer, error: &EngineError) {
        tracing::error!(%error, "indexing failed");
        {
            let mut moving = self.shared.moving();
            let why = format!(
                "Indexing is paused, and tried again every {} s: {error}",
                TRY_AGAIN_AFTER.as_secs()
            );
            moving.failure = Some((why, Instant::now()));
            moving.is_paused = true;
        }
        self.note_progress(indexer);
        self.shared.tell_state();
    }

    /// Returns how long there is nothing to do.
    fn rest(&self) -> Duration {
        let now = Instant::now();
        let due = self.watches.values().filter_map(Watch::due).min();
        let until_due = due.map_or(LOOK_EVERY, |due| due.saturating_duration_since(now));
        until_due.min(LOOK_EVERY)
    }

    /// Makes room once nothing has happened for a while.
    fn tidy(&mut self, indexer: &mut Indexer) {
        if indexer.is_busy() {
            return;
        }
        let idle_since = *self.idle_since.get_or_insert_with(Instant::now);
        // Once, until there was work again.
        if self.is_tidy || idle_since.elapsed() < TIDY_AFTER {
            return;
        }
        self.is_tidy = true;
        indexer.rest();
        match indexer.compact() {
            Ok(false) => {}
            Ok(true) => self.refresh(),
            Err(error) => self.fail(indexer, &error),
        }
    }

    fn obey(&mut self, indexer: &mut Indexer, command: Command) {
        match command {
            Command::AddFolder(path, reply) => {
                let added = indexer
                    .add_folder(&path)
                    .map(|folder| self.take_up(indexer, &folder));
                self.refresh();
                let _ = reply.send(added);
            }
            Command::RemoveFolder(folder, reply) => {
                self.leave(folder);
                let removed = indexer.remove_folder(folder);
                self.note_progress(indexer);
                self.refresh();
                let _ = reply.send(removed);
            }
            Command::PauseFolder(folder, is_paused, reply) => {
                let paused = indexer.set_folder_paused(folder, is_paused);
                for folder in indexer
                    .store()
                    .folders()
                    .unwrap_or_default()
                    .iter()
                    .filter(|it| it.id == folder)
                {
                    self.take_up(indexer, folder);
                }
                self.refresh();
                let _ = reply.send(paused);
            }
            Command::Pause => self.shared.tell_state(),
            Command::SavePreset(preset, reply) => {
                let _ = reply.send(
                    indexer
                        .store_mut()
                        .save_preset(&preset)
                        .map_err(EngineError::from),
                );
            }
            Command::DeletePreset(name, reply) => {
                let _ = reply.send(
                    indexer
                        .store_mut()
                        .delete_preset(&name)
                        .map_err(EngineError::from),
                );
            }
            Command::Vote(vote, reply) => {
                let voted = indexer.store_mut().vote(&vote);
                let _ = reply.send(self.took_up_feedback(voted.map(drop)));
            }
            Command::UndoFeedback(id, reply) => {
                let undone = feedback::undo(indexer.store_mut(), &id);
                let _ = reply.send(self.took_up_feedback(undone));
            }
            Command::ImportFeedback(votes, reply) => {
                let imported = indexer.store_mut().import_feedback(&votes);
                let _ = reply.send(self.took_up_feedback(imported));
            }
            Command::EraseAll(reply) => {
                self.watches.clear();
                self.stamps.clear();
                let erased = indexer.erase_all();
                {
                    let mut moving = self.shared.moving();
                    if erased.is_ok() {
                        let read_only = moving.read_only.take();
                        *moving = Moving {
                            read_only,
                            ..Moving::default()
                        };
                    }
                }
                self.shared.library.forget_searches();
                self.note_progress(indexer);
                // What is left when it failed is watched again.
                for folder in indexer.store().folders().unwrap_or_default() {
                    self.take_up(indexer, &folder);
                }
                self.refresh();
                let _ = reply.send(erased);
            }
            Command::Seen | Command::Stop => {}
        }
    }

    /// Has the searches that are kept rank by feedback that changed.
    fn took_up_feedback<T, E>(&self, changed: Result<T, E>) -> Result<T, EngineError>
    where
        EngineError: From<E>,
    {
        let changed = changed?;
        self.shared.library.take_up_feedback()?;
        Ok(changed)
    }

    /// Watches a folder no longer.
    fn leave(&mut self, folder: FolderId) {
        self.watches.remove(&folder);
        self.stamps.remove(&folder);
        self.shared.moving().statuses.remove(&folder);
    }

    /// Watches a folder anew and queues what changed in it while nobody looked.
    fn take_up(&mut self, indexer: &mut Indexer, folder: &Folder) {
        self.watches.remove(&folder.id);
        if folder.is_paused {
            self.stamps.remove(&folder.id);
            self.set_status(folder, FolderStatus::Paused, None);
            self.note_progress(indexer);
            return;
        }
        let path = Path::new(&folder.path);
        self.stamps.insert(folder.id, Stamp::of(path));
        let commands = self.commands.clone();
        let wake = move || {
            // The receiver is gone only while the program ends.
            let _ = commands.send(Command::Seen);
        };
        let mut watch = Watch::new(path, self.watching == Watching::Polled, wake);
        // To know what is to be watched before it is walked in earnest.
        if let Ok(walked) = memlens_ingest::walk(path, &AtomicBool::new(false)) {
            watch.follow(&walked.folders);
        }
        self.watches.insert(folder.id, watch);
        self.walk(indexer, folder);
    }

    /// Walks a folder and queues what differs, until nothing new in it has to be watched.
    fn walk(&mut self, indexer: &mut Indexer, folder: &Folder) {
        let started = Instant::now();
        let Some(watch) = self.watches.get_mut(&folder.id) else {
            return;
        };
        let mut walked = Ok(());
        for n_walks in 1..=WALKS_MAX {
            match indexer.scan(folder, &AtomicBool::new(false)) {
                Ok(folders) if watch.follow(&folders) => {
                    if n_walks == WALKS_MAX {
                        watch.put_off();
                    }
                }
                Ok(_) => break,
                Err(error) => {
                    walked = Err(error);
                    break;
                }
            }
        }
        watch.walked(started.elapsed());
        match walked {
            Ok(()) => {
                let (status, why) = match watch.polled() {
                    None => (FolderStatus::Watching, None),
                    Some(why) => (FolderStatus::Polling, Some(why)),
                };
                self.set_status(folder, status, why);
            }
            Err(error @ (EngineError::Ingest(_) | EngineError::Unmounted { .. })) => {
                self.watches.remove(&folder.id);
                let why = format!(
                    "{error}; its notes stay in the library, and it is taken up again once it is back"
                );
                self.set_status(folder, FolderStatus::Missing, Some(why));
            }
            Err(error) => {
                watch.put_off();
                self.fail(indexer, &error);
            }
        }
        self.note_progress(indexer);
    }

    /// Notes how a folder fares, and tells when it went away or came back.
    fn set_status(&mut self, folder: &Folder, status: FolderStatus, why: Option<String>) {
        let before = self
            .shared
            .moving()
            .statuses
            .insert(folder.id, (status, why.clone()));
        let was_missing = before
            .as_ref()
            .map(|(status, _)| *status == FolderStatus::Missing);
        let is_missing = status == FolderStatus::Missing;
        let (what, detail) = match (was_missing, is_missing) {
            (Some(false), true) => (Happening::Away, why),
            (Some(true), false) => (Happening::Back, None),
            (None | Some(_), _) => return,
        };
        let activity = Activity::now(folder.name.clone(), folder.path.clone(), what, detail);
        self.shared.tell_activity(&[activity]);
    }

    /// Notes how far the work is; nothing where there is none.
    fn note_progress(&self, indexer: &Indexer) {
        let mut unfinished: HashMap<FolderId, HashSet<String>> = HashMap::new();
        for (folder, path) in indexer.unfinished() {
            unfinished
                .entry(folder)
                .or_default()
                .insert(path.to_owned());
        }
        let mut moving = self.shared.moving();
        let paused = moving.is_paused;
        moving.unfinished = unfinished;
        moving.progress = indexer.is_busy().then(|| Progress {
            paused,
            ..indexer.progress()
        });
    }

    /// Looks at the folders in which something was seen and has come to rest, and now and then for folders that came
    /// back or went away.
    fn look_around(&mut self, indexer: &mut Indexer) {
        let now = Instant::now();
        let due: Vec<FolderId> = self
            .watches
            .iter()
            .filter(|(_, watch)| watch.due().is_some_and(|due| due <= now))
            .map(|(folder, _)| *folder)
            .collect();
        for folder in due {
            self.look(indexer, folder);
        }
        if self.last_looked.elapsed() >= LOOK_EVERY {
            self.last_looked = now;
            self.look_for_missing(indexer);
            if indexer.is_busy() {
                self.note_progress(indexer);
            }
        }
    }

    /// Queues what was seen in a folder.
    fn look(&mut self, indexer: &mut Indexer, folder: FolderId) {
        let folders = indexer.store().folders().unwrap_or_default();
        let known = folders.iter().find(|candidate| candidate.id == folder);
        let (Some(folder), Some(watch)) = (known, self.watches.get_mut(&folder)) else {
            self.watches.remove(&folder);
            return;
        };
        let seen = watch.take();
        let mut needs_walk = seen.needs_walk;
        for path in &seen.paths {
            if needs_walk && seen.is_quiet {
                break;
            }
            needs_walk |= !indexer.look_at(folder, path).unwrap_or(false);
        }
        // New folders are still being filled, say: a walk now would have to be done again.
        let is_put_off = needs_walk && !seen.is_quiet;
        if is_put_off {
            watch.put_off();
        }
        if needs_walk && (!is_put_off || seen.needs_walk) {
            self.walk(indexer, folder);
        }
        self.note_progress(indexer);
        // While it is paused no work will tell it.
        if needs_walk || self.shared.moving().is_paused {
            self.shared.tell_state();
        }
    }

    /// Takes up folders that came back or were put in another's place, and notices those that went away.
    fn look_for_missing(&mut self, indexer: &mut Indexer) {
        for folder in indexer.store().folders().unwrap_or_default() {
            let status = self
                .shared
                .moving()
                .statuses
                .get(&folder.id)
                .map(|(status, _)| *status);
            let known = self.stamps.get(&folder.id).copied().flatten();
            let found = Stamp::of(Path::new(&folder.path));
            let is_other = match status {
                None | Some(FolderStatus::Paused) => false,
                // It is there and could not be walked: its rights, or what is mounted there, must change first.
                Some(FolderStatus::Missing) => found != known,
                Some(FolderStatus::Watching | FolderStatus::Polling | FolderStatus::Waiting) => {
                    found.map(|stamp| stamp.identity) != known.map(|stamp| stamp.identity)
                }
            };
            if is_other {
                self.take_up(indexer, &folder);
                self.shared.tell_state();
            }
        }
    }

    fn refresh(&mut self) {
        if let Err(error) = self.shared.library.refresh() {
            tracing::error!(%error, "cannot take up the changed lists");
        }
        self.shared.tell_state();
    }
}

/// Tells the window what the indexer does.
struct Teller<'a> {
    shared: &'a Shared,
    watches: &'a HashMap<FolderId, Watch>,
    last_told: &'a mut Instant,
}

impl Observer for Teller<'_> {
    fn progress(&mut self, progress: &Progress) {
        if self.last_told.elapsed() < TELL_EVERY {
            return;
        }
        *self.last_told = Instant::now();
        {
            let mut moving = self.shared.moving();
            let paused = moving.is_paused;
            moving.progress = Some(Progress {
                paused,
                ..progress.clone()
            });
        }
        self.shared.tell_state();
    }

    fn committed(&mut self, happened: &[Activity]) {
        if let Err(error) = self.shared.library.refresh() {
            tracing::error!(%error, "cannot take up the changed lists");
        }
        self.shared.tell_activity(happened);
        self.shared.tell_state();
    }

    fn noticed(&mut self, notice: &str) {
        self.shared.moving().notices.push(notice.to_owned());
        self.shared.tell_state();
    }

    fn interrupts(&mut self) -> bool {
        let now = Instant::now();
        self.watches
            .values()
            .any(|watch| watch.due().is_some_and(|due| due <= now))
    }
}
