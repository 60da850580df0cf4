//! The codes of a vector list on disk, beside the rows of one serial: `path.serial.codes`, `path.serial.checks`.
//!
//! There is one code ([`Rotation::push_code`]) for each row of the list, in order, and one check that shows that code
//! and row are unchanged: the row's embedding, its CRC-32, that of its code, and the CRC-32 of the model's name and
//! these. There is no head. Rows count up to the first that does not match, and rows without a code are compared by
//! their vectors. So damage to these files costs time but changes no result. A writer rebuilds them from the vectors,
//! as it does for a list that never had them.
//!
//! Opening reads only the checks, a tenth of the codes. Codes are verified before the first question, and each vector when
//! it is read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memlens_files::{OwnBytes, buffer_to_map, map_own, open_own};

use crate::codes::{Question, Rotation};
use crate::private::keep_private;
use crate::vector_file::READ_MOST;
use crate::vector_list::{Head, ID_BYTES, files_beside, suffixed};
use crate::vector_writer::cut;
use crate::{IndexError, VectorFile, part_len, side_by_side};

/// Must be increased with every change of the codes, of the rotation or of the checks.
const FORMAT: u32 = 3;
/// Number of bytes of a checksum.
const CRC_BYTES: usize = size_of::<u32>();
/// Number of bytes of a row's checks: the embedding, the checksums of row and code, and that of these.
const CHECK_BYTES: usize = ID_BYTES + 3 * CRC_BYTES;
/// Number of codes that are verified and then compared while they are in the cache: 100 kB at 384 dimensions.
const AT_ONCE: usize = 512;
/// Extensions of the codes and of the checks.
const ENDINGS: [&str; 2] = ["codes", "checks"];

/// The valid codes of a list's first rows.
pub(crate) struct CodeFile {
    pub(crate) rotation: Rotation,
    /// `None` if there are no codes.
    files: Option<Files>,
    /// How many rows, from the first, have matching checks.
    n_checked: usize,
    /// How many codes, from the first, an earlier state of the list verified.
    n_known: usize,
    /// How many codes, from the first, are valid; unset before they were verified.
    n_sound: OnceLock<usize>,
}

/// The codes and checks of some rows.
struct Files {
    codes: OwnBytes,
    checks: OwnBytes,
}

impl CodeFile {
    /// Returns a value without any codes.
    pub(crate) fn none(dim: usize) -> Self {
        Self {
            rotation: Rotation::new(dim),
            files: None,
            n_checked: 0,
            n_known: 0,
            n_sound: OnceLock::new(),
        }
    }

    /// Maps the codes of the list at `path` whose head is `head`. Codes that are valid in `known`, an earlier state,
    /// are not verified again. `embedding_of` returns the embedding of a row.
    pub(crate) fn open(
        path: &Path,
        head: &Head,
        known: Option<&Self>,
        embedding_of: impl Fn(u32) -> i64,
    ) -> Self {
        let mut codes = Self::none(head.dim);
        let row_bytes = [codes.rotation.code_bytes(), CHECK_BYTES];
        let map = || -> io::Result<Option<(usize, Files)>> {
            let open = |own: &PathBuf| open_own(own, File::options().read(true));
            let [first, second] = own_paths(path, head);
            let files = [open(&first)?, open(&second)?];
            let mut n_rows = u64::from(head.n_rows);
            for (file, row_bytes) in files.iter().zip(row_bytes) {
                n_rows = n_rows.min(file.metadata()?.len() / row_bytes as u64);
            }
            // An empty file cannot be mapped.
            if n_rows == 0 {
                return Ok(None);
            }
            let map =
                |file: File, row_bytes: usize| map_own(file, n_rows * row_bytes as u64, READ_MOST);
            let [codes, checks] = files;
            let codes = map(codes, row_bytes[0])?;
            let checks = map(checks, row_bytes[1])?;
            Ok(Some((n_rows as usize, Files { codes, checks })))
        };
        let mapped = map().unwrap_or_else(|error| {
            tracing::debug!(%error, "vectors are compared without codes");
            None
        });
        let Some((n_rows, files)) = mapped else {
            return codes;
        };
        codes.files = Some(files);
        let n_known = known.map_or(0, |known| known.n_checked).min(n_rows);
        let check = Check::new(head);
        let new = codes.checks()[n_known * CHECK_BYTES..].chunks_exact(CHECK_BYTES);
        codes.n_checked = n_known + new.take_while(|row| check.fits(row)).count();
        // Codes of another list are detected by the first and the last, because ids are assigned once, in ascending
        // order. A wrong row in between is detected when it is read.
        let last = (codes.n_checked as u32).checked_sub(1);
        let are_others = last.is_some_and(|last| {
            [0, last]
                .iter()
                .any(|row| embedding(codes.check(*row as usize)) != embedding_of(*row))
        });
        if are_others {
            (codes.files, codes.n_checked) = (None, 0);
            return codes;
        }
        // If `known` verified nothing itself, the codes that were verified for a state before it still count.
        let n_compared = |known: &Self| known.n_compared().unwrap_or(known.n_known);
        codes.n_known = known.map_or(0, n_compared);
        codes
    }

