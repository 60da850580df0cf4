//! When a line came into a note, as the git history of its folder tells; git itself is never run.
//!
//! [`line_history`] reads the commits that lead to `HEAD`, within [`Limits`], from the repository's own `.git` folder: no configuration, no
//! hook, no object outside of it. The times are those of the commits, so a line may be older than the first commit that holds it.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gix_hash::ObjectId;
use gix_object::FindExt;
use gix_odb::Handle;
use gix_odb::store::init::Options;
use gix_ref::file::ReferenceExt;

/// Bytes of one object; larger ones are not read.
const OBJECT_BYTES: usize = 64 * 1024 * 1024;
/// Files of one commit that are searched for a note's former name.
const FILES_MOST: usize = 2_000;

/// How much is read at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Number of commits.
    pub commits: usize,
    /// Time in all.
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

/// A commit.
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
    /// The history does not say: why.
    Unknown(String),
    /// The newest commit up to the moment that holds the line.
    Before(Commit),
    /// No commit up to the moment holds the line.
    After {
        /// The first commit that holds it; `None` if no commit does.
        first: Option<Commit>,
        /// The newest commit up to the moment.
        before: Commit,
        /// The newest commit of all.
        last: Commit,
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

/// A commit that waits to be read, the newest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    seconds: i64,
    id: ObjectId,
}

/// Whether a note's line was in its repository at a moment, milliseconds since 1970.
///
/// The repository is the nearest folder around the note with a `.git` folder, `top` or a folder in it.
pub fn line_history(
    top: &Path,
    file: &Path,
    line: &str,
    at_ms: i64,
    limits: &Limits,
) -> NoteHistory {
    let none = |line| NoteHistory {
        line,
        former: Vec::new(),
    };
    let Some(repository) = repository(top, file) else {
        return none(LineHistory::None);
    };
    let Some(path) = file.strip_prefix(&repository).ok().and_then(slashes) else {
        return none(LineHistory::None);
    };
    match Reader::open(&repository, line, limits) {
        Ok(Some(mut reader)) => reader.read(&repository, path, at_ms),
        Ok(None) => none(LineHistory::None),
        Err(why) => none(LineHistory::Unknown(why)),
    }
}

/// The folder with the `.git` folder that is nearest around a file.
fn repository(top: &Path, file: &Path) -> Option<PathBuf> {
    let mut folders = file.parent()?.ancestors();
    let found = folders.find(|folder| {
        !folder.starts_with(top)
            || folder
                .join(".git")
                .symlink_metadata()
                .is_ok_and(|it| it.is_dir())
    })?;
    found.starts_with(top).then(|| found.to_owned())
}

fn slashes(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Reads the commits of a repository.
struct Reader<'l> {
    objects: Handle,
    head: ObjectId,
    /// The words of the line, one blank between.
    line: String,
    limits: &'l Limits,
    started: Instant,
    /// Whether a blob holds the line.
    known: HashMap<ObjectId, bool>,
}

