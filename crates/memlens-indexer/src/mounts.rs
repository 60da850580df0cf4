//! Mounted disks: where a folder's disk is mounted, which are mounted inside it, and whether the system reports their
//! changes.
//!
//! Properties checked: the mount around a path, and those inside it, are found among the system's lines, whatever
//! characters their names have.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The path at which it is mounted.
    pub point: PathBuf,
    /// The type of file system: ext4, nfs4, fuse.sshfs.
    pub kind: String,
}

/// File systems that other machines or programs may change without the system noticing.
const KINDS_WITHOUT_EVENTS: [&str; 12] = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "ncpfs", "vboxsf", "virtiofs",
    "lustre",
];
/// Prefix of file systems that are served by programs, whose backing store is unknown.
const SERVED_KIND: &str = "fuse";

impl Mount {
    /// Returns the disk of a path, or `None` if the system does not report it.
    pub fn of(path: &Path) -> Option<Mount> {
        find(&Mounts::now().0, path)
    }

    /// Returns whether the disk may change without the system noticing.
    pub fn may_change_unnoticed(&self) -> bool {
        KINDS_WITHOUT_EVENTS.contains(&self.kind.as_str()) || self.kind.starts_with(SERVED_KIND)
    }
}

/// All mounted disks, as the system currently lists them.
#[derive(Debug, Default)]
pub struct Mounts(String);

/// Identifies a mount while it exists; a later one at the same place has another number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountId {
    number: String,
    point: PathBuf,
}

impl Mounts {
    /// Returns the currently mounted disks; empty if the system does not report them.
    pub fn now() -> Mounts {
        // Only Linux has this list.
        let lines = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        Mounts(String::from_utf8_lossy(&lines).into_owned())
    }

    /// Returns the disks that are mounted inside a folder, without the one that it is on, in the order in which they
    /// were mounted.
    ///
    /// The system does not notify watchers of the folder when one is mounted or unmounted.
    pub fn inside(&self, folder: &Path) -> Vec<MountId> {
        fields(&self.0)
            .filter(|(_, point, _)| point.starts_with(folder) && point != folder)
            .map(|(number, point, _)| MountId {
                number: number.to_owned(),
                point,
            })
            .collect()
    }
}

/// Returns the innermost mount around a path; of two at one place, the later one, which hides the other.
fn find(lines: &str, path: &Path) -> Option<Mount> {
    fields(lines)
        .filter(|(_, point, _)| path.starts_with(point))
        .max_by_key(|(_, point, _)| point.components().count())
        .map(|(_, point, kind)| Mount {
            point,
            kind: kind.to_owned(),
        })
}

/// Returns number, path and type of each mount, in the order in which they were mounted; lines that cannot be parsed
/// are skipped. Source: proc_pid_mountinfo(5).
fn fields(lines: &str) -> impl Iterator<Item = (&str, PathBuf, &str)> {
    lines.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let number = before.next()?;
        let point = PathBuf::from(unescaped(before.nth(3)?));
        Some((number, point, after.split(' ').next()?))
    })
}

/// Replaces the octal escapes of a field by the characters that they stand for.
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

    use super::{Mounts, find};

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
            // The later mount at this place hides the first.
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
                    mount.may_change_unnoticed(),
                )
            });
            assert_eq!(found, expected, "{path}");
        }
        let first = LINES.replace(
            "33 27 0:33 / /home/ada/far rw,relatime - ext4 /dev/vdb rw\n",
            "",
        );
        assert!(
            find(&first, Path::new("/home/ada/far"))
                .is_some_and(|mount| mount.may_change_unnoticed())
        );
    }

    #[test]
    fn those_inside_a_folder_are_distinguished() {
        let inside = |lines: &str, folder: &str| {
            let mounts = Mounts(lines.to_owned()).inside(Path::new(folder));
            let names = mounts
                .iter()
                .map(|mount| format!("{} {}", mount.number, mount.point.display()));
            names.collect::<Vec<_>>()
        };
        let far = [
            "31 /home/ada/far",
            "32 /home/ada/far/cloud",
            "33 /home/ada/far",
        ];
        assert_eq!(inside(LINES, "/home/ada"), far);
        assert_eq!(inside(LINES, "/media"), ["30 /media/my disk"]);
        // It is on a mount, and beside one with a longer name.
        for folder in ["/media/my disk", "/media/my", "/home/ada/far/cloud"] {
            assert_eq!(inside(LINES, folder), [""; 0], "{folder}");
        }
        assert_eq!(inside("", "/"), [""; 0]);
        // Another mount in the place of the first.
        let other = LINES.replace("30 27", "34 27");
        assert_ne!(
            Mounts(LINES.to_owned()).inside(Path::new("/media")),
            Mounts(other).inside(Path::new("/media"))
        );
    }
}
