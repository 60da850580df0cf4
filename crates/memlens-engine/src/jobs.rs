//! The long jobs of a library: the progress of each, and the request to stop it.
//!
//! A job has at most one current run. A run that another one replaced goes on, but reports nothing any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::view::{
    AutopsyProgress, EmulationProgress, JobKind, JobProgress, QuerySetProgress, RecallProgress,
    TuneProgress, TuneStep,
};
use crate::{EngineError, Library};

/// The shortest time between two reports of the same job to a window.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Rung whenever the progress of a job changes.
#[derive(Default)]
struct Bell {
    state: Mutex<Rung>,
    rung: Condvar,
}

#[derive(Default)]
struct Rung {
    has_changed: bool,
    is_closed: bool,
}

impl Bell {
    fn ring(&self) {
        self.state.lock().has_changed = true;
        self.rung.notify_all();
    }

    fn close(&self) {
        self.state.lock().is_closed = true;
        self.rung.notify_all();
    }

    /// Waits for the next ring; false once the bell is closed.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.has_changed && !state.is_closed {
            self.rung.wait(&mut state);
        }
        state.has_changed = false;
        !state.is_closed
    }

    /// Sleeps unless the bell is closed.
    fn pause(&self) {
        let mut state = self.state.lock();
        if !state.is_closed {
            self.rung
                .wait_while_for(&mut state, |state| !state.is_closed, REPORT_EVERY);
        }
    }
}

/// A long job.
pub struct Job<P> {
    current: Mutex<Current<P>>,
    bell: Arc<Bell>,
}

struct Current<P> {
    progress: Option<P>,
    stop: Arc<AtomicBool>,
}

impl<P> Job<P> {
    fn new(bell: &Arc<Bell>) -> Job<P> {
        Job {
            current: Mutex::new(Current {
                progress: None,
                stop: Arc::default(),
            }),
            bell: bell.clone(),
        }
    }

    /// Starts a run, which becomes the current one. The run before it is not stopped.
    pub(crate) fn begin(&self) -> JobRun<'_, P> {
        let stop = Arc::new(AtomicBool::new(false));
        *self.current.lock() = Current {
            progress: None,
            stop: stop.clone(),
        };
        self.bell.ring();
        JobRun { job: self, stop }
    }

    /// Asks the current run to stop.
    pub fn stop(&self) {
        self.current.lock().stop.store(true, Ordering::Relaxed);
    }
}

impl<P: Clone> Job<P> {
    /// The progress of the current run; `None` if nothing runs or nothing is known yet.
    pub fn progress(&self) -> Option<P> {
        self.current.lock().progress.clone()
    }
}

/// A run of a job; the job is over when it is dropped.
pub(crate) struct JobRun<'a, P> {
    job: &'a Job<P>,
    stop: Arc<AtomicBool>,
}

impl<P> JobRun<'_, P> {
    pub fn report(&self, progress: P) {
        self.change(|current| *current = Some(progress));
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Set once the run is asked to stop.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    fn change(&self, change: impl FnOnce(&mut Option<P>)) {
        {
            let mut current = self.job.current.lock();
            if !Arc::ptr_eq(&current.stop, &self.stop) {
                return;
            }
            change(&mut current.progress);
        }
        self.job.bell.ring();
    }
}

/// A run over a query set.
pub(crate) type SetRun<'a> = JobRun<'a, QuerySetProgress>;

impl SetRun<'_> {
    /// Sets the number of queries.
    pub fn expect(&self, n_all: usize) {
        let n_all = n_all as u32;
        self.change(|progress| match progress {
            Some(progress) => progress.n_all = n_all,
            None => *progress = Some(QuerySetProgress { n_done: 0, n_all }),
        });
    }

    /// Counts a query that was answered. Returns false if the run is asked to stop.
    pub fn goes_on(&self) -> bool {
        self.change(|progress| {
            if let Some(progress) = progress {
                progress.n_done += 1;
            }
        });
        !self.is_stopped()
    }
}

