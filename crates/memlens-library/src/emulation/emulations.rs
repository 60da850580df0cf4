//! Emulated memories of a library, and their sources.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use memlens_agents::copied_database::Stamp;
use memlens_emulate::Program;
use memlens_emulate::openclaw::OwnIndex;
use memlens_ingest::FoundFile;
use memlens_retrieve::Retriever;
use memlens_store::{DocumentId, Folder};
use memlens_wire::Emulated;
use parking_lot::Mutex;

use crate::emulation::own_index::OwnFiles;
use crate::emulation::searched::KnownSearched;

/// An index, or the reason why it cannot be read, for a file with this stamp.
pub(crate) type ReadIndex = (Stamp, Result<Arc<OwnIndex>, String>);

#[derive(Default)]
pub(crate) struct Emulations {
    /// One for each program, and for each of its agents that has an index of its own.
    pub made: Mutex<HashMap<(Program, Option<String>), Made>>,
    /// Caches for building the next ones.
    pub kept: Mutex<Kept>,
    /// The agents' own indexes as last read, by file.
    pub own: Mutex<HashMap<PathBuf, ReadIndex>>,
    /// Files that the agents' own rules name.
    pub searched: KnownSearched,
}

/// An emulated memory that was built.
pub(crate) struct Made {
    /// Retriever over the emulated memory.
    pub memory: Arc<dyn Retriever>,
    /// Folders that it was built from.
    pub folders: Vec<Folder>,
    /// Stamps of the agent's own databases at that time.
    pub own_files: OwnFiles,
    /// The files by the agent's own rules, as a stamp; `None` if they are not known.
    pub searched: Option<u64>,
    /// How closely it matches the agent's memory.
    pub emulated: Emulated,
    /// When the memory was built.
    pub at: Instant,
    /// Whether all its chunks are embedded.
    pub is_whole: bool,
}

/// Caches that outlive a memory.
#[derive(Default)]
pub(crate) struct Kept {
    /// Texts of documents, which never change.
    pub texts: HashMap<DocumentId, Arc<str>>,
    /// Notes that only the agent reads, by their file.
    pub read: HashMap<PathBuf, ReadNote>,
    /// Vectors by the hash of their text.
    pub vectors: HashMap<[u8; 32], Arc<[f32]>>,
}

/// A note that only the agent reads.
#[derive(Clone)]
pub(crate) struct ReadNote {
    /// The file as it was read.
    pub file: FoundFile,
    pub text: Arc<str>,
    /// The date that it names, `YYYY-MM-DD`.
    pub date: Option<String>,
    pub tags: Vec<String>,
}
