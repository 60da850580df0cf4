//! What the thread does while there is no work: it verifies what was saved, and cleans up.

use std::time::{Duration, Instant};

use memlens_index::IndexError;
use memlens_store::{Rested, StoreError};

use super::super::checker::Checker;
use super::{CHECK_EVERY, Check, REST_AGAIN_AFTER, TIDY_AFTER, Worker};
use crate::IndexerError;
use crate::indexer::Indexer;

/// Returns whether the error means damage, rather than a full disk or the like.
fn is_damage(error: &IndexerError) -> bool {
    let may_be_damaged =
        |error: &IndexError| error.needs_rebuild() || matches!(error, IndexError::Text { .. });
    matches!(error, IndexerError::Store(StoreError::Damaged { .. }))
        || matches!(error, IndexerError::Index(error) if may_be_damaged(error))
}

impl Worker {
    /// Compares the library with what was saved, once, in another thread, because it takes a minute for a million
    /// chunks. Returns whether that is finished.
    pub(super) fn verify(
        &mut self,
        indexer: &Indexer,
        is_paused: bool,
    ) -> Result<bool, IndexerError> {
        match &mut self.check {
            Check::Later if !is_paused => {
                let checker = Checker::start(&self.shared.dir, indexer.dim());
                self.check = Check::Running(checker.map_err(|error| IndexerError::System {
                    attempt: "start to check the library",
                    why: error.to_string(),
                })?);
            }
            Check::Running(checker) => {
                self.check = match checker.found() {
                    None => return Ok(false),
                    Some(Ok(true)) => Check::Done,
                    Some(Ok(false)) => Check::Damaged,
                    Some(Err(error)) if is_damage(&error) => Check::Damaged,
                    // What cannot be read now is verified when it is read.
                    Some(Err(error)) => {
                        tracing::warn!(%error, "cannot check the library");
                        Check::Done
                    }
                };
            }
            Check::Later | Check::Damaged | Check::Done => {}
        }
        Ok(matches!(self.check, Check::Done))
    }

    /// Requests a repair before anything is retried, if the error means damage.
    pub(super) fn note_damage(&mut self, error: &IndexerError) {
        if is_damage(error) && !matches!(self.check, Check::Done) {
            self.check = Check::Damaged;
        }
    }

    /// Cleans up the library once the thread has been idle for a while.
    pub(super) fn tidy(&mut self, indexer: &mut Indexer) -> Result<(), IndexerError> {
        if indexer.is_busy() {
            return Ok(());
        }
        let idle_since = *self.idle_since.get_or_insert_with(Instant::now);
        // Once, until there was work again.
        if self.is_tidy || idle_since.elapsed() < TIDY_AFTER {
            return Ok(());
        }
        self.is_tidy = true;
        indexer.rest();
        indexer.save_snapshot()?;
        if indexer.compact()? {
            self.refresh();
        }
        Ok(())
    }

    /// Calls `come_to_rest` once nothing has changed for a while. Failures are retried later; nothing waits for it.
    pub(super) fn come_to_rest(&mut self, indexer: &mut Indexer) {
        let again = |wait: Duration| Instant::now() + wait;
        let unrest = match indexer.unrest() {
            Ok(unrest) => unrest,
            Err(error) => {
                tracing::warn!(%error, "cannot tell whether the library is at rest");
                return;
            }
        };
        let Some(unrest) = unrest else {
            self.unrest = None;
            return;
        };
        match self.unrest {
            Some((known, at)) if known == unrest => {
                if Instant::now() < at {
                    return;
                }
            }
            Some(_) | None => {
                self.unrest = Some((unrest, again(TIDY_AFTER)));
                return;
            }
        }
        self.unrest = match indexer.come_to_rest() {
            Ok(Rested::Fully) => None,
            // The reader is usually done in a moment.
            Ok(Rested::Held) => Some((unrest, again(CHECK_EVERY))),
            Ok(Rested::Later) => Some((unrest, again(REST_AGAIN_AFTER))),
            Err(error) => {
                tracing::warn!(%error, "the library did not come to rest");
                Some((unrest, again(REST_AGAIN_AFTER)))
            }
        };
    }
}
