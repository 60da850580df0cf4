//! Everything that a search needs of the library except the texts, read at one consistent moment.
//!
//! A document never changes under its id except for its time, so snapshots share the documents they have in common: a
//! reader with an earlier snapshot reads only what changed since. A [saved](crate::saved) snapshot is such an earlier
//! one.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memlens_corroborate::CopyPrint;
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use crate::checksum::{OF_CHUNK, OF_DOCUMENT, OF_WINDOW};
use crate::copy_print::{self, PRINT_OF_CHUNK};
use crate::damage::lossy;
use crate::error::Attempt;
use crate::{DocumentId, EmbeddingId, Folder, FolderId, Records, Span, Store, StoreError};

mod documents;

pub use documents::{DocumentBlock, Documents};

/// If a larger share of documents changed, all are read: one pass is faster than many look-ups.
const ALL_FROM_SHARE: usize = 4;

/// A document in a snapshot, with what it was cut into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentRow {
    /// Id of the document in the library.
    pub id: DocumentId,
    /// Its checksum, with that of all that belongs to it, as it was saved.
    pub checksum: i64,
    /// Watched folder that contains the file.
    pub folder: FolderId,
    /// Path of the file in that folder.
    pub path: String,
    /// The hash of its bytes.
    pub hash: [u8; 32],
    /// When it was last modified, milliseconds since 1970.
    pub modified_ms: i64,
    /// The encoding it was read with.
    pub encoding: String,
    /// Agent in the front matter, if any.
    pub agent: Option<String>,
    /// Date in the front matter as `YYYY-MM-DD`, if any.
    pub date: Option<String>,
    /// Tags from the front matter.
    pub tags: Vec<String>,
    /// What its chunks say in words, one behind the other: headings, who says it, when.
    pub texts: String,
    /// Its chunks, by start byte.
    #[serde(skip)]
    pub chunks: Records<ChunkRow>,
    /// Windows of all chunks, by chunk.
    #[serde(skip)]
    pub windows: Records<WindowRow>,
}

impl DocumentRow {
    /// An empty document that no store knows: without chunks, its hash, checksum and time zeros.
    pub fn new(id: DocumentId, folder: FolderId, path: &str) -> DocumentRow {
        DocumentRow {
            id,
            checksum: 0,
            folder,
            path: path.to_owned(),
            hash: [0; 32],
            modified_ms: 0,
            encoding: "UTF-8".to_owned(),
            agent: None,
            date: None,
            tags: Vec::new(),
            texts: String::new(),
            chunks: Records::default(),
            windows: Records::default(),
        }
    }

    /// Headings above a chunk of this document; empty for a chunk of another document, whose spans are not in `texts`.
    /// The same holds for the methods below.
    pub fn heading(&self, chunk: &ChunkRow) -> &str {
        self.text(chunk.heading).unwrap_or_default()
    }

    /// Agent of a chunk, if its line itself names one.
    pub fn agent_of(&self, chunk: &ChunkRow) -> Option<&str> {
        self.text(chunk.agent)
    }

    /// Date of a chunk's line as `YYYY-MM-DD`; `None` if the document's date applies.
    pub fn date_of(&self, chunk: &ChunkRow) -> Option<&str> {
        self.text(chunk.date)
    }

    /// The windows of one of its chunks.
    pub fn windows_of(&self, chunk: &ChunkRow) -> &[WindowRow] {
        self.windows.get(chunk.windows.range()).unwrap_or_default()
    }

    fn text(&self, at: Span) -> Option<&str> {
        self.texts.get(at.range()).filter(|text| !text.is_empty())
    }
}

