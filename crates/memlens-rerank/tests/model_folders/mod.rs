//! Folders with a model for tests: those of the fixtures, and copies of them with a file that is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_rerank::RerankError;
use tempfile::TempDir;

/// The folder of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    fixtures.join(name)
}

pub fn copy(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    for file in fs::read_dir(fixture(name)).expect("the fixture is there") {
        let file = file.expect("it can be read");
        fs::copy(file.path(), folder.path().join(file.file_name())).expect("it can be copied");
    }
    folder
}

/// Changes a copy of a fixture, and returns the error of loading it.
pub fn load_error<Model>(
    name: &str,
    load: impl FnOnce(&Path) -> Result<Model, RerankError>,
    change: impl FnOnce(&Path),
) -> String {
    let folder = copy(name);
    change(folder.path());
    let error = load(folder.path()).err().expect("it is not taken");
    let message = error.to_string();
    message.replace(&folder.path().display().to_string(), "FOLDER")
}

/// Replaces every `what` in a file by `by`; both must have the same length.
pub fn patch(path: &Path, what: &[u8], by: &[u8]) {
    let mut bytes = fs::read(path).expect("it can be read");
    let places: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(what))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + by.len()].copy_from_slice(by);
    }
    fs::write(path, bytes).expect("it can be written");
}

/// A change that writes a file.
pub fn write(name: &'static str, text: &'static str) -> impl Fn(&Path) {
    move |folder| fs::write(folder.join(name), text).expect("it can be written")
}

/// A change that removes a file.
pub fn remove(name: &'static str) -> impl Fn(&Path) {
    move |folder| fs::remove_file(folder.join(name)).expect("it can be removed")
}
