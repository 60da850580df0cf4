//! The library to read: search it, look at its notes. Works beside any writer.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder};
use memlens_params::Params;
use memlens_rank::{ListId, ListState};
use memlens_store::{Snapshot, Store, StoreError};
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::EngineError;
use crate::agreement::{Agreement, uses_agreement};
use crate::derived::Derived;
use crate::feedback::CountedThumbs;
use crate::kept::KeptSearches;
use crate::lists::Lists;
use crate::model::{EmbedderSource, Purpose};
use crate::rerank::Reranking;
use crate::retrieve::retrieve;
use crate::scope::Scope;
use crate::search::{SNIPPETS_AT_ONCE, Search, Timing};
use crate::view::{SearchAnswer, Snippet};

/// How long nobody must have searched until the vectors rest: the first search after it takes 1.5 ms more, others no more.
const REST_AFTER: Duration = Duration::from_secs(1);
/// How much of a query a notice repeats.
const QUERY_CHARS_SHOWN: usize = 40;

/// Is a library to read.
pub struct Library {
    dir: PathBuf,
    store: Mutex<Store>,
    /// A connection of its own, so that nobody waits while the lists are read anew.
    refreshing: Mutex<Store>,
    lists: RwLock<Arc<Lists>>,
    source: EmbedderSource,
    embedder: Mutex<Option<Box<dyn Embedder>>>,
    searches: Mutex<KeptSearches>,
    /// When a search last read the vectors; none while they rest.
    vectors_read: Mutex<Option<Instant>>,
    agreement: RwLock<Option<Arc<Agreement>>>,
    thumbs: Mutex<CountedThumbs>,
    pub(crate) reranking: Reranking,
    next_search: AtomicU32,
    notices: Vec<String>,
}

impl Library {
    /// Opens the library in `dir` to read. A list that is torn or stale while nobody writes is
    /// rebuilt first.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none, and as [`Lists::open`].
    pub fn open(dir: &Path, source: EmbedderSource) -> Result<Library, EngineError> {
        Library::try_open(dir, source).map_err(|error| error.at(dir))
    }

    fn try_open(dir: &Path, source: EmbedderSource) -> Result<Library, EngineError> {
        let mut notices = Vec::new();
        let store = Store::open_read_only(dir)?;
        let lists = match Lists::open(&store, None, || writer(dir)) {
            Err(EngineError::Index(error)) if error.needs_rebuild() => {
                notices = repair(dir, &source)?;
                Lists::open(&store, None, || writer(dir))?
            }
            other => other?,
        };
        Ok(Library {
            dir: dir.to_owned(),
            refreshing: Mutex::new(store.reader()?),
            store: Mutex::new(store),
            lists: RwLock::new(Arc::new(lists)),
            source,
            embedder: Mutex::new(None),
            searches: Mutex::default(),
            vectors_read: Mutex::new(None),
            agreement: RwLock::new(None),
            thumbs: Mutex::default(),
            reranking: Reranking::default(),
            next_search: AtomicU32::new(1),
            notices,
        })
    }

    /// Returns the library's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns who writes to the library now, for a person; none when nobody does.
    pub fn writer(&self) -> Option<String> {
        writer(&self.dir)
    }

    /// Returns what a person should be told of the opening.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the lists as they are now.
    pub fn lists(&self) -> Arc<Lists> {
        self.lists.read().clone()
    }

    /// Takes up what a writer changed. Returns whether anything did.
    ///
    /// # Errors
    /// As [`Library::open`]; the old lists stay in use then.
    pub fn refresh(&self) -> Result<bool, EngineError> {
        let lists = {
            let mut store = self.refreshing.lock();
            store.thaw()?;
            if store.generation()? == self.lists().snapshot.generation {
                // Folders change without a new generation.
                if store.folders()? == self.lists().snapshot.folders {
                    return Ok(false);
                }
            }
            Lists::open(&store, Some(&self.lists()), || writer(&self.dir))?
        };
        *self.lists.write() = Arc::new(lists);
        Ok(true)
    }

    /// Lets the vectors rest where nobody has searched for a moment; to be called now and then.
    ///
    /// They are most of what a quiet library takes of this process's memory, see [`memlens_index::VectorFile::rest`].
    pub(crate) fn rest(&self) {
        let mut read = self.vectors_read.lock();
        if read.is_none_or(|at| at.elapsed() < REST_AFTER) {
            return;
        }
        *read = None;
        // Searches that are kept may hold lists of older generations, which map the same file once more.
        let searches = self.searches();
        for lists in searches.iter().map(|search| &search.lists) {
            lists.vectors.rest();
        }
        self.lists().vectors.rest();
    }

