//! Claude Code's sessions: a line for each message, of one session or several.

use memchr::memmem::{self, Finder};
use serde_json::Value;

use super::cursor::Context;
use super::folders::Folders;
use super::happening::Answer;
use super::jsonl::Reader;
use super::{files, sessions, time, tools};
use crate::agents;
use crate::claude_settings::{ClaudeSettings, MemoryFrom};
use crate::home::Home;

/// A file of sessions.
pub(super) struct Sessions {
    folders: Folders,
    /// The last part of a memory folder's path that a config names.
    named: Option<Finder<'static>>,
}

impl Sessions {
    pub fn new(home: &Home) -> Sessions {
        let root = agents::claude_code_root(home);
        let mut folders = Folders::new(home)
            .with(&root, "projects/*/memory")
            .with_variable("CLAUDE_CONFIG_DIR", &root);
        let named = match ClaudeSettings::read(home, None).memory() {
            MemoryFrom::Folder { folder, .. } => Some(folder),
            MemoryFrom::Usual | MemoryFrom::Nowhere(_) => None,
        };
        if let Some(named) = &named {
            folders = folders.with(named, "");
        }
        let name = named.and_then(|named| Some(named.file_name()?.to_string_lossy().into_owned()));
        Sessions {
            folders,
            named: name.map(|name| Finder::new(name.as_bytes()).into_owned()),
        }
    }
}

impl Reader for Sessions {
    fn is_worth(&self, line: &[u8]) -> bool {
        let has = |what: &[u8]| memmem::find(line, what).is_some();
        let is_near = || {
            has(b"memory")
                || self
                    .named
                    .as_ref()
                    .is_some_and(|it| it.find(line).is_some())
        };
        has(br#"tool_use""#) && (is_near() || tools::is_named(line))
    }

    fn tell(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut sessions::Sessions<'_>,
    ) {
        let session = line["sessionId"].as_str().unwrap_or(&context.session);
        let at_ms = time::ms(&line["timestamp"]);
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            match (block["type"].as_str(), block["name"].as_str()) {
                (Some("tool_use"), Some(name)) => {
                    let id = block["id"].as_str().unwrap_or_default();
                    let folder = line["cwd"].as_str();
                    let calls =
                        files::all_calls(name, &block["input"], &self.folders, folder, at_ms);
                    sessions.called(session, id, place, at_ms, calls);
                }
                (Some("tool_result"), _) => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    let answer = Answer {
                        parts: vec![&block["content"], &line["toolUseResult"]],
                        is_error: block["is_error"] == true,
                    };
                    sessions.answered(session, id, &answer);
                }
                _ => {}
            }
        }
    }
}
