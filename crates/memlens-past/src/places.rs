//! Finds the note in the library that an agent names by a path of its own.
//!
//! Agents name notes by an absolute path, by a path below their workspace, or by a collection and a path in it.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use memlens_library::{EngineError, Library};
use memlens_retrieve::Lists;
use memlens_store::{DocumentRow, Folder, FolderId};
use parking_lot::Mutex;

/// OpenClaw, which names notes by their paths below its workspace.
const OPENCLAW: &str = "openclaw";

/// The notes of a library by their names.
pub struct Places {
    lists: Arc<Lists>,
    /// By the last part of the path.
    by_name: HashMap<String, Vec<u32>>,
    /// By the last two, since every folder has notes of some names; the folder's own parts count.
    by_two: HashMap<String, Vec<u32>>,
    /// Notes at the top of their folder, by name.
    at_top: HashMap<String, Vec<u32>>,
    /// Save time of the bytes of notes with a newer mtime, milliseconds since 1970.
    saved_ms: HashMap<(FolderId, String), i64>,
    /// The workspaces of OpenClaw, of which only a part may be watched; empty if they are not known.
    workspaces: Vec<PathBuf>,
    /// Cached results, by agent and name.
    known: Mutex<HashMap<(String, String), Result<NotePlace, NoPlace>>>,
}

/// A note of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotePlace {
    /// The watched folder.
    pub folder: FolderId,
    /// Path in the folder.
    pub path: String,
    /// When its bytes were saved, milliseconds since 1970: a new mtime alone does not count.
    pub saved_ms: i64,
}

/// Why a note cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// No note has that name, and there is no such file on the disk.
    Deleted,
    /// No note of the library has that name.
    None,
    /// Several notes have the name, and nothing distinguishes them.
    Several,
}

impl NoPlace {
    /// The reason, to show to the user.
    pub fn why(self) -> &'static str {
        match self {
            NoPlace::Deleted => "the note is gone",
            NoPlace::None => "the note is gone, or not watched",
            NoPlace::Several => "several notes have this name",
        }
    }
}

/// The notes of the library by their names.
///
/// # Errors
/// [`EngineError::Store`].
pub fn places(library: &Library) -> Result<Places, EngineError> {
    let saved_ms = library.store().saved_before_touched()?;
    let lists = library.lists();
    let mut folders = lists.snapshot.folders.iter();
    let is_watched = folders.any(|folder| folder.agent.as_deref() == Some(OPENCLAW));
    let rules = is_watched.then(|| library.searched(OPENCLAW)).flatten();
    let indexes = rules.iter().flat_map(|rules| rules.indexes.iter());
    let workspaces: Vec<PathBuf> = indexes
        .flat_map(|index| index.own_folders())
        .map(Path::to_path_buf)
        .collect();
    Ok(Places::of(lists, saved_ms, workspaces))
}

