//! The notes themselves, as the window is told.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;
use specta::Type;

use super::{FileProblem, FolderState, NotSearchedBy};

/// Whether an entry of the tree can be found by a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// It is in the library.
    Indexed,
    /// It waits to be read: it is new, or has changed since.
    Pending,
    /// It could not be read, or only in part.
    Problem,
}

/// A folder or a note in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TreeEntry {
    /// Its name.
    pub name: String,
    /// Its path in the watched folder.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The chunks in it.
    pub n_chunks: u32,
    /// Whether it can be found; of a folder, the worst of what it holds.
    pub state: EntryState,
    /// Whether it does not decay; of a folder, whether what comes into it will not.
    pub is_evergreen: bool,
    /// Of a note: why the folder's agent never finds it by a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub not_searched: Option<NotSearchedBy>,
    /// Of a folder: another one where anything in it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub stamp: Option<String>,
    /// What it holds, folders first, then by name.
    pub children: Vec<TreeEntry>,
}

/// A file or folder that is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadEntry {
    /// Its name.
    pub name: String,
    /// Its path in the watched folder.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is a folder that is looked into.
    pub can_open: bool,
    /// Why it is not read: lower case, without a full stop.
    pub reason: String,
}

/// What is not read of one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadFolder {
    /// Its path in the watched folder; empty for that itself.
    pub path: String,
    /// Folders first, then by name; at most 200.
    pub entries: Vec<UnreadEntry>,
    /// How many more there are.
    pub n_more: u32,
}

/// A watched folder with what it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderTree {
    /// The folder.
    pub folder: FolderState,
    /// Whether what lies in it does not decay, as far as nothing else is said of it.
    pub is_evergreen: bool,
    /// Another one where anything in it is another.
    pub stamp: String,
    /// What it holds.
    pub entries: Vec<TreeEntry>,
}

/// What the window has of the trees: stamps of folders by path, that of the watched folder by "", by the watched folder's id.
pub type KnownStamps = HashMap<String, HashMap<String, String>>;

impl FolderTree {
    /// Leaves out what the folders hold that the window has: of 50,000 notes, one that is saved sends a few hundred.
    #[must_use]
    pub fn without(mut self, known: &KnownStamps) -> FolderTree {
        if let Some(known) = known.get(&self.folder.id) {
            if known.get("") == Some(&self.stamp) {
                self.entries.clear();
            }
            leave_out(&mut self.entries, known);
        }
        self
    }
}

fn leave_out(entries: &mut [TreeEntry], known: &HashMap<String, String>) {
    for entry in entries {
        if entry.stamp.is_some() && entry.stamp.as_ref() == known.get(&entry.path) {
            entry.children.clear();
        }
        leave_out(&mut entry.children, known);
    }
}

/// A number that is another one where anything of these entries is another.
pub(crate) fn stamp_of(entries: &[TreeEntry]) -> String {
    let mut hasher = DefaultHasher::new();
    for entry in entries {
        let TreeEntry {
            name,
            path: _,
            is_folder,
            n_chunks,
            state,
            is_evergreen,
            not_searched,
            stamp,
            children: _,
        } = entry;
        (
            name,
            is_folder,
            n_chunks,
            state,
            is_evergreen,
            not_searched,
            stamp,
        )
            .hash(&mut hasher);
    }
    format!("{:x}", hasher.finish())
}

/// A chunk of an opened note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DocumentChunk {
    /// Its id.
    pub chunk: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Its length in tokens.
    pub tokens: u32,
    /// The headings above it.
    pub heading: String,
}

/// An opened note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DocumentView {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The note's path in it.
    pub path: String,
    /// Its text as it is now, decoded.
    pub text: String,
    /// Its lines.
    pub n_lines: u32,
    /// Its chunks as they were indexed.
    pub chunks: Vec<DocumentChunk>,
    /// Who says it.
    pub agent: Option<String>,
    /// When, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When the file was last modified, milliseconds since 1970.
    pub modified_ms: f64,
    /// The encoding it was read with.
    pub encoding: String,
    /// What went wrong with it.
    pub problems: Vec<FileProblem>,
}

#[cfg(test)]
mod tests {
    use memlens_indexer::FolderStatus;

    use super::*;

    fn entry(path: &str, children: Option<Vec<TreeEntry>>) -> TreeEntry {
        TreeEntry {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            path: path.to_owned(),
            is_folder: children.is_some(),
            n_chunks: 1,
            state: EntryState::Indexed,
            is_evergreen: false,
            not_searched: None,
            stamp: children.as_deref().map(stamp_of),
            children: children.unwrap_or_default(),
        }
    }

    /// A folder with two in it, of which `b` holds a note of so many chunks.
    fn tree(n_chunks: u32) -> FolderTree {
        let mut note = entry("b/note.md", None);
        note.n_chunks = n_chunks;
        let entries = vec![
            entry("a", Some(vec![entry("a/note.md", None)])),
            entry("b", Some(vec![note])),
        ];
        FolderTree {
            folder: FolderState {
                id: "1".to_owned(),
                path: "/notes".to_owned(),
                name: "notes".to_owned(),
                agent: None,
                n_files: 2,
                n_chunks: 2,
                status: FolderStatus::Watching,
                why: None,
            },
            is_evergreen: false,
            stamp: stamp_of(&entries),
            entries,
        }
    }

    fn known(tree: &FolderTree) -> KnownStamps {
        let folders = tree.entries.iter();
        let stamps = folders.filter_map(|it| Some((it.path.clone(), it.stamp.clone()?)));
        let own = [(String::new(), tree.stamp.clone())];
        HashMap::from([(tree.folder.id.clone(), stamps.chain(own).collect())])
    }

    #[test]
    fn what_the_window_has_is_left_out() {
        let before = known(&tree(1));
        assert!(tree(1).without(&before).entries.is_empty());
        let changed = tree(2).without(&before);
        let n_held: Vec<usize> = changed.entries.iter().map(|it| it.children.len()).collect();
        assert_eq!(n_held, [0, 1]);
        assert_ne!(changed.stamp, tree(1).stamp);
        let other = HashMap::from([("2".to_owned(), before["1"].clone())]);
        assert_eq!(tree(1).without(&other), tree(1));
    }

    #[test]
    fn every_change_of_a_note_gives_its_folder_another_stamp() {
        let note = entry("note.md", None);
        let before = stamp_of(std::slice::from_ref(&note));
        let changes: [fn(&mut TreeEntry); 6] = [
            |it| it.name.push('x'),
            |it| it.is_folder = true,
            |it| it.n_chunks += 1,
            |it| it.state = EntryState::Pending,
            |it| it.is_evergreen = true,
            |it| {
                it.not_searched = Some(NotSearchedBy {
                    agent: "OpenClaw".to_owned(),
                    cause: "kind",
                    reason: String::new(),
                    advice: String::new(),
                });
            },
        ];
        for change in changes {
            let mut note = note.clone();
            change(&mut note);
            assert_ne!(stamp_of(&[note]), before);
        }
        assert_ne!(stamp_of(&[]), before);
    }
}
