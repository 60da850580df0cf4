//! What a person is told of the work: plain data, as the window takes it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use specta::Type;

/// How a folder fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FolderStatus {
    /// Changes are seen as they happen.
    Watching,
    /// Changes are looked for now and then.
    Polling,
    /// Changes are left alone.
    Paused,
    /// The folder or its disk is not there; its notes stay in the library, and Memlens watches it again once it is back.
    Missing,
    /// It is not watched yet, or not by this process: only searched.
    Waiting,
}

/// How far indexing is.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Progress {
    /// Files done.
    pub n_done: u32,
    /// Files to do, those done included.
    pub n_total: u32,
    /// How much of all bytes is done, those of the file at hand included, in `[0, 1]`.
    pub share: f64,
    /// The file at hand.
    pub file: Option<String>,
    /// How long it may still take; none until that can be told.
    pub seconds_left: Option<u32>,
}

/// Whether indexing goes on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IndexingPhase {
    /// What there is to do is done.
    #[default]
    Working,
    /// The person paused it, and it goes on when the person says so.
    Paused,
    /// It failed, and tries again by itself.
    Failed {
        /// Why.
        why: String,
        /// How often it has failed since it last worked, at least 1.
        n_tries: u32,
        /// How many seconds pass until the next try.
        retry_s: u32,
    },
}

/// How far a folder has been walked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Scanning {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The files found so far; how many there are is not known before the end.
    pub n_files: u32,
}

/// What happened to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// It is new.
    Added,
    /// Its content changed.
    Changed,
    /// It has another path.
    Renamed,
    /// It is gone.
    Deleted,
    /// It could not be read.
    Skipped,
    /// A whole folder is not there any more; its notes stay in the library.
    Away,
    /// A whole folder is there again.
    Back,
    /// Answers to past questions lost it.
    Lost,
}

/// One thing that happened in a watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Activity {
    /// When, milliseconds since 1970.
    pub at_ms: f64,
    /// The folder's name.
    pub folder_name: String,
    /// The note's path; the folder's own where it is about that.
    pub path: String,
    /// What happened.
    pub what: Happening,
    /// More about it.
    pub detail: Option<String>,
}

impl Activity {
    /// What happens now.
    pub fn now(
        folder_name: String,
        path: String,
        what: Happening,
        detail: Option<String>,
    ) -> Activity {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Activity {
            at_ms: since.as_millis() as f64,
            folder_name,
            path,
            what,
            detail,
        }
    }
}
