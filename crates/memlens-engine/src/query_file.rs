//! A file of judged queries that a person names.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use memlens_eval::{Query, QuerySet};

use crate::{EngineError, Library};

/// More is no file that a person wrote or exported.
const BYTES_MAX: u64 = 64 << 20;

/// A file of judged queries.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryFile {
    /// As it was named.
    pub path: PathBuf,
    /// All that stands in it.
    pub bytes: Vec<u8>,
    /// The folder that its paths are relative to.
    pub base: PathBuf,
    /// Its queries.
    pub queries: Vec<Query>,
    /// Each line that was left out, and why, for a person.
    pub left_out: Vec<String>,
}

impl QueryFile {
    /// Reads a file; lines that hold no query are left out.
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
        let set = QuerySet::parse(&bytes);
        let told = set.bad_lines.iter().map(|bad| {
            let place = path.display();
            format!("{place}:{}: skipped: {}", bad.line, bad.why)
        });
        Ok(QueryFile {
            path: path.to_owned(),
            base: resolved.parent().map(Path::to_owned).unwrap_or_default(),
            left_out: told.collect(),
            queries: set.queries,
            bytes,
        })
    }

    /// The same file, where it holds a query.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`].
    pub fn with_queries(self) -> Result<QueryFile, EngineError> {
        if self.queries.is_empty() {
            return Err(EngineError::NoQueries { path: self.path });
        }
        Ok(self)
    }
}

impl Library {
    /// What to tell where notes that hold the answers are not in the library: every figure would be 0.
    pub fn missing_answers(&self, file: &QueryFile) -> Option<String> {
        let there = self.note_paths();
        let relevant = file.queries.iter().flat_map(|query| &query.relevant);
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
