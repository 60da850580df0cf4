//! A cross-encoder on this machine: listed, downloaded from a hub, chosen by name or folder, used by a search.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use memlens_tests::Notes;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hub;
use crate::memlens::{Memlens, list, paths, text};

const SMALLEST: &str = "ms-marco-MiniLM-L-6-v2";

fn notes() -> Notes {
    Notes::new(&[
        ("dinner.md", "We had dinner in Porto."),
        ("lunch.md", "We had lunch in Lisbon."),
        ("soup.md", "Soup is made of leeks."),
    ])
}

/// Returns the folder of a model small enough for the tests.
fn tiny() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../../tests/fixtures/tiny-cross")
        .canonicalize()
        .expect("the fixture is there")
}

/// Copies the tiny model to a scratch folder, to be changed there.
fn copy_of_tiny() -> TempDir {
    let copy = tempfile::tempdir().expect("a scratch folder can be made");
    for entry in std::fs::read_dir(tiny()).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().expect("it has a name");
        std::fs::copy(&path, copy.path().join(name)).expect("it can be copied");
    }
    copy
}

/// Starts a hub that serves the tiny model in place of the smallest one, as the commit that is known. Returns its address.
fn start_hub() -> String {
    let commit = "a09144355adeed5f58c8ed011d209bf8ee5a1fec";
    hub::start(
        &format!("/Xenova/{SMALLEST}/resolve/{commit}/"),
        |name| match name {
            "model_quantized.onnx" => std::fs::read(tiny().join("model.onnx")).ok(),
            other => std::fs::read(tiny().join(other)).ok(),
        },
    )
}

/// Writes the tiny model where a download of the smallest one ends, with this name of its graph.
fn place_tiny(memlens: &Memlens, graph: &str) -> PathBuf {
    let folder = memlens.library().join("models").join(SMALLEST);
    std::fs::create_dir_all(folder.join("onnx")).expect("it can be made");
    for entry in std::fs::read_dir(tiny()).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().expect("it has a name");
        let place = match name.to_str() {
            Some("model.onnx") => folder.join(graph),
            _ => folder.join(name),
        };
        std::fs::copy(&path, place).expect("it can be copied");
    }
    folder
}

fn listed(memlens: &Memlens) -> Value {
    memlens.json(&["rerank-model", "list", "--json"])
}

fn search(memlens: &Memlens) -> Value {
    memlens.json(&[
        "search",
        "lunch in lisbon",
        "--json",
        "--set",
        "rerank=model",
        "--set",
        "rerank_timeout_ms=60000",
        "--set",
        "min_score=0",
    ])
}

fn rerank_stage(report: &Value) -> &Value {
    let mut stages = list(&report["stages"]).iter();
    stages
        .find(|stage| stage["id"] == "rerank")
        .expect("every stage is reported")
}

#[test]
fn a_downloaded_model_is_chosen_used_and_erased() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let before = listed(&memlens);
    assert_eq!(before["chosen"], Value::Null);
    let first = &list(&before["models"])[0];
    assert_eq!(
        (&first["name"], &first["is_there"], &first["megabytes"]),
        (&json!(SMALLEST), &json!(false), &json!(24))
    );
    let not_there = format!(
        "cannot use the model {SMALLEST}: it is not downloaded: download it in the settings, or with `memlens rerank-model download {SMALLEST}`"
    );
    memlens.refused(&["rerank-model", "set", SMALLEST], 2, &not_there);
    let report = search(&memlens);
    assert_eq!(rerank_stage(&report)["status"], "fallback");

    // The graph of a former version, which is not requested again.
    let folder = place_tiny(&memlens, "onnx/model.onnx");
    let there = &list(&listed(&memlens)["models"])[0].clone();
    assert_eq!(there["is_there"], true);
    assert_ne!(there["megabytes"], 24, "its own size is shown");
    // A downloaded model needs no hub.
    let again = memlens
        .command(&["rerank-model", "download", SMALLEST])
        .env("HF_ENDPOINT", "http://127.0.0.1:9")
        .output()
        .expect("it can be started");
    let stderr = String::from_utf8_lossy(&again.stderr);
    assert!(
        again.status.success() && stderr.contains(&format!("{SMALLEST} is in ")),
        "{stderr}"
    );

    std::fs::remove_dir_all(&folder).expect("it is there");
    place_tiny(&memlens, "onnx/model_quantized.onnx");
    let run = memlens.run(&["rerank-model", "set", SMALLEST]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        listed(&memlens)["chosen"],
        json!({"name": SMALLEST, "folder": null})
    );
    let report = search(&memlens);
    let stage = rerank_stage(&report);
    assert_eq!(stage["status"], "applied", "{stage}");
    assert_eq!(paths(&report["results"])[0], "lunch.md");

    assert_eq!(memlens.run(&["rerank-model", "off"]).status, 0);
    assert_eq!(listed(&memlens)["chosen"], Value::Null);
    memlens.print(&["erase", "--yes"]);
    assert!(!memlens.library().join("models").exists());
}

