//! The library for reading: search it and inspect its notes. Works beside any writer.

pub mod data;
pub mod status;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use memlens_agents::Home;
use memlens_embed::{EmbedderSource, Purpose};
use memlens_indexer::{Derived, Opened, Writer};
use memlens_params::{ParameterSet, Params, Values};
use memlens_rank::{AnyPipeline, NATIVE, RetrieverId};
use memlens_retrieve::{
    FOREIGN_REMARK, Lists, NativeRetriever, Part, QueryEmbedder, Question, RetrieveError,
    Retriever, Scope, StoreReader, Within,
};
use memlens_store::{DatabaseFile, ScoreCache, Store, StoreError};
use memlens_wire::{Emulated, SearchAnswer};
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::EngineError;
use crate::clustering::{Clustering, uses_clusters};
use crate::emulation::emulations::Emulations;
use crate::features::Features;
use crate::jobs::Jobs;
use crate::judging::thumbs::{Asked, ReadThumbs};
use crate::reranking::Reranking;
use crate::search::asking::{Answered, Found, ask, is_torn};
use crate::search::facts::{LibraryFacts, today};
use crate::search::kept::KeptSearches;
use crate::search::{SNIPPETS_AT_ONCE, Search, Timing, notices};

/// How long nobody must have searched until the vectors rest: the first search after it takes 1.5 ms more, others no more.
const REST_AFTER: Duration = Duration::from_secs(1);
/// How long a search waits until a thread of this process has repaired what it read.
const MENDING: Duration = Duration::from_secs(10);
/// How long it sleeps between two looks.
const MENDING_STEP: Duration = Duration::from_millis(25);

/// A library, opened for reading.
pub struct Library {
    dir: PathBuf,
    /// The database that was opened.
    file: DatabaseFile,
    store: Arc<StoreReader>,
    /// Separate connection, so that refreshing the lists does not block other readers.
    refreshing: Mutex<Store>,
    retriever: RwLock<Arc<NativeRetriever>>,
    source: EmbedderSource,
    /// Home folder where agents keep their indexes of notes; `None` if the system names none.
    pub(crate) home: Option<Home>,
    pub(crate) embedder: Arc<QueryEmbedder>,
    pub(crate) emulations: Emulations,
    pub(crate) features: Features,
    pub(crate) jobs: Arc<Jobs>,
    searches: Mutex<KeptSearches>,
    /// When a search last read the vectors; `None` while their page cache is released.
    vectors_read: Mutex<Option<Instant>>,
    clustering: RwLock<Option<Arc<Clustering>>>,
    /// Held during a pass over all observations.
    aggregating: Mutex<()>,
    /// The generation whose pass was stopped last; `None` if none was.
    stopped_generation: Mutex<Option<u64>>,
    thumbs: Mutex<ReadThumbs>,
    pub(crate) reranking: Reranking,
    /// Size on disk, and when it was measured; `None` before the first measurement.
    pub(crate) size: Mutex<Option<(Instant, f64)>>,
    next_search: AtomicU32,
    notices: Vec<String>,
    /// The thread of this process that repairs a damaged library; empty if this process does not write.
    repairer: OnceLock<Weak<Writer>>,
}

impl Library {
    /// Opens the library in `dir` for reading. A list that is torn or stale is rebuilt first, unless another process writes.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, and as [`Lists::open`].
    pub fn open(dir: &Path, source: EmbedderSource) -> Result<Library, EngineError> {
        Library::try_open(dir, source, false).map_err(|error| error.at(dir))
    }

