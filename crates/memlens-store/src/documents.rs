//! Documents with their chunks and windows: inserted, replaced and removed in batches.

use std::collections::HashMap;

use rusqlite::{Row, Transaction, params};

use crate::checksum::{OF_CHUNK, OF_DOCUMENT, OF_WINDOW};
use crate::damage::is_as_saved;
use crate::error::Attempt;
use crate::note_changes;
use crate::observations::{checksum_of_observations, put_observations};
use crate::sightings;
use crate::store::next_generation;
use crate::versions::{self, FirstSight};
use crate::{
    DocumentId, EmbeddingId, FolderId, NewObservation, Severity, Store, StoreError, StoredProblem,
};

/// Length of the log of document changes; readers that are further behind reload everything.
const CHANGES_KEPT: i64 = 50_000;

/// What is known of a file without reading it: enough to see whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentState {
    /// Id of the document in the library.
    pub id: DocumentId,
    /// Length of the file in bytes.
    pub size: u64,
    /// When it was last modified, milliseconds since 1970.
    pub modified_ms: i64,
    /// When its bytes, name or rights last changed, nanoseconds since 1970; 0 if that is not known.
    pub changed_ns: i64,
    /// The hash of its bytes.
    pub hash: [u8; 32],
}

/// A document to insert or replace.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    /// Watched folder that contains the file.
    pub folder: FolderId,
    /// Its path in the folder, with `/`.
    pub path: String,
    /// The hash of its bytes.
    pub hash: [u8; 32],
    /// Length of the file in bytes.
    pub size: u64,
    /// When it was last modified, milliseconds since 1970.
    pub modified_ms: i64,
    /// When its bytes, name or rights last changed, nanoseconds since 1970; 0 if that is not known.
    pub changed_ns: i64,
    /// Format of the text: Markdown, plain or jsonl.
    pub kind: String,
    /// The encoding it was read with.
    pub encoding: String,
    /// Who says it, from the front matter.
    pub agent: Option<String>,
    /// When, `YYYY-MM-DD`, from the front matter.
    pub date: Option<String>,
    /// Tags from the front matter.
    pub tags: Vec<String>,
    /// The weight from the front matter.
    pub weight: Option<f64>,
    /// Its chunks by start byte.
    pub chunks: Vec<NewChunk>,
    /// Observations that the document contains.
    pub observations: Vec<NewObservation>,
    /// What went wrong while it was read.
    pub problems: Vec<StoredProblem>,
    /// When it was read, and its words; `None` if that is not known.
    pub first_sight: Option<FirstSight>,
}

/// A chunk of a [`NewDocument`].
#[derive(Debug, Clone, PartialEq)]
pub struct NewChunk {
    /// Text of the chunk, as it is embedded.
    pub text: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Its bytes in the document.
    pub bytes: std::ops::Range<u32>,
    /// The headings above it, joined by ` > `.
    pub heading: String,
    /// Agent of the line, if the line itself names one.
    pub agent: Option<String>,
    /// Date of the line as `YYYY-MM-DD`, if the line itself has one.
    pub date: Option<String>,
    /// Weight of the line, if the line itself has one.
    pub weight: Option<f64>,
    /// Id of the line, if the line itself has one.
    pub external_id: Option<String>,
    /// Its length in tokens of the embedding model.
    pub tokens: u32,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
    /// The windows that belong to it.
    pub windows: Vec<NewWindow>,
}

/// A window of a [`NewChunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWindow {
    /// First line of the window, 1-based.
    pub start_line: u32,
    /// Last line of the window, 1-based.
    pub end_line: u32,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
}

/// One change of the documents.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Inserts a document, or replaces the one at its path.
    Put(Box<NewDocument>),
    /// Removes the document at a path, with everything recorded about it.
    Remove {
        /// Watched folder of the document.
        folder: FolderId,
        /// Path in the folder, with `/`.
        path: String,
    },
    /// Notes why a file cannot be read; a document at its path is removed.
    Fail(StoredProblem),
    /// Notes that a file's bytes are the same though its times are not.
    Touch {
        /// Id of the unchanged document.
        document: DocumentId,
        /// When it was last modified, milliseconds since 1970.
        modified_ms: i64,
        /// When its bytes, name or rights last changed, nanoseconds since 1970.
        changed_ns: i64,
    },
}

