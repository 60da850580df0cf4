//! A thread that compares all observations soon after a change, but not too often.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_library::EngineError;
use parking_lot::{Condvar, Mutex};

#[derive(Default)]
struct Wishes {
    has_changed: bool,
    is_stopped: bool,
}

/// Wakes the thread; it sleeps while nothing changes.
#[derive(Default)]
pub struct Alarm {
    wishes: Mutex<Wishes>,
    rung: Condvar,
}

impl Alarm {
    /// Wakes the aggregator after a change.
    pub fn ring(&self) {
        self.wishes.lock().has_changed = true;
        self.rung.notify_all();
    }

    fn stop(&self) {
        self.wishes.lock().is_stopped = true;
        self.rung.notify_all();
    }

    /// Waits until something has changed and `not_before` has passed; returns false when the thread should end.
    fn wait(&self, not_before: Option<Instant>) -> bool {
        let mut wishes = self.wishes.lock();
        while !wishes.is_stopped {
            let left = not_before.map_or(Duration::ZERO, |moment| {
                moment.saturating_duration_since(Instant::now())
            });
            if !wishes.has_changed {
                self.rung.wait(&mut wishes);
            } else if left.is_zero() {
                wishes.has_changed = false;
                return true;
            } else {
                self.rung.wait_for(&mut wishes, left);
            }
        }
        false
    }
}

/// How often a pass in progress is asked to stop while the thread ends.
const INTERRUPT_EVERY: Duration = Duration::from_millis(10);

/// The thread; ends it when dropped.
pub struct Aggregator {
    alarm: Arc<Alarm>,
    /// Asks a pass in progress to stop.
    interrupt: Box<dyn Fn() + Send + Sync>,
    thread: Option<JoinHandle<()>>,
}

impl Aggregator {
    /// Starts a thread that does `pass` whenever the alarm has rung, and rests for `interval` between
    /// two passes. `interrupt` asks a pass in progress to stop; it is called when the thread should end.
    ///
    /// # Errors
    /// [`EngineError::System`] when no thread can be started.
    pub fn start(
        alarm: Arc<Alarm>,
        interval: Duration,
        interrupt: impl Fn() + Send + Sync + 'static,
        pass: impl Fn() + Send + 'static,
    ) -> Result<Aggregator, EngineError> {
        let of_thread = alarm.clone();
        let thread = std::thread::Builder::new()
            .name("memlens-aggregator".to_owned())
            .spawn(move || {
                memlens_embed::lower_priority();
                let mut not_before = None;
                while of_thread.wait(not_before) {
                    pass();
                    not_before = Some(Instant::now() + interval);
                }
            })
            .map_err(|error| EngineError::System {
                attempt: "start the aggregation thread",
                why: error.to_string(),
            })?;
        Ok(Aggregator {
            alarm,
            interrupt: Box::new(interrupt),
            thread: Some(thread),
        })
    }
}

impl Drop for Aggregator {
    fn drop(&mut self) {
        self.alarm.stop();
        if let Some(thread) = self.thread.take() {
            // A pass may begin just after the first request.
            while !thread.is_finished() {
                (self.interrupt)();
                std::thread::sleep(INTERRUPT_EVERY);
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

    /// Far longer than anything here takes.
    const AT_MOST: Duration = Duration::from_secs(60);

    #[test]
    fn it_passes_at_once_after_the_first_ring_and_rests_then() {
        let alarm = Arc::new(Alarm::default());
        let (passed, passes) = mpsc::channel();
        let pass = move || {
            let _ = passed.send(());
        };
        let aggregator = Aggregator::start(alarm.clone(), AT_MOST, || {}, pass)
            .expect("a thread can be started");
        alarm.ring();
        assert_eq!(passes.recv_timeout(AT_MOST), Ok(()));
        alarm.ring();
        alarm.ring();
        drop(aggregator);
        // It was resting, and ended without another pass.
        assert_eq!(passes.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }

    #[test]
    fn a_pass_in_progress_is_interrupted_at_the_end() {
        let alarm = Arc::new(Alarm::default());
        let (began, begins) = mpsc::channel();
        let (interrupted, interrupts) = mpsc::channel();
        let interrupt = move || {
            let _ = interrupted.send(());
        };
        let pass = move || {
            let _ = began.send(());
            assert_eq!(interrupts.recv_timeout(AT_MOST), Ok(()));
        };
        let aggregator = Aggregator::start(alarm.clone(), AT_MOST, interrupt, pass)
            .expect("a thread can be started");
        alarm.ring();
        assert_eq!(begins.recv_timeout(AT_MOST), Ok(()));
        drop(aggregator);
    }

    #[test]
    fn what_rings_while_it_rests_is_done_after_it() {
        let alarm = Arc::new(Alarm::default());
        let (passed, passes) = mpsc::channel();
        let pass = move || {
            let _ = passed.send(());
        };
        let _aggregator = Aggregator::start(alarm.clone(), Duration::from_millis(20), || {}, pass)
            .expect("a thread can be started");
        for _ in 0..3 {
            alarm.ring();
            assert_eq!(passes.recv_timeout(AT_MOST), Ok(()));
        }
    }
}
