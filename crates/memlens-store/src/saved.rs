//! A snapshot in a file beside the database, so that a program that opens the library reads only what changed since.
//!
//! The database contains every row of it, so nothing is lost with the file: a file that is missing, torn, of another
//! format or of another state of the database only costs the time to read everything. The writer saves it again while
//! idle, once enough has changed.
//!
//! Rows of chunks and windows, which are nearly all of it, are stored in the file as they are in memory and are read in
//! place:
//!
//! ```text
//! MAGIC, filled up with zeros to 24 bytes
//! n_chunks u64, n_windows u64
//! n_chunks x ChunkRow, n_windows x WindowRow, in the order of documents
//! Head, then each document with the number of its chunks and windows, as postcard
//! CRC-32 of all before
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memlens_files::{OwnBytes, buffer_to_map, map_own, open_own};
use serde::{Deserialize, Serialize};

use crate::error::Attempt;
use crate::snapshot::{Followed, Known, Log};
use crate::{ChunkRow, DocumentRow, Documents, Records, Snapshot, Store, StoreError, WindowRow};

/// The file's first bytes; the number rises with every change of what follows.
const MAGIC: [u8; 24] = *b"memlens-snapshot 4\n\0\0\0\0\0";
/// Size up to which the file (some 200,000 chunks) is read into memory instead of mapped: a mapping would not survive a
/// program that shortens the file.
const READ_MOST: u64 = 16 << 20;
/// Bytes of the checksum at its end.
const CRC_BYTES: usize = size_of::<u32>();
/// Divisor: the file is saved again once one in this many documents changed, because every opener looks up each changed
/// one.
const CHANGED_SHARE: i64 = 32;

/// Fixed-size header before the rows; a multiple of 8 bytes, stored as in memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Start {
    magic: [u8; MAGIC.len()],
    n_chunks: u64,
    n_windows: u64,
}

/// Header of the list of documents.
#[derive(Serialize, Deserialize)]
struct Head {
    log: Log,
    n_documents: u64,
}

/// A saved snapshot that is known to be sound, and how large it is.
#[derive(Debug)]
pub(crate) struct Near {
    log: Log,
    n_documents: usize,
}

impl Near {
    fn new(log: &Log, documents: &Documents) -> Near {
        Near {
            log: log.clone(),
            n_documents: documents.len(),
        }
    }
}

/// What was saved of a snapshot: enough to follow it.
struct Saved {
    log: Log,
    documents: Documents,
}

impl Saved {
    fn known(&self) -> Known<'_> {
        Known {
            log: &self.log,
            documents: &self.documents,
            altered: &[],
        }
    }

    /// Reads what [`write`] wrote.
    ///
    /// # Errors
    /// What the system answers, and [`io::ErrorKind::InvalidData`] for a file that is not as it was written.
    fn read(dir: &Path) -> io::Result<Saved> {
        let file = open_own(&path(dir), File::options().read(true))?;
        let n_bytes = file.metadata()?.len();
        let file = Arc::new(map_own(file, n_bytes, READ_MOST)?);
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let (content, crc32) = file
            .split_last_chunk::<CRC_BYTES>()
            .ok_or_else(|| invalid("it is too short"))?;
        if crc32fast::hash(content) != u32::from_le_bytes(*crc32) {
            return Err(invalid("its checksum does not fit"));
        }
        let start = content
            .get(..size_of::<Start>())
            .map(bytemuck::pod_read_unaligned::<Start>)
            .filter(|start| start.magic == MAGIC)
            .ok_or_else(|| invalid("it is of another format"))?;
        let too_few = || invalid("it holds fewer rows than it says");
        let ends = || -> Option<(usize, usize)> {
            let n_bytes = |n: u64, row: usize| usize::try_from(n).ok()?.checked_mul(row);
            let chunks = n_bytes(start.n_chunks, size_of::<ChunkRow>())?;
            let chunks = chunks.checked_add(size_of::<Start>())?;
            let windows = n_bytes(start.n_windows, size_of::<WindowRow>())?;
            Some((chunks, chunks.checked_add(windows)?))
        };
        let (chunks_end, windows_end) = ends().ok_or_else(too_few)?;
        let rest = content.get(windows_end..).ok_or_else(too_few)?;
        let decode = |error: postcard::Error| invalid(&error.to_string());
        let (Head { log, n_documents }, mut rest) =
            postcard::take_from_bytes(rest).map_err(decode)?;
        let (mut chunks, mut windows) = (size_of::<Start>(), chunks_end);
        let mut documents = Vec::new();
        for _ in 0..n_documents {
            let (found, behind) = postcard::take_from_bytes(rest).map_err(decode)?;
            let (mut document, n_chunks, n_windows): (DocumentRow, u32, u32) = found;
            document.chunks = next(&file, &mut chunks, n_chunks, chunks_end).ok_or_else(too_few)?;
            document.windows =
                next(&file, &mut windows, n_windows, windows_end).ok_or_else(too_few)?;
            documents.push(Arc::new(document));
            rest = behind;
        }
        let documents = Documents::new(documents);
        Ok(Saved { log, documents })
    }
}

