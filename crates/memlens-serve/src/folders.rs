//! The watched folders that a client may read, and the paths that it may name in them.

use std::path::Path;
use std::sync::Arc;

use memlens_agents::{Searched, Share, agent};
use memlens_files::{canonical, name_in, with_slashes};
use memlens_library::notes::spelling::respelled;
use memlens_retrieve::{Lists, Part, Scope};
use memlens_store::{Folder, FolderId};

use crate::Served;
use crate::answers::Refused;
use crate::caller::Caller;

/// The folders that are served, with the lists of one moment.
pub(crate) struct Folders {
    pub lists: Arc<Lists>,
    pub served: Vec<Folder>,
    /// Whether some watched folders are not served.
    is_part: bool,
}

/// A note that is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub folder: Folder,
    /// Path in the folder, with `/`.
    pub path: String,
}

impl Folders {
    /// The folders that are served now to this client.
    ///
    /// # Errors
    /// [`Refused::NoFolder`] and its variants if there are none.
    pub fn now(served: &Served, caller: &Caller) -> Result<Folders, Refused> {
        let lists = served.library.lists();
        let agents = [served.agent.as_deref(), caller.agent];
        let is_seen = |folder: &&Folder| {
            let mut agents = agents.iter().flatten();
            agents.all(|agent| folder.agent.as_deref() == Some(agent))
        };
        let mut folders: Vec<Folder> = lists
            .snapshot
            .folders
            .iter()
            .filter(is_seen)
            .cloned()
            .collect();
        let agent = agents.into_iter().flatten().next_back();
        if folders.is_empty() {
            return Err(match agent {
                None => Refused::NoFolder,
                Some(agent) => Refused::NoFolderOf {
                    agent: agent.to_owned(),
                },
            });
        }
        if let (Some(agent), Some(member)) = (agent, &served.member) {
            folders = of_member(served, agent, member, folders)?;
        }
        Ok(Folders {
            // Even if no other folder is watched yet: one may be added before the search.
            is_part: agent.is_some(),
            served: folders,
            lists,
        })
    }

    /// Ids of the folders that are served; `None` if all watched folders are.
    pub fn limit(&self) -> Option<Vec<i64>> {
        let ids = self.served.iter().map(|folder| folder.id.0);
        self.is_part.then(|| ids.collect())
    }

    /// The path by which a client names a note: with the folder's name if several folders are served. Names of folders are
    /// unique.
    pub fn name(&self, folder: FolderId, path: &str) -> String {
        match self.served.iter().find(|served| served.id == folder) {
            Some(folder) if self.served.len() > 1 => format!("{}/{path}", folder.name),
            Some(_) | None => path.to_owned(),
        }
    }

    /// The part to search: everything that is served, or what `typed` names of it.
    ///
    /// # Errors
    /// [`Refused::Path`] if `typed` names nothing in one folder, or things in several.
    pub fn part(&self, typed: Option<&str>) -> Result<Part, Refused> {
        let Some(typed) = typed else {
            let ids = self.served.iter().map(|folder| folder.id).collect();
            return Ok(if self.is_part {
                Part::Folders(ids)
            } else {
                Part::All
            });
        };
        let scope = |note: &Note| Scope {
            folder: note.folder.id,
            path: note.path.clone(),
        };
        let has_notes = |note: &Note| !scope(note).chunks(&self.lists.snapshot).is_empty();
        let note = self.only(typed, has_notes)?;
        Ok(Part::Folder(scope(&note)))
    }

    /// The note that a client names. Links are not followed, and nothing outside of the served folders is found.
    ///
    /// # Errors
    /// [`Refused::Path`] if there is no such note, or several.
    pub fn note(&self, typed: &str) -> Result<Note, Refused> {
        self.only(typed, |note| {
            let is_indexed = self
                .lists
                .snapshot
                .find(note.folder.id, &note.path)
                .is_some();
            let root = Path::new(&note.folder.path);
            let is_file = memlens_ingest::find(root, &note.path).is_ok_and(|file| file.is_some());
            is_indexed || is_file
        })
    }

    /// The only thing that `typed` means of which `is_there` is true; by another spelling only if there is none.
    fn only(&self, typed: &str, is_there: impl Fn(&Note) -> bool) -> Result<Note, Refused> {
        let mut candidates = self.candidates(typed)?;
        if !candidates.iter().any(&is_there) {
            for note in &mut candidates {
                if let Some(path) = respelled(&self.lists.snapshot, &note.folder, &note.path) {
                    note.path = path;
                }
            }
        }
        candidates.retain(is_there);
        candidates.dedup();
        match <[Note; 1]>::try_from(candidates) {
            Ok([note]) => Ok(note),
            Err(found) => Err(refused(typed, found.is_empty())),
        }
    }

    /// Everything that `typed` may mean, each once: an absolute path in a served folder, a path in a served folder, or a
    /// folder's name with a path in it.
    fn candidates(&self, typed: &str) -> Result<Vec<Note>, Refused> {
        if typed.contains('\0') {
            return Err(Refused::Path {
                typed: typed.replace('\0', "\u{2400}"),
                why: "a path cannot contain a NUL character",
            });
        }
        let path = Path::new(typed);
        let mut found = Vec::new();
        for folder in &self.served {
            let mut add = |path: String| {
                let note = Note {
                    folder: folder.clone(),
                    path,
                };
                if !found.contains(&note) {
                    found.push(note);
                }
            };
            if path.is_absolute() {
                if let Some(inner) = name_in(Path::new(&folder.path), path) {
                    add(inner);
                }
                continue;
            }
            let inner = with_slashes(path).filter(|inner| !inner.is_empty());
            let inner = inner.ok_or_else(|| Refused::Path {
                typed: typed.to_owned(),
                why: "a path must stay in its folder",
            })?;
            match inner.strip_prefix(folder.name.as_str()) {
                Some("") => add(String::new()),
                Some(rest) if rest.starts_with('/') => add(rest[1..].to_owned()),
                Some(_) | None => {}
            }
            add(inner);
        }
        Ok(found)
    }
}

/// The folders that are for one of a program's own agents alone. A folder with notes that are not for the agent is left out,
/// because a folder is served as a whole.
fn of_member(
    served: &Served,
    program: &str,
    member: &str,
    mut folders: Vec<Folder>,
) -> Result<Vec<Folder>, Refused> {
    let home = served.library.home();
    let searched = home.and_then(|home| Searched::of(home, program));
    let name = agent(program)
        .map_or(program, |agent| agent.name)
        .to_owned();
    let mut mixed = Vec::new();
    let mut is_known = false;
    folders.retain(|folder| {
        let path = Path::new(&folder.path);
        let path = canonical(path).unwrap_or_else(|_| path.to_owned());
        let share = searched
            .as_ref()
            .and_then(|searched| searched.share(member, &path));
        is_known |= share.is_some();
        if share == Some(Share::Part) {
            mixed.push(folder.path.clone());
        }
        share == Some(Share::Whole)
    });
    let (program, member) = (name, member.to_owned());
    if !is_known {
        return Err(Refused::NoMember { program, member });
    }
    if folders.is_empty() {
        return Err(Refused::NoFolderOfMember {
            program,
            member,
            mixed,
        });
    }
    Ok(folders)
}

fn refused(typed: &str, is_nothing: bool) -> Refused {
    Refused::Path {
        typed: typed.to_owned(),
        why: if is_nothing {
            "no served folder has notes there; memory_status lists the folders"
        } else {
            "several served folders have it; begin the path with the folder's name"
        },
    }
}
