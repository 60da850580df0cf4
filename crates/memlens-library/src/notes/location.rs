//! Where a note, another file or a sub-folder of a watched folder is on disk.

use std::path::{Path, PathBuf};

use memlens_files::path_in;
use memlens_ingest::{Reason, Verdict, judge};
use memlens_store::FolderId;

use crate::{EngineError, Library};

/// Absolute path of a file or folder in a watched folder; `""` is the watched folder itself. Files that are not read and
/// links have one too, so that a file manager can select them. What a link leads to does not.
///
/// # Errors
/// [`EngineError::NoDocument`] if the path is missing or leads out of the folder, [`EngineError::Ingest`] if the watched
/// folder is missing.
pub fn location(library: &Library, folder: FolderId, path: &str) -> Result<PathBuf, EngineError> {
    let no_document = || EngineError::NoDocument {
        path: path.to_owned(),
    };
    if let Ok(note) = library.absolute(folder, path) {
        return Ok(note);
    }
    let lists = library.lists();
    let watched = lists.snapshot.folder(folder).ok_or_else(no_document)?;
    let root = Path::new(&watched.path);
    if path.is_empty() {
        return match root.is_dir() {
            true => Ok(root.to_owned()),
            false => Err(EngineError::file(
                "find",
                root,
                std::io::ErrorKind::NotFound.into(),
            )),
        };
    }
    match judge(root, path)? {
        Verdict::Read(file) => Ok(file.absolute),
        Verdict::Folder => Ok(path_in(root, path)),
        Verdict::LeftOut {
            path: left_out,
            reason,
        } => match reason {
            Reason::Outside | Reason::Unseen(_) => Err(no_document()),
            Reason::Ignored { .. }
            | Reason::Hidden { .. }
            | Reason::Link
            | Reason::Name
            | Reason::Kind
            | Reason::NotRegular
            | Reason::TooLarge => match left_out == path {
                true => Ok(path_in(root, path)),
                // Inside of a folder that is left out, which no rule has confined.
                false => Err(no_document()),
            },
        },
        Verdict::Gone => Err(no_document()),
    }
}
