//! Whether the writing thread works, is paused by the user, or waits after a failure.
//!
//! Properties checked: a failure ends no pause and a pause ends no failure's wait; waits grow to their limit; success
//! and the user reset them.

use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use crate::status::IndexingPhase;

/// The first wait after a failure; each later one is twice as long as the one before.
const RETRY_MIN: Duration = Duration::from_secs(1);
/// The longest wait, for example for room on a full disk.
const RETRY_MAX: Duration = Duration::from_secs(30);

/// Whether the writing thread works, is paused or has failed.
#[derive(Default)]
pub(crate) enum Phase {
    /// The thread watches the folders and does the work.
    #[default]
    Working,
    /// The user paused it: changes are noticed, unless that failed, but not processed.
    Paused(Option<Failure>),
    /// The thread failed, and does nothing until the next attempt.
    Failed(Failure),
}

/// A failure of the whole work, not of one note.
pub(crate) struct Failure {
    why: String,
    n_tries: u32,
    retry_at: Instant,
    waits: ExponentialBackoff,
}

impl Failure {
    fn first() -> Failure {
        Failure {
            why: String::new(),
            n_tries: 0,
            retry_at: Instant::now(),
            waits: ExponentialBuilder::default()
                .with_min_delay(RETRY_MIN)
                .with_max_delay(RETRY_MAX)
                .with_factor(2.0)
                .without_max_times()
                .build(),
        }
    }

    fn again(mut self, why: String, now: Instant) -> Failure {
        self.why = why;
        self.n_tries += 1;
        self.retry_at = now + self.waits.next().unwrap_or(RETRY_MAX);
        self
    }
}

impl Phase {
    /// Pauses, or continues at once.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        *self = if is_paused {
            Phase::Paused(None)
        } else {
            Phase::Working
        };
    }

    /// Records a failure, and waits for the next attempt.
    pub(crate) fn fail(&mut self, why: String, now: Instant) {
        *self = match std::mem::take(self) {
            Phase::Working => Phase::Failed(Failure::first().again(why, now)),
            Phase::Failed(failure) => Phase::Failed(failure.again(why, now)),
            Phase::Paused(failure) => {
                let failure = failure.unwrap_or_else(Failure::first);
                Phase::Paused(Some(failure.again(why, now)))
            }
        };
    }

    /// Clears a failure. Returns whether there was one.
    pub(crate) fn succeed(&mut self) -> bool {
        match self {
            Phase::Working => false,
            Phase::Paused(failure) => failure.take().is_some(),
            Phase::Failed(_) => {
                *self = Phase::Working;
                true
            }
        }
    }

    /// Returns whether the user paused the work.
    pub(crate) fn is_paused(&self) -> bool {
        matches!(self, Phase::Paused(_))
    }

    /// Returns when the next attempt is; `None` if nothing failed.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.failure().map(|failure| failure.retry_at)
    }

    /// Returns why the work failed; `None` if it did not, or is paused.
    pub(crate) fn why(&self) -> Option<&str> {
        match self {
            Phase::Failed(failure) => Some(&failure.why),
            Phase::Working | Phase::Paused(_) => None,
        }
    }

    /// Returns the phase as the window shows it.
    pub(crate) fn to_view(&self, now: Instant) -> IndexingPhase {
        match self {
            Phase::Working => IndexingPhase::Working,
            Phase::Paused(_) => IndexingPhase::Paused,
            Phase::Failed(failure) => {
                let wait = failure.retry_at.saturating_duration_since(now);
                IndexingPhase::Failed {
                    why: failure.why.clone(),
                    n_tries: failure.n_tries,
                    retry_s: wait.as_secs_f64().ceil() as u32,
                }
            }
        }
    }

    fn failure(&self) -> Option<&Failure> {
        match self {
            Phase::Working => None,
            Phase::Paused(failure) => failure.as_ref(),
            Phase::Failed(failure) => Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(phase: &mut Phase, now: Instant) -> u64 {
        phase.fail("the disk is full".to_owned(), now);
        let wait = phase.retry_at().expect("it has failed") - now;
        wait.as_secs()
    }

    #[test]
    fn waits_grow_to_their_limit_and_restart() {
        let now = Instant::now();
        let mut phase = Phase::default();
        let waits: Vec<u64> = (0..7).map(|_| fail(&mut phase, now)).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(
            phase.to_view(now),
            IndexingPhase::Failed {
                why: "the disk is full".to_owned(),
                n_tries: 7,
                retry_s: 30
            }
        );
        assert!(phase.succeed() && !phase.succeed());
        assert_eq!(
            (phase.to_view(now), fail(&mut phase, now)),
            (IndexingPhase::Working, 1)
        );
        // The user requests an attempt at once.
        phase.pause(false);
        assert_eq!(
            (phase.to_view(now), phase.retry_at()),
            (IndexingPhase::Working, None)
        );
    }

    #[test]
    fn only_the_person_ends_a_pause() {
        let now = Instant::now();
        let mut phase = Phase::default();
        fail(&mut phase, now);
        phase.pause(true);
        assert_eq!(
            (phase.to_view(now), phase.retry_at()),
            (IndexingPhase::Paused, None)
        );
        assert_eq!((fail(&mut phase, now), fail(&mut phase, now)), (1, 2));
        assert_eq!(
            (phase.to_view(now), phase.why()),
            (IndexingPhase::Paused, None)
        );
        assert!(phase.succeed() && phase.is_paused());
        phase.pause(false);
        assert_eq!(phase.to_view(now), IndexingPhase::Working);
    }
}
