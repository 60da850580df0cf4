//! A model of the user's own: what is read from its folder, and a clear error for each way in which it can be wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, ModelFolder, Purpose, locations, source_of_folder};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-embed");
    fixtures.join(name)
}

#[allow(unsafe_code)]
fn forbid_telemetry() {
    // SAFETY: The tests of this program do not read the variable at the same time.
    unsafe { memlens_embed::forbid_telemetry() };
}

/// A folder with the tokenizer and this graph.
fn folder(graph: &str) -> TempDir {
    forbid_telemetry();
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    for (from, to) in [(graph, "model.onnx"), ("tokenizer.json", "tokenizer.json")] {
        fs::copy(fixture(from), dir.path().join(to)).expect("it can be copied");
    }
    dir
}

fn read(dir: &Path) -> Result<ModelFolder, EmbedError> {
    ModelFolder::read(dir, &locations().expect("`cargo xtask setup` was run"))
}

fn embed(dir: &Path, texts: &[&str]) -> Vec<Vec<f32>> {
    let folder = read(dir).expect("it is a model");
    let mut embedder = source_of_folder(folder)(Purpose::Indexing).expect("it is there");
    embedder.wake().expect("it can be loaded");
    embedder
        .embed(texts, &AtomicBool::new(false))
        .expect("they can be embedded")
}

fn check_refused(dir: &Path, expected: &str) {
    let error = read(dir).expect_err("it is no model").to_string();
    let named = format!("cannot use the embedding model in {}", dir.display());
    assert!(
        error.starts_with(&named) && error.contains(expected),
        "{error}"
    );
}

#[test]
fn a_folder_is_embedded_by_in_its_own_dimension() {
    for (graph, dim) in [("model.onnx", 8), ("wide.onnx", 12), ("pooled.onnx", 8)] {
        let dir = folder(graph);
        let model = read(dir.path()).expect("it is a model");
        assert_eq!(
            (model.dim, model.info().dim, model.max_tokens),
            (dim, dim, 256),
            "{graph}"
        );
        let vectors = embed(dir.path(), &["the hall", "the hall", "a relay", ""]);
        assert_eq!(vectors[0], vectors[1]);
        assert_ne!(vectors[0], vectors[2]);
        for vector in vectors {
            let length: f32 = vector.iter().map(|value| value * value).sum();
            assert!(
                vector.len() == dim && (length - 1.0).abs() < 1e-5,
                "{vector:?}"
            );
        }
    }
}

#[test]
fn the_id_is_that_of_the_files_wherever_they_are() {
    let [first, second, wide] = ["model.onnx", "model.onnx", "wide.onnx"].map(folder);
    let same_name = |dir: &TempDir| {
        let path = dir.path().join("mine");
        fs::create_dir(&path).expect("it can be made");
        for file in ["model.onnx", "tokenizer.json"] {
            fs::rename(dir.path().join(file), path.join(file)).expect("it can be moved");
        }
        path
    };
    let [first, second, wide] = [&first, &second, &wide].map(same_name);
    let ids = [&first, &second, &wide].map(|path| read(path).expect("it is a model").id);
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
    assert!(ids[0].starts_with("mine@"), "{}", ids[0]);
    fs::create_dir(first.join("1_Pooling")).expect("it can be made");
    fs::write(
        first.join("1_Pooling/config.json"),
        r#"{"pooling_mode_cls_token": true}"#,
    )
    .expect("it can be written");
    let by_first_token = embed(&first, &["the hall", "a relay"]);
    // The mark before each text is the same token.
    assert_eq!(by_first_token[0], by_first_token[1]);
    assert_ne!(read(&first).expect("it is a model").id, ids[0]);
}

#[test]
fn a_folder_that_is_no_model_says_what_is_wrong() {
    let dir = folder("model.onnx");
    fs::remove_file(dir.path().join("tokenizer.json")).expect("it is there");
    check_refused(dir.path(), "tokenizer.json is missing");
    fs::write(dir.path().join("tokenizer.json"), "{}").expect("it can be written");
    let error = read(dir.path())
        .expect_err("it is no tokenizer")
        .to_string();
    assert!(error.contains("tokenizer.json: "), "{error}");
    let dir = folder("model.onnx");
    fs::remove_file(dir.path().join("model.onnx")).expect("it is there");
    check_refused(
        dir.path(),
        "it holds no ONNX graph: none of model.onnx, onnx/model.onnx",
    );
    fs::write(dir.path().join("model.onnx"), "no graph").expect("it can be written");
    let error = read(dir.path()).expect_err("it is no graph").to_string();
    assert!(error.contains("model.onnx: "), "{error}");
    check_refused(&dir.path().join("none"), "it is no folder that can be read");
    let dir = folder("nan.onnx");
    let error = read(dir.path()).expect_err("it answers NaN").to_string();
    assert!(
        error.ends_with("model.onnx: a vector has values that are no numbers"),
        "{error}"
    );
    let dir = folder("model.onnx");
    fs::write(dir.path().join("sentence_bert_config.json"), "no JSON").expect("it can be written");
    let error = read(dir.path()).expect_err("it is no JSON").to_string();
    assert!(
        error.contains("sentence_bert_config.json: it is not JSON"),
        "{error}"
    );
}

#[test]
fn another_model_in_the_folder_is_refused() {
    let dir = folder("model.onnx");
    let model = read(dir.path()).expect("it is a model");
    fs::copy(fixture("wide.onnx"), dir.path().join("model.onnx")).expect("it can be copied");
    let error = source_of_folder(model)(Purpose::Query)
        .map(drop)
        .expect_err("it is another");
    let error = error.to_string();
    assert!(
        error.contains("it holds another model now")
            && error.contains("`memlens index --model bundled`"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder("model.onnx");
    let set = |mode: u32| fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode));
    set(0o555).expect("it is ours");
    let names = || {
        let names = fs::read_dir(dir.path()).expect("it can be listed");
        names
            .map(|entry| entry.expect("it can be listed").file_name())
            .collect::<Vec<_>>()
    };
    let before = names();
    assert_eq!(embed(dir.path(), &["the hall"])[0].len(), 8);
    assert_eq!(names(), before);
    set(0o755).expect("it is ours");
}
