//! View types of what a note said before.

use serde::Serialize;
use specta::Type;

/// How a change of a note is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChangeOrigin {
    /// The library saw it while indexing.
    Seen,
    /// It is a commit of the repository that holds the note.
    Commit {
        /// The first 8 digits of its id.
        id: String,
        /// The first line of its message, at most 200 characters.
        subject: String,
        /// Whether it merges branches, so that the change is what these brought in.
        is_merge: bool,
    },
}

/// A change of a note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteChanged {
    /// How it is known.
    pub origin: ChangeOrigin,
    /// When the later version was read, or the time of the commit; milliseconds since 1970.
    pub at_ms: f64,
    /// Number of lines that the change added, shown or not; 0 if it is not known.
    pub n_added: u32,
    /// Number of lines that the change removed, shown or not; 0 if it is not known.
    pub n_removed: u32,
    /// Changed lines with their surroundings: each begins with `+`, `-` or a blank, and each part with `@@ line N @@`, which
    /// is a line of the later version, or of the former one if the part only removes.
    pub diff: String,
    /// Why the diff is empty or incomplete: lower case, without a full stop; `None` if it is whole.
    pub lacks: Option<String>,
}

/// What is known of a note's former versions.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteHistory {
    /// The changes, the newest first.
    pub changes: Vec<NoteChanged>,
    /// Whether changes that the library sees are saved.
    pub is_kept: bool,
    /// Why older commits are not listed: lower case, without a full stop; `None` if all by first parents are, or there is no
    /// repository.
    pub commits_end: Option<String>,
}

/// What Memlens saves of the changes of notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct HistoryKept {
    /// Whether changes that the library sees are saved.
    pub is_kept: bool,
    /// Size of all saved changes in bytes, compressed.
    pub n_bytes: f64,
    /// The size beyond which the oldest are removed.
    pub n_bytes_most: f64,
}
