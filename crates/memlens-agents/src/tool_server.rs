//! Memlens as a server of tools (MCP) in an agent's config: where the config is, and the entry in its text.
//!
//! Each form was checked by letting the agent's published program list an entry written in it; the version is that of the
//! agent's [`Source`](crate::Source).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::agents::{self, claude_code_root, codex_root, gemini_cli_root, openclaw_config};
use crate::config::{Format, parse, read_text};
use crate::home::Home;
use crate::{edit, edit_toml, include};

const NAME: &str = "memlens";

/// Agents whose config can name Memlens as a server of tools.
pub static TOOL_SERVER_CONFIGS: [ToolServerConfig; 4] = [
    ToolServerConfig {
        agent: "claude-code",
        place: claude_code,
        format: Format::PlainJson,
        above: &["mcpServers"],
        kind: Some("stdio"),
        reload: "sessions that begin from now on",
    },
    ToolServerConfig {
        agent: "codex",
        place: |home| codex_root(home).join("config.toml"),
        format: Format::Toml,
        above: &["mcp_servers"],
        kind: None,
        reload: "sessions that begin from now on",
    },
    ToolServerConfig {
        agent: "gemini-cli",
        place: |home| gemini_cli_root(home).join("settings.json"),
        format: Format::Json,
        above: &["mcpServers"],
        kind: None,
        reload: "sessions that begin from now on, in folders that you trust",
    },
    ToolServerConfig {
        agent: "openclaw",
        place: openclaw_config,
        format: Format::Json,
        above: &["mcp", "servers"],
        kind: None,
        reload: "the turns after `openclaw mcp reload`",
    },
];

/// How an agent's config names a server of tools.
pub struct ToolServerConfig {
    agent: &'static str,
    place: fn(&Home) -> PathBuf,
    format: Format,
    above: &'static [&'static str],
    /// Value of the key `type`; `None` if the entry has none.
    kind: Option<&'static str>,
    /// When the agent uses a changed config.
    pub reload: &'static str,
}

/// The command by which an agent starts Memlens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Path of the program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Launch {
    /// The command line, for the user to read.
    pub fn line(&self) -> String {
        let words = [&self.command].into_iter().chain(&self.args);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The value of an option, such as `--agent x` or `--agent=x`; `None` if it is not given.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            match word.strip_prefix(name) {
                Some("") => return words.next().map(String::as_str),
                Some(value) if value.starts_with('=') => return Some(&value[1..]),
                Some(_) | None => {}
            }
        }
        None
    }
}

/// What a config holds under Memlens's name.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolServerEntry {
    /// Nothing.
    Absent,
    /// An entry that starts `memlens serve --mcp`.
    Own {
        /// The command that it starts.
        launch: Launch,
        /// Variables that it sets for the command.
        environment: Vec<(String, String)>,
        /// The folder in which it starts the command; `None` for the agent's own.
        folder: Option<String>,
        /// Its keys that Memlens does not write.
        other_keys: Vec<String>,
    },
    /// An entry that starts something else.
    Foreign {
        /// The program that it starts; `None` if it names none.
        command: Option<String>,
    },
    /// An entry in a file that the config includes.
    Included,
}

