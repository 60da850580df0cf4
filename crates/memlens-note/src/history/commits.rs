//! The commits of a note, cached by the newest commit of its repository.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memlens_history::{Limits, NoteCommits, NoteRepository};
use memlens_library::{FeatureState, Library};
use memlens_wire::{ChangeOrigin, NoteChanged};
use parking_lot::{Condvar, Mutex};

use super::Shown;

/// Commits of a note that are listed.
const COMMITS_MOST: usize = 50;

/// How often a reading that waits for another asks whether it was cancelled.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// The commits of the note that was asked for last.
#[derive(Default)]
struct LastRead {
    state: Mutex<State>,
    /// Notified when a reading ends.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    last: Option<Read>,
    /// What is being read now.
    reading: Vec<Of>,
}

impl FeatureState for LastRead {
    fn forget_measured(&self) {
        self.state.lock().last = None;
    }
}

impl LastRead {
    /// The commits as they were read last, else as `read` reads them; the second value of `read` is whether they may be cached.
    /// Waits for another reading of the same unless `is_stopped`, but not for one of another note.
    fn get(
        &self,
        of: Of,
        is_stopped: impl Fn() -> bool,
        read: impl FnOnce() -> (Commits, bool),
    ) -> Arc<Commits> {
        let mut state = self.state.lock();
        loop {
            if let Some(last) = state.last.as_ref().filter(|last| last.of == of) {
                return last.commits.clone();
            }
            if !state.reading.contains(&of) || is_stopped() {
                break;
            }
            self.ended.wait_for(&mut state, CHECK_EVERY);
        }
        state.reading.push(of.clone());
        drop(state);
        let reading = Reading { last: self, of };
        let (commits, is_final) = read();
        let commits = Arc::new(commits);
        if is_final {
            self.state.lock().last = Some(Read {
                of: reading.of.clone(),
                commits: commits.clone(),
            });
        }
        commits
    }
}

/// A reading that goes on; dropped, it has ended.
struct Reading<'l> {
    last: &'l LastRead,
    of: Of,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let reading = &mut self.last.state.lock().reading;
        if let Some(at) = reading.iter().position(|of| *of == self.of) {
            reading.swap_remove(at);
        }
        self.last.ended.notify_all();
    }
}

struct Read {
    of: Of,
    commits: Arc<Commits>,
}

/// What the commits of a note depend on, if all of them can be read.
#[derive(Clone, PartialEq, Eq)]
struct Of {
    /// The watched folder, outside of which no repository is read.
    top: PathBuf,
    file: PathBuf,
    /// Id of the repository's newest commit.
    head: String,
}

/// The newest commits of a note, and why older ones are not listed.
#[derive(Default)]
pub(super) struct Commits {
    pub(super) changes: Vec<NoteChanged>,
    pub(super) end: Option<String>,
}

/// The newest [`COMMITS_MOST`] commits of a note. Reading ends when `stop` is set.
pub(super) fn commits_of(
    library: &Library,
    top: &Path,
    file: &Path,
    stop: &AtomicBool,
) -> Arc<Commits> {
    let repository = match NoteRepository::around(top, file) {
        Ok(Some(repository)) => repository,
        Ok(None) => return Arc::default(),
        Err(why) => {
            return Arc::new(Commits {
                changes: Vec::new(),
                end: Some(why),
            });
        }
    };
    let of = Of {
        top: top.to_owned(),
        file: file.to_owned(),
        head: repository.head(),
    };
    let state = library.feature::<LastRead>();
    let is_stopped = || stop.load(Ordering::Relaxed);
    state.get(of, is_stopped, || read(&repository, stop))
}

/// The newest commits, and whether reading them again finds the same while the repository has no newer commit.
fn read(repository: &NoteRepository, stop: &AtomicBool) -> (Commits, bool) {
    let mut changes = Vec::new();
    let mut has_more = false;
    let read = repository.commits(&Limits::default(), stop, |it| {
        if changes.len() == COMMITS_MOST {
            has_more = true;
            return ControlFlow::Break(());
        }
        let origin = ChangeOrigin::Commit {
            id: it.commit.id.clone(),
            subject: it.subject.to_owned(),
            is_merge: it.is_merge,
        };
        let shown = Shown::of_versions(it.before, it.after);
        changes.push(shown.of(origin, it.commit.at_ms));
        ControlFlow::Continue(())
    });
    let (end, is_final) = match read {
        NoteCommits::Cut(why) => (Some(why), false),
        NoteCommits::Limited(why) => (Some(why), true),
        NoteCommits::Read if has_more => {
            let end = format!("only its newest {COMMITS_MOST} commits are listed");
            (Some(end), true)
        }
        NoteCommits::Read | NoteCommits::None => (None, true),
    };
    (Commits { changes, end }, is_final)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use super::*;

    fn of(file: &str) -> Of {
        Of {
            top: PathBuf::from("/notes"),
            file: PathBuf::from(file),
            head: "1".to_owned(),
        }
    }

    fn commits(end: &str) -> Commits {
        Commits {
            changes: Vec::new(),
            end: Some(end.to_owned()),
        }
    }

    /// Two readings of one note: the second is asked for while the first goes on. Returns the end of both, and how often the
    /// note was read.
    fn both(is_first_final: bool) -> ([Option<String>; 2], u32) {
        let last = LastRead::default();
        let (n_read, is_waiting) = (AtomicU32::new(0), AtomicBool::new(false));
        let second = || {
            let is_stopped = || {
                is_waiting.store(true, Ordering::Relaxed);
                false
            };
            let read = || {
                n_read.fetch_add(1, Ordering::Relaxed);
                (commits("second"), true)
            };
            last.get(of("a.md"), is_stopped, read).end.clone()
        };
        thread::scope(|scope| {
            let mut of_second = None;
            let read = || {
                n_read.fetch_add(1, Ordering::Relaxed);
                of_second = Some(scope.spawn(second));
                while !is_waiting.load(Ordering::Relaxed) && n_read.load(Ordering::Relaxed) == 1 {
                    thread::yield_now();
                }
                (commits("first"), is_first_final)
            };
            let first = last.get(of("a.md"), || false, read).end.clone();
            let second = of_second.expect("it was begun").join();
            let n_read = n_read.load(Ordering::Relaxed);
            ([first, second.expect("it ends")], n_read)
        })
    }

    #[test]
    fn two_readings_of_one_note_are_one() {
        let ends = |ends: [&str; 2]| ends.map(|end| Some(end.to_owned()));
        assert_eq!(both(true), (ends(["first", "first"]), 1));
        // What was not read to its end is read again.
        assert_eq!(both(false), (ends(["first", "second"]), 2));
    }

    #[test]
    fn neither_another_note_nor_a_cancelled_reading_waits() {
        let last = LastRead::default();
        let end = |commits: Arc<Commits>| commits.end.clone();
        let inner = || {
            let other = last.get(of("b.md"), || false, || (commits("other"), true));
            assert_eq!(end(other).as_deref(), Some("other"));
            let cancelled = last.get(of("a.md"), || true, || (commits("cancelled"), false));
            assert_eq!(end(cancelled).as_deref(), Some("cancelled"));
            (commits("first"), true)
        };
        let first = last.get(of("a.md"), || false, inner);
        assert_eq!(end(first).as_deref(), Some("first"));
        assert!(last.state.lock().reading.is_empty());
    }
}