/// A chunk as the text index needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// Id of the chunk in the library.
    pub id: i64,
    /// Document that the chunk belongs to.
    pub document: DocumentId,
    /// Path of the document in its folder.
    pub path: String,
    /// The headings above it, joined by ` > `; empty if there are none.
    pub heading: String,
    /// Its first byte in the document's text.
    pub start_byte: u32,
    /// Its text.
    pub text: String,
}

/// Why a chunk has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoText {
    /// The chunk is not in the library any more: its note changed, or is gone.
    Gone,
    /// It is not what was saved.
    Altered,
}

/// What a batch of changes did.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// Generation of the library after the batch.
    pub generation: u64,
    /// Documents that are gone or replaced.
    pub removed: Vec<DocumentId>,
    /// Chunks that the batch added.
    pub added: Vec<StoredChunk>,
}

impl Applied {
    /// Adds what a later batch did.
    pub fn join(&mut self, later: Applied) {
        let Applied {
            generation,
            removed,
            added,
        } = later;
        self.generation = generation;
        self.added
            .retain(|chunk| !removed.contains(&chunk.document));
        self.removed.extend(removed);
        self.added.extend(added);
    }
}

impl Store {
    /// What is known of every document of a folder, by path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn documents(
        &self,
        folder: FolderId,
    ) -> Result<HashMap<String, DocumentState>, StoreError> {
        self.inject_fault("read the documents")?;
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT path, id, size, modified_ms, changed_ns, hash FROM documents WHERE folder = ?1",
            )
            .attempt("read the documents")?;
        statement
            .query_map([folder.0], state)
            .and_then(Iterator::collect)
            .attempt("read the documents")
    }

    /// The stored state of one document; `None` if the library does not contain it.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn document(
        &self,
        folder: FolderId,
        path: &str,
    ) -> Result<Option<DocumentState>, StoreError> {
        self.inject_fault("read a document")?;
        self.connection
            .prepare_cached(
                "SELECT path, id, size, modified_ms, changed_ns, hash FROM documents WHERE folder = ?1 AND path = ?2",
            )
            .and_then(|mut statement| {
                let mut rows = statement.query(params![folder.0, path])?;
                rows.next()?.map(|row| state(row).map(|(_, state)| state)).transpose()
            })
            .attempt("read a document")
    }

    /// When the bytes of each document were saved that was touched since, milliseconds since 1970; by folder and path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn saved_before_touched(&self) -> Result<HashMap<(FolderId, String), i64>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT folder, path, saved_ms FROM documents WHERE saved_ms IS NOT NULL",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(((FolderId(row.get(0)?), row.get(1)?), row.get(2)?))
                    })?
                    .collect()
            })
            .attempt("read when touched documents were saved")
    }

    /// Whether documents are below a path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn holds_folder(&self, folder: FolderId, path: &str) -> Result<bool, StoreError> {
        // `0` is the sign after `/`, so the range is everything that begins with `path/`.
        self.connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM documents WHERE folder = ?1 AND path > ?2 AND path < ?3)",
            )
            .and_then(|mut statement| {
                statement.query_row(params![folder.0, format!("{path}/"), format!("{path}0")], |row| row.get(0))
            })
            .attempt("look for a folder")
    }

    /// Applies changes in one transaction and raises the generation.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn apply(&mut self, changes: &[Change]) -> Result<Applied, StoreError> {
        self.inject_fault("save documents")?;
        self.synced(|connection| {
            let transaction = connection.transaction().attempt("save documents")?;
            let mut applied = Applied {
                generation: next_generation(&transaction)?,
                removed: Vec::new(),
                added: Vec::new(),
            };
            for change in changes {
                match change {
                    Change::Put(document) => {
                        note_changes::record(&transaction, document)
                            .attempt("save the change of a note")?;
                        remove(&transaction, document.folder, &document.path, &mut applied)?;
                        put(&transaction, document, &mut applied)?;
                    }
                    Change::Remove { folder, path } => {
                        remove(&transaction, *folder, path, &mut applied)?;
                        sightings::forget(&transaction, *folder, path)
                            .and_then(|()| note_changes::forget(&transaction, *folder, path))
                            .attempt("remove a document")?;
                    }
                    Change::Fail(problem) => {
                        note_changes::record_unread(&transaction, problem.folder, &problem.path)
                            .attempt("save the change of a note")?;
                        remove(&transaction, problem.folder, &problem.path, &mut applied)?;
                        note(&transaction, problem)?;
                    }
                    Change::Touch {
                        document,
                        modified_ms,
                        changed_ns,
                    } => {
                        // What had turned by then still shows.
                        let touched = OF_DOCUMENT
                            .replace("d.modified_ms", "?2")
                            .replace("d.changed_ns", "?3");
                        transaction
                            .execute(
                                &format!(
                                    "UPDATE documents AS d SET saved_ms = coalesce(saved_ms, modified_ms), modified_ms = ?2, changed_ns = ?3,
                                         checksum = d.checksum - {OF_DOCUMENT} + {touched} WHERE d.id = ?1"
                                ),
                                params![document.0, modified_ms, changed_ns],
                            )
                            .and_then(|_| versions::touch(&transaction, *document))
                            .attempt("save documents")?;
                    }
                }
            }
            transaction
                .execute(
                    "DELETE FROM changed WHERE at <= (SELECT max(at) FROM changed) - ?1",
                    [CHANGES_KEPT],
                )
                .attempt("save documents")?;
            versions::trim(&transaction)
                .and_then(|()| note_changes::trim(&transaction, note_changes::BYTES_MOST))
                .attempt("save documents")?;
            transaction.commit().attempt("save documents")?;
            Ok(applied)
        })
    }

    /// Calls `each` with every chunk, in ascending id, for rebuilding a text index.
    ///
    /// # Errors
    /// [`StoreError::Sql`], or the first error of `each`.
    pub fn for_each_chunk<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(StoredChunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT c.id, c.document, d.path, c.text, c.heading, c.start_byte FROM chunks c JOIN documents d ON d.id = c.document ORDER BY c.id")
            .attempt("read the chunks")?;
        let mut rows = statement.query([]).attempt("read the chunks")?;
        while let Some(row) = rows.next().attempt("read the chunks")? {
            let chunk = (|| {
                Ok(StoredChunk {
                    id: row.get(0)?,
                    document: DocumentId(row.get(1)?),
                    path: row.get(2)?,
                    text: row.get(3)?,
                    heading: row.get(4)?,
                    start_byte: row.get(5)?,
                })
            })();
            each(chunk.attempt("read the chunks")?)?;
        }
        Ok(())
    }

    /// The texts of chunks, in the order asked.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn chunk_texts(
        &self,
        chunks: impl IntoIterator<Item = i64>,
    ) -> Result<Vec<Result<String, NoText>>, StoreError> {
        let attempt = "read chunk texts";
        let mut statement = self
            .connection
            .prepare_cached("SELECT text, hash FROM chunks WHERE id = ?1")
            .attempt(attempt)?;
        let mut texts = Vec::new();
        for chunk in chunks {
            let mut rows = statement.query([chunk]).attempt(attempt)?;
            texts.push(match rows.next().attempt(attempt)? {
                None => Err(NoText::Gone),
                Some(row) if is_as_saved(row).attempt(attempt)? => {
                    Ok(row.get(0).attempt(attempt)?)
                }
                Some(_) => Err(NoText::Altered),
            });
        }
        Ok(texts)
    }
}

