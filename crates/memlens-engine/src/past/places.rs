//! Where in the library a note stands that an agent named by a path of its own.
//!
//! Agents name notes by an absolute path, by one below their workspace, or by a collection and a path in it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use memlens_retrieve::Lists;
use memlens_store::{DocumentRow, Folder, FolderId};

/// The notes of a library by their names.
pub(crate) struct Places {
    lists: Arc<Lists>,
    by_name: HashMap<String, Vec<u32>>,
}

/// A note of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotePlace {
    /// The watched folder.
    pub folder: FolderId,
    /// The path in it.
    pub path: String,
    /// When it was last changed, milliseconds since 1970.
    pub modified_ms: i64,
}

impl Places {
    pub fn of(lists: Arc<Lists>) -> Places {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, document) in (0..).zip(&lists.snapshot.documents) {
            by_name
                .entry(name(&document.path).to_lowercase())
                .or_default()
                .push(at);
        }
        Places { lists, by_name }
    }

    /// The note that an agent calls so: the one that shares most of the path's end, the agent's own before others; none where
    /// nothing shares the name, or the path is another one altogether.
    pub fn find(&self, agent: &str, named: &str) -> Option<NotePlace> {
        let named = named.split_once("://").map_or(named, |(_, path)| path);
        let is_absolute = Path::new(named).is_absolute();
        let wanted: Vec<&str> = parts(named).collect();
        let found = self.by_name.get(&name(named).to_lowercase())?;
        let mut best: Option<((usize, bool), &DocumentRow)> = None;
        for at in found {
            let document = &self.lists.snapshot.documents[*at as usize];
            let folder = self.folder(document.folder)?;
            let whole: Vec<&str> = parts(&folder.path).chain(parts(&document.path)).collect();
            let n_own = parts(&document.path).count();
            let n_shared = shared(&whole, &wanted);
            // All of the name, or all of the note's path below its folder.
            let is_it = n_shared == wanted.len() || (!is_absolute && n_shared >= n_own);
            let rank = (n_shared, folder.agent.as_deref() == Some(agent));
            if is_it && best.is_none_or(|(most, _)| rank > most) {
                best = Some((rank, document));
            }
        }
        best.map(|(_, document)| NotePlace {
            folder: document.folder,
            path: document.path.clone(),
            modified_ms: document.modified_ms,
        })
    }

    fn folder(&self, id: FolderId) -> Option<&Folder> {
        self.lists
            .snapshot
            .folders
            .iter()
            .find(|folder| folder.id == id)
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | "~"))
}

fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// How many parts both share, from the end.
fn shared(a: &[&str], b: &[&str]) -> usize {
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn parts_are_shared_from_the_end() {
        let check = |a: &[&str], b: &[&str], expected: usize| assert_eq!(shared(a, b), expected);
        check(&["home", "notes", "a.md"], &["notes", "a.md"], 2);
        check(&["home", "notes", "A.md"], &["a.md"], 1);
        check(&["a.md"], &["b.md"], 0);
        check(&[], &["b.md"], 0);
    }
}
