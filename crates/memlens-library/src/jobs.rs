//! The long jobs of a library: the progress of each, and the request to stop it.
//!
//! A run is in progress from its start until it is dropped, also by a panic. Of a job's runs whose progress is known, the newest is
//! reported; a request to stop is for all of them, also for those that still wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use memlens_rerank::Downloads;
use memlens_wire::{
    AggregationProgress, AutopsyProgress, EmulationProgress, JobKind, JobProgress, LayoutProgress,
    QuerySetProgress, RecallProgress, TuneProgress, TuneStep,
};
use parking_lot::{Condvar, Mutex};

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

    /// Waits for the next ring; false if the bell is closed and was not rung since the last call.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.has_changed && !state.is_closed {
            self.rung.wait(&mut state);
        }
        std::mem::take(&mut state.has_changed)
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

/// A long job. Several runs of it can be in progress; of those whose progress is known, the newest is reported.
pub struct Job<P> {
    /// The runs in progress, the newest last.
    runs: Mutex<Vec<Run<P>>>,
    bell: Arc<Bell>,
}

struct Run<P> {
    progress: Option<P>,
    stop: Arc<AtomicBool>,
}

impl<P> Job<P> {
    fn new(bell: &Arc<Bell>) -> Job<P> {
        Job {
            runs: Mutex::default(),
            bell: bell.clone(),
        }
    }

    /// Starts a run. Must be called before anything that the run waits for, so that it can be stopped while it waits.
    pub fn begin(&self) -> JobRun<'_, P> {
        self.push(&mut self.runs.lock())
    }

    /// Starts a run, and asks those before it to stop.
    pub fn replace(&self) -> JobRun<'_, P> {
        let mut runs = self.runs.lock();
        stop_all(&runs);
        self.push(&mut runs)
    }

    fn push(&self, runs: &mut Vec<Run<P>>) -> JobRun<'_, P> {
        let stop = Arc::new(AtomicBool::new(false));
        runs.push(Run {
            progress: None,
            stop: stop.clone(),
        });
        self.bell.ring();
        JobRun { job: self, stop }
    }

    /// The number of runs in progress, including waiting ones.
    pub fn n_runs(&self) -> usize {
        self.runs.lock().len()
    }

    /// Asks every run in progress to stop.
    pub fn stop(&self) {
        stop_all(&self.runs.lock());
    }
}

fn stop_all<P>(runs: &[Run<P>]) {
    for run in runs {
        run.stop.store(true, Ordering::Relaxed);
    }
}

impl<P: Clone> Job<P> {
    /// The progress of the newest run whose progress is known; `None` if there is none.
    pub fn progress(&self) -> Option<P> {
        let runs = self.runs.lock();
        runs.iter().rev().find_map(|run| run.progress.clone())
    }
}

/// A run of a job; it is over when it is dropped.
pub struct JobRun<'a, P> {
    job: &'a Job<P>,
    stop: Arc<AtomicBool>,
}

impl<P> JobRun<'_, P> {
    /// Sets the progress that is reported.
    pub fn report(&self, progress: P) {
        self.change(|current| *current = Some(progress));
    }

    /// Reports no progress any more, although the run continues.
    pub fn clear(&self) {
        self.change(|current| *current = None);
    }

    /// Whether the run was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Set once the run is asked to stop.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    fn change(&self, change: impl FnOnce(&mut Option<P>)) {
        for run in &mut *self.job.runs.lock() {
            if Arc::ptr_eq(&run.stop, &self.stop) {
                change(&mut run.progress);
                break;
            }
        }
        self.job.bell.ring();
    }
}

impl<P> Drop for JobRun<'_, P> {
    fn drop(&mut self) {
        let mut runs = self.job.runs.lock();
        runs.retain(|run| !Arc::ptr_eq(&run.stop, &self.stop));
        drop(runs);
        self.job.bell.ring();
    }
}

/// A run over a query set.
pub type SetRun<'a> = JobRun<'a, QuerySetProgress>;

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

