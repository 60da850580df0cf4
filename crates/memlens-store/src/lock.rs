//! The lock file that lets one process write; it names that process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::StoreError;

/// How long a writer waits for those who only ask who writes; each of them takes microseconds.
const ASKERS_WAIT_MAX: Duration = Duration::from_secs(2);
/// How much of the file the number of a process takes.
const PROCESS_BYTES: u64 = 10;

/// The right to write until it is dropped; the system frees it when the process dies.
#[derive(Debug)]
pub struct WriteLock {
    file: File,
}

impl WriteLock {
    /// Takes the lock of the library in `dir`.
    ///
    /// # Errors
    /// [`StoreError::Locked`] naming the process that holds it; [`StoreError::NoLock`] if the path is anything other than a lock file,
    /// which is left unchanged.
    pub fn take(dir: &Path) -> Result<WriteLock, StoreError> {
        let failed = folder_error(dir);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = open(dir, &mut options)?;
        let started = Instant::now();
        while !is_taken(file.try_lock()).map_err(&failed)? {
            // A share can be had beside those who ask, and not beside a writer.
            if !is_taken(file.try_lock_shared()).map_err(&failed)?
                || started.elapsed() > ASKERS_WAIT_MAX
            {
                return Err(StoreError::Locked {
                    path: dir.to_owned(),
                    process: process(&mut file),
                });
            }
            file.unlock().map_err(&failed)?;
            std::thread::yield_now();
        }
        // A second name of another file must not be written over.
        if !holds_process_or_nothing(&mut file).map_err(&failed)? {
            return Err(StoreError::NoLock { path: path(dir) });
        }
        // Of one width, so that it never has to be cut off first and there is always a name to read.
        write!(
            file,
            "{:<width$}",
            std::process::id(),
            width = PROCESS_BYTES as usize
        )
        .map_err(&failed)?;
        file.flush().map_err(&failed)?;
        Ok(WriteLock { file })
    }
}

impl Drop for WriteLock {
    /// Lets go of the lock itself and not only of the file: a program that another thread is just starting holds every file
    /// of this one until it runs, and would hold the lock with it.
    fn drop(&mut self) {
        // Closing it does the same a moment later.
        let _ = self.file.unlock();
    }
}

/// Process that holds the lock of the library in `dir`, as text for the user; `None` if no process holds it.
///
/// Writes nothing and does not block writers.
///
/// # Errors
/// [`StoreError::Folder`] and [`StoreError::NoLock`] if the lock file cannot be opened.
pub fn holder(dir: &Path) -> Result<Option<String>, StoreError> {
    let failed = folder_error(dir);
    if path(dir).symlink_metadata().is_err() {
        return Ok(None);
    }
    let mut file = open(dir, File::options().read(true))?;
    if is_taken(file.try_lock_shared()).map_err(&failed)? {
        return Ok(None);
    }
    let name = process(&mut file).map(|id| format!("process {id}"));
    Ok(Some(name.unwrap_or("another process".to_owned())))
}

/// Path of the lock file of the library in `dir`.
pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join("writer.lock")
}

/// Opens the lock file, and refuses anything else at its path.
fn open(dir: &Path, options: &mut OpenOptions) -> Result<File, StoreError> {
    memlens_files::open_own(&path(dir), options).map_err(|error| {
        if memlens_files::is_odd(&error) {
            return StoreError::NoLock { path: path(dir) };
        }
        folder_error(dir)(error)
    })
}

/// Whether the file is one that a lock made.
fn holds_process_or_nothing(file: &mut File) -> std::io::Result<bool> {
    let mut held = Vec::new();
    file.take(PROCESS_BYTES + 1).read_to_end(&mut held)?;
    file.rewind()?;
    let is_named = held
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b' ');
    Ok(is_named && held.len() as u64 <= PROCESS_BYTES)
}

fn is_taken(tried: Result<(), TryLockError>) -> std::io::Result<bool> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Process id in the lock file; `None` if the system's lock also forbids reading.
fn process(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn folder_error(dir: &Path) -> impl Fn(std::io::Error) -> StoreError {
    move |source| StoreError::Folder {
        path: dir.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_dropped_is_free_though_another_still_holds_its_file() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let lock = WriteLock::take(dir.path()).expect("nobody holds it");
        assert!(matches!(
            WriteLock::take(dir.path()),
            Err(StoreError::Locked { .. })
        ));
        // As a program that is just being started does.
        let inherited = lock.file.try_clone().expect("it can be shared");
        drop(lock);
        WriteLock::take(dir.path()).expect("it was let go");
        drop(inherited);
    }
}