    /// Notes that a search read the vectors, so that they do not rest before the next one.
    pub(crate) fn note_vectors_read(&self) {
        *self.vectors_read.lock() = Some(Instant::now());
    }

    /// Returns who agrees with whom, as the last pass found it; none before the first.
    pub fn agreement(&self) -> Option<Arc<Agreement>> {
        self.agreement.read().clone()
    }

    /// Tells whether anything changed since the last pass over the observations.
    pub fn needs_aggregation(&self) -> bool {
        let generation = self.lists().snapshot.generation;
        self.agreement()
            .is_none_or(|agreement| agreement.generation != generation)
    }

    /// Passes over all observations, where anything changed since the last pass; for a thread in the
    /// background, or before a search of the command line. Returns whether there was anything to do.
    ///
    /// # Errors
    /// [`EngineError::Store`]; what the last pass found stays then.
    pub fn aggregate(&self) -> Result<bool, EngineError> {
        let before = self.agreement();
        let lists = self.lists();
        let generation = lists.snapshot.generation;
        if before
            .as_ref()
            .is_some_and(|it| it.generation == generation)
        {
            return Ok(false);
        }
        let store = self.store().reader()?;
        let agreement = Agreement::of(&store, &lists.snapshot, before.as_deref())?;
        *self.agreement.write() = Some(Arc::new(agreement));
        Ok(true)
    }

    /// Passes over all observations where these parameters make use of them: before a search where no
    /// thread in the background does it.
    ///
    /// # Errors
    /// As [`Library::aggregate`].
    pub fn aggregate_for(&self, params: &Params) -> Result<(), EngineError> {
        if uses_agreement(params) {
            self.aggregate()?;
        }
        Ok(())
    }

    /// Loads the query's embedder, so that the first search does not wait for it.
    ///
    /// # Errors
    /// [`EngineError::Embed`] when there is no model; searches go on with words alone.
    pub fn warm(&self) -> Result<(), EngineError> {
        self.embed("warm").map(|_| ()).map_err(EngineError::from)
    }

    /// Searches: asks both lists once, at the greatest depth, and keeps the facts.
    ///
    /// Without a model the BM25 list alone answers, and the notices say so.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`], [`EngineError::Index`].
    pub fn search(
        &self,
        query: &str,
        params: &Params,
        scope: Option<&Scope>,
    ) -> Result<Arc<Search>, EngineError> {
        let lists = self.lists();
        let ranges = ranges(&lists.snapshot, scope);
        self.search_among(query, params, lists, ranges)
    }

