//! The only writer: turns files into documents, chunks, embeddings and lists, one file per step.
//!
//! Embeddings are saved as they are computed and documents in batches, so that a process killed at any moment leaves a
//! valid library and the next start embeds only what is missing.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder};
use memlens_ingest::IngestOptions;
use memlens_params::Params;
use memlens_store::{Change, FolderId, Repaired, Severity, Store, StoredProblem};

use crate::IndexerError;
use crate::derived::{Derived, Opened, forgotten_notice};
use crate::status::{Activity, Happening, ModelChanging, Progress};

mod checking;
mod clock;
mod documents;
mod failed;
mod folders;
mod happened;
mod lists;
mod model_change;
mod queue;
mod saving;
mod tries;
mod waiting;

use clock::Clock;
pub use folders::refuse_library_among;
pub(crate) use folders::{add_folder, readable_folder};
use happened::Happened;
pub use model_change::ChangeStep;
use model_change::ModelChange;
use queue::{Job, Queue};
use saving::COMMIT_AFTER;
use tries::Tries;
use waiting::Waiting;

/// Must be increased when the same file would be cut in another way.
const RECIPE_VERSION: u32 = 4;

/// Receives notifications about the indexer's work.
pub trait Observer {
    /// Reports the progress; called very often.
    fn progress(&mut self, _progress: &Progress) {}
    /// Reports the progress of a change of the model; called very often.
    fn changing(&mut self, _changing: &ModelChanging) {}
    /// Reports how many files were found so far in the folder that is being walked; called for every entry.
    fn scanned(&mut self, _n_files: usize) {}
    /// Reports that changes can be searched now.
    fn committed(&mut self, _happened: &[Activity]) {}
    /// Reports that something was repaired, as a notice for the user.
    fn noticed(&mut self, _notice: &str) {}
    /// Returns whether something else should be done first; called between a few texts. The current work is resumed
    /// later where it stopped.
    fn interrupts(&mut self) -> bool {
        false
    }
}

/// An observer that ignores everything.
impl Observer for () {}

/// The result of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// Everything is done and saved.
    Idle,
    /// The step was cancelled; what was done so far is saved.
    Cancelled,
}

/// Counts of what was indexed since the indexer was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Number of files that are new in the library.
    pub n_added: u32,
    /// Number of files whose content changed.
    pub n_changed: u32,
    /// Number of files that were deleted.
    pub n_removed: u32,
    /// Number of files that are unchanged.
    pub n_unchanged: u32,
    /// Number of files that could not be read.
    pub n_unreadable: u32,
    /// Number of texts that the model embedded.
    pub n_embedded: u32,
}

/// Brings the library up to date with the folders.
pub struct Indexer {
    /// `None` after a failed write, until the lists are rebuilt. Declared before the store, so that it is dropped
    /// before the store's lock allows others to write.
    derived: Option<Derived>,
    /// Number of documents removed or replaced since unused embeddings were counted; `None` before the first count.
    n_removed: Option<u64>,
    store: Store,
    /// Whether the library was compared with what was saved, or the caller does that.
    is_checked: bool,
    /// Notices for the user, reported with the next step.
    notices: Vec<String>,
    /// Size and times of files with nothing to index, so that a walk does not read them again.
    unread: HashMap<(FolderId, String), (u64, i64, i64)>,
    /// Notes that were removed because they differed from what was saved; queued with the next step.
    forgotten: Vec<(FolderId, String)>,
    /// Whether all notes were removed when the library was opened.
    is_reset: bool,
    embedder: Box<dyn Embedder>,
    /// The change to another model, if one is in progress.
    change: Option<ModelChange>,
    options: IngestOptions,
    jobs: Queue,
    pending: Vec<Change>,
    pending_since: Option<Instant>,
    pending_chunks: usize,
    /// Whether nothing can be saved, whatever the note. Nothing more is read until saving succeeds.
    is_stuck: bool,
    happened: Vec<Happened>,
    /// Whether something was saved that observers were not notified of.
    is_unreported: bool,
    /// When readers may be notified again while there is more to do; `None` before the first time.
    publish_from: Option<Instant>,
    /// Maximum time until changes are saved.
    commit_after: Duration,
    counts: Counts,
    clock: Clock,
    tries: Tries,
    /// Token counts of texts whose note is not done yet.
    counted: HashMap<[u8; 32], u32>,
}