impl Places {
    fn of(
        lists: Arc<Lists>,
        saved_ms: HashMap<(FolderId, String), i64>,
        workspaces: Vec<PathBuf>,
    ) -> Places {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        let mut by_two: HashMap<String, Vec<u32>> = HashMap::new();
        let mut at_top: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, document) in (0..).zip(lists.snapshot.documents.iter()) {
            let Some(folder) = lists.snapshot.folder(document.folder) else {
                continue;
            };
            let whole: Vec<&str> = parts(&folder.path).chain(parts(&document.path)).collect();
            if let Some(two) = last_two(&whole) {
                by_two.entry(two).or_default().push(at);
            }
            let name = whole.last().copied().unwrap_or_default().to_lowercase();
            if parts(&document.path).count() == 1 {
                at_top.entry(name.clone()).or_default().push(at);
            }
            by_name.entry(name).or_default().push(at);
        }
        Places {
            lists,
            by_name,
            by_two,
            at_top,
            saved_ms,
            workspaces,
            known: Mutex::default(),
        }
    }

    /// The note that an agent's path means: the note that shares most of the path's end; of equals the agent's own
    /// notes first, and a note named from its folder on before one at a deeper path. The path may lack the extension of
    /// a Markdown file.
    ///
    /// # Errors
    /// [`NoPlace::None`] or [`NoPlace::Deleted`] if nothing shares the name, or the path is another one altogether;
    /// [`NoPlace::Several`] if several are equally near.
    pub fn find(&self, agent: &str, named: &str) -> Result<NotePlace, NoPlace> {
        let key = (agent.to_owned(), named.to_owned());
        if let Some(known) = self.known.lock().get(&key) {
            return known.clone();
        }
        let path = named.split_once("://").map_or(named, |(_, path)| path);
        let found = match self.look(agent, path) {
            Err(NoPlace::None) => self.look(agent, &format!("{path}.md")),
            found => found,
        };
        let found = match found {
            Err(NoPlace::None) if self.is_deleted(agent, named) => Err(NoPlace::Deleted),
            found => found,
        };
        self.known.lock().insert(key, found.clone());
        found
    }

    /// Whether the file that an agent with watched folders named is missing on the disk: a file with an absolute path,
    /// or with a path below a workspace of OpenClaw. The base of other agents' names is unknown.
    fn is_deleted(&self, agent: &str, named: &str) -> bool {
        // OpenClaw uses such names for conversations, which are not files of the workspace.
        let is_session = named.starts_with("sessions/");
        let path = Path::new(named);
        let is_plain = path
            .components()
            .all(|part| !matches!(part, Component::ParentDir));
        if is_session || named.contains("://") || named.starts_with('~') || !is_plain {
            return false;
        }
        let snapshot = &self.lists.snapshot;
        let own = |folder: &&Folder| folder.agent.as_deref() == Some(agent);
        let mut folders = snapshot.folders.iter().filter(own).peekable();
        if folders.peek().is_none() {
            return false;
        }
        let is_missing = |path: &Path| {
            let found = path.symlink_metadata();
            found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        // A folder that is not mounted has not lost its files.
        if path.is_absolute() {
            return path.parent().is_some_and(Path::is_dir) && is_missing(path);
        }
        let lacks = |root: &Path| root.is_dir() && is_missing(&root.join(path));
        agent == OPENCLAW
            && !self.workspaces.is_empty()
            && self.workspaces.iter().all(|root| lacks(root))
            && folders.all(|folder| lacks(Path::new(&folder.path)))
    }

    fn look(&self, agent: &str, named: &str) -> Result<NotePlace, NoPlace> {
        let is_absolute = Path::new(named).is_absolute();
        let wanted: Vec<&str> = parts(named).collect();
        let name = wanted.last().ok_or(NoPlace::None)?.to_lowercase();
        // A note that shares two parts also shares the name, and ranks higher.
        let lists = match last_two(&wanted) {
            None => [self.by_name.get(&name), None],
            Some(two) => [self.by_two.get(&two), self.at_top.get(&name)],
        };
        let found = lists
            .into_iter()
            .flatten()
            .map(|among| self.nearest(agent, &wanted, is_absolute, among));
        found
            .into_iter()
            .find(|found| *found != Err(NoPlace::None))
            .unwrap_or(Err(NoPlace::None))
    }

    fn nearest(
        &self,
        agent: &str,
        wanted: &[&str],
        is_absolute: bool,
        among: &[u32],
    ) -> Result<NotePlace, NoPlace> {
        let mut best: Option<Near<'_>> = None;
        let mut is_tie = false;
        for at in among {
            let document = &self.lists.snapshot.documents[*at as usize];
            let Some(folder) = self.lists.snapshot.folder(document.folder) else {
                continue;
            };
            let whole: Vec<&str> = parts(&folder.path).chain(parts(&document.path)).collect();
            let n_own = parts(&document.path).count();
            let n_shared = shared(&whole, wanted);
            // The whole name, or the note's whole path below its folder.
            let is_it = n_shared == wanted.len() || (!is_absolute && n_shared >= n_own);
            if !is_it {
                continue;
            }
            // A note whose whole path in its folder was named comes before one at a deeper path.
            let is_whole = n_shared >= n_own;
            let rank = (n_shared, folder.agent.as_deref() == Some(agent), is_whole);
            match &best {
                Some(near) if rank < near.rank => {}
                // With nested folders the same note occurs twice.
                Some(near) if rank == near.rank => is_tie |= near.whole != whole,
                _ => {
                    best = Some(Near {
                        rank,
                        document,
                        whole,
                    });
                    is_tie = false;
                }
            }
        }
        let document = best.ok_or(NoPlace::None)?.document;
        if is_tie {
            return Err(NoPlace::Several);
        }
        Ok(NotePlace {
            folder: document.folder,
            path: document.path.clone(),
            saved_ms: self.saved_ms_of(document),
        })
    }

    /// When the bytes of a note were saved; `None` if the library does not hold it.
    pub fn saved_ms(&self, folder: FolderId, path: &str) -> Option<i64> {
        let at = self.lists.snapshot.find(folder, path)?;
        Some(self.saved_ms_of(&self.lists.snapshot.documents[at]))
    }

    fn saved_ms_of(&self, document: &DocumentRow) -> i64 {
        let key = (document.folder, document.path.clone());
        let saved_ms = self.saved_ms.get(&key).copied();
        saved_ms.unwrap_or(document.modified_ms)
    }
}

/// A note that the name may mean.
struct Near<'a> {
    /// Number of common parts, whether it is the agent's own, and whether its whole path in its folder was named.
    rank: (usize, bool, bool),
    document: &'a DocumentRow,
    /// The parts of its path, including those of its folder.
    whole: Vec<&'a str>,
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | "~"))
}

/// The last two parts as a key; `None` if there is only one.
fn last_two(parts: &[&str]) -> Option<String> {
    let [.., parent, name] = parts else {
        return None;
    };
    Some(format!("{parent}/{name}").to_lowercase())
}

/// Number of common parts, from the end.
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
