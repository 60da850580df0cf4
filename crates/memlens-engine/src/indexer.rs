//! The one writer: files to documents, chunks, embeddings and lists, one file a step.
//!
//! Embeddings are saved as they come and documents in batches, so that a process killed at any
//! moment leaves a sound library and the next start embeds only what is missing.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder};
use memlens_ingest::{IngestError, IngestOptions};
use memlens_params::Params;
use memlens_store::{
    Applied, Change, EmbeddingId, FolderId, Severity, Store, StoreError, StoredProblem,
};

use crate::EngineError;
use crate::derived::{Derived, Opened, told_forgotten};
use crate::view::{Activity, Happening, Progress};

mod clock;
mod documents;
mod folders;
mod happened;
mod queue;
mod tries;

use clock::Clock;
pub use folders::refuse_library_among;
pub(crate) use folders::{add_folder, readable_folder};
use happened::{Happened, told};
use queue::{Job, Queue};
use tries::{TRIES_MAX, Tries};

/// Documents wait at most so long, or for so many chunks, until they can be found.
const COMMIT_AFTER: Duration = Duration::from_millis(1200);
const COMMIT_CHUNKS: usize = 256;
/// Or until so many changes have come together.
const COMMIT_CHANGES: usize = 1024;
/// Bringing a change into a large library takes time; this many times as long passes at least until the next.
const COMMIT_REST: u32 = 3;
/// Fewer embeddings that nothing uses are not worth the work of forgetting them: 1.5 MB.
const UNUSED_MIN: u64 = 1024;
/// Raised when the same file would be cut in another way.
const RECIPE_VERSION: u32 = 3;

/// Is told what the indexer does.
pub trait Observer {
    /// Work went on; called often.
    fn progress(&mut self, _progress: &Progress) {}
    /// A folder is being walked, and so many files were found so far; called with every entry.
    fn scanned(&mut self, _n_files: usize) {}
    /// Changes can be searched now.
    fn committed(&mut self, _happened: &[Activity]) {}
    /// Something was mended, and a person should be told.
    fn noticed(&mut self, _notice: &str) {}
    /// Whether something else should be done first; asked between a few texts. The work at hand is taken up
    /// again where it stood.
    fn interrupts(&mut self) -> bool {
        false
    }
}

/// An observer that looks away.
impl Observer for () {}

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// Everything is done and saved.
    Idle,
    /// It was cancelled; what was done so far is saved.
    Cancelled,
}

/// Counts what indexing did since the indexer was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Files that are new in the library.
    pub n_added: u32,
    /// Files whose content changed.
    pub n_changed: u32,
    /// Files that are gone.
    pub n_removed: u32,
    /// Files found as they were.
    pub n_unchanged: u32,
    /// Files that could not be read.
    pub n_unreadable: u32,
    /// Texts that the model read.
    pub n_embedded: u32,
}

/// Brings the library into step with the folders.
pub struct Indexer {
    /// None after a failed write, until the lists are rebuilt. It goes before the store, whose lock tells others that
    /// they may write.
    derived: Option<Derived>,
    store: Store,
    /// Whether the library was compared with what was saved.
    is_checked: bool,
    /// What a person should be told; told with the next step.
    notices: Vec<String>,
    /// Notes that were not as they were saved and were forgotten; queued with the next step.
    forgotten: Vec<(FolderId, String)>,
    /// Whether all notes were forgotten when it was opened.
    is_anew: bool,
    embedder: Box<dyn Embedder>,
    options: IngestOptions,
    jobs: Queue,
    pending: Vec<Change>,
    pending_since: Option<Instant>,
    pending_chunks: usize,
    /// Whether nothing can be saved, whichever note it is of: nothing more is read until that succeeds.
    is_stuck: bool,
    happened: Vec<Happened>,
    /// Whether something was saved and can be found, and nobody was told.
    is_untold: bool,
    /// How long changes wait at most until they can be found.
    commit_after: Duration,
    counts: Counts,
    clock: Clock,
    tries: Tries,
    /// The tokens of texts whose note is not done yet.
    counted: HashMap<[u8; 32], u32>,
}

