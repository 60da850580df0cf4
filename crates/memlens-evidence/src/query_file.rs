//! Judged queries that the user names: those of a file, or of a query set in the library in the same form.

use std::io;
use std::path::{Path, PathBuf};

use memlens_eval::{Format, Judgment, Query, QuerySet, query_set_hash};
use memlens_library::EngineError;

/// Maximum size of a file, larger than any that a user writes or exports.
const BYTES_MAX: u64 = 64 << 20;

/// Judged queries of a file, or of a query set in the library ([`crate::LoadedSet::to_file`]).
#[derive(Debug, Clone, PartialEq)]
pub struct QueryFile {
    /// Path as the user named it; the name of a query set in the library.
    pub path: PathBuf,
    /// Whether it is a query set in the library, and no file.
    pub is_in_library: bool,
    /// Version of its queries and judgments: a BLAKE3 hash, in hexadecimal. A file and the set that it is stored as have the
    /// same.
    pub version: String,
    /// The folder that its paths are relative to; empty if they are absolute.
    pub base: PathBuf,
    /// Whether its paths are document ids: each names the note whose path ends with it.
    pub has_document_ids: bool,
    /// All its queries, in their order.
    pub all: Vec<Query>,
    /// Queries of the file that are judged.
    pub queries: Vec<Query>,
    /// Each line that contains no query, with the reason, for the user.
    pub bad_lines: Vec<String>,
    /// What was left out, each with the reason, and the number of unjudged queries, for the user.
    pub left_out: Vec<String>,
}

impl QueryFile {
    /// Reads a file; lines without a query and unjudged queries are left out.
    ///
    /// # Errors
    /// As [`QueryFile::read_with_topics`].
    pub fn read(path: &Path) -> Result<QueryFile, EngineError> {
        QueryFile::read_with_topics(path, None)
    }

    /// The same; the questions of TREC qrels are in a topics file, which is looked for beside them if none is named.
    ///
    /// # Errors
    /// [`EngineError::File`] if a file cannot be read; [`EngineError::UnknownQueries`] if it is in none of the formats
    /// that are read; [`EngineError::Topics`] if there is no topics file, or one for a file that needs none.
    pub fn read_with_topics(path: &Path, topics: Option<&Path>) -> Result<QueryFile, EngineError> {
        let bytes = content(path)?;
        let resolved = memlens_files::canonical(path)
            .map_err(|source| EngineError::file("read", path, source))?;
        let base = resolved.parent().map(Path::to_owned).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let topics = match (Format::of(&name, &bytes), topics) {
            (Format::Qrels, Some(topics)) => Some(content(topics)?),
            (Format::Qrels, None) => Some(content(&topics_beside(path, &resolved)?)?),
            (_, Some(_)) => {
                return Err(EngineError::Topics {
                    path: path.to_owned(),
                    why: "it is not TREC qrels, and holds its questions itself".to_owned(),
                });
            }
            (_, None) => None,
        };
        let set = QuerySet::read_with_topics(&name, &bytes, topics.as_deref());
        if set.queries.is_empty() && !Format::is_known(&bytes) {
            return Err(EngineError::UnknownQueries {
                path: path.to_owned(),
            });
        }
        let lines = set.bad_lines.iter().map(|bad| {
            let place = path.display();
            format!("{place}:{}: skipped: {}", bad.line, bad.why)
        });
        let bad_lines: Vec<String> = lines.collect();
        let file = QueryFile {
            path: path.to_owned(),
            is_in_library: false,
            version: query_set_hash(&set.queries),
            base,
            has_document_ids: set.has_document_ids,
            left_out: bad_lines.clone(),
            bad_lines,
            queries: Vec::new(),
            all: set.queries,
        };
        Ok(file.with_judged())
    }

    /// The same with `queries` and the notice about the others, both made of `all`.
    pub(crate) fn with_judged(mut self) -> QueryFile {
        let is_judged = |query: &&Query| query.judgment() != Judgment::Unjudged;
        self.queries = self.all.iter().filter(is_judged).cloned().collect();
        let n_unjudged = self.all.len() - self.queries.len();
        self.left_out.extend(unjudged_notice(n_unjudged));
        self
    }

    /// The file, so that no output replaces it; `None` for a query set in the library.
    pub fn input(&self) -> Option<&Path> {
        (!self.is_in_library).then_some(&*self.path)
    }

    /// The same file, if it holds a judged query.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`].
    pub fn with_queries(self) -> Result<QueryFile, EngineError> {
        if self.queries.is_empty() {
            return Err(EngineError::NoQueries { path: self.path });
        }
        Ok(self)
    }

    /// The same file, if it holds a query that has an answer.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`] and [`EngineError::NoAnswers`].
    pub fn with_answers(self) -> Result<QueryFile, EngineError> {
        let file = self.with_queries()?;
        if file.queries.iter().all(|it| it.gold().is_none()) {
            return Err(EngineError::NoAnswers { path: file.path });
        }
        Ok(file)
    }
}

fn content(path: &Path) -> Result<Vec<u8>, EngineError> {
    let refused = |source: io::Error| EngineError::file("read", path, source);
    let bytes = memlens_files::read(path, BYTES_MAX).map_err(refused)?;
    if bytes.len() as u64 > BYTES_MAX {
        let why = format!("it is larger than {} MiB", BYTES_MAX >> 20);
        return Err(refused(io::Error::other(why)));
    }
    Ok(bytes)
}

/// The only file beside the qrels whose name says that it contains their questions.
fn topics_beside(path: &Path, resolved: &Path) -> Result<PathBuf, EngineError> {
    let folder = resolved.parent().unwrap_or(Path::new("/"));
    let refused = |why: String| EngineError::Topics {
        path: path.to_owned(),
        why,
    };
    let entries =
        std::fs::read_dir(folder).map_err(|source| EngineError::file("read", folder, source))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|it| *it != resolved && it.is_file())
        .filter(|it| {
            let name = it.file_name().unwrap_or_default().to_string_lossy();
            let name = name.to_lowercase();
            name.contains("topics") || name.starts_with("queries")
        })
        .collect();
    found.sort();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(refused(
            "TREC qrels name questions by number; put their topics file beside them, with a name that holds \"topics\", or name it with --topics"
                .to_owned(),
        )),
        _ => {
            let names: Vec<String> = found
                .iter()
                .map(|it| it.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect();
            Err(refused(format!(
                "its topics file could be any of {}; name it with --topics",
                names.join(", ")
            )))
        }
    }
}

fn unjudged_notice(n: usize) -> Option<String> {
    match n {
        0 => None,
        1 => Some("1 query is not judged yet; left out".to_owned()),
        n => Some(format!("{n} queries are not judged yet; left out")),
    }
}
