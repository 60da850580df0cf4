//! Asking whoever reranks for the scores that a ranking still needs.
//!
//! Ranking names the rows whose score is missing; here they are asked for, kept with the search as facts, and kept for
//! later searches in the cache of scores. One call runs at a time: a newer one stops the one before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memlens_embed::Embedder;
use memlens_params::{HookMode, Params, RerankMode, StageId};
use memlens_rank::{Detail, RerankScale, RerankScores, RerankState, chars_read};
use memlens_rerank::{
    CancellationToken, Late, Limits, RerankError, Reranker, RerankerInfo, Scale, Scores,
    TokenCache, TokenTable,
};
use memlens_store::{RerankCall, ScoreCache};
use serde::Serialize;
use specta::Type;

use crate::model::{EmbedderSource, Purpose};
use crate::providers::Chosen;
use crate::search::Search;
use crate::{EngineError, Library, providers};

/// So many of the best fused rows are looked up in the cache of scores: the end of the slider of `rerank_max_docs`.
const LOOKED_UP: usize = 200;
/// How long a reranker that nobody uses keeps its memory: some 160 MB for late interaction.
const REST_AFTER: Duration = Duration::from_secs(60);
/// Late interaction reads so many texts at a time.
const LATE_EMBEDDERS: usize = 2;

/// Is the text of one row as the reranker reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SentText {
    /// The row.
    pub slot: u32,
    /// The text, cut at `rerank_max_chars` characters.
    pub text: String,
    /// Whether anything was cut off.
    pub cut: bool,
    /// Whether the row is among those that are sent.
    pub sent: bool,
}

/// Tells how much a part of a note answers the question, under late interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Heat {
    /// Words of the note that answer a word of the question, in the order of the text.
    pub words: Vec<HeatWord>,
}

/// Is one word of a [`Heat`].
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct HeatWord {
    /// Where it starts in the chunk's text, in UTF-16 units.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// How well it answers, in `[0, 1]`.
    pub weight: f64,
    /// The word of the question that it answers.
    pub word: String,
    /// Whether no word of the note answers that one better, so that it counts in the score.
    pub counts: bool,
}

/// Is one call of a reranker, for a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankTime {
    /// When it began, milliseconds since 1970.
    pub at_ms: f64,
    /// Who was asked.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// How many texts were sent.
    pub n_docs: u32,
    /// How many characters of each were sent at most; 0 for whole texts.
    pub max_chars: u32,
    /// How long it took.
    pub ms: f64,
    /// The tokens that were read or billed; none where it is not known.
    pub n_tokens: Option<f64>,
    /// Whether every text got its score.
    pub ok: bool,
}

/// Is what reranking has at hand: the reranker that was used last, and the call under way.
#[derive(Default)]
pub(crate) struct Reranking {
    loaded: Mutex<Option<Loaded>>,
    running: Mutex<CancellationToken>,
    cache: Mutex<Option<Arc<ScoreCache>>>,
}

/// Is a reranker with what it was made from.
struct Loaded {
    mode: RerankMode,
    /// Differs where another one must be made.
    choice: String,
    reranker: AnyReranker,
    used: Instant,
}

/// Late interaction can tell more than scores.
enum AnyReranker {
    Late(Late<KeptTokens>),
    Other(Box<dyn Reranker>),
}

impl AnyReranker {
    fn info(&self) -> &RerankerInfo {
        match self {
            AnyReranker::Late(late) => late.info(),
            AnyReranker::Other(other) => other.info(),
        }
    }

