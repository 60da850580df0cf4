//! Scores for texts that are no results of a search: for programs that use Memlens as their reranker.

use std::time::Instant;

use memlens_params::{Params, RerankMode};
use memlens_rank::{RerankScale, chars_read};
use memlens_rerank::{CancellationToken, Limits, RerankError};

use super::{cut, in_ranking};
use crate::reranking::{AnyReranker, providers};
use crate::{EngineError, Library};

/// What a reranker made of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextScores {
    /// One score for each text, in their order, as the reranker reports it; `None` if it has none.
    pub scores: Vec<Option<f64>>,
    /// Scale of the scores.
    pub scale: RerankScale,
    /// Name of the model.
    pub model: String,
    /// Tokens that were read or billed; `None` if unknown.
    pub n_tokens: Option<u64>,
}

/// Most characters of a text that are scored. About 4,096 tokens, as Cohere's service reads by default.
pub const TEXT_CHARS_MAX: u32 = 16_384;

/// Scores texts for a query with the reranker of these parameters, within its time limit. Reads of each text what it reads of a
/// note, and at most [`TEXT_CHARS_MAX`] characters. A search that asks the same reranker is not stopped. `cancel` stops the call.
///
/// # Errors
/// [`EngineError::NoReranker`] if the parameters have no reranker or it is not set up, [`EngineError::Rerank`] if it fails.
pub fn score_texts(
    library: &Library,
    params: &Params,
    query: &str,
    texts: &[String],
    cancel: &CancellationToken,
) -> Result<TextScores, EngineError> {
    let max_chars = match chars_read(params) {
        0 => TEXT_CHARS_MAX,
        max_chars => max_chars.min(TEXT_CHARS_MAX),
    };
    let query = query.to_owned();
    let texts: Vec<String> = texts
        .iter()
        .map(|text| cut(text, max_chars).to_owned())
        .collect();
    let (scored, info) = ask(library, params, cancel, move |reranker, limits| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scored = reranker.score(&query, &texts, limits)?;
        Ok((scored, reranker.info().clone()))
    })?;
    Ok(TextScores {
        scores: scored.scores,
        scale: in_ranking(scored.scale),
        model: info.model,
        n_tokens: scored.n_tokens,
    })
}

/// Name of the model of the reranker of these parameters, as in [`TextScores::model`]. Loads the model if it is not loaded, within
/// the reranker's time limit.
///
/// # Errors
/// As [`score_texts`].
pub fn reranker_model(
    library: &Library,
    params: &Params,
    cancel: &CancellationToken,
) -> Result<String, EngineError> {
    ask(library, params, cancel, |reranker, _| {
        Ok(reranker.info().model.clone())
    })
}

/// Does something with the reranker of these parameters, within its time limit.
fn ask<A: Send + 'static>(
    library: &Library,
    params: &Params,
    cancel: &CancellationToken,
    work: impl FnOnce(&mut AnyReranker, &Limits) -> Result<A, RerankError> + Send + 'static,
) -> Result<A, EngineError> {
    let started = Instant::now();
    if params.rerank == RerankMode::Off {
        return Err(EngineError::NoReranker {
            mode: RerankMode::Off.as_str(),
            why: "the ranking has no reranker: set rerank=late, model or http",
        });
    }
    let timeout = providers::timeout(&library.store(), params)?;
    let mut call = library.reranking.beside();
    call.cancel = cancel.clone();
    let limits = Limits {
        deadline: started + timeout,
        cancel: cancel.clone(),
    };
    let bounds = limits.clone();
    library.with_reranker(params.rerank, &limits, &call, move |reranker| {
        work(reranker, &bounds)
    })
}
