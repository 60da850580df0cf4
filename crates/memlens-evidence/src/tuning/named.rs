//! The query set that the user names where a file or a set of the library can be given.
//!
//! A name with a path separator is a file, if there is one. Any other name is a file of the working folder, or a set by its name
//! or id; if it is both, it is refused, because a figure of the wrong set would look like one of the right set. `./NAME` is
//! always the file, and `set:NAME` always the set.

use std::path::Path;

use memlens_library::{EngineError, Library};

use super::sets::{LoadedSet, is_set, load_set, no_set, refused, set_of};
use crate::query_file::QueryFile;

/// Prefix of a name that names a set of the library, whatever files there are.
const SET_PREFIX: &str = "set:";

/// What a name stands for.
pub enum NamedSet {
    /// A file, which was read.
    File(QueryFile),
    /// A set of the library.
    Stored(LoadedSet),
}

impl NamedSet {
    /// Finds what the user typed; the questions of TREC qrels may be in a topics file.
    ///
    /// # Errors
    /// [`EngineError::QuerySet`] if there is neither a file nor a set of this name, with the names that there are, or if there
    /// are both; [`EngineError::Topics`] for the topics of a set; as [`QueryFile::read_with_topics`].
    pub fn find(
        library: &Library,
        typed: &Path,
        topics: Option<&Path>,
    ) -> Result<NamedSet, EngineError> {
        let text = typed.to_str();
        if let Some(name) = text.and_then(|it| it.strip_prefix(SET_PREFIX)) {
            return stored(library, name, topics);
        }
        let read = || Ok(NamedSet::File(QueryFile::read_with_topics(typed, topics)?));
        // A file that cannot be looked at is reported by reading it.
        let is_there = typed.try_exists().unwrap_or(true);
        let is_path = typed.components().count() > 1 || text.is_none();
        if is_path && is_there {
            return read();
        }
        let name = text.unwrap_or_default();
        let is_file = is_there && !typed.is_dir();
        match (is_file, is_set(library, name)?) {
            (true, true) => Err(refused(
                "choose by the name",
                name,
                &format!(
                    "a file and a query set have it; write ./{name} for the file, or {SET_PREFIX}{name} for the set"
                ),
            )),
            (false, true) => stored(library, name, topics),
            // Also a path at which there is nothing, and a folder: reading says so.
            (true, false) => read(),
            (false, false) if is_path || is_there => read(),
            (false, false) => {
                let sets = library.store().query_sets()?;
                let no_file = format!("there is no file {name} here, and ");
                Err(no_set(name, &no_file, &sets))
            }
        }
    }

    /// The queries in the form of a file.
    ///
    /// # Errors
    /// As [`LoadedSet::to_file`].
    pub fn into_file(self, library: &Library) -> Result<QueryFile, EngineError> {
        match self {
            NamedSet::File(file) => Ok(file),
            NamedSet::Stored(set) => set.to_file(library),
        }
    }

    /// The queries in the form of a set; those of a file if it holds a query that has an answer.
    ///
    /// # Errors
    /// [`EngineError::NoQueries`] and [`EngineError::NoAnswers`].
    pub fn into_set(self) -> Result<LoadedSet, EngineError> {
        match self {
            NamedSet::File(file) => Ok(set_of(&file.with_answers()?)),
            NamedSet::Stored(set) => Ok(set),
        }
    }

    /// What was left out of a file, each with the reason; a set reports that where it is measured.
    pub fn left_out(&self) -> &[String] {
        match self {
            NamedSet::File(file) => &file.left_out,
            NamedSet::Stored(_) => &[],
        }
    }

    /// The file, so that no output replaces it; `None` for a set of the library.
    pub fn input(&self) -> Option<&Path> {
        match self {
            NamedSet::File(file) => file.input(),
            NamedSet::Stored(_) => None,
        }
    }
}

fn stored(library: &Library, name: &str, topics: Option<&Path>) -> Result<NamedSet, EngineError> {
    let set = load_set(library, name)?;
    match topics {
        None => Ok(NamedSet::Stored(set)),
        Some(_) => Err(EngineError::Topics {
            path: set.info.name.into(),
            why: "it is a query set of the library, and holds its questions itself".to_owned(),
        }),
    }
}
