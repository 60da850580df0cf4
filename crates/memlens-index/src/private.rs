//! Access to the lists' files: no other users, and no links or pipes in their place.

use std::path::Path;

/// The error for a link, a pipe or a device in the place of a file.
pub(crate) const NO_FILE: &str = "it is no regular file";

/// Removes other users' access to files and folders that may be missing. Failures, such as for files of another user,
/// are only logged.
pub(crate) fn keep_private<'a>(paths: impl IntoIterator<Item = &'a Path>) {
    for path in paths {
        if let Err(error) = memlens_files::keep_private(path) {
            tracing::debug!(path = %path.display(), %error, "cannot keep other users out");
        }
    }
}
