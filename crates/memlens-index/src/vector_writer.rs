//! Writing the vector list.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memlens_files::{System, buffer_to_map, make_folder, open_own};

use crate::code_file::{CodeWriter, codes_files, is_unfinished};
use crate::held::Held;
use crate::private::keep_private;
use crate::vector_file::{check_vector, dot};
use crate::vector_list::{Head, folder, rows_files, suffixed, unfinished};
use crate::{IdTable, IndexError, VectorFile};

/// Appends rows. Readers see all of them at once after [`VectorWriter::commit`], and never before.
///
/// There is one writer at a time, across all processes. Uncommitted rows are lost when it is dropped.
pub struct VectorWriter {
    path: PathBuf,
    /// Held as long as the writer lives; the system releases it when the process ends.
    _lock: Held,
    rows: BufWriter<File>,
    /// `None` if they could not be written when the list was opened.
    codes: Option<CodeWriter>,
    /// What the next commit writes, except its generation.
    head: Head,
    crc32: crc32fast::Hasher,
    /// The row of each embedding that had one when the list was opened.
    row_of: IdTable,
    /// The embeddings that were appended since, committed or not.
    appended: HashSet<i64>,
}

/// How far a vector's squared length may be from 1: rounding in half precision, not more.
const SQUARED_LENGTH_ERROR_MAX: f32 = 2e-3;

