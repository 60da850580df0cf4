//! Whether the notes of shown rows are on the disk as they were indexed.
//!
//! Properties checked: a note with the same bytes and another mtime is unchanged; a missing or changed note is
//! reported; a disk that does not respond delays an answer no longer than [`TIME_MAX`].

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use memlens_ingest::FoundFile;
use memlens_retrieve::NoteFacts;
use memlens_store::DocumentState;
use memlens_wire::{OnDisk, Snippet};

use crate::notes::place::{Place, note_path};
use crate::search::Search;
use crate::{EngineError, Library};

/// Time limit for all notes of one answer.
const TIME_MAX: Duration = Duration::from_millis(50);
/// Maximum number of threads that wait for a disk; beyond that nothing is compared.
const THREADS_MAX: usize = 4;
static N_THREADS: AtomicUsize = AtomicUsize::new(0);

const BYTES_AT_ONCE: usize = 64 * 1024;

impl Library {
    /// Compares the notes of rows with the disk, in the order of `slots`. `None` for a row whose text was not read from the
    /// index: of another program's memory only missing files are reported.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], [`EngineError::Store`].
    pub(crate) fn on_disk(
        &self,
        search: &Search,
        slots: &[u32],
    ) -> Result<Vec<Option<OnDisk>>, EngineError> {
        let mut notes: Vec<Indexed> = Vec::new();
        // All rows of a note share one comparison.
        let mut places: HashMap<(i64, &str), Option<usize>> = HashMap::new();
        let mut of_rows = Vec::with_capacity(slots.len());
        for slot in slots {
            let note: &NoteFacts = &search.row_facts(*slot)?.note;
            let key = (note.folder.0, note.path.as_str());
            let place = match places.get(&key) {
                Some(place) => *place,
                None => {
                    let place = self
                        .store()
                        .document(note.folder, &note.path)?
                        .map(|state| {
                            notes.push(Indexed {
                                path: note_path(&note.folder_path, &note.path),
                                state,
                            });
                            notes.len() - 1
                        });
                    places.insert(key, place);
                    place
                }
            };
            of_rows.push(place);
        }
        let compared = compare(notes, TIME_MAX);
        Ok(of_rows
            .into_iter()
            .map(|place| place.and_then(|place| known_of(search, compared[place])))
            .collect())
    }

    /// The same of one note.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn on_disk_of(
        &self,
        search: &Search,
        place: &Place,
    ) -> Result<Option<OnDisk>, EngineError> {
        let Some(state) = self.store().document(place.folder, &place.path)? else {
            return Ok(None);
        };
        let lists = self.lists();
        let mut folders = lists.snapshot.folders.iter();
        let Some(folder) = folders.find(|folder| folder.id == place.folder) else {
            return Ok(None);
        };
        let path = note_path(&folder.path, &place.path);
        let compared = compare(vec![Indexed { path, state }], TIME_MAX);
        Ok(known_of(search, compared[0]))
    }

    /// The best passage of each row asked for, with its note's state on the disk.
    ///
    /// # Errors
    /// As [`Search::snippets`] and [`Library::on_disk`].
    pub fn snippets(&self, search: &Search, slots: &[u32]) -> Result<Vec<Snippet>, EngineError> {
        let mut snippets = search.snippets(slots)?;
        for (snippet, state) in snippets.iter_mut().zip(self.on_disk(search, slots)?) {
            snippet.on_disk = state;
        }
        Ok(snippets)
    }
}

/// What a comparison says about a row. Another program's memory is made of the notes on the disk, not of the index.
fn known_of(search: &Search, state: OnDisk) -> Option<OnDisk> {
    (search.emulated.is_none() || state == OnDisk::Gone).then_some(state)
}

/// A note as it was indexed.
#[derive(Debug, Clone)]
struct Indexed {
    path: PathBuf,
    state: DocumentState,
}

/// Compares notes with the disk, on a separate thread, within a time limit.
fn compare(notes: Vec<Indexed>, time: Duration) -> Vec<OnDisk> {
    let mut compared = vec![OnDisk::NotChecked; notes.len()];
    let Some(counted) = Counted::below(THREADS_MAX) else {
        return compared;
    };
    if notes.is_empty() {
        return compared;
    }
    let (sender, states) = mpsc::channel();
    let (started, has_started) = mpsc::channel();
    let work = move || {
        let _counted = counted;
        // A thread that starts late on a busy machine says nothing about the disk.
        let deadline = Instant::now() + time;
        let _ = started.send(deadline);
        for (place, note) in notes.iter().enumerate() {
            if Instant::now() >= deadline {
                return;
            }
            if sender.send((place, compare_one(note, deadline))).is_err() {
                return;
            }
        }
    };
    let spawned = thread::Builder::new().name("memlens-on-disk".to_owned());
    if spawned.spawn(work).is_err() {
        return compared;
    }
    let Ok(deadline) = has_started.recv() else {
        return compared;
    };
    let left = || deadline.saturating_duration_since(Instant::now());
    while let Ok((place, state)) = states.recv_timeout(left()) {
        compared[place] = state;
    }
    compared
}