impl ToolServerConfig {
    /// The config of an agent; `None` if Memlens knows none of this id.
    pub fn of(agent: &str) -> Option<&'static ToolServerConfig> {
        TOOL_SERVER_CONFIGS.iter().find(|it| it.agent == agent)
    }

    /// Id of the agent.
    pub fn id(&self) -> &'static str {
        self.agent
    }

    /// The agent.
    pub fn agent(&self) -> &'static Agent {
        agents::agent(self.agent).expect("every config is of a known agent")
    }

    /// Where the config is, whether or not it is there.
    pub fn place(&self, home: &Home) -> PathBuf {
        (self.place)(home)
    }

    /// The folder of the agent's settings, which is there if the agent was used.
    pub fn folder(&self, home: &Home) -> PathBuf {
        match self.agent {
            "claude-code" => claude_code_root(home),
            _ => self
                .place(home)
                .parent()
                .unwrap_or(home.folder())
                .to_owned(),
        }
    }

    /// Text of the config; `None` if it is absent.
    ///
    /// # Errors
    /// Why it is not read, for the user: a link, another user's file, a file that is too large or no text, the system's error.
    pub fn read(&self, home: &Home) -> Result<Option<String>, String> {
        let older = claude_code_root(home).join(".config.json");
        if self.agent == "claude-code" && older.symlink_metadata().is_ok() {
            let older = home.shown(&older);
            return Err(format!(
                "there is the older config {older} too, and Claude Code may use that"
            ));
        }
        read_text(&self.place(home), home.folder())
    }

    /// Keys that lead to the entry, as users write them.
    pub fn key(&self) -> String {
        self.keys().join(".")
    }

    /// The entry as a config of its own, with nothing else.
    pub fn snippet(&self, launch: &Launch) -> String {
        match self.format {
            Format::Toml => edit_toml::table(&self.keys(), &self.values(launch)),
            Format::Json | Format::PlainJson | Format::Yaml => edit::fragment(&self.puts(launch)),
        }
    }

    /// Text of a config that holds nothing.
    pub fn empty(&self) -> &'static str {
        match self.format {
            Format::Toml => "",
            Format::Json | Format::PlainJson | Format::Yaml => "{}\n",
        }
    }

    /// What a config at `path` with this text holds under Memlens's name.
    ///
    /// # Errors
    /// The problem of the text, for the user.
    pub fn entry(&self, text: &str, path: &Path) -> Result<ToolServerEntry, String> {
        let value = parse(text, self.format)?;
        let keys = self.keys();
        let at = |value: &Value| {
            let found = keys.iter().try_fold(value, |at, key| at.get(key));
            found.cloned()
        };
        if let Some(found) = at(&value) {
            return Ok(self.whose(&found));
        }
        // A config whose includes cannot be read is the agent's to report.
        let all = include::resolve(value, path, &mut |_| ()).unwrap_or_default();
        Ok(match at(&all) {
            Some(_) => ToolServerEntry::Included,
            None => ToolServerEntry::Absent,
        })
    }

    fn whose(&self, entry: &Value) -> ToolServerEntry {
        let command = entry["command"].as_str().unwrap_or_default();
        let args: Vec<&str> = entry["args"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let serves = args.windows(2).any(|two| two == ["serve", "--mcp"]);
        let is_own = serves && is_program(Path::new(command));
        let Some(fields) = entry.as_object().filter(|_| is_own) else {
            let command = Some(command.to_owned()).filter(|command| !command.is_empty());
            return ToolServerEntry::Foreign { command };
        };
        let own = ["type", "command", "args"];
        let others = fields.keys().filter(|key| !own.contains(&key.as_str()));
        let variables = entry["env"].as_object().into_iter().flatten();
        let variables =
            variables.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        ToolServerEntry::Own {
            environment: variables.collect(),
            folder: entry["cwd"].as_str().map(str::to_owned),
            other_keys: others.cloned().collect(),
            launch: Launch {
                command: command.to_owned(),
                args: args.into_iter().map(str::to_owned).collect(),
            },
        }
    }

    /// The text of a config with the entry. Other keys of an entry that is there stay.
    ///
    /// # Errors
    /// Why the text cannot be changed, for the user.
    pub fn with_entry(&self, text: &str, launch: &Launch) -> Result<String, String> {
        match self.format {
            Format::Toml => edit_toml::edited(text, &self.keys(), &self.values(launch)),
            Format::Json | Format::PlainJson | Format::Yaml => {
                edit::edited(text, &self.puts(launch))
            }
        }
    }

    /// The text of a config without the entry.
    ///
    /// # Errors
    /// As [`ToolServerConfig::with_entry`].
    pub fn without_entry(&self, text: &str) -> Result<String, String> {
        let keys = self.keys();
        match self.format {
            Format::Toml => edit_toml::removed(text, &keys),
            Format::Json | Format::PlainJson | Format::Yaml => {
                let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
                edit::removed(text, &keys)
            }
        }
    }

    /// Changes from one text of the config to another, as a unified diff. Texts and comments are left out, because they may be
    /// secrets, except those of `launch`.
    pub fn diff(&self, before: &str, after: &str, launch: &Launch) -> String {
        let command = [&launch.command].into_iter().chain(&launch.args);
        let words: Vec<&str> = command.map(String::as_str).chain(self.kind).collect();
        match self.format {
            Format::Toml => edit_toml::diff(before, after, &words),
            Format::Json | Format::PlainJson | Format::Yaml => edit::diff(before, after, &words),
        }
    }

    fn keys(&self) -> Vec<&'static str> {
        self.above.iter().copied().chain([NAME]).collect()
    }

    fn values(&self, launch: &Launch) -> Vec<(&'static str, Value)> {
        let kind = self.kind.map(|kind| ("type", json!(kind)));
        let start = [
            ("command", json!(launch.command)),
            ("args", json!(launch.args)),
        ];
        kind.into_iter().chain(start).collect()
    }

    fn puts(&self, launch: &Launch) -> Vec<edit::Put> {
        let keys = self.keys();
        let path = |key: &str| {
            keys.iter()
                .copied()
                .chain([key])
                .map(str::to_owned)
                .collect()
        };
        let values = self.values(launch).into_iter();
        values.map(|(key, value)| (path(key), value)).collect()
    }
}

