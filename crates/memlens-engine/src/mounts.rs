//! Which disk a folder lies on: where it is mounted, and whether its changes are told.
//!
//! Properties checked: the mount around a path is found among the system's lines, whatever signs stand in its name.

use std::path::{Path, PathBuf};

/// Is a mounted disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its kind, as the system names it: ext4, nfs4, fuse.sshfs.
    pub kind: String,
}

/// Kinds that other machines, or programs behind the system's back, may write to untold.
const UNTOLD_KINDS: [&str; 12] = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "ncpfs", "vboxsf", "virtiofs",
    "lustre",
];
/// Kinds that programs serve begin so; what is behind them cannot be told.
const SERVED_KIND: &str = "fuse";

impl Mount {
    /// Returns the disk that a path lies on; none where the system does not tell.
    pub fn of(path: &Path) -> Option<Mount> {
        // Only Linux keeps such a list.
        let lines = std::fs::read("/proc/self/mountinfo").ok()?;
        find(&String::from_utf8_lossy(&lines), path)
    }

    /// Tells whether changes may be made to it that the system does not hear of.
    pub fn is_untold(&self) -> bool {
        UNTOLD_KINDS.contains(&self.kind.as_str()) || self.kind.starts_with(SERVED_KIND)
    }
}

/// Returns the innermost mount around a path; of two at one place, the later one, which hides the other.
/// Source: proc_pid_mountinfo(5).
fn find(lines: &str, path: &Path) -> Option<Mount> {
    lines
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let point = PathBuf::from(unescaped(before.split(' ').nth(4)?));
            let kind = after.split(' ').next()?.to_owned();
            path.starts_with(&point).then_some(Mount { point, kind })
        })
        .max_by_key(|mount| mount.point.components().count())
}

/// Returns a field with its octal escapes as the signs they stand for.
fn unescaped(field: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(field.to_owned(), |text, (escape, sign)| {
        text.replace(escape, sign)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::find;

    const LINES: &str = r"27 1 254:0 / / rw,noatime - ext4 /dev/vda rw
22 27 0:21 / /proc rw,relatime - proc proc rw
30 27 0:30 / /media/my\040disk rw master:1 - vfat /dev/sdb1 rw
31 27 0:31 / /home/ada/far rw,relatime shared:2 - nfs4 server:/far rw
32 31 0:32 / /home/ada/far/cloud rw - fuse.sshfs ada@server: rw
33 27 0:33 / /home/ada/far rw,relatime - ext4 /dev/vdb rw
broken line
";

    #[test]
    fn the_innermost_mount_is_found() {
        for (path, expected) in [
            ("/home/ada/notes", Some(("/", "ext4", false))),
            ("/media/my disk", Some(("/media/my disk", "vfat", false))),
            (
                "/media/my disk/notes",
                Some(("/media/my disk", "vfat", false)),
            ),
            ("/media/my", Some(("/", "ext4", false))),
            // What was mounted there later hides the first.
            ("/home/ada/far/x", Some(("/home/ada/far", "ext4", false))),
            (
                "/home/ada/far/cloud/x",
                Some(("/home/ada/far/cloud", "fuse.sshfs", true)),
            ),
            ("relative", None),
        ] {
            let found = find(LINES, Path::new(path));
            let found = found.as_ref().map(|mount| {
                (
                    mount.point.to_str().expect("it is text"),
                    mount.kind.as_str(),
                    mount.is_untold(),
                )
            });
            assert_eq!(found, expected, "{path}");
        }
        let first = LINES.replace(
            "33 27 0:33 / /home/ada/far rw,relatime - ext4 /dev/vdb rw\n",
            "",
        );
        assert!(find(&first, Path::new("/home/ada/far")).is_some_and(|mount| mount.is_untold()));
    }
}
