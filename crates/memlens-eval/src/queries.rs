//! Queries, what is known of their answers, and sets of them.

use serde::{Deserialize, Serialize};

/// A range of lines in a note, ends included, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The note's path, relative to the query set's folder.
    pub path: String,
    /// First line.
    pub start_line: u32,
    /// Last line; [`Place::LAST`] for the whole note.
    pub end_line: u32,
}

impl Place {
    /// No note has so many lines.
    pub const LAST: u32 = u32::MAX;

    /// A whole note.
    pub fn whole(path: impl Into<String>) -> Place {
        Place::new(path, 1, Place::LAST)
    }

    /// Whether it is a whole note.
    pub fn is_whole(&self) -> bool {
        (self.start_line, self.end_line) == (1, Place::LAST)
    }

    /// A range of lines.
    pub fn new(path: impl Into<String>, start_line: u32, end_line: u32) -> Place {
        Place {
            path: path.into(),
            start_line,
            end_line,
        }
    }

    /// Whether the two share a line of the same note.
    pub fn overlaps(&self, other: &Place) -> bool {
        self.path == other.path
            && self.start_line <= other.end_line
            && self.end_line >= other.start_line
    }
}

/// A query, judged or not yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Names it in runs.
    pub id: String,
    /// The question.
    pub query: String,
    /// Where the answer stands; empty where nothing should be found, none where nobody has judged it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant: Option<Vec<Place>>,
    /// What kind of question it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The sub-folder that it is asked of alone; none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// What is known of a query's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgment<'a> {
    /// Nobody has judged it: it is left out of every metric.
    Unjudged,
    /// Nothing should be found: it counts only in [`crate::Nonsense`].
    Nonsense,
    /// Where the answer stands; never empty.
    Gold(&'a [Place]),
}

impl Query {
    /// What is known of its answer.
    pub fn judgment(&self) -> Judgment<'_> {
        match self.relevant.as_deref() {
            None => Judgment::Unjudged,
            Some([]) => Judgment::Nonsense,
            Some(gold) => Judgment::Gold(gold),
        }
    }

    /// Where its answer stands; none where it has none or was not judged.
    pub fn gold(&self) -> Option<&[Place]> {
        self.relevant.as_deref().filter(|gold| !gold.is_empty())
    }
}

/// A line that is no query, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line, from 1.
    pub line: u32,
    /// Why it was left out.
    pub why: String,
}

/// A set of queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuerySet {
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Lines that were left out.
    pub bad_lines: Vec<BadLine>,
    /// Whether its paths are document ids: each names the note whose path ends with it.
    pub has_document_ids: bool,
}
