//! Which project each note with a contradiction is in.
//!
//! A folder is the root of a project if a file at its top says so. Files are only checked for being there, inside of the watched
//! folder, and again in each pass.

use std::collections::HashMap;
use std::fs;

use memlens_contradict::Location;
use memlens_store::{DocumentRow, Folder, FolderId};

use crate::notes::place::note_path;

/// Files at the root of a project or of a package in it.
const MANIFESTS: [&str; 4] = ["package.json", "Cargo.toml", "pyproject.toml", "go.mod"];

/// The repository of a project. At the top of a watched folder it is no sign of one: notes are kept in repositories too.
const REPOSITORY: &str = ".git";

/// The locations of notes, by the folders that were checked so far.
pub(crate) struct Locations<'a> {
    folders: &'a [Folder],
    /// Whether a folder is the root of a project, by watched folder and path in it.
    known: HashMap<(FolderId, String), bool>,
}

impl<'a> Locations<'a> {
    pub(crate) fn new(folders: &'a [Folder]) -> Locations<'a> {
        Locations {
            folders,
            known: HashMap::new(),
        }
    }

    /// Returns where a note is.
    pub(crate) fn get(&mut self, document: &DocumentRow) -> Location {
        let folder = self.folders.iter().find(|it| it.id == document.folder);
        let Some(folder) = folder else {
            return Location::default();
        };
        let mut above = document.path.as_str();
        let mut project = None;
        while project.is_none() && !above.is_empty() {
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
            let key = (folder.id, above.to_owned());
            let is_root = self.known.entry(key);
            let is_root = is_root.or_insert_with(|| is_root_of_project(&folder.path, above));
            project = is_root.then(|| above.to_owned());
        }
        Location {
            folder: folder.name.clone(),
            path: document.path.clone(),
            project,
        }
    }
}

fn is_root_of_project(folder: &str, inner: &str) -> bool {
    let root = note_path(folder, inner);
    let has = |name: &str| fs::symlink_metadata(root.join(name)).is_ok();
    MANIFESTS.iter().any(|name| has(name)) || !inner.is_empty() && has(REPOSITORY)
}
