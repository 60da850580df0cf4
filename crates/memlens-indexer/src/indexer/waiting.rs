//! Read changes that wait to be saved, by file.

use memlens_store::{Change, FolderId};

use super::Indexer;

impl Indexer {
    /// Returns the pending changes of a folder's files, oldest first.
    pub(super) fn waiting(&self, folder: FolderId) -> impl Iterator<Item = Waiting<'_>> {
        self.pending
            .iter()
            .filter_map(Waiting::of)
            .filter(move |change| change.folder == folder)
    }
}

/// The effect of a pending change on its file.
pub(super) struct Waiting<'a> {
    pub(super) folder: FolderId,
    pub(super) path: &'a str,
    /// The hash of what the library will hold of the file; `None` if it will hold nothing.
    pub(super) hash: Option<[u8; 32]>,
}

impl Waiting<'_> {
    pub(super) fn of(change: &Change) -> Option<Waiting<'_>> {
        let (folder, path, hash) = match change {
            Change::Put(document) => (document.folder, &document.path, Some(document.hash)),
            Change::Remove { folder, path } => (*folder, path, None),
            Change::Fail(problem) => (problem.folder, &problem.path, None),
            Change::Touch { .. } => return None,
        };
        Some(Waiting { folder, path, hash })
    }
}
