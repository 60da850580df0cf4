//! Whether a note on the disk is as it was indexed.

use serde::Serialize;
use specta::Type;

/// State of a note on the disk, compared with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OnDisk {
    /// It holds the same bytes.
    AsIndexed,
    /// The file has different content now.
    Changed,
    /// It does not exist any more.
    Gone,
    /// There was no time to compare it, or it could not be read.
    NotChecked,
}

impl OnDisk {
    /// Notice to the user; `None` if the note is as it was indexed.
    pub fn sentence(self) -> Option<&'static str> {
        match self {
            OnDisk::AsIndexed => None,
            OnDisk::Changed => Some("changed since it was indexed"),
            OnDisk::Gone => Some("its file is gone"),
            OnDisk::NotChecked => Some("not checked on the disk"),
        }
    }
}
