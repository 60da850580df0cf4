//! Retries what Windows refuses while another program holds a file open.
//!
//! Properties checked: only such a refusal is tried again, and not for ever.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::System;

/// Errors of Windows for a file that is open, locked or mapped elsewhere: access denied, sharing violation, lock violation,
/// user-mapped section open.
const HELD_OPEN: [i32; 4] = [5, 32, 33, 1224];
/// Pauses between attempts: virus scanners and indexers hold a new file for some milliseconds.
const PAUSES_MS: [u64; 6] = [5, 10, 20, 40, 80, 160];

/// Renames a file. If a program holds it or the file that it replaces, some more times.
///
/// # Errors
/// The system's last error; both files are then as they were.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    retry_held(|| fs::rename(from, to))
}

/// Does something that replaces files. If a program holds one of them, some more times.
///
/// # Errors
/// The last error of `attempt`.
pub fn retry_held(attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    retried(System::CURRENT, attempt, thread::sleep)
}

impl System {
    /// Whether this system refused to remove, replace or shorten a file because it is open or mapped elsewhere. Only
    /// Windows does.
    pub fn is_held_open(self, error: &io::Error) -> bool {
        let code = error.raw_os_error();
        self == System::Windows && code.is_some_and(|code| HELD_OPEN.contains(&code))
    }
}

/// Gives a temporary file its name; if a program holds the file that it replaces, some more times.
///
/// # Errors
/// The system's last error; the temporary file is removed.
pub(crate) fn persist(part: NamedTempFile, place: &Path) -> io::Result<()> {
    persist_if(part, place, || Ok(()))
}

/// Like [`persist`], directly after a `check`, which is repeated before each attempt.
///
/// # Errors
/// That of the check, or the system's last error; the temporary file is removed.
pub(crate) fn persist_if(
    part: NamedTempFile,
    place: &Path,
    mut check: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let mut part = Some(part);
    let attempt = || {
        check()?;
        let Some(left) = part.take() else {
            return Ok(());
        };
        match left.persist(place) {
            Ok(_) => Ok(()),
            Err(error) => {
                part = Some(error.file);
                Err(error.error)
            }
        }
    };
    retry_held(attempt)
}

fn retried(
    system: System,
    mut attempt: impl FnMut() -> io::Result<()>,
    mut pause: impl FnMut(Duration),
) -> io::Result<()> {
    for ms in PAUSES_MS {
        match attempt() {
            Err(error) if system.is_held_open(&error) => pause(Duration::from_millis(ms)),
            done => return done,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARING: i32 = 32;

    /// Returns how often a file was tried that is free after `n_held` attempts, and whether it succeeded.
    fn tried(system: System, code: i32, n_held: usize) -> (usize, bool) {
        let mut n_tried = 0;
        let attempt = || {
            n_tried += 1;
            match n_tried > n_held {
                true => Ok(()),
                false => Err(io::Error::from_raw_os_error(code)),
            }
        };
        let done = retried(system, attempt, |_| ());
        (n_tried, done.is_ok())
    }

    #[test]
    fn a_file_that_is_held_open_is_tried_again() {
        let n_most = PAUSES_MS.len() + 1;
        assert_eq!(tried(System::Windows, SHARING, 0), (1, true));
        assert_eq!(tried(System::Windows, SHARING, 3), (4, true));
        assert_eq!(tried(System::Windows, SHARING, 100), (n_most, false));
        // The disk is full.
        assert_eq!(tried(System::Windows, 112, 1), (1, false));
        assert_eq!(tried(System::Linux, SHARING, 1), (1, false));
    }

    #[test]
    fn only_windows_holds_files() {
        for (code, is_held) in [(5, true), (1224, true), (2, false), (112, false)] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(System::Windows.is_held_open(&error), is_held, "{code}");
            assert!(!System::Linux.is_held_open(&error), "{code}");
            assert!(!System::MacOs.is_held_open(&error), "{code}");
        }
    }

    #[test]
    fn a_file_that_changed_is_not_replaced() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let (place, other) = (dir.path().join("a.md"), dir.path().join("b.md"));
        std::fs::write(&place, "saved").expect("it can be written");
        let part = NamedTempFile::new_in(dir.path()).expect("it can be made");
        let refused = persist_if(part, &place, || Err(io::Error::other("it has changed")));
        assert!(refused.is_err());
        rename(&place, &other).expect("it can be renamed");
        assert_eq!(
            std::fs::read_to_string(other).expect("it is there"),
            "saved"
        );
        let n_files = std::fs::read_dir(dir.path()).expect("it is there").count();
        assert_eq!(n_files, 1);
    }

    #[test]
    fn a_file_gets_its_name() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let part = NamedTempFile::new_in(dir.path()).expect("it can be made");
        std::fs::write(part.path(), "text").expect("it can be written");
        let place = dir.path().join("a.md");
        persist(part, &place).expect("it gets its name");
        assert_eq!(std::fs::read_to_string(place).expect("it is there"), "text");
    }
}
