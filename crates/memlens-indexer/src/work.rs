//! The state of the work, written by the writing thread and read by all others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use memlens_store::{Folder, FolderId};

use crate::phase::Phase;
use crate::status::{Activity, FolderStatus, IndexingPhase, ModelChanging, Progress, Scanning};

/// Number of events that are kept for the window.
const ACTIVITY_KEPT: usize = 500;

/// The state of the work.
#[derive(Default)]
pub struct Work {
    pub(crate) phase: Phase,
    pub(crate) progress: Option<Progress>,
    pub(crate) scanning: Option<Scanning>,
    pub(crate) changing: Option<ModelChanging>,
    /// Why the model could not be changed at the last attempt.
    pub(crate) change_failed: Option<String>,
    /// Folders that were added since readers last refreshed.
    pub(crate) added: Vec<Folder>,
    pub(crate) statuses: HashMap<FolderId, (FolderStatus, Option<String>)>,
    pub(crate) activity: VecDeque<Activity>,
    pub(crate) notices: Vec<String>,
    /// Whether readers could not load the lists when they last changed.
    pub(crate) is_stale: bool,
    /// The files that wait to be read, as of a moment ago.
    pub(crate) unfinished: HashMap<FolderId, HashSet<String>>,
    pub(crate) read_only: Option<String>,
}

impl Work {
    /// Returns the initial state. `notices` are shown to the user; `read_only` is the reason if the library cannot be
    /// written.
    pub fn new(notices: Vec<String>, read_only: Option<String>) -> Work {
        Work {
            notices,
            read_only,
            ..Work::default()
        }
    }

    /// Returns the watched folders by path, with the status of each and the reason for it, if any. `taken_up` are the
    /// folders that readers know.
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

    /// Returns whether indexing is working, paused or failed.
    pub fn phase(&self) -> IndexingPhase {
        self.phase.to_view(Instant::now())
    }

    /// Returns the progress of indexing; `None` if there is nothing to do.
    pub fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Returns the folder that is being walked, if any.
    pub fn scanning(&self) -> Option<&Scanning> {
        self.scanning.as_ref()
    }

    /// Returns the progress of embedding all notes by another model, if that is wanted.
    pub fn changing(&self) -> Option<&ModelChanging> {
        self.changing.as_ref()
    }

    /// Returns why the last attempt to change the model failed, unless another one worked since.
    pub fn change_failed(&self) -> Option<&str> {
        self.change_failed.as_deref()
    }

    /// Returns the notices to show to the user, including why indexing failed.
    pub fn notices(&self) -> Vec<String> {
        let failed = self
            .phase
            .why()
            .map(|why| format!("Indexing failed; Memlens keeps retrying: {why}"));
        self.notices.iter().cloned().chain(failed).collect()
    }

    /// Adds a notice for the user, once.
    pub fn add_notice(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// Returns why the library cannot be written; `None` if it can.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// Returns the events, newest first.
    pub fn activity(&self) -> Vec<Activity> {
        self.activity.iter().cloned().collect()
    }

    /// Returns the files of a folder that wait to be read, as of a moment ago.
    pub fn unfinished(&self, folder: FolderId) -> HashSet<String> {
        self.unfinished.get(&folder).cloned().unwrap_or_default()
    }

    /// Adds events, given oldest first.
    pub fn note(&mut self, happened: &[Activity]) {
        for activity in happened {
            self.activity.push_front(activity.clone());
        }
        self.activity.truncate(ACTIVITY_KEPT);
    }

    /// Removes the events that the user wants to be forgotten.
    pub fn forget_activity(&mut self, is_unwanted: impl Fn(&Activity) -> bool) {
        self.activity.retain(|activity| !is_unwanted(activity));
    }
}
