//! Damage in the database that SQLite does not notice: detected when it is read, left out, and removed by the writer.
//!
//! Properties checked: if any part of a chunk, its document, its windows or its observations differs from what was
//! saved, that note and no other is left out and removed; an embedding is removed with the notes that use it; what was
//! removed can be inserted again; a library of an older version is taken over unchanged.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use memlens_store::{
    Change, Forgotten, NewChunk, NewDocument, NewObservation, NewWindow, NoText, Snapshot, Store,
    StoreError,
};
use rusqlite::Connection;

const MODEL: &str = "model, v1";
const DIM: usize = 3;

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the library can be opened")
}

fn snapshot(store: &Store) -> Snapshot {
    store.snapshot().expect("it can be read")
}

/// Inserts a note with two chunks of one window each, and two observations.
fn put(store: &mut Store, path: &str) {
    let folders = store.folders().expect("they can be read");
    let folder = match folders.first() {
        Some(folder) => folder.id,
        None => {
            let added = store.add_folder("/notes", "notes");
            added.expect("it can be added").id
        }
    };
    let texts: Vec<String> = (0..2).map(|at| format!("{path} at {at}")).collect();
    let hash = |text: &String| *blake3::hash(text.as_bytes()).as_bytes();
    let vectors: Vec<_> = texts
        .iter()
        .map(|text| (hash(text), vec![0.6, 0.0, 0.8]))
        .collect();
    store
        .save_embeddings(MODEL, &vectors)
        .expect("they can be saved");
    let ids = store.embeddings(MODEL, texts.iter().map(hash));
    let ids = ids.expect("they can be read");
    let chunks = (0..).zip(&texts).map(|(at, text)| NewChunk {
        text: text.clone(),
        start_line: at + 1,
        end_line: at + 1,
        bytes: at * 10..at * 10 + 10,
        heading: "A > B".to_owned(),
        agent: Some("iris".to_owned()),
        date: Some("2026-02-28".to_owned()),
        weight: Some(0.5),
        external_id: Some("one".to_owned()),
        tokens: 3,
        embedding: ids[&hash(text)],
        windows: vec![NewWindow {
            start_line: at + 1,
            end_line: at + 1,
            embedding: ids[&hash(text)],
        }],
    });
    let observations = (0..).zip(&texts).map(|(at, text)| NewObservation {
        text: text.clone(),
        bytes: at * 10..at * 10 + 10,
        start_line: at + 1,
        end_line: at + 1,
        agent: Some("iris".to_owned()),
        date: None,
        weight: None,
    });
    let document = NewDocument {
        folder,
        path: path.to_owned(),
        hash: [9; 32],
        size: 20,
        modified_ms: 1000,
        changed_ns: 7,
        kind: "markdown".to_owned(),
        encoding: "UTF-8".to_owned(),
        agent: None,
        date: None,
        tags: vec!["home".to_owned()],
        weight: None,
        chunks: chunks.collect(),
        observations: observations.collect(),
        first_sight: None,
        problems: Vec::new(),
    };
    let applied = store.apply(&[Change::Put(Box::new(document))]);
    applied.expect("it can be put");
}

/// Makes a library of the notes 1.md, 2.md and 3.md.
fn library(dir: &Path) -> Store {
    let mut store = open(dir);
    for path in ["1.md", "2.md", "3.md"] {
        put(&mut store, path);
    }
    store
}

/// Changes the database behind the library's back, and SQLite's: no index follows.
fn alter(dir: &Path, sql: &str) {
    let database = Connection::open(dir.join("library.sqlite")).expect("it is SQLite");
    database
        .execute_batch("PRAGMA foreign_keys = OFF")
        .expect("it can be set");
    let n_changed = database.execute(sql, []).expect("it can be changed");
    assert_eq!(n_changed, 1, "{sql}");
}

