//! Who may open the library: one writer, named by its process; any number of readers; no program that would not
//! understand it.
//!
//! Properties checked: a second writer is refused by name; readers work beside a writer and see one moment; asking for
//! the writer does not block a writer; a newer library stays unchanged; a killed writer leaves every batch whole or
//! undone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_store::{
    Change, NewDocument, NewFeedback, Severity, Store, StoreError, StoredPreset, StoredProblem,
    Thumb,
};

/// Environment variable that names the library for the child process.
const LIBRARY: &str = "MEMLENS_TEST_LIBRARY";

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

/// Every file below a folder with its bytes.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(dir)
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| (path.clone(), fs::read(&path).expect("it can be read")))
        .collect();
    files.sort();
    files
}

/// Two documents inserted in one batch; one without the other would be an error.
fn pair(folder: memlens_store::FolderId, number: u32) -> [Change; 2] {
    ["first", "second"].map(|which| {
        let path = format!("{number:05}-{which}.md");
        Change::Put(Box::new(NewDocument {
            folder,
            hash: [0; 32],
            size: 0,
            modified_ms: 0,
            changed_ns: 0,
            kind: "markdown".to_owned(),
            encoding: "UTF-8".to_owned(),
            agent: None,
            date: None,
            tags: Vec::new(),
            weight: None,
            chunks: Vec::new(),
            observations: Vec::new(),
            first_sight: None,
            problems: vec![StoredProblem {
                folder,
                path: path.clone(),
                line: None,
                message: "noted".to_owned(),
                severity: Severity::Note,
            }],
            path,
        }))
    })
}

/// Starts a process that writes to the library until it is killed; returns when it holds the lock and `n_batches` are
/// written.
fn start_writer(dir: &Path, n_batches: u32) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args([
            "--exact",
            "writes_until_it_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(LIBRARY, dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started");
    let out = BufReader::new(child.stdout.as_mut().expect("its output is a pipe"));
    let awaited = format!("batch {n_batches}");
    out.lines()
        .map(|line| line.expect("it prints text"))
        .find(|line| line.ends_with(&awaited))
        .expect("it writes until it is killed");
    child
}

fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// The child process of other tests.
#[test]
#[ignore = "other tests start it as a process of its own"]
fn writes_until_it_is_killed() {
    let dir = std::env::var_os(LIBRARY).expect("another test starts this one");
    let mut store = Store::open(Path::new(&dir)).expect("it can be opened");
    let folders = store.folders().expect("they can be read");
    let folder = match folders.first() {
        Some(folder) => folder.id,
        None => {
            store
                .add_folder("/notes", "notes")
                .expect("it can be added")
                .id
        }
    };
    let first = store.documents(folder).expect("they can be read").len() as u32 / 2;
    for number in first.. {
        println!("\nbatch {}", number - first);
        if store.apply(&pair(folder, number)).is_err() {
            return;
        }
    }
}

/// What a library would hold if its log were lost now.
fn without_log(dir: &Path) -> (tempfile::TempDir, Store) {
    let rescued = scratch();
    let name = "library.sqlite";
    fs::copy(dir.join(name), rescued.path().join(name)).expect("it can be copied");
    let store = Store::open(rescued.path()).expect("it is sound");
    (rescued, store)
}

