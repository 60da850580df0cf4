//! The library as the window holds it: one thread writes and watches, all others read.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memlens_agents::Home;
use memlens_embed::{Embedder, EmbedderSource, Purpose};
use memlens_handover::agents;
use memlens_handover::agents::{FolderToAdd, folders_to_add};
use memlens_indexer::{Indexer, IndexerError, Session, Unreadable, Watching, Work, Writer};
use memlens_library::clustering::uses_clusters;
use memlens_library::jobs::JobReporter;
use memlens_library::reranking::providers::{kept_keys, models_folder};
use memlens_library::search::native;
use memlens_library::writes::Writes;
use memlens_library::{
    EngineError, Library, ask_second_opinion, changed_model, erase_server_token,
    forget_served_calls, hub_model, is_small_model, model_label, n_opinion_changes, served_calls,
    small_model_sentence,
};
use memlens_map::forget_map;
use memlens_params::{ParameterSet, Params};
use memlens_past::check::check_past;
use memlens_past::{Checked, Lost, forget_worked_out, worked_out};
use memlens_recall::{ImportRun, Write, drop_past, forget_old_past, import_live, take_served};
use memlens_rerank::DownloadListener;
use memlens_rerank::choice::{erase_models, forget_keys};
use memlens_retrieve::Lists;
use memlens_store::{FolderId, Store, StoreError};
use memlens_wire::{
    Activity, FolderState, FolderTree, Happening, JobKind, JobProgress, LibraryState, LostAnswers,
    stamp_of,
};
use parking_lot::Mutex;

use crate::aggregator::{Aggregator, Alarm};
use crate::past_watch::{Due, PastBell, PastWatch};

/// An event to show in the window.
#[derive(Debug, Clone)]
pub enum Event {
    /// The library changed.
    State(Box<LibraryState>),
    /// Something happened to a note and can be searched now.
    Activity(Activity),
    /// The progress of a long job changed.
    Job(JobProgress),
    /// Answers to past questions that an edit took notes out of; `None` if the past questions were deleted.
    Lost(Option<Box<LostAnswers>>),
}

/// Receives every event, on the thread that caused it.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// A library that is written, watched and searched.
pub struct Engine {
    /// Ends before the listener that it reports to.
    _jobs: JobReporter,
    /// Ends before the writer that it writes by.
    _past: PastWatch,
    /// Dropped first, because it sends events to the others.
    pub(crate) writer: Arc<Writer>,
    shared: Arc<Shared>,
    /// Ends with its value.
    _aggregator: Aggregator,
}

/// State shared with the writing thread.
struct Shared {
    library: Library,
    /// Name of the model in use when the library was opened.
    model: String,
    work: Arc<Mutex<Work>>,
    /// Rung when the library changed and somebody uses corroboration.
    alarm: Arc<Alarm>,
    /// Set at the first use of corroboration; without it, observations are not compared.
    wants_clusters: AtomicBool,
    listener: Listener,
    /// Rung when notes changed and past questions are to be checked.
    past: Arc<PastBell>,
}

