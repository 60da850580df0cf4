//! The commits that changed a note.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix_hash::ObjectId;

use crate::repository::Repository;
use crate::{Budget, Commit, Limits, slashes};

/// A commit in which a note is another than in the commit before.
#[derive(Debug, Clone, Copy)]
pub struct NoteCommit<'t> {
    /// The commit.
    pub commit: &'t Commit,
    /// The first line of its message, at most 200 characters.
    pub subject: &'t str,
    /// The note's text in the commit before; `None` if that has no such file, or one that is no text.
    pub before: Option<&'t str>,
    /// The note's text in this commit; `None` if that has no such file, or one that is no text.
    pub after: Option<&'t str>,
}

/// How far the commits of a note were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteCommits {
    /// The note is in no repository, or the newest commit does not have it.
    None,
    /// All of the history was read, or the caller had enough.
    Read,
    /// Older commits are not known: why, as a clause such as `its clone is shallow`.
    Cut(String),
}

/// Calls `each` with the commits that changed a note, the newest first, until it breaks.
///
/// A commit is compared with its first parent. The note is followed under its present name alone: the oldest of the commits is the
/// one that added the file under this name, which may have had another one before. The repository is the one of the nearest folder
/// around the note, which is `top` or a folder in it.
pub fn note_commits(
    top: &Path,
    file: &Path,
    limits: &Limits,
    stop: &AtomicBool,
    mut each: impl FnMut(NoteCommit<'_>) -> ControlFlow<()>,
) -> NoteCommits {
    let repository = match Repository::around(top, file) {
        Ok(Some(repository)) => repository,
        Ok(None) => return NoteCommits::None,
        Err(why) => return NoteCommits::Cut(why),
    };
    let Some(path) = slashes(file, &repository.root) else {
        return NoteCommits::None;
    };
    let mut budget = Budget::new(limits, stop);
    read(&repository, &path, &mut budget, &mut each).unwrap_or_else(NoteCommits::Cut)
}

fn read(
    repository: &Repository,
    path: &str,
    budget: &mut Budget<'_>,
    each: &mut dyn FnMut(NoteCommit<'_>) -> ControlFlow<()>,
) -> Result<NoteCommits, String> {
    let mut at = |id: ObjectId| {
        budget.next_commit()?;
        let (commit, _, tree, parents) = repository.commit(id)?;
        let blob = repository.blob_at(&tree, path)?;
        Ok::<_, String>((commit, blob, parents.first().copied()))
    };
    let text = |blob: Option<ObjectId>| match blob {
        Some(blob) => repository.text(&blob),
        None => Ok(None),
    };
    let mut id = repository.head;
    let (mut commit, mut blob, mut parent) = at(id)?;
    if blob.is_none() {
        return Ok(NoteCommits::None);
    }
    loop {
        let former = match parent {
            Some(parent) => Some(at(parent)?),
            None => None,
        };
        let blob_before = former.as_ref().and_then(|(_, blob, _)| *blob);
        if blob != blob_before {
            let (before, after) = (text(blob_before)?, text(blob)?);
            let subject = repository.subject(&id)?;
            let change = NoteCommit {
                commit: &commit,
                subject: &subject,
                before: before.as_deref(),
                after: after.as_deref(),
            };
            if each(change).is_break() {
                return Ok(NoteCommits::Read);
            }
        }
        let (Some(former), Some(next)) = (former, parent) else {
            return Ok(NoteCommits::Read);
        };
        id = next;
        (commit, blob, parent) = former;
    }
}
