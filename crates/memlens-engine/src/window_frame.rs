//! Where the window stood, as the window wrote it; what it means is the window's matter.

use std::path::Path;

use memlens_store::Store;

use crate::{Engine, EngineError};

const KEY: &str = "window";

/// What the window kept of its place on the desktop, read before the library in `dir` is opened, which takes longer than to
/// show a window; none where it kept nothing or it cannot be read.
pub fn window_frame(dir: &Path) -> Option<String> {
    Store::open_read_only(dir).ok()?.setting(KEY).ok()?
}

impl Engine {
    /// What the window kept of its place on the desktop; none where it kept nothing or it cannot be read.
    pub fn window_frame(&self) -> Option<String> {
        self.library().store().setting(KEY).ok().flatten()
    }

    /// Keeps where the window stands.
    ///
    /// # Errors
    /// [`EngineError::Indexer`], [`EngineError::Store`].
    pub fn keep_window_frame(&self, frame: String) -> Result<(), EngineError> {
        self.put_setting(KEY, Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_before_the_library_is_opened() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        assert_eq!(window_frame(dir.path()), None);
        let mut store = Store::open(dir.path()).expect("a library can be made");
        assert_eq!(window_frame(dir.path()), None);
        let kept = store.put_setting(KEY, Some("a frame"));
        kept.expect("it can be kept");
        assert_eq!(window_frame(dir.path()).as_deref(), Some("a frame"));
    }
}
