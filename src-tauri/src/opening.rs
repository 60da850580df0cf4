//! The library on its way to be open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use memlens_engine::view::ErrorInfo;
use memlens_engine::{Engine, EngineError};
use parking_lot::{Condvar, Mutex};

/// An engine that is being opened, is open, or could not be.
pub struct Opening<E = Engine> {
    open: Box<dyn Fn() -> Result<Arc<E>, EngineError> + Send + Sync>,
    state: Mutex<State<E>>,
    changed: Condvar,
}

enum State<E> {
    Running,
    Open(Arc<E>),
    Failed(ErrorInfo),
}

impl<E> Opening<E> {
    /// An engine that `open` is to open; [`Opening::run`] begins.
    pub fn by(open: impl Fn() -> Result<Arc<E>, EngineError> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
            state: Mutex::new(State::Running),
            changed: Condvar::new(),
        }
    }

    /// Opens it. The reason of a failure is also printed on standard error.
    pub fn run(&self) {
        let opened = catch_unwind(AssertUnwindSafe(|| (self.open)()));
        let state = match opened {
            Ok(Ok(engine)) => State::Open(engine),
            Ok(Err(error)) => State::Failed(ErrorInfo::from(&error)),
            // The panic hook has printed it already.
            Err(_) => State::Failed(ErrorInfo {
                code: "error".to_owned(),
                message: "cannot open the library: Memlens itself failed".to_owned(),
            }),
        };
        if let State::Failed(error) = &state {
            eprintln!("{}", error.message);
        }
        *self.state.lock() = state;
        self.changed.notify_all();
    }

    /// As [`Opening::wait`], but where opening has failed it is tried again: what was in the way may be gone.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn again(&self) -> Result<Arc<E>, ErrorInfo> {
        let mut state = self.state.lock();
        let has_failed = matches!(*state, State::Failed(_));
        if has_failed {
            *state = State::Running;
        }
        drop(state);
        if has_failed {
            self.run();
        }
        self.wait()
    }

    /// The engine, once it is open.
    ///
    /// # Errors
    /// Why it could not be opened.
    pub fn wait(&self) -> Result<Arc<E>, ErrorInfo> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Running => self.changed.wait(&mut state),
                State::Open(engine) => return Ok(engine.clone()),
                State::Failed(error) => return Err(error.clone()),
            }
        }
    }

    /// The engine, if it is open.
    pub fn engine(&self) -> Option<Arc<E>> {
        match &*self.state.lock() {
            State::Open(engine) => Some(engine.clone()),
            State::Running | State::Failed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Opens at the `succeeds_at`th try, counted from 1; the answer counts tries.
    fn opening(succeeds_at: usize) -> (Arc<Opening<usize>>, Arc<AtomicUsize>) {
        let n_tries = Arc::new(AtomicUsize::new(0));
        let counted = n_tries.clone();
        let opening = Opening::by(move || {
            let n_tried = counted.fetch_add(1, Ordering::SeqCst) + 1;
            if n_tried < succeeds_at {
                return Err(EngineError::NotWatched {
                    path: n_tried.to_string(),
                });
            }
            Ok(Arc::new(n_tried))
        });
        (Arc::new(opening), n_tries)
    }

    #[test]
    fn who_waits_does_not_have_it_tried_again() {
        let (opening, n_tries) = opening(2);
        opening.run();
        for _ in 0..3 {
            assert!(opening.wait().is_err());
        }
        assert_eq!(n_tries.load(Ordering::SeqCst), 1);
        assert!(opening.engine().is_none());
    }

    #[test]
    fn once_more_opens_it_for_all() {
        let (opening, n_tries) = opening(2);
        opening.run();
        assert_eq!(opening.again().ok().as_deref(), Some(&2));
        assert_eq!(opening.wait().ok().as_deref(), Some(&2));
        // What is open is not opened again.
        assert_eq!(opening.again().ok().as_deref(), Some(&2));
        assert_eq!(n_tries.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn who_came_before_it_was_opened_waits() {
        let (opening, n_tries) = opening(1);
        let waiting = opening.clone();
        let waiter = thread::spawn(move || waiting.again().ok());
        // Long enough for it to open by itself, if it would.
        thread::sleep(Duration::from_millis(50));
        assert_eq!(n_tries.load(Ordering::SeqCst), 0);
        opening.run();
        assert_eq!(waiter.join().expect("no panic").as_deref(), Some(&1));
        assert_eq!(n_tries.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_panic_is_a_failure_too() {
        let opening: Opening<usize> = Opening::by(|| panic!("on purpose"));
        opening.run();
        let why = opening.wait().map_err(|error| error.message);
        assert!(why.is_err_and(|why| why.contains("Memlens itself failed")));
    }
}
