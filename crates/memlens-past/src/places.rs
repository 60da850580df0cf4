//! Finds the note in the library that an agent names by a path of its own.
//!
//! Agents name notes by an absolute path, by a path below their workspace, or by a collection and a path in it.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Component, Path};
use std::sync::Arc;

use memlens_agents::{Index, Searched};
use memlens_files::{System, composed};
use memlens_library::notes::spelling::respelled;
use memlens_library::{EngineError, Library};
use memlens_retrieve::Lists;
use memlens_store::{DocumentRow, Folder, FolderId};
use parking_lot::Mutex;

use super::Past;

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
    /// What each agent of OpenClaw searches, of which only a part may be watched; `None` if that is not known.
    searched: Option<Arc<Searched>>,
    /// Parts of paths outside of ASCII by their composed form; `None` if several have it.
    composed: HashMap<String, Option<String>>,
    known: Mutex<HashMap<Name, Result<NotePlace, NoPlace>>>,
}

/// The agent's id, the id of the agent among those of its program, and the path.
type Name = (String, Option<String>, String);

/// A note of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotePlace {
    /// Watched folder that contains the note.
    pub folder: FolderId,
    /// The note's path in that folder.
    pub path: String,
    /// When its bytes were saved, milliseconds since 1970: a new mtime alone does not count.
    pub saved_ms: i64,
}

/// Why a note cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// There is no note and no file on the disk with that name.
    Deleted,
    /// No note of the library has that name.
    None,
    /// Several notes have the name, and nothing distinguishes them.
    Several,
    /// The program has several workspaces, and the one that the path is relative to is not known.
    NoWorkspace,
}

impl NoPlace {
    /// The reason, to show to the user.
    pub fn why(self) -> &'static str {
        match self {
            NoPlace::Deleted => "the note is gone",
            NoPlace::None => "the note is gone, or not watched",
            NoPlace::Several => "several notes have this name",
            NoPlace::NoWorkspace => "the workspace that it is in is not known",
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
    let searched = is_watched.then(|| library.searched(OPENCLAW)).flatten();
    Ok(Places::of(lists, saved_ms, searched))
}

impl Places {
    fn of(
        lists: Arc<Lists>,
        saved_ms: HashMap<(FolderId, String), i64>,
        searched: Option<Arc<Searched>>,
    ) -> Places {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        let mut by_two: HashMap<String, Vec<u32>> = HashMap::new();
        let mut at_top: HashMap<String, Vec<u32>> = HashMap::new();
        let mut composed_parts: HashMap<String, Option<String>> = HashMap::new();
        for (at, document) in (0..).zip(lists.snapshot.documents.iter()) {
            let Some(folder) = lists.snapshot.folder(document.folder) else {
                continue;
            };
            let whole: Vec<&str> = parts(&folder.path).chain(parts(&document.path)).collect();
            for part in whole.iter().filter(|part| !part.is_ascii()) {
                let known = composed_parts
                    .entry(composed(part).into_owned())
                    .or_insert_with(|| Some((*part).to_owned()));
                if known.as_deref().is_some_and(|known| known != *part) {
                    *known = None;
                }
            }
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
            searched,
            composed: composed_parts,
            known: Mutex::default(),
        }
    }

    /// The note that an agent's path means: the note that shares most of the path's end; of equals the agent's own
    /// notes first, and a note named from its folder on before one at a deeper path. The path may lack the extension of
    /// a Markdown file.
    ///
    /// # Errors
    /// [`NoPlace::None`] or [`NoPlace::Deleted`] if nothing shares the name, or the path is another one altogether;
    /// [`NoPlace::Several`] if several are equally near; [`NoPlace::NoWorkspace`] if the path may be relative to several workspaces.
    ///
    /// A relative path of a program with several workspaces means a note of the workspace of `member`, the id of the agent among
    /// those of its program, and no other.
    pub fn find(
        &self,
        agent: &str,
        member: Option<&str>,
        named: &str,
    ) -> Result<NotePlace, NoPlace> {
        let key = (
            agent.to_owned(),
            member.map(str::to_owned),
            named.to_owned(),
        );
        if let Some(known) = self.known.lock().get(&key) {
            return known.clone();
        }
        let found = match self.workspace(agent, member, named) {
            Some(Ok(index)) => self.in_workspace(index, named),
            Some(Err(why)) => Err(why),
            None => self.anywhere(agent, named),
        };
        self.known.lock().insert(key, found.clone());
        found
    }

    /// The note that a path in a past question means; see [`Places::find`].
    ///
    /// # Errors
    /// As [`Places::find`].
    pub fn find_of(&self, past: &Past, named: &str) -> Result<NotePlace, NoPlace> {
        self.find(&past.asked.agent, past.member.as_deref(), named)
    }

