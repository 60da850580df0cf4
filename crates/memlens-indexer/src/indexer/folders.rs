//! Watched folders, and what in them has to be read or removed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use memlens_files::{Disk, SystemDisk, canonical, name_in, spelled};
use memlens_ingest::{FoundFile, Kind, SkippedFile, Verdict};
use memlens_store::{DocumentState, Folder, FolderId, Severity, Store, StoredProblem};

use super::waiting::Waiting;
use super::{Indexer, Job, Observer};
use crate::IndexerError;
use crate::mounts::Mount;
use crate::status::now_ms;

/// Refuses to create a library in, or around, a folder that is to be watched. Does nothing if the library exists
/// already: [`Indexer::add_folder`] checks that case. Creates nothing.
///
/// # Errors
/// [`IndexerError::CannotWatch`].
pub fn refuse_library_among(dir: &Path, folders: &[PathBuf]) -> Result<(), IndexerError> {
    if !Store::is_gone(dir) {
        return Ok(());
    }
    let place = memlens_files::place_to_be(dir);
    let resolved = folders.iter().flat_map(|folder| canonical(folder));
    resolved
        .into_iter()
        .try_for_each(|folder| refuse_own(&place, &folder))
}

/// Refuses a folder that contains the library in `dir`, or is inside it.
fn refuse_own(dir: &Path, folder: &Path) -> Result<(), IndexerError> {
    if folder.starts_with(dir) || dir.starts_with(folder) {
        return Err(IndexerError::CannotWatch {
            path: folder.to_owned(),
            why: "Memlens keeps its own library there".to_owned(),
        });
    }
    Ok(())
}

/// Returns the absolute path, without links, of a folder that can be listed.
///
/// Blocks for as long as the disk takes to answer, so call it without holding any lock.
///
/// # Errors
/// [`IndexerError::File`] if it is missing, a file or unreadable.
pub(crate) fn readable_folder(path: &Path) -> Result<PathBuf, IndexerError> {
    let file_error = |source| IndexerError::File {
        attempt: "open folder",
        path: path.to_owned(),
        source,
    };
    let resolved = canonical(path).map_err(file_error)?;
    if !resolved.is_dir() {
        return Err(file_error(std::io::Error::from(
            std::io::ErrorKind::NotADirectory,
        )));
    }
    std::fs::read_dir(&resolved).map_err(file_error)?;
    Ok(resolved)
}

/// Adds a folder to watch: like [`Indexer::add_folder_of`] if `of` holds an agent's id and the folder's name, otherwise
/// like [`Indexer::add_folder`]. `resolved` must come from [`readable_folder`].
pub(crate) fn add_folder(
    store: &mut Store,
    resolved: &Path,
    of: Option<(&str, &str)>,
) -> Result<Folder, IndexerError> {
    let text = watchable(store.dir(), resolved, &store.folders()?)?;
    if let Some((agent, name)) = of {
        return Ok(store.add_folder_of(text, name, agent)?);
    }
    Ok(store.add_folder(text, name_of(resolved, text))?)
}

/// Returns the path of a [`readable_folder`] as it is stored, if it can be watched beside the other folders.
///
/// # Errors
/// [`IndexerError::CannotWatch`] and [`IndexerError::HoldsWatched`].
fn watchable<'a>(
    dir: &Path,
    resolved: &'a Path,
    others: &[Folder],
) -> Result<&'a str, IndexerError> {
    let text = resolved.to_str().ok_or_else(|| IndexerError::CannotWatch {
        path: resolved.to_owned(),
        why: "its name is not valid UTF-8".to_owned(),
    })?;
    refuse_own(dir, resolved)?;
    let inner = others
        .iter()
        .find(|folder| folder.path != text && Path::new(&folder.path).starts_with(resolved));
    inner.map_or(Ok(text), |inner| {
        Err(IndexerError::HoldsWatched {
            path: text.to_owned(),
            inner: inner.path.clone(),
        })
    })
}

/// Returns the name of a folder, or its path if it has no name.
fn name_of<'a>(resolved: &'a Path, text: &'a str) -> &'a str {
    resolved
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(text)
}

impl Indexer {
    /// Adds a folder to watch; [`Indexer::scan`] queues its files.
    ///
    /// # Errors
    /// [`IndexerError::File`] if it is missing, a file or unreadable; [`IndexerError::CannotWatch`];
    /// [`IndexerError::HoldsWatched`] and [`memlens_store::StoreError::AlreadyWatched`] if it would be watched twice.
    pub fn add_folder(&mut self, path: &Path) -> Result<Folder, IndexerError> {
        add_folder(&mut self.store, &readable_folder(path)?, None)
    }

