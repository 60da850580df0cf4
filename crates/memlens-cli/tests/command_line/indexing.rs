//! `index` and `status`: what was indexed, and what the library holds.

use std::fs;

use memlens_store::Store;
use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, paths, text};

fn counts(report: &Value) -> [u64; 6] {
    [
        "n_added",
        "n_changed",
        "n_removed",
        "n_unchanged",
        "n_unreadable",
        "n_embedded",
    ]
    .map(|key| {
        report[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key} is missing in {report}"))
    })
}

#[test]
fn what_was_done_is_reported() {
    let notes = Notes::new(&[
        ("a.md", "# Hall\n\nThe hall."),
        ("x/b.md", "# Relay\n\nThe relay."),
        ("bad.md", "no\0text"),
    ]);
    let memlens = Memlens::new();
    // In a pipe there is no progress bar, so only the result is printed.
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(report["schema_version"], 1);
    assert_eq!(
        report["folders"],
        json!([{"path": text(notes.path()), "name": "notes", "n_files": 2}])
    );
    assert_eq!(counts(&report), [2, 0, 0, 0, 1, 4]);
    assert_eq!(
        (&report["n_files"], &report["n_chunks"], &report["notices"]),
        (&json!(2), &json!(2), &json!([]))
    );
    assert!(report["elapsed_ms"].is_u64());
    assert_eq!(list(&report["problems"]).len(), 1);

    // Unchanged notes are not embedded again, whether or not the folder is named.
    assert_eq!(
        counts(&memlens.json(&["index", "--json"])),
        [0, 0, 0, 2, 1, 0]
    );
    assert_eq!(
        counts(&memlens.json(&["index", text(&notes.at("x/..")), "--json"])),
        [0, 0, 0, 2, 1, 0]
    );
    notes.write("a.md", "# Hall\n\nThe long hall.");
    notes.rename("x/b.md", "c.md");
    notes.write("d.md", "# Relay\n\nThe relay.");
    notes.remove("bad.md");
    assert_eq!(
        counts(&memlens.json(&["index", "--json"])),
        [2, 1, 1, 0, 0, 2]
    );

    let text_report = memlens.print(&["index"]);
    assert!(text_report.starts_with("0 new, 0 changed, 0 removed, 3 unchanged; 0 texts embedded; 3 files and 3 chunks in total; "), "{text_report}");
}

#[test]
fn notes_that_have_to_be_read_again_are_so_in_every_folder() {
    let (named, other) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let memlens = Memlens::of(&[&named, &other]);
    let one = ["index", text(named.path()), "--json"];
    assert_eq!(counts(&memlens.json(&one)), [0, 0, 0, 1, 0, 0]);
    // The library of an older Memlens, which cut notes differently.
    let mut store = Store::open(memlens.library()).expect("nobody else writes");
    store.set_meta("recipe", "old").expect("it is known");
    drop(store);
    let run = memlens.run(&one);
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(counts(&report), [2, 0, 0, 0, 0, 0]);
    let notice = report["notices"][0].as_str().expect("it is a text");
    assert!(notice.starts_with("all notes are re-indexed"), "{notice}");
    let found = memlens.json(&["search", "relay", "--json", "--set", "vector_on=false"]);
    assert_eq!(paths(&found["results"]), ["b.md"]);
}

#[test]
fn embeddings_that_nothing_uses_are_forgotten_in_the_end() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let n_embeddings = || {
        let store = Store::open_read_only(memlens.library()).expect("it can be read");
        store.n_embeddings().expect("they can be counted")
    };
    let n_used = n_embeddings();
    let mut store = Store::open(memlens.library()).expect("nobody else writes");
    let made_by = store.embedding_model().expect("it can be read");
    let (model, dim) = made_by.expect("it has chunks");
    // Embeddings of notes that were deleted.
    let unused: Vec<([u8; 32], Vec<f32>)> = (0..2_000_u16)
        .map(|number| {
            let mut hash = [0; 32];
            hash[..2].copy_from_slice(&number.to_le_bytes());
            let mut vector = vec![0.0; dim];
            vector[usize::from(number) % dim] = 1.0;
            (hash, vector)
        })
        .collect();
    store
        .save_embeddings(&model, &unused)
        .expect("they can be saved");
    drop(store);
    assert_eq!(n_embeddings(), n_used + 2_000);
    assert_eq!(counts(&memlens.json(&["index", "--json"]))[3], 1);
    assert!(n_embeddings() < 2 * n_used, "{}", n_embeddings());
    let found = memlens.json(&["search", "hall", "--json"]);
    assert_eq!(paths(&found["results"]), ["a.md"]);
}

