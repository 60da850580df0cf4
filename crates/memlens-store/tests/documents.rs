//! What the library remembers: everything that was put, in one order, and nothing that was replaced or removed.
//!
//! Properties checked: every field comes back; each kind of change does what it says and no more, in one step; ids are
//! never used twice; the generation rises with every batch; embeddings outlive their documents; the order of a snapshot
//! does not depend on the order of indexing.

use std::path::Path;
use std::sync::Arc;

use memlens_store::{
    Change, DocumentId, EmbeddingId, Folder, FolderId, NewChunk, NewDocument, NewWindow, NoText,
    Severity, Snapshot, Store, StoreError, StoredPreset, StoredProblem,
};
use proptest::prelude::*;

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
        assert_eq!(snapshot.places(at), place..place + n_chunks);
        assert_eq!(snapshot.find(document.folder, &document.path), Some(at));
        for chunk in &document.chunks {
            assert_eq!(snapshot.document_at(place), at, "{}", document.path);
            assert_eq!(snapshot.chunk(place).1, chunk);
            place += 1;
        }
        let windows = document.chunks.iter().flat_map(|it| it.windows.clone());
        assert!(windows.eq(0..document.windows.len() as u32));
    }
    assert_eq!(snapshot.n_chunks(), place);
}

fn snapshot(store: &Store) -> Snapshot {
    let snapshot = store.snapshot().expect("the library can be read");
    check_ranges(&snapshot);
    snapshot
}

#[test]
fn every_field_comes_back() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let [first, second] = [3, 4].map(|number| embedding(&mut store, number));
    let text = "Quiet\0 hours 😀";
    let whole = embedding(&mut store, 5);
    let noted = problem(
        folder,
        "a/ü.md",
        Some(3),
        "date cannot be read",
        Severity::Note,
    );
    let document = NewDocument {
        path: "a/ü.md".to_owned(),
        hash: hash(200),
        size: u64::from(u32::MAX) + 1,
        modified_ms: -5,
        changed_ns: 0,
        kind: "jsonl".to_owned(),
        encoding: "windows-1252".to_owned(),
        agent: Some("iris".to_owned()),
        date: Some("2026-02-28".to_owned()),
        tags: vec!["home".to_owned(), "a \"quoted\" tag".to_owned()],
        weight: Some(0.5),
        chunks: vec![NewChunk {
            text: text.to_owned(),
            start_line: 4,
            end_line: 9,
            bytes: 3..u32::MAX,
            heading: "Home > Router".to_owned(),
            agent: Some("argus".to_owned()),
            date: Some("2026-03-01".to_owned()),
            weight: Some(2.0),
            external_id: Some("obs-1".to_owned()),
            tokens: 77,
            embedding: whole,
            windows: vec![
                NewWindow {
                    start_line: 8,
                    end_line: 9,
                    embedding: second,
                },
                NewWindow {
                    start_line: 4,
                    end_line: 7,
                    embedding: first,
                },
            ],
        }],
        problems: vec![noted.clone()],
        ..note(&mut store, folder, "", &[])
    };
    let applied = store
        .apply(&[put(document.clone())])
        .expect("it can be put");
    assert_eq!((applied.removed.len(), applied.added.len()), (0, 1));
    let added = &applied.added[0];
    assert_eq!((added.path.as_str(), added.text.as_str()), ("a/ü.md", text));
    drop(store);

    // Another process reads the same.
    let store = Store::open_read_only(dir.path()).expect("the library can be read");
    let found = snapshot(&store);
    assert_eq!(found.generation, applied.generation);
    let row = &found.documents[0];
    assert_eq!(
        (row.id, row.folder, row.path.as_str(), row.hash),
        (added.document, folder, "a/ü.md", hash(200))
    );
    assert_eq!(
        (row.modified_ms, row.encoding.as_str(), row.chunks.len()),
        (-5, "windows-1252", 1)
    );
    assert_eq!(
        (row.agent.as_deref(), row.date.as_deref(), &row.tags),
        (Some("iris"), Some("2026-02-28"), &document.tags)
    );
    let chunk = &row.chunks[0];
    assert_eq!(
        (chunk.id, chunk.start_line, chunk.end_line),
        (added.id, 4, 9)
    );
    assert_eq!(
        (chunk.bytes.clone(), chunk.tokens, chunk.embedding),
        (3..u32::MAX, 77, whole)
    );
    assert_eq!(
        (chunk.heading.as_str(), chunk.agent.as_deref()),
        ("Home > Router", Some("argus"))
    );
    // Windows keep the order in which they were given.
    let windows: Vec<_> = row
        .windows
        .iter()
        .map(|window| (window.start_line, window.end_line, window.embedding))
        .collect();
    assert_eq!(windows, [(8, 9, second), (4, 7, first)]);
    let state = store.document(folder, "a/ü.md").expect("it can be read");
    let state = state.expect("it is there");
    assert_eq!(
        (state.id, state.size, state.modified_ms, state.hash),
        (row.id, document.size, -5, hash(200))
    );
    assert_eq!(
        store.documents(folder).expect("it can be read"),
        [("a/ü.md".to_owned(), state)].into()
    );
    assert_eq!(
        store.document(folder, "b.md").expect("it can be read"),
        None
    );
    assert_eq!(store.problems().expect("it can be read"), [noted]);
    assert_eq!(store.n_unreadable().expect("it can be read"), 0);
    assert_eq!(
        store
            .chunk_texts([added.id, -1, added.id])
            .expect("it can be read"),
        [Ok(text.to_owned()), Err(NoText::Gone), Ok(text.to_owned())]
    );
    let mut chunks = Vec::new();
    store
        .for_each_chunk(|chunk| -> Result<(), StoreError> {
            chunks.push(chunk);
            Ok(())
        })
        .expect("it can be read");
    assert_eq!(chunks, applied.added);

    // What no part of the program reads yet is kept all the same.
    let database = rusqlite::Connection::open(dir.path().join("library.sqlite"))
        .expect("it is an SQLite file");
    let kept: (String, f64, String, f64, String) = database
        .query_row(
            "SELECT d.kind, d.weight, c.date, c.weight, c.external_id FROM documents d JOIN chunks c ON c.document = d.id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
        )
        .expect("it can be read");
    let expected = ("jsonl", 0.5, "2026-03-01", 2.0, "obs-1");
    assert_eq!(
        (
            kept.0.as_str(),
            kept.1,
            kept.2.as_str(),
            kept.3,
            kept.4.as_str()
        ),
        expected
    );
}

