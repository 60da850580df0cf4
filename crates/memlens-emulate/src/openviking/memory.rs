//! OpenViking's local store over given notes, and its search.

use std::collections::HashMap;
use std::time::Instant;

use memlens_rank::{
    AnyPipeline, CandidateSet, ChunkId, List, ListId, ListState, OwnFacts, RetrieverId,
};
use memlens_retrieve::{NoText, NoteChunk, Question, RetrieveError, Retrieved, Retriever};
use memlens_store::FolderId;

use super::facts::{Facts, Given, RowFact};
use super::params::{DEPTH_MAX, VECTOR};
use super::pipeline::V0_5;
use super::records::{Kind, Level, Record, embedded};
use super::tokens::{cut, estimate};
use crate::memory::{AgentNote, Embed, Vectors, embed_question, vectors_of_all};
use crate::notes::Notes;

/// The largest of the store's 8-bit numbers.
const LARGEST: f64 = 127.0;
const MS_A_SECOND: f64 = 1000.0;

/// Records as OpenViking's local store holds them.
pub struct Memory {
    generation: u64,
    notes: Notes,
    /// The facts of each record.
    known: Vec<Known>,
    vectors: Result<Vec<Quantized>, String>,
    embed: Embed,
    now_ms: i64,
    remarks: Vec<String>,
}

struct Known {
    record: Record,
    /// The number of its address.
    uri: u32,
}

/// A vector of unit length as 8-bit numbers and their common factor.
struct Quantized {
    numbers: Vec<i8>,
    scale: f64,
}

impl Quantized {
    fn of(vector: &[f32]) -> Quantized {
        let squares = vector.iter().map(|it| f64::from(*it).powi(2));
        let length = squares.sum::<f64>().sqrt();
        let unit = |it: &f32| {
            let number = f64::from(*it);
            if length > 0.0 {
                number / length
            } else {
                number
            }
        };
        let largest = vector.iter().map(|it| unit(it).abs()).fold(0.0, f64::max);
        let scale = if largest > 0.0 {
            largest / LARGEST
        } else {
            1.0
        };
        Quantized {
            numbers: vector
                .iter()
                .map(|it| (unit(it) / scale).round() as i8)
                .collect(),
            scale,
        }
    }

    fn inner(&self, other: &Quantized) -> f64 {
        let products = self.numbers.iter().zip(&other.numbers);
        let sum: i64 = products.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        sum as f64 * self.scale * other.scale
    }
}

/// Further input of a request besides the question.
#[derive(Debug, Clone, Default)]
pub struct AskOptions {
    /// The folder that is searched; `None` for everything.
    pub target: Option<String>,
    /// The levels that are searched; `None` for all.
    pub levels: Option<Vec<Level>>,
    /// The list that is requested; `None` for all.
    pub kind: Option<Kind>,
}

impl AskOptions {
    fn takes(&self, record: &Record) -> bool {
        self.target.as_ref().is_none_or(|it| record.is_under(it))
            && self
                .levels
                .as_ref()
                .is_none_or(|it| it.contains(&record.level))
            && self.kind.is_none_or(|it| record.kind == it)
    }
}

impl Memory {
    /// Returns the texts to embed, in order.
    pub fn chunk_texts(notes: &[AgentNote]) -> Vec<String> {
        let records = records(notes.to_vec());
        records.iter().map(|it| embedded(&it.note.text)).collect()
    }

    /// Creates a store of notes, each a file in its own folder. `vectors` are those of [`Memory::chunk_texts`], or why
    /// there are none; `now_ms` is the moment for the age of events, `generation` the library's.
    pub fn new(
        notes: Vec<AgentNote>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        now_ms: i64,
        generation: u64,
    ) -> Memory {
        Memory::of_records(records(notes), vectors, embed, now_ms, generation)
    }

    /// Creates a store of records, in order, with a vector for each.
    pub fn of_records(
        records: Vec<Record>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        now_ms: i64,
        generation: u64,
    ) -> Memory {
        let vectors = vectors_of_all(vectors, records.len(), "records")
            .map(|vectors| vectors.iter().map(Quantized::of).collect());
        let mut uris: HashMap<String, u32> = HashMap::new();
        let notes = records.iter().map(|it| it.note.clone()).collect();
        let known = records.into_iter().map(|record| {
            let next = uris.len() as u32;
            Known {
                uri: *uris.entry(record.uri.clone()).or_insert(next),
                record,
            }
        });
        Memory {
            generation,
            known: known.collect(),
            notes: Notes::new("openviking", notes),
            vectors,
            embed,
            now_ms,
            remarks: Vec::new(),
        }
    }

    /// Returns the same memory with remarks to show with every answer.
    pub fn with_remarks(self, remarks: Vec<String>) -> Memory {
        Memory { remarks, ..self }
    }

    /// Returns the record of a candidate.
    pub fn record(&self, chunk: ChunkId) -> Option<&Record> {
        Some(&self.known[self.notes.place(chunk)?].record)
    }

