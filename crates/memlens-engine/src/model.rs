//! Where embedders come from.

use std::path::PathBuf;
use std::sync::Arc;

use memlens_embed::{Bundled, EmbedError, Embedder, Locations, indexing_threads};

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
        let threads = match purpose {
            Purpose::Query => 1,
            Purpose::Indexing => indexing_threads(),
        };
        Ok(Box::new(Bundled::load(&locations, threads)?) as Box<dyn Embedder>)
    })
}
