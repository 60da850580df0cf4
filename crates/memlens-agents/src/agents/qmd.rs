//! qmd: the collections of its config.

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "qmd",
    name: "qmd",
    source: Source {
        version: "2.8.3",
        from: "its published package",
        is_reported: false,
    },
    recall: "searches by words and meaning",
    loads: "nothing",
    look,
};

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let root = home
        .variable("QMD_CONFIG_DIR")
        .and_then(|named| home.expanded(&named.to_string_lossy()))
        .unwrap_or_else(|| home.folder_of("XDG_CONFIG_HOME", ".config").join("qmd"));
    look.own(&root);
    let config = look.config(&root.join("index.yml"), Format::Yaml);
    for (name, collection) in look.entries(&config["collections"], "collections") {
        if let Some(path) = look.text(
            &collection["path"],
            &format!("the path of collection {name}"),
        ) {
            look.named_folder(path, &format!("collection {name}"));
        }
    }
}