impl Indexer {
    /// Opens the library in `dir` to write, and repairs its lists where they are out of step.
    ///
    /// Returns with it what a person should be told.
    ///
    /// # Errors
    /// As [`Store::open`], and where a list cannot be written.
    pub fn open(
        dir: &Path,
        embedder: Box<dyn Embedder>,
    ) -> Result<(Indexer, Vec<String>), EngineError> {
        Indexer::try_open(dir, embedder).map_err(|error| error.at(dir))
    }

    fn try_open(
        dir: &Path,
        embedder: Box<dyn Embedder>,
    ) -> Result<(Indexer, Vec<String>), EngineError> {
        let is_database_gone = Store::is_gone(dir) && Derived::is_any(dir);
        let mut store = Store::open(dir)?;
        let defaults = Params::default();
        let options = IngestOptions {
            chunk_chars: defaults.chunk_chars,
            chunk_overlap_chars: defaults.chunk_overlap_chars,
            window_chars: defaults.window_chars,
        };
        let mut notices = Vec::new();
        if is_database_gone {
            notices.push(
                "the library's database was gone: it begins anew, with no folder to watch"
                    .to_owned(),
            );
        }
        let recipe = recipe(&embedder.info().id, &options);
        let made_by = store.meta("recipe")?;
        let is_other = made_by.as_deref() != Some(&recipe);
        if is_other {
            if made_by.is_some() {
                notices.push(
                    "the notes are read anew: the model, the chunk lengths or Memlens itself changed"
                        .to_owned(),
                );
            }
            store.forget_documents()?;
            store.set_meta("recipe", &recipe)?;
        }
        let info = embedder.info();
        let opened = Derived::open(&mut store, &info.id, info.dim)?;
        if made_by.is_some() {
            notices.extend(opened.notices);
        }
        let indexer = Indexer {
            store,
            is_checked: false,
            notices: Vec::new(),
            forgotten: opened.forgotten,
            is_anew: is_other && made_by.is_some(),
            derived: Some(opened.derived),
            embedder,
            options,
            jobs: Queue::default(),
            pending: Vec::new(),
            pending_since: None,
            pending_chunks: 0,
            is_stuck: false,
            happened: Vec::new(),
            is_untold: false,
            commit_after: COMMIT_AFTER,
            counts: Counts::default(),
            clock: Clock::default(),
            tries: Tries::default(),
            counted: HashMap::new(),
        };
        Ok((indexer, notices))
    }

    /// The store, to read.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether all notes were forgotten when it was opened, since they would be read in another way now: every folder
    /// has to be walked, or its notes are not found.
    pub fn is_anew(&self) -> bool {
        self.is_anew
    }

