//! Where ONNX Runtime cannot be loaded, notes are embedded by the small model, and by the chosen one once it can.

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, Run, list, text};

fn notes() -> Notes {
    Notes::new(&[
        (
            "relay.md",
            "# Relay\n\nThe relay in the hall is quiet at night.\n",
        ),
        (
            "soup.md",
            "# Soup\n\nThe stock for the soup takes four hours.\n",
        ),
        (
            "garden.md",
            "# Garden\n\nThe tomatoes are watered in the evening.\n",
        ),
    ])
}

/// Runs the program as on a machine without ONNX Runtime.
fn run(memlens: &Memlens, arguments: &[&str]) -> Run {
    let mut command = memlens.command(arguments);
    let output = command
        .env("ORT_DYLIB_PATH", "/nowhere/libonnxruntime.so")
        .output()
        .expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Run {
        status: output.status.code().expect("it ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// The model that the notes are searched by.
fn in_use(memlens: &Memlens) -> String {
    let models = memlens.json(&["models", "--json"]);
    let in_use = list(&models["models"])
        .iter()
        .find(|it| it["is_in_use"] == true);
    in_use.expect("one is in use")["name"]
        .as_str()
        .expect("a name")
        .to_owned()
}

const SAID: &str = "your notes are embedded by the small model potion-base-2M, 8 bits, because the chosen model cannot be loaded: \
                    cannot find the ONNX Runtime library that ORT_DYLIB_PATH names";

#[test]
fn notes_are_indexed_by_the_small_model_until_the_chosen_one_can_be_loaded() {
    let (memlens, notes) = (Memlens::new(), notes());
    for arguments in [&["index", text(notes.path())][..], &["index"]] {
        let indexed = run(&memlens, arguments);
        assert!(
            indexed.status == 0 && indexed.err.contains(SAID),
            "{indexed:?}"
        );
        assert!(indexed.err.contains("finds less"), "{indexed:?}");
    }
    let searched = run(
        &memlens,
        &[
            "search",
            "silent after dark",
            "--json",
            "--set",
            "min_score=0",
        ],
    );
    assert!(
        searched.status == 0 && searched.err.contains(SAID),
        "{searched:?}"
    );
    let report: Value = serde_json::from_str(&searched.out).expect("it is JSON");
    assert_eq!(report["model"], "potion-base-2M-q8@bb4374e6");
    // No word of the question is in the note.
    assert_eq!(report["results"][0]["path"], "relay.md");
    assert!(
        !report["notices"].to_string().contains("words alone"),
        "{report}"
    );
    let listed = run(&memlens, &["models"]);
    assert!(
        listed.out.contains("potion-base-2M, 8 bits, in use until"),
        "{listed:?}"
    );

    // With the runtime, nothing is reported, and the chosen model takes over.
    let indexed = memlens.run(&["index"]);
    assert!(
        indexed.status == 0 && !indexed.err.contains("small model"),
        "{indexed:?}"
    );
    assert_eq!(in_use(&memlens), "bundled");
    // The vectors of the bundled model are of no use without the runtime, and are not thrown away.
    let lost = run(&memlens, &["index"]);
    assert!(
        lost.status == 1 && lost.err.contains("cannot find the ONNX Runtime library"),
        "{lost:?}"
    );
    assert_eq!(in_use(&memlens), "bundled");
}

#[test]
fn the_small_model_can_be_chosen() {
    let (memlens, notes) = (Memlens::new(), notes());
    let indexed = run(
        &memlens,
        &["index", text(notes.path()), "--model", "static"],
    );
    assert_eq!(
        (indexed.status, indexed.err.contains("small model")),
        (0, false),
        "{indexed:?}"
    );
    assert_eq!(in_use(&memlens), "static");
    let searched = run(&memlens, &["search", "quiet after dark"]);
    assert_eq!(
        (searched.status, searched.err.as_str()),
        (0, ""),
        "{searched:?}"
    );
    // Back and forth; the vectors of both are kept.
    assert_eq!(memlens.run(&["index", "--model", "bundled"]).status, 0);
    assert_eq!(in_use(&memlens), "bundled");
    assert_eq!(memlens.run(&["index", "--model", "static"]).status, 0);
    assert_eq!(in_use(&memlens), "static");
}
