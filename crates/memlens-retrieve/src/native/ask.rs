//! Retrieval: both lists at the greatest depth that any slider allows, frozen as a candidate set.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use memlens_index::{Join, TextScores};
use memlens_params::{Bm25Join, Params};
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, Cosines, Directions, List, ListId, ListState, ListValue,
};
use memlens_store::{ChunkRow, DocumentRow};

use super::dates::said;
use super::lists::Lists;
use super::vector_scores::VectorScores;
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
    let (vector_state, vector_scores) = match vector {
        Ok(vector) => {
            let (vectors, rows) = (&lists.vectors, &lists.rows);
            let scores = VectorScores::new(vectors, rows, params.vector_unit, scope, vector)?;
            (ListState::Ready, Some(scores))
        }
        Err(why) => (ListState::Missing(why.to_owned()), None),
    };
    let by_vector = vector_scores
        .as_ref()
        .map_or_else(Vec::new, |scores| scores.best(DEPTH_MAX));
    let vector_took = started.elapsed();
    let mut known = by_vector.clone();
    known.sort_unstable_by_key(|(place, _)| *place);
    // Both values are facts of every candidate, listed there or not.
    let mut union: Vec<u32> = by_vector
        .iter()
        .map(|(place, _)| *place)
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
        let listed = known.binary_search_by_key(place, |(place, _)| *place);
        let value = match (listed, &vector_scores) {
            (Ok(at), _) => Some(known[at].1),
            (Err(_), Some(scores)) => Some(scores.value(*place)),
            (Err(_), None) => None,
        };
        if let Some(value) = value {
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
            heading: document.heading(chunk).to_owned(),
            source: source(chunk, document, &facts.folder_name),
            said: Some(said(chunk, lists.dated(at))),
            text: Some(TextId(chunk.embedding.0)),
            matched: hit_words,
            note: facts,
        });
    }
    for (rank, (place, _)) in (1..).zip(&by_vector) {
        vectors.values[slot_of(&union, *place)].rank = Some(rank);
    }
    for (rank, place) in (1..).zip(&by_text) {
        text.values[slot_of(&union, *place)].rank = Some(rank);
    }
    if let Some(scores) = &vector_scores {
        let unranked = also.iter().filter_map(|place| {
            let value = &vectors.values[slot_of(&union, *place)];
            value
                .score
                .filter(|_| value.rank.is_none())
                .map(|score| (*place, score))
        });
        let unranked: Vec<(u32, f64)> = unranked.collect();
        for ((place, _), rank) in unranked.iter().zip(scores.ranks(&unranked)) {
            vectors.values[slot_of(&union, *place)].rank = Some(rank);
        }
    }
    for place in also {
        let slot = slot_of(&union, *place);
        if let (Some(score), None) = (scores.of(ids[slot]), text.values[slot].rank) {
            let n_before = scores.n_before(score, &Some(*place), place_of);
            text.values[slot].rank = Some(n_before as u32 + 1);
        }
    }
    let own_vectors = union
        .iter()
        .map(|place| lists.vectors.vector(lists.rows.whole(*place)));
    let directions = Directions::of(lists.vectors.dim(), own_vectors);
    lists.vectors.check_read()?;
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
