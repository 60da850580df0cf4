//! View types of the agents on this machine.

use serde::Serialize;
use specta::Type;

/// Agents found on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentsView {
    /// Agents of which a file or folder exists, in the order of every list.
    pub agents: Vec<AgentView>,
    /// Names of the known agents that were not found.
    pub not_found: Vec<String>,
    /// Every path that was checked, with `~` for the home folder.
    pub places: Vec<String>,
    /// Time of the scan and the counting in milliseconds.
    pub took_ms: f64,
}

/// An agent that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentView {
    /// Id of the agent in the list of known agents.
    pub id: String,
    /// Name of the agent on screen.
    pub name: String,
    /// Version of the agent, if one of its files contains it.
    pub version: Option<String>,
    /// How the agent retrieves its notes, for the user.
    pub recall: String,
    /// What the agent loads when a session begins, for the user.
    pub loads: String,
    /// Folders that contain the agent's notes.
    pub folders: Vec<AgentFolder>,
    /// Number of Markdown files in these folders; a lower bound if `is_partial`.
    pub n_notes: u32,
    /// Number of these files that the agent's own search never finds; 0 if its rules are not known.
    pub n_unsearched: u32,
    /// Last modification of the newest file, milliseconds since 1970; `None` without files.
    pub newest_ms: Option<f64>,
    /// Whether the scan ran out of time before all files were counted.
    pub is_partial: bool,
    /// Whether all of its folders are watched.
    pub is_watched: bool,
    /// Files that the agent loads up to a limit.
    pub loaded: Vec<LoadedFile>,
    /// Files that the agent would load and that do not exist, each with the consequence, for the user.
    pub missing: Vec<String>,
    /// Settings that turn loading off or redirect it, for the user.
    pub switches: Vec<String>,
    /// Names of the instruction files that are read once the user watches the agent.
    pub instructions: Vec<String>,
    /// The version that Memlens's statements about it were checked against; empty if none.
    pub checked_version: String,
    /// What could not be read, for the user.
    pub problems: Vec<String>,
}

/// A folder of an agent's notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentFolder {
    /// Absolute path of the folder.
    pub path: String,
    /// The path with `~` for the home folder.
    pub shown: String,
    /// Whether it is watched, itself or within another.
    pub is_watched: bool,
}

/// Part of a file that a limit leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LoadCut {
    /// The limit leaves nothing out.
    None,
    /// The end of the file.
    End,
    /// The middle of the file.
    Middle,
    /// Some of several files, in part or whole.
    Files,
}

/// Why an agent does not load text of a file that it loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Unloaded {
    /// A limit leaves it out.
    PastCap,
    /// The agent removes it before it counts: front matter or a comment.
    Removed,
    /// The agent takes its entry for a threat and loads a remark in its place.
    Blocked,
}

/// Consecutive lines that an agent does not load whole, for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnloadedLines {
    /// The first of the lines, counted from 1.
    pub first: u32,
    /// The last of the lines.
    pub last: u32,
    /// First and last characters that are loaded, counted from 1, if a part of a single line is; empty if nothing is loaded.
    pub loaded: Vec<(u32, u32)>,
    /// Why the others are not loaded.
    pub why: Unloaded,
}

/// A file that an agent loads at session start, with one of its limits; or a folder's files with their common limit.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LoadedFile {
    /// Id of the agent that loads it.
    pub agent: String,
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Absolute path of the file or folder.
    pub path: String,
    /// Name of the file; for a folder, the collective name of its files.
    pub name: String,
    /// Id of the watched folder; `None` if the file is not watched.
    pub folder: Option<String>,
    /// Path of the file, relative to the watched folder; `None` if it is not watched.
    pub note: Option<String>,
    /// Unit of the limit, for the user.
    pub unit: String,
    /// Size of the file in that unit.
    pub used: u32,
    /// The limit in that unit; `None` if the file has none and is loaded whole.
    pub cap: Option<u32>,
    /// Whether text over the limit is left out. If not, the agent only refuses to add more.
    pub cuts: bool,
    /// Whether a total over several files lowered the limit.
    pub is_by_total: bool,
    /// Part of the file that this limit leaves out.
    pub cut: LoadCut,
    /// Size of what is not loaded as it is, in the limit's unit, by this limit and those before it; 0 without a cut and for
    /// several files.
    pub left_out: u32,
    /// First line that is not loaded completely, if the file is cut.
    pub cut_at_line: Option<u32>,
    /// First line that is loaded again, if the middle is cut.
    pub again_at_line: Option<u32>,
    /// First and last lines within the cut that are loaded as a digest.
    pub digest: Vec<(u32, u32)>,
    /// First and last lines of each entry that the agent blocks, with the patterns that it matches.
    pub blocked: Vec<(u32, u32, String)>,
    /// Lines of the file that are not loaded whole, by all of its limits and rules, in the file's order. All others are loaded.
    pub unloaded: Vec<UnloadedLines>,
    /// Number of lines in the file.
    pub n_lines: u32,
    /// Files with entries: number of entries that begin in the cut part, and number of all entries.
    pub entries: Option<(u32, u32)>,
    /// The version of the agent that the limit was checked against; empty if none.
    pub version: String,
    /// Where the limit comes from, for the user.
    pub source: String,
}

/// Agent that a watched folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AgentName {
    /// Id of the agent in the list of known agents.
    pub id: String,
    /// Name of the agent on screen.
    pub name: String,
}
