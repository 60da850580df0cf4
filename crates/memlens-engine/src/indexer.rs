//! The one writer: files to documents, chunks, embeddings and lists, one file a step.
//!
//! Embeddings are saved as they come and documents in batches, so that a process killed at any
//! moment leaves a sound library and the next start embeds only what is missing.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder};
use memlens_ingest::{FoundFile, IngestOptions, Kind, Parsed, Verdict, content_hash};
use memlens_params::Params;
use memlens_store::{
    Applied, Change, DocumentState, EmbeddingId, Folder, FolderId, NewChunk, NewDocument,
    NewObservation, NewWindow, Severity, Store, StoredProblem,
};

use crate::EngineError;
use crate::derived::Derived;
use crate::mounts::Mount;
use crate::view::{Activity, Happening, Progress};

mod clock;
mod happened;

use clock::Clock;
use happened::{Happened, told};

/// How many texts are embedded between two looks at the cancel flag.
const SLICE: usize = 8;
/// How many new embeddings one transaction saves; at most so many are lost by a kill.
const SAVE_EVERY: usize = 32;
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
const RECIPE_VERSION: u32 = 2;

/// Is told what the indexer does.
pub trait Observer {
    /// Work went on; called often.
    fn progress(&mut self, _progress: &Progress) {}
    /// Changes can be searched now.
    fn committed(&mut self, _happened: &[Activity]) {}
    /// Something was mended, and a person should be told.
    fn noticed(&mut self, _notice: &str) {}
    /// Tells whether something else should be done first; asked between a few texts. The work at hand is taken up
    /// again where it stood.
    fn interrupts(&mut self) -> bool {
        false
    }
}

/// An observer that looks away.
impl Observer for () {}

/// Is what one step did.
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

enum Job {
    Read { folder: FolderId, file: FoundFile },
    Remove { folder: FolderId, path: String },
}

