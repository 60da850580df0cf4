//! View types of Memlens as a server of tools in agents' configs.

use serde::Serialize;
use specta::Type;

/// An agent whose config can name Memlens as a server of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ToolServer {
    /// Id of the agent.
    pub agent: &'static str,
    /// Name of the agent on screen.
    pub name: &'static str,
    /// Version of the agent with which the form of the entry was checked.
    pub checked_version: &'static str,
    /// Path of the config, with `~` for the home folder.
    pub path: String,
    /// Keys that lead to the entry, joined by dots.
    pub key: String,
    /// When the agent uses a changed config.
    pub reload: &'static str,
    /// What the config holds.
    pub state: ToolServerState,
    /// Names of the watched folders that belong to the agent.
    pub folders: Vec<String>,
}

/// What an agent's config holds under Memlens's name.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolServerState {
    /// The agent was not used on this machine.
    NotFound,
    /// Nothing.
    NotConnected,
    /// An entry that starts Memlens.
    Connected {
        /// The command line that it starts.
        starts: String,
        /// Whether the program that it starts is there.
        is_there: bool,
        /// The choices that its command line makes.
        choice: ToolServerChoice,
        /// Its keys that Memlens does not write.
        other_keys: Vec<String>,
    },
    /// An entry that starts something else.
    Other {
        /// The program that it starts; `None` if it names none.
        command: Option<String>,
    },
    /// An entry in a file that the config includes.
    Included,
    /// The config cannot be read.
    Unreadable {
        /// The reason, for the user.
        why: String,
    },
}

/// What the user chooses for one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize, Type)]
pub struct ToolServerChoice {
    /// Whether all watched folders are served, and not the agent's own alone.
    pub all_folders: bool,
    /// Name of the preset in the library by which the agent's questions are ranked; `None` for another ranking.
    pub preset: Option<String>,
}

/// A config before and after an entry is added or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ToolServerChange {
    /// Number of this answer; only a change that was shown can be written.
    pub id: u32,
    /// Id of the agent.
    pub agent: &'static str,
    /// Path of the config, with `~` for the home folder.
    pub path: String,
    /// The change as a unified diff without texts and comments of others; empty if nothing changes.
    pub diff: String,
    /// The command line that the entry starts after the change; `None` if it is removed.
    pub starts: Option<String>,
    /// The command line of the entry that is there now; `None` if there is none.
    pub replaces: Option<String>,
    /// Keys of the entry that is there now that Memlens does not write.
    pub other_keys: Vec<String>,
    /// Whether the config does not exist yet.
    pub is_new: bool,
    /// Watched folder that contains the config; `None` if none does.
    pub watched: Option<String>,
}

/// A config with an entry added or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ToolServerWritten {
    /// Path of the config.
    pub path: String,
    /// Path of the backup beside it; `None` if there was no config before.
    pub backup: Option<String>,
}

/// The outcome of starting an entered command as its agent does, and asking it one question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct ToolServerTest {
    /// The command line that was started.
    pub starts: String,
    /// The question that was asked.
    pub query: String,
    /// Names of the tools that it offers.
    pub tools: Vec<String>,
    /// The results of `memory_search`, best first.
    pub results: Vec<ToolServerResult>,
    /// What the server reported with the results.
    pub notices: Vec<String>,
    /// Name of the ranking that answered; empty if there was no answer.
    pub pipeline: String,
    /// Time from the start to the list of tools, in milliseconds; `None` if there was none.
    pub start_ms: Option<f64>,
    /// Time of the search, in milliseconds; `None` if there was no answer.
    pub search_ms: Option<f64>,
    /// Why it failed; `None` if everything was answered.
    pub error: Option<String>,
}

/// A result of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ToolServerResult {
    /// Path of the note, as the agent gets it.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Score; `None` if the ranking gives none.
    pub score: Option<f64>,
}
