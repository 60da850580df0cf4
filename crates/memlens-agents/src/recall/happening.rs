//! Events in a log, the same for all agents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Used;
use super::among::Among;

/// Request of a memory tool's call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    Search {
        question: String,
        settings: BTreeMap<String, Value>,
        answer: Shape,
        /// Whether the question is a pattern for a searcher of files.
        is_pattern: bool,
    },
    Open(Vec<Used>),
    /// To open some of the notes that patterns name.
    OpenAmong(Vec<Among>),
}

/// Form of a search's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shape {
    /// Results that name their paths.
    Results,
    /// Output of a file searcher: the lines found below a folder, or in a file.
    Found {
        place: String,
        /// Folder in which the searcher ran, if its results are relative to it.
        from: Option<String>,
        output: Output,
    },
}

/// Which part of a searcher's results its output shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Output {
    Lines,
    /// Names of files only, or counts beside them.
    Names,
    /// Nothing that can be parsed, since another command changed it.
    Changed,
}

/// Answer of a tool: the parts that may contain its results, likeliest first.
pub(super) struct Answer<'v> {
    pub parts: Vec<&'v Value>,
    pub is_error: bool,
}
