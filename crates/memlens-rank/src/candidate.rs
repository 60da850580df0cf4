//! What retrieval found: every fact that ranking may use, and nothing else.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memlens_corroborate::Aggregation;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::Directions;
use crate::answers::{HookAnswer, RerankScores};

/// The name of a chunk; never used twice.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct ChunkId(pub u64);

/// The name of a list of a retriever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct ListId(pub &'static str);

impl ListId {
    /// The list by cosine of Memlens's own retriever.
    pub const VECTOR: ListId = ListId("vector");
    /// Its list by BM25.
    pub const BM25: ListId = ListId("bm25");
}

/// What one list knows of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ListValue {
    /// The chunk's raw score, higher is better; none when the list has none for it. A score without a rank is a fact all the
    /// same: the chunk lies beyond the depth that was fetched.
    pub score: Option<f64>,
    /// Its 1-based place among all chunks searched; none beyond the depth that was fetched.
    pub rank: Option<u32>,
}

/// One list of a retriever, and what it knows of every candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Its name.
    pub id: ListId,
    /// Whether it could be formed at all.
    pub state: ListState,
    /// How many chunks it holds, also beyond the depth that was fetched.
    pub n_hits: u32,
    /// What it knows of each candidate, by slot; what lies beyond the end is not known.
    pub values: Vec<ListValue>,
}

impl List {
    /// A list of all chunks with a score, best first, ties by slot.
    pub fn of_scores(id: ListId, scores: &[Option<f64>]) -> List {
        let mut best_first: Vec<(usize, f64)> = scores
            .iter()
            .enumerate()
            .filter_map(|(slot, score)| score.map(|score| (slot, score)))
            .collect();
        best_first.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut values = vec![ListValue::default(); scores.len()];
        for (rank, (slot, score)) in (1..).zip(&best_first) {
            values[*slot] = ListValue {
                score: Some(*score),
                rank: Some(rank),
            };
        }
        List {
            id,
            state: ListState::Ready,
            n_hits: best_first.len() as u32,
            values,
        }
    }

    /// A list that could not be formed; `why` is for a person.
    pub fn missing(id: ListId, why: impl Into<String>) -> List {
        List {
            id,
            state: ListState::Missing(why.into()),
            n_hits: 0,
            values: Vec::new(),
        }
    }

    /// What the list knows of a candidate.
    pub fn value(&self, slot: u32) -> ListValue {
        self.values.get(slot as usize).copied().unwrap_or_default()
    }
}

/// The user's thumbs on a chunk's text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thumbs {
    /// Number of thumbs up, over all questions.
    pub n_up: u32,
    /// Number of thumbs down, over all questions.
    pub n_down: u32,
    /// The thumbs up, each counted by its closeness: the cosine of the embedding of its question to that of this
    /// question, in `[0, 1]`; 1 for the same question.
    pub up: f64,
    /// Likewise the thumbs down.
    pub down: f64,
}

impl Thumbs {
    /// Thumbs that were all given for this very question.
    pub fn for_this_question(n_up: u32, n_down: u32) -> Thumbs {
        Thumbs {
            n_up,
            n_down,
            up: f64::from(n_up),
            down: f64::from(n_down),
        }
    }
}

/// Where a date comes from, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateSource {
    /// The line of JSONL or the front matter.
    Written,
    /// A date in the file's name or in the folders around it; of a week or a month the last day.
    FileName,
    /// When the file was last modified.
    Modified,
}

/// How old a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Age {
    /// Nothing dates it; it does not decay.
    #[default]
    Unknown,
    /// Its file does not decay, whatever its date.
    Evergreen,
    /// So many days before the moment of retrieval.
    Days {
        /// Finite; below 0 for a date in the future, which counts as today.
        days: f64,
        /// Where the date comes from.
        from: DateSource,
    },
}

/// The cosines of a chunk to the question, each in `[-1, 1]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cosines {
    /// That of the best window; none where windows were not used.
    pub window: Option<f64>,
    /// That of the whole chunk; none when there is no vector to compare.
    pub whole: Option<f64>,
    /// First and last line of the best window, 1-based.
    pub window_lines: Option<(u32, u32)>,
}

/// One chunk as retrieval saw it.
///
/// What only some stages need is neutral by default: they change nothing then.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its place in the library's total order (folder, path, start byte); breaks every tie.
    /// No two candidates of a set share it.
    pub order: u32,
    /// The document it belongs to; equal for chunks of one file.
    pub document: u32,
    /// Its bytes in the document, for repeats.
    pub bytes: Range<u32>,
    /// Its length in tokens of the embedding model.
    pub tokens: u32,
    /// The cosines behind its value in the vector list.
    pub cosines: Cosines,
    /// How many distinct words of the question it holds.
    pub n_matched: u32,
    /// The observations that it holds: ids of [`CandidateSet::clustering`]; empty where it holds none or none is known.
    pub observations: Range<u32>,
    /// The group of chunks whose texts are copies of each other: the least [`Candidate::order`] of its members; `None` for
    /// a chunk without copies.
    pub copies: Option<u32>,
    /// The thumbs on it.
    pub thumbs: Thumbs,
    /// How old it is.
    pub age: Age,
    /// Its row in [`CandidateSet::directions`]; none without a vector.
    pub direction: Option<u32>,
}

