//! How much the library holds, counted without reading it.

use std::collections::HashMap;

use rusqlite::{Transaction, TransactionBehavior};

use crate::error::Attempt;
use crate::{Folder, FolderId, Store, StoreError};

/// How much the library holds at one moment. A document that is not as it was saved counts until a writer forgets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Generation that the counts are of.
    pub generation: u64,
    /// Every watched folder with the numbers of its documents and of their chunks, by path.
    pub folders: Vec<(Folder, u32, u32)>,
    /// Number of windows of all chunks.
    pub n_windows: u32,
}

impl Store {
    /// Counts what the library holds.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn contents(&self) -> Result<Contents, StoreError> {
        // As a snapshot does: it only reads, and sees one moment.
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
                .attempt("count what the library holds")?;
        let contents = self.count();
        transaction
            .finish()
            .attempt("count what the library holds")?;
        contents
    }

    fn count(&self) -> Result<Contents, StoreError> {
        let counts = self.counts().attempt("count what the library holds")?;
        let folders = self.folders()?.into_iter();
        Ok(Contents {
            generation: self.generation()?,
            folders: folders
                .map(|folder| {
                    let (n_files, n_chunks) = counts.get(&folder.id).copied().unwrap_or_default();
                    (folder, n_files, n_chunks)
                })
                .collect(),
            n_windows: self
                .connection
                .query_row("SELECT count(*) FROM windows", [], |row| row.get(0))
                .attempt("count what the library holds")?,
        })
    }

    /// Documents and chunks by folder, from indexes alone: the rows hold the texts.
    fn counts(&self) -> rusqlite::Result<HashMap<FolderId, (u32, u32)>> {
        self.connection
            .prepare_cached(
                "SELECT d.folder, count(*), sum((SELECT count(*) FROM chunks c WHERE c.document = d.id))
                 FROM documents d GROUP BY d.folder",
            )?
            .query_map([], |row| Ok((FolderId(row.get(0)?), (row.get(1)?, row.get(2)?))))?
            .collect()
    }
}
