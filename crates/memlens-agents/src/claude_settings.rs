//! The settings of Claude Code, merged as the program merges them for sessions in one folder.
//!
//! Seen in the published program 2.1.332: the local settings of the session's own folder go before its shared ones, and these before
//! the user's. Settings of the git root do not count in a folder below it. A file that is not plain JSON, or that holds a value of
//! the wrong kind, is ignored as a whole. Variables in `env` of the settings go before the environment.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agents::claude_code_root;
use crate::config::{self, Format};
use crate::home::Home;
use crate::openclaw_search::Kind;

/// Keys that decide what is loaded.
const KEYS: &[(&str, Kind)] = &[
    ("autoMemoryEnabled", Kind::Toggle),
    ("autoMemoryDirectory", Kind::Text),
    ("claudeMdExcludes", Kind::Texts),
    ("env", Kind::Object),
];

const NO_MEMORY: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
const NO_INSTRUCTIONS: &str = "CLAUDE_CODE_DISABLE_CLAUDE_MDS";

/// The settings that hold for sessions in one folder.
pub(crate) struct ClaudeSettings<'a> {
    home: &'a Home,
    /// The user's first; a later file goes before an earlier one.
    layers: Vec<Layer>,
    /// Problems of files that Claude Code ignores or that cannot be read, for the user.
    pub findings: Vec<String>,
}

struct Layer {
    /// The file, as the user writes it.
    shown: String,
    value: Value,
}

/// Where `MEMORY.md` is loaded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MemoryFrom {
    /// The memory folder of the project.
    Usual,
    /// The folder that a setting names, whether or not it is there.
    Folder {
        folder: PathBuf,
        /// The setting: `autoMemoryDirectory in ~/.claude/settings.json`.
        by: String,
    },
    /// Nowhere. The setting, in words.
    Nowhere(String),
}

impl<'a> ClaudeSettings<'a> {
    /// The files that hold settings for sessions in a folder, whether or not they are there. `None`: those of the user.
    pub fn files(home: &Home, cwd: Option<&Path>) -> Vec<PathBuf> {
        let mut files = vec![claude_code_root(home).join("settings.json")];
        for name in ["settings.json", "settings.local.json"] {
            let file = cwd.map(|cwd| cwd.join(".claude").join(name));
            files.extend(file.filter(|file| *file != files[0]));
        }
        files
    }

    pub fn read(home: &'a Home, cwd: Option<&Path>) -> ClaudeSettings<'a> {
        let mut settings = ClaudeSettings {
            home,
            layers: Vec::new(),
            findings: Vec::new(),
        };
        for path in ClaudeSettings::files(home, cwd) {
            let shown = home.shown(&path);
            match config::read(&path, Format::PlainJson, home.folder()) {
                Ok(None) => {}
                Ok(Some(value)) => match wrong_kind(&value) {
                    Some(why) => settings.findings.push(format!(
                        "{shown}: {why}, so Claude Code ignores the whole file"
                    )),
                    None => settings.layers.push(Layer { shown, value }),
                },
                Err(why) => settings
                    .findings
                    .push(format!("cannot read {shown}: {why}")),
            }
        }
        settings
    }

    /// Where the `MEMORY.md` of a session comes from.
    pub fn memory(&mut self) -> MemoryFrom {
        if let Some(why) = self.no_instructions() {
            return MemoryFrom::Nowhere(why);
        }
        match self.variable(NO_MEMORY) {
            Some((true, why)) => return MemoryFrom::Nowhere(why),
            // A variable that switches it off takes precedence over the setting.
            Some((false, _)) => {}
            None => {
                if let Some((Value::Bool(false), shown)) = self.last("autoMemoryEnabled") {
                    let why = format!("autoMemoryEnabled is false in {shown}");
                    return MemoryFrom::Nowhere(why);
                }
            }
        }
        let Some((Value::String(named), shown)) = self.last("autoMemoryDirectory") else {
            return MemoryFrom::Usual;
        };
        let by = format!("autoMemoryDirectory in {shown}");
        let below_home = named.strip_prefix("~/").filter(|it| !it.is_empty());
        let folder = match below_home {
            Some(inner) => self.home.folder().join(inner),
            None => PathBuf::from(named),
        };
        if folder.is_absolute() {
            return MemoryFrom::Folder { folder, by };
        }
        let finding = format!(
            "{by} is {named:?}, which is neither absolute nor below ~/, so Claude Code takes the usual folder"
        );
        self.findings.push(finding);
        MemoryFrom::Usual
    }

    /// The setting by which neither `CLAUDE.md` files nor `MEMORY.md` are loaded, in words.
    pub fn no_instructions(&self) -> Option<String> {
        let (is_on, why) = self.variable(NO_INSTRUCTIONS)?;
        is_on.then_some(why)
    }

    /// Patterns of instruction files that are not loaded, each with the file that names it.
    pub fn excludes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.layers.iter().flat_map(|layer| {
            let patterns = layer.value["claudeMdExcludes"].as_array();
            let patterns = patterns.into_iter().flatten().filter_map(Value::as_str);
            patterns.map(|pattern| (pattern, layer.shown.as_str()))
        })
    }

    /// The value that counts, with its file.
    fn last(&self, key: &str) -> Option<(&Value, &str)> {
        let mut layers = self.layers.iter().rev();
        layers.find_map(|layer| {
            let value = &layer.value[key];
            (!value.is_null()).then_some((value, layer.shown.as_str()))
        })
    }

    /// Whether a variable is on or off by name, with where it is set; `None` if it is neither.
    fn variable(&self, name: &str) -> Option<(bool, String)> {
        let of_settings = self.layers.iter().rev().find_map(|layer| {
            let value = match &layer.value["env"][name] {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(on) => on.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            Some((value, format!("{name} is set in {}", layer.shown)))
        });
        let (value, why) = of_settings.or_else(|| {
            let value = self.home.variable(name)?.to_string_lossy().into_owned();
            Some((value, format!("{name} is set")))
        })?;
        match &*value.trim().to_ascii_lowercase() {
            "1" | "true" | "yes" | "on" => Some((true, why)),
            "0" | "false" | "no" | "off" => Some((false, why)),
            _ => None,
        }
    }
}

/// The first key whose value Claude Code refuses, in words.
fn wrong_kind(settings: &Value) -> Option<String> {
    KEYS.iter().find_map(|(key, kind)| {
        let value = &settings[*key];
        let takes = kind.refuses(value).filter(|_| !value.is_null())?;
        Some(format!("{key} has to be {takes}"))
    })
}
