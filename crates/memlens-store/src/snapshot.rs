//! All that a search needs of the library but its texts, read in one consistent moment.

use std::ops::Range;

use rusqlite::Row;

use crate::error::Attempt;
use crate::{DocumentId, EmbeddingId, Folder, FolderId, Store, StoreError};

/// Is a document in a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRow {
    /// Its id.
    pub id: DocumentId,
    /// Its folder.
    pub folder: FolderId,
    /// Its path there.
    pub path: String,
    /// The hash of its bytes.
    pub hash: [u8; 32],
    /// When it was last modified, milliseconds since 1970.
    pub modified_ms: i64,
    /// The encoding it was read with.
    pub encoding: String,
    /// Who says it.
    pub agent: Option<String>,
    /// When, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its chunks: indices into [`Snapshot::chunks`].
    pub chunks: Range<u32>,
}

/// Is a chunk in a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRow {
    /// Its id.
    pub id: i64,
    /// Its document: an index into [`Snapshot::documents`].
    pub document: u32,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Its bytes in the document.
    pub bytes: Range<u32>,
    /// The headings above it.
    pub heading: String,
    /// Who says it, where the line itself tells.
    pub agent: Option<String>,
    /// When its line says it, `YYYY-MM-DD`; none where the document's date holds.
    pub date: Option<String>,
    /// Its length in tokens of the embedding model.
    pub tokens: u32,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
    /// Its windows: indices into [`Snapshot::windows`].
    pub windows: Range<u32>,
}

/// Is a window in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowRow {
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
}

/// Is the library at one moment, in the total order of chunks: folder path, path, start byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The generation it shows.
    pub generation: u64,
    /// The folders, by path.
    pub folders: Vec<Folder>,
    /// The documents, by folder path and path.
    pub documents: Vec<DocumentRow>,
    /// The chunks, in the total order.
    pub chunks: Vec<ChunkRow>,
    /// The windows, by chunk.
    pub windows: Vec<WindowRow>,
}

