//! The map: all chunks in two dimensions, by the vectors that the library stores. Nothing is embedded.
//!
//! The first picture is of principal components ([`components`]), computed when it is asked for. A layout by neighbours
//! ([`neighbours`]) is computed by a job that can be stopped, and stored beside the lists ([`stored`]): numbers of embeddings and
//! their places, no text. Chunks that come later are placed by their nearest neighbours ([`placing`]), and nothing else moves.
//!
//! Chunks of one text have one embedding, and so one place. A chunk with several windows is placed by the vector of its whole text.

mod components;
mod layout;
mod nearest;
mod neighbours;
mod picture;
mod placing;
mod points;
mod stored;

use std::sync::Arc;

use memlens_library::{EngineError, FeatureState, Library, erase_map};
use memlens_wire::JobKind;
use parking_lot::Mutex;

pub use layout::lay_out;
pub use picture::map;

use components::Places;

/// What is kept beside a library.
#[derive(Default)]
struct Maps {
    /// The places by principal components that were last computed.
    components: Mutex<Option<Arc<Places>>>,
    /// Held while the stored layout is read and changed.
    storing: Mutex<()>,
}

impl FeatureState for Maps {
    fn forget_measured(&self) {
        *self.components.lock() = None;
    }
}

/// Stops the job that computes a layout, and removes the stored one.
///
/// # Errors
/// [`EngineError::File`] if it cannot be removed.
pub fn forget_map(library: &Library) -> Result<(), EngineError> {
    library.stop(JobKind::Layout);
    let state = library.feature::<Maps>();
    let _turn = state.storing.lock();
    *state.components.lock() = None;
    erase_map(library.dir())
}
