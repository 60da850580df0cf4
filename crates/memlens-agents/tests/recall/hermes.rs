//! Reading the message database of Hermes.

use crate::support::{Scratch, fixture};

#[test]
fn searches_of_its_database_are_reported() {
    let scratch = Scratch::new();
    scratch.database(".hermes/state.db", &fixture("hermes/state.sql"));
    let notebook = scratch.notebook();
    assert_eq!(
        notebook.searches_in_short(),
        "pond pump limit=3 -> 20260411_101500_d4e5f6 | opened ~/.hermes/memories/MEMORY.md | cited \n\
         heron -> failed | opened  | cited \n"
    );
    assert_eq!(notebook.questions[0].at_ms, Some(1_780_474_445_250));
}

#[test]
fn each_profile_has_a_database_of_its_own() {
    let scratch = Scratch::new();
    scratch.database(".hermes/state.db", "");
    scratch.database(".hermes/profiles/garden/state.db", "");
    let logs = memlens_agents::logs(&scratch.home());
    let paths: Vec<String> = logs
        .iter()
        .map(|log| scratch.home().shown(&log.path))
        .collect();
    assert_eq!(
        paths,
        ["~/.hermes/profiles/garden/state.db", "~/.hermes/state.db"]
    );
}
