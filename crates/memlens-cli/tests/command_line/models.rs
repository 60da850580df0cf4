//! `models` and a change of the model by `index`, with a tiny model in a folder: a change killed at random moments, the way
//! back, and what is wrong with a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use memlens_store::Store;
use memlens_tests::Notes;
use serde_json::Value;

use crate::killing::notes;
use crate::memlens::{Memlens, list, text};

fn tiny() -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    memlens_files::canonical(&fixtures.join("tiny-embed")).expect("it is there")
}

fn model(memlens: &Memlens, name: &str) -> Value {
    let report = memlens.json(&["models", "--json"]);
    let models = list(&report["models"]).iter();
    let mut models = models.filter(|it| it["name"].as_str().is_some_and(|it| it.starts_with(name)));
    models.next().cloned().unwrap_or(Value::Null)
}

/// The dimension of the library's vectors, all of which are as they were saved.
fn dim(memlens: &Memlens) -> usize {
    let store = Store::open_read_only(memlens.library()).expect("it can be read");
    let (_, dim) = store
        .embedding_model()
        .expect("it can be read")
        .expect("it has chunks");
    let never = std::sync::atomic::AtomicBool::new(false);
    assert!(store.is_as_saved(dim, &never).expect("it can be checked"));
    dim
}

#[test]
fn a_change_to_a_model_in_a_folder_and_back() {
    let notes = Notes::new(&[
        ("a.md", "# Hall\n\nThe hall."),
        ("b.md", "# Relay\n\nThe relay."),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let tiny = tiny();
    let to_folder = ["index", "--model-folder", text(&tiny), "--json"];
    let report = memlens.json(&to_folder);
    assert_eq!(
        (&report["n_unchanged"], &report["n_embedded"]),
        (&2.into(), &4.into())
    );
    let id = report["model"].as_str().expect("it is a text").to_owned();
    assert!(id.starts_with("tiny-embed@"), "{id}");
    assert_eq!(dim(&memlens), 8);
    let found = memlens.json(&["search", "hall", "--json", "--set", "min_score=0"]);
    assert_eq!(found["results"][0]["path"], "a.md");
    let own = model(&memlens, "tiny-embed@");
    assert_eq!(
        (&own["is_in_use"], &own["folder"], &own["dim"]),
        (&true.into(), &text(&tiny).into(), &8.into())
    );
    assert_eq!(model(&memlens, "bundled")["n_vectors"], 4);
    let listed = memlens.print(&["models"]);
    let kept =
        "4 vectors stored: 6.1 kB\n  choosing it embeds only the texts that have no vector yet";
    assert!(listed.contains(kept), "{listed}");

    // What is new meanwhile is embedded for both; nothing else is.
    notes.write("c.md", "The attic.");
    assert_eq!(memlens.json(&["index", "--json"])["n_embedded"], 1);
    let back = memlens.json(&["index", "--model", "bundled", "--json"]);
    assert_eq!((&back["n_embedded"], dim(&memlens)), (&1.into(), 384));
    memlens.refused(
        &["models", "forget", "bundled"],
        1,
        "cannot delete the vectors of bundled: your notes are searched by it, or are being embedded by it; choose another model first",
    );
    let forgotten = memlens.run(&["models", "forget", &id]);
    assert_eq!(
        (forgotten.status, forgotten.err),
        (0, format!("memlens: 5 vectors of {id} were deleted\n"))
    );
    assert_eq!(model(&memlens, "tiny-embed@"), Value::Null);
    assert_eq!(memlens.json(&to_folder)["n_embedded"], 5);
}

#[test]
fn a_folder_that_is_no_model_changes_nothing() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    fs::copy(tiny().join("model.onnx"), folder.path().join("model.onnx"))
        .expect("it can be copied");
    let path = memlens_files::canonical(folder.path()).expect("it is there");
    let refused = |why: &str| {
        let message = format!("cannot use the embedding model in {}{why}", path.display());
        memlens.refused(&["index", "--model-folder", text(&path)], 1, &message);
    };
    refused(": tokenizer.json is missing; copy it from where the model comes from");
    fs::copy(tiny().join("tokenizer.json"), path.join("tokenizer.json")).expect("it can be copied");
    fs::copy(tiny().join("nan.onnx"), path.join("model.onnx")).expect("it can be copied");
    refused("/model.onnx: a vector has values that are no numbers");
    assert_eq!(dim(&memlens), 384);
    assert_eq!(memlens.json(&["index", "--json"])["n_embedded"], 0);

    // A model in use that was replaced by one of another dimension: the error names both, and the bundled one still works.
    fs::copy(tiny().join("model.onnx"), path.join("model.onnx")).expect("it can be copied");
    memlens.json(&["index", "--model-folder", text(&path), "--json"]);
    fs::copy(tiny().join("wide.onnx"), path.join("model.onnx")).expect("it can be copied");
    let index = memlens.run(&["index"]);
    assert!(
        index.status == 1 && index.err.contains("it holds another model now"),
        "{index:?}"
    );
    let back = memlens.run(&["index", "--model", "bundled"]);
    assert!(
        back.status == 0 && back.err.contains("all notes are re-indexed"),
        "{back:?}"
    );
    assert_eq!(dim(&memlens), 384);
}

#[test]
fn a_change_that_is_killed_leaves_a_library_that_is_searched_and_continued() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let tiny = tiny();
    let change = |to: [&str; 2]| memlens.command(&["index", to[0], to[1]]);
    let (there, back) = (["--model-folder", text(&tiny)], ["--model", "bundled"]);
    let started = Instant::now();
    let done = change(there).output().expect("it can be started");
    assert!(done.status.success());
    let whole = started.elapsed();
    memlens.json(&["index", "--model", "bundled", "--json"]);
    // A command after a kill may also report that it rebuilt a list.
    let killed = |arguments: &[&str]| -> Value {
        let run = memlens.run(arguments);
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.err);
        serde_json::from_str(&run.out).expect("it is JSON")
    };
    for round in 0..8_u32 {
        // Vectors that are there already leave only the change itself to be killed.
        if round == 4 {
            let id = model(&memlens, "tiny-embed@")["name"].clone();
            if dim(&memlens) == 8 {
                killed(&["index", "--model", "bundled", "--json"]);
            }
            memlens.run(&["models", "forget", id.as_str().expect("it is a text")]);
        }
        let to = if dim(&memlens) == 384 { there } else { back };
        let mut child = change(to).spawn().expect("it can be started");
        sleep(
            whole
                .mul_f64(f64::from(round + 1) / 9.0)
                .max(Duration::from_millis(20)),
        );
        // The process may have ended already.
        let _ = child.kill();
        child.wait().expect("it ends");
        assert!([8, 384].contains(&dim(&memlens)));
        let found = killed(&["search", "quiet relay", "--json", "--set", "min_score=0"]);
        assert!(!list(&found["results"]).is_empty(), "{round}");
    }
    killed(&["index", "--json"]);
    let report = memlens.json(&["index", there[0], there[1], "--json"]);
    assert_eq!((&report["n_files"], dim(&memlens)), (&20.into(), 8));
    assert_eq!(memlens.json(&["index", "--json"])["n_embedded"], 0);
}