impl Store {
    /// Reads the library at one moment.
    ///
    /// # Errors
    /// [`StoreError::Sql`], and [`StoreError::Damaged`] where its rows do not fit together.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        // A read transaction sees one moment, whatever the writer does meanwhile.
        let transaction = self
            .connection
            .unchecked_transaction()
            .attempt("read the library")?;
        let snapshot = self.read_snapshot();
        transaction.finish().attempt("read the library")?;
        snapshot
    }

    fn read_snapshot(&self) -> Result<Snapshot, StoreError> {
        let mut snapshot = Snapshot {
            generation: self.generation()?,
            folders: self.folders()?,
            documents: self.document_rows().attempt("read the documents")?,
            chunks: Vec::new(),
            windows: Vec::new(),
        };
        self.read_chunks(&mut snapshot)?;
        self.read_windows(&mut snapshot)?;
        Ok(snapshot)
    }

    fn document_rows(&self) -> rusqlite::Result<Vec<DocumentRow>> {
        self.connection
            .prepare_cached(
                "SELECT d.id, d.folder, d.path, d.hash, d.modified_ms, d.encoding, d.agent, d.date, d.tags
                 FROM documents d JOIN folders f ON f.id = d.folder ORDER BY f.path, d.path",
            )?
            .query_map([], |row| {
                let tags: String = row.get(8)?;
                Ok(DocumentRow {
                    id: DocumentId(row.get(0)?),
                    folder: FolderId(row.get(1)?),
                    path: row.get(2)?,
                    hash: row.get(3)?,
                    modified_ms: row.get(4)?,
                    encoding: row.get(5)?,
                    agent: row.get(6)?,
                    date: row.get(7)?,
                    tags: serde_json::from_str(&tags).unwrap_or_default(),
                    chunks: 0..0,
                })
            })?
            .collect()
    }

    fn read_chunks(&self, snapshot: &mut Snapshot) -> Result<(), StoreError> {
        let attempt = "read the chunks";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT c.document, c.id, c.start_line, c.end_line, c.start_byte, c.end_byte, c.heading, c.agent, c.tokens, c.embedding, c.date
                 FROM chunks c JOIN documents d ON d.id = c.document JOIN folders f ON f.id = d.folder
                 ORDER BY f.path, d.path, c.start_byte, c.end_byte, c.id",
            )
            .attempt(attempt)?;
        let mut rows = statement.query([]).attempt(attempt)?;
        let mut document = 0;
        while let Some(row) = rows.next().attempt(attempt)? {
            let (id, chunk) = chunk_row(row).attempt(attempt)?;
            // Documents come in the same order, some of them without a chunk.
            let n_without = snapshot.documents[document..]
                .iter()
                .position(|row| row.id == id);
            document += n_without.ok_or_else(|| {
                StoreError::unfit(
                    attempt,
                    "a chunk belongs to no document, or to one out of order",
                )
            })?;
            let (lines, bytes) = (chunk.start_line..=chunk.end_line, &chunk.bytes);
            if chunk.start_line == 0 || lines.is_empty() || bytes.start > bytes.end {
                return Err(StoreError::unfit(attempt, "a chunk ends before it begins"));
            }
            let at = snapshot.chunks.len() as u32;
            let range = &mut snapshot.documents[document].chunks;
            *range = if Range::is_empty(range) {
                at..at + 1
            } else {
                range.start..at + 1
            };
            snapshot.chunks.push(ChunkRow {
                document: document as u32,
                ..chunk
            });
        }
        Ok(())
    }

    fn read_windows(&self, snapshot: &mut Snapshot) -> Result<(), StoreError> {
        let attempt = "read the windows";
        let mut by_id: Vec<(i64, u32)> = snapshot
            .chunks
            .iter()
            .zip(0..)
            .map(|(chunk, at)| (chunk.id, at))
            .collect();
        by_id.sort_unstable();
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT chunk, start_line, end_line, embedding FROM windows ORDER BY chunk, position",
            )
            .attempt(attempt)?;
        let mut rows = statement.query([]).attempt(attempt)?;
        let mut at = 0;
        while let Some(row) = rows.next().attempt(attempt)? {
            let (chunk, window) = window_row(row).attempt(attempt)?;
            let n_without = by_id[at..].iter().position(|(id, _)| *id == chunk);
            at += n_without.ok_or_else(|| {
                StoreError::unfit(
                    attempt,
                    "a window belongs to no chunk, or to one out of order",
                )
            })?;
            if window.start_line == 0 || window.start_line > window.end_line {
                return Err(StoreError::unfit(attempt, "a window ends before it begins"));
            }
            let next = snapshot.windows.len() as u32;
            let range = &mut snapshot.chunks[by_id[at].1 as usize].windows;
            *range = if Range::is_empty(range) {
                next..next + 1
            } else {
                range.start..next + 1
            };
            snapshot.windows.push(window);
        }
        Ok(())
    }
}

/// Returns a chunk with the document that it belongs to, whose place and whose windows are not known yet.
fn chunk_row(row: &Row<'_>) -> rusqlite::Result<(DocumentId, ChunkRow)> {
    let chunk = ChunkRow {
        id: row.get(1)?,
        document: 0,
        start_line: row.get(2)?,
        end_line: row.get(3)?,
        bytes: row.get(4)?..row.get(5)?,
        heading: row.get(6)?,
        agent: row.get(7)?,
        tokens: row.get(8)?,
        embedding: EmbeddingId(row.get(9)?),
        date: row.get(10)?,
        windows: 0..0,
    };
    Ok((DocumentId(row.get(0)?), chunk))
}

/// Returns a window with the id of the chunk that it belongs to.
fn window_row(row: &Row<'_>) -> rusqlite::Result<(i64, WindowRow)> {
    let window = WindowRow {
        start_line: row.get(1)?,
        end_line: row.get(2)?,
        embedding: EmbeddingId(row.get(3)?),
    };
    Ok((row.get(0)?, window))
}
