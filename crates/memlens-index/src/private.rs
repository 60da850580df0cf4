//! What is of the lists' alone: other users do not read it, and nothing else stands in its place.

use std::path::Path;

/// What is wrong with a link, a pipe or a device in the place of a file.
pub(crate) const NO_FILE: &str = "it is no regular file";

/// Keeps other users out of files and folders, there or not; of those of another user it is only said in the log.
pub(crate) fn keep_private<'a>(paths: impl IntoIterator<Item = &'a Path>) {
    for path in paths {
        if let Err(error) = memlens_files::keep_private(path) {
            tracing::debug!(path = %path.display(), %error, "cannot keep other users out");
        }
    }
}
