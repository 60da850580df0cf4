//! The emulated memories that a library holds, and what they were made of.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use memlens_agents::copied_database::Stamp;
use memlens_emulate::Program;
use memlens_emulate::openclaw::OwnIndex;
use memlens_retrieve::Retriever;
use memlens_store::{DocumentId, Folder};
use parking_lot::Mutex;

use crate::own_index::OwnFiles;
use crate::view::{Emulated, EmulationProgress};

/// An index, or why it cannot be read, of a file that stood so.
pub(crate) type ReadIndex = (Stamp, Result<Arc<OwnIndex>, String>);

/// The memories that were made, by the program.
#[derive(Default)]
pub(crate) struct Emulations {
    /// One for each program.
    pub made: Mutex<HashMap<Program, Made>>,
    /// What the next ones are made of.
    pub kept: Mutex<Kept>,
    /// The own indexes of agents as they were read last, by their file.
    pub own: Mutex<HashMap<PathBuf, ReadIndex>>,
    /// How far the one that is being made is embedded; none while none is.
    pub progress: Mutex<Option<EmulationProgress>>,
    /// Stops that.
    pub stop: Mutex<Arc<AtomicBool>>,
}

/// A memory that was made.
pub(crate) struct Made {
    /// The memory.
    pub memory: Arc<dyn Retriever>,
    /// What it was made of.
    pub folders: Vec<Folder>,
    /// The agent's own databases as they stood then.
    pub own_files: OwnFiles,
    /// How true it is.
    pub emulated: Emulated,
    /// When.
    pub at: Instant,
    /// Whether all its chunks are embedded.
    pub is_whole: bool,
}

/// What outlives a memory.
#[derive(Default)]
pub(crate) struct Kept {
    /// Texts of documents, which never change.
    pub texts: HashMap<DocumentId, Arc<str>>,
    /// Vectors by the hash of their text.
    pub vectors: HashMap<[u8; 32], Arc<[f32]>>,
}

/// Clears the progress when the work ends, however it does.
pub(crate) struct Told<'a>(&'a Mutex<Option<EmulationProgress>>);

impl Told<'_> {
    /// Clears this one.
    pub fn of(progress: &Mutex<Option<EmulationProgress>>) -> Told<'_> {
        Told(progress)
    }
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}
