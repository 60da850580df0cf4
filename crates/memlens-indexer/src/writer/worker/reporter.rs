//! Reports of the work to the window.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use memlens_store::{Folder, FolderId};

use super::super::Shared;
use super::Worker;
use crate::indexer::Observer;
use crate::status::{Activity, ModelChanging, Progress, Scanning};
use crate::watch::Watch;

const REPORT_EVERY: Duration = Duration::from_millis(120);

/// Reports the indexer's work to the window.
pub(super) struct Reporter<'a> {
    shared: &'a Shared,
    watches: &'a HashMap<FolderId, Watch>,
    last_reported: &'a mut Instant,
    /// The folder that is being walked.
    folder: Option<&'a Folder>,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(worker: &'a mut Worker, shared: &'a Shared) -> Reporter<'a> {
        Reporter {
            shared,
            watches: &worker.watches,
            last_reported: &mut worker.last_reported,
            folder: None,
        }
    }

    pub(super) fn for_folder(self, folder: &'a Folder) -> Reporter<'a> {
        Reporter {
            folder: Some(folder),
            ..self
        }
    }

    /// Returns whether it is time to report progress.
    fn is_time(&mut self) -> bool {
        let is_time = self.last_reported.elapsed() >= REPORT_EVERY;
        if is_time {
            *self.last_reported = Instant::now();
        }
        is_time
    }
}

impl Observer for Reporter<'_> {
    fn progress(&mut self, progress: &Progress) {
        if self.is_time() {
            self.shared.work().progress = Some(progress.clone());
            self.shared.report_state();
        }
    }

    fn changing(&mut self, changing: &ModelChanging) {
        if self.is_time() {
            self.shared.work().changing = Some(changing.clone());
            self.shared.report_state();
        }
    }

    fn scanned(&mut self, n_files: usize) {
        if self.is_time() {
            self.shared.work().scanning = self.folder.map(|folder| Scanning {
                folder: folder.id.0.to_string(),
                folder_name: folder.name.clone(),
                n_files: n_files as u32,
            });
            self.shared.report_state();
        }
    }

    fn committed(&mut self, happened: &[Activity]) {
        self.shared.refresh();
        self.shared.report_activity(happened);
        self.shared.report_state();
    }

    fn noticed(&mut self, notice: &str) {
        self.shared.work().notices.push(notice.to_owned());
        self.shared.report_state();
    }

    fn interrupts(&mut self) -> bool {
        let now = Instant::now();
        self.watches.values().any(|watch| watch.due() <= now)
    }
}
