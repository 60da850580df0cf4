//! Any words as a place (`people/ana.md:12`): a note that is found is in a watched folder, and is found again by its
//! path.

#![no_main]

use std::fs;
use std::path::{Component, Path};
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use memlens_engine::{EngineError, Folder, FolderId, Place};
use memlens_store::{DocumentId, DocumentRow, Snapshot};
use tempfile::TempDir;

/// Notes of a folder: some on the disk, one in the library alone.
const NOTES: [&str; 5] = [
    "people/ana.md",
    "ana.md",
    "a:1",
    "odd name.md:3",
    "gone/水.md",
];

/// Two watched folders, the second within the first.
static WATCHED: LazyLock<(TempDir, Snapshot)> = LazyLock::new(|| {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let root = scratch.path().canonicalize().expect("it is there");
    let inner = root.join("people");
    fs::create_dir_all(&inner).expect("it can be made");
    for note in &NOTES[..4] {
        fs::write(root.join(note), "A note.").expect("it can be written");
    }
    let folder = |id, path: &Path, name: &str| Folder {
        id: FolderId(id),
        path: path.to_str().expect("a plain name").to_owned(),
        name: name.to_owned(),
        is_paused: false,
        mount: None,
        agent: None,
    };
    let document =
        |(id, path): (i64, &&str)| DocumentRow::new(DocumentId(id), FolderId(1), path);
    let snapshot = Snapshot::new(
        vec![folder(1, &root, "notes"), folder(2, &inner, "people")],
        (1..).zip(&NOTES).map(document).map(Arc::new).collect(),
    );
    (scratch, snapshot)
});

fuzz_target!(|input: &str| {
    let snapshot = &WATCHED.1;
    let root = Path::new(&snapshot.folders[0].path);
    // `@` is replaced by the watched folder, whose name differs between runs.
    let typed = input.replacen('@', &snapshot.folders[0].path, 1);
    let inside = root.join("people");
    for here in [None, Some(inside.as_path()), Some(Path::new("/"))] {
        let place = match Place::parse(snapshot, &typed, here) {
            Ok(Some(place)) => place,
            Ok(None) => continue,
            Err(error) => {
                assert!(matches!(error, EngineError::Place { .. }), "{error}");
                continue;
            }
        };
        let Place { folder, path, line } = &place;
        let folder = snapshot.folders.iter().find(|known| known.id == *folder);
        let folder = folder.expect("a watched folder");
        assert_ne!(*line, Some(0));
        assert!(!path.is_empty());
        let parts = || Path::new(path).components();
        assert!(
            parts().all(|part| matches!(part, Component::Normal(_))),
            "{path}"
        );
        assert_eq!(
            parts().collect::<std::path::PathBuf>().to_str(),
            Some(path.as_str())
        );

        // The whole path finds the same file, by way of either folder.
        let absolute = Path::new(&folder.path).join(path);
        if path.trim_end() != path
            || absolute
                .to_str()
                .is_none_or(|path| path.rsplit_once(':').is_some())
        {
            continue;
        }
        // There is also a file whose name ends in that line.
        if line.is_some_and(|line| root.join(format!("{path}:{line}")).exists()) {
            continue;
        }
        let whole = match line {
            Some(line) => format!("{}:{line}", absolute.display()),
            None => absolute.display().to_string(),
        };
        match Place::parse(snapshot, &whole, None) {
            Ok(Some(again)) => {
                let file = |place: &Place| {
                    let folder = snapshot
                        .folders
                        .iter()
                        .find(|known| known.id == place.folder);
                    Path::new(&folder.expect("a watched folder").path).join(&place.path)
                };
                assert_eq!((file(&again), again.line), (absolute, *line), "{whole}");
            }
            // It is in both folders.
            Err(EngineError::Place { .. }) => assert!(absolute.starts_with(&inside)),
            other => panic!("{whole}: {other:?}"),
        }
    }
});
