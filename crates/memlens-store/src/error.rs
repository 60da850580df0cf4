//! What can go wrong with the library on disk.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// What could not be done with the library, and why.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or used.
    #[error("cannot use library folder {}: {source}", path.display())]
    Folder {
        /// Path of the library's folder.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// A file is where the folder should be.
    #[error("cannot use {} as a library: it is a file; name a folder", path.display())]
    NotAFolder {
        /// Path of the file.
        path: PathBuf,
    },
    /// A file of the library is a pipe or a device.
    #[error("cannot open the library: {} is a pipe or a device, not a file; remove it and try again", path.display())]
    NoFile {
        /// Path of the pipe or device.
        path: PathBuf,
    },
    /// The library belongs to another user.
    #[error("cannot open library {}: it, or a file in it, belongs to another user, {owner}, who could have made it run commands; if you \
        trust that user, set the environment variable MEMLENS_SAFE_LIBRARIES={}", path.display(), path.display())]
    OfAnotherUser {
        /// Path of the library's folder.
        path: PathBuf,
        /// The owner of the folder or of a file in it.
        owner: String,
    },
    /// Other users can use it, and it cannot be closed to them.
    #[error("cannot open library {}: other users of this machine can {access} {}; run `chmod go-rwx` on it, use a folder that holds \
        only the library, or, if you trust them, set the environment variable MEMLENS_SAFE_LIBRARIES={}", path.display(), open.display(), path.display())]
    OpenToOthers {
        /// Path of the library's folder.
        path: PathBuf,
        /// The folder, or the file in it.
        open: PathBuf,
        /// What they can do with it.
        access: &'static str,
    },
    /// Another process is the library's writer.
    #[error("cannot write to library {}: {} is already writing to it; make the change there, or close it first", path.display(),
        process.map_or("another process".to_owned(), |id| format!("process {id}")))]
    Locked {
        /// Path of the library's folder.
        path: PathBuf,
        /// The other process, when its lock file can be read.
        process: Option<u32>,
    },
    /// The lock file is a link or not a lock file.
    #[error("cannot use the library's lock {}: it is a link or not a lock file; move it away and try again", path.display())]
    NoLock {
        /// Where the lock file should be.
        path: PathBuf,
    },
    /// A newer Memlens made it.
    #[error("cannot open library {}: it was made by a newer version of Memlens; nothing was changed", path.display())]
    Newer {
        /// Path of the library's folder.
        path: PathBuf,
    },
    /// The database was replaced while it was open.
    #[error("cannot read library {}: its database was replaced by another file while it was open; close the library and open it again", path.display())]
    Replaced {
        /// Path of the library's folder.
        path: PathBuf,
    },
    /// The folder contains no library.
    #[error("there is no library in {}: index a folder first", path.display())]
    Missing {
        /// Path of the library's folder.
        path: PathBuf,
    },
    /// A migration of the database failed.
    #[error("cannot bring library {} up to date: {source}", path.display())]
    Migration {
        /// Path of the library's folder.
        path: PathBuf,
        /// Error of the failed migration.
        source: rusqlite_migration::Error,
    },
    /// A query of the database failed.
    #[error("cannot {attempt}: {source}")]
    Sql {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// Error that SQLite reported for it.
        source: rusqlite::Error,
    },
    /// The file is not a database, or its pages are inconsistent.
    #[error("cannot {attempt}: the library's database {} is damaged: {source}; nothing was deleted: open Memlens \
        again or run `memlens index`, which sets it aside and puts back what you made if that is kept; else restore a copy \
        of it, or erase it with `memlens erase --yes` and index the folders again (your notes are not touched)", path.display())]
    Damaged {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// The database; its name alone if it was found damaged after it had been opened.
        path: PathBuf,
        /// Error that SQLite reported for it.
        source: rusqlite::Error,
    },
    /// The system refuses to write: the disk is full, say.
    #[error("cannot {attempt}: the disk that holds {} is full or not writable: {source}; free some space and try again: \
        what was saved before is intact", path.display())]
    Disk {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// The database; its name alone if the failed query does not know its folder.
        path: PathBuf,
        /// Error that SQLite reported for it.
        source: rusqlite::Error,
    },
    /// The file that stores the user's data cannot be written.
    #[error("cannot keep what you made in {}: {source}; it is in the library's database, and is kept there once it can be written", path.display())]
    Made {
        /// Path of the file beside the database.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// The caller asked to stop.
    #[error("cannot finish checking the library: cancelled")]
    Cancelled,
    /// A watched folder would be watched twice.
    #[error("cannot add {path}: it is already watched{}", within.as_ref().map(|w| format!(" within {w}")).unwrap_or_default())]
    AlreadyWatched {
        /// Path of the requested folder.
        path: String,
        /// The watched folder that holds it, when it is not the same.
        within: Option<String>,
    },
}