impl Engine {
    /// Opens the library in `dir`, brings it into step with its folders and watches them.
    ///
    /// If another process writes, if there is no model to index with, or if this process may not write, the library is only
    /// read, and its state says so.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn open(
        dir: &Path,
        source: EmbedderSource,
        listener: Listener,
    ) -> Result<Engine, EngineError> {
        let home = Home::of_process();
        Engine::open_to_watch(dir, source, Watching::default(), home, listener)
    }

    /// Like [`Engine::open`], with settings of the watcher and the home folder where agents are looked for, if any.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_to_watch(
        dir: &Path,
        source: EmbedderSource,
        watching: Watching,
        home: Option<Home>,
        listener: Listener,
    ) -> Result<Engine, EngineError> {
        let mut notices = Vec::new();
        let mut model = String::new();
        let mut refused = None;
        let opened = source(Purpose::Indexing)
            .map_err(EngineError::from)
            .and_then(|embedder| {
                model.clone_from(&embedder.info().name);
                Ok(Indexer::open(dir, embedder)?)
            });
        let indexer = match opened {
            Ok((indexer, opening)) => {
                notices = opening;
                Some(indexer)
            }
            Err(error) if is_only_no_writing(&error) => {
                refused = Some(error);
                None
            }
            Err(error) => return Err(error),
        };
        let read_only = refused.as_ref().map(EngineError::to_string);
        let library = match (Library::open(dir, source.clone()), refused) {
            // The library is missing because it could not be created, so that is the error to report.
            (Err(EngineError::Store(StoreError::Missing { .. })), Some(refused)) => {
                return Err(refused);
            }
            (opened, _) => opened?,
        };
        let library = library.in_home(home);
        notices.extend(library.notices().iter().cloned());
        let work = Arc::new(Mutex::new(Work::new(notices, read_only)));
        let shared = Arc::new(Shared {
            library,
            model,
            work: work.clone(),
            alarm: Arc::new(Alarm::default()),
            wants_clusters: AtomicBool::new(false),
            listener,
            past: Arc::default(),
        });
        let interval = u64::from(Params::default().aggregation_interval_s);
        let (passes, to_stop) = (shared.clone(), shared.clone());
        let aggregator = Aggregator::start(
            shared.alarm.clone(),
            Duration::from_secs(interval),
            move || to_stop.library.stop(JobKind::Aggregation),
            move || passes.aggregate(),
        )?;
        let writer = Writer::start(dir, indexer, source, watching, work, shared.clone())?;
        let writer = Arc::new(writer);
        shared.library.repair_by(&writer);
        let past = watch_past(&shared, &writer)?;
        let reported = shared.clone();
        let jobs = JobReporter::start(shared.library.jobs().clone(), move |progress| {
            (reported.listener)(Event::Job(progress));
        })?;
        Ok(Engine {
            _jobs: jobs,
            _past: past,
            writer,
            shared,
            _aggregator: aggregator,
        })
    }

    /// The library that the engine reads and searches.
    pub fn library(&self) -> &Library {
        &self.shared.library
    }

    /// The state of the library, as the window's status line and its details show it.
    pub fn state(&self) -> LibraryState {
        self.shared.state()
    }

    /// Compares observations in the background from now on, if these parameters use the result; an event reports each pass.
    pub fn keep_aggregated(&self, params: &impl ParameterSet) {
        if native(&params.values()).is_some_and(|params| uses_clusters(&params)) {
            self.compare_in_background();
        }
    }

    /// Has observations compared in the background from now on.
    pub(crate) fn compare_in_background(&self) {
        self.shared.wants_clusters.store(true, Ordering::Relaxed);
        self.shared.ring_if_wanted();
    }

    /// Has the second opinion asked in the background, if observations are compared there.
    pub(crate) fn ask_in_background(&self) {
        if self.shared.wants_clusters.load(Ordering::Relaxed) {
            self.shared.alarm.ring();
        }
    }

    /// Compares all observations if anything changed, and reports the new state.
    pub(crate) fn pass(&self) -> Result<(), EngineError> {
        if self.library().aggregate()? {
            self.shared.report_state();
        }
        Ok(())
    }

    /// Adds a folder to watch; it is walked and indexed in the background.
    ///
    /// # Errors
    /// As [`Indexer::add_folder`], and [`EngineError::Indexer`].
    pub fn add_folder(&self, path: &Path) -> Result<LibraryState, EngineError> {
        self.writer.add_folder(path)?;
        Ok(self.state())
    }

    /// Watches all folders of an agent that are not watched yet.
    ///
    /// # Errors
    /// As [`folders_to_add`](memlens_handover::folders_to_add) and [`Engine::add_folder`]; folders that were added before stay.
    pub fn add_agent(&self, home: &Home, id: &str) -> Result<LibraryState, EngineError> {
        // Read from the store, because the lists are refreshed a moment later.
        let watched = self.write(|store| Ok(store.folders()?))?;
        for FolderToAdd { path, agent, name } in folders_to_add(home, id, &watched)? {
            self.writer.add_folder_of(&path, agent, &name)?;
        }
        Ok(self.state())
    }

    /// Records the agent of each watched folder, from the agents found in a home.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`].
    pub fn note_agents(&self, home: &Home) -> Result<(), EngineError> {
        if self.write(|store| agents::note_agents(store, home))? {
            self.writer.take_up_folders();
        }
        Ok(())
    }

    /// Removes a folder with its notes.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`].
    pub fn remove_folder(&self, folder: FolderId) -> Result<LibraryState, EngineError> {
        self.writer.remove_folder(folder)?;
        self.shared.forget_clustering();
        Ok(self.state())
    }

    /// Pauses or resumes a folder.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`].
    pub fn pause_folder(
        &self,
        folder: FolderId,
        is_paused: bool,
    ) -> Result<LibraryState, EngineError> {
        self.writer.pause_folder(folder, is_paused)?;
        Ok(self.state())
    }

    /// Erases everything: folders, notes, embeddings, presets, thumbs, settings, reranker scores, the token of the server, downloaded
    /// models, and the keys that this library stored in the system's keyring. The note files themselves are not touched.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`], [`EngineError::Index`].
    pub fn erase_all(&self) -> Result<LibraryState, EngineError> {
        let keys = kept_keys(&self.library().store());
        self.library().stop(JobKind::Download);
        let imports = self.library().feature::<ImportRun>();
        let _no_import = imports.pause(self.library().jobs());
        self.writer.erase_all()?;
        self.shared.forget_worked_out(|_| true);
        self.shared.forget_clustering();
        self.library().forget_answers();
        let dir = self.library().dir();
        // What cannot be removed keeps nothing else.
        let removed: [Result<(), EngineError>; 5] = [
            self.library().erase_score_cache(),
            forget_map(self.library()),
            erase_server_token(dir),
            forget_served_calls(dir),
            erase_models(&models_folder(dir)).map_err(EngineError::from),
        ];
        forget_keys(&keys);
        removed.into_iter().collect::<Result<(), EngineError>>()?;
        Ok(self.state())
    }

    /// Pauses all indexing, including the walk of a folder, or resumes it and retries at once what failed.
    pub fn pause_indexing(&self, is_paused: bool) -> LibraryState {
        self.writer.pause(is_paused);
        self.state()
    }

    /// Recent events, newest first.
    pub fn activity(&self) -> Vec<Activity> {
        self.shared.work.lock().activity()
    }

    /// Every folder with what it holds.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn trees(&self) -> Result<Vec<FolderTree>, EngineError> {
        let lists = self.library().lists();
        let folders = self.shared.folders(&lists, &self.shared.work.lock());
        folders
            .into_iter()
            .map(|(id, folder)| {
                let pending = self.shared.work.lock().unfinished(id);
                let entries = self.library().tree(id, &pending)?;
                Ok(FolderTree {
                    is_evergreen: self.library().marks()?.hold(&folder.path, ""),
                    stamp: stamp_of(&entries),
                    entries,
                    folder,
                })
            })
            .collect()
    }

    /// Stores a setting of the library; `None` deletes it.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`].
    pub(crate) fn put_setting(
        &self,
        key: &'static str,
        value: Option<String>,
    ) -> Result<(), EngineError> {
        self.write(|store| Ok(store.put_setting(key, value.as_deref())?))
    }

    /// Starts to download a model; events report the progress. An earlier partial download is continued.
    ///
    /// # Errors
    /// [`memlens_rerank::RerankError::Setting`] for an unknown name or while another download runs.
    pub fn start_download(&self, name: &str) -> Result<(), EngineError> {
        let models = models_folder(self.library().dir());
        let downloads = &self.library().jobs().downloads;
        Ok(downloads.start(name, &models, self.download_listener())?)
    }

    /// Starts to download an embedding model; events report the progress. An earlier partial download is continued.
    ///
    /// # Errors
    /// [`memlens_embed::EmbedError::UnknownModel`]; [`memlens_rerank::RerankError::Setting`] while another download runs.
    pub fn start_embedding_download(&self, name: &str) -> Result<(), EngineError> {
        let model = hub_model(name)?;
        let models = models_folder(self.library().dir());
        let downloads = &self.library().jobs().downloads;
        Ok(downloads.start_embedding(model, &models, self.download_listener())?)
    }

    fn download_listener(&self) -> DownloadListener {
        let listener = self.shared.listener.clone();
        Arc::new(move |progress| listener(Event::Job(JobProgress::Download(progress))))
    }

    /// Shows a notice to the user.
    pub fn add_notice(&self, notice: String) {
        self.shared.work.lock().add_notice(notice);
        self.shared.report_state();
    }

    /// Notes that the user requests something now, so that background work waits.
    pub fn note_request(&self) {
        self.shared.past.note_request();
    }
}

