//! Errors after which nothing could be read.

use std::io;
use std::path::PathBuf;

/// Why a folder or a file could not be read at all.
///
/// Whatever can be read in part is read, and what was left out is a [`crate::Problem`] or a [`crate::SkippedFile`].
/// Messages about a file do not name it, because they are shown beside its path.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The watched folder does not exist.
    #[error("cannot open folder {}: it does not exist", path.display())]
    FolderMissing {
        /// Path of the watched folder.
        path: PathBuf,
    },
    /// The path of the watched folder is a file or something else.
    #[error("cannot open folder {}: it is not a folder", path.display())]
    NotAFolder {
        /// Path of the watched folder.
        path: PathBuf,
    },
    /// The system denies listing the watched folder.
    #[error("cannot open folder {}: {}", path.display(), words(source))]
    FolderUnreadable {
        /// Path of the watched folder.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The system denies opening or reading a file; `source` is `NotFound` if it has disappeared since it was found.
    #[error("cannot read this file: {}", words(source))]
    FileUnreadable {
        /// Absolute path of the file.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// A file was replaced by a folder, a link, a pipe or a device since it was found.
    #[error("cannot read this file: it is no longer a regular one")]
    NotAFile {
        /// Absolute path of the file.
        path: PathBuf,
    },
    /// The file is larger than [`crate::MAX_FILE_BYTES`].
    #[error("cannot read the document: it is larger than {} MiB", crate::MAX_FILE_BYTES >> 20)]
    TooLarge,
    /// The file contains a NUL byte, which no text has.
    #[error("cannot read the document as text: NUL on line {line}")]
    Binary {
        /// Line of the first NUL, 1-based.
        line: u32,
    },
    /// A JSON document in which no text was found.
    #[error("{why}")]
    NoTexts {
        /// Why, in lower case, without a full stop.
        why: String,
    },
    /// The caller cancelled the call.
    #[error("cannot finish listing {}: cancelled", path.display())]
    Cancelled {
        /// Path of the watched folder.
        path: PathBuf,
    },
}

/// Returns the system's error message without its number, which does not help the user.
pub(crate) fn words(error: &io::Error) -> String {
    let words = error.to_string();
    let number = error
        .raw_os_error()
        .map_or(String::new(), |code| format!(" (os error {code})"));
    words.strip_suffix(&number).unwrap_or(&words).to_owned()
}
