//! Saves in batches what was read, and reports it once it can be found.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use memlens_store::{Change, EmbeddingId};

use super::happened::{Happened, activities};
use super::{Indexer, Observer};
use crate::IndexerError;

mod apart;

use apart::Apart;

/// Maximum time, and maximum number of chunks, until documents are saved.
pub(super) const COMMIT_AFTER: Duration = Duration::from_millis(1200);
const COMMIT_CHUNKS: usize = 256;
/// Maximum number of changes until they are saved.
const COMMIT_CHANGES: usize = 1024;
/// Saving takes time in a large library; the pause until the next save is at least this many times as long.
const COMMIT_REST: u32 = 3;

/// Loading saved changes costs readers time that grows with the library. While there is more to do, the pause until
/// they are notified again is at least this many times as long.
const PUBLISH_REST: u32 = 25;

impl Indexer {
    pub(super) fn pend(&mut self, change: Change, n_chunks: usize) {
        self.pending.push(change);
        self.pending_chunks += n_chunks;
        self.pending_since.get_or_insert_with(Instant::now);
    }

    /// Returns whether the pending changes have waited long enough or are many.
    pub(super) fn is_commit_due(&self) -> bool {
        let is_time = self
            .pending_since
            .is_some_and(|since| since.elapsed() >= self.commit_after);
        is_time || self.pending_chunks >= COMMIT_CHUNKS || self.pending.len() >= COMMIT_CHANGES
    }

    /// Saves what was read so far, so that it can be found, without waiting for more.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`]; what could not be saved stays pending.
    pub fn save(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        self.commit(observer)
            .map_err(|error| error.at(self.store.dir()))
    }

    /// Saves the pending changes, updates the lists, and notifies the observer.
    pub(super) fn commit(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        let committed = self.try_commit(observer);
        if committed.is_err() && !self.pending.is_empty() {
            // Stays due, after at most one more note.
            self.pending_since.get_or_insert_with(Instant::now);
            self.commit_after = Duration::ZERO;
        }
        committed
    }

    /// Notifies the observer of what can be searched now.
    pub(super) fn publish(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        let folders = self.store.folders()?;
        let started = Instant::now();
        observer.committed(&activities(std::mem::take(&mut self.happened), &folders));
        self.publish_from = Some(Instant::now() + started.elapsed() * PUBLISH_REST);
        self.is_unreported = false;
        Ok(())
    }

    /// Returns whether readers have had enough time since the last notification, or this is the last one.
    fn is_publish_due(&self) -> bool {
        self.jobs.is_empty() || self.publish_from.is_none_or(|from| Instant::now() >= from)
    }

    fn try_commit(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        self.pending_since = None;
        self.pending_chunks = 0;
        let changes = std::mem::take(&mut self.pending);
        if changes.is_empty() {
            return if self.is_unreported {
                self.publish(observer)
            } else {
                Ok(())
            };
        }
        let done = match self.store.apply(&changes) {
            Ok(applied) => {
                self.is_stuck = false;
                self.tries.saved(n_puts(&changes));
                Apart {
                    applied,
                    changes,
                    failed: HashSet::new(),
                    error: None,
                }
            }
            Err(error) => self.apply_apart(changes, error)?,
        };
        let started = Instant::now();
        self.is_unreported = true;
        self.follow(&done.applied, embeddings_of(&done.changes))?;
        // Events of failed changes are kept for later instead of being reported.
        if !done.failed.is_empty() || self.is_publish_due() {
            let is_later =
                |one: &mut Happened| done.failed.contains(&(one.folder, one.path.clone()));
            let later = self.happened.extract_if(.., is_later).collect::<Vec<_>>();
            let notified = self.publish(observer);
            self.happened.extend(later);
            notified?;
        }
        self.commit_after = COMMIT_AFTER.max(started.elapsed() * COMMIT_REST);
        done.error.map_or(Ok(()), Err)
    }
}

/// Returns the number of documents that the changes add or replace.
fn n_puts(changes: &[Change]) -> u64 {
    let puts = changes
        .iter()
        .filter(|change| matches!(change, Change::Put(_)));
    puts.count() as u64
}

fn embeddings_of(changes: &[Change]) -> Vec<EmbeddingId> {
    changes
        .iter()
        .filter_map(|change| {
            if let Change::Put(document) = change {
                Some(document)
            } else {
                None
            }
        })
        .flat_map(|document| &document.chunks)
        .flat_map(|chunk| {
            std::iter::once(chunk.embedding)
                .chain(chunk.windows.iter().map(|window| window.embedding))
        })
        .collect()
}
