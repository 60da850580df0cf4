//! A file of judged queries that a person names.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use memlens_eval::{Judgment, Query, QuerySet};

use crate::{EngineError, Library};

/// More is no file that a person wrote or exported.
const BYTES_MAX: u64 = 64 << 20;

/// A file of judged queries.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryFile {
    /// As it was named.
    pub path: PathBuf,
    /// The folder that its paths are relative to.
    pub base: PathBuf,
    /// All its queries, in their order.
    pub all: Vec<Query>,
    /// Its judged queries.
    pub queries: Vec<Query>,
    /// Each line that holds no query, and why, for a person.
    pub bad_lines: Vec<String>,
    /// Each line that was left out, and why, and how many queries nobody has judged yet, for a person.
    pub left_out: Vec<String>,
}

impl QueryFile {
    /// Reads a file; lines that hold no query, and queries that nobody has judged yet, are left out.
    ///
    /// # Errors
    /// [`EngineError::File`] where it cannot be read.
    pub fn read(path: &Path) -> Result<QueryFile, EngineError> {
        let refused = |source: io::Error| EngineError::File {
            attempt: "read",
            path: path.to_owned(),
            source,
        };
        let bytes = memlens_files::read(path, BYTES_MAX).map_err(refused)?;
        if bytes.len() as u64 > BYTES_MAX {
            let why = format!("it is larger than {} MiB", BYTES_MAX >> 20);
            return Err(refused(io::Error::other(why)));
        }
        let resolved = path.canonicalize().map_err(refused)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let set = QuerySet::read(&name, &bytes);
        let is_judged = |query: &Query| query.judgment() != Judgment::Unjudged;
        let queries: Vec<Query> = set
            .queries
            .iter()
            .filter(|it| is_judged(it))
            .cloned()
            .collect();
        let n_unjudged = set.queries.len() - queries.len();
        let told = set.bad_lines.iter().map(|bad| {
            let place = path.display();
            format!("{place}:{}: skipped: {}", bad.line, bad.why)
        });
        let bad_lines: Vec<String> = told.collect();
        let left_out = bad_lines.iter().cloned().chain(unjudged_told(n_unjudged));
        Ok(QueryFile {
            path: path.to_owned(),
            base: resolved.parent().map(Path::to_owned).unwrap_or_default(),
            left_out: left_out.collect(),
            bad_lines,
            queries,
            all: set.queries,
        })
    }

    /// The queries that have an answer: all but nonsense.
    pub fn answered(&self) -> Vec<&Query> {
        let all = self.queries.iter();
        all.filter(|query| query.gold().is_some()).collect()
    }

    /// The same file, where it holds a judged query.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`].
    pub fn with_queries(self) -> Result<QueryFile, EngineError> {
        if self.queries.is_empty() {
            return Err(EngineError::NoQueries { path: self.path });
        }
        Ok(self)
    }

    /// The same file, where it holds a query that has an answer.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`] and [`EngineError::NoAnswers`].
    pub fn with_answers(self) -> Result<QueryFile, EngineError> {
        let file = self.with_queries()?;
        if file.answered().is_empty() {
            return Err(EngineError::NoAnswers { path: file.path });
        }
        Ok(file)
    }
}

fn unjudged_told(n: usize) -> Option<String> {
    match n {
        0 => None,
        1 => Some("1 query is not judged yet; left out".to_owned()),
        n => Some(format!("{n} queries are not judged yet; left out")),
    }
}

impl Library {
    /// What to tell where notes that hold the answers are not in the library: every figure would be 0.
    pub fn missing_answers(&self, file: &QueryFile) -> Option<String> {
        let there = self.note_paths();
        let relevant = file.queries.iter().filter_map(Query::gold).flatten();
        let paths: BTreeSet<&str> = relevant.map(|place| place.path.as_str()).collect();
        let is_missing = |path: &&&str| !there.contains(&file.base.join(path));
        let n_missing = paths.iter().filter(is_missing).count();
        (n_missing > 0).then(|| {
            format!(
                "{n_missing} of the {} notes with answers are not in the library; index {} first",
                paths.len(),
                file.base.display()
            )
        })
    }
}
