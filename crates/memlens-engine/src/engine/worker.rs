//! The thread of the engine that writes and watches.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use memlens_store::{Folder, FolderId, Store};

use super::{Command, Moving, Shared, Watching};
use crate::EngineError;
use crate::evergreen;
use crate::feedback;
use crate::indexer::{Indexer, Observer, Step};
use crate::model::{EmbedderSource, Purpose};
use crate::mounts::{MountId, Mounts};
use crate::stamp::Stamp;
use crate::view::{Activity, FolderStatus, Happening, Progress};
use crate::watch::Watch;

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

/// Is the thread that writes and watches.
pub(super) struct Worker {
    shared: Arc<Shared>,
    commands: Sender<Command>,
    watching: Watching,
    watches: HashMap<FolderId, Watch>,
    stamps: HashMap<FolderId, Option<Stamp>>,
    /// What was mounted in each folder when it was taken up.
    mounts: HashMap<FolderId, Vec<MountId>>,
    last_told: Instant,
    last_looked: Instant,
    /// Since when there has been nothing to do; none while there is.
    idle_since: Option<Instant>,
    is_tidy: bool,
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
            watches: HashMap::new(),
            stamps: HashMap::new(),
            mounts: HashMap::new(),
            last_told: Instant::now(),
            last_looked: Instant::now(),
            idle_since: None,
            is_tidy: false,
        }
    }

    /// Writes until it is told to stop; while another process does, only reads.
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
            self.shared.library.rest();
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
            | Command::PutSetting(_, _, reply)
            | Command::MarkEvergreen(_, _, _, reply)
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
            self.shared.library.rest();
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
            Err(error) => self.fail(indexer, error),
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
    fn fail(&mut self, indexer: &Indexer, error: EngineError) {
        let error = error.at(self.shared.library.dir());
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
            Err(error) => self.fail(indexer, error),
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
            Command::PutSetting(key, value, reply) => {
                let put = indexer.store_mut().put_setting(key, value.as_deref());
                let _ = reply.send(put.map_err(EngineError::from));
            }
            Command::MarkEvergreen(folder, path, is_evergreen, reply) => {
                let marked = evergreen::mark(indexer.store_mut(), folder, &path, is_evergreen);
                let _ = reply.send(marked.and_then(|()| self.shared.library.take_up_marks()));
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
                self.mounts.clear();
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
        self.mounts.remove(&folder);
        self.shared.moving().statuses.remove(&folder);
    }

    /// Watches a folder anew and queues what changed in it while nobody looked.
    fn take_up(&mut self, indexer: &mut Indexer, folder: &Folder) {
        self.watches.remove(&folder.id);
        if folder.is_paused {
            self.stamps.remove(&folder.id);
            self.mounts.remove(&folder.id);
            self.set_status(folder, FolderStatus::Paused, None);
            self.note_progress(indexer);
            return;
        }
        let path = Path::new(&folder.path);
        self.stamps.insert(folder.id, Stamp::of(path));
        self.mounts.insert(folder.id, Mounts::now().inside(path));
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
                self.fail(indexer, error);
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

    /// Takes up folders that came back, were put in another's place or in which a disk was mounted or is no longer, and
    /// notices those that went away.
    fn look_for_missing(&mut self, indexer: &mut Indexer) {
        let mounts = Mounts::now();
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
                        || self
                            .mounts
                            .get(&folder.id)
                            .is_some_and(|before| *before != mounts.inside(Path::new(&folder.path)))
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
