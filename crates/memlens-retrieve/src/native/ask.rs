//! Retrieval: both lists at the greatest depth that any slider allows, frozen as a candidate set.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use memlens_index::{Join, TextScores};
use memlens_params::{Bm25Join, Params, VectorUnit};
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, Cosines, Directions, List, ListId, ListState, ListValue,
};
use memlens_store::{ChunkRow, DocumentRow};

use super::dates::said;
use super::lists::Lists;
use crate::{NoteFacts, RetrieveError, Retrieved, RowFacts, TextId};

/// The greatest depth of a list: the end of its slider.
pub const DEPTH_MAX: usize = 1000;

/// Asks both lists. `vector` is the query's embedding, or why there is none.
///
/// `scope` holds the chunks that are searched, as ascending disjoint ranges of places. Statistics
/// of words are those of the whole library, whatever the scope. `also` names places in scope that
/// become candidates however deep they stand, with their true ranks; they change no other's facts.
///
/// # Errors
/// [`RetrieveError::Index`] when a list cannot be read.
pub fn retrieve(
    lists: &Lists,
    query: &str,
    vector: Result<&[f32], &str>,
    params: &Params,
    scope: &[Range<u32>],
    also: &[u32],
) -> Result<Retrieved, RetrieveError> {
    let join = match params.bm25_join {
        Bm25Join::Or => Join::Or,
        Bm25Join::And => Join::And,
    };
    let started = Instant::now();
    let mut scores = lists.text.score(query, join)?;
    keep_in_scope(&mut scores, lists, scope);
    let place_of = |chunk: u64| lists.place_of(chunk as i64);
    let by_text: Vec<u32> = scores
        .best(DEPTH_MAX, place_of)
        .into_iter()
        .filter_map(|(_, place)| place)
        .collect();
    let mut text_took = started.elapsed();
    let text_state = if scores.words.is_empty() {
        ListState::Missing("the question has no letters or digits".to_owned())
    } else {
        ListState::Ready
    };
    let started = Instant::now();
    let (vector_state, values) = match vector {
        Ok(vector) => (
            ListState::Ready,
            vector_values(lists, vector, params.vector_unit, scope)?,
        ),
        Err(why) => (ListState::Missing(why.to_owned()), Vec::new()),
    };
    let by_vector = best(&values, DEPTH_MAX, |(place, value)| (value.score, *place));
    let vector_took = started.elapsed();
    // Both values are facts of every candidate, listed there or not.
    let mut union: Vec<u32> = by_vector
        .iter()
        .map(|at| values[*at].0)
        .chain(by_text.iter().copied())
        .chain(also.iter().copied())
        .collect();
    union.sort_unstable();
    union.dedup();
    let started = Instant::now();
    let ids: Vec<u64> = union
        .iter()
        .map(|place| lists.snapshot.chunk(*place).1.id as u64)
        .collect();
    let matched = scores.matched(&ids)?;
    text_took += started.elapsed();
    let mut candidates: Vec<Candidate> = Vec::with_capacity(union.len());
    let mut rows = Vec::with_capacity(union.len());
    // Chunks of a note follow each other.
    let mut note: Option<(usize, Arc<NoteFacts>)> = None;
    let list = |id, state, n_hits| List {
        id,
        state,
        n_hits,
        values: vec![ListValue::default(); union.len()],
    };
    let n_chunks = scope.iter().map(|range| range.end - range.start).sum();
    let mut vectors = list(ListId::VECTOR, vector_state, n_chunks);
    let mut text = list(ListId::BM25, text_state, scores.n_hits() as u32);
    for (slot, (place, hit_words)) in union.iter().zip(matched).enumerate() {
        let at = lists.snapshot.document_at(*place);
        let (document, chunk) = lists.snapshot.chunk(*place);
        let mut cosines = Cosines::default();
        if let Ok(at) = values.binary_search_by_key(place, |(place, _)| *place) {
            let value = values[at].1;
            vectors.values[slot].score = Some(value.score);
            cosines = Cosines {
                window: value.window.map(|(cosine, _)| cosine),
                whole: Some(value.whole),
                window_lines: value.window.map(|(_, window)| {
                    let window = &document.windows[(chunk.windows.start + window) as usize];
                    (window.start_line, window.end_line)
                }),
            };
        }
        text.values[slot].score = scores.of(ids[slot]).map(f64::from);
        candidates.push(Candidate {
            chunk: ChunkId(chunk.id as u64),
            order: *place,
            document: at as u32,
            bytes: chunk.bytes.clone(),
            tokens: chunk.tokens,
            direction: Some(slot as u32),
            cosines,
            n_matched: hit_words.len() as u32,
            ..Candidate::default()
        });
        let facts = match &note {
            Some((of, facts)) if *of == at => facts.clone(),
            Some(_) | None => {
                let facts = Arc::new(note_facts(lists, document));
                note = Some((at, facts.clone()));
                facts
            }
        };
        rows.push(RowFacts {
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            heading: chunk.heading.clone(),
            source: source(chunk, document, &facts.folder_name),
            said: Some(said(chunk, lists.dated(at))),
            text: Some(TextId(chunk.embedding.0)),
            matched: hit_words,
            note: facts,
        });
    }
    for (rank, at) in (1..).zip(&by_vector) {
        vectors.values[slot_of(&union, values[*at].0)].rank = Some(rank);
    }
    for (rank, place) in (1..).zip(&by_text) {
        text.values[slot_of(&union, *place)].rank = Some(rank);
    }
    for place in also {
        let slot = slot_of(&union, *place);
        if let (Some(score), None) = (vectors.values[slot].score, vectors.values[slot].rank) {
            let others = values.iter().map(|(place, value)| (value.score, *place));
            vectors.values[slot].rank = Some(rank_among(others, (score, *place)));
        }
        if let (Some(score), None) = (scores.of(ids[slot]), text.values[slot].rank) {
            let n_before = scores.n_before(score, &Some(*place), place_of);
            text.values[slot].rank = Some(n_before as u32 + 1);
        }
    }
    let own_vectors = union
        .iter()
        .map(|place| lists.vectors.vector(lists.chunk_rows[*place as usize]));
    let directions = Directions::of(lists.vectors.dim(), own_vectors);
    Ok(Retrieved {
        set: CandidateSet {
            candidates,
            n_chunks,
            n_words: scores.words.len() as u32,
            bm25_ideal: f64::from(scores.ideal),
            lists: vec![vectors, text],
            directions: Some(Arc::new(directions)),
            ..CandidateSet::default()
        },
        rows,
        n_words_left_out: scores.n_words_left_out,
        words: scores.words,
        took: vec![(ListId::VECTOR, vector_took), (ListId::BM25, text_took)],
    })
}

