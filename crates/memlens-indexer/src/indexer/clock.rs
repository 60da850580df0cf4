//! Progress of indexing, and an estimate of the time left.

use std::time::{Duration, Instant};

use memlens_ingest::FoundFile;

use crate::status::Progress;

/// Measures the progress and estimates the time left. Time counts from the first file of a step to the step's end,
/// because pauses between steps, by the user or after a failure, say nothing about the speed.
#[derive(Default)]
pub(super) struct Clock {
    n_files_done: u32,
    n_files_total: u32,
    n_bytes_total: u64,
    n_bytes_done: u64,
    file: Option<(String, u64)>,
    share_of_file: f64,
    /// Total duration of the completed steps.
    worked: Duration,
    /// Start of the current step; `None` between steps.
    since: Option<Instant>,
}

impl Clock {
    /// With less work than this, an estimate would fluctuate.
    const ESTIMATE_AFTER: Duration = Duration::from_secs(2);

    /// Sets the number of files and bytes that are left.
    pub(super) fn expect(&mut self, n_files: usize, n_bytes: u64) {
        self.n_files_total = self.n_files_done + n_files as u32;
        self.n_bytes_total = self.n_bytes_done + n_bytes;
    }

    pub(super) fn start(&mut self, file: &FoundFile, now: Instant) {
        self.since.get_or_insert(now);
        self.file = Some((file.path.clone(), file.size));
        self.share_of_file = 0.0;
    }

    /// Ends the current step; time counts again from the next one on.
    pub(super) fn rest(&mut self, now: Instant) {
        self.worked = self.elapsed(now);
        self.since = None;
    }

    fn elapsed(&self, now: Instant) -> Duration {
        let in_step = self.since.map(|since| now.saturating_duration_since(since));
        self.worked + in_step.unwrap_or_default()
    }

    pub(super) fn finish(&mut self) {
        self.n_files_done += 1;
        self.n_bytes_done += self.file.take().map_or(0, |(_, size)| size);
    }

    pub(super) fn advance(&mut self, n_texts: usize, n_all: usize) {
        self.share_of_file = (self.share_of_file + n_texts as f64 / n_all as f64).min(1.0);
    }

    pub(super) fn progress(&self, now: Instant) -> Progress {
        let in_file = self
            .file
            .as_ref()
            .map_or(0.0, |(_, size)| *size as f64 * self.share_of_file);
        let done = self.n_bytes_done as f64 + in_file;
        let elapsed = self.elapsed(now);
        let left = (self.n_bytes_total as f64 - done).max(0.0);
        let seconds_left = (elapsed >= Clock::ESTIMATE_AFTER && done > 0.0)
            .then(|| (elapsed.as_secs_f64() * left / done).round() as u32);
        Progress {
            n_done: self.n_files_done,
            n_total: self.n_files_total.max(self.n_files_done),
            share: match self.n_bytes_total {
                // Nothing to read, only to remove.
                0 => f64::from(self.n_files_done) / f64::from(self.n_files_total.max(1)),
                total => (done / total as f64).min(1.0),
            },
            file: self.file.as_ref().map(|(path, _)| path.clone()),
            seconds_left,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use memlens_ingest::Kind;

    use super::*;

    fn file(size: u64) -> FoundFile {
        FoundFile {
            absolute: PathBuf::from("/notes/a.md"),
            path: "a.md".to_owned(),
            size,
            modified_ms: 0,
            changed_ns: 0,
            kind: Kind::Markdown,
        }
    }

    #[test]
    fn a_pause_does_not_count_as_work() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut clock = Clock::default();
        clock.expect(4, 400);
        clock.start(&file(100), at(0));
        clock.finish();
        clock.rest(at(10));
        assert_eq!(clock.progress(at(10)).seconds_left, Some(30));
        // After a pause of an hour.
        assert_eq!(clock.progress(at(3610)).seconds_left, Some(30));
        clock.start(&file(100), at(3610));
        clock.finish();
        assert_eq!(clock.progress(at(3620)).seconds_left, Some(20));
        clock.rest(at(3620));
        assert_eq!(clock.progress(at(3620)).seconds_left, Some(20));
    }
}
