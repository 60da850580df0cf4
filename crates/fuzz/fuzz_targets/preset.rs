//! Any bytes as a `memlens.json`: values that are read are within their ranges, and are read back from a file written
//! with them.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use memlens_embed::Hashing;
use memlens_engine::preset;
use memlens_engine::{EmbedderSource, EngineError, Indexer, Library, read_params};
use memlens_params::ParameterSet as _;
use tempfile::TempDir;

/// An empty library with its folder, and a place for the files.
static LIBRARY: LazyLock<(TempDir, Library, TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let (indexer, _) =
        Indexer::open(folder.path(), Box::new(Hashing::default())).expect("a new library");
    drop(indexer);
    let source: EmbedderSource = Arc::new(|_| Ok(Box::new(Hashing::default())));
    let library = Library::open(folder.path(), source).expect("it was just made");
    let files = tempfile::tempdir().expect("a scratch folder can be made");
    (folder, library, files)
});

fuzz_target!(|bytes: &[u8]| {
    let (_, library, folder) = &*LIBRARY;
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    let given = file("given.json");
    fs::write(&given, bytes).expect("it can be written");
    let preset = match preset::read_preset(&library, &given) {
        Ok(preset) => preset,
        Err(error) => {
            assert!(matches!(error, EngineError::Preset { .. }), "{error}");
            let said = error.to_string();
            assert!(said.len() <= 2 * fuzz::MESSAGE_BYTES_MAX, "{said}");
            return;
        }
    };
    assert!(
        preset
            .notes
            .iter()
            .all(|note| note.len() <= fuzz::MESSAGE_BYTES_MAX)
    );
    assert_eq!(read_params(&given).as_ref().ok(), Some(&preset.params));
    let checked = preset
        .params
        .clone()
        .check()
        .expect("every value lies in its range");
    assert_eq!(checked, preset.params);

    let written = file("written.json");
    preset::write_preset(&library, &preset.params, &written, &[])
        .expect("it can be written");
    let again = preset::read_preset(&library, &written).expect("we wrote it");
    assert_eq!(again.params, preset.params);
    assert!(again.notes.is_empty(), "{:?}", again.notes);
});
