//! Changing the embedding model: the vectors of another model are saved beside those in use, and taken all at once.
//!
//! Embeddings are named by model and content hash, so those of several models are there at the same time. Chunks and windows
//! refer to those of one model. [`Store::take_model`] makes them refer to those of another in one transaction, and saves how many
//! tokens their texts have by the former, so that going back counts none.
//!
//! Properties checked: nothing changes unless every text has a vector of the other model; a damaged document stays one.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::checksum::{OF_CHUNK, OF_TOKEN_COUNT, OF_WINDOW};
use crate::error::Attempt;
use crate::store::next_generation;
use crate::{DocumentId, EmbeddingId, FolderId, Store, StoreError};

const ATTEMPT: &str = "change the embedding model";

/// Whether a chunk `c` has no embedding of model `?1`.
const CHUNK_LACKS: &str =
    "NOT EXISTS (SELECT 1 FROM embeddings n WHERE n.model = ?1 AND n.hash = c.hash)";
/// Whether a window `w` has no embedding of model `?1`.
const WINDOW_LACKS: &str = "NOT EXISTS (
    SELECT 1 FROM embeddings o JOIN embeddings n ON n.model = ?1 AND n.hash = o.hash WHERE o.id = w.embedding
)";

/// A note of which a text has no vector of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LackingNote {
    /// Id of its document.
    pub document: DocumentId,
    /// Watched folder that contains the file.
    pub folder: FolderId,
    /// Its path in the folder, with `/`.
    pub path: String,
    /// The hash of its bytes.
    pub hash: [u8; 32],
}

/// A chunk whose tokens are to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncountedChunk {
    /// Id of the chunk.
    pub id: i64,
    /// The hash of its text.
    pub hash: [u8; 32],
    /// Its text.
    pub text: String,
}

/// The vectors of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVectors {
    /// Id of the model.
    pub model: String,
    /// Number of values in a vector.
    pub dim: usize,
    /// Number of vectors, used or not.
    pub n_vectors: u64,
}

impl ModelVectors {
    /// Bytes of the vectors themselves in the database.
    pub fn n_bytes(&self) -> u64 {
        self.n_vectors * (self.dim * size_of::<f32>()) as u64
    }
}

