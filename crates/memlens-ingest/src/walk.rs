//! Walking: lists the files of a watched folder that are read.
//!
//! [`walk`] and [`judge`] decide about every entry with the same function, so that a watcher that asks about single
//! files ends with the same library as a fresh walk.
//!
//! Properties checked: each rule by table; [`find`] agrees with [`walk`] on every path of a random tree; no link leads
//! out.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_faults::{Place, inject};

use crate::error::{IngestError, words};
use crate::rules::Rules;

mod judging;
mod listing;
mod paths;
mod reason;
mod weighing;

pub use judging::{Verdict, find, judge};
pub use listing::{LeftOut, hidden_below, left_out_in};
use paths::{check_root, child, join};
pub use reason::Reason;
pub use weighing::{FoundFile, MAX_FILE_BYTES};
use weighing::{Weighed, weigh};

/// A file or folder that the user would expect to be read, and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// Relative to the watched folder, separated by `/`, with replacement characters if it is not UTF-8. Empty for the
    /// watched folder itself.
    pub path: String,
    /// A message for the user, in lower case, without a full stop.
    pub reason: String,
    /// Whether it is a folder that could not be listed, or not completely. Its earlier content must not count as
    /// deleted.
    pub is_closed: bool,
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Files to read, sorted by path, bytewise.
    pub files: Vec<FoundFile>,
    /// The listed folders, relative to the watched one and separated by `/`, each after its parent. The first is the
    /// watched folder itself, as an empty path.
    pub folders: Vec<String>,
    /// Sorted by path, then reason. Without files of kinds that are never read, hidden and ignored ones.
    pub skipped: Vec<SkippedFile>,
}

/// Lists the files under `root` that are read.
///
/// Left out are: what `.ignore` and `.gitignore` files inside `root` name; hidden files and folders, unless such a file
/// includes them (`!.notes/`) or it is `root` itself; links, wherever they lead; files of no [`Kind`](crate::Kind);
/// files above [`MAX_FILE_BYTES`]; names that are not UTF-8. Errors below `root` are reported in [`Walked::skipped`].
/// `cancel` is checked at every entry.
///
/// # Errors
/// If `root` is missing, not a folder or cannot be listed, and if cancelled.
pub fn walk(root: &Path, cancel: &AtomicBool) -> Result<Walked, IngestError> {
    walk_with_progress(root, cancel, &mut |_| {})
}

/// Like [`walk`]. Also calls `on_entry` at every entry with the files found so far, not sorted yet.
///
/// # Errors
/// Like [`walk`].
pub fn walk_with_progress(
    root: &Path,
    cancel: &AtomicBool,
    on_entry: &mut dyn FnMut(&[FoundFile]),
) -> Result<Walked, IngestError> {
    check_root(root)?;
    let unreadable = |source| IngestError::FolderUnreadable {
        path: root.to_owned(),
        source,
    };
    inject(Place::Root, root, "").map_err(unreadable)?;
    let mut walked = Walked::default();
    // Folders to be listed, with the rules that apply around them. Not recursive, because a tree may be deep.
    let mut folders = vec![(String::new(), Rules::default())];
    while let Some((folder, outer)) = folders.pop() {
        let absolute = join(root, &folder);
        let (rules, faults) = outer.inside(&absolute);
        walked
            .skipped
            .extend(faults.into_iter().map(|(name, reason)| SkippedFile {
                path: child(&folder, name),
                reason,
                is_closed: false,
            }));
        let mut skip = |path: String, reason: String, is_closed: bool| {
            walked.skipped.push(SkippedFile {
                path,
                reason,
                is_closed,
            });
        };
        let entries = match fs::read_dir(&absolute) {
            Ok(entries) => entries,
            Err(source) if folder.is_empty() => return Err(unreadable(source)),
            Err(error) => {
                if let Some(reason) = why_closed(&error) {
                    skip(folder, reason, true);
                }
                continue;
            }
        };
        walked.folders.push(folder.clone());
        let mut unseen = None;
        for entry in entries {
            if cancel.load(Ordering::Relaxed) {
                return Err(IngestError::Cancelled {
                    path: root.to_owned(),
                });
            }
            on_entry(&walked.files);
            let entry =
                match entry.and_then(|entry| inject(Place::Walk, root, &folder).map(|()| entry)) {
                    Ok(entry) => entry,
                    Err(error) => {
                        unseen = Some(format!("cannot list all of this folder: {}", words(&error)));
                        break;
                    }
                };
            let name = entry.file_name();
            let path = child(&folder, &name.to_string_lossy());
            match weigh_entry(root, &path, &entry, &rules) {
                Weighed::Read(file) => walked.files.push(file),
                Weighed::Folder => folders.push((path, rules.clone())),
                Weighed::Reported(reason) => skip(path, reason.to_string(), false),
                // Reported once for the folder, because it applies to everything in it.
                Weighed::Unseen(why) => {
                    unseen = Some(format!("cannot inspect all of this folder: {why}"));
                }
                Weighed::Unreported(_) | Weighed::Gone => {}
            }
        }
        if let Some(reason) = unseen {
            skip(folder, reason, true);
        }
    }
    walked.sort();
    Ok(walked)
}

impl Walked {
    fn sort(&mut self) {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.skipped
            .sort_unstable_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    }
}

/// The reason to show if a folder cannot be opened; `None` if it disappeared or was replaced by a file since it was
/// listed.
fn why_closed(error: &io::Error) -> Option<String> {
    let kind = error.kind();
    if matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        return None;
    }
    Some(if kind == io::ErrorKind::InvalidFilename {
        "cannot open this folder: its path is longer than this system allows".to_owned()
    } else {
        format!("cannot open this folder: {}", words(error))
    })
}

/// Decides about an entry of a folder; `path` is relative to `root`.
fn weigh_entry(root: &Path, path: &str, entry: &fs::DirEntry, rules: &Rules) -> Weighed {
    let file_type = match entry.file_type() {
        Ok(file_type) => file_type,
        Err(error) => return Weighed::of_error(error),
    };
    weigh(root, path, &entry.path(), rules, file_type, || {
        inject(Place::Entry, root, path).and_then(|()| entry.metadata())
    })
}

#[cfg(test)]
mod tests;
