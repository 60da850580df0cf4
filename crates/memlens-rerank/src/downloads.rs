//! Downloads a model that the user requested: one at a time, in the background.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use memlens_embed::HubModel;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use specta::Type;

use crate::choice::{named_model, refused};
use crate::download::download_embedding;
use crate::{CancellationToken, RerankError};

const TELL_EVERY: Duration = Duration::from_millis(120);

/// The progress of a download.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DownloadProgress {
    /// Name of the model that is downloaded.
    pub name: String,
    /// Number of bytes that were downloaded.
    pub done_bytes: f64,
    /// Size of the whole model in bytes; 0 while it is unknown.
    pub total_bytes: f64,
    /// Why the download failed, if it did. The downloaded part is kept, and the next attempt continues from there.
    pub error: Option<String>,
    /// Whether the user stopped the download.
    pub cancelled: bool,
    /// Whether the download is over, successful or not.
    pub finished: bool,
}

/// Callback for progress; called from the downloading thread.
pub type DownloadListener = Arc<dyn Fn(DownloadProgress) + Send + Sync>;

/// The current download, if any. Dropping this stops it.
#[derive(Default)]
pub struct Downloads {
    running: Mutex<Option<Running>>,
}

struct Running {
    name: &'static str,
    cancel: CancellationToken,
    thread: JoinHandle<()>,
}

impl Downloads {
    /// Starts to download a model into a folder of models. `report` is also called at the end.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for an unknown name or while another download runs, [`RerankError::Download`] if no
    /// thread can be started.
    pub fn start(
        &self,
        name: &str,
        models: &Path,
        report: DownloadListener,
    ) -> Result<(), RerankError> {
        let model = named_model(name)?;
        let models = models.to_owned();
        self.run(model.name, report, move |progress, cancel| {
            model.download(&models, progress, cancel).map(drop)
        })
    }

    /// Starts to download an embedding model into a folder of models. `report` is also called at the end.
    ///
    /// # Errors
    /// Like [`Downloads::start`].
    pub fn start_embedding(
        &self,
        model: &'static HubModel,
        models: &Path,
        report: DownloadListener,
    ) -> Result<(), RerankError> {
        let models = models.to_owned();
        self.run(model.name, report, move |progress, cancel| {
            download_embedding(model, &models, progress, cancel).map(drop)
        })
    }

    fn run(
        &self,
        name: &'static str,
        report: DownloadListener,
        work: impl FnOnce(&mut dyn FnMut(u64, u64), &CancellationToken) -> Result<(), RerankError>
        + Send
        + 'static,
    ) -> Result<(), RerankError> {
        let mut running = self.running();
        if let Some(other) = running.as_ref().filter(|other| !other.thread.is_finished()) {
            let why = format!("{} is being downloaded; wait for it or stop it", other.name);
            return Err(refused(format!("the model {name}"), why));
        }
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let thread = std::thread::Builder::new()
            .name("memlens-download".to_owned())
            .spawn(move || follow(name, &*report, |progress| work(progress, &stop)))
            .map_err(|error| RerankError::Download {
                name,
                cause: error.to_string(),
            })?;
        *running = Some(Running {
            name,
            cancel,
            thread,
        });
        Ok(())
    }

    /// Stops the current download, if any, and waits until it has ended.
    pub fn stop(&self) {
        let running = self.running().take();
        if let Some(running) = running {
            running.cancel.cancel();
            // A panic of the thread has been reported already.
            let _ = running.thread.join();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock()
    }
}

impl Drop for Downloads {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs the work, and reports its progress and its end.
fn follow(
    name: &str,
    report: &(dyn Fn(DownloadProgress) + Send + Sync),
    work: impl FnOnce(&mut dyn FnMut(u64, u64)) -> Result<(), RerankError>,
) {
    let mut last = DownloadProgress {
        name: name.to_owned(),
        done_bytes: 0.0,
        total_bytes: 0.0,
        error: None,
        cancelled: false,
        finished: false,
    };
    report(last.clone());
    let mut last_reported = Instant::now();
    let outcome = work(&mut |done, total| {
        (last.done_bytes, last.total_bytes) = (done as f64, total as f64);
        if last_reported.elapsed() >= TELL_EVERY {
            last_reported = Instant::now();
            report(last.clone());
        }
    });
    match outcome {
        Ok(()) => {}
        Err(RerankError::DownloadCancelled { .. }) => last.cancelled = true,
        Err(error) => last.error = Some(error.to_string()),
    }
    last.finished = true;
    report(last);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// How long a thread may take on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn listener() -> (DownloadListener, Receiver<DownloadProgress>) {
        let (sender, reported) = channel();
        // The listener may be gone already.
        (
            Arc::new(move |progress| drop(sender.send(progress))),
            reported,
        )
    }

    fn last(reported: &Receiver<DownloadProgress>) -> DownloadProgress {
        loop {
            let progress = reported
                .recv_timeout(PATIENCE)
                .expect("its end is reported");
            if progress.finished {
                return progress;
            }
        }
    }

    #[test]
    fn only_models_with_a_name_are_downloaded() {
        let dir = tempfile::tempdir().unwrap();
        let downloads = Downloads::default();
        let (report, reported) = listener();
        let refused = downloads.start("nobody", dir.path(), report);
        let refused = refused.expect_err("there is none");
        assert!(
            refused
                .to_string()
                .starts_with("cannot use the model nobody: choose one of ")
        );
        downloads.stop();
        assert!(reported.try_recv().is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn how_a_download_ends_is_reported() {
        let check = |outcome: Result<(), RerankError>, error: Option<&str>, cancelled| {
            let downloads = Downloads::default();
            let (report, reported) = listener();
            downloads
                .run("a", report, move |progress, _| {
                    progress(7, 9);
                    outcome
                })
                .expect("none runs");
            let expected = DownloadProgress {
                name: "a".to_owned(),
                done_bytes: 7.0,
                total_bytes: 9.0,
                error: error.map(str::to_owned),
                cancelled,
                finished: true,
            };
            assert_eq!(last(&reported), expected);
        };
        check(Ok(()), None, false);
        check(
            Err(RerankError::DownloadCancelled { name: "a" }),
            None,
            true,
        );
        let cause = "the disk is full".to_owned();
        let failed = RerankError::Download { name: "a", cause };
        let why = "cannot download a: the disk is full";
        check(Err(failed), Some(why), false);
    }

    #[test]
    fn one_runs_at_a_time_and_is_stopped_with_its_owner() {
        let downloads = Downloads::default();
        let wait = |_: &mut dyn FnMut(u64, u64), cancel: &CancellationToken| {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Err(RerankError::DownloadCancelled { name: "a" })
        };
        let (report, reported) = listener();
        downloads.run("a", report, wait).expect("none runs");
        let (second, never) = listener();
        let refused = downloads.run("b", second, wait).expect_err("one runs");
        let expected = "cannot use the model b: a is being downloaded; wait for it or stop it";
        assert_eq!(refused.to_string(), expected);
        assert!(never.try_recv().is_err());
        downloads.stop();
        assert!(last(&reported).cancelled);
        let (report, reported) = listener();
        downloads
            .run("b", report, wait)
            .expect("none runs any more");
        drop(downloads);
        assert!(last(&reported).cancelled);
    }
}