/// Brings the library into step with the folders.
pub struct Indexer {
    /// None after a failed write, until the lists are rebuilt. It goes before the store, whose lock tells others that
    /// they may write.
    derived: Option<Derived>,
    store: Store,
    embedder: Box<dyn Embedder>,
    options: IngestOptions,
    jobs: VecDeque<Job>,
    pending: Vec<Change>,
    pending_since: Option<Instant>,
    pending_chunks: usize,
    happened: Vec<Happened>,
    /// How long changes wait at most until they can be found.
    commit_after: Duration,
    counts: Counts,
    clock: Clock,
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
        if made_by.as_deref() != Some(&recipe) {
            if made_by.is_some() {
                notices.push(
                    "the notes are read anew: the model, the chunk lengths or Memlens itself changed"
                        .to_owned(),
                );
            }
            store.forget_documents()?;
            store.set_meta("recipe", &recipe)?;
        }
        let (derived, told) = Derived::open(&store, &embedder.info().id, embedder.info().dim)?;
        if made_by.is_some() {
            notices.extend(told);
        }
        let indexer = Indexer {
            store,
            derived: Some(derived),
            embedder,
            options,
            jobs: VecDeque::new(),
            pending: Vec::new(),
            pending_since: None,
            pending_chunks: 0,
            happened: Vec::new(),
            commit_after: COMMIT_AFTER,
            counts: Counts::default(),
            clock: Clock::default(),
        };
        Ok((indexer, notices))
    }

    /// Returns the store, to read.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns what was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds a folder to watch; its files are queued by [`Indexer::scan`].
    ///
    /// # Errors
    /// [`EngineError::Ingest`] for one that is missing, a file or unreadable;
    /// [`EngineError::HoldsWatched`] and [`memlens_store::StoreError::AlreadyWatched`] where it
    /// would be watched twice.
    pub fn add_folder(&mut self, path: &Path) -> Result<Folder, EngineError> {
        let file_error = |source| EngineError::File {
            attempt: "open folder",
            path: path.to_owned(),
            source,
        };
        let resolved = path.canonicalize().map_err(file_error)?;
        if !resolved.is_dir() {
            return Err(file_error(std::io::Error::from(
                std::io::ErrorKind::NotADirectory,
            )));
        }
        std::fs::read_dir(&resolved).map_err(file_error)?;
        let refused = |why: &str| EngineError::CannotWatch {
            path: resolved.clone(),
            why: why.to_owned(),
        };
        let text = resolved
            .to_str()
            .ok_or_else(|| refused("its name is not text"))?;
        if resolved.starts_with(self.store.dir()) || self.store.dir().starts_with(&resolved) {
            return Err(refused("Memlens keeps its own library there"));
        }
        if let Some(inner) =
            self.store.folders()?.iter().find(|folder| {
                folder.path != text && Path::new(&folder.path).starts_with(&resolved)
            })
        {
            return Err(EngineError::HoldsWatched {
                path: text.to_owned(),
                inner: inner.path.clone(),
            });
        }
        let name = resolved
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(text);
        Ok(self.store.add_folder(text, name)?)
    }

    /// Forgets a folder; the notes themselves are not touched.
    ///
    /// # Errors
    /// [`EngineError::Store`] and [`EngineError::Index`].
    pub fn remove_folder(&mut self, folder: FolderId) -> Result<(), EngineError> {
        self.jobs.retain(|job| job.folder() != folder);
        self.pending
            .retain(|change| Waiting::of(change).is_none_or(|it| it.folder != folder));
        self.happened.retain(|one| one.folder != folder);
        self.settle();
        let applied = self.store.remove_folder(folder)?;
        self.follow(&applied, Vec::new())
    }

    /// Pauses or resumes a folder.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn set_folder_paused(
        &mut self,
        folder: FolderId,
        is_paused: bool,
    ) -> Result<(), EngineError> {
        if is_paused {
            self.jobs.retain(|job| job.folder() != folder);
            self.settle();
        }
        Ok(self.store.set_folder_paused(folder, is_paused)?)
    }

    /// Returns the store, to write what no list is derived from.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Walks a folder and queues what differs from the library. Returns the folders in it that were looked into,
    /// relative to it, first itself as an empty path.
    ///
    /// Differing means: another size, another time of modification, earlier or later, or another time at which the
    /// system itself saw the file change.
    ///
    /// A folder that is missing or whose disk is not mounted keeps its documents.
    ///
    /// # Errors
    /// [`EngineError::Ingest`] and [`EngineError::Unmounted`] where the folder cannot be walked.
    pub fn scan(
        &mut self,
        folder: &Folder,
        cancel: &AtomicBool,
    ) -> Result<Vec<String>, EngineError> {
        let path = Path::new(&folder.path);
        let walked = memlens_ingest::walk(path, cancel)?;
        self.check_mount(folder.id, path)?;
        let known = self.store.documents(folder.id)?;
        // What waits to be saved will be in the library too, whatever the store says now.
        let waiting: BTreeSet<String> = self
            .waiting(folder.id)
            .map(|change| change.path.to_owned())
            .collect();
        self.jobs.retain(|job| job.folder() != folder.id);
        let mut problems = Vec::new();
        let mut unreadable = BTreeSet::new();
        for skipped in walked.skipped {
            let is_ours = known.contains_key(&skipped.path) || waiting.contains(&skipped.path);
            let problem = self.problem(
                folder.id,
                skipped.path,
                None,
                skipped.reason,
                Severity::Error,
            );
            if is_ours {
                unreadable.insert(problem.path.clone());
                self.fail(problem);
            } else {
                problems.push(problem);
            }
        }
        let found: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
        self.store
            .set_walk_problems(folder.id, &problems, |path| found.contains(path))?;

        let gone: BTreeSet<&String> = known
            .keys()
            .chain(&waiting)
            .filter(|path| !found.contains(path.as_str()) && !unreadable.contains(*path))
            .collect();
        self.jobs.extend(gone.into_iter().map(|path| Job::Remove {
            folder: folder.id,
            path: path.clone(),
        }));
        for file in walked.files {
            // The last of these nobody can set: a clock that jumps or a tool that puts times back hides nothing.
            let is_known = known.get(&file.path).is_some_and(|state| {
                (state.size, state.modified_ms, state.changed_ns)
                    == (file.size, file.modified_ms, file.changed_ns)
            });
            if is_known && !waiting.contains(&file.path) {
                self.counts.n_unchanged += 1;
            } else {
                self.clock.n_bytes_total += file.size;
                self.jobs.push_back(Job::Read {
                    folder: folder.id,
                    file,
                });
            }
        }
        self.clock.n_files_total = self.clock.n_files_done + self.jobs.len() as u32;
        self.settle();
        Ok(walked.folders)
    }

    /// Notes which disk a folder lies on. An empty folder where another disk was mounted before is that disk's place,
    /// and not the folder: what was on the disk is not gone.
    fn check_mount(&mut self, folder: FolderId, path: &Path) -> Result<(), EngineError> {
        let mount = Mount::of(path).and_then(|mount| mount.point.to_str().map(str::to_owned));
        let folders = self.store.folders()?;
        let Some(known) = folders.iter().find(|known| known.id == folder) else {
            return Ok(());
        };
        if known.mount == mount {
            return Ok(());
        }
        let is_empty = || std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        if let (Some(before), Some(now)) = (&known.mount, &mount)
            && path.starts_with(before)
            && Path::new(before).starts_with(now)
            && is_empty()
        {
            return Err(EngineError::Unmounted {
                path: path.to_owned(),
                mount: before.clone(),
            });
        }
        Ok(self.store.set_folder_mount(folder, mount.as_deref())?)
    }

    /// Queues one file of a folder before everything else, because something happened to it.
    /// Returns false when only a [`Indexer::scan`] can tell what happened.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn look_at(&mut self, folder: &Folder, path: &Path) -> Result<bool, EngineError> {
        let Some(relative) = path
            .strip_prefix(&folder.path)
            .ok()
            .and_then(|path| path.to_str())
        else {
            return Ok(false);
        };
        let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
        let name = relative.rsplit('/').next().unwrap_or_default();
        if relative.is_empty() || matches!(name, ".gitignore" | ".ignore") {
            return Ok(false);
        }
        let Ok(verdict) = memlens_ingest::judge(Path::new(&folder.path), &relative) else {
            return Ok(false);
        };
        let waits = self
            .waiting(folder.id)
            .any(|change| change.path == relative);
        let is_ours = waits
            || self.store.document(folder.id, &relative)?.is_some()
            || self.store.has_problem(folder.id, &relative)?;
        let job = match verdict {
            Verdict::Read(file) => Job::Read {
                folder: folder.id,
                file,
            },
            Verdict::Folder => return Ok(false),
            // Whether a person should hear of it is for the walk to tell.
            Verdict::LeftOut { path, .. }
                if is_ours || (path == relative && Kind::of(Path::new(&path)).is_some()) =>
            {
                return Ok(false);
            }
            Verdict::Gone if is_ours => Job::Remove {
                folder: folder.id,
                path: relative,
            },
            Verdict::LeftOut { .. } | Verdict::Gone => {
                // A folder that is gone, or a file that was never ours.
                let inside = format!("{relative}/");
                let is_inside = |path: &str| path.starts_with(&inside);
                let holds_ours = self.store.holds_folder(folder.id, &relative)?
                    || self.waiting(folder.id).any(|change| is_inside(change.path));
                return Ok(!holds_ours);
            }
        };
        // What was queued for it before was seen before.
        self.jobs
            .retain(|queued| (queued.folder(), queued.path()) != (job.folder(), job.path()));
        if let Job::Read { file, .. } = &job {
            self.clock.n_bytes_total += file.size;
        }
        self.jobs.push_front(job);
        self.clock.n_files_total = self.clock.n_files_done + self.jobs.len() as u32;
        Ok(true)
    }

    /// Does the next file, and saves when enough has come together.
    ///
    /// # Errors
    /// [`EngineError::Store`], [`EngineError::Index`] and [`EngineError::Embed`]; a file that
    /// cannot be read is noted and no error.
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
        if cancel.load(Ordering::Relaxed) {
            self.commit(observer)?;
            return Ok(Step::Cancelled);
        }
        let Some(job) = self.jobs.pop_front() else {
            self.commit(observer)?;
            self.clock = Clock::default();
            return Ok(Step::Idle);
        };
        let done = match &job {
            Job::Remove { folder, path } => self.remove(*folder, path),
            Job::Read { folder, file } => self.read(*folder, file, cancel, observer),
        };
        if let Err(error) = done {
            // It is still to be done, whatever went wrong.
            self.jobs.push_front(job);
            if !matches!(error, EngineError::Embed(EmbedError::Cancelled)) {
                return Err(error);
            }
            if !cancel.load(Ordering::Relaxed) {
                return Ok(Step::More);
            }
            self.commit(observer)?;
            return Ok(Step::Cancelled);
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

    /// Returns how far the work is.
    pub fn progress(&self) -> Progress {
        self.clock.progress()
    }

    /// Tells whether there is work.
    pub fn is_busy(&self) -> bool {
        !self.jobs.is_empty() || !self.pending.is_empty() || self.derived.is_none()
    }

    /// Returns the files that cannot be found yet as they are now: those to be read, and those read and not yet saved.
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
        self.happened.clear();
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

    /// Returns what waits to be saved of a folder's files, oldest first.
    fn waiting(&self, folder: FolderId) -> impl Iterator<Item = Waiting<'_>> {
        self.pending
            .iter()
            .filter_map(Waiting::of)
            .filter(move |change| change.folder == folder)
    }

    fn read(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        self.clock.start(file);
        observer.progress(&self.progress());
        // It is compared with what the library has of it, so that must stand there.
        if self.waiting(folder).any(|change| change.path == file.path) {
            self.commit(observer)?;
        }
        let known = self.store.document(folder, &file.path)?;
        let read = memlens_ingest::read(file).and_then(|bytes| {
            let hash = *blake3::hash(&bytes).as_bytes();
            if known.as_ref().is_some_and(|state| state.hash == hash) {
                return Ok((bytes.len() as u64, hash, None));
            }
            let parsed = memlens_ingest::parse(file.kind, &bytes, &self.options)?;
            Ok((bytes.len() as u64, hash, Some(parsed)))
        });
        match read {
            Ok((_, _, None)) => {
                let document = known
                    .map(|state| state.id)
                    .expect("only a known document can be unchanged");
                self.counts.n_unchanged += 1;
                self.pend(
                    Change::Touch {
                        document,
                        modified_ms: file.modified_ms,
                        changed_ns: file.changed_ns,
                    },
                    0,
                );
            }
            Ok((size, hash, Some(parsed))) => {
                let document =
                    self.document(folder, file, (size, hash), parsed, cancel, observer)?;
                self.note_put(folder, file, known.as_ref(), &document);
                let n_chunks = document.chunks.len();
                self.pend(Change::Put(Box::new(document)), n_chunks);
            }
            // It vanished between the walk and the look; the watcher or the next scan will tell.
            Err(_) if !file.absolute.exists() => {
                // With its whole folder gone it stays: that may be back in a moment.
                let is_ours = known.is_some() || self.store.has_problem(folder, &file.path)?;
                if is_ours && self.is_there(folder)? {
                    self.remove(folder, &file.path)?;
                }
            }
            Err(error) => {
                let path = file.path.clone();
                let problem = self.problem(folder, path, None, error.to_string(), Severity::Error);
                if known.is_none() && self.store.is_noted(&problem)? {
                    // A person has been told.
                    self.counts.n_unreadable += 1;
                } else {
                    self.fail(problem);
                }
            }
        }
        Ok(())
    }

    /// Tells whether a watched folder can be looked into now.
    fn is_there(&self, folder: FolderId) -> Result<bool, EngineError> {
        let folders = self.store.folders()?;
        let folder = folders.iter().find(|candidate| candidate.id == folder);
        Ok(folder.is_some_and(|folder| Path::new(&folder.path).is_dir()))
    }

    fn note_put(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        known: Option<&DocumentState>,
        document: &NewDocument,
    ) {
        let what = if known.is_some() {
            self.counts.n_changed += 1;
            Happening::Changed
        } else {
            self.counts.n_added += 1;
            Happening::Added
        };
        let detail = match document.chunks.len() {
            1 => "1 chunk".to_owned(),
            n => format!("{n} chunks"),
        };
        self.happen(folder, &file.path, what, Some(detail), Some(document.hash));
    }

    /// Makes the document with every embedding that it needs.
    fn document(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        (size, hash): (u64, [u8; 32]),
        parsed: Parsed,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<NewDocument, EngineError> {
        let chunk_hashes: Vec<[u8; 32]> = parsed
            .chunks
            .iter()
            .map(|chunk| content_hash(&chunk.text))
            .collect();
        let window_hashes: Vec<[u8; 32]> = parsed
            .windows
            .iter()
            .map(|window| content_hash(&window.text))
            .collect();
        let texts: Vec<([u8; 32], &str)> = chunk_hashes
            .iter()
            .copied()
            .zip(parsed.chunks.iter().map(|chunk| chunk.text.as_str()))
            .chain(
                window_hashes
                    .iter()
                    .copied()
                    .zip(parsed.windows.iter().map(|window| window.text.as_str())),
            )
            .collect();
        self.embedder.wake()?;
        let embeddings = self.embeddings(&texts, cancel, observer)?;

        let mut windows_of: Vec<Vec<NewWindow>> = vec![Vec::new(); parsed.chunks.len()];
        for (window, hash) in parsed.windows.iter().zip(&window_hashes) {
            for chunk in &window.chunks {
                windows_of[*chunk as usize].push(NewWindow {
                    start_line: window.start_line,
                    end_line: window.end_line,
                    embedding: embeddings[hash],
                });
            }
        }
        let observations = memlens_ingest::observations(&parsed)
            .into_iter()
            .map(|observation| NewObservation {
                text: observation.text,
                bytes: observation.bytes,
                start_line: observation.start_line,
                end_line: observation.end_line,
                agent: observation.agent,
                date: observation.date.map(|date| date.to_string()),
                weight: observation.weight,
            })
            .collect();
        let problems = parsed
            .problems
            .iter()
            .map(|problem| {
                self.problem(
                    folder,
                    file.path.clone(),
                    problem.line,
                    problem.message.clone(),
                    Severity::Note,
                )
            })
            .collect();
        let chunks = parsed
            .chunks
            .into_iter()
            .zip(chunk_hashes.iter().zip(windows_of))
            .map(|(chunk, (hash, windows))| NewChunk {
                tokens: self.embedder.count_tokens(&chunk.text),
                start_line: chunk.start_line,
                end_line: chunk.end_line,
                bytes: chunk.bytes,
                heading: chunk.heading_path.join(" > "),
                agent: chunk.agent,
                date: chunk.date.map(|date| date.to_string()),
                weight: chunk.weight,
                external_id: chunk.external_id,
                embedding: embeddings[hash],
                windows,
                text: chunk.text,
            })
            .collect();
        Ok(NewDocument {
            folder,
            path: file.path.clone(),
            hash,
            size,
            modified_ms: file.modified_ms,
            changed_ns: file.changed_ns,
            kind: parsed.kind.as_str().to_owned(),
            encoding: parsed.encoding.to_owned(),
            agent: parsed.front.agent,
            date: parsed.front.date.map(|date| date.to_string()),
            tags: parsed.front.tags,
            weight: parsed.front.weight,
            chunks,
            observations,
            problems,
        })
    }

    /// Returns the embedding of every text; those that are not there yet are computed and saved.
    fn embeddings(
        &mut self,
        texts: &[([u8; 32], &str)],
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<HashMap<[u8; 32], EmbeddingId>, EngineError> {
        let model = self.embedder.info().id.clone();
        let mut there = self
            .store
            .embeddings(&model, texts.iter().map(|(hash, _)| *hash))?;
        let mut seen = HashSet::new();
        let missing: Vec<&([u8; 32], &str)> = texts
            .iter()
            .filter(|(hash, _)| !there.contains_key(hash) && seen.insert(*hash))
            .collect();
        let mut unsaved = Vec::new();
        let mut cancelled = None;
        for slice in missing.chunks(SLICE) {
            let slice_texts: Vec<&str> = slice.iter().map(|(_, text)| *text).collect();
            match self.embedder.embed(&slice_texts, cancel) {
                Ok(vectors) => unsaved.extend(slice.iter().map(|(hash, _)| *hash).zip(vectors)),
                // What is done is saved before the error goes up.
                Err(error) => {
                    cancelled = Some(error);
                    break;
                }
            }
            self.counts.n_embedded += slice.len() as u32;
            self.clock.advance(slice.len(), missing.len());
            observer.progress(&self.progress());
            if unsaved.len() >= SAVE_EVERY {
                self.store.save_embeddings(&model, &unsaved)?;
                unsaved.clear();
            }
            if observer.interrupts() {
                cancelled = Some(EmbedError::Cancelled);
                break;
            }
        }
        self.store.save_embeddings(&model, &unsaved)?;
        if let Some(error) = cancelled {
            return Err(error.into());
        }
        there.extend(
            self.store
                .embeddings(&model, missing.iter().map(|(hash, _)| *hash))?,
        );
        Ok(there)
    }

    fn pend(&mut self, change: Change, n_chunks: usize) {
        self.pending.push(change);
        self.pending_chunks += n_chunks;
        self.pending_since.get_or_insert_with(Instant::now);
    }

    /// Saves what is pending, brings the lists into step, and tells the observer.
    fn commit(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        self.pending_since = None;
        self.pending_chunks = 0;
        let changes = std::mem::take(&mut self.pending);
        if changes.is_empty() {
            return Ok(());
        }
        let applied = match self.store.apply(&changes) {
            Ok(applied) => applied,
            Err(error) => {
                self.pending = changes;
                return Err(error.into());
            }
        };
        let started = Instant::now();
        self.follow(&applied, embeddings_of(&changes))?;
        self.tell(observer)?;
        self.commit_after = COMMIT_AFTER.max(started.elapsed() * COMMIT_REST);
        Ok(())
    }

    /// Tells what can be searched now.
    fn tell(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let folders = self.store.folders()?;
        observer.committed(&told(std::mem::take(&mut self.happened), &folders));
        Ok(())
    }

    /// Builds the lists anew if they could not be written the last time.
    fn mend_lists(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        if self.derived.is_some() {
            return Ok(());
        }
        let info = self.embedder.info();
        let (derived, notices) = Derived::open(&self.store, &info.id, info.dim)?;
        self.derived = Some(derived);
        for notice in &notices {
            observer.noticed(notice);
        }
        // What had been saved by then and is found from now on.
        if self.pending.is_empty() {
            self.tell(observer)?;
        }
        Ok(())
    }

    /// Brings the lists to what the store has applied.
    fn follow(
        &mut self,
        applied: &Applied,
        embeddings: Vec<EmbeddingId>,
    ) -> Result<(), EngineError> {
        // Writers that failed half way are dropped; opening them anew rebuilds what is out of step.
        let derived = match self.derived.take() {
            Some(mut derived) => {
                derived.follow(&self.store, applied, embeddings)?;
                derived
            }
            None => {
                let info = self.embedder.info();
                Derived::open(&self.store, &info.id, info.dim)?.0
            }
        };
        self.derived = Some(derived);
        Ok(())
    }

    /// Begins to count anew when nothing is left to do.
    fn settle(&mut self) {
        if !self.is_busy() {
            self.clock = Clock::default();
        }
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

impl Job {
    fn folder(&self) -> FolderId {
        match self {
            Job::Read { folder, .. } | Job::Remove { folder, .. } => *folder,
        }
    }

    fn path(&self) -> &str {
        match self {
            Job::Read { file, .. } => &file.path,
            Job::Remove { path, .. } => path,
        }
    }
}

/// Is what a change that waits to be saved does to its file.
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
