//! Claude Code: a memory folder for each project.

use std::path::PathBuf;

use crate::agent::{Agent, Cap, Keeps, Limit, Source, Unit};
use crate::config::Format;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    name: "Claude Code",
    source: Source {
        version: "",
        from: "its documentation, November 2026",
        is_reported: false,
    },
    recall: "opens files with its tools",
    loads: "the beginning of each project's MEMORY.md; the rest only when it opens the file itself",
    look,
};

static MEMORY: Cap = Cap {
    limits: &[
        Limit {
            unit: Unit::Lines,
            most: 200,
        },
        // 25 KB, taken as thousands: the smaller of what it may mean.
        Limit {
            unit: Unit::Bytes,
            most: 25_000,
        },
    ],
    keeps: Keeps::Beginning,
    entries_split_by: None,
    source: Source {
        version: "",
        from: "reports of its users, November 2026",
        is_reported: true,
    },
};

/// The folder of its settings, memory and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("CLAUDE_CONFIG_DIR", ".claude")
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    if !look.own(&root) {
        return;
    }
    let settings = look.config(&root.join("settings.json"), Format::Json);
    let named = look
        .text(&settings["autoMemoryDirectory"], "autoMemoryDirectory")
        .and_then(|named| look.named_folder(named, "autoMemoryDirectory"));
    let projects = look.children(&root.join("projects"));
    let usual = projects.into_iter().map(|project| project.join("memory"));
    let usual: Vec<_> = usual.filter(|memory| look.folder(memory)).collect();
    for memory in named.into_iter().chain(usual) {
        look.loads(&memory, &[("MEMORY.md", &MEMORY)], None);
    }
}
