//! The result of retrieval: every fact that ranking may use.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memlens_corroborate::Aggregation;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::Directions;
use crate::answers::{HookAnswer, RerankScores};

/// The identifier of a chunk. Ids are never reused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct ChunkId(pub u64);

/// The identifier of a list of a retriever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(transparent)]
pub struct ListId(pub &'static str);

impl ListId {
    /// The cosine list of Memlens's own retriever.
    pub const VECTOR: ListId = ListId("vector");
    /// The BM25 list of Memlens's own retriever.
    pub const BM25: ListId = ListId("bm25");
}

/// A chunk's rank and score in one list.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ListValue {
    /// The chunk's raw score, higher is better; `None` if the list has none for it. A score may be known without a
    /// rank: the chunk is then beyond the depth that was fetched.
    pub score: Option<f64>,
    /// The chunk's 1-based rank among all chunks searched; `None` beyond the depth that was fetched.
    pub rank: Option<u32>,
}

/// One list of a retriever, with the rank and score of every candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// The identifier of the list.
    pub id: ListId,
    /// Whether the list could be computed.
    pub state: ListState,
    /// Number of chunks in the list, including those beyond the depth that was fetched.
    pub n_hits: u32,
    /// The rank and score of each candidate, by slot. Slots beyond the end have neither.
    pub values: Vec<ListValue>,
}

impl List {
    /// Returns a list of all chunks that have a score, best first, ties by slot.
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

    /// Returns a list that could not be computed; `why` is shown to the user.
    pub fn missing(id: ListId, why: impl Into<String>) -> List {
        List {
            id,
            state: ListState::Missing(why.into()),
            n_hits: 0,
            values: Vec::new(),
        }
    }

    /// Returns a candidate's rank and score; both `None` if the list does not hold it.
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
    /// The thumbs up, each counted by its closeness: the cosine between the embedding of its question and that of this
    /// question, in `[0, 1]`; 1 for the same question.
    pub up: f64,
    /// The thumbs down, counted in the same way.
    pub down: f64,
}

impl Thumbs {
    /// Returns thumbs that were all given for this very question.
    pub fn for_this_question(n_up: u32, n_down: u32) -> Thumbs {
        Thumbs {
            n_up,
            n_down,
            up: f64::from(n_up),
            down: f64::from(n_down),
        }
    }
}

/// Source of a date, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateSource {
    /// A date in the JSONL line or in the front matter.
    Written,
    /// A date in the file's name or in the folders around it. A week or a month counts as its last day.
    FileName,
    /// The modification time of the file.
    Modified,
}

/// The age of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Age {
    /// No date is known; the chunk does not decay.
    #[default]
    Unknown,
    /// The file does not decay, whatever its date.
    Evergreen,
    /// A number of days before the moment of retrieval.
    Days {
        /// Finite; below 0 for a date in the future, which counts as today.
        days: f64,
        /// The source of the date.
        from: DateSource,
    },
}

/// The cosines of a chunk to the question, each in `[-1, 1]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cosines {
    /// The cosine of the best window; `None` if windows were not used.
    pub window: Option<f64>,
    /// The cosine of the whole chunk; `None` if it has no vector.
    pub whole: Option<f64>,
    /// First and last line of the best window, 1-based.
    pub window_lines: Option<(u32, u32)>,
}

/// How a chunk holds a word of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldAs {
    /// As a word by itself.
    Word,
    /// As a part of an identifier of the question.
    Part,
    /// As an identifier, or as words that are joined to one.
    Whole,
    /// As the beginning of a longer word.
    Prefix,
    /// With different accents, or none.
    Folded,
    /// As a number with other signs between its digits.
    Digits,
}

impl HeldAs {
    /// Returns the remark to show after a word; `None` for a word by itself.
    pub fn text(self) -> Option<&'static str> {
        match self {
            HeldAs::Word => None,
            HeldAs::Part => Some("part"),
            HeldAs::Whole => Some("whole"),
            HeldAs::Prefix => Some("by prefix"),
            HeldAs::Folded => Some("other accents"),
            HeldAs::Digits => Some("by digits"),
        }
    }
}

/// One chunk as retrieval found it.
///
/// The default of every fact that only some stages use is neutral: those stages then change nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// The identifier of the chunk.
    pub chunk: ChunkId,
    /// The chunk's place in the library's total order (folder, path, start byte); breaks every tie. No two candidates
    /// of a set share it.
    pub order: u32,
    /// The document that the chunk belongs to; equal for chunks of one file.
    pub document: u32,
    /// The chunk's byte range in the document, for the repeats stage.
    pub bytes: Range<u32>,
    /// The chunk's length in tokens of the embedding model.
    pub tokens: u32,
    /// The cosines behind the chunk's score in the vector list.
    pub cosines: Cosines,
    /// Number of distinct words of the question, or of [`Candidate::text_part`], that the chunk holds.
    pub n_matched: u32,
    /// Number of identifiers of the same text that the chunk holds joined: as a whole, or as digits without signs.
    pub n_joined: u32,
    /// The part of the question whose cosine counts, as a position in [`QuestionParts::parts`]; `None` for the question as a
    /// whole.
    pub vector_part: Option<u8>,
    /// The part of the question whose words count; `None` for the question as a whole, and if no word is held.
    pub text_part: Option<u8>,
    /// How the chunk holds each of those words and identifiers, in the order of the question; empty if unknown.
    pub held: Vec<HeldAs>,
    /// The observations in the chunk, as ids of [`CandidateSet::clustering`]; empty if it has none or none is known.
    pub observations: Range<u32>,
    /// The group of chunks whose texts are copies of each other, named by the least [`Candidate::order`] of its
    /// members; `None` for a chunk without copies.
    pub copies: Option<u32>,
    /// Whether the chunk is in another language than the question, so that it can hardly hold the question's words. False in
    /// doubt, and if the embedding model knows one language only.
    pub is_other_language: bool,
    /// The user's thumbs on the chunk.
    pub thumbs: Thumbs,
    /// The age of the chunk.
    pub age: Age,
    /// The chunk's row in [`CandidateSet::directions`]; `None` if it has no vector.
    pub direction: Option<u32>,
}

