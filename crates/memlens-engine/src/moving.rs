//! Changes the path of a watched folder.

use std::path::Path;

use memlens_indexer::Indexer;
use memlens_library::EngineError;
use memlens_library::judging::marks;
use memlens_library::writes::Writes;
use memlens_store::{Folder, FolderId, Store};
use memlens_wire::LibraryState;

use crate::Engine;

impl Engine {
    /// Changes the path of a folder. It keeps its id, its agent and its marks, and its notes are read again at the new
    /// path; no text is embedded again.
    ///
    /// # Errors
    /// As [`Indexer::move_folder`]; [`EngineError::NotWatched`], [`EngineError::Store`].
    pub fn move_folder(&self, folder: FolderId, path: &Path) -> Result<LibraryState, EngineError> {
        let is_it = |it: &Folder| it.id == folder;
        let before = self.write(|store| watched(store, is_it, path))?;
        self.writer.move_folder(folder, path)?;
        self.write(|store| follow(store, &before))?;
        self.library().take_up_marks()?;
        Ok(self.state())
    }
}

/// Does the same for the folder that was watched at `from`, for programs without a window.
///
/// # Errors
/// As [`Engine::move_folder`].
pub fn move_folder(indexer: &mut Indexer, from: &Path, to: &Path) -> Result<(), EngineError> {
    // The links of a moved path cannot be resolved.
    let from = std::path::absolute(from).unwrap_or_else(|_| from.to_owned());
    let is_it = |it: &Folder| Path::new(&it.path) == from;
    let before = watched(indexer.store(), is_it, &from)?;
    indexer.move_folder(before.id, to)?;
    follow(indexer.store_mut(), &before)
}

fn watched(
    store: &Store,
    is_it: impl Fn(&Folder) -> bool,
    typed: &Path,
) -> Result<Folder, EngineError> {
    let mut folders = store.folders()?.into_iter();
    folders.find(is_it).ok_or_else(|| EngineError::NotWatched {
        path: typed.display().to_string(),
    })
}

/// Moves the marks of a folder to its new path.
fn follow(store: &mut Store, before: &Folder) -> Result<(), EngineError> {
    let now = watched(store, |it| it.id == before.id, Path::new(&before.path))?;
    marks::follow(store, &before.path, &now.path)
}