impl VectorWriter {
    /// Starts an empty list of `model` and `dim` (at least 1) whose head is at `path`. Its folder is created if
    /// missing.
    ///
    /// An existing list stays readable until the first commit.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another writer has it open, [`IndexError::BadModel`] if the name has a line break or
    /// `dim` is 0, [`IndexError::Io`] if files cannot be written.
    pub fn create(path: &Path, model: &str, dim: usize) -> Result<Self, IndexError> {
        let bad_model = |why| {
            Err(IndexError::BadModel {
                model: model.to_owned(),
                why,
            })
        };
        if model.contains(['\n', '\r']) {
            return bad_model("its name has a line break");
        }
        if dim == 0 {
            return bad_model("its vectors have no numbers");
        }
        make_folder(folder(path)).map_err(IndexError::io("create", folder(path)))?;
        let lock = lock(path)?;
        keep_private([folder(path)]);
        // Leftovers of aborted builds, each as large as a whole list.
        remove_others(path, Head::read(path).ok().map(|head| head.serial))?;
        // Higher than the serial of every file of rows that is left, because one may still be mapped.
        let serial = 1 + rows_files(path)?
            .into_iter()
            .map(|(serial, _)| serial)
            .max()
            .unwrap_or(0);
        let crc32 = crc32fast::Hasher::new();
        let head = Head {
            model: model.to_owned(),
            dim,
            n_rows: 0,
            generation: 0,
            rows_crc32: crc32.clone().finalize(),
            serial,
        };
        let rows_path = head.rows_path(path);
        let rows = open_own(&rows_path, File::options().write(true).create_new(true))
            .map_err(IndexError::io("create", &rows_path))?;
        let codes = CodeWriter::create(path, &head)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            rows: buffer_to_map(rows),
            codes: Some(codes),
            head,
            crc32,
            row_of: IdTable::default(),
            appended: HashSet::new(),
        })
    }

    /// Removes the list whose head is at `path`, and its folder unless that holds something else.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another writer has it open, [`IndexError::Io`] if a file cannot be removed.
    pub fn remove(path: &Path) -> Result<(), IndexError> {
        if !folder(path).is_dir() {
            return Ok(());
        }
        let lock = lock(path)?;
        let rows = rows_files(path)?.into_iter().chain(codes_files(path)?);
        for own in rows
            .map(|(_, rows)| rows)
            .chain([path.to_owned(), unfinished(path)])
        {
            match fs::remove_file(&own) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(IndexError::io("remove", &own)(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        drop(lock);
        // The lock has no meaning without a list. The folder stays if it holds other files.
        let _ = fs::remove_file(lock_path(path));
        let _ = fs::remove_dir(folder(path));
        Ok(())
    }

    /// Opens the list whose head is at `path` to append to it. Uncommitted rows are cut off. If its codes have to be
    /// rebuilt and cannot be written, it continues without them: searches are then slower, with the same results.
    ///
    /// # Errors
    /// Like [`VectorFile::open`], and [`IndexError::Busy`] while another writer has it open.
    pub fn append_to(path: &Path) -> Result<Self, IndexError> {
        Self::open(path, false)
    }

    /// Like [`VectorWriter::append_to`], but verifies every code first. If one is damaged, all are rebuilt.
    ///
    /// # Errors
    /// Like [`VectorWriter::append_to`].
    pub fn append_to_checked(path: &Path) -> Result<Self, IndexError> {
        Self::open(path, true)
    }

    fn open(path: &Path, checks_codes: bool) -> Result<Self, IndexError> {
        if !folder(path).is_dir() {
            return Err(IndexError::Missing {
                path: path.to_owned(),
            });
        }
        let lock = lock(path)?;
        let list = VectorFile::open(path)?;
        if checks_codes {
            // Verifies all codes, so that damaged ones are rebuilt below.
            list.n_coded();
        }
        let row_of = list.rows_by_embedding().clone();
        let head = list.head().clone();
        // Leftovers of a process that was killed while it rebuilt the list.
        remove_others(path, Some(head.serial))?;
        let codes = CodeWriter::append_to(path, &list)?;
        drop(list);
        let rows_path = head.rows_path(path);
        keep_private([folder(path), path, &rows_path]);
        let open = || {
            let mut rows = open_own(&rows_path, File::options().write(true))?;
            cut(&mut rows, head.rows_bytes())?;
            Ok(rows)
        };
        let rows = open().map_err(IndexError::io("open", &rows_path))?;
        let crc32 = crc32fast::Hasher::new_with_initial_len(head.rows_crc32, head.rows_bytes());
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            rows: buffer_to_map(rows),
            codes,
            head,
            crc32,
            row_of,
            appended: HashSet::new(),
        })
    }

    /// Returns the id of the model that made the rows.
    pub fn model(&self) -> &str {
        &self.head.model
    }

    /// Returns the number of values in a row.
    pub fn dim(&self) -> usize {
        self.head.dim
    }

    /// Returns the generation of the last commit; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.head.generation
    }

    /// Returns the number of rows, committed or not.
    pub fn n_rows(&self) -> usize {
        self.head.n_rows as usize
    }

    /// Returns whether an embedding has a row, committed or not.
    pub fn contains(&self, embedding: i64) -> bool {
        self.row_of.get(embedding).is_some() || self.appended.contains(&embedding)
    }

    /// Appends one row. An embedding that already has a row keeps it: the same id means the same vector.
    ///
    /// # Errors
    /// [`IndexError::BadVector`] if `vector` does not have the list's dimension, is not finite or not of unit length;
    /// nothing is appended then. [`IndexError::Io`] if it cannot be written; drop the writer then.
    pub fn append(&mut self, embedding: i64, vector: &[f32]) -> Result<(), IndexError> {
        check_vector(vector, self.head.dim)?;
        let squared_length = dot(vector, vector);
        if (squared_length - 1.0).abs() > SQUARED_LENGTH_ERROR_MAX {
            return Err(IndexError::BadVector {
                why: format!("its length is {}, not 1", squared_length.sqrt()),
            });
        }
        if self.contains(embedding) {
            return Ok(());
        }
        self.appended.insert(embedding);
        let n_rows = self.head.n_rows.checked_add(1);
        self.head.n_rows = n_rows.ok_or_else(|| IndexError::BadVector {
            why: "the list is full".to_owned(),
        })?;
        let id = embedding.to_le_bytes();
        let mut row_crc32 = crc32fast::Hasher::new();
        for bytes in [&id, bytemuck::cast_slice(vector)] {
            row_crc32.update(bytes);
            self.rows
                .write_all(bytes)
                .map_err(IndexError::io("write", &self.head.rows_path(&self.path)))?;
        }
        self.crc32.combine(&row_crc32);
        match &mut self.codes {
            Some(codes) => codes.append(embedding, vector, row_crc32.finalize()),
            None => Ok(()),
        }
    }

    /// Makes all rows readable, at once, as the list of `generation`, and removes the rows of a list built before.
    ///
    /// If the process is killed at any moment, the list of the last commit remains.
    ///
    /// # Errors
    /// [`IndexError::Io`] if files cannot be written. The list of the last commit then remains; drop the writer.
    pub fn commit(&mut self, generation: u64) -> Result<(), IndexError> {
        let rows_path = self.head.rows_path(&self.path);
        self.rows
            .flush()
            .and_then(|()| self.rows.get_ref().sync_data())
            .map_err(IndexError::io("write", &rows_path))?;
        if let Some(codes) = &mut self.codes {
            codes.commit()?;
        }
        self.head.rows_crc32 = self.crc32.clone().finalize();
        self.head.generation = generation;
        self.head.write(&self.path)?;
        remove_others(&self.path, Some(self.head.serial))
    }
}

