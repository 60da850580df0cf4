//! Two rankings side by side, of one question or over a query set.

use std::collections::BTreeMap;

use memlens_eval::{Nonsense, Scores, Summary, WinLoss};
use serde::Serialize;
use specta::Type;

/// Two rankings, A and B.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Comparison {
    /// The first.
    pub a: ComparedSide,
    /// The second.
    pub b: ComparedSide,
    /// Rows that both keep.
    pub n_both: u32,
    /// Rows that only B keeps.
    pub n_entered: u32,
    /// Rows that only A keeps.
    pub n_left: u32,
    /// Rank-biased overlap of what both keep, p 0.9, in `[0, 1]`.
    pub overlap: f64,
}

/// One of two rankings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ComparedSide {
    /// The pipeline's name on screen.
    pub label: String,
    /// How many rows got a score.
    pub n_ranked: u32,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// The kept rows, best first, then the dropped ones nearest to them.
    pub rows: Vec<ComparedRow>,
}

/// A row of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ComparedRow {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path in it.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Who says it.
    pub source: String,
    /// Its best passage.
    pub text: String,
    /// The 1-based rank; none when dropped.
    pub rank: Option<u32>,
    /// The last score.
    pub score: Option<f64>,
    /// Why it was dropped.
    pub reason: Option<String>,
    /// The 0-based place among the other side's rows of the row that overlaps it; none where none does.
    pub other: Option<u32>,
}

/// Two rankings, A and B, over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetComparison {
    /// The query set's file.
    pub queries: String,
    /// How many of its queries have an answer; at least 1.
    pub n_queries: u32,
    /// The first.
    pub a: SetSide,
    /// The second.
    pub b: SetSide,
    /// The mean overlap of both lists.
    pub overlap: f64,
    /// How nDCG@10 changes in each category.
    pub by_category: BTreeMap<String, Change>,
    /// How it changes over all queries.
    pub all: Change,
    /// Each query that has an answer, in the order of the file.
    pub per_query: Vec<QueryChange>,
    /// What a person should be told.
    pub notices: Vec<String>,
}

/// One of two rankings over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetSide {
    /// As a person names it.
    pub named: String,
    /// The pipeline's id.
    pub pipeline: &'static str,
    /// The means of its metrics.
    pub all: Summary,
    /// Questions to which nothing should be found.
    pub nonsense: Nonsense,
}

/// How nDCG@10 changes from A to B.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct Change {
    /// Over how many queries.
    pub n: u32,
    /// Its mean of A.
    pub a: f64,
    /// Its mean of B.
    pub b: f64,
    /// How many queries B answers better, as well, and worse.
    #[serde(flatten)]
    pub outcome: WinLoss,
}

/// What becomes of one query.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryChange {
    /// Its name in the file.
    pub id: String,
    /// The question.
    pub query: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// Where alone it was asked; none for all notes.
    pub scope: Option<QueryScope>,
    /// How A answers it.
    pub a: Scores,
    /// How B does.
    pub b: Scores,
    /// The overlap of both lists.
    pub overlap: f64,
}

/// The part of the library that a query is asked of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct QueryScope {
    /// The watched folder's id.
    pub folder: String,
    /// The path in it.
    pub path: String,
}

/// A query set that was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ChosenQueries {
    /// Its file.
    pub path: String,
    /// How many judged queries it holds.
    pub n_queries: u32,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// How far a comparison over a query set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct QuerySetProgress {
    /// How many queries are done.
    pub n_done: u32,
    /// Of how many.
    pub n_all: u32,
}
