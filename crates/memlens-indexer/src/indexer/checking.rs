//! Looking for notes that are not as they were saved, and reading them anew.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_ingest::IngestError;
use memlens_store::{Change, Forgotten, StoreError};

use super::Indexer;
use crate::IndexerError;
use crate::derived::told_forgotten;

impl Indexer {
    /// Leaves [`Indexer::check`] to the caller: a walk would keep what a person saves meanwhile waiting for it.
    pub(crate) fn check_apart(&mut self) {
        self.is_checked = true;
    }

    /// Does [`Indexer::check`] before the first walk, as a part of it.
    pub(super) fn check_before_walk(
        &mut self,
        walked: &Path,
        cancel: &AtomicBool,
    ) -> Result<(), IndexerError> {
        if self.is_checked || self.check(cancel)? {
            self.is_checked = true;
            return Ok(());
        }
        Err(IngestError::Cancelled {
            path: walked.to_owned(),
        }
        .into())
    }

    /// Forgets notes that are not as they were saved, so that the next look reads them anew, and rebuilds a list that is not.
    /// Returns whether it came to its end before `cancel` was set.
    ///
    /// It reads the whole library, so opening leaves it: a window waits for that.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`].
    pub(crate) fn check(&mut self, cancel: &AtomicBool) -> Result<bool, IndexerError> {
        let info = self.embedder.info();
        let made_by = (info.id.clone(), info.dim);
        let forgotten = match self.store.forget_damaged(info.dim, cancel) {
            Err(StoreError::Cancelled) => return Ok(false),
            checked => checked?,
        };
        if let Some(forgotten) = forgotten {
            let applied = forgotten.applied.clone();
            self.read_anew(forgotten);
            self.follow(&applied, Vec::new())?;
        }
        match self.store.forget_damaged_past()? {
            0 => {}
            1 => self.notices.push(
                "1 past question was damaged in the library, perhaps by a disk fault; the agents' logs are read again"
                    .to_owned(),
            ),
            n => self.notices.push(format!(
                "{n} past questions were damaged in the library, perhaps by a disk fault; the agents' logs are read again"
            )),
        }
        // An error of the last time leaves them closed.
        if self.derived.is_none() {
            self.open_lists()?;
        }
        if let Some(derived) = self.derived.take() {
            let made_by = (made_by.0.as_str(), made_by.1);
            let (derived, notices) = derived.checked(&mut self.store, made_by, cancel)?;
            self.derived = Some(derived);
            // Readers take new lists up when they are told.
            self.is_untold |= !notices.is_empty();
            self.notices.extend(notices);
        }
        Ok(!cancel.load(Ordering::Relaxed))
    }

    /// Has notes read anew that were forgotten, and tells of them. So are those that wait to be saved: they may use an
    /// embedding that is gone.
    pub(super) fn read_anew(&mut self, forgotten: Forgotten) {
        self.notices.extend(told_forgotten(&forgotten));
        self.forgotten.extend(forgotten.notes);
        let is_put = |change: &mut Change| matches!(change, Change::Put(_));
        for change in self.pending.extract_if(.., is_put) {
            let Change::Put(document) = change else {
                continue;
            };
            // It happens once more.
            self.happened
                .retain(|it| (it.folder, &it.path) != (document.folder, &document.path));
            self.forgotten.push((document.folder, document.path));
        }
        self.pending_chunks = 0;
    }

    /// Queues notes that were forgotten because they were not as they were saved, also those of folders that nobody walks
    /// now. One whose folder is paused or away is found by the next walk of it.
    pub(super) fn read_forgotten(&mut self) -> Result<(), IndexerError> {
        if self.forgotten.is_empty() {
            return Ok(());
        }
        let folders = self.store.folders()?;
        for (folder, path) in std::mem::take(&mut self.forgotten) {
            let mut folders = folders.iter();
            if let Some(folder) = folders.find(|it| it.id == folder && !it.is_paused) {
                self.look_at(folder, &Path::new(&folder.path).join(path))?;
            }
        }
        Ok(())
    }
}
