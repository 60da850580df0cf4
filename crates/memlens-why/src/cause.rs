//! Why a note, or a line of it, is out of reach of a search: one sentence and one advice per cause, shared by why-not and autopsy.

use memlens_ingest::{MAX_FILE_BYTES, Reason};
use memlens_library::notes::place::Place;
use memlens_wire::{NotSearchedBy, WhyNot};

/// Why a search cannot find a note, or an agent does not see a line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It is in no watched folder.
    NotWatched,
    /// An agent searches it, but it is in no watched folder.
    OnlyAgentSearches {
        /// Name of the agent on screen.
        name: String,
        /// The folder that the agent searches: its workspace, or one that its config names.
        folder: String,
    },
    /// No file has that name.
    Gone,
    /// A rule leaves out the file, or a folder around it.
    LeftOut {
        /// File or folder that the rule matches, relative to the watched folder.
        path: String,
        /// The rule that leaves it out.
        reason: Reason,
    },
    /// The file, or this line of it, could not be read.
    Unreadable {
        /// The error, to show to the user.
        reason: String,
    },
    /// The file could be read, but contains nothing that is indexed.
    HoldsNothing {
        /// The file, relative to the watched folder.
        path: String,
        /// The reason, to show to the user.
        reason: String,
    },
    /// It is not indexed yet.
    Waiting {
        /// Whether its folder is paused.
        is_paused: bool,
    },
    /// The index holds an older text of the note.
    Older {
        /// When the indexed text was saved.
        as_of: String,
    },
    /// The library's copy of the text is damaged.
    Damaged,
    /// The agent's own search does not read it.
    NotSearched {
        /// The agent's id, if it is one of the catalogue.
        agent: Option<String>,
        /// The agent's name, or that of the emulated program.
        name: String,
        /// The reason and what to do by the agent's own rules, if these are known.
        unsearched: Option<NotSearchedBy>,
    },
    /// The agent's own index holds an older text of the note, or does not hold it.
    OwnIndex {
        /// Name of the agent on screen.
        name: String,
        /// What its index holds, as a sentence.
        holds: String,
    },
    /// The agent loads the note at the start of a session, but not this part.
    PastCap {
        /// What is cut, as a sentence.
        cut: String,
    },
    /// The agent blocks the entry of a loaded note.
    Blocked {
        /// What it takes the entry for, as a sentence.
        said: String,
        /// Name of the agent on screen.
        name: String,
    },
    /// The agent removes the line from the text before it loads it.
    Removed {
        /// What it removes, as a sentence.
        said: String,
        /// Name of the agent on screen.
        name: String,
    },
    /// The agent does not load the note because of a setting.
    SwitchedOff {
        /// The setting and what follows, as a sentence.
        said: String,
        /// Name of the agent on screen.
        name: String,
    },
}

impl Cause {
    /// What happened to the note, in one sentence.
    pub fn sentence(&self, place: &Place) -> String {
        match self {
            Self::NotWatched => "It is not in a watched folder.".to_owned(),
            Self::OnlyAgentSearches { name, folder } => {
                format!(
                    "{name} searches this note, but Memlens does not watch its folder {folder}."
                )
            }
            Self::Gone => "Nothing is there by that name.".to_owned(),
            Self::LeftOut { path, reason } if *path == place.path => {
                format!("It is left out of the library: {reason}.")
            }
            Self::LeftOut { path, reason } => {
                format!("It is left out of the library with {path} around it: {reason}.")
            }
            Self::Unreadable { reason } | Self::HoldsNothing { reason, .. } => {
                format!("It could not be read: {reason}.")
            }
            Self::Waiting { is_paused: false } => "It waits to be indexed.".to_owned(),
            Self::Waiting { is_paused: true } => {
                "It waits to be indexed, and its folder is paused.".to_owned()
            }
            Self::Older { as_of } => format!(
                "The index is older than the note: it holds it as of {as_of}, without this line."
            ),
            Self::Damaged => {
                "Its copy in the library is damaged; it is indexed again at the next start."
                    .to_owned()
            }
            Self::NotSearched {
                unsearched: Some(unsearched),
                ..
            } => unsearched.reason.clone(),
            Self::NotSearched { name, .. } => format!("{name} does not search this note."),
            Self::OwnIndex { holds, .. } => holds.clone(),
            Self::PastCap { cut } => cut.clone(),
            Self::Blocked { said, .. }
            | Self::Removed { said, .. }
            | Self::SwitchedOff { said, .. } => said.clone(),
        }
    }