    /// Adds a folder that is an agent's memory, under the given name.
    ///
    /// # Errors
    /// Like [`Indexer::add_folder`].
    pub fn add_folder_of(
        &mut self,
        path: &Path,
        agent: &str,
        name: &str,
    ) -> Result<Folder, IndexerError> {
        let path = readable_folder(path)?;
        add_folder(&mut self.store, &path, Some((agent, name)))
    }

    /// Removes a folder from the library; the notes themselves are not touched.
    ///
    /// # Errors
    /// [`IndexerError::Store`] and [`IndexerError::Index`].
    pub fn remove_folder(&mut self, folder: FolderId) -> Result<(), IndexerError> {
        self.drop_work_of(folder);
        let applied = self.store.remove_folder(folder)?;
        self.follow(&applied, Vec::new())
    }

    /// Sets the new path of a folder that was moved, like [`Store::move_folder`]. [`Indexer::scan`] queues the files
    /// there, and no text is embedded again.
    ///
    /// # Errors
    /// Like [`Indexer::add_folder`].
    pub fn move_folder(&mut self, folder: FolderId, path: &Path) -> Result<(), IndexerError> {
        let resolved = readable_folder(path)?;
        let mut others = self.store.folders()?;
        others.retain(|it| it.id != folder);
        let text = watchable(self.store.dir(), &resolved, &others)?;
        let applied = self
            .store
            .move_folder(folder, text, name_of(&resolved, text))?;
        self.drop_work_of(folder);
        self.follow(&applied, Vec::new())
    }

    /// Drops the jobs and pending changes of a folder.
    fn drop_work_of(&mut self, folder: FolderId) {
        self.jobs.leave(folder);
        self.forgotten.retain(|(of, _)| *of != folder);
        self.pending
            .retain(|change| Waiting::of(change).is_none_or(|it| it.folder != folder));
        self.happened.retain(|one| one.folder != folder);
        self.settle();
    }

    /// Drops the jobs of a folder that was paused; the next [`Indexer::scan`] finds them again.
    pub fn leave_alone(&mut self, folder: FolderId) {
        self.jobs.leave(folder);
        self.settle();
    }

    /// Walks a folder and queues what differs from the library. Returns the visited folders, relative to it; the first
    /// is itself, as an empty path.
    ///
    /// A file differs if its size, its modification time (in either direction), or the time at which the system
    /// recorded a change is different.
    ///
    /// A folder that is missing or whose disk is not mounted keeps its documents, as does a subfolder that cannot be
    /// listed; the problems say so. The first scan compares the library with what was saved, and removes the notes that
    /// differ.
    ///
    /// # Errors
    /// [`IndexerError::Ingest`] and [`IndexerError::Unmounted`] if the folder cannot be walked; [`IndexerError::Store`]
    /// and [`IndexerError::Index`].
    pub fn scan(
        &mut self,
        folder: &Folder,
        cancel: &AtomicBool,
    ) -> Result<Vec<String>, IndexerError> {
        self.scan_with_progress(folder, cancel, &mut ())
    }

