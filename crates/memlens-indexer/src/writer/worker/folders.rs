//! Watching and walking the folders.

use std::path::Path;
use std::time::Instant;

use memlens_ingest::IngestError;
use memlens_store::{Folder, FolderId};

use super::super::Command;
use super::reporter::Reporter;
use super::{CHECK_EVERY, Due, MISSED_AGAIN_AFTER, WALKS_MAX, Worker};
use crate::IndexerError;
use crate::indexer::{Indexer, Observer};
use crate::mounts::Mounts;
use crate::stamp::Stamp;
use crate::status::{Activity, FolderStatus, Happening};
use crate::watch::Watch;

impl Worker {
    pub(super) fn leave(&mut self, folder: FolderId) {
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
    pub(super) fn walk_due(
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
        self.shared.report_state();
        Ok(())
    }

    /// Sets up the watch of a folder again, and queues what changed while it was not watched.
    pub(super) fn take_up(
        &mut self,
        indexer: &mut Indexer,
        folder: &Folder,
    ) -> Result<(), IndexerError> {
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
        let mut reporter = Reporter::new(self, &shared).for_folder(folder);
        let walked = memlens_ingest::walk_with_progress(path, &shared.interrupt, &mut |files| {
            reporter.scanned(files.len());
        })?;
        watch.follow(&walked.folders);
        self.watches.insert(folder.id, watch);
        self.walk(indexer, folder)
    }

    /// Walks a folder and queues what differs, until it has no new subfolders to watch.
    pub(super) fn walk(
        &mut self,
        indexer: &mut Indexer,
        folder: &Folder,
    ) -> Result<(), IndexerError> {
        let started = Instant::now();
        let shared = self.shared.clone();
        for n_walks in 1..=WALKS_MAX {
            let mut reporter = Reporter::new(self, &shared).for_folder(folder);
            let folders = indexer.scan_with_progress(folder, &shared.interrupt, &mut reporter)?;
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
    pub(super) fn set_status(
        &mut self,
        folder: &Folder,
        status: FolderStatus,
        why: Option<String>,
    ) {
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
        self.shared.report_activity(&[activity]);
    }

    /// Handles the folders in which something was seen and that are quiet. From time to time, also checks for folders
    /// that came back or went missing.
    pub(super) fn check_folders(&mut self, indexer: &mut Indexer) -> Result<(), IndexerError> {
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
                self.queue_seen(indexer, &folders, folder);
            }
        }
        if self.last_checked.elapsed() >= CHECK_EVERY {
            self.last_checked = now;
            self.check_missing(indexer)?;
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
    pub(super) fn queue_seen(
        &mut self,
        indexer: &mut Indexer,
        folders: &[Folder],
        folder: FolderId,
    ) {
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
            self.shared.report_state();
        }
    }

    /// Sets up folders again that came back, were replaced by another folder, or in which a disk was mounted or
    /// unmounted. Records those that went missing.
    pub(super) fn check_missing(&mut self, indexer: &Indexer) -> Result<(), IndexerError> {
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
}
