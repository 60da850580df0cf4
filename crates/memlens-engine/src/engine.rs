//! The library as the window holds it: one thread writes and watches, everyone else reads.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_embed::lower_priority;
use memlens_params::Params;
use memlens_store::{Folder, FolderId, Store, StoreError, StoredPreset};
use parking_lot::{Mutex, MutexGuard};

use crate::aggregator::{Aggregator, Alarm};
use crate::clustering::uses_clusters;
use crate::downloads::{DownloadProgress, Downloads};
use crate::feedback;
use crate::indexer::{Indexer, add_folder, readable_folder};
use crate::model::{EmbedderSource, Purpose};
use crate::preset::stored_text;
use crate::view::{
    Activity, FeedbackEntry, FeedbackImport, FolderState, FolderStatus, FolderTree, LibraryState,
    Progress, RowThumb, Scanning,
};
use crate::{EngineError, Library, evergreen, providers};

mod phase;
mod worker;

use phase::Phase;
use worker::Worker;

/// How many things that happened are kept for the window.
const ACTIVITY_KEPT: usize = 500;

/// How often a folder is walked though nothing was seen in it; 50,000 files take some 0.4 s.
const WALK_EVERY: Duration = Duration::from_mins(10);

/// How changes in the folders are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// Whether the system is not asked, and all folders are walked every few seconds: for places where it stays silent.
    pub polls: bool,
    /// How often a folder is walked where the system tells of changes: it does not tell of all of them.
    pub walk_every: Duration,
}

impl Default for Watching {
    fn default() -> Watching {
        Watching {
            polls: false,
            walk_every: WALK_EVERY,
        }
    }
}

/// Something the window should show without having asked.
#[derive(Debug, Clone)]
pub enum Event {
    /// The library changed.
    State(Box<LibraryState>),
    /// Something happened to a note and can be searched now.
    Activity(Activity),
    /// The download of a model went on, or is over.
    Download(DownloadProgress),
}

/// Is told of every event; called from the thread that made it happen.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// A library that is written, watched and searched.
pub struct Engine {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
    downloads: Downloads,
    /// Ends with its value.
    _aggregator: Aggregator,
}

/// What both sides see.
struct Shared {
    library: Library,
    model: String,
    state: Mutex<Moving>,
    /// What a person changes is written here and waits for nothing that the writing thread does but its transactions;
    /// none while this process may not write.
    writer: Mutex<Option<Store>>,
    /// Set to have the writing thread look at its commands soon.
    interrupt: AtomicBool,
    stop: AtomicBool,
    /// Rung when the library changed and somebody uses corroboration.
    alarm: Arc<Alarm>,
    /// Set once somebody does: what nobody uses costs nothing.
    wants_clusters: AtomicBool,
    listener: Listener,
}

/// What the writing thread changes and the window shows.
#[derive(Default)]
struct Moving {
    phase: Phase,
    progress: Option<Progress>,
    scanning: Option<Scanning>,
    /// Folders that were added since the library was last taken up.
    added: Vec<Folder>,
    statuses: HashMap<FolderId, (FolderStatus, Option<String>)>,
    activity: VecDeque<Activity>,
    notices: Vec<String>,
    /// Whether the lists could not be taken up when they last changed.
    is_stale: bool,
    /// The files that wait to be read, as they were a moment ago.
    unfinished: HashMap<FolderId, HashSet<String>>,
    read_only: Option<String>,
}

type Reply<T> = SyncSender<Result<T, EngineError>>;

