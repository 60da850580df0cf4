//! What a config of any known program says of its search.

use std::path::Path;

use serde_json::Value;

use crate::config::{parse_text, read_text};
use crate::include;
use crate::openclaw_search::{
    self, Effect, Known, MemorySearch, Schema, SearchSettings, Setting, SettingGroup, Void, each,
    effect, is_empty_section, openclaw_search, shown,
};
use crate::targets::{basic_memory, octopus, openviking};

/// A config that was read.
pub struct Config {
    /// The program's id, without a version.
    pub program: &'static str,
    /// Its text, with its byte-order mark.
    pub text: String,
    /// What it holds, with the files that it includes.
    pub value: Value,
    /// Which keys its version reads, if it is OpenClaw's.
    pub schema: Schema,
    /// What it says of the search.
    pub settings: SearchSettings,
}

const IGNORED: Effect =
    Effect::Without("no version that was checked reads it; it is ignored with a warning");

impl Config {
    /// What an agent of OpenClaw searches; `agent` names one of the config's agents, whose own settings go over those of all.
    /// `None` for another program.
    pub fn memory_search(&self, agent: Option<&str>) -> Option<MemorySearch> {
        (self.program == "openclaw")
            .then(|| openclaw_search::memory_search(&self.value, self.schema, agent))
    }

    /// What makes the settings of one agent void, most decisive first; empty for other programs than OpenClaw.
    pub fn voids(&self, agent: Option<&str>) -> Vec<Void> {
        if self.program == "openclaw" {
            openclaw_search::voids(&self.value, self.schema, &self.settings, agent)
        } else {
            Vec::new()
        }
    }

    /// The agent that OpenClaw uses if none is named; `None` if that is not known from the config.
    pub fn default_agent(&self) -> Option<String> {
        (self.program == "openclaw")
            .then(|| openclaw_search::default_agent(&self.value, self.schema))
            .flatten()
    }
}

/// Reads the config of a program.
///
/// # Errors
/// What is wrong with the file, for the user: missing, empty, broken (with line and column), too large, a link, somebody else's,
/// of no known program; a file that it includes.
pub fn read_config(path: &Path) -> Result<Config, String> {
    read_config_and_files(path, &mut |_| ())
}

/// The same. `before` is called with every file, the config first, before it is looked for.
///
/// # Errors
/// As [`read_config`].
pub fn read_config_and_files(path: &Path, before: &mut dyn FnMut(&Path)) -> Result<Config, String> {
    before(path);
    let around = path.parent().filter(|it| !it.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new("."));
    let text = read_text(path, around)?.ok_or("there is no such file")?;
    if path
        .extension()
        .is_some_and(|it| it == "yml" || it == "yaml")
    {
        return Err(
            "qmd keeps no search settings in a file; they are arguments of each call".to_owned(),
        );
    }
    let value = parse_text(&text)?;
    let program = program_of(path, &value)
        .ok_or("it is not a config of OpenClaw, OpenViking, basic-memory or Octopus")?;
    let value = match program {
        "openclaw" => include::resolve(value, path, before)?,
        _ => value,
    };
    let schema = Schema::of(&value);
    let settings = match program {
        "openclaw" => openclaw_search(&value, schema),
        "openviking" => flat(&openviking::KEYS, &value, "rerank"),
        "basic-memory" => flat(&basic_memory::KEYS, &value, ""),
        _ => {
            let mut settings = flat(&octopus::KEYS, &value["Octopus"]["Reranker"], "");
            for setting in settings.groups.iter_mut().flat_map(|it| &mut it.settings) {
                setting.key.insert_str(0, "Octopus.Reranker.");
            }
            settings
        }
    };
    Ok(Config {
        program,
        text,
        value,
        schema,
        settings,
    })
}

/// Whose config it is: by the file's name, else by what only that program's configs hold.
fn program_of(path: &Path, value: &Value) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let holds = |keys: &[&str]| keys.iter().any(|key| !value[*key].is_null());
    match name {
        // The names of OpenClaw before 2026.2.
        "openclaw.json" | "clawdbot.json" | "moltbot.json" => Some("openclaw"),
        "ov.conf" => Some("openviking"),
        _ if holds(&["schemaVersion"]) => None,
        _ if holds(&["Octopus"]) => Some("octopus"),
        _ if holds(&[
            "agents",
            "memory",
            "memorySearch",
            "meta",
            "gateway",
            "$include",
        ]) =>
        {
            Some("openclaw")
        }
        _ if holds(&["projects", "semantic_min_similarity"]) => Some("basic-memory"),
        _ if holds(&["storage", "rerank"]) => Some("openviking"),
        _ => None,
    }
}

