//! What can go wrong with the library on disk.

use std::path::PathBuf;

use thiserror::Error;

/// Tells what could not be done with the library, and why.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or used.
    #[error("cannot use library folder {}: {source}", path.display())]
    Folder {
        /// The library's folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process writes.
    #[error("cannot write to library {}: {} already writes to it; close it first", path.display(),
        process.map_or("another process".to_owned(), |id| format!("process {id}")))]
    Locked {
        /// The library's folder.
        path: PathBuf,
        /// The other process, when its lock file can be read.
        process: Option<u32>,
    },
    /// A newer Memlens made it.
    #[error("cannot open library {}: it was made by a newer version of Memlens; nothing was changed", path.display())]
    Newer {
        /// The library's folder.
        path: PathBuf,
    },
    /// There is none yet.
    #[error("there is no library in {}: index a folder first", path.display())]
    Missing {
        /// The library's folder.
        path: PathBuf,
    },
    /// A migration failed.
    #[error("cannot bring library {} up to date: {source}", path.display())]
    Migration {
        /// The library's folder.
        path: PathBuf,
        /// Why.
        source: rusqlite_migration::Error,
    },
    /// A query failed.
    #[error("cannot {attempt}: {source}")]
    Sql {
        /// What was tried.
        attempt: &'static str,
        /// Why.
        source: rusqlite::Error,
    },
    /// A watched folder would be watched twice.
    #[error("cannot add {path}: it is already watched{}", within.as_ref().map(|w| format!(" within {w}")).unwrap_or_default())]
    AlreadyWatched {
        /// The folder asked for.
        path: String,
        /// The watched folder that holds it, when it is not the same.
        within: Option<String>,
    },
}

/// Names the attempt of a failed query.
pub(crate) trait Attempt<T> {
    fn attempt(self, attempt: &'static str) -> Result<T, StoreError>;
}

impl<T> Attempt<T> for Result<T, rusqlite::Error> {
    fn attempt(self, attempt: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Sql { attempt, source })
    }
}
