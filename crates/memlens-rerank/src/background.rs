//! Runs slow construction and use of a value in its own thread, so that callers can stop waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::{Limits, RerankError};

/// A value that is constructed, used and dropped in its own thread, one call after the other.
///
/// A caller that gives up returns at once. What is being constructed then is finished and kept for the next call. If
/// construction failed, the next call gets that error before another attempt is made.
pub struct Background<T, E> {
    /// Time without a call after which the value is dropped, to free its memory.
    rest_after: Duration,
    /// `None` before the first call.
    worker: Mutex<Option<Worker<T, E>>>,
}

struct Worker<T, E> {
    jobs: Sender<Job<T, E>>,
    is_making: Arc<AtomicBool>,
}

/// One call, as the thread runs it.
type Job<T, E> = Box<dyn FnOnce(&mut Held<T, E>) + Send>;

/// The state of the thread; at most one of both values is set.
struct Held<T, E> {
    made: Option<Made<T>>,
    /// Why construction failed, until that is reported.
    failed: Option<Made<E>>,
    is_making: Arc<AtomicBool>,
}

struct Made<T> {
    choice: String,
    it: T,
}

impl<T, E> Background<T, E>
where
    T: 'static,
    E: From<RerankError> + Send + 'static,
{
    /// Returns an empty value, without a thread before the first call.
    pub fn new(rest_after: Duration) -> Background<T, E> {
        Background {
            rest_after,
            worker: Mutex::new(None),
        }
    }

    /// Runs `work` with the result of `make`, or with the existing value if that was made for the same `choice`.
    ///
    /// `unready` is the reason of the error if the time is over before construction is done.
    ///
    /// # Errors
    /// Those of `make` and `work`; [`RerankError::Cancelled`], [`RerankError::Timeout`] or [`RerankError::Unready`] as
    /// soon as one is due, [`RerankError::Fault`] if either panics, [`RerankError::Thread`] if no thread can be
    /// started.
    pub fn run<A: Send + 'static>(
        &self,
        choice: String,
        unready: &'static str,
        limits: &Limits,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
        work: impl FnOnce(&mut T) -> Result<A, E> + Send + 'static,
    ) -> Result<A, E> {
        limits.check()?;
        let (reply, answer) = oneshot::channel();
        let bounds = limits.clone();
        let is_making = self.give(Box::new(move |held| {
            // The caller has given up, so nothing is constructed.
            if bounds.cancel.is_cancelled() {
                return;
            }
            held.make(choice, make);
            if reply.is_closed() {
                return;
            }
            let answer = held
                .take()
                .and_then(|made| bounds.check().map_err(E::from).and_then(|()| work(made)));
            // The caller may have given up.
            let _ = reply.send(answer);
        }))?;
        match limits.wait(answer) {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(RerankError::Fault.into()),
            Err(RerankError::Timeout) if is_making.load(Ordering::Relaxed) => {
                Err(RerankError::Unready { why: unready }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Drops the value once it is not in use, and waits for that. A value under construction is dropped when it is
    /// done, without waiting. Cancel waiting calls before.
    pub fn forget(&self) {
        let (done, gone) = channel::<()>();
        let job: Job<T, E> = Box::new(move |held| {
            held.clear();
            drop(done);
        });
        {
            let worker = self.worker();
            let Some(Worker { jobs, is_making }) = &*worker else {
                return;
            };
            jobs.send(job)
                .expect("it serves as long as it can be given jobs");
            if is_making.load(Ordering::Relaxed) {
                return;
            }
        }
        // Nothing is ever sent; this returns when the job is dropped.
        let _ = gone.recv();
    }

    /// Sends the thread a job. Returns a flag that says whether it is constructing something.
    fn give(&self, job: Job<T, E>) -> Result<Arc<AtomicBool>, RerankError> {
        let mut worker = self.worker();
        if worker.is_none() {
            *worker = Some(start(self.rest_after)?);
        }
        let Worker { jobs, is_making } = worker.as_ref().expect("it was just put there");
        jobs.send(job)
            .expect("it serves as long as it can be given jobs");
        Ok(is_making.clone())
    }

    fn worker(&self) -> MutexGuard<'_, Option<Worker<T, E>>> {
        self.worker.lock()
    }
}

impl<T, E> Held<T, E> {
    /// Replaces the value by the result of `make`, unless the existing one, or the recorded failure, is of the same
    /// `choice`.
    fn make(&mut self, choice: String, make: impl FnOnce() -> Result<T, E>) {
        let held = self.made.as_ref().map(|made| &made.choice);
        let held = held.or(self.failed.as_ref().map(|failed| &failed.choice));
        if held == Some(&choice) {
            return;
        }
        // The old value is dropped first, so that two never use memory at once.
        self.clear();
        self.is_making.store(true, Ordering::Relaxed);
        let made = make();
        self.is_making.store(false, Ordering::Relaxed);
        match made {
            Ok(it) => self.made = Some(Made { choice, it }),
            Err(it) => self.failed = Some(Made { choice, it }),
        }
    }

    /// Returns the value; or, once, why construction failed.
    fn take(&mut self) -> Result<&mut T, E> {
        match self.failed.take() {
            Some(failed) => Err(failed.it),
            None => Ok(&mut self.made.as_mut().expect("one of both is there").it),
        }
    }

    fn clear(&mut self) {
        (self.made, self.failed) = (None, None);
        self.is_making.store(false, Ordering::Relaxed);
    }
}

fn start<T: 'static, E: Send + 'static>(rest_after: Duration) -> Result<Worker<T, E>, RerankError> {
    let (jobs, queue) = channel();
    let is_making = Arc::new(AtomicBool::new(false));
    let making = is_making.clone();
    thread::Builder::new()
        .name("memlens-rerank".to_owned())
        .spawn(move || serve(&queue, making, rest_after))
        .map_err(|error| RerankError::Thread {
            cause: error.to_string(),
        })?;
    Ok(Worker { jobs, is_making })
}

/// Runs jobs one after the other, until no more can be sent.
fn serve<T, E>(queue: &Receiver<Job<T, E>>, is_making: Arc<AtomicBool>, rest_after: Duration) {
    let mut held = Held {
        made: None,
        failed: None,
        is_making,
    };
    loop {
        // If there is nothing to drop, the thread does not wake up.
        let next = match held.made {
            None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => queue.recv_timeout(rest_after),
        };
        match next {
            // The panic has been reported; a half-finished value is not used again.
            Ok(job) => match catch_unwind(AssertUnwindSafe(|| job(&mut held))) {
                Ok(()) => {}
                Err(_panic) => held.clear(),
            },
            Err(RecvTimeoutError::Timeout) => held.clear(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    //! A call ends with its limits, whatever is being constructed; the value is kept, for the same choice, until it has
    //! been idle; a failure is reported once; a panic only ends its call.

    use std::sync::atomic::AtomicUsize;
    use std::time::Instant;

    use super::*;
    use crate::CancellationToken;

    const UNREADY: &str = "it is being carved";
    const NEVER: Duration = Duration::from_secs(3600);
    /// Enough time for a thread to start on a busy machine.
    const SOON: Duration = Duration::from_secs(1);

    fn background(rest_after: Duration) -> Background<String, RerankError> {
        Background::new(rest_after)
    }

    fn limits(time: Duration) -> Limits {
        Limits {
            deadline: Instant::now() + time,
            cancel: CancellationToken::new(),
        }
    }

    /// Returns the value for a choice, constructed by `make` if needed.
    fn get(
        background: &Background<String, RerankError>,
        choice: &str,
        limits: &Limits,
        make: impl FnOnce() -> Result<String, RerankError> + Send + 'static,
    ) -> Result<String, String> {
        let got = background.run(
            choice.to_owned(),
            UNREADY,
            limits,
            make,
            |it| Ok(it.clone()),
        );
        got.map_err(|error| error.to_string())
    }

    fn made(text: &str) -> impl FnOnce() -> Result<String, RerankError> + Send + use<> {
        let text = text.to_owned();
        move || Ok(text)
    }

    fn failed() -> RerankError {
        RerankError::CrossEncode {
            why: "it is wood".to_owned(),
        }
    }

    /// Returns a constructor that waits, and the sender that releases it.
    fn held_back(
        outcome: Result<String, RerankError>,
    ) -> (
        impl FnOnce() -> Result<String, RerankError> + Send,
        Sender<()>,
    ) {
        let (let_go, gate) = channel();
        let make = move || {
            // Also returns when the sender is dropped.
            let _ = gate.recv();
            outcome
        };
        (make, let_go)
    }

    #[test]
    fn what_was_made_is_kept_for_the_same_choice() {
        let background = background(NEVER);
        let get = |choice, text| get(&background, choice, &limits(NEVER), made(text));
        assert_eq!(get("a", "one").as_deref(), Ok("one"));
        assert_eq!(get("a", "two").as_deref(), Ok("one"));
        assert_eq!(get("b", "three").as_deref(), Ok("three"));
        assert_eq!(get("a", "four").as_deref(), Ok("four"));
        background.forget();
        assert_eq!(get("a", "five").as_deref(), Ok("five"));
    }

    #[test]
    fn a_call_ends_at_its_deadline_and_what_is_made_is_kept() {
        let background = background(NEVER);
        let (make, let_go) = held_back(Ok("slow".to_owned()));
        let soon = limits(SOON);
        let unready = Err(format!("cannot rerank yet: {UNREADY}"));
        assert_eq!(get(&background, "a", &soon, make), unready);
        // A second call waits for the same construction until its own limit.
        let soon = limits(SOON);
        assert_eq!(get(&background, "a", &soon, made("second")), unready);
        let_go.send(()).expect("it waits");
        let got = get(&background, "a", &limits(NEVER), made("third"));
        assert_eq!(got.as_deref(), Ok("slow"));
    }

    #[test]
    fn a_call_that_is_cancelled_ends_at_once() {
        let background = background(NEVER);
        let (make, let_go) = held_back(Ok("slow".to_owned()));
        let (begun, begins) = channel();
        let make = move || {
            begun.send(()).expect("it is waited for");
            make()
        };
        let first = limits(NEVER);
        let cancelled = Err(RerankError::Cancelled.to_string());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| get(&background, "a", &first, make));
            begins.recv().expect("it begins");
            first.cancel.cancel();
            assert_eq!(waiting.join().expect("it does not panic"), cancelled);
        });
        // A job whose caller has given up is not started.
        let second = limits(NEVER);
        thread::scope(|scope| {
            let make = || -> Result<String, RerankError> { panic!("it was cancelled") };
            let (background, second) = (&background, &second);
            let waiting = scope.spawn(move || get(background, "b", second, make));
            second.cancel.cancel();
            assert_eq!(waiting.join().expect("it does not panic"), cancelled);
        });
        drop(let_go);
        let got = get(&background, "c", &limits(NEVER), made("third"));
        assert_eq!(got.as_deref(), Ok("third"));
    }

    #[test]
    fn a_failure_is_reported_once_also_to_those_who_come_later() {
        let background = background(NEVER);
        let expected = Err(failed().to_string());
        let fails = || Err(failed());
        assert_eq!(get(&background, "a", &limits(NEVER), fails), expected);
        let got = get(&background, "a", &limits(NEVER), made("now"));
        assert_eq!(got.as_deref(), Ok("now"));

        let (make, let_go) = held_back(Err(failed()));
        let soon = limits(SOON);
        get(&background, "b", &soon, make).expect_err("it is not there");
        drop(let_go);
        let later = get(&background, "b", &limits(NEVER), made("later"));
        assert_eq!(later, expected);
        let got = get(&background, "b", &limits(NEVER), made("again"));
        assert_eq!(got.as_deref(), Ok("again"));
    }

    #[test]
    fn a_call_that_is_over_is_not_worked_on() {
        let background = background(NEVER);
        let over = limits(Duration::ZERO);
        let got = get(&background, "a", &over, made("never"));
        assert_eq!(got, Err(RerankError::Timeout.to_string()));
        // Work that takes too long is not waited for; it checks its limits itself.
        let soon = limits(SOON);
        let (let_go, gate) = channel::<()>();
        let work = move |_: &mut String| {
            let _ = gate.recv();
            Ok(())
        };
        let got = background.run("a".to_owned(), UNREADY, &soon, made("a"), work);
        assert!(matches!(got, Err(RerankError::Timeout)), "{got:?}");
        drop(let_go);
    }

    #[test]
    fn a_panic_ends_its_call_and_nothing_else() {
        let background = background(NEVER);
        let panics = || -> Result<String, RerankError> { panic!("for a test") };
        let fault = Err(RerankError::Fault.to_string());
        assert_eq!(get(&background, "a", &limits(NEVER), panics), fault);
        let got = get(&background, "a", &limits(NEVER), made("after"));
        assert_eq!(got.as_deref(), Ok("after"));
    }

    #[test]
    fn what_nobody_uses_is_let_go_of() {
        /// Reports when it is dropped.
        struct Counted(Sender<()>);
        impl Drop for Counted {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let background: Background<Counted, RerankError> = Background::new(Duration::ZERO);
        let n_made = Arc::new(AtomicUsize::new(0));
        for expected in 1..=2 {
            let (gone, goes) = channel();
            let counter = n_made.clone();
            let make = move || {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok(Counted(gone))
            };
            let run = background.run("a".to_owned(), UNREADY, &limits(NEVER), make, |_| Ok(()));
            run.expect("nothing stops it");
            goes.recv().expect("it goes");
            assert_eq!(n_made.load(Ordering::Relaxed), expected);
        }
    }

    #[test]
    fn forgetting_waits_for_work_and_not_for_what_is_made() {
        let background = background(NEVER);
        let (make, let_go) = held_back(Ok("slow".to_owned()));
        let soon = limits(SOON);
        get(&background, "a", &soon, make).expect_err("it is not there");
        background.forget();
        drop(let_go);
        let got = get(&background, "a", &limits(NEVER), made("after"));
        assert_eq!(got.as_deref(), Ok("after"));
    }
}