    /// The store, to write what no list is derived from.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Does the next file, and saves when enough has come together.
    ///
    /// # Errors
    /// [`EngineError::Store`], [`EngineError::Index`] and [`EngineError::Embed`], after which a later step goes on where
    /// this one stood. A file that cannot be read is noted and no error, and so is one that fails again and again while
    /// others do not.
    pub fn step(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, EngineError> {
        self.try_step(cancel, observer)
            .map_err(|error| error.at(self.store.dir()))
    }

    fn try_step(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, EngineError> {
        self.mend_lists(observer)?;
        for notice in self.notices.drain(..) {
            observer.noticed(&notice);
        }
        if cancel.load(Ordering::Relaxed) {
            self.commit(observer)?;
            return Ok(Step::Cancelled);
        }
        if self.is_stuck {
            self.commit(observer)?;
        }
        self.read_forgotten()?;
        let Some(job) = self.jobs.take_first() else {
            self.commit(observer)?;
            // A note that failed is tried again.
            if !self.pending.is_empty() {
                return Ok(Step::More);
            }
            self.clock = Clock::default();
            self.tries.clear();
            self.counted.clear();
            return Ok(Step::Idle);
        };
        let done = match &job {
            Job::Remove { folder, path } => self.remove(*folder, path),
            Job::Read { folder, file } => self.read(*folder, file, cancel, observer),
        };
        match done {
            Ok(()) => {}
            Err(EngineError::Embed(EmbedError::Cancelled)) => {
                self.jobs.put_first(job);
                if !cancel.load(Ordering::Relaxed) {
                    return Ok(Step::More);
                }
                self.commit(observer)?;
                return Ok(Step::Cancelled);
            }
            Err(error) if self.is_of_the_text(&error) => {
                let problem = self.skipped(job.folder(), job.path(), &error);
                match self.is_skipped(&problem) {
                    Ok(true) => {}
                    Ok(false) if self.fail_once(problem) => {}
                    Ok(false) => {
                        // Behind all others, which need not wait for it.
                        self.jobs.put_last(job);
                        return Ok(Step::More);
                    }
                    Err(error) => {
                        self.jobs.put_first(job);
                        return Err(error);
                    }
                }
            }
            Err(error) => {
                // It is still to be done, whatever went wrong.
                self.jobs.put_first(job);
                return Err(error);
            }
        }
        self.clock.finish();
        observer.progress(&self.progress());
        let is_due = self
            .pending_since
            .is_some_and(|since| since.elapsed() >= self.commit_after);
        let are_many = self.pending_chunks >= COMMIT_CHUNKS || self.pending.len() >= COMMIT_CHANGES;
        if is_due || are_many || self.jobs.is_empty() {
            self.commit(observer)?;
        }
        Ok(Step::More)
    }

    /// Works until nothing is left or it is cancelled.
    ///
    /// # Errors
    /// As [`Indexer::step`].
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, EngineError> {
        loop {
            match self.step(cancel, observer)? {
                Step::More => {}
                step @ (Step::Idle | Step::Cancelled) => return Ok(step),
            }
        }
    }

    /// How far the work is.
    pub fn progress(&self) -> Progress {
        self.clock.progress()
    }

    /// Whether there is work.
    pub fn is_busy(&self) -> bool {
        !self.jobs.is_empty()
            || !self.pending.is_empty()
            || self.is_untold
            || !self.notices.is_empty()
            || !self.forgotten.is_empty()
            || self.derived.is_none()
    }

    /// The files that cannot be found yet as they are now: those to be read, and those read and not yet saved.
    pub fn unfinished(&self) -> impl Iterator<Item = (FolderId, &str)> {
        let queued = self.jobs.iter().filter_map(|job| match job {
            Job::Read { folder, file } => Some((*folder, file.path.as_str())),
            Job::Remove { .. } => None,
        });
        let unsaved = self
            .pending
            .iter()
            .filter_map(Waiting::of)
            .filter(|change| change.hash.is_some())
            .map(|change| (change.folder, change.path));
        queued.chain(unsaved)
    }

    /// Forgets notes that are not as they were saved, so that the next look reads them anew. Once in the indexer's life,
    /// since it reads the whole library, and not when it is opened, since a window waits for that. It belongs to the walk
    /// of a folder, and is stopped as one.
    fn check_library(&mut self, walked: &Path, cancel: &AtomicBool) -> Result<(), EngineError> {
        if self.is_checked {
            return Ok(());
        }
        let dim = self.embedder.info().dim;
        let forgotten = match self.store.forget_damaged(dim, cancel) {
            Err(StoreError::Cancelled) => {
                let path = walked.to_owned();
                return Err(IngestError::Cancelled { path }.into());
            }
            checked => checked?,
        };
        if let Some(forgotten) = forgotten {
            self.notices.extend(told_forgotten(&forgotten));
            self.forgotten.extend(forgotten.notes);
            self.follow(&forgotten.applied, Vec::new())?;
        }
        self.is_checked = true;
        Ok(())
    }

    /// Queues notes that were forgotten because they were not as they were saved, also those of folders that nobody walks
    /// now. One whose folder is paused or away is found by the next walk of it.
    fn read_forgotten(&mut self) -> Result<(), EngineError> {
        if self.forgotten.is_empty() {
            return Ok(());
        }
        let folders = self.store.folders()?;
        for (folder, path) in std::mem::take(&mut self.forgotten) {
            let mut folders = folders.iter();
            if let Some(folder) = folders.find(|it| it.id == folder && !it.is_paused) {
                self.look_at(folder, &Path::new(&folder.path).join(path))?;
            }
        }
        Ok(())
    }

    /// Forgets embeddings that nothing uses, where they are more than those that are used: half of them in the store,
    /// where they wait for their notes to come back, and all of them in the vector list, where each costs every search
    /// time. Returns whether there was anything to do.
    ///
    /// # Errors
    /// [`EngineError::Store`] and [`EngineError::Index`].
    pub fn compact(&mut self) -> Result<bool, EngineError> {
        let (n_used, n_unused) = self.store.n_used_and_unused()?;
        let is_too_much = |n_unused: u64| n_unused > n_used.max(UNUSED_MIN);
        let is_store = is_too_much(n_unused);
        if is_store {
            self.store.forget_unused(n_used / 2)?;
        }
        let Some(derived) = &self.derived else {
            return Ok(is_store);
        };
        let is_list = is_too_much(derived.n_rows().saturating_sub(n_used));
        if is_list {
            // A new generation, so that readers let go of the old rows.
            let generation = self.store.raise_generation()?;
            let derived = self.derived.take().expect("it was just looked at");
            let info = self.embedder.info();
            self.derived =
                Some(derived.compacted(&self.store, (&info.id, info.dim), generation)?);
        }
        Ok(is_store || is_list)
    }

    /// Has the embedder give its memory back until there is something to embed.
    pub fn rest(&mut self) {
        self.embedder.rest();
    }

    /// Forgets everything: folders, notes, embeddings, presets. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`EngineError::Store`] and [`EngineError::Index`].
    pub fn erase_all(&mut self) -> Result<(), EngineError> {
        self.jobs.clear();
        self.pending.clear();
        self.pending_since = None;
        self.pending_chunks = 0;
        self.is_stuck = false;
        self.forgotten.clear();
        self.happened.clear();
        self.is_untold = false;
        self.tries.clear();
        self.counted.clear();
        self.clock = Clock::default();
        self.derived = None;
        let info = self.embedder.info();
        self.store.erase_all()?;
        self.store
            .set_meta("recipe", &recipe(&info.id, &self.options))?;
        self.derived = Some(Derived::anew(&self.store, (&info.id, info.dim))?);
        Ok(())
    }

    fn remove(&mut self, folder: FolderId, path: &str) -> Result<(), EngineError> {
        let stored = self.store.document(folder, path)?.map(|state| state.hash);
        let waiting = self
            .waiting(folder)
            .filter(|change| change.path == path)
            .last();
        // Of a file that could not be read only a note goes, which is nothing to tell.
        if let Some(hash) = waiting.map_or(stored, |change| change.hash) {
            self.counts.n_removed += 1;
            self.happen(folder, path, Happening::Deleted, None, Some(hash));
        }
        let path = path.to_owned();
        self.pend(Change::Remove { folder, path }, 0);
        Ok(())
    }

    /// Notes that a file cannot be read, in place of what the library has of it.
    fn fail(&mut self, problem: StoredProblem) {
        self.counts.n_unreadable += 1;
        let is_waiting = self
            .pending
            .iter()
            .rfind(|change| {
                Waiting::of(change)
                    .is_some_and(|it| (it.folder, it.path) == (problem.folder, &problem.path))
            })
            .is_some_and(|change| *change == Change::Fail(problem.clone()));
        if is_waiting {
            return;
        }
        let why = Some(problem.message.clone());
        self.happen(problem.folder, &problem.path, Happening::Skipped, why, None);
        self.pend(Change::Fail(problem), 0);
    }

    /// Whether the model refused a text and not every text.
    fn is_of_the_text(&mut self, error: &EngineError) -> bool {
        matches!(error, EngineError::Embed(EmbedError::Embed { .. }))
            && self.embedder.embed(&[""], &AtomicBool::new(false)).is_ok()
    }

    /// What is noted of a note that failed again and again.
    fn skipped(&self, folder: FolderId, path: &str, error: &EngineError) -> StoredProblem {
        let message = format!("skipped after {TRIES_MAX} failed tries: {error}");
        self.problem(folder, path.to_owned(), None, message, Severity::Error)
    }

    /// Whether a person has been told that just this note was skipped, and for this reason; one more try was enough
    /// then.
    fn is_skipped(&mut self, problem: &StoredProblem) -> Result<bool, EngineError> {
        let is_known = self
            .store
            .document(problem.folder, &problem.path)?
            .is_some();
        if is_known || !self.store.is_noted(problem)? {
            return Ok(false);
        }
        self.counts.n_unreadable += 1;
        // What waits to be told of it is not so, but that it was skipped.
        self.happened.retain(|one| {
            one.what == Happening::Skipped
                || (one.folder, &one.path) != (problem.folder, &problem.path)
        });
        Ok(true)
    }

    /// Counts a failure of a note that is its own, and notes it in place of what the library has of it after the last
    /// try. Returns whether that was the last.
    fn fail_once(&mut self, problem: StoredProblem) -> bool {
        let is_last = self.tries.fail(problem.folder, &problem.path);
        if is_last {
            self.happened
                .retain(|one| (one.folder, &one.path) != (problem.folder, &problem.path));
            self.fail(problem);
        }
        is_last
    }

    /// What waits to be saved of a folder's files, oldest first.
    fn waiting(&self, folder: FolderId) -> impl Iterator<Item = Waiting<'_>> {
        self.pending
            .iter()
            .filter_map(Waiting::of)
            .filter(move |change| change.folder == folder)
    }

    fn pend(&mut self, change: Change, n_chunks: usize) {
        self.pending.push(change);
        self.pending_chunks += n_chunks;
        self.pending_since.get_or_insert_with(Instant::now);
    }

    /// Saves what was read so far, so that it is found, before there is more.
    ///
    /// # Errors
    /// [`EngineError::Store`] and [`EngineError::Index`]; what could not be saved waits for a later step.
    pub fn save(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        self.commit(observer)
            .map_err(|error| error.at(self.store.dir()))
    }

    /// Saves what is pending, brings the lists into step, and tells the observer.
    fn commit(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let committed = self.try_commit(observer);
        if committed.is_err() && !self.pending.is_empty() {
            // It is due still, after one more note at most.
            self.pending_since.get_or_insert_with(Instant::now);
            self.commit_after = Duration::ZERO;
        }
        committed
    }

    fn try_commit(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        self.pending_since = None;
        self.pending_chunks = 0;
        let changes = std::mem::take(&mut self.pending);
        if changes.is_empty() {
            return if self.is_untold {
                self.tell(observer)
            } else {
                Ok(())
            };
        }
        let done = match self.store.apply(&changes) {
            Ok(applied) => {
                self.is_stuck = false;
                self.tries.saved(n_puts(&changes));
                Apart {
                    applied,
                    changes,
                    failed: HashSet::new(),
                    error: None,
                }
            }
            Err(error) => self.apply_apart(changes, error)?,
        };
        let started = Instant::now();
        self.is_untold = true;
        self.follow(&done.applied, embeddings_of(&done.changes))?;
        let later = self
            .happened
            .extract_if(.., |one| {
                done.failed.contains(&(one.folder, one.path.clone()))
            })
            .collect::<Vec<_>>();
        let told = self.tell(observer);
        self.happened.extend(later);
        told?;
        self.commit_after = COMMIT_AFTER.max(started.elapsed() * COMMIT_REST);
        done.error.map_or(Ok(()), Err)
    }

    /// Applies changes one by one after all at once failed, so that one note that cannot be saved does not keep the others
    /// from it. What fails is left pending, with all that comes after it for the same note.
    ///
    /// # Errors
    /// The one that all at once failed with, where it is not a note's: a full disk, or nothing can be saved at all.
    fn apply_apart(
        &mut self,
        changes: Vec<Change>,
        error: StoreError,
    ) -> Result<Apart, EngineError> {
        let is_of_a_note = |error: &StoreError| matches!(error, StoreError::Sql { .. });
        let saved_none = is_of_a_note(&error)
            .then(|| self.store.apply(&[]).ok())
            .flatten();
        self.is_stuck = saved_none.is_none();
        let Some(applied) = saved_none else {
            self.pending = changes;
            return Err(error.into());
        };
        let mut done = Apart {
            applied,
            changes: Vec::new(),
            failed: HashSet::new(),
            error: None,
        };
        let mut refused = Vec::new();
        for change in changes {
            let note = Waiting::of(&change).map(|it| (it.folder, it.path.to_owned()));
            let waits = note.as_ref().is_some_and(|note| done.failed.contains(note));
            if done.error.is_some() || waits {
                done.failed.extend(note);
                self.pending.push(change);
                continue;
            }
            match (self.store.apply(std::slice::from_ref(&change)), &change) {
                (Ok(applied), _) => {
                    done.applied.join(applied);
                    done.changes.push(change);
                }
                (Err(error), Change::Put(document)) if is_of_a_note(&error) => {
                    refused.push((document.folder, document.path.clone(), error));
                    done.failed.extend(note);
                    self.pending.push(change);
                }
                (
                    Err(error),
                    Change::Put(_) | Change::Remove { .. } | Change::Fail(_) | Change::Touch { .. },
                ) => {
                    self.is_stuck = true;
                    done.failed.extend(note);
                    done.error = Some(error.into());
                    self.pending.push(change);
                }
            }
        }
        let n_saved = n_puts(&done.changes);
        self.tries.saved(n_saved);
        for (folder, path, error) in refused {
            let is_own = self.tries.refuse(folder, &path, n_saved);
            let error = EngineError::from(error);
            let problem = self.skipped(folder, &path, &error);
            let is_given_up = match self.is_skipped(&problem) {
                Ok(true) => true,
                Ok(false) if is_own => self.fail_once(problem),
                Ok(false) => {
                    done.error.get_or_insert(error);
                    false
                }
                Err(error) => {
                    done.error.get_or_insert(error);
                    false
                }
            };
            if is_given_up {
                self.put_failure_in_place(folder, &path, &mut done.failed);
            }
        }
        if !self.pending.is_empty() {
            self.pending_since = Some(Instant::now());
        }
        Ok(done)
    }

    /// Takes the document that was given up out of what is pending; if its failure is to be noted, that comes in its place,
    /// before what is pending of the same note.
    fn put_failure_in_place(
        &mut self,
        folder: FolderId,
        path: &str,
        failed: &mut HashSet<(FolderId, String)>,
    ) {
        let is_it = |change: &Change| {
            Waiting::of(change).is_some_and(|it| (it.folder, it.path) == (folder, path))
        };
        let Some(at) = self.pending.iter().position(is_it) else {
            return;
        };
        let noted = self
            .pending
            .pop_if(|last| matches!(last, Change::Fail(_)) && is_it(last));
        match noted {
            Some(failure) => self.pending[at] = failure,
            None => {
                self.pending.remove(at);
            }
        }
        if !self.pending.iter().any(is_it) {
            failed.remove(&(folder, path.to_owned()));
        }
    }

    /// What can be searched now.
    fn tell(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let folders = self.store.folders()?;
        observer.committed(&told(std::mem::take(&mut self.happened), &folders));
        self.is_untold = false;
        Ok(())
    }

    /// Builds the lists anew if they could not be written the last time.
    fn mend_lists(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        if self.derived.is_some() {
            return Ok(());
        }
        self.open_lists()?;
        // What had been saved by then and is found from now on.
        if self.pending.is_empty() {
            self.tell(observer)?;
        }
        Ok(())
    }

    /// Opens the lists; what is torn or out of step is built anew.
    fn open_lists(&mut self) -> Result<(), EngineError> {
        let info = self.embedder.info();
        let Opened {
            derived,
            notices,
            forgotten,
        } = Derived::open(&mut self.store, &info.id, info.dim)?;
        self.derived = Some(derived);
        self.notices.extend(notices);
        self.forgotten.extend(forgotten);
        Ok(())
    }

    /// Brings the lists to what the store has applied.
    fn follow(
        &mut self,
        applied: &Applied,
        embeddings: Vec<EmbeddingId>,
    ) -> Result<(), EngineError> {
        // Writers that failed half way are dropped; opening them anew rebuilds what is out of step.
        let Some(mut derived) = self.derived.take() else {
            return self.open_lists();
        };
        derived.follow(&self.store, applied, embeddings)?;
        self.derived = Some(derived);
        Ok(())
    }

    /// Notes how much is left to do, and begins to count anew when that is nothing.
    fn settle(&mut self) {
        if !self.is_busy() {
            self.clock = Clock::default();
            return;
        }
        self.clock.expect(self.jobs.len(), self.jobs.n_bytes());
    }

    fn happen(
        &mut self,
        folder: FolderId,
        path: &str,
        what: Happening,
        detail: Option<String>,
        hash: Option<[u8; 32]>,
    ) {
        self.happened.push(Happened {
            folder,
            path: path.to_owned(),
            what,
            detail,
            hash,
        });
    }

    fn problem(
        &self,
        folder: FolderId,
        path: String,
        line: Option<u32>,
        message: String,
        severity: Severity,
    ) -> StoredProblem {
        StoredProblem {
            folder,
            path,
            line,
            message,
            severity,
        }
    }
}

/// What a batch of changes came to, where some of them may have failed.
struct Apart {
    applied: Applied,
    /// Those that were applied.
    changes: Vec<Change>,
    /// The notes of those that were not.
    failed: HashSet<(FolderId, String)>,
    /// Why no more was tried, where that is no fault of a note.
    error: Option<EngineError>,
}

/// What a change that waits to be saved does to its file.
struct Waiting<'a> {
    folder: FolderId,
    path: &'a str,
    /// The hash of what the library will hold of it; none when it will hold nothing.
    hash: Option<[u8; 32]>,
}