    /// Searches the chunks of these places alone: ascending disjoint ranges of the lists' snapshot.
    ///
    /// # Errors
    /// As [`Library::search`].
    pub(crate) fn search_among(
        &self,
        query: &str,
        params: &Params,
        lists: Arc<Lists>,
        ranges: Vec<Range<u32>>,
    ) -> Result<Arc<Search>, EngineError> {
        let query = query.trim();
        if query.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let agreement = self.agreement();
        let started = Instant::now();
        let vector = self.query_vector(query, lists.vectors.model());
        let embedded = started.elapsed();
        let retrieved = retrieve(
            &lists,
            query,
            vector.as_deref().map_err(String::clone),
            params,
            &ranges,
            &[],
            agreement.as_deref(),
        )?;
        self.note_vectors_read();
        let defaults = Params::default();
        let cut = |params: &Params| {
            (
                params.chunk_chars,
                params.chunk_overlap_chars,
                params.window_chars,
            )
        };
        let shown: String = query.chars().take(QUERY_CHARS_SHOWN).collect();
        let mut notices = Vec::new();
        let missing = |id| match retrieved.set.list(id).map(|list| &list.state) {
            Some(ListState::Missing(why)) => Some(why),
            Some(ListState::Ready) | None => None,
        };
        match (missing(ListId::VECTOR), missing(ListId::BM25)) {
            (None, None) => {}
            (Some(why), None) => {
                notices.push(format!("The order comes from words alone: {why}."));
            }
            (None, Some(_)) => notices.push(format!(
                "“{shown}” has no letters or digits, so BM25 was skipped. The order comes from vectors alone."
            )),
            (Some(why), Some(_)) => notices.push(format!(
                "Nothing can be compared: “{shown}” has no letters or digits, and there are no vectors: {why}."
            )),
        }
        if cut(params) != cut(&defaults) {
            notices.push(format!(
                "The library is cut into chunks of {} characters; other chunk lengths take effect only when it is built with them.",
                defaults.chunk_chars
            ));
        }
        if retrieved.n_words_left_out > 0 {
            notices.push(format!(
                "The question has {} different words; the first {} were looked up.",
                retrieved.words.len() + retrieved.n_words_left_out,
                retrieved.words.len()
            ));
        }
        if uses_agreement(params)
            && let Some(agreement) = &agreement
        {
            notices.extend(told_altered("the observations of", &agreement.altered));
        }
        // Thumbs and marks are read while no other may be taken up, so that none is missed between here and the keeping.
        let mut searches = self.searches();
        let thumbs = self.thumbs(&lists)?;
        let (marks, notice) = self.marks_and_notice()?;
        notices.extend(notice);
        let mut search = Search {
            id: self.next_search.fetch_add(1, Ordering::Relaxed),
            query: query.to_owned(),
            notices,
            timing: Timing {
                embed: embedded,
                vector: retrieved.vector_took,
                text: retrieved.text_took,
                ..Timing::default()
            },
            is_reranker_loading: false,
            params: params.clone(),
            lists,
            vector,
            agreement,
            thumbs,
            marks,
            scope: ranges,
            retrieved,
        };
        search.take_up_facts();
        let mut altered: BTreeSet<String> = search
            .lists
            .snapshot
            .altered
            .iter()
            .map(|one| one.path.clone())
            .collect();
        // Each turn leaves out one at least.
        loop {
            // The store is let go of before the lists are asked again.
            let found = search.altered(&self.store(), params)?;
            if found.is_empty() {
                break;
            }
            for place in found {
                let chunk = &search.lists.snapshot.chunks[place as usize];
                let document = &search.lists.snapshot.documents[chunk.document as usize];
                altered.insert(document.path.clone());
                search.scope = without(&search.scope, place);
            }
            search.retrieved = retrieve(
                &search.lists,
                query,
                search.vector.as_deref().map_err(String::clone),
                params,
                &search.scope,
                &[],
                search.agreement.as_deref(),
            )?;
            search.take_up_facts();
        }
        let altered: Vec<String> = altered.into_iter().collect();
        search.notices.extend(told_altered("", &altered));
        let search = Arc::new(search);
        searches.put(search.clone());
        Ok(search)
    }

