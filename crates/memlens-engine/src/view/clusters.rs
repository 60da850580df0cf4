//! What is said more than once, as the window is told.

use memlens_params::AgreementMeasure;
use serde::Serialize;
use specta::Type;

/// One observation with its place, as a supporter of another or a member of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Said {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path in it.
    pub path: String,
    /// First line, 1-based.
    pub line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// What it says.
    pub text: String,
    /// Who says it.
    pub source: String,
    /// How far it is from the one it stands beside: differing SimHash bits, or 1 less the share of
    /// common words.
    pub distance: f64,
    /// By what that is measured.
    pub measure: AgreementMeasure,
}

/// Observations that say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SaidCluster {
    /// The one that speaks for all: of the highest weight, then the oldest, then the first.
    pub canonical: Said,
    /// The others, nearest to it first.
    pub members: Vec<Said>,
    /// How many others there are, also where not all are told.
    pub n_members: u32,
    /// How many distinct sources say it.
    pub n_sources: u32,
}

/// The answer to "what is said more than once?".
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClusterReport {
    /// The clusters: what most sources say first, then what is said in most wordings, then most often; ties by the first
    /// member's place.
    pub clusters: Vec<SaidCluster>,
    /// How many clusters there are, also where not all are told.
    pub n_clusters: u32,
    /// How many observations stand in a cluster.
    pub corroborated_count: u32,
    /// How many there are.
    pub n_observations: u32,
    /// How many of them are boilerplate, which agrees with nothing: notices of licences, heads of releases, and lines that
    /// stand word for word in ten or more notes of unlike topics.
    pub n_boilerplate: u32,
    /// How long the pass took.
    pub elapsed_ms: f64,
}

/// What the last pass over all observations found.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClustersAnswer {
    /// Its clusters, cut to the first and each to its nearest; none before the first pass.
    pub report: Option<ClusterReport>,
    /// How many observations the library holds now.
    pub n_observations: u32,
    /// Whether anything changed since the pass.
    pub is_stale: bool,
}
