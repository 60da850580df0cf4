//! The crate's one error type.

use std::io;
use std::path::{Path, PathBuf};

/// The operation on a derived list that failed, and why.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// No list has been built here yet.
    #[error("cannot open list at {}: there is none", path.display())]
    Missing {
        /// Path at which the list was expected.
        path: PathBuf,
    },
    /// The list was truncated, mixed up or damaged.
    #[error("cannot open list at {}: it is damaged: {why}", path.display())]
    Torn {
        /// The list's file that is damaged, or its folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The list was written by another version of this crate or of tantivy.
    #[error("cannot open list at {}: its format is {found}", path.display())]
    WrongFormat {
        /// Path of the list's head or folder.
        path: PathBuf,
        /// The format that the list names.
        found: String,
    },
    /// The rows were made by another model.
    #[error("cannot use list at {}: its rows are of {found}, not of {expected}", path.display())]
    WrongModel {
        /// Path of the list's head.
        path: PathBuf,
        /// Model and dimension of its rows.
        found: String,
        /// Model and dimension that were requested.
        expected: String,
    },
    /// The list was built from another state of the library.
    #[error("cannot use list at {}: it is of generation {found}, not {expected}", path.display())]
    Stale {
        /// Path of the list's head or folder.
        path: PathBuf,
        /// The generation that it was built from.
        found: u64,
        /// The generation that was requested.
        expected: u64,
    },
    /// The list's folder holds a file that does not belong to a list.
    #[error("cannot create list in {}: the folder contains {name:?}, which is not part of a list and would be lost; choose another \
        folder for the library, or move it away", path.display())]
    Foreign {
        /// Path of the list's folder.
        path: PathBuf,
        /// Name of the other file.
        name: String,
    },
    /// Another writer, in this process or another, has the list open.
    #[error("cannot write list at {}: another writer has it open", path.display())]
    Busy {
        /// Path of the list's head or folder.
        path: PathBuf,
    },
    /// A vector does not have the list's dimension, has a number that is not finite, or is not of unit length.
    #[error("cannot use vector: {why}")]
    BadVector {
        /// What is wrong with the vector.
        why: String,
    },
    /// A model's name cannot be stored in the file's head.
    #[error("cannot create list for model {model:?}: {why}")]
    BadModel {
        /// The name that was given.
        model: String,
        /// What is wrong with the name.
        why: &'static str,
    },
    /// The system refused a file operation.
    #[error("cannot {attempt} {}: {}", path.display(), words(source))]
    Io {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// An operation of tantivy failed.
    #[error("cannot {attempt} text list at {}: {source}", path.display())]
    Text {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Path of the list's folder.
        path: PathBuf,
        /// The error that tantivy returned.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl IndexError {
    /// Returns whether rebuilding the list from the library's own data is the remedy.
    pub fn needs_rebuild(&self) -> bool {
        match self {
            Self::Missing { .. }
            | Self::Torn { .. }
            | Self::WrongFormat { .. }
            | Self::WrongModel { .. }
            | Self::Stale { .. } => true,
            Self::Foreign { .. }
            | Self::Busy { .. }
            | Self::BadVector { .. }
            | Self::BadModel { .. }
            | Self::Io { .. }
            | Self::Text { .. } => false,
        }
    }

    /// Returns a closure for `map_err` that names the failed file operation.
    pub(crate) fn io(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            attempt,
            path,
            source,
        }
    }
}

/// Returns the system's error message; a full disk is worded as by the library's database.
fn words(source: &io::Error) -> String {
    if source.kind() == io::ErrorKind::StorageFull {
        return "the disk is full; make room and try again: what was saved before is sound"
            .to_owned();
    }
    source.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_plainly() {
        let message = |kind: io::ErrorKind| {
            IndexError::io("write", Path::new("/x/flat.1"))(io::Error::from(kind)).to_string()
        };
        assert_eq!(
            message(io::ErrorKind::StorageFull),
            "cannot write /x/flat.1: the disk is full; make room and try again: what was saved before is sound"
        );
        assert_eq!(
            message(io::ErrorKind::NotADirectory),
            "cannot write /x/flat.1: not a directory"
        );
    }
}