#[test]
fn a_download_with_other_content_than_the_known_is_refused() {
    let memlens = Memlens::of(&[&notes()]);
    // What came of a graph that is not downloaded any more would never be continued.
    let folder = memlens.library().join("models").join(SMALLEST);
    let part = folder.join("onnx/model.onnx.0123.part");
    std::fs::create_dir_all(folder.join("onnx")).expect("it can be made");
    std::fs::write(&part, "a part").expect("it can be written");
    let output = memlens
        .command(&["rerank-model", "download", SMALLEST])
        .env("HF_ENDPOINT", start_hub())
        .env_remove("HF_HUB_OFFLINE")
        .output()
        .expect("it can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(1), 0),
        "{stderr}"
    );
    assert!(
        stderr.contains(&format!("cannot download {SMALLEST}: tokenizer.json has the sha256 "))
            && stderr.contains("d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66, which is known for it"),
        "{stderr}"
    );
    assert!(!folder.join("tokenizer.json").exists());
    assert!(!part.exists());
    assert_eq!(list(&listed(&memlens)["models"])[0]["is_there"], false);
}

#[test]
fn a_folder_with_a_model_is_chosen_once_it_scored_a_trial() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let tiny = tiny();
    let run = memlens.run(&["rerank-model", "set", text(&tiny)]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        listed(&memlens)["chosen"],
        json!({"name": null, "folder": text(&tiny)})
    );
    let shown = memlens.print(&["rerank-model", "list"]);
    assert!(
        shown.ends_with(&format!("chosen: {}\n", text(&tiny))),
        "{shown}"
    );
    assert_eq!(paths(&search(&memlens)["results"])[0], "lunch.md");

    // A model that cannot be used leaves the choice unchanged.
    let junk = copy_of_tiny();
    std::fs::write(junk.path().join("model.onnx"), "junk").expect("it can be written");
    let empty = tempfile::tempdir().expect("a scratch folder can be made");
    for folder in [junk.path(), empty.path()] {
        let run = memlens.run(&["rerank-model", "set", text(folder)]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(run.err.contains(text(folder)), "{run:?}");
    }
    assert_eq!(
        listed(&memlens)["chosen"],
        json!({"name": null, "folder": text(&tiny)})
    );
}

/// A pipe without a writer takes the place of a file that is slow to read.
#[cfg(unix)]
#[test]
fn a_model_that_is_not_loaded_in_time_leaves_the_fused_order_and_says_so() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let fused = memlens.json(&[
        "search",
        "lunch in lisbon",
        "--json",
        "--set",
        "min_score=0",
    ]);
    let slow = copy_of_tiny();
    let run = memlens.run(&["rerank-model", "set", text(slow.path())]);
    assert_eq!(run.status, 0, "{run:?}");
    let pipe = slow.path().join("tokenizer.json");
    std::fs::remove_file(&pipe).expect("it can be removed");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());

    let report = memlens.json(&[
        "search",
        "lunch in lisbon",
        "--json",
        "--set",
        "rerank=model",
        "--set",
        "rerank_timeout_ms=1000",
        "--set",
        "min_score=0",
    ]);
    let stage = rerank_stage(&report);
    let why = "cannot rerank yet: the model is still loading; a longer timeout (rerank_timeout_ms) waits for it";
    assert_eq!(stage["status"], "fallback", "{stage}");
    assert_eq!(stage["why"], why);
    assert!(stage["ms"].as_f64() >= Some(1000.0), "{stage}");
    assert_eq!(paths(&report["results"]), paths(&fused["results"]));
}

#[test]
fn odd_models_are_refused() {
    let memlens = Memlens::of(&[&notes()]);
    for name in ["", "nobody", "../models", "/nowhere/at/all"] {
        for act in ["set", "download"] {
            let run = memlens.run(&["rerank-model", act, name]);
            assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
            let expected =
                format!("memlens: cannot use the model {name}: choose one of {SMALLEST}, ");
            assert!(run.err.starts_with(&expected), "{run:?}");
        }
    }
    for misuse in [
        &["rerank-model"][..],
        &["rerank-model", "set"],
        &["rerank-model", "download"],
    ] {
        assert_eq!(memlens.run(misuse).status, 2, "{misuse:?}");
    }
    // Hubs that cannot be reached or are not allowed.
    for (hub, status) in [
        ("http://127.0.0.1:9", 1),
        ("http://hub.example", 1),
        ("nothing", 1),
    ] {
        let output = memlens
            .command(&["rerank-model", "download", SMALLEST])
            .env("HF_ENDPOINT", hub)
            .output()
            .expect("it can be started");
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(status), 0),
            "{hub}: {output:?}"
        );
        assert!(output.stderr.starts_with(b"memlens: cannot "), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_download_is_stopped_by_ctrl_c() {
    let memlens = Memlens::of(&[&notes()]);
    // A hub that never answers.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let hub = format!("http://{}", listener.local_addr().expect("it listens"));
    let child = memlens
        .command(&["rerank-model", "download", SMALLEST])
        .env("HF_ENDPOINT", hub)
        .spawn()
        .expect("it can be started");
    let asked = listener.accept().expect("it asks the hub");
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("it can be sent");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    drop(asked);
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(1), 0),
        "{output:?}"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "memlens: stopped; finished work is kept, run it again to continue\n"
    );
}
