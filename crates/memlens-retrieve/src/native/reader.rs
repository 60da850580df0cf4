//! The connection by which a library is read, one reader at a time.

use memlens_store::Store;
use parking_lot::{Mutex, MutexGuard};

/// A connection that several hold.
pub struct StoreReader(Mutex<Store>);

impl StoreReader {
    /// A connection to be shared.
    pub fn new(store: Store) -> StoreReader {
        StoreReader(Mutex::new(store))
    }

    /// The store, to read; whoever holds it keeps the others waiting.
    pub fn lock(&self) -> MutexGuard<'_, Store> {
        let mut store = self.0.lock();
        if let Err(error) = store.thaw() {
            // Whoever reads from it is told what is wrong.
            tracing::debug!(%error, "cannot open the library anew");
        }
        store
    }
}