    /// Returns how many of the list's rows, from the first, have checks.
    pub(crate) fn n_checked(&self) -> usize {
        self.n_checked
    }

    /// Returns how many of the list's rows, from the first, have a code. The first call reads all codes.
    pub(crate) fn n_coded(&self) -> usize {
        let look = || self.look(self.n_checked, self.n_known, &mut []);
        *self.n_sound.get_or_init(look)
    }

    /// Writes the ceilings of all rows that have a code, by row and for each question, and returns their number,
    /// [`CodeFile::n_coded`]. Verifies the codes on the way if that was not done before. Codes are read from memory
    /// once, however many questions there are.
    pub(crate) fn write_ceilings(&self, asked: &mut [(&Question, &mut [f32])]) -> usize {
        let mut is_written = false;
        let n_coded = *self.n_sound.get_or_init(|| {
            is_written = true;
            self.look(self.n_checked, self.n_known, asked)
        });
        if !is_written {
            self.look(n_coded, n_coded, asked);
        }
        n_coded
    }

    /// Returns how many of the first `n_rows` codes are valid, up to the first that is not; the first `n_known` are
    /// known to be. Writes each question's ceilings for at least all of these.
    fn look(&self, n_rows: usize, n_known: usize, asked: &mut [(&Question, &mut [f32])]) -> usize {
        let code_bytes = self.rotation.code_bytes();
        let n_each = part_len(n_rows);
        let parts = self.codes()[..n_rows * code_bytes].chunks(n_each * code_bytes);
        let mut asked: Vec<_> = asked
            .iter_mut()
            .map(|(question, ceilings)| (*question, ceilings.chunks_mut(n_each)))
            .collect();
        let parts = (0..).step_by(n_each).zip(parts).map(|(first, codes)| {
            let asked = asked
                .iter_mut()
                .filter_map(|(question, ceilings)| Some((*question, ceilings.next()?)));
            (first, codes, asked.collect::<Vec<_>>())
        });
        let damaged = side_by_side(parts, |(first, codes, mut asked)| {
            let blocks = codes.chunks(AT_ONCE * code_bytes);
            blocks.zip((0..).step_by(AT_ONCE)).find_map(|(codes, at)| {
                let rows = (first + at..).zip(codes.chunks_exact(code_bytes));
                let mut unknown = rows.skip(n_known.saturating_sub(first + at));
                let damaged = unknown.find(|(row, code)| !self.is_code_as_written(*row, code));
                for (question, ceilings) in &mut asked {
                    question.write_ceilings(codes, &mut ceilings[at..]);
                }
                damaged.map(|(row, _)| row)
            })
        });
        damaged.into_iter().flatten().next().unwrap_or(n_rows)
    }

    /// Returns [`CodeFile::n_coded`] if it was computed.
    pub(crate) fn n_compared(&self) -> Option<usize> {
        self.n_sound.get().copied()
    }

    /// Returns the code of a row.
    ///
    /// # Panics
    /// If it has none.
    pub(crate) fn code(&self, row: usize) -> &[u8] {
        let code_bytes = self.rotation.code_bytes();
        &self.codes()[row * code_bytes..][..code_bytes]
    }

    /// Returns the embeddings of the checked rows from `first` on, in order.
    pub(crate) fn embeddings(&self, first: usize) -> impl Iterator<Item = i64> + Clone {
        let first = first.min(self.n_checked);
        let checks = &self.checks()[first * CHECK_BYTES..self.n_checked * CHECK_BYTES];
        checks.chunks_exact(CHECK_BYTES).map(embedding)
    }

