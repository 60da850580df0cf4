//! Decides about single paths by the rules of a walk.

use std::fs;
use std::path::Path;

use memlens_faults::{Place, inject};

use super::paths::{check_root, child, join};
use super::reason::Reason;
use super::weighing::{FoundFile, Weighed, weigh};
use crate::error::IngestError;
use crate::rules::Rules;

/// What happens to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The file is read, with its metadata.
    Read(FoundFile),
    /// A folder whose entries are listed.
    Folder,
    /// It exists but is left out, because of itself or of a folder around it.
    LeftOut {
        /// Relative to the watched folder: the requested path, or the folder around it that is left out.
        path: String,
        /// The rule that leaves it out.
        reason: Reason,
    },
    /// The path does not exist.
    Gone,
}

/// Returns the file at `relative` (separated by `/`) if [`walk`](super::walk) would list it.
///
/// `None` if the rules leave it out, if it is a folder or missing, or if the path leads out of `root`.
///
/// # Errors
/// If `root` is missing or not a folder.
pub fn find(root: &Path, relative: &str) -> Result<Option<FoundFile>, IngestError> {
    Ok(match judge(root, relative)? {
        Verdict::Read(file) => Some(file),
        Verdict::Folder | Verdict::LeftOut { .. } | Verdict::Gone => None,
    })
}

/// Returns what happens to the path `relative` (separated by `/`) by the rules of [`walk`](super::walk), and why.
///
/// # Errors
/// If `root` is missing or not a folder.
pub fn judge(root: &Path, relative: &str) -> Result<Verdict, IngestError> {
    check_root(root)?;
    let left_out = |path: &str, reason: Reason| Verdict::LeftOut {
        path: path.to_owned(),
        reason,
    };
    let is_inside =
        |name: &str| !matches!(name, "" | "." | "..") && Path::new(name).components().count() == 1;
    let mut rules = Rules::default();
    let mut folder = String::new();
    let mut names = relative.split('/').peekable();
    while let Some(name) = names.next() {
        if !is_inside(name) || !Path::new(name).is_relative() {
            return Ok(left_out(relative, Reason::Outside));
        }
        rules = rules.inside(&join(root, &folder)).0;
        let path = child(&folder, name);
        let absolute = join(root, &path);
        let weighed = fs::symlink_metadata(&absolute).map_or_else(Weighed::of_error, |metadata| {
            weigh(root, &path, &absolute, &rules, metadata.file_type(), || {
                inject(Place::Entry, root, &path).map(|()| metadata)
            })
        });
        match weighed {
            Weighed::Folder if names.peek().is_some() => folder = path,
            Weighed::Folder => return Ok(Verdict::Folder),
            Weighed::Read(_) if names.peek().is_some() => return Ok(Verdict::Gone),
            Weighed::Read(file) => return Ok(Verdict::Read(file)),
            Weighed::Reported(reason) | Weighed::Unreported(reason) => {
                return Ok(left_out(&path, reason));
            }
            Weighed::Unseen(why) => return Ok(left_out(&path, Reason::Unseen(why))),
            Weighed::Gone => return Ok(Verdict::Gone),
        }
    }
    Ok(Verdict::Gone)
}
