//! The notes most like a note, by the vectors of chunks that the library stores. Nothing is embedded.
//!
//! Two notes are as like as the two of their chunks that are most alike. Of each chunk of the note, the most similar chunks of other
//! notes are taken from the vector list, as many as name enough notes; so no other note can be more like it than those found.

use std::collections::HashMap;
use std::ops::Range;

use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, Library};
use memlens_params::VectorUnit;
use memlens_retrieve::{Lists, RetrieveError, VectorScores};
use memlens_store::{ChunkRow, DocumentRow, FolderId};
use memlens_wire::{AlikeNote, AlikeNotes, ChunkLines};

/// Number of notes that are returned.
const NOTES: usize = 10;
/// Number of chunks that are taken of other notes at first.
const CHUNKS_AT_FIRST: usize = 32;
/// Maximum number of chunks of the note that are compared, at equal distances: each takes a pass over all vectors.
const CHUNKS_COMPARED: usize = 64;

/// Two chunks that are alike.
#[derive(Clone, Copy)]
struct Pair {
    cosine: f64,
    /// Place of the note's own chunk.
    own: u32,
    /// Place of the other note's chunk.
    other: u32,
}

/// The notes most like a note, the most similar first.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged.
pub fn notes_like(
    library: &Library,
    folder: FolderId,
    path: &str,
) -> Result<AlikeNotes, EngineError> {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let mut found = AlikeNotes {
        notes: Vec::new(),
        n_chunks: 0,
        n_compared: 0,
    };
    let Some(at) = snapshot.find(folder, path) else {
        return Ok(found);
    };
    let own = snapshot.places(at..at + 1);
    let compared = compared(own.clone());
    found.n_chunks = own.len() as u32;
    found.n_compared = compared.len() as u32;
    let n_all = snapshot.n_chunks();
    let scope = [0..own.start, own.end..n_all];
    let mut best: HashMap<usize, Pair> = HashMap::new();
    for place in compared {
        for pair in alike(&lists, place, &scope)? {
            let note = snapshot.document_at(pair.other);
            let known = best.entry(note).or_insert(pair);
            if is_more_alike(&pair, known) {
                *known = pair;
            }
        }
    }
    let mut best: Vec<Pair> = best.into_values().collect();
    best.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.other.cmp(&b.other)));
    best.truncate(NOTES);
    let screen = NoteNames::of(&snapshot.folders);
    found.notes = best
        .iter()
        .map(|pair| note_of(&lists, &screen, pair))
        .collect();
    library.note_vectors_read();
    Ok(found)
}

/// At most [`CHUNKS_COMPARED`] places of a range, at equal distances.
fn compared(own: Range<u32>) -> Vec<u32> {
    let n = own.len().min(CHUNKS_COMPARED);
    (0..n)
        .map(|at| own.start + (at * own.len() / n) as u32)
        .collect()
}

/// The chunks of other notes that are most like one, until they are of enough notes.
fn alike(lists: &Lists, own: u32, scope: &[Range<u32>]) -> Result<Vec<Pair>, EngineError> {
    let question = lists.vectors.vector(lists.rows.whole(own));
    let scores = VectorScores::new(
        &lists.vectors,
        &lists.rows,
        VectorUnit::Chunk,
        scope,
        question,
    )
    .map_err(RetrieveError::from)?;
    let n_in_scope: usize = scope.iter().map(ExactSizeIterator::len).sum();
    let mut n = CHUNKS_AT_FIRST;
    loop {
        let found = scores.best(n);
        lists.vectors.check_read().map_err(RetrieveError::from)?;
        let mut notes: Vec<usize> = found
            .iter()
            .map(|(place, _)| lists.snapshot.document_at(*place))
            .collect();
        notes.dedup();
        notes.sort_unstable();
        notes.dedup();
        if notes.len() >= NOTES || n >= n_in_scope {
            let pairs = found.into_iter().map(|(other, value)| Pair {
                cosine: value.whole,
                own,
                other,
            });
            return Ok(pairs.collect());
        }
        n *= 4;
    }
}

fn is_more_alike(one: &Pair, other: &Pair) -> bool {
    let order = one.cosine.total_cmp(&other.cosine);
    order
        .then((other.own, other.other).cmp(&(one.own, one.other)))
        .is_gt()
}

fn note_of(lists: &Lists, screen: &NoteNames, pair: &Pair) -> AlikeNote {
    let (document, chunk) = lists.snapshot.chunk(pair.other);
    let (own_document, own) = lists.snapshot.chunk(pair.own);
    AlikeNote {
        folder: document.folder.0.to_string(),
        path: document.path.clone(),
        name: screen.name(document.folder, &document.path),
        cosine: pair.cosine,
        own: lines_of(own_document, own),
        other: lines_of(document, chunk),
    }
}

fn lines_of(document: &DocumentRow, chunk: &ChunkRow) -> ChunkLines {
    ChunkLines {
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        heading: document.heading(chunk).to_owned(),
    }
}
