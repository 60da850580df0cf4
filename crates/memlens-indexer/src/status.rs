//! State of the indexing that is shown to the user, as plain data for the window.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use specta::Type;

/// The state of a watched folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FolderStatus {
    /// Changes are reported by the system as they happen.
    Watching,
    /// The folder is walked every few seconds to find changes.
    Polling,
    /// The user paused the folder; changes are ignored.
    Paused,
    /// The folder or its disk is missing. Its notes stay in the library, and Memlens watches it again once it is back.
    Missing,
    /// The folder is not watched yet, or not by this process: it can only be searched.
    Waiting,
}

/// Progress of indexing all watched folders.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Progress {
    /// Number of files that are done.
    pub n_done: u32,
    /// Number of files to do, including those that are done.
    pub n_total: u32,
    /// The share of all bytes that is done, including those of the current file, in `[0, 1]`.
    pub share: f64,
    /// The path of the current file.
    pub file: Option<String>,
    /// Estimated seconds left; `None` until there is an estimate.
    pub seconds_left: Option<u32>,
}

/// Progress of embedding all notes by another model, while the notes are searched by the one in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelChanging {
    /// Id of the new model.
    pub model: String,
    /// Name of the new model on screen.
    pub model_name: String,
    /// Number of texts that are embedded by it.
    pub n_done: u32,
    /// Number of texts in use, each counted once; 0 before they were counted.
    pub n_total: u32,
    /// Estimated seconds left; `None` until there is an estimate.
    pub seconds_left: Option<u32>,
    /// The note that cannot be read now, and why, if the change waits for one.
    pub waits_for: Option<String>,
}

/// Whether indexing is working, paused or failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IndexingPhase {
    /// Indexing works, or has nothing to do.
    #[default]
    Working,
    /// The user paused indexing, and it continues when the user resumes it.
    Paused,
    /// Indexing failed, and is retried automatically.
    Failed {
        /// The error message of the failure.
        why: String,
        /// Number of failures since it last worked, at least 1.
        n_tries: u32,
        /// Seconds until the next attempt.
        retry_s: u32,
    },
}

/// The progress of walking a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Scanning {
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder on screen.
    pub folder_name: String,
    /// Number of files found so far; the total is not known before the end.
    pub n_files: u32,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// The note is new in the library.
    Added,
    /// The content of the note changed.
    Changed,
    /// The note has another path.
    Renamed,
    /// The file of the note was deleted.
    Deleted,
    /// The note could not be read.
    Skipped,
    /// A whole folder is missing; its notes stay in the library.
    Away,
    /// A whole folder is back.
    Back,
    /// Answers to past questions lost the note.
    Lost,
}

/// An event in a watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Activity {
    /// Time of the event in milliseconds since 1970.
    pub at_ms: f64,
    /// Name of the watched folder on screen.
    pub folder_name: String,
    /// The note's path, or the folder's path if the event concerns the folder.
    pub path: String,
    /// What happened to the note or folder.
    pub what: Happening,
    /// Further details of the event.
    pub detail: Option<String>,
}

impl Activity {
    /// Returns an event that happens now.
    pub fn now(
        folder_name: String,
        path: String,
        what: Happening,
        detail: Option<String>,
    ) -> Activity {
        Activity {
            at_ms: now_ms() as f64,
            folder_name,
            path,
            what,
            detail,
        }
    }
}

/// The time, milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
