//! The library as it is served: brought up to date before each call, without waiting long for a writer.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use memlens_library::{EngineError, Library, Ranking, Search};
use memlens_params::{HookMode, RerankMode};
use memlens_retrieve::Part;
use memlens_store::StoreError;
use parking_lot::Mutex;

use crate::Serving;
use crate::answers::Refused;

/// How long a call waits for lists that a writer is changing. Later, it is answered from the state before the change.
const REFRESH_WAIT: Duration = Duration::from_millis(300);
/// Time between two looks at whether another call has loaded the change.
const POLL: Duration = Duration::from_millis(1);

/// A library with the ranking by which it is served.
pub struct Served {
    /// The library, open for reading.
    pub library: &'static Library,
    ranking: Ranking,
    rankings_of: BTreeMap<&'static str, Ranking>,
    /// Id of the agent whose folders are served; `None` for all watched folders.
    pub agent: Option<String>,
    /// Id of one of that program's own agents, of whose folders alone are served; `None` for all of them.
    pub member: Option<String>,
    is_refreshing: Arc<AtomicBool>,
    /// Why the last call that was to be recorded was not; `None` if it was.
    pub(crate) unrecorded: Mutex<Option<String>>,
    /// Disconnects its receiver once no call runs any more.
    _running: mpsc::Sender<Infallible>,
}

/// Marks the end of a refresh, also if it panics.
struct Refreshing(Arc<AtomicBool>);

impl Drop for Refreshing {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Served {
    /// `running` is dropped with what is served, which every running call holds.
    pub(crate) fn new(serving: Serving, running: mpsc::Sender<Infallible>) -> Served {
        Served {
            library: serving.library,
            ranking: serving.ranking,
            rankings_of: serving.rankings_of,
            agent: serving.agent,
            member: serving.member,
            is_refreshing: Arc::default(),
            unrecorded: Mutex::default(),
            _running: running,
        }
    }

    /// The ranking for clients with the token of `agent`; with `None` for all others.
    pub(crate) fn ranking(&self, agent: Option<&str>) -> &Ranking {
        agent
            .and_then(|agent| self.rankings_of.get(agent))
            .unwrap_or(&self.ranking)
    }

    /// Whether some search waits for a reranker or the user's command. A newer search of the library would stop that.
    pub(crate) fn asks_outside(&self) -> bool {
        let mut rankings = self.rankings_of.values().chain([&self.ranking]);
        rankings.any(asks_outside)
    }

    /// Loads what a writer changed. Returns a notice if the library is still in its state before the change.
    ///
    /// # Errors
    /// [`Refused::Gone`] and [`Refused::Replaced`] if the library is not there any more; [`Refused::Engine`] if it is damaged or was
    /// changed by a newer version.
    pub(crate) fn refresh(&self) -> Result<Option<String>, Refused> {
        let library = self.library;
        if let Err(error) = library.check_file() {
            return self.state_before(error).map(Some);
        }
        let in_use = "the library is being changed; this answer is of its state before";
        // Another call may load the same change: it has loaded it, or reports why it cannot, within the same time.
        let started = Instant::now();
        while self.is_refreshing.swap(true, Ordering::AcqRel) {
            if started.elapsed() >= REFRESH_WAIT {
                return Ok(Some(in_use.to_owned()));
            }
            thread::sleep(POLL);
        }
        let (sender, refreshed) = mpsc::channel();
        let is_refreshing = self.is_refreshing.clone();
        thread::spawn(move || {
            let refreshing = Refreshing(is_refreshing);
            let outcome = library.check().and_then(|()| library.refresh());
            drop(refreshing);
            // The call may have stopped waiting.
            let _ = sender.send(outcome);
        });
        Ok(match refreshed.recv_timeout(REFRESH_WAIT) {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(self.state_before(error)?),
            Err(_) => Some(in_use.to_owned()),
        })
    }

    /// The notice of an answer from the state before an error.
    ///
    /// # Errors
    /// As [`Served::refresh`], if the error stays and a server that starts now would be refused too.
    fn state_before(&self, error: EngineError) -> Result<String, Refused> {
        if let EngineError::Store(store) = &error {
            let dir = self.library.dir().to_owned();
            if matches!(store, StoreError::Missing { .. }) {
                return Err(Refused::Gone { dir });
            }
            if matches!(store, StoreError::Replaced { .. }) {
                return Err(Refused::Replaced { dir });
            }
            if matches!(store, StoreError::Newer { .. }) || store.is_lasting_damage() {
                return Err(Refused::Engine(error));
            }
        }
        Ok(format!(
            "the library cannot be read again ({error}); this answer is of its state before"
        ))
    }

    /// Searches as `memlens search` does: compares observations and asks rerankers if the ranking needs it.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub(crate) fn search(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
    ) -> Result<Arc<Search>, EngineError> {
        let library = self.library;
        let Some(params) = ranking.params() else {
            return library.search_as(query, ranking, part);
        };
        library.aggregate_for(&params)?;
        let search = library.search_as(query, ranking, part)?;
        if !asks_outside(ranking) {
            return Ok(search);
        }
        library.ask(search.id, &params)
    }
}

/// Whether a search by this ranking waits for a reranker or the user's command.
fn asks_outside(ranking: &Ranking) -> bool {
    ranking
        .params()
        .is_some_and(|params| params.rerank != RerankMode::Off || params.hook != HookMode::Off)
}
