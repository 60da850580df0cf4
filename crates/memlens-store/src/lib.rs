//! The library on disk: SQLite as the source of truth.
//!
//! A [`Store`] contains the watched folders, their documents, chunks and windows, every embedding ever computed (by
//! content hash and model, so that nothing unchanged is embedded twice), problems of files, presets, what agents asked,
//! judgments (including the user's thumbs), query sets and runs. Everything else on disk is derived from it and names
//! the [generation](Store::generation) it was built from.
//!
//! One process writes ([`Store::open`], held by a lock file that names it); any number read
//! ([`Store::open_read_only`]), each read in one consistent snapshot.
//!
//! Beside it are a [`ScoreCache`], which any process writes and which may be deleted at any time, and a file with a copy
//! of what the user made ([`Store::come_to_rest`], [`Store::open_repaired`]).
//!
//! This crate does not know how notes are read, embedded or ranked.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! use memlens_store::Store;
//!
//! let mut store = Store::open(dir.path())?;
//! let folder = store.add_folder("/home/ada/notes", "notes")?;
//! assert_eq!(store.folders()?, [folder]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checksum;
mod contents;
mod copy_print;
mod damage;
mod documents;
mod embeddings;
mod error;
mod feedback;
mod folders;
mod judgments;
mod line_diff;
mod lock;
mod made;
pub use made::kept_setting;
mod migrations;
mod missed;
mod model_change;
mod note_changes;
mod observations;
mod past;
mod presets;
mod problems;
mod query_sets;
mod records;
mod repair;
mod rest;
mod runs;
mod saved;
mod score_cache;
mod settings;
#[cfg(target_os = "linux")]
mod shared_memory;
mod sightings;
mod snapshot;
mod space;
mod store;
mod trust;
mod versions;

pub use contents::Contents;
pub use damage::Forgotten;
pub use documents::{
    Applied, Change, DocumentState, NewChunk, NewDocument, NewWindow, NoText, StoredChunk,
};
pub use embeddings::EmbeddingId;
pub use error::StoreError;
pub use feedback::{Imported, NewFeedback, StoredFeedback, Thumb, Voted};
pub use folders::{Folder, FolderId};
pub use judgments::{Judgment, Origin};
pub use line_diff::{DiffPart, LineDiff, LineKind, NumberedLine, line_diff};
pub use missed::ListedDocument;
pub use model_change::{LackingNote, ModelVectors, UncountedChunk};
pub use note_changes::{
    BYTES_MOST as NOTE_CHANGES_BYTES, CHANGES_OF_NOTE, ChangedTexts, NoteChange,
};
pub use observations::{NewObservation, Observations, StoredObservation};
pub use past::logs::ReadLog;
pub use past::page::{PastCounts, PastKey, PastSession, PastWanted};
pub use past::{Kept, NewPast, StoredPast};
pub use presets::StoredPreset;
pub use problems::{Severity, StoredProblem};
pub use query_sets::{NewSet, StoredSet};
pub use records::{Records, Span};
pub use repair::{ExportedMade, Repaired};
pub use rest::{Forgetting, Rested, Unrest};
pub use runs::StoredRun;
pub use score_cache::{CacheLimits, CachedScore, RerankCall, ScoreCache};
pub use sightings::Sighting;
pub use snapshot::{
    AlteredDocument, ChunkRow, DocumentBlock, DocumentRow, Documents, Snapshot, WindowRow,
};
pub use store::{DatabaseFile, DocumentId, Store, copies, n_bytes};
pub use versions::{FirstSight, Version, WordSet};
