//! Codex's rollouts, with the citations at the end of its answers.

use memchr::memmem;
use serde_json::Value;

use super::cursor::Context;
use super::folders::Folders;
use super::happening::Answer;
use super::jsonl::Reader;
use super::sessions::Sessions;
use super::{Log, Used, files, time, tools};
use crate::agents;
use crate::home::Home;

/// Reader of a session's rollout file.
pub(super) struct Rollout {
    folders: Folders,
}

impl Rollout {
    pub fn new(home: &Home) -> Rollout {
        let root = agents::codex_root(home);
        Rollout {
            folders: Folders::new(home)
                .with(&root, "memories")
                .with_variable("CODEX_HOME", &root),
        }
    }
}

/// The session of a rollout file, by its name without storage suffixes.
pub(super) fn session_of_name(name: &str) -> &str {
    let id = name.len().checked_sub(36).and_then(|at| name.get(at..));
    id.filter(|id| id.matches('-').count() == 4).unwrap_or(name)
}

impl Reader for Rollout {
    /// `rollout-2026-06-03T08-14-02-<uuid>`: a fork's file contains its parent's lines too, so the file name decides.
    fn session_of(&self, log: &Log) -> String {
        session_of_name(&log.bare_name()).to_owned()
    }

    fn is_worth(&self, line: &[u8]) -> bool {
        let has = |what: &[u8]| memmem::find(line, what).is_some();
        has(b"session_meta")
            || has(b"oai-mem-citation")
            || has(br#""memory_citation":{"#)
            || (has(b"_call") && (has(b"memories") || tools::is_named(line)))
    }

    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    ) {
        let payload = &line["payload"];
        let at_ms = time::ms(&line["timestamp"]);
        if line["type"] == "session_meta" {
            if context.folder.is_none() {
                context.folder = payload["cwd"].as_str().map(str::to_owned);
            }
            return;
        }
        let session = context.session.as_str();
        let id = payload["call_id"].as_str().unwrap_or_default();
        match payload["type"].as_str().unwrap_or_default() {
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let name = payload["name"].as_str().unwrap_or("shell");
                let name = match payload["namespace"].as_str() {
                    Some(namespace) => format!("{namespace}__{name}"),
                    None => name.to_owned(),
                };
                let arguments = ["arguments", "action", "input"].map(|name| &payload[name]);
                let arguments = arguments.into_iter().find(|it| !it.is_null());
                let arguments = arguments.unwrap_or(&Value::Null);
                let folder = context.folder.as_deref();
                let calls = files::all_calls(&name, arguments, &self.folders, folder, at_ms);
                sessions.called(session, id, place, at_ms, calls);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let answer = Answer {
                    parts: vec![&payload["output"]],
                    is_error: payload["output"]["success"] == false,
                };
                sessions.answered(session, id, &answer);
            }
            "message" if payload["role"] == "assistant" => {
                let blocks = payload["content"].as_array().into_iter().flatten();
                let texts = blocks.filter_map(|block| block["text"].as_str());
                let cited: Vec<Used> = texts.flat_map(|text| cited(text, at_ms)).collect();
                sessions.cited(session, cited);
            }
            "agent_message" => {
                let entries = payload["memory_citation"]["entries"].as_array();
                let entries = entries.into_iter().flatten();
                let cited: Vec<Used> = entries.filter_map(|entry| entry_of(entry, at_ms)).collect();
                sessions.cited(session, cited);
            }
            _ => {}
        }
    }
}

/// What the citation at the end of an answer names: lines such as `MEMORY.md:12-18|note=[why]`.
fn cited(text: &str, at_ms: Option<i64>) -> Vec<Used> {
    let Some((_, citation)) = text.rsplit_once("<oai-mem-citation>") else {
        return Vec::new();
    };
    let citation = citation
        .split("</oai-mem-citation>")
        .next()
        .unwrap_or_default();
    // Its other part names rollouts.
    let entries = citation.split("<rollout_ids>").next().unwrap_or_default();
    let entries = entries.lines().filter_map(|line| {
        let (place, _) = line.trim().split_once("|note=")?;
        let (path, lines) = match place.rsplit_once(':') {
            Some((path, lines)) => (path, line_range(lines)),
            None => (place, None),
        };
        (!path.is_empty()).then(|| Used {
            path: path.to_owned(),
            lines,
            at_ms,
            is_part: false,
        })
    });
    entries.collect()
}

fn line_range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first > 0 && first <= last).then_some((first, last))
}

fn entry_of(entry: &Value, at_ms: Option<i64>) -> Option<Used> {
    let line = |names: [&str; 2]| {
        let mut lines = names.into_iter().filter_map(|name| entry[name].as_u64());
        u32::try_from(lines.next()?).ok()
    };
    let first = line(["lineStart", "line_start"]);
    let last = line(["lineEnd", "line_end"]);
    Some(Used {
        path: entry["path"].as_str()?.to_owned(),
        lines: first
            .zip(last)
            .filter(|(first, last)| *first > 0 && first <= last),
        at_ms,
        is_part: false,
    })
}
