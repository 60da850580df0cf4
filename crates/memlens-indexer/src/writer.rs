//! The thread that writes and watches, and its handle for a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::JoinHandle;

use memlens_embed::{Embedder, EmbedderSource, lower_priority};
use memlens_store::{FolderId, Store};
use parking_lot::{Mutex, MutexGuard};

use crate::IndexerError;
use crate::indexer::{Indexer, add_folder, readable_folder};
use crate::status::{Activity, FolderStatus};
use crate::watch::Watching;
use crate::work::Work;

mod checker;
mod worker;

use worker::Worker;

/// A reader of the library while it is written; called from the writing thread.
pub trait Session: Send + Sync {
    /// Loads what was written. `is_written_here`: the calling thread wrote it and no other, so that there is
    /// no other writer to wait for; otherwise another process did. Returns whether there was anything new.
    ///
    /// # Errors
    /// If it cannot be read; what was loaded before stays in use then.
    fn refresh(&self, is_written_here: bool) -> Result<bool, Unreadable>;
    /// Returns the embedder of the model that the user chose; `None` if that is `current`, the one in use.
    ///
    /// # Errors
    /// If the choice cannot be read, or the model is not there.
    fn changed_model(&self, current: &str) -> Result<Option<Box<dyn Embedder>>, IndexerError>;
    /// Releases memory that was not needed for a moment; called now and then.
    fn rest(&self);
    /// Drops everything cached from notes, because the library is erased.
    fn forget(&self);
    /// Notifies that something in [`Work`] changed.
    fn report_state(&self);
    /// Notifies of an event of a note that can be searched now.
    fn report_activity(&self, happened: &Activity);
}

/// Why what was written cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct Unreadable {
    /// Error message to show to the user.
    pub why: String,
    /// Whether a list is damaged or missing, so that the library must be checked.
    pub is_damage: bool,
}

/// The handle of a library that its own thread writes and watches. Dropping it ends the thread.
pub struct Writer {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
}

/// State that both threads share.
struct Shared {
    dir: PathBuf,
    work: Arc<Mutex<Work>>,
    session: Arc<dyn Session>,
    /// The connection for the user's changes. It waits for the writing thread's transactions only. `None` while this
    /// process may not write.
    writer: Mutex<Option<Store>>,
    /// Tells the writing thread to check its commands soon.
    interrupt: AtomicBool,
    stop: AtomicBool,
    /// Whether a loaded list is damaged and has not been checked since.
    is_damaged: AtomicBool,
    /// Whether a check that [`Writer::doubt`] requested is not finished.
    is_doubted: AtomicBool,
}

type Reply<T> = SyncSender<Result<T, IndexerError>>;

enum Command {
    /// A folder was added, paused or resumed.
    TakeUp(FolderId),
    RemoveFolder(FolderId, Reply<()>),
    MoveFolder(FolderId, PathBuf, Reply<()>),
    /// The pause itself is recorded in [`Work`]; this makes the thread notice it soon.
    Pause,
    /// Something new is known about the watched folders.
    TakeUpFolders,
    /// The user chose a model.
    TakeUpModel,
    EraseAll(Reply<()>),
    /// A change was noticed in a folder, which is due soon.
    Seen,
    /// Something that was read differs from what was written.
    Doubt,
    Stop,
}

impl Writer {
    /// Starts the thread for the library in `dir`. Without an indexer it follows what another process writes, and tries
    /// to become the writer.
    ///
    /// # Errors
    /// [`IndexerError::System`] if no thread can be started; [`IndexerError::Store`].
    pub fn start(
        dir: &Path,
        indexer: Option<Indexer>,
        source: EmbedderSource,
        watching: Watching,
        work: Arc<Mutex<Work>>,
        session: Arc<dyn Session>,
    ) -> Result<Writer, IndexerError> {
        let writer = indexer.as_ref().map(|it| it.store().beside()).transpose()?;
        let shared = Arc::new(Shared {
            dir: dir.to_owned(),
            work,
            session,
            writer: Mutex::new(writer),
            interrupt: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            is_damaged: AtomicBool::new(false),
            is_doubted: AtomicBool::new(false),
        });
        let (commands, received) = mpsc::channel();
        let (worker_shared, worker_commands) = (shared.clone(), commands.clone());
        let thread = std::thread::Builder::new()
            .name("memlens-writer".to_owned())
            .spawn(move || {
                lower_priority();
                Worker::new(worker_shared, worker_commands, watching)
                    .run(indexer, &received, &source);
            })
            .map_err(|error| IndexerError::System {
                attempt: "start the writing thread",
                why: error.to_string(),
            })?;
        Ok(Writer {
            shared,
            commands,
            thread: Some(thread),
        })
    }

    /// Adds a folder to watch; it is walked and indexed in the background.
    ///
    /// # Errors
    /// Like [`Indexer::add_folder`], and [`IndexerError::ReadOnly`].
    pub fn add_folder(&self, path: &Path) -> Result<(), IndexerError> {
        self.add(path, None)
    }

    /// Adds a folder that is an agent's memory, under the given name.
    ///
    /// # Errors
    /// Like [`Writer::add_folder`].
    pub fn add_folder_of(&self, path: &Path, agent: &str, name: &str) -> Result<(), IndexerError> {
        self.add(path, Some((agent, name)))
    }

