//! Detects and removes rows that differ from what was saved: a flipped bit on the disk, or a foreign program.
//!
//! SQLite detects a torn page but not a flipped bit inside one. Readers leave out a document with a wrong checksum and
//! a text with a wrong hash; here the writer finds and removes them, so that the notes are read again.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{OptionalExtension, Row};

use crate::checksum::OF_EMBEDDING;
use crate::embeddings::read;
use crate::error::Attempt;
use crate::observations::checksum_of_observations;
use crate::store::next_generation;
use crate::{Applied, DocumentId, DocumentRow, FolderId, Snapshot, Store, StoreError, versions};

/// How far a vector's squared length may be from 1.
const SQUARED_LENGTH_ERROR_MAX: f32 = 2e-3;

/// What was forgotten because it was not as saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// Folder and path of each document, sorted by path; empty if only unused embeddings were removed.
    pub notes: Vec<(FolderId, String)>,
    /// What the lists must follow.
    pub applied: Applied,
}

/// The embeddings of a document's chunks and windows.
pub(crate) fn embeddings(document: &DocumentRow) -> impl Iterator<Item = i64> {
    let of_windows = document.windows.iter().map(|window| window.embedding.0);
    let of_chunks = document.chunks.iter().map(|chunk| chunk.embedding.0);
    of_windows.chain(of_chunks)
}

impl Store {
    /// Removes everything that differs from what was saved, so that it is read and embedded again: documents with
    /// everything that belongs to them, and embeddings, also those in use that cannot be unit vectors of `dim` numbers.
    /// `None` if nothing is damaged.
    ///
    /// Reads the whole library, and checks `cancel` at every row.
    ///
    /// # Errors
    /// [`StoreError::Sql`], [`StoreError::Damaged`] and [`StoreError::Cancelled`]; nothing has changed then.
    pub fn forget_damaged(
        &mut self,
        dim: usize,
        cancel: &AtomicBool,
    ) -> Result<Option<Forgotten>, StoreError> {
        let (documents, damaged) = self.damaged(dim, cancel)?;
        self.forget(&documents, &damaged)
    }

    /// Whether [`Store::forget_damaged`] would forget nothing. It reads as much, at one moment, and keeps no writer waiting.
    ///
    /// # Errors
    /// [`StoreError::Sql`], [`StoreError::Damaged`] and [`StoreError::Cancelled`].
    pub fn is_as_saved(&self, dim: usize, cancel: &AtomicBool) -> Result<bool, StoreError> {
        let (documents, embeddings) = self.damaged(dim, cancel)?;
        Ok(documents.is_empty() && embeddings.is_empty() && self.is_past_as_saved()?)
    }

    /// The documents and the embeddings that are not as they were saved.
    fn damaged(
        &self,
        dim: usize,
        cancel: &AtomicBool,
    ) -> Result<(BTreeSet<i64>, Vec<i64>), StoreError> {
        self.inject_fault("look through the library")?;
        self.at_one_moment(|| {
            let snapshot = self.read_snapshot(None)?.snapshot;
            let (sound, damaged) = self.embeddings_by_soundness(&snapshot, dim, cancel)?;
            let altered = snapshot.altered.iter().map(|one| one.id.0);
            let mut documents: BTreeSet<i64> = altered.collect();
            documents.extend(self.documents_of_altered_texts(cancel)?);
            documents.extend(self.documents_of_altered_observations()?);
            for document in snapshot.documents.iter() {
                if embeddings(document).any(|embedding| !sound.contains(&embedding)) {
                    documents.insert(document.id.0);
                }
            }
            Ok((documents, damaged))
        })
    }

    /// The ids of the embeddings that are as they were saved, and of the others.
    fn embeddings_by_soundness(
        &self,
        snapshot: &Snapshot,
        dim: usize,
        cancel: &AtomicBool,
    ) -> Result<(HashSet<i64>, Vec<i64>), StoreError> {
        let attempt = "check the embeddings";
        let used = snapshot.documents.iter();
        let used: HashSet<i64> = used.flat_map(|document| embeddings(document)).collect();
        let (mut sound, mut damaged) = (HashSet::new(), Vec::new());
        let mut statement = self
            .connection
            .prepare_cached(&format!(
                "SELECT e.id, e.vector, e.checksum IS {OF_EMBEDDING} FROM embeddings e NOT INDEXED"
            ))
            .attempt(attempt)?;
        let mut rows = statement.query([]).attempt(attempt)?;
        while let Some(row) = rows.next().attempt(attempt)? {
            go_on(cancel)?;
            let id: i64 = row.get(0).attempt(attempt)?;
            let is_as_saved: bool = row.get(2).attempt(attempt)?;
            // One that was damaged before it had a checksum is no unit vector, if it shows at all.
            let is_unit = || {
                read(row).is_ok_and(|(_, vector)| {
                    let squared_length: f32 = vector.iter().map(|number| number * number).sum();
                    // One that is no number is not near 1 either.
                    vector.len() == dim && (squared_length - 1.0).abs() <= SQUARED_LENGTH_ERROR_MAX
                })
            };
            if is_as_saved && (!used.contains(&id) || is_unit()) {
                sound.insert(id);
            } else {
                damaged.push(id);
            }
        }
        Ok((sound, damaged))
    }

