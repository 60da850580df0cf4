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
        let first = |path: &str| snapshot.first_from(self.folder, path);
        let documents = if self.path.is_empty() {
            vec![snapshot.documents_of(self.folder)]
        } else {
            // What lies in it stands behind names such as `it-2.md`, up to the character that follows the slash.
            let note = snapshot.find(self.folder, &self.path);
            let within = first(&format!("{}/", self.path))..first(&format!("{}0", self.path));
            note.map(|at| at..at + 1)
                .into_iter()
                .chain([within])
                .collect()
        };
        let places = documents.into_iter().map(|it| snapshot.places(it));
        places.filter(|places| !places.is_empty()).collect()
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