/// A chunk in a snapshot; its spans of text refer to [`DocumentRow::texts`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ChunkRow {
    /// Id of the chunk in the library.
    pub id: i64,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Its bytes in the document.
    pub bytes: Span,
    /// Its windows: indices into [`DocumentRow::windows`].
    pub windows: Span,
    /// Span of the headings above it.
    pub heading: Span,
    /// Span of its agent; empty if its line names none.
    pub agent: Span,
    /// Span of its date; empty if its line has none.
    pub date: Span,
    /// Its length in tokens of the embedding model.
    pub tokens: u32,
    /// The parts of [`ChunkRow::copy_print`], as the others below.
    pub n_words: u32,
    /// [`CopyPrint::folded`] of the chunk's text.
    pub folded: u64,
    /// [`CopyPrint::simhash`] of the chunk's text.
    pub simhash: u64,
    /// [`CopyPrint::claims`] of the chunk's text.
    pub claims: u64,
    /// [`CopyPrint::sum`] of the chunk's text.
    pub sum: u64,
    /// [`CopyPrint::sum_of_squares`] of the chunk's text.
    pub sum_of_squares: u64,
}

impl ChunkRow {
    /// Fingerprint that identifies copies of its text.
    pub fn copy_print(&self) -> CopyPrint {
        CopyPrint {
            folded: self.folded,
            simhash: self.simhash,
            claims: self.claims,
            n_words: self.n_words,
            sum: self.sum,
            sum_of_squares: self.sum_of_squares,
        }
    }
}

/// A window in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct WindowRow {
    /// First line of the window, 1-based.
    pub start_line: u32,
    /// Last line of the window, 1-based.
    pub end_line: u32,
    /// The embedding of its text.
    pub embedding: EmbeddingId,
}

/// A document that is not as it was saved, in itself or in what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlteredDocument {
    /// Id of the document in the library.
    pub id: DocumentId,
    /// Its path, as far as it can be read.
    pub path: String,
}

/// The library at one moment, in the total order of chunks: folder path, path, start byte. A chunk's place is its 0-based
/// position in that order.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Generation of the library that it shows.
    pub generation: u64,
    /// Watched folders, sorted by path.
    pub folders: Vec<Folder>,
    /// The documents, by folder path and path.
    pub documents: Documents,
    /// Documents that are left out because they differ from what was saved, by path; texts are checked when they are
    /// read.
    pub altered: Vec<AlteredDocument>,
    /// How far the log of changes was read.
    log: Log,
}

/// A snapshot, and whether it was read from the beginning.
pub(crate) struct Followed {
    pub(crate) snapshot: Snapshot,
    pub(crate) is_fresh: bool,
}

/// A place in the log of changed documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    /// Id of the database that the log belongs to; `None` if unknown.
    pub(crate) database: Option<String>,
    /// The last entry that was read, 0 before the first.
    pub(crate) at: i64,
}

/// What an earlier snapshot knows.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) log: &'a Log,
    pub(crate) documents: &'a Documents,
    pub(crate) altered: &'a [AlteredDocument],
}

/// Snapshots are equal if they show the same, whatever was logged since.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        self.generation == other.generation
            && self.folders == other.folders
            && self.documents == other.documents
            && self.altered == other.altered
    }
}

impl Snapshot {
    /// Whether no row of it was lost with a file that another program shortened.
    pub fn is_whole(&self) -> bool {
        let mut documents = self.documents.iter();
        documents.all(|document| document.chunks.is_whole() && document.windows.is_whole())
    }

    /// A snapshot of these documents, in any order, that no store knows; those of other folders are left out.
    pub fn new(folders: Vec<Folder>, mut documents: Vec<Arc<DocumentRow>>) -> Snapshot {
        documents.retain(|document| folders.iter().any(|it| it.id == document.folder));
        let order = order_of(&folders);
        documents.sort_by(|a, b| order(a, b));
        Snapshot {
            generation: 0,
            folders,
            documents: Documents::new(documents),
            altered: Vec::new(),
            log: Log {
                database: None,
                at: 0,
            },
        }
    }

    /// Number of chunks of all documents.
    pub fn n_chunks(&self) -> u32 {
        self.documents.n_chunks()
    }

    /// The places of the chunks of some documents, by their indices.
    pub fn places(&self, documents: Range<usize>) -> Range<u32> {
        self.documents.first_place(documents.start)..self.documents.first_place(documents.end)
    }

