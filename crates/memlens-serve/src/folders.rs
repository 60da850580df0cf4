//! The watched folders that a client may read, and the paths that it may name in them.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use memlens_agents::{Searched, Share, agent};
use memlens_files::{canonical, name_in, with_slashes};
use memlens_ingest::{Reason, Verdict};
use memlens_library::notes::spelling::respelled;
use memlens_retrieve::{Lists, Part, Scope};
use memlens_store::{Folder, FolderId};

use crate::Served;
use crate::answers::Refused;
use crate::caller::Caller;

/// Why a path is refused that names nothing.
const NOTHING: &str = "no served folder has notes there; memory_status lists the folders";

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
        name(&self.served, folder, path)
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
        let note = note.ok_or_else(|| refused(typed, NOTHING))?;
        Ok(Part::Folder(scope(&note)))
    }

    /// The note that a client names. Links are not followed, and nothing outside of the served folders is found.
    ///
    /// # Errors
    /// [`Refused::Path`] if there is no such note, or several, or if its folder is a link now.
    pub fn note(&self, typed: &str) -> Result<Note, Refused> {
        let note = self.only(typed, |note| self.has(note))?;
        let note = note.ok_or_else(|| refused(typed, NOTHING))?;
        unlinked(typed, note)
    }

    /// As [`Folders::note`]; if there is none, a file or folder that the rules leave out of the library.
    ///
    /// # Errors
    /// As [`Folders::note`].
    pub fn note_or_left_out(&self, typed: &str) -> Result<Note, Refused> {
        let note = match self.only(typed, |note| self.has(note))? {
            Some(note) => Some(note),
            None => self.only(typed, is_left_out)?,
        };
        let note = note.ok_or_else(|| refused(typed, NOTHING))?;
        unlinked(typed, note)
    }

    /// Whether this is a note that is indexed or would be.
    fn has(&self, note: &Note) -> bool {
        let snapshot = &self.lists.snapshot;
        let root = Path::new(&note.folder.path);
        let is_file = || memlens_ingest::find(root, &note.path).is_ok_and(|file| file.is_some());
        snapshot.find(note.folder.id, &note.path).is_some() || (!is_linked(root) && is_file())
    }

    /// The only thing that `typed` means of which `is_there` is true; by another spelling only if there is none. `None` if
    /// there is none at all.
    fn only(&self, typed: &str, is_there: impl Fn(&Note) -> bool) -> Result<Option<Note>, Refused> {
        let readings = readings(&self.served, typed)?;
        if let Some(note) = only(typed, &readings, &is_there)? {
            return Ok(Some(note));
        }
        let respelled = readings.into_iter().filter_map(|reading| {
            let Note { folder, path } = reading.note;
            let path = respelled(&self.lists.snapshot, &folder, &path)?;
            let note = Note { folder, path };
            Some(Reading { note, ..reading })
        });
        only(typed, &respelled.collect::<Vec<_>>(), &is_there)
    }
}

/// What a path may mean.
struct Reading {
    note: Note,
    /// Whether the server itself calls it so.
    is_own: bool,
}

/// As [`Folders::name`].
fn name(served: &[Folder], folder: FolderId, path: &str) -> String {
    match served.iter().find(|served| served.id == folder) {
        Some(folder) if served.len() > 1 => format!("{}/{path}", folder.name),
        Some(_) | None => path.to_owned(),
    }
}

/// Everything that `typed` may mean, each once: an absolute path in a served folder, a path in a served folder, or a folder's
/// name with a path in it.
fn readings(served: &[Folder], typed: &str) -> Result<Vec<Reading>, Refused> {
    if typed.contains('\0') {
        return Err(Refused::Path {
            typed: typed.replace('\0', "\u{2400}"),
            why: "a path cannot contain a NUL character",
        });
    }
    let path = Path::new(typed);
    let mut found: Vec<Reading> = Vec::new();
    for folder in served {
        let mut add = |path: String, is_own: bool| {
            let note = Note {
                folder: folder.clone(),
                path,
            };
            if found.iter().all(|reading| reading.note != note) {
                found.push(Reading { note, is_own });
            }
        };
        if path.is_absolute() {
            if let Some(inner) = name_in(Path::new(&folder.path), path) {
                add(inner, false);
            }
            continue;
        }
        let inner = with_slashes(path).filter(|inner| !inner.is_empty());
        let inner = inner.ok_or_else(|| refused(typed, "a path must stay in its folder"))?;
        let has_names = served.len() > 1;
        match inner.strip_prefix(folder.name.as_str()) {
            Some("") => add(String::new(), has_names),
            Some(rest) if rest.starts_with('/') => add(rest[1..].to_owned(), has_names),
            Some(_) | None => {}
        }
        add(inner, !has_names);
    }
    Ok(found)
}

/// The only reading that is there. What the server itself calls so comes before everything else.
fn only(
    typed: &str,
    readings: &[Reading],
    is_there: impl Fn(&Note) -> bool,
) -> Result<Option<Note>, Refused> {
    let there = readings.iter().filter(|reading| is_there(&reading.note));
    let (own, other): (Vec<&Reading>, Vec<&Reading>) = there.partition(|reading| reading.is_own);
    match if own.is_empty() { other } else { own }.as_slice() {
        [] => Ok(None),
        [reading] => Ok(Some(reading.note.clone())),
        [_, _, ..] => Err(refused(
            typed,
            "several served folders have it; begin the path with the folder's name",
        )),
    }
}

