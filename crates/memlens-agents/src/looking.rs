//! Finds agents at the places that the catalogue names, and nowhere else.
//!
//! Properties checked, by agent in `tests/agents.rs`: an existing place is found, and what the environment or a config
//! names takes precedence over the default; if something else is at a config's path, that agent reports it and the
//! other agents are found.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Agent, Cap, Limit};
use crate::agents::{AGENTS, claude_code_follow_projects, is_gemini_cli_memory_of};
use crate::always::projects;
use crate::codex_settings::CodexSettings;
use crate::config::{self, Format};
use crate::home::Home;

/// Maximum number of folders scanned below a place: more projects than users have, but not a folder that contains
/// everything.
const CHILDREN_MAX: usize = 2000;

/// Files, folders and settings found of one agent.
#[derive(Debug, Clone)]
pub struct Found {
    /// The agent in the catalogue.
    pub agent: &'static Agent,
    /// Version of the agent, if one of its files contains it.
    pub version: Option<String>,
    /// Existing folders of notes, sorted; no folder is inside another.
    pub folders: Vec<PathBuf>,
    /// Folders that belong to the agent with all their contents, notes or not.
    pub own: Vec<PathBuf>,
    /// The memory files that it loads when a session begins.
    pub loads: Vec<Loads>,
    /// Settings that turn loading off or redirect it, in words for the user.
    pub switches: Vec<String>,
    /// Files that it would load without such a setting.
    pub switched_off: Vec<SwitchedOff>,
    /// What could not be read or is missing, in words for the user.
    pub problems: Vec<String>,
    /// Every place that was scanned, in that order.
    pub places: Vec<PathBuf>,
}

/// Files of one folder that an agent loads when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loads {
    /// Absolute path of the folder.
    pub folder: PathBuf,
    /// In the order in which the agent loads them. Some may be missing.
    pub files: Vec<LoadFile>,
    /// The limit of all of them together, spent in their order.
    pub in_all: Option<Limit>,
}

/// Files of one folder that an agent does not load because of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchedOff {
    /// Absolute path of the folder.
    pub folder: PathBuf,
    /// File names in the folder.
    pub names: Vec<&'static str>,
    /// The setting, its file and what follows, for the user: one of [`Found::switches`].
    pub said: String,
}

/// A file that an agent loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadFile {
    /// File name in the folder.
    pub name: &'static str,
    /// How much of it is loaded.
    pub cap: Cap,
    /// Consequence if it does not exist.
    pub if_missing: IfMissing,
}

/// Consequence of a missing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// The missing file has no effect.
    Nothing,
    /// A line about it counts toward the total, and is not loaded.
    Cost,
    /// It is reported to the user.
    Finding {
        /// Consequence, for the user: `so Codex loads nothing of its memories`.
        so: &'static str,
        /// Whether a line about it is loaded, which counts toward the total.
        costs: bool,
    },
}

/// Scans for every agent, and returns those of which anything exists.
pub fn look(home: &Home) -> Vec<Found> {
    AGENTS
        .into_iter()
        .map(|agent| look_for(home, agent))
        .filter(Found::is_there)
        .collect()
}

/// Scans for one agent, found or not.
pub(crate) fn look_for(home: &Home, agent: &'static Agent) -> Found {
    let mut look = Look {
        home,
        found: Found {
            agent,
            version: None,
            folders: Vec::new(),
            own: Vec::new(),
            loads: Vec::new(),
            switches: Vec::new(),
            switched_off: Vec::new(),
            problems: Vec::new(),
            places: Vec::new(),
        },
    };
    (agent.look)(&mut look);
    let mut found = look.found;
    found.folders.sort();
    // A parent folder comes before its sub-folders.
    found
        .folders
        .dedup_by(|inner, outer| inner.starts_with(outer));
    found
}

impl Found {
    /// Applies the settings of the projects in which its sessions worked. Reads these settings and the beginnings of
    /// sessions, so it must only be called for an agent that the user watches.
    pub fn follow_projects(&mut self, home: &Home) {
        if self.agent.id == "claude-code" {
            let projects = projects(home, self.agent.id);
            claude_code_follow_projects(self, home, &projects, true);
        }
    }

    /// The same for sessions in one folder: only what these load remains.
    pub(crate) fn follow_session(&mut self, home: &Home, cwd: &Path) {
        match self.agent.id {
            "claude-code" => claude_code_follow_projects(self, home, &[cwd.to_owned()], false),
            "codex" => {
                if let Some(why) = CodexSettings::read(home, Some(cwd)).no_memories() {
                    self.loads.clear();
                    self.add_switch(format!("{why}, so Codex loads nothing of its memories"));
                }
            }
            "gemini-cli" => {
                self.loads
                    .retain(|loads| is_gemini_cli_memory_of(&loads.folder, cwd));
            }
            _ => {}
        }
    }

