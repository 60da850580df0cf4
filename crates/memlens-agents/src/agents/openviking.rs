//! OpenViking: the workspace that its config names.

use std::path::PathBuf;

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "openviking",
    name: "OpenViking",
    source: Source {
        version: "0.5.2",
        from: "its published package",
    },
    recall: "searches summaries by meaning",
    loads: "nothing",
    instructions: &[],
    look,
    own_places,
};

const ROOT: &str = ".openviking";

/// Where its config is, whether or not it is there.
pub(crate) fn config(home: &Home) -> PathBuf {
    home.variable("OPENVIKING_CONFIG_FILE")
        .and_then(|path| home.expanded(&path.to_string_lossy()))
        .unwrap_or_else(|| home.join(ROOT).join("ov.conf"))
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![home.join(ROOT), config(home)]
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    look.own(&home.join(ROOT));
    let config = look.config(&config(home), Format::Json);
    if let Some(workspace) = look.text(&config["storage"]["workspace"], "storage.workspace") {
        look.named_folder(workspace, "storage.workspace");
    }
}
