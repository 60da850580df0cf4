//! Tests of the small model's real files: vectors of the recipe, unusual texts, and that ONNX Runtime is not needed.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, Mutex};

use memlens_embed::{EmbedError, Embedder, Locations, Model, Static};
use proptest::prelude::*;

fn at() -> Locations {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at = Locations::find_model(Model::Static, &[crate_folder.to_owned()]);
    at.expect("the crate has its model")
}

fn embed(model: &mut dyn Embedder, text: &str) -> Vec<f32> {
    let vectors = model.embed(&[text], &AtomicBool::new(false));
    vectors.expect("every text has a vector").remove(0)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn it_is_found_and_loaded_without_a_runtime() {
    let at = at();
    assert_eq!(at.runtime.as_os_str(), "");
    let model = Model::Static.load(&at, 1).expect("its files are whole");
    let expected = Model::Static.info();
    assert_eq!(model.info(), &expected);
    assert_eq!(Model::Static.check(&at).expect("they are"), expected);
}

#[test]
fn vectors_are_those_of_the_prototype() {
    let mut model = Static::load(&at()).expect("its files are whole");
    let person = embed(&mut model, "That is a happy person");
    let first = [-0.25082, -0.17671, -0.16801, 0.23404, 0.10142];
    for (value, expected) in person.iter().zip(first) {
        assert!(
            (value - expected).abs() < 1e-4,
            "{value} in place of {expected}"
        );
    }
    for (text, expected) in [
        ("That is a happy dog", 0.688),
        ("That is a very happy person", 0.963),
        ("Today is a sunny day", 0.436),
    ] {
        let found = cosine(&person, &embed(&mut model, text));
        assert!((found - expected).abs() < 6e-4, "{text}: {found}");
    }
}

#[test]
fn a_text_without_a_known_token_is_far_from_every_question() {
    let mut model = Static::load(&at()).expect("its files are whole");
    let unknown = embed(&mut model, "");
    assert!(model.reads("") && !model.reads("\u{1f980}\u{1f980} \u{1f980}"));
    assert_eq!(embed(&mut model, "\u{1f980}"), unknown);
    for question in [
        "when is the relay quiet",
        "who keeps the key of the shed?",
        "backup schedule",
    ] {
        assert!(model.reads(question));
        let question = embed(&mut model, question);
        assert!(cosine(&question, &unknown) < 0.0);
    }
}

#[test]
fn a_long_text_is_read_to_its_end() {
    let mut model = Static::load(&at()).expect("its files are whole");
    let long = "the relay in the hall ".repeat(20_000);
    assert_eq!(model.count_tokens(&long), 100_000);
    let close = cosine(
        &embed(&mut model, &long),
        &embed(&mut model, "the relay in the hall"),
    );
    assert!(close > 0.9999, "{close}");
    let other_end = format!("{long}{}", "soup stock ".repeat(60_000));
    let (start, soup) = (embed(&mut model, &long), embed(&mut model, "soup stock"));
    let both = embed(&mut model, &other_end);
    assert!(cosine(&both, &soup) > cosine(&start, &soup) + 0.1);
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let damaged = Locations {
        model: scratch.path().to_owned(),
        ..at()
    };
    let error = Static::load(&damaged).err();
    assert!(
        matches!(&error, Some(EmbedError::ReadModel { path, .. }) if path.ends_with("static.bin")),
        "{error:?}"
    );
    let whole = std::fs::read(at().model.join("static.bin")).expect("it is there");
    let cut = &whole[..whole.len() - 1];
    std::fs::write(scratch.path().join("static.bin"), cut).expect("it can be written");
    for error in [Static::load(&damaged).err(), Static::check(&damaged).err()] {
        assert!(
            matches!(&error, Some(EmbedError::OtherModel { path, .. }) if path.ends_with("static.bin")),
            "{error:?}"
        );
    }
}

/// Loading it takes longer than a case.
static SHARED: LazyLock<Mutex<Static>> =
    LazyLock::new(|| Mutex::new(Static::load(&at()).expect("its files are whole")));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_text_has_a_finite_vector_of_length_1_in_any_order_of_its_words(
        words in proptest::collection::vec("[a-zA-Z0-9\u{e9}\u{4e2d}\u{1f980}.,-]{1,8}", 0..12),
    ) {
        let mut model = SHARED.lock().expect("no case panics");
        let text = words.join(" ");
        let vector = embed(&mut *model, &text);
        prop_assert_eq!(vector.len(), model.info().dim);
        prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4);
        let backwards: Vec<&str> = words.iter().rev().map(String::as_str).collect();
        prop_assert!(cosine(&vector, &embed(&mut *model, &backwards.join(" "))) > 0.999);
        let tokens = model.token_vectors(&text).expect("it returns them");
        prop_assert_eq!(tokens.vectors.len(), tokens.ranges.len() * vector.len());
        prop_assert!(tokens.ranges.len() as u32 <= model.count_tokens(&text));
        prop_assert!(tokens.ranges.iter().all(|range| text.get(range.clone()).is_some()));
    }
}
