//! The one way in which actions of the user change a library.
//!
//! Each action is one function in `acts` of `memlens-engine`, generic over [`Writes`]. The window calls it with its `Engine`, the
//! command line with [`Library::to_write`].

use memlens_store::Store;
use parking_lot::Mutex;

use crate::{EngineError, Library};

/// Writes what the user changes.
pub trait Writes {
    /// The library, opened for reading.
    fn library(&self) -> &Library;

    /// Makes a change in the database. The caller reads texts, files and lists beforehand, because this blocks other writers.
    ///
    /// # Errors
    /// Those of `change`. [`EngineError::Indexer`] for a window that may only read; for the command line
    /// [`memlens_store::StoreError::Locked`] while another process writes.
    fn write<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, EngineError>,
    ) -> Result<T, EngineError>;

    /// Fails if nothing can be written. On the command line it takes the write lock, so that no other process changes what is read
    /// from now on.
    ///
    /// # Errors
    /// As [`Writes::write`].
    fn begin(&self) -> Result<(), EngineError> {
        self.write(|_| Ok(()))
    }

    /// Called after past questions were deleted. A window drops what it reported of them.
    fn past_deleted(&self) {}

    /// Called after the user chose an embedding model. A window embeds the notes by it in the background.
    fn model_chosen(&self) {}

    /// Called after the pairs of opposite words were changed. A window compares the notes again in the background.
    fn oppositions_changed(&self) {}

    /// Called after the model of the second opinion was chosen. A window asks it in the background.
    fn second_opinion_chosen(&self) {}

    /// Called after past questions were imported. A window checks them in the background.
    fn past_imported(&self) {}
}

/// Writes to a library that no other process writes to; made by [`Library::to_write`].
pub struct Writing<'a> {
    library: &'a Library,
    /// `None` before the first change, so that other processes may write until then.
    store: Mutex<Option<Store>>,
}

impl Library {
    /// Returns what actions of the user write with. It takes the library's write lock at the first change and holds it until dropped.
    /// An `Engine` writes itself, so this is for a library that no engine of this process has open.
    pub fn to_write(&self) -> Writing<'_> {
        Writing {
            library: self,
            store: Mutex::default(),
        }
    }
}

impl Writes for Writing<'_> {
    fn library(&self) -> &Library {
        self.library
    }

    fn write<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let dir = self.library.dir();
        let mut opened = self.store.lock();
        let store = match &mut *opened {
            Some(store) => store,
            none => {
                let store = Store::open(dir).map_err(|error| EngineError::from(error).at(dir))?;
                none.insert(store)
            }
        };
        change(store).map_err(|error| error.at(dir))
    }
}
