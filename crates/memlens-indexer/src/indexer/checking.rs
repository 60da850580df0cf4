//! Looking for notes that are not as they were saved, and reading them anew.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_ingest::IngestError;
use memlens_store::StoreError;

use super::Indexer;
use crate::IndexerError;
use crate::derived::told_forgotten;

impl Indexer {
    /// Forgets notes that are not as they were saved, so that the next look reads them anew, and rebuilds the vector list
    /// where a row is not. Once in the indexer's life, since it reads the whole library, and not when it is opened, since a
    /// window waits for that. It belongs to the walk of a folder, and is stopped as one.
    pub(super) fn check_library(
        &mut self,
        walked: &Path,
        cancel: &AtomicBool,
    ) -> Result<(), IndexerError> {
        if self.is_checked {
            return Ok(());
        }
        let cancelled = || IngestError::Cancelled {
            path: walked.to_owned(),
        };
        let info = self.embedder.info();
        let made_by = (info.id.clone(), info.dim);
        let forgotten = match self.store.forget_damaged(info.dim, cancel) {
            Err(StoreError::Cancelled) => return Err(cancelled().into()),
            checked => checked?,
        };
        if let Some(forgotten) = forgotten {
            self.notices.extend(told_forgotten(&forgotten));
            self.forgotten.extend(forgotten.notes);
            self.follow(&forgotten.applied, Vec::new())?;
        }
        if let Some(derived) = self.derived.take() {
            let made_by = (made_by.0.as_str(), made_by.1);
            let (derived, notice) = derived.checked(&mut self.store, made_by, cancel)?;
            self.derived = Some(derived);
            if let Some(notice) = notice {
                self.notices.push(notice);
                // Readers take the new list up when they are told.
                self.is_untold = true;
            }
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(cancelled().into());
        }
        self.is_checked = true;
        Ok(())
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
