//! The home folder and the environment in which agents are searched.
//!
//! Properties checked: an empty variable is none; `~` and `$HOME` are expanded, and nothing else is.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
}

impl Home {
    /// Home of the user that runs this process, with its environment; `None` if the system has no home folder for them.
    pub fn of_process() -> Option<Home> {
        let folder = std::env::home_dir().filter(|folder| folder.is_absolute())?;
        let set = |name: &&str| Some(((*name).to_owned(), std::env::var_os(name)?));
        Some(Home {
            folder,
            variables: VARIABLES.iter().filter_map(set).collect(),
        })
    }

    /// A home folder with an empty environment.
    pub fn new(folder: &Path) -> Home {
        Home {
            folder: folder.to_owned(),
            variables: BTreeMap::new(),
        }
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
        if cfg!(target_os = "macos") {
            self.join("Library/Application Support")
        } else if cfg!(windows) {
            self.folder_of("APPDATA", "AppData/Roaming")
        } else {
            self.folder_of("XDG_CONFIG_HOME", ".config")
        }
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
