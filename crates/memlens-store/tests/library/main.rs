//! Contents of the library: everything that was inserted, in one order, and nothing that was replaced or removed.

mod documents;
mod folders;
mod presets;
mod problems;
mod saved;
mod snapshots;

use std::path::Path;

use memlens_store::{
    Change, EmbeddingId, FolderId, NewChunk, NewDocument, NewWindow, Severity, Snapshot, Store,
    StoredProblem,
};

const MODEL: &str = "model, v1";

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the library can be opened")
}

/// A hash that is another for every number.
fn hash(number: u8) -> [u8; 32] {
    let mut hash = [7; 32];
    hash[0] = number;
    hash
}

/// A vector that is another for every number.
fn vector(number: u8) -> Vec<f32> {
    vec![f32::from(number), -0.5, f32::MIN_POSITIVE]
}

/// Saves the embedding of a number and returns its id.
fn embedding(store: &mut Store, number: u8) -> EmbeddingId {
    store
        .save_embeddings(MODEL, &[(hash(number), vector(number))])
        .expect("it can be saved");
    let found = store
        .embeddings(MODEL, [hash(number)])
        .expect("it can be read");
    found[&hash(number)]
}

/// A note whose chunks begin at `starts` and are 10 bytes long.
fn note(store: &mut Store, folder: FolderId, path: &str, starts: &[u32]) -> NewDocument {
    let embedding = embedding(store, 1);
    let chunks = starts
        .iter()
        .map(|start| NewChunk {
            text: format!("{path} at {start}"),
            start_line: start + 1,
            end_line: start + 2,
            bytes: *start..start + 10,
            heading: String::new(),
            agent: None,
            date: None,
            weight: None,
            external_id: None,
            tokens: 3,
            embedding,
            windows: vec![NewWindow {
                start_line: start + 1,
                end_line: start + 1,
                embedding,
            }],
        })
        .collect();
    NewDocument {
        folder,
        path: path.to_owned(),
        hash: hash(9),
        size: 10,
        modified_ms: 1000,
        changed_ns: 0,
        kind: "markdown".to_owned(),
        encoding: "UTF-8".to_owned(),
        agent: None,
        date: None,
        tags: Vec::new(),
        weight: None,
        chunks,
        observations: Vec::new(),
        first_sight: None,
        problems: Vec::new(),
    }
}

fn put(document: NewDocument) -> Change {
    Change::Put(Box::new(document))
}

fn problem(
    folder: FolderId,
    path: &str,
    line: Option<u32>,
    message: &str,
    severity: Severity,
) -> StoredProblem {
    StoredProblem {
        folder,
        path: path.to_owned(),
        line,
        message: message.to_owned(),
        severity,
    }
}

/// Makes a library with the watched folder `/notes`.
fn library(dir: &Path) -> (Store, FolderId) {
    let mut store = open(dir);
    let folder = store
        .add_folder("/notes", "notes")
        .expect("it can be added")
        .id;
    (store, folder)
}

/// Each chunk of a snapshot as `folder/path@start-end`, in its order.
fn listed(snapshot: &Snapshot) -> Vec<String> {
    let folder_path = |id: FolderId| {
        let folder = snapshot.folder(id);
        &folder.expect("documents are in watched folders").path
    };
    snapshot
        .chunks()
        .map(|(document, chunk)| {
            let (folder, path) = (folder_path(document.folder), &document.path);
            format!("{folder}/{path}@{}-{}", chunk.bytes.start, chunk.bytes.end)
        })
        .collect()
}

/// Checks that the ranges of a snapshot name each chunk and window once, in order.
fn check_ranges(snapshot: &Snapshot) {
    let mut place = 0;
    for (at, document) in snapshot.documents.iter().enumerate() {
        let n_chunks = document.chunks.len() as u32;
        assert_eq!(snapshot.places(at..at + 1), place..place + n_chunks);
        assert_eq!(snapshot.find(document.folder, &document.path), Some(at));
        for chunk in &document.chunks {
            assert_eq!(snapshot.document_at(place), at, "{}", document.path);
            assert_eq!(snapshot.chunk(place).1, chunk);
            place += 1;
        }
        let windows = document.chunks.iter().flat_map(|it| it.windows.range());
        assert!(windows.eq(0..document.windows.len()));
    }
    assert_eq!(snapshot.n_chunks(), place);
}

fn snapshot(store: &Store) -> Snapshot {
    let snapshot = store.snapshot().expect("the library can be read");
    check_ranges(&snapshot);
    snapshot
}
