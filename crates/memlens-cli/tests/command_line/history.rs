//! `memlens history`: what a note said before, and switching that off.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list};

#[test]
fn a_changed_note_shows_what_it_said_until_that_is_switched_off() {
    let notes = Notes::new(&[
        ("house.md", "# House\n\nThe router stands in the hall.\n"),
        ("garden.md", "The pump runs at night.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let none = memlens.print(&["history", "house.md"]);
    assert!(
        none.starts_with("No change of this note is known."),
        "{none}"
    );
    notes.write("house.md", "# House\n\nThe router stands in the attic.\n");
    assert_eq!(memlens.run(&["index"]).status, 0);
    let report = memlens.json(&["history", "house.md", "--json"]);
    let changes = list(&report["changes"]);
    assert_eq!(changes.len(), 1, "{report}");
    assert_eq!(changes[0]["origin"], json!({"kind": "seen"}));
    assert_eq!(
        changes[0]["diff"],
        "@@ line 1 @@\n # House\n \n-The router stands in the hall.\n+The router stands in the attic.\n"
    );
    assert_eq!(
        (report["is_kept"].clone(), report["schema_version"].clone()),
        (json!(true), json!(1))
    );
    let printed = memlens.print(&["history", "house.md"]);
    assert!(printed.contains("+1 -1  seen by Memlens\n"), "{printed}");
    assert!(
        printed.contains("-The router stands in the hall.\n"),
        "{printed}"
    );
    assert_eq!(
        list(&memlens.json(&["history", "garden.md", "--json"])["changes"]).len(),
        0
    );

    let kept = memlens.json(&["history", "--json"]);
    assert!(kept["n_bytes"].as_f64().is_some_and(|n| n > 0.0), "{kept}");
    let off = memlens.json(&["history", "--keep", "off", "--json"]);
    assert_eq!(
        (off["is_kept"].clone(), off["n_bytes"].clone()),
        (json!(false), json!(0.0))
    );
    let gone = memlens.print(&["history", "house.md"]);
    assert!(gone.contains("memlens history --keep on"), "{gone}");
    notes.write("house.md", "The router stands outside.\n");
    assert_eq!(memlens.run(&["index"]).status, 0);
    assert_eq!(
        list(&memlens.json(&["history", "house.md", "--json"])["changes"]).len(),
        0
    );
    let on = memlens.print(&["history", "--keep", "on"]);
    assert_eq!(
        on,
        "What notes said before is saved: 0 B of at most 67 MB.\n"
    );
}

#[test]
fn one_line_of_a_long_note_is_one_line_whatever_its_chunks() {
    let lines = |changed: &str| -> String {
        let line = |at| match at {
            103 => format!("{changed}\n"),
            at => format!("- 2026-02-02 entry {at} about the pump and the pond\n"),
        };
        (1..=200).map(line).collect()
    };
    let notes = Notes::new(&[("log.md", &lines("- the pump runs at night"))]);
    let memlens = Memlens::of(&[&notes]);
    notes.write("log.md", lines("- the pump runs at noon"));
    assert_eq!(memlens.run(&["index"]).status, 0);
    let report = memlens.json(&["history", "log.md", "--json"]);
    let change = &list(&report["changes"])[0];
    assert_eq!(
        (&change["n_added"], &change["n_removed"], &change["lacks"]),
        (&json!(1), &json!(1), &json!(null)),
        "{change}"
    );
    let diff = change["diff"].as_str().expect("it is text");
    assert!(diff.starts_with("@@ line 101 @@\n"), "{diff}");
    assert_eq!(diff.lines().count(), 7, "{diff}");
}

#[test]
fn a_note_that_could_not_be_read_has_no_figures() {
    let notes = Notes::new(&[("a.md", "The router."), ("b.md", "The pump.")]);
    let memlens = Memlens::of(&[&notes]);
    notes.write("a.md", "a\0b");
    memlens.run(&["index"]);
    notes.write("a.md", "The router again.");
    assert_eq!(memlens.run(&["index"]).status, 0);
    let printed = memlens.print(&["history", "a.md"]);
    assert!(printed.contains("the note could not be read"), "{printed}");
    assert!(!printed.contains("+0"), "{printed}");
}

#[test]
fn a_note_that_is_not_watched_is_refused() {
    let notes = Notes::new(&[("a.md", "The router.")]);
    let memlens = Memlens::of(&[&notes]);
    for typed in ["../outside.md", "nowhere/else.md"] {
        let run = memlens.run(&["history", typed]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err
                .starts_with(&format!("memlens: cannot show the note {typed}: ")),
            "{run:?}"
        );
    }
    assert_eq!(memlens.run(&["history", "a.md", "--keep", "on"]).status, 2);
}
