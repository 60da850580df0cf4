//! Resolves one agent's memory search from the config as OpenClaw does: which notes, by which words, and whether at all.
//!
//! Source: `resolveMemorySearchConfig` and `resolveMemorySearchSourcePolicy` in the packages 2026.7.35 and 2026.9.6, and the
//! same of 2026.2.12.

use std::fmt;

use serde_json::Value;

use super::{AgentEntry, Schema, is_before_2026_2, root};

/// The memory search of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySearch {
    /// The setting by which no note is ever found; `None` if notes are searched.
    pub switched_off: Option<SearchOff>,
    /// Whether the tool searches session transcripts.
    pub searches_sessions: bool,
    /// What is searched besides the workspace: those of all agents, then the agent's own.
    pub extra_paths: Vec<ExtraPath>,
    /// The tokenizer of the word index: `unicode61` or `trigram`.
    pub tokenizer: String,
    /// Whether qmd searches in place of OpenClaw; up to 2026.7.
    pub uses_qmd: bool,
    /// Whether only words are searched: no embedding model (`provider` is `none`).
    pub is_words_only: bool,
    /// Whether only vectors are searched (`query.hybrid.enabled` is false); up to 2026.7.
    pub is_vectors_only: bool,
}

/// A setting by which no note is ever found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchOff {
    /// The search is switched off.
    Disabled {
        /// Key that does it: `memory.search.enabled`.
        key: String,
    },
    /// Only session transcripts are searched.
    SessionsOnly {
        /// Key that does it: `memory.search.sources`.
        key: String,
    },
}

impl fmt::Display for SearchOff {
    /// The key with its value: `memory.search.enabled is false`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchOff::Disabled { key } => write!(f, "{key} is false"),
            SearchOff::SessionsOnly { key } => write!(f, "{key} names sessions alone"),
        }
    }
}

/// A folder or file outside the usual places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraPath {
    /// As the config writes it: absolute, from `~`, or relative to the workspace.
    pub path: String,
    /// Which files of a folder, separated by `/`; `None` for all notes. Since 2026.8.
    pub pattern: Option<String>,
    /// The key that names it: `memory.search.extraPaths`.
    pub key: String,
}

impl MemorySearch {
    /// Differences of the emulated search, one sentence each.
    pub fn not_emulated(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.is_words_only {
            sentences.push("OpenClaw searches by words alone there (provider is \"none\"); the emulation searches vectors too".to_owned());
        }
        if self.is_vectors_only {
            sentences.push("OpenClaw searches by vectors alone there (query.hybrid.enabled is false); the emulation searches words too".to_owned());
        }
        if self.tokenizer != "unicode61" {
            sentences.push(format!(
                "OpenClaw splits texts by {} there (store.fts.tokenizer); the emulation splits them by unicode61",
                memlens_params::brief(&self.tokenizer)
            ));
        }
        sentences
    }
}

/// Settings of the search in one place of a config.
struct Layer<'v> {
    /// Their path in the config.
    place: String,
    value: &'v Value,
}

/// Where the settings of one agent's search are, those of all agents first. A later place overrides an earlier one.
fn layers<'v>(config: &'v Value, schema: Schema, entry: Option<&AgentEntry<'v>>) -> Vec<Layer<'v>> {
    let mut layers = Vec::new();
    if is_before_2026_2(config) {
        layers.push(Layer {
            place: "memorySearch".to_owned(),
            value: &config["memorySearch"],
        });
    }
    let shared = root(schema);
    layers.push(Layer {
        place: shared.join("."),
        value: shared.iter().fold(config, |at, key| &at[*key]),
    });
    layers.extend(entry.map(|entry| {
        let (place, value) = entry.search(schema);
        Layer { place, value }
    }));
    layers
}

/// The key that names further folders for all agents.
pub(crate) fn extra_paths_key(config: &Value, schema: Schema) -> String {
    let place = layers(config, schema, None).swap_remove(0).place;
    format!("{place}.extraPaths")
}

/// The memory search of an agent; `entry` is the agent's part of the config.
pub(crate) fn memory_search(
    config: &Value,
    schema: Schema,
    entry: Option<&AgentEntry<'_>>,
) -> MemorySearch {
    let layers = layers(config, schema, entry);
    // The value that counts, and its key.
    let at = |path: &str| {
        layers.iter().rev().find_map(|layer| {
            let found = path.split('.').fold(layer.value, |at, key| &at[key]);
            (!found.is_null()).then(|| (format!("{}.{path}", layer.place), found))
        })
    };
    let is_on = |path: &str| at(path)?.1.as_bool();
    let text = |path: &str| Some(at(path)?.1.as_str()?.to_owned());
    let remembers = schema == Schema::Since2026Aug
        && is_on("rememberAcrossConversations").unwrap_or_else(|| is_one_conversation(config));
    let session_memory = is_on("experimental.sessionMemory").unwrap_or(false);
    let sources = at("sources");
    let names = |source: &str| {
        let mut sources = sources.iter().filter_map(|(_, it)| it.as_array()).flatten();
        sources.any(|it| it == source)
    };
    let searches_sessions = names("sessions") && (session_memory || remembers);
    let switched_off = match (at("enabled"), &sources) {
        (Some((key, Value::Bool(false))), _) => Some(SearchOff::Disabled { key }),
        (_, Some((key, _))) if searches_sessions && !names("memory") => {
            Some(SearchOff::SessionsOnly { key: key.clone() })
        }
        _ => None,
    };
    MemorySearch {
        switched_off,
        searches_sessions,
        extra_paths: layers.iter().flat_map(extra_paths).collect(),
        tokenizer: text("store.fts.tokenizer")
            .filter(|_| schema != Schema::Feb2026)
            .unwrap_or_else(|| "unicode61".to_owned()),
        uses_qmd: schema != Schema::Since2026Aug && config["memory"]["backend"] == "qmd",
        is_words_only: text("provider").is_some_and(|it| it.trim() == "none"),
        is_vectors_only: schema != Schema::Since2026Aug
            && is_on("query.hybrid.enabled") == Some(false),
    }
}

/// Whether all direct messages are one conversation, from which the default of `rememberAcrossConversations` follows.
fn is_one_conversation(config: &Value) -> bool {
    let scope = &config["session"]["dmScope"];
    let bindings = config["bindings"].as_array().into_iter().flatten();
    let is_own_scope = |binding: &Value| !binding["session"]["dmScope"].is_null();
    (scope.is_null() || *scope == "main") && !bindings.into_iter().any(is_own_scope)
}

fn extra_paths(layer: &Layer<'_>) -> Vec<ExtraPath> {
    let named = layer.value["extraPaths"].as_array().into_iter().flatten();
    let one = |value: &Value| {
        let path = value.as_str().or_else(|| value["path"].as_str())?.trim();
        let pattern = value["pattern"].as_str().unwrap_or_default().trim();
        (!path.is_empty()).then(|| ExtraPath {
            path: path.to_owned(),
            pattern: (!pattern.is_empty()).then(|| pattern.replace('\\', "/")),
            key: format!("{}.extraPaths", layer.place),
        })
    };
    named.filter_map(one).collect()
}
