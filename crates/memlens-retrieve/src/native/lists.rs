//! The searched state of the library: one snapshot of the store and both lists, all of one generation.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use memlens_index::{
    IndexError, TextIndex, VectorFile, n_faults, part_len, side_by_side, text_path, vector_path,
};
use memlens_store::{DocumentBlock, EmbeddingId, FolderId, Snapshot, Store};

use super::chunk_places::ChunkPlaces;
use super::rows::{BlockRows, Rows};
use crate::RetrieveError;

/// How long a reader waits for a writer to bring the lists up to date.
const SETTLE: Duration = Duration::from_secs(20);
/// Pause between two attempts to open the lists.
const SETTLE_STEP: Duration = Duration::from_millis(25);

/// The data that a search reads, of one generation; never changes.
pub struct Lists {
    /// The library without its texts, in the total order of chunks.
    pub snapshot: Snapshot,
    /// The BM25 list of this generation.
    pub text: TextIndex,
    /// The vector list of this generation.
    pub vectors: VectorFile,
    /// The rows of the vector list, by place.
    pub rows: Rows,
    places: ChunkPlaces,
    /// The place of each entry of the BM25 list, computed when a part is searched for the first time.
    entry_places: OnceLock<Vec<Option<u32>>>,
}

/// Number of searchable documents and chunks in a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderCounts {
    /// Number of documents in the folder.
    pub n_files: u32,
    /// Number of chunks in the folder.
    pub n_chunks: u32,
}

impl Lists {
    /// Opens the library at its current generation. Waits while a writer has changed the store but not yet the lists.
    /// What was verified for `before`, an earlier state of the library, is not read again.
    ///
    /// `writer` returns the name of the program that is writing, or `None`.
    ///
    /// # Errors
    /// The list's own error if a list is out of date and no program is writing; the caller may rebuild it if the error
    /// [says so](IndexError::needs_rebuild). [`RetrieveError::Building`] if the writer does not finish in time.
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
                    // The writer may have finished after the lists were opened.
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
        // In parallel: each reads different files.
        let dir = store.dir();
        let (lists, snapshot) = thread::scope(|scope| {
            let lists = scope.spawn(|| open_lists(dir, before));
            let snapshot = read_snapshot(store, before);
            let lists = lists.join();
            (lists.unwrap_or_else(|panic| resume_unwind(panic)), snapshot)
        });
        let (text, vectors) = lists?;
        let (snapshot, same, places) = snapshot?;
        // Fails if a writer changed something in between.
        text.check(snapshot.generation)?;
        let made_by = store.embedding_model()?;
        let (model, dim) = made_by.unwrap_or((vectors.model().to_owned(), vectors.dim()));
        vectors.check(&model, dim, snapshot.generation)?;

        // Appended rows do not move the earlier ones.
        let before = before.filter(|before| vectors.continues(&before.vectors));
        let known = |at: usize| Some(&before?.rows.blocks()[same.get(at).copied()??]);
        let blocks = snapshot.documents.blocks().iter().enumerate();
        let blocks = blocks.map(|(at, block)| (block, known(at)));
        let rows = rows_of(blocks.collect(), &vectors).map_err(|embedding| IndexError::Torn {
            path: vector_path(dir),
            why: format!("embedding {} has no row", embedding.0),
        })?;
        Ok(Lists {
            snapshot,
            text,
            vectors,
            rows,
            places,
            entry_places: OnceLock::new(),
        })
    }

    /// Returns the size of a folder; zero if it is not watched.
    pub fn counts_of(&self, folder: FolderId) -> FolderCounts {
        let documents = self.snapshot.documents_of(folder);
        FolderCounts {
            n_files: documents.len() as u32,
            n_chunks: self.snapshot.places(documents).len() as u32,
        }
    }

    /// Returns the place of each entry of the BM25 list; `None` if its chunk is not in the snapshot.
    pub fn entry_places(&self) -> &[Option<u32>] {
        self.entry_places.get_or_init(|| {
            let chunks = self.text.chunks();
            chunks.map(|chunk| self.place_of(chunk as i64)).collect()
        })
    }

    /// Returns the place of a chunk, or `None` if it is not in the snapshot.
    pub fn place_of(&self, chunk: i64) -> Option<u32> {
        self.places.get(chunk)
    }
}

/// Opens both lists of the library in `dir`. What was verified for `before` is not read again.
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

/// Returns the library without its texts, for each block of its documents the index of the same block in `before`, and
/// the places of the chunks.
fn read_snapshot(
    store: &Store,
    before: Option<&Lists>,
) -> Result<(Snapshot, Vec<Option<usize>>, ChunkPlaces), RetrieveError> {
    // Rows of a file that was shortened are read again.
    let before = before.filter(|before| n_faults() == 0 || before.snapshot.is_whole());
    let Some(before) = before else {
        let snapshot = store.resumed_snapshot()?;
        let places = ChunkPlaces::new(&snapshot.documents);
        return Ok((snapshot, Vec::new(), places));
    };
    let snapshot = store.snapshot_after(Some(&before.snapshot))?;
    let same = snapshot.documents.shared_with(&before.snapshot.documents);
    let places = before.places.following(&snapshot.documents, &same);
    Ok((snapshot, same, places))
}

/// Returns the rows of all blocks. Blocks that are known already share theirs.
///
/// # Errors
/// The embedding that has no row.
fn rows_of(
    blocks: Vec<(&Arc<DocumentBlock>, Option<&Arc<BlockRows>>)>,
    vectors: &VectorFile,
) -> Result<Rows, EmbeddingId> {
    let new = blocks.iter().filter(|(_, known)| known.is_none());
    let n_chunks = new.map(|(block, _)| block.n_chunks() as usize).sum();
    let n_parts = usize::div_ceil(n_chunks, part_len(n_chunks)).max(1);
    let parts = blocks.chunks(blocks.len().div_ceil(n_parts).max(1));
    let rows = side_by_side(parts, |part| {
        let rows = part.iter().map(|(block, known)| match known {
            Some(known) => Ok(Arc::clone(known)),
            None => rows_of_block(block, vectors).map(Arc::new),
        });
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows: Result<Vec<_>, _> = rows.into_iter().collect();
    Ok(Rows::of(rows?.concat()))
}

/// # Errors
/// The embedding that has no row.
fn rows_of_block(block: &DocumentBlock, vectors: &VectorFile) -> Result<BlockRows, EmbeddingId> {
    let n_windows = block.documents().iter().map(|it| it.windows.len()).sum();
    let mut rows = BlockRows::for_chunks(block.n_chunks() as usize, n_windows);
    let row = |embedding: EmbeddingId| vectors.row_of(embedding.0).ok_or(embedding);
    let mut of_windows = Vec::new();
    for document in block.documents() {
        for chunk in document.chunks.iter() {
            of_windows.clear();
            for window in document.windows_of(chunk) {
                of_windows.push(row(window.embedding)?);
            }
            rows.push(row(chunk.embedding)?, &of_windows);
        }
    }
    Ok(rows)
}