/// Facts that only a retriever and the pipeline made for it understand: what another program's ranking looks at beside the
/// lists.
#[derive(Clone)]
pub struct OwnFacts(Arc<dyn Any + Send + Sync>);

impl OwnFacts {
    /// Facts of any type.
    pub fn new<T: Any + Send + Sync>(facts: T) -> OwnFacts {
        OwnFacts(Arc::new(facts))
    }

    /// The facts, where they are of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// Facts are frozen: they equal those that they were copied from.
impl PartialEq for OwnFacts {
    fn eq(&self, other: &OwnFacts) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for OwnFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnFacts")
    }
}

/// Whether a list could be formed at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListState {
    /// It could, even if nothing was hit.
    Ready,
    /// It could not; the text says why, for a person.
    Missing(String),
}

/// The frozen result of one retrieval; ranking never changes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CandidateSet {
    /// The union of all lists at their greatest depth; their order does not matter.
    pub candidates: Vec<Candidate>,
    /// How many chunks were searched.
    pub n_chunks: u32,
    /// How many distinct words the question has.
    pub n_words: u32,
    /// `BM25_ideal`: the highest BM25 that any text could reach for this question, in `[0, inf)`.
    pub bm25_ideal: f64,
    /// The lists of the retriever, each named once.
    pub lists: Vec<List>,
    /// Which observations say the same, at every distance; none before the first aggregation.
    pub clustering: Option<Arc<Aggregation>>,
    /// Where the candidates' vectors point; none without vectors.
    pub directions: Option<Arc<Directions>>,
    /// What rerankers answered, at most one for each mode and `rerank_max_chars`; empty before any was asked.
    pub rerank: Vec<RerankScores>,
    /// What the person's command answered, the latest last; empty before it was asked.
    pub hook: Vec<HookAnswer>,
    /// What else the pipeline of this retriever looks at; none for Memlens's own.
    pub own: Option<OwnFacts>,
}

impl CandidateSet {
    /// A list by its name; none where the retriever has no such list.
    pub fn list(&self, id: ListId) -> Option<&List> {
        self.lists.iter().find(|list| list.id == id)
    }

    /// What a list knows of a candidate; nothing where there is no such list.
    pub fn value(&self, id: ListId, slot: u32) -> ListValue {
        self.list(id)
            .map_or_else(ListValue::default, |list| list.value(slot))
    }

    /// The set without the candidates that no list holds within `depth`, and the old slot of each one that is left, ascending.
    ///
    /// Memlens's own pipeline orders both alike while it reads no list deeper. What another program's ranking looks at beside
    /// the lists goes by slot, so a set that holds such facts stays whole.
    pub fn within_depth(&self, depth: u32) -> (CandidateSet, Vec<u32>) {
        let is_within = |slot: &u32| {
            let ranks = self.lists.iter().filter_map(|list| list.value(*slot).rank);
            self.own.is_some() || ranks.min().is_some_and(|rank| rank <= depth)
        };
        let slots: Vec<u32> = (0..self.candidates.len() as u32)
            .filter(is_within)
            .collect();
        let of_list = |list: &List| List {
            values: match list.state {
                ListState::Ready => slots.iter().map(|slot| list.value(*slot)).collect(),
                ListState::Missing(_) => Vec::new(),
            },
            ..list.clone()
        };
        // The directions of the others go too: they are most of what a set takes.
        let mut rows: Vec<u32> = Vec::new();
        let candidates = slots.iter().map(|slot| {
            let mut candidate = self.candidates[*slot as usize].clone();
            candidate.direction = candidate.direction.map(|row| {
                rows.push(row);
                rows.len() as u32 - 1
            });
            candidate
        });
        let candidates = candidates.collect();
        let directions = self.directions.as_ref();
        let set = CandidateSet {
            candidates,
            lists: self.lists.iter().map(of_list).collect(),
            clustering: self.clustering.clone(),
            directions: directions.map(|all| Arc::new(all.of_rows(&rows))),
            rerank: self.rerank.clone(),
            hook: self.hook.clone(),
            own: self.own.clone(),
            ..*self
        };
        (set, slots)
    }

    /// A set of chunks of 1,000 bytes that only the vector list holds, for examples and tests: one for each cosine, in the
    /// order of ties.
    pub fn of_cosines(cosines: &[f64]) -> CandidateSet {
        let candidates = (0..)
            .zip(cosines)
            .map(|(order, cosine)| Candidate {
                chunk: ChunkId(u64::from(order)),
                order,
                bytes: order * 1000..(order + 1) * 1000,
                tokens: 100,
                cosines: Cosines {
                    whole: Some(*cosine),
                    ..Cosines::default()
                },
                ..Candidate::default()
            })
            .collect();
        let scores: Vec<Option<f64>> = cosines.iter().copied().map(Some).collect();
        CandidateSet {
            candidates,
            n_chunks: cosines.len() as u32,
            lists: vec![
                List::of_scores(ListId::VECTOR, &scores),
                List::missing(ListId::BM25, "the question has no word"),
            ],
            ..CandidateSet::default()
        }
    }
}