impl Store {
    /// The notes of which a text has no vector of `model`, by id.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn lacking(&self, model: &str) -> Result<Vec<LackingNote>, StoreError> {
        let query = format!(
            "SELECT d.id, d.folder, d.path, d.hash FROM documents d
             WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id AND {CHUNK_LACKS})
                OR EXISTS (SELECT 1 FROM chunks c JOIN windows w ON w.chunk = c.id WHERE c.document = d.id AND {WINDOW_LACKS})
             ORDER BY d.id"
        );
        self.connection
            .prepare_cached(&query)
            .and_then(|mut statement| {
                let notes = statement.query_map([model], |row| {
                    Ok(LackingNote {
                        document: DocumentId(row.get(0)?),
                        folder: FolderId(row.get(1)?),
                        path: row.get(2)?,
                        hash: row.get(3)?,
                    })
                })?;
                notes.collect()
            })
            .attempt(ATTEMPT)
    }

    /// How many texts are in use, each once, and how many of these have a vector of `model`.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_texts_and_embedded(&self, model: &str) -> Result<(u64, u64), StoreError> {
        self.connection
            .prepare_cached(
                "SELECT count(*), count(n.id) FROM (SELECT embedding FROM chunks UNION SELECT embedding FROM windows) u
                 JOIN embeddings o ON o.id = u.embedding
                 LEFT JOIN embeddings n ON n.model = ?1 AND n.hash = o.hash",
            )
            .and_then(|mut statement| {
                statement.query_row([model], |row| {
                    Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))
                })
            })
            .attempt(ATTEMPT)
    }

    /// Calls `each` with the embeddings by `model` of all texts in use, ascending by id; with no vector if that is not as it was
    /// saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`], or the first error of `each`.
    pub fn for_each_embedding_of<E: From<StoreError>>(
        &self,
        model: &str,
        mut each: impl FnMut(EmbeddingId, Option<&[f32]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT n.id FROM (SELECT embedding FROM chunks UNION SELECT embedding FROM windows) u
                 JOIN embeddings o ON o.id = u.embedding
                 JOIN embeddings n ON n.model = ?1 AND n.hash = o.hash ORDER BY n.id",
            )
            .attempt(ATTEMPT)?;
        let mut rows = statement.query([model]).attempt(ATTEMPT)?;
        while let Some(row) = rows.next().attempt(ATTEMPT)? {
            let id = EmbeddingId(row.get(0).attempt(ATTEMPT)?);
            each(id, self.vector(id)?.as_deref())?;
        }
        Ok(())
    }

    /// Chunks after the one with id `after` whose texts have a vector of `model` and no count of its tokens, by id.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn uncounted(
        &self,
        model: &str,
        after: i64,
        n_max: usize,
    ) -> Result<Vec<UncountedChunk>, StoreError> {
        // `CROSS JOIN` has the chunks read in their order: SQLite would else sort them by hash for every call.
        let query = format!(
            "SELECT c.id, c.hash, c.text FROM chunks c CROSS JOIN embeddings n ON n.model = ?1 AND n.hash = c.hash
             WHERE c.id > ?2 AND NOT EXISTS (SELECT 1 FROM token_counts t WHERE t.embedding = n.id AND t.checksum = {OF_TOKEN_COUNT})
             ORDER BY c.id LIMIT ?3"
        );
        self.connection
            .prepare_cached(&query)
            .and_then(|mut statement| {
                let chunks = statement.query_map(params![model, after, n_max as i64], |row| {
                    Ok(UncountedChunk {
                        id: row.get(0)?,
                        hash: row.get(1)?,
                        text: row.get(2)?,
                    })
                })?;
                chunks.collect()
            })
            .attempt(ATTEMPT)
    }

    /// Saves how many tokens texts have by `model`, which has a vector of each, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing is saved then.
    pub fn save_token_counts(
        &mut self,
        model: &str,
        counts: impl IntoIterator<Item = ([u8; 32], u32)>,
    ) -> Result<(), StoreError> {
        let attempt = "save token counts";
        self.inject_fault(attempt)?;
        let transaction = self.connection.transaction().attempt(attempt)?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO token_counts
                     SELECT id, ?3, crc32(id, ?3) FROM embeddings WHERE model = ?1 AND hash = ?2",
                )
                .attempt(attempt)?;
            for (hash, n_tokens) in counts {
                statement
                    .execute(params![model, hash, n_tokens])
                    .attempt(attempt)?;
            }
        }
        transaction.commit().attempt(attempt)
    }

    /// Makes all chunks and windows refer to the vectors of `model`, with its counts of tokens, sets the recipe, and raises the
    /// generation, in one transaction. Returns the generation; `None` if a text has no vector or no count, and nothing has
    /// changed then. The vectors and counts that were in use stay.
    ///
    /// # Errors
    /// [`StoreError::Sql`], [`StoreError::Disk`]; nothing has changed then.
    pub fn take_model(&mut self, model: &str, recipe: &str) -> Result<Option<u64>, StoreError> {
        self.inject_fault(ATTEMPT)?;
        self.synced(|connection| {
            let transaction = connection.transaction().attempt(ATTEMPT)?;
            if !take(&transaction, model).attempt(ATTEMPT)? {
                return Ok(None);
            }
            transaction
                .execute(
                    "INSERT INTO meta VALUES ('recipe', ?1) ON CONFLICT DO UPDATE SET value = ?1",
                    [recipe],
                )
                .attempt(ATTEMPT)?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt(ATTEMPT)?;
            Ok(Some(generation))
        })
    }

    /// The vectors of each model, by the model's id.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn vectors_by_model(&self) -> Result<Vec<ModelVectors>, StoreError> {
        let counts: Vec<(String, i64)> = self
            .connection
            .prepare_cached("SELECT model, count(*) FROM embeddings GROUP BY model ORDER BY model")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .attempt("count embeddings")?;
        let mut length = self
            .connection
            .prepare_cached("SELECT length(vector) FROM embeddings WHERE model = ?1 LIMIT 1")
            .attempt("count embeddings")?;
        let mut found = Vec::with_capacity(counts.len());
        for (model, n_vectors) in counts {
            let n_bytes: i64 = length
                .query_row([&model], |row| row.get(0))
                .optional()
                .attempt("count embeddings")?
                .unwrap_or(0);
            found.push(ModelVectors {
                model,
                dim: n_bytes as usize / size_of::<f32>(),
                n_vectors: n_vectors as u64,
            });
        }
        Ok(found)
    }

    /// Deletes the vectors of a model that are not in use; the library comes to rest soon after, which frees their space.
    /// Returns how many were deleted.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_vectors(&mut self, model: &str) -> Result<u64, StoreError> {
        let attempt = "delete vectors";
        self.unlinked(|connection| {
            let transaction = connection.transaction().attempt(attempt)?;
            let n_deleted = transaction
                .execute(
                    "DELETE FROM embeddings WHERE model = ?1
                         AND id NOT IN (SELECT embedding FROM chunks UNION SELECT embedding FROM windows)",
                    [model],
                )
                .attempt(attempt)?;
            transaction
                .execute(
                    "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten'",
                    [],
                )
                .attempt(attempt)?;
            transaction.commit().attempt(attempt)?;
            Ok(n_deleted as u64)
        })
    }
}

