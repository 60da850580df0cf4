//! The notes themselves: the tree of folders, a note's text and chunks, and the problems of files.

pub mod examples;
pub mod hidden;
pub mod location;
pub mod note_names;
pub mod place;
pub mod plain_heading;
pub mod scope;
pub mod spelling;
pub mod staleness;
pub mod unread;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use memlens_ingest::{FoundFile, IngestOptions};
use memlens_store::{Folder, FolderId, Severity, StoredProblem};
use memlens_wire::{
    DocumentChunk, DocumentView, EntryState, FileProblem, NotSearchedBy, ProblemSeverity,
    TreeEntry, stamp_of,
};

use crate::emulation::searched::unsearched;
use crate::{EngineError, Library};

impl Library {
    /// A folder's documents as a tree, folders first, then by name; `pending` are the files in it that wait to be
    /// read.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn tree(
        &self,
        folder: FolderId,
        pending: &HashSet<String>,
    ) -> Result<Vec<TreeEntry>, EngineError> {
        let lists = self.lists();
        let problems: HashSet<String> = self
            .store()
            .problems()?
            .into_iter()
            .filter(|problem| problem.folder == folder)
            .map(|problem| problem.path)
            .collect();
        let state = |path: &String| {
            if pending.contains(path) {
                EntryState::Pending
            } else if problems.contains(path) {
                EntryState::Problem
            } else {
                EntryState::Indexed
            }
        };
        let mut root = Branch::default();
        for document in lists
            .snapshot
            .documents
            .iter()
            .filter(|document| document.folder == folder)
        {
            let n_chunks = document.chunks.len() as u32;
            root.insert(&document.path, n_chunks, state(&document.path));
        }
        for path in problems.iter().chain(pending) {
            root.insert(path, 0, state(path));
        }
        let marks = self.marks()?;
        let watched = lists.snapshot.folders.iter().find(|it| it.id == folder);
        let agent = watched.and_then(|folder| folder.agent.as_deref());
        let rules = agent.and_then(|agent| self.searched(agent));
        let watched = watched.map_or("", |folder| &folder.path);
        let facts = Facts {
            is_evergreen: &|path| marks.hold(watched, path),
            not_searched: &|path| {
                unsearched(rules.as_ref()?, None, &place::note_path(watched, path))
            },
        };
        Ok(root.entries("", &facts))
    }

    /// All problems of files in watched folders.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn problems(&self) -> Result<Vec<FileProblem>, EngineError> {
        let lists = self.lists();
        let names = folder_names(&lists.snapshot.folders);
        Ok(self
            .store()
            .problems()?
            .into_iter()
            .map(|problem| file_problem(problem, &names))
            .collect())
    }

    /// A note as it is on disk now, with its chunks as indexed; a note that is not indexed yet has none.
    ///
    /// # Errors
    /// [`EngineError::NoDocument`] if no watched folder has it, [`EngineError::Ingest`] if it cannot be read any more.
    pub fn document(&self, folder: FolderId, path: &str) -> Result<DocumentView, EngineError> {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let no_document = || EngineError::NoDocument {
            path: path.to_owned(),
        };
        let (folder, file) = self.file_of_note(folder, path)?.ok_or_else(no_document)?;
        let document = snapshot.find(folder.id, path);
        let document = document.map(|at| &snapshot.documents[at]);
        let bytes = memlens_ingest::read(&file)?;
        let parsed = memlens_ingest::parse(file.kind, &bytes, &IngestOptions::default())?;
        let names = folder_names(&snapshot.folders);
        let problems = self
            .store()
            .problems()?
            .into_iter()
            .filter(|problem| problem.folder == folder.id && problem.path == path)
            .map(|problem| file_problem(problem, &names))
            .collect();
        let front = parsed.front;
        Ok(DocumentView {
            folder: folder.id.0.to_string(),
            folder_name: folder.name.clone(),
            path: path.to_owned(),
            n_lines: parsed.text.lines().count() as u32,
            text: with_pictures(parsed.text),
            chunks: document
                .into_iter()
                .flat_map(|document| document.chunks.iter().map(move |chunk| (document, chunk)))
                .map(|(document, chunk)| DocumentChunk {
                    chunk: chunk.id.to_string(),
                    start_line: chunk.start_line,
                    end_line: chunk.end_line,
                    tokens: chunk.tokens,
                    heading: document.heading(chunk).to_owned(),
                })
                .collect(),
            agent: front.agent,
            date: front.date.map(|date| date.to_string()),
            tags: front.tags,
            modified_ms: file.modified_ms as f64,
            encoding: parsed.encoding.to_owned(),
            problems,
        })
    }

    /// Absolute path of a note in the library, below its watched folder.
    ///
    /// # Errors
    /// As [`Library::document`].
    pub fn absolute(&self, folder: FolderId, path: &str) -> Result<PathBuf, EngineError> {
        let found = self.file_of_note(folder, path)?;
        found
            .map(|(_, file)| file.absolute)
            .ok_or_else(|| EngineError::NoDocument {
                path: path.to_owned(),
            })
    }

    /// The file of a note that Memlens indexes, or that an emulated memory was made of.
    fn file_of_note(
        &self,
        folder: FolderId,
        path: &str,
    ) -> Result<Option<(Folder, FoundFile)>, EngineError> {
        let lists = self.lists();
        let watched = lists.snapshot.folder(folder).cloned();
        let is_watched = watched.is_some();
        let Some(folder) = watched.or_else(|| self.unwatched(folder)) else {
            return Ok(None);
        };
        let root = Path::new(&folder.path);
        // `find` refuses any path that leaves the folder, by `..`, as an absolute path or through a link.
        let found = if is_watched {
            memlens_ingest::find(root, path)?
        } else {
            None
        };
        let found = found.or_else(|| self.file_of_agent(root, path));
        Ok(found.map(|file| (folder, file)))
    }
}

