//! The library as it is searched: one snapshot of the store and both lists, all of one generation.

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use memlens_index::{IndexError, TextIndex, VectorFile, text_path, vector_path};
use memlens_store::{DocumentId, DocumentRow, EmbeddingId, FolderId, Followed, Snapshot, Store};

use super::dates::dated;
use super::rows::Rows;
use crate::{Dated, RetrieveError};

/// How long a reader waits for a writer to bring the lists into step.
const SETTLE: Duration = Duration::from_secs(20);
/// How long it sleeps between two looks.
const SETTLE_STEP: Duration = Duration::from_millis(25);

/// Everything that a search reads of one generation; never changes.
///
/// What a document gives is in a piece of its own, shared by the lists of all generations that hold it.
pub struct Lists {
    /// The library without its texts, in the total order of chunks.
    pub snapshot: Snapshot,
    /// The BM25 list.
    pub text: TextIndex,
    /// The vector list.
    pub vectors: VectorFile,
    /// Its rows, by place.
    pub rows: Rows,
    /// By document.
    pieces: Vec<Arc<Piece>>,
    /// Every chunk with its place, by id.
    by_id: Vec<(i64, u32)>,
    /// The place of each entry of the BM25 list, once a search of a part asks for them.
    entry_places: OnceLock<Vec<Option<u32>>>,
    counts: HashMap<FolderId, FolderCounts>,
}

/// What the lists know of one document.
struct Piece {
    /// The rows of its chunks.
    chunk_rows: Vec<u32>,
    /// The rows of its windows.
    window_rows: Vec<u32>,
    /// When it was said.
    said: Dated,
}

/// How much a folder holds that can be found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderCounts {
    /// Its documents.
    pub n_files: u32,
    /// Their chunks.
    pub n_chunks: u32,
}

impl Lists {
    /// Opens the library at its present generation. While a writer is between the store and the
    /// lists this waits for it. What was checked for `before`, an earlier state of it, is not read again.
    ///
    /// # Errors
    /// The list's own error when a list is out of step and nobody writes: the caller may rebuild
    /// when it [needs](IndexError::needs_rebuild) that. [`RetrieveError::Building`] when the writer
    /// does not come to rest.
    pub fn open(
        store: &Store,
        before: Option<&Lists>,
        writer: impl Fn() -> Option<String>,
    ) -> Result<Lists, RetrieveError> {
        let started = Instant::now();
        loop {
            let error = match Lists::open_once(store, before) {
                Err(RetrieveError::Index(error)) if error.needs_rebuild() => error,
                other => return other,
            };
            match writer() {
                None => {
                    // It may have finished between the two looks.
                    return Lists::open_once(store, before)
                        .map_err(|_| RetrieveError::Index(error));
                }
                Some(writer) if started.elapsed() > SETTLE => {
                    return Err(RetrieveError::Building {
                        dir: store.dir().to_owned(),
                        writer,
                    });
                }
                Some(_) => std::thread::sleep(SETTLE_STEP),
            }
        }
    }

    fn open_once(store: &Store, before: Option<&Lists>) -> Result<Lists, RetrieveError> {
        // Beside each other: each reads what the other does not.
        let dir = store.dir();
        let (lists, followed) = thread::scope(|scope| {
            let lists = scope.spawn(|| open_lists(dir, before));
            let followed = match before {
                Some(before) => store.snapshot_after(Some(&before.snapshot)),
                None => store.resumed_snapshot().map(|snapshot| Followed {
                    snapshot,
                    changed: None,
                }),
            };
            let lists = lists.join();
            (lists.unwrap_or_else(|panic| resume_unwind(panic)), followed)
        });
        let (text, vectors) = lists?;
        let Followed { snapshot, changed } = followed?;
        // What a writer changed in between shows here.
        text.check(snapshot.generation)?;
        let made_by = store.embedding_model()?;
        let (model, dim) = made_by.unwrap_or((vectors.model().to_owned(), vectors.dim()));
        vectors.check(&model, dim, snapshot.generation)?;

        // Rows that were appended leave those before where they were.
        let known = before.filter(|before| vectors.continues(&before.vectors));
        let pieces = match known.zip(changed) {
            Some((before, changed)) => before.pieces_with(&snapshot, &vectors, &changed),
            None => snapshot
                .documents
                .iter()
                .map(|document| Piece::of(document, &vectors))
                .collect(),
        };
        let pieces = pieces.map_err(|embedding| IndexError::Torn {
            path: vector_path(store.dir()),
            why: format!("embedding {} has no row", embedding.0),
        })?;
        Ok(Lists::of(snapshot, text, vectors, pieces))
    }

