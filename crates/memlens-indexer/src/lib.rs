//! The writing side of a library: watched folders, what changed in them, and the lists derived from it.
//!
//! [`Indexer`] is the only writer; each step handles one file. [`Writer`] is the thread that runs it and watches the
//! folders. It knows readers only through [`Session`], and records its state in [`Work`]. [`Derived`] holds both lists
//! and keeps them up to date with the store.
//!
//! This crate answers no question and does not know ranking, the window or the command line. It is the only crate that
//! uses notify.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use memlens_embed::Hashing;
//! use memlens_indexer::Indexer;
//!
//! let notes = tempfile::tempdir()?;
//! let data = tempfile::tempdir()?;
//! std::fs::write(notes.path().join("router.md"), "The router stands in the hall.")?;
//!
//! let (mut indexer, _) = Indexer::open(data.path(), Box::new(Hashing::default()))?;
//! let folder = indexer.add_folder(notes.path())?;
//! let go_on = AtomicBool::new(false);
//! indexer.scan(&folder, &go_on)?;
//! indexer.run(&go_on, &mut ())?;
//! assert_eq!(indexer.counts().n_added, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod derived;
mod error;
mod indexer;
mod mounts;
mod phase;
mod stamp;
mod status;
mod watch;
mod work;
mod writer;

pub use derived::{Derived, Opened};
pub use error::IndexerError;
pub use indexer::{ChangeStep, Counts, Indexer, Observer, Step, refuse_library_among};
pub use status::{
    Activity, FolderStatus, Happening, IndexingPhase, ModelChanging, Progress, Scanning,
};
pub use watch::Watching;
pub use work::Work;
pub use writer::{Session, Unreadable, Writer};
