//! The thread that reads new entries of agents' logs, and checks past questions when notes change.
//!
//! It works while the program is idle: one thread of low priority, never during a user's search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_library::EngineError;
use parking_lot::{Condvar, Mutex};

/// Interval between scans of the logs.
const LOGS_EVERY: Duration = Duration::from_secs(30);
/// Interval at which calls that servers answered are looked for, which asks the system whether one file is there.
const CALLS_EVERY: Duration = Duration::from_secs(1);
/// Delay of a check after a change, so that a burst of saves is checked once.
const AFTER_CHANGE: Duration = Duration::from_millis(500);
/// Time without a user's search before the thread works.
const QUIET: Duration = Duration::from_millis(800);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Signals for the thread; any thread may send them.
#[derive(Default)]
pub(crate) struct PastBell {
    wishes: Mutex<Wishes>,
    rung: Condvar,
    is_stopped: AtomicBool,
}

#[derive(Default)]
struct Wishes {
    has_changed: bool,
    person_at: Option<Instant>,
}

/// What the thread should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Notes changed, so past questions are checked.
    Check,
    /// The logs may have grown.
    Logs,
    /// Servers may have answered calls.
    Calls,
}

impl PastBell {
    /// Wakes the thread after notes changed.
    pub fn ring(&self) {
        self.wishes.lock().has_changed = true;
        self.rung.notify_all();
    }

    /// Records that the user has just searched.
    pub fn note_request(&self) {
        self.wishes.lock().person_at = Some(Instant::now());
    }

    /// Whether the thread is to end.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Waits until no search has been made for a while; false if the thread should end.
    pub fn wait_for_quiet(&self) -> bool {
        loop {
            if self.is_stopped() {
                return false;
            }
            let person_at = self.wishes.lock().person_at;
            if person_at.is_none_or(|at| at.elapsed() >= QUIET) {
                return true;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn stop(&self) {
        // Under the lock, so that a thread that is about to wait does not miss it.
        let wishes = self.wishes.lock();
        self.is_stopped.store(true, Ordering::Relaxed);
        drop(wishes);
        self.rung.notify_all();
    }

    /// The next work once it is due; `None` if the thread should end.
    fn wait(&self, logs_at: Instant, calls_at: Instant) -> Option<Due> {
        let mut wishes = self.wishes.lock();
        loop {
            if self.is_stopped() {
                return None;
            }
            if wishes.has_changed {
                wishes.has_changed = false;
                // Further changes are checked together with it.
                let until = Instant::now() + AFTER_CHANGE;
                while !self.is_stopped() && !self.rung.wait_until(&mut wishes, until).timed_out() {}
                wishes.has_changed = false;
                return (!self.is_stopped()).then_some(Due::Check);
            }
            let until = logs_at.min(calls_at);
            if self.rung.wait_until(&mut wishes, until).timed_out() {
                let due = if logs_at <= calls_at {
                    Due::Logs
                } else {
                    Due::Calls
                };
                return (!self.is_stopped()).then_some(due);
            }
        }
    }
}

/// Handle of the thread; ends it when dropped.
pub(crate) struct PastWatch {
    bell: Arc<PastBell>,
    interrupt: Box<dyn Fn() + Send + Sync>,
    thread: Option<JoinHandle<()>>,
}

impl PastWatch {
    /// Starts the thread; `work` does what is due.
    ///
    /// # Errors
    /// [`EngineError::System`] if the system has no thread left.
    pub fn start(
        bell: Arc<PastBell>,
        interrupt: impl Fn() + Send + Sync + 'static,
        mut work: impl FnMut(Due) + Send + 'static,
    ) -> Result<PastWatch, EngineError> {
        let of_thread = bell.clone();
        let thread = std::thread::Builder::new()
            .name("memlens-past".to_owned())
            .spawn(move || {
                memlens_embed::lower_priority();
                let mut logs_at = Instant::now() + LOGS_EVERY;
                let mut calls_at = Instant::now() + CALLS_EVERY;
                while let Some(due) = of_thread.wait(logs_at, calls_at) {
                    if !of_thread.wait_for_quiet() {
                        break;
                    }
                    work(due);
                    match due {
                        Due::Check => {}
                        Due::Logs => logs_at = Instant::now() + LOGS_EVERY,
                        Due::Calls => calls_at = Instant::now() + CALLS_EVERY,
                    }
                }
            })
            .map_err(|error| EngineError::System {
                attempt: "start the thread for past questions",
                why: error.to_string(),
            })?;
        Ok(PastWatch {
            bell,
            interrupt: Box::new(interrupt),
            thread: Some(thread),
        })
    }
}

impl Drop for PastWatch {
    fn drop(&mut self) {
        self.bell.stop();
        if let Some(thread) = self.thread.take() {
            // Repeated: work that begins just now creates a new stop signal.
            while !thread.is_finished() {
                (self.interrupt)();
                std::thread::sleep(LOOK_EVERY / 10);
            }
            // A panic there has been reported by its own thread.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Far longer than any step of this test.
    const AT_MOST: Duration = Duration::from_secs(60);

    #[test]
    fn a_burst_of_changes_is_checked_once_and_the_end_is_no_work() {
        let bell = Arc::new(PastBell::default());
        let (done, works) = mpsc::channel();
        let watch = PastWatch::start(
            bell.clone(),
            || {},
            move |due| {
                // Calls are looked for all the time.
                if due != Due::Calls {
                    let _ = done.send(due);
                }
            },
        )
        .expect("a thread can be started");
        for _ in 0..3 {
            bell.ring();
        }
        assert_eq!(works.recv_timeout(AT_MOST), Ok(Due::Check));
        drop(watch);
        assert_eq!(works.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }

    #[test]
    fn nothing_is_done_while_a_person_asks() {
        let bell = PastBell::default();
        bell.note_request();
        let before = Instant::now();
        assert!(bell.wait_for_quiet());
        assert!(before.elapsed() >= QUIET - LOOK_EVERY);
        bell.note_request();
        bell.stop();
        assert!(!bell.wait_for_quiet());
    }
}
