//! Where the lists of a library lie in its folder.

use std::path::{Path, PathBuf};

/// The folder of the BM25 list.
pub fn text_path(dir: &Path) -> PathBuf {
    dir.join("text")
}

/// The folder of the vector list.
pub fn vector_folder(dir: &Path) -> PathBuf {
    dir.join("vectors")
}

/// The head of the vector list.
pub fn vector_path(dir: &Path) -> PathBuf {
    vector_folder(dir).join("flat")
}
