//! The codes of a vector list on disk: `path.serial.codes` beside the rows of that serial.
//!
//! One row for each row of the list, in its order: its code ([`Rotation::push_code`]), then the CRC-32 of the model's name,
//! the embedding and the code. There is no head: rows count up to the first that does not fit, and what has no code is
//! compared by its vector. So whatever becomes of this file costs time and changes no result; the next writer makes it
//! anew from the vectors, as it does for a list that never had one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memlens_files::open_own;
use memmap2::Mmap;

use crate::codes::Rotation;
use crate::private::keep_private;
use crate::vector_file::map_rows;
use crate::vector_list::{Head, files_beside, suffixed};
use crate::{IndexError, VectorFile};

/// Rises with every change of the codes, of the rotation or of the rows.
const FORMAT: u32 = 1;
/// Bytes of the checksum behind a code.
const CRC_BYTES: usize = size_of::<u32>();

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
        embedding: impl Fn(usize) -> i64,
    ) -> Self {
        let mut codes = Self::none(head.dim);
        let row_bytes = codes.rotation.code_bytes() + CRC_BYTES;
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
                let (code, crc32) = row.split_at(row_bytes - CRC_BYTES);
                *at < n_known || check.of(embedding(*at), code) == crc32
            })
            .count();
        codes
    }

    /// How many of the list's rows, from the first, have a code.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The codes, in rows of so many bytes that each begin with one.
    pub(crate) fn rows(&self) -> (&[u8], usize) {
        let row_bytes = self.rotation.code_bytes() + CRC_BYTES;
        (&self.bytes()[..self.n_rows * row_bytes], row_bytes)
    }

    /// The mapping, if there is one.
    pub(crate) fn mapped(&self) -> Option<&Mmap> {
        self.rows.as_ref()
    }

    fn bytes(&self) -> &[u8] {
        self.rows.as_deref().unwrap_or_default()
    }
}

/// What follows a code: proof that it is of this model and this embedding.
struct Check(crc32fast::Hasher);

impl Check {
    fn new(head: &Head) -> Self {
        let mut crc32 = crc32fast::Hasher::new();
        crc32.update(format!("memlens-codes {FORMAT}\n{}\n", head.model).as_bytes());
        Self(crc32)
    }

    fn of(&self, embedding: i64, code: &[u8]) -> [u8; CRC_BYTES] {
        let mut crc32 = self.0.clone();
        crc32.update(&embedding.to_le_bytes());
        crc32.update(code);
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
            writer.append(list.embedding_of(row), list.vector(row))?;
        }
        writer.commit()?;
        fs::rename(&writer.path, &own).map_err(IndexError::io("replace", &own))?;
        writer.path = own;
        Ok(writer)
    }

    /// Appends the code of a row.
    ///
    /// # Errors
    /// [`IndexError::Io`] if it cannot be written.
    pub(crate) fn append(&mut self, embedding: i64, vector: &[f32]) -> Result<(), IndexError> {
        self.row.clear();
        self.rotation.push_code(vector, &mut self.row);
        let crc32 = self.check.of(embedding, &self.row);
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
