//! Maintains the lists beside the store: keeps them up to date, rebuilds them if needed, and removes unused entries.

use memlens_store::{Applied, EmbeddingId, Forgetting, Rested, Unrest};

use super::{Indexer, Observer};
use crate::IndexerError;
use crate::derived::{Derived, Opened};

/// Unused embeddings are counted again once one in this many documents was removed or replaced, because counting reads
/// the whole snapshot.
const COUNTED_SHARE: u64 = 32;
/// With fewer unused embeddings than this (1.5 MB), removing them is not worth the work.
const UNUSED_MIN: u64 = 1024;
/// A library whose database is at most this large can be cleaned up within about a second.
const QUICK_BYTES: u64 = 64 << 20;

impl Indexer {
    /// Brings the lists up to date with what the store has applied.
    pub(super) fn follow(
        &mut self,
        applied: &Applied,
        embeddings: Vec<EmbeddingId>,
    ) -> Result<(), IndexerError> {
        if let Some(n_removed) = &mut self.n_removed {
            *n_removed += applied.removed.len() as u64;
        }
        // Writers that failed half way are dropped; opening them again rebuilds what is out of date.
        let Some(mut derived) = self.derived.take() else {
            return self.open_lists();
        };
        derived.follow(&self.store, applied, embeddings)?;
        self.derived = Some(derived);
        Ok(())
    }

    /// Reopens the lists, rebuilding what is damaged, if they could not be written the last time.
    pub(super) fn repair_lists(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        if self.derived.is_some() {
            return Ok(());
        }
        self.open_lists()?;
        // Reports what had been saved by then and can be found from now on.
        if self.pending.is_empty() {
            self.publish(observer)?;
        }
        Ok(())
    }

    /// Removes unused embeddings if they outnumber the used ones: from the store the surplus above half the number of
    /// used ones, because their notes may come back, and from the vector list all, because each slows down every
    /// search. Returns whether there was anything to do.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`].
    pub fn compact(&mut self) -> Result<bool, IndexerError> {
        if let Some(n_removed) = self.n_removed
            && n_removed * COUNTED_SHARE < self.store.n_documents()?.max(1)
        {
            return Ok(false);
        }
        let (n_used, n_unused) = self.store.n_used_and_unused(&self.embedder.info().id)?;
        let is_too_much = |n_unused: u64| n_unused > n_used.max(UNUSED_MIN);
        let is_store = is_too_much(n_unused);
        if is_store {
            self.store
                .forget_unused(&self.embedder.info().id, n_used / 2)?;
        }
        let Some(derived) = &self.derived else {
            return Ok(is_store);
        };
        let is_list = is_too_much(derived.n_rows().saturating_sub(n_used));
        if is_list {
            // Uses a new generation, so that readers release the old rows.
            let generation = self.store.raise_generation()?;
            let derived = self.derived.take().expect("it was just looked at");
            let info = self.embedder.info();
            self.derived =
                Some(derived.compacted(&self.store, (&info.id, info.dim), generation)?);
        }
        // Only set now, so that a failure is retried.
        self.n_removed = Some(0);
        Ok(is_store || is_list)
    }

    /// Saves a snapshot of the data that takes longest to read when the library is opened, if much of it has changed.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    pub fn save_snapshot(&mut self) -> Result<(), IndexerError> {
        Ok(self.store.save_snapshot()?)
    }

    /// Removes deleted content from all files of the library, and saves what the user made in its own file. Does
    /// nothing while there is work, because it would have to be repeated.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`]; call it again later.
    pub fn come_to_rest(&mut self) -> Result<Rested, IndexerError> {
        if self.is_busy() {
            return Ok(Rested::Later);
        }
        if self.store.forgetting()? == Forgetting::Due {
            if let Some(derived) = &mut self.derived {
                derived.forget_deleted()?;
            }
            // The saved snapshot holds headings and names of notes.
            self.store.replace_saved_snapshot()?;
        }
        Ok(self.store.come_to_rest(true)?)
    }

    /// Returns what changed since [`Indexer::come_to_rest`] last succeeded; `None` if nothing did.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    pub(crate) fn unrest(&mut self) -> Result<Option<Unrest>, IndexerError> {
        Ok(self.store.unrest()?)
    }

    /// Calls [`Indexer::come_to_rest`] before the library is closed, if that is quick.
    ///
    /// # Errors
    /// Like [`Indexer::come_to_rest`].
    pub(crate) fn rest_at_end(&mut self) -> Result<(), IndexerError> {
        let is_small = memlens_store::n_bytes(self.store.dir()) <= QUICK_BYTES;
        if is_small && self.store.unrest()?.is_some() {
            self.come_to_rest()?;
        }
        Ok(())
    }

    /// Opens the lists, rebuilding those that are torn or out of date.
    pub(super) fn open_lists(&mut self) -> Result<(), IndexerError> {
        let info = self.embedder.info();
        let Opened {
            derived,
            notices,
            forgotten,
        } = Derived::open(&mut self.store, &info.id, info.dim)?;
        self.derived = Some(derived);
        self.notices.extend(notices);
        if let Some(forgotten) = forgotten {
            self.queue_again(forgotten);
        }
        Ok(())
    }
}
