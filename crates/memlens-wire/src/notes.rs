//! View types of the notes and their folders.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;
use specta::Type;

use super::{FileProblem, FolderState, NotSearchedBy};

/// Whether a search can find an entry of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// The entry is in the library.
    Indexed,
    /// The entry is new or changed, and waits to be read.
    Pending,
    /// The file could not be read, or only in part.
    Problem,
}

/// A folder or a note in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TreeEntry {
    /// File or folder name on screen.
    pub name: String,
    /// Path relative to the watched folder.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
    /// Number of chunks in the note or folder.
    pub n_chunks: u32,
    /// Index state; for a folder the worst state of its contents.
    pub state: EntryState,
    /// Whether the note does not decay; for a folder, whether new notes in it will not.
    pub is_evergreen: bool,
    /// Notes only: why the search of the folder's agent never finds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub not_searched: Option<NotSearchedBy>,
    /// Folders only: content hash; changes whenever anything inside changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub stamp: Option<String>,
    /// Contents of a folder: folders first, then by name.
    pub children: Vec<TreeEntry>,
}

/// A file or folder that is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadEntry {
    /// File or folder name on screen.
    pub name: String,
    /// Path relative to the watched folder.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
    /// Whether the entry is a folder whose contents can be listed.
    pub can_open: bool,
    /// Why it is not read: lower case, without a full stop.
    pub reason: String,
}

/// What is hidden in watched folders and not read, although it is a note, or a folder with a note directly in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct HiddenNotes {
    /// Number of folders.
    pub n_folders: u32,
    /// Number of notes that are in none of these folders.
    pub n_files: u32,
    /// What is not read, in a sentence without a full stop; empty if there is nothing.
    pub sentence: String,
    /// By watched folder and path; at most 200.
    pub entries: Vec<HiddenEntry>,
}

/// A hidden file or folder that is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct HiddenEntry {
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path relative to the watched folder.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Why it is not read, and how it is included: lower case, without a full stop.
    pub reason: String,
}

/// Files and sub-folders of one folder that are not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadFolder {
    /// Path relative to the watched folder; empty for the watched folder itself.
    pub path: String,
    /// Folders first, then by name; at most 200.
    pub entries: Vec<UnreadEntry>,
    /// Number of further entries over that limit.
    pub n_more: u32,
}

/// A watched folder with its contents.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderTree {
    /// State of the watched folder.
    pub folder: FolderState,
    /// Whether its notes do not decay unless they are marked otherwise.
    pub is_evergreen: bool,
    /// Content hash; changes whenever anything inside changes.
    pub stamp: String,
    /// Top-level entries of the folder.
    pub entries: Vec<TreeEntry>,
}

/// Stamps of the folders that the window has: by path ("" is the watched folder itself), by the watched folder's id.
pub type KnownStamps = HashMap<String, HashMap<String, String>>;

impl FolderTree {
    /// Removes the contents of folders that the window already has. Of 50,000 notes, one saved note then sends a few
    /// hundred entries.
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

/// Hash of the entries; changes whenever anything in them changes.
pub fn stamp_of(entries: &[TreeEntry]) -> String {
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
    /// Id of the chunk in the index.
    pub chunk: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Length of the chunk in tokens.
    pub tokens: u32,
    /// Headings above the chunk, joined by ` > `.
    pub heading: String,
}

/// An opened note with its chunks.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DocumentView {
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// Current text of the file, decoded.
    pub text: String,
    /// Number of lines in the text.
    pub n_lines: u32,
    /// Chunks of the note as they were indexed.
    pub chunks: Vec<DocumentChunk>,
    /// Agent that the note names as its author, if any.
    pub agent: Option<String>,
    /// Date of the note as `YYYY-MM-DD`, if known.
    pub date: Option<String>,
    /// Tags in the note's front matter.
    pub tags: Vec<String>,
    /// Last modification of the file, milliseconds since 1970.
    pub modified_ms: f64,
    /// Encoding that the file was decoded with.
    pub encoding: String,
    /// Problems that occurred while reading the file.
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

    /// A folder with two sub-folders, of which `b` contains a note with `n_chunks` chunks.
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
