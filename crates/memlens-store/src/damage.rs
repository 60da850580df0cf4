//! What stands in the database and is not what was saved: a disk that turned a bit, a foreign program.
//!
//! SQLite notices a page that does not fit together, and not a letter that became another. A chunk's embedding is named by
//! the hash of its text, so each text that is read can be compared with what was saved.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, Row};

use crate::error::Attempt;
use crate::store::next_generation;
use crate::{Applied, DocumentId, Store, StoreError};

/// How far a vector's squared length may be from 1.
const SQUARED_LENGTH_ERROR_MAX: f32 = 2e-3;

/// Is what was forgotten because it was not as saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// The documents' paths, sorted.
    pub paths: Vec<String>,
    /// What the lists must follow.
    pub applied: Applied,
}

impl Store {
    /// Forgets the documents with a chunk that is not what was saved, so that they are read anew; none where all are sound.
    ///
    /// # Errors
    /// [`StoreError::Sql`] and [`StoreError::Damaged`]; nothing has changed then.
    pub fn forget_damaged_texts(&mut self) -> Result<Option<Forgotten>, StoreError> {
        let attempt = "check the chunks";
        let damaged: BTreeSet<i64> = {
            let mut statement = self
                .connection
                .prepare_cached(
                    "SELECT c.text, e.hash, c.document FROM chunks c LEFT JOIN embeddings e ON e.id = c.embedding",
                )
                .attempt(attempt)?;
            let mut rows = statement.query([]).attempt(attempt)?;
            let mut damaged = BTreeSet::new();
            while let Some(row) = rows.next().attempt(attempt)? {
                if !is_as_saved(row).attempt(attempt)? {
                    damaged.insert(row.get(2).attempt(attempt)?);
                }
            }
            damaged
        };
        self.forget(&damaged, &[])
    }

    /// Forgets the embeddings in use that cannot be unit vectors of `dim` numbers, and the documents that use them, so that
    /// they are read anew; none where all are sound.
    ///
    /// # Errors
    /// As [`Store::forget_damaged_texts`].
    pub fn forget_damaged_vectors(&mut self, dim: usize) -> Result<Option<Forgotten>, StoreError> {
        let attempt = "check the embeddings";
        let mut embeddings = Vec::new();
        self.for_each_embedding(|embedding, vector| -> Result<(), StoreError> {
            let squared_length: f32 = vector.iter().map(|number| number * number).sum();
            // One that is no number is not near 1 either.
            let is_unit = (squared_length - 1.0).abs() <= SQUARED_LENGTH_ERROR_MAX;
            if vector.len() != dim || !is_unit {
                embeddings.push(embedding.0);
            }
            Ok(())
        })?;
        let mut documents = BTreeSet::new();
        for embedding in &embeddings {
            let mut statement = self
                .connection
                .prepare_cached(
                    "SELECT document FROM chunks WHERE embedding = ?1
                     UNION SELECT c.document FROM windows w JOIN chunks c ON c.id = w.chunk WHERE w.embedding = ?1",
                )
                .attempt(attempt)?;
            let found: Vec<i64> = statement
                .query_map([embedding], |row| row.get(0))
                .and_then(Iterator::collect)
                .attempt(attempt)?;
            documents.extend(found);
        }
        self.forget(&documents, &embeddings)
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
        let transaction = self.connection.transaction().attempt(attempt)?;
        let mut paths = Vec::new();
        for document in documents {
            let path: Option<String> = transaction
                .query_row(
                    "DELETE FROM documents WHERE id = ?1 RETURNING path",
                    [document],
                    |row| row.get(0),
                )
                .optional()
                .attempt(attempt)?;
            paths.extend(path);
        }
        for embedding in embeddings {
            transaction
                .execute("DELETE FROM embeddings WHERE id = ?1", [embedding])
                .attempt(attempt)?;
        }
        let applied = Applied {
            generation: next_generation(&transaction)?,
            removed: documents.iter().copied().map(DocumentId).collect(),
            added: Vec::new(),
        };
        transaction.commit().attempt(attempt)?;
        paths.sort_unstable();
        Ok(Some(Forgotten { paths, applied }))
    }
}

/// Tells whether a row's first column, a text, is the one whose hash is its second; null where its embedding is gone.
pub(crate) fn is_as_saved(row: &Row<'_>) -> rusqlite::Result<bool> {
    let (text, hash) = (row.get_ref(0)?, row.get_ref(1)?);
    // Another type than was written is damage too.
    let (Ok(text), Ok(Some(hash))) = (text.as_bytes(), hash.as_bytes_or_null()) else {
        return Ok(false);
    };
    Ok(blake3::hash(text).as_bytes() == hash)
}
