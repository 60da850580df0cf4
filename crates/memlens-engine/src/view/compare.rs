//! Two rankings of one question side by side.

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
