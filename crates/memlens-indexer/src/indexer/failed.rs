//! Notes that fail by themselves: retried a few times after all others, then skipped.

use std::sync::atomic::AtomicBool;

use memlens_embed::EmbedError;
use memlens_ingest::FoundFile;
use memlens_store::{Change, FolderId, Severity, StoredProblem};

use super::Indexer;
use super::tries::TRIES_MAX;
use super::waiting::Waiting;
use crate::IndexerError;
use crate::status::Happening;

impl Indexer {
    /// Records that a file cannot be read. The record replaces what the library has of it.
    pub(super) fn fail(&mut self, problem: StoredProblem) {
        self.counts.n_unreadable += 1;
        let is_waiting = self
            .pending
            .iter()
            .rfind(|change| {
                Waiting::of(change)
                    .is_some_and(|it| (it.folder, it.path) == (problem.folder, &problem.path))
            })
            .is_some_and(|change| *change == Change::Fail(problem.clone()));
        if is_waiting {
            return;
        }
        let why = Some(problem.message.clone());
        self.happen(problem.folder, &problem.path, Happening::Skipped, why, None);
        self.pend(Change::Fail(problem), 0);
    }

    /// Records why a file has nothing to index. `was_note`: whether the library has a note of it.
    pub(super) fn leave_unread(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        message: String,
        was_note: bool,
    ) -> Result<(), IndexerError> {
        let stamp = (file.size, file.modified_ms, file.changed_ns);
        self.unread.insert((folder, file.path.clone()), stamp);
        let why = Some(message.clone());
        let problem = self.problem(folder, file.path.clone(), None, message, Severity::Unread);
        if was_note {
            self.happen(folder, &file.path, Happening::Skipped, why, None);
        } else if self.store.is_noted(&problem)? {
            return Ok(());
        }
        self.pend(Change::Fail(problem), 0);
        Ok(())
    }

    /// Returns whether a file is unchanged since it was found to have nothing to index.
    pub(super) fn is_unread(
        &self,
        folder: FolderId,
        file: &FoundFile,
    ) -> Result<bool, IndexerError> {
        let key = (folder, file.path.clone());
        let stamp = (file.size, file.modified_ms, file.changed_ns);
        if self.unread.get(&key) != Some(&stamp) {
            return Ok(false);
        }
        Ok(self.store.why_unread(folder, &file.path)?.is_some())
    }

    /// Returns whether the model rejected this text but accepts others.
    pub(super) fn is_of_the_text(&mut self, error: &IndexerError) -> bool {
        matches!(error, IndexerError::Embed(EmbedError::Embed { .. }))
            && self.embedder.embed(&[""], &AtomicBool::new(false)).is_ok()
    }

    /// Returns the problem to record for a note that failed repeatedly.
    pub(super) fn skipped(
        &self,
        folder: FolderId,
        path: &str,
        error: &IndexerError,
    ) -> StoredProblem {
        let message = format!("skipped after {TRIES_MAX} failed attempts: {error}");
        self.problem(folder, path.to_owned(), None, message, Severity::Error)
    }

    /// Returns whether it is already recorded that this note was skipped for this reason; one more attempt is then
    /// enough.
    pub(super) fn is_skipped(&mut self, problem: &StoredProblem) -> Result<bool, IndexerError> {
        let is_known = self
            .store
            .document(problem.folder, &problem.path)?
            .is_some();
        if is_known || !self.store.is_noted(problem)? {
            return Ok(false);
        }
        self.counts.n_unreadable += 1;
        // Drops pending events about the note, except the one that it was skipped.
        self.happened.retain(|one| {
            one.what == Happening::Skipped
                || (one.folder, &one.path) != (problem.folder, &problem.path)
        });
        Ok(true)
    }

    /// Counts a failure of the note itself. After the last attempt, records it in place of what the library has of it.
    /// Returns whether that was the last.
    pub(super) fn fail_once(&mut self, problem: StoredProblem) -> bool {
        let is_last = self.tries.fail(problem.folder, &problem.path);
        if is_last {
            self.happened
                .retain(|one| (one.folder, &one.path) != (problem.folder, &problem.path));
            self.fail(problem);
        }
        is_last
    }
}
