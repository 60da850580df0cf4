//! How many thumbs the library's texts have.

use std::collections::HashMap;
use std::sync::Arc;

use memlens_rank::Thumbs;
use memlens_retrieve::TextId;
use memlens_store::{Store, StoreError};

/// How many thumbs point up and down, by their text.
pub(crate) type ThumbCounts = HashMap<TextId, (u32, u32)>;

/// What the thumbs were counted for, and the counts.
#[derive(Default)]
pub(crate) struct CountedThumbs {
    /// The generations of the feedback and of the lists; none before the first count.
    of: Option<(u64, u64)>,
    counts: Arc<ThumbCounts>,
}

impl CountedThumbs {
    /// The counts as they are now, of texts whose vectors are of `model`; counted anew where anything changed.
    ///
    /// # Errors
    /// Where the thumbs cannot be read.
    pub fn now(
        &mut self,
        store: &Store,
        model: &str,
        generation: u64,
    ) -> Result<Arc<ThumbCounts>, StoreError> {
        let of = Some((store.feedback_generation()?, generation));
        if self.of != of {
            let counts = store.thumbs(model)?.into_iter();
            let of_text = counts.map(|(of, counts)| (TextId(of.0), counts));
            self.counts = Arc::new(of_text.collect());
            self.of = of;
        }
        Ok(self.counts.clone())
    }
}

/// The thumbs as ranking counts them.
pub(crate) fn counted((n_up, n_down): (u32, u32)) -> Thumbs {
    Thumbs { n_up, n_down }
}
