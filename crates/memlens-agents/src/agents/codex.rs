//! Codex: one folder of memories, of which it loads a summary.

use std::path::PathBuf;

use crate::agent::{Agent, Cap, Keeps, Limit, Source, Unit};
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "codex",
    name: "Codex",
    source: SOURCE,
    recall: "finds exact substrings only",
    loads: "2,500 tokens of memory_summary.md",
    look,
};

const SOURCE: Source = Source {
    version: "",
    from: "its published source, November 2026",
    is_reported: false,
};

static SUMMARY: Cap = Cap {
    limits: &[Limit {
        unit: Unit::TokensEstimated,
        most: 2_500,
    }],
    keeps: Keeps::Beginning,
    entries_split_by: None,
    source: SOURCE,
};

/// The folder of its memories and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("CODEX_HOME", ".codex")
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    let memories = root.join("memories");
    if look.own(&root) && look.folder(&memories) {
        look.loads(&memories, &[("memory_summary.md", &SUMMARY)], None);
    }
}
