//! qmd: the collections of its config.

use std::path::PathBuf;

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "qmd",
    name: "qmd",
    source: Source {
        version: "2.8.3",
        from: "its published package",
    },
    recall: "searches by words and meaning",
    loads: "nothing",
    instructions: &[],
    look,
    own_places,
};

fn root(home: &Home) -> PathBuf {
    home.variable("QMD_CONFIG_DIR")
        .and_then(|named| home.expanded(&named.to_string_lossy()))
        .unwrap_or_else(|| home.folder_of("XDG_CONFIG_HOME", ".config").join("qmd"))
}

/// Where its config is, whether or not it is there.
pub(crate) fn config(home: &Home) -> PathBuf {
    root(home).join("index.yml")
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![
        root(home),
        home.folder_of("XDG_CACHE_HOME", ".cache").join("qmd"),
    ]
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    look.own(&root(home));
    let config = look.config(&config(home), Format::Yaml);
    for (name, collection) in look.entries(&config["collections"], "collections") {
        if let Some(path) = look.text(
            &collection["path"],
            &format!("the path of collection {name}"),
        ) {
            look.named_folder(path, &format!("collection {name}"));
        }
    }
}
