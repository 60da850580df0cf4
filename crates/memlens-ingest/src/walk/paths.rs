//! Paths in a watched folder, and the folder itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::IngestError;

pub(super) fn check_root(root: &Path) -> Result<(), IngestError> {
    let path = || root.to_owned();
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(IngestError::NotAFolder { path: path() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(IngestError::FolderMissing { path: path() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(IngestError::FolderMissing { path: path() })
        }
        Err(source) => Err(IngestError::FolderUnreadable {
            path: path(),
            source,
        }),
    }
}

pub(super) fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Returns the absolute path of a note, with the system's separator: on Windows a name is pushed with the `/` in it.
pub(super) fn join(root: &Path, relative: &str) -> PathBuf {
    if relative.is_empty() {
        return root.to_owned();
    }
    let mut path = PathBuf::with_capacity(root.as_os_str().len() + 1 + relative.len());
    path.push(root);
    path.extend(relative.split('/'));
    path
}
