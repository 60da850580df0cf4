//! A real ONNX cross-encoder in the real library: its scores, long texts, cancelling, and invalid files.
//!
//! Properties checked: a text that repeats the question scores above one that does not, whatever else is in the call; a
//! long text scores like its best part; every invalid file is named with the reason.

mod model_folders;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use memlens_embed::Locations;
use memlens_rerank::{CancellationToken, CrossEncoder, Limits, RerankError, Reranker, Scale};
use proptest::prelude::*;

use model_folders::{copy, fixture, load_error, patch, remove, write};

fn load(folder: &Path) -> Result<CrossEncoder, RerankError> {
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    CrossEncoder::load(folder, &at, 1)
}

fn limits() -> Limits {
    Limits {
        deadline: Instant::now() + Duration::from_secs(3600),
        cancel: CancellationToken::new(),
    }
}

fn score(model: &mut CrossEncoder, query: &str, texts: &[&str]) -> Vec<f64> {
    let scored = model
        .score(query, texts, &limits())
        .expect("nothing stops it");
    assert_eq!(scored.scale, Scale::Logit);
    assert!(scored.n_tokens.is_some());
    scored.complete().expect("each text has a score")
}

#[test]
fn what_answers_the_question_scores_higher() {
    let mut model = load(&fixture("tiny-cross")).expect("the fixture is a cross-encoder");
    let texts = [
        "the cat sat in the garden",
        "we had lunch in lisbon",
        "tax meeting",
        "",
    ];
    let scores = score(&mut model, "lunch in lisbon", &texts);
    // Its weights give 2 to a text with every word of the question.
    assert!((scores[1] - 2.0).abs() < 1e-3, "{scores:?}");
    assert!(scores[1] > scores[0] && scores[0] > scores[2], "{scores:?}");
    assert!(score(&mut model, "lunch", &[]).is_empty());
    let info = model.info();
    assert_eq!(info.provider, "model");
    assert!(info.model.starts_with("tiny-cross@"), "{}", info.model);
}