    pub(crate) fn add_switch(&mut self, said: String) {
        if !self.switches.contains(&said) {
            self.switches.push(said);
        }
    }

    fn is_there(&self) -> bool {
        !self.own.is_empty() || !self.folders.is_empty() || !self.problems.is_empty()
    }

    /// The setting that prevents a file from being loaded, in words for the user; `None` if none is known.
    pub fn switched_off(&self, file: &Path) -> Option<&str> {
        let real = |path: &Path| memlens_files::canonical(path).ok();
        let of_file = real(file);
        let is_it = |path: PathBuf| path == file || of_file.is_some() && real(&path) == of_file;
        let mut off = self.switched_off.iter();
        let off = off.find(|off| off.names.iter().any(|name| is_it(off.folder.join(name))))?;
        Some(&off.said)
    }

    /// Name of a folder of the agent's notes among the folders of all agents: the agent's name if the folder's own name
    /// is the same for every agent, with the parent folder's name if there are several.
    pub fn name_of(&self, folder: &Path, home: &Home) -> String {
        let name = |path: &Path| -> String {
            path.file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let own = name(folder);
        if let Some(which) = own.strip_prefix("workspace-") {
            return format!("{} {which}", self.agent.name);
        }
        if !matches!(own.as_str(), "memory" | "memories" | "workspace") {
            return own;
        }
        if self.folders.len() == 1 || own == "workspace" {
            return self.agent.name.to_owned();
        }
        let around = name(folder.parent().unwrap_or(folder));
        // Claude Code names a project's folder by its path: `-home-iris-garden`.
        let slug = |path: &str| path.replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
        let home = format!("{}-", slug(&home.folder().to_string_lossy()));
        let project = around.strip_prefix(&home).unwrap_or(&around);
        format!("{} {}", self.agent.name, project.trim_start_matches('-'))
    }
}

/// The agent whose memory a folder is: the first that has it, or a parent of it, as a folder of notes; otherwise the
/// first that owns everything around it.
pub fn whose(found: &[Found], path: &Path) -> Option<&'static Agent> {
    let holds = |places: &[PathBuf]| {
        places.iter().any(|place| {
            path.starts_with(place)
                || memlens_files::canonical(place).is_ok_and(|it| path.starts_with(it))
        })
    };
    let by_notes = found.iter().find(|found| holds(&found.folders));
    by_notes
        .or_else(|| found.iter().find(|found| holds(&found.own)))
        .map(|found| found.agent)
}

/// The scan of one agent's places.
pub(crate) struct Look<'a> {
    home: &'a Home,
    found: Found,
}

