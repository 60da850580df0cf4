//! Questions to which nothing should be found.

use serde::{Deserialize, Serialize};
use specta::Type;

/// How many nonsense questions were left without a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Nonsense {
    /// How many were asked.
    pub n: u32,
    /// For how many nothing was returned, which is right.
    pub n_nothing: u32,
}

impl Nonsense {
    /// Counts one more by how many results it had.
    pub fn add(&mut self, n_returned: usize) {
        self.n += 1;
        self.n_nothing += u32::from(n_returned == 0);
    }

    /// The share left without a result, `nothing` of the reference scorer; none where none was asked.
    pub fn share(&self) -> Option<f64> {
        (self.n > 0).then(|| f64::from(self.n_nothing) / f64::from(self.n))
    }
}