/// One thread, counted while it exists.
struct Counted;

impl Counted {
    fn below(max: usize) -> Option<Counted> {
        let counted = Counted;
        // Dropped again if there are too many.
        (N_THREADS.fetch_add(1, Ordering::SeqCst) < max).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        N_THREADS.fetch_sub(1, Ordering::SeqCst);
    }
}

fn compare_one(note: &Indexed, deadline: Instant) -> OnDisk {
    let found = match fs::symlink_metadata(&note.path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return OnDisk::Gone;
        }
        Err(_) => return OnDisk::NotChecked,
    };
    let root = note.path.parent().unwrap_or(Path::new("/"));
    // `None` for a link, a folder or a file that is too large now.
    let Some(file) = FoundFile::at(root, &note.path, &found) else {
        return OnDisk::Changed;
    };
    let state = &note.state;
    if file.size != state.size {
        return OnDisk::Changed;
    }
    if (file.modified_ms, file.changed_ns) == (state.modified_ms, state.changed_ns) {
        return OnDisk::AsIndexed;
    }
    match hash(&note.path, deadline) {
        Some(hash) if hash == state.hash => OnDisk::AsIndexed,
        Some(_) => OnDisk::Changed,
        None => OnDisk::NotChecked,
    }
}

/// The hash of a file's bytes; `None` if it cannot be read in time.
fn hash(path: &Path, deadline: Instant) -> Option<[u8; 32]> {
    let mut file = memlens_files::open_own(path, File::options().read(true)).ok()?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; BYTES_AT_ONCE];
    loop {
        if Instant::now() > deadline {
            return None;
        }
        match file.read(&mut buffer) {
            Ok(0) => return Some(*hasher.finalize().as_bytes()),
            Ok(n) => hasher.update(&buffer[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use memlens_store::DocumentId;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn indexed(path: &Path) -> Indexed {
        let found = path.symlink_metadata().expect("it is there");
        let root = path.parent().expect("it is in a folder");
        let file = FoundFile::at(root, path, &found).expect("it is a note");
        let bytes = fs::read(path).expect("it can be read");
        Indexed {
            path: path.to_owned(),
            state: DocumentState {
                id: DocumentId(1),
                size: file.size,
                modified_ms: file.modified_ms,
                changed_ns: file.changed_ns,
                hash: *blake3::hash(&bytes).as_bytes(),
            },
        }
    }

    fn set_time(path: &Path, seconds: u64) {
        let time = std::time::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = File::options().write(true).open(path).expect("it opens");
        file.set_modified(time).expect("it is ours");
    }

    #[test]
    fn a_note_is_compared_by_its_bytes() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let at = |name: &str| dir.path().join(name);
        let names = [
            "same", "touched", "longer", "edited", "hidden", "gone", "folder", "link",
        ];
        for name in names {
            fs::write(at(name), "room 3").expect("it can be written");
            set_time(&at(name), 1_000_000);
        }
        let notes: Vec<Indexed> = names.iter().map(|name| indexed(&at(name))).collect();
        set_time(&at("touched"), 2_000_000);
        fs::write(at("longer"), "the attic").expect("it can be written");
        fs::write(at("edited"), "room 4").expect("it can be written");
        // The mtime is restored, as some tools do.
        fs::write(at("hidden"), "room 5").expect("it can be written");
        set_time(&at("hidden"), 1_000_000);
        for name in ["gone", "folder", "link"] {
            fs::remove_file(at(name)).expect("it is ours");
        }
        fs::create_dir(at("folder")).expect("it can be made");
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("same"), at("link")).expect("links can be made");
        let expected = [
            OnDisk::AsIndexed,
            OnDisk::AsIndexed,
            OnDisk::Changed,
            OnDisk::Changed,
            if cfg!(unix) {
                OnDisk::Changed
            } else {
                OnDisk::AsIndexed
            },
            OnDisk::Gone,
            OnDisk::Changed,
            if cfg!(unix) {
                OnDisk::Changed
            } else {
                OnDisk::Gone
            },
        ];
        assert_eq!(compare(notes.clone(), LONG), expected);
        // Without any time nothing is claimed.
        assert_eq!(compare(notes, Duration::ZERO), [OnDisk::NotChecked; 8]);
        assert_eq!(compare(Vec::new(), LONG), []);
    }
}
