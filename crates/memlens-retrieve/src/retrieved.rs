//! What a question found: the candidates, and the facts of each that a person reads.

use std::sync::Arc;
use std::time::Duration;

use memlens_index::QueryWord;
use memlens_rank::{CandidateSet, DateSource, ListId};
use memlens_store::{DocumentId, FolderId};

/// What one retrieval found. It holds no reference to where it came from.
#[derive(Debug, Clone)]
pub struct Retrieved {
    /// The facts that ranking uses.
    pub set: CandidateSet,
    /// The facts of each candidate, by slot.
    pub rows: Vec<RowFacts>,
    /// The distinct words of the question.
    pub words: Vec<QueryWord>,
    /// How many more words the question has, which were not looked up.
    pub n_words_left_out: usize,
    /// How long each list took.
    pub took: Vec<(ListId, Duration)>,
}

/// The facts of one row beside those of its candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFacts {
    /// The note, shared by its rows.
    pub note: Arc<NoteFacts>,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// The headings above it, joined by ` > `; empty for none.
    pub heading: String,
    /// Who says it: the agent of the line or of the note, else the folder around the note.
    pub source: String,
    /// When it was said; none where nothing dates it.
    pub said: Option<Dated>,
    /// Its text's name; none where texts have none, and no thumbs with it.
    pub text: Option<TextId>,
    /// The words of the question that it holds: ascending positions in [`Retrieved::words`].
    pub matched: Vec<u16>,
}

/// A note as its rows show it.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteFacts {
    /// Its name in the library; a changed note has another one.
    pub id: DocumentId,
    /// The watched folder.
    pub folder: FolderId,
    /// Its name.
    pub folder_name: String,
    /// Its absolute path.
    pub folder_path: String,
    /// The note's path in it.
    pub path: String,
    /// The date that the note names, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// The name of a text: equal texts share it, so that a thumb on one holds for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub i64);

/// When something was said; it does not change with the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dated {
    /// Days after 1970-01-01.
    pub day: f64,
    /// By what that is known.
    pub from: DateSource,
}
