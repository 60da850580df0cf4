//! All that a search needs of the library but its texts, read in one consistent moment.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{Row, Transaction, TransactionBehavior};

use crate::checksum::{OF_CHUNK, OF_DOCUMENT, OF_WINDOW};
use crate::damage::lossy;
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

/// Is a document that is not as it was saved, in itself or in what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlteredDocument {
    /// Its id.
    pub id: DocumentId,
    /// Its path, as far as it can be read.
    pub path: String,
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
    /// The documents that are left out, by path, since they are not as they were saved; texts are looked at when they
    /// are read.
    pub altered: Vec<AlteredDocument>,
}

impl Store {
    /// Reads the library at one moment, but for what is not as it was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`], and [`StoreError::Damaged`] where SQLite cannot read it.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        // A read transaction sees one moment, whatever the writer does meanwhile.
        // Unlike the connection's other ones: it only reads, and must keep nobody from writing.
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
                .attempt("read the library")?;
        let snapshot = self.read_snapshot();
        transaction.finish().attempt("read the library")?;
        snapshot
    }

    fn read_snapshot(&self) -> Result<Snapshot, StoreError> {
        let generation = self.generation()?;
        let folders = self.folders()?;
        let mut read = Read::default();
        self.read_documents(&mut read)
            .attempt("read the documents")?;
        self.read_chunks(&mut read).attempt("read the chunks")?;
        self.read_windows(&mut read).attempt("read the windows")?;
        Ok(read.fitted(generation, folders))
    }

    // Neither asks an index, which would tell of a row what it no longer says.

    fn read_documents(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT d.id, d.folder, d.path, d.hash, d.modified_ms, d.encoding, d.agent, d.date, d.tags, d.checksum, {OF_DOCUMENT}
             FROM documents d NOT INDEXED"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            read.document_of.insert(id, read.documents.len());
            read.documents.push(Summed {
                id: DocumentId(id),
                path: lossy(row, 2)?,
                row: document_row(row).ok(),
                checksum: row.get(9).ok(),
                sum: row.get(10)?,
            });
        }
        Ok(())
    }

    fn read_chunks(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT c.document, c.id, c.start_line, c.end_line, c.start_byte, c.end_byte, c.heading, c.agent, c.tokens, c.embedding, c.date, {OF_CHUNK}
             FROM chunks c NOT INDEXED"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // One that is of another kind than was written, or of no document, is missed in the sum of its own.
            let Ok((document, chunk)) = chunk_row(row) else {
                continue;
            };
            if let Some(&at) = read.document_of.get(&document.0) {
                read.documents[at].sum += row.get::<_, i64>(11)?;
                read.chunk_of.insert(chunk.id, read.chunks.len());
                read.chunks.push(ChunkRow {
                    document: at as u32,
                    ..chunk
                });
            }
        }
        Ok(())
    }

    fn read_windows(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT w.chunk, w.start_line, w.end_line, w.embedding, {OF_WINDOW} FROM windows w ORDER BY w.chunk, w.position"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Ok((chunk, window)) = window_row(row) else {
                continue;
            };
            if let Some(&at) = read.chunk_of.get(&chunk) {
                read.documents[read.chunks[at].document as usize].sum += row.get::<_, i64>(4)?;
                read.windows.push((at, window));
            }
        }
        Ok(())
    }
}

/// Is all rows as they were read, in no order.
#[derive(Default)]
struct Read {
    documents: Vec<Summed>,
    /// Places in `documents`, by id.
    document_of: HashMap<i64, usize>,
    /// Each with the place of its document in `documents`.
    chunks: Vec<ChunkRow>,
    /// Places in `chunks`, by id.
    chunk_of: HashMap<i64, usize>,
    /// Each with the place of its chunk in `chunks`; those of a chunk in their order.
    windows: Vec<(usize, WindowRow)>,
}

/// Is a document with its checksum.
struct Summed {
    id: DocumentId,
    path: String,
    /// None where a value is of another kind than was written.
    row: Option<DocumentRow>,
    /// As it was saved.
    checksum: Option<i64>,
    /// Of what is there.
    sum: i64,
}

impl Read {
    /// Returns what is as it was saved, in the total order.
    fn fitted(self, generation: u64, folders: Vec<Folder>) -> Snapshot {
        let folder_at: HashMap<FolderId, usize> = folders
            .iter()
            .enumerate()
            .map(|(at, folder)| (folder.id, at))
            .collect();
        let mut altered = Vec::new();
        let mut documents = Vec::new();
        for (at, document) in self.documents.into_iter().enumerate() {
            let Summed {
                id,
                path,
                row,
                checksum,
                sum,
            } = document;
            let sound =
                row.filter(|row| checksum == Some(sum) && folder_at.contains_key(&row.folder));
            match sound {
                Some(row) => documents.push((at, row)),
                None => altered.push(AlteredDocument { id, path }),
            }
        }
        altered.sort_by(|a, b| (&a.path, a.id).cmp(&(&b.path, b.id)));
        documents.sort_by(|(_, a), (_, b)| {
            (folder_at[&a.folder], &a.path).cmp(&(folder_at[&b.folder], &b.path))
        });
        let place_of: HashMap<u32, u32> = documents
            .iter()
            .zip(0..)
            .map(|((at, _), place)| (*at as u32, place))
            .collect();
        let mut documents: Vec<DocumentRow> = documents.into_iter().map(|(_, row)| row).collect();

        let mut chunks: Vec<(usize, ChunkRow)> = self
            .chunks
            .into_iter()
            .enumerate()
            .filter_map(|(at, chunk)| {
                let document = *place_of.get(&chunk.document)?;
                Some((at, ChunkRow { document, ..chunk }))
            })
            .collect();
        chunks.sort_by_key(|(_, chunk)| {
            (chunk.document, chunk.bytes.start, chunk.bytes.end, chunk.id)
        });
        let place_of: HashMap<usize, u32> = chunks
            .iter()
            .zip(0..)
            .map(|((at, _), place)| (*at, place))
            .collect();
        let mut chunks: Vec<ChunkRow> = chunks.into_iter().map(|(_, chunk)| chunk).collect();
        for (chunk, at) in chunks.iter().zip(0..) {
            extend(&mut documents[chunk.document as usize].chunks, at);
        }

        let mut windows: Vec<(u32, WindowRow)> = self
            .windows
            .into_iter()
            .filter_map(|(at, window)| Some((*place_of.get(&at)?, window)))
            .collect();
        // Stable: those of a chunk stay in their order.
        windows.sort_by_key(|(chunk, _)| *chunk);
        for ((chunk, _), at) in windows.iter().zip(0..) {
            extend(&mut chunks[*chunk as usize].windows, at);
        }
        Snapshot {
            generation,
            folders,
            documents,
            chunks,
            windows: windows.into_iter().map(|(_, window)| window).collect(),
            altered,
        }
    }
}

/// Takes the next place into a range of them.
fn extend(range: &mut Range<u32>, at: u32) {
    *range = if Range::is_empty(range) {
        at..at + 1
    } else {
        range.start..at + 1
    };
}

fn document_row(row: &Row<'_>) -> rusqlite::Result<DocumentRow> {
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
