//! Which notes an agent's own search finds: the rules by which it indexes files, whatever Memlens reads.
//!
//! [`Searched::of`] knows them for OpenClaw and qmd. [`Index::judge`] says of a path whether it is indexed, and if not, why and
//! what to do; [`Index::files`] lists the files that are. Both go by the same roots, so that a mark on a note, "Why not?" and the
//! emulated memory cannot disagree.
//!
//! Properties checked: every file that is listed is judged as searched, and of a tree every other file is judged with a cause;
//! no link is followed; a large tree ends the listing and says so.

mod listing;
mod openclaw;
mod pattern;
mod qmd;

use std::path::{Component, Path, PathBuf};

use crate::agent::Agent;
use crate::agents;
use crate::home::Home;
use pattern::Pattern;

pub use listing::{Listed, SearchedFile};
pub(crate) use openclaw::members;

/// The notes that one program searches.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The program in the catalogue.
    pub agent: &'static Agent,
    /// One index for each of its agents; a program without agents of its own has one.
    pub indexes: Vec<Index>,
}

/// One index: what one agent of a program searches.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    program: &'static str,
    /// The id of the agent among the program's; empty if the program has none.
    pub member: String,
    /// Whether it answers questions of unknown agents.
    pub is_default: bool,
    /// The key of the config that switches its search off, with its value.
    pub switched_off: Option<String>,
    /// The config, as the user writes its path.
    config: String,
    /// Where to name further folders; `None` if the program has no such setting.
    extra_key: Option<String>,
    roots: Vec<Root>,
}

/// A place that an index is made from.
#[derive(Debug, Clone, PartialEq)]
struct Root {
    /// The folder, with links in its path resolved.
    folder: PathBuf,
    kind: RootKind,
}

#[derive(Debug, Clone, PartialEq)]
enum RootKind {
    /// An OpenClaw workspace: single files at its top, and all below `memory/`.
    Workspace {
        skips: Skips,
        files: Vec<&'static str>,
        /// Names at the top that are indexed by no other root either.
        never: Vec<&'static str>,
    },
    /// A folder with all that is below it.
    Folder {
        /// How paths in it begin in the index, ending in `/`.
        prefix: String,
        pattern: Option<Pattern>,
        skips: Skips,
    },
    /// One file; `folder` is the folder around it.
    File { name: String, prefix: String },
}

/// Which folders below a root are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skips {
    Nothing,
    Repair,
    /// What qmd passes over: hidden files and folders, and those of dependencies and builds.
    Qmd,
}

/// Folders that qmd passes over.
const QMD_SKIPS: [&str; 6] = ["node_modules", ".git", ".cache", "vendor", "dist", "build"];

impl Skips {
    fn skips(self, name: &str) -> bool {
        match self {
            Skips::Nothing => false,
            Skips::Repair => name == ".openclaw-repair",
            Skips::Qmd => name.starts_with('.') || QMD_SKIPS.contains(&name),
        }
    }
}

/// Why an agent's search does not find a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotSearched {
    /// The config switches memory search off.
    SwitchedOff,
    /// The file's name does not end in `.md`.
    Kind,
    /// It is in the workspace, outside of what is indexed there.
    OutsideMemory,
    /// It is in the workspace of another agent of the program.
    OtherWorkspace,
    /// A folder around it, or the file itself, is passed over by its name.
    SkippedName,
    /// The pattern of its folder does not name it.
    Pattern,
    /// It is in no folder that is indexed.
    Elsewhere,
}

impl NotSearched {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            NotSearched::SwitchedOff => "switched_off",
            NotSearched::Kind => "kind",
            NotSearched::OutsideMemory => "outside_memory",
            NotSearched::OtherWorkspace => "other_workspace",
            NotSearched::SkippedName => "skipped_name",
            NotSearched::Pattern => "pattern",
            NotSearched::Elsewhere => "elsewhere",
        }
    }
}

/// How much of a folder is for one agent of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All of it.
    Whole,
    /// A part: the rest is for other agents, or for none.
    Part,
    /// Nothing.
    Nothing,
}

/// A note that an agent's search does not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsearched {
    /// Why the search does not find it.
    pub cause: NotSearched,
    /// The cause as a sentence.
    pub reason: String,
    /// What to do, as a sentence.
    pub advice: String,
}

