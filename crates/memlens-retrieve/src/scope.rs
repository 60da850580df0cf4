//! A part of the memory: a watched folder, or a folder or note in it.

use std::ops::Range;

use memlens_store::{FolderId, Snapshot};

/// A part of the memory that a search is confined to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The watched folder.
    pub folder: FolderId,
    /// Path of a folder or note in it, separated by `/`; empty for the whole folder.
    pub path: String,
}

impl Scope {
    /// Returns the chunks in the scope, as ascending disjoint ranges of places.
    pub fn chunks(&self, snapshot: &Snapshot) -> Vec<Range<u32>> {
        let first = |path: &str| snapshot.first_from(self.folder, path);
        let documents = if self.path.is_empty() {
            vec![snapshot.documents_of(self.folder)]
        } else {
            // Paths inside the folder sort after names such as `it-2.md`, and before the character that follows the
            // slash.
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

    /// Returns whether a path of the watched folder is in the scope.
    pub fn holds(&self, path: &str) -> bool {
        self.path.is_empty()
            || path == self.path
            || path
                .strip_prefix(&self.path)
                .is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use memlens_store::{ChunkRow, DocumentId, DocumentRow, Folder};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_scope_has_the_chunks_of_what_it_holds(
            notes in prop::collection::btree_map((1_i64..4, "a([-/0é][aé]?)?"), 0_usize..3, 0..40),
            folder in 0_i64..5,
            path in "(a(/a)?)?",
        ) {
            let watched = [1, 2, 3].map(|id| Folder {
                id: FolderId(id),
                path: format!("/{id}"),
                name: format!("{id}"),
                is_paused: false,
                mount: None,
                agent: None,
            });
            let notes = notes.into_iter().map(|((folder, path), n_chunks)| {
                let chunks = vec![ChunkRow::default(); n_chunks].into();
                let note = DocumentRow::new(DocumentId(0), FolderId(folder), &path);
                Arc::new(DocumentRow { chunks, ..note })
            });
            // The folders are not ordered by their ids.
            let snapshot = Snapshot::new(watched.into_iter().rev().collect(), notes.collect());
            let scope = Scope { folder: FolderId(folder), path };
            let chunks = snapshot.chunks().zip(0_u32..);
            let is_held = |it: &DocumentRow| it.folder == scope.folder && scope.holds(&it.path);
            let held = chunks.filter(|((document, _), _)| is_held(document));
            let held: BTreeSet<u32> = held.map(|(_, place)| place).collect();
            let found = scope.chunks(&snapshot);
            prop_assert!(found.is_sorted_by(|a, b| a.end <= b.start), "{found:?}");
            prop_assert_eq!(found.into_iter().flatten().collect::<BTreeSet<_>>(), held);
        }
    }
}
