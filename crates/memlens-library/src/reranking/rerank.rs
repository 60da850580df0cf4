//! Gets the scores from rerankers that a ranking still needs.
//!
//! The ranking names the rows without a score; these are scored here, and the scores are stored with the search as
//! facts, and in the score cache for later searches. One call runs at a time: a newer one stops the previous one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_params::{HookMode, Params, RerankMode, StageId};
use memlens_rank::{ChunkId, Rerank, RerankScale, RerankScores, RerankState, chars_read};
use memlens_rerank::{Limits, RerankError, RerankerInfo, Scale, Scores};

mod filled;
pub mod heat;
mod loaded;
mod sent;
mod texts;
mod times;

pub use filled::fill_in;
pub use heat::heat;
pub use sent::sent_texts;
pub use texts::{TEXT_CHARS_MAX, TextScores, reranker_model, score_texts};
pub use times::rerank_calls;

use sent::cut;

use crate::reranking::{Call, providers};
use crate::search::Search;
use crate::{EngineError, Library};

/// Number of best fused rows that are looked up in the score cache: the slider maximum of `rerank_max_docs`.
const LOOKED_UP: usize = 200;
/// A cross-encoder takes 30 ms or more per text; storing its scores takes one.
const MODEL_TEXTS_AT_ONCE: usize = 4;

impl Library {
    /// Calls the external programs that these parameters still need, and stores their answers with the search: the
    /// scores of a reranker, then the answer of the user's hook command. Returns the search with everything known by
    /// then; a failure is a fact too, which the ranking reports as its fallback.
    ///
    /// A newer call stops this one, which then returns with what it has, as after [`Library::cancel_asking`].
    ///
    /// # Errors
    /// [`EngineError::SearchGone`], [`EngineError::OtherLists`], [`EngineError::Store`] when texts cannot be read.
    pub fn ask(&self, id: u32, params: &Params) -> Result<Arc<Search>, EngineError> {
        let call = self.reranking.begin();
        if params.rerank != RerankMode::Off {
            self.ask_reranker(id, params, &call)?;
        }
        if params.hook != HookMode::Off {
            self.ask_hook(id, params, &call)?;
        }
        self.kept(id)
    }

    /// Stops the running call, if there is one.
    pub fn cancel_asking(&self) {
        self.reranking.cancel();
    }

    /// Drops what was made from settings or files that changed, and the answers stored with searches.
    pub fn forget_answers(&self) {
        self.reranking.forget();
        self.forget_measured();
        let forgotten = self.replace_searches(|search| {
            let mut next = search.clone();
            next.retrieved.set.rerank.clear();
            next.retrieved.set.hook.clear();
            Ok(next)
        });
        forgotten.expect("nothing in it can fail");
    }

    /// Requests the scores that these parameters still need, and stores them with the search.
    ///
    /// # Errors
    /// As [`Library::ask`].
    fn ask_reranker(&self, id: u32, params: &Params, call: &Call) -> Result<(), EngineError> {
        let started = Instant::now();
        let search = self.kept(id)?;
        search.for_params(params)?;
        let mut known = search.known(params);
        known.failure = None;
        let search = self.keep_scores(id, call, known.clone(), Asking::default())?;
        let reach = search.reach(params);
        if !reach
            .iter()
            .any(|(_, state)| *state == RerankState::Pending)
        {
            return Ok(());
        }
        let n_sent = reach
            .iter()
            .filter(|(_, state)| *state != RerankState::NotSent)
            .count();
        let slots: Vec<u32> = reach
            .iter()
            .map(|(slot, _)| *slot)
            .take(LOOKED_UP.max(n_sent))
            .collect();
        let texts = search.texts(&slots)?;
        if call.cancel.is_cancelled() {
            return Ok(());
        }
        let timeout = providers::timeout(&self.store(), params);
        let outcome = timeout.and_then(|timeout| {
            // Of the rows that are only looked up, those with a missing text are skipped.
            let mut found: Vec<(u32, String)> = Vec::with_capacity(slots.len());
            for (at, (slot, text)) in slots.into_iter().zip(texts).enumerate() {
                match search.found("send", slot, text) {
                    Err(_) if at >= n_sent => {}
                    text => found.push((slot, text?)),
                }
            }
            let sent = found
                .iter()
                .map(|(slot, text)| (*slot, cut(text, chars_read(params))))
                .collect();
            let asked = Asked {
                search: &search,
                params,
                call,
                sent,
                n_sent,
            };
            let limits = Limits {
                deadline: started + timeout,
                cancel: call.cancel.clone(),
            };
            self.fill(&asked, &limits, &mut known)
        });
        let mut asking = Asking::default();
        match outcome {
            Ok(took) => asking.took = took,
            Err(EngineError::Rerank(RerankError::Cancelled)) => {}
            Err(error) => {
                asking.took = Some(started.elapsed());
                known.failure = Some(error.to_string());
                let is_given_up =
                    matches!(&error, EngineError::Rerank(error) if error.is_given_up());
                if !is_given_up {
                    self.reranking.forget_reranker(params.rerank);
                }
                asking.is_loading =
                    matches!(error, EngineError::Rerank(RerankError::Unready { .. }));
            }
        }
        self.keep_scores(id, call, known, asking).map(drop)
    }

