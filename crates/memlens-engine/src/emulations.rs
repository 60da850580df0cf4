//! The emulated memories that a library holds, and what they were made of.

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
use parking_lot::Mutex;

use crate::own_index::OwnFiles;
use crate::searched::KnownSearched;
use crate::view::Emulated;

/// An index, or why it cannot be read, of a file that stood so.
pub(crate) type ReadIndex = (Stamp, Result<Arc<OwnIndex>, String>);

/// The memories that were made, by the program.
#[derive(Default)]
pub(crate) struct Emulations {
    /// One for each program, and for each of its agents that has an index of its own.
    pub made: Mutex<HashMap<(Program, Option<String>), Made>>,
    /// What the next ones are made of.
    pub kept: Mutex<Kept>,
    /// The own indexes of agents as they were read last, by their file.
    pub own: Mutex<HashMap<PathBuf, ReadIndex>>,
    /// What the agents' own rules name.
    pub searched: KnownSearched,
}

/// A memory that was made.
pub(crate) struct Made {
    /// The memory.
    pub memory: Arc<dyn Retriever>,
    /// What it was made of.
    pub folders: Vec<Folder>,
    /// The agent's own databases as they stood then.
    pub own_files: OwnFiles,
    /// The files by the agent's own rules, as a stamp; `None` if they are not known.
    pub searched: Option<u64>,
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
    /// Its text.
    pub text: Arc<str>,
    /// The date that it names, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
}
