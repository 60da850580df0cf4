//! How often a note failed by itself, while others did not.

use std::collections::HashMap;

use memlens_store::FolderId;

/// A note that failed so often is skipped until something happens to it, or its folder is walked again.
pub(super) const TRIES_MAX: u32 = 3;

/// Counts the failures of single notes.
#[derive(Default)]
pub(super) struct Tries {
    notes: HashMap<(FolderId, String), Failed>,
    /// How many notes were saved so far.
    n_saved: u64,
}

#[derive(Default)]
struct Failed {
    n_tries: u32,
    /// How many notes had been saved when it could not be for the first time.
    n_saved: u64,
}

impl Tries {
    /// Counts a failure that is the note's own. Returns whether it was the last try.
    pub(super) fn fail(&mut self, folder: FolderId, path: &str) -> bool {
        let key = (folder, path.to_owned());
        let failed = self.notes.entry(key).or_default();
        failed.n_tries = (failed.n_tries + 1) % TRIES_MAX;
        failed.n_tries == 0
    }

    /// Notes that a note cannot be saved, `n_just_saved` others having been saved beside it. Returns whether that is its
    /// own failure: others could be saved since it first failed.
    pub(super) fn refuse(&mut self, folder: FolderId, path: &str, n_just_saved: u64) -> bool {
        let before = self.n_saved - n_just_saved;
        let key = (folder, path.to_owned());
        let failed = self.notes.entry(key).or_insert(Failed {
            n_tries: 0,
            n_saved: before,
        });
        self.n_saved > failed.n_saved
    }

    /// Counts notes that were saved.
    pub(super) fn saved(&mut self, n_notes: u64) {
        self.n_saved += n_notes;
    }

    /// Begins anew, since nothing waits any more.
    pub(super) fn clear(&mut self) {
        self.notes.clear();
    }
}
