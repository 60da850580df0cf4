//! The codes of a vector list on disk: `path.serial.codes` beside the rows of that serial.
//!
//! One row for each row of the list, in its order: its code ([`Rotation::push_code`]), the embedding, the CRC-32 of the
//! list's row, then that of the model's name and all this. There is no head: rows count up to the first that does not fit,
//! and what has no code is compared by its vector. So whatever becomes of this file costs time and changes no result; the
//! next writer makes it anew from the vectors, as it does for a list that never had one.
//!
//! Where every row has a code, nobody has to read all vectors to know that they are sound: each is compared with its
//! checksum when it is read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memlens_files::open_own;
use memmap2::Mmap;

use crate::codes::Rotation;
use crate::private::keep_private;
use crate::vector_file::map_rows;
use crate::vector_list::{Head, ID_BYTES, files_beside, suffixed};
use crate::{IndexError, VectorFile};

/// Rises with every change of the codes, of the rotation or of the rows.
const FORMAT: u32 = 2;
/// Bytes of a checksum.
const CRC_BYTES: usize = size_of::<u32>();
/// Bytes behind a code: the embedding, the checksum of its vector, and that of the row.
const TAIL_BYTES: usize = ID_BYTES + 2 * CRC_BYTES;

/// The codes of a list's first rows, as far as they are sound.
pub(crate) struct CodeFile {
    pub(crate) rotation: Rotation,
    /// `None` if there are none.
    rows: Option<Mmap>,
    n_rows: usize,
}

impl CodeFile {
    /// No code for any row.
    pub(crate) fn none(dim: usize) -> Self {
        Self {
            rotation: Rotation::new(dim),
            rows: None,
            n_rows: 0,
        }
    }

    /// Maps the codes of the list at `path` whose head is `head`. The first `n_known` are not checked; `embedding` names
    /// that of a row.
    pub(crate) fn open(
        path: &Path,
        head: &Head,
        n_known: usize,
        embedding: impl Fn(u32) -> i64,
    ) -> Self {
        let mut codes = Self::none(head.dim);
        let row_bytes = codes.row_bytes();
        let map = || -> io::Result<Option<Mmap>> {
            let file = open_own(&codes_path(path, head), File::options().read(true))?;
            let n_rows = (file.metadata()?.len() / row_bytes as u64).min(u64::from(head.n_rows));
            // Nothing cannot be mapped.
            (n_rows > 0)
                .then(|| map_rows(&file, n_rows * row_bytes as u64))
                .transpose()
        };
        codes.rows = map().unwrap_or_else(|error| {
            tracing::debug!(%error, "vectors are compared without codes");
            None
        });
        let check = Check::new(head);
        let sound = codes.bytes().chunks_exact(row_bytes).enumerate();
        codes.n_rows = sound
            .take_while(|(at, row)| {
                let (row, crc32) = row.split_at(row_bytes - CRC_BYTES);
                *at < n_known || check.of(row) == crc32
            })
            .count();
        // Codes of another list show by the first and the last: ids are given once, in ascending order. A row in between that
        // is another one shows when it is read.
        let last = (codes.n_rows as u32).checked_sub(1);
        let are_others = last.is_some_and(|last| {
            let [first, last] = [0, last].map(|row| (codes.embedding_of(row), embedding(row)));
            first.0 != first.1 || last.0 != last.1
        });
        if are_others {
            codes.n_rows = 0;
        }
        codes
    }

    /// How many of the list's rows, from the first, have a code.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The codes, in rows of so many bytes that each begin with one.
    pub(crate) fn rows(&self) -> (&[u8], usize) {
        let row_bytes = self.row_bytes();
        (&self.bytes()[..self.n_rows * row_bytes], row_bytes)
    }

    /// The embeddings of the coded rows, in their order.
    pub(crate) fn embeddings(&self) -> impl Iterator<Item = i64> {
        (0..self.n_rows as u32).map(|row| self.embedding_of(row))
    }

    fn embedding_of(&self, row: u32) -> i64 {
        let behind = &self.bytes()[row as usize * self.row_bytes() + self.rotation.code_bytes()..];
        i64::from_le_bytes(*behind.first_chunk().expect("an id stands behind a code"))
    }

    /// Whether a coded row of the list, its id and numbers, is as it was written.
    ///
    /// # Panics
    /// If the row has no code.
    pub(crate) fn is_as_written(&self, row: usize, bytes: &[u8]) -> bool {
        let (rows, row_bytes) = self.rows();
        let crc32 = &rows[(row + 1) * row_bytes - 2 * CRC_BYTES..][..CRC_BYTES];
        crc32fast::hash(bytes).to_le_bytes() == crc32
    }

    fn row_bytes(&self) -> usize {
        self.rotation.code_bytes() + TAIL_BYTES
    }

