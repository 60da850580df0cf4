//! What does not decay: files that agents keep for good, and what the person marks.
//!
//! Properties checked: the nearest mark decides, then the name; a mark that says what holds anyway is not kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use memlens_store::{Folder, FolderId, Snapshot, Store};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::engine::Engine;
use crate::place::Place;
use crate::scope::with_slashes;
use crate::view::FolderTree;
use crate::{EngineError, Library};

/// Files that do not decay wherever they lie: what agents keep for good.
const BY_NAME: [&str; 2] = ["MEMORY.md", "USER.md"];
/// The setting that holds the marks.
const KEY: &str = "evergreen";

/// Holds the person's marks: for each watched folder, by its path on the disk, the paths in it that do not decay (true) or
/// do all the same (false); the empty path is the folder itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Marks {
    of_folder: BTreeMap<String, BTreeMap<String, bool>>,
}

/// Is something that does not decay, or that the person says does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Evergreen {
    /// The watched folder's path on the disk.
    pub folder: String,
    /// The path in it; empty for the folder itself.
    pub path: String,
    /// False where the person says that it decays, though its name or a folder above says otherwise.
    pub is_evergreen: bool,
    /// Whether the person marked it; else its name says so.
    pub is_marked: bool,
    /// How many notes in the library that holds for.
    pub n_files: u32,
}

impl Marks {
    pub(crate) fn of(store: &Store) -> Result<Marks, EngineError> {
        let Some(text) = store.setting(KEY)? else {
            return Ok(Marks::default());
        };
        serde_json::from_str(&text).map_err(|error| EngineError::Evergreen {
            path: KEY.to_owned(),
            why: format!("the library's setting cannot be read: {error}"),
        })
    }

    /// Tells whether a note or folder does not decay: as the nearest mark says, its own or that of a folder around it; else
    /// by its name.
    pub(crate) fn hold(&self, folder: &str, path: &str) -> bool {
        self.marked(folder, path).unwrap_or_else(|| {
            let name = path.rsplit('/').next().unwrap_or(path);
            BY_NAME.contains(&name)
        })
    }

    /// Says that a path does not decay, or does; what was said of paths in it is forgotten.
    fn put(&mut self, folder: &str, path: &str, is_evergreen: bool) {
        let marks = self.of_folder.entry(folder.to_owned()).or_default();
        marks.retain(|marked, _| !is_at_or_in(marked, path));
        if marks.is_empty() {
            self.of_folder.remove(folder);
        }
        if self.hold(folder, path) != is_evergreen {
            let marks = self.of_folder.entry(folder.to_owned()).or_default();
            marks.insert(path.to_owned(), is_evergreen);
        }
    }

