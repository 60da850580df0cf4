//! The library on its way to be open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use memlens_engine::view::ErrorInfo;
use memlens_engine::{Engine, EngineError};
use parking_lot::{Condvar, Mutex};

/// An engine that is being opened, is open, or could not be.
pub struct Opening {
    open: Box<dyn Fn() -> Result<Arc<Engine>, EngineError> + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
}

enum State {
    Running,
    Open(Arc<Engine>),
    Failed(ErrorInfo),
}

impl Opening {
    /// An engine that `open` is to open; [`Opening::run`] begins.
    pub fn by(open: impl Fn() -> Result<Arc<Engine>, EngineError> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
            state: Mutex::new(State::Running),
            changed: Condvar::new(),
        }
    }

    /// Opens it. Why that fails is told on standard error too.
    pub fn run(&self) {
        let opened = catch_unwind(AssertUnwindSafe(|| (self.open)()));
        let state = match opened {
            Ok(Ok(engine)) => State::Open(engine),
            Ok(Err(error)) => State::Failed(ErrorInfo::from(&error)),
            // Told by the panic itself.
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

    /// The engine, once it is open. Who asks after that has failed has it tried again: what was in the way may be gone.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn wait(&self) -> Result<Arc<Engine>, ErrorInfo> {
        let mut state = self.state.lock();
        if matches!(*state, State::Failed(_)) {
            *state = State::Running;
            drop(state);
            self.run();
            state = self.state.lock();
        }
        loop {
            match &*state {
                State::Running => self.changed.wait(&mut state),
                State::Open(engine) => return Ok(engine.clone()),
                State::Failed(error) => return Err(error.clone()),
            }
        }
    }

    /// The engine, if it is open.
    pub fn engine(&self) -> Option<Arc<Engine>> {
        match &*self.state.lock() {
            State::Open(engine) => Some(engine.clone()),
            State::Running | State::Failed(_) => None,
        }
    }
}