    /// The document that holds the chunk at a place: an index into `documents`.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn document_at(&self, place: u32) -> usize {
        self.documents.document_at(place).0
    }

    /// The chunk at a place, with its document.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn chunk(&self, place: u32) -> (&Arc<DocumentRow>, &ChunkRow) {
        let (at, first) = self.documents.document_at(place);
        let document = &self.documents[at];
        (document, &document.chunks[(place - first) as usize])
    }

    /// All chunks with their documents, by place.
    pub fn chunks(&self) -> impl Iterator<Item = (&Arc<DocumentRow>, &ChunkRow)> + Clone {
        let documents = self.documents.iter();
        documents.flat_map(|document| document.chunks.iter().map(move |chunk| (document, chunk)))
    }

    /// Index of a document; `None` if no document has this path.
    pub fn find(&self, folder: FolderId, path: &str) -> Option<usize> {
        let at = self.first_from(folder, path);
        let found = self.documents.get(at)?;
        (found.folder == folder && found.path == path).then_some(at)
    }

    /// Index of the folder's first document at or after `path`, or else of the document after the folder.
    pub fn first_from(&self, folder: FolderId, path: &str) -> usize {
        let wanted = (self.folder_at(folder), path);
        let is_before = |it: &DocumentRow| (self.folder_at(it.folder), it.path.as_str()) < wanted;
        self.documents.partition_point(is_before)
    }

    /// The indices of a folder's documents.
    pub fn documents_of(&self, folder: FolderId) -> Range<usize> {
        let at = self.folder_at(folder);
        let is_not_after = |it: &DocumentRow| self.folder_at(it.folder) <= at;
        self.first_from(folder, "")..self.documents.partition_point(is_not_after)
    }

    /// Position of a folder among the folders; an unknown folder comes after all others.
    fn folder_at(&self, id: FolderId) -> usize {
        let mut folders = self.folders.iter();
        folders.position(|it| it.id == id).unwrap_or(usize::MAX)
    }

    /// What a reader of a later snapshot need not read again.
    pub(crate) fn known(&self) -> Known<'_> {
        Known {
            log: &self.log,
            documents: &self.documents,
            altered: &self.altered,
        }
    }

    /// A watched folder; `None` if the id is not watched.
    pub fn folder(&self, id: FolderId) -> Option<&Folder> {
        self.folders.iter().find(|folder| folder.id == id)
    }
}