    fn documents_of_altered_texts(&self, cancel: &AtomicBool) -> Result<Vec<i64>, StoreError> {
        let attempt = "check the chunks";
        let mut statement = self
            .connection
            .prepare_cached("SELECT text, hash, document FROM chunks")
            .attempt(attempt)?;
        let mut rows = statement.query([]).attempt(attempt)?;
        let mut documents = Vec::new();
        while let Some(row) = rows.next().attempt(attempt)? {
            go_on(cancel)?;
            if !is_as_saved(row).attempt(attempt)? {
                documents.extend(row.get::<_, i64>(2));
            }
        }
        Ok(documents)
    }

    fn documents_of_altered_observations(&self) -> Result<Vec<i64>, StoreError> {
        let sum = checksum_of_observations();
        self.connection
            .prepare_cached(&format!(
                "SELECT d.id FROM documents d NOT INDEXED WHERE d.observations_checksum IS NOT {sum}"
            ))
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .attempt("check the observations")
    }

    fn forget(
        &mut self,
        documents: &BTreeSet<i64>,
        embeddings: &[i64],
    ) -> Result<Option<Forgotten>, StoreError> {
        let attempt = "forget what is damaged";
        if documents.is_empty() && embeddings.is_empty() {
            return Ok(None);
        }
        // SQLite finds no index entry for a row with a flipped bit, and refuses to delete such a row because the file
        // is damaged. That is expected here: the row is deleted, and the indexes are rebuilt.
        let lenient = |store: &Store, is_on: bool| {
            store
                .connection
                .pragma_update(None, "writable_schema", is_on)
                .attempt(attempt)
        };
        lenient(self, true)?;
        let forgotten = self.unlinked(|connection| {
            let transaction = connection.transaction().attempt(attempt)?;
            versions::forget(&transaction).attempt(attempt)?;
            let mut notes = Vec::new();
            for document in documents {
                let note: Option<(FolderId, String)> = transaction
                    .query_row(
                        "DELETE FROM documents WHERE id = ?1 RETURNING folder, path",
                        [document],
                        // A number that turned is that of no folder, or of one where there is nothing to be found.
                        |row| Ok((FolderId(row.get(0).unwrap_or_default()), lossy(row, 1)?)),
                    )
                    .optional()
                    .attempt(attempt)?;
                notes.extend(note);
            }
            for embedding in embeddings {
                transaction
                    .execute("DELETE FROM embeddings WHERE id = ?1", [embedding])
                    .attempt(attempt)?;
            }
            // What belonged to them, what belongs to nothing since it turned, and what may have been counted in damaged texts.
            transaction
                .execute_batch(
                    "DELETE FROM chunks WHERE document NOT IN (SELECT id FROM documents NOT INDEXED);
                     DELETE FROM windows WHERE chunk NOT IN (SELECT id FROM chunks NOT INDEXED);
                     DELETE FROM observations WHERE document NOT IN (SELECT id FROM documents NOT INDEXED);
                     DELETE FROM versions WHERE document NOT IN (SELECT id FROM documents NOT INDEXED);
                     DELETE FROM token_counts;
                     REINDEX;",
                )
                .attempt(attempt)?;
            let applied = Applied {
                generation: next_generation(&transaction)?,
                removed: documents.iter().copied().map(DocumentId).collect(),
                added: Vec::new(),
            };
            transaction.commit().attempt(attempt)?;
            notes.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
            Ok(Some(Forgotten { notes, applied }))
        });
        lenient(self, false)?;
        forgotten
    }
}

/// Fails if the caller asked to stop.
fn go_on(cancel: &AtomicBool) -> Result<(), StoreError> {
    if cancel.load(Ordering::Relaxed) {
        return Err(StoreError::Cancelled);
    }
    Ok(())
}

/// Whether a row's first column, a text, is the one whose hash is its second.
pub(crate) fn is_as_saved(row: &Row<'_>) -> rusqlite::Result<bool> {
    let (text, hash) = (row.get_ref(0)?, row.get_ref(1)?);
    // Another type than was written is damage too.
    let (Ok(text), Ok(hash)) = (text.as_bytes(), hash.as_bytes()) else {
        return Ok(false);
    };
    Ok(str::from_utf8(text).is_ok() && blake3::hash(text).as_bytes() == hash)
}

/// A text as far as it can be read.
pub(crate) fn lossy(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(column)?.as_bytes().unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
