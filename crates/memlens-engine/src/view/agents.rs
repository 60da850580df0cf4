//! The agents of this machine, as the window is told.

use serde::Serialize;
use specta::Type;

/// What was found of the agents that Memlens knows.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentsView {
    /// Those of which something is there, in the order of every list.
    pub agents: Vec<AgentView>,
    /// The names of the others.
    pub not_found: Vec<String>,
    /// Every place that was looked at, with `~` for the home folder.
    pub places: Vec<String>,
    /// How long looking and counting took, in milliseconds.
    pub took_ms: f64,
}

/// One agent that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version, if one of its files tells it.
    pub version: Option<String>,
    /// How it finds its notes again, for a person.
    pub recall: String,
    /// What it loads when a session begins, for a person.
    pub loads: String,
    /// Its folders of notes.
    pub folders: Vec<AgentFolder>,
    /// The Markdown files in them; at least so many where `is_partial`.
    pub n_notes: u32,
    /// How many of them the agent's own search never finds; 0 if its rules are not known.
    pub n_unsearched: u32,
    /// When the newest of them was changed, milliseconds since 1970; none where there is none.
    pub newest_ms: Option<f64>,
    /// Whether there was no time to count all of them.
    pub is_partial: bool,
    /// Whether all of its folders are watched.
    pub is_watched: bool,
    /// What it loads of its files, up to its caps.
    pub loaded: Vec<LoadedFile>,
    /// Files that it would load and that do not exist, each with what follows, for the user.
    pub missing: Vec<String>,
    /// Settings that turn loading off or redirect it, for the user.
    pub switches: Vec<String>,
    /// Names of the instruction files that are read once the user watches the agent.
    pub instructions: Vec<String>,
    /// The version that Memlens's statements about it were checked against; empty if none.
    pub checked_version: String,
    /// What could not be read, for a person.
    pub problems: Vec<String>,
}

/// A folder of an agent's notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentFolder {
    /// Its absolute path.
    pub path: String,
    /// The path with `~` for the home folder.
    pub shown: String,
    /// Whether it is watched, itself or within another.
    pub is_watched: bool,
}

/// What a limit leaves out of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LoadCut {
    /// Nothing.
    None,
    /// The end.
    End,
    /// The middle.
    Middle,
    /// Some of several files, in part or whole.
    Files,
}

/// A file that an agent loads when a session begins, against one of its limits; or all of a folder's against theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LoadedFile {
    /// The agent's id.
    pub agent: String,
    /// Its name.
    pub agent_name: String,
    /// The absolute path of the file, or of the folder.
    pub path: String,
    /// The file's name; for a folder how all of its files are called together.
    pub name: String,
    /// The watched folder's id; none where the file is not watched.
    pub folder: Option<String>,
    /// The file's path in the watched folder.
    pub note: Option<String>,
    /// What is counted, for a person.
    pub unit: String,
    /// How many there are.
    pub used: u32,
    /// The limit; `None` if the file has none and is loaded whole.
    pub cap: Option<u32>,
    /// Whether text over the limit is left out. If not, the agent only refuses to add more.
    pub cuts: bool,
    /// Whether a total over several files lowered the limit.
    pub is_by_total: bool,
    /// What is left out by this limit.
    pub cut: LoadCut,
    /// The first line that is not loaded whole, of a file that is cut.
    pub cut_at_line: Option<u32>,
    /// The first line that is loaded again, of a file whose middle is cut.
    pub again_at_line: Option<u32>,
    /// First and last lines within the cut that are loaded as a digest.
    pub digest: Vec<(u32, u32)>,
    /// First and last lines of each entry that the agent blocks, with the patterns that it matches.
    pub blocked: Vec<(u32, u32, String)>,
    /// The file's lines.
    pub n_lines: u32,
    /// Files with entries: how many begin in what is cut, and how many there are.
    pub entries: Option<(u32, u32)>,
    /// The version of the agent that the limit was checked against; empty if none.
    pub version: String,
    /// Where the limit comes from, for the user.
    pub source: String,
}

/// The agent of a watched folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AgentName {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}
