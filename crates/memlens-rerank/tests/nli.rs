//! A real ONNX model of natural language inference in the real library: what it says, long sentences, and invalid files.

mod model_folders;

use std::fs;
use std::path::Path;

use memlens_embed::Locations;
use memlens_rerank::{NliModel, RerankError};

use model_folders::{copy, fixture, load_error, patch, remove, write};

fn load(folder: &Path) -> Result<NliModel, RerankError> {
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    NliModel::load(folder, &at, 1)
}

/// The share of the third of three logits, of which the others are 0.
fn share(logit: f64) -> f64 {
    logit.exp() / (logit.exp() + 2.0)
}

#[test]
fn the_greater_one_of_both_directions_counts() {
    let mut model = load(&fixture("tiny-nli")).expect("the fixture is such a model");
    assert!(model.id().starts_with("tiny-nli@"), "{}", model.id());
    // On the first side a word of the fixture counts 1.375 times.
    for (a, b, logit) in [
        ("the logs", "the disk", 0.0),
        ("the mail", "the disk", 1.375),
        ("staging logs", "mail logs", 2.0 * 1.375 + 1.0),
    ] {
        let judged = model.judge(a, b).expect("it reads words");
        assert!(
            (judged.contradiction - share(logit)).abs() < 1e-6,
            "{judged:?}"
        );
        assert!(!judged.is_cut);
        assert_eq!(model.judge(b, a).expect("it reads words"), judged);
    }
}

#[test]
fn the_position_of_the_label_is_read_from_the_config() {
    let folder = copy("tiny-nli");
    let labels = r#"{"id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"}}"#;
    fs::write(folder.path().join("config.json"), labels).expect("it can be written");
    let mut model = load(folder.path()).expect("it is such a model");
    let judged = model.judge("the mail", "the disk").expect("it reads words");
    assert!(judged.contradiction < 1.0 / 3.0, "{judged:?}");
}

#[test]
fn long_sentences_are_cut_and_marked() {
    let mut model = load(&fixture("tiny-nli")).expect("the fixture is such a model");
    let long = "the relay ".repeat(40);
    let late = format!("{long} staging");
    for (a, b) in [(late.as_str(), "the disk"), (late.as_str(), late.as_str())] {
        let judged = model.judge(a, b).expect("it reads words");
        assert!(judged.is_cut);
        assert!(
            (judged.contradiction - share(0.0)).abs() < 1e-6,
            "{judged:?}"
        );
    }
    // One word without an end, and not one word.
    let judged = model.judge(&"\u{e4}x".repeat(1 << 20), "the disk");
    assert!(judged.expect("it reads the beginning").is_cut);
    assert!(!model.judge("", "").expect("it reads nothing").is_cut);
}

#[test]
fn files_that_are_wrong_are_named() {
    let check = |expected: &str, change: &dyn Fn(&Path)| {
        let message = load_error("tiny-nli", load, change);
        assert!(message.contains(expected), "{message}");
    };
    let unread = "cannot read cross-encoder file FOLDER";
    let unused = "cannot use cross-encoder file FOLDER";
    check(
        &format!("{unread}/model.onnx: neither"),
        &remove("model.onnx"),
    );
    check(
        &format!("{unread}/tokenizer.json: "),
        &remove("tokenizer.json"),
    );
    check(&format!("{unread}/config.json: "), &remove("config.json"));
    check(
        &format!("{unused}/model.onnx: "),
        &write("model.onnx", "no graph"),
    );
    check(
        &format!("{unused}/tokenizer.json: "),
        &write("tokenizer.json", "{}"),
    );
    check(
        &format!("{unused}/config.json: "),
        &write("config.json", "not JSON"),
    );
    check(
        &format!("{unused}/tokenizer_config.json: "),
        &write("tokenizer_config.json", "not JSON"),
    );
    check(
        &format!(
            "{unused}/config.json: `id2label` names 2 labels; a model for a second opinion has 3"
        ),
        &write(
            "config.json",
            r#"{"id2label": {"0": "no", "1": "contradiction"}}"#,
        ),
    );
    check(
        &format!(
            "{unused}/model.onnx: its output `logits` has the shape [1, 1] for one pair, and config.json names 3 labels"
        ),
        &|folder| {
            let other = fixture("tiny-cross").join("model.onnx");
            fs::copy(other, folder.join("model.onnx")).expect("it can be copied");
        },
    );
    check(
        &format!("{unused}/model.onnx: a number of its output is not finite"),
        &|folder| {
            let (zero, nan) = (1.375_f32.to_le_bytes(), f32::NAN.to_le_bytes());
            patch(&folder.join("model.onnx"), &zero, &nan);
        },
    );
}

#[test]
fn other_files_are_another_model() {
    let folder = copy("tiny-nli");
    let id = || {
        load(folder.path())
            .expect("it is such a model")
            .id()
            .to_owned()
    };
    let before = id();
    patch(
        &folder.path().join("tokenizer.json"),
        b"staging",
        b"loading",
    );
    assert_ne!(before, id());
}
