//! The folders that an agent's sessions worked in, as the sessions themselves name them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::agents::{claude_code_root, codex_root};
use crate::home::Home;

/// Sessions that are read, the newest first: one of each project of Claude Code, any of Codex.
const SESSIONS_MAX: usize = 200;

/// Bytes read of each; the folder is named in one of the first lines.
const BYTES_MAX: u64 = 256 << 10;
const SHORT_BYTES: u64 = 8 << 10;

/// The folders in which an agent's sessions worked and that still exist, sorted. A bounded part of each of the newest sessions is read.
pub fn projects(home: &Home, agent: &str) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = match agent {
        "claude-code" => {
            let root = claude_code_root(home).join("projects");
            let newest = folders(&root).into_iter().filter_map(|project| {
                let sessions = files(&project, ".jsonl");
                sessions.into_iter().max()
            });
            cwds(newest.collect())
        }
        "codex" => {
            let mut sessions = Vec::new();
            for year in folders(&codex_root(home).join("sessions")) {
                for month in folders(&year) {
                    for day in folders(&month) {
                        sessions.extend(files(&day, ".jsonl"));
                    }
                }
            }
            cwds(sessions)
        }
        "gemini-cli" => folders(&home.join(".gemini/tmp"))
            .into_iter()
            .filter_map(|project| start(&project.join(".project_root"), BYTES_MAX))
            .map(|text| PathBuf::from(text.trim()))
            .collect(),
        _ => Vec::new(),
    };
    let is_folder = |path: &PathBuf| {
        path.is_absolute() && path.symlink_metadata().is_ok_and(|found| found.is_dir())
    };
    let mut projects: Vec<PathBuf> = named.into_iter().filter(is_folder).collect();
    projects.sort();
    projects.dedup();
    projects
}

/// The folders that the newest of some sessions name.
fn cwds(mut sessions: Vec<(SystemTime, PathBuf)>) -> Vec<PathBuf> {
    sessions.sort();
    let newest = sessions.into_iter().rev().take(SESSIONS_MAX);
    newest
        .filter_map(|(_, path)| {
            // One of the first lines names it, which are usually short.
            let short = start(&path, SHORT_BYTES)?;
            cwd(&short).or_else(|| {
                let is_all = short.len() < SHORT_BYTES as usize;
                cwd(&start(&path, BYTES_MAX).filter(|_| !is_all)?)
            })
        })
        .map(PathBuf::from)
        .collect()
}

/// The folder that a session began in, by the beginning of its log. A log of another session that was continued may hold its rows too.
pub(crate) fn cwd_of_log(log: &Path, session: &str) -> Option<PathBuf> {
    let text = start(log, BYTES_MAX)?;
    let own = text.lines().find_map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_own = row["sessionId"].as_str() == Some(session);
        row["cwd"].as_str().filter(|_| is_own).map(str::to_owned)
    });
    let cwd = PathBuf::from(own.or_else(|| cwd(&text))?);
    cwd.is_absolute().then_some(cwd)
}

/// The first folder that a log names as the one its session works in.
fn cwd(text: &str) -> Option<String> {
    // Within a text of the log the quotes are escaped.
    text.match_indices("\"cwd\":").find_map(|(at, key)| {
        let rest = text[at + key.len()..].trim_start();
        let mut value = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        value.next()?.ok().filter(|_| !text[..at].ends_with('\\'))
    })
}

/// The beginning of a file that is not a link.
fn start(path: &Path, bytes_max: u64) -> Option<String> {
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .take(2_000)
        .collect()
}

fn files(path: &Path, end: &str) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(end))
        .filter_map(|entry| {
            let found = entry.metadata().ok().filter(|found| found.is_file())?;
            Some((found.modified().ok()?, entry.path()))
        })
        .collect()
}
