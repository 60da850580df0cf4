//! The folders from the root of the file system, or from a project's root, down to the folder that a session works in.

use std::path::{Component, Path, PathBuf};

/// The nearest folder at or above `cwd` that holds `.git`.
pub(crate) fn git_root(cwd: &Path) -> Option<&Path> {
    cwd.ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The main worktree of the repository that a folder is the root of. A worktree holds a file `.git` that names its folder in the main
/// one's `.git`.
pub(crate) fn main_worktree(root: &Path) -> PathBuf {
    let main = || {
        let found = root.join(".git").symlink_metadata().ok()?;
        if !found.is_file() || found.len() > 4096 {
            return None;
        }
        let text = std::fs::read_to_string(root.join(".git")).ok()?;
        let named = root.join(text.strip_prefix("gitdir:")?.trim());
        let worktrees = named.parent()?;
        let git = worktrees.parent()?;
        let is_worktree = worktrees.ends_with("worktrees") && git.ends_with(".git");
        is_worktree.then(|| git.parent().map(normal))?
    };
    main().unwrap_or_else(|| root.to_owned())
}

/// From `root` down to `cwd`, both included; `root` has to be at or above `cwd`.
pub(crate) fn down(root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = cwd
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .map(Path::to_owned)
        .collect();
    folders.reverse();
    folders
}

/// An absolute path without `.` and `..`, whether or not it exists.
pub(crate) fn normal(path: &Path) -> PathBuf {
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