impl Waiting<'_> {
    fn of(change: &Change) -> Option<Waiting<'_>> {
        let (folder, path, hash) = match change {
            Change::Put(document) => (document.folder, &document.path, Some(document.hash)),
            Change::Remove { folder, path } => (*folder, path, None),
            Change::Fail(problem) => (problem.folder, &problem.path, None),
            Change::Touch { .. } => return None,
        };
        Some(Waiting { folder, path, hash })
    }
}

/// Names how notes become vectors; a library made otherwise is made anew.
fn recipe(model: &str, options: &IngestOptions) -> String {
    let IngestOptions {
        chunk_chars,
        chunk_overlap_chars,
        window_chars,
    } = options;
    format!("{model} {chunk_chars}/{chunk_overlap_chars}/{window_chars} v{RECIPE_VERSION}")
}

/// How many documents changes put.
fn n_puts(changes: &[Change]) -> u64 {
    let puts = changes
        .iter()
        .filter(|change| matches!(change, Change::Put(_)));
    puts.count() as u64
}

fn embeddings_of(changes: &[Change]) -> Vec<EmbeddingId> {
    changes
        .iter()
        .filter_map(|change| {
            if let Change::Put(document) = change {
                Some(document)
            } else {
                None
            }
        })
        .flat_map(|document| &document.chunks)
        .flat_map(|chunk| {
            std::iter::once(chunk.embedding)
                .chain(chunk.windows.iter().map(|window| window.embedding))
        })
        .collect()
}
