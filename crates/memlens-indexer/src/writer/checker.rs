//! Checks the whole library in a thread beside the one that writes.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use memlens_embed::lower_priority;
use memlens_index::{TextIndex, text_path};
use memlens_store::Store;

use crate::IndexerError;
use crate::derived::{check_vectors, to_rebuild};

/// A comparison of the library with what was saved, in its own thread, which ends when this is dropped. It changes
/// nothing; only the writer may repair damage.
pub(super) struct Checker {
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<bool, IndexerError>>>,
}

impl Checker {
    /// Starts to read the library in `dir`, whose vectors have dimension `dim`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(dir: &Path, dim: usize) -> io::Result<Checker> {
        let cancel = Arc::new(AtomicBool::new(false));
        let (dir, own_cancel) = (dir.to_owned(), cancel.clone());
        let thread = std::thread::Builder::new()
            .name("memlens-checker".to_owned())
            .spawn(move || {
                lower_priority();
                is_sound(&dir, dim, &own_cancel)
            })?;
        Ok(Checker {
            cancel,
            thread: Some(thread),
        })
    }

    /// Returns whether everything is as it was saved; `None` while that is not known.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub fn found(&mut self) -> Option<Result<bool, IndexerError>> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        // Data that causes a panic counts as damaged; the panic has been reported already.
        Some(thread.join().unwrap_or(Ok(false)))
    }
}

impl Drop for Checker {
    /// Does not wait for the thread, which only reads and ends soon.
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

fn is_sound(dir: &Path, dim: usize, cancel: &AtomicBool) -> Result<bool, IndexerError> {
    let store = Store::open_read_only(dir)?;
    Ok(store.is_as_saved(dim, cancel)?
        && to_rebuild(TextIndex::open(&text_path(dir)))?.is_ok()
        && matches!(check_vectors(dir, cancel)?, Ok(true)))
}
