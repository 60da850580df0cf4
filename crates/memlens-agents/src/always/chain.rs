//! The folders from the root of the file system, or from a project's root, down to the folder that a session works in.

use std::path::{Component, Path, PathBuf};

/// The nearest folder at or above `cwd` that holds `.git`.
pub(super) fn git_root(cwd: &Path) -> Option<&Path> {
    cwd.ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// From `root` down to `cwd`, both included; `root` has to be at or above `cwd`.
pub(super) fn down(root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = cwd
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .map(Path::to_owned)
        .collect();
    folders.reverse();
    folders
}

/// An absolute path without `.` and `..`, whether or not it exists.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}