fn state(row: &Row<'_>) -> rusqlite::Result<(String, DocumentState)> {
    let state = DocumentState {
        id: DocumentId(row.get(1)?),
        size: row.get::<_, i64>(2)? as u64,
        modified_ms: row.get(3)?,
        changed_ns: row.get(4)?,
        hash: row.get(5)?,
    };
    Ok((row.get(0)?, state))
}

impl Store {
    /// Forgets every document, but no embedding, and raises the generation; for when they must be
    /// cut or embedded in another way.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_documents(&mut self) -> Result<u64, StoreError> {
        self.synced(|connection| {
            let transaction = connection.transaction().attempt("forget the documents")?;
            versions::forget(&transaction).attempt("forget the documents")?;
            transaction
                .execute_batch("DELETE FROM documents; DELETE FROM problems;")
                .attempt("forget the documents")?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt("forget the documents")?;
            Ok(generation)
        })
    }
}

fn remove(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
    applied: &mut Applied,
) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM problems WHERE folder = ?1 AND path = ?2")
        .and_then(|mut statement| statement.execute(params![folder.0, path]))
        .attempt("remove a document")?;
    versions::keep_former(transaction, folder, path).attempt("remove a document")?;
    let mut statement = transaction
        .prepare_cached("DELETE FROM documents WHERE folder = ?1 AND path = ?2 RETURNING id")
        .attempt("remove a document")?;
    let removed: Vec<i64> = statement
        .query_map(params![folder.0, path], |row| row.get(0))
        .and_then(Iterator::collect)
        .attempt("remove a document")?;
    let removed: Vec<DocumentId> = removed.into_iter().map(DocumentId).collect();
    if removed.is_empty() {
        return Ok(());
    }
    // A document that the same batch inserted before is not part of the result any more.
    applied
        .added
        .retain(|chunk| !removed.contains(&chunk.document));
    applied.removed.extend(removed);
    Ok(())
}

