//! Gemini CLI: a memory folder for each project. Its global `GEMINI.md` lies among its logs, so that folder is not offered.

use crate::agent::{Agent, Source};
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "gemini-cli",
    name: "Gemini CLI",
    source: Source {
        version: "",
        from: "its published source, November 2026",
        is_reported: false,
    },
    recall: "loads all, searches nothing",
    loads: "all of it",
    look,
};

fn look(look: &mut Look<'_>) {
    let root = look.home().join(".gemini");
    if !look.own(&root) {
        return;
    }
    for project in look.children(&root.join("tmp")) {
        look.folder(&project.join("memory"));
    }
}
