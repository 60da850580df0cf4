//! The library as the window holds it: one thread writes and watches, everyone else reads.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_embed::lower_priority;
use memlens_params::Params;
use memlens_store::{Folder, FolderId, StoreError, StoredPreset};

use crate::indexer::{Indexer, Observer, Step};
use crate::model::{EmbedderSource, Purpose};
use crate::preset::stored_text;
use crate::view::{Activity, FolderState, FolderStatus, FolderTree, LibraryState, Progress};
use crate::watch::{Seen, Watch, watch};
use crate::{EngineError, Library};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(120);
/// How often a quiet thread looks for folders that came back, or for what another process wrote.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many things that happened are kept for the window.
const ACTIVITY_KEPT: usize = 500;

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
}

/// What both sides see.
struct Shared {
    library: Library,
    model: String,
    state: Mutex<Moving>,
    /// Set to have the writing thread look at its commands soon.
    interrupt: AtomicBool,
    stop: AtomicBool,
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
    Seen(FolderId, Seen),
    Stop,
}

impl Engine {
    /// Opens the library in `dir`, brings it into step with its folders and watches them.
    ///
    /// While another process writes, or when there is no model to index with, it is only read, and
    /// its state says so.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn open(
        dir: &Path,
        source: EmbedderSource,
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
            Err(
                error @ (EngineError::Store(StoreError::Locked { .. }) | EngineError::Embed(_)),
            ) => {
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
            listener,
        });
        let (commands, received) = mpsc::channel();
        let (worker_shared, worker_commands) = (shared.clone(), commands.clone());
        let thread = std::thread::Builder::new()
            .name("memlens-writer".to_owned())
            .spawn(move || {
                lower_priority();
                Worker::new(worker_shared, worker_commands).run(indexer, &received, &source);
            })
            .map_err(|error| EngineError::System {
                attempt: "start the writing thread",
                why: error.to_string(),
            })?;
        Ok(Engine {
            shared,
            commands,
            thread: Some(thread),
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

    /// Pauses or resumes all indexing.
    pub fn pause_indexing(&self, is_paused: bool) -> LibraryState {
        {
            let mut moving = self.shared.moving();
            moving.is_paused = is_paused;
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
                Ok(FolderTree {
                    entries: self.library().tree(id)?,
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

    fn send(&self, command: Command) {
        // The thread only ends when this engine is dropped.
        let _ = self.commands.send(command);
        // After it is sent, so that whoever stops for it also finds it.
        self.shared.interrupt.store(true, Ordering::Relaxed);
    }

    fn ask(&self, command: impl FnOnce(Reply<()>) -> Command) -> Result<(), EngineError> {
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
            indexing: moving.progress.clone(),
            data_dir: self.library.dir().display().to_string(),
            data_bytes: folder_bytes(self.library.dir()) as f64,
            notices: moving.notices.clone(),
            read_only: moving.read_only.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    fn tell_state(&self) {
        (self.listener)(Event::State(Box::new(self.state())));
    }
}

/// Returns the bytes of a folder's files; what cannot be read counts nothing.
fn folder_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Is the thread that writes and watches.
struct Worker {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    watches: HashMap<FolderId, Watch>,
    last_told: Instant,
}

impl Worker {
    fn new(shared: Arc<Shared>, commands: Sender<Command>) -> Worker {
        Worker {
            shared,
            commands,
            watches: HashMap::new(),
            last_told: Instant::now(),
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
        loop {
            match received.recv_timeout(LOOK_EVERY) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(command) => self.refuse(command),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.library.refresh().unwrap_or(false) {
                self.shared.tell_state();
            }
            if self.shared.library.writer().is_some() {
                continue;
            }
            let Ok(embedder) = source(Purpose::Indexing) else {
                continue;
            };
            if let Ok((indexer, notices)) = Indexer::open(self.shared.library.dir(), embedder) {
                let mut moving = self.shared.moving();
                moving.read_only = None;
                moving.notices.extend(notices);
                return Some(indexer);
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
            | Command::DeletePreset(_, reply) => {
                let _ = reply.send(refused());
            }
            Command::Pause | Command::Seen(..) | Command::Stop => {}
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
            let is_working = indexer.is_busy() && !self.shared.moving().is_paused;
            let command = if is_working {
                received.try_recv().ok()
            } else {
                match received.recv_timeout(LOOK_EVERY) {
                    Ok(command) => Some(command),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            };
            match command {
                Some(Command::Stop) => return,
                Some(command) => {
                    self.obey(&mut indexer, command);
                    continue;
                }
                None if !is_working => {
                    self.look_for_missing(&mut indexer);
                    continue;
                }
                None => {}
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                return;
            }
            let shared = self.shared.clone();
            let mut teller = Teller {
                shared: &shared,
                last_told: &mut self.last_told,
            };
            match indexer.step(&shared.interrupt, &mut teller) {
                Ok(Step::More | Step::Cancelled) => {}
                Ok(Step::Idle) => {}
                Err(error) => {
                    tracing::error!(%error, "indexing failed");
                    let mut moving = self.shared.moving();
                    let notice = error.to_string();
                    if !moving.notices.contains(&notice) {
                        moving.notices.push(notice);
                    }
                    moving.is_paused = true;
                    drop(moving);
                    self.note_progress(&indexer);
                    self.shared.tell_state();
                }
            }
            if !indexer.is_busy() {
                self.note_progress(&indexer);
                self.refresh();
            }
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
                self.watches.remove(&folder);
                self.shared.moving().statuses.remove(&folder);
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
            Command::Seen(folder, seen) => self.look(indexer, folder, seen),
            Command::Stop => {}
        }
    }

    /// Watches a folder and queues what changed in it while nobody looked.
    fn take_up(&mut self, indexer: &mut Indexer, folder: &Folder) {
        self.watches.remove(&folder.id);
        let status = if folder.is_paused {
            (FolderStatus::Paused, None)
        } else {
            self.watch(folder)
        };
        // The watch begins before the walk, so that nothing falls between them.
        let status = match (status.0, indexer_scan(indexer, folder)) {
            (FolderStatus::Paused, _) | (_, Ok(())) => status,
            (_, Err(error)) => {
                self.watches.remove(&folder.id);
                (FolderStatus::Missing, Some(error.to_string()))
            }
        };
        self.shared.moving().statuses.insert(folder.id, status);
        self.note_progress(indexer);
    }

    /// Notes how far the work is; nothing where there is none.
    fn note_progress(&self, indexer: &Indexer) {
        let mut moving = self.shared.moving();
        let paused = moving.is_paused;
        moving.progress = indexer.is_busy().then(|| Progress {
            paused,
            ..indexer.progress()
        });
    }

    fn watch(&mut self, folder: &Folder) -> (FolderStatus, Option<String>) {
        let id = folder.id;
        let (commands, shared) = (self.commands.clone(), Arc::downgrade(&self.shared));
        let tell = move |seen| {
            // The receiver is gone only while the program ends.
            let _ = commands.send(Command::Seen(id, seen));
            if let Some(shared) = shared.upgrade() {
                shared.interrupt.store(true, Ordering::Relaxed);
            }
        };
        match watch(Path::new(&folder.path), tell) {
            Ok(started) => {
                let status = match &started {
                    Watch::Told { .. } => (FolderStatus::Watching, None),
                    Watch::Polled { why, .. } => (FolderStatus::Polling, Some(why.clone())),
                };
                self.watches.insert(id, started);
                status
            }
            Err(error) => (FolderStatus::Missing, Some(error.to_string())),
        }
    }

    /// Queues what was seen in a folder.
    fn look(&mut self, indexer: &mut Indexer, folder: FolderId, seen: Seen) {
        let folders = indexer.store().folders().unwrap_or_default();
        let Some(folder) = folders
            .iter()
            .find(|candidate| candidate.id == folder && !candidate.is_paused)
        else {
            return;
        };
        let is_plain = match &seen {
            Seen::Missed => false,
            Seen::Paths(paths) => paths
                .iter()
                .all(|path| indexer.look_at(folder, path).unwrap_or(false)),
        };
        if !is_plain {
            self.take_up(indexer, folder);
        }
        self.note_progress(indexer);
        // While it is paused no work will tell it.
        let is_paused = self.shared.moving().is_paused;
        if !Path::new(&folder.path).is_dir() || !is_plain || is_paused {
            self.shared.tell_state();
        }
    }

    /// Takes up folders that came back, and notices those that went away.
    fn look_for_missing(&mut self, indexer: &mut Indexer) {
        for folder in indexer.store().folders().unwrap_or_default() {
            let is_there = Path::new(&folder.path).is_dir();
            let status = self
                .shared
                .moving()
                .statuses
                .get(&folder.id)
                .map(|(status, _)| *status);
            let was_missing = status == Some(FolderStatus::Missing);
            if folder.is_paused || is_there != was_missing {
                continue;
            }
            self.take_up(indexer, &folder);
            self.shared.tell_state();
        }
    }

    fn refresh(&mut self) {
        if let Err(error) = self.shared.library.refresh() {
            tracing::error!(%error, "cannot take up the changed lists");
        }
        self.shared.tell_state();
    }
}

/// Queues what differs; a folder is walked to its end whatever else waits.
fn indexer_scan(indexer: &mut Indexer, folder: &Folder) -> Result<(), EngineError> {
    if folder.is_paused {
        Ok(())
    } else {
        indexer.scan(folder, &AtomicBool::new(false))
    }
}

/// Tells the window what the indexer does.
struct Teller<'a> {
    shared: &'a Shared,
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
        {
            let mut moving = self.shared.moving();
            for activity in happened {
                moving.activity.push_front(activity.clone());
            }
            moving.activity.truncate(ACTIVITY_KEPT);
        }
        for activity in happened {
            (self.shared.listener)(Event::Activity(activity.clone()));
        }
        self.shared.tell_state();
    }
}
