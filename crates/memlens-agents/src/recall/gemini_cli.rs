//! Gemini CLI's chats: one line per message, repeated when it changes; in older versions one document with all
//! messages.

use memchr::memmem;
use serde_json::Value;

use super::cursor::Context;
use super::folders::Folders;
use super::happening::Answer;
use super::jsonl::Reader;
use super::sessions::Sessions;
use super::{files, time, tools};
use crate::home::Home;

/// Reader of a session file.
pub(super) struct Chat {
    folders: Folders,
}

impl Chat {
    pub fn new(home: &Home) -> Chat {
        let root = home.join(".gemini");
        Chat {
            folders: Folders::new(home)
                .with(&root, "tmp/*/memory")
                .with(&root, "GEMINI.md"),
        }
    }
}

impl Reader for Chat {
    fn is_worth(&self, line: &[u8]) -> bool {
        let has = |what: &[u8]| memmem::find(line, what).is_some();
        has(br#""sessionId""#)
            || (has(b"toolCalls") && (has(b"memory") || has(b"GEMINI.md") || tools::is_named(line)))
    }

    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    ) {
        let change = &line["$set"];
        for names in [line, change] {
            if let Some(session) = names["sessionId"].as_str() {
                context.session = session.to_owned();
            }
        }
        let several = [line, change].map(|it| it["messages"].as_array());
        for message in several.into_iter().flatten().flatten().chain([line]) {
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                self.called(call, message, place, &context.session, sessions);
            }
        }
    }
}

impl Chat {
    /// Adds a call, which is logged together with its answer.
    fn called(
        &self,
        call: &Value,
        message: &Value,
        place: u64,
        session: &str,
        sessions: &mut Sessions<'_>,
    ) {
        let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) else {
            return;
        };
        let at_ms = time::ms(&call["timestamp"]).or_else(|| time::ms(&message["timestamp"]));
        let calls = files::all_calls(name, &call["args"], &self.folders, None, at_ms);
        sessions.called(session, id, place, at_ms, calls);
        if call["status"] == "success" {
            let answer = Answer {
                parts: vec![&call["result"], &call["resultDisplay"]],
                is_error: false,
            };
            sessions.answered(session, id, &answer);
        }
    }
}
