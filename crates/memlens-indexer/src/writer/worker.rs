//! The thread that writes and watches.
//!
//! Each pass of its loop handles the user's commands, checks for changes, and then does one thing: it walks a folder
//! that is due, or reads a file. What fails stays due, and [`Phase`] decides when it is retried.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedderSource, Purpose};
use memlens_index::IndexError;
use memlens_ingest::IngestError;
use memlens_store::{Folder, FolderId, Rested, Store, StoreError, Unrest};

use super::checker::Checker;
use super::{Command, Shared};
use crate::IndexerError;
use crate::indexer::{Indexer, Observer};
use crate::mounts::{MountId, Mounts};
use crate::stamp::Stamp;
use crate::status::{Activity, FolderStatus, Happening, Progress, Scanning};
use crate::watch::{Watch, Watching};
use crate::work::Work;

const TELL_EVERY: Duration = Duration::from_millis(120);
/// How often an idle thread checks for folders that came back, or for what another process wrote.
const LOOK_EVERY: Duration = Duration::from_secs(1);
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

/// Returns whether the error means damage, rather than a full disk or the like.
fn is_damage(error: &IndexerError) -> bool {
    let may_be_damaged =
        |error: &IndexError| error.needs_rebuild() || matches!(error, IndexError::Text { .. });
    matches!(error, IndexerError::Store(StoreError::Damaged { .. }))
        || matches!(error, IndexerError::Index(error) if may_be_damaged(error))
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
    last_looked: Instant,
    /// Until when indexing goes before walks; `None` before the first walk.
    walks_rest_until: Option<Instant>,
    /// Since when there has been nothing to do; `None` while there is work.
    idle_since: Option<Instant>,
    is_tidy: bool,
    check: Check,
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
            last_looked: Instant::now(),
            walks_rest_until: None,
            idle_since: None,
            is_tidy: false,
            check: Check::Later,
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
            match received.recv_timeout(LOOK_EVERY) {
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(command) => self.refuse(command),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.session.refresh(false).unwrap_or(false) {
                self.shared.tell_state();
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
                        self.doubt(&error);
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
        self.look_around(indexer)?;
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
            indexer.save(&mut Teller::new(self, &shared))?;
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
        } else if self.look_through(indexer, is_paused)? {
            self.tidy(indexer)?;
            self.come_to_rest(indexer);
        }
        // Only cleared now, because a successful walk does not mean that the failed work succeeds.
        if self.shared.work().phase.succeed() {
            self.shared.tell_state();
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
        let mut teller = Teller::new(self, &shared);
        indexer.step(&shared.interrupt, &mut teller)?;
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
        self.shared.tell_state();
    }

    /// Returns how long the thread can sleep.
    fn rest(&self) -> Duration {
        if let Some(wait) = self.wait_to_retry() {
            return wait.min(LOOK_EVERY);
        }
        let due = self.watches.values().map(Watch::due).min();
        let until_due = due.map_or(LOOK_EVERY, |due| {
            due.saturating_duration_since(Instant::now())
        });
        until_due.min(LOOK_EVERY)
    }

    /// Compares the library with what was saved, once, in another thread, because it takes a minute for a million
    /// chunks. Returns whether that is finished.
    fn look_through(&mut self, indexer: &Indexer, is_paused: bool) -> Result<bool, IndexerError> {
        match &mut self.check {
            Check::Later if !is_paused => {
                let checker = Checker::start(&self.shared.dir, indexer.dim());
                self.check = Check::Running(checker.map_err(|error| IndexerError::System {
                    attempt: "start to check the library",
                    why: error.to_string(),
                })?);
            }
            Check::Running(checker) => {
                self.check = match checker.found() {
                    None => return Ok(false),
                    Some(Ok(true)) => Check::Done,
                    Some(Ok(false)) => Check::Damaged,
                    Some(Err(error)) if is_damage(&error) => Check::Damaged,
                    // What cannot be read now is verified when it is read.
                    Some(Err(error)) => {
                        tracing::warn!(%error, "cannot check the library");
                        Check::Done
                    }
                };
            }
            Check::Later | Check::Damaged | Check::Done => {}
        }
        Ok(matches!(self.check, Check::Done))
    }

    /// Requests a repair before anything is retried, if the error means damage.
    fn doubt(&mut self, error: &IndexerError) {
        if is_damage(error) && !matches!(self.check, Check::Done) {
            self.check = Check::Damaged;
        }
    }

    /// Cleans up the library once the thread has been idle for a while.
    fn tidy(&mut self, indexer: &mut Indexer) -> Result<(), IndexerError> {
        if indexer.is_busy() {
            return Ok(());
        }
        let idle_since = *self.idle_since.get_or_insert_with(Instant::now);
        // Once, until there was work again.
        if self.is_tidy || idle_since.elapsed() < TIDY_AFTER {
            return Ok(());
        }
        self.is_tidy = true;
        indexer.rest();
        indexer.save_snapshot()?;
        if indexer.compact()? {
            self.refresh();
        }
        Ok(())
    }

    /// Calls `come_to_rest` once nothing has changed for a while. Failures are retried later; nothing waits for it.
    fn come_to_rest(&mut self, indexer: &mut Indexer) {
        let again = |wait: Duration| Instant::now() + wait;
        let unrest = match indexer.unrest() {
            Ok(unrest) => unrest,
            Err(error) => {
                tracing::warn!(%error, "cannot tell whether the library is at rest");
                return;
            }
        };
        let Some(unrest) = unrest else {
            self.unrest = None;
            return;
        };
        match self.unrest {
            Some((known, at)) if known == unrest => {
                if Instant::now() < at {
                    return;
                }
            }
            Some(_) | None => {
                self.unrest = Some((unrest, again(TIDY_AFTER)));
                return;
            }
        }
        self.unrest = match indexer.come_to_rest() {
            Ok(Rested::Fully) => None,
            // The reader is usually done in a moment.
            Ok(Rested::Held) => Some((unrest, again(LOOK_EVERY))),
            Ok(Rested::Later) => Some((unrest, again(REST_AGAIN_AFTER))),
            Err(error) => {
                tracing::warn!(%error, "the library did not come to rest");
                Some((unrest, again(REST_AGAIN_AFTER)))
            }
        };
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
            Command::Pause => self.shared.tell_state(),
            Command::TakeUpFolders => self.refresh(),
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
                self.refresh();
                let _ = reply.send(erased);
            }
            Command::Doubt => self.check = Check::Damaged,
            Command::Seen | Command::Stop => {}
        }
    }

    fn leave(&mut self, folder: FolderId) {
        self.due.remove(&folder);
        self.watches.remove(&folder);
        self.stamps.remove(&folder);
        self.mounts.remove(&folder);
        self.missed.remove(&folder);
        let mut work = self.shared.work();
        work.statuses.remove(&folder);
        work.added.retain(|added| added.id != folder);
    }

    /// Does what is due for a folder. It stays due if that fails or is interrupted.
    fn walk_due(
        &mut self,
        indexer: &mut Indexer,
        folder: FolderId,
        due: Due,
    ) -> Result<(), IndexerError> {
        let folders = indexer.store().folders()?;
        let Some(known) = folders.iter().find(|known| known.id == folder) else {
            self.leave(folder);
            return Ok(());
        };
        let walked = match due {
            Due::TakeUp => self.take_up(indexer, known),
            Due::Walk => self.walk(indexer, known),
        };
        self.shared.work().scanning = None;
        match walked {
            Ok(()) => {
                self.due.remove(&folder);
            }
            // The user's command comes first.
            Err(IndexerError::Ingest(IngestError::Cancelled { .. })) => {}
            Err(error @ (IndexerError::Ingest(_) | IndexerError::Unmounted { .. })) => {
                self.due.remove(&folder);
                self.watches.remove(&folder);
                self.missed.insert(folder, Instant::now());
                let why = format!(
                    "{error}; its notes stay in the library, and Memlens watches it again once it is back"
                );
                self.note_progress(indexer);
                self.set_status(known, FolderStatus::Missing, Some(why));
            }
            Err(error) => return Err(error),
        }
        self.shared.tell_state();
        Ok(())
    }

    /// Sets up the watch of a folder again, and queues what changed while it was not watched.
    fn take_up(&mut self, indexer: &mut Indexer, folder: &Folder) -> Result<(), IndexerError> {
        self.watches.remove(&folder.id);
        self.missed.remove(&folder.id);
        if folder.is_paused {
            self.stamps.remove(&folder.id);
            self.mounts.remove(&folder.id);
            indexer.leave_alone(folder.id);
            self.note_progress(indexer);
            self.set_status(folder, FolderStatus::Paused, None);
            return Ok(());
        }
        let path = Path::new(&folder.path);
        self.stamps.insert(folder.id, Stamp::of(path));
        self.mounts.insert(folder.id, Mounts::now().inside(path));
        let commands = self.commands.clone();
        let wake = move || {
            // The receiver is gone only while the program ends.
            let _ = commands.send(Command::Seen);
        };
        let mut watch = Watch::new(path, self.watching, wake);
        // A first walk finds the folders to be watched.
        let shared = self.shared.clone();
        let mut teller = Teller::new(self, &shared).of(folder);
        let walked = memlens_ingest::walk_with_progress(path, &shared.interrupt, &mut |files| {
            teller.scanned(files.len());
        })?;
        watch.follow(&walked.folders);
        self.watches.insert(folder.id, watch);
        self.walk(indexer, folder)
    }

    /// Walks a folder and queues what differs, until it has no new subfolders to watch.
    fn walk(&mut self, indexer: &mut Indexer, folder: &Folder) -> Result<(), IndexerError> {
        let started = Instant::now();
        let shared = self.shared.clone();
        for n_walks in 1..=WALKS_MAX {
            let mut teller = Teller::new(self, &shared).of(folder);
            let folders = indexer.scan_with_progress(folder, &shared.interrupt, &mut teller)?;
            let Some(watch) = self.watches.get_mut(&folder.id) else {
                return Ok(());
            };
            if !watch.follow(&folders) {
                break;
            }
            if n_walks == WALKS_MAX {
                watch.put_off();
            }
        }
        let Some(watch) = self.watches.get_mut(&folder.id) else {
            return Ok(());
        };
        watch.walked(started.elapsed());
        let (status, why) = match watch.polled() {
            None => (FolderStatus::Watching, None),
            Some(why) => (FolderStatus::Polling, Some(why)),
        };
        // Before the status, which would otherwise be shown with an empty queue.
        self.note_progress(indexer);
        self.set_status(folder, status, why);
        Ok(())
    }

    /// Records the status of a folder, and reports when it went missing or came back.
    fn set_status(&mut self, folder: &Folder, status: FolderStatus, why: Option<String>) {
        let before = self
            .shared
            .work()
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

    /// Handles the folders in which something was seen and that are quiet. From time to time, also checks for folders
    /// that came back or went missing.
    fn look_around(&mut self, indexer: &mut Indexer) -> Result<(), IndexerError> {
        let now = Instant::now();
        let due: Vec<FolderId> = self
            .watches
            .iter()
            .filter(|(_, watch)| watch.due() <= now)
            .map(|(folder, _)| *folder)
            .collect();
        if !due.is_empty() {
            // Read before anything is taken from the watches, so that nothing is lost if this fails.
            let folders = indexer.store().folders()?;
            for folder in due {
                self.look(indexer, &folders, folder);
            }
        }
        if self.last_looked.elapsed() >= LOOK_EVERY {
            self.last_looked = now;
            self.look_for_missing(indexer)?;
            if self.shared.work().is_stale {
                self.refresh();
            }
            if indexer.is_busy() {
                self.note_progress(indexer);
            }
        }
        Ok(())
    }

    /// Queues what was seen in a folder.
    fn look(&mut self, indexer: &mut Indexer, folders: &[Folder], folder: FolderId) {
        let known = folders.iter().find(|candidate| candidate.id == folder);
        let (Some(folder), Some(watch)) = (known, self.watches.get_mut(&folder)) else {
            self.leave(folder);
            return;
        };
        let seen = watch.take();
        let mut needs_walk = seen.needs_walk;
        for path in &seen.paths {
            if needs_walk && seen.is_quiet {
                break;
            }
            // If that fails, a walk finds the change.
            needs_walk |= !indexer.look_at(folder, path).unwrap_or(false);
        }
        // For example, new folders are still being filled, and a walk now would have to be repeated.
        let is_put_off = needs_walk && !seen.is_quiet;
        if is_put_off {
            watch.put_off();
        }
        if needs_walk && (!is_put_off || seen.needs_walk) {
            self.due.entry(folder.id).or_insert(Due::Walk);
        }
        self.note_progress(indexer);
        // While indexing is paused, no work would report it.
        if self.shared.work().phase.is_paused() {
            self.shared.tell_state();
        }
    }

    /// Sets up folders again that came back, were replaced by another folder, or in which a disk was mounted or
    /// unmounted. Records those that went missing.
    fn look_for_missing(&mut self, indexer: &Indexer) -> Result<(), IndexerError> {
        let mounts = Mounts::now();
        for folder in indexer.store().folders()? {
            let status = self
                .shared
                .work()
                .statuses
                .get(&folder.id)
                .map(|(status, _)| *status);
            let known = self.stamps.get(&folder.id).copied().flatten();
            let found = Stamp::of(Path::new(&folder.path));
            let is_other = match status {
                None | Some(FolderStatus::Paused | FolderStatus::Waiting) => false,
                // It may exist and could not be walked: its permissions or mounts must change first, or the error was
                // temporary.
                Some(FolderStatus::Missing) => {
                    let missed = self.missed.get(&folder.id);
                    found != known
                        || (found.is_some()
                            && missed.is_none_or(|at| at.elapsed() >= MISSED_AGAIN_AFTER))
                }
                Some(FolderStatus::Watching | FolderStatus::Polling) => {
                    found.map(|stamp| stamp.identity) != known.map(|stamp| stamp.identity)
                        || self
                            .mounts
                            .get(&folder.id)
                            .is_some_and(|before| *before != mounts.inside(Path::new(&folder.path)))
                }
            };
            if is_other {
                self.due.insert(folder.id, Due::TakeUp);
            }
        }
        Ok(())
    }

    fn refresh(&self) {
        self.shared.refresh();
        self.shared.tell_state();
    }
}