#[test]
fn each_change_does_what_it_says() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let other = store
        .add_folder("/other", "other")
        .expect("it can be added");
    let mut with_problem = note(&mut store, folder, "a.md", &[0, 20]);
    with_problem.problems = vec![problem(folder, "a.md", None, "guessed", Severity::Note)];
    let batch = [
        put(with_problem),
        put(note(&mut store, folder, "b.md", &[0])),
        put(note(&mut store, other.id, "a.md", &[5])),
    ];
    let applied = store.apply(&batch).expect("it can be applied");
    assert_eq!(applied.generation, 1);
    let ids: Vec<DocumentId> = snapshot(&store)
        .documents
        .iter()
        .map(|document| document.id)
        .collect();
    let [first, second, third] = ids[..] else {
        panic!("three documents in place of {ids:?}")
    };
    assert_eq!(
        listed(&snapshot(&store)),
        [
            "/notes/a.md@0-10",
            "/notes/a.md@20-30",
            "/notes/b.md@0-10",
            "/other/a.md@5-15"
        ]
    );

    // A put replaces the document at its path in its folder, with what was noted of it, and nothing else.
    let again = [put(note(&mut store, folder, "a.md", &[40]))];
    let applied = store.apply(&again).expect("it can be applied");
    assert_eq!(
        (applied.generation, &applied.removed[..]),
        (2, &[first][..])
    );
    let found = snapshot(&store);
    assert_eq!(
        listed(&found),
        ["/notes/a.md@40-50", "/notes/b.md@0-10", "/other/a.md@5-15"]
    );
    assert!(
        !ids.contains(&found.documents[0].id),
        "an id was used twice"
    );
    assert_eq!(store.problems().expect("it can be read"), []);

    let touch = Change::Touch {
        document: second,
        modified_ms: 77,
        changed_ns: 78,
    };
    let applied = store.apply(&[touch]).expect("it can be applied");
    assert_eq!(
        (
            applied.generation,
            applied.removed.len(),
            applied.added.len()
        ),
        (3, 0, 0)
    );
    let state = store.document(folder, "b.md").expect("it can be read");
    assert_eq!(
        state.map(|state| (state.id, state.modified_ms, state.changed_ns)),
        Some((second, 77, 78))
    );

    // A file that cannot be read any more leaves its reason alone behind.
    let unreadable = problem(folder, "b.md", None, "binary", Severity::Error);
    let applied = store
        .apply(&[Change::Fail(unreadable.clone())])
        .expect("it can be applied");
    assert_eq!(
        (applied.generation, &applied.removed[..]),
        (4, &[second][..])
    );
    assert_eq!(store.problems().expect("it can be read"), [unreadable]);
    assert_eq!(store.n_unreadable().expect("it can be read"), 1);
    assert_eq!(
        listed(&snapshot(&store)),
        ["/notes/a.md@40-50", "/other/a.md@5-15"]
    );

    let remove = |folder, path: &str| Change::Remove {
        folder,
        path: path.to_owned(),
    };
    let batch = [
        remove(other.id, "a.md"),
        remove(folder, "b.md"),
        remove(folder, "none.md"),
    ];
    let applied = store.apply(&batch).expect("it can be applied");
    assert_eq!(
        (applied.generation, &applied.removed[..]),
        (5, &[third][..])
    );
    assert_eq!(store.problems().expect("it can be read"), []);
    assert_eq!(listed(&snapshot(&store)), ["/notes/a.md@40-50"]);

    assert_eq!(store.apply(&[]).expect("it can be applied").generation, 6);
    assert_eq!(store.forget_documents().expect("it can be done"), 7);
    let found = snapshot(&store);
    assert_eq!(
        (found.documents.len(), found.n_chunks(), found.folders.len()),
        (0, 0, 2)
    );
}

