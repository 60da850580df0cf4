//! An embedding model of fastembed's list: listed, downloaded from a hub on this machine, used, left again and removed; and all that
//! can be wrong with a download.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use memlens_tests::Notes;
use serde_json::Value;

use crate::hub;
use crate::memlens::{Memlens, list};

/// A model whose checksums are not known, and one whose are.
const UNKNOWN: &str = "all-MiniLM-L12-v2";
const PINNED: &str = "bge-small-en-v1.5";

fn tiny(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-embed");
    fixtures.join(name)
}

/// Starts a hub that serves a tiny model with this graph in place of the one whose checksums are not known.
fn start_hub(graph: &'static str) -> String {
    hub::start(&format!("/Xenova/{UNKNOWN}/resolve/main/"), move |name| {
        let served = match name {
            "model_quantized.onnx" => graph,
            other => other,
        };
        fs::read(tiny(served)).ok()
    })
}

fn download(memlens: &Memlens, name: &str, hub: &str) -> Output {
    let mut command = memlens.command(&["models", "download", name]);
    command.env("HF_ENDPOINT", hub).env_remove("HF_HUB_OFFLINE");
    command.output().expect("it can be started")
}

/// Checks that a download fails with this exit status and an error that ends like this.
fn check_failed(output: &Output, status: i32, expected: &str) {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(status), 0),
        "{err}"
    );
    assert!(
        err.starts_with("memlens: cannot ") && err.contains(expected),
        "{err}"
    );
}

fn model(memlens: &Memlens, name: &str) -> Value {
    let report = memlens.json(&["models", "--json"]);
    let models = list(&report["models"])
        .iter()
        .filter(|it| it["name"] == name);
    let found: Vec<&Value> = models.collect();
    assert_eq!(found.len(), 1, "{name} is listed once");
    found[0].clone()
}

fn notes() -> Notes {
    Notes::new(&[("a.md", "The hall."), ("b.md", "A relay.")])
}

#[test]
fn a_model_of_the_list_is_downloaded_used_left_and_removed() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let before = model(&memlens, UNKNOWN);
    assert_eq!(
        (
            &before["download"]["is_there"],
            &before["download"]["is_pinned"],
            &before["dim"]
        ),
        (&false.into(), &false.into(), &384.into())
    );
    assert_eq!(model(&memlens, PINNED)["download"]["is_pinned"], true);
    let not_there = format!(
        "cannot use the embedding model {UNKNOWN}: it is not downloaded; download it in Settings, or with `memlens models download {UNKNOWN}`"
    );
    memlens.refused(&["index", "--model", UNKNOWN], 1, &not_there);

    let hub = start_hub("model.onnx");
    let output = download(&memlens, UNKNOWN, &hub);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && err.contains(&format!("`memlens index --model {UNKNOWN}`")),
        "{err}"
    );
    let there = model(&memlens, UNKNOWN);
    assert_eq!(
        (&there["missing"], &there["is_chosen"]),
        (&Value::Null, &false.into())
    );
    // A downloaded model needs no hub.
    assert!(
        download(&memlens, UNKNOWN, "http://127.0.0.1:9")
            .status
            .success()
    );

    let report = memlens.json(&["index", "--model", UNKNOWN, "--json"]);
    assert_eq!(report["n_embedded"], 2);
    let id = report["model"].as_str().expect("it is a text");
    assert!(id.starts_with(&format!("hub/{UNKNOWN}@")), "{id}");
    assert_eq!(model(&memlens, UNKNOWN)["is_in_use"], true);
    let found = memlens.json(&["search", "hall", "--json", "--set", "min_score=0"]);
    assert_eq!(
        (&found["results"][0]["path"], &found["model"]),
        (&"a.md".into(), &id.into())
    );
    memlens.refused(
        &["models", "forget", UNKNOWN],
        1,
        &format!("cannot delete the vectors of {UNKNOWN}: your notes are searched by it, or are being embedded by it; choose another model first"),
    );

    assert_eq!(
        memlens.json(&["index", "--model", "bundled", "--json"])["n_embedded"],
        0
    );
    assert_eq!(
        memlens.json(&["index", "--model", UNKNOWN, "--json"])["n_embedded"],
        0
    );
    assert_eq!(
        memlens.json(&["index", "--model", "bundled", "--json"])["n_embedded"],
        0
    );
    let forgotten = memlens.run(&["models", "forget", UNKNOWN]);
    assert_eq!(
        forgotten.err,
        format!("memlens: 2 vectors of {UNKNOWN} were deleted\n")
    );
    assert!(!memlens.library().join("models").join(UNKNOWN).exists());
    assert_eq!(model(&memlens, UNKNOWN)["download"]["is_there"], false);
}

#[test]
fn a_later_download_must_have_the_content_of_the_first() {
    let memlens = Memlens::of(&[&notes()]);
    assert!(
        download(&memlens, UNKNOWN, &start_hub("model.onnx"))
            .status
            .success()
    );
    memlens.run(&["models", "forget", UNKNOWN]);
    let other = start_hub("wide.onnx");
    check_failed(
        &download(&memlens, UNKNOWN, &other),
        1,
        "which it had when it was downloaded first; if you trust the new file, delete ",
    );
    assert_eq!(model(&memlens, UNKNOWN)["download"]["is_there"], false);
    assert!(
        download(&memlens, UNKNOWN, &start_hub("model.onnx"))
            .status
            .success()
    );
    memlens.run(&["models", "forget", UNKNOWN]);
    // As the error says.
    fs::remove_file(memlens.library().join("models/sums.json")).expect("it is there");
    assert!(download(&memlens, UNKNOWN, &other).status.success());
}

