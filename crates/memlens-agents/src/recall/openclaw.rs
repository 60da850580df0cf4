//! OpenClaw's transcripts: calls of `memory_search` and `memory_get`, and their answers.

use std::collections::BTreeMap;

use memchr::memmem;
use serde_json::Value;

use super::Used;
use super::cursor::Context;
use super::happening::{Answer, Call, Shape};
use super::jsonl::Reader;
use super::sessions::Sessions;
use super::time;

/// A session's transcript: one event a line or row.
pub(super) struct Transcript;

impl Reader for Transcript {
    fn is_worth(&self, line: &[u8]) -> bool {
        let names: [&[u8]; 3] = [b"memory_search", b"memory_get", br#""type":"session""#];
        names.iter().any(|name| memmem::find(line, name).is_some())
    }

    fn tell(
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
            return;
        }
        let session = context.session.as_str();
        let message = &line["message"];
        let at_ms = time::ms(&line["timestamp"]).or_else(|| time::ms(&message["timestamp"]));
        if message["role"] == "toolResult" {
            let id = message["toolCallId"].as_str().unwrap_or_default();
            let answer = Answer {
                parts: vec![&message["details"], &message["content"]],
                is_error: message["isError"] == true || has_failed(&message["details"]),
            };
            sessions.answered(session, id, &answer);
            return;
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "toolCall" {
                let id = block["id"].as_str().unwrap_or_default();
                if let Some(call) = call(block, at_ms) {
                    sessions.called(session, id, place, at_ms, call);
                }
            }
        }
    }
}

/// Whether a tool says of itself that it could not do it.
fn has_failed(details: &Value) -> bool {
    details["disabled"] == true || details["status"] == "error"
}

fn call(block: &Value, at_ms: Option<i64>) -> Option<Call> {
    let arguments = &block["arguments"];
    match block["name"].as_str()? {
        "memory_search" => Some(Call::Search {
            question: arguments["query"].as_str()?.to_owned(),
            settings: settings(arguments, "query"),
            answer: Shape::Results,
        }),
        "memory_get" => {
            let number = |name: &str| u32::try_from(arguments[name].as_u64()?).ok();
            let first = number("from").filter(|first| *first > 0);
            let n_lines = number("lines").filter(|n| *n > 0);
            Some(Call::Open(vec![Used {
                path: arguments["path"].as_str()?.to_owned(),
                lines: n_lines.map(|n| {
                    let first = first.unwrap_or(1);
                    (first, first.saturating_add(n - 1))
                }),
                at_ms,
            }]))
        }
        _ => None,
    }
}

/// What a call asks for besides its question.
fn settings(arguments: &Value, question: &str) -> BTreeMap<String, Value> {
    let arguments = arguments.as_object().into_iter().flatten();
    arguments
        .filter(|(name, _)| *name != question)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