    /// What the agent searches that a path is relative to; `None` if the path is not relative to one of several workspaces.
    fn workspace(
        &self,
        agent: &str,
        member: Option<&str>,
        named: &str,
    ) -> Option<Result<&Index, NoPlace>> {
        let is_relative = !Path::new(named).is_absolute()
            && !named.contains("://")
            && !named.starts_with('~')
            && !is_conversation(named);
        let searched = self.searched.as_ref().filter(|_| agent == OPENCLAW)?;
        if !is_relative || searched.indexes.len() < 2 {
            return None;
        }
        let mut indexes = searched.indexes.iter();
        let index = member.and_then(|id| indexes.find(|it| it.member.eq_ignore_ascii_case(id)));
        Some(index.ok_or(NoPlace::NoWorkspace))
    }

    fn in_workspace(&self, index: &Index, named: &str) -> Result<NotePlace, NoPlace> {
        let exact = index.paths_named(named);
        let with_extension = index.paths_named(&format!("{named}.md"));
        let mut paths = exact.iter().chain(&with_extension);
        if let Some(place) = paths.find_map(|path| self.at(path)) {
            return Ok(place);
        }
        let is_there = index.own_folders().all(Path::is_dir);
        if is_there && !exact.is_empty() && exact.iter().all(|path| is_missing(path)) {
            Err(NoPlace::Deleted)
        } else {
            Err(NoPlace::None)
        }
    }

    /// The note of the library with an absolute path.
    fn at(&self, path: &Path) -> Option<NotePlace> {
        let snapshot = &self.lists.snapshot;
        let mut folders = snapshot.folders.iter();
        folders.find_map(|folder| {
            let inner = memlens_files::name_in(Path::new(&folder.path), path)?;
            let at = snapshot.find(folder.id, &inner).or_else(|| {
                let name = respelled(snapshot, folder, &inner)?;
                snapshot.find(folder.id, &name)
            })?;
            let document = &snapshot.documents[at];
            Some(NotePlace {
                folder: folder.id,
                path: document.path.clone(),
                saved_ms: self.saved_ms_of(document),
            })
        })
    }

    fn anywhere(&self, agent: &str, named: &str) -> Result<NotePlace, NoPlace> {
        let plain = System::CURRENT.plain_path(named);
        let named = &*plain;
        let path = named.split_once("://").map_or(named, |(_, path)| path);
        let with_extension = format!("{path}.md");
        let mut found = self.look(agent, path);
        for other in [
            Some(&with_extension),
            self.respelled(path).as_ref(),
            self.respelled(&with_extension).as_ref(),
        ] {
            if let (Err(NoPlace::None), Some(other)) = (&found, other) {
                found = self.look(agent, other);
            }
        }
        match found {
            Err(NoPlace::None) if self.is_deleted(agent, named) => Err(NoPlace::Deleted),
            found => found,
        }
    }

    /// The path with each part composed as the only part of the library's paths that is the same one; `None` if that changes
    /// nothing.
    fn respelled(&self, named: &str) -> Option<String> {
        if named.is_ascii() {
            return None;
        }
        let part = |part: &str| match self.composed.get(composed(part).as_ref()) {
            Some(Some(known)) => known.clone(),
            Some(None) | None => part.to_owned(),
        };
        let respelled: Vec<String> = named.split('/').map(part).collect();
        Some(respelled.join("/")).filter(|other| other != named)
    }

    /// Whether the file that an agent with watched folders named is missing on the disk: a file with an absolute path,
    /// or with a path below a workspace of OpenClaw. The base of other agents' names is unknown.
    fn is_deleted(&self, agent: &str, named: &str) -> bool {
        let path = Path::new(named);
        let is_plain = path
            .components()
            .all(|part| !matches!(part, Component::ParentDir));
        if is_conversation(named) || named.contains("://") || named.starts_with('~') || !is_plain {
            return false;
        }
        let snapshot = &self.lists.snapshot;
        let own = |folder: &&Folder| folder.agent.as_deref() == Some(agent);
        let mut folders = snapshot.folders.iter().filter(own).peekable();
        if folders.peek().is_none() {
            return false;
        }
        // A folder that is not mounted has not lost its files.
        if path.is_absolute() {
            return path.parent().is_some_and(Path::is_dir) && is_missing(path);
        }
        let lacks = |root: &Path| root.is_dir() && is_missing(&root.join(path));
        let indexes = self.searched.iter().flat_map(|it| it.indexes.iter());
        let mut workspaces = indexes.flat_map(Index::own_folders).peekable();
        agent == OPENCLAW
            && workspaces.peek().is_some()
            && workspaces.all(lacks)
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

/// Whether a path of OpenClaw names a conversation, which is no file of the workspace.
fn is_conversation(named: &str) -> bool {
    named.starts_with("sessions/")
}

fn is_missing(path: &Path) -> bool {
    let found = path.symlink_metadata();
    found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
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
    let is_same =
        |a: &str, b: &str| a.eq_ignore_ascii_case(b) || System::CURRENT.is_same_name(a, b);
    pairs.take_while(|(a, b)| is_same(a, b)).count()
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