impl Searched {
    /// What a program searches, by the configs in a home; `None` if its rules are unknown, or the program is not there.
    pub fn of(home: &Home, agent: &str) -> Option<Searched> {
        match agent {
            "openclaw" => openclaw::searched(home),
            "qmd" => qmd::searched(home),
            _ => None,
        }
    }

    /// The config that the rules are read from, whether or not it is there; `None` if they are not known.
    pub fn config(home: &Home, agent: &str) -> Option<PathBuf> {
        match agent {
            "openclaw" => Some(agents::openclaw_config(home)),
            "qmd" => Some(agents::qmd_config(home)),
            _ => None,
        }
    }

    /// The index of an agent of the program, or the one that answers questions of unknown agents.
    pub fn index(&self, member: Option<&str>) -> Option<&Index> {
        let named = member.and_then(|id| self.indexes.iter().find(|it| it.member == id));
        named
            .or_else(|| self.indexes.iter().find(|it| it.is_default))
            .or_else(|| self.indexes.first())
    }

    /// How much of a folder, with links in its path resolved, is for one agent of the program: what is in its workspace and in the
    /// folders that the config names for it. `None` if the program has no such agent.
    pub fn share(&self, member: &str, folder: &Path) -> Option<Share> {
        let member = member.trim().to_lowercase();
        let index = self.indexes.iter().find(|it| it.member == member)?;
        let mut is_partly_added = false;
        for root in &index.roots {
            if let RootKind::Folder { pattern, .. } = &root.kind
                && folder.starts_with(&root.folder)
            {
                if pattern.as_ref().is_none_or(Pattern::takes_all_notes) {
                    return Some(Share::Whole);
                }
                is_partly_added = true;
            }
        }
        let own: Vec<&Path> = index.own_folders().collect();
        let others = self.indexes.iter().flat_map(Index::own_folders);
        let others: Vec<&Path> = others.filter(|it| !own.contains(it)).collect();
        let around = |all: &[&Path]| {
            let lengths = all.iter().filter(|it| folder.starts_with(it));
            lengths.map(|it| it.components().count()).max()
        };
        let holds = |all: &[&Path]| all.iter().any(|it| it.starts_with(folder));
        let roots = index.roots.iter().map(|root| root.folder.as_path());
        let roots: Vec<&Path> = roots.collect();
        Some(
            match (
                around(&own) > around(&others),
                holds(&others),
                is_partly_added || holds(&roots),
            ) {
                (true, false, _) => Share::Whole,
                (true, true, _) | (false, _, true) => Share::Part,
                (false, _, false) => Share::Nothing,
            },
        )
    }

    /// Whether one agent of the program searches a note, given by its absolute path; see [`Searched::index`].
    ///
    /// # Errors
    /// Why it does not, and what to do.
    pub fn judge_as(&self, member: Option<&str>, path: &Path) -> Result<(), Unsearched> {
        let Some(index) = self.index(member) else {
            return Ok(());
        };
        index.judge(path).map_err(|unsearched| {
            let is_of_another = unsearched.cause != NotSearched::SwitchedOff
                && self.indexes.iter().any(|other| other.judge(path).is_ok());
            if is_of_another {
                index.unsearched(NotSearched::OtherWorkspace, "")
            } else {
                unsearched
            }
        })
    }

    /// Whether any agent of the program searches a note, given by its absolute path.
    ///
    /// # Errors
    /// The reason that comes closest: of the index whose folders hold the note, else of the default one.
    pub fn judge(&self, path: &Path) -> Result<(), Unsearched> {
        let mut nearest: Option<Unsearched> = None;
        for index in &self.indexes {
            match index.judge(path) {
                Ok(()) => return Ok(()),
                Err(unsearched) => {
                    if nearest
                        .as_ref()
                        .is_none_or(|it| unsearched.cause < it.cause)
                    {
                        nearest = Some(unsearched);
                    }
                }
            }
        }
        nearest.map_or(Ok(()), Err)
    }
}

