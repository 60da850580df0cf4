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

pub(super) fn join(root: &Path, relative: &str) -> PathBuf {
    if relative.is_empty() {
        root.to_owned()
    } else {
        root.join(relative)
    }
}
