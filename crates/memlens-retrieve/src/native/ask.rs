//! Retrieval: reads both lists to the greatest depth that any slider allows, and freezes them as a candidate set.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use memlens_corroborate::{CopyPrint, copy_groups};
use memlens_embed::CosineScale;
use memlens_index::{How, IndexError, Join, Match, TextScores, WordKind};
use memlens_params::{Bm25Join, Params};
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, Cosines, Directions, HeldAs, List, ListId, ListState,
    ListValue, Names, QuestionPart, QuestionParts,
};
use memlens_store::{ChunkRow, DocumentRow};

use super::dates::{dated, said};
use super::lists::Lists;
use super::part_scores::{PartScores, PartValue, PartVector};
use super::parts::Parts;
use super::vector_scores::VectorValue;
use crate::{Dated, NoteFacts, RetrieveError, Retrieved, RowFacts, TextId};

/// The greatest depth of a list: the end of its slider.
pub const DEPTH_MAX: usize = 1000;

/// What to search, and which candidates are wanted.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The lists of one generation.
    pub lists: &'a Lists,
    /// The parameters of the phase "retrieve".
    pub params: &'a Params,
    /// The chunks to search, as ascending disjoint ranges of places. Word statistics are those of the whole library,
    /// whatever the scope.
    pub scope: &'a [Range<u32>],
    /// Places in scope that become candidates at any depth. They do not change the facts of others.
    pub also: &'a [u32],
    /// Whether the places of `also` get their true ranks.
    pub true_ranks: bool,
}

/// The BM25 list of a question.
struct ByWords<'a> {
    scores: TextScores<'a>,
    /// The first places, best first.
    best: Vec<u32>,
    took: Duration,
}

/// The vector list of a question.
struct ByMeaning<'a> {
    /// `None` without a vector of the question.
    scores: Option<PartScores<'a>>,
    /// The first places with their values, best first.
    best: Vec<(u32, PartValue)>,
    took: Duration,
}

/// A question as both lists read it.
#[derive(Clone, Copy)]
pub(super) struct InParts<'a> {
    pub text: &'a str,
    /// What is searched of it.
    pub parts: &'a Parts,
    /// The vectors of the question, not empty, or why there are none.
    pub vectors: Result<&'a [PartVector], &'a str>,
}

/// Searches both lists.
///
/// # Errors
/// [`RetrieveError::Index`] if a list cannot be read.
pub(super) fn retrieve(ask: &Ask<'_>, question: InParts<'_>) -> Result<Retrieved, RetrieveError> {
    let lists = ask.lists;
    let (by_words, by_meaning) = thread::scope(|scope| {
        let by_words = scope.spawn(|| by_words(ask, question));
        let by_meaning = by_meaning(ask, question.vectors.ok());
        (joined(by_words), by_meaning)
    });
    let (mut by_words, by_meaning) = (by_words?, by_meaning?);
    let union = union_of(&by_words, &by_meaning, ask.also);
    // Every candidate gets both values, even if a list does not hold it.
    let values = by_meaning
        .scores
        .as_ref()
        .map(|scores| scores.values(&union));
    let scale = CosineScale::for_model(lists.vectors.model());
    let started = Instant::now();
    let ids: Vec<u64> = union
        .iter()
        .map(|place| lists.snapshot.chunk(*place).1.id as u64)
        .collect();
    let own_vectors = union
        .iter()
        .map(|place| lists.vectors.vector(lists.rows.whole(*place)));
    let (matched, directions) = thread::scope(|scope| {
        let directions = scope.spawn(|| Directions::of(lists.vectors.dim(), own_vectors));
        let matched = by_words.scores.matched(&ids);
        by_words.took += started.elapsed();
        (matched, joined(directions))
    });
    let scores = &by_words.scores;
    let (candidates, rows) = candidates_of(ask, &union, scores, values.as_deref(), &matched?);
    let vectors = vector_list(
        ask,
        &union,
        question.vectors,
        &by_meaning,
        values.as_deref(),
    );
    let text = text_list(ask, &union, &ids, &by_words);
    lists.vectors.check_read()?;
    let n_joined = scores.words.iter().filter(|word| word.is_joined).count();
    Ok(Retrieved {
        set: CandidateSet {
            candidates,
            n_chunks: n_searched(ask.scope),
            n_words: (scores.words.len() - n_joined) as u32,
            n_joined: n_joined as u32,
            bm25_ideal: f64::from(scores.ideal),
            cosine_zero: scale.zero,
            names: Arc::new(names_of(scores)),
            parts: Arc::new(parts_of(question, scores)),
            ideal_part: scores.best_part,
            lists: vec![vectors, text],
            directions: Some(Arc::new(directions)),
            ..CandidateSet::default()
        },
        rows,
        n_words_left_out: scores.n_words_left_out,
        took: vec![
            (ListId::VECTOR, by_meaning.took),
            (ListId::BM25, by_words.took),
        ],
        words: by_words.scores.words,
    })
}