    /// Opens it for a question that follows at once: the embedding model is loaded in parallel.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn open_to_search(dir: &Path, source: EmbedderSource) -> Result<Library, EngineError> {
        Library::try_open(dir, source, true).map_err(|error| error.at(dir))
    }

    fn try_open(
        dir: &Path,
        source: EmbedderSource,
        to_search: bool,
    ) -> Result<Library, EngineError> {
        let mut notices = Vec::new();
        let store = Store::open_read_only(dir)?;
        let of_place = store.notice().map(str::to_owned);
        let load = source.clone();
        let embedder = Arc::new(QueryEmbedder::new(Box::new(move || load(Purpose::Query))));
        let lists = thread::scope(|scope| -> Result<Lists, EngineError> {
            if to_search {
                // Only preloads; the question reports a failure.
                scope.spawn(|| embedder.load().is_ok());
            }
            Ok(match Lists::open(&store, None, || writer(dir)) {
                Err(RetrieveError::Index(error)) if error.needs_rebuild() => {
                    notices = repair(dir, &source)?;
                    Lists::open(&store, None, || writer(dir))?
                }
                other => other?,
            })
        })?;
        notices.extend(of_place);
        let refreshing = Mutex::new(store.reader()?);
        let file = store.file().clone();
        let store = Arc::new(StoreReader::new(store));
        let retriever = NativeRetriever::new(Arc::new(lists), embedder.clone(), store.clone());
        Ok(Library {
            dir: dir.to_owned(),
            file,
            refreshing,
            store,
            retriever: RwLock::new(Arc::new(retriever)),
            source,
            home: Home::of_process(),
            embedder,
            emulations: Emulations::default(),
            features: Features::default(),
            jobs: Arc::default(),
            searches: Mutex::default(),
            // Opening reads their codes.
            vectors_read: Mutex::new(Some(Instant::now())),
            clustering: RwLock::new(None),
            aggregating: Mutex::new(()),
            stopped_generation: Mutex::new(None),
            thumbs: Mutex::default(),
            reranking: Reranking::default(),
            size: Mutex::new(None),
            next_search: AtomicU32::new(1),
            notices,
            repairer: OnceLock::new(),
        })
    }

    /// Sets, once, the thread of this process that repairs a damaged library.
    pub fn repair_by(&self, writer: &Arc<Writer>) {
        // It is said where the library is opened.
        let _ = self.repairer.set(Arc::downgrade(writer));
    }

    /// The same library with agents in another home.
    #[must_use]
    pub fn in_home(self, home: impl Into<Option<Home>>) -> Library {
        Library {
            home: home.into(),
            features: Features::default(),
            ..self
        }
    }

    /// Home folder where agents are looked for; `None` if the system names none.
    pub fn home(&self) -> Option<&Home> {
        self.home.as_ref()
    }

    /// The embedder of questions, with its cached vectors.
    pub fn embedder(&self) -> &QueryEmbedder {
        &self.embedder
    }

    /// The cache of rerank scores and of vectors of questions.
    ///
    /// # Errors
    /// [`EngineError::Store`] if it cannot be opened.
    pub fn score_cache(&self) -> Result<Arc<ScoreCache>, EngineError> {
        self.reranking.scores(&self.dir)
    }

    /// Stops rerankers, drops them, and removes the cache of scores.
    ///
    /// # Errors
    /// [`EngineError::Store`] if it cannot be removed.
    pub fn erase_score_cache(&self) -> Result<(), EngineError> {
        self.reranking.erase(&self.dir)
    }

    /// Path of the library's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Process that is writing to the library, as text for the user; `None` if no process is.
    pub fn writer(&self) -> Option<String> {
        writer(&self.dir)
    }

    /// Notices about opening the library, for the user.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The lists as they are now.
    pub fn lists(&self) -> Arc<Lists> {
        self.retriever.read().lists.clone()
    }

    /// The retriever of this library in its current state.
    pub fn retriever(&self) -> Arc<NativeRetriever> {
        self.retriever.read().clone()
    }

    /// Whether the library's database is still the one that was opened. Reads nothing of it, and waits for nobody.
    ///
    /// # Errors
    /// [`StoreError::Missing`] and [`StoreError::Replaced`]; [`StoreError::Folder`] if that cannot be found out.
    pub fn check_file(&self) -> Result<(), EngineError> {
        Ok(self.file.check()?)
    }

    /// Whether the library could be opened now as it was. Damage shows in a new connection only, since an open one caches pages.
    ///
    /// # Errors
    /// As [`Library::check_file`] and [`Store::open_read_only`].
    pub fn check(&self) -> Result<(), EngineError> {
        self.check_file()?;
        let opened = Store::open_read_only(&self.dir);
        Ok(opened.map(drop).map_err(|error| error.at(&self.dir))?)
    }

    /// Whether what this connection reads is of the library that is there now, in a version that is understood.
    ///
    /// # Errors
    /// As [`Library::check_file`] and [`Store::check_version`].
    pub(crate) fn check_current(&self, store: &Store) -> Result<(), EngineError> {
        self.check_file()?;
        Ok(store.check_version()?)
    }

    /// Loads what a writer changed. Returns whether anything did.
    ///
    /// # Errors
    /// As [`Library::open`], and [`StoreError::Replaced`] if another database is in the place of the one that was opened; the old
    /// lists stay in use then.
    pub fn refresh(&self) -> Result<bool, EngineError> {
        self.refresh_after(false)
    }

    /// The same. If `is_written_here` (by the calling thread), does not wait for another writer to bring the lists into step.
    pub fn refresh_after(&self, is_written_here: bool) -> Result<bool, EngineError> {
        let mut store = self.refreshing.lock();
        self.check_current(&store)?;
        store.refresh()?;
        if store.generation()? == self.lists().snapshot.generation {
            // Folders change without a new generation.
            if store.folders()? == self.lists().snapshot.folders {
                return Ok(false);
            }
        }
        self.take_up(store, is_written_here)?;
        Ok(true)
    }

    /// Opens the lists again even if nothing changed, so that data found damaged is read again.
    fn read_again(&self) -> Result<Arc<NativeRetriever>, EngineError> {
        let mut store = self.refreshing.lock();
        self.check_current(&store)?;
        store.refresh()?;
        self.take_up(store, false)
    }

    fn take_up(
        &self,
        store: MutexGuard<'_, Store>,
        is_written_here: bool,
    ) -> Result<Arc<NativeRetriever>, EngineError> {
        let writer = || (!is_written_here).then(|| writer(&self.dir)).flatten();
        let lists = Lists::open(&store, Some(&self.lists()), writer)?;
        drop(store);
        self.note_vectors_read();
        let mut retriever = self.retriever.write();
        *retriever = Arc::new(retriever.with(Arc::new(lists)));
        Ok(retriever.clone())
    }

    /// Releases the page cache of the vectors if nobody has searched for a moment; to be called now and then.
    ///
    /// They are most of what a quiet library takes of this process's memory, see [`memlens_index::VectorFile::rest`].
    pub fn rest(&self) {
        let mut read = self.vectors_read.lock();
        if read.is_none_or(|at| at.elapsed() < REST_AFTER) {
            return;
        }
        *read = None;
        // Cached searches may hold lists of older generations, which map the same file again.
        let searches = self.searches();
        for search in searches.iter() {
            search.retriever.rest();
        }
        self.retriever.read().rest();
    }

    /// Records that a search read the vectors, so that they are not released before the next one.
    pub fn note_vectors_read(&self) {
        *self.vectors_read.lock() = Some(Instant::now());
    }

    /// Observations that agree, from the last pass; `None` before the first.
    pub fn clustering(&self) -> Option<Arc<Clustering>> {
        self.clustering.read().clone()
    }

    /// Whether notes, or the pairs of opposite words, changed since the last pass over the observations. It locks
    /// the store, which must not be locked by the caller.
    pub fn needs_aggregation(&self) -> bool {
        let generation = self.lists().snapshot.generation;
        self.clustering()
            .is_none_or(|clustering| !clustering.is_current(&self.store(), generation))
    }

    /// Whether anything changed since the last pass, and no pass over the library as it is now was stopped: the
    /// background does not begin again what the user stopped.
    pub fn wants_aggregation(&self) -> bool {
        let generation = self.lists().snapshot.generation;
        self.needs_aggregation() && *self.stopped_generation.lock() != Some(generation)
    }

    /// Drops what the last pass found, because notes were forgotten or other words are opposite. A pass in progress is stopped.
    pub fn forget_clustering(&self) {
        self.jobs.aggregation.stop();
        let _one_at_a_time = self.aggregating.lock();
        *self.clustering.write() = None;
        *self.stopped_generation.lock() = None;
    }

    /// Passes over all observations, where anything changed since the last pass; for a thread in the
    /// background, or before a search of the command line. Returns whether it found anything new: false if nothing has
    /// changed, or if the job was stopped.
    ///
    /// # Errors
    /// [`EngineError::Store`]; the result of the last pass stays in use then.
    pub fn aggregate(&self) -> Result<bool, EngineError> {
        let run = self.jobs.aggregation.begin();
        let _one_at_a_time = self.aggregating.lock();
        let before = self.clustering();
        let lists = self.lists();
        let generation = lists.snapshot.generation;
        if run.is_stopped() {
            *self.stopped_generation.lock() = Some(generation);
            return Ok(false);
        }
        let store = self.store().reader()?;
        if before
            .as_ref()
            .is_some_and(|before| before.is_current(&store, generation))
        {
            return Ok(false);
        }
        let clustering = Clustering::of(&store, &lists.snapshot, before.as_deref(), &run)?;
        let Some(clustering) = clustering else {
            *self.stopped_generation.lock() = Some(generation);
            return Ok(false);
        };
        *self.clustering.write() = Some(Arc::new(clustering));
        Ok(true)
    }

    /// Does the same if these parameters use the result; for a search of a program without a background thread.
    ///
    /// # Errors
    /// As [`Library::aggregate`].
    pub fn aggregate_for(&self, params: &Params) -> Result<(), EngineError> {
        if uses_clusters(params) {
            self.aggregate()?;
        }
        Ok(())
    }

    /// Loads the embedder of questions and verifies the codes of vectors, so that the first search waits for neither.
    ///
    /// # Errors
    /// [`EngineError::Embed`] if there is no model; searches then use words only.
    pub fn warm(&self) -> Result<(), EngineError> {
        self.lists().vectors.n_coded();
        self.embedder
            .embed("warm")
            .map(|_| ())
            .map_err(EngineError::from)
    }

    /// Searches: queries both lists once, at the greatest depth, and freezes the facts.
    ///
    /// Without a model only the BM25 list is searched, and the notices say so.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`], [`EngineError::Index`].
    pub fn search(
        &self,
        query: &str,
        params: &Params,
        scope: Option<&Scope>,
    ) -> Result<Arc<Search>, EngineError> {
        let part = scope.map_or(Part::All, |scope| Part::Folder(scope.clone()));
        self.search_in(query, params, part)
    }

    /// Searches a part of the library.
    ///
    /// # Errors
    /// As [`Library::search`].
    pub fn search_in(
        &self,
        query: &str,
        params: &Params,
        part: Part,
    ) -> Result<Arc<Search>, EngineError> {
        self.search_by(query, &NATIVE, &params.values(), self.retriever(), part)
    }

    /// Searches a part of any memory, for a pipeline that ranks what its retriever finds, and freezes the facts.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`]; [`EngineError::OtherRetriever`] if the pipeline ranks what another retriever finds;
    /// [`EngineError::Index`] and [`EngineError::Retrieve`] if the search fails.
    pub fn search_by(
        &self,
        query: &str,
        pipeline: &'static dyn AnyPipeline,
        params: &Values,
        retriever: Arc<dyn Retriever>,
        part: Part,
    ) -> Result<Arc<Search>, EngineError> {
        self.search_memory(query, pipeline, params, (retriever, None), part, true)
    }

    /// Like [`Library::search_by`], for a memory that may emulate another program's. `is_kept` caches the search, so that it can
    /// be requested by its id.
    ///
    /// # Errors
    /// As [`Library::search_by`].
    pub(crate) fn search_memory(
        &self,
        query: &str,
        pipeline: &'static dyn AnyPipeline,
        params: &Values,
        (retriever, emulated): (Arc<dyn Retriever>, Option<Emulated>),
        part: Part,
        is_kept: bool,
    ) -> Result<Arc<Search>, EngineError> {
        let query = query.trim();
        check_question(query, pipeline, &*retriever)?;
        let clustering = self.clustering();
        let within = Within::of(part);
        let Answered {
            found,
            vector,
            embed,
        } = self.retrieve(query, params, retriever, &within)?;
        let Found {
            retriever,
            retrieved,
            mut notices,
        } = found;
        notices.extend(notices::of_retrieval(
            query,
            &retrieved,
            params,
            clustering.as_deref(),
        ));
        let is_own = retriever.id() == RetrieverId::NATIVE;
        // The notes of an emulated program are embedded by the library's model.
        let of_library = || {
            emulated
                .as_ref()
                .and(self.retriever().model().map(str::to_owned))
        };
        let model = retriever.model().map(str::to_owned).or_else(of_library);
        let asked = Asked::new(
            query,
            vector.as_deref().ok().filter(|_| is_own),
            self.lists().vectors.model(),
            self.embedder.clone(),
        );
        // The model is slow, and the searches are locked below.
        let thumbs = self.thumbs()?;
        asked.prepare(&thumbs, &retrieved);
        // Marks and thumbs cannot change between here and the insertion into the cache.
        let mut searches = self.searches();
        let thumbs = self.thumbs()?;
        let (marks, notice) = self.marks_and_notice()?;
        notices.extend(notice);
        let mut search = Search {
            id: self.next_search.fetch_add(1, Ordering::Relaxed),
            query: query.to_owned(),
            emulated,
            notices,
            timing: Timing {
                embed,
                lists: retrieved.took.clone(),
                ..Timing::default()
            },
            is_reranker_loading: false,
            pipeline,
            params: params.clone(),
            retriever,
            vector,
            model,
            within,
            facts: LibraryFacts {
                clustering,
                thumbs,
                asked,
                without_thumbs_for: None,
                marks,
                today: today(),
            },
            retrieved,
        };
        search.facts.put_on(&mut search.retrieved);
        leave_out_altered(&mut search, params)?;
        let search = Arc::new(search);
        if is_kept {
            searches.put(search.clone());
        }
        Ok(search)
    }

    /// Embeds a question and retrieves its candidates.
    fn retrieve(
        &self,
        query: &str,
        params: &Values,
        retriever: Arc<dyn Retriever>,
        within: &Within,
    ) -> Result<Answered, EngineError> {
        let started = Instant::now();
        let vector = retriever.embed(query);
        let embed = started.elapsed();
        let question = Question {
            text: query,
            vector: vector.as_deref().map_err(String::as_str),
            params,
            within,
            also: &[],
            true_ranks: false,
        };
        let mut found = self.retrieve_or_repair(retriever, &question)?;
        self.note_vectors_read();
        found.notices.extend(found.retriever.remarks());
        if vector.is_ok() {
            found.notices.extend(found.retriever.remarks_on(query));
        }
        Ok(Answered {
            found,
            vector,
            embed,
        })
    }

    /// Queries the lists. If a row is damaged, the lists are opened again; if it still is, they are rebuilt: here if no process
    /// writes, otherwise by a thread of this process, for which this waits a moment.
    fn retrieve_or_repair(
        &self,
        retriever: Arc<dyn Retriever>,
        question: &Question<'_>,
    ) -> Result<Found, EngineError> {
        let is_own = retriever.id() == self.retriever().id();
        match ask(retriever, question, &self.dir) {
            Err(error) if is_own && is_torn(&error) => {}
            answer => return Ok(answer?),
        }
        // Repairs transient damage, such as in memory. Lists that cannot even be opened are rebuilt below.
        let again = self.read_again();
        let mut tried = again.unwrap_or_else(|_| self.retriever());
        match ask(tried.clone(), question, &self.dir) {
            Err(error) if is_torn(&error) => {}
            answer => return Ok(answer?),
        }
        // Does nothing if another process writes.
        let notices = repair(&self.dir, &self.source)?;
        let writer = self.repairer.get().and_then(Weak::upgrade);
        let writer = writer.filter(|writer| notices.is_empty() && writer.doubt());
        let until = Instant::now() + MENDING;
        loop {
            // Before the look, so that what is repaired after it is not missed.
            let is_repairing = writer.as_ref().is_some_and(|writer| writer.is_repairing());
            self.refresh()?;
            let mut retriever = self.retriever();
            if !is_repairing && Arc::ptr_eq(&tried, &retriever) {
                retriever = self.read_again()?;
            }
            if !Arc::ptr_eq(&tried, &retriever) {
                match ask(retriever.clone(), question, &self.dir) {
                    Err(error) if is_repairing && is_torn(&error) => tried = retriever,
                    answer => {
                        return Ok(Found { notices, ..answer? });
                    }
                }
            }
            if Instant::now() > until {
                return Err(RetrieveError::Building {
                    dir: self.dir.clone(),
                    writer: self.writer().unwrap_or_default(),
                }
                .into());
            }
            thread::sleep(MENDING_STEP);
        }
    }

    pub(crate) fn read_thumbs(&self) -> MutexGuard<'_, ReadThumbs> {
        self.thumbs.lock()
    }

    /// Replaces every cached search, keeping its id.
    pub(crate) fn replace_searches(
        &self,
        next: impl Fn(&Search) -> Result<Search, EngineError>,
    ) -> Result<(), EngineError> {
        for search in self.searches().iter_mut() {
            *search = Arc::new(next(search)?);
        }
        Ok(())
    }

    /// Replaces a cached search by a changed one, keeping its id, and returns it.
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

    /// The function that loads embedding models.
    pub fn source(&self) -> &EmbedderSource {
        &self.source
    }

    /// Drops all cached searches and emulated memories.
    pub fn forget_searches(&self) {
        self.forget_emulations();
        self.embedder.forget();
        self.forget_measured();
        self.searches().clear();
    }

    /// A cached search.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub fn kept(&self, id: u32) -> Result<Arc<Search>, EngineError> {
        self.searches().get(id).cloned()
    }

    /// A cached search that the user is viewing: it stays cached until another is viewed.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub fn shown(&self, id: u32) -> Result<Arc<Search>, EngineError> {
        let mut searches = self.searches();
        let search = searches.get(id)?.clone();
        searches.show(id);
        Ok(search)
    }

    pub(crate) fn searches(&self) -> MutexGuard<'_, KeptSearches> {
        self.searches.lock()
    }

    /// A search as the window shows it.
    ///
    /// # Errors
    /// [`EngineError::Store`] when texts cannot be read.
    pub fn answer(
        &self,
        search: &Search,
        params: &impl ParameterSet,
    ) -> Result<SearchAnswer, EngineError> {
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
            emulated: search.emulated.clone(),
            language_notice: search
                .notices
                .iter()
                .position(|notice| notice == FOREIGN_REMARK)
                .map(|at| at as u32),
            notices: search.notices.clone(),
            disagreements: search.disagreements(&self.store()),
            n_chunks: search.set().n_chunks,
            retrieve_ms: search.timing.total().as_secs_f64() * 1000.0,
            generation: search.generation() as u32,
            clustering: search
                .facts
                .clustering
                .as_ref()
                .map(|it| it.generation as u32),
        })
    }

    /// The library's store, locked for reading.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock()
    }
}