impl Writes for Engine {
    fn library(&self) -> &Library {
        Engine::library(self)
    }

    fn write<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let written = self.writer.write(change);
        written.map_err(|error| error.at(Engine::library(self).dir()))
    }

    fn past_deleted(&self) {
        self.shared.forget_lost();
    }

    fn oppositions_changed(&self) {
        self.shared.forget_clustering();
        self.shared.report_state();
    }

    fn second_opinion_chosen(&self) {
        self.ask_in_background();
        self.shared.report_state();
    }

    fn past_imported(&self) {
        self.shared.past.ring();
    }

    fn model_chosen(&self) {
        self.writer.take_up_model();
    }
}

impl Shared {
    /// The watched folders with their ids, in the order shown.
    fn folders(&self, lists: &Lists, work: &Work) -> Vec<(FolderId, FolderState)> {
        work.folders(&lists.snapshot.folders)
            .into_iter()
            .map(|(folder, status, why)| {
                let counts = lists.counts_of(folder.id);
                let state = FolderState {
                    id: folder.id.0.to_string(),
                    agent: folder
                        .agent
                        .as_deref()
                        .map(memlens_library::notes::note_names::agent_name),
                    path: folder.path,
                    name: folder.name,
                    n_files: counts.n_files,
                    n_chunks: counts.n_chunks,
                    status,
                    why,
                };
                (folder.id, state)
            })
            .collect()
    }

