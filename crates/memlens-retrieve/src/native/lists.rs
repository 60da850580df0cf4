//! The library as it is searched: one snapshot of the store and both lists, all of one generation.

use std::collections::{HashMap, HashSet};
use std::iter;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use memlens_index::{
    IdTable, IndexError, TextIndex, VectorFile, part_len, side_by_side, text_path, vector_path,
};
use memlens_store::{
    ChunkRow, DocumentId, DocumentRow, EmbeddingId, FolderId, Followed, Snapshot, Store,
};

use super::dates::dated;
use super::rows::Rows;
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
    /// Its rows, by place.
    pub rows: Rows,
    /// When each document was said, by its index in the snapshot.
    said: Vec<Dated>,
    /// The place of each chunk.
    places: IdTable,
    /// The place of each entry of the BM25 list, once a search of a part asks for them.
    entry_places: OnceLock<Vec<Option<u32>>>,
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
            let followed = followed.map(|followed| {
                let places = IdTable::of_runs(runs_of_chunks(&followed.snapshot));
                (places, followed)
            });
            let lists = lists.join();
            (lists.unwrap_or_else(|panic| resume_unwind(panic)), followed)
        });
        let (text, vectors) = lists?;
        let (places, Followed { snapshot, changed }) = followed?;
        // What a writer changed in between shows here.
        text.check(snapshot.generation)?;
        let made_by = store.embedding_model()?;
        let (model, dim) = made_by.unwrap_or((vectors.model().to_owned(), vectors.dim()));
        vectors.check(&model, dim, snapshot.generation)?;

        // Rows that were appended leave those before where they were.
        let known = before.filter(|before| vectors.continues(&before.vectors));
        Lists::of(snapshot, places, text, vectors, known.zip(changed)).map_err(|embedding| {
            let why = format!("embedding {} has no row", embedding.0);
            let path = vector_path(store.dir());
            IndexError::Torn { path, why }.into()
        })
    }

    /// Puts them together: of documents that did not change since `before`, by what that knows of them.
    ///
    /// # Errors
    /// The embedding that has no row.
    fn of(
        snapshot: Snapshot,
        places: IdTable,
        text: TextIndex,
        vectors: VectorFile,
        before: Option<(&Lists, HashSet<DocumentId>)>,
    ) -> Result<Lists, EmbeddingId> {
        let documents = &snapshot.documents;
        let (rows, said) = match before {
            // Both stand in the same order.
            Some((before, changed)) => {
                let known = before.snapshot.documents.iter().enumerate();
                let known = known.filter(|(_, document)| !changed.contains(&document.id));
                of_part(documents, &vectors, known.map(|(at, it)| (before, at, it)))?
            }
            None => {
                let parts = documents.chunks(part_len(documents.len()));
                let parts = side_by_side(parts, |part| of_part(part, &vectors, iter::empty()));
                let mut parts = parts.into_iter();
                let (mut rows, mut said) =
                    parts.next().unwrap_or_else(|| Ok(Default::default()))?;
                for part in parts {
                    let (more, more_said) = part?;
                    rows.copy(&more, 0..more.n_chunks());
                    said.extend(more_said);
                }
                (rows, said)
            }
        };
        let mut counts = HashMap::new();
        let mut first = 0;
        // Documents stand by folder.
        while let Some(FolderId(folder)) = documents.get(first).map(|document| document.folder) {
            let n_files = documents[first..].partition_point(|it| it.folder.0 == folder);
            let places = snapshot.places(first).start..snapshot.places(first + n_files - 1).end;
            let of_folder = FolderCounts {
                n_files: n_files as u32,
                n_chunks: places.len() as u32,
            };
            counts.insert(FolderId(folder), of_folder);
            first += n_files;
        }
        Ok(Lists {
            text,
            vectors,
            rows,
            said,
            places,
            entry_places: OnceLock::new(),
            counts,
            snapshot,
        })
    }

    /// When a document was said, by its index in the snapshot.
    pub fn dated(&self, document: usize) -> Dated {
        self.said[document]
    }

    /// How much a folder holds; nothing of one that is not watched.
    pub fn counts_of(&self, folder: FolderId) -> FolderCounts {
        self.counts.get(&folder).copied().unwrap_or_default()
    }

    /// The place of each entry of the BM25 list; none where its chunk is not in the snapshot.
    pub fn entry_places(&self) -> &[Option<u32>] {
        self.entry_places.get_or_init(|| {
            let chunks = self.text.chunks();
            chunks.map(|chunk| self.place_of(chunk as i64)).collect()
        })
    }

    /// The place of a chunk in the snapshot; none when it is not in it.
    pub fn place_of(&self, chunk: i64) -> Option<u32> {
        self.places.get(chunk)
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

/// The rows of some documents that follow each other, and when each was said: of those that are `known`, by an earlier state
/// and the place there, from that.
///
/// # Errors
/// The embedding that has no row.
fn of_part<'a>(
    documents: &[Arc<DocumentRow>],
    vectors: &VectorFile,
    mut known: impl Iterator<Item = (&'a Lists, usize, &'a Arc<DocumentRow>)>,
) -> Result<(Rows, Vec<Dated>), EmbeddingId> {
    let n_chunks = documents.iter().map(|document| document.chunks.len()).sum();
    let n_windows = documents
        .iter()
        .map(|document| document.windows.len())
        .sum();
    let mut rows = Rows::for_chunks(n_chunks, n_windows);
    let mut said = Vec::with_capacity(documents.len());
    let mut next = known.next();
    // Documents that followed each other are copied at once.
    let mut same: Option<(&Lists, Range<usize>)> = None;
    let copy = |same: Option<(&Lists, Range<usize>)>, rows: &mut Rows, said: &mut Vec<Dated>| {
        if let Some((before, documents)) = same {
            let snapshot = &before.snapshot;
            let first = snapshot.places(documents.start).start;
            rows.copy(&before.rows, first..snapshot.places(documents.end - 1).end);
            said.extend_from_slice(&before.said[documents]);
        }
    };
    for document in documents {
        let Some((before, at, _)) = next.filter(|(_, _, known)| Arc::ptr_eq(known, document))
        else {
            copy(same.take(), &mut rows, &mut said);
            push_rows(document, vectors, &mut rows)?;
            said.push(dated(document));
            continue;
        };
        next = known.next();
        match &mut same {
            Some((_, documents)) if documents.end == at => documents.end += 1,
            other => copy(other.replace((before, at..at + 1)), &mut rows, &mut said),
        }
    }
    copy(same, &mut rows, &mut said);
    Ok((rows, said))
}