/// Does the change within a transaction. Returns false if a text has no vector or no count.
fn take(transaction: &Transaction<'_>, model: &str) -> rusqlite::Result<bool> {
    let count = format!(
        "SELECT n.id, t.tokens FROM embeddings n JOIN token_counts t ON t.embedding = n.id AND t.checksum = {OF_TOKEN_COUNT}
         WHERE n.model = ?1 AND n.hash = c.hash"
    );
    let lacks: bool = transaction.query_row(
        &format!(
            "SELECT EXISTS (SELECT 1 FROM chunks c WHERE NOT EXISTS ({count})) OR EXISTS (SELECT 1 FROM windows w WHERE {WINDOW_LACKS})"
        ),
        [model],
        |row| row.get(0),
    )?;
    if lacks {
        return Ok(false);
    }
    // The difference is added to the checksum of each document, so that one with a wrong checksum keeps a wrong one.
    let sums = format!(
        "(SELECT coalesce(sum({OF_CHUNK}), 0) FROM chunks c WHERE c.document = d.id)
         + (SELECT coalesce(sum({OF_WINDOW}), 0) FROM chunks c JOIN windows w ON w.chunk = c.id WHERE c.document = d.id)"
    );
    transaction.execute_batch(&format!(
        "CREATE TEMP TABLE IF NOT EXISTS sums_before (document INTEGER PRIMARY KEY, total INTEGER NOT NULL);
         DELETE FROM sums_before;
         INSERT INTO sums_before SELECT d.id, {sums} FROM documents d;
         INSERT OR REPLACE INTO token_counts SELECT embedding, tokens, crc32(embedding, tokens) FROM chunks;"
    ))?;
    transaction.execute(
        &format!("UPDATE chunks AS c SET (embedding, tokens) = ({count})"),
        [model],
    )?;
    transaction.execute(
        "UPDATE windows SET embedding = (
             SELECT n.id FROM embeddings o JOIN embeddings n ON n.model = ?1 AND n.hash = o.hash WHERE o.id = windows.embedding
         )",
        [model],
    )?;
    transaction.execute_batch(&format!(
        "UPDATE documents AS d SET checksum = d.checksum - (SELECT total FROM sums_before WHERE document = d.id) + {sums};
         DELETE FROM sums_before;"
    ))?;
    Ok(true)
}
