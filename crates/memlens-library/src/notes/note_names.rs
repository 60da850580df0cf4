//! Names of notes for the user: prefixed by the folder's name if several folders are watched.

use std::collections::HashMap;

use memlens_retrieve::NoteFacts;
use memlens_store::{Folder, FolderId};
use memlens_wire::AgentName;

use crate::notes::place::note_path;

/// Names of notes, valid as long as the watched folders do not change.
pub struct NoteNames {
    /// Prefix of the paths in each folder; empty if only one folder is watched.
    prefixes: HashMap<FolderId, String>,
}

impl NoteNames {
    /// Names of the notes in these folders.
    pub fn of(folders: &[Folder]) -> NoteNames {
        let prefix = |folder: &Folder| match folders.len() {
            0 | 1 => String::new(),
            _ => format!("{}/", distinct(folder, folders)),
        };
        NoteNames {
            prefixes: folders
                .iter()
                .map(|folder| (folder.id, prefix(folder)))
                .collect(),
        }
    }

    /// The name of a note by its folder and its path in it; the path alone if the folder is not watched.
    pub fn name(&self, folder: FolderId, path: &str) -> String {
        let prefix = self.prefixes.get(&folder).map_or("", String::as_str);
        format!("{prefix}{path}")
    }

    /// The name of a note of a search, which may be in no watched folder.
    pub fn of_note(&self, note: &NoteFacts) -> String {
        if self.prefixes.contains_key(&note.folder) {
            return self.name(note.folder, &note.path);
        }
        note_path(&note.folder_path, &note.path)
            .display()
            .to_string()
    }
}

/// The end of a folder's path that distinguishes it from all others: its name, with as many parents as needed.
fn distinct(folder: &Folder, folders: &[Folder]) -> String {
    let end = |path: &str, n: usize| -> String {
        let parts: Vec<&str> = path
            .split(['/', '\\'])
            .filter(|it| !it.is_empty())
            .collect();
        parts[parts.len().saturating_sub(n)..].join("/")
    };
    let others = || folders.iter().filter(|other| other.id != folder.id);
    if others().all(|other| other.name != folder.name) {
        return folder.name.clone();
    }
    let n_parts = folder.path.split(['/', '\\']).count();
    (2..n_parts)
        .map(|n| end(&folder.path, n))
        .zip(2..)
        .find(|(own, n)| others().all(|other| end(&other.path, *n) != *own))
        .map_or_else(|| folder.path.clone(), |(own, _)| own)
}

/// The agent of a folder as the window shows it; an id that this version does not know is its own name.
pub fn agent_name(id: &str) -> AgentName {
    AgentName {
        id: id.to_owned(),
        name: memlens_agents::agent(id)
            .map_or(id, |agent| agent.name)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use memlens_store::{Folder, FolderId};

    use super::NoteNames;

    fn folder(id: i64, path: &str) -> Folder {
        Folder {
            id: FolderId(id),
            path: path.to_owned(),
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        }
    }

    #[test]
    fn a_folder_is_named_where_several_are_watched() {
        let one = NoteNames::of(&[folder(1, "/home/iris/notes")]);
        assert_eq!(one.name(FolderId(1), "memory/a.md"), "memory/a.md");
        let several = NoteNames::of(&[
            folder(1, "/home/iris/notes"),
            folder(2, "/home/iris/one/memory"),
            folder(3, "/home/iris/two/memory"),
        ]);
        assert_eq!(several.name(FolderId(1), "a.md"), "notes/a.md");
        assert_eq!(several.name(FolderId(2), "a.md"), "one/memory/a.md");
        assert_eq!(several.name(FolderId(3), "a.md"), "two/memory/a.md");
        // The name of one folder is the end of another's path.
        let nested = NoteNames::of(&[folder(1, "/memory"), folder(2, "/x/memory")]);
        assert_eq!(nested.name(FolderId(1), "a.md"), "/memory/a.md");
        assert_eq!(nested.name(FolderId(2), "a.md"), "x/memory/a.md");
    }
}