    fn marked(&self, folder: &str, path: &str) -> Option<bool> {
        let marks = self.of_folder.get(folder)?;
        let mut at = path;
        loop {
            if let Some(is_evergreen) = marks.get(at) {
                return Some(*is_evergreen);
            }
            if at.is_empty() {
                return None;
            }
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// Returns what is marked, and the notes whose name says that they do not decay, by folder and path.
    fn list(&self, snapshot: &Snapshot) -> Vec<Evergreen> {
        let mut found: BTreeMap<(&str, &str), Evergreen> = BTreeMap::new();
        for (folder, marks) in &self.of_folder {
            for (path, is_evergreen) in marks {
                let one = Evergreen {
                    folder: folder.clone(),
                    path: path.clone(),
                    is_evergreen: *is_evergreen,
                    is_marked: true,
                    n_files: 0,
                };
                found.insert((folder, path), one);
            }
        }
        for (document, folder) in snapshot.documents.iter().filter_map(|document| {
            let folder = snapshot
                .folders
                .iter()
                .find(|it| it.id == document.folder)?;
            Some((document, folder))
        }) {
            let marks = self.of_folder.get(&folder.path);
            let nearest = marks.and_then(|marks| {
                let around = marks.keys().rev();
                let around = around.filter(|marked| is_at_or_in(&document.path, marked));
                around.max_by_key(|marked| marked.len())
            });
            match nearest {
                Some(nearest) => {
                    if let Some(one) = found.get_mut(&(&folder.path[..], &nearest[..])) {
                        one.n_files += 1;
                    }
                }
                None if self.hold(&folder.path, &document.path) => {
                    let one = Evergreen {
                        folder: folder.path.clone(),
                        path: document.path.clone(),
                        is_evergreen: true,
                        is_marked: false,
                        n_files: 1,
                    };
                    found.insert((&folder.path, &document.path), one);
                }
                None => {}
            }
        }
        found.into_values().collect()
    }
}

/// Says in the store that a path of a watched folder does not decay, or does.
pub(crate) fn mark(
    store: &mut Store,
    folder: FolderId,
    path: &str,
    is_evergreen: bool,
) -> Result<(), EngineError> {
    let folders = store.folders()?;
    let watched = folders.iter().find(|it| it.id == folder);
    let watched = watched.ok_or_else(|| EngineError::NotWatched {
        path: path.to_owned(),
    })?;
    let mut marks = Marks::of(store)?;
    marks.put(&watched.path, path, is_evergreen);
    let text = (!marks.of_folder.is_empty())
        .then(|| serde_json::to_string(&marks).expect("plain data can always be written as JSON"));
    Ok(store.put_setting(KEY, text.as_deref())?)
}

impl Engine {
    /// Says that a note or folder does not decay, or does; an empty path is the watched folder itself. What was said of
    /// anything in it is forgotten. Every search that is kept ranks by it from now on. Returns every folder with what it
    /// holds.
    ///
    /// # Errors
    /// [`EngineError::NotWatched`], [`EngineError::ReadOnly`], [`EngineError::Store`].
    pub fn set_evergreen(
        &self,
        folder: FolderId,
        path: &str,
        is_evergreen: bool,
    ) -> Result<Vec<FolderTree>, EngineError> {
        self.mark_evergreen(folder, path.to_owned(), is_evergreen)?;
        self.trees()
    }
}

impl Library {
    /// Returns what does not decay, and what the person says does all the same, by folder and path.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn evergreen(&self) -> Result<Vec<Evergreen>, EngineError> {
        Ok(self.marks()?.list(&self.lists().snapshot))
    }

    /// Says that what a person types does not decay, or does: a note, a folder in a watched folder, or such a folder itself.
    /// For a library that nobody else writes to.
    ///
    /// # Errors
    /// [`EngineError::Evergreen`] when it names nothing that is watched; [`memlens_store::StoreError::Locked`] while another
    /// process writes.
    pub fn set_evergreen(
        &self,
        typed: &str,
        is_evergreen: bool,
        here: Option<&Path>,
    ) -> Result<(), EngineError> {
        let (folder, path) = named(&self.lists().snapshot, typed, here)?;
        mark(&mut self.writer_store()?, folder, &path, is_evergreen)
    }

    /// Returns the person's marks.
    pub(crate) fn marks(&self) -> Result<Arc<Marks>, EngineError> {
        Ok(Arc::new(Marks::of(&self.store())?))
    }

    /// Has the searches that are kept rank by the marks as they are now.
    pub(crate) fn take_up_marks(&self) -> Result<(), EngineError> {
        let marks = self.marks()?;
        self.replace_searches(|search| {
            let mut next = search.clone();
            next.marks = marks.clone();
            next.retrieved.put_ages(&search.lists, &marks);
            Ok(next)
        })
    }
}

/// Returns the watched folder and the path in it that a person means.
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
        .ok_or_else(|| refused("it lies in no watched folder"))?;
    let folders = snapshot.folders.iter();
    let on_disk = folders
        .filter(|folder| folder.id == place.folder)
        .map(|folder| Path::new(&folder.path).join(&place.path));
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

/// Returns the watched folder that is meant as a whole: by its name or its path.
fn watched(folders: &[Folder], typed: &str, here: Option<&Path>) -> Option<FolderId> {
    let typed = typed.trim();
    let by_path = here
        .map_or_else(|| Path::new(typed).to_owned(), |here| here.join(typed))
        .canonicalize()
        .ok();
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

/// Tells whether a path is that of a folder or lies in it; the empty path holds all.
fn is_at_or_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "/notes";

    fn marks(put: &[(&str, bool)]) -> Marks {
        let mut marks = Marks::default();
        for (path, is_evergreen) in put {
            marks.put(FOLDER, path, *is_evergreen);
        }
        marks
    }

    #[test]
    fn the_nearest_mark_decides_and_then_the_name() {
        let check = |put: &[(&str, bool)], path: &str, expected: bool| {
            assert_eq!(marks(put).hold(FOLDER, path), expected, "{put:?} {path}");
        };
        check(&[], "MEMORY.md", true);
        check(&[], "a/b/USER.md", true);
        check(&[], "memory.md", false);
        check(&[], "MEMORY.md/a.md", false);
        check(&[("MEMORY.md", false)], "MEMORY.md", false);
        check(&[("MEMORY.md", false)], "a/MEMORY.md", true);
        check(&[("people", true)], "people/ana.md", true);
        check(&[("people", true)], "people", true);
        check(&[("people", true)], "people2/ana.md", false);
        check(
            &[("people", true), ("people/old", false)],
            "people/old/x.md",
            false,
        );
        check(
            &[("people", true), ("people/old", false)],
            "people/new/x.md",
            true,
        );
        check(&[("a", true), ("a/MEMORY.md", false)], "a/MEMORY.md", false);
        check(&[("", true)], "any/thing.md", true);
        assert!(!marks(&[("", true)]).hold("/other", "any/thing.md"));
    }

    #[test]
    fn what_holds_anyway_is_not_kept() {
        let check = |put: &[(&str, bool)], expected: &[(&str, bool)]| {
            let marks = marks(put);
            let kept = marks.of_folder.get(FOLDER).into_iter().flatten();
            let kept: Vec<(&str, bool)> = kept.map(|(path, on)| (path.as_str(), *on)).collect();
            assert_eq!(kept, expected, "{put:?}");
        };
        check(&[("a.md", false)], &[]);
        check(&[("MEMORY.md", true)], &[]);
        check(&[("a.md", true), ("a.md", false)], &[]);
        check(&[("MEMORY.md", false), ("MEMORY.md", true)], &[]);
        check(&[("a", true), ("a/b.md", true)], &[("a", true)]);
        check(
            &[("a", true), ("a/b.md", false)],
            &[("a", true), ("a/b.md", false)],
        );
        // A folder that is marked anew says it of all in it.
        check(&[("a/b.md", true), ("a", true)], &[("a", true)]);
        check(&[("a", true), ("a/b.md", false), ("a", false)], &[]);
    }
}
