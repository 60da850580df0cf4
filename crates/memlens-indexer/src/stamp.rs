//! Detects whether a folder was replaced by another one, or changed.

use std::path::Path;
#[cfg(any(not(unix), test))]
use std::time::{SystemTime, UNIX_EPOCH};

/// Distinguishes a folder from another one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// The state of a folder when its watch was last set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub identity: Identity,
    /// When its permissions or entries last changed, in nanoseconds since 1970.
    pub changed_ns: i64,
}

impl Stamp {
    /// Returns the stamp of the folder at a path; `None` if there is no folder.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Stamp> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_dir())?;
        Some(Stamp {
            identity: Identity {
                device: metadata.dev(),
                inode: metadata.ino(),
            },
            changed_ns: metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec(),
        })
    }

    /// Returns the stamp of the folder at a path; `None` if there is no folder.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Stamp> {
        Stamp::by_times(path)
    }

    /// Returns the stamp by times alone, where the system gives folders no number: another folder was created at another
    /// moment. 0 stands for a time that the file system does not keep.
    #[cfg(any(not(unix), test))]
    fn by_times(path: &Path) -> Option<Stamp> {
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_dir())?;
        let ns = |time: std::io::Result<SystemTime>| {
            let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
            u64::try_from(since.as_nanos()).ok()
        };
        Some(Stamp {
            identity: Identity {
                device: 0,
                inode: ns(metadata.created()).unwrap_or(0),
            },
            changed_ns: ns(metadata.modified()).unwrap_or(0).cast_signed(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_is_distinguished_by_times_from_one_in_its_place() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let folder = dir.path().join("notes");
        let stamp = || Stamp::by_times(&folder);
        assert_eq!(stamp(), None);
        fs::create_dir(&folder).expect("it can be made");
        let first = stamp().expect("it is there");
        assert_eq!(stamp(), Some(first));
        if folder.metadata().and_then(|it| it.created()).is_err() {
            return; // This file system keeps no time of creation.
        }
        assert_ne!(first.identity.inode, 0);
        fs::rename(&folder, dir.path().join("away")).expect("it can be moved");
        // The clock of the file system may be coarse.
        let other = loop {
            fs::create_dir(&folder).expect("it can be made");
            let other = stamp().expect("it is there");
            if other.identity != first.identity {
                break other;
            }
            fs::remove_dir(&folder).expect("it can be removed");
        };
        assert_ne!(other, first);
        let away = Stamp::by_times(&dir.path().join("away")).expect("it is there");
        assert_eq!(away.identity, first.identity);
    }
}
