//! The look at the whole library, beside the thread that writes it.

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

/// A comparison of the library with what was saved, by a thread that ends with this value. It changes nothing: what is
/// damaged only the writer may mend.
pub(super) struct Checker {
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<bool, IndexerError>>>,
}

impl Checker {
    /// Starts to read the library in `dir`, whose vectors are of `dim` numbers.
    ///
    /// # Errors
    /// Where no thread can be started.
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

    /// Whether all is as it was saved; none while that is not known.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn found(&mut self) -> Option<Result<bool, IndexerError>> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        // What panics over it is not as it was saved; the panic has been reported by its own thread.
        Some(thread.join().unwrap_or(Ok(false)))
    }
}

impl Drop for Checker {
    /// Nobody waits for the thread, which only reads: it ends by itself soon.
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
