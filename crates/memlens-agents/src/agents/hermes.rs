//! Hermes: two files of entries, loaded once for a session.

use std::path::PathBuf;

use crate::agent::{Agent, Cap, Keeps, Limit, Source, Unit};
use crate::home::Home;
use crate::looking::Look;

pub(super) static AGENT: Agent = Agent {
    id: "hermes",
    name: "Hermes",
    source: SOURCE,
    recall: "loads both files, searches nothing",
    loads: "2,200 characters of MEMORY.md and 1,375 of USER.md",
    look,
};

const SOURCE: Source = Source {
    version: "",
    from: "its published source, November 2026",
    is_reported: false,
};

static MEMORY: Cap = cap(&[characters(2_200)]);
static USER: Cap = cap(&[characters(1_375)]);

const fn cap(limits: &'static [Limit]) -> Cap {
    Cap {
        limits,
        keeps: Keeps::Beginning,
        entries_split_by: Some("§"),
        source: SOURCE,
    }
}

const fn characters(most: u64) -> Limit {
    Limit {
        unit: Unit::Characters,
        most,
    }
}

/// The folder of its memories and state.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("HERMES_HOME", ".hermes")
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    let memories = root.join("memories");
    if look.own(&root) && look.folder(&memories) {
        look.loads(
            &memories,
            &[("MEMORY.md", &MEMORY), ("USER.md", &USER)],
            None,
        );
    }
}
