//! The reranker of a mode: the one that was used last, or a new one.

use memlens_embed::{Embedder, EmbedderSource, Purpose};
use memlens_params::RerankMode;
use memlens_rerank::{Late, Limits, RerankError};

use crate::reranking::providers::Chosen;
use crate::reranking::{AnyReranker, Call, KeptTokens, Reranking, providers};
use crate::{EngineError, Library};

/// Number of texts that late interaction embeds in parallel.
const LATE_EMBEDDERS: usize = 2;
/// Notice for a search that waited in vain while a model was loading, with what to do.
const LOADING: &str =
    "the model is still loading; a longer timeout (rerank_timeout_ms) waits for it";
/// The same for a provider, which is called once its key is known.
const LOOKING_FOR_KEY: &str =
    "the keyring has not answered yet; a longer timeout (rerank_timeout_ms) waits for it";

impl Library {
    /// Does something with the reranker of this mode: the one that was used last if nothing changed, or one that is
    /// made first.
    ///
    /// # Errors
    /// As [`providers::chosen`] and [`Background::run`].
    pub(super) fn with_reranker<A: Send + 'static>(
        &self,
        mode: RerankMode,
        limits: &Limits,
        call: &Call,
        work: impl FnOnce(&mut AnyReranker) -> Result<A, RerankError> + Send + 'static,
    ) -> Result<A, EngineError> {
        let chosen = providers::chosen(&self.store(), mode)?;
        // Late interaction never changes.
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
                let tokens = KeptTokens(self.reranking.cache(self.dir(), call)?);
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

/// Embedders of late interaction, with the bundled model.
fn late_embedders(source: &EmbedderSource) -> Result<Vec<Box<dyn Embedder>>, EngineError> {
    (0..LATE_EMBEDDERS)
        .map(|_| Ok(source(Purpose::Query)?))
        .collect()
}
