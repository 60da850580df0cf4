//! The thread that writes and watches.
//!
//! Each pass of its loop handles the user's commands, checks for changes, and then does one thing: it walks a folder
//! that is due, or reads a file. What fails stays due, and [`Phase`] decides when it is retried.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedderSource, Purpose};
use memlens_store::{FolderId, Store, Unrest};

use self::reporter::Reporter;
use super::checker::Checker;
use super::{Command, Shared};
use crate::IndexerError;
use crate::indexer::Indexer;
use crate::mounts::MountId;
use crate::stamp::Stamp;
use crate::watch::{Watch, Watching};
use crate::work::Work;

mod folders;
mod model;
mod reporter;
mod upkeep;

/// How often an idle thread checks for folders that came back, or for what another process wrote.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// How long the thread must be idle before the library is cleaned up.
const TIDY_AFTER: Duration = Duration::from_secs(20);
/// How long to wait before `come_to_rest` is retried after it failed or was postponed.
const REST_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How long a process that may not write waits before it tries again.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(30);
/// How often a folder that exists but could not be walked is retried without any change.
const MISSED_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// How often a folder in which new subfolders appear is walked again at once.
const WALKS_MAX: usize = 4;

/// The action that is due for a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Walk,
    /// The folder's watch is set up again and it is walked; if it is paused, it is ignored from now on.
    TakeUp,
}

/// The state of the comparison of the library with what was saved.
enum Check {
    /// Not started, because work that the user waits for goes first.
    Later,
    Running(Checker),
    /// Something differs from what was saved, or could not be read: the library is repaired before anything else.
    Damaged,
    Done,
}

/// The state of the writing and watching thread.
pub(super) struct Worker {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    watching: Watching,
    /// Whether the folders were listed since the library became writable, so that each is due or watched.
    is_listed: bool,
    /// The pending action of each folder.
    due: BTreeMap<FolderId, Due>,
    watches: HashMap<FolderId, Watch>,
    stamps: HashMap<FolderId, Option<Stamp>>,
    /// When a missing folder was last checked.
    missed: HashMap<FolderId, Instant>,
    /// What was mounted in each folder when its watch was set up.
    mounts: HashMap<FolderId, Vec<MountId>>,
    last_reported: Instant,
    last_checked: Instant,
    /// Until when indexing goes before walks; `None` before the first walk.
    walks_rest_until: Option<Instant>,
    /// Since when there has been nothing to do; `None` while there is work.
    idle_since: Option<Instant>,
    is_tidy: bool,
    check: Check,
    /// When a change of the model is tried again; `None` if the last attempt worked.
    change_again: Option<model::Again>,
    /// What changed since `come_to_rest` last succeeded, and when it is called unless more changes.
    unrest: Option<(Unrest, Instant)>,
}

impl Worker {
    pub(super) fn new(
        shared: Arc<Shared>,
        commands: Sender<Command>,
        watching: Watching,
    ) -> Worker {
        Worker {
            shared,
            commands,
            watching,
            is_listed: false,
            due: BTreeMap::new(),
            watches: HashMap::new(),
            stamps: HashMap::new(),
            missed: HashMap::new(),
            mounts: HashMap::new(),
            last_reported: Instant::now(),
            last_checked: Instant::now(),
            walks_rest_until: None,
            idle_since: None,
            is_tidy: false,
            check: Check::Later,
            change_again: None,
            unrest: None,
        }
    }