/// Facts that only one retriever and its pipeline understand, for emulated programs whose ranking needs more than
/// lists.
#[derive(Clone)]
pub struct OwnFacts(Arc<dyn Any + Send + Sync>);

impl OwnFacts {
    /// Wraps facts of any type.
    pub fn new<T: Any + Send + Sync>(facts: T) -> OwnFacts {
        OwnFacts(Arc::new(facts))
    }

    /// Returns the facts if they are of type `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// Facts are immutable, so only clones of the same value are equal.
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

/// Whether a list could be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListState {
    /// The list could be computed, even if it has no hits.
    Ready,
    /// The list could not be computed; the text says why, for the user.
    Missing(String),
}

/// The identifiers of a question that a hit of the BM25 list holds. Each word counts by its weight times its inverse
/// document frequency.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Names {
    /// The identifiers as typed, in the order of the question.
    pub typed: Vec<String>,
    /// The sum over the identifiers and their parts.
    pub held: f64,
    /// The sum over all words of the question.
    pub all: f64,
    /// `held / all`, in `[0, 1]`; 0 without identifiers.
    pub share: f64,
}

/// What is searched of a question that is not searched as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionParts {
    /// The parts, in the order of the question; empty if it is searched as a whole.
    pub parts: Vec<QuestionPart>,
    /// Number of sentences of the question that are in no part, because they ask nothing.
    pub n_left_out: u32,
}

/// A part of a question, such as a sentence that asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionPart {
    /// Its text, not empty.
    pub text: String,
    /// Number of distinct words in it.
    pub n_words: u32,
    /// Number of identifiers in it that are looked up joined, beside the words that they are made of.
    pub n_joined: u32,
}

impl QuestionPart {
    /// Returns the beginning of the part in quotation marks, on one line.
    pub fn quoted(&self) -> String {
        const CHARS_MAX: usize = 40;
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(CHARS_MAX) {
            Some((end, _)) => format!("“{}…”", line[..end].trim_end()),
            None => format!("“{line}”"),
        }
    }
}

/// The frozen result of one retrieval; ranking never changes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CandidateSet {
    /// The union of all lists at their greatest depth; their order does not matter.
    pub candidates: Vec<Candidate>,
    /// Number of chunks that were searched.
    pub n_chunks: u32,
    /// Number of distinct words in the question.
    pub n_words: u32,
    /// Number of identifiers that are looked up joined, beside the words that they are made of.
    pub n_joined: u32,
    /// `BM25_ideal`: the sum over the question's words of the most that each can add to a score: for an identifier and
    /// its parts what they add to the best chunk, for another word the limit for ever more occurrences. In `[0, inf)`; no
    /// BM25 score is above it. For a question in parts the sum over the words of [`CandidateSet::ideal_part`].
    pub bm25_ideal: f64,
    /// The parts of the question. A candidate's scores are those of the parts that are best for it.
    pub parts: Arc<QuestionParts>,
    /// The part with the highest BM25 score; `None` without parts, and if no chunk holds a word of them.
    pub ideal_part: Option<u8>,
    /// The cosine that scores 0 in the vector list: that of unrelated texts by the model, below 1. The list's score is
    /// `(cosine - cosine_zero) / (1 - cosine_zero)`.
    pub cosine_zero: f64,
    /// The identifiers of the question that a hit of the BM25 list holds.
    pub names: Arc<Names>,
    /// The retriever's lists; no identifier occurs twice.
    pub lists: Vec<List>,
    /// Which observations say the same, at every distance; `None` before the first aggregation.
    pub clustering: Option<Arc<Aggregation>>,
    /// The directions of the candidates' vectors; `None` if there are no vectors.
    pub directions: Option<Arc<Directions>>,
    /// The answers of rerankers, at most one for each mode and `rerank_max_chars`.
    pub rerank: Vec<RerankScores>,
    /// The answers of the user's command, the latest last.
    pub hook: Vec<HookAnswer>,
    /// Other facts for the retriever's pipeline; `None` for Memlens's own.
    pub own: Option<OwnFacts>,
}

impl CandidateSet {
    /// Returns a list by its identifier, or `None` if the retriever has no such list.
    pub fn list(&self, id: ListId) -> Option<&List> {
        self.lists.iter().find(|list| list.id == id)
    }

    /// Returns a candidate's rank and score in a list; both are `None` if there is no such list.
    pub fn value(&self, id: ListId, slot: u32) -> ListValue {
        self.list(id)
            .map_or_else(ListValue::default, |list| list.value(slot))
    }

    /// Returns the set without the candidates that no list holds within `depth`, and the old slot of each remaining
    /// one, ascending.
    ///
    /// Memlens's own pipeline ranks both sets the same as long as it reads no list deeper than `depth`. A set with
    /// [`OwnFacts`] stays whole, because those facts are indexed by slot.
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
        // The directions of removed candidates are removed too: they are the largest part of a set.
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
            names: Arc::clone(&self.names),
            parts: Arc::clone(&self.parts),
            ..*self
        };
        (set, slots)
    }

    /// Returns a set of chunks of 1,000 bytes that only the vector list holds, for examples and tests: one per cosine,
    /// in the order of ties.
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
