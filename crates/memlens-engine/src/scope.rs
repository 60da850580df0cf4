//! A part of the memory: a watched folder, or a folder in it.

use std::ops::Range;
use std::path::Path;

use memlens_store::{FolderId, Snapshot};

use crate::EngineError;

/// Is a part of the memory that a search is confined to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The watched folder.
    pub folder: FolderId,
    /// A folder in it, with `/`; empty for all of it.
    pub path: String,
}

impl Scope {
    /// Reads a scope as typed: an absolute path in a watched folder, the name of a watched folder
    /// with or without a path in it, or a path in a watched folder that holds notes there.
    ///
    /// # Errors
    /// [`EngineError::NotWatched`] when nothing fits.
    pub fn parse(snapshot: &Snapshot, typed: &str) -> Result<Scope, EngineError> {
        let not_watched = || EngineError::NotWatched {
            path: typed.to_owned(),
        };
        let path = Path::new(typed);
        if path.is_absolute() {
            return snapshot
                .folders
                .iter()
                .find_map(|folder| {
                    let inner = path.strip_prefix(&folder.path).ok()?;
                    Some(Scope {
                        folder: folder.id,
                        path: with_slashes(inner)?,
                    })
                })
                .ok_or_else(not_watched);
        }
        let typed_path = with_slashes(path).ok_or_else(not_watched)?;
        let by_name = snapshot.folders.iter().find_map(|folder| {
            let inner = typed_path.strip_prefix(&folder.name)?;
            let inner = if inner.is_empty() {
                inner
            } else {
                inner.strip_prefix('/')?
            };
            Some(Scope {
                folder: folder.id,
                path: inner.to_owned(),
            })
        });
        let in_folder = || {
            snapshot
                .folders
                .iter()
                .map(|folder| Scope {
                    folder: folder.id,
                    path: typed_path.clone(),
                })
                .find(|scope| !scope.chunks(snapshot).is_empty())
        };
        by_name.or_else(in_folder).ok_or_else(not_watched)
    }

    /// Returns the chunks in the scope as ascending disjoint ranges of places.
    pub fn chunks(&self, snapshot: &Snapshot) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let documents = snapshot
            .documents
            .iter()
            .filter(|document| document.folder == self.folder && self.holds(&document.path))
            .filter(|document| document.chunks.start < document.chunks.end);
        for document in documents {
            match ranges.last_mut() {
                Some(last) if last.end == document.chunks.start => last.end = document.chunks.end,
                Some(_) | None => ranges.push(document.chunks.clone()),
            }
        }
        ranges
    }

    fn holds(&self, path: &str) -> bool {
        self.path.is_empty()
            || path == self.path
            || path
                .strip_prefix(&self.path)
                .is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Returns a relative path with `/`; none when it leaves its folder or is not text.
fn with_slashes(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(part) => parts.push(part.to_str()?),
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir
            | std::path::Component::RootDir
            | std::path::Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}