fn put(
    transaction: &Transaction<'_>,
    document: &NewDocument,
    applied: &mut Applied,
) -> Result<(), StoreError> {
    // Every field is stored, so none may be forgotten.
    let NewDocument {
        folder,
        path,
        hash,
        size,
        modified_ms,
        changed_ns,
        kind,
        encoding,
        agent,
        date,
        tags,
        weight,
        chunks,
        observations,
        problems,
        first_sight,
    } = document;
    let tags = serde_json::to_string(tags).expect("strings can always be written as JSON");
    let id: i64 = transaction
        .prepare_cached(
            "INSERT INTO documents (folder, path, hash, size, modified_ms, changed_ns, kind, encoding, agent, date, tags, weight)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        )
        .and_then(|mut statement| {
            statement.query_row(
                params![folder.0, path, hash, *size as i64, modified_ms, changed_ns, kind, encoding, agent, date, tags, weight],
                |row| row.get(0),
            )
        })
        .attempt("save a document")?;
    for chunk in chunks {
        let chunk_id = put_chunk(transaction, id, chunk).attempt("save a chunk")?;
        applied.added.push(StoredChunk {
            id: chunk_id,
            document: DocumentId(id),
            path: path.clone(),
            heading: chunk.heading.clone(),
            start_byte: chunk.bytes.start,
            text: chunk.text.clone(),
        });
    }
    put_observations(transaction, id, observations).attempt("save observations")?;
    if let Some(sight) = first_sight {
        versions::see(transaction, id, sight).attempt("save a document")?;
    }
    sightings::see(transaction, *folder, path, hash).attempt("save a document")?;
    seal(transaction, id).attempt("save a document")?;
    for problem in problems {
        note(transaction, problem)?;
    }
    Ok(())
}

/// Writes the checksums of a document that is there with all that belongs to it.
fn seal(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<()> {
    let of_observations = checksum_of_observations();
    for statement in [
        format!(
            "UPDATE documents AS d SET observations_checksum = {of_observations} WHERE d.id = ?1"
        ),
        format!(
            "UPDATE documents AS d SET checksum = {OF_DOCUMENT}
                 + (SELECT coalesce(sum({OF_CHUNK}), 0) FROM chunks c WHERE c.document = d.id)
                 + (SELECT coalesce(sum({OF_WINDOW}), 0) FROM chunks c JOIN windows w ON w.chunk = c.id WHERE c.document = d.id)
             WHERE d.id = ?1"
        ),
    ] {
        transaction.prepare_cached(&statement)?.execute([document])?;
    }
    Ok(())
}

fn put_chunk(
    transaction: &Transaction<'_>,
    document: i64,
    chunk: &NewChunk,
) -> rusqlite::Result<i64> {
    let NewChunk {
        text,
        start_line,
        end_line,
        bytes,
        heading,
        agent,
        date,
        weight,
        external_id,
        tokens,
        embedding,
        windows,
    } = chunk;
    let id: i64 = transaction
        .prepare_cached(
            "INSERT INTO chunks (document, text, start_line, end_line, start_byte, end_byte, heading, agent, date, weight, external_id, tokens, embedding, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id",
        )?
        .query_row(
            params![document, text, start_line, end_line, bytes.start, bytes.end, heading, agent, date, weight, external_id, tokens, embedding.0, blake3::hash(text.as_bytes()).as_bytes()],
            |row| row.get(0),
        )?;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO windows (chunk, position, start_line, end_line, embedding) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, window) in windows.iter().enumerate() {
        statement.execute(params![
            id,
            position as i64,
            window.start_line,
            window.end_line,
            window.embedding.0
        ])?;
    }
    Ok(id)
}

pub(crate) fn note(
    transaction: &Transaction<'_>,
    problem: &StoredProblem,
) -> Result<(), StoreError> {
    let StoredProblem {
        folder,
        path,
        line,
        message,
        severity,
    } = problem;
    let severity = match severity {
        Severity::Error => "error",
        Severity::Note => "note",
        Severity::Unread => "unread",
    };
    transaction
        .prepare_cached("INSERT INTO problems VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut statement| {
            statement.execute(params![folder.0, path, line, message, severity])
        })
        .map(|_| ())
        .attempt("record a problem")
}
