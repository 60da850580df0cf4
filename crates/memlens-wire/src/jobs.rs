//! View types of long-running jobs.

use memlens_rerank::DownloadProgress;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{
    AggregationProgress, AutopsyProgress, EmulationProgress, LayoutProgress, QuerySetProgress,
    RecallProgress, TuneProgress,
};

/// Kind of a long-running job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Asks all past questions again.
    Replay,
    /// Imports questions from agents' logs.
    Import,
    /// Compares two rankings over a query set.
    Compare,
    /// Searches for the nearest settings of another program.
    Nearest,
    /// Measures a query set, or tunes on it.
    Tune,
    /// Searches all files for a fact.
    Autopsy,
    /// Embeds the chunks of an emulated memory.
    Emulation,
    /// Comparing all observations, for clusters and contradictions.
    Aggregation,
    /// Computing the map's layout by neighbours.
    Layout,
    /// Downloading a model.
    Download,
}

/// Progress of a job; null while it is not known, and once the job is over.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "job", content = "progress", rename_all = "snake_case")]
pub enum JobProgress {
    /// Progress of replaying past questions.
    Replay(Option<QuerySetProgress>),
    /// Progress of importing agents' logs.
    Import(Option<RecallProgress>),
    /// Progress of comparing over a query set.
    Compare(Option<QuerySetProgress>),
    /// Progress of the search for the nearest settings.
    Nearest(Option<QuerySetProgress>),
    /// Progress of measuring or tuning.
    Tune(Option<TuneProgress>),
    /// Progress of an autopsy that reads files.
    Autopsy(Option<AutopsyProgress>),
    /// Progress of embedding an emulated memory.
    Emulation(Option<EmulationProgress>),
    /// Of comparing all observations.
    Aggregation(Option<AggregationProgress>),
    /// Of computing the map's layout by neighbours.
    Layout(Option<LayoutProgress>),
    /// Of a download. Its end is reported too, and why it failed.
    Download(DownloadProgress),
}
