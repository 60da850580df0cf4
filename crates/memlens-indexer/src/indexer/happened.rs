//! Events of notes, reported once the notes can be searched.

use std::collections::{HashMap, HashSet};

use memlens_store::{Folder, FolderId};

use crate::status::{Activity, Happening};

/// An event that is reported when its note can be searched.
pub(super) struct Happened {
    pub(super) folder: FolderId,
    pub(super) path: String,
    pub(super) what: Happening,
    pub(super) detail: Option<String>,
    pub(super) hash: Option<[u8; 32]>,
}

/// Returns the events as activities. A deletion and an addition of the same bytes become one rename.
pub(super) fn activities(happened: Vec<Happened>, folders: &[Folder]) -> Vec<Activity> {
    let mut deleted: HashMap<[u8; 32], Vec<(FolderId, String)>> = HashMap::new();
    for one in happened.iter().filter(|one| one.what == Happening::Deleted) {
        if let Some(hash) = one.hash {
            deleted
                .entry(hash)
                .or_default()
                .push((one.folder, one.path.clone()));
        }
    }
    let mut moved_away = HashSet::new();
    let mut reported: Vec<Happened> = happened
        .into_iter()
        .map(|mut one| {
            let from = (one.what == Happening::Added)
                .then(|| one.hash.and_then(|hash| deleted.get_mut(&hash)?.pop()))
                .flatten();
            if let Some((folder, path)) = from {
                one.what = Happening::Renamed;
                one.detail = Some(format!("from {path}"));
                moved_away.insert((folder, path));
            }
            one
        })
        .collect();
    reported.retain(|one| {
        one.what != Happening::Deleted || !moved_away.contains(&(one.folder, one.path.clone()))
    });
    let name = |id| {
        folders
            .iter()
            .find(|folder| folder.id == id)
            .map_or("", |folder| &folder.name)
    };
    reported
        .into_iter()
        .map(|one| Activity::now(name(one.folder).to_owned(), one.path, one.what, one.detail))
        .collect()
}
