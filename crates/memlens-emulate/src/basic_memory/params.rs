//! The settings of basic-memory, by their own names.

use memlens_params::make::{log, needs, number, whole};
use memlens_params::{ParameterKind, RerankMode, StageId, StageInfo, choice, parameters};

use crate::staging::stage;

/// The list of full-text search by FTS5.
pub const TEXT: StageId = StageId("basic_memory.text");
/// The list by similarity of vectors.
pub const VECTOR: StageId = StageId("basic_memory.vector");
/// Fuses both lists into one score.
pub const FUSION: StageId = StageId("basic_memory.fusion");
/// Reorders by its reranker's scores.
pub const RERANK: StageId = StageId("basic_memory.rerank");
/// Selects the rows that are returned.
pub const PAGE: StageId = StageId("basic_memory.page");

static STAGES: [StageInfo; 5] = [
    stage(
        TEXT,
        "Full text",
        None,
        "Notes whose title, text or path holds every word of the question, by SQLite's full-text search; any word where none does.",
    ),
    stage(
        VECTOR,
        "Vector",
        None,
        "The similarity of question and best chunk of a note; below semantic_min_similarity it does not count.",
    ),
    stage(
        FUSION,
        "Fusion",
        None,
        "The higher of similarity and words, and 0.3 of the lower; words as a share of the best bm25.",
    ),
    stage(
        RERANK,
        "Rerank",
        Some("basic_memory.reranker"),
        "The first notes in the order of its reranker's scores; the others behind them.",
    ),
    stage(PAGE, "Page", None, "Keeps the notes of one page."),
];

choice! {
    /// The lists that are searched.
    Search {
        /// Searches words and vectors, and fuses both.
        Hybrid = "hybrid",
        /// Searches words, without any vectors.
        Text = "text",
        /// Searches vectors, without any words.
        Vector = "vector",
    }
}

parameters! {
    /// The settings of basic-memory 0.24.
    pub struct BasicMemory;
    prefix "basic_memory."; stages &STAGES; rules |_| Ok(());
    search: Search = Search::Hybrid, Some(FUSION), Rank, "Search", None, ParameterKind::Choice { options: Search::OPTIONS }, None, "What is searched by: words and vectors, words alone, or vectors alone.";
    allow_relaxed: bool = false, Some(TEXT), Rank, "Any word is enough", None, ParameterKind::Toggle, needs("basic_memory.search", &["text"]), "Whether a search by words takes any word where no note holds every one; hybrid always does.";
    semantic_min_similarity: f64 = 0.55, Some(VECTOR), Rank, "semantic_min_similarity", None, number(0.0, 1.0, 0.01), needs("basic_memory.search", &["hybrid", "vector"]), "The similarity from which on a note counts; small models rarely reach the default.";
    reranker: bool = false, Some(RERANK), Retrieve, "Reranker", None, ParameterKind::Toggle, None, "Whether basic-memory asks its reranker.";
    reranker_by: RerankMode = RerankMode::Off, Some(RERANK), Retrieve, "Filled in by", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, None, "Your own reranker in the place of basic-memory's: late interaction, or the model or provider of Settings. Off shows the order before.";
    reranker_candidates: u32 = 20, Some(RERANK), Rank, "reranker_candidates", Some("notes"), log(whole(1, 100, 1)), None, "How many notes its reranker reads.";
    limit: u32 = 10, Some(PAGE), Rank, "Page size", Some("notes"), log(whole(1, 100, 1)), None, "How many notes are returned.";
    offset: u32 = 0, Some(PAGE), Rank, "Offset", Some("notes"), whole(0, 100, 1), None, "How many notes are passed over first.";
}

/// Minimum number of matches or chunks that are used, and their number per row up to the end of the page.
const LEAST_DEPTH: u32 = 100;
const DEPTH_EACH: u32 = 10;
/// More matches or chunks than are used for any page.
pub const DEPTH_MAX: u32 = 2000;

impl BasicMemory {
    /// Returns how many matches by words, and how many chunks, are used.
    pub fn depth(&self) -> u32 {
        let end = self.limit.saturating_add(self.offset);
        LEAST_DEPTH.max(end.saturating_mul(DEPTH_EACH))
    }

    /// Returns whether a reranker is called.
    pub fn is_reranked(&self) -> bool {
        self.reranker && self.search != Search::Text
    }

    /// Returns whether words are searched.
    pub fn takes_words(&self) -> bool {
        self.search != Search::Vector
    }

    /// Returns whether vectors are searched.
    pub fn takes_vectors(&self) -> bool {
        self.search != Search::Text
    }

    /// Returns whether any word may be sufficient.
    pub fn may_relax(&self) -> bool {
        match self.search {
            Search::Hybrid => true,
            Search::Text => self.allow_relaxed,
            Search::Vector => false,
        }
    }
}
