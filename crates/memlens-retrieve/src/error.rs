//! Errors of opening and searching a library.

use std::path::PathBuf;

use memlens_index::IndexError;
use memlens_store::StoreError;
use thiserror::Error;

/// Why nothing could be retrieved.
#[derive(Debug, Error)]
pub enum RetrieveError {
    /// The library's database returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A derived list returned an error.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The lists are being written, and the writer did not finish in time.
    #[error("cannot search yet: {writer} is building the lists of {}; try again in a moment", dir.display())]
    Building {
        /// Path of the library's folder.
        dir: PathBuf,
        /// The program that writes them.
        writer: String,
    },
    /// A memory that is not Memlens's own could not be searched.
    #[error("cannot ask {what}: {why}")]
    Outside {
        /// The memory's name, as shown to the user.
        what: String,
        /// Why it could not, for the user.
        why: String,
    },
}
