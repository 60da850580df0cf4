//! Counts how often a note failed while others did not.

use std::collections::HashMap;

use memlens_store::FolderId;

/// After this many failures a note is skipped until it changes or its folder is walked again.
pub(super) const TRIES_MAX: u32 = 3;

/// Counts the failures of single notes.
#[derive(Default)]
pub(super) struct Tries {
    notes: HashMap<(FolderId, String), Failed>,
    /// Number of notes saved so far.
    n_saved: u64,
}

#[derive(Default)]
struct Failed {
    n_tries: u32,
    /// The value of `n_saved` before the note failed for the first time.
    n_saved: u64,
}

impl Tries {
    /// Counts a failure of the note itself. Returns whether that was the last attempt.
    pub(super) fn fail(&mut self, folder: FolderId, path: &str) -> bool {
        let key = (folder, path.to_owned());
        let failed = self.notes.entry(key).or_default();
        failed.n_tries = (failed.n_tries + 1) % TRIES_MAX;
        failed.n_tries == 0
    }

    /// Records that a note could not be saved, while `n_just_saved` others were. Returns whether the note itself is the
    /// cause: others have been saved since it first failed.
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

    /// Resets the failures, because nothing is pending any more.
    pub(super) fn clear(&mut self) {
        self.notes.clear();
    }
}
