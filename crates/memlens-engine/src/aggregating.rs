//! Comparing all observations on demand.

use memlens_library::{EngineError, clusters};
use memlens_params::Params;
use memlens_store::FolderId;
use memlens_wire::ClustersAnswer;

use crate::Engine;

impl Engine {
    /// Compares all observations now, if anything changed since the last pass, and returns the result.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn aggregate_now(
        &self,
        params: &Params,
        folder: Option<FolderId>,
    ) -> Result<ClustersAnswer, EngineError> {
        self.pass()?;
        clusters(self.library(), params, folder)
    }
}
