//! The result of a retrieval: the candidates, and the facts of each that are shown to the user.

use std::sync::Arc;
use std::time::Duration;

use memlens_index::QueryWord;
use memlens_rank::{CandidateSet, DateSource, ListId};
use memlens_store::{DocumentId, FolderId};

/// The result of one retrieval. It holds no reference to its source.
#[derive(Debug, Clone)]
pub struct Retrieved {
    /// The facts that ranking uses.
    pub set: CandidateSet,
    /// The displayed facts of each candidate, by slot.
    pub rows: Vec<RowFacts>,
    /// The distinct words of the question.
    pub words: Vec<QueryWord>,
    /// Number of further words in the question, which were not looked up.
    pub n_words_left_out: usize,
    /// The time that each list took.
    pub took: Vec<(ListId, Duration)>,
}

/// The displayed facts of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFacts {
    /// The note, shared by its rows.
    pub note: Arc<NoteFacts>,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// The headings above the chunk, joined by ` > `; empty if there are none.
    pub heading: String,
    /// The source: the agent of the line or of the note, otherwise the folder around the note.
    pub source: String,
    /// The date of the chunk; `None` if unknown.
    pub said: Option<Dated>,
    /// Identifies the text; `None` if the retriever has no text ids, in which case it takes no thumbs.
    pub text: Option<TextId>,
    /// The words of the question in the chunk, as ascending positions in [`Retrieved::words`].
    pub matched: Vec<u16>,
}

/// The facts of a note that its rows show.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteFacts {
    /// The note's id in the library; it changes whenever the note's content changes.
    pub id: DocumentId,
    /// The id of the watched folder.
    pub folder: FolderId,
    /// The name of the watched folder.
    pub folder_name: String,
    /// The watched folder's absolute path.
    pub folder_path: String,
    /// The note's path in the watched folder.
    pub path: String,
    /// The date written in the note, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The tags of the note.
    pub tags: Vec<String>,
}

/// Identifies a text. Equal texts share an id, so that a thumb on one counts for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub i64);

/// A date, independent of the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dated {
    /// Days since 1970-01-01.
    pub day: f64,
    /// The source of the date.
    pub from: DateSource,
}