/// Process that is writing to the library, as text for the user; `None` if no process is.
pub(crate) fn writer(dir: &Path) -> Option<String> {
    match Store::writer(dir) {
        Ok(writer) => writer,
        Err(_) => Some("another process".to_owned()),
    }
}

/// Rebuilds the lists of a library that no process writes to.
fn repair(dir: &Path, source: &EmbedderSource) -> Result<Vec<String>, EngineError> {
    let mut store = match Store::open(dir) {
        Err(StoreError::Locked { .. }) => return Ok(Vec::new()),
        other => other?,
    };
    // The vectors are of the model that made them, whatever model is configured now.
    let (model, dim) = match store.embedding_model()? {
        Some(made_by) => made_by,
        None => {
            let embedder = source(Purpose::Query)?;
            (embedder.info().id.clone(), embedder.info().dim)
        }
    };
    let Opened {
        derived,
        mut notices,
        ..
    } = Derived::open(&mut store, &model, dim)?;
    let never = AtomicBool::new(false);
    let (_, more) = derived.checked(&mut store, (&model, dim), &never)?;
    notices.extend(more);
    Ok(notices)
}

/// Refuses a question without a word, and a pipeline that ranks what another retriever finds.
fn check_question(
    query: &str,
    pipeline: &'static dyn AnyPipeline,
    retriever: &dyn Retriever,
) -> Result<(), EngineError> {
    if query.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    if pipeline.retriever() != retriever.id() {
        return Err(EngineError::OtherRetriever {
            pipeline: pipeline.label(),
            expected: pipeline.retriever().0,
            found: retriever.id().0,
        });
    }
    Ok(())
}

/// Searches again without the chunks whose text differs from what was saved, until no result is one, and adds a notice
/// that names their notes.
fn leave_out_altered(search: &mut Search, params: &Values) -> Result<(), EngineError> {
    let mut altered: BTreeSet<String> = search.retriever.left_out().into_iter().collect();
    // Each round leaves out at least one chunk.
    loop {
        let found = search.altered(params)?;
        if found.is_empty() {
            break;
        }
        for slot in found {
            altered.insert(search.row_facts(slot)?.note.path.clone());
            search.within.without.push(search.chunk_id(slot));
        }
        search.retrieved = search.ask_again(params, &[], false)?;
    }
    let altered: Vec<String> = altered.into_iter().collect();
    search.notices.extend(notices::left_out("", &altered));
    Ok(())
}
