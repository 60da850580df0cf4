//! What does not decay: reading and changing the user's marks.

use std::path::Path;
use std::sync::Arc;

use memlens_files::{canonical, with_slashes};
use memlens_store::{Folder, FolderId, Snapshot};
use memlens_wire::Evergreen;

use crate::judging::marks::{Marks, Unreadable, is_at_or_in, mark};
use crate::notes::place::{Place, note_path};
use crate::writes::Writes;
use crate::{EngineError, Library};

impl Library {
    /// Paths that do not decay, and paths that the user marked as decaying, by folder and path.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn evergreen(&self) -> Result<Vec<Evergreen>, EngineError> {
        let marks = Marks::of(&self.store())?;
        let marks = marks.map_err(|error| EngineError::System {
            attempt: "list what does not decay",
            why: error.notice(),
        })?;
        Ok(marks.list(&self.lists().snapshot))
    }

    /// The user's marks; empty if they cannot be read.
    pub fn marks(&self) -> Result<Arc<Marks>, EngineError> {
        Ok(self.marks_and_notice()?.0)
    }

    /// The user's marks, and a notice if they cannot be read and are therefore empty.
    pub(crate) fn marks_and_notice(&self) -> Result<(Arc<Marks>, Option<String>), EngineError> {
        let read = Marks::of(&self.store())?;
        let notice = read.as_ref().err().map(Unreadable::notice);
        Ok((Arc::new(read.unwrap_or_default()), notice))
    }

    /// Makes all cached searches rank with the current marks.
    pub fn take_up_marks(&self) -> Result<(), EngineError> {
        let marks = self.marks()?;
        self.forget_measured();
        self.replace_searches(|search| {
            let mut next = search.clone();
            next.facts.marks = marks.clone();
            next.facts.put_ages(&mut next.retrieved);
            Ok(next)
        })
    }
}

/// Marks a note, or a folder with its contents, as evergreen or as decaying; an empty path is the watched folder
/// itself. If that removes a mark, earlier marks inside the path count again. All cached searches rank with it from
/// then on.
///
/// # Errors
/// [`EngineError::NotWatched`], and as [`Writes::write`].
pub fn set_evergreen(
    writes: &impl Writes,
    folder: FolderId,
    path: &str,
    is_evergreen: bool,
) -> Result<(), EngineError> {
    writes.write(|store| mark(store, folder, path, is_evergreen))?;
    writes.library().take_up_marks()
}

/// Does the same for a typed path: a note, a folder in a watched folder, or a watched folder itself.
///
/// # Errors
/// [`EngineError::Evergreen`] if it names nothing that is watched; as [`Writes::write`].
pub fn set_evergreen_at(
    writes: &impl Writes,
    typed: &str,
    is_evergreen: bool,
    here: Option<&Path>,
) -> Result<(), EngineError> {
    let (folder, path) = named(&writes.library().lists().snapshot, typed, here)?;
    set_evergreen(writes, folder, &path, is_evergreen)
}

/// The watched folder and the path in it that the user means.
fn named(
    snapshot: &Snapshot,
    typed: &str,
    here: Option<&Path>,
) -> Result<(FolderId, String), EngineError> {
    let refused = |why: &str| EngineError::Evergreen {
        path: typed.to_owned(),
        why: why.to_owned(),
    };
    if let Some(folder) = watched(&snapshot.folders, typed, here) {
        return Ok((folder, String::new()));
    }
    let place = Place::parse(snapshot, typed, here)
        .map_err(|error| {
            if let EngineError::Place { why, .. } = &error {
                return refused(why);
            }
            error
        })?
        .ok_or_else(|| refused("it is not in a watched folder"))?;
    let folders = snapshot.folders.iter();
    let on_disk = folders
        .filter(|folder| folder.id == place.folder)
        .map(|folder| note_path(&folder.path, &place.path));
    let is_known = |path: &str| is_at_or_in(path, &place.path);
    let is_there = on_disk.into_iter().any(|path| path.exists())
        || snapshot
            .documents
            .iter()
            .any(|document| document.folder == place.folder && is_known(&document.path));
    if !is_there {
        return Err(refused("there is no such note or folder"));
    }
    Ok((place.folder, place.path))
}

/// The watched folder that is typed as a whole, by its name or its path.
fn watched(folders: &[Folder], typed: &str, here: Option<&Path>) -> Option<FolderId> {
    let typed = typed.trim();
    let path = here.map_or_else(|| Path::new(typed).to_owned(), |here| here.join(typed));
    let by_path = canonical(&path).ok();
    let bare = with_slashes(Path::new(typed));
    let mut meant = folders.iter().filter(|folder| {
        by_path.as_deref() == Some(Path::new(&folder.path))
            || bare.as_deref() == Some(folder.name.as_str())
    });
    match (meant.next(), meant.next()) {
        (Some(folder), None) => Some(folder.id),
        (None | Some(_), _) => None,
    }
}
