//! What retrieval found: every fact that ranking may use, and nothing else.

use std::ops::Range;
use std::sync::Arc;

use memlens_corroborate::Aggregation;
use serde::{Deserialize, Serialize};

use crate::Directions;
use crate::answers::{HookAnswer, RerankScores};

/// Names a chunk of the library; never used twice.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct ChunkId(pub u64);

/// Holds what the vector list knows of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VectorValue {
    /// The chunk's value in the list, in `[-1, 1]`; none when there is no vector to compare.
    pub score: Option<f64>,
    /// Its 1-based place among all chunks searched; none beyond the depth that was fetched.
    pub rank: Option<u32>,
    /// The cosine of the best window, in `[-1, 1]`; none where windows were not used.
    pub window: Option<f64>,
    /// The cosine of the whole chunk, in `[-1, 1]`.
    pub whole: Option<f64>,
    /// First and last line of the best window, 1-based.
    pub window_lines: Option<(u32, u32)>,
}

/// Holds what the BM25 list knows of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TextValue {
    /// The BM25 score, in `(0, inf)`; none when no word of the question stands in the chunk.
    pub score: Option<f64>,
    /// Its 1-based place among all hits; none beyond the depth that was fetched.
    pub rank: Option<u32>,
    /// How many distinct words of the question it holds.
    pub n_matched: u32,
}

/// Holds how often the person gave a chunk a thumb, over all questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thumbs {
    /// Up.
    pub n_up: u32,
    /// Down.
    pub n_down: u32,
}

/// Tells where a date comes from, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateSource {
    /// The line of JSONL or the front matter.
    Written,
    /// A `YYYY-MM-DD` in the file's name.
    FileName,
    /// When the file was last modified.
    Modified,
}

/// Tells how old a chunk is.
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

/// Is one chunk as retrieval saw it.
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
    /// What the vector list knows of it.
    pub vector: VectorValue,
    /// What the BM25 list knows of it.
    pub text: TextValue,
    /// The observations that it holds: ids of [`CandidateSet::agreement`]; empty where it holds none or none is known.
    pub observations: Range<u32>,
    /// The thumbs on it.
    pub thumbs: Thumbs,
    /// How old it is.
    pub age: Age,
    /// Its row in [`CandidateSet::directions`]; none without a vector.
    pub direction: Option<u32>,
}

impl Candidate {
    /// Returns a candidate that only the vector list holds, for examples and tests.
    pub fn of_cosine(order: u64, cosine: f64, rank: u32) -> Candidate {
        let start = order as u32 * 1000;
        Candidate {
            chunk: ChunkId(order),
            order: order as u32,
            document: 0,
            bytes: start..start + 1000,
            tokens: 100,
            vector: VectorValue {
                score: Some(cosine),
                rank: Some(rank),
                window: None,
                whole: Some(cosine),
                window_lines: None,
            },
            ..Candidate::default()
        }
    }
}

/// Tells whether a list could be formed at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListState {
    /// It could, even if nothing was hit.
    Ready,
    /// It could not; the text says why, for a person.
    Missing(String),
}

/// Is the frozen result of one retrieval; ranking never changes it.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateSet {
    /// The union of both lists at the greatest depth; their order does not matter.
    pub candidates: Vec<Candidate>,
    /// How many chunks were searched.
    pub n_chunks: u32,
    /// How many distinct words the question has.
    pub n_words: u32,
    /// `BM25_ideal`: the highest BM25 that any text could reach for this question, in `[0, inf)`.
    pub bm25_ideal: f64,
    /// Whether the vector list could be formed.
    pub vector: ListState,
    /// Whether the BM25 list could be formed.
    pub text: ListState,
    /// How many chunks have a hit in the BM25 list, also beyond the fetched depth.
    pub n_text_hits: u32,
    /// Which observations say the same, at every distance; none before the first aggregation.
    pub agreement: Option<Arc<Aggregation>>,
    /// Where the candidates' vectors point; none without vectors.
    pub directions: Option<Arc<Directions>>,
    /// What rerankers answered, at most one for each mode and `rerank_max_chars`; empty before any was asked.
    pub rerank: Vec<RerankScores>,
    /// What the person's command answered, the latest last; empty before it was asked.
    pub hook: Vec<HookAnswer>,
}

impl CandidateSet {
    /// Returns a set whose BM25 list is missing, for examples and tests.
    pub fn of_vectors(candidates: Vec<Candidate>) -> CandidateSet {
        CandidateSet {
            n_chunks: candidates.len() as u32,
            candidates,
            n_words: 0,
            bm25_ideal: 0.0,
            vector: ListState::Ready,
            text: ListState::Missing("the question has no word".to_owned()),
            n_text_hits: 0,
            agreement: None,
            directions: None,
            rerank: Vec::new(),
            hook: Vec::new(),
        }
    }
}
