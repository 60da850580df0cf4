//! Position and size of the window, as the window stored them; the engine does not interpret them.

use std::path::Path;

use memlens_library::EngineError;
use memlens_store::Store;

use crate::Engine;

const KEY: &str = "window";

/// The stored frame of the window, read before the library in `dir` is opened, which takes longer than showing a
/// window; `None` if nothing is stored or it cannot be read.
pub fn window_frame(dir: &Path) -> Option<String> {
    Store::open_read_only(dir).ok()?.setting(KEY).ok()?
}

impl Engine {
    /// The stored frame of the window; `None` if nothing is stored or it cannot be read.
    pub fn window_frame(&self) -> Option<String> {
        self.library().store().setting(KEY).ok().flatten()
    }

    /// Stores the frame of the window.
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
