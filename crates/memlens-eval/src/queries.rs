//! Query sets as they stand in `queries.jsonl`.

use serde::{Deserialize, Serialize};

/// A range of lines in a note, ends included, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The note's path, relative to the query set's folder.
    pub path: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

impl Place {
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
#[derive(Debug, Clone, PartialEq)]
pub struct QuerySet {
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Lines that were left out.
    pub bad_lines: Vec<BadLine>,
}

impl QuerySet {
    /// Reads a query set in UTF-8; empty lines are skipped, broken ones named and left out.
    pub fn parse(bytes: &[u8]) -> QuerySet {
        let mut set = QuerySet {
            queries: Vec::new(),
            bad_lines: Vec::new(),
        };
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let lines = bytes.split(|byte| *byte == b'\n');
        for (line, text) in (1..)
            .zip(lines)
            .filter(|(_, text)| !text.trim_ascii().is_empty())
        {
            match query(text) {
                Ok(query) => set.queries.push(query),
                Err(why) => set.bad_lines.push(BadLine { line, why }),
            }
        }
        set
    }
}

fn query(line: &[u8]) -> Result<Query, String> {
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let query: Query =
        serde_json::from_str(line).map_err(|error| without_place(&error.to_string()).to_owned())?;
    if query.query.trim().is_empty() {
        return Err("its query is empty".to_owned());
    }
    Ok(query)
}

/// What an error says without its line and column, which it counts from the beginning of the one line it was given.
fn without_place(error: &str) -> &str {
    error
        .rsplit_once(" at line ")
        .map_or(error, |(said, _)| said)
}
/// Queries as `queries.jsonl`, in their order.
pub fn to_jsonl(queries: &[Query]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for query in queries {
        serde_json::to_writer(&mut bytes, query).expect("plain data can always be written as JSON");
        bytes.push(b'\n');
    }
    bytes
}