    /// Like [`Indexer::scan`], but also reports to the observer how many files were found so far.
    ///
    /// # Errors
    /// Like [`Indexer::scan`].
    pub fn scan_with_progress(
        &mut self,
        folder: &Folder,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Vec<String>, IndexerError> {
        let path = Path::new(&folder.path);
        let began_ms = now_ms();
        let walked = memlens_ingest::walk_with_progress(path, cancel, &mut |files| {
            observer.scanned(files.len())
        })?;
        self.check_mount(folder.id, path)?;
        self.check_before_walk(path, cancel)?;
        let known = self.store.documents(folder.id)?;
        // Pending changes will be in the library too, whatever the store holds now.
        let waiting: BTreeSet<String> = self
            .waiting(folder.id)
            .map(|change| change.path.to_owned())
            .collect();
        self.jobs.leave(folder.id);
        let closed: HashSet<String> = walked
            .skipped
            .iter()
            .filter(|skipped| skipped.is_closed)
            .map(|skipped| skipped.path.clone())
            .collect();
        let seen: HashSet<&str> = walked.folders.iter().map(String::as_str).collect();
        // The closed folder around a path, if any. The nearest known folder decides: the content of a visited folder is
        // known even if its parent could not be listed completely.
        let closed_around = |path: &str| {
            let nearest = around(path).find(|it| seen.contains(it) || closed.contains(*it));
            nearest.filter(|it| closed.contains(*it)).map(str::to_owned)
        };
        let is_closed = |path: &str| closed_around(path).is_some();
        let keeping: HashSet<String> = known
            .keys()
            .chain(&waiting)
            .filter_map(|path| closed_around(path))
            .collect();
        let is_ours = |path: &str| known.contains_key(path) || waiting.contains(path);
        let (problems, unreadable) =
            self.report_skipped(folder.id, walked.skipped, &keeping, is_ours);
        let found: HashSet<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
        let with_problem: HashSet<&str> = problems.iter().map(|it| it.path.as_str()).collect();
        self.store.set_walk_problems(folder.id, &problems, |path| {
            found.contains(path) || (is_closed(path) && !with_problem.contains(path))
        })?;

        let gone: BTreeSet<&String> = known
            .keys()
            .chain(&waiting)
            .filter(|path| {
                !found.contains(path.as_str()) && !unreadable.contains(*path) && !is_closed(path)
            })
            .collect();
        let mut jobs: Vec<Job> = gone
            .into_iter()
            .map(|path| Job::Remove {
                folder: folder.id,
                path: path.clone(),
            })
            .collect();
        jobs.extend(self.reads(folder.id, walked.files, &known, &waiting)?);
        let is_as_held =
            jobs.is_empty() && waiting.is_empty() && closed.is_empty() && unreadable.is_empty();
        if is_as_held {
            self.store.confirm_folder(folder.id, began_ms)?;
        }
        self.jobs.put_by_size(folder.id, jobs);
        self.settle();
        Ok(walked.folders)
    }

    /// Reports what a walk skipped. Returns the problems of paths that are not `is_ours`, and the paths that are and
    /// cannot be read. `keeping` holds the closed folders whose notes stay in the library.
    fn report_skipped(
        &mut self,
        folder: FolderId,
        all: Vec<SkippedFile>,
        keeping: &HashSet<String>,
        is_ours: impl Fn(&str) -> bool,
    ) -> (Vec<StoredProblem>, BTreeSet<String>) {
        let mut problems = Vec::new();
        let mut unreadable = BTreeSet::new();
        for skipped in all {
            let mut reason = skipped.reason;
            if skipped.is_closed && keeping.contains(&skipped.path) {
                reason.push_str("; its notes stay in the library as they were");
            }
            let problem = self.problem(folder, skipped.path, None, reason, Severity::Error);
            if is_ours(&problem.path) {
                unreadable.insert(problem.path.clone());
                self.fail(problem);
            } else {
                problems.push(problem);
            }
        }
        (problems, unreadable)
    }

    /// Returns a job for each file that changed since it was indexed, or whose change is pending; counts the others.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    fn reads(
        &mut self,
        folder: FolderId,
        files: Vec<FoundFile>,
        known: &HashMap<String, DocumentState>,
        waiting: &BTreeSet<String>,
    ) -> Result<Vec<Job>, IndexerError> {
        let mut jobs = Vec::new();
        for file in files {
            // The last of these cannot be set by programs, so a jumping clock or a restored time stamp hides nothing.
            let is_known = known.get(&file.path).is_some_and(|state| {
                (state.size, state.modified_ms, state.changed_ns)
                    == (file.size, file.modified_ms, file.changed_ns)
            });
            let waits = waiting.contains(&file.path);
            if is_known && !waits {
                self.counts.n_unchanged += 1;
            } else if waits || !self.is_unread(folder, &file)? {
                jobs.push(Job::Read { folder, file });
            }
        }
        Ok(jobs)
    }

    /// Queues one file of a folder before everything else, because something happened to it. Returns `false` if only a
    /// [`Indexer::scan`] can find out what happened.
    ///
    /// # Errors
    /// [`IndexerError::Store`].
    pub fn look_at(&mut self, folder: &Folder, path: &Path) -> Result<bool, IndexerError> {
        self.look_at_on(&SystemDisk, folder, path)
    }