#[test]
fn a_batch_is_applied_whole_or_not_at_all() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let good = put(note(&mut store, folder, "a.md", &[0]));
    store
        .apply(std::slice::from_ref(&good))
        .expect("it can be applied");
    let before = snapshot(&store);
    let mut bad = note(&mut store, folder, "c.md", &[0]);
    bad.chunks[0].embedding = EmbeddingId(12345);
    let batch = [
        Change::Remove {
            folder,
            path: "a.md".to_owned(),
        },
        put(note(&mut store, folder, "b.md", &[0])),
        put(bad),
    ];
    let error = store.apply(&batch).expect_err("there is no such embedding");
    assert!(
        error.to_string().starts_with("cannot save a chunk: "),
        "{error}"
    );
    assert_eq!(snapshot(&store), before);
    assert_eq!(
        store.generation().expect("it can be read"),
        before.generation
    );
}

#[test]
fn embeddings_are_kept_once_by_model_and_content() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let ids = [1, 2, 1].map(|number| embedding(&mut store, number));
    assert_eq!(
        (ids[0], store.n_embeddings().expect("it can be read")),
        (ids[2], 2)
    );
    // The first vector stands: a hash names one text, and one text has one vector.
    store
        .save_embeddings(MODEL, &[(hash(1), vector(99))])
        .expect("it can be saved");
    assert_eq!(
        store.vector(ids[0]).expect("it can be read"),
        Some(vector(1))
    );
    let other = store
        .embeddings("other model", [hash(1), hash(2)])
        .expect("it can be read");
    assert!(other.is_empty());
    assert_eq!(
        store.vector(EmbeddingId(12345)).expect("it can be read"),
        None
    );

    // Only those in use go into the list, and one that lost its documents comes back with its id.
    let used = |store: &Store| {
        let mut used = Vec::new();
        store
            .for_each_embedding(|id, vector| -> Result<(), StoreError> {
                used.push((id, vector.to_vec()));
                Ok(())
            })
            .expect("it can be read");
        used
    };
    assert_eq!(used(&store), []);
    let document = note(&mut store, folder, "a.md", &[0, 20]);
    store.apply(&[put(document)]).expect("it can be applied");
    assert_eq!(used(&store), [(ids[0], vector(1))]);
    store.remove_folder(folder).expect("it can be removed");
    assert_eq!(used(&store), []);
    assert_eq!(embedding(&mut store, 1), ids[0]);
}

