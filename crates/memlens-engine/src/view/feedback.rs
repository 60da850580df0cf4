//! Thumbs, as the window is told.

use serde::Serialize;
use specta::Type;

/// The thumb that a row has for the question that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct RowThumb {
    /// The row.
    pub slot: u32,
    /// Whether it points up.
    pub up: bool,
}

/// A chunk that has the text of a thumb now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FeedbackPlace {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path in it.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}

/// One thumb in the list of all.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FeedbackEntry {
    /// Names it.
    pub id: String,
    /// Whether it points up.
    pub up: bool,
    /// The question that it was given for.
    pub query: String,
    /// The name of the watched folder and the note's path in it, where the text stood then.
    pub path: String,
    /// The text.
    pub text: String,
    /// When it was given, milliseconds since 1970.
    pub at_ms: f64,
    /// Whether the note was edited, and `found` is the chunk that holds most of the text now.
    pub is_edited: bool,
    /// Where the text stands now: at the same path where it still does, else the first place; none
    /// where the note is gone or says something else, so that the thumb moves nothing.
    pub found: Option<FeedbackPlace>,
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FeedbackImport {
    /// Thumbs that are new.
    pub n_added: u32,
    /// Thumbs that point the other way now: those in the file are newer.
    pub n_turned: u32,
    /// Thumbs that were known, or are older than the one that is there.
    pub n_known: u32,
    /// The lines that were refused, by number, and why.
    pub problems: Vec<String>,
}