/// Cuts off the end of a file that was never committed, and goes on writing there. Where the system refuses that because a
/// reader has mapped the file, the end is written over instead: readers take as many rows as the head counts.
pub(crate) fn cut(file: &mut File, n_bytes: u64) -> io::Result<()> {
    let shortened = file.set_len(n_bytes);
    cut_or_kept(System::CURRENT, shortened)?;
    file.seek(SeekFrom::Start(n_bytes)).map(drop)
}

fn cut_or_kept(system: System, shortened: io::Result<()>) -> io::Result<()> {
    match shortened {
        Err(error) if system.is_held_open(&error) => {
            tracing::debug!(%error, "cannot cut off what was not committed");
            Ok(())
        }
        done => done,
    }
}

/// Removes all rows and codes beside the head at `path` except those of one serial, and unfinished codes.
fn remove_others(path: &Path, serial: Option<u64>) -> Result<(), IndexError> {
    let files = rows_files(path)?.into_iter().chain(codes_files(path)?);
    for (own, file) in files {
        if (Some(own) != serial || is_unfinished(&file))
            && let Err(error) = fs::remove_file(&file)
        {
            // Some systems keep a file that a reader has mapped; a later commit removes it.
            tracing::debug!(%error, own, "cannot remove old rows yet");
        }
    }
    Ok(())
}

fn lock_path(path: &Path) -> PathBuf {
    suffixed(path, "lock")
}

/// Takes the lock of the list at `path`.
fn lock(path: &Path) -> Result<Held, IndexError> {
    let lock_path = lock_path(path);
    let mut options = File::options();
    let file = open_own(&lock_path, options.write(true).create(true).truncate(false))
        .map_err(IndexError::io("open", &lock_path))?;
    keep_private([&*lock_path]);
    let held = Held::try_take(file).map_err(IndexError::io("lock", &lock_path))?;
    held.ok_or_else(|| IndexError::Busy {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_a_reader_has_mapped_is_kept() {
        for (system, code, is_kept) in [
            (System::Windows, 1224, true),
            (System::Windows, 112, false),
            (System::Linux, 1224, false),
        ] {
            let refused = Err(io::Error::from_raw_os_error(code));
            assert_eq!(cut_or_kept(system, refused).is_ok(), is_kept, "{system:?}");
        }
    }

    #[test]
    fn an_end_that_was_kept_is_written_over_and_not_read() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join("vectors");
        let mut writer = VectorWriter::create(&path, "model", 2).expect("a list can be started");
        writer.append(1, &[1.0, 0.0]).expect("it can be added");
        writer.commit(1).expect("it can be committed");
        drop(writer);

        let mut writer = VectorWriter::append_to(&path).expect("it can be opened");
        let codes = codes_files(&path).expect("they can be listed");
        let files = codes.into_iter().map(|(_, file)| file);
        for file in files.chain([writer.head.rows_path(&path)]) {
            let mut file = File::options().append(true).open(file).expect("it is ours");
            file.write_all(&[7; 1000]).expect("it can be written");
        }
        writer.append(2, &[0.0, 1.0]).expect("it can be added");
        writer.commit(2).expect("it can be committed");
        drop(writer);
        let list = VectorFile::open(&path).expect("it is a whole list");
        list.check_read().expect("its rows are whole");
        assert_eq!((list.n_rows(), list.n_coded()), (2, 2));
        assert_eq!(list.vector(1), [0.0, 1.0]);
    }
}
