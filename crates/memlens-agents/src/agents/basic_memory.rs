//! basic-memory: the projects of its config, else one folder in the home folder.

use std::path::PathBuf;

use serde_json::Value;

use crate::agent::{Agent, Source};
use crate::config::Format;
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "basic-memory",
    name: "basic-memory",
    source: Source {
        version: "0.24.1",
        from: "its published package",
    },
    recall: "searches by words and meaning",
    loads: "nothing",
    instructions: &[],
    look,
    own_places,
};

fn root(home: &Home) -> PathBuf {
    home.folder_of("BASIC_MEMORY_CONFIG_DIR", ".basic-memory")
}

/// Where its config is, whether or not it is there.
pub(crate) fn config(home: &Home) -> PathBuf {
    root(home).join("config.json")
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    look.own(&root(home));
    let config = look.config(&config(home), Format::Json);
    let projects = look.entries(&config["projects"], "projects");
    for (name, project) in projects {
        // A project is a path, or an object with one since the cloud version.
        let path = match project {
            Value::Object(entries) => entries.get("path").unwrap_or(&Value::Null),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => project,
        };
        if let Some(path) = look.text(path, &format!("the path of project {name}")) {
            look.named_folder(path, &format!("project {name}"));
        }
    }
    // The default without a config; also beside one, because older notes may be there.
    look.folder(&home.folder_of("BASIC_MEMORY_HOME", "basic-memory"));
}
