//! Marks against decay, as the window shows them.

use serde::Serialize;
use specta::Type;

/// A path that does not decay, or that the user marked as decaying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Evergreen {
    /// The watched folder's path on the disk.
    pub folder: String,
    /// The path in it; empty for the folder itself.
    pub path: String,
    /// False if the user marked it as decaying, although its name or a parent folder says otherwise.
    pub is_evergreen: bool,
    /// Whether the user marked it; otherwise its name decides.
    pub is_marked: bool,
    /// Number of notes in the library that it applies to.
    pub n_files: u32,
}
