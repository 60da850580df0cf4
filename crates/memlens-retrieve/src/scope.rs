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
        for (at, document) in snapshot.documents.iter().enumerate() {
            let places = snapshot.places(at);
            if document.folder != self.folder || !self.holds(&document.path) || places.is_empty() {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.end == places.start => last.end = places.end,
                Some(_) | None => ranges.push(places),
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
