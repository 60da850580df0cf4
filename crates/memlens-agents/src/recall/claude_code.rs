//! Claude Code's sessions: a line for each message, of one session or several.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

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

/// Reader of a session file.
pub(super) struct Sessions {
    home: Home,
    /// What is known of each folder that a session works in.
    known: RefCell<HashMap<String, Rc<Known>>>,
    /// The same without such a folder.
    of_user: Rc<Known>,
}

/// Where the memory of sessions in one folder is.
struct Known {
    folders: Folders,
    /// The last parts of the paths of memory folders that settings name.
    names: Vec<Finder<'static>>,
}

impl Sessions {
    pub fn new(home: &Home) -> Sessions {
        Sessions {
            home: home.clone(),
            known: RefCell::default(),
            of_user: Rc::new(Known::of(home, None)),
        }
    }

    /// What is known of the folder that a session works in.
    fn known(&self, cwd: Option<&str>) -> Rc<Known> {
        let Some(cwd) = cwd else {
            return self.of_user.clone();
        };
        let mut known = self.known.borrow_mut();
        if let Some(known) = known.get(cwd) {
            return known.clone();
        }
        let of_folder = Rc::new(Known::of(&self.home, Some(Path::new(cwd))));
        known.insert(cwd.to_owned(), of_folder.clone());
        of_folder
    }
}

impl Known {
    fn of(home: &Home, cwd: Option<&Path>) -> Known {
        let root = agents::claude_code_root(home);
        let mut known = Known {
            folders: Folders::new(home)
                .with(&root, "projects/*/memory")
                .with_variable("CLAUDE_CONFIG_DIR", &root),
            names: Vec::new(),
        };
        // A session may have changed its folder since it began, and the settings of that one hold.
        let began_in = cwd.into_iter().flat_map(Path::ancestors).map(Some);
        for cwd in [None].into_iter().chain(began_in) {
            if let MemoryFrom::Folder { folder, .. } = ClaudeSettings::read(home, cwd).memory() {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                known.names.push(Finder::new(name.as_bytes()).into_owned());
                known.folders = known.folders.with(&folder, "");
            }
        }
        known
    }
}

/// The folder that a line names as the one that its session works in.
fn cwd_of(line: &[u8]) -> Option<String> {
    const KEY: &[u8] = br#""cwd":"#;
    let rest = &line[memmem::find(line, KEY)? + KEY.len()..];
    serde_json::Deserializer::from_slice(rest)
        .into_iter()
        .next()?
        .ok()
}

impl Reader for Sessions {
    fn is_worth(&self, line: &[u8]) -> bool {
        let has = |what: &[u8]| memmem::find(line, what).is_some();
        let is_near = || {
            has(b"memory") || {
                let known = self.known(cwd_of(line).as_deref());
                known.names.iter().any(|name| name.find(line).is_some())
            }
        };
        has(br#"tool_use""#) && (is_near() || tools::is_named(line))
    }

    fn record(
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
                    let known = self.known(folder);
                    let calls =
                        files::all_calls(name, &block["input"], &known.folders, folder, at_ms);
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
