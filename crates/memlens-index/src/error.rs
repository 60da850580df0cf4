//! The crate's one error type.

use std::io;
use std::path::{Path, PathBuf};

/// Says which operation on a derived list failed, and why.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Nothing was built at this place yet.
    #[error("cannot open list at {}: there is none", path.display())]
    Missing {
        /// Where the list was looked for.
        path: PathBuf,
    },
    /// The list was cut short, mixed up or damaged.
    #[error("cannot open list at {}: it is damaged: {why}", path.display())]
    Torn {
        /// The damaged file or its folder.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// The list was written by another version of this crate or of the library beneath.
    #[error("cannot open list at {}: its format is {found}", path.display())]
    WrongFormat {
        /// The list.
        path: PathBuf,
        /// The format that it names.
        found: String,
    },
    /// The rows were made by another model.
    #[error("cannot use list at {}: its rows are of {found}, not of {expected}", path.display())]
    WrongModel {
        /// The list.
        path: PathBuf,
        /// Model and dimension of its rows.
        found: String,
        /// Model and dimension asked for.
        expected: String,
    },
    /// The list was built from another state of the library.
    #[error("cannot use list at {}: it is of generation {found}, not {expected}", path.display())]
    Stale {
        /// The list.
        path: PathBuf,
        /// The generation that it was built from.
        found: u64,
        /// The generation asked for.
        expected: u64,
    },
    /// Something of somebody else's lies where the list is to be.
    #[error("cannot create list in {}: {name:?} lies there, which is no part of one: it would be lost; give another folder \
        for the library, or move it away", path.display())]
    Foreign {
        /// The list's folder.
        path: PathBuf,
        /// What lies there.
        name: String,
    },
    /// Another writer, in this process or another, has the list open.
    #[error("cannot write list at {}: another writer has it open", path.display())]
    Busy {
        /// The list.
        path: PathBuf,
    },
    /// A vector is not of the list's dimension, has a number that is not finite, or is not of unit length.
    #[error("cannot use vector: {why}")]
    BadVector {
        /// What is wrong with it.
        why: String,
    },
    /// A model's name cannot stand in the file's head.
    #[error("cannot create list for model {model:?}: {why}")]
    BadModel {
        /// The name given.
        model: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system refused a file operation.
    #[error("cannot {attempt} {}: {}", path.display(), words(source))]
    Io {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The library beneath the text list failed.
    #[error("cannot {attempt} text list at {}: {source}", path.display())]
    Text {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// The list's folder.
        path: PathBuf,
        /// The library's answer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl IndexError {
    /// Says whether building the list anew from the library's own data is the remedy.
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

    /// A closure for `map_err` that names the file operation which failed.
    pub(crate) fn io(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            attempt,
            path,
            source,
        }
    }
}

/// What the system answered, for a person: a full disk as the library's database names it.
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
