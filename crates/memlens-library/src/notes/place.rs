//! A place in the memory as the user types it: a note, with an optional line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use memlens_files::{System, canonical, composed, name_in, path_in, with_slashes};
use memlens_store::{Folder, FolderId, Snapshot};

use crate::EngineError;
use crate::notes::spelling::respelled;

/// A note, indexed or not, and optionally a line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Watched folder that contains the note.
    pub folder: FolderId,
    /// The note's path in it, with `/`.
    pub path: String,
    /// Line in the note, 1-based; `None` for the whole note.
    pub line: Option<u32>,
}

impl Place {
    /// Reads `PATH` or `PATH:LINE`. The path is absolute, or relative to a watched folder, or begins
    /// with a watched folder's name (with or without the agent's), or is relative to `here`, or is the end of the absolute path
    /// of a note in the library. What is there, in the library or on the disk, comes before what is not. A note is found by
    /// another spelling of its name where the file system ignores the difference; see [`respelled`].
    ///
    /// `None` if it is not in a watched folder.
    ///
    /// # Errors
    /// [`EngineError::Place`] when it names nothing, a line 0, or things in several folders.
    pub fn parse(
        snapshot: &Snapshot,
        typed: &str,
        here: Option<&Path>,
    ) -> Result<Option<Place>, EngineError> {
        let refused = |why: String| EngineError::Place {
            typed: typed.to_owned(),
            why,
        };
        let typed_path = typed.trim();
        let (named, line) = split_line(typed_path).map_err(refused)?;
        if line == Some(0) {
            return Err(refused("line numbers start at 1".to_owned()));
        }
        if named.is_empty() {
            return Err(refused("name a note".to_owned()));
        }
        let mut places = candidates(snapshot, named, here);
        if line.is_some() {
            // A file's own name may end in a colon and digits.
            let whole = candidates(snapshot, typed_path, here);
            if whole.iter().any(|place| exists(snapshot, place)) {
                places = whole;
            }
            for place in &mut places {
                place.line = line.filter(|_| !typed_path.ends_with(&place.path));
            }
        }
        let mut there: Vec<Place> = places
            .iter()
            .filter(|place| exists(snapshot, place))
            .map(|place| as_known(snapshot, place).unwrap_or_else(|| place.clone()))
            .fold(Vec::new(), with_once);
        if there.is_empty() {
            there = ending_with(snapshot, named, line, |name| Cow::Borrowed(name));
        }
        if there.is_empty() {
            there = ending_with(snapshot, named, line, |name| key(System::CURRENT, name));
        }
        if there.is_empty() {
            let other = places.iter().filter_map(|place| as_known(snapshot, place));
            there = other.fold(Vec::new(), with_once);
        }
        if there.is_empty() && file(typed, here).is_none() {
            there = places.into_iter().take(1).collect();
        }
        match there.as_slice() {
            [] => Ok(None),
            [_] => Ok(there.pop()),
            [first, second, ..] => Err(refused(format!(
                "it could be {} or {}",
                absolute(snapshot, first).display(),
                absolute(snapshot, second).display()
            ))),
        }
    }
}

/// The regular file that was typed as `PATH` or `PATH:LINE`, with the links in its path resolved, and the line; `None` if there is none.
pub fn file(typed: &str, here: Option<&Path>) -> Option<(PathBuf, Option<u32>)> {
    on_disk(typed, here).find_map(|(path, line)| {
        let is_file = path.symlink_metadata().ok()?.is_file();
        Some((is_file.then(|| canonical(&path))?.ok()?, line))
    })
}

/// Whether a file, a folder or a link was typed as `PATH` or `PATH:LINE`.
pub fn is_there(typed: &str, here: Option<&Path>) -> bool {
    on_disk(typed, here).any(|(path, _)| path.symlink_metadata().is_ok())
}

/// The paths that may have been typed, each with its line.
fn on_disk(typed: &str, here: Option<&Path>) -> impl Iterator<Item = (PathBuf, Option<u32>)> {
    let typed = typed.trim();
    // A file's own name may end in a colon and digits.
    let names = [Some((typed, None)), split_line(typed).ok()];
    names.into_iter().flatten().filter_map(move |(name, line)| {
        let path = Path::new(name);
        let path = if path.is_absolute() {
            path.to_owned()
        } else {
            here?.join(path)
        };
        Some((path, line))
    })
}

/// A path and the line after its last colon.
fn split_line(typed: &str) -> Result<(&str, Option<u32>), String> {
    match typed.rsplit_once(':') {
        Some((named, digits)) if is_line(digits) => {
            let line = digits.parse();
            let line = line.map_err(|_| format!("no note has {digits} lines"))?;
            Ok((named, Some(line)))
        }
        Some(_) | None => Ok((typed, None)),
    }
}