impl Store {
    /// Reads the library at one moment, but for what is not as it was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`], and [`StoreError::Damaged`] where SQLite cannot read it.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.snapshot_after(None)
    }

    /// Reads the library at one moment; of documents that `before` holds only what changed since. What changes on the
    /// disk without being written is noticed where all is read.
    ///
    /// # Errors
    /// As [`Store::snapshot`].
    pub fn snapshot_after(&self, before: Option<&Snapshot>) -> Result<Snapshot, StoreError> {
        let followed = self.at_one_moment(|| self.read_snapshot(before.map(Snapshot::known)))?;
        Ok(followed.snapshot)
    }

    /// Reads at one moment, whatever the writer does meanwhile.
    pub(crate) fn at_one_moment<T>(
        &self,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // Unlike the connection's other transactions it only reads, and must not block a writer.
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
                .attempt("read the library")?;
        let read = read();
        transaction.finish().attempt("read the library")?;
        read
    }

    pub(crate) fn read_snapshot(&self, before: Option<Known<'_>>) -> Result<Followed, StoreError> {
        let generation = self.generation()?;
        let folders = self.folders()?;
        let log = self.log().attempt("read what changed")?;
        let known = before.filter(|before| before.log.database == log.database);
        let changed = match known {
            Some(known) => self
                .changed_after(known, &log)
                .attempt("read what changed")?,
            None => None,
        };
        let mut read = Read::default();
        match &changed {
            Some(changed) => self
                .read_some(changed, &mut read)
                .attempt("read what changed")?,
            None => {
                self.read_documents(&mut read)
                    .attempt("read the documents")?;
                self.read_chunks(&mut read).attempt("read the chunks")?;
                self.read_windows(&mut read).attempt("read the windows")?;
            }
        }
        let (mut new, mut altered) = (Vec::new(), Vec::new());
        read.fit(&folders, &mut new, &mut altered);
        let order = order_of(&folders);
        new.sort_by(|a, b| order(a, b));
        let documents = match known.zip(changed.as_ref()) {
            Some((known, changed)) => {
                let staying = known.altered.iter().filter(|it| !changed.contains(&it.id));
                altered.extend(staying.cloned());
                known.documents.with(changed, new, order)
            }
            None => Documents::new(new),
        };
        altered.sort_by(|a, b| (&a.path, a.id).cmp(&(&b.path, b.id)));
        Ok(Followed {
            snapshot: Snapshot {
                generation,
                folders,
                documents,
                altered,
                log,
            },
            is_fresh: changed.is_none(),
        })
    }

    /// The end of the log.
    pub(crate) fn log(&self) -> rusqlite::Result<Log> {
        Ok(Log {
            database: self
                .connection
                .prepare_cached("SELECT value FROM meta WHERE key = 'database'")?
                .query_row([], |row| row.get(0))
                .optional()?,
            at: self
                .connection
                .prepare_cached("SELECT coalesce(max(at), 0) FROM changed")?
                .query_row([], |row| row.get(0))?,
        })
    }

    /// Documents that were added, removed or touched since an earlier snapshot; `None` if the log does not reach back
    /// that far, or so many changed that reading all is faster.
    fn changed_after(
        &self,
        known: Known<'_>,
        log: &Log,
    ) -> rusqlite::Result<Option<HashSet<DocumentId>>> {
        let first: Option<i64> = self
            .connection
            .prepare_cached("SELECT min(at) FROM changed")?
            .query_row([], |row| row.get(0))?;
        let reaches_back = first.map_or(log.at == known.log.at, |first| first <= known.log.at + 1);
        if log.database.is_none() || log.at < known.log.at || !reaches_back {
            return Ok(None);
        }
        let mut changed = HashSet::new();
        let mut statement = self
            .connection
            .prepare_cached("SELECT document FROM changed WHERE at > ?1 AND at <= ?2")?;
        let mut rows = statement.query(params![known.log.at, log.at])?;
        while let Some(row) = rows.next()? {
            changed.insert(DocumentId(row.get(0)?));
        }
        let are_few = changed.len() * ALL_FROM_SHARE <= known.documents.len();
        Ok(are_few.then_some(changed))
    }

    /// Reads some documents with all that belongs to them; what is gone is passed over.
    fn read_some(&self, ids: &HashSet<DocumentId>, read: &mut Read) -> rusqlite::Result<()> {
        let mut documents = self
            .connection
            .prepare_cached(&format!("{} WHERE d.id = ?1", documents()))?;
        let mut chunks = self
            .connection
            .prepare_cached(&format!("{} WHERE c.document = ?1", chunks()))?;
        let mut windows = self.connection.prepare_cached(&format!(
            "{} WHERE w.chunk IN (SELECT id FROM chunks WHERE document = ?1) ORDER BY w.chunk, w.position",
            windows()
        ))?;
        for id in ids {
            let mut rows = documents.query([id.0])?;
            while let Some(row) = rows.next()? {
                read.add_document(row)?;
            }
            let mut rows = chunks.query([id.0])?;
            while let Some(row) = rows.next()? {
                read.add_chunk(row)?;
            }
            let mut rows = windows.query([id.0])?;
            while let Some(row) = rows.next()? {
                read.add_window(row)?;
            }
        }
        Ok(())
    }

    // When everything is read, none of these queries uses an index, which could report a row as it was before.

    fn read_documents(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{} NOT INDEXED", documents()))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            read.add_document(row)?;
        }
        Ok(())
    }

    fn read_chunks(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{} NOT INDEXED", chunks()))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            read.add_chunk(row)?;
        }
        Ok(())
    }

    fn read_windows(&self, read: &mut Read) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{} ORDER BY w.chunk, w.position", windows()))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            read.add_window(row)?;
        }
        Ok(())
    }
}

