//! The files of the text list, with a checksum of each.
//!
//! Tantivy writes each file of a segment once. Its own checksum in the file shows that the file is complete, but not
//! that it belongs to this list; a file of another list would give wrong results, and a missing one would be noticed
//! only when it is needed. So everything written is summed while it is written, and the sums are on disk before tantivy
//! names the files in its `meta.json`, after commits and merges alike.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::{Mutex, MutexGuard};
use stable_deref_trait::StableDeref;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, FileSlice, Lock, META_LOCK, MmapDirectory,
    OwnedBytes, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::index::SegmentComponent;
use tantivy::{Directory, IndexMeta};

use memlens_files::{OwnBytes, buffer_to_map, map_own, open_own, retry_held};

use crate::IndexError;
use crate::held::Held;
use crate::private::{NO_FILE, keep_private};
use crate::text_list::open_error;
use crate::text_writer::{LOCKS, is_own};

/// The name of the file of sums.
pub(crate) const SUMS: &str = "checksums";
/// First line of the file of sums.
const HEAD: &str = "memlens-text-files 1";
/// Tantivy's file that names the segments of the last commit.
pub(crate) const META: &str = "meta.json";
/// Files of at most this many bytes are read into memory instead of mapped.
const READ_MOST: u64 = 256 << 10;
/// Number of bytes read of a file at a time.
const BLOCK_BYTES: usize = 1 << 18;

/// Length and checksum of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    n_bytes: u64,
    crc32: u32,
}

/// The sums of files by their names.
type Sums = BTreeMap<String, Sum>;

/// The verified files, with the sum and modification time that show whether a file is still the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct VerifiedFiles(BTreeMap<String, (Sum, Option<SystemTime>)>);

/// The list's folder, whose files only its user can access. The process may have read access only.
///
/// Tantivy locks a file for reading, so that no writer removes what a reader is about to open. If that file cannot be
/// opened for locking, [`crate::TextIndex::open`] detects a concurrent writer itself and retries.
#[derive(Clone, Debug)]
pub(crate) struct ListDirectory {
    inner: MmapDirectory,
    dir: PathBuf,
    /// The sum of every file that was written and not deleted.
    sums: Arc<Mutex<Sums>>,
}

impl VerifiedFiles {
    /// Returns the first of these files in the folder `dir` that is shorter than when it was written; reading the
    /// missing part of a mapped one would end the process. A file that a writer removed stays readable while it is
    /// open.
    pub(crate) fn shortened(&self, dir: &Path) -> Option<PathBuf> {
        let mapped = self
            .0
            .iter()
            .filter(|(_, (sum, _))| sum.n_bytes > READ_MOST);
        let mut paths = mapped.map(|(name, (sum, _))| (dir.join(name), sum.n_bytes));
        let is_shorter = |(path, n_bytes): &(PathBuf, u64)| {
            path.metadata().is_ok_and(|found| found.len() < *n_bytes)
        };
        paths.find(is_shorter).map(|(path, _)| path)
    }
}

impl ListDirectory {
    /// Opens the folder `dir`, without reading its files.
    ///
    /// # Errors
    /// Like [`crate::TextIndex::open`].
    pub(crate) fn open(dir: &Path) -> Result<Self, IndexError> {
        let inner = MmapDirectory::open(dir).map_err(|source| open_error(dir, source.into()))?;
        Ok(Self {
            inner,
            dir: dir.to_owned(),
            sums: Arc::default(),
        })
    }