#[test]
fn folders_are_watched_once() {
    let dir = scratch();
    let mut store = open(dir.path());
    let mut add = |path: &str, name: &str| {
        store
            .add_folder(path, name)
            .map(|folder| folder.name)
            .map_err(|error| error.to_string())
    };
    let named = |name: &str| Ok(name.to_owned());
    let refused = |why: &str| Err(format!("cannot add {why}"));
    for (path, name, expected) in [
        ("/b/notes", "notes", named("notes")),
        ("/a/notes", "notes", named("notes 2")),
        ("/c/notes", "notes", named("notes 3")),
        // The name that a number would give is free for whoever has it by nature.
        ("/d/notes 4", "notes 4", named("notes 4")),
        ("/e/notes", "notes", named("notes 5")),
        (
            "/b/notes",
            "notes",
            refused("/b/notes: it is already watched"),
        ),
        (
            "/b/notes/deep/er",
            "er",
            refused("/b/notes/deep/er: it is already watched within /b/notes"),
        ),
        // A name that only begins alike is another folder.
        ("/b/notes-old", "notes-old", named("notes-old")),
    ] {
        assert_eq!(add(path, name), expected, "{path}");
    }
    let paths: Vec<String> = store
        .folders()
        .expect("they can be read")
        .into_iter()
        .map(|folder| folder.path)
        .collect();
    assert_eq!(
        paths,
        [
            "/a/notes",
            "/b/notes",
            "/b/notes-old",
            "/c/notes",
            "/d/notes 4",
            "/e/notes"
        ]
    );
}

#[test]
fn a_folder_knows_whose_memory_it_is() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    store
        .add_folder("/other", "other")
        .expect("it can be added");
    let agents = |store: &Store| -> Vec<Option<String>> {
        let folders = store.folders().expect("they can be read");
        folders.into_iter().map(|folder| folder.agent).collect()
    };
    assert_eq!(agents(&store), [None, None]);
    for agent in [Some("codex"), Some("hermes"), None] {
        store
            .set_folder_agent(folder, agent)
            .expect("it can be noted");
        assert_eq!(agents(&store), [agent.map(str::to_owned), None]);
    }
    let mut give = |path: &str, name: &str| {
        let folder = store.add_folder(path, "memory").expect("it can be added");
        store
            .give_to_agent(&folder, "claude-code", name)
            .map(|folder| folder.name)
            .expect("it can be noted")
    };
    assert_eq!(
        give("/one/memory", "Claude Code garden"),
        "Claude Code garden"
    );
    assert_eq!(
        give("/two/memory", "Claude Code garden"),
        "Claude Code garden 2"
    );
    assert_eq!(give("/three/memory", "memory"), "memory");
    let folders = store.folders().expect("they can be read");
    let given = folders.iter().filter(|folder| folder.agent.is_some());
    assert_eq!(given.count(), 3);
}