impl<'a> Look<'a> {
    pub fn home(&self) -> &'a Home {
        self.home
    }

    /// Reports a problem to the user.
    pub fn problem(&mut self, problem: String) {
        self.found.problems.push(problem);
    }

    /// Sets the version of the agent.
    pub fn version(&mut self, version: Option<&str>) {
        self.found.version = version.map(str::to_owned);
    }

    /// Adds a folder that belongs to the agent with all its contents. Returns whether it exists.
    pub fn own(&mut self, path: &Path) -> bool {
        let is_there = self.is_folder(path, None);
        if is_there {
            self.found.own.push(path.to_owned());
        }
        is_there
    }

    /// Adds a folder of notes at a default place of the agent. Returns whether it exists.
    pub fn folder(&mut self, path: &Path) -> bool {
        let is_there = self.is_folder(path, None);
        if is_there {
            self.found.folders.push(path.to_owned());
        }
        is_there
    }

    /// Adds a folder of notes that something names, such as `collection work of index.yml`. Returns whether it exists.
    pub fn named_folder(&mut self, named: &str, by: &str) -> Option<PathBuf> {
        let Some(path) = self.home.expanded(named) else {
            self.problem(format!(
                "{by} names {named:?}, which is not an absolute path"
            ));
            return None;
        };
        if !self.is_folder(&path, Some(by)) {
            return None;
        }
        self.found.folders.push(path.clone());
        Some(path)
    }

    /// A folder of notes that something names, by its absolute path.
    pub fn named_place(&mut self, path: &Path, by: &str) {
        if self.is_folder(path, Some(by)) {
            self.found.folders.push(path.to_owned());
        }
    }

    /// The folders in a folder, sorted; links are left alone.
    pub fn children(&mut self, path: &Path) -> Vec<PathBuf> {
        self.found.places.push(path.to_owned());
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if is_missing(error.kind()) => return Vec::new(),
            Err(error) => {
                let shown = self.home.shown(path);
                self.problem(format!(
                    "cannot look into {shown}: {}",
                    config::words(&error)
                ));
                return Vec::new();
            }
        };
        let mut folders: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir()))
            .map(|entry| entry.path())
            .take(CHILDREN_MAX + 1)
            .collect();
        if folders.len() > CHILDREN_MAX {
            folders.truncate(CHILDREN_MAX);
            let shown = self.home.shown(path);
            self.problem(format!(
                "{shown} holds more than {CHILDREN_MAX} folders; only the first were inspected"
            ));
        }
        folders.sort();
        folders
    }

    /// Adds a place that was scanned by other means.
    pub fn place(&mut self, path: &Path) {
        self.found.places.push(path.to_owned());
    }

    /// Contents of a config, or null if absent; a config that cannot be read is reported as a problem.
    pub fn config(&mut self, path: &Path, format: Format) -> Value {
        self.found.places.push(path.to_owned());
        match config::read(path, format, self.home.folder()) {
            Ok(found) => found.unwrap_or(Value::Null),
            Err(why) => {
                let shown = self.home.shown(path);
                self.problem(format!("cannot read {shown}: {why}"));
                Value::Null
            }
        }
    }

    /// Reads a JSON config with its includes. If an include cannot be read, that is reported and the rest of the config
    /// counts.
    pub fn config_with_includes(&mut self, path: &Path) -> Value {
        self.found.places.push(path.to_owned());
        let shown = self.home.shown(path);
        match config::read_as_far_as_possible(path, self.home.folder()) {
            Ok(Some((value, why))) => {
                if let Some(why) = why {
                    self.problem(format!("cannot read all of {shown}: {why}"));
                }
                value
            }
            Ok(None) => Value::Null,
            Err(why) => {
                self.problem(format!("cannot read {shown}: {why}"));
                Value::Null
            }
        }
    }

    /// A string in a config; any other value is reported as a problem.
    pub fn text<'v>(&mut self, value: &'v Value, name: &str) -> Option<&'v str> {
        match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.problem(format!("{name} is not a text, so it is passed over"));
                None
            }
        }
    }

    /// Entries of an object in a config, in the config's order; any other value is reported as a problem.
    pub fn entries<'v>(&mut self, value: &'v Value, name: &str) -> Vec<(&'v String, &'v Value)> {
        match value {
            Value::Null => Vec::new(),
            Value::Object(entries) => entries.iter().collect(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                self.problem(format!(
                    "{name} is not a list of names, so it is passed over"
                ));
                Vec::new()
            }
        }
    }

    /// Files of a folder that the agent loads, in its order.
    pub fn loads(&mut self, folder: &Path, files: Vec<LoadFile>, in_all: Option<Limit>) {
        self.found.loads.push(Loads {
            folder: folder.to_owned(),
            files,
            in_all,
        });
    }

    /// Adds a notice about the agent's settings.
    pub fn switch(&mut self, said: String) {
        self.found.add_switch(said);
    }

    /// Adds a setting that prevents files of some folders from being loaded.
    pub fn switch_off(
        &mut self,
        folders: impl IntoIterator<Item = impl AsRef<Path>>,
        files: &[LoadFile],
        said: String,
    ) {
        for folder in folders {
            self.found.switched_off.push(SwitchedOff {
                folder: folder.as_ref().to_owned(),
                names: files.iter().map(|file| file.name).collect(),
                said: said.clone(),
            });
        }
        self.found.switches.push(said);
    }

    /// Whether a folder exists; reports a problem if something else is there, and, if the path was named, if nothing
    /// is.
    fn is_folder(&mut self, path: &Path, named_by: Option<&str>) -> bool {
        self.found.places.push(path.to_owned());
        let shown = self.home.shown(path);
        let problem = match path.symlink_metadata() {
            Ok(found) if found.is_dir() => return true,
            Ok(found) if found.is_symlink() => {
                format!("{shown} is a link, and links are not followed: add the folder it leads to")
            }
            Ok(_) => format!("{shown} is not a folder"),
            Err(error) if is_missing(error.kind()) => match named_by {
                Some(by) => format!("{by} names {shown}, which is not there"),
                None => return false,
            },
            Err(error) => format!("cannot look at {shown}: {}", config::words(&error)),
        };
        self.problem(problem);
        false
    }
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
