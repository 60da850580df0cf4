//! The records with which OpenViking compares a question.

use super::tokens::{beginning, estimate};
use crate::AgentNote;

/// Maximum number of tokens of a file that are embedded, and the suffix of a file that is cut.
const EMBEDDED_TOKENS: u32 = 4096;
const EMBEDDED_CUT: &str = "\n...(truncated for embedding)";
/// The address below which imported notes are.
const RESOURCES: &str = "viking://resources";

/// One record: a file, or the abstract or overview of a folder.
#[derive(Debug, Clone)]
pub struct Record {
    /// The text that is embedded, with its path and time.
    pub note: AgentNote,
    /// Its address, which the abstract and the overview of a folder share.
    pub uri: String,
    /// File, abstract or overview of a folder.
    pub level: Level,
    /// The list of OpenViking in which it is returned.
    pub kind: Kind,
    /// The summary that its reranker reads; blank if no model wrote one.
    pub summary: String,
    /// Whether it describes an event, which fades.
    pub is_event: bool,
}

/// Level of detail of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The abstract of a folder (L0).
    Abstract,
    /// The overview of a folder (L1).
    Overview,
    /// The text of a file (L2).
    File,
}

impl Level {
    /// Returns the suffix of a folder's address.
    pub fn suffix(self) -> &'static str {
        match self {
            Level::Abstract => "/.abstract.md",
            Level::Overview => "/.overview.md",
            Level::File => "",
        }
    }
}

/// The list in which a record is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Returned in its list of memories.
    Memory,
    /// Returned in its list of resources.
    Resource,
    /// Returned in its list of skills.
    Skill,
}

impl Record {
    /// Returns the record of an imported note, whose file has a folder of its own; without a summary.
    pub fn of_note(note: AgentNote) -> Record {
        let stem = note.path.strip_suffix(".md").unwrap_or(&note.path);
        let name = note.path.rsplit('/').next().unwrap_or(&note.path);
        Record {
            uri: format!("{RESOURCES}/{stem}/{name}"),
            level: Level::File,
            kind: Kind::Resource,
            summary: String::new(),
            is_event: false,
            note,
        }
    }

    /// Returns whether it is in a folder, or describes that folder.
    pub fn is_under(&self, target: &str) -> bool {
        let target = target.trim_end_matches('/');
        let below = self.uri.strip_prefix(target);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns a file's text as it is embedded.
pub fn embedded(text: &str) -> String {
    if estimate(text) <= EMBEDDED_TOKENS {
        text.to_owned()
    } else {
        beginning(text, EMBEDDED_TOKENS) + EMBEDDED_CUT
    }
}

#[cfg(test)]
mod tests {
    use super::embedded;

    #[test]
    fn a_long_file_is_embedded_by_its_beginning() {
        let fits = "word ".repeat(4096 * 4 / 5);
        assert_eq!(embedded(&fits), fits);
        let cut = embedded(&"x".repeat(20_000));
        assert_eq!(cut.len(), 4096 * 4 + "\n...(truncated for embedding)".len());
    }
}
