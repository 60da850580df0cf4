//! The config of Codex, merged as the program merges it for sessions in one folder.
//!
//! Seen in the published program 0.169.0: in a project that the user's config trusts, `.codex/config.toml` of each folder from the project's
//! root down to the session's goes before the user's file. With a value of the wrong kind, or a file that is not TOML, Codex does not start.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agents::codex_root;
use crate::always::chain::{down, git_root};
use crate::config::{self, Format};
use crate::home::Home;
use crate::openclaw_search::Kind;

/// Keys that decide what is loaded; dots separate tables.
const KEYS: &[(&str, Kind)] = &[
    ("project_doc_max_bytes", Kind::CountOrNone),
    ("project_doc_fallback_filenames", Kind::Texts),
    ("project_root_markers", Kind::Texts),
    ("features.memories", Kind::Toggle),
    ("memories.use_memories", Kind::Toggle),
];

/// Bytes of all instruction files of a project, if the config does not say.
const PROJECT_BYTES: u64 = 32_768;

/// The config that holds for sessions in one folder.
pub(crate) struct CodexSettings {
    /// The user's first; a later file goes before an earlier one.
    layers: Vec<Layer>,
    /// Problems of its files, for the user.
    pub findings: Vec<String>,
}

struct Layer {
    /// The file, as the user writes it.
    shown: String,
    value: Value,
}

impl CodexSettings {
    /// The user's config, whether or not it is there.
    pub fn file(home: &Home) -> PathBuf {
        codex_root(home).join("config.toml")
    }

    pub fn read(home: &Home, cwd: Option<&Path>) -> CodexSettings {
        let mut settings = CodexSettings {
            layers: Vec::new(),
            findings: Vec::new(),
        };
        let user = CodexSettings::file(home);
        settings.add(home, &user);
        let Some(cwd) = cwd else { return settings };
        let root = settings.project_root(cwd);
        let files: Vec<PathBuf> = down(&root, cwd)
            .into_iter()
            .filter(|folder| settings.trust(folder) == Some("trusted"))
            .map(|folder| folder.join(".codex/config.toml"))
            .filter(|file| *file != user)
            .collect();
        for file in files {
            settings.add(home, &file);
        }
        settings
    }

    fn add(&mut self, home: &Home, path: &Path) {
        let shown = home.shown(path);
        match config::read(path, Format::Toml, home.folder()) {
            Ok(None) => {}
            Ok(Some(value)) => {
                for (key, kind) in KEYS {
                    let found = at(&value, key);
                    if let Some(takes) = kind.refuses(found).filter(|_| !found.is_null()) {
                        self.findings.push(format!(
                            "{shown}: {key} has to be {takes}, so Codex does not start"
                        ));
                    }
                }
                self.layers.push(Layer { shown, value });
            }
            Err(why) => self.findings.push(format!("cannot read {shown}: {why}")),
        }
    }

    /// The folder in which the instruction files of a session begin: the nearest one above that holds a marker.
    pub fn project_root(&self, cwd: &Path) -> PathBuf {
        let root = match self.texts("project_root_markers") {
            None => git_root(cwd),
            Some(markers) => cwd.ancestors().find(|folder| {
                markers
                    .iter()
                    .any(|marker| folder.join(marker).symlink_metadata().is_ok())
            }),
        };
        root.unwrap_or(cwd).to_owned()
    }

    /// The trust level of a folder in the user's config: its own, else that of its repository.
    fn trust(&self, folder: &Path) -> Option<&str> {
        let resolved =
            |path: &Path| memlens_files::canonical(path).unwrap_or_else(|_| path.to_owned());
        let projects = self.layers.first()?.value["projects"].as_object()?;
        let of = |wanted: &Path| {
            let wanted = resolved(wanted);
            let mut projects = projects.iter();
            let (_, project) = projects.find(|(path, _)| resolved(Path::new(path)) == wanted)?;
            project["trust_level"].as_str()
        };
        of(folder).or_else(|| of(git_root(folder)?))
    }

    /// Whether the user's config marks the project of a session's folder as untrusted. Codex loads no instruction file of it.
    pub fn distrusts(&self, cwd: &Path) -> bool {
        self.trust(cwd) == Some("untrusted")
    }

    /// Maximum number of bytes of all instruction files of a project.
    pub fn project_bytes(&self) -> u64 {
        let set = self.last("project_doc_max_bytes").map(|(value, _)| value);
        set.and_then(Value::as_u64).unwrap_or(PROJECT_BYTES)
    }

    /// Names of instruction files that are looked for in each folder of a project, after the usual ones.
    pub fn fallback_names(&self) -> Vec<String> {
        let names = self.texts("project_doc_fallback_filenames");
        let names = names.unwrap_or_default().into_iter();
        names
            .map(|name| name.trim().to_owned())
            // A name with folders in it is not looked for.
            .filter(|name| !name.is_empty() && !name.contains(['/', '\\']))
            .collect()
    }

    /// The setting by which nothing of the memories is loaded, in words.
    pub fn no_memories(&self) -> Option<String> {
        ["features.memories", "memories.use_memories"]
            .into_iter()
            .find_map(|key| match self.last(key)? {
                (Value::Bool(false), shown) => Some(format!("{key} is false in {shown}")),
                _ => None,
            })
    }

    /// Whether the config switches memories on, without which Codex does not load them.
    pub fn has_memories(&self) -> bool {
        matches!(self.last("features.memories"), Some((Value::Bool(true), _)))
    }

    /// The value that counts, with its file. Values of the wrong kind do not count.
    fn last(&self, key: &str) -> Option<(&Value, &str)> {
        let (_, kind) = KEYS.iter().find(|(name, _)| *name == key)?;
        let mut layers = self.layers.iter().rev();
        layers.find_map(|layer| {
            let value = at(&layer.value, key);
            kind.refuses(value)
                .is_none()
                .then_some((value, layer.shown.as_str()))
        })
    }

    fn texts(&self, key: &str) -> Option<Vec<String>> {
        let (value, _) = self.last(key)?;
        let texts = value.as_array()?.iter().filter_map(Value::as_str);
        Some(texts.map(str::to_owned).collect())
    }
}

fn at<'v>(value: &'v Value, key: &str) -> &'v Value {
    key.split('.').fold(value, |value, name| &value[name])
}