/// Returns the result of a thread, or panics as it did.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn by_words<'a>(ask: &Ask<'a>, question: InParts<'_>) -> Result<ByWords<'a>, IndexError> {
    let started = Instant::now();
    let lists = ask.lists;
    let join = match ask.params.bm25_join {
        Bm25Join::Or => Join::Or,
        Bm25Join::And => Join::And,
    };
    let in_scope = in_scope(lists, ask.scope);
    let in_scope = in_scope.as_ref().map(|it| it as &dyn Fn(usize) -> bool);
    let InParts { text, parts, .. } = question;
    let text = &*searched(text, parts);
    let ranges = if parts.is_whole {
        &[]
    } else {
        &parts.ranges[..]
    };
    let scores = lists.text.score_parts(text, ranges, join, in_scope)?;
    let best = scores.best(DEPTH_MAX, |chunk| lists.place_of(chunk as i64));
    Ok(ByWords {
        best: best.into_iter().filter_map(|(_, place)| place).collect(),
        scores,
        took: started.elapsed(),
    })
}

/// Returns the text with a sign in place of each byte that is in no part, so that sentences that are left out have no words.
fn searched<'t>(text: &'t str, parts: &Parts) -> Cow<'t, str> {
    if parts.n_left_out == 0 {
        return Cow::Borrowed(text);
    }
    let mut searched = String::with_capacity(text.len());
    for part in &parts.ranges {
        searched.extend(iter::repeat_n(HIDDEN, part.start - searched.len()));
        searched.push_str(&text[part.clone()]);
    }
    searched.extend(iter::repeat_n(HIDDEN, text.len() - searched.len()));
    Cow::Owned(searched)
}

/// A sign of one byte that joins no words.
const HIDDEN: char = '|';

fn by_meaning<'a>(
    ask: &Ask<'a>,
    vectors: Option<&[PartVector]>,
) -> Result<ByMeaning<'a>, IndexError> {
    let started = Instant::now();
    let (list, rows) = (&ask.lists.vectors, &ask.lists.rows);
    let unit = ask.params.vector_unit;
    let scores = vectors.map(|vectors| PartScores::new(list, rows, unit, ask.scope, vectors));
    let scores = scores.transpose()?;
    let best = scores.as_ref().map(|scores| scores.best(DEPTH_MAX));
    Ok(ByMeaning {
        scores,
        best: best.unwrap_or_default(),
        took: started.elapsed(),
    })
}

/// Returns the places of all candidates, ascending.
fn union_of(by_words: &ByWords<'_>, by_meaning: &ByMeaning<'_>, also: &[u32]) -> Vec<u32> {
    let by_vector = by_meaning.best.iter().map(|(place, _)| *place);
    let mut union: Vec<u32> = by_vector
        .chain(by_words.best.iter().copied())
        .chain(also.iter().copied())
        .collect();
    union.sort_unstable();
    union.dedup();
    union
}

/// Returns the candidates without their values in the lists, and their displayed facts.
fn candidates_of(
    ask: &Ask<'_>,
    union: &[u32],
    scores: &TextScores<'_>,
    values: Option<&[PartValue]>,
    matched: &[Vec<Match>],
) -> (Vec<Candidate>, Vec<RowFacts>) {
    let lists = ask.lists;
    let copies = copies_among(lists, union, ask.also);
    let mut candidates: Vec<Candidate> = Vec::with_capacity(union.len());
    let mut rows = Vec::with_capacity(union.len());
    // Chunks of one note are consecutive, so the facts of the last note are reused.
    let mut note: Option<(usize, Arc<NoteFacts>, Dated)> = None;
    for (slot, (place, hit_words)) in union.iter().zip(matched).enumerate() {
        let at = lists.snapshot.document_at(*place);
        let (document, chunk) = lists.snapshot.chunk(*place);
        let is_joined = |it: &&Match| scores.words[usize::from(it.word)].is_joined;
        let n_joined = hit_words.iter().filter(is_joined).count();
        let value = values.map(|values| values[slot]);
        candidates.push(Candidate {
            chunk: ChunkId(chunk.id as u64),
            order: *place,
            document: at as u32,
            bytes: chunk.bytes.into(),
            tokens: chunk.tokens,
            direction: Some(slot as u32),
            cosines: value.map_or_else(Cosines::default, |it| {
                cosines_of(&it.value, document, chunk)
            }),
            n_matched: (hit_words.len() - n_joined) as u32,
            n_joined: n_joined as u32,
            vector_part: value.and_then(|it| it.part),
            text_part: scores.part_of(chunk.id as u64),
            held: hit_words.iter().map(|it| held_as(scores, it)).collect(),
            copies: copies[slot],
            ..Candidate::default()
        });
        let (_, facts, dated) = match note.take_if(|(of, ..)| *of == at) {
            Some(same) => same,
            None => (at, Arc::new(note_facts(lists, document)), dated(document)),
        };
        note = Some((at, facts.clone(), dated));
        rows.push(RowFacts {
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            heading: document.heading(chunk).to_owned(),
            source: source(chunk, document, &facts.folder_name),
            said: Some(said(document.date_of(chunk), dated)),
            text: Some(TextId(chunk.embedding.0)),
            matched: hit_words.iter().map(|it| it.word).collect(),
            note: facts,
        });
    }
    (candidates, rows)
}