    fn score(
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
struct KeptTokens(Arc<ScoreCache>);

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

    fn cache(&self, dir: &std::path::Path) -> Result<Arc<ScoreCache>, EngineError> {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Asks whoever is outside for what these parameters still need, and keeps the answers with the search: the scores of
    /// a reranker, then what the person's command says. Returns the search with what is known then; a failure is a fact
    /// too, which the ranking tells as its fallback.
    ///
    /// A newer call stops this one, which then returns with what it has, as after [`Library::cancel_asking`].
    ///
    /// # Errors
    /// [`EngineError::SearchGone`], [`EngineError::OtherLists`], [`EngineError::Store`] when texts cannot be read.
    pub fn ask(&self, id: u32, params: &Params) -> Result<Arc<Search>, EngineError> {
        let cancel = self.reranking.begin();
        if params.rerank != RerankMode::Off {
            self.ask_reranker(id, params, &cancel)?;
        }
        if params.hook != HookMode::Off {
            self.ask_hook(id, params, &cancel)?;
        }
        self.kept(id)
    }

    /// Stops the call under way, if there is one.
    pub fn cancel_asking(&self) {
        self.reranking.cancel();
    }

    /// Lets go of what was made from settings or files that changed, and of the answers that searches keep.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn forget_answers(&self) -> Result<(), EngineError> {
        self.reranking.forget();
        self.replace_searches(|search| {
            let mut next = search.clone();
            next.retrieved.set.rerank.clear();
            next.retrieved.set.hook.clear();
            Ok(next)
        })
    }

    /// Asks for the scores that these parameters still need, and keeps them with the search.
    ///
    /// # Errors
    /// As [`Library::ask`].
    fn ask_reranker(
        &self,
        id: u32,
        params: &Params,
        cancel: &CancellationToken,
    ) -> Result<(), EngineError> {
        let search = self.kept(id)?;
        search.for_params(params)?;
        let mut known = search.known(params);
        known.failure = None;
        let search = self.keep_scores(id, known.clone(), None)?;
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
        let texts = search.texts(&self.store(), &slots)?;
        let sent: Vec<&str> = texts
            .iter()
            .map(|text| cut(text, chars_read(params)))
            .collect();

        let mut loaded = lock(&self.reranking.loaded);
        if cancel.is_cancelled() {
            return Ok(());
        }
        let asked = Asked {
            search: &search,
            params,
            slots: &slots,
            sent: &sent,
            n_sent,
            cancel,
        };
        let timeout = providers::timeout(&self.store(), params);
        let outcome = timeout.and_then(|timeout| {
            let reranker = self.load(&mut loaded, params.rerank, timeout)?;
            self.fill(reranker, &asked, timeout, &mut known)
        });
        if outcome.is_err() && params.rerank != RerankMode::Late {
            // Its key, its server or its files may be others the next time.
            *loaded = None;
        }
        drop(loaded);
        match outcome {
            Ok(took) => return self.keep_scores(id, known, took).map(drop),
            Err(EngineError::Rerank(RerankError::Cancelled)) => {}
            Err(error) => known.failure = Some(error.to_string()),
        }
        self.keep_scores(id, known, None).map(drop)
    }

    /// Takes what the cache has, asks for the rest of what is needed, and keeps it there. Returns how long the call took;
    /// none where there was no need of one.
    fn fill(
        &self,
        reranker: &mut AnyReranker,
        asked: &Asked<'_>,
        timeout: Duration,
        known: &mut RerankScores,
    ) -> Result<Option<Duration>, EngineError> {
        let cache = self.reranking.cache(self.dir())?;
        let info = reranker.info().clone();
        known.model.clone_from(&info.model);
        let query = &asked.search.query;
        // A cache that fails costs a call, never the scores.
        let cached = cache
            .scores(query, &info.provider, &info.model, asked.sent)
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot read the cache of scores");
                Vec::new()
            });
        for (slot, cached) in asked.slots.iter().zip(cached) {
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
                let chunk = asked.search.chunk_id(asked.slots[*at]);
                !known.scores.contains_key(&chunk)
            })
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = missing.iter().map(|at| asked.sent[*at]).collect();
        let started = Instant::now();
        let limits = asked.limits(started + timeout);
        let outcome = reranker.score(query, &texts, &limits);
        let took = started.elapsed();
        let call = call(&info, asked.params, &texts, took, &outcome);
        if let Err(error) = cache.log_call(&call) {
            tracing::warn!(%error, "cannot keep how long a call took");
        }
        let scored = outcome?;
        let pairs: Vec<(&str, f64)> = texts.into_iter().zip(scored.scores).collect();
        let scale = scored.scale;
        if let Err(error) =
            cache.put_scores(query, &info.provider, &info.model, scale.as_str(), &pairs)
        {
            tracing::warn!(%error, "cannot keep scores");
        }
        known.scale = joined(known.scale, in_ranking(scale));
        for (at, (_, score)) in missing.iter().zip(pairs) {
            known
                .scores
                .insert(asked.search.chunk_id(asked.slots[*at]), score);
        }
        Ok(Some(took))
    }

    /// Returns the reranker of this mode; the one that was used last where nothing changed. `patience` bounds how long a
    /// keyring may take.
    fn load<'a>(
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

    fn keep_scores(
        &self,
        id: u32,
        known: RerankScores,
        took: Option<Duration>,
    ) -> Result<Arc<Search>, EngineError> {
        self.replace_search(id, |search| {
            search.timing.rerank = took.unwrap_or(search.timing.rerank);
            let tables = &mut search.retrieved.set.rerank;
            tables.retain(|table| !is_of(table, known.mode, known.max_chars));
            tables.push(known);
        })
    }

    /// Returns the texts of rows as the reranker reads them under these parameters.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub fn sent_texts(
        &self,
        search: &Search,
        params: &Params,
        slots: &[u32],
    ) -> Result<Vec<SentText>, EngineError> {
        let reach = search.reach(params);
        let texts = search.texts(&self.store(), slots)?;
        Ok(slots
            .iter()
            .zip(texts)
            .map(|(slot, text)| {
                let part = cut(&text, chars_read(params));
                SentText {
                    slot: *slot,
                    text: part.to_owned(),
                    cut: part.len() < text.len(),
                    sent: reach
                        .iter()
                        .any(|(other, state)| other == slot && *state != RerankState::NotSent),
                }
            })
            .collect())
    }

    /// Returns which words of a row's text answer which words of the question, as late interaction reads the text.
    ///
    /// # Errors
    /// As [`Search::texts`], [`EngineError::Rerank`] where the model cannot read the question or was stopped.
    pub fn heat(&self, search: &Search, params: &Params, slot: u32) -> Result<Heat, EngineError> {
        let text = search
            .texts(&self.store(), &[slot])?
            .pop()
            .unwrap_or_default();
        let part = cut(&text, chars_read(params));
        let timeout = Duration::from_millis(u64::from(params.rerank_timeout_ms));
        let limits = Limits {
            deadline: Instant::now() + timeout,
            cancel: CancellationToken::new(),
        };
        let mut loaded = lock(&self.reranking.loaded);
        let AnyReranker::Late(late) = self.load(&mut loaded, RerankMode::Late, timeout)? else {
            return Ok(Heat { words: Vec::new() });
        };
        let answers = late.answers(&search.query, part, &limits)?;
        drop(loaded);
        let mut units = Utf16::of(&text);
        let words = answers
            .into_iter()
            .map(|answer| HeatWord {
                start: units.at(answer.bytes.start),
                end: units.at(answer.bytes.end),
                weight: f64::from(answer.weight),
                word: search.query[answer.asked].to_owned(),
                counts: answer.counts,
            })
            .collect();
        Ok(Heat { words })
    }

    /// Returns the calls of rerankers that were made from this library, the newest first.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn rerank_calls(&self) -> Result<Vec<RerankTime>, EngineError> {
        let calls = self.reranking.cache(self.dir())?.calls()?;
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
}

