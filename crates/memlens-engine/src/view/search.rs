//! A search, as the window is told.

use memlens_params::StageId;
use memlens_rank::{Bar, Columns, FormulaLine, JourneyStep};
use serde::Serialize;
use specta::Type;

use super::{Emulated, Said};
use crate::staleness::OnDisk;

/// One candidate; static for the whole search.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Row {
    /// The chunk's id.
    pub chunk: String,
    /// The watched folder's id.
    pub folder: String,
    /// The watched folder's name.
    pub folder_name: String,
    /// The note's path in it.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Who says it: the agent, or the folder that holds the note.
    pub source: String,
    /// The headings above it, joined by ` > `.
    pub heading: String,
    /// Its length in tokens.
    pub tokens: u32,
    /// The value in the vector list, in `[-1, 1]`.
    pub cosine: Option<f64>,
    /// The BM25 score, above 0.
    pub bm25: Option<f64>,
    /// The words of the query that it holds, as typed.
    pub matched: Vec<String>,
}

/// The passage of a chunk that answers the query best, short enough for a table row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Snippet {
    /// The row.
    pub slot: u32,
    /// The passage on one line; none where the note changed since the search.
    pub text: Option<String>,
    /// Why there is no text, for a person; none where there is.
    pub missing: Option<String>,
    /// Matched words in it, as UTF-16 `[start, end)`.
    pub marks: Vec<(u32, u32)>,
    /// The note's state on the disk; `None` if its text was not read from the index.
    pub on_disk: Option<OnDisk>,
}

/// A word of the query.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryWord {
    /// As typed.
    pub typed: String,
    /// As looked up.
    pub term: String,
    /// 1, or 0.25 for a stop word.
    pub weight: f64,
    /// How many chunks hold it.
    pub n_chunks: u32,
}

/// The answer to a search: every candidate, and its first ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SearchAnswer {
    /// Names the search in later calls.
    pub id: u32,
    /// The query.
    pub query: String,
    /// The candidates, by slot.
    pub rows: Vec<Row>,
    /// The ranking.
    pub columns: Columns,
    /// Snippets of the first rows of the ranking; the window asks for the others as they come into sight.
    pub snippets: Vec<Snippet>,
    /// The query's distinct words.
    pub words: Vec<QueryWord>,
    /// The highest BM25 that any text could reach.
    pub bm25_ideal: f64,
    /// How true it is to another program's own search; none for the library's.
    pub emulated: Option<Emulated>,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// How many chunks were searched.
    pub n_chunks: u32,
    /// How long retrieval took.
    pub retrieve_ms: f64,
    /// The library's generation that was searched.
    pub generation: u32,
    /// The generation whose observations were compared; none before the first pass over them.
    pub clustering: Option<u32>,
}

/// A label with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// How it is.
    pub value: String,
}

/// One row through all stages.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Journey {
    /// The row.
    pub slot: u32,
    /// Its static facts.
    pub row: Row,
    /// Its final rank; none when dropped.
    pub rank: Option<u32>,
    /// Its last score.
    pub score: Option<f64>,
    /// The stage that dropped it.
    pub dropped_by: Option<StageId>,
    /// Why.
    pub reason: Option<String>,
    /// A step per stage.
    pub steps: Vec<JourneyStep>,
    /// The waterfall.
    pub bars: Vec<Bar>,
    /// The formulas with their values.
    pub formula: Vec<FormulaLine>,
    /// The score that a row must reach; none where no stage asks for one, or nothing came as far as it.
    pub min_score: Option<f64>,
    /// How much the score that was compared with it falls short of it; `None` unless the row was dropped by that.
    pub short_by: Option<f64>,
    /// What parts it from its neighbour.
    pub neighbour: Option<String>,
    /// Facts of the chunk.
    pub facts: Vec<Fact>,
    /// The chunk's text; none where the note changed since the search.
    pub text: Option<String>,
    /// Why there is no text, for a person; none where there is.
    pub missing: Option<String>,
    /// Matched words in the text, as UTF-16 `[start, end)`.
    pub marks: Vec<(u32, u32)>,
    /// The lines of the window that matched best.
    pub window: Option<(u32, u32)>,
    /// Who else says what its best supported observation says, nearest first, at most 50.
    pub supporters: Vec<Said>,
    /// How many there are.
    pub n_supporters: u32,
}
