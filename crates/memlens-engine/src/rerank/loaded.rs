//! The reranker that was used last, the call under way, and the cache of scores.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use memlens_embed::Embedder;
use memlens_params::RerankMode;
use memlens_rerank::{
    CancellationToken, Late, Limits, RerankError, Reranker, RerankerInfo, Scores, TokenCache,
    TokenTable,
};
use memlens_store::ScoreCache;

use crate::model::{EmbedderSource, Purpose};
use crate::providers::Chosen;
use crate::{EngineError, Library, providers};

/// How long a reranker that nobody uses keeps its memory: some 160 MB for late interaction.
const REST_AFTER: Duration = Duration::from_secs(60);
/// Late interaction reads so many texts at a time.
const LATE_EMBEDDERS: usize = 2;

/// Is what reranking has at hand: the reranker that was used last, and the call under way.
#[derive(Default)]
pub(crate) struct Reranking {
    pub(super) loaded: Mutex<Option<Loaded>>,
    running: Mutex<CancellationToken>,
    cache: Mutex<Option<Arc<ScoreCache>>>,
}

/// Is a reranker with what it was made from.
pub(super) struct Loaded {
    mode: RerankMode,
    /// Differs where another one must be made.
    choice: String,
    reranker: AnyReranker,
    used: Instant,
}

/// Late interaction can tell more than scores.
pub(super) enum AnyReranker {
    Late(Late<KeptTokens>),
    Other(Box<dyn Reranker>),
}

impl AnyReranker {
    pub(super) fn info(&self) -> &RerankerInfo {
        match self {
            AnyReranker::Late(late) => late.info(),
            AnyReranker::Other(other) => other.info(),
        }
    }

    pub(super) fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError> {
        match self {
            AnyReranker::Late(late) => late.score(query, texts, limits),
            AnyReranker::Other(other) => other.score(query, texts, limits),
        }
    }
}

/// Keeps token vectors in the cache of the library; what cannot be kept is read again.
pub(super) struct KeptTokens(Arc<ScoreCache>);

impl TokenCache for KeptTokens {
    fn get(&mut self, model: &str, text: &str) -> Option<TokenTable> {
        let bytes = self.0.vectors(model, text).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot read kept token vectors");
            None
        })?;
        TokenTable::from_bytes(&bytes)
    }

    fn put(&mut self, model: &str, text: &str, table: &TokenTable) {
        if let Err(error) = self.0.put_vectors(model, text, &table.to_bytes()) {
            tracing::warn!(%error, "cannot keep token vectors");
        }
    }
}

impl Reranking {
    /// Stops the call under way, and returns what stops the next one.
    pub(crate) fn begin(&self) -> CancellationToken {
        let mut running = lock(&self.running);
        running.cancel();
        *running = CancellationToken::new();
        running.clone()
    }

    /// Stops the call under way.
    pub(crate) fn cancel(&self) {
        lock(&self.running).cancel();
    }

    /// Gives back the memory of the reranker that was used last, where that is a while ago.
    pub(crate) fn rest(&self) {
        // While it is at work the lock is taken.
        if let Ok(mut loaded) = self.loaded.try_lock() {
            loaded.take_if(|loaded| loaded.used.elapsed() > REST_AFTER);
        }
    }

    pub(super) fn cache(&self, dir: &Path) -> Result<Arc<ScoreCache>, EngineError> {
        let mut cache = lock(&self.cache);
        if let Some(cache) = &*cache {
            return Ok(cache.clone());
        }
        let opened = Arc::new(ScoreCache::open(dir)?);
        *cache = Some(opened.clone());
        Ok(opened)
    }

    /// Lets go of everything that was made from settings, files or the cache.
    pub(crate) fn forget(&self) {
        self.cancel();
        *lock(&self.loaded) = None;
        *lock(&self.cache) = None;
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Returns the reranker of this mode; the one that was used last where nothing changed. `patience` bounds how long a
    /// keyring may take.
    pub(super) fn load<'a>(
        &self,
        loaded: &'a mut Option<Loaded>,
        mode: RerankMode,
        patience: Duration,
    ) -> Result<&'a mut AnyReranker, EngineError> {
        let chosen = providers::chosen(&self.store(), mode)?;
        let choice = chosen.as_ref().map_or(String::new(), Chosen::text);
        let is_same = |loaded: &Loaded| loaded.mode == mode && loaded.choice == choice;
        if !loaded.as_ref().is_some_and(is_same) {
            // The one before goes first, so that two never share the memory.
            *loaded = None;
            let reranker = match chosen {
                Some(chosen) => AnyReranker::Other(chosen.make(patience)?),
                None => AnyReranker::Late(Late::new(
                    late_embedders(self.source())?,
                    KeptTokens(self.reranking.cache(self.dir())?),
                )),
            };
            *loaded = Some(Loaded {
                mode,
                choice,
                reranker,
                used: Instant::now(),
            });
        }
        let loaded = loaded.as_mut().expect("it was just put there");
        loaded.used = Instant::now();
        Ok(&mut loaded.reranker)
    }
}

/// Returns the embedders of late interaction, of the bundled model.
fn late_embedders(source: &EmbedderSource) -> Result<Vec<Box<dyn Embedder>>, EngineError> {
    (0..LATE_EMBEDDERS)
        .map(|_| Ok(source(Purpose::Query)?))
        .collect()
}
