//! The records that OpenViking compares a question with.

use super::tokens::{beginning, estimate};
use crate::AgentNote;

/// How many tokens of a file are embedded, and what is put behind one that is cut.
const EMBEDDED_TOKENS: u32 = 4096;
const EMBEDDED_CUT: &str = "\n...(truncated for embedding)";
/// Below which address imported notes lie.
const RESOURCES: &str = "viking://resources";

/// One record: a file, or what is known of a folder.
#[derive(Debug, Clone)]
pub struct Record {
    /// The text that is embedded, by its path; its time is that of the record.
    pub note: AgentNote,
    /// Its address, which the abstract and the overview of a folder share.
    pub uri: String,
    /// What it is.
    pub level: Level,
    /// Which of OpenViking's lists it is returned in.
    pub kind: Kind,
    /// The summary that its reranker reads; blank where no model wrote one.
    pub summary: String,
    /// Whether it tells of an event, which fades.
    pub is_event: bool,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The abstract of a folder, L0.
    Abstract,
    /// The overview of a folder, L1.
    Overview,
    /// A file, L2.
    File,
}

impl Level {
    /// What is put behind the address of a folder.
    pub fn suffix(self) -> &'static str {
        match self {
            Level::Abstract => "/.abstract.md",
            Level::Overview => "/.overview.md",
            Level::File => "",
        }
    }
}

/// Which list a record is returned in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memories.
    Memory,
    /// Resources.
    Resource,
    /// Skills.
    Skill,
}

impl Record {
    /// An imported note, whose file stands in a folder of its own; without a summary.
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

    /// Whether it lies in a folder, or is what is known of it.
    pub fn is_under(&self, target: &str) -> bool {
        let target = target.trim_end_matches('/');
        let below = self.uri.strip_prefix(target);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// A file as it is embedded.
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
