//! Detects whether a folder was replaced by another one, or changed.

use std::path::Path;

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
        path.is_dir().then_some(Stamp {
            identity: Identity {
                device: 0,
                inode: 0,
            },
            changed_ns: 0,
        })
    }
}
