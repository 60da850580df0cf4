//! The paths of the lists in a library's folder.

use std::path::{Path, PathBuf};

/// Returns the folder of the BM25 list.
pub fn text_path(dir: &Path) -> PathBuf {
    dir.join("text")
}

/// Returns the folder of the vector list.
pub fn vector_folder(dir: &Path) -> PathBuf {
    dir.join("vectors")
}

/// Returns the path of the vector list's head.
pub fn vector_path(dir: &Path) -> PathBuf {
    vector_folder(dir).join("flat")
}