enum Command {
    /// A folder was added, paused or resumed.
    TakeUp(FolderId),
    RemoveFolder(FolderId, Reply<()>),
    /// Whether it is paused stands in [`Moving`]; this has it seen soon.
    Pause,
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
        Engine::open_to_watch(dir, source, Watching::default(), listener)
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
        let writer = indexer.as_ref().map(|it| it.store().beside()).transpose()?;
        let shared = Arc::new(Shared {
            library,
            model,
            state: Mutex::new(moving),
            writer: Mutex::new(writer),
            interrupt: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            alarm: Arc::new(Alarm::default()),
            wants_clusters: AtomicBool::new(false),
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
            downloads: Downloads::default(),
            _aggregator: aggregator,
        })
    }

    /// The library, to read.
    pub fn library(&self) -> &Library {
        &self.shared.library
    }

    /// The library in one line and behind it.
    pub fn state(&self) -> LibraryState {
        self.shared.state()
    }

    /// Has observations compared in the background from now on, where these parameters make use of
    /// it; an event tells when they are.
    pub fn aggregate_for(&self, params: &Params) {
        if uses_clusters(params) {
            self.shared.wants_clusters.store(true, Ordering::Relaxed);
            if self.library().needs_aggregation() {
                self.shared.alarm.ring();
            }
        }
    }

    /// Passes over all observations where anything changed, and tells of it.
    pub(crate) fn pass(&self) -> Result<(), EngineError> {
        if self.library().aggregate()? {
            self.shared.tell_state();
        }
        Ok(())
    }

    /// Adds a folder to watch; it is walked and indexed in the background.
    ///
    /// # Errors
    /// As [`Indexer::add_folder`], and [`EngineError::ReadOnly`].
    pub fn add_folder(&self, path: &Path) -> Result<LibraryState, EngineError> {
        // Before the store is held: a disk that does not answer keeps nobody else from writing.
        let path = readable_folder(path)?;
        let folder = self.write(|store| add_folder(store, &path))?;
        let id = folder.id;
        self.shared.moving().added.push(folder);
        self.send(Command::TakeUp(id));
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
        self.write(|store| Ok(store.set_folder_paused(folder, is_paused)?))?;
        let status = if is_paused {
            FolderStatus::Paused
        } else {
            FolderStatus::Waiting
        };
        // At once: the writing thread may still be busy with a text.
        let mut moving = self.shared.moving();
        moving.statuses.insert(folder, (status, None));
        drop(moving);
        self.send(Command::TakeUp(folder));
        Ok(self.state())
    }

    /// Forgets everything: folders, notes, embeddings, presets, thumbs, settings, the scores of rerankers, models that
    /// were downloaded, and the keys that this library put into the system's keyring. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`], [`EngineError::Index`].
    pub fn erase_all(&self) -> Result<LibraryState, EngineError> {
        // A setting that is not understood names no key.
        let keys = providers::kept_keys(&self.library().store()).unwrap_or_default();
        self.downloads.stop();
        self.ask(Command::EraseAll)?;
        self.library().forget_answers();
        self.library().reranking.erase(self.library().dir())?;
        providers::erase_models(self.library().dir())?;
        providers::forget_keys(&keys);
        Ok(self.state())
    }

    /// Pauses all indexing, the walk of a folder included, or has it go on, and try at once what failed.
    pub fn pause_indexing(&self, is_paused: bool) -> LibraryState {
        // At once: the writing thread may still be busy with a text.
        self.shared.moving().phase.pause(is_paused);
        self.send(Command::Pause);
        self.state()
    }

    /// What happened, newest first.
    pub fn activity(&self) -> Vec<Activity> {
        self.shared.moving().activity.iter().cloned().collect()
    }

    /// Every folder with what it holds.
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
                    is_evergreen: self.library().marks()?.hold(&folder.path, ""),
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
        self.write(|store| Ok(store.save_preset(&preset)?))
    }

    /// Deletes a preset.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn delete_preset(&self, name: &str) -> Result<(), EngineError> {
        self.write(|store| Ok(store.delete_preset(name)?))
    }

    /// Puts a setting of the library; none takes it back.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub(crate) fn put_setting(
        &self,
        key: &'static str,
        value: Option<String>,
    ) -> Result<(), EngineError> {
        self.write(|store| Ok(store.put_setting(key, value.as_deref())?))
    }

    /// Says that a path does not decay, or does.
    pub(crate) fn mark_evergreen(
        &self,
        folder: FolderId,
        path: String,
        is_evergreen: bool,
    ) -> Result<(), EngineError> {
        self.write(|store| evergreen::mark(store, folder, &path, is_evergreen))?;
        self.library().take_up_marks()
    }

    /// Starts to download a model; events tell how far it is. What came before goes on from there.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for an unknown name or while another download runs.
    pub fn download_model(&self, name: &str) -> Result<(), EngineError> {
        let listener = self.shared.listener.clone();
        self.downloads.start(
            name,
            self.library().dir(),
            Arc::new(move |progress| listener(Event::Download(progress))),
        )
    }

    /// Stops the download under way, if there is one; what came is kept.
    pub fn cancel_download(&self) {
        self.downloads.stop();
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
        let vote = kept.vote(slot, up)?;
        self.write(|store| Ok(store.vote(&vote)?))?;
        library.take_up_feedback()?;
        library.row_thumbs(&kept)
    }

    /// Takes a thumb back. Returns those that are left, the newest first.
    ///
    /// # Errors
    /// [`EngineError::NoFeedback`], [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn undo_feedback(&self, id: &str) -> Result<Vec<FeedbackEntry>, EngineError> {
        self.write(|store| feedback::undo(store, id))?;
        self.library().take_up_feedback()?;
        self.library().feedback()
    }

    /// Adds the thumbs of a file that was exported, as [`Library::import_feedback`].
    ///
    /// # Errors
    /// [`EngineError::File`], [`EngineError::Feedback`], [`EngineError::ReadOnly`],
    /// [`EngineError::Store`].
    pub fn import_feedback(&self, path: &Path) -> Result<FeedbackImport, EngineError> {
        let (votes, problems) = feedback::read_file(path)?;
        let imported = self.write(|store| Ok(store.import_feedback(&votes)?))?;
        self.library().take_up_feedback()?;
        Ok(FeedbackImport::new(imported, problems))
    }

    /// Writes what a person changed.
    fn write<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        match &mut *self.shared.writer() {
            Some(store) => change(store).map_err(|error| error.at(self.library().dir())),
            None => Err(EngineError::ReadOnly {
                why: self.shared.moving().read_only.clone().unwrap_or_default(),
            }),
        }
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
        self.state.lock()
    }

    fn writer(&self) -> MutexGuard<'_, Option<Store>> {
        self.writer.lock()
    }

    fn state(&self) -> LibraryState {
        let lists = self.library.lists();
        let snapshot = &lists.snapshot;
        let n_problems = self.library.store().n_unreadable().unwrap_or_default();
        let moving = self.moving();
        let mut watched: Vec<&Folder> = snapshot.folders.iter().collect();
        let is_taken_up = |added: &&Folder| snapshot.folders.iter().any(|it| it.id == added.id);
        watched.extend(moving.added.iter().filter(|added| !is_taken_up(added)));
        watched.sort_by(|a, b| a.path.cmp(&b.path));
        let folders = watched
            .into_iter()
            .map(|folder| {
                let counts = lists.counts_of(folder.id);
                let (status, why) = moving
                    .statuses
                    .get(&folder.id)
                    .cloned()
                    .unwrap_or((FolderStatus::Waiting, moving.read_only.clone()));
                FolderState {
                    id: folder.id.0.to_string(),
                    path: folder.path.clone(),
                    name: folder.name.clone(),
                    n_files: counts.n_files,
                    n_chunks: counts.n_chunks,
                    status,
                    why,
                }
            })
            .collect();
        LibraryState {
            folders,
            n_files: snapshot.documents.len() as u32,
            n_chunks: snapshot.n_chunks(),
            n_problems,
            model: self.model.clone(),
            generation: snapshot.generation as u32,
            clustering: self.library.clustering().map(|it| it.generation as u32),
            phase: moving.phase.told(Instant::now()),
            indexing: moving.progress.clone(),
            scanning: moving.scanning.clone(),
            data_dir: self.library.dir().display().to_string(),
            data_bytes: self.library.data_bytes(),
            notices: moving
                .notices
                .iter()
                .cloned()
                .chain(
                    moving.phase.why().map(|why| {
                        format!("Indexing failed; Memlens tries again by itself: {why}")
                    }),
                )
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

    /// Takes up the lists as they are now; where that fails, the writing thread tries again in a moment.
    fn refresh(&self) {
        let refreshed = self.library.refresh();
        if let Err(error) = &refreshed {
            tracing::error!(%error, "cannot take up the changed lists");
        }
        self.moving().is_stale = refreshed.is_err();
    }

    fn tell_state(&self) {
        if self.wants_clusters.load(Ordering::Relaxed) && self.library.needs_aggregation() {
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

/// Whether an error keeps the library from being written and not from being read.
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
