//! How the work stands: noted by the writing thread, read by everybody.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use memlens_store::{Folder, FolderId};

use crate::phase::Phase;
use crate::told::{Activity, FolderStatus, IndexingPhase, Progress, Scanning};

/// How many things that happened are kept for the window.
const ACTIVITY_KEPT: usize = 500;

/// How the work stands.
#[derive(Default)]
pub struct Work {
    pub(crate) phase: Phase,
    pub(crate) progress: Option<Progress>,
    pub(crate) scanning: Option<Scanning>,
    /// Folders that were added since the library was last taken up.
    pub(crate) added: Vec<Folder>,
    pub(crate) statuses: HashMap<FolderId, (FolderStatus, Option<String>)>,
    pub(crate) activity: VecDeque<Activity>,
    pub(crate) notices: Vec<String>,
    /// Whether the lists could not be taken up when they last changed.
    pub(crate) is_stale: bool,
    /// The files that wait to be read, as they were a moment ago.
    pub(crate) unfinished: HashMap<FolderId, HashSet<String>>,
    pub(crate) read_only: Option<String>,
}

impl Work {
    /// The work before it begins, with what a person should be told, and why the library can only be read where that
    /// is so.
    pub fn new(notices: Vec<String>, read_only: Option<String>) -> Work {
        Work {
            notices,
            read_only,
            ..Work::default()
        }
    }

    /// The watched folders by path, how each fares, and why where that is not plain; `taken_up` are those that readers
    /// know.
    pub fn folders(&self, taken_up: &[Folder]) -> Vec<(Folder, FolderStatus, Option<String>)> {
        let mut watched: Vec<&Folder> = taken_up.iter().collect();
        let is_taken_up = |added: &&Folder| taken_up.iter().any(|it| it.id == added.id);
        watched.extend(self.added.iter().filter(|added| !is_taken_up(added)));
        watched.sort_by(|a, b| a.path.cmp(&b.path));
        watched
            .into_iter()
            .map(|folder| {
                let known = self.statuses.get(&folder.id).cloned();
                let (status, why) =
                    known.unwrap_or((FolderStatus::Waiting, self.read_only.clone()));
                (folder.clone(), status, why)
            })
            .collect()
    }

    /// Whether indexing goes on.
    pub fn phase(&self) -> IndexingPhase {
        self.phase.told(Instant::now())
    }

    /// How far indexing is; none when nothing is to do.
    pub fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// The folder that is being walked; none while none is.
    pub fn scanning(&self) -> Option<&Scanning> {
        self.scanning.as_ref()
    }

    /// What a person should be told, why it failed included.
    pub fn notices(&self) -> Vec<String> {
        let failed = self
            .phase
            .why()
            .map(|why| format!("Indexing failed; Memlens keeps retrying: {why}"));
        self.notices.iter().cloned().chain(failed).collect()
    }

    /// Why the library can only be read; none where it can be written.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// What happened, newest first.
    pub fn activity(&self) -> Vec<Activity> {
        self.activity.iter().cloned().collect()
    }

    /// The files of a folder that wait to be read, as they were a moment ago.
    pub fn unfinished(&self, folder: FolderId) -> HashSet<String> {
        self.unfinished.get(&folder).cloned().unwrap_or_default()
    }

    /// Notes what happened, the newest last.
    pub fn note(&mut self, happened: &[Activity]) {
        for activity in happened {
            self.activity.push_front(activity.clone());
        }
        self.activity.truncate(ACTIVITY_KEPT);
    }

    /// Forgets what happened, where a person wants it forgotten.
    pub fn forget_activity(&mut self, is_unwanted: impl Fn(&Activity) -> bool) {
        self.activity.retain(|activity| !is_unwanted(activity));
    }
}
