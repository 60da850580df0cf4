//! Tests of the real model and library: vectors against stored ones, counts, cancelling, long and unusual texts.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use memlens_embed::{Bundled, EmbedError, Embedder, Locations, load_runtime, sums_exactly};

fn found() -> Locations {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let extra: [PathBuf; 2] = [
        crate_folder.to_owned(),
        crate_folder.join("../../.fetched/onnxruntime"),
    ];
    Locations::find(&extra).expect("`cargo xtask setup` was run")
}

fn load() -> Bundled {
    Bundled::load(&found(), 1).expect("library and model fit")
}

fn embed(model: &mut Bundled, texts: &[&str]) -> Vec<Vec<f32>> {
    model
        .embed(texts, &AtomicBool::new(false))
        .expect("every text has a vector")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The only environment is that of `load_runtime`, which is made with telemetry off: fastembed refuses to make a model in
/// another.
#[test]
fn a_model_runs_in_the_environment_without_telemetry() {
    load_runtime(&found()).expect("the library can be loaded");
    load();
    let other = ort::init().build().expect_err("there is one already");
    assert!(
        other.to_string().contains("only one environment"),
        "{other}"
    );
}

#[test]
fn vectors_equal_the_stored_ones() {
    let mut model = load();
    assert_eq!((model.info().dim, model.info().max_tokens), (384, 256));
    let fixture = include_str!("fixtures/query_vectors.jsonl");
    for line in fixture.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("the fixture is JSON");
        let text = line["text"].as_str().expect("a text");
        let stored = line["f32"].as_str().expect("a vector");
        let stored = base64::engine::general_purpose::STANDARD
            .decode(stored)
            .expect("base64");
        let stored: Vec<f32> = stored
            .as_chunks()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        let vector = &embed(&mut model, &[text])[0];
        let cosine_min = if sums_exactly() { 0.9999 } else { 0.999 };
        assert!(
            cosine(vector, &stored) > cosine_min,
            "{text}: {}",
            cosine(vector, &stored)
        );
        assert!(
            (cosine(vector, vector) - 1.0).abs() < 1e-4,
            "{text}: not of unit length"
        );
    }
    assert_eq!(fixture.lines().count(), 7);
}

#[test]
fn a_vector_does_not_depend_on_its_neighbours() {
    let mut model = load();
    let long = "a much longer text than the other two ".repeat(30);
    let texts = ["quiet hours", &long, ""];
    let together = embed(&mut model, &texts);
    for (text, vector) in texts.iter().zip(together) {
        assert_eq!(embed(&mut model, &[text])[0], vector);
    }
    assert!(embed(&mut model, &[]).is_empty());
}

#[test]
fn odd_texts_have_vectors() {
    let mut model = load();
    let texts = [
        "",
        " \n",
        "\0",
        "🎉🎉",
        "你好，世界",
        "مرحبا",
        "[CLS] [SEP] [PAD]",
        &"x".repeat(100_000),
    ];
    for (text, vector) in texts.iter().zip(embed(&mut model, &texts)) {
        assert!(
            (cosine(&vector, &vector) - 1.0).abs() < 1e-4,
            "{:.20}",
            text
        );
    }
}

#[test]
fn what_follows_the_last_token_is_not_seen() {
    let mut model = load();
    // 254 tokens and the two that mark the ends.
    let full = "relay ".repeat(254);
    let (longer, much_longer) = (
        format!("{full} night"),
        format!("{full}{}", "night ".repeat(20_000)),
    );
    let vectors = embed(
        &mut model,
        &[&full, &longer, &much_longer, &"relay ".repeat(253)],
    );
    assert_eq!(vectors[0], vectors[1]);
    assert_eq!(vectors[0], vectors[2]);
    assert_ne!(vectors[0], vectors[3]);
    // Blanks are not tokens, so a late word after many of them is still read.
    let late = format!("{}relay", " ".repeat(50_000));
    let vectors = embed(&mut model, &["relay", &late]);
    assert_eq!(vectors[0], vectors[1]);
}

#[test]
fn counts_do_not_stop_at_the_last_token_read() {
    let model = load();
    let check =
        |text: &str, expected: u32| assert_eq!(model.count_tokens(text), expected, "{text:.40}");
    check("", 0);
    check(" \n ", 0);
    check("That is a happy person", 5);
    check("chronotypes", 4);
    check("你好", 2);
    check(&"happy ".repeat(1000), 1000);
    // Longer than the slices in which long texts are counted.
    check(&"a happy, chronotypes\n".repeat(20_000), 140_000);
    check(&"x".repeat(1_000_000), 1);
}