impl<P> Drop for JobRun<'_, P> {
    fn drop(&mut self) {
        self.change(|progress| *progress = None);
    }
}

/// The jobs of a library.
pub struct Jobs {
    /// Asking all past questions again.
    pub replay: Job<QuerySetProgress>,
    /// Reading agents' logs.
    pub import: Job<RecallProgress>,
    /// Two rankings over a query set, or the search for the nearest setting of another program.
    pub compare: Job<QuerySetProgress>,
    /// Reading all files for a fact.
    pub autopsy: Job<AutopsyProgress>,
    /// Embedding the chunks of an emulated memory.
    pub emulation: Job<EmulationProgress>,
    pub(crate) measuring: Job<QuerySetProgress>,
    pub(crate) sensing: Job<QuerySetProgress>,
    pub(crate) calibrating: Job<QuerySetProgress>,
    pub(crate) tuning: Job<QuerySetProgress>,
    bell: Arc<Bell>,
}

impl Default for Jobs {
    fn default() -> Jobs {
        let bell = Arc::default();
        Jobs {
            replay: Job::new(&bell),
            import: Job::new(&bell),
            compare: Job::new(&bell),
            autopsy: Job::new(&bell),
            emulation: Job::new(&bell),
            measuring: Job::new(&bell),
            sensing: Job::new(&bell),
            calibrating: Job::new(&bell),
            tuning: Job::new(&bell),
            bell,
        }
    }
}

impl Jobs {
    /// The progress of whatever measures a query set or tunes on it; `None` if nothing does.
    pub fn tune_progress(&self) -> Option<TuneProgress> {
        let runs = [
            (TuneStep::Tuning, &self.tuning),
            (TuneStep::Preparing, &self.measuring),
            (TuneStep::Preparing, &self.calibrating),
            (TuneStep::Sensitivity, &self.sensing),
        ];
        runs.into_iter().find_map(|(what, job)| {
            let QuerySetProgress { n_done, n_all } = job.progress()?;
            (n_all > 0).then_some(TuneProgress {
                what,
                n_done,
                n_all,
            })
        })
    }

    pub(crate) fn stop_measuring(&self) {
        for job in [
            &self.measuring,
            &self.sensing,
            &self.calibrating,
            &self.tuning,
        ] {
            job.stop();
        }
    }

    fn progress(&self) -> [JobProgress; 6] {
        [
            JobProgress::Replay(self.replay.progress()),
            JobProgress::Import(self.import.progress()),
            JobProgress::Compare(self.compare.progress()),
            JobProgress::Tune(self.tune_progress()),
            JobProgress::Autopsy(self.autopsy.progress()),
            JobProgress::Emulation(self.emulation.progress()),
        ]
    }
}

impl Library {
    /// The long jobs, to read their progress.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Stops a job, and the embedding and the calls to rerankers that it waits for.
    pub fn stop(&self, kind: JobKind) {
        let jobs = &self.jobs;
        match kind {
            JobKind::Import => jobs.import.stop(),
            JobKind::Autopsy => jobs.autopsy.stop(),
            JobKind::Emulation => jobs.emulation.stop(),
            JobKind::Replay => {
                jobs.replay.stop();
                jobs.emulation.stop();
            }
            JobKind::Compare => {
                jobs.compare.stop();
                jobs.emulation.stop();
                self.cancel_asking();
            }
            JobKind::Tune => {
                jobs.stop_measuring();
                jobs.emulation.stop();
                self.cancel_asking();
            }
            // Only an `Engine` downloads.
            JobKind::Download => {}
        }
    }
}

/// The thread that reports the progress of every job; dropped, it ends.
pub(crate) struct JobReporter {
    jobs: Arc<Jobs>,
    thread: Option<JoinHandle<()>>,
}

