//! Codex: one folder of memories, of which it loads a summary.

use std::path::PathBuf;

use crate::agent::{Agent, Cap, Keeps, Limit, Removed, Source, Unit};
use crate::codex_settings::CodexSettings;
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look};

pub(super) static AGENT: Agent = Agent {
    id: "codex",
    name: "Codex",
    source: SOURCE,
    recall: "finds exact substrings only",
    loads: "10,000 bytes of memory_summary.md, half from each end",
    instructions: &[
        "~/.codex/AGENTS.override.md or AGENTS.md",
        "AGENTS.override.md or AGENTS.md of the folders that its sessions worked in, and of those above up to the project's root",
    ],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "0.169.0",
    from: "seen in the published program",
};

fn summary() -> LoadFile {
    LoadFile {
        name: "memory_summary.md",
        cap: Cap {
            removed: &[Removed::BlankEnd, Removed::BlankStart],
            limits: vec![Limit::of(Unit::Bytes, 10_000)],
            keeps: Keeps::Ends { head: 50, tail: 50 },
            entries_split_by: None,
            source: SOURCE,
        },
        if_missing: IfMissing::Finding {
            so: "so Codex loads nothing of its memories when a session begins",
            costs: false,
        },
    }
}

/// The folder of its memories and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("CODEX_HOME", ".codex")
}

/// Version and source that its rules were checked with.
pub(crate) fn source() -> Source {
    SOURCE
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    let memories = root.join("memories");
    if !look.own(&root) {
        return;
    }
    let settings = CodexSettings::read(look.home(), None);
    look.place(&CodexSettings::file(look.home()));
    for finding in &settings.findings {
        look.problem(finding.clone());
    }
    if !look.folder(&memories) {
        return;
    }
    if let Some(why) = settings.no_memories() {
        let said = format!("{why}, so Codex loads nothing of its memories");
        look.switch_off([&memories], &[summary()], said);
        return;
    }
    if !settings.has_memories() {
        let shown = look.home().shown(&CodexSettings::file(look.home()));
        look.switch(format!(
            "features.memories is not true in {shown}: Codex loads its memories only in sessions that switch them on"
        ));
    }
    look.loads(&memories, vec![summary()], None);
}