#[test]
fn folders_are_paused_and_removed() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let kept = store.add_folder("/kept", "kept").expect("it can be added");
    let paused = |store: &Store| -> Vec<(String, bool)> {
        let folders = store.folders().expect("they can be read");
        folders
            .into_iter()
            .map(|folder: Folder| (folder.name, folder.is_paused))
            .collect()
    };
    store
        .set_folder_paused(folder, true)
        .expect("it can be paused");
    assert_eq!(
        paused(&store),
        [("kept".to_owned(), false), ("notes".to_owned(), true)]
    );
    store
        .set_folder_paused(folder, false)
        .expect("it can go on");
    assert_eq!(
        paused(&store),
        [("kept".to_owned(), false), ("notes".to_owned(), false)]
    );

    let batch = [
        put(note(&mut store, folder, "a.md", &[0, 20])),
        put(note(&mut store, kept.id, "a.md", &[0])),
        Change::Fail(problem(folder, "b.md", None, "binary", Severity::Error)),
        Change::Fail(problem(kept.id, "b.md", None, "binary", Severity::Error)),
    ];
    let applied = store.apply(&batch).expect("it can be applied");
    let removed = store.remove_folder(folder).expect("it can be removed");
    assert_eq!(removed.removed, [applied.added[0].document]);
    assert_eq!(removed.generation, applied.generation + 1);
    assert_eq!(listed(&snapshot(&store)), ["/kept/a.md@0-10"]);
    assert_eq!(store.problems().expect("they can be read").len(), 1);
    // Its path is free again, its id is not.
    let again = store
        .add_folder("/notes", "notes")
        .expect("it can be added");
    assert!(again.id != folder && again.id != kept.id);
}

#[test]
fn problems_come_errors_first_and_a_walk_replaces_its_own() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let first = store
        .add_folder("/first", "first")
        .expect("it can be added");
    let mut document = note(&mut store, folder, "b.md", &[0]);
    let note_of = |line, message| problem(folder, "b.md", line, message, Severity::Note);
    document.problems = vec![
        note_of(Some(9), "x"),
        note_of(Some(2), "z"),
        note_of(Some(2), "y"),
        note_of(None, "w"),
    ];
    let failed = |folder, path: &str| problem(folder, path, None, "binary", Severity::Error);
    let batch = [
        put(document),
        Change::Fail(failed(folder, "c.md")),
        Change::Fail(failed(first.id, "d.md")),
    ];
    store.apply(&batch).expect("it can be applied");
    let told = |store: &Store| -> Vec<String> {
        let problems = store.problems().expect("they can be read");
        let line = |line: Option<u32>| line.map_or(String::new(), |line| format!(":{line}"));
        problems
            .iter()
            .map(|one| {
                format!(
                    "{} {}{} {}",
                    one.folder.0,
                    one.path,
                    line(one.line),
                    one.message
                )
            })
            .collect()
    };
    let notes = ["1 b.md w", "1 b.md:2 y", "1 b.md:2 z", "1 b.md:9 x"];
    let expected = [&["2 d.md binary", "1 c.md binary"][..], &notes].concat();
    assert_eq!(told(&store), expected);
    assert_eq!(store.n_unreadable().expect("it can be read"), 2);

    // What a walk tells of files outside the library is put in place of what was told before, in that folder alone.
    store
        .set_walk_problems(
            folder,
            &[failed(folder, "e.md"), failed(folder, "e.md")],
            |_| false,
        )
        .expect("it can be noted");
    let expected = [
        &["2 d.md binary", "1 e.md binary", "1 e.md binary"][..],
        &notes,
    ]
    .concat();
    assert_eq!(told(&store), expected);
    assert_eq!(store.n_unreadable().expect("it can be read"), 2);
    // But for what is about to be read.
    assert!(
        !store
            .is_noted(&failed(folder, "e.md"))
            .expect("it can be read"),
        "it stands there twice"
    );
    store
        .set_walk_problems(folder, &[failed(folder, "f.md")], |path| path == "e.md")
        .expect("it can be noted");
    assert_eq!(store.n_unreadable().expect("it can be read"), 3);
    assert!(
        store
            .is_noted(&failed(folder, "f.md"))
            .expect("it can be read")
    );
    store
        .set_walk_problems(folder, &[], |_| false)
        .expect("it can be noted");
    assert_eq!(told(&store), [&["2 d.md binary"][..], &notes].concat());
}