#[test]
fn a_long_text_scores_as_its_best_part() {
    let mut model = load(&fixture("tiny-cross")).expect("the fixture is a cross-encoder");
    let filler = "the cat sat in the garden. ".repeat(300);
    let late = format!("{filler}we had lunch in lisbon");
    let scores = score(&mut model, "lunch in lisbon", &[&late, &filler]);
    assert!((scores[0] - 2.0).abs() < 1e-3, "{scores:?}");
    assert!(scores[1] < 1.0, "{scores:?}");
    // A question that is longer than a pair leaves the text its half.
    let question = "lunch ".repeat(1000);
    let scores = score(&mut model, &question, &[&late, &filler]);
    assert!((scores[0] - 2.0).abs() < 1e-3, "{scores:?}");
    assert!(scores[1] < 1.0, "{scores:?}");
    // One word without an end.
    assert_eq!(score(&mut model, "lunch", &[&"x".repeat(10_000)]).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn a_score_depends_on_nothing_but_its_pair(
        query in "(cat|tax|lunch|rent)( (idea|note|cat)){0,3}",
        texts in proptest::collection::vec("((cat|tax|lunch|garden)[ .]){0,30}", 1..5),
    ) {
        let mut model = load(&fixture("tiny-cross")).expect("the fixture is a cross-encoder");
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = score(&mut model, &query, &texts);
        for (text, expected) in texts.iter().zip(together) {
            prop_assert_eq!(score(&mut model, &query, &[text]), [expected]);
        }
    }
}

#[test]
fn a_call_stops_between_texts() {
    let mut model = load(&fixture("tiny-cross")).expect("the fixture is a cross-encoder");
    let cancelled = limits();
    cancelled.cancel.cancel();
    let answer = model.score("lunch", &["rent"], &cancelled);
    assert!(matches!(answer, Err(RerankError::Cancelled)), "{answer:?}");
    let late = Limits {
        deadline: Instant::now(),
        ..limits()
    };
    let answer = model.score("lunch", &["rent"], &late);
    assert!(matches!(answer, Err(RerankError::Timeout)), "{answer:?}");

    let running = limits();
    let texts = vec!["the cat sat in the garden"; 1_000_000];
    std::thread::scope(|scope| {
        let scoring = scope.spawn(|| model.score("lunch", &texts, &running));
        running.cancel.cancel();
        let answer = scoring.join().expect("it does not panic");
        assert!(matches!(answer, Err(RerankError::Cancelled)));
    });
    assert_eq!(score(&mut model, "lunch", &["rent"]).len(), 1);
}

#[test]
fn a_folder_may_be_laid_out_as_hubs_do() {
    let folder = copy("tiny-cross");
    let inside = |name: &str| folder.path().join(name);
    fs::create_dir(inside("onnx")).expect("it can be made");
    fs::rename(inside("model.onnx"), inside("onnx/model.onnx")).expect("it can be moved");
    fs::remove_file(inside("special_tokens_map.json")).expect("it can be removed");
    fs::remove_file(inside("config.json")).expect("it can be removed");
    let scores = |folder: &Path| {
        let mut model = load(folder).expect("it is a cross-encoder");
        score(&mut model, "lunch", &["rent", "lunch"])
    };
    let full = scores(folder.path());
    assert_eq!(full.len(), 2);
    // The quantised graph of a repository has a name of its own, and is used if there is no other.
    let quantised = inside("onnx/model_quantized.onnx");
    fs::rename(inside("onnx/model.onnx"), &quantised).expect("it can be moved");
    assert_eq!(scores(folder.path()), full);
    fs::copy(&quantised, inside("onnx/model.onnx")).expect("it can be copied");
    fs::write(&quantised, "no graph").expect("it can be written");
    assert_eq!(scores(folder.path()), full);
}

#[test]
fn other_weights_are_another_model() {
    let folder = copy("tiny-cross");
    let id = |folder: &Path| {
        let model = load(folder).expect("it is a cross-encoder");
        let info = model.info().model.clone();
        info.rsplit_once('@').expect("it has a sum").1.to_owned()
    };
    let before = id(folder.path());
    assert_eq!(before, id(&fixture("tiny-cross")));
    fs::write(folder.path().join("model.onnx_data"), "weights").expect("it can be written");
    let with_weights = id(folder.path());
    assert_ne!(before, with_weights);
    patch(&folder.path().join("tokenizer.json"), b"lisbon", b"london");
    assert_ne!(with_weights, id(folder.path()));
}

#[test]
fn files_that_are_wrong_are_named() {
    let check = |expected: &str, change: &dyn Fn(&Path)| {
        let message = load_error("tiny-cross", load, change);
        assert!(message.starts_with(expected), "{message}");
    };
    let unused = "cannot use cross-encoder file FOLDER";
    let unread = "cannot read cross-encoder file FOLDER";
    check(
        &format!("{unread}/model.onnx: neither"),
        &remove("model.onnx"),
    );
    check(
        &format!("{unread}/tokenizer.json: "),
        &remove("tokenizer.json"),
    );
    check(
        &format!("{unread}/tokenizer_config.json: "),
        &remove("tokenizer_config.json"),
    );
    check(
        &format!("{unused}/model.onnx: ONNX"),
        &write("model.onnx", "no graph"),
    );
    check(
        &format!("{unused}/tokenizer.json: "),
        &write("tokenizer.json", "{\"model\": 7}"),
    );
    check(
        &format!("{unused}/tokenizer_config.json: expected"),
        &write("tokenizer_config.json", "not JSON"),
    );
    check(
        &format!("{unused}/tokenizer_config.json: Invalid tokenizer configuration"),
        &write("tokenizer_config.json", "{}"),
    );
    check(
        &format!("{unused}/special_tokens_map.json: "),
        &write("special_tokens_map.json", ""),
    );
    check(
        &format!("{unused}/config.json: the model has 3 classes; a reranker has one"),
        &write(
            "config.json",
            "{\"id2label\": {\"0\": \"no\", \"1\": \"maybe\", \"2\": \"yes\"}}",
        ),
    );
}

#[test]
fn an_output_that_is_no_score_is_named() {
    let in_graph = |what: &[u8], by: &[u8]| {
        load_error("tiny-cross", load, |folder| {
            patch(&folder.join("model.onnx"), what, by)
        })
    };
    insta::assert_snapshot!(
        in_graph(b"logits", b"output"),
        @"cannot use cross-encoder file FOLDER/model.onnx: Output tensor 'logits' not found"
    );
    // One number per pair, but without a second dimension.
    insta::assert_snapshot!(
        in_graph(b"keepdims\x18\x01", b"keepdims\x18\x00"),
        @"cannot use cross-encoder file FOLDER/model.onnx: its output `logits` does not hold one number per pair"
    );
    // A text without a nearest word gets NaN.
    let message = in_graph(&(-1e4_f32).to_le_bytes(), &f32::NAN.to_le_bytes());
    assert!(
        message.ends_with("a score is not a finite number"),
        "{message}"
    );
}
