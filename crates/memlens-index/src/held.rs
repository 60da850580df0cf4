//! File locks that are released on drop.

use std::fs::{File, TryLockError};
use std::io;

/// A locked file. No other process, and no other part of this one, can lock it at the same time. The system releases
/// the lock when the process ends.
#[derive(Debug)]
pub(crate) struct Held(File);

impl Held {
    /// Locks a file; `None` if it is locked already.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn try_take(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Locks a file, waiting until it is unlocked.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn take(file: File) -> io::Result<Self> {
        file.lock().map(|()| Self(file))
    }
}

impl Drop for Held {
    /// Releases the lock explicitly: a program that is being started may still hold a copy of the file handle.
    fn drop(&mut self) {
        // Closing the file does the same a moment later.
        let _ = self.0.unlock();
    }
}