    /// What to do about it, in one or two sentences.
    pub fn advice(&self) -> String {
        match self {
            Self::NotWatched => {
                "Add its folder, in Settings or with `memlens index FOLDER`.".to_owned()
            }
            Self::OnlyAgentSearches { name, folder } => format!(
                "Run `memlens index {}`, or press Watch beside {name} in Settings.",
                in_shell(folder)
            ),
            Self::Gone => "It may have been renamed: look for it by another name.".to_owned(),
            Self::LeftOut { path, reason } => left_out(path, reason),
            Self::HoldsNothing { path, .. } => left_out(path, &Reason::Kind),
            Self::Unreadable { .. } => {
                "Correct what is named there; Memlens reads the file again when it changes."
                    .to_owned()
            }
            Self::Waiting { is_paused: false } => {
                "Run `memlens index`, or leave the window open until it is indexed.".to_owned()
            }
            Self::Waiting { is_paused: true } => {
                "Resume its folder in Settings: a paused folder is not indexed.".to_owned()
            }
            Self::Older { .. } => {
                "Run `memlens index`, or leave the window open: the changed note is indexed again."
                    .to_owned()
            }
            Self::Damaged => "Run `memlens index`: it makes a new copy.".to_owned(),
            Self::NotSearched {
                unsearched: Some(unsearched),
                ..
            } => unsearched.advice.clone(),
            Self::NotSearched { agent, name, .. } => not_searched(agent.as_deref(), name),
            Self::OwnIndex { name, .. } => {
                format!("Have {name} index its memory again: Memlens does not write its index.")
            }
            Self::PastCap { .. } => {
                "Move the line above the cut, or shorten what is before it.".to_owned()
            }
            Self::Blocked { name, .. } => {
                format!("Write the entry in words that {name} does not take for a threat.")
            }
            Self::Removed { .. } => {
                "Move the line out of the front matter or the comment.".to_owned()
            }
            Self::SwitchedOff { name, .. } => {
                format!("Change that setting, or write the line where {name} loads it.")
            }
        }
    }
}

/// A path as one word of a shell's command line.
fn in_shell(path: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "/._-~".contains(sign);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// What to do about a file or folder that a rule leaves out.
fn left_out(path: &str, reason: &Reason) -> String {
    match reason {
        Reason::Ignored { pattern, file } if file.rsplit('/').next() == Some(".gitignore") => {
            let beside = file.strip_suffix(".gitignore").unwrap_or_default();
            format!(
                "Remove {pattern} from {file}, or add the line !{pattern} to {beside}.ignore: Memlens then reads {path}."
            )
        }
        Reason::Ignored { pattern, file } => {
            format!("Remove {pattern} from {file}: Memlens then reads {path}.")
        }
        Reason::Hidden { name } => format!(
            "Add the line !{name} to a file named .ignore beside it: Memlens then reads {path}."
        ),
        Reason::Link => format!(
            "Watch the folder that {path} leads to, or put the file itself there: links are not followed."
        ),
        Reason::Name => format!("Rename {path}: names have to be UTF-8."),
        Reason::Kind => format!(
            "Write it into a Markdown or text file as well (.md, .txt): files like {path} are not read."
        ),
        Reason::NotRegular => format!("Save {path} as a regular file."),
        Reason::TooLarge => format!(
            "Split {path}: files above {} MiB are not read.",
            MAX_FILE_BYTES >> 20
        ),
        Reason::Unseen(_) => format!("Give yourself the right to read {path}."),
        Reason::Outside => "Name a file in a watched folder.".to_owned(),
    }
}

/// What to do about a note that the agent's own search does not read.
fn not_searched(agent: Option<&str>, name: &str) -> String {
    match agent {
        Some("openclaw") => format!(
            "Move it into MEMORY.md or a Markdown file below memory/ of the workspace, or name its folder in memory.search.extraPaths: {name} searches only these."
        ),
        _ => format!("Move it to a place that {name} searches."),
    }
}

impl From<Cause> for WhyNot {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::NotWatched | Cause::OnlyAgentSearches { .. } => Self::NotWatched,
            Cause::Gone => Self::Gone,
            Cause::LeftOut { path, reason } => Self::LeftOut {
                path,
                reason: reason.to_string(),
            },
            Cause::Unreadable { reason } | Cause::HoldsNothing { reason, .. } => {
                Self::Unreadable { reason }
            }
            Cause::Waiting { is_paused } => Self::Pending { is_paused },
            Cause::Older { .. } => Self::Pending { is_paused: false },
            Cause::Damaged => Self::Unreadable {
                reason: "its copy in the library is damaged".to_owned(),
            },
            Cause::NotSearched {
                name, unsearched, ..
            } => Self::NotHeld {
                by: name,
                unsearched,
            },
            Cause::OwnIndex { name, .. } => Self::NotHeld {
                by: name,
                unsearched: None,
            },
            Cause::PastCap { .. }
            | Cause::Blocked { .. }
            | Cause::Removed { .. }
            | Cause::SwitchedOff { .. } => Self::OutOfScope,
        }
    }
}