fn is_line(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Every place in a watched folder that the typed path may mean, each once.
fn candidates(snapshot: &Snapshot, named: &str, here: Option<&Path>) -> Vec<Place> {
    let place = |folder: &Folder, path: String| Place {
        folder: folder.id,
        path,
        line: None,
    };
    let path = Path::new(named);
    let inside = |absolute: &Path| -> Vec<Place> {
        let folders = snapshot.folders.iter();
        folders
            .filter_map(|folder| {
                let inner = name_in(Path::new(&folder.path), absolute)?;
                (!inner.is_empty()).then(|| place(folder, inner))
            })
            .collect()
    };
    if path.is_absolute() {
        return inside(&settled(path));
    }
    let mut places = Vec::new();
    if let Some(inner) = with_slashes(path).filter(|inner| !inner.is_empty()) {
        for folder in &snapshot.folders {
            places.push(place(folder, inner.clone()));
            let below = |name: &str| inner.strip_prefix(name)?.strip_prefix('/');
            if let Some(rest) = names(folder).into_iter().find_map(below) {
                places.push(place(folder, rest.to_owned()));
            }
        }
    }
    if let Some(here) = here {
        for found in inside(&settled(&here.join(path))) {
            if !places.contains(&found) {
                places.push(found);
            }
        }
    }
    places
}

/// Names of a watched folder that the user may type: its name, also without the agent's name before it.
pub(crate) fn names(folder: &Folder) -> Vec<&str> {
    let agent = folder.agent.as_deref().and_then(memlens_agents::agent);
    let own = agent
        .and_then(|agent| folder.name.strip_prefix(agent.name))
        .map(str::trim_start)
        .filter(|own| !own.is_empty());
    std::iter::once(folder.name.as_str()).chain(own).collect()
}

/// A form that is the same for paths which the system takes for one, and for those that differ by composition only.
fn key(system: System, path: &str) -> Cow<'_, str> {
    match composed(path) {
        Cow::Borrowed(path) => system.name_key(path),
        Cow::Owned(path) => Cow::Owned(system.name_key(&path).into_owned()),
    }
}

/// The notes whose absolute path ends with these folders and name, compared by `key`.
fn ending_with(
    snapshot: &Snapshot,
    named: &str,
    line: Option<u32>,
    key: impl Fn(&str) -> Cow<'_, str>,
) -> Vec<Place> {
    let Some(inner) = with_slashes(Path::new(named)) else {
        return Vec::new();
    };
    let end = key(&format!("/{inner}")).into_owned();
    let roots: HashMap<FolderId, String> = snapshot
        .folders
        .iter()
        .filter_map(|folder| {
            let names = Path::new(&folder.path).components();
            let names = names.filter(|part| matches!(part, Component::Normal(_)));
            let root = with_slashes(&names.collect::<PathBuf>())?;
            Some((folder.id, key(&format!("/{root}/")).into_owned()))
        })
        .collect();
    let ends = |folder: FolderId, path: &str| {
        // The whole path is only built if the path in the folder is not longer than the typed text.
        path.ends_with(&end)
            || (end.len() > path.len()
                && end.ends_with(path)
                && roots
                    .get(&folder)
                    .is_some_and(|root| format!("{root}{path}").ends_with(&end)))
    };
    let documents = snapshot.documents.iter();
    documents
        .filter(|document| ends(document.folder, &key(&document.path)))
        .map(|document| Place {
            folder: document.folder,
            path: document.path.clone(),
            line,
        })
        .collect()
}

/// The path with links in its folders resolved, but not one at its end: the library leaves out a link under its own
/// name.
fn settled(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|parent| canonical(parent).ok());
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

fn absolute(snapshot: &Snapshot, place: &Place) -> PathBuf {
    let folder = snapshot
        .folders
        .iter()
        .find(|folder| folder.id == place.folder);
    folder.map_or_else(PathBuf::new, |folder| {
        path_in(Path::new(&folder.path), &place.path)
    })
}

/// The place by the name that its note has on the disk or in the library; `None` if that is the same.
fn as_known(snapshot: &Snapshot, place: &Place) -> Option<Place> {
    if snapshot.find(place.folder, &place.path).is_some() {
        return None;
    }
    let path = respelled(snapshot, snapshot.folder(place.folder)?, &place.path)?;
    Some(Place {
        path,
        ..place.clone()
    })
}

fn with_once(mut places: Vec<Place>, place: Place) -> Vec<Place> {
    if !places.contains(&place) {
        places.push(place);
    }
    places
}

fn exists(snapshot: &Snapshot, place: &Place) -> bool {
    snapshot.find(place.folder, &place.path).is_some()
        || absolute(snapshot, place).symlink_metadata().is_ok()
}

/// The absolute path of a note of the library, as metrics compare it.
pub fn note_path(folder: &str, path: &str) -> PathBuf {
    path_in(Path::new(folder), path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlens_store::{DocumentId, DocumentRow};

    use super::*;

    #[test]
    fn the_end_of_a_path_is_found_as_the_system_compares_names() {
        let folder = Folder {
            id: FolderId(1),
            path: "/srv/Notes".to_owned(),
            name: "Notes".to_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        };
        let notes = ["deep/U\u{308}ben/Plan.md", "deep/a.md"];
        let note = |path: &&str| Arc::new(DocumentRow::new(DocumentId(0), FolderId(1), path));
        let snapshot = Snapshot::new(vec![folder], notes.iter().map(note).collect());
        let found = |system: System, typed: &str| -> Vec<String> {
            let places = ending_with(&snapshot, typed, None, |name| key(system, name));
            places.into_iter().map(|place| place.path).collect()
        };
        let composed = "\u{dc}ben/Plan.md";
        let other_case = "notes/DEEP/A.md";
        for (system, ignores_case) in [
            (System::Linux, false),
            (System::MacOs, true),
            (System::Windows, true),
        ] {
            assert_eq!(found(system, "Notes/deep/a.md"), [notes[1]], "{system:?}");
            assert_eq!(found(system, composed), [notes[0]], "{system:?}");
            assert_eq!(found(system, other_case) == [notes[1]], ignores_case);
            assert_eq!(found(system, "eep/a.md"), [""; 0], "{system:?}");
        }
    }
}
