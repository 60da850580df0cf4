//! Replaces another program's reranker by the user's own.
//!
//! Its stage reads the scores where Memlens's own does: in the tables of the set. A failure is a fact there too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use memlens_emulate::Filling;
use memlens_params::{Params, Values};
use memlens_rank::{RerankScale, RerankScores};
use memlens_rerank::{Limits, Scale};

use super::{Asking, in_ranking, joined, note_score, note_scorer};
use crate::reranking::{Call, providers};
use crate::search::Search;
use crate::{EngineError, Library};

/// Calls the user's reranker for the question that another program sends to its own, if the user chose so;
/// otherwise returns the same search.
///
/// # Errors
/// [`EngineError::Store`] if texts cannot be read.
pub fn fill_in(
    library: &Library,
    search: Arc<Search>,
    values: &Values,
) -> Result<Arc<Search>, EngineError> {
    let Some(filling) = Filling::of(values) else {
        return Ok(search);
    };
    let mode = filling.mode;
    let slots = filling.slots(&search.rank(values));
    if slots.is_empty() {
        return Ok(search);
    }
    let mut texts: Vec<(u32, String)> = Vec::with_capacity(slots.len());
    for (slot, note) in slots.iter().zip(search.texts(&slots)?) {
        // A missing note has no score.
        let chunk = note
            .ok()
            .and_then(|note| filling.read(search.set(), *slot, &note));
        texts.extend(chunk.map(|chunk| (*slot, chunk)));
    }
    let call = library.reranking.begin();
    let mut known = RerankScores {
        mode,
        max_chars: 0,
        provider: String::new(),
        model: String::new(),
        scale: RerankScale::Unit,
        scores: BTreeMap::new(),
        unscored: BTreeSet::new(),
        failure: None,
    };
    let started = Instant::now();
    let question = filling.asked(&search.query);
    if let Err(error) = ask_for(library, &search, &question, &texts, &call, &mut known) {
        known.failure = Some(error.to_string());
    }
    let asking = Asking {
        took: Some(started.elapsed()),
        ..Asking::default()
    };
    library.keep_scores(search.id, &call, known, asking)
}

/// Scores texts of a search, from the cache if it has them.
fn ask_for(
    library: &Library,
    search: &Search,
    query: &str,
    texts: &[(u32, String)],
    call: &Call,
    known: &mut RerankScores,
) -> Result<(), EngineError> {
    let mode = known.mode;
    let asked = Params {
        rerank: mode,
        ..Params::default()
    };
    let limits = Limits {
        deadline: Instant::now() + providers::timeout(&library.store(), &asked)?,
        cancel: call.cancel.clone(),
    };
    let cache = library.reranking.cache(library.dir(), call)?;
    let info = library.with_reranker(mode, &limits, call, |it| Ok(it.info().clone()))?;
    note_scorer(known, &info);
    let sent: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let cached = cache
        .scores(query, &info.provider, &info.model, &sent)
        .unwrap_or_default();
    let mut missing: Vec<&(u32, String)> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let found = cached.get(at).and_then(Option::as_ref);
        match found.and_then(|it| Some((Scale::from_word(&it.scale)?, it.score))) {
            Some((scale, score)) => {
                known.scale = joined(known.scale, in_ranking(scale));
                known.scores.insert(search.chunk_id(text.0), score);
            }
            None => missing.push(text),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let wanted: Vec<String> = missing.iter().map(|(_, text)| text.clone()).collect();
    let (question, bounds) = (query.to_owned(), limits.clone());
    let scored = library.with_reranker(mode, &limits, call, move |reranker| {
        let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
        reranker.score(&question, &texts, &bounds)
    })?;
    known.scale = joined(known.scale, in_ranking(scored.scale));
    let pairs: Vec<(&str, f64)> = missing
        .iter()
        .zip(&scored.scores)
        .filter_map(|((_, text), score)| score.map(|score| (text.as_str(), score)))
        .collect();
    let scale = scored.scale.as_str();
    if let Err(error) = cache.put_scores(query, &info.provider, &info.model, scale, &pairs) {
        tracing::warn!(%error, "cannot keep scores");
    }
    for ((slot, _), score) in missing.iter().zip(scored.scores) {
        note_score(known, search.chunk_id(*slot), score);
    }
    Ok(())
}