impl JobReporter {
    /// Starts the thread. `report` receives each change at most every [`REPORT_EVERY`], and always the last one.
    ///
    /// # Errors
    /// [`EngineError::System`] if the system has no thread left.
    pub fn start(
        jobs: Arc<Jobs>,
        report: impl Fn(JobProgress) + Send + 'static,
    ) -> Result<JobReporter, EngineError> {
        let reported = jobs.clone();
        let mut last = jobs.progress();
        let thread = std::thread::Builder::new()
            .name("memlens-jobs".to_owned())
            .spawn(move || {
                while reported.bell.wait() {
                    for (now, last) in reported.progress().into_iter().zip(&mut last) {
                        if now != *last {
                            report(now.clone());
                            *last = now;
                        }
                    }
                    reported.bell.pause();
                }
            })
            .map_err(|error| EngineError::System {
                attempt: "start the thread that reports progress",
                why: error.to_string(),
            })?;
        Ok(JobReporter {
            jobs,
            thread: Some(thread),
        })
    }
}

impl Drop for JobReporter {
    fn drop(&mut self) {
        self.jobs.bell.close();
        if let Some(thread) = self.thread.take() {
            // A panic there was reported by its own thread.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_run_that_was_replaced_reports_nothing() {
        let jobs = Jobs::default();
        let old = jobs.replay.begin();
        old.expect(10);
        let new = jobs.replay.begin();
        new.expect(20);
        old.goes_on();
        drop(old);
        let progress = jobs.replay.progress();
        assert_eq!(progress.map(|it| (it.n_done, it.n_all)), Some((0, 20)));
        drop(new);
        assert_eq!(jobs.replay.progress(), None);
    }

    #[test]
    fn stopping_is_for_the_current_run_alone() {
        let jobs = Jobs::default();
        jobs.replay.stop();
        let run = jobs.replay.begin();
        assert!(run.goes_on());
        jobs.compare.stop();
        assert!(!run.is_stopped());
        jobs.replay.stop();
        assert!(!run.goes_on());
        assert!(run.stop_flag().load(Ordering::Relaxed));
    }

    #[test]
    fn tuning_is_reported_before_what_it_waits_for() {
        let jobs = Jobs::default();
        let sensing = jobs.sensing.begin();
        // Nothing is known yet.
        assert_eq!(jobs.tune_progress(), None);
        sensing.expect(3);
        let steps = || jobs.tune_progress().map(|it| it.what);
        assert_eq!(steps(), Some(TuneStep::Sensitivity));
        let tuning = jobs.tuning.begin();
        tuning.expect(5);
        assert_eq!(steps(), Some(TuneStep::Tuning));
        drop(tuning);
        assert_eq!(steps(), Some(TuneStep::Sensitivity));
    }

    #[test]
    fn the_last_progress_and_the_end_are_always_reported() {
        let jobs = Arc::new(Jobs::default());
        let (reporter, reports) = reporting(&jobs);
        let run = jobs.replay.begin();
        run.expect(500);
        for _ in 0..500 {
            run.goes_on();
        }
        let n_reports = reports.iter().take_while(|it| *it != replay(500)).count();
        // Not one for each query.
        assert!(n_reports < 100, "{n_reports}");
        drop(run);
        assert_eq!(reports.recv().unwrap(), JobProgress::Replay(None));
        drop(reporter);
        assert!(reports.recv().is_err());
    }

    #[test]
    fn a_run_begins_without_the_progress_of_the_run_that_it_replaces() {
        let jobs = Arc::new(Jobs::default());
        let (_reporter, reports) = reporting(&jobs);
        let old = jobs.replay.begin();
        old.expect(500);
        while reports.recv().unwrap() != replay(0) {}
        let _new = jobs.replay.begin();
        assert_eq!(reports.recv().unwrap(), JobProgress::Replay(None));
    }

    fn reporting(jobs: &Arc<Jobs>) -> (JobReporter, mpsc::Receiver<JobProgress>) {
        let (sender, reports) = mpsc::channel();
        let reporter = JobReporter::start(jobs.clone(), move |progress| {
            // The test may be over.
            let _ = sender.send(progress);
        });
        (reporter.unwrap(), reports)
    }

    /// Of a replay of 500 questions.
    fn replay(n_done: u32) -> JobProgress {
        JobProgress::Replay(Some(QuerySetProgress { n_done, n_all: 500 }))
    }
}
