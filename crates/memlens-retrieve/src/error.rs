//! What can go wrong when a library is opened to be searched, or asked.

use std::path::PathBuf;

use memlens_index::IndexError;
use memlens_store::StoreError;
use thiserror::Error;

/// Why nothing could be retrieved.
#[derive(Debug, Error)]
pub enum RetrieveError {
    /// The library's database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A derived list refused.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The lists are being written and did not come to rest.
    #[error("cannot search yet: {writer} is building the lists of {}; try again in a moment", dir.display())]
    Building {
        /// The library's folder.
        dir: PathBuf,
        /// Who builds.
        writer: String,
    },
    /// A memory that is not Memlens's own could not be asked.
    #[error("cannot ask {what}: {why}")]
    Outside {
        /// The memory, for a person.
        what: String,
        /// Why.
        why: String,
    },
}