/// The settings that are known, and of those below `around` also the unknown ones.
fn flat(known: &[Known], config: &Value, around: &str) -> SearchSettings {
    let mut settings = Vec::new();
    each(config, "", &mut |key, value| {
        if is_empty_section(known, key, value) {
            return;
        }
        let is_below = key.split('.').next() == Some(around) && key.contains('.');
        if is_below && !known.iter().any(|(it, ..)| *it == key) && is_of_provider(key) {
            return;
        }
        if is_below || known.iter().any(|(it, ..)| *it == key) {
            settings.push(Setting {
                key: key.to_owned(),
                value: shown(effect(known, key, value, IGNORED), value),
                effect: effect(known, key, value, IGNORED),
            });
        }
    });
    SearchSettings {
        version: None,
        is_before_2026_2: false,
        voids: Vec::new(),
        groups: vec![SettingGroup {
            agent: None,
            settings,
        }],
    }
}

/// Settings of the provider: they rank nothing, and some are secrets that are never read.
fn is_of_provider(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key);
    matches!(
        name,
        "provider"
            | "ak"
            | "sk"
            | "host"
            | "model_name"
            | "model_version"
            | "api_key"
            | "api_base"
            | "model"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Config, String> {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        read_config(&path)
    }

    #[test]
    fn a_config_is_known_by_its_name_or_by_what_it_holds() {
        for (name, text, program) in [
            ("openclaw.json", "{}", "openclaw"),
            ("mine.json5", "{agents: {}}", "openclaw"),
            ("ov.conf", "{}", "openviking"),
            ("mine.json", r#"{"storage": {}}"#, "openviking"),
            ("config.json", r#"{"projects": {}}"#, "basic-memory"),
            ("appsettings.json", r#"{"Octopus": {}}"#, "octopus"),
        ] {
            assert_eq!(read(name, text).map(|it| it.program), Ok(program), "{name}");
        }
        for (name, text) in [("x.json", "{a: 1}"), ("x.json", "{schemaVersion: 1}")] {
            let refused = read(name, text).map(|it| it.program).expect_err(name);
            assert!(refused.contains("it is not a config of"), "{refused}");
        }
        let refused = read("index.yml", "collections: {}").map(|it| it.program);
        assert!(refused.is_err_and(|why| why.contains("qmd keeps no search settings")));
    }

    #[test]
    fn what_openviking_ignores_is_reported_and_its_secrets_are_not_read() {
        let text = r#"{"rerank": {"threshold": "0.2", "max_docs": 5, "surprise": 1, "api_key": "sk-1", "max_input_tokens": 512},
            "default_search_limit": 3, "storage": {"workspace": "/srv"}}"#;
        let settings = read("ov.conf", text).expect("it can be read").settings;
        let listed: Vec<(&str, Effect)> = settings.groups[0]
            .settings
            .iter()
            .map(|it| (it.key.as_str(), it.effect))
            .collect();
        assert_eq!(
            listed,
            [
                ("default_search_limit", openviking::UNREAD),
                ("rerank.max_docs", openviking::PROPOSED),
                (
                    "rerank.max_input_tokens",
                    Effect::NotEmulated("it cuts what the reranker reads, which is not asked here")
                ),
                ("rerank.surprise", IGNORED),
                (
                    "rerank.threshold",
                    Effect::WrongKind("a number, without quotes")
                ),
            ]
        );
    }

    #[test]
    fn the_key_of_octopus_is_known() {
        let text = r#"{"Octopus": {"Reranker": {"TopN": 7, "Provider": "Cohere"}}}"#;
        let settings = read("appsettings.json", text).expect("it can be read");
        let known = &settings.settings.groups[0].settings;
        let known: Vec<_> = known.iter().map(|it| (&*it.key, it.effect)).collect();
        let sets = Effect::Sets("octopus.top_n");
        assert_eq!(known, [("Octopus.Reranker.TopN", sets)]);
        for text in [r#"{"Octopus": {}}"#, r#"{"Octopus": {"Reranker": 3}}"#] {
            let settings = read("appsettings.json", text).expect("it can be read");
            assert!(settings.settings.groups[0].settings.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_no_config_is_reported_in_words() {
        let deep = "[".repeat(1000);
        for (text, message) in [
            ("", "it is empty"),
            ("\u{feff}  \n", "it is empty"),
            ("[1]", "it holds no settings by name"),
            ("{\n  memory: {search: }\n}", "line 2, column"),
            ("{memory: {", "line 1: it ends too early"),
            (&deep, "it is nested deeper than 128 levels"),
        ] {
            let refused = read("openclaw.json", text)
                .map(|it| it.program)
                .expect_err(message);
            assert!(refused.contains(message), "{refused}");
        }
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let refused = |path: &Path| read_config(path).map(|it| it.program);
        let missing = refused(&dir.path().join("none.json"));
        assert_eq!(missing, Err("there is no such file".to_owned()));
        assert_eq!(refused(dir.path()), Err("it is a folder".to_owned()));
    }
}
