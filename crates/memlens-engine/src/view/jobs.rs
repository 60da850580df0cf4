//! Long jobs.

use memlens_rerank::DownloadProgress;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AutopsyProgress, EmulationProgress, QuerySetProgress, RecallProgress, TuneProgress};

/// The kinds of long jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Asking all past questions again.
    Replay,
    /// Reading agents' logs.
    Import,
    /// Two rankings over a query set.
    Compare,
    /// The search for the nearest setting of another program.
    Nearest,
    /// Measuring a query set, or tuning on it.
    Tune,
    /// Reading all files for a fact.
    Autopsy,
    /// Embedding the chunks of an emulated memory.
    Emulation,
    /// Downloading a model.
    Download,
}

/// The progress of a job; null while it is not known, and once the job is over.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "job", content = "progress", rename_all = "snake_case")]
pub enum JobProgress {
    /// Of a replay.
    Replay(Option<QuerySetProgress>),
    /// Of an import.
    Import(Option<RecallProgress>),
    /// Of a comparison over a query set.
    Compare(Option<QuerySetProgress>),
    /// Of the search for the nearest setting.
    Nearest(Option<QuerySetProgress>),
    /// Of measuring or tuning.
    Tune(Option<TuneProgress>),
    /// Of an autopsy that reads files.
    Autopsy(Option<AutopsyProgress>),
    /// Of embedding.
    Emulation(Option<EmulationProgress>),
    /// Of a download. Its end is reported too, and why it failed.
    Download(DownloadProgress),
}