    /// The mapping, if there is one.
    pub(crate) fn mapped(&self) -> Option<&Mmap> {
        self.rows.as_ref()
    }

    fn bytes(&self) -> &[u8] {
        self.rows.as_deref().unwrap_or_default()
    }
}

/// What ends a row: proof that it is of this model, and as it was written.
struct Check(crc32fast::Hasher);

impl Check {
    fn new(head: &Head) -> Self {
        let mut crc32 = crc32fast::Hasher::new();
        crc32.update(format!("memlens-codes {FORMAT}\n{}\n", head.model).as_bytes());
        Self(crc32)
    }

    fn of(&self, row: &[u8]) -> [u8; CRC_BYTES] {
        let mut crc32 = self.0.clone();
        crc32.update(row);
        crc32.finalize().to_le_bytes()
    }
}

/// Appends codes, row for row with the list's writer.
pub(crate) struct CodeWriter {
    path: PathBuf,
    file: BufWriter<File>,
    rotation: Rotation,
    check: Check,
    row: Vec<u8>,
}

impl CodeWriter {
    /// Starts the codes of a list that has no rows.
    ///
    /// # Errors
    /// [`IndexError::Io`] where the file cannot be written.
    pub(crate) fn create(path: &Path, head: &Head) -> Result<Self, IndexError> {
        Self::start(codes_path(path, head), head)
    }

    /// Goes on with the codes of `list`, whose head is at `path`; they are made anew where some are missing or damaged.
    ///
    /// # Errors
    /// [`IndexError::Io`] where the file cannot be written.
    pub(crate) fn append_to(path: &Path, list: &VectorFile) -> Result<Self, IndexError> {
        let head = list.head();
        let own = codes_path(path, head);
        let (rows, _) = list.codes().rows();
        // Without rows nothing would tell that the file is ours to cut.
        if list.n_rows() > 0 && list.codes().n_rows() == list.n_rows() {
            let open = || {
                let mut file = open_own(&own, File::options().write(true))?;
                // What was never committed.
                file.set_len(rows.len() as u64)?;
                file.seek(SeekFrom::End(0))?;
                Ok::<_, io::Error>(file)
            };
            match open() {
                Ok(file) => {
                    keep_private([&*own]);
                    return Ok(Self::with(own, file, head));
                }
                Err(error) => tracing::debug!(%error, "cannot go on with the codes"),
            }
        }
        tracing::info!(rows = list.n_rows(), "making the codes of all vectors anew");
        // Beside it, since a reader may have mapped the present ones.
        let mut writer = Self::start(suffixed(&own, "new"), head)?;
        for row in 0..head.n_rows {
            let (embedding, vector) = (list.embedding_of(row), list.vector(row));
            writer.append(embedding, vector, crc32fast::hash(list.row(row)))?;
        }
        writer.commit()?;
        fs::rename(&writer.path, &own).map_err(IndexError::io("replace", &own))?;
        writer.path = own;
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
        self.row.clear();
        self.rotation.push_code(vector, &mut self.row);
        self.row.extend(embedding.to_le_bytes());
        self.row.extend(row_crc32.to_le_bytes());
        let crc32 = self.check.of(&self.row);
        self.row.extend(crc32);
        self.file
            .write_all(&self.row)
            .map_err(IndexError::io("write", &self.path))
    }

    /// Brings all rows to the disk, before a head names them.
    ///
    /// # Errors
    /// [`IndexError::Io`] if they cannot be written.
    pub(crate) fn commit(&mut self) -> Result<(), IndexError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_data())
            .map_err(IndexError::io("write", &self.path))
    }

    fn start(path: PathBuf, head: &Head) -> Result<Self, IndexError> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(IndexError::io("remove", &path)(error));
            }
            Ok(()) | Err(_) => {}
        }
        let file = open_own(&path, File::options().write(true).create_new(true))
            .map_err(IndexError::io("create", &path))?;
        Ok(Self::with(path, file, head))
    }

    fn with(path: PathBuf, file: File, head: &Head) -> Self {
        Self {
            path,
            file: BufWriter::new(file),
            rotation: Rotation::new(head.dim),
            check: Check::new(head),
            row: Vec::new(),
        }
    }
}

/// The files of codes beside the head at `path`, finished or not, with the serials of their rows.
pub(crate) fn codes_files(path: &Path) -> Result<Vec<(u64, PathBuf)>, IndexError> {
    files_beside(path, |rest| {
        let rest = rest.strip_suffix(".new").unwrap_or(rest);
        rest.strip_suffix(".codes")?.parse().ok()
    })
}

fn codes_path(path: &Path, head: &Head) -> PathBuf {
    suffixed(&head.rows_path(path), "codes")
}
