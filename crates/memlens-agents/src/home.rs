//! The home folder and the environment in which agents are searched.
//!
//! Properties checked: an empty variable is none; `~` and `$HOME` are expanded, and nothing else is; each system has its
//! own folders for settings and data.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use memlens_files::System;

/// [`Home::VARIABLES`], in alphabetical order.
const VARIABLES: &[&str] = &[
    "APPDATA",
    "BASIC_MEMORY_CONFIG_DIR",
    "BASIC_MEMORY_HOME",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "HERMES_HOME",
    "LETTA_LOCAL_BACKEND_DIR",
    "LETTA_MEMORY_DIR",
    "LOCALAPPDATA",
    "MEMORY_DIR",
    "MEMSEARCH_DIR",
    "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_PROFILE",
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_WORKSPACE_DIR",
    "OPENVIKING_CONFIG_FILE",
    "QMD_CONFIG_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
];

/// Home folder and environment in which agents are searched.
#[derive(Debug, Clone)]
pub struct Home {
    folder: PathBuf,
    variables: BTreeMap<String, OsString>,
    system: System,
}

impl Home {
    /// Home of the user that runs this process, with its environment; `None` if the system has no home folder for them.
    pub fn of_process() -> Option<Home> {
        let folder = std::env::home_dir().filter(|folder| folder.is_absolute())?;
        let set = |name: &&str| Some(((*name).to_owned(), std::env::var_os(name)?));
        Some(Home {
            folder,
            variables: VARIABLES.iter().filter_map(set).collect(),
            system: System::CURRENT,
        })
    }

    /// A home folder with an empty environment.
    pub fn new(folder: &Path) -> Home {
        Home {
            folder: folder.to_owned(),
            variables: BTreeMap::new(),
            system: System::CURRENT,
        }
    }

    /// The same home on another system.
    #[must_use]
    pub fn on(mut self, system: System) -> Home {
        self.system = system;
        self
    }

    /// System whose agents are searched.
    pub fn system(&self) -> System {
        self.system
    }

    /// The same home with a variable of its environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Home {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Absolute path of the home folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path as users write it: with `~` for the home folder.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.folder) {
            Ok(inner) if inner.as_os_str().is_empty() => "~".to_owned(),
            Ok(inner) => Path::new("~").join(inner).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    pub(crate) fn join(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Value of an environment variable; `None` if it is unset or empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(name)?;
        (!value.is_empty()).then_some(value)
    }

    /// The folder that a variable names, else `relative` to the home folder.
    pub(crate) fn folder_of(&self, name: &str, relative: &str) -> PathBuf {
        self.variable(name)
            .and_then(|value| self.expanded(&value.to_string_lossy()))
            .unwrap_or_else(|| self.join(relative))
    }

    /// The absolute path for a path in a config or variable; `None` if it is not absolute.
    pub(crate) fn expanded(&self, named: &str) -> Option<PathBuf> {
        let inner = ["~", "$HOME", "${HOME}"]
            .into_iter()
            .find_map(|home| named.strip_prefix(home))
            .filter(|inner| inner.is_empty() || inner.starts_with(std::path::is_separator));
        match inner {
            Some(inner) => Some(
                self.folder
                    .join(inner.trim_start_matches(std::path::is_separator)),
            ),
            None => Some(PathBuf::from(named)).filter(|path| path.is_absolute()),
        }
    }

    /// Where programs of a desktop keep their settings.
    pub(crate) fn desktop_settings(&self) -> PathBuf {
        match self.system {
            System::MacOs => self.join("Library/Application Support"),
            System::Windows => self.folder_of("APPDATA", "AppData/Roaming"),
            System::Linux => self.folder_of("XDG_CONFIG_HOME", ".config"),
        }
    }

    /// Where programs of Windows keep data that stays on this machine.
    pub(crate) fn local_data(&self) -> PathBuf {
        self.folder_of("LOCALAPPDATA", "AppData/Local")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_expanded() {
        let home = Home::new(Path::new("/home/iris"));
        for (named, expected) in [
            ("~", Some("/home/iris")),
            ("~/notes", Some("/home/iris/notes")),
            ("~//notes", Some("/home/iris/notes")),
            ("$HOME/notes", Some("/home/iris/notes")),
            ("${HOME}/notes", Some("/home/iris/notes")),
            ("/srv/notes", Some("/srv/notes")),
            ("~other/notes", None),
            ("$HOMES/notes", None),
            ("notes", None),
            ("", None),
        ] {
            assert_eq!(
                home.expanded(named).as_deref(),
                expected.map(Path::new),
                "{named}"
            );
        }
    }

    #[test]
    fn an_empty_variable_is_none() {
        let home = Home::new(Path::new("/home/iris"));
        assert_eq!(
            home.folder_of("CODEX_HOME", ".codex"),
            Path::new("/home/iris/.codex")
        );
        for (value, expected) in [
            ("", "/home/iris/.codex"),
            ("relative", "/home/iris/.codex"),
            ("/srv/codex", "/srv/codex"),
            ("~/codex", "/home/iris/codex"),
        ] {
            let home = home.clone().with("CODEX_HOME", value);
            assert_eq!(
                home.folder_of("CODEX_HOME", ".codex"),
                Path::new(expected),
                "{value}"
            );
        }
    }

    #[test]
    fn each_system_has_its_own_folder_for_settings() {
        let home = Home::new(Path::new("/home/iris"));
        for (system, variable, usual) in [
            (System::Linux, Some("XDG_CONFIG_HOME"), "/home/iris/.config"),
            (
                System::MacOs,
                None,
                "/home/iris/Library/Application Support",
            ),
            (
                System::Windows,
                Some("APPDATA"),
                "/home/iris/AppData/Roaming",
            ),
        ] {
            let home = home.clone().on(system);
            assert_eq!(home.desktop_settings(), Path::new(usual));
            for named in ["XDG_CONFIG_HOME", "APPDATA"] {
                let moved = home.clone().with(named, "/srv/settings");
                let expected = if variable == Some(named) {
                    "/srv/settings"
                } else {
                    usual
                };
                assert_eq!(moved.desktop_settings(), Path::new(expected), "{system:?}");
            }
        }
    }

    #[test]
    fn paths_are_shown_from_home() {
        let home = Home::new(Path::new("/home/iris"));
        for (path, expected) in [
            ("/home/iris", "~"),
            ("/home/iris/.codex", "~/.codex"),
            ("/home/irish", "/home/irish"),
        ] {
            assert_eq!(home.shown(Path::new(path)), expected);
        }
    }
}
