//! Obsidian: the vaults of its own list. Not an agent: a place where people keep notes.

use std::path::PathBuf;

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "obsidian",
    name: "Obsidian",
    source: Source {
        version: "",
        from: "its list of vaults, November 2026",
    },
    recall: "keeps notes, and is no agent",
    loads: "nothing: it is no agent",
    instructions: &[],
    look,
    own_places,
};
/// The folder of its list of vaults.
fn root(home: &Home) -> PathBuf {
    home.desktop_settings().join("obsidian")
}

fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    let config = look.config(&root.join("obsidian.json"), Format::Json);
    for (_, vault) in look.entries(&config["vaults"], "vaults") {
        if let Some(path) = look.text(&vault["path"], "the path of a vault") {
            look.named_folder(path, "obsidian.json");
        }
    }
}