#[test]
fn the_library_is_described() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay."), ("c.md", "no\0text")]),
    );
    let memlens = Memlens::of(&[&first, &second]);
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(
        (&status["schema_version"], &status["writer"]),
        (&json!(1), &Value::Null)
    );
    assert_eq!(status["library"], text(memlens.library()));
    assert_eq!(
        (
            &status["n_files"],
            &status["n_chunks"],
            &status["n_windows"]
        ),
        (&json!(2), &json!(2), &json!(2))
    );
    let mut folders: Vec<(&str, &str, u64)> = list(&status["folders"])
        .iter()
        .map(|folder| {
            assert_eq!(folder["paused"], false);
            let text = |key: &str| folder[key].as_str().expect("it is text");
            (
                text("path"),
                text("name"),
                folder["n_files"].as_u64().expect("it is a count"),
            )
        })
        .collect();
    folders.sort_by_key(|(_, name, _)| *name);
    assert_eq!(
        folders,
        [
            (text(first.path()), "notes", 1),
            (text(second.path()), "notes 2", 1)
        ]
    );
    let problem = &list(&status["problems"])[0];
    assert_eq!(
        (&problem["path"], &problem["line"]),
        (&json!("c.md"), &Value::Null)
    );
    let text_report = memlens.print(&["status"]);
    assert!(text_report.contains("2 files, 2 chunks"), "{text_report}");
}

#[test]
fn lists_stay_closed_while_the_library_is_described_unless_they_are_out_of_step() {
    let memlens = Memlens::of(&[&Notes::new(&[("a.md", "The hall.")])]);
    let described = memlens.print(&["status"]);
    let rows = memlens.library().join("vectors/flat.1");
    let torn = b"opening these rows repairs them";
    fs::write(&rows, torn).expect("it can be written");
    assert_eq!(memlens.print(&["status"]), described);
    assert_eq!(fs::read(&rows).expect("it is there"), torn);

    for head in ["vectors/flat", "text/meta.json"] {
        let head = memlens.library().join(head);
        fs::remove_file(&head).expect("it is there");
        let run = memlens.run(&["status"]);
        assert_eq!((run.status, run.out), (0, described.clone()), "{}", run.err);
        assert!(head.exists(), "repaired, as for a search");
    }
    // Changes to the lists are not reported as changes of the library.
    assert_eq!(memlens.run(&["status"]).err, "");
}

#[test]
fn a_folder_in_a_watched_one_is_refused() {
    let notes = Notes::new(&[("x/a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let (outer, inner) = (text(notes.path()), notes.at("x"));
    memlens.refused(
        &["index", text(&inner)],
        1,
        &format!(
            "cannot add {}: it is already watched within {outer}",
            inner.display()
        ),
    );
}

#[test]
fn notes_and_questions_in_other_languages_are_noticed() {
    let notes = Notes::new(&[
        (
            "a.md",
            "# Hall\n\nThe relay in the hall is switched off at night.",
        ),
        (
            "de.md",
            "Der Zahnarzttermin von Lena ist auf Donnerstag verschoben, weil die Praxis geschlossen ist.",
        ),
        (
            "zh.md",
            "\u{5988}\u{5988}\u{7684}\u{8840}\u{538b}\u{836f}\u{6bcf}\u{5929}\u{65e9}\u{996d}\u{540e}\u{5403}\u{4e00}\u{7247}",
        ),
    ]);
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path())]);
    let notice = "2 of 3 notes are probably not in English";
    assert_eq!((run.status, run.err.contains(notice)), (0, true), "{run:?}");
    // Nothing is new, so it is not repeated.
    memlens.print(&["index"]);
    let notices =
        |question: &str| memlens.json(&["search", question, "--json"])["notices"].to_string();
    assert!(!notices("what is switched off at night?").contains("English"));
    let german = notices("Wie oft prüfen wir, ob sich das Backup zurückspielen lässt?");
    assert!(german.contains("probably not in English"), "{german}");
}
