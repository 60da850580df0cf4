//! Questions that should return nothing.

use serde::{Deserialize, Serialize};
use specta::Type;

/// How many nonsense questions returned nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Nonsense {
    /// Number of nonsense questions that were asked.
    pub n: u32,
    /// Number of them that returned nothing, which is correct.
    pub n_nothing: u32,
}

impl Nonsense {
    /// Counts one more question by its number of results.
    pub fn add(&mut self, n_returned: usize) {
        self.n += 1;
        self.n_nothing += u32::from(n_returned == 0);
    }

    /// Returns the share that returned nothing, `nothing` in the reference scorer; `None` if no question was asked.
    pub fn share(&self) -> Option<f64> {
        (self.n > 0).then(|| f64::from(self.n_nothing) / f64::from(self.n))
    }
}