    /// Refuses a list with a part that is not a regular file, because tantivy would follow a link and block on a pipe.
    ///
    /// # Errors
    /// [`IndexError::Torn`]; [`IndexError::Io`] if the folder cannot be listed.
    pub(crate) fn refuse_odd(&self) -> Result<(), IndexError> {
        let dir = &self.dir;
        for entry in std::fs::read_dir(dir).map_err(IndexError::io("list", dir))? {
            let entry = entry.map_err(IndexError::io("list", dir))?;
            let name = entry.file_name();
            let is_part = name
                .to_str()
                .is_some_and(|name| is_own(name) && !LOCKS.contains(&name));
            // An entry that has disappeared was removed by a writer.
            let is_odd = entry.file_type().is_ok_and(|found| !found.is_file());
            if is_part && is_odd {
                return Err(IndexError::Torn {
                    path: entry.path(),
                    why: NO_FILE.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Takes a lock, whose file must be a regular file.
    fn lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let mut options = File::options();
        let file = open_own(
            &self.dir.join(&lock.filepath),
            options.write(true).create(true).truncate(false),
        )
        .map_err(|error| {
            let name = lock.filepath.display();
            LockError::wrap_io_error(io::Error::new(error.kind(), format!("{name}: {error}")))
        })?;
        let held = if lock.is_blocking {
            Held::take(file).map(Some)
        } else {
            Held::try_take(file)
        };
        let held = held.map_err(LockError::wrap_io_error)?;
        Ok(DirectoryLock::from(Box::new(
            held.ok_or(LockError::LockBusy)?,
        )))
    }

    /// Verifies every file of the segments that `meta` names, except those in `known` that are unchanged, and returns
    /// them all.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if one is missing, changed or of another list, or if the sums cannot be read.
    pub(crate) fn verify(
        &self,
        meta: &IndexMeta,
        known: &VerifiedFiles,
    ) -> Result<VerifiedFiles, IndexError> {
        let mut sums = self.read_sums()?;
        for part in &meta.segments {
            let mut needed = vec![part.relative_path(SegmentComponent::Terms)];
            needed.extend(
                part.has_deletes()
                    .then(|| part.relative_path(SegmentComponent::Delete)),
            );
            if let Some(path) = needed.iter().find(|path| !sums.contains_key(&*name(path))) {
                return Err(self.torn(&name(path), "its checksum is missing"));
            }
        }
        let mut verified = VerifiedFiles::default();
        // All files that a segment could have; it has those that were written, except temporary ones.
        for path in meta.list_segment_files() {
            let name = name(&path);
            let Some(sum) = sums.get(&name).copied() else {
                continue;
            };
            let found = self.find(&name)?;
            if known.0.get(&name) != Some(&(sum, found.1)) || found.0 != sum.n_bytes {
                self.check(&name, sum)?;
            }
            verified.0.insert(name, (sum, found.1));
        }
        // The others were removed long ago, or never became part of a commit.
        sums.retain(|name, _| self.dir.join(name).exists());
        *self.sums() = sums;
        Ok(verified)
    }

    /// Returns a file's length and its modification time.
    fn find(&self, name: &str) -> Result<(u64, Option<SystemTime>), IndexError> {
        let path = self.dir.join(name);
        match path.metadata() {
            Ok(metadata) => Ok((metadata.len(), metadata.modified().ok())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(self.torn(name, "it is missing"))
            }
            Err(error) => Err(IndexError::io("read", &path)(error)),
        }
    }

    /// Reads a file and compares it with its sum.
    fn check(&self, name: &str, sum: Sum) -> Result<(), IndexError> {
        let path = self.dir.join(name);
        let summed = || -> io::Result<Sum> {
            let mut file = File::open(&path)?;
            let mut crc32 = crc32fast::Hasher::new();
            let mut block = vec![0; BLOCK_BYTES];
            let mut n_bytes = 0;
            loop {
                match file.read(&mut block)? {
                    0 => break,
                    n_read => {
                        crc32.update(&block[..n_read]);
                        n_bytes += n_read as u64;
                    }
                }
            }
            let crc32 = crc32.finalize();
            Ok(Sum { n_bytes, crc32 })
        };
        match summed() {
            Ok(found) if found == sum => Ok(()),
            Ok(_) => Err(self.torn(name, "its checksum does not fit")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(self.torn(name, "it is missing"))
            }
            Err(error) => Err(IndexError::io("read", &path)(error)),
        }
    }

    fn read_sums(&self) -> Result<Sums, IndexError> {
        let path = self.dir.join(SUMS);
        let text = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.torn(SUMS, "it is missing"));
            }
            Err(error) => return Err(IndexError::io("read", &path)(error)),
        };
        str::from_utf8(&text)
            .ok()
            .and_then(parse)
            .ok_or_else(|| self.torn(SUMS, "it is not as it was written"))
    }

    fn torn(&self, name: &str, why: &str) -> IndexError {
        IndexError::Torn {
            path: self.dir.join(name),
            why: why.to_owned(),
        }
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock()
    }
}

/// A whole file, as the library beneath takes it.
struct Whole(OwnBytes);

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

// SAFETY: The bytes are in a box or in a mapping, and stay where they are when the value moves.
#[allow(unsafe_code)]
unsafe impl StableDeref for Whole {}

impl Directory for ListDirectory {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && is_only_readable(error.kind()) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            taken => taken,
        }
    }

    /// A small file is read into memory, a large one is mapped.
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let full = self.dir.join(path);
        let bytes = open_own(&full, File::options().read(true)).and_then(|file| {
            Ok(match file.metadata()?.len() {
                0 => OwnedBytes::empty(),
                n_bytes => OwnedBytes::new(Whole(map_own(file, n_bytes, READ_MOST)?)),
            })
        });
        match bytes {
            Ok(bytes) => Ok(Arc::new(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(OpenReadError::FileDoesNotExist(full))
            }
            Err(error) => Err(OpenReadError::wrap_io_error(error, full)),
        }
    }

    fn open_read(&self, path: &Path) -> Result<FileSlice, OpenReadError> {
        self.get_file_handle(path).map(FileSlice::new)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)?;
        self.sums().remove(&name(path));
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let inner = self.inner.open_write(path)?;
        keep_private([&*self.dir.join(path)]);
        Ok(buffer_to_map(Box::new(Summing {
            inner,
            name: name(path),
            n_bytes: 0,
            crc32: crc32fast::Hasher::new(),
            sums: self.sums.clone(),
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(META) {
            // Written first, so that a segment that is named always has its sums.
            let sums = print(&self.sums());
            retry_held(|| self.inner.atomic_write(Path::new(SUMS), sums.as_bytes()))?;
        }
        retry_held(|| self.inner.atomic_write(path, data))
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// A file that is being written, and its sum so far.
struct Summing {
    inner: WritePtr,
    name: String,
    n_bytes: u64,
    crc32: crc32fast::Hasher,
    sums: Arc<Mutex<Sums>>,
}

impl Write for Summing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_written = self.inner.write(bytes)?;
        self.crc32.update(&bytes[..n_written]);
        self.n_bytes += n_written as u64;
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl TerminatingWrite for Summing {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.inner.terminate_ref(token)?;
        let sum = Sum {
            n_bytes: self.n_bytes,
            crc32: self.crc32.clone().finalize(),
        };
        self.sums.lock().insert(std::mem::take(&mut self.name), sum);
        Ok(())
    }
}

/// Returns a file's name; tantivy's names are ASCII.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn is_only_readable(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn print(sums: &Sums) -> String {
    let mut text = format!("{HEAD}\n");
    for (name, Sum { n_bytes, crc32 }) in sums {
        writeln!(text, "{crc32:08x} {n_bytes} {name}").expect("a string takes everything");
    }
    let crc32 = crc32fast::hash(text.as_bytes());
    format!("{text}{crc32:08x}\n")
}

/// Parses exactly what [`print`] writes.
fn parse(text: &str) -> Option<Sums> {
    let mut sums = Sums::new();
    let lines: Vec<&str> = text.lines().collect();
    let (_, lines) = lines.split_first()?;
    let (_, lines) = lines.split_last()?;
    for line in lines {
        let mut parts = line.splitn(3, ' ');
        let crc32 = u32::from_str_radix(parts.next()?, 16).ok()?;
        let n_bytes = parts.next()?.parse().ok()?;
        sums.insert(parts.next()?.to_owned(), Sum { n_bytes, crc32 });
    }
    (print(&sums) == text).then_some(sums)
}
