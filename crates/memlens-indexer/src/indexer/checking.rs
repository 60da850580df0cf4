//! Finds notes that differ from what was saved, and reads them again.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_ingest::IngestError;
use memlens_store::{Change, Forgotten, StoreError};

use super::Indexer;
use crate::IndexerError;
use crate::derived::forgotten_notice;

impl Indexer {
    /// Leaves [`Indexer::check`] to the caller, because a walk that includes it would delay what the user saves
    /// meanwhile.
    pub(crate) fn check_apart(&mut self) {
        self.is_checked = true;
    }

    /// Runs [`Indexer::check`] as part of the first walk, before the walk itself.
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

    /// Removes notes that differ from what was saved, so that the next walk reads them again, and rebuilds a damaged
    /// list. Returns whether it finished before `cancel` was set.
    ///
    /// This reads the whole library, so it is not part of opening, for which the window waits.
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
            self.queue_again(forgotten);
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
        // They are closed if the last attempt failed.
        if self.derived.is_none() {
            self.open_lists()?;
        }
        if let Some(derived) = self.derived.take() {
            let made_by = (made_by.0.as_str(), made_by.1);
            let (derived, notices) = derived.checked(&mut self.store, made_by, cancel)?;
            self.derived = Some(derived);
            // Readers load new lists when they are notified.
            self.is_unreported |= !notices.is_empty();
            self.notices.extend(notices);
        }
        Ok(!cancel.load(Ordering::Relaxed))
    }

    /// Queues removed notes to be read again, and adds a notice about them. Notes that wait to be saved are read again
    /// too, because they may use an embedding that is gone.
    pub(super) fn queue_again(&mut self, forgotten: Forgotten) {
        self.notices.extend(forgotten_notice(&forgotten));
        self.forgotten.extend(forgotten.notes);
        let is_put = |change: &mut Change| matches!(change, Change::Put(_));
        for change in self.pending.extract_if(.., is_put) {
            let Change::Put(document) = change else {
                continue;
            };
            // Its event is reported again later.
            self.happened
                .retain(|it| (it.folder, &it.path) != (document.folder, &document.path));
            self.forgotten.push((document.folder, document.path));
        }
        self.pending_chunks = 0;
    }

    /// Queues notes that were removed because they differed from what was saved, including those of folders that are
    /// not being walked. If a note's folder is paused or missing, its next walk finds the note.
    pub(super) fn read_forgotten(&mut self) -> Result<(), IndexerError> {
        if self.forgotten.is_empty() {
            return Ok(());
        }
        let folders = self.store.folders()?;
        for (folder, path) in std::mem::take(&mut self.forgotten) {
            let mut folders = folders.iter();
            if let Some(folder) = folders.find(|it| it.id == folder && !it.is_paused) {
                self.look_at(
                    folder,
                    &memlens_files::path_in(Path::new(&folder.path), &path),
                )?;
            }
        }
        Ok(())
    }
}