/// The chunks of a snapshot as runs of ids with their places: those of a document were given one after the other.
fn runs_of_chunks(snapshot: &Snapshot) -> impl Iterator<Item = (i64, u32, u32)> + Clone {
    let documents = snapshot.documents.iter().enumerate();
    documents.flat_map(|(at, document)| {
        let chunks: &[ChunkRow] = &document.chunks;
        let is_run = chunks
            .first()
            .zip(chunks.last())
            .is_some_and(|(first, last)| {
                last.id.checked_sub(first.id) == Some(chunks.len() as i64 - 1)
            });
        let len = if is_run { chunks.len() } else { 1 };
        let places = (snapshot.places(at).start..).step_by(len);
        let runs = chunks.chunks(len).zip(places);
        runs.map(|(run, place)| (run[0].id, place, run.len() as u32))
    })
}

/// Adds the rows of a document's chunks.
///
/// # Errors
/// The embedding that has no row.
fn push_rows(
    document: &DocumentRow,
    vectors: &VectorFile,
    rows: &mut Rows,
) -> Result<(), EmbeddingId> {
    let row = |embedding: EmbeddingId| vectors.row_of(embedding.0).ok_or(embedding);
    let mut of_windows = Vec::new();
    for chunk in &document.chunks {
        of_windows.clear();
        for window in document.windows_of(chunk) {
            of_windows.push(row(window.embedding)?);
        }
        rows.push(row(chunk.embedding)?, &of_windows);
    }
    Ok(())
}
