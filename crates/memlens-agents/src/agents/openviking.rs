//! OpenViking: the workspace that its config names.

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "openviking",
    name: "OpenViking",
    source: Source {
        version: "0.5.2",
        from: "its published package",
        is_reported: false,
    },
    recall: "searches summaries by meaning",
    loads: "nothing",
    look,
};

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let root = home.join(".openviking");
    look.own(&root);
    let config = home
        .variable("OPENVIKING_CONFIG_FILE")
        .and_then(|path| home.expanded(&path.to_string_lossy()))
        .unwrap_or_else(|| root.join("ov.conf"));
    let config = look.config(&config, Format::Json);
    if let Some(workspace) = look.text(&config["storage"]["workspace"], "storage.workspace") {
        look.named_folder(workspace, "storage.workspace");
    }
}