    /// Requests that the library is compared with what was saved, and repaired, before anything else, because a reader
    /// found damage. Returns whether this process does that; `false` if another process is the writer.
    pub fn doubt(&self) -> bool {
        if self.shared.work().read_only.is_some() {
            return false;
        }
        // Sent once, however many readers ask: a second command would restart the check.
        if !self.shared.is_doubted.swap(true, Ordering::Relaxed) {
            self.send(Command::Doubt);
        }
        true
    }

    /// Returns whether a check that [`Writer::doubt`] requested is in progress. `false` once the library is repaired or
    /// nothing was found, and while it waits for a retry after a failure such as a full disk.
    pub fn is_repairing(&self) -> bool {
        self.shared.is_doubted.load(Ordering::Relaxed)
            && self.shared.work().phase.retry_at().is_none()
    }

    /// Reloads what is known about the watched folders.
    pub fn take_up_folders(&self) {
        self.send(Command::TakeUpFolders);
    }

    /// Begins to embed all notes by the model that the user chose, or ends that if it is the one in use.
    pub fn take_up_model(&self) {
        self.send(Command::TakeUpModel);
    }

    fn add(&self, path: &Path, of: Option<(&str, &str)>) -> Result<(), IndexerError> {
        // Resolved before the store is locked, so that a disk that does not answer does not block other writes.
        let path = readable_folder(path)?;
        let folder = self
            .write(|store| add_folder(store, &path, of))
            .map_err(|error| error.at(&self.shared.dir))?;
        let id = folder.id;
        self.shared.work().added.push(folder);
        self.send(Command::TakeUp(id));
        Ok(())
    }

    /// Removes a folder from the library.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], [`IndexerError::Store`].
    pub fn remove_folder(&self, folder: FolderId) -> Result<(), IndexerError> {
        self.ask(|reply| Command::RemoveFolder(folder, reply))
    }

    /// Sets the new path of a folder that was moved; it is walked and indexed there in the background.
    ///
    /// # Errors
    /// Like [`Indexer::move_folder`], and [`IndexerError::ReadOnly`].
    pub fn move_folder(&self, folder: FolderId, path: &Path) -> Result<(), IndexerError> {
        // Resolved here first, so that a disk that does not answer blocks no other caller.
        let path = readable_folder(path)?;
        self.ask(|reply| Command::MoveFolder(folder, path, reply))
    }

    /// Pauses or resumes a folder.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], [`IndexerError::Store`].
    pub fn pause_folder(&self, folder: FolderId, is_paused: bool) -> Result<(), IndexerError> {
        self.write(|store| Ok(store.set_folder_paused(folder, is_paused)?))
            .map_err(|error: IndexerError| error.at(&self.shared.dir))?;
        let status = if is_paused {
            FolderStatus::Paused
        } else {
            FolderStatus::Waiting
        };
        // Set at once, because the writing thread may still be busy with a text.
        self.shared.work().statuses.insert(folder, (status, None));
        self.send(Command::TakeUp(folder));
        Ok(())
    }

    /// Pauses all indexing, including the walk of a folder; or resumes it, and retries at once what failed.
    pub fn pause(&self, is_paused: bool) {
        // Set at once, because the writing thread may still be busy with a text.
        self.shared.work().phase.pause(is_paused);
        self.send(Command::Pause);
    }

    /// Erases everything in the library. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], [`IndexerError::Store`], [`IndexerError::Index`].
    pub fn erase_all(&self) -> Result<(), IndexerError> {
        self.ask(Command::EraseAll)
    }

    /// Writes a change that the user made.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], and the errors of `change`.
    pub fn write<T, E: From<IndexerError>>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, E> {
        match &mut *self.shared.writer() {
            Some(store) => change(store),
            None => Err(IndexerError::ReadOnly {
                why: self.shared.work().read_only.clone().unwrap_or_default(),
            }
            .into()),
        }
    }

    fn send(&self, command: Command) {
        // The thread only ends when this value is dropped.
        let _ = self.commands.send(command);
        // Set after sending, so that a thread that stops for it also finds the command.
        self.shared.interrupt.store(true, Ordering::Relaxed);
    }

    fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, IndexerError> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.send(command(reply));
        answer.recv().unwrap_or_else(|_| {
            Err(IndexerError::System {
                attempt: "change the library",
                why: "the writing thread has ended".to_owned(),
            })
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock()
    }

    fn writer(&self) -> MutexGuard<'_, Option<Store>> {
        self.writer.lock()
    }

    /// Returns whether another process is, or may be, writing to the library now.
    fn is_written(&self) -> bool {
        !matches!(Store::writer(&self.dir), Ok(None))
    }

    /// Makes the session load the current lists. If that fails, the thread retries it soon.
    fn refresh(&self) {
        let refreshed = self.session.refresh(true);
        if let Err(error) = &refreshed {
            tracing::error!(%error, "cannot take up the changed lists");
            self.is_damaged.fetch_or(error.is_damage, Ordering::Relaxed);
        }
        self.work().is_stale = refreshed.is_err();
    }

    fn report_state(&self) {
        self.session.report_state();
    }

    fn report_activity(&self, happened: &[Activity]) {
        self.work().note(happened);
        for activity in happened {
            self.session.report_activity(activity);
        }
    }
}
