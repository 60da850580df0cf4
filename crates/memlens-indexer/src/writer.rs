//! The thread that writes and watches, as a session holds it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::JoinHandle;

use memlens_embed::{EmbedderSource, lower_priority};
use memlens_store::{FolderId, Store};
use parking_lot::{Mutex, MutexGuard};

use crate::IndexerError;
use crate::indexer::{Indexer, add_folder, readable_folder};
use crate::told::{Activity, FolderStatus};
use crate::watch::Watching;
use crate::work::Work;

mod checker;
mod worker;

use worker::Worker;

/// Whoever reads the library while it is written; called from the writing thread.
pub trait Session: Send + Sync {
    /// Takes up what was written: where `is_written_here`, by the calling thread and nobody else, so that there is nobody to
    /// wait for; else by another process. Returns whether there was anything.
    ///
    /// # Errors
    /// Where it cannot be read; what was taken up before stays in use then.
    fn refresh(&self, is_written_here: bool) -> Result<bool, Unreadable>;
    /// Gives back memory that nobody has needed for a moment; called now and then.
    fn rest(&self);
    /// Forgets what it keeps of notes: the library is erased.
    fn forget(&self);
    /// Tells that something in [`Work`] changed.
    fn tell_state(&self);
    /// Tells what happened to a note and can be searched now.
    fn tell_activity(&self, happened: &Activity);
}

/// Why what was written cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct Unreadable {
    /// In words.
    pub why: String,
    /// Whether a list is damaged or gone, so that it must be looked through.
    pub is_damage: bool,
}

/// A library that is written and watched by a thread of its own, which ends with this value.
pub struct Writer {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
}

/// What both sides see.
struct Shared {
    /// The library's folder.
    dir: PathBuf,
    work: Arc<Mutex<Work>>,
    session: Arc<dyn Session>,
    /// What a person changes is written here and waits for nothing that the writing thread does but its transactions;
    /// none while this process may not write.
    writer: Mutex<Option<Store>>,
    /// Set to have the writing thread look at its commands soon.
    interrupt: AtomicBool,
    stop: AtomicBool,
    /// Whether a list that was taken up is damaged, and was not looked through since.
    is_damaged: AtomicBool,
    /// Whether [`Writer::doubt`] was asked for and has not come to its end.
    is_doubted: AtomicBool,
}

type Reply<T> = SyncSender<Result<T, IndexerError>>;

enum Command {
    /// A folder was added, paused or resumed.
    TakeUp(FolderId),
    RemoveFolder(FolderId, Reply<()>),
    /// It lies there now.
    MoveFolder(FolderId, PathBuf, Reply<()>),
    /// Whether it is paused stands in [`Work`]; this has it seen soon.
    Pause,
    /// Something is known of the watched folders that was not before.
    TakeUpFolders,
    EraseAll(Reply<()>),
    /// Something was seen in a folder: it is due soon.
    Seen,
    /// Something that was read is not as it was written.
    Doubt,
    Stop,
}

impl Writer {
    /// Starts the thread for the library in `dir`. Without an indexer it follows what another process writes, and
    /// tries to become the writer once it can.
    ///
    /// # Errors
    /// [`IndexerError::System`] when no thread can be started; [`IndexerError::Store`].
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
    /// As [`Indexer::add_folder`], and [`IndexerError::ReadOnly`].
    pub fn add_folder(&self, path: &Path) -> Result<(), IndexerError> {
        self.add(path, None)
    }

    /// Adds a folder that is an agent's memory, under a name of its own.
    ///
    /// # Errors
    /// As [`Writer::add_folder`].
    pub fn add_folder_of(&self, path: &Path, agent: &str, name: &str) -> Result<(), IndexerError> {
        self.add(path, Some((agent, name)))
    }

    /// Has the library compared with what was saved, and mended, before anything else is done: somebody read what is not as
    /// it was written. Returns whether that is done here: not where another process writes.
    pub fn doubt(&self) -> bool {
        if self.shared.work().read_only.is_some() {
            return false;
        }
        // Once, however many read it: what is sent while the thread looks would have it begin again.
        if !self.shared.is_doubted.swap(true, Ordering::Relaxed) {
            self.send(Command::Doubt);
        }
        true
    }

    /// Whether what [`Writer::doubt`] asked for is being done: not any more once it is mended or nothing is found, nor while
    /// it failed and waits to be tried again, on a full disk say.
    pub fn is_mending(&self) -> bool {
        self.shared.is_doubted.load(Ordering::Relaxed)
            && self.shared.work().phase.retry_at().is_none()
    }

    /// Takes up what became known of the watched folders.
    pub fn take_up_folders(&self) {
        self.send(Command::TakeUpFolders);
    }

    fn add(&self, path: &Path, of: Option<(&str, &str)>) -> Result<(), IndexerError> {
        // Before the store is held: a disk that does not answer keeps nobody else from writing.
        let path = readable_folder(path)?;
        let folder = self
            .write(|store| add_folder(store, &path, of))
            .map_err(|error| error.at(&self.shared.dir))?;
        let id = folder.id;
        self.shared.work().added.push(folder);
        self.send(Command::TakeUp(id));
        Ok(())
    }

    /// Forgets a folder.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], [`IndexerError::Store`].
    pub fn remove_folder(&self, folder: FolderId) -> Result<(), IndexerError> {
        self.ask(|reply| Command::RemoveFolder(folder, reply))
    }

    /// Says that a folder lies elsewhere now; it is walked and indexed there in the background.
    ///
    /// # Errors
    /// As [`Indexer::move_folder`], and [`IndexerError::ReadOnly`].
    pub fn move_folder(&self, folder: FolderId, path: &Path) -> Result<(), IndexerError> {
        // Here first: a disk that does not answer keeps nobody else waiting.
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
        // At once: the writing thread may still be busy with a text.
        self.shared.work().statuses.insert(folder, (status, None));
        self.send(Command::TakeUp(folder));
        Ok(())
    }

    /// Pauses all indexing, the walk of a folder included, or has it go on, and try at once what failed.
    pub fn pause(&self, is_paused: bool) {
        // At once: the writing thread may still be busy with a text.
        self.shared.work().phase.pause(is_paused);
        self.send(Command::Pause);
    }

    /// Forgets everything that stands in the library. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], [`IndexerError::Store`], [`IndexerError::Index`].
    pub fn erase_all(&self) -> Result<(), IndexerError> {
        self.ask(Command::EraseAll)
    }

    /// Writes what a person changed.
    ///
    /// # Errors
    /// [`IndexerError::ReadOnly`], and what `change` returns.
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
        // After it is sent, so that whoever stops for it also finds it.
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
            // A panic there has been reported by its own thread.
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

    /// Whether another process writes to the library now, or may.
    fn is_written(&self) -> bool {
        !matches!(Store::writer(&self.dir), Ok(None))
    }

    /// Has the session take up the lists as they are now; where that fails, the thread tries again in a moment.
    fn refresh(&self) {
        let refreshed = self.session.refresh(true);
        if let Err(error) = &refreshed {
            tracing::error!(%error, "cannot take up the changed lists");
            self.is_damaged.fetch_or(error.is_damage, Ordering::Relaxed);
        }
        self.work().is_stale = refreshed.is_err();
    }

    fn tell_state(&self) {
        self.session.tell_state();
    }

    fn tell_activity(&self, happened: &[Activity]) {
        self.work().note(happened);
        for activity in happened {
            self.session.tell_activity(activity);
        }
    }
}