impl Indexer {
    /// Opens the library in `dir` for writing, and repairs lists that are out of date.
    ///
    /// Returns it with the notices to show to the user.
    ///
    /// # Errors
    /// Like [`Store::open`], and if a list cannot be written.
    pub fn open(
        dir: &Path,
        embedder: Box<dyn Embedder>,
    ) -> Result<(Indexer, Vec<String>), IndexerError> {
        Indexer::try_open(dir, embedder).map_err(|error| noted(dir, error).at(dir))
    }

    fn try_open(
        dir: &Path,
        embedder: Box<dyn Embedder>,
    ) -> Result<(Indexer, Vec<String>), IndexerError> {
        let is_database_gone = Store::is_gone(dir) && Derived::is_any(dir);
        let Repaired {
            mut store,
            notices: repaired,
            is_new,
        } = Store::open_repaired(dir)?;
        let defaults = Params::default();
        let options = IngestOptions {
            chunk_chars: defaults.chunk_chars,
            chunk_overlap_chars: defaults.chunk_overlap_chars,
            window_chars: defaults.window_chars,
        };
        let mut notices = Vec::new();
        if is_database_gone {
            notices.push(missing_notice(&repaired).to_owned());
        }
        notices.extend(repaired);
        let recipe = recipe(&embedder.info().id, &options);
        let made_by = store.meta("recipe")?;
        let is_other = made_by.as_deref() != Some(&recipe);
        if is_other {
            if made_by.is_some() && store.n_documents()? > 0 {
                notices.push(
                    "all notes are re-indexed: the model, the chunk lengths or Memlens itself changed"
                        .to_owned(),
                );
            }
            store.forget_documents()?;
            store.set_meta("recipe", &recipe)?;
        }
        let info = embedder.info();
        let opened = if is_other {
            // The lists belong to documents that no longer exist, whatever their generation.
            Opened {
                derived: Derived::from_scratch(&store, (&info.id, info.dim))?,
                notices: Vec::new(),
                forgotten: None,
            }
        } else {
            Derived::open(&mut store, &info.id, info.dim)?
        };
        notices.extend(opened.notices);
        notices.extend(opened.forgotten.as_ref().and_then(forgotten_notice));
        let indexer = Indexer {
            store,
            is_checked: false,
            n_removed: None,
            notices: Vec::new(),
            unread: HashMap::new(),
            forgotten: opened.forgotten.map(|it| it.notes).unwrap_or_default(),
            is_reset: is_other && (made_by.is_some() || is_new),
            derived: Some(opened.derived),
            embedder,
            change: None,
            options,
            jobs: Queue::default(),
            pending: Vec::new(),
            pending_since: None,
            pending_chunks: 0,
            is_stuck: false,
            happened: Vec::new(),
            is_unreported: false,
            publish_from: None,
            commit_after: COMMIT_AFTER,
            counts: Counts::default(),
            clock: Clock::default(),
            tries: Tries::default(),
            counted: HashMap::new(),
        };
        Ok((indexer, notices))
    }

    /// Returns the number of values in its vectors.
    pub(crate) fn dim(&self) -> usize {
        self.embedder.info().dim
    }

    /// Returns the store for reading.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the counts since the indexer was opened.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns whether all notes were removed on opening, because they would be read differently now. Every folder must
    /// then be walked, or its notes are not found.
    pub fn is_reset(&self) -> bool {
        self.is_reset
    }

