//! Gemini CLI: a memory folder for each project. Its global `GEMINI.md` lies among its logs, so that folder is not offered.

use std::path::PathBuf;

use crate::agent::{Agent, Cap, Source};
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look};

pub(super) static AGENT: Agent = Agent {
    id: "gemini-cli",
    name: "Gemini CLI",
    source: SOURCE,
    recall: "opens files with its tools",
    loads: "MEMORY.md of the project and its GEMINI.md files, whole; other notes only when it opens them itself",
    instructions: &[
        "~/.gemini/GEMINI.md",
        "GEMINI.md of the folders that its sessions worked in, and of those above up to the project's root",
        "what these import with @path, below the project",
    ],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "0.61.0",
    from: "seen in the published program",
};

/// What its rules were checked with.
pub(crate) fn source() -> Source {
    SOURCE
}
/// The folder of its settings, memory and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.join(".gemini")
}

fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    if !look.own(&root) {
        return;
    }
    for project in look.children(&root.join("tmp")) {
        let memory = project.join("memory");
        if look.folder(&memory) {
            let file = LoadFile {
                name: "MEMORY.md",
                cap: Cap::whole(SOURCE),
                if_missing: IfMissing::Nothing,
            };
            look.loads(&memory, vec![file], None);
        }
    }
}