#[test]
fn what_a_person_did_outlasts_a_log_that_is_lost() {
    let dir = scratch();
    let mut store = Store::open(dir.path()).expect("it can be opened");
    // Somebody else has it open too, as the window has.
    let reader = store.reader().expect("it can be opened");
    let folder = store
        .add_folder("/notes", "notes")
        .expect("it can be added");
    store
        .set_folder_paused(folder.id, true)
        .expect("it can be paused");
    for name in ["kept", "gone"] {
        let preset = StoredPreset {
            name: name.to_owned(),
            params: "{}".to_owned(),
        };
        store.save_preset(&preset).expect("it can be saved");
    }
    store.delete_preset("gone").expect("it can be deleted");
    store
        .put_setting("evergreen", Some("{}"))
        .expect("it can be saved");
    store
        .put_setting("hook", Some("[]"))
        .expect("it can be saved");
    store.put_setting("hook", None).expect("it can be saved");
    let thumb = |text: &str, thumb| NewFeedback {
        hash: [text.len() as u8; 32],
        text: text.to_owned(),
        query: "q".to_owned(),
        thumb,
        at_ms: 1,
        path: "notes/a.md".to_owned(),
    };
    store.vote(&thumb("a", Thumb::Up)).expect("it can be saved");
    store
        .vote(&thumb("bb", Thumb::Up))
        .expect("it can be saved");
    store
        .import_feedback(&[thumb("ccc", Thumb::Down)])
        .expect("it can be saved");
    let undone = store.feedback().expect("they can be read")[0].id;
    store.undo_feedback(undone).expect("it can be taken back");

    let (_rescued, left) = without_log(dir.path());
    let seen = |store: &Store| {
        let thumbs = store.feedback().expect("they can be read");
        (
            store.folders().expect("they can be read"),
            store.presets().expect("they can be read"),
            ["evergreen", "hook"].map(|key| store.setting(key).expect("it can be read")),
            thumbs.len(),
        )
    };
    assert_eq!(seen(&left), seen(&store));
    assert_eq!(seen(&left), seen(&reader));
    assert_eq!(seen(&left).3, 2);
    drop(left);

    store.remove_folder(folder.id).expect("it can be removed");
    let (_rescued, left) = without_log(dir.path());
    assert_eq!(left.folders().expect("they can be read"), []);
}

/// Without its locks, another process that is done takes the log away from under this one.
#[cfg(target_os = "linux")]
#[test]
fn another_connection_leaves_the_locks_of_the_first() {
    use std::os::unix::fs::MetadataExt;
    let dir = scratch();
    let store = Store::open(dir.path()).expect("it can be opened");
    store.generation().expect("it can be read");
    let file = dir.path().join("library.sqlite");
    let inode = format!(":{} ", file.metadata().expect("it is there").ino());
    // Linux lists the locks of all programs piece by piece: while others come and go, a lock may be skipped or listed
    // twice. So the list is read more than once, and a lock counts once, whatever its position.
    let n_locks = || {
        let mut found = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let locks = fs::read_to_string("/proc/locks").expect("Linux lists them");
            let of_file = locks.lines().filter(|line| line.contains(&inode));
            found.extend(of_file.filter_map(|line| Some(line.split_once(':')?.1.to_owned())));
        }
        found.len()
    };
    assert_eq!(n_locks(), 1);
    let reader = store.reader().expect("it can be opened");
    reader.generation().expect("it can be read");
    assert_eq!(n_locks(), 1);
    drop(reader);
    assert_eq!(n_locks(), 1);
}

/// Windows replaces no file that is open.
#[cfg(unix)]
#[test]
fn a_database_that_was_replaced_or_deleted_is_noticed() {
    let dir = scratch();
    let here = dir.path().join("here");
    drop(Store::open(&here).expect("it can be made"));
    let reader = Store::open_read_only(&here).expect("it can be opened");
    let writer = Store::open(&here).expect("it can be opened");
    for store in [&reader, &writer] {
        store.file().check().expect("it is the same");
    }
    let away = dir.path().join("away");
    fs::rename(&here, &away).expect("it can be moved");
    for store in [&reader, &writer] {
        let gone = store.file().check().expect_err("it is gone");
        assert!(matches!(gone, StoreError::Missing { .. }), "{gone}");
    }
    drop(Store::open(&here).expect("another can be made"));
    for store in [&reader, &writer] {
        let replaced = store.file().check().expect_err("it is another");
        assert!(
            matches!(replaced, StoreError::Replaced { .. }),
            "{replaced}"
        );
    }
    fs::remove_dir_all(&here).expect("it can be removed");
    fs::rename(&away, &here).expect("it can be moved back");
    reader.file().check().expect("it is the same");
}

