//! Caches the last autopsy, so that formatting it reads no file again.

use memlens_library::FeatureState;
use memlens_wire::{Autopsy, AutopsyQuestion};
use parking_lot::Mutex;

/// The last autopsy with its question.
#[derive(Default)]
pub(crate) struct LastAutopsy(Mutex<Option<(AutopsyQuestion, Autopsy)>>);

impl FeatureState for LastAutopsy {}

impl LastAutopsy {
    /// Caches an answer until the next one.
    pub fn keep(&self, question: &AutopsyQuestion, autopsy: &Autopsy) {
        *self.0.lock() = Some((question.clone(), autopsy.clone()));
    }

    /// The last answer, if it is to this question.
    pub fn of(&self, question: &AutopsyQuestion) -> Option<Autopsy> {
        let last = self.0.lock();
        let (asked, autopsy) = last.as_ref()?;
        (asked == question).then(|| autopsy.clone())
    }
}
