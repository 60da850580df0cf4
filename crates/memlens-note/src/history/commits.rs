//! The commits of a note, cached by the newest commit of its repository.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_history::{Limits, NoteCommits, NoteRepository};
use memlens_library::{FeatureState, Library};
use memlens_wire::{ChangeOrigin, NoteChanged};
use parking_lot::Mutex;

use super::Shown;

/// Commits of a note that are listed.
const COMMITS_MOST: usize = 50;

/// The commits of the note that was asked for last.
#[derive(Default)]
struct LastRead(Mutex<Option<Read>>);

impl FeatureState for LastRead {
    fn forget_measured(&self) {
        *self.0.lock() = None;
    }
}

struct Read {
    of: Of,
    commits: Arc<Commits>,
}

/// What the commits of a note depend on, if all of them can be read.
#[derive(PartialEq, Eq)]
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
    if let Some(read) = state.0.lock().as_ref().filter(|read| read.of == of) {
        return read.commits.clone();
    }
    // Not locked: another note is not to wait for this one.
    let (commits, is_final) = read(&repository, stop);
    let commits = Arc::new(commits);
    if is_final {
        *state.0.lock() = Some(Read {
            of,
            commits: commits.clone(),
        });
    }
    commits
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
