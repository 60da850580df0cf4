//! Progress and cancelling of the search through all files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_written::Progress;
use parking_lot::Mutex;

use crate::view::{Autopsy, AutopsyProgress, AutopsyQuestion};

/// The autopsy that reads files, if one does.
#[derive(Default)]
pub(crate) struct AutopsyRun {
    progress: Mutex<Option<AutopsyProgress>>,
    stop: Mutex<Arc<AtomicBool>>,
    last: Mutex<Option<(AutopsyQuestion, Autopsy)>>,
}

impl AutopsyRun {
    /// Keeps an answer until the next one.
    pub fn answered(&self, question: &AutopsyQuestion, autopsy: &Autopsy) {
        *self.last.lock() = Some((question.clone(), autopsy.clone()));
    }

    /// The last answer, if it is to this question.
    pub fn last(&self, question: &AutopsyQuestion) -> Option<Autopsy> {
        let last = self.last.lock();
        let (asked, autopsy) = last.as_ref()?;
        (asked == question).then(|| autopsy.clone())
    }

    /// Starts one; the one before it, if it still runs, is not cancelled and no longer reported.
    pub fn begin(&self) -> Reading<'_> {
        let stop = Arc::new(AtomicBool::new(false));
        *self.stop.lock() = stop.clone();
        Reading { run: self, stop }
    }

    /// How far it is; `None` while none reads files.
    pub fn progress(&self) -> Option<AutopsyProgress> {
        *self.progress.lock()
    }

    /// Cancels it: the autopsy ends with what it has read.
    pub fn stop(&self) {
        self.stop.lock().store(true, Ordering::Relaxed);
    }
}

/// A running search through files; dropped, it is over.
pub(crate) struct Reading<'a> {
    run: &'a AutopsyRun,
    /// Set to cancel it.
    pub stop: Arc<AtomicBool>,
}

impl Reading<'_> {
    /// Notes how far it is.
    pub fn at(&self, progress: Progress) {
        *self.run.progress.lock() = Some(AutopsyProgress {
            n_files: progress.n_files as u32,
            mib: progress.n_bytes as f64 / f64::from(1 << 20),
        });
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        *self.run.progress.lock() = None;
    }
}