/// Reports the indexer's work to the window.
struct Teller<'a> {
    shared: &'a Shared,
    watches: &'a HashMap<FolderId, Watch>,
    last_reported: &'a mut Instant,
    /// The folder that is being walked.
    folder: Option<&'a Folder>,
}

impl<'a> Teller<'a> {
    fn new(worker: &'a mut Worker, shared: &'a Shared) -> Teller<'a> {
        Teller {
            shared,
            watches: &worker.watches,
            last_reported: &mut worker.last_reported,
            folder: None,
        }
    }

    fn of(self, folder: &'a Folder) -> Teller<'a> {
        Teller {
            folder: Some(folder),
            ..self
        }
    }

    /// Returns whether it is time to report progress.
    fn is_time(&mut self) -> bool {
        let is_time = self.last_reported.elapsed() >= TELL_EVERY;
        if is_time {
            *self.last_reported = Instant::now();
        }
        is_time
    }
}

impl Observer for Teller<'_> {
    fn progress(&mut self, progress: &Progress) {
        if self.is_time() {
            self.shared.work().progress = Some(progress.clone());
            self.shared.tell_state();
        }
    }

    fn scanned(&mut self, n_files: usize) {
        if self.is_time() {
            self.shared.work().scanning = self.folder.map(|folder| Scanning {
                folder: folder.id.0.to_string(),
                folder_name: folder.name.clone(),
                n_files: n_files as u32,
            });
            self.shared.tell_state();
        }
    }

    fn committed(&mut self, happened: &[Activity]) {
        self.shared.refresh();
        self.shared.tell_activity(happened);
        self.shared.tell_state();
    }

    fn noticed(&mut self, notice: &str) {
        self.shared.work().notices.push(notice.to_owned());
        self.shared.tell_state();
    }

    fn interrupts(&mut self) -> bool {
        let now = Instant::now();
        self.watches.values().any(|watch| watch.due() <= now)
    }
}