/// Turns bits of the database file: all places that hold `from` where it follows `after`.
fn turn(dir: &Path, from: &[u8], to: &[u8]) -> usize {
    let database = Connection::open(dir.join("library.sqlite")).expect("it is SQLite");
    database
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("it can be written back");
    drop(database);
    let path = dir.join("library.sqlite");
    let mut bytes = std::fs::read(&path).expect("it can be read");
    let found: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, window)| *window == from)
        .map(|(at, _)| at)
        .collect();
    // The first occurrence is that of the table or the index; it is damaged, the others are not.
    let at = found[0];
    bytes[at..at + to.len()].copy_from_slice(to);
    std::fs::write(path, bytes).expect("it can be written");
    found.len()
}

fn forget(store: &mut Store) -> Option<Forgotten> {
    store
        .forget_damaged(DIM, &AtomicBool::new(false))
        .expect("it can be checked")
}

fn paths(snapshot: &Snapshot) -> Vec<&str> {
    let documents = snapshot.documents.iter();
    documents.map(|document| document.path.as_str()).collect()
}

/// Checks that only the note 2.md is removed, and can be inserted again.
fn check_forgotten(dir: &Path, sound: &Snapshot, what: &str) {
    let mut store = open(dir);
    let forgotten = forget(&mut store).expect(what);
    assert_eq!(forgotten.notes.len(), 1, "{what}: {forgotten:?}");
    let left = snapshot(&store);
    assert_eq!(paths(&left), ["1.md", "3.md"], "{what}");
    assert_eq!(left.altered, [], "{what}");
    assert_eq!(left.generation, forgotten.applied.generation, "{what}");
    assert_eq!(forget(&mut store), None, "{what}");
    put(&mut store, "2.md");
    let again = snapshot(&store);
    assert_eq!(paths(&again), ["1.md", "2.md", "3.md"], "{what}");
    assert_eq!(again.n_chunks(), sound.n_chunks(), "{what}");
    let n_windows = |of: &Snapshot| {
        of.documents
            .iter()
            .map(|it| it.windows.len())
            .sum::<usize>()
    };
    assert_eq!(n_windows(&again), n_windows(sound), "{what}");
    let observations = store.observations().expect("they can be read");
    assert_eq!(
        (observations.stored.len(), observations.left_out.len()),
        (6, 0),
        "{what}"
    );
    assert_eq!(forget(&mut store), None, "{what}");
}

const OF_SECOND: &str = "(SELECT id FROM documents WHERE path = '2.md')";
const CHUNK_OF_SECOND: &str =
    "(SELECT min(c.id) FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = '2.md')";

#[test]
fn whatever_of_a_note_is_altered_is_left_out_and_forgotten() {
    let whole = scratch();
    let sound = snapshot(&library(whole.path()));
    assert_eq!(sound.altered, []);
    let of_document = [
        "path = '2.mf'",
        "hash = x'00'",
        "hash = zeroblob(32)",
        "size = 21",
        "modified_ms = 1001",
        "changed_ns = 8",
        "kind = 'plain'",
        "encoding = 'UTF-9'",
        "agent = 'ada'",
        "date = '2026-01-01'",
        "tags = '[]'",
        "weight = 0.5",
        "folder = 77",
        "checksum = checksum + 1",
        "observations_checksum = 0",
    ];
    let of_chunk = [
        "hash = zeroblob(32)",
        "start_line = 0",
        "start_line = -1",
        "end_line = 7",
        "start_byte = 1",
        "end_byte = 11",
        "heading = 'A > C'",
        "heading = CAST(x'ff' AS TEXT)",
        "agent = NULL",
        "date = '2026-02-29'",
        "weight = 0.75",
        "external_id = 'two'",
        "tokens = 4",
        "embedding = embedding + 1",
        "document = 77",
    ];
    let of_window = [
        "start_line = 2",
        "end_line = 2",
        "embedding = 1",
        "chunk = 77",
    ];
    let statements = of_document
        .iter()
        .map(|set| format!("UPDATE documents SET {set} WHERE path = '2.md'"))
        .chain(
            of_chunk
                .iter()
                .map(|set| format!("UPDATE chunks SET {set} WHERE id = {CHUNK_OF_SECOND}")),
        )
        .chain(
            of_window
                .iter()
                .map(|set| format!("UPDATE windows SET {set} WHERE chunk = {CHUNK_OF_SECOND}")),
        )
        .chain([
            format!("DELETE FROM windows WHERE chunk = {CHUNK_OF_SECOND}"),
            format!("DELETE FROM chunks WHERE id = {CHUNK_OF_SECOND}"),
        ]);
    for sql in statements {
        let dir = scratch();
        drop(library(dir.path()));
        alter(dir.path(), &sql);
        let reader = Store::open_read_only(dir.path()).expect("it can be opened");
        let found = snapshot(&reader);
        assert_eq!(paths(&found), ["1.md", "3.md"], "{sql}");
        assert_eq!(found.altered.len(), 1, "{sql}");
        drop(reader);
        check_forgotten(dir.path(), &sound, &sql);
    }
}

