//! Every embedding ever computed, by model and content hash.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::checksum::OF_EMBEDDING;
use crate::error::Attempt;
use crate::{Store, StoreError};

/// Names an embedding; never used twice.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Pod,
    Zeroable,
)]
#[repr(transparent)]
pub struct EmbeddingId(pub i64);

impl Store {
    /// The embeddings that are there for these content hashes.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn embeddings(
        &self,
        model: &str,
        hashes: impl IntoIterator<Item = [u8; 32]>,
    ) -> Result<HashMap<[u8; 32], EmbeddingId>, StoreError> {
        self.inject_fault("look up embeddings")?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM embeddings WHERE model = ?1 AND hash = ?2")
            .attempt("look up embeddings")?;
        let mut found = HashMap::new();
        for hash in hashes {
            let mut rows = statement
                .query(params![model, hash])
                .attempt("look up embeddings")?;
            if let Some(row) = rows.next().attempt("look up embeddings")? {
                found.insert(hash, EmbeddingId(row.get(0).attempt("look up embeddings")?));
            }
        }
        Ok(found)
    }

    /// Saves embeddings in one transaction; one that is there already keeps its id and vector.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn save_embeddings(
        &mut self,
        model: &str,
        embeddings: &[([u8; 32], Vec<f32>)],
    ) -> Result<(), StoreError> {
        self.inject_fault("save embeddings")?;
        let transaction = self.connection.transaction().attempt("save embeddings")?;
        {
            let mut statement = transaction
                .prepare_cached("INSERT INTO embeddings (model, hash, vector, checksum) VALUES (?1, ?2, ?3, crc32(?1, ?2, ?3)) ON CONFLICT DO NOTHING")
                .attempt("save embeddings")?;
            for (hash, vector) in embeddings {
                let bytes: Vec<u8> = vector
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect();
                statement
                    .execute(params![model, hash, bytes])
                    .attempt("save embeddings")?;
            }
        }
        transaction.commit().attempt("save embeddings")
    }

    /// Calls `each` with every embedding that a chunk or window uses, ascending by id; with no vector if that is not as
    /// it was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`], or the first error of `each`.
    pub fn for_each_embedding<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(EmbeddingId, Option<&[f32]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self
            .connection
            .prepare_cached(&format!(
                "SELECT e.id, e.vector, e.checksum IS {OF_EMBEDDING} FROM embeddings e
                 WHERE e.id IN (SELECT embedding FROM chunks UNION SELECT embedding FROM windows) ORDER BY e.id"
            ))
            .attempt("read embeddings")?;
        let mut rows = statement.query([]).attempt("read embeddings")?;
        while let Some(row) = rows.next().attempt("read embeddings")? {
            let is_as_saved: bool = row.get(2).attempt("read embeddings")?;
            if is_as_saved {
                let (id, vector) = read(row).attempt("read embeddings")?;
                each(id, Some(&vector))?;
            } else {
                each(EmbeddingId(row.get(0).attempt("read embeddings")?), None)?;
            }
        }
        Ok(())
    }

    /// The vector of an embedding, of unit length; `None` if it is missing, or differs from what was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn vector(&self, embedding: EmbeddingId) -> Result<Option<Vec<f32>>, StoreError> {
        self.connection
            .prepare_cached(&format!(
                "SELECT e.id, e.vector FROM embeddings e WHERE e.id = ?1 AND e.checksum = {OF_EMBEDDING}"
            ))
            .and_then(|mut statement| {
                statement
                    .query([embedding.0])?
                    .next()?
                    .map(|row| read(row).map(|(_, vector)| vector))
                    .transpose()
            })
            .attempt("read an embedding")
    }

    /// Model and dimension of the chunks' embeddings; `None` if there is no chunk.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn embedding_model(&self) -> Result<Option<(String, usize)>, StoreError> {
        self.connection
            .prepare_cached(&format!(
                "SELECT e.model, length(e.vector) FROM chunks c JOIN embeddings e ON e.id = c.embedding
                 WHERE e.checksum = {OF_EMBEDDING} LIMIT 1"
            ))
            .and_then(|mut statement| {
                let mut rows = statement.query([])?;
                let Some(row) = rows.next()? else { return Ok(None) };
                let n_bytes: i64 = row.get(1)?;
                Ok(Some((row.get(0)?, n_bytes as usize / size_of::<f32>())))
            })
            .attempt("look up the embedding model")
    }

    /// How many documents there are.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_documents(&self) -> Result<u64, StoreError> {
        self.count_rows("SELECT count(*) FROM documents", "count documents")
    }

    /// How many embeddings there are, used or not.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_embeddings(&self) -> Result<u64, StoreError> {
        self.count_rows("SELECT count(*) FROM embeddings", "count embeddings")
    }

    fn count_rows(&self, query: &str, attempt: &'static str) -> Result<u64, StoreError> {
        self.connection
            .query_row(query, [], |row| row.get::<_, i64>(0))
            .map(|count| count as u64)
            .attempt(attempt)
    }
}

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<(EmbeddingId, Vec<f32>)> {
    let bytes = row.get_ref(1)?.as_blob()?;
    let vector = bytes
        .chunks_exact(size_of::<f32>())
        .map(|value| f32::from_le_bytes(value.try_into().expect("chunks of four bytes")))
        .collect();
    Ok((EmbeddingId(row.get(0)?), vector))
}
