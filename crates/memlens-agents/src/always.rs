//! The files that an agent loads whenever a session begins: its memory and its instructions.
//!
//! Nothing here is called before the user chose to watch the agent. Only regular text files below the home folder, the agent's own
//! folders and the session's folder are read, none through a link that leads out of them and none in a hidden folder that is not the agent's.

pub(crate) mod chain;
mod claude_code;
mod codex;
mod gemini_cli;
mod imports;
mod projects;
mod reading;

use std::path::{Path, PathBuf};

use crate::agent::{Cap, Keeps, Limit, Source};
use crate::home::Home;
use crate::loaded::{FileLoad, cut_lines, loaded};
use crate::looking::Found;
use crate::measure::measure;
use crate::{Cut, Measured};
pub(crate) use projects::cwd_of_log;
pub use projects::projects;
use reading::Reader;

/// A file that is loaded whenever a session begins, or that would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlwaysLoaded {
    /// Id of the agent that loads it.
    pub agent: &'static str,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// What kind of file it is.
    pub kind: AlwaysKind,
    /// The session's folder, for a file that only sessions there load. `None`: every session of the agent loads it, or every
    /// session of the memory folder that it is in.
    pub project: Option<PathBuf>,
    /// The file that imports it.
    pub by: Option<PathBuf>,
    /// What the agent loads of it.
    pub content: Content,
}

/// The kind of a file that is always loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlwaysKind {
    /// A memory file, which the agent writes.
    Memory,
    /// An instruction file such as `CLAUDE.md`.
    Instructions,
    /// A rule file below `.claude/rules`.
    Rule,
    /// A file that another one imports.
    Import,
}

/// What is loaded of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file's text, and the ranges of it that are loaded.
    Loaded {
        /// The text, without a byte-order mark.
        text: String,
        /// The ranges that are loaded, and what the agent is given.
        measured: Measured,
        /// Where the rule comes from.
        source: Source,
    },
    /// The agent loads it, perhaps; Memlens does not read it. Why, for the user.
    NotRead(String),
    /// The agent does not load it. Why, for the user.
    NotLoaded(String),
    /// It does not exist. What follows, for the user.
    Missing(String),
}

impl AlwaysLoaded {
    /// The file's text; `None` if it was not read.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Loaded { text, .. } => Some(text),
            Content::NotRead(_) | Content::NotLoaded(_) | Content::Missing(_) => None,
        }
    }

    /// The lines that a limit leaves out.
    pub fn cut(&self) -> Cut {
        match &self.content {
            Content::Loaded { text, measured, .. } => {
                measured.cut().map_or(Cut::None, |cut| cut_lines(text, cut))
            }
            Content::NotRead(_) | Content::NotLoaded(_) | Content::Missing(_) => Cut::None,
        }
    }

    /// Whether a byte of the text is loaded, whole or in a digest. False in front matter and comments that the agent removes.
    pub fn is_loaded(&self, at: usize) -> bool {
        match &self.content {
            Content::Loaded { measured, .. } => {
                measured.kept.iter().any(|kept| kept.range.contains(&at))
            }
            Content::NotRead(_) | Content::NotLoaded(_) | Content::Missing(_) => false,
        }
    }
}

/// What an agent loads in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionLoad {
    /// The files, in the agent's order.
    pub files: Vec<AlwaysLoaded>,
    /// Settings that turn loading off or redirect it, in words for the user.
    pub switches: Vec<String>,
}

impl SessionLoad {
    fn add(&mut self, more: SessionLoad) {
        for file in more.files {
            let is_known =
                |one: &AlwaysLoaded| one.path == file.path && one.project == file.project;
            if !self.files.iter().any(is_known) {
                self.files.push(file);
            }
        }
        for said in more.switches {
            if !self.switches.contains(&said) {
                self.switches.push(said);
            }
        }
    }
}

/// What an agent loads when a session begins in a folder: its instruction files, then its memory files. `None` leaves out the files of
/// a project. To be called only for an agent that the user watches.
pub fn session_load(home: &Home, found: &Found, cwd: Option<&Path>) -> SessionLoad {
    let mut load = instructions(home, found, cwd);
    match cwd {
        None => load.add(memory(found)),
        Some(cwd) => {
            let mut found = found.clone();
            found.follow_session(home, cwd);
            load.add(memory(&found));
        }
    }
    load
}

/// What an agent loads in any session: as [`session_load`] for each folder that its sessions worked in. To be called only for an agent that
/// the user watches.
pub fn always_loaded(home: &Home, found: &Found) -> SessionLoad {
    let mut load = instructions(home, found, None);
    for project in projects(home, found.agent.id) {
        load.add(instructions(home, found, Some(&project)));
    }
    let mut found = found.clone();
    found.follow_projects(home);
    load.add(memory(&found));
    load
}

fn instructions(home: &Home, found: &Found, cwd: Option<&Path>) -> SessionLoad {
    let mut load = match found.agent.id {
        "claude-code" => claude_code::load(home, cwd),
        "codex" => codex::load(home, cwd),
        "gemini-cli" => gemini_cli::load(home, cwd),
        // OpenClaw's instruction files are in the workspace, beside its memory.
        _ => SessionLoad::default(),
    };
    let agent = found.agent.id;
    load.files.iter_mut().for_each(|file| file.agent = agent);
    load
}

/// The memory files, of every memory folder that was found.
fn memory(found: &Found) -> SessionLoad {
    let measured = loaded(found);
    let one = |path: PathBuf, content| AlwaysLoaded {
        agent: found.agent.id,
        kind: match path.file_name().and_then(|name| name.to_str()) {
            Some("AGENTS.md" | "SOUL.md" | "IDENTITY.md" | "BOOTSTRAP.md") => {
                AlwaysKind::Instructions
            }
            _ => AlwaysKind::Memory,
        },
        path,
        project: None,
        by: None,
        content,
    };
    let files = measured.files.into_iter().map(|file| {
        let FileLoad {
            path,
            text,
            measured,
            cap,
            ..
        } = file;
        one(
            path,
            Content::Loaded {
                text,
                measured,
                source: cap.source,
            },
        )
    });
    let missing = measured
        .missing
        .into_iter()
        .map(|missing| one(missing.path, Content::Missing(missing.so.to_owned())));
    let unreadable = measured
        .unreadable
        .into_iter()
        .map(|file| one(file.path, Content::NotRead(file.why)));
    SessionLoad {
        files: files
            .collect::<Vec<_>>()
            .into_iter()
            .chain(missing)
            .chain(unreadable)
            .collect(),
        switches: found.switches.clone(),
    }
}

/// A file of an agent's instructions that was read whole.
fn whole(text: String, cap: &Cap) -> Content {
    limited(text, cap, None)
}

/// A file of an agent's instructions, limited to `most`.
fn limited(text: String, cap: &Cap, most: Option<Limit>) -> Content {
    let cap = Cap {
        limits: most.into_iter().collect(),
        keeps: Keeps::BeginningExactly,
        ..cap.clone()
    };
    Content::Loaded {
        measured: measure(&text, "", &cap, None),
        source: cap.source,
        text,
    }
}

/// An instruction file before its agent is known.
fn entry(
    path: PathBuf,
    kind: AlwaysKind,
    project: Option<&Path>,
    content: Content,
) -> AlwaysLoaded {
    AlwaysLoaded {
        agent: "",
        path,
        kind,
        project: project.map(Path::to_owned),
        by: None,
        content,
    }
}
