//! Which disk a folder lies on, and which lie in it: where they are mounted, and whether their changes are told.
//!
//! Properties checked: the mount around a path, and those in it, are found among the system's lines, whatever signs stand
//! in their names.

use std::path::{Path, PathBuf};

/// A mounted disk.
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
    /// The disk that a path lies on; none where the system does not tell.
    pub fn of(path: &Path) -> Option<Mount> {
        find(&Mounts::now().0, path)
    }

    /// Whether changes may be made to it that the system does not hear of.
    pub fn is_untold(&self) -> bool {
        UNTOLD_KINDS.contains(&self.kind.as_str()) || self.kind.starts_with(SERVED_KIND)
    }
}

/// Every disk that is mounted, as the system lists them now.
#[derive(Debug, Default)]
pub struct Mounts(String);

/// Names a mount as long as it lasts: another that takes its place has another number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountId {
    number: String,
    point: PathBuf,
}

impl Mounts {
    /// The disks that are mounted now; none where the system does not tell.
    pub fn now() -> Mounts {
        // Only Linux keeps such a list.
        let lines = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        Mounts(String::from_utf8_lossy(&lines).into_owned())
    }

    /// Those that are mounted in a folder, and not those that it lies on, in the order in which they were mounted.
    ///
    /// The system tells nobody who watches the folder that one comes or goes.
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

/// The innermost mount around a path; of two at one place, the later one, which hides the other.
fn find(lines: &str, path: &Path) -> Option<Mount> {
    fields(lines)
        .filter(|(_, point, _)| path.starts_with(point))
        .max_by_key(|(_, point, _)| point.components().count())
        .map(|(_, point, kind)| Mount {
            point,
            kind: kind.to_owned(),
        })
}

/// Number, place and kind of each mount, in the order in which they were mounted; of lines that are understood.
/// Source: proc_pid_mountinfo(5).
fn fields(lines: &str) -> impl Iterator<Item = (&str, PathBuf, &str)> {
    lines.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let number = before.next()?;
        let point = PathBuf::from(unescaped(before.nth(3)?));
        Some((number, point, after.split(' ').next()?))
    })
}

/// A field with its octal escapes as the signs they stand for.
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

    #[test]
    fn those_inside_a_folder_are_told_apart() {
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
        // It lies on one, and beside one of a longer name.
        for folder in ["/media/my disk", "/media/my", "/home/ada/far/cloud"] {
            assert_eq!(inside(LINES, folder), [""; 0], "{folder}");
        }
        assert_eq!(inside("", "/"), [""; 0]);
        // Another in the place of the first.
        let other = LINES.replace("30 27", "34 27");
        assert_ne!(
            Mounts(LINES.to_owned()).inside(Path::new("/media")),
            Mounts(other).inside(Path::new("/media"))
        );
    }
}
