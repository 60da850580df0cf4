//! The files of an index, as they are on disk now.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memlens_ingest::{FoundFile, MAX_FILE_BYTES};

use super::{Index, Root, RootKind, Skips};

/// Maximum number of files of one index.
const FILES_MAX: usize = 100_000;
/// Maximum number of folders that are looked into.
const FOLDERS_MAX: usize = 50_000;

/// A file that an agent searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedFile {
    /// The file; its path is relative to the folder that the index names.
    pub file: FoundFile,
    /// Its path as the program names it: `memory/2026-11-02.md`, `../../vault/kettle.md`.
    pub name: String,
    /// Whether only a folder or file that the config adds holds it.
    pub is_extra: bool,
}

/// The files of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Sorted by name, each file once.
    pub files: Vec<SearchedFile>,
    /// How many are larger than Memlens reads.
    pub n_too_large: usize,
    /// Whether the time or the maximum number of files was reached, so that some may be missing.
    pub is_partial: bool,
}

impl Index {
    /// Lists the files that are searched, within a time. Links are not followed; folders that cannot be opened count as empty.
    pub fn files(&self, time: Duration) -> Listed {
        let mut listing = Listing {
            index: self,
            ends: Instant::now() + time,
            seen: HashSet::new(),
            n_folders: 0,
            listed: Listed::default(),
        };
        if self.switched_off.is_none() {
            for root in &self.roots {
                listing.root(root);
            }
        }
        let mut listed = listing.listed;
        listed.files.sort_by(|a, b| a.name.cmp(&b.name));
        listed
    }
}

struct Listing<'a> {
    index: &'a Index,
    ends: Instant,
    seen: HashSet<PathBuf>,
    n_folders: usize,
    listed: Listed,
}

impl Listing<'_> {
    fn root(&mut self, root: &Root) {
        match &root.kind {
            RootKind::Workspace { files, skips, .. } => {
                for name in files {
                    self.file(root, &root.folder.join(name));
                }
                self.below(root, &root.folder.join("memory"), *skips);
            }
            RootKind::Folder { skips, .. } => self.below(root, &root.folder, *skips),
            RootKind::File { name, .. } => self.file(root, &root.folder.join(name)),
        }
    }

    /// Lists the files below a folder. No recursion: a tree may be deep.
    fn below(&mut self, root: &Root, top: &Path, skips: Skips) {
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        let mut folders: Vec<PathBuf> = Some(top.to_owned())
            .filter(|top| is_folder(top))
            .into_iter()
            .collect();
        while let Some(folder) = folders.pop() {
            self.n_folders += 1;
            if self.n_folders > FOLDERS_MAX || self.is_over() {
                return;
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if self.listed.is_partial {
                    return;
                }
                let Ok(found) = entry.file_type() else {
                    continue;
                };
                let path = entry.path();
                if found.is_dir() {
                    let name = entry.file_name();
                    if name.to_str().is_some_and(|name| !skips.skips(name)) {
                        folders.push(path);
                    }
                } else if found.is_file() {
                    self.file(root, &path);
                }
            }
        }
    }

    fn is_over(&mut self) -> bool {
        let is_over = self.listed.files.len() >= FILES_MAX
            || self.n_folders > FOLDERS_MAX
            || Instant::now() >= self.ends;
        self.listed.is_partial |= is_over;
        is_over
    }

    fn file(&mut self, root: &Root, path: &Path) {
        if root.judge(path).is_err() || self.index.is_never(path) || self.seen.contains(path) {
            return;
        }
        let Some(name) = root.name_of(path) else {
            return;
        };
        let Ok(metadata) = path.symlink_metadata() else {
            return;
        };
        if !metadata.is_file() {
            return;
        }
        if metadata.len() > MAX_FILE_BYTES {
            self.listed.n_too_large += 1;
            return;
        }
        if self.is_over() {
            return;
        }
        let Some(file) = FoundFile::at(&root.folder, path, &metadata) else {
            return;
        };
        self.seen.insert(path.to_owned());
        self.listed.files.push(SearchedFile {
            file,
            name,
            is_extra: self.index.has_workspace()
                && !matches!(root.kind, RootKind::Workspace { .. }),
        });
    }
}