    /// The name of the model of the lists.
    fn model(&self, lists: &Lists) -> String {
        let known = model_label(&self.library.store(), lists.vectors.model());
        known.ok().flatten().unwrap_or_else(|| self.model.clone())
    }

    fn state(&self) -> LibraryState {
        let lists = self.library.lists();
        let snapshot = &lists.snapshot;
        let n_problems = self.library.store().n_unreadable().unwrap_or_default();
        let work = self.work.lock();
        let folders = self.folders(&lists, &work);
        let folders = folders.into_iter().map(|(_, folder)| folder).collect();
        LibraryState {
            folders,
            n_files: snapshot.documents.len() as u32,
            n_chunks: snapshot.n_chunks(),
            n_problems,
            model: self.model(&lists),
            changing: work.changing().cloned(),
            change_failed: work.change_failed().map(str::to_owned),
            generation: snapshot.generation as u32,
            clustering: self.library.clustering().map(|it| it.generation as u32),
            second_opinions: n_opinion_changes(&self.library),
            phase: work.phase(),
            indexing: work.progress().cloned(),
            scanning: work.scanning().cloned(),
            data_dir: self.library.dir().display().to_string(),
            data_bytes: self.library.data_bytes(),
            notices: {
                let mut notices = work.notices();
                let failed = work.change_failed();
                let failed = failed.filter(|_| is_small_model(lists.vectors.model()));
                notices.extend(failed.map(small_model_sentence));
                notices
            },
            read_only: work.read_only().map(str::to_owned),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Compares all observations if anything changed, asks for second opinions, and reports the new state after each.
    fn aggregate(&self) {
        // It may have been stopped since the alarm rang.
        if self.library.wants_aggregation() {
            match self.library.aggregate() {
                Ok(false) => {}
                Ok(true) => self.report_state(),
                Err(error) => tracing::error!(%error, "cannot aggregate observations"),
            }
        }
        match ask_second_opinion(&self.library) {
            Ok(false) => {}
            Ok(true) => self.report_state(),
            Err(error) => tracing::error!(%error, "cannot ask for second opinions"),
        }
    }
}

impl Session for Shared {
    fn refresh(&self, is_written_here: bool) -> Result<bool, Unreadable> {
        let refreshed = self.library.refresh_after(is_written_here);
        refreshed.map_err(|error| Unreadable {
            is_damage: error.is_of_damaged_list(),
            why: error.to_string(),
        })
    }

    fn changed_model(&self, current: &str) -> Result<Option<Box<dyn Embedder>>, IndexerError> {
        // Files of the model are read below; others must not wait for that.
        let store = Store::open_read_only(self.library.dir())?;
        changed_model(&store, self.library.source(), current)
    }

    fn rest(&self) {
        self.library.rest();
    }

    fn forget(&self) {
        self.library.forget_searches();
    }

    fn report_state(&self) {
        self.ring_if_wanted();
        self.past.ring();
        (self.listener)(Event::State(Box::new(self.state())));
    }

    fn report_activity(&self, happened: &Activity) {
        (self.listener)(Event::Activity(happened.clone()));
    }
}

/// Starts the thread for past questions.
fn watch_past(shared: &Arc<Shared>, writer: &Arc<Writer>) -> Result<PastWatch, EngineError> {
    let (of_thread, to_interrupt) = (shared.clone(), shared.clone());
    let writer = writer.clone();
    let mut before = None;
    let interrupt = move || {
        to_interrupt.library.stop(JobKind::Import);
        to_interrupt.library.stop(JobKind::Emulation);
    };
    PastWatch::start(shared.past.clone(), interrupt, move |due| match due {
        Due::Logs => of_thread.go_on_with_logs(&writer),
        Due::Calls => of_thread.take_served(&writer),
        Due::Check => before = of_thread.check_past(before.take()),
    })
}

impl Shared {
    /// Has observations compared in the background, if anything uses it and they changed since the last pass.
    fn ring_if_wanted(&self) {
        if self.wants_clusters.load(Ordering::Relaxed) && self.library.wants_aggregation() {
            self.alarm.ring();
        }
    }

    /// Drops what the last pass over all observations found, and has it repeated.
    fn forget_clustering(&self) {
        self.library.forget_clustering();
        self.ring_if_wanted();
    }

    fn forget_worked_out(&self, is_unwanted: impl Fn(&Activity) -> bool) {
        forget_worked_out(&self.library);
        self.forget_activity(is_unwanted);
    }

    /// Drops the reported lost answers.
    fn forget_lost(&self) {
        self.forget_activity(|activity| activity.what == Happening::Lost);
    }

    fn forget_activity(&self, is_unwanted: impl Fn(&Activity) -> bool) {
        self.work.lock().forget_activity(is_unwanted);
        (self.listener)(Event::Lost(None));
    }

    /// Reads new entries of the agents' logs, if the user allowed it.
    fn go_on_with_logs(&self, writer: &Writer) {
        if self.work.lock().read_only().is_some() {
            return;
        }
        let write: Write<'_> = &mut |change| {
            writer
                .write(|store| change(store))
                .map_err(|error: EngineError| error.at(self.library.dir()))
        };
        match forget_old_past(&self.library, &mut *write) {
            Ok(gone) if gone.is_empty() => {}
            Ok(gone) => drop_past(&self.library, &gone, || self.forget_lost()),
            Err(error) => tracing::warn!(%error, "cannot forget old past questions"),
        }
        if !self.library.recall_choice().is_allowed {
            return;
        }
        let imported = import_live(&self.library, write);
        match imported {
            Ok(done) if done.n_new + done.n_updated + done.n_openings > 0 => self.report_state(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "cannot go on with agents' logs"),
        }
    }

    /// Stores the calls that servers answered, and reports them.
    fn take_served(&self, writer: &Writer) {
        if !served_calls(self.library.dir()).has_lines() || self.work.lock().read_only().is_some() {
            return;
        }
        let write: Write<'_> = &mut |change| {
            writer
                .write(|store| change(store))
                .map_err(|error: EngineError| error.at(self.library.dir()))
        };
        match take_served(&self.library, write) {
            Ok(0) => {}
            Ok(_) => self.report_state(),
            Err(error) => tracing::warn!(%error, "cannot take in calls that were served"),
        }
    }