#[test]
fn tokens_have_vectors_and_places() {
    let mut model = load();
    let check = |model: &mut Bundled, text: &str, expected: &[&str]| {
        let found = model.token_vectors(text).expect("the model returns them");
        let tokens: Vec<&str> = found
            .ranges
            .iter()
            .map(|range| &text[range.clone()])
            .collect();
        assert_eq!(tokens, expected);
        assert_eq!(found.vectors.len(), expected.len() * 384);
        for row in found.vectors.chunks(384) {
            assert!((cosine(row, row) - 1.0).abs() < 1e-4, "not of unit length");
        }
    };
    check(&mut model, "", &[]);
    check(&mut model, " \n", &[]);
    check(
        &mut model,
        "Chronotypes, caf\u{e9}!",
        &["Ch", "ron", "otype", "s", ",", "caf\u{e9}", "!"],
    );
    check(
        &mut model,
        "\u{4f60}\u{597d} 12",
        &["\u{4f60}", "\u{597d}", "12"],
    );
    // 256 tokens are read, including the two that mark the ends, which are not returned.
    let full = "relay ".repeat(254);
    let longer = format!("{full}{}", "night ".repeat(20_000));
    assert_eq!(
        model
            .token_vectors(&longer)
            .expect("the model returns them"),
        model.token_vectors(&full).expect("the model returns them")
    );
    check(&mut model, &longer, &["relay"; 254]);
}

#[test]
fn what_a_token_says_depends_on_its_neighbours_only() {
    let mut model = load();
    let mut row = |text: &str, at: usize| {
        let found = model.token_vectors(text).expect("the model returns them");
        found.vectors[at * 384..(at + 1) * 384].to_vec()
    };
    let (river, money) = (row("the bank of the river", 1), row("money in the bank", 3));
    let shore = row("the shore of the river", 1);
    assert!(cosine(&river, &shore) > cosine(&money, &shore));
    assert_eq!(row("the bank of the river", 1), river);
}

#[test]
fn what_the_model_cannot_read_is_known() {
    let model = load();
    let check = |text: &str, expected: bool| assert_eq!(model.reads(text), expected, "{text}");
    check("", true);
    check("where does the router stand?", true);
    check("备份", false);
    check("สำรองข้อมูล", false);
    check("the 备 of the router", true);
    check("Резервное копирование", true);
}

#[test]
fn cancelling_stops_between_texts() {
    let mut model = load();
    let cancelled = AtomicBool::new(true);
    let answer = model.embed(&["relay"], &cancelled);
    assert!(matches!(answer, Err(EmbedError::Cancelled)), "{answer:?}");

    let cancel = AtomicBool::new(false);
    let long = "relay ".repeat(250);
    let texts = vec![long.as_str(); 20_000];
    std::thread::scope(|scope| {
        let embedding = scope.spawn(|| model.embed(&texts, &cancel));
        cancel.store(true, Ordering::Relaxed);
        let answer = embedding.join().expect("it does not panic");
        assert!(matches!(answer, Err(EmbedError::Cancelled)));
    });
    // The model still works afterwards.
    assert_eq!(embed(&mut model, &["relay"]).len(), 1);
}

#[test]
fn other_or_missing_model_files_are_refused() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runtime = Locations::find(&[
        crate_folder.to_owned(),
        crate_folder.join("../../.fetched/onnxruntime"),
    ]);
    let runtime = runtime.expect("`cargo xtask setup` was run").runtime;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let at = Locations {
        runtime,
        model: scratch.path().to_owned(),
    };

    let answers = || [Bundled::load(&at, 1).err(), Bundled::check(&at).err()];

    for answer in answers() {
        assert!(
            matches!(&answer, Some(EmbedError::ReadModel { path, .. }) if path.ends_with("model.onnx")),
            "{answer:?}"
        );
    }

    let model =
        std::fs::read(crate_folder.join("model/model.onnx")).expect("the crate has its model");
    std::fs::write(scratch.path().join("model.onnx"), &model[..model.len() - 1])
        .expect("it can be written");
    for answer in answers() {
        assert!(
            matches!(&answer, Some(EmbedError::OtherModel { path, .. }) if path.ends_with("model.onnx")),
            "{answer:?}"
        );
    }
}