/// Replaces each control character except white space by its visible symbol, such as ␛ for escape: the user sees it,
/// and JSON does not make a note full of them six times as long. Offsets in UTF-16 do not change.
fn with_pictures(text: String) -> String {
    let is_pictured =
        |sign: char| sign.is_ascii_control() && !matches!(sign, '\t' | '\n' | '\r' | '\x0c');
    if !text.chars().any(is_pictured) {
        return text;
    }
    let picture = |sign: char| match sign {
        '\x7f' => '\u{2421}',
        _ if is_pictured(sign) => char::from_u32(0x2400 + sign as u32).unwrap_or(sign),
        _ => sign,
    };
    text.chars().map(picture).collect()
}

pub(crate) fn folder_names<'a>(
    folders: impl IntoIterator<Item = &'a Folder>,
) -> HashMap<FolderId, String> {
    folders
        .into_iter()
        .map(|folder| (folder.id, folder.name.clone()))
        .collect()
}

pub(crate) fn file_problem(
    problem: StoredProblem,
    names: &HashMap<FolderId, String>,
) -> FileProblem {
    FileProblem {
        folder: problem.folder.0.to_string(),
        folder_name: names.get(&problem.folder).cloned().unwrap_or_default(),
        path: problem.path,
        line: problem.line,
        message: problem.message,
        severity: match problem.severity {
            Severity::Error => ProblemSeverity::Error,
            // Files without anything to read are no problems and are not listed.
            Severity::Note | Severity::Unread => ProblemSeverity::Note,
        },
    }
}

/// A folder while the tree is built.
#[derive(Default)]
struct Branch {
    folders: BTreeMap<String, Branch>,
    files: BTreeMap<String, (u32, EntryState)>,
}

/// Facts about a path besides the library's contents.
struct Facts<'a> {
    is_evergreen: &'a dyn Fn(&str) -> bool,
    not_searched: &'a dyn Fn(&str) -> Option<NotSearchedBy>,
}

impl Branch {
    /// Inserts a file in the tree; iterates instead of recursing, because paths may be very deep.
    fn insert(&mut self, path: &str, n_chunks: u32, state: EntryState) {
        let mut branch = self;
        let mut rest = path;
        while let Some((folder, inner)) = rest.split_once('/') {
            branch = branch.folders.entry(folder.to_owned()).or_default();
            rest = inner;
        }
        branch
            .files
            .entry(rest.to_owned())
            .or_insert((n_chunks, state));
    }

    fn entries(self, above: &str, facts: &Facts<'_>) -> Vec<TreeEntry> {
        let join = |name: &str| {
            if above.is_empty() {
                name.to_owned()
            } else {
                format!("{above}/{name}")
            }
        };
        let mut entries = Vec::with_capacity(self.folders.len() + self.files.len());
        for (name, branch) in self.folders {
            let path = join(&name);
            let children = branch.entries(&path, facts);
            entries.push(TreeEntry {
                n_chunks: children.iter().map(|child| child.n_chunks).sum(),
                state: children
                    .iter()
                    .map(|child| child.state)
                    .max()
                    .unwrap_or(EntryState::Indexed),
                is_evergreen: (facts.is_evergreen)(&path),
                not_searched: None,
                name,
                path,
                is_folder: true,
                stamp: Some(stamp_of(&children)),
                children,
            });
        }
        for (name, (n_chunks, state)) in self.files {
            let path = join(&name);
            entries.push(TreeEntry {
                is_evergreen: (facts.is_evergreen)(&path),
                not_searched: (facts.not_searched)(&path),
                path,
                name,
                is_folder: false,
                n_chunks,
                state,
                stamp: None,
                children: Vec::new(),
            });
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::with_pictures;

    #[test]
    fn control_characters_are_seen_and_keep_their_places() {
        let text = "\x01a\tb\x1b[31m\r\n\x0cé😀\x7f\x0b";
        let shown = with_pictures(text.to_owned());
        assert_eq!(shown, "\u{2401}a\tb\u{241b}[31m\r\n\x0cé😀\u{2421}\u{240b}");
        assert_eq!(shown.encode_utf16().count(), text.encode_utf16().count());
        assert_eq!(with_pictures("plain\n".to_owned()), "plain\n");
    }
}
