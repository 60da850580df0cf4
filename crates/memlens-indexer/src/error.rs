//! What can keep the library from being written, or a folder from being watched.

use std::path::{Path, PathBuf};

use memlens_embed::EmbedError;
use memlens_index::IndexError;
use memlens_ingest::IngestError;
use memlens_store::StoreError;
use thiserror::Error;

/// What could not be done, and why.
#[derive(Debug, Error)]
pub enum IndexerError {
    /// The library's database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A derived list refused.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The embedding model refused.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A file or folder could not be read.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// A watched folder lies within the one that should be added.
    #[error(
        "cannot add {path}: it contains {inner}, which is already watched; remove that folder first"
    )]
    HoldsWatched {
        /// The folder asked for.
        path: String,
        /// The watched folder in it.
        inner: String,
    },
    /// A folder's disk is not mounted; what stands in its place is empty.
    #[error("cannot open folder {}: it is empty, and no disk is mounted at {mount} any more", path.display())]
    Unmounted {
        /// The watched folder.
        path: PathBuf,
        /// Where the disk was mounted.
        mount: String,
    },
    /// A folder must not be watched.
    #[error("cannot watch {}: {why}", path.display())]
    CannotWatch {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The library may only be read here.
    #[error("cannot change the library: {why}")]
    ReadOnly {
        /// Why.
        why: String,
    },
    /// A folder or list could not be opened or written.
    #[error("cannot {attempt} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// The folder or list.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The writing thread could not be started, or has ended.
    #[error("cannot {attempt}: {why}")]
    System {
        /// What was tried.
        attempt: &'static str,
        /// Why.
        why: String,
    },
}

impl IndexerError {
    /// Names the library's folder in an error of its database that does not know it.
    pub fn at(self, dir: &Path) -> IndexerError {
        if let IndexerError::Store(error) = self {
            return IndexerError::Store(error.at(dir));
        }
        self
    }
}