    /// Returns whether a checked row of the list, its id and numbers, matches its checksum.
    ///
    /// # Panics
    /// If the row has no check.
    pub(crate) fn is_as_written(&self, row: usize, bytes: &[u8]) -> bool {
        self.check(row)[ID_BYTES..][..CRC_BYTES] == crc32(bytes)
    }

    fn is_code_as_written(&self, row: usize, code: &[u8]) -> bool {
        self.check(row)[ID_BYTES + CRC_BYTES..][..CRC_BYTES] == crc32(code)
    }

    fn check(&self, row: usize) -> &[u8] {
        &self.checks()[row * CHECK_BYTES..][..CHECK_BYTES]
    }

    fn checks(&self) -> &[u8] {
        self.files.as_ref().map_or(&[], |files| &files.checks)
    }

    fn codes(&self) -> &[u8] {
        self.files.as_ref().map_or(&[], |files| &files.codes)
    }

    /// Returns the bytes of both files.
    pub(crate) fn mapped(&self) -> impl Iterator<Item = &OwnBytes> {
        let files = self.files.iter();
        files.flat_map(|files| [&files.codes, &files.checks])
    }
}

/// Returns the embedding in a row's checks.
fn embedding(check: &[u8]) -> i64 {
    let id = check.first_chunk();
    i64::from_le_bytes(*id.expect("an id comes first"))
}

fn crc32(bytes: &[u8]) -> [u8; CRC_BYTES] {
    crc32fast::hash(bytes).to_le_bytes()
}

/// Computes the last checksum of a row's checks, which shows that they are of this model and unchanged.
struct Check(crc32fast::Hasher);

impl Check {
    fn new(head: &Head) -> Self {
        let mut crc32 = crc32fast::Hasher::new();
        crc32.update(format!("memlens-codes {FORMAT}\n{}\n", head.model).as_bytes());
        Self(crc32)
    }

    fn of(&self, checks: &[u8]) -> [u8; CRC_BYTES] {
        let mut crc32 = self.0.clone();
        crc32.update(checks);
        crc32.finalize().to_le_bytes()
    }

    fn fits(&self, row: &[u8]) -> bool {
        let (checks, crc32) = row.split_at(CHECK_BYTES - CRC_BYTES);
        self.of(checks) == crc32
    }
}

/// Appends codes, in step with the rows of the list's writer.
pub(crate) struct CodeWriter {
    paths: [PathBuf; 2],
    files: [BufWriter<File>; 2],
    rotation: Rotation,
    check: Check,
    code: Vec<u8>,
}

impl CodeWriter {
    /// Starts the codes of a list that has no rows.
    ///
    /// # Errors
    /// [`IndexError::Io`] if the file cannot be written.
    pub(crate) fn create(path: &Path, head: &Head) -> Result<Self, IndexError> {
        Self::start(own_paths(path, head), head)
    }

    /// Continues the codes of `list`, whose head is at `path`. They are rebuilt if some are missing or known to be
    /// damaged. `None`, with no code left on disk, if they cannot be written, for example on a full disk; the list then
    /// works without them, and the next writer tries again.
    ///
    /// # Errors
    /// Like [`VectorFile::check_read`], if a row does not match its checksum.
    pub(crate) fn append_to(path: &Path, list: &VectorFile) -> Result<Option<Self>, IndexError> {
        let (head, codes) = (list.head(), list.codes());
        let own = own_paths(path, head);
        let n_rows = list.n_rows();
        let is_whole =
            codes.n_checked() == n_rows && codes.n_compared().is_none_or(|n| n == n_rows);
        // Without rows there is nothing that shows that the files belong to this list and may be truncated.
        if n_rows > 0 && is_whole {
            let open = |own: &PathBuf, row_bytes: usize| {
                let mut file = open_own(own, File::options().write(true))?;
                // Codes that were never committed.
                cut(&mut file, (n_rows * row_bytes) as u64)?;
                Ok::<_, io::Error>(file)
            };
            let opened = open(&own[0], codes.rotation.code_bytes())
                .and_then(|first| Ok([first, open(&own[1], CHECK_BYTES)?]));
            match opened {
                Ok(files) => {
                    keep_private(own.iter().map(PathBuf::as_path));
                    return Ok(Some(Self::with(own, files, head)));
                }
                Err(error) => tracing::debug!(%error, "cannot go on with the codes"),
            }
        }
        match Self::from_scratch(own.clone(), list) {
            Err(error @ IndexError::Io { .. }) => {
                tracing::warn!(%error, "going on without codes");
                // They would be taken for the codes of later rows.
                for own in own.iter().flat_map(|own| [unfinished(own), own.clone()]) {
                    let _ = fs::remove_file(own);
                }
                Ok(None)
            }
            made => made.map(Some),
        }
    }

