//! Comparing all observations on demand.

use memlens_library::{EngineError, clusters, drift};
use memlens_params::Params;
use memlens_store::FolderId;
use memlens_wire::{ClustersAnswer, DriftAnswer};

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

    /// Returns the contradictions that the last pass found, and has observations compared in the background from now on, and a model
    /// asked for second opinions that are missing.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn drift(&self, params: &Params) -> Result<DriftAnswer, EngineError> {
        self.compare_in_background();
        let answer = drift(self.library(), params)?;
        let opinions = answer
            .report
            .as_ref()
            .and_then(|report| report.second_opinions.as_ref());
        if opinions.is_some_and(|opinions| opinions.n_without > 0 && opinions.problem.is_none()) {
            self.ask_in_background();
        }
        Ok(answer)
    }

    /// Compares all observations now, if anything changed since the last pass, and returns the contradictions. A pass that
    /// is stopped leaves what was found before.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn drift_now(&self, params: &Params) -> Result<DriftAnswer, EngineError> {
        self.pass()?;
        self.drift(params)
    }
}
