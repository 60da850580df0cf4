//! Durations of reranker calls, for a chart.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memlens_params::Params;
use memlens_rank::chars_read;
use memlens_rerank::RerankerInfo;
use memlens_store::RerankCall;
use memlens_wire::RerankTime;

use crate::{EngineError, Library};

/// The calls of rerankers that were made from this library, the newest first.
///
/// # Errors
/// [`EngineError::Store`].
pub fn rerank_calls(library: &Library) -> Result<Vec<RerankTime>, EngineError> {
    let calls = library
        .reranking
        .cache(library.dir(), &library.reranking.beside())?
        .calls()?;
    Ok(calls
        .into_iter()
        .map(|call| RerankTime {
            at_ms: call.at_ms as f64,
            provider: call.provider,
            model: call.model,
            n_docs: call.n_docs,
            max_chars: call.max_chars,
            ms: call.micros as f64 / 1000.0,
            n_tokens: call.n_tokens.map(|n_tokens| n_tokens as f64),
            ok: call.is_ok,
        })
        .collect())
}

/// What is recorded of a call; `outcome` contains the tokens that were read or billed.
pub(super) fn call(
    info: &RerankerInfo,
    params: &Params,
    texts: &[&str],
    took: Duration,
    outcome: &Result<Option<u64>, EngineError>,
) -> RerankCall {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let n_chars = texts.iter().map(|text| text.chars().count() as u64).sum();
    RerankCall {
        at_ms: since_1970.map_or(0, |it| it.as_millis() as i64) - took.as_millis() as i64,
        provider: info.provider.clone(),
        model: info.model.clone(),
        n_docs: texts.len() as u32,
        max_chars: chars_read(params),
        n_chars,
        micros: took.as_micros() as u64,
        n_tokens: outcome.as_ref().ok().copied().flatten(),
        is_ok: outcome.is_ok(),
    }
}