    fn look_at_on(
        &mut self,
        disk: &dyn Disk,
        folder: &Folder,
        path: &Path,
    ) -> Result<bool, IndexerError> {
        let Some(relative) = name_in(Path::new(&folder.path), path) else {
            return Ok(false);
        };
        let name = relative.rsplit('/').next().unwrap_or_default();
        if relative.is_empty() || matches!(name, ".gitignore" | ".ignore") {
            return Ok(false);
        }
        let Ok(verdict) = memlens_ingest::judge(Path::new(&folder.path), &relative) else {
            return Ok(false);
        };
        // Where the file system ignores case it answers for `otter.md` although that is `Otter.md` now. Only a walk takes
        // the names from the listings.
        if matches!(verdict, Verdict::Read(_))
            && spelled(disk, Path::new(&folder.path), &relative).is_some_and(|it| it != relative)
        {
            return Ok(false);
        }
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
            // Only a walk decides whether to report it.
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
                // A folder that is gone, or a file that was never in the library.
                let inside = format!("{relative}/");
                let is_inside = |path: &str| path.starts_with(&inside);
                let holds_ours = self.store.holds_folder(folder.id, &relative)?
                    || self.waiting(folder.id).any(|change| is_inside(change.path));
                return Ok(!holds_ours);
            }
        };
        // The event is newer than what was queued for the note before.
        self.jobs.put_first(job);
        self.settle();
        Ok(true)
    }

    /// Records the disk that a folder is on. An empty folder at the mount point of an earlier disk is not the watched
    /// folder: the disk's content has not been deleted.
    fn check_mount(&mut self, folder: FolderId, path: &Path) -> Result<(), IndexerError> {
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
            return Err(IndexerError::Unmounted {
                path: path.to_owned(),
                mount: before.clone(),
            });
        }
        Ok(self.store.set_folder_mount(folder, mount.as_deref())?)
    }

    /// Returns whether a watched folder exists now.
    pub(super) fn is_there(&self, folder: FolderId) -> Result<bool, IndexerError> {
        let folders = self.store.folders()?;
        let folder = folders.iter().find(|candidate| candidate.id == folder);
        Ok(folder.is_some_and(|folder| Path::new(&folder.path).is_dir()))
    }
}

/// Returns the folders around a path, the nearest first. All are relative to the same folder, which is the last and
/// empty.
fn around(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.rmatch_indices('/').map(|(at, _)| &path[..at]);
    inner.chain([""])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use memlens_embed::Hashing;

    use super::*;

    /// A disk that answers for `otter.md` although it lists `Otter.md`.
    struct WithoutCase;

    impl Disk for WithoutCase {
        fn is_there(&self, path: &Path) -> bool {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.eq_ignore_ascii_case("otter.md"))
        }

        fn names_in(&self, _: &Path) -> Vec<String> {
            vec!["Otter.md".to_owned()]
        }
    }

    #[test]
    fn a_rename_that_changes_only_the_case_leaves_no_ghost() {
        let (dir, notes) = (
            tempfile::tempdir().expect("a scratch folder can be made"),
            tempfile::tempdir().expect("a scratch folder can be made"),
        );
        let at = |name: &str| notes.path().join(name);
        fs::write(at("otter.md"), "The otter sleeps in the boathouse.").expect("it is ours");
        let (mut indexer, _) =
            Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        let folder = indexer.add_folder(notes.path()).expect("it can be added");
        let go_on = AtomicBool::new(false);
        let walk = |indexer: &mut Indexer| {
            indexer.scan(&folder, &go_on).expect("it can be walked");
            indexer.run(&go_on, &mut ()).expect("it can be indexed");
            let documents = indexer
                .store()
                .documents(folder.id)
                .expect("they can be read");
            let mut paths: Vec<String> = documents.into_keys().collect();
            paths.sort();
            paths
        };
        assert_eq!(walk(&mut indexer), ["otter.md"]);

        fs::rename(at("otter.md"), at("Otter.md")).expect("it can be renamed");
        fs::hard_link(at("Otter.md"), at("otter.md")).expect("it can have two names");
        let root = Path::new(&folder.path).to_owned();
        let mut look_at = |disk: &dyn Disk, name: &str| {
            let done = indexer.look_at_on(disk, &folder, &root.join(name));
            done.expect("it can be inspected")
        };
        assert!(!look_at(&WithoutCase, "otter.md"), "a walk must decide");
        assert!(look_at(&WithoutCase, "Otter.md"));
        assert!(look_at(&SystemDisk, "otter.md"), "there it is a file");

        fs::remove_file(at("otter.md")).expect("it is ours");
        assert_eq!(walk(&mut indexer), ["Otter.md"]);
    }
}