#[test]
fn a_second_writer_is_refused_by_name() {
    let dir = scratch();
    let child = start_writer(dir.path(), 1);
    let name = format!("process {}", child.id());
    assert_eq!(
        Store::writer(dir.path()).expect("it is known"),
        Some(name.clone())
    );
    let error = Store::open(dir.path()).expect_err("it is being written");
    let expected = format!(
        "cannot write to library {}: {name} is already writing to it; make the change there, or close it first",
        dir.path().display()
    );
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, StoreError::Locked { process: Some(id), .. } if id == child.id()));
    // Readers are not.
    let reader = Store::open_read_only(dir.path()).expect("it can be read");
    assert!(!reader.is_writer());
    assert!(reader.snapshot().expect("it can be read").generation > 0);
    kill(child);

    // The system frees the lock of a process that dies.
    assert_eq!(Store::writer(dir.path()).expect("it is known"), None);
    let store = Store::open(dir.path()).expect("nobody writes any more");
    assert!(store.is_writer());
    assert_eq!(
        Store::writer(dir.path()).expect("it is known"),
        Some(format!("process {}", std::process::id()))
    );
}

#[test]
fn asking_who_writes_keeps_nobody_from_writing() {
    let dir = scratch();
    drop(Store::open(dir.path()).expect("it can be opened"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let askers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut answers = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        answers.push(Store::writer(dir.path()).map_err(|error| error.to_string()));
                    }
                    answers
                })
            })
            .collect();
        let opened: Vec<Result<(), String>> = (0..100)
            .map(|_| {
                Store::open(dir.path())
                    .map(drop)
                    .map_err(|error| error.to_string())
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        for opened in opened {
            assert_eq!(opened, Ok(()));
        }
        let itself = Some(format!("process {}", std::process::id()));
        for answer in askers
            .into_iter()
            .flat_map(|asker| asker.join().expect("it asks"))
        {
            let answer = answer.expect("it is known");
            assert!(answer.is_none() || answer == itself, "{answer:?}");
        }
    });
}

#[test]
fn a_reader_sees_one_moment_beside_a_writer() {
    let dir = scratch();
    let child = start_writer(dir.path(), 1);
    let reader = Store::open_read_only(dir.path()).expect("it can be read");
    let mut last = 0;
    // Until the writer has gone on ten times.
    for _ in 0..10 {
        let found = loop {
            let found = reader.snapshot().expect("it can be read");
            if found.generation > last {
                break found;
            }
        };
        assert_eq!(
            found.documents.len() as u64,
            2 * found.generation,
            "two documents a batch"
        );
        last = found.generation;
    }
    kill(child);
}

#[test]
fn readers_cannot_write() {
    let dir = scratch();
    drop(Store::open(dir.path()).expect("it can be opened"));
    let mut reader = Store::open_read_only(dir.path()).expect("it can be read");
    let error = reader
        .add_folder("/notes", "notes")
        .expect_err("it only reads");
    assert!(error.to_string().contains("readonly"), "{error}");
}

#[test]
fn a_library_that_is_not_there_is_missing() {
    let missing = |dir: &Path| {
        let error = Store::open_read_only(dir).expect_err("there is none");
        let expected = format!(
            "there is no library in {}: index a folder first",
            dir.display()
        );
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error, StoreError::Missing { .. }));
    };
    let dir = scratch();
    missing(dir.path());
    missing(&dir.path().join("none"));
    assert_eq!(
        fs::read_dir(dir.path()).expect("it can be listed").count(),
        0,
        "reading makes nothing"
    );
    assert_eq!(Store::writer(dir.path()).expect("it is known"), None);
    // As a writer leaves it that was killed in its first moment.
    fs::write(dir.path().join("library.sqlite"), "").expect("it can be written");
    missing(dir.path());
    drop(Store::open(dir.path()).expect("it can be made good"));
    Store::open_read_only(dir.path()).expect("there is one now");
}

#[test]
fn a_newer_library_is_refused_and_left_untouched() {
    let dir = scratch();
    {
        let mut store = Store::open(dir.path()).expect("it can be opened");
        let folder = store
            .add_folder("/notes", "notes")
            .expect("it can be added")
            .id;
        store.apply(&pair(folder, 0)).expect("it can be applied");
    }
    let database = dir.path().join("library.sqlite");
    let connection = rusqlite::Connection::open(&database).expect("it is an SQLite file");
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("it has a version");
    connection
        .pragma_update(None, "user_version", version + 1)
        .expect("it can be raised");
    connection.close().expect("it can be closed");

    let before = files(dir.path());
    let expected = format!(
        "cannot open library {}: it was made by a newer version of Memlens; nothing was changed",
        dir.path().display()
    );
    for opened in [Store::open(dir.path()), Store::open_read_only(dir.path())] {
        let error = opened.expect_err("it is newer");
        assert!(matches!(error, StoreError::Newer { .. }));
        assert_eq!(error.to_string(), expected);
    }
    // The lock file names who tried; everything else is as it was.
    let without_lock = |files: Vec<(PathBuf, Vec<u8>)>| -> Vec<(PathBuf, Vec<u8>)> {
        files
            .into_iter()
            .filter(|(path, _)| !path.ends_with("writer.lock"))
            .collect()
    };
    let (before, after) = (without_lock(before), without_lock(files(dir.path())));
    let names = |files: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
        files.iter().map(|(path, _)| path.clone()).collect()
    };
    assert_eq!(names(&after), names(&before));
    assert!(after == before, "its bytes changed");
}