    /// Rebuilds the codes of all rows in new files, because a reader may have mapped the old ones, and then replaces
    /// those.
    fn from_scratch(own: [PathBuf; 2], list: &VectorFile) -> Result<Self, IndexError> {
        let head = list.head();
        tracing::info!(rows = head.n_rows, "rebuilding the codes of all vectors");
        let mut writer = Self::start(own.each_ref().map(|own| unfinished(own)), head)?;
        for row in 0..head.n_rows {
            let (embedding, vector) = (list.embedding_of(row), list.vector(row));
            writer.append(embedding, vector, crc32fast::hash(list.row(row)))?;
        }
        // A damaged row must not get a checksum that matches.
        list.check_read()?;
        writer.commit()?;
        for (beside, own) in writer.paths.iter().zip(&own) {
            memlens_files::rename(beside, own).map_err(IndexError::io("replace", own))?;
        }
        writer.paths = own;
        Ok(writer)
    }

    /// Appends the code of a row, whose id and numbers have the checksum `row_crc32`.
    ///
    /// # Errors
    /// [`IndexError::Io`] if it cannot be written.
    pub(crate) fn append(
        &mut self,
        embedding: i64,
        vector: &[f32],
        row_crc32: u32,
    ) -> Result<(), IndexError> {
        self.code.clear();
        self.rotation.push_code(vector, &mut self.code);
        let mut checks = Vec::with_capacity(CHECK_BYTES);
        checks.extend(embedding.to_le_bytes());
        checks.extend(row_crc32.to_le_bytes());
        checks.extend(crc32(&self.code));
        checks.extend(self.check.of(&checks));
        let [codes, own_checks] = &mut self.files;
        for (at, (file, bytes)) in [(codes, &self.code), (own_checks, &checks)]
            .into_iter()
            .enumerate()
        {
            file.write_all(bytes)
                .map_err(IndexError::io("write", &self.paths[at]))?;
        }
        Ok(())
    }

    /// Flushes all rows to the disk, before a head names them.
    ///
    /// # Errors
    /// [`IndexError::Io`] if they cannot be written.
    pub(crate) fn commit(&mut self) -> Result<(), IndexError> {
        for (file, path) in self.files.iter_mut().zip(&self.paths) {
            file.flush()
                .and_then(|()| file.get_ref().sync_data())
                .map_err(IndexError::io("write", path))?;
        }
        Ok(())
    }

    fn start(paths: [PathBuf; 2], head: &Head) -> Result<Self, IndexError> {
        let create = |path: &PathBuf| {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(IndexError::io("remove", path)(error));
                }
                Ok(()) | Err(_) => {}
            }
            open_own(path, File::options().write(true).create_new(true))
                .map_err(IndexError::io("create", path))
        };
        let files = [create(&paths[0])?, create(&paths[1])?];
        Ok(Self::with(paths, files, head))
    }

    fn with(paths: [PathBuf; 2], files: [File; 2], head: &Head) -> Self {
        Self {
            paths,
            files: files.map(buffer_to_map),
            rotation: Rotation::new(head.dim),
            check: Check::new(head),
            code: Vec::new(),
        }
    }
}

/// Returns the files of codes and checks beside the head at `path`, finished or not, with the serials of their rows.
pub(crate) fn codes_files(path: &Path) -> Result<Vec<(u64, PathBuf)>, IndexError> {
    files_beside(path, |rest| {
        let rest = rest.strip_suffix(".new").unwrap_or(rest);
        let (serial, ending) = rest.split_once('.')?;
        ENDINGS.contains(&ending).then(|| serial.parse().ok())?
    })
}

/// Returns the path of a file of codes or checks until it is finished.
fn unfinished(path: &Path) -> PathBuf {
    suffixed(path, "new")
}

/// Returns whether this is an unfinished file of codes or checks.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "new")
}

/// Returns the paths of codes and checks.
fn own_paths(path: &Path, head: &Head) -> [PathBuf; 2] {
    ENDINGS.map(|ending| suffixed(&head.rows_path(path), ending))
}
