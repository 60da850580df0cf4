//! The lists beside the store: kept in step with it, built anew where they are not, and rid of what nothing uses.

use memlens_store::{Applied, EmbeddingId, Forgetting, Rested, Unrest};

use super::{Indexer, Observer};
use crate::IndexerError;
use crate::derived::{Derived, Opened};

/// What nothing uses is counted anew once one in so many documents was removed or replaced: that reads the whole snapshot.
const COUNTED_SHARE: u64 = 32;
/// Fewer embeddings that nothing uses are not worth the work of forgetting them: 1.5 MB.
const UNUSED_MIN: u64 = 1024;
/// A library whose database has no more bytes comes to rest within about a second.
const QUICK_BYTES: u64 = 64 << 20;

impl Indexer {
    /// Brings the lists to what the store has applied.
    pub(super) fn follow(
        &mut self,
        applied: &Applied,
        embeddings: Vec<EmbeddingId>,
    ) -> Result<(), IndexerError> {
        if let Some(n_removed) = &mut self.n_removed {
            *n_removed += applied.removed.len() as u64;
        }
        // Writers that failed half way are dropped; opening them anew rebuilds what is out of step.
        let Some(mut derived) = self.derived.take() else {
            return self.open_lists();
        };
        derived.follow(&self.store, applied, embeddings)?;
        self.derived = Some(derived);
        Ok(())
    }

    /// Builds the lists anew if they could not be written the last time.
    pub(super) fn mend_lists(&mut self, observer: &mut dyn Observer) -> Result<(), IndexerError> {
        if self.derived.is_some() {
            return Ok(());
        }
        self.open_lists()?;
        // What had been saved by then and is found from now on.
        if self.pending.is_empty() {
            self.tell(observer)?;
        }
        Ok(())
    }

    /// Forgets embeddings that nothing uses, where they are more than those that are used: half of them in the store,
    /// where they wait for their notes to come back, and all of them in the vector list, where each costs every search
    /// time. Returns whether there was anything to do.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`].
    pub fn compact(&mut self) -> Result<bool, IndexerError> {
        if let Some(n_removed) = self.n_removed
            && n_removed * COUNTED_SHARE < self.store.n_documents()?.max(1)
        {
            return Ok(false);
        }
        let (n_used, n_unused) = self.store.n_used_and_unused()?;
        let is_too_much = |n_unused: u64| n_unused > n_used.max(UNUSED_MIN);
        let is_store = is_too_much(n_unused);
        if is_store {
            self.store.forget_unused(n_used / 2)?;
        }
        let Some(derived) = &self.derived else {
            return Ok(is_store);
        };
        let is_list = is_too_much(derived.n_rows().saturating_sub(n_used));
        if is_list {
            // A new generation, so that readers let go of the old rows.
            let generation = self.store.raise_generation()?;
            let derived = self.derived.take().expect("it was just looked at");
            let info = self.embedder.info();
            self.derived =
                Some(derived.compacted(&self.store, (&info.id, info.dim), generation)?);
        }
        // Only now: what failed is tried again.
        self.n_removed = Some(0);
        Ok(is_store || is_list)
    }

    /// Saves what opening the library takes longest to read, where much of it has changed.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    pub fn save_snapshot(&mut self) -> Result<(), IndexerError> {
        Ok(self.store.save_snapshot()?)
    }

    /// Removes what was forgotten from all files of the library, and keeps what the user made in its own file. Does nothing while
    /// there is work: it would have to be done again.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`]; it is to be tried again then.
    pub fn come_to_rest(&mut self) -> Result<Rested, IndexerError> {
        if self.is_busy() {
            return Ok(Rested::Later);
        }
        if self.store.forgetting()? == Forgetting::Due {
            if let Some(derived) = &mut self.derived {
                derived.forget_deleted()?;
            }
            // Headings and names of notes.
            self.store.replace_saved_snapshot()?;
        }
        Ok(self.store.come_to_rest(true)?)
    }

    /// What changed since the library last came to rest; `None` if nothing did.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    pub(crate) fn unrest(&mut self) -> Result<Option<Unrest>, IndexerError> {
        Ok(self.store.unrest()?)
    }

    /// Brings the library to rest before it is closed, if that is quick.
    ///
    /// # Errors
    /// As [`Indexer::come_to_rest`].
    pub(crate) fn rest_at_end(&mut self) -> Result<(), IndexerError> {
        let is_small = memlens_store::n_bytes(self.store.dir()) <= QUICK_BYTES;
        if is_small && self.store.unrest()?.is_some() {
            self.come_to_rest()?;
        }
        Ok(())
    }

    /// Opens the lists; what is torn or out of step is built anew.
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
            self.read_anew(forgotten);
        }
        Ok(())
    }
}
