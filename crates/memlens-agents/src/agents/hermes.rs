//! Hermes: two files of entries, loaded once for a session.

use std::path::PathBuf;

use memlens_files::System;

use crate::agent::{Agent, Cap, Keeps, Limit, Source, Unit};
use crate::config::Format;
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look};

pub(super) static AGENT: Agent = Agent {
    id: "hermes",
    name: "Hermes",
    source: SOURCE,
    recall: "loads both files, searches nothing",
    loads: "MEMORY.md and USER.md, whole; equal entries once, and no entry that matches one of its threat patterns",
    instructions: &[],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "0.19.0",
    from: "seen in the published program",
};

/// Its limit refuses further entries, and cuts nothing when a session begins.
fn file(name: &'static str, most: u64) -> LoadFile {
    LoadFile {
        name,
        cap: Cap {
            limits: vec![Limit {
                unit: Unit::Characters,
                most,
                cuts: false,
            }],
            removed: &[],
            keeps: Keeps::Entries,
            entries_split_by: Some("§"),
            source: SOURCE,
        },
        if_missing: IfMissing::Nothing,
    }
}

/// The folder of its memories and state.
pub(crate) fn root(home: &Home) -> PathBuf {
    match home.system() {
        // Its guide for Windows names the local data folder, unless the variable is set.
        System::Windows if home.variable("HERMES_HOME").is_none() => {
            home.local_data().join("hermes")
        }
        System::Windows | System::MacOs | System::Linux => home.folder_of("HERMES_HOME", ".hermes"),
    }
}

fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    let memories = root.join("memories");
    if look.own(&root) && look.folder(&memories) {
        let config = look.config(&root.join("config.yaml"), Format::Yaml);
        let most = |key: &str, usual| config["memory"][key].as_u64().unwrap_or(usual);
        let files = vec![
            file("MEMORY.md", most("memory_char_limit", 2_200)),
            file("USER.md", most("user_char_limit", 1_375)),
        ];
        look.loads(&memories, files, None);
    }
}
