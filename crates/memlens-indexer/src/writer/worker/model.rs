//! Changing the model while there is no other work.

use std::time::{Duration, Instant};

use super::Worker;
use super::reporter::Reporter;
use crate::indexer::{ChangeStep, Indexer};

/// The first wait after a failed attempt; each later one is twice as long as the one before.
const RETRY_MIN: Duration = Duration::from_secs(1);
/// The longest wait, for example for room on a full disk.
const RETRY_MAX: Duration = Duration::from_secs(30);
/// How long to wait before notes that could not be read are read again.
const UNREADABLE_WAIT: Duration = Duration::from_secs(5);

/// When a change that cannot go on is tried again.
pub(super) struct Again {
    at: Instant,
    wait: Duration,
    /// Number of texts that were embedded when it stopped.
    n_done: u32,
}

impl Again {
    fn after(wait: Duration, indexer: &Indexer) -> Again {
        Again {
            at: Instant::now() + wait,
            wait,
            n_done: n_done(indexer),
        }
    }
}

fn n_done(indexer: &Indexer) -> u32 {
    indexer.model_changing().map_or(0, |it| it.n_done)
}

impl Worker {
    /// Begins to embed all notes by the model that the user chose, or ends that if it is the one in use.
    pub(super) fn take_up_model(&mut self, indexer: &mut Indexer) {
        self.change_again = None;
        let failed = match self.shared.session.changed_model(indexer.model()) {
            Ok(Some(embedder)) => {
                indexer.change_model(embedder);
                None
            }
            Ok(None) => {
                indexer.cancel_change();
                None
            }
            Err(error) => {
                tracing::error!(%error, "cannot change the model");
                indexer.cancel_change();
                Some(error.to_string())
            }
        };
        self.note_change(indexer, failed);
    }

    /// Does one step of a change of the model, if one is in progress and due. Returns whether it did anything. A failure does
    /// not keep notes from being indexed by the model in use.
    pub(super) fn change_model(&mut self, indexer: &mut Indexer) -> bool {
        if self
            .change_again
            .as_ref()
            .is_some_and(|again| Instant::now() < again.at)
        {
            return false;
        }
        let shared = self.shared.clone();
        let step = {
            let mut reporter = Reporter::new(self, &shared);
            indexer.change_step(&shared.interrupt, &mut reporter)
        };
        match step {
            Ok(ChangeStep::None) => false,
            Ok(ChangeStep::More) => {
                let is_working = |again: &mut Again| n_done(indexer) > again.n_done;
                if self.change_again.take_if(is_working).is_some() {
                    self.note_change(indexer, None);
                }
                true
            }
            Ok(ChangeStep::Waiting) => {
                self.change_again = Some(Again::after(UNREADABLE_WAIT, indexer));
                self.note_change(indexer, None);
                false
            }
            Ok(ChangeStep::Taken) => {
                self.change_again = None;
                self.shared.refresh();
                self.note_change(indexer, None);
                true
            }
            Err(error) => {
                tracing::error!(%error, "changing the model failed");
                let before = self.change_again.take();
                let wait = before.map_or(RETRY_MIN, |again| (again.wait * 2).min(RETRY_MAX));
                self.change_again = Some(Again::after(wait, indexer));
                self.note_damage(&error);
                self.note_change(indexer, Some(error.to_string()));
                false
            }
        }
    }

    fn note_change(&self, indexer: &Indexer, failed: Option<String>) {
        {
            let mut work = self.shared.work();
            work.changing = indexer.model_changing();
            work.change_failed = failed;
        }
        self.shared.report_state();
    }
}