fn note_facts(lists: &Lists, document: &DocumentRow) -> NoteFacts {
    let mut folders = lists.snapshot.folders.iter();
    let folder = folders.find(|folder| folder.id == document.folder);
    NoteFacts {
        id: document.id,
        folder: document.folder,
        folder_name: folder.map_or_else(String::new, |folder| folder.name.clone()),
        folder_path: folder.map_or_else(String::new, |folder| folder.path.clone()),
        path: document.path.clone(),
        date: document.date.clone(),
        tags: document.tags.clone(),
    }
}

/// Who says it: the agent of the line or of the note, else the folder that holds the note.
fn source(chunk: &ChunkRow, document: &DocumentRow, folder_name: &str) -> String {
    let agent = chunk.agent.as_ref().or(document.agent.as_ref());
    agent.map_or_else(
        || folder_around(&document.path, folder_name).to_owned(),
        Clone::clone,
    )
}

/// The name of the folder that holds a note; the watched folder's where it lies in that itself.
pub fn folder_around<'a>(path: &'a str, watched: &'a str) -> &'a str {
    path.rsplit('/').nth(1).unwrap_or(watched)
}

fn slot_of(union: &[u32], place: u32) -> usize {
    union
        .binary_search(&place)
        .expect("the union holds every listed place")
}

/// What the vector list knows of a chunk.
#[derive(Clone, Copy)]
struct VectorValue {
    score: f64,
    whole: f64,
    /// The cosine of the best window, and which of the chunk's windows that is; none where windows are not used.
    window: Option<(f64, u32)>,
}

/// The value of every chunk in scope, ascending by place.
fn vector_values(
    lists: &Lists,
    query: &[f32],
    unit: VectorUnit,
    scope: &[Range<u32>],
) -> Result<Vec<(u32, VectorValue)>, RetrieveError> {
    let dots = lists.vectors.dots(query)?;
    let dot = |row: u32| f64::from(dots[row as usize]);
    let value = |place: u32| {
        let whole = dot(lists.chunk_rows[place as usize]);
        let windows = lists.window_rows_of(place);
        // The first of equal windows, so that the trace does not depend on chance.
        let best = windows
            .zip(0..)
            .map(|(row, window)| (dot(row), window))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (score, window) = match (unit, best) {
            (VectorUnit::Windows, Some((window, _))) => ((2.0 * window + whole) / 3.0, best),
            (VectorUnit::Windows | VectorUnit::Chunk, _) => (whole, None),
        };
        VectorValue {
            score,
            whole,
            window,
        }
    };
    Ok(scope
        .iter()
        .cloned()
        .flatten()
        .map(|place| (place, value(place)))
        .collect())
}

/// Drops the hits that are not in scope.
fn keep_in_scope(scores: &mut TextScores<'_>, lists: &Lists, scope: &[Range<u32>]) {
    let n_chunks = lists.snapshot.n_chunks();
    let is_all = scope.len() == 1 && scope[0] == (0..n_chunks);
    // Of one generation, the lists differ at most by notes that the snapshot left out.
    if is_all && lists.text.n_chunks() == u64::from(n_chunks) {
        return;
    }
    let places = lists.entry_places();
    scores.keep(|entry| {
        places[entry].is_some_and(|place| {
            let at = scope.partition_point(|range| range.end <= place);
            scope.get(at).is_some_and(|range| range.contains(&place))
        })
    });
}

/// Orders by score, the highest first; ties by place.
fn best_first(a: (f64, u32), b: (f64, u32)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// The 1-based rank of a score and place among others, itself one of them.
fn rank_among(others: impl Iterator<Item = (f64, u32)>, own: (f64, u32)) -> u32 {
    let better = others.filter(|other| best_first(*other, own) == Ordering::Less);
    better.count() as u32 + 1
}

/// The indices of the `n` highest items, best first; ties by place.
fn best<T>(items: &[T], n: usize, key: impl Fn(&T) -> (f64, u32)) -> Vec<usize> {
    let compare = |a: &(f64, u32, usize), b: &(f64, u32, usize)| -> Ordering {
        best_first((a.0, a.1), (b.0, b.1))
    };
    let mut keyed: Vec<(f64, u32, usize)> = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let (score, place) = key(item);
            (score, place, at)
        })
        .collect();
    if keyed.len() > n {
        keyed.select_nth_unstable_by(n, compare);
        keyed.truncate(n);
    }
    keyed.sort_unstable_by(compare);
    keyed.into_iter().map(|(_, _, at)| at).collect()
}
