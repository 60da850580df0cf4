//! The rerankers that were used last, the running call, and the score cache.

pub mod hook;
pub mod providers;
pub mod rerank;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memlens_params::RerankMode;
use memlens_rerank::{
    Background, CancellationToken, Late, Limits, RerankError, Reranker, RerankerInfo, Scores,
    TokenCache, TokenTable,
};
use memlens_store::ScoreCache;
use parking_lot::Mutex;

use crate::EngineError;

/// How long an idle reranker stays loaded: late interaction takes some 160 MB.
const REST_AFTER: Duration = Duration::from_secs(60);
/// State of reranking: the rerankers that were used last, and the running call.
pub(crate) struct Reranking {
    /// Local models, one at a time, because each takes much memory.
    pub(crate) here: Background<AnyReranker, EngineError>,
    /// Separate lock, so that a keyring prompt does not block other calls.
    pub(crate) http: Background<AnyReranker, EngineError>,
    running: Mutex<Call>,
    cache: Mutex<Option<Arc<ScoreCache>>>,
}

/// One call, with its cancellation and a mark of whether its answer is still wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call {
    pub(crate) cancel: CancellationToken,
    /// Raised by every change that invalidates older answers: another reranker, or an erasure.
    era: u64,
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

/// A loaded reranker; late interaction can return more than scores.
pub(crate) enum AnyReranker {
    Late(Late<KeptTokens>),
    Other(Box<dyn Reranker>),
}

impl AnyReranker {
    pub(crate) fn info(&self) -> &RerankerInfo {
        match self {
            AnyReranker::Late(late) => late.info(),
            AnyReranker::Other(other) => other.info(),
        }
    }

    pub(crate) fn score(
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

/// Caches token vectors in the library's score cache; vectors that cannot be stored are computed again.
pub(crate) struct KeptTokens(pub Arc<ScoreCache>);

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
    /// Stops the running call, and returns the next one.
    pub(crate) fn begin(&self) -> Call {
        let mut running = self.running.lock();
        running.cancel.cancel();
        running.cancel = CancellationToken::new();
        running.clone()
    }

    /// A second call beside the running one, which is wanted as long as one that begins now.
    pub(crate) fn beside(&self) -> Call {
        Call {
            cancel: CancellationToken::new(),
            era: self.running.lock().era,
        }
    }

    pub(crate) fn cancel(&self) {
        self.running.lock().cancel.cancel();
    }

    /// Whether the answer of a call may be stored: a call that was only stopped may have something, one from before a
    /// change has nothing.
    pub(crate) fn is_wanted(&self, call: &Call) -> bool {
        self.running.lock().era == call.era
    }

    /// The score cache.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`] for a call that is not wanted any more: it would create the erased file again.
    pub(crate) fn cache(&self, dir: &Path, call: &Call) -> Result<Arc<ScoreCache>, EngineError> {
        let mut cache = self.cache.lock();
        if !self.is_wanted(call) {
            return Err(RerankError::Cancelled.into());
        }
        opened(&mut cache, dir)
    }

    /// The cache of scores and vectors.
    ///
    /// # Errors
    /// [`EngineError::Store`] if it cannot be opened.
    pub(crate) fn scores(&self, dir: &Path) -> Result<Arc<ScoreCache>, EngineError> {
        opened(&mut self.cache.lock(), dir)
    }

    /// Drops everything like [`Reranking::forget`], and removes the cache of scores.
    ///
    /// # Errors
    /// [`EngineError::Store`] if it cannot be removed.
    pub(crate) fn erase(&self, dir: &Path) -> Result<(), EngineError> {
        self.forget();
        // No other thread opens it meanwhile.
        let cache = self.cache.lock();
        ScoreCache::erase(dir)?;
        drop(cache);
        Ok(())
    }

    /// Drops the reranker of a mode, since its key, server or files may be different the next time.
    pub(crate) fn forget_reranker(&self, mode: RerankMode) {
        match mode {
            RerankMode::Off | RerankMode::Late => {}
            RerankMode::Model => self.here.forget(),
            RerankMode::Http => self.http.forget(),
        }
    }

    /// Drops everything that was made from settings, files or the cache.
    pub(crate) fn forget(&self) {
        let mut running = self.running.lock();
        running.cancel.cancel();
        running.era += 1;
        drop(running);
        self.here.forget();
        self.http.forget();
        if let Some(cache) = self.cache.lock().take() {
            // A call that ends now still holds it.
            cache.close();
        }
    }
}

/// The cache, which is opened if it is not open yet.
fn opened(cache: &mut Option<Arc<ScoreCache>>, dir: &Path) -> Result<Arc<ScoreCache>, EngineError> {
    if let Some(cache) = cache {
        return Ok(cache.clone());
    }
    let opened = Arc::new(ScoreCache::open(dir)?);
    *cache = Some(opened.clone());
    Ok(opened)
}

#[cfg(test)]
mod tests {
    //! A call from before a change or an erasure stores nothing.

    use super::*;

    #[test]
    fn a_call_that_ends_after_an_erasure_does_not_recreate_the_cache() {
        let dir = tempfile::tempdir().unwrap();
        let reranking = Reranking::default();
        let file = dir.path().join("rerank.sqlite");
        let call = reranking.begin();
        let cache = reranking.cache(dir.path(), &call).unwrap();
        assert!(file.exists());
        reranking.erase(dir.path()).unwrap();
        assert!(call.cancel.is_cancelled() && !reranking.is_wanted(&call));
        let kept = cache.put_scores("question", "tei", "m", "unit", &[("text", 0.5)]);
        kept.expect("it is kept in memory");
        let refused = reranking.cache(dir.path(), &call);
        assert!(matches!(
            refused,
            Err(EngineError::Rerank(RerankError::Cancelled))
        ));
        assert!(!file.exists());
        // A later one starts from scratch.
        let call = reranking.begin();
        reranking.cache(dir.path(), &call).unwrap();
        assert!(file.exists() && reranking.is_wanted(&call));
        // A call that is only stopped is wanted: it may have something.
        reranking.cancel();
        assert!(reranking.is_wanted(&call));
    }
}
