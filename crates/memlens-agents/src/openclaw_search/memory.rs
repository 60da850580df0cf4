//! What one agent's memory search is about, as OpenClaw resolves it from the config: which notes, by what words, whether at all.
//!
//! Source: `resolveMemorySearchConfig` and `resolveMemorySearchSourcePolicy` in the packages 2026.7.35 and 2026.9.6, and the
//! same of 2026.2.12.

use serde_json::Value;

use super::{Schema, agent_entries, root};

/// The memory search of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySearch {
    /// Whether it is on. If not, nothing is ever found.
    pub is_enabled: bool,
    /// Whether notes are searched. Since 2026.8 `sources` may name session transcripts alone.
    pub searches_notes: bool,
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

/// A folder or file outside the usual places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraPath {
    /// As the config writes it: absolute, from `~`, or relative to the workspace.
    pub path: String,
    /// Which files of a folder; `None` for all notes. Since 2026.8.
    pub pattern: Option<String>,
}

impl MemorySearch {
    /// What the emulated search does differently, a sentence each.
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

/// The memory search of an agent; `agent` names one whose own settings go over those of all.
pub(super) fn memory_search(config: &Value, schema: Schema, agent: Option<&str>) -> MemorySearch {
    let defaults = root(schema).iter().fold(config, |at, key| &at[*key]);
    let entries = agent_entries(config);
    let own = agent
        .and_then(|agent| entries.iter().find(|entry| entry.id == agent))
        .map_or(&Value::Null, |entry| entry.search(schema));
    let at = |path: &[&str]| {
        let find = |from: &Value| {
            let found = path.iter().fold(from, |at, key| &at[*key]);
            (!found.is_null()).then(|| found.clone())
        };
        find(own).or_else(|| find(defaults))
    };
    let is_on = |path: &[&str]| at(path).and_then(|it| it.as_bool());
    let text = |path: &[&str]| at(path).and_then(|it| it.as_str().map(str::to_owned));
    let remembers = schema == Schema::Since2026Aug
        && is_on(&["rememberAcrossConversations"]).unwrap_or_else(|| is_one_conversation(config));
    let session_memory = is_on(&["experimental", "sessionMemory"]).unwrap_or(false);
    let sources: Vec<String> = at(&["sources"])
        .and_then(|it| it.as_array().cloned())
        .unwrap_or_default()
        .iter()
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    let names = |source: &str| sources.iter().any(|it| it == source);
    let searches_sessions = names("sessions") && (session_memory || remembers);
    MemorySearch {
        is_enabled: is_on(&["enabled"]).unwrap_or(true),
        searches_notes: names("memory") || !searches_sessions,
        searches_sessions,
        extra_paths: [defaults, own]
            .into_iter()
            .filter_map(|from| from["extraPaths"].as_array())
            .flatten()
            .filter_map(extra_path)
            .collect(),
        tokenizer: text(&["store", "fts", "tokenizer"])
            .filter(|_| schema != Schema::Feb2026)
            .unwrap_or_else(|| "unicode61".to_owned()),
        uses_qmd: schema != Schema::Since2026Aug && config["memory"]["backend"] == "qmd",
        is_words_only: text(&["provider"]).is_some_and(|it| it.trim() == "none"),
        is_vectors_only: schema != Schema::Since2026Aug
            && is_on(&["query", "hybrid", "enabled"]) == Some(false),
    }
}

/// Whether all direct messages are one conversation, from which the default of `rememberAcrossConversations` follows.
fn is_one_conversation(config: &Value) -> bool {
    let scope = &config["session"]["dmScope"];
    let bindings = config["bindings"].as_array().into_iter().flatten();
    let is_own_scope = |binding: &Value| !binding["session"]["dmScope"].is_null();
    (scope.is_null() || *scope == "main") && !bindings.into_iter().any(is_own_scope)
}

fn extra_path(value: &Value) -> Option<ExtraPath> {
    let path = value.as_str().or_else(|| value["path"].as_str())?.trim();
    (!path.is_empty()).then(|| ExtraPath {
        path: path.to_owned(),
        pattern: value["pattern"].as_str().map(str::to_owned),
    })
}