fn documents() -> String {
    format!(
        "SELECT d.id, d.folder, d.path, d.hash, d.modified_ms, d.encoding, d.agent, d.date, d.tags, d.checksum, {OF_DOCUMENT}
         FROM documents d"
    )
}

fn chunks() -> String {
    format!(
        "SELECT c.document, c.id, c.start_line, c.end_line, c.start_byte, c.end_byte, c.heading, c.agent, c.tokens, c.embedding, c.date, {OF_CHUNK}, {PRINT_OF_CHUNK}
         FROM chunks c"
    )
}

fn windows() -> String {
    format!("SELECT w.chunk, w.start_line, w.end_line, w.embedding, {OF_WINDOW} FROM windows w")
}

/// The order of documents: by position of their folder, then by path.
fn order_of(folders: &[Folder]) -> impl Fn(&DocumentRow, &DocumentRow) -> Ordering + use<> {
    let at: HashMap<FolderId, usize> = folders.iter().map(|it| it.id).zip(0..).collect();
    let key = move |it: &DocumentRow| at.get(&it.folder).copied();
    move |a, b| (key(a), &a.path).cmp(&(key(b), &b.path))
}

/// Rows as they were read, in no order.
#[derive(Default)]
struct Read {
    documents: Vec<Summed>,
    /// Places in `documents`, by id.
    document_of: HashMap<i64, usize>,
    /// Places in `documents` and in the chunks of that one, by id.
    chunk_of: HashMap<i64, (usize, usize)>,
}

/// A document with its checksum, and what belongs to it.
struct Summed {
    id: DocumentId,
    path: String,
    /// `None` if a value has another type than was written.
    row: Option<DocumentRow>,
    chunks: Vec<(ChunkRow, ChunkTexts)>,
    /// Each with the place of its chunk in `chunks`; those of a chunk in their order.
    windows: Vec<(usize, WindowRow)>,
    /// Checksum as it was saved.
    checksum: Option<i64>,
    /// Checksum of the present row.
    sum: i64,
}

impl Read {
    fn add_document(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let id = row.get(0)?;
        self.document_of.insert(id, self.documents.len());
        self.documents.push(Summed {
            id: DocumentId(id),
            path: lossy(row, 2)?,
            row: document_row(row).ok(),
            chunks: Vec::new(),
            windows: Vec::new(),
            checksum: row.get(9).ok(),
            sum: row.get(10)?,
        });
        Ok(())
    }

    fn add_chunk(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        // One that is of another kind than was written, or of no document, is missed in the sum of its own.
        let Ok((document, chunk, texts)) = chunk_row(row) else {
            return Ok(());
        };
        if let Some(&at) = self.document_of.get(&document.0) {
            let document = &mut self.documents[at];
            document.sum += row.get::<_, i64>(11)?;
            self.chunk_of.insert(chunk.id, (at, document.chunks.len()));
            document.chunks.push((chunk, texts));
        }
        Ok(())
    }

    fn add_window(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let Ok((chunk, window)) = window_row(row) else {
            return Ok(());
        };
        if let Some(&(document, chunk)) = self.chunk_of.get(&chunk) {
            let document = &mut self.documents[document];
            document.sum += row.get::<_, i64>(4)?;
            document.windows.push((chunk, window));
        }
        Ok(())
    }

    /// Adds what is as it was saved to `fitting`, and what is not to `altered`.
    fn fit(
        self,
        folders: &[Folder],
        fitting: &mut Vec<Arc<DocumentRow>>,
        altered: &mut Vec<AlteredDocument>,
    ) {
        let is_watched: HashSet<FolderId> = folders.iter().map(|folder| folder.id).collect();
        for document in self.documents {
            let (id, path) = (document.id, document.path.clone());
            let is_sound = document.checksum == Some(document.sum);
            match document
                .whole()
                .filter(|row| is_sound && is_watched.contains(&row.folder))
            {
                Some(row) => fitting.push(Arc::new(row)),
                None => altered.push(AlteredDocument { id, path }),
            }
        }
    }
}

