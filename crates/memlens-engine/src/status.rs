//! What the library holds, in figures: the same for window and command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use memlens_retrieve::FolderCounts;
use memlens_store::Folder;

use crate::Library;

/// What the library holds.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryStatus {
    /// Raised by every change.
    pub generation: u64,
    /// The embedding model's id.
    pub model: String,
    /// Documents.
    pub n_files: u32,
    /// Chunks.
    pub n_chunks: u32,
    /// Windows.
    pub n_windows: u32,
    /// Every watched folder with what it holds, by path.
    pub folders: Vec<(Folder, FolderCounts)>,
}

impl Library {
    /// What the library holds, as it is searched now.
    pub fn status(&self) -> LibraryStatus {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let folders = snapshot.folders.iter();
        LibraryStatus {
            generation: snapshot.generation,
            model: lists.vectors.model().to_owned(),
            n_files: snapshot.documents.len() as u32,
            n_chunks: snapshot.n_chunks(),
            n_windows: lists.n_windows(),
            folders: folders
                .map(|folder| (folder.clone(), lists.counts_of(folder.id)))
                .collect(),
        }
    }

    /// The absolute paths of all notes that can be found.
    pub fn note_paths(&self) -> BTreeSet<PathBuf> {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let documents = snapshot.documents.iter();
        documents
            .filter_map(|document| {
                let folder = snapshot.folder(document.folder)?;
                Some(Path::new(&folder.path).join(&document.path))
            })
            .collect()
    }
}
