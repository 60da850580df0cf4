//! The commits that changed a note.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix_hash::ObjectId;

use crate::repository::Repository;
use crate::{Budget, Commit, Limits, slashes};

/// A note's file in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteVersion<'t> {
    /// The commit has no such file.
    Absent,
    /// The file is no text.
    NoText,
    /// Its text.
    Text(&'t str),
}

/// A commit in which a note is another than in the commit before.
#[derive(Debug, Clone, Copy)]
pub struct NoteCommit<'t> {
    /// The commit.
    pub commit: &'t Commit,
    /// The first line of its message, at most 200 characters.
    pub subject: &'t str,
    /// Whether it has several parents, so that its changes are those of the merged branches too.
    pub is_merge: bool,
    /// The note in the first parent.
    pub before: NoteVersion<'t>,
    /// The note in this commit.
    pub after: NoteVersion<'t>,
}

/// How far the commits of a note were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteCommits {
    /// The note is in no repository, or the newest commit does not have it.
    None,
    /// All of the history by first parents was read, or the caller had enough.
    Read,
    /// The limits end before the history: why, as a clause such as `only its newest 5000 commits were read`.
    Limited(String),
    /// Older commits are not known, but may be as soon as the repository is another: why, as a clause such as `its clone is shallow`.
    Cut(String),
}

/// A note and the repository around it, with the newest commit of the moment when it was opened.
pub struct NoteRepository {
    repository: Repository,
    /// Path of the note in it.
    path: String,
}

impl NoteRepository {
    /// The repository of the nearest folder around a note, which is `top` or a folder in it; `None` if there is none, or it has no commit.
    ///
    /// # Errors
    /// Why it cannot be read, as a clause about it.
    pub fn around(top: &Path, file: &Path) -> Result<Option<NoteRepository>, String> {
        let Some(repository) = Repository::around(top, file)? else {
            return Ok(None);
        };
        let path = slashes(file, &repository.root);
        Ok(path.map(|path| NoteRepository { repository, path }))
    }

    /// Id of its newest commit.
    pub fn head(&self) -> String {
        self.repository.head.to_string()
    }

    /// As [`note_commits`].
    pub fn commits(
        &self,
        limits: &Limits,
        stop: &AtomicBool,
        mut each: impl FnMut(NoteCommit<'_>) -> ControlFlow<()>,
    ) -> NoteCommits {
        let mut budget = Budget::new(limits, stop);
        match read(&self.repository, &self.path, &mut budget, &mut each) {
            Ok(read) => read,
            Err(why) if budget.is_spent.get() => NoteCommits::Limited(why),
            Err(why) => NoteCommits::Cut(why),
        }
    }
}

/// Calls `each` with the commits that changed a note, the newest first, until it breaks.
///
/// A commit is compared with its first parent, and only first parents are followed: the commits of a merged branch are not among
/// them, and their changes are those of the merge. The note is followed under its present name alone: the oldest of the commits is the
/// one that added the file under this name, which may have had another one before. The repository is the one of the nearest folder
/// around the note, which is `top` or a folder in it.
pub fn note_commits(
    top: &Path,
    file: &Path,
    limits: &Limits,
    stop: &AtomicBool,
    each: impl FnMut(NoteCommit<'_>) -> ControlFlow<()>,
) -> NoteCommits {
    match NoteRepository::around(top, file) {
        Ok(Some(repository)) => repository.commits(limits, stop, each),
        Ok(None) => NoteCommits::None,
        Err(why) => NoteCommits::Cut(why),
    }
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
        let is_merge = parents.len() > 1;
        Ok::<_, String>((commit, is_merge, blob, parents.first().copied()))
    };
    let text = |blob: Option<ObjectId>| match blob {
        Some(blob) => repository.text(&blob),
        None => Ok(None),
    };
    let mut id = repository.head;
    let (mut commit, mut is_merge, mut blob, mut parent) = at(id)?;
    if blob.is_none() {
        return Ok(NoteCommits::None);
    }
    loop {
        let former = match parent {
            Some(parent) => Some(at(parent)?),
            None => None,
        };
        let blob_before = former.as_ref().and_then(|(_, _, blob, _)| *blob);
        if blob != blob_before {
            let (text_before, text_after) = (text(blob_before)?, text(blob)?);
            let subject = repository.subject(&id)?;
            let change = NoteCommit {
                commit: &commit,
                subject: &subject,
                is_merge,
                before: version(blob_before, text_before.as_deref()),
                after: version(blob, text_after.as_deref()),
            };
            if each(change).is_break() {
                return Ok(NoteCommits::Read);
            }
        }
        let (Some(former), Some(next)) = (former, parent) else {
            return Ok(NoteCommits::Read);
        };
        id = next;
        (commit, is_merge, blob, parent) = former;
    }
}

fn version(blob: Option<ObjectId>, text: Option<&str>) -> NoteVersion<'_> {
    match (blob, text) {
        (None, _) => NoteVersion::Absent,
        (Some(_), None) => NoteVersion::NoText,
        (Some(_), Some(text)) => NoteVersion::Text(text),
    }
}
