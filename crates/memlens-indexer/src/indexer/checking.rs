//! Looking for notes that are not as they were saved, and reading them anew.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use memlens_ingest::IngestError;
use memlens_store::StoreError;

use super::Indexer;
use crate::IndexerError;
use crate::derived::told_forgotten;

impl Indexer {
    /// Forgets notes that are not as they were saved, so that the next look reads them anew. Once in the indexer's life,
    /// since it reads the whole library, and not when it is opened, since a window waits for that. It belongs to the walk
    /// of a folder, and is stopped as one.
    pub(super) fn check_library(
        &mut self,
        walked: &Path,
        cancel: &AtomicBool,
    ) -> Result<(), IndexerError> {
        if self.is_checked {
            return Ok(());
        }
        let dim = self.embedder.info().dim;
        let forgotten = match self.store.forget_damaged(dim, cancel) {
            Err(StoreError::Cancelled) => {
                let path = walked.to_owned();
                return Err(IngestError::Cancelled { path }.into());
            }
            checked => checked?,
        };
        if let Some(forgotten) = forgotten {
            self.notices.extend(told_forgotten(&forgotten));
            self.forgotten.extend(forgotten.notes);
            self.follow(&forgotten.applied, Vec::new())?;
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
