//! What tells a folder from another that takes its place, and whether it changed.

use std::path::Path;

/// What tells one folder from another that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// A folder as it was when it was last taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Which folder it is.
    pub identity: Identity,
    /// When its rights or entries last changed, nanoseconds since 1970.
    pub changed_ns: i64,
}

impl Stamp {
    /// What stands at a path; none where that is no folder.
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

    /// What stands at a path; none where that is no folder.
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
