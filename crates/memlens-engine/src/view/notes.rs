//! The notes themselves, as the window is told.

use serde::Serialize;
use specta::Type;

use super::{FileProblem, FolderState};

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
