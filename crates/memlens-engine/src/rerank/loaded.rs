//! The rerankers that were used last, the call under way, and the cache of scores.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use memlens_embed::Embedder;
use memlens_params::RerankMode;
use memlens_rerank::{
    Background, CancellationToken, Late, Limits, RerankError, Reranker, RerankerInfo, Scores,
    TokenCache, TokenTable,
};
use memlens_store::ScoreCache;

use crate::model::{EmbedderSource, Purpose};
use crate::providers::Chosen;
use crate::{EngineError, Library, providers};

/// How long a reranker that nobody uses keeps its memory: some 160 MB for late interaction.
const REST_AFTER: Duration = Duration::from_secs(60);
/// Late interaction reads so many texts at a time.
const LATE_EMBEDDERS: usize = 2;
/// What a search waits for in vain while a model is being loaded, and what can be done.
const LOADING: &str =
    "the model is still being loaded; a longer timeout (rerank_timeout_ms) waits for it";
/// The same of a provider, which is asked once its key is known.
const LOOKING_FOR_KEY: &str =
    "the keyring has not given the key yet; a longer timeout (rerank_timeout_ms) waits for it";

/// Is what reranking has at hand: the rerankers that were used last, and the call under way.
pub(crate) struct Reranking {
    /// Runs on this machine, one model at a time, since each takes much memory.
    here: Background<AnyReranker, EngineError>,
    /// A keyring that waits for the person holds up nobody else.
    http: Background<AnyReranker, EngineError>,
    running: Mutex<CancellationToken>,
    cache: Mutex<Option<Arc<ScoreCache>>>,
}

impl Default for Reranking {
    fn default() -> Reranking {
        Reranking {
            here: Background::new(REST_AFTER),
            http: Background::new(REST_AFTER),
            running: Mutex::default(),
            cache: Mutex::default(),
        }
    }
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

    pub(super) fn cache(&self, dir: &Path) -> Result<Arc<ScoreCache>, EngineError> {
        let mut cache = lock(&self.cache);
        if let Some(cache) = &*cache {
            return Ok(cache.clone());
        }
        let opened = Arc::new(ScoreCache::open(dir)?);
        *cache = Some(opened.clone());
        Ok(opened)
    }

    /// Lets go of the reranker of a mode, since its key, its server or its files may be others the next time.
    pub(super) fn forget_reranker(&self, mode: RerankMode) {
        match mode {
            RerankMode::Off | RerankMode::Late => {}
            RerankMode::Model => self.here.forget(),
            RerankMode::Http => self.http.forget(),
        }
    }

    /// Lets go of everything that was made from settings, files or the cache.
    pub(crate) fn forget(&self) {
        self.cancel();
        self.here.forget();
        self.http.forget();
        *lock(&self.cache) = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Does something with the reranker of this mode: the one that was used last where nothing changed, or one that is
    /// made first.
    ///
    /// # Errors
    /// As [`providers::chosen`] and [`Background::run`].
    pub(super) fn with_reranker<A: Send + 'static>(
        &self,
        mode: RerankMode,
        limits: &Limits,
        work: impl FnOnce(&mut AnyReranker) -> Result<A, RerankError> + Send + 'static,
    ) -> Result<A, EngineError> {
        let chosen = providers::chosen(&self.store(), mode)?;
        // Late interaction is always the same.
        let setting = chosen.as_ref().map_or(String::new(), Chosen::text);
        let choice = format!("{} {setting}", mode.as_str());
        let work = |reranker: &mut AnyReranker| Ok(work(reranker)?);
        let Reranking { here, http, .. } = &self.reranking;
        match chosen {
            Some(Chosen::Http(provider)) => {
                let make = move || Ok(AnyReranker::Other(Box::new(provider.client()?)));
                http.run(choice, LOOKING_FOR_KEY, limits, make, work)
            }
            Some(Chosen::Model(model, dir)) => {
                let make = move || Ok(AnyReranker::Other(Box::new(model.find()?.load(&dir)?)));
                here.run(choice, LOADING, limits, make, work)
            }
            None => {
                let source = self.source().clone();
                let tokens = KeptTokens(self.reranking.cache(self.dir())?);
                let make = move || {
                    Ok(AnyReranker::Late(Late::new(
                        late_embedders(&source)?,
                        tokens,
                    )))
                };
                here.run(choice, LOADING, limits, make, work)
            }
        }
    }
}

/// Returns the embedders of late interaction, of the bundled model.
fn late_embedders(source: &EmbedderSource) -> Result<Vec<Box<dyn Embedder>>, EngineError> {
    (0..LATE_EMBEDDERS)
        .map(|_| Ok(source(Purpose::Query)?))
        .collect()
}
