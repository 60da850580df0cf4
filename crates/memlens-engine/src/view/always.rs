//! The files that an agent loads whenever a session begins, as the window shows them.

use serde::Serialize;
use specta::Type;

/// The files that an agent always loads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AlwaysView {
    /// The agent's id.
    pub agent: String,
    /// Its name.
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
    /// Its absolute path.
    pub path: String,
    /// The path with `~` for the home folder.
    pub shown: String,
    /// Its kind.
    pub kind: AlwaysFileKind,
    /// The folder of the sessions that load it, if only those do.
    pub project: Option<String>,
    /// The file that imports it.
    pub by: Option<String>,
    /// The watched folder's id, if it is in one.
    pub folder: Option<String>,
    /// Its path in the watched folder.
    pub note: Option<String>,
    /// What became of it.
    pub state: AlwaysState,
    /// Why it is not loaded or not read, or what follows from it missing; for the user.
    pub why: Option<String>,
    /// Its lines; 0 if it was not read.
    pub n_lines: u32,
    /// Its characters; 0 if it was not read.
    pub n_characters: u32,
    /// The first line that a limit leaves out.
    pub cut_at_line: Option<u32>,
    /// The first line that is loaded again after the cut.
    pub again_at_line: Option<u32>,
}

/// The kind of a file that is always loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AlwaysFileKind {
    /// A memory file.
    Memory,
    /// An instruction file such as `CLAUDE.md`.
    Instructions,
    /// A rule.
    Rule,
    /// A file that another one imports.
    Import,
}

/// What became of a file that an agent always loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AlwaysState {
    /// Loaded, in part or whole.
    Loaded,
    /// Memlens does not read it; whether the agent loads it is not known.
    NotRead,
    /// The agent does not load it.
    NotLoaded,
    /// It does not exist.
    Missing,
}

/// The text of a file that is always loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AlwaysText {
    /// The file.
    pub file: AlwaysFile,
    /// Its text.
    pub text: String,
    /// First and last lines of which nothing is loaded.
    pub unseen: Vec<(u32, u32)>,
}