/// The next `n` rows of a file from `at` on, which is advanced past them; `None` if they would not end before `end`.
fn next<T: Pod>(file: &Arc<OwnBytes>, at: &mut usize, n: u32, end: usize) -> Option<Records<T>> {
    let bytes = *at..at.checked_add(size_of::<T>().checked_mul(n as usize)?)?;
    *at = bytes.end;
    (bytes.end <= end).then(|| Records::mapped(file, bytes))?
}

impl Store {
    /// Reads the library at one moment, by the snapshot that was saved last and what changed since, or from the beginning
    /// where that does not lead there.
    ///
    /// What turned on the disk without being written is noticed where all is read.
    ///
    /// # Errors
    /// As [`Store::snapshot`].
    pub fn resumed_snapshot(&self) -> Result<Snapshot, StoreError> {
        match Saved::read(self.dir()) {
            Ok(saved) => self.follow(&saved),
            Err(error) => {
                tracing::debug!(%error, "the library is read from the beginning");
                self.snapshot()
            }
        }
    }

    /// Saves a snapshot for later readers if there is none or much has changed since the last one. If the file cannot be
    /// written, opening takes longer; that is no error.
    ///
    /// # Errors
    /// As [`Store::snapshot`].
    pub fn save_snapshot(&mut self) -> Result<(), StoreError> {
        if let Some(near) = &self.saved_near
            && !self.is_far_from(near)?
        {
            return Ok(());
        }
        let snapshot = match Saved::read(self.dir()) {
            Ok(saved) => {
                let near = Near::new(&saved.log, &saved.documents);
                if !self.is_far_from(&near)? {
                    self.saved_near = Some(near);
                    return Ok(());
                }
                self.follow(&saved)?
            }
            Err(_) => self.snapshot()?,
        };
        // What is not as it was saved is about to be forgotten.
        if snapshot.altered.is_empty() {
            let known = snapshot.known();
            match write(self.dir(), known) {
                Ok(()) => self.saved_near = Some(Near::new(known.log, known.documents)),
                Err(error) => tracing::debug!(%error, "the snapshot is not saved"),
            }
        }
        Ok(())
    }

    /// Replaces a saved snapshot, which may contain names of notes and headings that are gone; does nothing if none is
    /// saved.
    ///
    /// # Errors
    /// As [`Store::snapshot`].
    pub fn replace_saved_snapshot(&mut self) -> Result<(), StoreError> {
        if !path(self.dir()).exists() {
            return Ok(());
        }
        self.remove_saved_snapshot();
        self.save_snapshot()
    }

