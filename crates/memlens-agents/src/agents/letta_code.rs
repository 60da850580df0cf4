//! Letta Code: a memory folder for each agent, of its own or of the local back end.

use std::path::PathBuf;

use crate::agent::{Agent, Source};
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "letta-code",
    name: "Letta Code",
    source: Source {
        version: "0.32.18",
        from: "its published package",
    },
    recall: "opens files with its tools",
    loads: "its core blocks; the rest only when it opens a file itself",
    instructions: &[],
    look,
    own_places,
};
fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![
        home.join(".letta"),
        home.folder_of("LETTA_LOCAL_BACKEND_DIR", ".letta/lc-local-backend"),
    ]
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let root = home.join(".letta");
    let is_there = look.own(&root);
    let backend = home.folder_of("LETTA_LOCAL_BACKEND_DIR", ".letta/lc-local-backend");
    let is_moved = home.variable("LETTA_LOCAL_BACKEND_DIR").is_some() && look.own(&backend);
    // Other programs may use `MEMORY_DIR` too.
    let is_here = is_there || is_moved;
    for (name, is_meant) in [("LETTA_MEMORY_DIR", true), ("MEMORY_DIR", is_here)] {
        if let Some(named) = home.variable(name).filter(|_| is_meant) {
            look.named_folder(&named.to_string_lossy(), name);
        }
    }
    if !is_here {
        return;
    }
    for agents in [root.join("agents"), backend.join("memfs")] {
        for agent in look.children(&agents) {
            look.folder(&agent.join("memory"));
        }
    }
}