/// The jobs of a library.
pub struct Jobs {
    /// Asking all past questions again.
    pub replay: Job<QuerySetProgress>,
    /// Reading the logs of agents.
    pub import: Job<RecallProgress>,
    /// Two rankings over a query set.
    pub compare: Job<QuerySetProgress>,
    /// The search for the nearest setting of another program.
    pub nearest: Job<QuerySetProgress>,
    /// Reading all files for a fact.
    pub autopsy: Job<AutopsyProgress>,
    /// Embedding the chunks of an emulated memory.
    pub emulation: Job<EmulationProgress>,
    /// Downloads of reranker models.
    pub downloads: Downloads,
    /// Comparing all observations.
    pub aggregation: Job<AggregationProgress>,
    /// Computing the map's layout by neighbours.
    pub layout: Job<LayoutProgress>,
    /// The figures that a window shows; the newest run replaces the others.
    pub measuring: Job<QuerySetProgress>,
    /// The figures of a run that is saved or compared, or that support a preset.
    pub recording: Job<QuerySetProgress>,
    /// How metrics depend on each parameter.
    pub sensing: Job<QuerySetProgress>,
    /// The distribution of scores of right and wrong results.
    pub calibrating: Job<QuerySetProgress>,
    /// The search for better values.
    pub tuning: Job<QuerySetProgress>,
    bell: Arc<Bell>,
}

impl Default for Jobs {
    fn default() -> Jobs {
        let bell = Arc::default();
        Jobs {
            replay: Job::new(&bell),
            import: Job::new(&bell),
            compare: Job::new(&bell),
            nearest: Job::new(&bell),
            autopsy: Job::new(&bell),
            emulation: Job::new(&bell),
            downloads: Downloads::default(),
            aggregation: Job::new(&bell),
            layout: Job::new(&bell),
            measuring: Job::new(&bell),
            recording: Job::new(&bell),
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
            (TuneStep::Preparing, &self.recording),
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
            &self.recording,
            &self.sensing,
            &self.calibrating,
            &self.tuning,
        ] {
            job.stop();
        }
    }

    fn progress(&self) -> [JobProgress; 9] {
        [
            JobProgress::Replay(self.replay.progress()),
            JobProgress::Import(self.import.progress()),
            JobProgress::Compare(self.compare.progress()),
            JobProgress::Nearest(self.nearest.progress()),
            JobProgress::Tune(self.tune_progress()),
            JobProgress::Autopsy(self.autopsy.progress()),
            JobProgress::Emulation(self.emulation.progress()),
            JobProgress::Aggregation(self.aggregation.progress()),
            JobProgress::Layout(self.layout.progress()),
        ]
    }
}

impl Library {
    /// The long jobs, to read their progress.
    pub fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    /// Stops a job, and the embedding and the calls to rerankers that it waits for. A download keeps what came, and has ended when this
    /// returns.
    pub fn stop(&self, kind: JobKind) {
        let jobs = &self.jobs;
        match kind {
            JobKind::Import => jobs.import.stop(),
            JobKind::Autopsy => jobs.autopsy.stop(),
            JobKind::Emulation => jobs.emulation.stop(),
            JobKind::Aggregation => jobs.aggregation.stop(),
            JobKind::Layout => jobs.layout.stop(),
            JobKind::Replay => {
                jobs.replay.stop();
                jobs.emulation.stop();
            }
            JobKind::Compare => {
                jobs.compare.stop();
                jobs.emulation.stop();
                self.cancel_asking();
            }
            JobKind::Nearest => {
                jobs.nearest.stop();
                jobs.emulation.stop();
                self.cancel_asking();
            }
            JobKind::Tune => {
                jobs.stop_measuring();
                jobs.emulation.stop();
                self.cancel_asking();
            }
            JobKind::Download => jobs.downloads.stop(),
        }
    }
}

/// The thread that reports the progress of every job; dropped, it ends.
pub struct JobReporter {
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
        let mut last = Jobs::default().progress();
        // Reports jobs that already run.
        jobs.bell.ring();
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
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// What happens to the runs of a job; a number names one of those in progress.
    #[derive(Debug, Clone)]
    enum Step {
        Begin,
        Replace,
        Report(usize, u32),
        Stop,
        End(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            2 => Just(Step::Begin),
            1 => Just(Step::Replace),
            4 => (0..4_usize, 0..9_u32).prop_map(|(run, n_done)| Step::Report(run, n_done)),
            1 => Just(Step::Stop),
            3 => (0..4_usize).prop_map(Step::End),
        ];
        vec(step, 0..40)
    }

    fn done(n_done: u32) -> QuerySetProgress {
        QuerySetProgress { n_done, n_all: 500 }
    }

