//! The files that an agent loads whenever a session begins, as the window shows them.

use serde::Serialize;
use specta::Type;

use crate::agents::UnloadedLines;

/// The files that an agent always loads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AlwaysView {
    /// Id of the agent that loads them.
    pub agent: String,
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Whether a folder of it is watched. If not, nothing was read and `files` is empty.
    pub is_watched: bool,
    /// The version that the rules were checked with; empty if none.
    pub version: String,
    /// The files, in the agent's order; those of each project one after another.
    pub files: Vec<AlwaysFile>,
    /// Settings that turn loading off or redirect it, for the user.
    pub switches: Vec<String>,
}

/// A file that an agent always loads, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AlwaysFile {
    /// Absolute path of the file.
    pub path: String,
    /// The path with `~` for the home folder.
    pub shown: String,
    /// Memory, instructions, rule or import.
    pub kind: AlwaysFileKind,
    /// The folder of the sessions that load it, if only those do.
    pub project: Option<String>,
    /// The file that imports it.
    pub by: Option<String>,
    /// The watched folder's id, if it is in one.
    pub folder: Option<String>,
    /// Its path in the watched folder.
    pub note: Option<String>,
    /// Whether it is loaded, missing or unknown.
    pub state: AlwaysState,
    /// Why it is not loaded or not read, or what follows from it missing; for the user.
    pub why: Option<String>,
    /// Number of lines; 0 if it was not read.
    pub n_lines: u32,
    /// Number of characters; 0 if it was not read.
    pub n_characters: u32,
    /// The first line that a limit leaves out.
    pub cut_at_line: Option<u32>,
    /// The first line that is loaded again after the cut.
    pub again_at_line: Option<u32>,
    /// Lines that are not loaded whole, in the file's order; empty if the file was not read.
    pub unloaded: Vec<UnloadedLines>,
}

/// The kind of a file that is always loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AlwaysFileKind {
    /// A memory file of the agent.
    Memory,
    /// An instruction file such as `CLAUDE.md`.
    Instructions,
    /// A rule file of the agent.
    Rule,
    /// A file that another one imports.
    Import,
}

/// State of a file that an agent always loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AlwaysState {
    /// The agent loads the file, in part or whole.
    Loaded,
    /// Memlens does not read it; whether the agent loads it is not known.
    NotRead,
    /// The agent does not load the file.
    NotLoaded,
    /// The file does not exist.
    Missing,
}

/// The text of a file that is always loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AlwaysText {
    /// The file that was read.
    pub file: AlwaysFile,
    /// Text of the file, decoded.
    pub text: String,
}
