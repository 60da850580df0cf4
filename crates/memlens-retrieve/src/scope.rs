//! A part of the memory: a watched folder, or a folder or note in it.

use std::ops::Range;

use memlens_store::{FolderId, Snapshot};

/// A part of the memory that a search is confined to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The watched folder.
    pub folder: FolderId,
    /// A folder or note in it, with `/`; empty for all of it.
    pub path: String,
}

impl Scope {
    /// The chunks in the scope, as ascending disjoint ranges of places.
    pub fn chunks(&self, snapshot: &Snapshot) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let documents = snapshot
            .documents
            .iter()
            .filter(|document| document.folder == self.folder && self.holds(&document.path))
            .filter(|document| document.chunks.start < document.chunks.end);
        for document in documents {
            match ranges.last_mut() {
                Some(last) if last.end == document.chunks.start => last.end = document.chunks.end,
                Some(_) | None => ranges.push(document.chunks.clone()),
            }
        }
        ranges
    }

    /// Whether a path of the folder lies in it.
    pub fn holds(&self, path: &str) -> bool {
        self.path.is_empty()
            || path == self.path
            || path
                .strip_prefix(&self.path)
                .is_some_and(|rest| rest.starts_with('/'))
    }
}