#[test]
fn altered_texts_observations_and_embeddings_are_reported_when_they_are_read() {
    let whole = scratch();
    let sound = snapshot(&library(whole.path()));

    let dir = scratch();
    drop(library(dir.path()));
    alter(
        dir.path(),
        &format!("UPDATE chunks SET text = '2.md at 7' WHERE id = {CHUNK_OF_SECOND}"),
    );
    let store = open(dir.path());
    let second = snapshot(&store).documents[1].clone();
    let ids = second.chunks.iter().map(|chunk| chunk.id);
    let texts = store.chunk_texts(ids).expect("they can be read");
    assert_eq!(texts, [Err(NoText::Altered), Ok("2.md at 1".to_owned())]);
    drop(store);
    check_forgotten(dir.path(), &sound, "a text");

    for set in [
        "text = 'x'",
        "agent = NULL",
        "start_line = 9",
        "document = 77",
    ] {
        let dir = scratch();
        drop(library(dir.path()));
        alter(
            dir.path(),
            &format!(
                "UPDATE observations SET {set} WHERE document = {OF_SECOND} AND start_byte = 0"
            ),
        );
        let store = open(dir.path());
        let found = store.observations().expect("they can be read");
        assert_eq!(
            (found.stored.len(), found.left_out),
            (4, vec!["2.md".to_owned()]),
            "{set}"
        );
        drop(store);
        check_forgotten(dir.path(), &sound, set);
    }

    for set in [
        "vector = zeroblob(12)",
        "vector = CAST(x'9a99193f00000000cecc4c3f' AS BLOB)",
        "hash = zeroblob(32)",
        "model = 'another'",
        "id = 77",
    ] {
        let dir = scratch();
        drop(library(dir.path()));
        let of_chunk = format!("(SELECT embedding FROM chunks WHERE id = {CHUNK_OF_SECOND})");
        alter(
            dir.path(),
            &format!("UPDATE embeddings SET {set} WHERE id = {of_chunk}"),
        );
        let store = open(dir.path());
        let altered = sound.documents[1].chunks[0].embedding;
        assert_eq!(
            store.vector(altered).expect("it can be read"),
            None,
            "{set}"
        );
        drop(store);
        check_forgotten(dir.path(), &sound, set);
    }
}

#[test]
fn bits_that_turned_under_an_index_are_repaired_too() {
    let whole = scratch();
    let sound = snapshot(&library(whole.path()));
    let hash = *blake3::hash(b"2.md at 0").as_bytes();
    let mut other = hash;
    other[31] ^= 1;
    // The hash is in the table and in its index, and also in a copy of the chunk. Whichever is damaged, only the note
    // is removed, and it can be inserted again.
    let dir = scratch();
    drop(library(dir.path()));
    assert!(turn(dir.path(), &hash, &other) >= 2);
    let mut store = open(dir.path());
    let forgotten = forget(&mut store);
    assert!(forgotten.is_none_or(|it| it.notes.iter().map(|(_, path)| path).eq(["2.md"])));
    put(&mut store, "2.md");
    let again = snapshot(&store);
    assert_eq!((paths(&again), again.altered.len()), (paths(&sound), 0));
    let texts = store.chunk_texts(again.chunks().map(|(_, chunk)| chunk.id));
    assert!(texts.expect("they can be read").iter().all(Result::is_ok));
    for (_, chunk) in again.chunks() {
        let vector = store.vector(chunk.embedding).expect("it can be read");
        assert!(vector.is_some());
    }
}

