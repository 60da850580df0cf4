//! Scores for texts that are no results of a search: for programs that use Memlens as their reranker.

use std::time::Instant;

use memlens_params::{Params, RerankMode};
use memlens_rank::{RerankScale, chars_read};
use memlens_rerank::{CancellationToken, Limits};

use super::{cut, in_ranking};
use crate::reranking::providers;
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

/// Scores texts for a query with the reranker of these parameters, within its time limit. Reads of each text what it reads of a
/// note. A search that asks the same reranker is not stopped. `cancel` stops the call.
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
    let (query, bounds) = (query.to_owned(), limits.clone());
    let max_chars = chars_read(params);
    let texts: Vec<String> = texts
        .iter()
        .map(|text| cut(text, max_chars).to_owned())
        .collect();
    let mode = params.rerank;
    let (scored, info) = library.with_reranker(mode, &limits, &call, move |reranker| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scored = reranker.score(&query, &texts, &bounds)?;
        Ok((scored, reranker.info().clone()))
    })?;
    Ok(TextScores {
        scores: scored.scores,
        scale: in_ranking(scored.scale),
        model: info.model,
        n_tokens: scored.n_tokens,
    })
}
