//! Errors of writing the library or watching a folder.

use std::path::{Path, PathBuf};

use memlens_embed::EmbedError;
use memlens_index::IndexError;
use memlens_ingest::IngestError;
use memlens_store::StoreError;
use thiserror::Error;

/// The operation that failed, and why.
#[derive(Debug, Error)]
pub enum IndexerError {
    /// The library's database returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A derived list returned an error.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The embedding model returned an error.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A file or folder could not be read.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// A folder that is already watched is inside the one to add.
    #[error(
        "cannot add {path}: it contains {inner}, which is already watched; remove that folder first"
    )]
    HoldsWatched {
        /// Path of the folder to add.
        path: String,
        /// The watched folder inside it.
        inner: String,
    },
    /// A folder's disk is not mounted, and its mount point is empty.
    #[error("cannot open folder {}: it is empty, and no disk is mounted at {mount} any more", path.display())]
    Unmounted {
        /// Path of the watched folder.
        path: PathBuf,
        /// Path at which the disk was mounted.
        mount: String,
    },
    /// This folder cannot be watched.
    #[error("cannot watch {}: {why}", path.display())]
    CannotWatch {
        /// Path of the folder to watch.
        path: PathBuf,
        /// Why it cannot be watched.
        why: String,
    },
    /// This process can only read the library.
    #[error("cannot change the library: {why}")]
    ReadOnly {
        /// Why the library is read-only.
        why: String,
    },
    /// A folder or list could not be opened or written.
    #[error("cannot {attempt} {}: {source}", path.display())]
    File {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Path of the folder or list.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// The writing thread could not be started, or has ended.
    #[error("cannot {attempt}: {why}")]
    System {
        /// What was attempted, as a verb phrase.
        attempt: &'static str,
        /// The reason of the failure.
        why: String,
    },
}

impl IndexerError {
    /// Adds the library's folder to a database error that does not know it.
    pub fn at(self, dir: &Path) -> IndexerError {
        if let IndexerError::Store(error) = self {
            return IndexerError::Store(error.at(dir));
        }
        self
    }
}