impl<'l> Reader<'l> {
    /// Opens it; `None` if it has no commit.
    fn open(repository: &Path, line: &str, limits: &'l Limits) -> Result<Option<Self>, String> {
        let git = repository.join(".git");
        let objects = git.join("objects");
        let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_dir());
        if !is_own(&objects) {
            return Ok(None);
        }
        if objects.join("info/alternates").symlink_metadata().is_ok() {
            return Err("its objects are kept outside of it".to_owned());
        }
        let options = Options {
            alloc_limit_bytes: Some(OBJECT_BYTES),
            ..Options::default()
        };
        let kind = gix_hash::Kind::Sha1;
        let objects =
            gix_odb::at_opts(objects, kind, None, options).map_err(|error| error.to_string())?;
        let refs = gix_ref::file::Store::at(git, kind);
        let Ok(mut head) = refs.find("HEAD") else {
            return Ok(None);
        };
        let Ok(head) = head.peel_to_id(&refs, &objects) else {
            return Ok(None);
        };
        Ok(Some(Reader {
            objects,
            head,
            line: plain(line),
            limits,
            started: Instant::now(),
            known: HashMap::new(),
        }))
    }

    fn read(&mut self, repository: &Path, path: String, at_ms: i64) -> NoteHistory {
        let mut paths = vec![path];
        let line = self
            .follow(&mut paths, at_ms)
            .unwrap_or_else(LineHistory::Unknown);
        NoteHistory {
            line,
            former: paths
                .into_iter()
                .skip(1)
                .map(|path| repository.join(path))
                .collect(),
        }
    }

    /// Goes from the newest commit to older ones; `paths` are the note's, the latest name first.
    fn follow(&mut self, paths: &mut Vec<String>, at_ms: i64) -> Result<LineHistory, String> {
        let mut waiting = BinaryHeap::from([Waiting {
            seconds: i64::MAX,
            id: self.head,
        }]);
        let mut seen = HashSet::from([self.head]);
        let mut n_commits = 0;
        // The oldest commit that holds the line, and the newest one up to the moment.
        let (mut first, mut before): (Option<Commit>, Option<Commit>) = (None, None);
        let mut last: Option<Commit> = None;
        let (mut is_tracked, mut is_cut, mut last_blob) = (false, false, None);
        while let Some(Waiting { id, .. }) = waiting.pop() {
            if n_commits >= self.limits.commits || self.started.elapsed() >= self.limits.time {
                is_cut = true;
                break;
            }
            n_commits += 1;
            let mut buffer = Vec::new();
            // A shallow clone lacks the parents of its oldest commits.
            let Ok(commit) = self.objects.find_commit(&id, &mut buffer) else {
                is_cut = true;
                continue;
            };
            let seconds = commit.time().map_or(0, |time| time.seconds);
            let (tree, parents) = (commit.tree(), commit.parents().collect::<Vec<_>>());
            let commit = Commit {
                id: id.to_string().chars().take(8).collect(),
                at_ms: seconds.saturating_mul(1000),
            };
            last.get_or_insert_with(|| commit.clone());
            let is_before = commit.at_ms <= at_ms;
            if is_before && before.is_none() {
                before = Some(commit.clone());
            }
            let mut blob = self.blob_at(&tree, &paths[paths.len() - 1])?;
            if blob.is_none() && is_tracked {
                // It was added or renamed since.
                if let Some(former) = self.former(&tree, last_blob, paths)? {
                    blob = self.blob_at(&tree, &former)?;
                    paths.push(former);
                }
            }
            if let Some(blob) = blob {
                is_tracked = true;
                last_blob = Some(blob);
                if self.holds(blob)? {
                    if is_before {
                        return Ok(LineHistory::Before(commit));
                    }
                    first = Some(commit);
                }
            }
            for parent in parents {
                if seen.insert(parent) {
                    let mut buffer = Vec::new();
                    let seconds = self
                        .objects
                        .find_commit(&parent, &mut buffer)
                        .ok()
                        .and_then(|it| it.time().ok())
                        .map_or(0, |time| time.seconds);
                    waiting.push(Waiting {
                        seconds,
                        id: parent,
                    });
                }
            }
        }
        Ok(match before.zip(last) {
            _ if !is_tracked => LineHistory::None,
            _ if is_cut => {
                LineHistory::Unknown(format!("only its newest {n_commits} commits were read"))
            }
            None => LineHistory::Unknown("its first commit is younger".to_owned()),
            Some((before, last)) => LineHistory::After {
                first,
                before,
                last,
            },
        })
    }

    /// The blob at a path of a tree.
    fn blob_at(&self, tree: &ObjectId, path: &str) -> Result<Option<ObjectId>, String> {
        let mut id = *tree;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let mut buffer = Vec::new();
            let tree = self.objects.find_tree(&id, &mut buffer);
            let tree = tree.map_err(|error| error.to_string())?;
            let Some(entry) = tree.entries.iter().find(|it| *it.filename == name) else {
                return Ok(None);
            };
            let is_last = names.peek().is_none();
            if is_last != entry.mode.is_blob() || (!is_last && !entry.mode.is_tree()) {
                return Ok(None);
            }
            id = entry.oid.to_owned();
        }
        Ok(Some(id))
    }

    /// The path in an older tree of a note that came later: that of the same blob, else of the only one that holds the line.
    fn former(
        &mut self,
        tree: &ObjectId,
        blob: Option<ObjectId>,
        paths: &[String],
    ) -> Result<Option<String>, String> {
        let mut files = Vec::new();
        let mut folders = vec![(String::new(), *tree)];
        while let Some((folder, id)) = folders.pop() {
            let mut buffer = Vec::new();
            let tree = self.objects.find_tree(&id, &mut buffer);
            for entry in tree.map_err(|error| error.to_string())?.entries {
                let Ok(name) = std::str::from_utf8(entry.filename) else {
                    continue;
                };
                let path = match folder.as_str() {
                    "" => name.to_owned(),
                    folder => format!("{folder}/{name}"),
                };
                if entry.mode.is_tree() {
                    folders.push((path, entry.oid.to_owned()));
                } else if entry.mode.is_blob()
                    && memlens_ingest::Kind::of(Path::new(name)).is_some()
                {
                    files.push((path, entry.oid.to_owned()));
                }
            }
            if files.len() > FILES_MOST {
                return Ok(None);
            }
        }
        files.retain(|(path, _)| !paths.contains(path));
        if let Some((path, _)) = files.iter().find(|(_, id)| Some(*id) == blob) {
            return Ok(Some(path.clone()));
        }
        let mut holding = Vec::new();
        for (path, id) in files {
            if self.started.elapsed() >= self.limits.time {
                return Ok(None);
            }
            if self.holds(id)? {
                holding.push(path);
            }
        }
        Ok((holding.len() == 1).then(|| holding.remove(0)))
    }

    /// Whether a blob holds the line.
    fn holds(&mut self, blob: ObjectId) -> Result<bool, String> {
        if let Some(holds) = self.known.get(&blob) {
            return Ok(*holds);
        }
        let mut buffer = Vec::new();
        let found = self.objects.find_blob(&blob, &mut buffer);
        let data = found.map_err(|error| error.to_string())?.data;
        let text = memlens_ingest::text_of(data);
        let holds = text.is_some_and(|text| plain(&text).contains(&self.line));
        self.known.insert(blob, holds);
        Ok(holds)
    }
}

/// The words of a text with one blank between them.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
