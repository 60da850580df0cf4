//! Reading and scanning the vector list.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use memlens_files::{OwnBytes, is_odd, map_own, open_own};
#[cfg(unix)]
use memmap2::Mmap;
#[cfg(unix)]
use memmap2::UncheckedAdvice;
use parking_lot::Mutex;

use crate::bounds::Bounds;
use crate::code_file::CodeFile;
use crate::codes::Question;
use crate::id_table::IdTable;
use crate::looks::{AHEAD_MOST, Asked, Looked, Looks, NOT_ASKED};
use crate::private::NO_FILE;
use crate::vector_list::{Head, ID_BYTES};
use crate::{IndexError, part_len, side_by_side};

#[cfg(target_endian = "big")]
compile_error!("rows are little-endian and are read in place");

/// One state of the vector list, as it was when it was opened: row-major `f32[n_rows, dim]`, unit length.
///
/// The rows stay on disk and are memory-mapped. It can be shared between threads, and stays valid and unchanged while a
/// writer appends or rebuilds the list.
pub struct VectorFile {
    path: PathBuf,
    head: Head,
    /// `None` if there are no rows, because an empty file cannot be mapped.
    rows: Option<OwnBytes>,
    codes: CodeFile,
    /// One bit per row: whether it was read and matched its checksum. Empty if all rows were verified otherwise.
    sound: Box<[AtomicU64]>,
    /// The first row that did not match its checksum when it was read.
    damaged: OnceLock<u32>,
    looks: Mutex<Looks>,
    row_of: IdTable,
}

/// How often opening is retried if a writer replaces the list at the same time.
const OPEN_TRIES: u32 = 20;
/// Files of at most this many bytes are read into memory instead of mapped.
pub(crate) const READ_MOST: u64 = 64 << 10;
/// Number of bytes that are read before their pages are released, while all are verified.
const CHECKED_AT_ONCE: usize = 1 << 26;

