//! What the window is told: plain data, its names those of the glossary.
//!
//! Ids are strings and counts 32 bits wide, so that no number loses a digit on its way.

use std::time::{SystemTime, UNIX_EPOCH};

use memlens_params::{Params, StageId};
use memlens_rank::{Bar, Columns, FormulaLine, JourneyStep};
use serde::Serialize;
use specta::Type;

use crate::agreement::Said;

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
    /// What a person should be told.
    pub notices: Vec<String>,
    /// How many chunks were searched.
    pub n_chunks: u32,
    /// How long retrieval took.
    pub retrieve_ms: f64,
    /// The library's generation that was searched.
    pub generation: u32,
    /// The generation whose observations were compared; none before the first pass over them.
    pub agreement: Option<u32>,
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
    /// `min_score`, where the threshold is on.
    pub min_score: Option<f64>,
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

/// How a folder fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FolderStatus {
    /// Changes are seen as they happen.
    Watching,
    /// Changes are looked for now and then.
    Polling,
    /// Changes are left alone.
    Paused,
    /// The folder or its disk is not there; its notes stay in the library, and it is taken up again once it is back.
    Missing,
    /// It is not watched yet, or not by this process: only searched.
    Waiting,
}

/// A watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderState {
    /// Its id.
    pub id: String,
    /// Its absolute path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its documents.
    pub n_files: u32,
    /// Their chunks.
    pub n_chunks: u32,
    /// How it fares.
    pub status: FolderStatus,
    /// Why, where that is not plain.
    pub why: Option<String>,
}

/// How far indexing is.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Progress {
    /// Files done.
    pub n_done: u32,
    /// Files to do, those done included.
    pub n_total: u32,
    /// How much of all bytes is done, those of the file at hand included, in `[0, 1]`.
    pub share: f64,
    /// The file at hand.
    pub file: Option<String>,
    /// How long it may still take; none until that can be told.
    pub seconds_left: Option<u32>,
}

/// Whether indexing goes on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IndexingPhase {
    /// What there is to do is done.
    #[default]
    Working,
    /// The person paused it, and it goes on when the person says so.
    Paused,
    /// It failed, and tries again by itself.
    Failed {
        /// Why.
        why: String,
        /// How often it has failed since it last worked, at least 1.
        n_tries: u32,
        /// How many seconds pass until the next try.
        retry_s: u32,
    },
}

/// How far a folder has been walked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Scanning {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The files found so far; how many there are is not known before the end.
    pub n_files: u32,
}

/// The library in one line and behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LibraryState {
    /// The watched folders.
    pub folders: Vec<FolderState>,
    /// Documents.
    pub n_files: u32,
    /// Chunks.
    pub n_chunks: u32,
    /// Files that cannot be read.
    pub n_problems: u32,
    /// The embedding model's name.
    pub model: String,
    /// Raised by every change.
    pub generation: u32,
    /// The generation whose observations were last compared; none before the first pass.
    pub agreement: Option<u32>,
    /// Whether indexing goes on.
    pub phase: IndexingPhase,
    /// How far indexing is; none when nothing is to do.
    pub indexing: Option<Progress>,
    /// The folder that is being walked to find what is to be indexed; none while none is.
    pub scanning: Option<Scanning>,
    /// Where the library lies.
    pub data_dir: String,
    /// Its size in bytes.
    pub data_bytes: f64,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// Why this window may only read; none when it may write.
    pub read_only: Option<String>,
    /// Memlens's version.
    pub version: String,
}

/// How much room the library takes on disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct DataSize {
    /// The database: notes, embeddings, presets.
    pub database: f64,
    /// The BM25 list.
    pub text_list: f64,
    /// The vector list.
    pub vectors: f64,
    /// All of it, locks and the like included.
    pub total: f64,
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProblemSeverity {
    /// The file is not in the library.
    Error,
    /// It is, but something was skipped or guessed.
    Note,
}

/// Something that went wrong with a file.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FileProblem {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The file's path in it.
    pub path: String,
    /// The line, where it is one.
    pub line: Option<u32>,
    /// What went wrong.
    pub message: String,
    /// How much it matters.
    pub severity: ProblemSeverity,
}

/// What happened to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// It is new.
    Added,
    /// Its content changed.
    Changed,
    /// It has another path.
    Renamed,
    /// It is gone.
    Deleted,
    /// It could not be read.
    Skipped,
    /// A whole folder is not there any more; its notes stay in the library.
    Away,
    /// A whole folder is there again.
    Back,
}

/// One thing that happened in a watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Activity {
    /// When, milliseconds since 1970.
    pub at_ms: f64,
    /// The folder's name.
    pub folder_name: String,
    /// The note's path; the folder's own where it is about that.
    pub path: String,
    /// What happened.
    pub what: Happening,
    /// More about it.
    pub detail: Option<String>,
}

impl Activity {
    /// What happens now.
    pub fn now(
        folder_name: String,
        path: String,
        what: Happening,
        detail: Option<String>,
    ) -> Activity {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Activity {
            at_ms: since.as_millis() as f64,
            folder_name,
            path,
            what,
            detail,
        }
    }
}

/// Whether an entry of the tree can be found by a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// It is in the library.
    Indexed,
    /// It waits to be read: it is new, or has changed since.
    Pending,
    /// It could not be read, or only in part.
    Problem,
}

/// A folder or a note in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TreeEntry {
    /// Its name.
    pub name: String,
    /// Its path in the watched folder.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The chunks in it.
    pub n_chunks: u32,
    /// Whether it can be found; of a folder, the worst of what it holds.
    pub state: EntryState,
    /// Whether it does not decay; of a folder, whether what comes into it will not.
    pub is_evergreen: bool,
    /// What it holds, folders first, then by name.
    pub children: Vec<TreeEntry>,
}

/// A watched folder with what it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderTree {
    /// The folder.
    pub folder: FolderState,
    /// Whether what lies in it does not decay, as far as nothing else is said of it.
    pub is_evergreen: bool,
    /// What it holds.
    pub entries: Vec<TreeEntry>,
}

/// A chunk of an opened note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DocumentChunk {
    /// Its id.
    pub chunk: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Its length in tokens.
    pub tokens: u32,
    /// The headings above it.
    pub heading: String,
}

/// An opened note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DocumentView {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The note's path in it.
    pub path: String,
    /// Its text as it is now, decoded.
    pub text: String,
    /// Its lines.
    pub n_lines: u32,
    /// Its chunks as they were indexed.
    pub chunks: Vec<DocumentChunk>,
    /// Who says it.
    pub agent: Option<String>,
    /// When, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When the file was last modified, milliseconds since 1970.
    pub modified_ms: f64,
    /// The encoding it was read with.
    pub encoding: String,
    /// What went wrong with it.
    pub problems: Vec<FileProblem>,
}

/// A set of parameters with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Params,
    /// What a person should know of it: another model, another version.
    pub notes: Vec<String>,
}

/// An error as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ErrorInfo {
    /// What the window branches on.
    pub code: String,
    /// What a person reads.
    pub message: String,
}

impl From<&crate::EngineError> for ErrorInfo {
    fn from(error: &crate::EngineError) -> ErrorInfo {
        ErrorInfo {
            code: error.code().to_owned(),
            message: error.to_string(),
        }
    }
}
