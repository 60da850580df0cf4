//! Documents with their chunks and embeddings.
//!
//! Properties checked: every field comes back; each kind of change does what it says and no more; a batch is applied whole
//! or not at all; ids are never used twice; the generation rises with every batch; embeddings outlive their documents.

use memlens_store::{
    Change, DocumentId, EmbeddingId, NewChunk, NewDocument, NewWindow, NoText, Severity, Store,
    StoreError,
};

use super::{
    MODEL, embedding, hash, library, listed, note, problem, put, scratch, snapshot, vector,
};

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
        first_sight: None,
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
        (chunk.bytes.range(), chunk.tokens, chunk.embedding),
        (3..u32::MAX as usize, 77, whole)
    );
    assert_eq!(
        (row.heading(chunk), row.agent_of(chunk)),
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

    // An insert replaces the document at its path in its folder, with what was noted of it, and nothing else.
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
    // The first vector stays: a hash identifies one text, and one text has one vector.
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
                used.push((id, vector.expect("it is as it was saved").to_vec()));
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
