//! Results computed from past questions: in memory only, and dropped when questions are forgotten.

use std::sync::Arc;

use memlens_library::{FeatureState, Library};
use memlens_wire::{JobKind, LostAnswers};
use parking_lot::Mutex;

use super::Replayed;

/// Results computed from past questions. Work that began before they were forgotten stores nothing.
#[derive(Default)]
pub struct WorkedOut(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    era: Era,
    replayed: Option<Arc<Replayed>>,
    /// Answers lost by the last edit.
    lost: Option<LostAnswers>,
}

/// Counter of how often past questions were forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Era(u64);

impl FeatureState for WorkedOut {}

impl WorkedOut {
    /// Era in which work begins; read before its questions.
    pub fn era(&self) -> Era {
        self.0.lock().era
    }

    /// The last replay; `None` before the first one.
    pub(crate) fn replayed(&self) -> Option<Arc<Replayed>> {
        self.0.lock().replayed.clone()
    }

    /// Answers lost by the last edit; `None` if no answer was lost.
    pub fn lost(&self) -> Option<LostAnswers> {
        self.0.lock().lost.clone()
    }

    /// Stores a replay that began in an era.
    pub(crate) fn keep_replay(&self, began: Era, replayed: Replayed) {
        self.during(began, |kept| kept.replayed = Some(Arc::new(replayed)));
    }

    /// Stores the answers lost by an edit, as reported by a check that began in an era, and then calls `report`; does
    /// neither if the era is over. The era cannot end during the call.
    pub fn keep_lost(&self, began: Era, lost: LostAnswers, report: impl FnOnce()) {
        self.during(began, |kept| {
            kept.lost = Some(lost);
            report();
        });
    }

    /// Stores a result elsewhere, of work that began in an era; the era cannot end during the call.
    pub fn keep_beside(&self, began: Era, keep: impl FnOnce()) {
        self.during(began, |_| keep());
    }

    fn during(&self, began: Era, keep: impl FnOnce(&mut Kept)) {
        let mut kept = self.0.lock();
        if kept.era == began {
            keep(&mut kept);
        }
    }

    fn forget(&self) {
        let mut kept = self.0.lock();
        *kept = Kept {
            era: Era(kept.era.0 + 1),
            ..Kept::default()
        };
    }
}

/// What was computed from the past questions of a library.
pub fn worked_out(library: &Library) -> Arc<WorkedOut> {
    library.feature()
}

/// Drops what was computed from past questions, after they were forgotten. A running replay is stopped.
pub fn forget_worked_out(library: &Library) {
    worked_out(library).forget();
    library.stop(JobKind::Replay);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use memlens_wire::ReplaySummary;

    fn replayed() -> Replayed {
        Replayed {
            summary: ReplaySummary {
                at_ms: 0.0,
                took_ms: 0.0,
                by: None,
                n_questions: 0,
                n_compared: 0,
                n_changed: 0,
                n_found_nothing: 0,
                n_notes: 0,
                never_found: Vec::new(),
                n_never_found: 0,
                answers_most: Vec::new(),
                notices: Vec::new(),
            },
            questions: std::collections::HashMap::new(),
        }
    }

    fn lost() -> LostAnswers {
        LostAnswers {
            at_ms: 0.0,
            sentence: String::new(),
            edited: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn work_that_began_before_all_was_forgotten_keeps_nothing() {
        let kept = WorkedOut::default();
        let began = kept.era();
        kept.keep_replay(began, replayed());
        let n_calls = Cell::new(0);
        let report = || n_calls.set(n_calls.get() + 1);
        kept.keep_lost(began, lost(), report);
        assert_eq!(n_calls.get(), 1);
        assert!(kept.replayed().is_some() && kept.lost().is_some());
        kept.forget();
        assert!(kept.replayed().is_none() && kept.lost().is_none());
        kept.keep_replay(began, replayed());
        kept.keep_lost(began, lost(), report);
        assert_eq!(n_calls.get(), 1);
        assert!(kept.replayed().is_none() && kept.lost().is_none());
    }
}
