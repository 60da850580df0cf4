//! Where embedders come from.

use std::path::PathBuf;
use std::sync::Arc;

use memlens_embed::{Bundled, EmbedError, Embedder, Locations, indexing_threads, lower_priority};

/// Tells what an embedder is for, and so how much of the machine it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One short text at once, as fast as possible.
    Query,
    /// Many texts at low priority, a core left to the person.
    Indexing,
}

/// Makes embedders; a query must never wait for the one that indexes.
pub type EmbedderSource =
    Arc<dyn Fn(Purpose) -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync>;

/// Returns the source of the bundled model; `resources` are further folders to look in.
pub fn bundled(resources: Vec<PathBuf>) -> EmbedderSource {
    Arc::new(move |purpose| {
        let locations = Locations::find(&resources)?;
        let bundled = match purpose {
            Purpose::Query => Bundled::load(&locations, 1),
            // The model's own threads keep the priority of the one that loads it.
            Purpose::Indexing => std::thread::scope(|scope| {
                let loading = scope.spawn(|| {
                    lower_priority();
                    Bundled::load(&locations, indexing_threads())
                });
                loading
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }),
        };
        Ok(Box::new(bundled?) as Box<dyn Embedder>)
    })
}