    /// Puts the pieces together: whole numbers alone, some milliseconds for a million chunks.
    fn of(
        snapshot: Snapshot,
        text: TextIndex,
        vectors: VectorFile,
        pieces: Vec<Arc<Piece>>,
    ) -> Lists {
        let n_chunks = snapshot.n_chunks() as usize;
        let mut lists = Lists {
            text,
            vectors,
            rows: Rows::for_chunks(n_chunks),
            by_id: Vec::with_capacity(n_chunks),
            entry_places: OnceLock::new(),
            counts: HashMap::new(),
            snapshot,
            pieces,
        };
        for (document, piece) in lists.snapshot.documents.iter().zip(&lists.pieces) {
            for (chunk, row) in document.chunks.iter().zip(&piece.chunk_rows) {
                lists.by_id.push((chunk.id, lists.by_id.len() as u32));
                let windows = chunk.windows.start as usize..chunk.windows.end as usize;
                lists.rows.push(*row, &piece.window_rows[windows]);
            }
            let counts = lists.counts.entry(document.folder).or_default();
            counts.n_files += 1;
            counts.n_chunks += document.chunks.len() as u32;
        }
        // Ids ascend within a document and mostly beyond it, which this sort makes use of.
        lists.by_id.sort();
        lists
    }

    /// The pieces of a later snapshot: those of before where nothing changed.
    ///
    /// # Errors
    /// The embedding that has no row.
    fn pieces_with(
        &self,
        snapshot: &Snapshot,
        vectors: &VectorFile,
        changed: &HashSet<DocumentId>,
    ) -> Result<Vec<Arc<Piece>>, EmbeddingId> {
        let known = self.snapshot.documents.iter().zip(&self.pieces);
        // Both stand in the same order.
        let mut known = known
            .filter(|(document, _)| !changed.contains(&document.id))
            .peekable();
        snapshot
            .documents
            .iter()
            .map(|document| match known.peek() {
                Some((same, piece)) if Arc::ptr_eq(same, document) => {
                    let piece = (*piece).clone();
                    known.next();
                    Ok(piece)
                }
                Some(_) | None => Piece::of(document, vectors),
            })
            .collect()
    }

    /// When a document was said, by its index in the snapshot.
    pub fn dated(&self, document: usize) -> Dated {
        self.pieces[document].said
    }

    /// How much a folder holds; nothing of one that is not watched.
    pub fn counts_of(&self, folder: FolderId) -> FolderCounts {
        self.counts.get(&folder).copied().unwrap_or_default()
    }

    /// The place of each entry of the BM25 list; none where its chunk is not in the snapshot.
    pub fn entry_places(&self) -> &[Option<u32>] {
        self.entry_places.get_or_init(|| {
            let chunks = self.text.chunks().iter();
            chunks.map(|chunk| self.place_of(*chunk as i64)).collect()
        })
    }

    /// The place of a chunk in the snapshot; none when it is not in it.
    pub fn place_of(&self, chunk: i64) -> Option<u32> {
        let at = self
            .by_id
            .binary_search_by_key(&chunk, |(id, _)| *id)
            .ok()?;
        Some(self.by_id[at].1)
    }
}

/// Opens both lists of the library in `dir`; what was checked for `before` is not read again.
fn open_lists(dir: &Path, before: Option<&Lists>) -> Result<(TextIndex, VectorFile), IndexError> {
    let (text, vectors) = (text_path(dir), vector_path(dir));
    Ok(match before {
        Some(before) => (
            TextIndex::open_after(&text, &before.text)?,
            VectorFile::open_after(&vectors, &before.vectors)?,
        ),
        None => (TextIndex::open(&text)?, VectorFile::open(&vectors)?),
    })
}

impl Piece {
    fn of(document: &DocumentRow, vectors: &VectorFile) -> Result<Arc<Piece>, EmbeddingId> {
        let row = |embedding: EmbeddingId| vectors.row_of(embedding.0).ok_or(embedding);
        let chunks = document.chunks.iter();
        let windows = document.windows.iter();
        Ok(Arc::new(Piece {
            chunk_rows: chunks
                .map(|chunk| row(chunk.embedding))
                .collect::<Result<_, _>>()?,
            window_rows: windows
                .map(|window| row(window.embedding))
                .collect::<Result<_, _>>()?,
            said: dated(document),
        }))
    }
}
