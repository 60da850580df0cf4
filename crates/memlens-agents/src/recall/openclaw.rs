//! OpenClaw's transcripts, as files or as rows, and the recalls that its memory plugin notes.
//!
//! Checked with 2026.9.6; transcripts were files until 2026.8, and notes of recalls a file in the workspace.

use memchr::memmem;
use serde_json::Value;

use super::cursor::Context;
use super::files;
use super::folders::Folders;
use super::happening::{Answer, Call, Shape};
use super::jsonl::Reader;
use super::rows::Table;
use super::sessions::Sessions;
use super::{time, tools};
use crate::agents;
use crate::home::Home;

/// The row of a call that another call made, such as a search by `tool_call`.
const NESTED: &[u8] = b"openclaw.nested-tool.v1";

/// A session's transcript: one event a line or row.
pub(super) struct Transcript {
    folders: Folders,
}

impl Transcript {
    pub fn new(home: &Home) -> Transcript {
        let state = agents::openclaw_state(home);
        let mut folders = Folders::new(home).with_variable("OPENCLAW_STATE_DIR", &state);
        for place in ["memory", "MEMORY.md", "USER.md"] {
            folders = folders
                .with(&state, &format!("workspace*/{place}"))
                .with_in_session(place);
        }
        Transcript { folders }
    }
}

/// Transcripts in an agent's database.
pub(super) static TRANSCRIPTS: Table = Table {
    name: "transcript_events",
    columns: &["session_id", "seq", "event_json"],
    compressed: Some("event_zstd"),
    key: "session_id || ':' || seq",
    session: "session_id",
    text: "event_json",
    filter: "TRUE",
    absent: None,
};

impl Reader for Transcript {
    fn is_worth(&self, line: &[u8]) -> bool {
        let has = |what: &[u8]| memmem::find(line, what).is_some();
        tools::is_named(line)
            || has(br#""type":"session""#)
            || ((has(br#"toolCall""#) || has(NESTED))
                && (has(b"memory") || has(b"MEMORY.md") || has(b"USER.md")))
    }

    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    ) {
        if line["type"] == "session" {
            if let Some(id) = line["id"].as_str() {
                context.session = id.to_owned();
            }
            context.folder = line["cwd"].as_str().map(str::to_owned);
            return;
        }
        let session = context.session.as_str();
        let message = &line["message"];
        let at_ms = time::ms(&line["timestamp"]).or_else(|| time::ms(&message["timestamp"]));
        if message["role"] == "custom" {
            let is_nested = message["customType"]
                .as_str()
                .is_some_and(|it| it.as_bytes() == NESTED);
            if is_nested {
                let folder = context.folder.as_deref();
                self.nested(session, &message["details"], place, at_ms, folder, sessions);
            }
            return;
        }
        if message["role"] == "toolResult" {
            let id = message["toolCallId"].as_str().unwrap_or_default();
            let answer = Answer {
                parts: vec![&message["details"], &message["content"]],
                is_error: message["isError"] == true,
            };
            sessions.answered(session, id, &answer);
            return;
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "toolCall"
                && let Some(name) = block["name"].as_str()
            {
                let id = block["id"].as_str().unwrap_or_default();
                let folder = context.folder.as_deref();
                let (name, arguments) = unwrapped(name, &block["arguments"]);
                let calls = files::all_calls(name, arguments, &self.folders, folder, at_ms);
                sessions.called(session, id, place, at_ms, calls);
            }
        }
    }
}

impl Transcript {
    fn nested(
        &self,
        session: &str,
        details: &Value,
        place: u64,
        at_ms: Option<i64>,
        folder: Option<&str>,
        sessions: &mut Sessions<'_>,
    ) {
        let Some(name) = details["toolName"].as_str() else {
            return;
        };
        let text = |name: &str| details[name].as_str().unwrap_or_default();
        let result = &details["result"];
        let answer = Answer {
            parts: vec![&result["details"], &result["content"]],
            is_error: result["isError"] == true || details["isError"] == true,
        };
        let calls = files::all_calls(name, &details["input"], &self.folders, folder, at_ms);
        if !calls.is_empty() {
            let names = (text("parentToolCallId"), text("toolCallId"));
            sessions.nested(session, names, place, at_ms, calls, &answer);
        }
    }
}

/// The tool that is called, and its arguments: with tool search on, which is the default since 2026.9, `tool_call` calls the
/// tool that its `id` names, such as `memory_search` or `openclaw:memory-core:memory_search`.
fn unwrapped<'v>(name: &'v str, arguments: &'v Value) -> (&'v str, &'v Value) {
    match (name, arguments["id"].as_str()) {
        ("tool_call", Some(inner)) => {
            let inner = inner.rsplit(':').next().unwrap_or(inner);
            (inner, &arguments["args"])
        }
        _ => (name, arguments),
    }
}

/// What the memory plugin notes of each recall that found something: one event a line or row.
pub(super) struct Recalls;

/// Notes of recalls in the state database.
pub(super) static RECALLS: Table = Table {
    name: "plugin_state_entries",
    columns: &["plugin_id", "namespace", "entry_key", "value_json"],
    compressed: None,
    key: "entry_key",
    session: "''",
    // As in Hermes's messages.
    text: "iif(typeof(value_json) = 'blob', NULL, json_object('value', value_json))",
    filter: "plugin_id = 'memory-core' AND namespace = 'memory-host.events'",
    absent: None,
};

impl Reader for Recalls {
    fn session_of(&self, _log: &super::Log) -> String {
        String::new()
    }

    fn is_worth(&self, line: &[u8]) -> bool {
        memmem::find(line, b"memory.recall.").is_some()
    }

    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    ) {
        let stored = line["value"].as_str().map(serde_json::from_str::<Value>);
        let stored = match stored {
            Some(Ok(stored)) => stored,
            Some(Err(_)) => return,
            None => Value::Null,
        };
        let event = if stored.is_null() {
            line
        } else {
            &stored["event"]
        };
        let is_recall = event["type"]
            .as_str()
            .is_some_and(|it| it.starts_with("memory.recall."));
        let Some(question) = event["query"].as_str().filter(|_| is_recall) else {
            return;
        };
        let key = name_of(event);
        let call = Call::Search {
            question: question.to_owned(),
            settings: Default::default(),
            answer: Shape::Results,
            is_pattern: false,
        };
        let answer = Answer {
            parts: vec![event],
            is_error: false,
        };
        let session = &context.session;
        let at_ms = time::ms(&event["timestamp"]);
        // Results that the agent will not learn from are logged separately, as a second event.
        if !sessions.returned_more(session, question, at_ms, &answer) {
            sessions.called(session, &key, place, at_ms, vec![call]);
            sessions.answered(session, &key, &answer);
        }
    }
}

/// Identity of an event, independent of its position: a workspace's file is cut and moved into the database, and events
/// of several workspaces have no session to distinguish them.
fn name_of(event: &Value) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut note = |value: &Value| {
        hasher.update(value.to_string().as_bytes());
        hasher.update(b"\n");
    };
    note(&event["timestamp"]);
    note(&event["query"]);
    for result in event["results"].as_array().into_iter().flatten() {
        for name in ["path", "startLine", "endLine"] {
            note(&result[name]);
        }
    }
    format!("event:{}", &hasher.finalize().to_hex()[..16])
}
