//! The library as it is searched: one snapshot of the store and both lists, all of one generation.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use memlens_index::{IndexError, TextIndex, VectorFile, text_path, vector_path};
use memlens_store::{FolderId, Snapshot, Store};

use super::dates::dates;
use crate::{Dated, RetrieveError};

/// How long a reader waits for a writer to bring the lists into step.
const SETTLE: Duration = Duration::from_secs(20);
/// How long it sleeps between two looks.
const SETTLE_STEP: Duration = Duration::from_millis(25);

/// Everything that a search reads of one generation; never changes.
pub struct Lists {
    /// The library without its texts, in the total order of chunks.
    pub snapshot: Snapshot,
    /// The BM25 list.
    pub text: TextIndex,
    /// The vector list.
    pub vectors: VectorFile,
    /// The row of each chunk's own vector.
    pub chunk_rows: Vec<u32>,
    /// The row of each window's vector.
    pub window_rows: Vec<u32>,
    /// When each document was said.
    pub dates: Vec<Dated>,
    by_id: Vec<(i64, u32)>,
    counts: HashMap<FolderId, FolderCounts>,
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
        // The lists first: the snapshot takes longest, and once it has begun no writer disturbs it.
        let (text, vectors) = (text_path(store.dir()), vector_path(store.dir()));
        let (text, vectors) = match before {
            Some(before) => (
                TextIndex::open_after(&text, &before.text)?,
                VectorFile::open_after(&vectors, &before.vectors)?,
            ),
            None => (TextIndex::open(&text)?, VectorFile::open(&vectors)?),
        };
        text.check(store.generation()?)?;
        let snapshot = store.snapshot()?;
        text.check(snapshot.generation)?;
        let made_by = store.embedding_model()?;
        let (model, dim) = made_by.unwrap_or((vectors.model().to_owned(), vectors.dim()));
        vectors.check(&model, dim, snapshot.generation)?;

        let row = |embedding: i64| {
            vectors.row_of(embedding).ok_or_else(|| IndexError::Torn {
                path: vector_path(store.dir()),
                why: format!("embedding {embedding} has no row"),
            })
        };
        let chunk_rows: Vec<u32> = snapshot
            .chunks
            .iter()
            .map(|chunk| row(chunk.embedding.0))
            .collect::<Result<_, _>>()?;
        let window_rows = snapshot
            .windows
            .iter()
            .map(|window| row(window.embedding.0))
            .collect::<Result<_, _>>()?;
        let mut by_id: Vec<(i64, u32)> = snapshot
            .chunks
            .iter()
            .zip(0..)
            .map(|(chunk, at)| (chunk.id, at))
            .collect();
        by_id.sort_unstable();
        let mut counts: HashMap<FolderId, FolderCounts> = HashMap::new();
        for document in &snapshot.documents {
            let counts = counts.entry(document.folder).or_default();
            counts.n_files += 1;
            counts.n_chunks += document.chunks.end - document.chunks.start;
        }
        // Its check read the whole file; nobody searches yet.
        vectors.rest();
        Ok(Lists {
            dates: dates(&snapshot),
            snapshot,
            text,
            vectors,
            chunk_rows,
            window_rows,
            by_id,
            counts,
        })
    }

    /// How much a folder holds; nothing of one that is not watched.
    pub fn counts_of(&self, folder: FolderId) -> FolderCounts {
        self.counts.get(&folder).copied().unwrap_or_default()
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
