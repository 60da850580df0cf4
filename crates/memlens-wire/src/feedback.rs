//! View types of thumbs on search results.

use serde::Serialize;
use specta::Type;

/// Thumb of a row for the current question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct RowThumb {
    /// Slot of the row in the search.
    pub slot: u32,
    /// Whether it is a thumb up.
    pub up: bool,
}

/// A chunk that contains the text of a thumb now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FeedbackPlace {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
}

/// A thumb, as the list of all shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FeedbackEntry {
    /// Id of the thumb in the library.
    pub id: String,
    /// Whether it is a thumb up.
    pub up: bool,
    /// The question for which it was given.
    pub query: String,
    /// Name of the watched folder and path of the note at that time.
    pub path: String,
    /// Text of the chunk at that time.
    pub text: String,
    /// Time of the thumb in milliseconds since 1970.
    pub at_ms: f64,
    /// Whether the note was edited and `found` is the chunk that contains most of the text now.
    pub is_edited: bool,
    /// Place of the text now: at the same path if possible, otherwise the first place. `None` if the note is gone or no
    /// longer contains it, so that the thumb has no effect.
    pub found: Option<FeedbackPlace>,
}

/// Result of importing a file of thumbs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FeedbackImport {
    /// Number of thumbs that are new.
    pub n_added: u32,
    /// Number of known thumbs that newer ones in the file turned the other way.
    pub n_turned: u32,
    /// Number of thumbs that were known, or are older than the stored ones.
    pub n_known: u32,
    /// Rejected lines by number, each with the reason.
    pub problems: Vec<String>,
}
