//! View types of statements that occur more than once.

use memlens_params::AgreementMeasure;
use serde::Serialize;
use specta::Type;

/// One observation with its place, as a supporter of another or a member of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Said {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// First line of the observation, 1-based.
    pub line: u32,
    /// Last line of the observation, 1-based.
    pub end_line: u32,
    /// What the observation says, as text.
    pub text: String,
    /// Source of the note: its agent or folder.
    pub source: String,
    /// Distance to the observation it supports or is grouped with: differing SimHash bits, or 1 minus the share of
    /// common words.
    pub distance: f64,
    /// How that distance was measured.
    pub measure: AgreementMeasure,
}

/// Observations that say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SaidCluster {
    /// Representative: highest weight, then oldest, then first.
    pub canonical: Said,
    /// The other observations, nearest to the representative first.
    pub members: Vec<Said>,
    /// Number of other observations, also if `members` is cut.
    pub n_members: u32,
    /// Number of distinct sources in the cluster.
    pub n_sources: u32,
}

/// The answer to "what is said more than once?".
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClusterReport {
    /// The clusters: those of most sources first, then of most wordings, then of most observations; ties by the first
    /// member's place.
    pub clusters: Vec<SaidCluster>,
    /// Number of clusters, also if `clusters` is cut.
    pub n_clusters: u32,
    /// Number of observations in any cluster.
    pub corroborated_count: u32,
    /// Number of observations in the library.
    pub n_observations: u32,
    /// Number of observations that are boilerplate and agree with nothing: licence notices, release headers, and lines
    /// that occur word for word in ten or more notes on different topics.
    pub n_boilerplate: u32,
    /// Duration of the pass in milliseconds.
    pub elapsed_ms: f64,
}

/// What the last pass over all observations found.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClustersAnswer {
    /// Clusters, cut to the first ones and each to its nearest members; `None` before the first pass.
    pub report: Option<ClusterReport>,
    /// Number of observations in the library now.
    pub n_observations: u32,
    /// Whether anything changed since the pass.
    pub is_stale: bool,
}
