//! The files in which agents log, wherever each has its own; links are not followed.

use std::fs;
use std::path::{Path, PathBuf};

use super::Log;
use crate::agents;
use crate::home::Home;

/// Every log that is there, sorted by agent and path. Only the agents' own places are looked at.
pub fn logs(home: &Home) -> Vec<Log> {
    let mut logs = Vec::new();
    openclaw(home, &mut logs);
    logs.sort_by(|one, other| (one.agent, &one.path).cmp(&(other.agent, &other.path)));
    logs
}

fn openclaw(home: &Home, logs: &mut Vec<Log>) {
    let state = agents::openclaw_state(home);
    if !is_folder(&state) {
        return;
    }
    for agent in folders(&state.join("agents")) {
        let is_transcript = |name: &str| {
            // A session that was begun anew is kept under another name; one that the person deleted is left alone.
            let is_current = name.ends_with(".jsonl") && !name.ends_with(".trajectory.jsonl");
            is_current || name.contains(".jsonl.reset.")
        };
        files(&agent.join("sessions"), "openclaw", is_transcript, logs);
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
