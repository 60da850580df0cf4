//! A library that this program may not write, or does not understand, is left unchanged.
//!
//! Properties checked: a newer library and a damaged database are refused by name and stay byte for byte; a library of
//! the previous version is migrated; a read-only library can be searched, and a program that would write to it reports
//! why it cannot.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_embed::Hashing;
use memlens_engine::{Engine, EngineError, Indexer, Library, Listener, erase};
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{Image, answers, hashing, image, index, open};

use crate::sound::{QUERIES, garble, sound, truncate};

/// All that a library's folder holds, but for the locks: one names who tried last, one is SQLite's.
fn image_without_lock(dir: &Path) -> Image {
    let mut image = image(dir);
    image.retain(|path, _| !path.ends_with("writer.lock") && !path.ends_with("library.sqlite-shm"));
    // The folder's own time changes with files that come and go.
    image.remove(dir);
    image
}

/// Checks that everyone who would open a library is refused with `message`, and that it stays as it is.
fn check_refused(dir: &Path, message: &str) {
    let before = image_without_lock(dir);
    let listener: Listener = Arc::new(|_| {});
    let refused = [
        Indexer::open(dir, Box::new(Hashing::default()))
            .map(drop)
            .map_err(EngineError::from),
        Library::open(dir, hashing()).map(drop),
        Engine::open(dir, hashing(), listener).map(drop),
    ];
    for refused in refused {
        let error = refused.expect_err("it is refused").to_string();
        assert!(
            error.starts_with("cannot ") && error.contains(message),
            "{error}"
        );
    }
    let after = image_without_lock(dir);
    assert_eq!(
        Vec::from_iter(after.keys()),
        Vec::from_iter(before.keys()),
        "other files than before"
    );
    let changed = after
        .iter()
        .filter(|(path, image)| before.get(*path) != Some(*image));
    assert_eq!(
        Vec::from_iter(changed.map(|(path, _)| path)),
        [] as [&PathBuf; 0],
        "its bytes changed"
    );
}

#[test]
fn a_newer_library_is_refused_and_left_untouched() {
    let it = sound();
    let database = it.dir.path().join("library.sqlite");
    let connection = rusqlite::Connection::open(&database).expect("it is SQLite");
    connection
        .pragma_update(None, "user_version", 99)
        .expect("it can be raised");
    connection.close().expect("it can be closed");
    let whole = image(it.dir.path());
    let message = format!(
        "cannot open library {}: it was made by a newer version of Memlens; nothing was changed",
        it.dir.path().canonicalize().expect("it is there").display()
    );
    check_refused(it.dir.path(), &message);
    let error = erase(it.dir.path()).expect_err("it is refused");
    assert_eq!(error.to_string(), message);
    assert!(image(it.dir.path()) == whole, "even the lock is as it was");
}

#[test]
fn a_library_of_the_version_before_is_brought_up_to_date() {
    let it = sound();
    let database = it.dir.path().join("library.sqlite");
    let connection = rusqlite::Connection::open(&database).expect("it is SQLite");
    // Without all that later versions added.
    const FIRST: &str =
        "'meta', 'folders', 'documents', 'chunks', 'windows', 'embeddings', 'problems', 'presets'";
    let later: Vec<String> = connection
        .prepare(&format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ({FIRST})"))
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("it can be read");
    let triggers: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("it can be read");
    for trigger in triggers {
        connection
            .execute_batch(&format!("DROP TRIGGER \"{trigger}\""))
            .expect("it is there");
    }
    let drops: String = later
        .iter()
        .map(|table| format!("DROP TABLE \"{table}\";"))
        .collect();
    connection
        .execute_batch(&format!(
            "DROP INDEX documents_touched; ALTER TABLE documents DROP COLUMN saved_ms;
             ALTER TABLE documents DROP COLUMN changed_ns; ALTER TABLE folders DROP COLUMN mount;
             ALTER TABLE folders DROP COLUMN agent; ALTER TABLE folders DROP COLUMN confirmed_ms;
             ALTER TABLE documents DROP COLUMN checksum; ALTER TABLE documents DROP COLUMN observations_checksum;
             ALTER TABLE chunks DROP COLUMN hash; ALTER TABLE embeddings DROP COLUMN checksum;
             DELETE FROM meta WHERE key NOT IN ('generation', 'recipe'); {drops} PRAGMA user_version = 1;"
        ))
        .expect("it can be put back");
    connection.close().expect("it can be closed");
    let library = open(it.dir.path());
    assert_eq!(library.notices(), [""; 0]);
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    let counts = index(it.dir.path(), &[it.notes.path()]);
    assert_eq!((counts.n_unchanged, counts.n_embedded), (12, 0));
}

#[test]
fn a_damaged_database_is_refused_and_left_untouched() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 3] = [
        ("cut off", truncate),
        ("garbage", garble),
        ("with a garbled first page", |path| {
            let mut bytes = fs::read(path).expect("it can be read");
            bytes[100..4000].fill(0xa5);
            fs::remove_file(path).expect("it can be removed");
            fs::write(path, bytes).expect("it can be written");
        }),
    ];
    for (name, harm) in harms {
        let it = sound();
        // With what the user made beside it, a new one is filled.
        fs::remove_file(it.dir.path().join("made.jsonl")).expect("it is there");
        let database = it.dir.path().join("library.sqlite");
        let rights = fs::metadata(&database).expect("it is there").permissions();
        harm(&database);
        // SQLite gives the files beside it the same rights.
        fs::set_permissions(&database, rights).expect("it is ours");
        println!("{name}");
        check_refused(
            it.dir.path(),
            &format!(
                "the library's database {} is damaged: ",
                it.dir
                    .path()
                    .canonicalize()
                    .expect("it is there")
                    .join("library.sqlite")
                    .display()
            ),
        );
        // An explicit request to erase starts from scratch.
        erase(it.dir.path()).expect("it can be erased");
        let counts = index(it.dir.path(), &[it.notes.path()]);
        assert_eq!(counts.n_added, 12);
    }
}

