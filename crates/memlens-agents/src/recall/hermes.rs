//! Hermes's messages, rows of its state database.

use memchr::memmem;
use serde_json::Value;

use super::cursor::Context;
use super::folders::Folders;
use super::happening::Answer;
use super::jsonl::Reader;
use super::rows::Table;
use super::sessions::Sessions;
use super::{files, time, tools};
use crate::agents;
use crate::home::Home;

/// The messages of all sessions.
pub(super) struct Messages {
    folders: Folders,
}

pub(super) static MESSAGES: Table = Table {
    name: "messages",
    columns: &[
        "id",
        "session_id",
        "role",
        "content",
        "tool_call_id",
        "tool_calls",
        "timestamp",
    ],
    compressed: None,
    key: "session_id || ':' || id",
    session: "session_id",
    // JSON holds no BLOB: with one in any row the whole query would fail. A row without a text is counted as not read.
    text: "CASE WHEN 'blob' IN (typeof(role), typeof(content), typeof(tool_call_id), typeof(tool_calls), typeof(timestamp)) \
           THEN NULL ELSE json_object('role', role, 'content', content, 'tool_call_id', tool_call_id, \
           'tool_calls', tool_calls, 'timestamp', timestamp) END",
    filter: "(tool_calls IS NOT NULL OR tool_call_id IS NOT NULL)",
    absent: Some("messages, so it is of a version of Hermes that Memlens does not know"),
};

impl Messages {
    pub fn new(home: &Home) -> Messages {
        let root = agents::hermes_root(home);
        Messages {
            folders: Folders::new(home)
                .with(&root, "memories")
                .with_variable("HERMES_HOME", &root),
        }
    }
}

impl Reader for Messages {
    fn is_worth(&self, line: &[u8]) -> bool {
        memmem::find(line, b"memories").is_some() || tools::is_named(line)
    }

    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    ) {
        let session = context.session.as_str();
        let at_ms = time::ms(&line["timestamp"]);
        if let Some(id) = line["tool_call_id"].as_str() {
            let answer = Answer {
                parts: vec![&line["content"]],
                is_error: line["content"].as_str().is_some_and(has_failed),
            };
            sessions.answered(session, id, &answer);
            return;
        }
        let calls = line["tool_calls"]
            .as_str()
            .map(serde_json::from_str::<Value>);
        let Some(Ok(Value::Array(calls))) = calls else {
            return;
        };
        for call in &calls {
            let id = call["id"].as_str().or_else(|| call["call_id"].as_str());
            let function = &call["function"];
            if let Some(name) = function["name"].as_str() {
                let asked =
                    files::all_calls(name, &function["arguments"], &self.folders, None, at_ms);
                sessions.called(session, id.unwrap_or_default(), place, at_ms, asked);
            }
        }
    }
}

/// Whether a tool answers that it failed.
fn has_failed(content: &str) -> bool {
    let parsed = serde_json::from_str::<Value>(content).unwrap_or_default();
    parsed["success"] == false || parsed["error"].is_string()
}