impl Index {
    /// Whether the note of an absolute path is searched; links in it are resolved by the caller.
    ///
    /// # Errors
    /// Why it is not, and what to do.
    pub fn judge(&self, path: &Path) -> Result<(), Unsearched> {
        if self.switched_off.is_some() {
            return Err(self.unsearched(NotSearched::SwitchedOff, ""));
        }
        let mut nearest = (NotSearched::Elsewhere, String::new());
        for root in &self.roots {
            match root.judge(path) {
                Ok(()) if !self.is_never(path) => return Ok(()),
                Ok(()) => {}
                // Causes are ordered: those of a root that holds the note come first.
                Err(why) if why.0 < nearest.0 => nearest = why,
                Err(_) => {}
            }
        }
        let (cause, detail) = nearest;
        Err(self.unsearched(cause, &detail))
    }

    /// Why no note is found at all: the config and the key that switches the search off; `None` if it is on.
    pub fn off_sentence(&self) -> Option<String> {
        let setting = self.switched_off.as_ref()?;
        let Index {
            program, config, ..
        } = self;
        Some(format!(
            "{program}'s search is switched off in {config}: {setting}."
        ))
    }

    /// Whether a file of the workspace is passed over whatever root holds it.
    fn is_never(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| match &root.kind {
            RootKind::Workspace { never, .. } => {
                never.iter().any(|name| root.folder.join(name) == path)
            }
            RootKind::Folder { .. } | RootKind::File { .. } => false,
        })
    }

    /// The path by which the program names a note that it searches.
    pub fn name_of(&self, path: &Path) -> Option<String> {
        self.roots
            .iter()
            .filter(|root| root.judge(path).is_ok())
            .find_map(|root| root.name_of(path))
    }

    /// The folder in which the program finds a note that it searches: a workspace, or one that the config names. `None` if it does not
    /// search the note.
    pub fn folder_of(&self, path: &Path) -> Option<&Path> {
        self.judge(path).ok()?;
        let mut roots = self.roots.iter();
        let found = roots.find(|root| root.judge(path).is_ok())?;
        Some(&found.folder)
    }

    /// Whether a path is in a folder that the index is made from, whether or not the note is indexed.
    pub fn is_around(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| match &root.kind {
            RootKind::File { name, .. } => path == root.folder.join(name),
            RootKind::Workspace { .. } | RootKind::Folder { .. } => path.starts_with(&root.folder),
        })
    }

    /// The absolute paths that a relative path in an answer of the program means, one for each root that may hold it.
    pub fn paths_named(&self, named: &str) -> Vec<PathBuf> {
        let below = |folder: &Path, inner: &str| {
            let mut parts = Path::new(inner).components();
            let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
            (is_plain && !inner.is_empty()).then(|| folder.join(inner))
        };
        let roots = self.roots.iter();
        let paths = roots.filter_map(|root| match &root.kind {
            RootKind::Workspace { .. } => below(&root.folder, named),
            RootKind::Folder { prefix, .. } => below(&root.folder, named.strip_prefix(prefix)?),
            RootKind::File { name, prefix } => {
                let is_it = named.strip_prefix(prefix) == Some(name);
                is_it.then(|| root.folder.join(name))
            }
        });
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// The same as another version of the program indexes.
    #[must_use]
    pub fn as_of(mut self, version: &str) -> Index {
        for root in &mut self.roots {
            openclaw::as_of(&mut root.kind, version);
        }
        self
    }

    /// The folders that are the agent's alone, each with links in its path resolved: its workspace, not what its config adds.
    pub fn own_folders(&self) -> impl Iterator<Item = &Path> {
        let is_workspace = |root: &&Root| matches!(root.kind, RootKind::Workspace { .. });
        let has_workspace = self.has_workspace();
        self.roots
            .iter()
            .filter(move |root| !has_workspace || is_workspace(root))
            .map(|root| root.folder.as_path())
    }

    fn has_workspace(&self) -> bool {
        let mut roots = self.roots.iter();
        roots.any(|root| matches!(root.kind, RootKind::Workspace { .. }))
    }

    fn unsearched(&self, cause: NotSearched, detail: &str) -> Unsearched {
        let program = self.program;
        let further = |but: &str| match &self.extra_key {
            Some(key) => format!("{but}, or add its folder to {key}."),
            None => format!("{but}."),
        };
        let (reason, advice) = match cause {
            NotSearched::SwitchedOff => (
                self.off_sentence().unwrap_or_default(),
                "Change this setting.".to_owned(),
            ),
            NotSearched::Kind => (
                format!("{program} indexes only files whose names end in .md."),
                "Rename it so that its name ends in .md.".to_owned(),
            ),
            NotSearched::OutsideMemory => (
                format!(
                    "Of its workspace {program} indexes only {detail} and the Markdown files below memory/."
                ),
                further("Move the note below memory/"),
            ),
            NotSearched::OtherWorkspace => (
                format!(
                    "It is in the workspace of another agent, and each agent of {program} searches its own workspace only."
                ),
                further("Move the note to the workspace of this agent"),
            ),
            NotSearched::SkippedName => (
                format!("{program} passes over files and folders named {detail}."),
                "Move the note to a folder with another name.".to_owned(),
            ),
            NotSearched::Pattern => (
                format!(
                    "The pattern {detail} of its folder in the config of {program} does not match it."
                ),
                "Change the pattern, or move the note to where it matches.".to_owned(),
            ),
            NotSearched::Elsewhere => (
                format!("It is in no folder that {program} indexes."),
                match &self.extra_key {
                    Some(key) => format!(
                        "Add its folder to {key}, or move the note below memory/ of the workspace."
                    ),
                    None => format!("Add its folder to the config of {program}."),
                },
            ),
        };
        Unsearched {
            cause,
            reason,
            advice,
        }
    }
}