#[test]
fn a_note_that_is_touched_stays_as_it_was_saved_or_not() {
    let dir = scratch();
    let mut store = library(dir.path());
    let touch = |store: &mut Store| {
        let document = snapshot(store).documents[1].id;
        let touched = store.apply(&[Change::Touch {
            document,
            modified_ms: 5,
            changed_ns: 6,
        }]);
        touched.expect("it can be touched");
    };
    touch(&mut store);
    assert_eq!(
        (
            snapshot(&store).documents[1].modified_ms,
            forget(&mut store)
        ),
        (5, None)
    );
    drop(store);
    alter(
        dir.path(),
        "UPDATE documents SET encoding = 'x' WHERE path = '3.md'",
    );
    alter(
        dir.path(),
        "UPDATE documents SET encoding = 'x' WHERE path = '1.md'",
    );
    let mut store = open(dir.path());
    let document = snapshot(&store).altered[0].id;
    let touched = store.apply(&[Change::Touch {
        document,
        modified_ms: 5,
        changed_ns: 6,
    }]);
    touched.expect("it can be touched");
    assert_eq!(snapshot(&store).altered.len(), 2);
}

#[test]
fn a_library_without_checksums_is_taken_over_as_it_is() {
    let dir = scratch();
    let store = library(dir.path());
    let before = snapshot(&store);
    let observations = store.observations().expect("they can be read");
    drop(store);
    let database = Connection::open(dir.path().join("library.sqlite")).expect("it is SQLite");
    let triggers: Vec<String> = database
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'documents%'",
        )
        .and_then(|mut it| it.query_map([], |row| row.get(0))?.collect())
        .expect("they can be listed");
    for trigger in triggers {
        let drop = format!("DROP TRIGGER {trigger}");
        database.execute_batch(&drop).expect("it is there");
    }
    database
        .execute_batch(
            "ALTER TABLE chunks DROP COLUMN hash; ALTER TABLE embeddings DROP COLUMN checksum;
             DROP INDEX documents_touched; ALTER TABLE documents DROP COLUMN saved_ms;
             ALTER TABLE documents DROP COLUMN checksum; ALTER TABLE documents DROP COLUMN observations_checksum;
             DROP TRIGGER documents_inserted; DROP TRIGGER documents_updated; DROP TRIGGER documents_deleted;
             DROP TABLE changed; DROP TABLE past_questions; DROP TABLE recall_logs; DROP TABLE judgments; DROP TABLE query_sets; DROP TABLE runs;
             CREATE TABLE feedback (id INTEGER PRIMARY KEY AUTOINCREMENT, query TEXT NOT NULL, hash BLOB NOT NULL, text TEXT NOT NULL,
                 path TEXT NOT NULL, thumb INTEGER NOT NULL, at_ms INTEGER NOT NULL, UNIQUE (query, hash));
             DROP TABLE token_counts; DROP TABLE note_changes; DROP TABLE sightings; DROP TABLE versions; DROP TABLE former_versions; ALTER TABLE folders DROP COLUMN confirmed_ms;
             ALTER TABLE folders DROP COLUMN agent; DELETE FROM meta WHERE key <> 'generation';
             PRAGMA user_version = 5;",
        )
        .expect("it can be changed");
    drop(database);
    let mut store = open(dir.path());
    assert_eq!(snapshot(&store), before);
    assert_eq!(
        store.observations().expect("they can be read"),
        observations
    );
    assert_eq!(forget(&mut store), None);
    assert_eq!(store.n_embeddings().expect("they can be counted"), 6);
}

#[test]
fn a_check_that_is_stopped_forgets_nothing() {
    let dir = scratch();
    drop(library(dir.path()));
    let hash = *blake3::hash(b"2.md at 0").as_bytes();
    let mut other = hash;
    other[31] ^= 1;
    turn(dir.path(), &hash, &other);
    let mut store = open(dir.path());
    let before = store.generation().expect("it can be read");
    let stopped = store.forget_damaged(DIM, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(StoreError::Cancelled)), "{stopped:?}");
    assert_eq!(store.generation().expect("it can be read"), before);
    assert!(forget(&mut store).is_some());
}
