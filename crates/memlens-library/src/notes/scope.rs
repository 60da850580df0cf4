//! A part of the memory as the user types it.

use std::path::Path;

use memlens_files::{canonical, name_in, with_slashes};
use memlens_retrieve::Scope;
use memlens_store::{Folder, Snapshot};

use crate::notes::place::{names, note_path};
use crate::notes::spelling::respelled;
use crate::{EngineError, Library};

impl Library {
    /// Reads a scope as typed: a path of a folder or note in a watched folder, the name of a watched folder (with or without the
    /// agent's) with or without a path in it, a path that exactly one watched folder holds notes at, or the last folders of a
    /// watched folder's path.
    ///
    /// # Errors
    /// [`EngineError::Scope`] when nothing is found there, or things in several folders.
    pub fn scope(&self, typed: &str) -> Result<Scope, EngineError> {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let refused = |why: String| EngineError::Scope {
            typed: typed.to_owned(),
            why,
        };
        let path = Path::new(typed);
        let candidates = if path.is_absolute() {
            scopes_around(snapshot, path)
        } else {
            let inner = with_slashes(path).filter(|inner| !inner.is_empty());
            let inner = inner.ok_or_else(|| refused("name a folder or a note".to_owned()))?;
            scopes_named(snapshot, &inner)
        };
        let with_notes = |scope: &Scope| !scope.chunks(snapshot).is_empty();
        let there = candidates.iter().filter(|scope| with_notes(scope));
        let mut found: Vec<Scope> = there.cloned().collect();
        if found.is_empty() && path.is_relative() {
            let ends = |folder: &&Folder| Path::new(&folder.path).ends_with(path);
            let whole = |folder: &Folder| Scope {
                folder: folder.id,
                path: String::new(),
            };
            let ending = snapshot.folders.iter().filter(ends).map(whole);
            found = ending.filter(with_notes).collect();
        }
        if found.is_empty() {
            let other = candidates.iter().filter_map(|scope| {
                let folder = snapshot.folder(scope.folder)?;
                Some(Scope {
                    folder: scope.folder,
                    path: respelled(snapshot, folder, &scope.path)?,
                })
            });
            found = other.filter(with_notes).collect();
        }
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some(scope), None) => Ok(scope),
            (None, _) => Err(refused("no watched folder has notes there".to_owned())),
            (Some(first), Some(second)) => {
                let [first, second] = [first, second].map(|scope| absolute(snapshot, &scope));
                Err(refused(format!("it could be {first} or {second}")))
            }
        }
    }
}

/// The scope of an absolute path in each watched folder that contains it.
fn scopes_around(snapshot: &Snapshot, path: &Path) -> Vec<Scope> {
    let resolved = canonical(path).unwrap_or_else(|_| path.to_owned());
    let inside = |folder: &Folder| {
        Some(Scope {
            folder: folder.id,
            path: name_in(Path::new(&folder.path), &resolved)?,
        })
    };
    snapshot.folders.iter().filter_map(inside).collect()
}

/// The scopes that `inner` may mean: a watched folder by name, with or without a path in it, then a path in any watched folder.
fn scopes_named(snapshot: &Snapshot, inner: &str) -> Vec<Scope> {
    let below = |name: &str| match inner.strip_prefix(name)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    };
    let by_name = |folder: &Folder| {
        Some(Scope {
            folder: folder.id,
            path: names(folder).into_iter().find_map(below)?.to_owned(),
        })
    };
    let by_path = |folder: &Folder| Scope {
        folder: folder.id,
        path: inner.to_owned(),
    };
    let named = snapshot.folders.iter().filter_map(by_name);
    named.chain(snapshot.folders.iter().map(by_path)).collect()
}

/// The absolute path of a scope; empty if its folder is no longer watched.
fn absolute(snapshot: &Snapshot, scope: &Scope) -> String {
    let folder = snapshot.folder(scope.folder);
    folder.map_or_else(String::new, |folder| {
        let path = note_path(&folder.path, &scope.path);
        path.display().to_string()
    })
}