    /// Takes scores from the cache, requests the missing ones, and caches them. Returns the duration of the call;
    /// `None` if none was needed.
    fn fill(
        &self,
        asked: &Asked<'_>,
        limits: &Limits,
        known: &mut RerankScores,
    ) -> Result<Option<Duration>, EngineError> {
        let mode = asked.params.rerank;
        let call = asked.call;
        let cache = self.reranking.cache(self.dir(), call)?;
        let info =
            self.with_reranker(mode, limits, call, |reranker| Ok(reranker.info().clone()))?;
        note_scorer(known, &info);
        let query = &asked.search.query;
        let (slots, sent): (Vec<u32>, Vec<&str>) = asked.sent.iter().copied().unzip();
        // A failing cache costs a call, but never the scores.
        let cached = cache
            .scores(query, &info.provider, &info.model, &sent)
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot read the cache of scores");
                Vec::new()
            });
        for (slot, cached) in slots.iter().zip(cached) {
            if let Some(cached) = cached
                && let Some(scale) = Scale::from_word(&cached.scale)
            {
                known.scale = joined(known.scale, in_ranking(scale));
                known
                    .scores
                    .insert(asked.search.chunk_id(*slot), cached.score);
            }
        }
        let missing: Vec<usize> = (0..asked.n_sent)
            .filter(|at| {
                let chunk = asked.search.chunk_id(slots[*at]);
                !known.scores.contains_key(&chunk) && !known.unscored.contains(&chunk)
            })
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let started = Instant::now();
        let outcome = missing
            .chunks(texts_at_once(mode))
            .try_fold(Some(0), |n_tokens, part| {
                let texts: Vec<&str> = part.iter().map(|at| sent[*at]).collect();
                let scored = self.score(asked, &texts, limits)?;
                let scale = scored.scale;
                let pairs: Vec<(&str, f64)> = texts
                    .into_iter()
                    .zip(&scored.scores)
                    .filter_map(|(text, score)| score.map(|score| (text, score)))
                    .collect();
                if let Err(error) =
                    cache.put_scores(query, &info.provider, &info.model, scale.as_str(), &pairs)
                {
                    tracing::warn!(%error, "cannot keep scores");
                }
                known.scale = joined(known.scale, in_ranking(scale));
                for (at, score) in part.iter().zip(scored.scores) {
                    note_score(known, asked.search.chunk_id(slots[*at]), score);
                }
                let sum = n_tokens.zip(scored.n_tokens).map(|(sum, n)| sum + n);
                Ok::<Option<u64>, EngineError>(sum)
            });
        let took = started.elapsed();
        let texts: Vec<&str> = missing.iter().map(|at| sent[*at]).collect();
        let timed = times::call(&info, asked.params, &texts, took, &outcome);
        if let Err(error) = cache.log_call(&timed) {
            tracing::warn!(%error, "cannot keep how long a call took");
        }
        outcome.map(|_| Some(took))
    }

    /// Has the reranker score texts.
    fn score(
        &self,
        asked: &Asked<'_>,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, EngineError> {
        let (query, bounds) = (asked.search.query.clone(), limits.clone());
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        self.with_reranker(asked.params.rerank, limits, asked.call, move |reranker| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            reranker.score(&query, &texts, &bounds)
        })
    }

    /// Stores scores with the search, unless their source was changed meanwhile.
    fn keep_scores(
        &self,
        id: u32,
        call: &Call,
        known: RerankScores,
        asking: Asking,
    ) -> Result<Arc<Search>, EngineError> {
        self.replace_search(id, |search| {
            if !self.reranking.is_wanted(call) {
                return;
            }
            search.timing.rerank = asking.took.unwrap_or(search.timing.rerank);
            search.is_reranker_loading = asking.is_loading;
            let tables = &mut search.retrieved.set.rerank;
            tables.retain(|table| !is_of(table, known.mode, known.max_chars));
            tables.push(known);
        })
    }
}

