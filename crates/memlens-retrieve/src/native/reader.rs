//! A shared connection to a library, used by one reader at a time.

use memlens_store::Store;
use parking_lot::{Mutex, MutexGuard};

/// A connection that several owners share.
pub struct StoreReader(Mutex<Store>);

impl StoreReader {
    /// Wraps a connection, so that it can be shared.
    pub fn new(store: Store) -> StoreReader {
        StoreReader(Mutex::new(store))
    }

    /// Locks the store for reading. Other readers wait until the guard is dropped.
    pub fn lock(&self) -> MutexGuard<'_, Store> {
        let mut store = self.0.lock();
        if let Err(error) = store.refresh() {
            // The next query reports the error to the caller.
            tracing::debug!(%error, "cannot open the library again");
        }
        store
    }
}
