//! Queries, the judgments of their answers, and sets of them.

use serde::{Deserialize, Serialize};

/// A range of lines in a note, 1-based, including both ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The note's path, relative to the query set's folder.
    pub path: String,
    /// First line of the range.
    pub start_line: u32,
    /// Last line; [`Place::LAST`] for the whole note.
    pub end_line: u32,
}

impl Place {
    /// More lines than any note has.
    pub const LAST: u32 = u32::MAX;

    /// Returns the place of a whole note.
    pub fn whole(path: impl Into<String>) -> Place {
        Place::new(path, 1, Place::LAST)
    }

    /// Returns whether it is a whole note.
    pub fn is_whole(&self) -> bool {
        (self.start_line, self.end_line) == (1, Place::LAST)
    }

    /// Returns the place of a range of lines.
    pub fn new(path: impl Into<String>, start_line: u32, end_line: u32) -> Place {
        Place {
            path: path.into(),
            start_line,
            end_line,
        }
    }

    /// Returns whether both share a line of the same note.
    pub fn overlaps(&self, other: &Place) -> bool {
        self.path == other.path
            && self.start_line <= other.end_line
            && self.end_line >= other.start_line
    }
}

/// A query, judged or not yet judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Identifies the query in runs.
    pub id: String,
    /// The text of the question.
    pub query: String,
    /// The places of the answer; empty if nothing should be found, `None` if it has not been judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant: Option<Vec<Place>>,
    /// The category of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The sub-folder that is searched; `None` for everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// The judgment of a query's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgment<'a> {
    /// Not judged; left out of every metric.
    Unjudged,
    /// Nothing should be found; counts only in [`crate::Nonsense`].
    Nonsense,
    /// The places of the answer; never empty.
    Gold(&'a [Place]),
}

impl Query {
    /// Returns the judgment of its answer.
    pub fn judgment(&self) -> Judgment<'_> {
        match self.relevant.as_deref() {
            None => Judgment::Unjudged,
            Some([]) => Judgment::Nonsense,
            Some(gold) => Judgment::Gold(gold),
        }
    }

    /// Returns the places of its answer; `None` if there are none or it was not judged.
    pub fn gold(&self) -> Option<&[Place]> {
        self.relevant.as_deref().filter(|gold| !gold.is_empty())
    }
}

/// A line that is not a valid query, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Number of the line, 1-based.
    pub line: u32,
    /// Why it was left out.
    pub why: String,
}

/// A set of judged or unjudged queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuerySet {
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Lines that were left out.
    pub bad_lines: Vec<BadLine>,
    /// Whether its paths are document ids: each matches the note whose path ends with it.
    pub has_document_ids: bool,
}
