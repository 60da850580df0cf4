//! Files that are locked as long as somebody holds them.

use std::fs::{File, TryLockError};
use std::io;

/// A locked file; no other process, and nobody else in this one, holds it meanwhile. The system lets go of it when a process
/// dies.
#[derive(Debug)]
pub(crate) struct Held(File);

impl Held {
    /// Locks a file; none where somebody holds it.
    ///
    /// # Errors
    /// What the system answers.
    pub(crate) fn try_take(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Locks a file once nobody holds it any more.
    ///
    /// # Errors
    /// What the system answers.
    pub(crate) fn take(file: File) -> io::Result<Self> {
        file.lock().map(|()| Self(file))
    }
}

impl Drop for Held {
    /// Lets go of the lock itself and not only of the file, which a program that is just being started holds too.
    fn drop(&mut self) {
        // Closing it does the same a moment later.
        let _ = self.0.unlock();
    }
}