impl VectorFile {
    /// Opens the last committed state of the list whose head is at `path`, after checking its length.
    ///
    /// If every row has a checksum in the file of checks, each row is verified when it is read
    /// ([`VectorFile::check_read`]). Otherwise all rows are verified here.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Torn`] and [`IndexError::WrongFormat`] need a rebuild; [`IndexError::Io`]
    /// is any other error of the system.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        Self::open_knowing(path, None)
    }

    /// Opens the list, reusing `before`, an earlier state of it. Rows that were verified then are not read again,
    /// because rows are only ever appended.
    ///
    /// # Errors
    /// Like [`VectorFile::open`].
    pub fn open_after(path: &Path, before: &Self) -> Result<Self, IndexError> {
        Self::open_knowing(path, Some(before))
    }

    fn open_knowing(path: &Path, known: Option<&Self>) -> Result<Self, IndexError> {
        for _ in 0..OPEN_TRIES {
            let head = Head::read(path)?;
            match Self::map(path, head.clone(), known) {
                // A writer that rebuilt the list removed the rows that this head names.
                Err(_) if Head::read(path)? != head => {}
                opened => return opened,
            }
        }
        Err(IndexError::Torn {
            path: path.to_owned(),
            why: "it changes faster than it can be opened".to_owned(),
        })
    }

    /// Returns the generation of the library that the list was built from.
    pub fn generation(&self) -> u64 {
        self.head.generation
    }

    /// Returns the id of the model that made the rows.
    pub fn model(&self) -> &str {
        &self.head.model
    }

    /// Returns the number of values in a row, at least 1.
    pub fn dim(&self) -> usize {
        self.head.dim
    }

    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.head.n_rows as usize
    }

    /// Checks that the rows are of `model` and `dim`, and that the list was built from `generation`.
    ///
    /// # Errors
    /// [`IndexError::WrongModel`] or [`IndexError::Stale`].
    pub fn check(&self, model: &str, dim: usize, generation: u64) -> Result<(), IndexError> {
        let path = &self.path;
        if self.head.model != model || self.head.dim != dim {
            let (found, expected) = (
                format!("{} ({})", self.head.model, self.head.dim),
                format!("{model} ({dim})"),
            );
            return Err(IndexError::WrongModel {
                path: path.clone(),
                found,
                expected,
            });
        }
        if self.head.generation != generation {
            return Err(IndexError::Stale {
                path: path.clone(),
                found: self.head.generation,
                expected: generation,
            });
        }
        Ok(())
    }

    /// Returns the row of an embedding, from 0; `None` if the list does not hold it.
    pub fn row_of(&self, embedding: i64) -> Option<u32> {
        self.row_of.get(embedding)
    }

    /// Returns whether this is `before`, unchanged or with rows appended, so that every row of `before` is the same row
    /// here.
    pub fn continues(&self, before: &Self) -> bool {
        // A rebuilt list may have the same serial if nothing was left of the one before.
        self.head.continues(&before.head)
            && crc32_after(&before.head, self.bytes()) == self.head.rows_crc32
    }

    /// Returns the vector in `row`, of unit length.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn vector(&self, row: u32) -> &[f32] {
        let bytes = self.row(row);
        if let Some(bits) = self.sound.get(row as usize / 64) {
            let bit = 1 << (row % 64);
            if bits.load(Ordering::Relaxed) & bit == 0 {
                if self.codes.is_as_written(row as usize, bytes) {
                    bits.fetch_or(bit, Ordering::Relaxed);
                } else {
                    // Only the first is reported, no matter which thread sets it.
                    let _ = self.damaged.set(row);
                }
            }
        }
        floats(bytes)
    }

    /// Returns the dot product of `query` with every row, in the order of rows: the cosine, in `[-1, 1]` up to
    /// rounding, if `query` has unit length.
    ///
    /// The same on every machine, bit for bit. This reads every vector. A search uses [`VectorFile::bounds`] instead,
    /// and then computes only the products that matter, with the same result.
    ///
    /// # Errors
    /// [`IndexError::BadVector`] if `query` does not have the list's dimension or has a number that is not finite.
    pub fn dots(&self, query: &[f32]) -> Result<Vec<f32>, IndexError> {
        check_vector(query, self.head.dim)?;
        self.check_whole()?;
        Ok((0..self.head.n_rows)
            .map(|row| self.dot(query, row))
            .collect())
    }

    /// Returns bounds of the product of every row with `query`. The bounds of recent questions are cached.
    ///
    /// # Errors
    /// Like [`VectorFile::dots`].
    pub fn bounds(&self, query: &[f32]) -> Result<Bounds<'_>, IndexError> {
        check_vector(query, self.head.dim)?;
        self.check_whole()?;
        let (ahead, products) = {
            let mut looks = self.looks.lock();
            if let Some(asked) = looks.asked(query) {
                return Ok(Bounds::new(self, asked));
            }
            (looks.take_ahead(query), looks.take_products())
        };
        let mut products = products.unwrap_or_else(|| {
            let none = (0..self.n_rows()).map(|_| AtomicU32::new(0));
            none.collect()
        });
        side_by_side(products.chunks_mut(part_len(self.n_rows())), |products| {
            products.fill_with(|| AtomicU32::new(NOT_ASKED));
        });
        let looked = ahead.unwrap_or_else(|| {
            let mut looked = self.look(vec![query.to_vec()]);
            looked.pop().expect("one was looked at")
        });
        let asked = Arc::new(Asked { looked, products });
        self.looks.lock().keep_asked(asked.clone());
        Ok(Bounds::new(self, asked))
    }

    /// Computes the bounds of questions that will be asked next, so that the codes are read from memory once for all of
    /// them. Does not change any result. Only the first 8 are computed; vectors of another dimension are skipped.
    pub fn look_ahead(&self, queries: impl IntoIterator<Item = Vec<f32>>) {
        let mut new: Vec<Vec<f32>> = Vec::new();
        let looks = self.looks.lock();
        for query in queries {
            let is_of_list = check_vector(&query, self.head.dim).is_ok();
            if is_of_list && !looks.knows(&query) && !new.contains(&query) {
                new.push(query);
            }
        }
        drop(looks);
        new.truncate(AHEAD_MOST);
        // If the list is torn, the next question reports it.
        if !new.is_empty() && self.check_whole().is_ok() {
            let looked = self.look(new);
            self.looks.lock().keep_ahead(looked);
        }
    }

    /// Computes the bounds of some questions from the codes.
    fn look(&self, queries: Vec<Vec<f32>>) -> Vec<Looked> {
        let mut looked: Vec<Looked> = queries
            .into_iter()
            .map(|query| {
                let memory = self.looks.lock().take_ceilings();
                Looked {
                    question: Question::new(&self.codes.rotation, &query),
                    query,
                    ceilings: memory.unwrap_or_else(|| vec![0.0; self.n_rows()]),
                }
            })
            .collect();
        let with_codes = looked.iter_mut().filter_map(|looked| {
            let question = looked.question.as_ref()?;
            Some((question, &mut *looked.ceilings))
        });
        let mut with_codes: Vec<(&Question, &mut [f32])> = with_codes.collect();
        let n_coded = match with_codes.is_empty() {
            true => 0,
            false => self.codes.write_ceilings(&mut with_codes),
        };
        for looked in &mut looked {
            let n_coded = looked.question.as_ref().map_or(0, |_| n_coded);
            for (row, ceiling) in (n_coded as u32..).zip(&mut looked.ceilings[n_coded..]) {
                *ceiling = self.dot(&looked.query, row);
            }
        }
        looked
    }

    /// Returns the dot product of `query` with the vector in `row`, the same as in [`VectorFile::dots`].
    ///
    /// # Panics
    /// If there is no such row.
    pub fn dot(&self, query: &[f32], row: u32) -> f32 {
        dot(query, self.vector(row))
    }

    /// Checks that all rows read so far match their checksums. Results are only valid after this check.
    ///
    /// # Errors
    /// [`IndexError::Torn`] with the first row that does not match.
    pub fn check_read(&self) -> Result<(), IndexError> {
        self.damaged.get().map_or(Ok(()), |row| {
            Err(self.torn(format!("row {row} is not as it was written")))
        })
    }

    /// Reads all rows, verifies their checksum and releases their pages. Returns `Ok` early if `cancel` is set.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if the checksum does not match.
    pub fn check_all(&self, cancel: &AtomicBool) -> Result<(), IndexError> {
        let mut crc32 = crc32fast::Hasher::new();
        for block in self.bytes().chunks(CHECKED_AT_ONCE) {
            if cancel.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.check_whole()?;
            crc32.update(block);
            self.rest();
        }
        if crc32.finalize() != self.head.rows_crc32 {
            return Err(self.torn("its checksum does not fit".to_owned()));
        }
        Ok(())
    }

    /// Returns how many rows, from the first, have a code. The rows after them are compared by their vectors, which is
    /// slower.
    ///
    /// The first call reads all codes, which takes 0.1 s for a million chunks; otherwise the first question does.
    pub fn n_coded(&self) -> usize {
        self.codes.n_coded()
    }

    /// Releases the pages of the rows until they are read again, and drops cached questions. Changes no result.
    ///
    /// A scan maps every row into this process: 70 MB for 46,000 rows of 384 numbers. They then count as its memory,
    /// although they belong to a file in the system's cache. Reading them from that cache again takes the next scan 1.5
    /// ms. Does nothing if the system has no such advice.
    pub fn rest(&self) {
        *self.looks.lock() = Looks::default();
        #[cfg(unix)]
        for rows in self
            .rows
            .iter()
            .chain(self.codes.mapped())
            .filter_map(OwnBytes::mapping)
        {
            if let Err(error) = let_go(rows) {
                tracing::debug!(%error, "cannot let go of the vectors");
            }
        }
    }

    /// Returns the embedding of a row.
    pub(crate) fn embedding_of(&self, row: u32) -> i64 {
        embedding(self.row(row))
    }

    /// Returns the bytes of a row: its id, then its numbers.
    pub(crate) fn row(&self, row: u32) -> &[u8] {
        let row_bytes = self.head.row_bytes();
        &self.bytes()[row as usize * row_bytes..][..row_bytes]
    }

    /// Returns the codes of the first rows.
    pub(crate) fn codes(&self) -> &CodeFile {
        &self.codes
    }

    /// Returns the head of the list.
    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the row of each embedding that has one.
    pub(crate) fn rows_by_embedding(&self) -> &IdTable {
        &self.row_of
    }

    fn map(path: &Path, head: Head, known: Option<&Self>) -> Result<Self, IndexError> {
        let rows_path = head.rows_path(path);
        let torn = |why| torn(path, &head, why);
        let file = match open_own(&rows_path, File::options().read(true)) {
            Ok(file) => file,
            Err(error) if is_odd(&error) => return Err(torn(NO_FILE.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(torn("it is missing".to_owned()));
            }
            Err(error) => return Err(IndexError::io("open", &rows_path)(error)),
        };
        let n_bytes = file
            .metadata()
            .map_err(IndexError::io("read", &rows_path))?
            .len();
        if n_bytes < head.rows_bytes() {
            return Err(torn(format!(
                "it has {n_bytes} bytes in place of {}",
                head.rows_bytes()
            )));
        }
        let rows = match head.rows_bytes() {
            0 => None,
            n_bytes => {
                let mapped = map_own(file, n_bytes, READ_MOST);
                Some(mapped.map_err(IndexError::io("map", &rows_path))?)
            }
        };
        let mut list = Self {
            path: path.to_owned(),
            codes: CodeFile::none(head.dim),
            sound: Box::default(),
            damaged: OnceLock::new(),
            looks: Mutex::default(),
            head,
            rows,
            row_of: IdTable::default(),
        };
        let known = known.filter(|known| list.continues(known));
        let known_codes = known.map(|known| &known.codes);
        list.codes = CodeFile::open(path, &list.head, known_codes, |row| list.embedding_of(row));
        let were_all_checked = known.is_some_and(|known| !known.is_checked_by_row());
        if !list.is_checked_by_row() && !were_all_checked {
            list.check_all(&AtomicBool::new(false))?;
        }
        if list.is_checked_by_row() {
            list.sound = (0..list.n_rows().div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect();
        }
        let n_known = known.map_or(0, Self::n_rows);
        let n_checked = list.codes.n_checked().max(n_known);
        let uncoded = n_checked as u32..list.head.n_rows;
        let embeddings = list.codes.embeddings(n_known);
        let embeddings = embeddings.chain(uncoded.map(|row| list.embedding_of(row)));
        let new = embeddings.zip(n_known as u32..);
        let row_of = known.map_or_else(IdTable::default, |known| known.row_of.clone());
        list.row_of = row_of.with(new);
        Ok(list)
    }

    /// Checks that no other program shortened a file since it was mapped, because reading the missing part would end
    /// the process.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if one did.
    fn check_whole(&self) -> Result<(), IndexError> {
        let mut files = self.rows.iter().chain(self.codes.mapped());
        match files.all(OwnBytes::is_whole) {
            true => Ok(()),
            false => Err(self.torn("it became shorter while it was open".to_owned())),
        }
    }

    /// Returns whether each row is verified when it is read.
    fn is_checked_by_row(&self) -> bool {
        self.codes.n_checked() == self.n_rows()
    }

    fn torn(&self, why: String) -> IndexError {
        torn(&self.path, &self.head, why)
    }

    fn bytes(&self) -> &[u8] {
        self.rows.as_deref().unwrap_or_default()
    }
}

/// Returns the error for damaged rows of the list at `path`.
fn torn(path: &Path, head: &Head, why: String) -> IndexError {
    IndexError::Torn {
        path: head.rows_path(path),
        why,
    }
}

/// Returns the checksum of `bytes`, which begin with the rows that `known` names, without reading those.
fn crc32_after(known: &Head, bytes: &[u8]) -> u32 {
    let n_known = known.rows_bytes();
    let mut crc32 = crc32fast::Hasher::new_with_initial_len(known.rows_crc32, n_known);
    crc32.update(&bytes[n_known as usize..]);
    crc32.finalize()
}

/// Checks that a vector has `dim` numbers, all finite.
pub(crate) fn check_vector(vector: &[f32], dim: usize) -> Result<(), IndexError> {
    if vector.len() != dim {
        return Err(IndexError::BadVector {
            why: format!("it has {} numbers in place of {dim}", vector.len()),
        });
    }
    match vector.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(IndexError::BadVector {
            why: format!("number {at} is {}", vector[at]),
        }),
        None => Ok(()),
    }
}