    /// Returns the store for writing data from which no list is derived.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Handles the next file, and saves if enough is pending.
    ///
    /// # Errors
    /// [`IndexerError::Store`], [`IndexerError::Index`] and [`IndexerError::Embed`]; a later step continues where this
    /// one stopped. A file that cannot be read is recorded and is no error. The same holds for one that fails
    /// repeatedly while others do not.
    pub fn step(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, IndexerError> {
        let done = self.try_step(cancel, observer);
        self.clock.rest(Instant::now());
        done.map_err(|error| noted(self.store.dir(), error).at(self.store.dir()))
    }

    fn try_step(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, IndexerError> {
        self.repair_lists(observer)?;
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
            // A note that failed is retried.
            if !self.pending.is_empty() {
                return Ok(Step::More);
            }
            self.clock = Clock::default();
            self.tries.clear();
            self.counted.clear();
            self.save_snapshot()?;
            return Ok(Step::Idle);
        };
        let done = match &job {
            Job::Remove { folder, path } => self.remove(*folder, path),
            Job::Read { folder, file } => self.read(*folder, file, cancel, observer),
        };
        match done {
            Ok(()) => {}
            Err(IndexerError::Embed(EmbedError::Cancelled)) => {
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
                        // After all others, which need not wait for it.
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
                // The job is still to be done, whatever the error was.
                self.jobs.put_first(job);
                return Err(error);
            }
        }
        self.clock.finish();
        observer.progress(&self.progress());
        if self.is_commit_due() || self.jobs.is_empty() {
            self.commit(observer)?;
        }
        Ok(Step::More)
    }

    /// Works until nothing is left or it is cancelled.
    ///
    /// # Errors
    /// Like [`Indexer::step`].
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Step, IndexerError> {
        loop {
            match self.step(cancel, observer)? {
                Step::More => {}
                step @ (Step::Idle | Step::Cancelled) => return Ok(step),
            }
        }
    }

    /// Returns the progress of the work.
    pub fn progress(&self) -> Progress {
        self.clock.progress(Instant::now())
    }

    /// Returns whether there is work to do.
    pub fn is_busy(&self) -> bool {
        !self.jobs.is_empty()
            || !self.pending.is_empty()
            || self.is_unreported
            || !self.notices.is_empty()
            || !self.forgotten.is_empty()
            || self.derived.is_none()
    }

    /// Returns the files whose current content cannot be found yet: those to be read, and those read and not saved.
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

    /// Unloads the embedder until there is something to embed.
    pub fn rest(&mut self) {
        self.embedder.rest();
    }

    /// Erases everything: folders, notes, embeddings, presets. The notes themselves are not touched.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`].
    pub fn erase_all(&mut self) -> Result<(), IndexerError> {
        self.jobs.clear();
        self.pending.clear();
        self.pending_since = None;
        self.pending_chunks = 0;
        self.is_stuck = false;
        self.forgotten.clear();
        self.happened.clear();
        self.is_unreported = false;
        self.tries.clear();
        self.counted.clear();
        self.clock = Clock::default();
        self.derived = None;
        self.change = None;
        let info = self.embedder.info();
        self.store.erase_all()?;
        self.store
            .set_meta("recipe", &recipe(&info.id, &self.options))?;
        self.derived = Some(Derived::from_scratch(&self.store, (&info.id, info.dim))?);
        Ok(())
    }

    /// Updates how much is left to do, and resets the clock if that is nothing.
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

/// Marks a damaged database, so that it is replaced when the library is opened the next time.
fn noted(dir: &Path, error: IndexerError) -> IndexerError {
    if let IndexerError::Store(damage) = &error
        && damage.is_lasting_damage()
    {
        Store::mark_damaged(dir);
    }
    error
}

/// Identifies how notes become vectors; a library with another recipe is rebuilt.
fn recipe(model: &str, options: &IngestOptions) -> String {
    let IngestOptions {
        chunk_chars,
        chunk_overlap_chars,
        window_chars,
    } = options;
    format!("{model} {chunk_chars}/{chunk_overlap_chars}/{window_chars} v{RECIPE_VERSION}")
}

/// The notice for a library whose database was missing, after the notices of its repair.
fn missing_notice(repaired: &[String]) -> &'static str {
    if repaired.is_empty() {
        "the library's database was missing: Memlens starts with an empty library and no watched folder"
    } else {
        "the library's database was missing: a new one was started"
    }
}