    /// Removes the saved snapshot, which contains names of notes and headings, because the user asked to forget some.
    pub(crate) fn remove_saved_snapshot(&mut self) {
        self.saved_near = None;
        for path in files(self.dir()) {
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(path = %path.display(), %error, "a saved snapshot is left");
            }
        }
    }

    /// The snapshot that follows a saved one.
    fn follow(&self, saved: &Saved) -> Result<Snapshot, StoreError> {
        self.at_one_moment(|| {
            let Followed { snapshot, is_fresh } = self.read_snapshot(Some(saved.known()))?;
            // A database restored from a copy continues with other documents under the same numbers.
            let is_of_now =
                is_fresh || snapshot.altered.is_empty() && self.is_sum_of(&snapshot.documents);
            if is_of_now {
                return Ok(snapshot);
            }
            Ok(self.read_snapshot(None)?.snapshot)
        })
    }

    /// Whether the database holds these documents and no others, by their checksums.
    fn is_sum_of(&self, documents: &Documents) -> bool {
        let mut sums = documents.iter().map(|document| document.checksum);
        let sum = sums.try_fold(0, i64::checked_add);
        let found: rusqlite::Result<(i64, i64)> = self
            .connection
            .prepare_cached(
                "SELECT count(*), coalesce(sum(checksum), 0) FROM documents NOT INDEXED",
            )
            .and_then(|mut statement| {
                statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            });
        // A sum that is too large, or of something else than numbers, is of rows that turned.
        found.is_ok_and(|(n_found, found)| (n_found, Some(found)) == (documents.len() as i64, sum))
    }

    /// Whether so much changed since then that looking it up takes time.
    fn is_far_from(&self, near: &Near) -> Result<bool, StoreError> {
        let attempt = "read what changed";
        let log = self.log().attempt(attempt)?;
        // A database that was restored from a copy, or lost its last writes, is behind.
        if log.database != near.log.database || log.at < near.log.at {
            return Ok(true);
        }
        let (first, n_changed): (Option<i64>, i64) = self
            .connection
            .prepare_cached(
                "SELECT (SELECT min(at) FROM changed),
                     (SELECT count(DISTINCT document) FROM changed WHERE at > ?1)",
            )
            .and_then(|mut statement| {
                statement.query_row([near.log.at], |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .attempt(attempt)?;
        let reaches_back = first.is_none_or(|first| first <= near.log.at + 1);
        Ok(!reaches_back || n_changed * CHANGED_SHARE > near.n_documents as i64)
    }
}

/// The file, and the one that takes its place once it is whole; there or not.
pub(crate) fn files(dir: &Path) -> [PathBuf; 2] {
    [path(dir), dir.join("snapshot.new")]
}

fn path(dir: &Path) -> PathBuf {
    dir.join("snapshot")
}

/// Replaces the file in one step. It is not brought to the disk: one that is torn there is not believed.
fn write(dir: &Path, snapshot: Known<'_>) -> io::Result<()> {
    let [path, unfinished] = files(dir);
    // A leftover or foreign file at this path is removed, not written over.
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let file = open_own(&unfinished, File::options().write(true).create_new(true))?;
    let mut file = Summed {
        file: buffer_to_map(file),
        crc32: crc32fast::Hasher::new(),
    };
    let documents = || snapshot.documents.iter();
    let start = Start {
        magic: MAGIC,
        n_chunks: documents().map(|it| it.chunks.len() as u64).sum(),
        n_windows: documents().map(|it| it.windows.len() as u64).sum(),
    };
    file.write_all(bytemuck::bytes_of(&start))?;
    for document in documents() {
        file.write_all(bytemuck::cast_slice(&document.chunks))?;
    }
    for document in documents() {
        file.write_all(bytemuck::cast_slice(&document.windows))?;
    }
    let head = Head {
        log: snapshot.log.clone(),
        n_documents: snapshot.documents.len() as u64,
    };
    postcard::to_io(&head, &mut file).map_err(io::Error::other)?;
    for document in documents() {
        let (n_chunks, n_windows) = (document.chunks.len() as u32, document.windows.len() as u32);
        let document = (&**document, n_chunks, n_windows);
        postcard::to_io(&document, &mut file).map_err(io::Error::other)?;
    }
    let Summed { mut file, crc32 } = file;
    file.write_all(&crc32.finalize().to_le_bytes())?;
    file.into_inner()?;
    memlens_files::rename(&unfinished, &path)
}

/// A file that is being written, and the checksum of what was.
struct Summed {
    file: BufWriter<File>,
    crc32: crc32fast::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_written = self.file.write(bytes)?;
        self.crc32.update(&bytes[..n_written]);
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
