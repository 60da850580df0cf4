//! Saves changes one by one if they cannot be saved together.

use std::collections::HashSet;
use std::time::Instant;

use memlens_store::{Applied, Change, FolderId, StoreError};

use super::n_puts;
use crate::IndexerError;
use crate::indexer::Indexer;
use crate::indexer::waiting::Waiting;

/// The result of applying a batch of changes, some of which may have failed.
pub(super) struct Apart {
    pub(super) applied: Applied,
    /// The changes that were applied.
    pub(super) changes: Vec<Change>,
    /// The notes of the changes that failed.
    pub(super) failed: HashSet<(FolderId, String)>,
    /// Why the rest was not tried, unless single notes were the cause.
    pub(super) error: Option<IndexerError>,
}

impl Indexer {
    /// Applies changes one by one after applying all at once failed, so that one note that cannot be saved does not
    /// block the others. Failed changes stay pending, with all later ones of the same note.
    ///
    /// # Errors
    /// The original error if it is not caused by a note: the disk is full, or nothing can be saved at all.
    pub(super) fn apply_apart(
        &mut self,
        changes: Vec<Change>,
        error: StoreError,
    ) -> Result<Apart, IndexerError> {
        let is_of_a_note = |error: &StoreError| matches!(error, StoreError::Sql { .. });
        let saved_none = is_of_a_note(&error)
            .then(|| self.store.apply(&[]).ok())
            .flatten();
        self.is_stuck = saved_none.is_none();
        let Some(applied) = saved_none else {
            self.pending = changes;
            return Err(error.into());
        };
        let mut done = Apart {
            applied,
            changes: Vec::new(),
            failed: HashSet::new(),
            error: None,
        };
        let mut refused = Vec::new();
        for change in changes {
            let note = Waiting::of(&change).map(|it| (it.folder, it.path.to_owned()));
            let waits = note.as_ref().is_some_and(|note| done.failed.contains(note));
            if done.error.is_some() || waits {
                done.failed.extend(note);
                self.pending.push(change);
                continue;
            }
            match (self.store.apply(std::slice::from_ref(&change)), &change) {
                (Ok(applied), _) => {
                    done.applied.join(applied);
                    done.changes.push(change);
                }
                (Err(error), Change::Put(document)) if is_of_a_note(&error) => {
                    refused.push((document.folder, document.path.clone(), error));
                    done.failed.extend(note);
                    self.pending.push(change);
                }
                (
                    Err(error),
                    Change::Put(_) | Change::Remove { .. } | Change::Fail(_) | Change::Touch { .. },
                ) => {
                    self.is_stuck = true;
                    done.failed.extend(note);
                    done.error = Some(error.into());
                    self.pending.push(change);
                }
            }
        }
        let n_saved = n_puts(&done.changes);
        self.tries.saved(n_saved);
        for (folder, path, error) in refused {
            let is_own = self.tries.refuse(folder, &path, n_saved);
            let error = IndexerError::from(error);
            let problem = self.skipped(folder, &path, &error);
            let is_given_up = match self.is_skipped(&problem) {
                Ok(true) => true,
                Ok(false) if is_own => self.fail_once(problem),
                Ok(false) => {
                    done.error.get_or_insert(error);
                    false
                }
                Err(error) => {
                    done.error.get_or_insert(error);
                    false
                }
            };
            if is_given_up {
                self.put_failure_in_place(folder, &path, &mut done.failed);
            }
        }
        if !self.pending.is_empty() {
            self.pending_since = Some(Instant::now());
        }
        Ok(done)
    }

    /// Removes the document that was given up from the pending changes. If its failure is to be recorded, that takes
    /// its place, before other pending changes of the same note.
    fn put_failure_in_place(
        &mut self,
        folder: FolderId,
        path: &str,
        failed: &mut HashSet<(FolderId, String)>,
    ) {
        let is_it = |change: &Change| {
            Waiting::of(change).is_some_and(|it| (it.folder, it.path) == (folder, path))
        };
        let Some(at) = self.pending.iter().position(is_it) else {
            return;
        };
        let noted = self
            .pending
            .pop_if(|last| matches!(last, Change::Fail(_)) && is_it(last));
        match noted {
            Some(failure) => self.pending[at] = failure,
            None => {
                self.pending.remove(at);
            }
        }
        if !self.pending.iter().any(is_it) {
            failed.remove(&(folder, path.to_owned()));
        }
    }
}