/// Outcome of a call, besides its scores.
#[derive(Default)]
struct Asking {
    /// `None` if nothing was called, or the call was stopped.
    took: Option<Duration>,
    /// Whether it was given up because the reranker was still loading.
    is_loading: bool,
}

struct Asked<'a> {
    search: &'a Search,
    params: &'a Params,
    call: &'a Call,
    /// Rows by fused rank, with their texts as sent.
    sent: Vec<(u32, &'a str)>,
    /// Number of these, from the first, that the parameters send.
    n_sent: usize,
}

impl Search {
    /// Scores that are known for these parameters' texts and model.
    fn known(&self, params: &Params) -> RerankScores {
        let known = self
            .set()
            .rerank
            .iter()
            .find(|table| is_of(table, params.rerank, chars_read(params)));
        known.cloned().unwrap_or_else(|| RerankScores {
            mode: params.rerank,
            max_chars: chars_read(params),
            provider: String::new(),
            model: String::new(),
            scale: RerankScale::Unit,
            scores: BTreeMap::new(),
            unscored: BTreeSet::new(),
            failure: None,
        })
    }

    /// The rows that these parameters send to a reranker.
    pub(crate) fn sent(&self, params: &Params) -> Vec<u32> {
        if params.rerank == RerankMode::Off {
            return Vec::new();
        }
        let reach = self.reach(params).into_iter();
        reach
            .filter(|(_, state)| *state != RerankState::NotSent)
            .map(|(slot, _)| slot)
            .collect()
    }

    /// The rows that reach the reranker, by fused rank, and how far each is; empty if that stage does nothing
    /// or fell back.
    fn reach(&self, params: &Params) -> Vec<(u32, RerankState)> {
        let trace = self.rank(params);
        let entries = trace.stage(StageId::RERANK).map(|stage| &stage.entries);
        entries
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let Rerank { state, .. } = entry.detail.get()?;
                Some((entry.slot, *state))
            })
            .collect()
    }
}

/// Number of texts that are scored before their scores are stored. A local model may be slower than its time limit:
/// what it has scored by then is not scored again, so that it finishes when it is called again.
fn texts_at_once(mode: RerankMode) -> usize {
    match mode {
        RerankMode::Model => MODEL_TEXTS_AT_ONCE,
        RerankMode::Off | RerankMode::Late | RerankMode::Http => usize::MAX,
    }
}

/// Records the scorer from now on; scores of different models are kept in different tables.
fn note_scorer(known: &mut RerankScores, info: &RerankerInfo) {
    if (&known.provider, &known.model) != (&info.provider, &info.model) {
        known.provider.clone_from(&info.provider);
        known.model.clone_from(&info.model);
        known.scale = RerankScale::Unit;
        known.scores.clear();
        known.unscored.clear();
    }
}

/// Records the score of a text, or that it was sent and got none.
fn note_score(known: &mut RerankScores, chunk: ChunkId, score: Option<f64>) {
    match score {
        Some(score) => {
            known.scores.insert(chunk, score);
        }
        None => {
            known.unscored.insert(chunk);
        }
    }
}

fn is_of(table: &RerankScores, mode: RerankMode, max_chars: u32) -> bool {
    table.mode == mode && table.max_chars == max_chars
}

/// The common scale of scores on two scales: a server that passes on raw scores shows it only by one outside `[0, 1]`.
/// The logistic function preserves the order of all of them.
fn joined(known: RerankScale, new: RerankScale) -> RerankScale {
    match (known, new) {
        (RerankScale::Logit, _) => RerankScale::Logit,
        (RerankScale::Unit | RerankScale::MaxSim, new) => new,
    }
}

fn in_ranking(scale: Scale) -> RerankScale {
    match scale {
        Scale::Unit => RerankScale::Unit,
        Scale::Logit => RerankScale::Logit,
        Scale::MaxSim => RerankScale::MaxSim,
    }
}
