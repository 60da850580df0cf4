//! Whose memory a note is: the agent of its folder, and which of the agents of a program searches it.

use std::path::{Path, PathBuf};

use memlens_agents::Index;
use memlens_library::Library;
use memlens_library::notes::place::note_path;
use memlens_store::FolderId;

use super::fact::Found;

/// The agent of the watched folder that holds the note, or the one whose place an unwatched file is in.
pub(super) fn agent(library: &Library, found: &Found) -> Option<String> {
    if let Some(folder) = super::fact::folder(library, found.place.folder) {
        return folder.agent;
    }
    let all = memlens_agents::look(library.home()?);
    let agent = memlens_agents::whose(&all, found.file.as_deref()?)?;
    Some(agent.id.to_owned())
}

/// Whether a program has several agents, each with a workspace of its own.
pub(super) fn has_members(library: &Library, agent: &str) -> bool {
    let searched = library.searched(agent);
    searched
        .is_some_and(|it| it.indexes.len() > 1 && it.indexes.iter().all(|it| !it.member.is_empty()))
}

/// The only one of the agents of a program that searches the note, else the only one around whose workspace it is.
pub(super) fn member(library: &Library, agent: &str, found: &Found) -> Option<String> {
    let path = absolute(library, found)?;
    let searched = library.searched(agent)?;
    let only = |is_it: &dyn Fn(&Index) -> bool| {
        let mut those = searched.indexes.iter().filter(|index| is_it(index));
        let first = those.next()?;
        those.next().is_none().then(|| first.member.clone())
    };
    only(&|index| index.judge(&path).is_ok())
        .or_else(|| only(&|index| index.own_folders().any(|root| path.starts_with(root))))
}

/// Whether the note is in a folder that one of the agents of a program searches.
pub(super) fn is_around(library: &Library, agent: &str, member: &str, found: &Found) -> bool {
    let Some((path, searched)) = absolute(library, found).zip(library.searched(agent)) else {
        return false;
    };
    let mut indexes = searched.indexes.iter();
    indexes.any(|it| it.member.eq_ignore_ascii_case(member) && it.is_around(&path))
}

/// The watched folders of a program that one of its agents searches.
pub(super) fn folders(library: &Library, agent: &str, member: &str) -> Vec<FolderId> {
    let Some(searched) = library.searched(agent) else {
        return Vec::new();
    };
    let mut indexes = searched.indexes.iter();
    let Some(index) = indexes.find(|it| it.member.eq_ignore_ascii_case(member)) else {
        return Vec::new();
    };
    let lists = library.lists();
    let folders = lists.snapshot.folders.iter();
    let is_own = |path: &Path| {
        index.is_around(path) || index.own_folders().any(|root| root.starts_with(path))
    };
    folders
        .filter(|it| it.agent.as_deref() == Some(agent) && is_own(Path::new(&it.path)))
        .map(|it| it.id)
        .collect()
}

fn absolute(library: &Library, found: &Found) -> Option<PathBuf> {
    let folder = super::fact::folder(library, found.place.folder);
    match folder {
        Some(folder) => Some(note_path(&folder.path, &found.place.path)),
        None => found.file.clone(),
    }
}
