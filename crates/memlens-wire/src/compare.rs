//! Two rankings side by side, of one question or over a query set.

use std::collections::BTreeMap;

use memlens_eval::{Nonsense, Scores, Summary, WinLoss};
use serde::Serialize;
use specta::Type;

/// Two rankings of one question, A and B.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Comparison {
    /// The side of ranking A.
    pub a: ComparedSide,
    /// The side of ranking B.
    pub b: ComparedSide,
    /// Number of rows that both return.
    pub n_both: u32,
    /// Number of rows that only B returns.
    pub n_entered: u32,
    /// Number of rows that only A returns.
    pub n_left: u32,
    /// Rank-biased overlap of the returned rows of both, p 0.9, in `[0, 1]`.
    pub overlap: f64,
}

/// Result of one of two rankings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ComparedSide {
    /// Name of the pipeline on screen.
    pub label: String,
    /// Id of the model that embedded the notes; `None` if there are no notes, or it is not known.
    pub model: Option<String>,
    /// Number of rows that got a score.
    pub n_ranked: u32,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Returned rows, best first, followed by the dropped rows nearest to them.
    pub rows: Vec<ComparedRow>,
}

/// A row of one of two rankings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ComparedRow {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Agent or folder that is the source of the note.
    pub source: String,
    /// Best passage of the chunk's text.
    pub text: String,
    /// Rank of the row, 1-based; `None` if dropped.
    pub rank: Option<u32>,
    /// Score after the last scoring stage; `None` if it has none.
    pub score: Option<f64>,
    /// Reason why the row was dropped; `None` if it was returned.
    pub reason: Option<String>,
    /// Stage that put the row below one with a lower score; `None` if its place follows from the scores.
    pub put_below_by: Option<String>,
    /// 0-based index of the overlapping row on the other side; `None` if no row overlaps.
    pub other: Option<u32>,
}

/// Two rankings over a query set, A and B.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetComparison {
    /// Name of the query set, or path of its file.
    pub queries: String,
    /// Number of judged queries that were compared, at least 1.
    pub n_queries: u32,
    /// Metrics of ranking A over the set.
    pub a: SetSide,
    /// Metrics of ranking B over the set.
    pub b: SetSide,
    /// Mean rank-biased overlap of both rankings, in `[0, 1]`.
    pub overlap: f64,
    /// Change of nDCG@10 in each category.
    pub by_category: BTreeMap<String, Change>,
    /// Change of nDCG@10 over all queries.
    pub all: Change,
    /// What cannot be concluded from the change of nDCG@10; `None` if it is certain.
    pub verdict: Option<String>,
    /// Each query with an answer, in the order of the set.
    pub per_query: Vec<QueryChange>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

/// Metrics of one ranking over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetSide {
    /// The ranking as the user named it.
    pub named: String,
    /// Id of the pipeline that ranked.
    pub pipeline: &'static str,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed meanwhile; `None` if it is not known.
    pub model: Option<String>,
    /// Mean of each metric over the queries.
    pub all: Summary,
    /// Results of the questions that should return nothing.
    pub nonsense: Nonsense,
}

/// Change of nDCG@10 from A to B.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct Change {
    /// Number of queries behind the means.
    pub n: u32,
    /// Mean nDCG@10 of ranking A.
    pub a: f64,
    /// Mean nDCG@10 of ranking B.
    pub b: f64,
    /// Number of queries that B answers better, equally well and worse.
    #[serde(flatten)]
    pub outcome: WinLoss,
}

/// Result of one query under both rankings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryChange {
    /// Id of the query in its file.
    pub id: String,
    /// The question that was searched for.
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// Part of the library that was searched; `None` for all notes.
    pub scope: Option<QueryScope>,
    /// Metrics of the query under A.
    pub a: Scores,
    /// Metrics of the query under B.
    pub b: Scores,
    /// Rank-biased overlap of both rankings, in `[0, 1]`.
    pub overlap: f64,
}

/// Part of the library that a query is limited to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct QueryScope {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the sub-folder or note, relative to the watched folder.
    pub path: String,
}

/// Progress of a comparison over a query set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct QuerySetProgress {
    /// Number of queries that are done.
    pub n_done: u32,
    /// Number of queries to do.
    pub n_all: u32,
}