/// Returns what is searched of a question, with the numbers of its words.
fn parts_of(question: InParts<'_>, scores: &TextScores<'_>) -> QuestionParts {
    let InParts { text, parts, .. } = question;
    if parts.is_whole {
        return QuestionParts::default();
    }
    let part = |(at, range): (usize, &Range<usize>)| {
        let words = scores.words.iter().filter(|word| word.parts >> at & 1 == 1);
        let n_joined = words.clone().filter(|word| word.is_joined).count();
        QuestionPart {
            text: text[range.clone()].to_owned(),
            n_words: (words.count() - n_joined) as u32,
            n_joined: n_joined as u32,
        }
    };
    QuestionParts {
        parts: parts.ranges.iter().enumerate().map(part).collect(),
        n_left_out: parts.n_left_out as u32,
    }
}

fn cosines_of(value: &VectorValue, document: &DocumentRow, chunk: &ChunkRow) -> Cosines {
    Cosines {
        window: value.window.map(|(cosine, _)| cosine),
        whole: Some(value.whole),
        // `None` only if another program changed the saved snapshot in the meantime.
        window_lines: value.window.and_then(|(_, window)| {
            let window = document.windows_of(chunk).get(window as usize)?;
            Some((window.start_line, window.end_line))
        }),
    }
}

fn n_searched(scope: &[Range<u32>]) -> u32 {
    scope.iter().map(|range| range.end - range.start).sum()
}

/// Freezes the vector list: the score and the rank of each candidate.
fn vector_list(
    ask: &Ask<'_>,
    union: &[u32],
    vectors: Result<&[PartVector], &str>,
    by_meaning: &ByMeaning<'_>,
    values: Option<&[PartValue]>,
) -> List {
    let scale = CosineScale::for_model(ask.lists.vectors.model());
    let mut list = List {
        id: ListId::VECTOR,
        state: match vectors {
            Ok(_) => ListState::Ready,
            Err(why) => ListState::Missing(why.to_owned()),
        },
        n_hits: n_searched(ask.scope),
        values: vec![ListValue::default(); union.len()],
    };
    for (value, found) in list.values.iter_mut().zip(values.unwrap_or_default()) {
        value.score = Some(scale.score(found.value.score));
    }
    for (rank, (place, _)) in (1..).zip(&by_meaning.best) {
        list.values[slot_of(union, *place)].rank = Some(rank);
    }
    let scores = by_meaning.scores.as_ref().filter(|_| ask.true_ranks);
    if let (Some(scores), Some(values)) = (scores, values) {
        let unranked = ask.also.iter().filter_map(|place| {
            let slot = slot_of(union, *place);
            let is_ranked = list.values[slot].rank.is_some();
            (!is_ranked).then(|| (*place, values[slot].value.score))
        });
        let unranked: Vec<(u32, f64)> = unranked.collect();
        for ((place, _), rank) in unranked.iter().zip(scores.ranks(&unranked)) {
            list.values[slot_of(union, *place)].rank = Some(rank);
        }
    }
    list
}

