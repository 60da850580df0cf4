//! View types of a search.

use memlens_params::StageId;
use memlens_rank::{Bar, Columns, FormulaLine, JourneyStep};
use serde::Serialize;
use specta::Type;

use super::{Emulated, OnDisk, Said};

/// A candidate; fixed for the whole search, whatever ranks it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Row {
    /// Id of the chunk in the index.
    pub chunk: String,
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Source of the note: its agent, or the folder that contains it.
    pub source: String,
    /// Headings above the chunk, joined by ` > `.
    pub heading: String,
    /// Length of the chunk in tokens.
    pub tokens: u32,
    /// Cosine similarity in the vector list, in `[-1, 1]`; `None` if that list does not contain the chunk.
    pub cosine: Option<f64>,
    /// BM25 score, above 0; `None` if the BM25 list does not contain the chunk.
    pub bm25: Option<f64>,
    /// Query words that the chunk contains, as typed.
    pub matched: Vec<String>,
}

/// Passage of a chunk that answers the query best, short enough for a table row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Snippet {
    /// Slot of the row in the search.
    pub slot: u32,
    /// The passage on one line; `None` if the note changed since the search.
    pub text: Option<String>,
    /// Reason for a missing text, to show to the user; `None` if there is a text.
    pub missing: Option<String>,
    /// Matched words in the passage, as UTF-16 ranges `[start, end)`.
    pub marks: Vec<(u32, u32)>,
    /// State of the note on disk; `None` if its text was not read from the index.
    pub on_disk: Option<OnDisk>,
}

/// A distinct word of the query.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryWord {
    /// The word as typed in the query.
    pub typed: String,
    /// The word as looked up in the BM25 list.
    pub term: String,
    /// Weight in BM25: 1, or 0.25 for a stop word and for a part of an identifier that a chunk holds.
    pub weight: f64,
    /// Number of chunks that contain the word.
    pub n_chunks: u32,
}

/// Result of a search: all candidates and the first ranking of them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SearchAnswer {
    /// Number of the search, for later calls.
    pub id: u32,
    /// The query as it was typed.
    pub query: String,
    /// All candidates, indexed by slot.
    pub rows: Vec<Row>,
    /// First ranking of the candidates.
    pub columns: Columns,
    /// Snippets of the top rows; the window requests the others when they scroll into view.
    pub snippets: Vec<Snippet>,
    /// Distinct query words, and the identifiers joined of them, with their statistics.
    pub words: Vec<QueryWord>,
    /// What a BM25 score is divided by: the sum of the most that each word can add.
    pub bm25_ideal: f64,
    /// How closely the search matches another program's own; `None` for Memlens's own pipeline.
    pub emulated: Option<Emulated>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Index of the notice that the embedding model does not know the language of the question; `None` if there is none.
    pub language_notice: Option<u32>,
    /// Rows that disagree with each other, as far as notes were compared; empty for other programs' pipelines.
    pub disagreements: Vec<crate::Disagreement>,
    /// Number of chunks that were searched.
    pub n_chunks: u32,
    /// Duration of retrieval in milliseconds.
    pub retrieve_ms: f64,
    /// Generation of the library that was searched.
    pub generation: u32,
    /// Generation whose observations were compared; `None` before the first pass over them.
    pub clustering: Option<u32>,
}

/// A label with its value, to show to the user.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Fact {
    /// Name of the fact, as shown.
    pub label: String,
    /// Value of the fact, formatted as text.
    pub value: String,
}

/// The path of one row through all stages.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Journey {
    /// Slot of the row in the search.
    pub slot: u32,
    /// Fixed properties of the row.
    pub row: Row,
    /// Final rank of the row, 1-based; `None` if dropped.
    pub rank: Option<u32>,
    /// Score after the last scoring stage; `None` if it has none.
    pub score: Option<f64>,
    /// Stage that dropped the row; `None` if it was returned.
    pub dropped_by: Option<StageId>,
    /// Reason why the row was dropped; `None` if it was returned.
    pub reason: Option<String>,
    /// One step for each stage, in order.
    pub steps: Vec<JourneyStep>,
    /// Bars of the waterfall chart.
    pub bars: Vec<Bar>,
    /// Formulas of the score with their values.
    pub formula: Vec<FormulaLine>,
    /// Minimum score for a result; `None` if no stage requires one, or no row got as far as that stage.
    pub min_score: Option<f64>,
    /// Minimum score minus the score compared with it; `None` unless that comparison dropped the row.
    pub short_by: Option<f64>,
    /// Difference to the neighbouring row, as a sentence; `None` without a neighbour.
    pub neighbour: Option<String>,
    /// Further properties of the chunk, such as its date.
    pub facts: Vec<Fact>,
    /// Text of the chunk; `None` if the note changed since the search.
    pub text: Option<String>,
    /// Reason for a missing text, to show to the user; `None` if there is a text.
    pub missing: Option<String>,
    /// Matched words in the text, as UTF-16 ranges `[start, end)`.
    pub marks: Vec<(u32, u32)>,
    /// First and last line of the window that matched best; `None` without a vector match.
    pub window: Option<(u32, u32)>,
    /// Observations that support the chunk's best supported observation, nearest first, at most 50.
    pub supporters: Vec<Said>,
    /// Number of supporting observations, without that limit.
    pub n_supporters: u32,
}