    /// Checks past questions once the library is in step with its folders, and reports lost answers.
    fn check_past(&self, before: Option<Checked>) -> Option<Checked> {
        let is_wanted = self.library.recall_choice().is_alarm_on
            && self.library.store().n_past().unwrap_or_default() > 0;
        // Changes from before the user switched the check on are not reported.
        let era = worked_out(&self.library).era();
        let before = before.filter(|before| is_wanted && before.era() == era);
        // The library is incomplete during its first walk.
        if !is_wanted || self.work.lock().progress().is_some() {
            return before;
        }
        let checked = check_past(&self.library, before.as_ref(), &|| {
            self.past.wait_for_quiet()
        });
        let now = match checked {
            Ok(Some(now)) => now,
            Ok(None) => return before,
            Err(error) => {
                tracing::warn!(%error, "cannot check past questions");
                return before;
            }
        };
        if let Some(lost) = before.and_then(|before| now.lost_since(&before)) {
            let report = || self.report_lost(lost.clone());
            worked_out(&self.library).keep_lost(now.era(), lost.answers.clone(), report);
        }
        Some(now)
    }

    fn report_lost(&self, lost: Lost) {
        let lists = self.library.lists();
        for (note, folder) in lost.answers.notes.iter().zip(&lost.folders) {
            let name = lists.snapshot.folder(*folder).map(|it| it.name.clone());
            let questions: Vec<String> = note
                .questions
                .iter()
                .map(|it| format!("“{}”", it.question))
                .collect();
            let activity = Activity::now(
                name.unwrap_or_default(),
                note.path.clone(),
                Happening::Lost,
                Some(questions.join(", ")),
            );
            self.work.lock().note(std::slice::from_ref(&activity));
            (self.listener)(Event::Activity(activity));
        }
        (self.listener)(Event::Lost(Some(Box::new(lost.answers))));
    }
}

/// Whether an error only prevents writing the library, not reading it.
fn is_only_no_writing(error: &EngineError) -> bool {
    if let EngineError::Store(StoreError::Folder { source, .. }) = error {
        return matches!(
            source.kind(),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
        );
    }
    matches!(
        error,
        EngineError::Store(StoreError::Locked { .. }) | EngineError::Embed(_)
    )
}
