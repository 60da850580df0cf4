//! `memlens drift second-opinion`: a model of the user's own orders what may contradict.

use std::path::{Path, PathBuf};

use memlens_tests::Notes;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::memlens::{Memlens, list};

/// A note whose two sections each make a statement: the rules are not sure whether these contradict each other.
fn sections(one: &str, two: &str) -> String {
    format!("# One\n\n{one}\n\n# Two\n\n{two}\n")
}

/// Two pairs that the rules are not sure of, and a sure one.
fn notes() -> Notes {
    let mail = sections(
        "The mail relay listens on port 8093.",
        "The mail relay listens on port 8443.",
    );
    let logs = sections(
        "Logs of the proxy are kept for 30 days.",
        "Logs of the proxy are kept for 90 days.",
    );
    Notes::new(&[
        ("2026-01-01.md", &mail),
        ("2026-02-01.md", &logs),
        ("a.md", "Deploys are allowed on Fridays.\n"),
        ("b.md", "Deploys are forbidden on Fridays.\n"),
    ])
}

fn tiny() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../../tests/fixtures/tiny-nli")
        .canonicalize()
        .expect("the fixture is there")
}

/// A copy of the model in a folder of this name, to be changed there.
fn copy_of_tiny(name: &str) -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let folder = scratch.path().join(name);
    std::fs::create_dir(&folder).expect("it can be made");
    for entry in std::fs::read_dir(tiny()).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().expect("it has a name");
        std::fs::copy(&path, folder.join(name)).expect("it can be copied");
    }
    (scratch, folder)
}

fn set(memlens: &Memlens, folder: &Path) {
    let run = memlens.run(&[
        "drift",
        "second-opinion",
        "set",
        &folder.display().to_string(),
    ]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
}

fn drift(memlens: &Memlens) -> Value {
    memlens.json(&["drift", "--json"])
}

/// Path of the first side, `sure`, and the model's opinion in percent.
fn listed(report: &Value) -> Vec<Value> {
    let pairs = list(&report["contradictions"]).iter();
    pairs
        .map(|pair| {
            let opinion = pair["second_opinion"]["contradiction"].as_f64();
            let percent = opinion.map(|share| (share * 100.0).round());
            json!([pair["a"]["path"], pair["sure"], percent])
        })
        .collect()
}

#[test]
fn unsure_pairs_are_ordered_by_it_and_no_other() {
    let memlens = Memlens::of(&[&notes()]);
    let before = drift(&memlens);
    assert_eq!(before["second_opinions"], Value::Null);
    let unscored = [
        json!(["a.md", true, null]),
        json!(["2026-02-01.md", false, null]),
        json!(["2026-01-01.md", false, null]),
    ];
    assert_eq!(listed(&before), unscored);

    set(&memlens, &tiny());
    let after = drift(&memlens);
    assert_eq!(
        listed(&after),
        [
            json!(["a.md", true, null]),
            json!(["2026-01-01.md", false, 84.0]),
            json!(["2026-02-01.md", false, 33.0]),
        ]
    );
    assert_eq!(
        after["second_opinions"],
        json!({"model": "tiny-nli", "n_without": 0, "problem": null})
    );
    let printed = memlens.print(&["drift", "--all"]);
    assert!(
        printed.contains("\n  second opinion: 0.84 contradicts (tiny-nli)\n"),
        "{printed}"
    );
    let shown = memlens.json(&["drift", "second-opinion", "show", "--json"]);
    assert_eq!(shown["folder"], tiny().display().to_string());

    let run = memlens.run(&["drift", "second-opinion", "off"]);
    assert_eq!(run.err, "memlens: no model is chosen now\n");
    assert_eq!(listed(&drift(&memlens)), unscored);
}

#[test]
fn what_was_said_stays_known_after_the_folder_is_deleted() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let (scratch, folder) = copy_of_tiny("small");
    set(&memlens, &folder);
    let before = drift(&memlens);
    drop(scratch);
    assert_eq!(listed(&drift(&memlens)), listed(&before));

    let disk = sections(
        "Backups of the disk run at 2:15.",
        "Backups of the disk run at 3:15.",
    );
    notes.write("2026-03-01.md", &disk);
    memlens.run(&["index"]);
    let after = drift(&memlens);
    let without = |report: &Value| {
        let pairs = listed(report);
        pairs
            .iter()
            .filter(|pair| pair[1] == false && pair[2].is_null())
            .count()
    };
    assert_eq!(
        after["second_opinions"]["n_without"],
        json!(without(&after))
    );
    assert!(without(&after) > 0);
    let problem = after["second_opinions"]["problem"]
        .as_str()
        .expect("a problem");
    assert!(
        problem.starts_with("cannot read cross-encoder file"),
        "{problem}"
    );
    let printed = memlens.print(&["drift", "--all"]);
    assert!(
        printed.contains("no second opinion: cannot read cross-encoder file"),
        "{printed}"
    );
    assert!(
        printed.contains("without a second opinion of small yet\n"),
        "{printed}"
    );
}

#[test]
fn another_model_in_the_folder_is_not_asked() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let (_scratch, folder) = copy_of_tiny("small");
    set(&memlens, &folder);
    let config = std::fs::read_to_string(folder.join("config.json")).expect("it can be read");
    std::fs::write(folder.join("config.json"), format!("{config} ")).expect("it can be written");
    let report = drift(&memlens);
    let problem = report["second_opinions"]["problem"]
        .as_str()
        .expect("a problem");
    assert!(
        problem.contains("the folder holds another model now, small@"),
        "{problem}"
    );
    set(&memlens, &folder);
    assert_eq!(drift(&memlens)["second_opinions"]["n_without"], 0);
}

#[test]
fn long_sentences_are_cut_and_marked() {
    let long = "near the harbour office and the old cellar ".repeat(7);
    let pump = |degrees: u32| format!("The pump {long}runs at {degrees} degrees.");
    let memlens = Memlens::of(&[&Notes::new(&[("a.md", &sections(&pump(40), &pump(60)))])]);
    set(&memlens, &tiny());
    let report = drift(&memlens);
    assert_eq!(
        report["contradictions"][0]["second_opinion"]["is_cut"], true,
        "{report}"
    );
    let printed = memlens.print(&["drift", "--all"]);
    let expected = "contradicts (tiny-nli, of the beginning of long sentences)";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn a_folder_that_is_no_such_model_is_refused() {
    let memlens = Memlens::of(&[]);
    let check = |folder: &Path, message: &str| {
        let folder = folder.display().to_string();
        let run = memlens.run(&["drift", "second-opinion", "set", &folder]);
        assert_ne!(run.status, 0);
        assert!(run.err.contains(message), "{}", run.err);
    };
    check(
        Path::new("/no/such/folder"),
        "cannot use the model in /no/such/folder: there is no such folder",
    );
    let (_scratch, folder) = copy_of_tiny("small");
    let labels = r#"{"id2label": {"0": "other", "1": "contradiction"}}"#;
    std::fs::write(folder.join("config.json"), labels).expect("it can be written");
    check(
        &folder,
        "`id2label` names 2 labels; a model for a second opinion has 3",
    );
    std::fs::remove_file(folder.join("tokenizer.json")).expect("it can be removed");
    check(&folder, "tokenizer.json: No such file");
    let shown = memlens.json(&["drift", "second-opinion", "show", "--json"]);
    assert_eq!(shown["folder"], Value::Null);
}
