//! The files in which agents log, wherever each has its own; links below an agent's home are not followed.

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
    // Each profile is a home of its own.
    for home in folders(&hermes, "profiles").into_iter().chain([hermes]) {
        database(&home, "state.db", "hermes", &mut logs);
    }
    logs.sort_by(|one, other| (one.agent, &one.path).cmp(&(other.agent, &other.path)));
    logs
}

fn openclaw(home: &Home, logs: &mut Vec<Log>) {
    let state = agents::openclaw_state(home);
    database(&state, "state/openclaw.sqlite", "openclaw", logs);
    for workspace in openclaw_workspaces(home, &state) {
        let is_it = |name: &str| name == "events.jsonl";
        files(&workspace, "memory/.dreams", "openclaw", is_it, logs);
    }
    for agent in folders(&state, "agents") {
        database(&agent, "agent/openclaw-agent.sqlite", "openclaw", logs);
        files(&agent, "sessions", "openclaw", is_transcript, logs);
    }
}

/// Its workspaces; where what it keeps is linked, those behind the link too.
fn openclaw_workspaces(home: &Home, state: &Path) -> Vec<PathBuf> {
    let linked = state.canonicalize().ok().filter(|_| state.is_symlink());
    let home = match linked {
        Some(real) => &home.clone().with("OPENCLAW_STATE_DIR", real),
        None => home,
    };
    looking::look_for(home, agents::openclaw_agent()).folders
}

/// A transcript, or what is kept of a session that was begun anew: `<session>.jsonl.reset.<when>`, packed or not. What is kept of
/// one that the person deleted (`….jsonl.deleted.…`) is left alone.
fn is_transcript(name: &str) -> bool {
    let is_archive = name.contains(".jsonl.reset.");
    // What is half written is `….tmp`; a trajectory tells the same again.
    let is_whole = (is_archive && !name.ends_with(".tmp")) || is_jsonl(name);
    is_whole && !name.contains(".trajectory.jsonl")
}

fn claude_code(home: &Home, logs: &mut Vec<Log>) {
    let root = agents::claude_code_root(home);
    for project in folders(&root, "projects") {
        files(&project, "", "claude-code", is_jsonl, logs);
        // A session's subagents have files of their own.
        for session in folders(&project, "") {
            files(&session, "subagents", "claude-code", is_jsonl, logs);
        }
    }
}

fn codex(home: &Home, logs: &mut Vec<Log>) {
    let root = agents::codex_root(home);
    // Those that lie for long are packed.
    let is_rollout = |name: &str| {
        name.starts_with("rollout-") && is_jsonl(name.strip_suffix(".zst").unwrap_or(name))
    };
    files(&root, "archived_sessions", "codex", is_rollout, logs);
    for year in folders(&root, "sessions") {
        for month in folders(&year, "") {
            for day in folders(&month, "") {
                files(&day, "", "codex", is_rollout, logs);
            }
        }
    }
}

fn gemini_cli(home: &Home, logs: &mut Vec<Log>) {
    for project in folders(&home.join(".gemini"), "tmp") {
        // Older versions wrote one document for each.
        let is_chat = |name: &str| {
            name.starts_with("session-") && (is_jsonl(name) || name.ends_with(".json"))
        };
        files(&project, "chats", "gemini-cli", is_chat, logs);
        // Subagents of a session lie in a folder of its name.
        for session in folders(&project, "chats") {
            files(&session, "", "gemini-cli", is_jsonl, logs);
        }
    }
}

fn is_jsonl(name: &str) -> bool {
    name.ends_with(".jsonl")
}

/// A place below one that is known; none where a part on the way is a link, which leads out of the agent's own places. What it
/// lies below may be one: people keep the homes of agents elsewhere.
fn below(known: &Path, relative: &str) -> Option<PathBuf> {
    let mut path = known.to_owned();
    for part in relative.split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        if path.is_symlink() {
            return None;
        }
    }
    Some(path)
}

/// Takes up a database, with what SQLite keeps beside it.
fn database(known: &Path, relative: &str, agent: &'static str, logs: &mut Vec<Log>) {
    let Some(path) = below(known, relative).filter(|path| path.is_file()) else {
        return;
    };
    if let Ok(stamp) = copied_database::stamp(&path) {
        logs.push(Log {
            agent,
            path,
            bytes: stamp.iter().flatten().map(|(bytes, _)| bytes).sum(),
        });
    }
}

/// The folders in a folder, without links; where it cannot be looked into, none.
fn folders(known: &Path, relative: &str) -> Vec<PathBuf> {
    let entries = below(known, relative).map(fs::read_dir);
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// Takes up the files of a folder whose names are those of logs.
fn files(
    known: &Path,
    relative: &str,
    agent: &'static str,
    is_log: impl Fn(&str) -> bool,
    logs: &mut Vec<Log>,
) {
    let entries = below(known, relative).map(fs::read_dir);
    for entry in entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(Result::ok)
    {
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
