//! Letta Code: a memory folder for each agent, of its own or of the local back end.

use crate::agent::{Agent, Source};
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "letta-code",
    name: "Letta Code",
    source: Source {
        version: "",
        from: "its published source, November 2026",
        is_reported: false,
    },
    recall: "opens files with its tools",
    loads: "its core blocks; the rest only when it opens a file itself",
    look,
};

fn look(look: &mut Look<'_>) {
    let root = look.home().join(".letta");
    if !look.own(&root) {
        return;
    }
    for agents in ["agents", "lc-local-backend/memfs"] {
        for agent in look.children(&root.join(agents)) {
            look.folder(&agent.join("memory"));
        }
    }
}