/// Freezes the BM25 list: the score and the rank of each candidate that is a hit. `ids` are the chunks of `union`.
fn text_list(ask: &Ask<'_>, union: &[u32], ids: &[u64], by_words: &ByWords<'_>) -> List {
    let ByWords { scores, best, .. } = by_words;
    let mut list = List {
        id: ListId::BM25,
        state: if scores.words.is_empty() {
            ListState::Missing("the question has no letters or digits".to_owned())
        } else {
            ListState::Ready
        },
        n_hits: scores.n_hits() as u32,
        values: vec![ListValue::default(); union.len()],
    };
    for (value, id) in list.values.iter_mut().zip(ids) {
        value.score = scores.of(*id).map(f64::from);
    }
    for (rank, place) in (1..).zip(best) {
        list.values[slot_of(union, *place)].rank = Some(rank);
    }
    let unranked = if ask.true_ranks { ask.also } else { &[] };
    let unranked = unranked.iter().filter_map(|place| {
        let slot = slot_of(union, *place);
        let score = scores.of(ids[slot])?;
        let is_ranked = list.values[slot].rank.is_some();
        (!is_ranked).then_some((slot, (score, Some(*place))))
    });
    let (slots, unranked): (Vec<usize>, Vec<(f32, Option<u32>)>) = unranked.unzip();
    let place_of = |chunk: u64| ask.lists.place_of(chunk as i64);
    for (slot, rank) in slots.into_iter().zip(scores.ranks(&unranked, place_of)) {
        list.values[slot].rank = Some(rank);
    }
    list
}

fn names_of(scores: &TextScores<'_>) -> Names {
    let words = scores.names.words.iter();
    Names {
        typed: words
            .map(|word| scores.words[usize::from(*word)].typed.clone())
            .collect(),
        held: scores.names.held,
        all: scores.names.all,
        share: scores.names.share(),
    }
}

fn held_as(scores: &TextScores<'_>, found: &Match) -> HeldAs {
    let kind = scores.words[usize::from(found.word)].kind;
    match (found.how, kind) {
        (How::Whole, _) | (How::Word, WordKind::Whole) => HeldAs::Whole,
        (How::Digits, _) | (How::Word, WordKind::Digits) => HeldAs::Digits,
        (How::Word, WordKind::Part) => HeldAs::Part,
        (How::Word, WordKind::Plain) => HeldAs::Word,
        (How::Prefix, _) => HeldAs::Prefix,
        (How::Folded, _) => HeldAs::Folded,
    }
}

/// Returns the group of copies of each candidate; see [`Candidate::copies`]. Candidates that are only in `also` join a
/// group but connect no others, so that they do not change the facts of others.
fn copies_among(lists: &Lists, union: &[u32], also: &[u32]) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..union.len()).collect();
    // The sort is stable, so the others keep their order.
    order.sort_by_key(|slot| also.contains(&union[*slot]));
    let n_firm = order.partition_point(|slot| !also.contains(&union[*slot]));
    let prints: Vec<CopyPrint> = order
        .iter()
        .map(|slot| lists.snapshot.chunk(union[*slot]).1.copy_print())
        .collect();
    let mut copies = vec![None; union.len()];
    for (slot, first) in order.iter().zip(copy_groups(&prints, n_firm)) {
        copies[*slot] = first.map(|first| union[order[first as usize]]);
    }
    copies
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

/// Returns the source of a chunk: the agent of the line or of the note, otherwise the folder that holds the note.
fn source(chunk: &ChunkRow, document: &DocumentRow, folder_name: &str) -> String {
    let agent = document.agent_of(chunk).or(document.agent.as_deref());
    agent.map_or_else(
        || folder_around(&document.path, folder_name).to_owned(),
        str::to_owned,
    )
}

/// Returns the name of the folder that holds a note, or `watched` if the note is directly in the watched folder.
pub fn folder_around<'a>(path: &'a str, watched: &'a str) -> &'a str {
    path.rsplit('/').nth(1).unwrap_or(watched)
}

fn slot_of(union: &[u32], place: u32) -> usize {
    union
        .binary_search(&place)
        .expect("the union holds every listed place")
}

/// Returns which entries of the BM25 list are in scope; `None` if all are.
fn in_scope<'a>(lists: &'a Lists, scope: &'a [Range<u32>]) -> Option<impl Fn(usize) -> bool + 'a> {
    let n_chunks = lists.snapshot.n_chunks();
    let is_all = scope.len() == 1 && scope[0] == (0..n_chunks);
    // Lists of one generation differ only by notes that the snapshot left out.
    if is_all && lists.text.n_chunks() == u64::from(n_chunks) {
        return None;
    }
    let places = lists.entry_places();
    Some(move |entry: usize| {
        places[entry].is_some_and(|place| {
            let at = scope.partition_point(|range| range.end <= place);
            scope.get(at).is_some_and(|range| range.contains(&place))
        })
    })
}