/// The database's name in the library's folder.
pub(crate) const DATABASE: &str = "library.sqlite";

impl StoreError {
    /// Classifies the error of a failed query, so that the message fits the user's situation; `path` is the database.
    pub(crate) fn of_sql(
        attempt: &'static str,
        path: &Path,
        source: rusqlite::Error,
    ) -> StoreError {
        let path = path.to_owned();
        let code = source.sqlite_error_code();
        if is_foreign(&source)
            || is_read_failure(&source)
            || matches!(
                code,
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            )
        {
            StoreError::Damaged {
                attempt,
                path,
                source,
            }
        } else if matches!(code, Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure)) {
            StoreError::Disk {
                attempt,
                path,
                source,
            }
        } else {
            StoreError::Sql { attempt, source }
        }
    }

    /// Whether the database itself is damaged, and will be when it is read again: not if the disk failed to read just now.
    pub fn is_lasting_damage(&self) -> bool {
        matches!(self, StoreError::Damaged { source, .. } if !is_read_failure(source))
    }

    /// Names the library's folder if an error knows only the database's name.
    pub fn at(mut self, dir: &Path) -> StoreError {
        if let StoreError::Damaged { path, .. } | StoreError::Disk { path, .. } = &mut self
            && path.is_relative()
        {
            *path = dir.join(&path);
        }
        self
    }
}

/// Whether the disk did not give back what was written: a file that is too short, or that the system finds damaged.
///
/// Source: SQLite, Result and Error Codes, SQLITE_IOERR.
fn is_read_failure(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_DATA, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ,
    };
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(
        code,
        Some(
            SQLITE_IOERR_READ
                | SQLITE_IOERR_SHORT_READ
                | SQLITE_IOERR_CORRUPTFS
                | SQLITE_IOERR_DATA
        )
    )
}

/// Whether a value has a type that Memlens never writes there.
fn is_foreign(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// Names the attempt of a failed query.
pub(crate) trait Attempt<T> {
    fn attempt(self, attempt: &'static str) -> Result<T, StoreError>;
}

impl<T> Attempt<T> for Result<T, rusqlite::Error> {
    fn attempt(self, attempt: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::of_sql(attempt, Path::new(DATABASE), source))
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn what_the_disk_does_not_give_back_is_damage_and_what_it_does_not_take_is_not() {
        let is_damaged = |code: i32| {
            let source = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = StoreError::of_sql("read", Path::new(DATABASE), source);
            assert!(matches!(
                error,
                StoreError::Damaged { .. } | StoreError::Disk { .. }
            ));
            matches!(error, StoreError::Damaged { .. })
        };
        for code in [
            ffi::SQLITE_IOERR_READ,
            ffi::SQLITE_IOERR_SHORT_READ,
            ffi::SQLITE_IOERR_CORRUPTFS,
            ffi::SQLITE_IOERR_DATA,
            ffi::SQLITE_CORRUPT,
            ffi::SQLITE_NOTADB,
        ] {
            assert!(is_damaged(code), "{code}");
        }
        for code in [
            ffi::SQLITE_FULL,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_SHMSIZE,
            ffi::SQLITE_IOERR_TRUNCATE,
        ] {
            assert!(!is_damaged(code), "{code}");
        }
    }
}
