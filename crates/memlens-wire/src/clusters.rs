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
    /// The other observations, nearest to the representative first; the window lists none of them here.
    pub members: Vec<Said>,
    /// Number of other observations, also if `members` is cut.
    pub n_members: u32,
    /// Number of distinct sources in the cluster.
    pub n_sources: u32,
    /// The sources, by name.
    pub sources: Vec<String>,
    /// `YYYY-MM-DD`: the first day of an observation in it, of the record, the note or its path; `None` if no day is known.
    pub first_date: Option<String>,
    /// The last such day.
    pub last_date: Option<String>,
    /// Number of observations without a date, or with one of 1970 or of the future.
    pub n_undated: u32,
}

/// How many observations are joined at a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct AgreementStep {
    /// The value of the parameter: the greatest number of differing SimHash bits, or the least share of common words.
    pub limit: f64,
    /// Number of observations.
    pub n: u32,
}

/// An observation in an opened cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClusterMember {
    /// The observation, with its distance to the representative.
    pub said: Said,
    /// `YYYY-MM-DD`: of the record, the note or its path; `None` without a date, or if it is of 1970 or of the future.
    pub date: Option<String>,
    /// Number of SimHash bits in which it differs from the representative.
    pub bits: u32,
    /// The share of its words and the representative's that both have, 0 to 1.
    pub overlap: f64,
    /// Its text; words that the representative does not have are marked.
    pub parts: Vec<crate::MarkedText>,
    /// Words that only the representative has.
    pub missing: Vec<String>,
}

/// A statement and all that says the same.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OpenedCluster {
    /// Representative: highest weight, then oldest, then first.
    pub canonical: ClusterMember,
    /// The other observations, nearest to the representative first; at most 200.
    pub members: Vec<ClusterMember>,
    /// Number of other observations, also if `members` is cut; 0 if nothing else says the same.
    pub n_members: u32,
    /// Number of distinct sources.
    pub n_sources: u32,
    /// How many observations the cluster has at each limit of SimHash bits, from 0 bits on.
    pub by_bits: Vec<AgreementStep>,
    /// How many observations the cluster has at each limit of common words, from all words on.
    pub by_words: Vec<AgreementStep>,
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
    /// How many observations, of the folder or of all, agree with another one at each limit of SimHash bits, from 0 bits on.
    pub by_bits: Vec<AgreementStep>,
    /// How many agree with another one at each limit of common words, from all words on.
    pub by_words: Vec<AgreementStep>,
}

/// What the last pass over all observations found.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ClustersAnswer {
    /// Clusters, cut to the first ones and without their members; `None` before the first pass.
    pub report: Option<ClusterReport>,
    /// Number of observations in the library now.
    pub n_observations: u32,
    /// Whether anything changed since the pass.
    pub is_stale: bool,
}
