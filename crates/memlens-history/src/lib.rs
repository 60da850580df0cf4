//! When a line came into a note, and which commits changed a note, by the git history of its folder; git itself is never run.
//!
//! [`line_history`] and [`note_commits`] follow the commits from `HEAD` by their first parents, which is the history of the folder itself, within
//! [`Limits`]. Only the repository's own `.git` folder is read: no hook, no file through a link, no object outside of it; of its
//! configuration only the format of objects and refs. Whatever cannot be read that way is [`LineHistory::Unknown`] with its reason.
//!
//! Times are those of commits. A line may be older than the first commit that holds it.

mod commits;
mod repository;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use commits::{NoteCommit, NoteCommits, NoteRepository, NoteVersion, note_commits};
use gix_hash::ObjectId;
use repository::Repository;

/// Notes of one commit that are searched for a line, or for a note's former name.
const NOTES_MOST: usize = 2_000;

/// How much is read at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of commits to read.
    pub commits: usize,
    /// Time limit of the whole search.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            commits: 5_000,
            time: Duration::from_secs(3),
        }
    }
}

/// A line of a note at a moment.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The watched folder. No repository around it is read.
    pub top: &'a Path,
    /// Path of the note to follow.
    pub file: &'a Path,
    /// Whether a text holds the line.
    pub holds: &'a dyn Fn(&str) -> bool,
    /// The moment, milliseconds since 1970.
    pub at_ms: i64,
}

/// Id and time of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The first digits of its id.
    pub id: String,
    /// When it was made, milliseconds since 1970.
    pub at_ms: i64,
}

/// What is known of a line at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHistory {
    /// The note is in no repository, or in no commit of it.
    None,
    /// The history does not say: why, as a clause such as `its clone is shallow`.
    Unknown(String),
    /// The newest commit up to the moment holds the line.
    Before {
        /// The commit that holds the line.
        commit: Commit,
        /// The note that held it, relative to the repository, if it was another one or had another name.
        path: Option<String>,
    },
    /// The newest commit up to the moment does not hold the line, in no note.
    After {
        /// The newest commit that is known not to hold it.
        lacking: Commit,
        /// Whether that commit saved the note after the moment, so that the line cannot have been there uncommitted.
        is_proven: bool,
        /// The first commit that holds it; `None` if it is not committed.
        first: Option<Commit>,
    },
}

/// The history of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteHistory {
    /// What is known of the line.
    pub line: LineHistory,
    /// The note's former paths, absolute, the latest first.
    pub former: Vec<PathBuf>,
}

/// Whether a note's line was in its repository at a moment.
///
/// The repository is the one of the nearest folder around the note, which is `top` or a folder in it. Reading ends when `stop` is set.
pub fn line_history(question: &Question<'_>, limits: &Limits, stop: &AtomicBool) -> NoteHistory {
    let none = |line| NoteHistory {
        line,
        former: Vec::new(),
    };
    let repository = match Repository::around(question.top, question.file) {
        Ok(Some(repository)) => repository,
        Ok(None) => return none(LineHistory::None),
        Err(why) => return none(LineHistory::Unknown(why)),
    };
    let Some(path) = slashes(question.file, &repository.root) else {
        return none(LineHistory::None);
    };
    let root = repository.root.clone();
    let mut reader = Reader {
        repository,
        question,
        budget: Budget::new(limits, stop),
        names: vec![path],
        is_added: false,
        known: HashMap::new(),
    };
    let line = reader.read().unwrap_or_else(LineHistory::Unknown);
    let former = reader.names.into_iter().skip(1);
    NoteHistory {
        line,
        former: former.map(|path| root.join(path)).collect(),
    }
}

