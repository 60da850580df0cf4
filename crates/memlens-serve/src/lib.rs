//! Serves the tuned search to agents, by the Model Context Protocol over standard input and output or over HTTP.
//!
//! Each tool calls the same functions as the command line and the window, so that an agent gets the ranking that was tuned.
//! A server changes no note and reads only the watched folders that it serves. In the library it writes only caches, the token of
//! the server over HTTP and, if the user allows it, a file with the calls that it answered.

mod answers;
mod caller;
mod connection;
mod folders;
mod http;
mod library;
mod lines;
mod recording;
mod stop;
mod token;
mod tools;
mod unusable;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use memlens_library::{Library, Ranking};
use memlens_params::RerankMode;
use thiserror::Error;

pub use http::HttpServer;
pub use library::Served;
pub use stop::Stop;
pub use token::{Token, TokenError};

/// Threads that answer calls at once.
const CALLS_AT_ONCE: usize = 2;
/// Time for running calls to end once the server is to stop.
const STOP_WAIT: Duration = Duration::from_secs(5);
/// Time between two attempts to cancel calls that wait for a reranker.
const CANCEL_EVERY: Duration = Duration::from_millis(50);

/// The reason that a server ended or could not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The threads of the server cannot be started.
    #[error("cannot start the server: {0}")]
    Start(#[from] std::io::Error),
    /// The client did not begin as the protocol requires.
    #[error("cannot serve this client: {0}")]
    Client(String),
    /// Nothing can listen at the address.
    #[error("cannot listen at {address}: {cause}; choose another port with --http")]
    Address {
        /// Where the server was to listen.
        address: SocketAddr,
        /// The system's error.
        cause: std::io::Error,
    },
    /// There is no token that clients could send.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// What is served, and by which ranking.
pub struct Serving {
    /// The library, open for reading.
    pub library: &'static Library,
    /// Ranking of every search but those of `rankings_of`.
    pub ranking: Ranking,
    /// Rankings of the clients with the token of an agent, by its id. Clients on standard input have no token.
    pub rankings_of: BTreeMap<&'static str, Ranking>,
    /// Id of the agent whose folders are served; `None` for all watched folders.
    pub agent: Option<String>,
    /// Id of one of that program's own agents, of whose folders alone are served; `None` for all of them.
    pub member: Option<String>,
}

impl Serving {
    /// Whether a ranking has a reranker, which the server over HTTP offers to other programs.
    pub fn reranks(&self) -> bool {
        let mut rankings = self.rankings_of.values().chain([&self.ranking]);
        rankings.any(|ranking| {
            let params = ranking.params();
            params.is_some_and(|params| params.rerank != RerankMode::Off)
        })
    }
}

/// Answers one client on standard input and output, until it closes standard input or the server is stopped.
///
/// # Errors
/// [`ServeError::Start`], and [`ServeError::Client`] if the client does not begin with a request of the protocol.
pub fn serve_stdio(serving: Serving, stop: &Stop) -> Result<(), ServeError> {
    // One thread reads standard input and one writes standard output.
    run(serving, 2, async |served| {
        tokio::select! {
            ended = connection::serve(served) => ended,
            () = stop.stopped() => Ok(()),
        }
    })
}

/// Runs a server to its end, with `n_more` threads besides those of calls.
fn run(
    serving: Serving,
    n_more: usize,
    serve: impl AsyncFnOnce(Arc<Served>) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(CALLS_AT_ONCE + n_more)
        .enable_all()
        .build()?;
    let (running, calls) = mpsc::channel();
    let served = Arc::new(Served::new(serving, running));
    // Only preloads: a search reports what fails.
    let library = served.library;
    let warming = std::thread::spawn(move || library.warm().is_ok());
    let ended = runtime.block_on(serve(served));
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    // A process that ends while ONNX Runtime runs or loads a model can crash. A panic there was reported already.
    let _ = warming.join();
    if !end_calls(library, &calls) {
        tracing::warn!("the server ends with calls that have not ended");
    }
    ended
}

/// Cancels running calls, and waits until neither they nor the reranker run, at most [`STOP_WAIT`]. Returns whether they ended.
fn end_calls(library: &'static Library, calls: &Receiver<Infallible>) -> bool {
    let until = Instant::now() + STOP_WAIT;
    // A call may begin to ask the reranker only now.
    if !wait(calls, until, || library.cancel_asking()) {
        return false;
    }
    // A call that was cancelled does not wait for the reranker's thread; this does.
    let (running, reranker) = mpsc::channel();
    std::thread::spawn(move || {
        library.forget_answers();
        drop(running);
    });
    wait(&reranker, until, || ())
}

/// Waits until nobody holds the sender any more. Returns false if that is not before `until`.
fn wait(running: &Receiver<Infallible>, until: Instant, meanwhile: impl Fn()) -> bool {
    loop {
        meanwhile();
        let left = until.saturating_duration_since(Instant::now());
        match running.recv_timeout(left.min(CANCEL_EVERY)) {
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return false,
            Err(RecvTimeoutError::Timeout) => {}
            Ok(never) => match never {},
        }
    }
}
