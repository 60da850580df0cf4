//! memsearch: a memory folder in each project.

use std::path::PathBuf;

use crate::agent::{Agent, Source};
use crate::agents::claude_code_root;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "memsearch",
    name: "memsearch",
    source: Source {
        version: "0.4.23",
        from: "its published package",
    },
    recall: "searches by words and meaning",
    loads: "nothing",
    instructions: &[],
    look,
    own_places,
};
fn own_places(home: &Home) -> Vec<PathBuf> {
    let named = home.variable("MEMSEARCH_DIR");
    let named = named.and_then(|named| home.expanded(&named.to_string_lossy()));
    vec![named.unwrap_or_else(|| home.join(".memsearch"))]
}

/// memsearch has no list of projects. So the home folder is scanned, and the projects whose paths can be recovered from
/// the names of Claude Code's folders.
fn look(look: &mut Look<'_>) {
    let home = look.home();
    if let Some(named) = home.variable("MEMSEARCH_DIR") {
        if let Some(named) = home.expanded(&named.to_string_lossy()) {
            look.folder(&named.join("memory"));
        }
        return;
    }
    look.folder(&home.join(".memsearch/memory"));
    for slug in look.children(&claude_code_root(home).join("projects")) {
        // `-home-iris-garden` is `/home/iris/garden`, unless a name has a hyphen.
        let name = slug.file_name().unwrap_or_default().to_string_lossy();
        let project = PathBuf::from(name.replace('-', "/"));
        let memory = project.join(".memsearch/memory");
        if project.is_absolute() && memory.symlink_metadata().is_ok() {
            look.folder(&memory);
        }
    }
}