/// Whether something is there that the rules leave out. Nothing is looked at behind a link.
fn is_left_out(note: &Note) -> bool {
    let root = Path::new(&note.folder.path);
    if is_linked(root) {
        return false;
    }
    match memlens_ingest::judge(root, &note.path) {
        Ok(Verdict::LeftOut { reason, .. }) => {
            reason != Reason::Outside && exists(root, &note.path)
        }
        Ok(Verdict::Read(_) | Verdict::Folder | Verdict::Gone) | Err(_) => false,
    }
}

/// Whether a path in a folder exists, or begins with one that is a link or cannot be looked at.
fn exists(root: &Path, path: &str) -> bool {
    let mut at = root.to_owned();
    for name in path.split('/') {
        at.push(name);
        match at.symlink_metadata() {
            Ok(found) if found.is_symlink() => return true,
            Ok(_) => {}
            Err(error) => {
                let is_gone =
                    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                return !is_gone;
            }
        }
    }
    true
}

/// Whether a watched folder, or one around it, is a link. Its path had none when it was added.
fn is_linked(root: &Path) -> bool {
    let is_link = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
    };
    root.ancestors().any(is_link)
}

/// A note, unless its folder was replaced by a link.
fn unlinked(typed: &str, note: Note) -> Result<Note, Refused> {
    if is_linked(Path::new(&note.folder.path)) {
        return Err(refused(
            typed,
            "its folder, or one around that, is a link now, and links are not followed; watch the folder that it leads to",
        ));
    }
    Ok(note)
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

fn refused(typed: &str, why: &'static str) -> Refused {
    Refused::Path {
        typed: typed.to_owned(),
        why,
    }
}

#[cfg(test)]
mod tests {
    //! Every name that the server gives is read back as the same note; other readings count only if nothing has that name.

    use proptest::prelude::*;

    use super::*;

    fn folders(names: &[&str]) -> Vec<Folder> {
        let folder = |(id, name): (usize, &&str)| Folder {
            id: FolderId(id as i64),
            path: format!("/home/{id}/{name}"),
            name: (*name).to_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        };
        names.iter().enumerate().map(folder).collect()
    }

    /// The note that a path is read as, if these are there: the index of its folder, and its path.
    fn read(
        served: &[Folder],
        there: &[(usize, &str)],
        typed: &str,
    ) -> Result<Option<(usize, String)>, String> {
        let is_there = |note: &Note| {
            let mut there = there.iter();
            there.any(|(folder, path)| note.folder == served[*folder] && note.path == *path)
        };
        let readings = readings(served, typed).map_err(|refused| refused.to_string())?;
        let found = only(typed, &readings, is_there).map_err(|refused| refused.to_string())?;
        Ok(found.map(|note| (note.folder.id.0 as usize, note.path)))
    }

    proptest! {
        #[test]
        fn a_name_that_the_server_gives_is_read_back(
            names in prop::collection::btree_set("[ab]{1,2}", 1..4),
            paths in prop::collection::vec((0_usize..4, "[ab]{1,2}(/[ab]{1,2}){0,2}"), 1..12),
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let served = folders(&names);
            let there: Vec<(usize, &str)> = paths
                .iter()
                .map(|(folder, path)| (folder % served.len(), path.as_str()))
                .collect();
            for (folder, path) in &there {
                let named = name(&served, served[*folder].id, path);
                let expected = Ok(Some((*folder, (*path).to_owned())));
                prop_assert_eq!(read(&served, &there, &named), expected, "{} among {:?}", named, there);
            }
        }
    }

    #[test]
    fn other_readings_count_if_nothing_has_that_name() {
        let check = |names: &[&str],
                     there: &[(usize, &str)],
                     typed: &str,
                     expected: Result<Option<(usize, &str)>, &str>| {
            let found = read(&folders(names), there, typed);
            match (&found, expected) {
                (Ok(found), Ok(expected)) => {
                    let found = found
                        .as_ref()
                        .map(|(folder, path)| (*folder, path.as_str()));
                    assert_eq!(found, expected, "{typed}");
                }
                (Err(found), Err(why)) => assert!(found.contains(why), "{typed}: {found}"),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{typed}: {found:?}"),
            }
        };
        let several = "several served folders have it";
        let one = &["n"];
        check(one, &[(0, "a.md")], "n/a.md", Ok(Some((0, "a.md"))));
        check(
            one,
            &[(0, "a.md"), (0, "n/a.md")],
            "n/a.md",
            Ok(Some((0, "n/a.md"))),
        );
        check(one, &[(0, "a.md")], "/home/0/n/a.md", Ok(Some((0, "a.md"))));
        check(one, &[(0, "a.md")], "b.md", Ok(None));
        check(one, &[(0, "")], "n", Ok(Some((0, ""))));
        let two = &["memory", "ws"];
        let both = [(0, "a.md"), (1, "memory/a.md")];
        check(two, &both, "memory/a.md", Ok(Some((0, "a.md"))));
        check(two, &both, "ws/memory/a.md", Ok(Some((1, "memory/a.md"))));
        check(two, &both[1..], "memory/a.md", Ok(Some((1, "memory/a.md"))));
        check(two, &both, "a.md", Ok(Some((0, "a.md"))));
        check(two, &[(0, "a.md"), (1, "a.md")], "a.md", Err(several));
        // The name of a folder is that folder.
        check(two, &[(0, ""), (1, "memory")], "memory", Ok(Some((0, ""))));
        for typed in ["../a.md", ""] {
            check(two, &both, typed, Err("must stay in its folder"));
        }
        check(two, &both, "a\0.md", Err("NUL character"));
    }
}