/// Whether a command is this program, or an AppImage of it, whose name has the version.
fn is_program(command: &Path) -> bool {
    let name = command.file_stem().and_then(|name| name.to_str());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let is_image = command
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("AppImage"));
    name == NAME || (is_image && name.starts_with(NAME))
}

/// The config of the user, which `claude mcp add --scope user` changes.
fn claude_code(home: &Home) -> PathBuf {
    let folder = home
        .variable("CLAUDE_CONFIG_DIR")
        .map(|_| claude_code_root(home));
    folder
        .unwrap_or_else(|| home.folder().to_owned())
        .join(".claude.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        Launch {
            command: "/usr/bin/memlens".to_owned(),
            args: ["serve", "--mcp", "--agent", "x"]
                .map(str::to_owned)
                .to_vec(),
        }
    }

    #[test]
    fn an_entry_is_added_recognised_and_removed() {
        for config in &TOOL_SERVER_CONFIGS {
            let path = Path::new("/nowhere/config");
            let text = config.empty();
            assert_eq!(config.entry(text, path), Ok(ToolServerEntry::Absent));
            let with = config.with_entry(text, &launch()).expect(config.agent);
            let own = ToolServerEntry::Own {
                launch: launch(),
                environment: Vec::new(),
                folder: None,
                other_keys: Vec::new(),
            };
            assert_eq!(config.entry(&with, path), Ok(own.clone()));
            assert_eq!(config.entry(&config.snippet(&launch()), path), Ok(own));
            let image = with.replace("/usr/bin/memlens", "/opt/Memlens-0.1.0.AppImage");
            let is_own = |text: &str| {
                let entry = config.entry(text, path);
                matches!(entry, Ok(ToolServerEntry::Own { .. }))
            };
            assert!(is_own(&image), "{image}");
            assert!(!is_own(&image.replace("Memlens-", "Other-")));
            let changed = with.replace("/usr/bin/memlens", "/usr/bin/other");
            let foreign = |command: &str| {
                let command = Some(command.to_owned());
                Ok(ToolServerEntry::Foreign { command })
            };
            assert_eq!(config.entry(&changed, path), foreign("/usr/bin/other"));
            let changed = with.replace("--mcp", "--http");
            assert_eq!(config.entry(&changed, path), foreign("/usr/bin/memlens"));
            assert_eq!(config.without_entry(&with).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_diff_shows_the_entry_and_no_other_text() {
        for config in &TOOL_SERVER_CONFIGS {
            let text = match config.format {
                Format::Toml => "key = \"secret\" # secret\n[a]\nb = 'secret'\n",
                Format::Json | Format::PlainJson | Format::Yaml => "{\n  \"key\": \"secret\"\n}\n",
            };
            let with = config.with_entry(text, &launch()).expect(config.agent);
            let diff = config.diff(text, &with, &launch());
            for shown in ["+", "/usr/bin/memlens", "--agent"] {
                assert!(diff.contains(shown), "{}: {diff}", config.agent);
            }
            // A change of the entry shows neither what others wrote into it nor what is around it.
            let theirs = with.replace("/usr/bin/memlens", "/secret/memlens");
            let diff = config.diff(&theirs, &with, &launch());
            assert!(
                diff.contains("/usr/bin/memlens") && !diff.contains("secret"),
                "{diff}"
            );
            assert_eq!(config.diff(&with, &with, &launch()), "");
        }
    }

    #[test]
    fn the_config_is_where_the_environment_says() {
        let home = Home::new(Path::new("/home/iris"));
        let places = || {
            let home = &home;
            TOOL_SERVER_CONFIGS
                .iter()
                .map(move |config| config.place(home))
        };
        let usual: Vec<PathBuf> = places().collect();
        assert_eq!(
            usual,
            [
                "/home/iris/.claude.json",
                "/home/iris/.codex/config.toml",
                "/home/iris/.gemini/settings.json",
                "/home/iris/.openclaw/openclaw.json"
            ]
            .map(PathBuf::from)
        );
        let home = home
            .clone()
            .with("CLAUDE_CONFIG_DIR", "/etc/claude")
            .with("CODEX_HOME", "/etc/codex");
        assert_eq!(claude_code(&home), Path::new("/etc/claude/.claude.json"));
        assert_eq!(
            ToolServerConfig::of("codex").map(|config| config.place(&home)),
            Some(PathBuf::from("/etc/codex/config.toml"))
        );
    }
}