#[cfg(unix)]
#[test]
fn a_library_that_may_only_be_read_is_searched_and_not_written() {
    use std::os::unix::fs::PermissionsExt;

    if !memlens_tests::is_another_user() {
        return memlens_tests::run_as_another_user(
            "refusing::a_library_that_may_only_be_read_is_searched_and_not_written",
        );
    }
    let it = sound();
    // As a reader leaves it, who is the last to close it: with a log.
    let log = it.dir.path().join("library.sqlite-wal");
    assert!(log.exists());
    let close = |path: &Path, is_closed: bool| {
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            let mode =
                |closed, open| fs::Permissions::from_mode(if is_closed { closed } else { open });
            fs::set_permissions(&folder, mode(0o555, 0o755)).expect("it is ours");
            for entry in fs::read_dir(&folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    fs::set_permissions(&path, mode(0o444, 0o644)).expect("it is ours");
                }
            }
        }
    };
    close(it.dir.path(), true);
    let found = answers(&open(it.dir.path()), &QUERIES, &Params::default());
    assert_eq!(found, it.answers);
    close(it.dir.path(), false);

    // And as a writer leaves it: SQLite would have to write to read it.
    drop(Store::open(it.dir.path()).expect("it can be opened"));
    assert!(!log.exists());
    close(it.dir.path(), true);
    let before = image(it.dir.path());
    let library = open(it.dir.path());
    assert_eq!(library.notices(), [""; 0]);
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    assert!(!library.refresh().expect("nothing changed"));
    let refused = format!("cannot use library folder {}: ", it.dir.path().display());
    let error = Indexer::open(it.dir.path(), Box::new(Hashing::default()))
        .map(drop)
        .expect_err("it may not be written")
        .to_string();
    assert!(
        error.starts_with(&refused) && error.contains("denied"),
        "{error}"
    );
    let error = erase(it.dir.path())
        .expect_err("it may not be written")
        .to_string();
    assert!(error.starts_with(&refused), "{error}");
    // A window opens on it, says why it only reads, and refuses by that name.
    let listener: Listener = Arc::new(|_| {});
    let engine = Engine::open(it.dir.path(), hashing(), listener).expect("it can be read");
    let why = engine.state().read_only.expect("it only reads");
    assert!(why.starts_with(&refused), "{why}");
    let error = engine.add_folder(it.old.path()).expect_err("it only reads");
    assert_eq!(
        error.to_string(),
        format!("cannot change the library: {why}")
    );
    assert_eq!(
        answers(engine.library(), &QUERIES, &Params::default()),
        it.answers
    );
    drop(engine);
    assert!(image(it.dir.path()) == before, "reading wrote something");

    // Its owner writes to it meanwhile: the reader takes that up.
    close(it.dir.path(), false);
    it.notes.write("new.md", "The attic.");
    index(it.dir.path(), &[it.notes.path()]);
    close(it.dir.path(), true);
    assert!(library.refresh().expect("it can be taken up"));
    let found = answers(&library, &["attic"], &Params::default());
    assert_eq!(found[0]["results"][0]["path"], "new.md");
    close(it.dir.path(), false);
}