#[test]
fn presets_and_settings_are_replaced_by_name() {
    let dir = scratch();
    let mut store = open(dir.path());
    let preset = |name: &str, params: &str| StoredPreset {
        name: name.to_owned(),
        params: params.to_owned(),
    };
    for (name, params) in [
        ("notes", "{}"),
        ("Chat", "{\"a\":1}"),
        ("notes", "{\"b\":\"ü\"}"),
    ] {
        store
            .save_preset(&preset(name, params))
            .expect("it can be saved");
    }
    assert_eq!(
        store.presets().expect("they can be read"),
        [
            preset("Chat", "{\"a\":1}"),
            preset("notes", "{\"b\":\"ü\"}")
        ]
    );
    store.delete_preset("Chat").expect("it can be deleted");
    store
        .delete_preset("never saved")
        .expect("that is no error");
    assert_eq!(store.presets().expect("they can be read").len(), 1);

    assert_eq!(store.meta("recipe").expect("it can be read"), None);
    for value in ["one", "two"] {
        store.set_meta("recipe", value).expect("it can be written");
        assert_eq!(
            store.meta("recipe").expect("it can be read").as_deref(),
            Some(value)
        );
    }
    assert_eq!(store.generation().expect("it can be read"), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Folder path, path, start byte, end byte: the order of indexing does not show.
    #[test]
    fn the_order_does_not_depend_on_the_order_of_indexing(
        keys in prop::collection::btree_set((0_usize..3, "[a-cA-C/.é]{1,3}", 0_u32..4), 1..25),
        seed in any::<u64>(),
    ) {
        let dir = scratch();
        let mut store = open(dir.path());
        let mut folders = ["/b", "/a", "/a b"].map(|path| (path, None));
        let mut documents: Vec<(usize, String, Vec<u32>)> = Vec::new();
        for (folder, path, start) in &keys {
            match documents.last_mut() {
                Some((last, known, starts)) if last == folder && known == path => starts.push(*start),
                _ => documents.push((*folder, path.clone(), vec![*start])),
            }
        }
        // Any order: sorted by a hash of the place and the seed.
        let shuffled = |at: usize| (at as u64 + 1).wrapping_mul(seed | 1).rotate_left(17);
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by_key(|at| shuffled(*at));
        for at in order {
            let (folder, path, starts) = &documents[at];
            let (folder_path, id) = &mut folders[*folder];
            let id = *id.get_or_insert_with(|| store.add_folder(folder_path, "notes").expect("it can be added").id);
            // Chunks come in any order too.
            let mut starts = starts.clone();
            starts.sort_by_key(|start| shuffled(*start as usize));
            let document = note(&mut store, id, path, &starts);
            store.apply(&[put(document)]).expect("it can be applied");
        }
        let found = snapshot(&store);
        let sorted = |rows: &[(String, String, u32)]| rows.is_sorted();
        let rows: Vec<(String, String, u32)> = found
            .chunks()
            .map(|(document, chunk)| {
                let folder = found.folder(document.folder);
                (folder.expect("it is watched").path.clone(), document.path.clone(), chunk.bytes.start)
            })
            .collect();
        prop_assert!(sorted(&rows), "{rows:?}");
        prop_assert_eq!(rows.len(), keys.len());
    }

    /// A snapshot after an earlier one equals one that is read from the beginning, and shares what did not change.
    #[test]
    fn a_later_snapshot_equals_a_fresh_one(
        rounds in prop::collection::vec(prop::collection::vec(happens(), 0..4), 1..6),
    ) {
        let dir = scratch();
        let mut store = open(dir.path());
        let folders = ["/notes", "/away"].map(|path| store.add_folder(path, "notes").expect("it can be added").id);
        for at in 0..48 {
            let document = note(&mut store, folders[at % 2], &format!("{at}.md"), &[0, 20]);
            store.apply(&[put(document)]).expect("it can be applied");
        }
        let reader = Store::open_read_only(dir.path()).expect("it can be read");
        let mut known = reader.snapshot().expect("it can be read");
        for round in rounds {
            for happening in round {
                happening.happen(&mut store, folders);
            }
            let followed = reader.snapshot_after(Some(&known)).expect("it can be read");
            prop_assert_eq!(&followed.snapshot, &snapshot(&reader));
            check_ranges(&followed.snapshot);
            if let Some(changed) = &followed.changed {
                let same = followed.snapshot.documents.iter().filter(|it| !changed.contains(&it.id));
                for document in same {
                    prop_assert!(known.documents.iter().any(|it| Arc::ptr_eq(it, document)));
                }
            }
            known = followed.snapshot;
        }
    }
}

/// What may happen to a library between two snapshots.
#[derive(Debug, Clone)]
enum Happens {
    Put(usize, Vec<u32>),
    Remove(usize),
    Touch(usize),
    RemoveFolder,
    Forget,
    Erase,
}

fn happens() -> impl Strategy<Value = Happens> {
    let at = || 0..60_usize;
    prop_oneof![
        12 => (at(), prop::collection::vec(0..100_u32, 0..3)).prop_map(|(at, starts)| Happens::Put(at, starts)),
        6 => at().prop_map(Happens::Remove),
        6 => at().prop_map(Happens::Touch),
        1 => Just(Happens::RemoveFolder),
        1 => Just(Happens::Forget),
        1 => Just(Happens::Erase),
    ]
}

impl Happens {
    fn happen(self, store: &mut Store, [folder, away]: [FolderId; 2]) {
        let is_watched = store.folders().expect("they can be read");
        let is_watched = |id: FolderId| is_watched.iter().any(|it| it.id == id);
        let change = match self {
            Happens::Put(at, starts) if is_watched(folder) => {
                put(note(store, folder, &format!("{at}.md"), &starts))
            }
            Happens::Remove(at) => Change::Remove {
                folder,
                path: format!("{at}.md"),
            },
            Happens::Touch(at) => {
                let known = store.document(folder, &format!("{at}.md"));
                let Some(known) = known.expect("it can be read") else {
                    return;
                };
                Change::Touch {
                    document: known.id,
                    modified_ms: known.modified_ms + 1,
                    changed_ns: 7,
                }
            }
            Happens::Put(..) => return,
            Happens::RemoveFolder if is_watched(away) => {
                store.remove_folder(away).expect("it can be removed");
                return;
            }
            Happens::RemoveFolder => return,
            Happens::Forget => {
                store.forget_documents().expect("it can be done");
                return;
            }
            Happens::Erase => {
                store.erase_all().expect("it can be done");
                return;
            }
        };
        store.apply(&[change]).expect("it can be applied");
    }
}

#[test]
fn a_reader_who_is_too_late_for_the_log_reads_all() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    for at in 0..8 {
        let document = note(&mut store, folder, &format!("{at}.md"), &[0]);
        store.apply(&[put(document)]).expect("it can be applied");
    }
    let known = snapshot(&store);
    let change = |store: &mut Store| {
        let document = note(store, folder, "0.md", &[5]);
        store.apply(&[put(document)]).expect("it can be applied");
    };
    change(&mut store);
    let followed = store.snapshot_after(Some(&known)).expect("it can be read");
    assert_eq!(followed.changed.map(|changed| changed.len()), Some(2));
    // As when the log was cut while nobody read.
    let raw = rusqlite::Connection::open(dir.path().join("library.sqlite")).expect("it is there");
    raw.execute(
        "DELETE FROM changed WHERE at < (SELECT max(at) FROM changed)",
        [],
    )
    .expect("it can be cut");
    let followed = store.snapshot_after(Some(&known)).expect("it can be read");
    assert_eq!(followed.changed, None);
    assert_eq!(followed.snapshot, snapshot(&store));
    // Another database in its place.
    raw.execute(
        "UPDATE meta SET value = 'another' WHERE key = 'database'",
        [],
    )
    .expect("it can be changed");
    let followed = store
        .snapshot_after(Some(&followed.snapshot))
        .expect("it can be read");
    assert_eq!(followed.changed, None);
}
