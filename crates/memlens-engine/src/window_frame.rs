//! Where the window stood, as the window wrote it; what it means is the window's matter.

use crate::{Engine, EngineError};

const KEY: &str = "window";

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