    /// Returns the candidates of a question with the request's further input.
    pub fn ask(&self, question: &Question<'_>, options: &AskOptions) -> Retrieved {
        let started = Instant::now();
        let searched: Vec<usize> = (0..self.known.len())
            .filter(|at| self.notes.is_within(question.within, *at))
            .filter(|at| options.takes(&self.known[*at].record))
            .collect();
        let near = self.near(&searched, question.vector);
        let took = started.elapsed();

        let is_event = |at: usize| self.known[at].record.is_event;
        let first = |events: bool| {
            let near = near.iter().flatten().map(|(at, _)| *at);
            near.filter(move |at| is_event(*at) == events)
                .take(DEPTH_MAX as usize)
        };
        let also = question.also.iter().copied();
        let also: Vec<ChunkId> = also
            .filter(|it| self.record(*it).is_some_and(|it| options.takes(it)))
            .collect();
        let found = first(false).chain(first(true));
        let union = self.notes.union(found, question.within, &also);

        let mut rows: Vec<RowFact> = union.iter().map(|at| self.fact(*at)).collect();
        for (rank, (at, inner)) in (1..).zip(near.iter().flatten()) {
            if let Ok(slot) = union.binary_search(at) {
                rows[slot].inner = Some(*inner);
                rows[slot].rank = Some(rank);
            }
        }
        let inner: Vec<Option<f64>> = rows.iter().map(|it| it.inner).collect();
        let state = match &near {
            Ok(_) => ListState::Ready,
            Err(why) => ListState::Missing(why.clone()),
        };
        let list = List {
            state: state.clone(),
            n_hits: near.as_ref().map_or(0, |it| it.len() as u32),
            ..List::of_scores(ListId(VECTOR.0), &inner)
        };
        let asked = self.notes.asked(question.text);
        let candidate = |at: &usize| {
            let tokens = estimate(&self.notes.at(*at).text);
            self.notes.candidate(*at, tokens)
        };
        let row = |at: &usize| {
            let record = &self.known[*at].record;
            let heading = format!("{}{}", record.uri, record.level.suffix());
            self.notes.row(*at, &heading, &asked)
        };
        Retrieved {
            rows: union.iter().map(row).collect(),
            set: CandidateSet {
                candidates: union.iter().map(candidate).collect(),
                n_chunks: searched.len() as u32,
                n_words: asked.len() as u32,
                lists: vec![list],
                own: Some(OwnFacts::new(Facts {
                    vector: state,
                    n_records: searched.len() as u32,
                    has_folders: self.known.iter().any(|it| it.record.level != Level::File),
                    rows,
                    rerank: None,
                })),
                ..CandidateSet::default()
            },
            words: asked,
            n_words_left_out: 0,
            took: vec![(ListId(VECTOR.0), took)],
        }
    }

    /// Returns what its reranker is asked about some candidates: the question, and the summary of each that has one, by
    /// slot. Cut if `max_input_tokens` is above 0.
    pub fn documents(
        &self,
        question: &str,
        found: &Retrieved,
        slots: &[u32],
        max_input_tokens: u32,
    ) -> (String, Vec<(u32, String)>) {
        let summary = |slot: &u32| {
            let candidate = &found.set.candidates[*slot as usize];
            let summary = &self.record(candidate.chunk)?.summary;
            (!summary.trim().is_empty()).then(|| (*slot, summary.clone()))
        };
        let documents = slots.iter().filter_map(summary);
        if max_input_tokens == 0 {
            return (question.to_owned(), documents.collect());
        }
        let question = cut(question, max_input_tokens * 3 / 4);
        let left = max_input_tokens.saturating_sub(estimate(&question));
        let documents = documents.map(|(slot, it)| (slot, cut(&it, left)));
        (question, documents.collect())
    }

    /// Returns the similarity of each record, the most similar first; ties keep the order of indexing.
    fn near(
        &self,
        searched: &[usize],
        vector: Result<&[f32], &str>,
    ) -> Result<Vec<(usize, f64)>, String> {
        let vectors = self.vectors.as_ref().map_err(Clone::clone)?;
        let to = vector?;
        let dim = vectors.first().map_or(to.len(), |it| it.numbers.len());
        if to.len() != dim {
            return Err(format!(
                "the question's embedding has {} numbers, those of the records {dim}",
                to.len()
            ));
        }
        let to = Quantized::of(to);
        let mut near: Vec<(usize, f64)> = searched
            .iter()
            .map(|at| (*at, vectors[*at].inner(&to)))
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(near)
    }

    fn fact(&self, at: usize) -> RowFact {
        let Known { record, uri } = &self.known[at];
        let age_ms = self.now_ms.abs_diff(record.note.modified_ms) as f64;
        RowFact {
            inner: None,
            rank: None,
            uri: *uri,
            event_age_s: record.is_event.then_some(age_ms / MS_A_SECOND),
        }
    }
}

/// Returns the same candidates with the reranker's answer about those that it read, by slot, or why its answer is not
/// used.
pub fn reranked(found: Retrieved, answer: Result<Vec<(u32, Given)>, String>) -> Retrieved {
    let own = Facts::of(&found.set).map(|facts| {
        let by_slot = |answer: Vec<(u32, Given)>| {
            let mut given = vec![Given::NotRead; facts.rows.len()];
            for (slot, it) in answer {
                given[slot as usize] = it;
            }
            given
        };
        OwnFacts::new(Facts {
            rerank: Some(answer.map(by_slot)),
            ..facts.clone()
        })
    });
    Retrieved {
        set: CandidateSet { own, ..found.set },
        ..found
    }
}

impl Retriever for Memory {
    fn id(&self) -> RetrieverId {
        V0_5.retriever()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        embed_question(&self.vectors, &self.embed, text)
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        Ok(self.ask(question, &AskOptions::default()))
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        self.notes.chunks_of(folder, path)
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        Ok(self.notes.texts(chunks))
    }
}

/// Returns notes as records, in the order of their paths.
fn records(mut notes: Vec<AgentNote>) -> Vec<Record> {
    notes.retain(|note| note.path.ends_with(".md"));
    notes.sort_by(|a, b| a.path.cmp(&b.path));
    notes.into_iter().map(Record::of_note).collect()
}
