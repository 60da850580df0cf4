//! Serves the tuned search to agents, by the Model Context Protocol over standard input and output.
//!
//! Each tool calls the same functions as the command line and the window, so that an agent gets the ranking that was tuned.
//! A server changes no note and reads only the watched folders that it serves. In the library it writes only caches.

mod answers;
mod connection;
mod folders;
mod library;
mod lines;
mod tools;

use std::sync::Arc;

use memlens_library::{Library, Ranking};
use thiserror::Error;

pub use library::Served;

/// Threads that answer calls at once.
const CALLS_AT_ONCE: usize = 2;

/// The reason that a server ended or could not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The threads of the server cannot be started.
    #[error("cannot start the server: {0}")]
    Start(#[from] std::io::Error),
    /// The client did not begin as the protocol requires.
    #[error("cannot serve this client: {0}")]
    Client(String),
}

/// What is served, and by which ranking.
pub struct Serving {
    /// The library, open for reading.
    pub library: &'static Library,
    /// Ranking of every search.
    pub ranking: Ranking,
    /// Id of the agent whose folders are served; `None` for all watched folders.
    pub agent: Option<String>,
}

/// Answers one client on standard input and output, until it closes standard input.
///
/// # Errors
/// [`ServeError::Start`], and [`ServeError::Client`] if the client does not begin with a request of the protocol.
pub fn serve_stdio(serving: Serving) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        // One reads standard input and one writes standard output.
        .max_blocking_threads(CALLS_AT_ONCE + 2)
        .enable_time()
        .build()?;
    let served = Arc::new(Served::new(serving));
    // Only preloads: a search reports what fails.
    let library = served.library;
    let warming = std::thread::spawn(move || library.warm().is_ok());
    let ended = runtime.block_on(connection::serve(served));
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    // A process that ends while ONNX Runtime loads a model can crash. A panic there was reported already.
    let _ = warming.join();
    ended
}
