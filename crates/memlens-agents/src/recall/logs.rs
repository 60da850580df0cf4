//! The files in which agents log, wherever each has its own; links below an agent's home are not followed.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use super::Log;
use crate::home::Home;
use crate::{agents, copied_database, looking};

/// Logs that were found, and folders that could not be searched for more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundLogs {
    /// The logs, sorted by agent and path.
    pub logs: Vec<Log>,
    /// A sentence for each folder that cannot be read, sorted.
    pub problems: Vec<String>,
}

/// Every log that can be found, sorted by agent and path.
pub fn logs(home: &Home) -> Vec<Log> {
    find_logs(home).logs
}

/// Finds every log. Only the agents' own places are searched.
pub fn find_logs(home: &Home) -> FoundLogs {
    let mut found = Search {
        home: home.clone(),
        found: FoundLogs::default(),
    };
    let logs = &mut found;
    openclaw(home, logs);
    claude_code(home, logs);
    codex(home, logs);
    gemini_cli(home, logs);
    let hermes = agents::hermes_root(home);
    // Each profile is a home of its own.
    for home in logs
        .folders(&hermes, "profiles")
        .into_iter()
        .chain([hermes])
    {
        logs.database(&home, "state.db", "hermes");
    }
    let mut found = found.found;
    found
        .logs
        .sort_by(|one, other| (one.agent, &one.path).cmp(&(other.agent, &other.path)));
    found.problems.sort();
    found.problems.dedup();
    found
}

fn openclaw(home: &Home, logs: &mut Search) {
    let state = agents::openclaw_state(home);
    logs.database(&state, "state/openclaw.sqlite", "openclaw");
    for workspace in openclaw_workspaces(home, &state) {
        let is_it = |name: &str| name == "events.jsonl";
        logs.files(&workspace, agents::LOGS_IN_WORKSPACE, "openclaw", is_it);
    }
    for agent in logs.folders(&state, "agents") {
        logs.database(&agent, "agent/openclaw-agent.sqlite", "openclaw");
        logs.files(&agent, "sessions", "openclaw", is_transcript);
    }
}

/// Its workspaces; if its state folder is a link, those of the link's target.
fn openclaw_workspaces(home: &Home, state: &Path) -> Vec<PathBuf> {
    let linked = memlens_files::canonical(state)
        .ok()
        .filter(|_| state.is_symlink());
    let home = match linked {
        Some(real) => &home.clone().with("OPENCLAW_STATE_DIR", real),
        None => home,
    };
    looking::look_for(home, agents::openclaw_agent()).folders
}

/// A transcript, or the archive of a session that was restarted: `<session>.jsonl.reset.<when>`, packed or not. The
/// archive of one that the user deleted (`….jsonl.deleted.…`) is not read.
fn is_transcript(name: &str) -> bool {
    let is_archive = name.contains(".jsonl.reset.");
    // A half-written file is `….tmp`; a trajectory repeats the same events.
    let is_whole = (is_archive && !name.ends_with(".tmp")) || is_jsonl(name);
    is_whole && !name.contains(".trajectory.jsonl")
}

fn claude_code(home: &Home, logs: &mut Search) {
    let root = agents::claude_code_root(home);
    for project in logs.folders(&root, "projects") {
        logs.files(&project, "", "claude-code", is_jsonl);
        // A session's subagents have files of their own.
        for session in logs.folders(&project, "") {
            logs.files(&session, "subagents", "claude-code", is_jsonl);
        }
    }
}

fn codex(home: &Home, logs: &mut Search) {
    let root = agents::codex_root(home);
    // Files that are old enough are packed.
    let is_rollout = |name: &str| {
        name.starts_with("rollout-") && is_jsonl(name.strip_suffix(".zst").unwrap_or(name))
    };
    logs.files(&root, "archived_sessions", "codex", is_rollout);
    for year in logs.folders(&root, "sessions") {
        for month in logs.folders(&year, "") {
            for day in logs.folders(&month, "") {
                logs.files(&day, "", "codex", is_rollout);
            }
        }
    }
}

fn gemini_cli(home: &Home, logs: &mut Search) {
    for project in logs.folders(&agents::gemini_cli_root(home), "tmp") {
        // Older versions wrote one document for each.
        let is_chat = |name: &str| {
            name.starts_with("session-") && (is_jsonl(name) || name.ends_with(".json"))
        };
        logs.files(&project, "chats", "gemini-cli", is_chat);
        // Subagents of a session have a folder of its name.
        for session in logs.folders(&project, "chats") {
            logs.files(&session, "", "gemini-cli", is_jsonl);
        }
    }
}

fn is_jsonl(name: &str) -> bool {
    name.ends_with(".jsonl")
}

/// A place below a known one; `None` if a part on the way is a link, which leads out of the agent's own places. The
/// known place may be a link: users keep agents' home folders elsewhere.
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

struct Search {
    home: Home,
    found: FoundLogs,
}

impl Search {
    /// Adds a database, with what SQLite keeps beside it.
    fn database(&mut self, known: &Path, relative: &str, agent: &'static str) {
        let Some(path) = below(known, relative).filter(|path| path.is_file()) else {
            return;
        };
        if let Ok(stamp) = copied_database::stamp(&path) {
            self.found.logs.push(Log {
                agent,
                path,
                bytes: stamp.iter().flatten().map(|(bytes, _)| bytes).sum(),
            });
        }
    }

    /// The folders in a folder, without links.
    fn folders(&mut self, known: &Path, relative: &str) -> Vec<PathBuf> {
        let entries = self.entries(known, relative).into_iter();
        entries
            .filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir()))
            .map(|entry| entry.path())
            .collect()
    }

    /// Adds the files of a folder whose names are those of logs.
    fn files(
        &mut self,
        known: &Path,
        relative: &str,
        agent: &'static str,
        is_log: impl Fn(&str) -> bool,
    ) {
        for entry in self.entries(known, relative) {
            let is_it = entry.file_name().to_str().is_some_and(&is_log)
                && entry.file_type().is_ok_and(|found| found.is_file());
            if let Some(bytes) = entry.metadata().ok().filter(|_| is_it).map(|it| it.len()) {
                self.found.logs.push(Log {
                    agent,
                    path: entry.path(),
                    bytes,
                });
            }
        }
    }

    /// Entries of a folder; empty if it is missing. A folder that cannot be read is reported.
    fn entries(&mut self, known: &Path, relative: &str) -> Vec<DirEntry> {
        let Some(folder) = below(known, relative) else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        let mut read = || {
            for entry in fs::read_dir(&folder)? {
                entries.push(entry?);
            }
            Ok::<(), io::Error>(())
        };
        match read() {
            Ok(()) => {}
            Err(_) if folder.symlink_metadata().is_err_and(|it| is_absent(&it)) => {}
            Err(error) => self.found.problems.push(format!(
                "The folder {} was not searched for logs: {}.",
                self.home.shown(&folder),
                why_not(&error)
            )),
        }
        entries
    }
}

fn is_absent(error: &io::Error) -> bool {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    absent.contains(&error.kind())
}

fn why_not(error: &io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::NotADirectory {
        "it is a file and not a folder".to_owned()
    } else if kind == io::ErrorKind::PermissionDenied {
        "you may not read it; change its permissions to have its logs read".to_owned()
    } else {
        error.to_string()
    }
}