#[test]
fn files_that_change_after_the_download_are_not_used() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    assert!(
        download(&memlens, UNKNOWN, &start_hub("model.onnx"))
            .status
            .success()
    );
    memlens.json(&["index", "--model", UNKNOWN, "--json"]);
    let graph = memlens
        .library()
        .join("models")
        .join(UNKNOWN)
        .join("onnx/model_quantized.onnx");
    fs::copy(tiny("wide.onnx"), &graph).expect("it can be copied");
    let run = memlens.run(&["index"]);
    let expected =
        "its files changed after the download; delete the folder and download the model again";
    assert!(run.status == 1 && run.err.contains(expected), "{run:?}");
    fs::copy(tiny("nan.onnx"), &graph).expect("it can be copied");
    memlens.run(&["index", "--model", "bundled"]);
    let run = memlens.run(&["index", "--model", UNKNOWN]);
    assert!(
        run.status == 1 && run.err.contains("values that are no numbers"),
        "{run:?}"
    );
    fs::remove_file(&graph).expect("it is there");
    let run = memlens.run(&["index", "--model", UNKNOWN]);
    assert!(
        run.status == 1 && run.err.contains("it is not downloaded"),
        "{run:?}"
    );
}

#[test]
fn a_download_that_cannot_be_is_refused_with_the_reason() {
    let memlens = Memlens::of(&[&notes()]);
    let hub = start_hub("model.onnx");
    for name in ["nobody", "", "../models", "bundled"] {
        check_failed(
            &download(&memlens, name, &hub),
            1,
            "this version of Memlens does not know it",
        );
    }
    let run = memlens.run(&["index", "--model", "nobody"]);
    assert!(run.status == 2 && run.err.contains(UNKNOWN), "{run:?}");
    check_failed(
        &download(&memlens, UNKNOWN, "http://127.0.0.1:9"),
        1,
        "cannot connect to 127.0.0.1:9",
    );
    check_failed(
        &download(&memlens, UNKNOWN, "http://hub.example"),
        1,
        "cannot use the address",
    );
    // A commit that the hub does not have.
    check_failed(
        &download(&memlens, PINNED, &hub),
        1,
        "answered 404 Not Found for tokenizer.json",
    );

    let offline = |arguments: &[&str]| {
        let mut command = memlens.command(arguments);
        command.env("HF_ENDPOINT", &hub).env("HF_HUB_OFFLINE", "1");
        command.output().expect("it can be started")
    };
    let why = "downloads are switched off by the variable HF_HUB_OFFLINE";
    check_failed(&offline(&["models", "download", UNKNOWN]), 1, why);
    check_failed(
        &offline(&["rerank-model", "download", "jina-reranker-v1-turbo-en"]),
        1,
        why,
    );
    let listed = String::from_utf8(offline(&["models"]).stdout).expect("it prints text");
    assert!(
        listed.contains(&format!("  not downloaded, and {why}, from 127.0.0.1:")),
        "{listed}"
    );

    // A checksum that is known: the tiny model is not what is expected.
    let revision = "52398278842ec682c6f32300af41344b1c0b0bb2";
    let wrong = hub::start(
        &format!("/Qdrant/{PINNED}-onnx-Q/resolve/{revision}/"),
        |_| fs::read(tiny("tokenizer.json")).ok(),
    );
    check_failed(
        &download(&memlens, PINNED, &wrong),
        1,
        "which is known for it",
    );
    assert_eq!(model(&memlens, PINNED)["download"]["is_there"], false);

    // Checksums that cannot be read.
    fs::write(memlens.library().join("models/sums.json"), "{").expect("it can be written");
    check_failed(
        &download(&memlens, UNKNOWN, &hub),
        1,
        "delete the file to forget the checksums",
    );
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let memlens = Memlens::of(&[&notes()]);
    let hub = start_hub("model.onnx");
    let models = memlens.library().join("models");
    fs::write(&models, "no folder").expect("it can be written");
    check_failed(
        &download(&memlens, UNKNOWN, &hub),
        1,
        models.to_str().expect("it is text"),
    );
    fs::remove_file(&models).expect("it is there");

    // A full disk, simulated as in `full_disk.rs`: what came is continued once there is room.
    #[cfg(unix)]
    {
        let large = hub::start(&format!("/Xenova/{UNKNOWN}/resolve/main/"), |_| {
            let mut bytes = fs::read(tiny("tokenizer.json")).ok()?;
            bytes.resize(1 << 20, b' ');
            Some(bytes)
        });
        let inner = memlens.command(&["models", "download", UNKNOWN]);
        let output = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 300; exec \"$@\"", "sh"])
            .arg(inner.get_program())
            .args(inner.get_args())
            .env("HF_ENDPOINT", &large)
            .output()
            .expect("it can be started");
        check_failed(&output, 1, "tokenizer.json: File too large");
        assert_eq!(model(&memlens, UNKNOWN)["download"]["is_there"], false);
    }
    assert!(download(&memlens, UNKNOWN, &hub).status.success());
}