/// Is what a call is about.
struct Asked<'a> {
    search: &'a Search,
    params: &'a Params,
    /// Rows by fused rank.
    slots: &'a [u32],
    /// Their texts as sent.
    sent: &'a [&'a str],
    /// How many of them, from the first, these parameters send.
    n_sent: usize,
    cancel: &'a CancellationToken,
}

impl Asked<'_> {
    fn limits(&self, deadline: Instant) -> Limits {
        Limits {
            deadline,
            cancel: self.cancel.clone(),
        }
    }
}

impl Search {
    /// Returns the scores that are known for these parameters' way of asking.
    fn known(&self, params: &Params) -> RerankScores {
        let known = self
            .set()
            .rerank
            .iter()
            .find(|table| is_of(table, params.rerank, chars_read(params)));
        known.cloned().unwrap_or_else(|| RerankScores {
            mode: params.rerank,
            max_chars: chars_read(params),
            model: String::new(),
            scale: RerankScale::Unit,
            scores: BTreeMap::new(),
            failure: None,
        })
    }

    /// Returns the rows that reach the reranker, by fused rank, and how far each is; empty where that stage does nothing
    /// or fell back.
    fn reach(&self, params: &Params) -> Vec<(u32, RerankState)> {
        let trace = self.rank(params);
        let entries = trace.stage(StageId::Rerank).map(|stage| &stage.entries);
        entries
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let Detail::Rerank { state, .. } = entry.detail else {
                    return None;
                };
                Some((entry.slot, state))
            })
            .collect()
    }
}

fn is_of(table: &RerankScores, mode: RerankMode, max_chars: u32) -> bool {
    table.mode == mode && table.max_chars == max_chars
}

/// Returns the first `max_chars` characters of a text; all of it for 0.
fn cut(text: &str, max_chars: u32) -> &str {
    if max_chars == 0 {
        return text;
    }
    match text.char_indices().nth(max_chars as usize) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Returns the embedders of late interaction, of the bundled model.
fn late_embedders(source: &EmbedderSource) -> Result<Vec<Box<dyn Embedder>>, EngineError> {
    (0..LATE_EMBEDDERS)
        .map(|_| Ok(source(Purpose::Query)?))
        .collect()
}

/// Returns the scale of scores of which some came on one scale and some on another: a server that passes on raw scores
/// shows it only by one outside `[0, 1]`. The logistic function keeps the order of all of them.
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

fn call(
    info: &RerankerInfo,
    params: &Params,
    texts: &[&str],
    took: Duration,
    outcome: &Result<Scores, RerankError>,
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
        n_tokens: outcome.as_ref().ok().and_then(|scores| scores.n_tokens),
        is_ok: outcome.is_ok(),
    }
}

/// Counts the UTF-16 units before ascending bytes of a text.
struct Utf16<'a> {
    text: &'a str,
    byte: usize,
    units: u32,
}

impl Utf16<'_> {
    fn of(text: &str) -> Utf16<'_> {
        Utf16 {
            text,
            byte: 0,
            units: 0,
        }
    }

    /// Returns the units before `byte`, which is not before the one asked last.
    fn at(&mut self, byte: usize) -> u32 {
        self.units += self.text[self.byte..byte].encode_utf16().count() as u32;
        self.byte = byte;
        self.units
    }
}