#[test]
fn a_chosen_model_that_is_gone_keeps_no_note_from_the_one_in_use() {
    let notes = Notes::new(&[("a.md", "# Hall\n\nThe hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    for entry in fs::read_dir(tiny()).expect("it can be listed") {
        let file = entry.expect("it can be listed").path();
        let name = file.file_name().expect("it is a file");
        fs::copy(&file, folder.path().join(name)).expect("it can be copied");
    }
    let report = memlens.json(&["index", "--model-folder", text(folder.path()), "--json"]);
    let id = report["model"].as_str().expect("it is a text").to_owned();
    memlens.json(&["index", "--model", "bundled", "--json"]);
    choose(&memlens, &id);
    fs::remove_file(folder.path().join("model.onnx")).expect("it can be removed");
    notes.write("b.md", "The narwhal.");
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.err.contains("model.onnx"), "{run:?}");
    let found = memlens.json(&["search", "narwhal", "--json"]);
    assert_eq!(found["results"][0]["path"], "b.md");
    let listed = memlens.print(&["models"]);
    assert!(
        listed.contains("chosen, but it cannot be used: the notes stay with the model in use"),
        "{listed}"
    );
}

#[test]
fn vectors_of_a_model_that_is_chosen_are_kept_by_name_and_by_id() {
    let notes = Notes::new(&[("a.md", "# Hall\n\nThe hall.")]);
    let memlens = Memlens::of(&[&notes]);
    choose(&memlens, "multilingual");
    for name in [
        "multilingual",
        "multilingual-e5-small-q4@2f105bbb/query/passage",
    ] {
        let refused = format!(
            "cannot delete the vectors of {name}: your notes are searched by it, or are being embedded by it; choose another model first"
        );
        memlens.refused(&["models", "forget", name], 1, &refused);
    }
}

/// Stores the choice of a model, as a change that was stopped leaves it.
fn choose(memlens: &Memlens, name: &str) {
    let mut store = Store::open(memlens.library()).expect("nobody else writes");
    let choice = Some(name);
    store
        .put_setting("embedding_model", choice)
        .expect("it can be written");
}

#[test]
fn few_vectors_are_no_zero_megabytes() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let listed = memlens.print(&["models"]);
    assert!(listed.contains("1 vector stored: 1.5 kB"), "{listed}");
}