fn slashes(file: &Path, root: &Path) -> Option<String> {
    let parts = file.strip_prefix(root).ok()?.iter();
    let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// The note as one commit has it.
struct Seen {
    commit: Commit,
    author_ms: i64,
    tree: ObjectId,
    parents: Vec<ObjectId>,
    blob: Option<ObjectId>,
    holds: bool,
}

struct Reader<'q> {
    repository: Repository,
    question: &'q Question<'q>,
    budget: Budget<'q>,
    /// The note's names, the latest first.
    names: Vec<String>,
    /// Whether older commits are known not to have the note under any name.
    is_added: bool,
    /// Whether a blob holds the line.
    known: HashMap<ObjectId, bool>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<LineHistory, String> {
        let at_ms = self.question.at_ms;
        // Commits after the moment, the newest first.
        let mut newer: Vec<Seen> = Vec::new();
        let mut next = Some(self.repository.head);
        let mut then = None;
        while let Some(id) = next {
            let last_blob = newer.last().and_then(|it| it.blob);
            let seen = self.seen(id, last_blob)?;
            if newer.is_empty() && seen.blob.is_none() {
                return Ok(LineHistory::None);
            }
            if seen.commit.at_ms <= at_ms {
                then = Some(seen);
                break;
            }
            next = seen.parents.first().copied();
            newer.push(seen);
        }
        let Some(then) = then else {
            return self.without_commit_before(&newer);
        };
        if then.holds {
            let name = self.names.last().filter(|_| self.names.len() > 1);
            return Ok(LineHistory::Before {
                path: name.cloned(),
                commit: then.commit,
            });
        }
        if let Some(path) = self.elsewhere(&then.tree)? {
            return Ok(LineHistory::Before {
                commit: then.commit,
                path: Some(path),
            });
        }
        if let Some(commit) = self.on_other_branch(&newer)? {
            return Ok(LineHistory::Unknown(format!(
                "commit {} of another branch held the line by then",
                commit.id
            )));
        }
        if let Some(older) = self.removed(&then)? {
            return Ok(LineHistory::Unknown(format!(
                "commit {} holds the line, and {} after it does not",
                older.id, then.commit.id
            )));
        }
        self.after(&newer, Some(&then))
    }

    /// The answer if the whole history is younger than the moment.
    fn without_commit_before(&mut self, newer: &[Seen]) -> Result<LineHistory, String> {
        let oldest = newer.last().ok_or("it has no commit")?;
        if oldest.holds || self.elsewhere(&oldest.tree)?.is_some() {
            return Ok(LineHistory::Unknown(format!(
                "its first commit, {}, is younger and holds the line",
                oldest.commit.id
            )));
        }
        self.after(newer, None)
    }

    /// The answer if no commit up to the moment holds the line.
    fn after(&mut self, newer: &[Seen], then: Option<&Seen>) -> Result<LineHistory, String> {
        let first = newer.iter().rposition(|it| it.holds);
        if let Some(first) = first.map(|at| &newer[at])
            && first.author_ms <= self.question.at_ms
        {
            return Ok(LineHistory::Unknown(format!(
                "commit {}, the first that holds the line, was made again later than it was written",
                first.commit.id
            )));
        }
        // Of those before the first that holds it, the newest that saved the note.
        let lacking = &newer[first.map_or(0, |first| first + 1)..];
        let mut proof = None;
        for (at, seen) in lacking.iter().enumerate() {
            let parent = lacking.get(at + 1).or(then).and_then(|it| it.blob);
            let is_saved = seen.blob.is_some() && seen.blob != parent;
            if is_saved && self.elsewhere(&seen.tree)?.is_none() {
                proof = Some(seen);
                break;
            }
        }
        let Some(known) = proof.or(then).or(lacking.first()) else {
            return Ok(LineHistory::Unknown("its commits do not say".to_owned()));
        };
        Ok(LineHistory::After {
            lacking: known.commit.clone(),
            is_proven: proof.is_some(),
            first: first.map(|at| newer[at].commit.clone()),
        })
    }

    /// The newest commit of a merged branch up to the moment, if it holds the line.
    fn on_other_branch(&mut self, newer: &[Seen]) -> Result<Option<Commit>, String> {
        let merged: Vec<ObjectId> = newer
            .iter()
            .flat_map(|it| it.parents.iter().skip(1).copied())
            .collect();
        for parent in merged {
            let mut next = Some(parent);
            while let Some(id) = next {
                let seen = self.seen_by_names(id)?;
                if seen.commit.at_ms > self.question.at_ms {
                    next = seen.parents.first().copied();
                    continue;
                }
                if seen.holds {
                    return Ok(Some(seen.commit));
                }
                break;
            }
        }
        Ok(None)
    }

    /// The newest commit before one that holds the line, which was removed after it.
    fn removed(&mut self, then: &Seen) -> Result<Option<Commit>, String> {
        let mut next = then.parents.first().copied();
        while let Some(id) = next {
            let seen = self.seen_by_names(id)?;
            if seen.holds {
                return Ok(Some(seen.commit));
            }
            next = seen.parents.first().copied();
        }
        Ok(None)
    }

    /// The note in a commit; one that it does not have by its name may have another name there.
    fn seen(&mut self, id: ObjectId, last_blob: Option<ObjectId>) -> Result<Seen, String> {
        let mut seen = self.seen_by_names(id)?;
        if seen.blob.is_none() && last_blob.is_some() && !self.is_added {
            match self.former(&seen.tree, last_blob)? {
                Some((path, blob)) => {
                    self.names.push(path);
                    seen.blob = Some(blob);
                    seen.holds = self.holds(blob)?;
                }
                None => self.is_added = true,
            }
        }
        Ok(seen)
    }

    /// The note in a commit, by its latest name that the commit has.
    fn seen_by_names(&mut self, id: ObjectId) -> Result<Seen, String> {
        self.budget.next_commit()?;
        let (commit, author_ms, tree, parents) = self.repository.commit(id)?;
        let mut blob = None;
        for name in self.names.iter().rev() {
            blob = self.repository.blob_at(&tree, name)?;
            if blob.is_some() {
                break;
            }
        }
        let holds = match blob {
            Some(blob) => self.holds(blob)?,
            None => false,
        };
        Ok(Seen {
            commit,
            author_ms,
            tree,
            parents,
            blob,
            holds,
        })
    }

    /// The former name of a note that came later: that of the same blob, else of the only note that holds the line.
    fn former(
        &mut self,
        tree: &ObjectId,
        blob: Option<ObjectId>,
    ) -> Result<Option<(String, ObjectId)>, String> {
        let notes = self.notes(tree)?;
        if let Some(same) = notes.iter().find(|(_, id)| Some(*id) == blob) {
            return Ok(Some(same.clone()));
        }
        let mut holding = Vec::new();
        for (path, id) in notes {
            if self.holds(id)? {
                holding.push((path, id));
            }
        }
        Ok((holding.len() == 1).then(|| holding.remove(0)))
    }

    /// Another note of a commit that holds the line.
    fn elsewhere(&mut self, tree: &ObjectId) -> Result<Option<String>, String> {
        for (path, id) in self.notes(tree)? {
            if self.holds(id)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The notes of a commit but this one.
    fn notes(&self, tree: &ObjectId) -> Result<Vec<(String, ObjectId)>, String> {
        let mut notes = Vec::new();
        let mut folders = vec![(String::new(), *tree)];
        while let Some((folder, id)) = folders.pop() {
            self.budget.go_on()?;
            for (name, id, is_folder) in self.repository.entries(&id)? {
                let path = match folder.as_str() {
                    "" => name,
                    folder => format!("{folder}/{name}"),
                };
                if is_folder {
                    folders.push((path, id));
                } else if memlens_ingest::Kind::of(Path::new(&path)).is_some() {
                    notes.push((path, id));
                }
            }
            if notes.len() > NOTES_MOST || folders.len() > NOTES_MOST {
                return Err(format!("a commit of it has more than {NOTES_MOST} notes"));
            }
        }
        notes.retain(|(path, _)| !self.names.contains(path));
        notes.sort();
        Ok(notes)
    }

    /// Whether a blob holds the line.
    fn holds(&mut self, blob: ObjectId) -> Result<bool, String> {
        if let Some(holds) = self.known.get(&blob) {
            return Ok(*holds);
        }
        self.budget.go_on()?;
        let text = self.repository.text(&blob)?;
        let holds = text.is_some_and(|text| (self.question.holds)(&text));
        self.known.insert(blob, holds);
        Ok(holds)
    }
}

/// How much may still be read.
struct Budget<'q> {
    limits: &'q Limits,
    stop: &'q AtomicBool,
    started: Instant,
    n_commits: usize,
    /// Whether a limit ended the reading.
    is_spent: Cell<bool>,
}

impl<'q> Budget<'q> {
    fn new(limits: &'q Limits, stop: &'q AtomicBool) -> Budget<'q> {
        Budget {
            limits,
            stop,
            started: Instant::now(),
            n_commits: 0,
            is_spent: Cell::new(false),
        }
    }

    /// Counts a commit that is about to be read.
    ///
    /// # Errors
    /// If that is one too many, or as [`Budget::go_on`].
    fn next_commit(&mut self) -> Result<(), String> {
        self.go_on()?;
        if self.n_commits >= self.limits.commits {
            self.is_spent.set(true);
            return Err(format!(
                "only its newest {} commits were read",
                self.n_commits
            ));
        }
        self.n_commits += 1;
        Ok(())
    }

    /// # Errors
    /// If reading was cancelled or took too long.
    fn go_on(&self) -> Result<(), String> {
        if self.stop.load(Ordering::Relaxed) {
            return Err("reading it was cancelled".to_owned());
        }
        if self.started.elapsed() >= self.limits.time {
            self.is_spent.set(true);
            let seconds = self.limits.time.as_secs();
            return Err(format!("it was not read within {seconds} s"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
