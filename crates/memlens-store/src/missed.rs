//! What lists that are behind the library have missed.

use rusqlite::params;

use crate::damage::is_as_saved;
use crate::error::Attempt;
use crate::{DocumentId, EmbeddingId, Store, StoreError, StoredChunk};

/// A document as lists need it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedDocument {
    /// Chunks of the document, by id; empty if the document is gone.
    pub chunks: Vec<StoredChunk>,
    /// The embeddings of these and of their windows, each once.
    pub embeddings: Vec<EmbeddingId>,
}

impl Store {
    /// Documents that were added, removed or touched since a generation, and possibly some of that generation itself;
    /// `None` if the log does not reach back that far, or the generation is in the future.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn changed_since(&self, generation: u64) -> Result<Option<Vec<DocumentId>>, StoreError> {
        if generation > self.generation()? {
            return Ok(None);
        }
        let attempt = "read what changed";
        // The oldest entries go first: what is left reaches back where one of an earlier generation, or the first, is there.
        let reaches_back: bool = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM changed WHERE at = (SELECT min(at) FROM changed) AND (at = 1 OR generation < ?1))",
            )
            .and_then(|mut statement| statement.query_row([generation as i64], |row| row.get(0)))
            .attempt(attempt)?;
        if !reaches_back {
            return Ok(None);
        }
        // Some transactions raise the generation before they change anything, some after it.
        self.connection
            .prepare_cached(
                "SELECT DISTINCT document FROM changed WHERE generation >= ?1 ORDER BY document",
            )
            .and_then(|mut statement| {
                let ids =
                    statement.query_map([generation as i64], |row| row.get(0).map(DocumentId))?;
                ids.collect::<rusqlite::Result<Vec<_>>>()
            })
            .map(Some)
            .attempt(attempt)
    }

    /// What retrieval lists contain of a document; `None` if one of its texts differs from what was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn listed(&self, document: DocumentId) -> Result<Option<ListedDocument>, StoreError> {
        let attempt = "read the chunks";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT c.text, c.hash, c.id, d.path, c.heading, c.start_byte FROM chunks c JOIN documents d ON d.id = c.document
                 WHERE c.document = ?1 ORDER BY c.id",
            )
            .attempt(attempt)?;
        let mut rows = statement.query([document.0]).attempt(attempt)?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next().attempt(attempt)? {
            if !is_as_saved(row).attempt(attempt)? {
                return Ok(None);
            }
            let chunk = || {
                Ok(StoredChunk {
                    id: row.get(2)?,
                    document,
                    path: row.get(3)?,
                    heading: row.get(4)?,
                    start_byte: row.get(5)?,
                    text: row.get(0)?,
                })
            };
            chunks.push(chunk().attempt(attempt)?);
        }
        let embeddings = self
            .connection
            .prepare_cached(
                "SELECT embedding FROM chunks WHERE document = ?1
                 UNION SELECT w.embedding FROM windows w JOIN chunks c ON c.id = w.chunk WHERE c.document = ?1",
            )
            .and_then(|mut statement| {
                let ids = statement.query_map(params![document.0], |row| row.get(0).map(EmbeddingId))?;
                ids.collect::<rusqlite::Result<Vec<_>>>()
            })
            .attempt(attempt)?;
        Ok(Some(ListedDocument { chunks, embeddings }))
    }
}
