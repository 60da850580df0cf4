//! Every file below the roots, in a fixed order.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::text::reason;
use crate::{Gaps, Root};

pub(crate) struct File {
    /// Its root's place among the roots.
    pub root: usize,
    /// Relative to the root, with `/`; empty if the root is the file.
    pub path: String,
    pub absolute: PathBuf,
    /// The folder that the file is opened from, component by component.
    pub within: PathBuf,
}

/// Yields files one by one: a root after the other, each folder's files before its folders, by name.
pub(crate) struct Walk<'r> {
    roots: &'r [Root],
    /// The roots with links followed, so that links are known to lead out of all of them.
    resolved: Vec<PathBuf>,
    next_root: usize,
    /// Folders to list of the current root, the next one last.
    folders: Vec<String>,
    /// Files of the folder that was listed last, the next one last.
    files: Vec<String>,
}

impl<'r> Walk<'r> {
    pub fn new(roots: &'r [Root]) -> Walk<'r> {
        Walk {
            roots,
            resolved: roots
                .iter()
                .filter_map(|root| memlens_files::canonical(&root.path).ok())
                .collect(),
            next_root: 0,
            folders: Vec::new(),
            files: Vec::new(),
        }
    }

    pub fn next(&mut self, gaps: &mut Gaps) -> Option<File> {
        loop {
            if let Some(path) = self.files.pop() {
                let root = self.next_root - 1;
                let within = self.roots[root].path.clone();
                return Some(File {
                    root,
                    absolute: within.join(&path),
                    within,
                    path,
                });
            }
            if let Some(folder) = self.folders.pop() {
                self.list(&folder, gaps);
                continue;
            }
            let root = self.roots.get(self.next_root)?;
            self.next_root += 1;
            // A root inside another one is read there.
            let is_inside = |outer: &Root| root.path.starts_with(&outer.path);
            if self.roots[..self.next_root - 1].iter().any(is_inside) {
                continue;
            }
            match fs::symlink_metadata(&root.path) {
                Ok(found) if found.is_file() => {
                    let name = root.path.file_name()?.to_string_lossy().into_owned();
                    let within = root.path.parent().unwrap_or(Path::new("")).to_owned();
                    return Some(File {
                        root: self.next_root - 1,
                        path: String::new(),
                        absolute: within.join(&name),
                        within,
                    });
                }
                // A watched folder itself may be a link.
                Ok(_) if root.path.is_dir() => self.folders.push(String::new()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => gaps.unreadable.push((root.path.clone(), reason(&error))),
            }
        }
    }

    fn list(&mut self, folder: &str, gaps: &mut Gaps) {
        let root = &self.roots[self.next_root - 1].path;
        let absolute = root.join(folder);
        let entries = match fs::read_dir(&absolute) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                gaps.unreadable.push((absolute, reason(&error)));
                return;
            }
        };
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    gaps.unreadable.push((absolute.clone(), reason(&error)));
                    break;
                }
            };
            let name = entry.file_name();
            // A worktree's `.git` is a file.
            if name == ".git" {
                continue;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() {
                self.link(&entry.path(), gaps);
                continue;
            }
            let Some(name) = name.to_str() else {
                gaps.unreadable
                    .push((entry.path(), "its name is not UTF-8".to_owned()));
                continue;
            };
            let path = if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path);
            }
        }
        let descending = |paths: &mut Vec<String>| paths.sort_unstable_by(|a, b| b.cmp(a));
        descending(&mut files);
        descending(&mut folders);
        self.files = files;
        self.folders.extend(folders);
    }

    /// Reports a link to text that is outside of all roots.
    fn link(&self, link: &Path, gaps: &mut Gaps) {
        let Ok(target) = memlens_files::canonical(link) else {
            return;
        };
        let is_inside = self.resolved.iter().any(|root| target.starts_with(root));
        let is_of_interest = target.is_dir() || target.is_file();
        if !is_inside && is_of_interest {
            gaps.links.push(link.to_owned());
        }
    }
}