/// The version of a library whose newer program was killed may be in the log alone.
#[test]
fn a_newer_version_in_the_log_counts() {
    let dir = scratch();
    drop(Store::open(dir.path()).expect("it can be opened"));
    let database = dir.path().join("library.sqlite");
    let connection = rusqlite::Connection::open(&database).expect("it is an SQLite file");
    let before = fs::read(&database).expect("it can be read");
    connection
        .pragma_update(None, "wal_autocheckpoint", 0)
        .and_then(|()| connection.pragma_update(None, "user_version", 99))
        .expect("it can be raised");
    // While it is open, nobody moves the log into the file.
    for opened in [Store::open(dir.path()), Store::open_read_only(dir.path())] {
        let error = opened.expect_err("it is newer");
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    }
    assert!(
        fs::read(&database).expect("it can be read") == before,
        "its bytes changed"
    );
}

#[test]
fn a_file_that_is_no_library_is_refused_and_left_untouched() {
    let dir = scratch();
    let database = dir.path().join("library.sqlite");
    fs::write(
        &database,
        "These are notes of somebody, not a database.".repeat(50),
    )
    .expect("it can be written");
    let before = fs::read(&database).expect("it can be read");
    for opened in [Store::open(dir.path()), Store::open_read_only(dir.path())] {
        let error = opened.expect_err("it is none").to_string();
        assert!(error.contains("not a database"), "{error}");
    }
    assert!(
        fs::read(&database).expect("it can be read") == before,
        "its bytes changed"
    );
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let dir = scratch();
    let file = dir.path().join("file");
    fs::write(&file, "").expect("it can be written");
    let error = Store::open(&file.join("library")).expect_err("a file is no folder");
    let expected = format!(
        "cannot use library folder {}: ",
        file.join("library").display()
    );
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn a_killed_writer_leaves_every_batch_whole_or_undone() {
    let dir = scratch();
    let mut last = 0;
    for n_batches in [0, 1, 3, 7, 20] {
        kill(start_writer(dir.path(), n_batches));
        // First as a reader finds it, with what the killed writer left beside the database.
        let store = match Store::open_read_only(dir.path()) {
            Ok(store) => store,
            Err(error) => panic!("after {n_batches} batches: {error}"),
        };
        let found = store.snapshot().expect("it can be read");
        assert_eq!(
            found.documents.len() as u64,
            2 * found.generation,
            "a batch is torn"
        );
        assert_eq!(
            store.problems().expect("they can be read").len(),
            found.documents.len()
        );
        assert!(
            found.generation >= last + u64::from(n_batches),
            "a batch is lost"
        );
        last = found.generation;
        let store = Store::open(dir.path()).expect("it can be opened");
        assert_eq!(store.snapshot().expect("it can be read"), found);
    }
}

#[test]
fn who_reads_on_the_writing_connection_waits_for_nobody_who_writes() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let store = Store::open(dir.path()).expect("it can be opened");
    let other = rusqlite::Connection::open(dir.path().join("library.sqlite")).expect("it opens");
    other
        .execute_batch("BEGIN IMMEDIATE; UPDATE meta SET value = value;")
        .expect("it can write");
    // A transaction that could write would wait for the other one, and fail in the end.
    assert!(
        store
            .snapshot()
            .expect("it can be read")
            .documents
            .is_empty()
    );
    assert_eq!(store.observations().expect("they can be read").stored, []);
    other.execute_batch("ROLLBACK").expect("it ends");
}