    /// Returns the thumbs as they were last counted.
    pub(crate) fn counted_thumbs(&self) -> MutexGuard<'_, CountedThumbs> {
        self.thumbs.lock()
    }

    /// Puts another in place of each search that is kept, under the same id.
    pub(crate) fn replace_searches(
        &self,
        next: impl Fn(&Search) -> Result<Search, EngineError>,
    ) -> Result<(), EngineError> {
        for search in self.searches().iter_mut() {
            *search = Arc::new(next(search)?);
        }
        Ok(())
    }

    /// Puts a changed one in place of a search that is kept, under the same id, and returns it.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub(crate) fn replace_search(
        &self,
        id: u32,
        change: impl FnOnce(&mut Search),
    ) -> Result<Arc<Search>, EngineError> {
        let mut searches = self.searches();
        let kept = searches.get(id)?;
        let mut next = Search::clone(kept);
        change(&mut next);
        *kept = Arc::new(next);
        Ok(kept.clone())
    }

    /// Returns where embedders come from.
    pub(crate) fn source(&self) -> &EmbedderSource {
        &self.source
    }

    /// Keeps no search any more.
    pub(crate) fn forget_searches(&self) {
        self.searches().clear();
    }

    /// Returns a search that is still kept.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub fn kept(&self, id: u32) -> Result<Arc<Search>, EngineError> {
        self.searches().get(id).cloned()
    }

    /// Returns a search that is still kept and that a person looks at: it stays until they look at another.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub fn shown(&self, id: u32) -> Result<Arc<Search>, EngineError> {
        let mut searches = self.searches();
        let search = searches.get(id)?.clone();
        searches.show(id);
        Ok(search)
    }

    fn searches(&self) -> MutexGuard<'_, KeptSearches> {
        self.searches.lock()
    }

    /// Returns a search as the window shows it.
    ///
    /// # Errors
    /// [`EngineError::Store`] when texts cannot be read.
    pub fn answer(&self, search: &Search, params: &Params) -> Result<SearchAnswer, EngineError> {
        let columns = search.columns(params);
        let n_shown = SNIPPETS_AT_ONCE.min(columns.n_kept as usize);
        let first = columns.order[..n_shown].to_vec();
        Ok(SearchAnswer {
            id: search.id,
            query: search.query.clone(),
            rows: search.rows()?,
            snippets: self.snippets(search, &first)?,
            columns,
            words: search.words(),
            bm25_ideal: search.set().bm25_ideal,
            notices: search.notices.clone(),
            n_chunks: search.set().n_chunks,
            retrieve_ms: search.timing.total().as_secs_f64() * 1000.0,
            generation: search.generation() as u32,
            agreement: search.agreement.as_ref().map(|it| it.generation as u32),
        })
    }

    /// Returns the best passage of each candidate asked for.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], [`EngineError::Store`].
    pub fn snippets(&self, search: &Search, slots: &[u32]) -> Result<Vec<Snippet>, EngineError> {
        search.snippets(&self.store(), slots)
    }

    /// Returns the store, to read.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        let mut store = self.store.lock();
        if let Err(error) = store.thaw() {
            // Whoever reads from it is told what is wrong.
            tracing::debug!(%error, "cannot open the library anew");
        }
        store
    }

    /// Returns the query's vector where it can be compared with vectors of `model`, else why not.
    fn query_vector(&self, query: &str, model: &str) -> Result<Vec<f32>, String> {
        match self.embed(query) {
            Ok((found, vector)) if found == model => {
                vector.ok_or_else(|| "the embedding model does not know its words".to_owned())
            }
            Ok((found, _)) => Err(format!(
                "the notes were embedded by {model} and not by {found}; index them again"
            )),
            Err(error) => Err(format!("no embedding: {error}")),
        }
    }

    /// Returns the model's id and the query's vector; none where the model cannot read it.
    fn embed(&self, query: &str) -> Result<(String, Option<Vec<f32>>), EmbedError> {
        let mut embedder = self.embedder.lock();
        if embedder.is_none() {
            *embedder = Some((self.source)(Purpose::Query)?);
        }
        let embedder = embedder.as_mut().expect("it was just put there");
        // Without a word for the other list, noise is better than nothing: it finds the same signs.
        let vector = if embedder.reads(query) || memlens_index::words(query).is_empty() {
            embedder.embed(&[query], &AtomicBool::new(false))?.pop()
        } else {
            None
        };
        Ok((embedder.info().id.clone(), vector))
    }
}

/// Returns ascending disjoint ranges without one place.
fn without(ranges: &[Range<u32>], place: u32) -> Vec<Range<u32>> {
    ranges
        .iter()
        .flat_map(|range| {
            if range.contains(&place) {
                [range.start..place, place + 1..range.end]
            } else {
                [range.clone(), 0..0]
            }
        })
        .filter(|range| !range.is_empty())
        .collect()
}

/// Returns what a person is told of notes, or of `what` of them, that are left out since they are not as they were saved.
fn told_altered(what: &str, paths: &[String]) -> Option<String> {
    let (first, others) = paths.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " and one more note".to_owned(),
        n_others => format!(" and {n_others} more notes"),
    };
    let named = format!("{what} {first}{others}");
    Some(format!(
        "Left out: {}. The library does not hold what it saved, as after a fault of the disk; `memlens index`, or the next \
         start of the window, reads the notes anew.",
        named.trim_start()
    ))
}

/// Returns the chunks that are searched.
fn ranges(snapshot: &Snapshot, scope: Option<&Scope>) -> Vec<Range<u32>> {
    match scope {
        Some(scope) => scope.chunks(snapshot),
        None => std::iter::once(0..snapshot.chunks.len() as u32).collect(),
    }
}

/// Returns who writes to the library now, for a person; none when nobody does.
pub(crate) fn writer(dir: &Path) -> Option<String> {
    match Store::writer(dir) {
        Ok(writer) => writer,
        Err(_) => Some("another process".to_owned()),
    }
}

/// Rebuilds the lists of a library that nobody writes to.
fn repair(dir: &Path, source: &EmbedderSource) -> Result<Vec<String>, EngineError> {
    let mut store = match Store::open(dir) {
        Err(StoreError::Locked { .. }) => return Ok(Vec::new()),
        other => other?,
    };
    // Whatever model there is now, the vectors are of the one that made them.
    let (model, dim) = match store.embedding_model()? {
        Some(made_by) => made_by,
        None => {
            let embedder = source(Purpose::Query)?;
            (embedder.info().id.clone(), embedder.info().dim)
        }
    };
    let (_, notices) = Derived::open(&mut store, &model, dim)?;
    Ok(notices)
}