    proptest! {
        /// Also stopped twice, and with several runs that end in any order.
        #[test]
        fn the_newest_run_is_reported_and_a_stop_is_for_all_that_began_before(steps in steps()) {
            let jobs = Jobs::default();
            let mut runs = Vec::new();
            for step in steps {
                match step {
                    Step::Begin => runs.push((jobs.replay.begin(), None, false)),
                    Step::Replace => {
                        runs.iter_mut().for_each(|(_, _, is_stopped)| *is_stopped = true);
                        runs.push((jobs.replay.replace(), None, false));
                    }
                    Step::Report(run, n_done) => {
                        if let Some((run, progress, _)) = runs.get_mut(run) {
                            run.report(done(n_done));
                            *progress = Some(done(n_done));
                        }
                    }
                    Step::Stop => {
                        jobs.replay.stop();
                        runs.iter_mut().for_each(|(_, _, is_stopped)| *is_stopped = true);
                    }
                    Step::End(run) if run < runs.len() => drop(runs.remove(run)),
                    Step::End(_) => {}
                }
                let newest = runs.iter().rev().find_map(|(_, progress, _)| *progress);
                prop_assert_eq!(jobs.replay.progress(), newest);
                for (run, _, is_stopped) in &runs {
                    prop_assert_eq!(run.is_stopped(), *is_stopped);
                    prop_assert_eq!(run.stop_flag().load(Ordering::Relaxed), *is_stopped);
                }
            }
            drop(runs);
            prop_assert_eq!(jobs.replay.progress(), None);
        }

        /// No report is repeated, and the last one is the end.
        #[test]
        fn whatever_was_reported_ends_with_one_end(steps in steps()) {
            let jobs = Arc::new(Jobs::default());
            let (reporter, reports) = reporting(&jobs);
            let mut runs = Vec::new();
            for step in steps {
                match step {
                    Step::Begin => runs.push(jobs.replay.begin()),
                    Step::Replace => runs.push(jobs.replay.replace()),
                    Step::Report(run, n_done) => {
                        if let Some(run) = runs.get(run) {
                            run.report(done(n_done));
                        }
                    }
                    Step::Stop => jobs.replay.stop(),
                    Step::End(run) if run < runs.len() => drop(runs.remove(run)),
                    Step::End(_) => {}
                }
                std::thread::yield_now();
            }
            drop(runs);
            drop(reporter);
            let reports: Vec<JobProgress> = reports.iter().collect();
            let mut last = JobProgress::Replay(None);
            for report in reports {
                prop_assert_ne!(&report, &last);
                last = report;
            }
            prop_assert_eq!(last, JobProgress::Replay(None));
        }
    }

    #[test]
    fn a_stop_reaches_no_other_job_and_no_run_that_begins_later() {
        let jobs = Jobs::default();
        jobs.replay.stop();
        let run = jobs.replay.begin();
        jobs.compare.stop();
        assert!(run.goes_on());
    }

    #[test]
    fn a_run_that_panics_is_over() {
        let jobs = Jobs::default();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let run = jobs.replay.begin();
            run.report(done(3));
            panic!("a fault in the work");
        }));
        assert!(panicked.is_err());
        assert_eq!(jobs.replay.progress(), None);
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
        while reports.recv().unwrap() != replay(500) {}
        drop(run);
        assert_eq!(reports.recv().unwrap(), JobProgress::Replay(None));
        drop(reporter);
        assert!(reports.recv().is_err());
    }

    #[test]
    fn a_run_that_waits_does_not_hide_the_one_that_works() {
        let jobs = Jobs::default();
        let working = jobs.replay.begin();
        working.expect(500);
        let waiting = jobs.replay.begin();
        assert_eq!(
            (jobs.replay.progress(), jobs.replay.n_runs()),
            (Some(done(0)), 2)
        );
        drop(waiting);
        drop(working);
        assert_eq!((jobs.replay.progress(), jobs.replay.n_runs()), (None, 0));
    }

    fn reporting(jobs: &Arc<Jobs>) -> (JobReporter, mpsc::Receiver<JobProgress>) {
        let (sender, reports) = mpsc::channel();
        let reporter = JobReporter::start(jobs.clone(), move |progress| {
            // The test may be over.
            let _ = sender.send(progress);
        });
        (reporter.unwrap(), reports)
    }

    fn replay(n_done: u32) -> JobProgress {
        JobProgress::Replay(Some(done(n_done)))
    }
}