/// A cause, and what it is about.
type Why = (NotSearched, String);

impl Root {
    fn judge(&self, path: &Path) -> Result<(), Why> {
        let outside = || (NotSearched::Elsewhere, String::new());
        let inner = path.strip_prefix(&self.folder).map_err(|_| outside())?;
        let names: Vec<&str> = inner
            .components()
            .map(|it| it.as_os_str().to_str())
            .collect::<Option<_>>()
            .ok_or_else(outside)?;
        let Some((name, folders)) = names.split_last() else {
            return Err(outside());
        };
        let is_kind = name.ends_with(".md");
        let kind = || (NotSearched::Kind, String::new());
        match &self.kind {
            RootKind::Workspace { files, skips, .. } => {
                let Some((top, below)) = folders.split_first() else {
                    return if files.contains(name) {
                        Ok(())
                    } else {
                        Err((NotSearched::OutsideMemory, listed(files)))
                    };
                };
                if *top != "memory" {
                    return Err((NotSearched::OutsideMemory, listed(files)));
                }
                passes(*skips, below, None)?;
                if is_kind { Ok(()) } else { Err(kind()) }
            }
            RootKind::Folder { pattern, skips, .. } => {
                passes(*skips, folders, Some(name))?;
                let relative = names.join("/");
                match pattern {
                    Some(pattern) if !pattern.matches(&relative) => {
                        Err((NotSearched::Pattern, pattern.text().to_owned()))
                    }
                    // The pattern of qmd names kinds of files too.
                    _ if is_kind || *skips == Skips::Qmd => Ok(()),
                    _ => Err(kind()),
                }
            }
            RootKind::File { name: own, .. } => {
                if folders.is_empty() && name == own {
                    Ok(())
                } else {
                    Err(outside())
                }
            }
        }
    }

    fn name_of(&self, path: &Path) -> Option<String> {
        let inner = path.strip_prefix(&self.folder).ok()?;
        let names: Option<Vec<&str>> = inner
            .components()
            .map(|it| it.as_os_str().to_str())
            .collect();
        let inner = names?.join("/");
        Some(match &self.kind {
            RootKind::Workspace { .. } => inner,
            RootKind::Folder { prefix, .. } | RootKind::File { prefix, .. } => {
                format!("{prefix}{inner}")
            }
        })
    }
}

/// Whether no folder, and not the file, is passed over by its name.
fn passes(skips: Skips, folders: &[&str], file: Option<&str>) -> Result<(), Why> {
    let mut folders = folders.iter();
    let skipped = folders
        .find(|name| skips.skips(name))
        .copied()
        .or_else(|| file.filter(|name| skips == Skips::Qmd && name.starts_with('.')));
    match skipped {
        Some(name) => Err((NotSearched::SkippedName, name.to_owned())),
        None => Ok(()),
    }
}

/// Joins file names: `MEMORY.md, USER.md`.
fn listed(files: &[&str]) -> String {
    files.join(", ")
}
