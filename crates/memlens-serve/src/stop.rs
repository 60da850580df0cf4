//! Stops a server from another thread.

use tokio_util::sync::CancellationToken;

/// Stops the server that it was given to. Clones stop the same one.
#[derive(Debug, Clone, Default)]
pub struct Stop(CancellationToken);

impl Stop {
    /// Stops the server, also if it is not running yet.
    pub fn stop(&self) {
        self.0.cancel();
    }

    /// Waits until the server is to stop.
    pub(crate) async fn stopped(&self) {
        self.0.cancelled().await;
    }
}