impl Summed {
    /// The document with its chunks and windows in their order.
    fn whole(self) -> Option<DocumentRow> {
        let mut chunks: Vec<(usize, (ChunkRow, ChunkTexts))> =
            self.chunks.into_iter().enumerate().collect();
        chunks.sort_by_key(|(_, (chunk, _))| (chunk.bytes.start, chunk.bytes.end, chunk.id));
        let mut place_of = vec![0; chunks.len()];
        for (place, (at, _)) in chunks.iter().enumerate() {
            place_of[*at] = place;
        }
        let mut texts = String::new();
        let [mut heading, mut agent, mut date] = [Span::default(); 3];
        let chunks = chunks.into_iter().map(|(_, (chunk, own))| {
            add(&mut texts, &mut heading, &own.heading);
            add(&mut texts, &mut agent, own.agent.as_deref().unwrap_or(""));
            add(&mut texts, &mut date, own.date.as_deref().unwrap_or(""));
            ChunkRow {
                heading,
                agent,
                date,
                ..chunk
            }
        });
        let mut chunks: Vec<ChunkRow> = chunks.collect();
        let mut windows: Vec<(usize, WindowRow)> = self
            .windows
            .into_iter()
            .map(|(at, window)| (place_of[at], window))
            .collect();
        // Stable: those of a chunk stay in their order.
        windows.sort_by_key(|(chunk, _)| *chunk);
        for ((chunk, _), at) in windows.iter().zip(0..) {
            extend(&mut chunks[*chunk].windows, at);
        }
        let windows: Vec<WindowRow> = windows.into_iter().map(|(_, window)| window).collect();
        Some(DocumentRow {
            texts,
            chunks: chunks.into(),
            windows: windows.into(),
            ..self.row?
        })
    }
}

/// Appends the text of a chunk and returns its span. `at` is the span of the previous chunk's text, which is mostly the
/// same text.
fn add(texts: &mut String, at: &mut Span, text: &str) {
    if texts[at.range()] != *text {
        let start = texts.len() as u32;
        texts.push_str(text);
        *at = (start..texts.len() as u32).into();
    }
}

/// Takes the next place into a span of them.
fn extend(span: &mut Span, at: u32) {
    if span.range().is_empty() {
        span.start = at;
    }
    span.end = at + 1;
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
        checksum: row.get(9)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        texts: String::new(),
        chunks: Records::default(),
        windows: Records::default(),
    })
}

/// What a chunk says in words.
struct ChunkTexts {
    heading: String,
    agent: Option<String>,
    date: Option<String>,
}

/// A chunk with its document and texts; the spans of the texts and its windows are filled in later.
fn chunk_row(row: &Row<'_>) -> rusqlite::Result<(DocumentId, ChunkRow, ChunkTexts)> {
    let CopyPrint {
        folded,
        simhash,
        claims,
        n_words,
        sum,
        sum_of_squares,
    } = copy_print::read(row.get(12)?);
    let chunk = ChunkRow {
        id: row.get(1)?,
        start_line: row.get(2)?,
        end_line: row.get(3)?,
        bytes: (row.get(4)?..row.get(5)?).into(),
        tokens: row.get(8)?,
        embedding: EmbeddingId(row.get(9)?),
        folded,
        simhash,
        claims,
        n_words,
        sum,
        sum_of_squares,
        ..ChunkRow::default()
    };
    let texts = ChunkTexts {
        heading: row.get(6)?,
        agent: row.get(7)?,
        date: row.get(10)?,
    };
    Ok((DocumentId(row.get(0)?), chunk, texts))
}

/// A window with the id of the chunk that it belongs to.
fn window_row(row: &Row<'_>) -> rusqlite::Result<(i64, WindowRow)> {
    let window = WindowRow {
        start_line: row.get(1)?,
        end_line: row.get(2)?,
        embedding: EmbeddingId(row.get(3)?),
    };
    Ok((row.get(0)?, window))
}