/// Returns the dot product of two vectors of equal length.
///
/// Numbers are summed in [`LANES`] interleaved sums that are then added in order. The compiler turns them into whatever
/// vector instructions there are, and the result does not depend on which. A scan is bound by memory: a library that
/// chooses instructions at run time needed 2.6 ms where this needs 3.1 (43,000 rows of 384).
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Number of interleaved sums of [`dot`], enough to keep four 4-wide adders busy.
const LANES: usize = 16;

/// Returns the embedding's id at the start of a row.
fn embedding(row: &[u8]) -> i64 {
    let id = row
        .first_chunk::<ID_BYTES>()
        .expect("a row starts with its id");
    i64::from_le_bytes(*id)
}

/// Returns the numbers of a row in place: a mapping starts on a page, and id and numbers are multiples of 4 bytes.
fn floats(row: &[u8]) -> &[f32] {
    bytemuck::cast_slice(&row[ID_BYTES..])
}

/// Releases the pages of a mapping.
#[cfg(unix)]
#[allow(unsafe_code)]
fn let_go(rows: &Mmap) -> io::Result<()> {
    // SAFETY: The mapping is read-only and of a file, so its pages hold nothing that the file does not. Concurrent and
    // later reads find the same bytes.
    unsafe { rows.unchecked_advise(UncheckedAdvice::DontNeed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VectorWriter;

    /// Results are the same without the prefetch.
    #[test]
    fn what_was_looked_up_ahead_is_what_is_asked() {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let path = folder.path().join("vectors");
        let mut writer = VectorWriter::create(&path, "model", 2).expect("a list can be started");
        writer.append(1, &[1.0, 0.0]).expect("it is a unit");
        writer.commit(1).expect("it can be committed");
        drop(writer);
        let list = VectorFile::open(&path).expect("it is sound");
        let (one, two, three) = ([1.0, 0.0], [0.0, 1.0], [0.6, 0.8]);
        list.look_ahead([one, two, one].map(Vec::from));
        let memory = |query: &[f32]| {
            let bounds = list.bounds(query).expect("the question fits");
            bounds.ceilings().as_ptr()
        };
        let ahead = |query: &[f32]| {
            let mut looks = list.looks.lock();
            let looked = looks.take_ahead(query)?;
            let memory = looked.ceilings.as_ptr();
            looks.keep_ahead(vec![looked]);
            Some(memory)
        };
        for query in [&one, &two] {
            assert_eq!(ahead(query), Some(memory(query)));
            assert_eq!(ahead(query), None, "it is taken, and was looked up once");
        }
        assert_eq!(ahead(&three), None);
        list.look_ahead([two, three].map(Vec::from));
        assert_eq!(ahead(&two), None, "it was just asked");
        assert!(ahead(&three).is_some());
        list.rest();
        assert_eq!(ahead(&three), None, "rest lets go of all");
    }
}
