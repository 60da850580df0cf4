//! What can go wrong so thoroughly that nothing is read.

use std::io;
use std::path::PathBuf;

/// The reason why a folder or a file could not be read at all.
///
/// Whatever can be read in part is read, and what was left out is a [`crate::Problem`] or a
/// [`crate::SkippedFile`]. What concerns a file does not name it: it is told beside its path.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// Nothing stands at the path of the watched folder.
    #[error("cannot open folder {}: it does not exist", path.display())]
    FolderMissing {
        /// The watched folder.
        path: PathBuf,
    },
    /// The path of the watched folder is a file or something else.
    #[error("cannot open folder {}: it is not a folder", path.display())]
    NotAFolder {
        /// The watched folder.
        path: PathBuf,
    },
    /// The system refuses to list the watched folder.
    #[error("cannot open folder {}: {}", path.display(), words(source))]
    FolderUnreadable {
        /// The watched folder.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The system refuses to open or read a file; `source` is `NotFound` when it has gone since it was found.
    #[error("cannot read this file: {}", words(source))]
    FileUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// A file was replaced by a folder, a link, a pipe or a device since it was found.
    #[error("cannot read this file: it is no longer a regular one")]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// More than [`crate::MAX_FILE_BYTES`].
    #[error("cannot read the document: it is larger than {} MiB", crate::MAX_FILE_BYTES >> 20)]
    TooLarge,
    /// A NUL byte, which no text has.
    #[error("cannot read the document as text: NUL on line {line}")]
    Binary {
        /// Line of the first NUL, from 1.
        line: u32,
    },
    /// A document of JSON in which no text is found.
    #[error("{why}")]
    NoTexts {
        /// Why, lower case, without a full stop.
        why: String,
    },
    /// The caller asked to stop.
    #[error("cannot finish listing {}: cancelled", path.display())]
    Cancelled {
        /// The watched folder.
        path: PathBuf,
    },
}

/// What the system answered, without the number of the error, which tells a person nothing.
pub(crate) fn words(error: &io::Error) -> String {
    let words = error.to_string();
    let number = error
        .raw_os_error()
        .map_or(String::new(), |code| format!(" (os error {code})"));
    words.strip_suffix(&number).unwrap_or(&words).to_owned()
}