    /// Writes until it is stopped. While another process writes, only reads.
    pub(super) fn run(
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

    /// Follows what another process writes, until that ends and this one may write.
    fn read_until_free(
        &mut self,
        received: &Receiver<Command>,
        source: &EmbedderSource,
    ) -> Option<Indexer> {
        let mut was_written = self.shared.is_written();
        let mut last_try = Instant::now();
        loop {
            match received.recv_timeout(CHECK_EVERY) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(command) => self.refuse(command),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.session.refresh(false).unwrap_or(false) {
                self.shared.report_state();
            }
            self.shared.session.rest();
            let is_written = self.shared.is_written();
            let has_ended = was_written && !is_written;
            was_written = is_written;
            // An attempt loads a model, so it is not made all the time.
            if is_written || !(has_ended || last_try.elapsed() >= TRY_AGAIN_AFTER) {
                continue;
            }
            last_try = Instant::now();
            // Checked first, because it is cheap.
            let opened = Store::open(&self.shared.dir)
                .map(drop)
                .map_err(IndexerError::from)
                .and_then(|()| Ok(source(Purpose::Indexing)?))
                .and_then(|embedder| Indexer::open(&self.shared.dir, embedder))
                .and_then(|(indexer, notices)| {
                    *self.shared.writer() = Some(indexer.store().beside()?);
                    Ok((indexer, notices))
                });
            let mut work = self.shared.work();
            match opened {
                Ok((indexer, notices)) => {
                    work.read_only = None;
                    work.notices.extend(notices);
                    return Some(indexer);
                }
                Err(error) => work.read_only = Some(error.to_string()),
            }
        }
    }

    fn refuse(&self, command: Command) {
        let why = self.shared.work().read_only.clone().unwrap_or_default();
        match command {
            Command::RemoveFolder(_, reply)
            | Command::MoveFolder(_, _, reply)
            | Command::EraseAll(reply) => {
                // The caller may have stopped waiting.
                let _ = reply.send(Err(IndexerError::ReadOnly { why }));
            }
            Command::TakeUp(_)
            | Command::Pause
            | Command::TakeUpFolders
            | Command::TakeUpModel
            | Command::Seen
            | Command::Stop => {}
            // The writing process repairs damage that it finds.
            Command::Doubt => self.shared.is_doubted.store(false, Ordering::Relaxed),
        }
    }

    fn write(&mut self, indexer: Indexer, received: &Receiver<Command>) {
        self.write_until_stopped(indexer, received);
        // This also releases the right to write, for which others may wait.
        *self.shared.writer() = None;
    }

    fn write_until_stopped(&mut self, mut indexer: Indexer, received: &Receiver<Command>) {
        self.write_until_closed(&mut indexer, received);
        if let Err(error) = indexer.rest_at_end() {
            tracing::warn!(%error, "the library did not come to rest");
        }
    }

    fn write_until_closed(&mut self, indexer: &mut Indexer, received: &Receiver<Command>) {
        indexer.check_apart();
        self.take_up_model(indexer);
        self.refresh();
        loop {
            // Reset before the check, so that a command sent after it still interrupts the step.
            self.shared.interrupt.store(false, Ordering::Relaxed);
            match received.try_recv() {
                Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return,
                Ok(command) => {
                    self.obey(indexer, command);
                    continue;
                }
                Err(TryRecvError::Empty) => {}
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                return;
            }
            self.shared.session.rest();
            if self.wait_to_retry().is_none() {
                match self.work(indexer) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error) => {
                        self.note_damage(&error);
                        self.fail(indexer, error);
                    }
                }
            }
            match received.recv_timeout(self.rest()) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(command) => self.obey(indexer, command),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns how long to wait before a retry after a failure; `None` if it is time.
    fn wait_to_retry(&self) -> Option<Duration> {
        let retry_at = self.shared.work().phase.retry_at()?;
        retry_at
            .checked_duration_since(Instant::now())
            .filter(|wait| !wait.is_zero())
    }

    /// Checks for changes and does one thing. Returns whether there was anything to do.
    fn work(&mut self, indexer: &mut Indexer) -> Result<bool, IndexerError> {
        if !self.is_listed {
            for folder in indexer.store().folders()? {
                self.due.insert(folder.id, Due::TakeUp);
            }
            self.is_listed = true;
        }
        self.check_folders(indexer)?;
        let is_paused = self.shared.work().phase.is_paused();
        // A search that failed waits for the check, even while the user has paused indexing.
        let is_awaited = self.shared.is_doubted.load(Ordering::Relaxed);
        if self.shared.is_damaged.swap(false, Ordering::Relaxed) {
            self.check = Check::Damaged;
        }
        if matches!(self.check, Check::Damaged) && (is_awaited || !is_paused) {
            if indexer.check(&self.shared.interrupt)? {
                self.refresh();
                if self.shared.is_damaged.load(Ordering::Relaxed) {
                    // No damage was found, and yet the lists cannot be loaded, which may last.
                    return Err(IndexerError::System {
                        attempt: "take up the lists",
                        why: "they are damaged, and could not be repaired".to_owned(),
                    });
                }
                self.check = Check::Done;
                self.shared.is_doubted.store(false, Ordering::Relaxed);
            }
            return Ok(true);
        }
        if is_paused {
            // Saved now, because it may be long until indexing is resumed.
            let shared = self.shared.clone();
            indexer.save(&mut Reporter::new(self, &shared))?;
            self.note_progress(indexer);
        } else if let Some((folder, due)) = self.next_due(indexer) {
            let started = Instant::now();
            let walked = self.walk_due(indexer, folder, due);
            self.walks_rest_until = Some(Instant::now() + started.elapsed());
            walked?;
            return Ok(true);
        }
        let is_at_work = indexer.is_busy() && !is_paused;
        if is_at_work {
            (self.idle_since, self.is_tidy) = (None, false);
            self.step(indexer)?;
        } else if !is_paused && self.change_model(indexer) {
            if self.shared.work().phase.succeed() {
                self.shared.report_state();
            }
            return Ok(true);
        } else if self.verify(indexer, is_paused)? {
            self.tidy(indexer)?;
            self.come_to_rest(indexer);
        }
        // Only cleared now, because a successful walk does not mean that the failed work succeeds.
        if self.shared.work().phase.succeed() {
            self.shared.report_state();
        }
        Ok(is_at_work)
    }

    /// Returns the next due folder and its action. After a walk, indexing goes first for as long as that walk took,
    /// because in a tree that keeps changing the next walk is due before the last one is over.
    fn next_due(&self, indexer: &Indexer) -> Option<(FolderId, Due)> {
        let is_resting = indexer.is_busy()
            && self
                .walks_rest_until
                .is_some_and(|until| Instant::now() < until);
        let mut due = self.due.iter().map(|(folder, due)| (*folder, *due));
        due.find(|(_, due)| *due == Due::TakeUp || !is_resting)
    }

    /// Does one step of the indexing.
    fn step(&mut self, indexer: &mut Indexer) -> Result<(), IndexerError> {
        let shared = self.shared.clone();
        let mut reporter = Reporter::new(self, &shared);
        indexer.step(&shared.interrupt, &mut reporter)?;
        if !indexer.is_busy() {
            self.note_progress(indexer);
            self.refresh();
            indexer.save_snapshot()?;
        }
        Ok(())
    }

    /// Records a failure, and waits for a retry or for the user to resume.
    fn fail(&mut self, indexer: &Indexer, error: IndexerError) {
        let error = error.at(&self.shared.dir);
        tracing::error!(%error, "indexing failed");
        self.shared
            .work()
            .phase
            .fail(error.to_string(), Instant::now());
        self.note_progress(indexer);
        self.shared.report_state();
    }

    /// Returns how long the thread can sleep.
    fn rest(&self) -> Duration {
        if let Some(wait) = self.wait_to_retry() {
            return wait.min(CHECK_EVERY);
        }
        let due = self.watches.values().map(Watch::due).min();
        let until_due = due.map_or(CHECK_EVERY, |due| {
            due.saturating_duration_since(Instant::now())
        });
        until_due.min(CHECK_EVERY)
    }

    fn obey(&mut self, indexer: &mut Indexer, command: Command) {
        match command {
            Command::TakeUp(folder) => {
                self.due.insert(folder, Due::TakeUp);
                self.refresh();
            }
            Command::RemoveFolder(folder, reply) => {
                self.leave(folder);
                let removed = indexer.remove_folder(folder);
                if removed.is_err() {
                    // The folder still exists and must be watched again.
                    self.due.insert(folder, Due::TakeUp);
                }
                self.note_progress(indexer);
                self.refresh();
                let _ = reply.send(removed);
            }
            Command::MoveFolder(folder, path, reply) => {
                let moved = indexer.move_folder(folder, &path);
                if moved.is_ok() {
                    self.leave(folder);
                }
                self.due.insert(folder, Due::TakeUp);
                self.note_progress(indexer);
                self.refresh();
                let _ = reply.send(moved);
            }
            Command::Pause => self.shared.report_state(),
            Command::TakeUpFolders => self.refresh(),
            Command::TakeUpModel => self.take_up_model(indexer),
            Command::EraseAll(reply) => {
                self.due.clear();
                self.watches.clear();
                self.stamps.clear();
                self.mounts.clear();
                self.missed.clear();
                // What was being checked no longer exists.
                self.check = Check::Later;
                self.shared.is_doubted.store(false, Ordering::Relaxed);
                self.shared.is_damaged.store(false, Ordering::Relaxed);
                let erased = indexer.erase_all();
                {
                    let mut work = self.shared.work();
                    if erased.is_ok() {
                        let read_only = work.read_only.take();
                        *work = Work {
                            read_only,
                            ..Work::default()
                        };
                    }
                }
                self.shared.session.forget();
                self.note_progress(indexer);
                // If erasing failed, the remaining folders are watched again.
                self.is_listed = false;
                // The choice of the model was erased too.
                self.take_up_model(indexer);
                self.refresh();
                let _ = reply.send(erased);
            }
            Command::Doubt => self.check = Check::Damaged,
            Command::Seen | Command::Stop => {}
        }
    }

    /// Records the progress of the work, `None` if there is nothing to do.
    fn note_progress(&self, indexer: &Indexer) {
        let mut unfinished: HashMap<FolderId, HashSet<String>> = HashMap::new();
        for (folder, path) in indexer.unfinished() {
            unfinished
                .entry(folder)
                .or_default()
                .insert(path.to_owned());
        }
        let mut work = self.shared.work();
        work.unfinished = unfinished;
        work.progress = indexer.is_busy().then(|| indexer.progress());
    }

    fn refresh(&self) {
        self.shared.refresh();
        self.shared.report_state();
    }
}
