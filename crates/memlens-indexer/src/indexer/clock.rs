//! How far indexing is, and how long it may take.

use std::time::{Duration, Instant};

use memlens_ingest::FoundFile;

use crate::told::Progress;

/// Measures how far the work is and how long it may take.
#[derive(Default)]
pub(super) struct Clock {
    n_files_done: u32,
    n_files_total: u32,
    n_bytes_total: u64,
    n_bytes_done: u64,
    file: Option<(String, u64)>,
    share_of_file: f64,
    started: Option<Instant>,
}

impl Clock {
    /// Below this much work an estimate would jump about.
    const ESTIMATE_AFTER: Duration = Duration::from_secs(2);

    /// Notes how many files, and of how many bytes, are yet to be done.
    pub(super) fn expect(&mut self, n_files: usize, n_bytes: u64) {
        self.n_files_total = self.n_files_done + n_files as u32;
        self.n_bytes_total = self.n_bytes_done + n_bytes;
    }

    pub(super) fn start(&mut self, file: &FoundFile) {
        self.started.get_or_insert_with(Instant::now);
        self.file = Some((file.path.clone(), file.size));
        self.share_of_file = 0.0;
    }

    pub(super) fn finish(&mut self) {
        self.n_files_done += 1;
        self.n_bytes_done += self.file.take().map_or(0, |(_, size)| size);
    }

    pub(super) fn advance(&mut self, n_texts: usize, n_all: usize) {
        self.share_of_file = (self.share_of_file + n_texts as f64 / n_all as f64).min(1.0);
    }

    pub(super) fn progress(&self) -> Progress {
        let in_file = self
            .file
            .as_ref()
            .map_or(0.0, |(_, size)| *size as f64 * self.share_of_file);
        let done = self.n_bytes_done as f64 + in_file;
        let elapsed = self
            .started
            .map_or(Duration::ZERO, |started| started.elapsed());
        let left = (self.n_bytes_total as f64 - done).max(0.0);
        let seconds_left = (elapsed >= Clock::ESTIMATE_AFTER && done > 0.0)
            .then(|| (elapsed.as_secs_f64() * left / done).round() as u32);
        Progress {
            n_done: self.n_files_done,
            n_total: self.n_files_total.max(self.n_files_done),
            share: match self.n_bytes_total {
                // Nothing to read, only to take out.
                0 => f64::from(self.n_files_done) / f64::from(self.n_files_total.max(1)),
                total => (done / total as f64).min(1.0),
            },
            file: self.file.as_ref().map(|(path, _)| path.clone()),
            seconds_left,
        }
    }
}
