//! The files in which agents log, wherever each has its own; links are not followed.

use std::fs;
use std::path::{Path, PathBuf};

use super::Log;
use crate::home::Home;
use crate::{agents, copied_database, looking};

/// Every log that is there, sorted by agent and path. Only the agents' own places are looked at.
pub fn logs(home: &Home) -> Vec<Log> {
    let mut logs = Vec::new();
    openclaw(home, &mut logs);
    claude_code(home, &mut logs);
    codex(home, &mut logs);
    gemini_cli(home, &mut logs);
    let hermes = agents::hermes_root(home);
    if is_folder(&hermes) {
        // Each profile is a home of its own.
        for home in folders(&hermes.join("profiles"))
            .into_iter()
            .chain([hermes])
        {
            database(&home.join("state.db"), "hermes", &mut logs);
        }
    }
    logs.sort_by(|one, other| (one.agent, &one.path).cmp(&(other.agent, &other.path)));
    logs
}

fn openclaw(home: &Home, logs: &mut Vec<Log>) {
    let state = agents::openclaw_state(home);
    if !is_folder(&state) {
        return;
    }
    database(&state.join("state/openclaw.sqlite"), "openclaw", logs);
    for workspace in looking::look_for(home, agents::openclaw_agent()).folders {
        let is_it = |name: &str| name == "events.jsonl";
        files(&workspace.join("memory/.dreams"), "openclaw", is_it, logs);
    }
    for agent in folders(&state.join("agents")) {
        database(&agent.join("agent/openclaw-agent.sqlite"), "openclaw", logs);
        let is_transcript = |name: &str| {
            // A session that was begun anew is kept under another name; one that the person deleted is left alone.
            let is_current = name.ends_with(".jsonl") && !name.ends_with(".trajectory.jsonl");
            is_current || name.contains(".jsonl.reset.")
        };
        files(&agent.join("sessions"), "openclaw", is_transcript, logs);
    }
}

fn claude_code(home: &Home, logs: &mut Vec<Log>) {
    let root = agents::claude_code_root(home);
    if !is_folder(&root) {
        return;
    }
    for project in folders(&root.join("projects")) {
        files(&project, "claude-code", is_jsonl, logs);
        // A session's subagents have files of their own.
        for session in folders(&project) {
            files(&session.join("subagents"), "claude-code", is_jsonl, logs);
        }
    }
}

fn codex(home: &Home, logs: &mut Vec<Log>) {
    let root = agents::codex_root(home);
    if !is_folder(&root) {
        return;
    }
    let is_rollout = |name: &str| name.starts_with("rollout-") && is_jsonl(name);
    files(&root.join("archived_sessions"), "codex", is_rollout, logs);
    for year in folders(&root.join("sessions")) {
        for month in folders(&year) {
            for day in folders(&month) {
                files(&day, "codex", is_rollout, logs);
            }
        }
    }
}

fn gemini_cli(home: &Home, logs: &mut Vec<Log>) {
    let root = home.join(".gemini");
    if !is_folder(&root) {
        return;
    }
    for project in folders(&root.join("tmp")) {
        let chats = project.join("chats");
        let is_chat = |name: &str| name.starts_with("session-") && is_jsonl(name);
        files(&chats, "gemini-cli", is_chat, logs);
        // Subagents of a session lie in a folder of its name.
        for session in folders(&chats) {
            files(&session, "gemini-cli", is_jsonl, logs);
        }
    }
}

fn is_jsonl(name: &str) -> bool {
    name.ends_with(".jsonl")
}

/// Takes up a database, with what SQLite keeps beside it.
fn database(path: &Path, agent: &'static str, logs: &mut Vec<Log>) {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if let Some(stamp) = copied_database::stamp(path).ok().filter(|_| is_file) {
        logs.push(Log {
            agent,
            path: path.to_owned(),
            bytes: stamp.iter().flatten().map(|(bytes, _)| bytes).sum(),
        });
    }
}

/// Whether a folder is there; one that is a link leads out of the agent's own places.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// The folders in a folder; where it cannot be looked into, none.
fn folders(folder: &Path) -> Vec<PathBuf> {
    if !is_folder(folder) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// Takes up the files of a folder whose names are those of logs.
fn files(folder: &Path, agent: &'static str, is_log: impl Fn(&str) -> bool, logs: &mut Vec<Log>) {
    if !is_folder(folder) {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten();
    for entry in entries.filter_map(Result::ok) {
        let is_it = entry.file_name().to_str().is_some_and(&is_log)
            && entry.file_type().is_ok_and(|found| found.is_file());
        if let Some(bytes) = entry.metadata().ok().filter(|_| is_it).map(|it| it.len()) {
            logs.push(Log {
                agent,
                path: entry.path(),
                bytes,
            });
        }
    }
}
