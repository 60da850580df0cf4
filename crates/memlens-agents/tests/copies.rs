//! Copies of other programs' databases: private whatever the umask, without a name once they are open, and removed by the next
//! process where one was killed.

#![cfg(unix)]

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use memlens_agents::copied_database::CopiedDatabase;
use rusqlite::Connection;

/// Set in the process that runs with the umask 0.
const AGAIN: &str = "MEMLENS_TEST_UMASK_0";

/// A database with a log, as an agent that works leaves it; readable by all, so that nothing is inherited.
fn database(dir: &Path) -> (PathBuf, Connection) {
    let path = dir.join("state.db");
    let connection = Connection::open(&path).expect("it can be made");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE messages (content TEXT);
             INSERT INTO messages VALUES ('hollyhock');
             CREATE TABLE secrets (it TEXT);
             INSERT INTO secrets VALUES ('foxglove');",
        )
        .expect("it can be filled");
    for part in ["", "-wal"] {
        let part = dir.join(format!("state.db{part}"));
        fs::set_permissions(&part, fs::Permissions::from_mode(0o666)).expect("it is ours");
    }
    (path, connection)
}

/// Every path below a folder with its rights, the folder itself included.
fn modes(dir: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = path.symlink_metadata().expect("it is there");
        found.push((path.clone(), metadata.permissions().mode() & 0o777));
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("it can be listed");
            waiting.extend(entries.map(|entry| entry.expect("it can be listed").path()));
        }
    }
    found
}

#[test]
fn a_copy_is_private_whatever_the_umask_and_has_no_name_once_it_is_open() {
    if std::env::var_os(AGAIN).is_none() {
        let status = Command::new("sh")
            .args(["-c", "umask 0 && exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().expect("it is known"))
            .args([
                "--exact",
                "a_copy_is_private_whatever_the_umask_and_has_no_name_once_it_is_open",
                "--nocapture",
            ])
            .env(AGAIN, "1")
            .status()
            .expect("there is a shell");
        assert!(status.success());
        return;
    }
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (path, _agent) = database(dir.path());
    let copies = dir.path().join("library/copies");
    let mut n_files = 0;
    let mut look = |_| {
        for (path, mode) in modes(&copies) {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, expected, "{}", path.display());
            n_files += u32::from(path.is_file());
        }
        ControlFlow::Continue(())
    };
    let copied = CopiedDatabase::unless_stopped(&path, &["messages"], &copies, &mut look)
        .expect("it can be read")
        .expect("nobody stopped it");
    assert!(n_files > 1, "the copy was looked at while it was made");
    let content: String = copied
        .connection()
        .query_row("SELECT content FROM messages", [], |row| row.get(0))
        .expect("what stands in the log is read");
    assert_eq!(content, "hollyhock");
    let left: Vec<PathBuf> = modes(&copies).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [copies.clone(), copies.join("lock")]);
}

/// The bytes of each file in a folder.
fn bytes(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(dir).expect("it can be listed");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let mut all: Vec<_> = paths
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(path).expect("it can be read")))
        .collect();
    all.sort();
    all
}

#[test]
fn only_what_is_needed_is_copied_and_nothing_changes_beside_the_original() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (path, agent) = database(dir.path());
    agent
        .execute_batch("DELETE FROM messages; INSERT INTO messages (rowid, content) VALUES (7, 'seven'), (9, X'00ff');")
        .expect("rows can be changed");
    let copies = dir.path().join("copies");
    let check = |what: &str| {
        let before = bytes(dir.path());
        let mut copied = Vec::new();
        let mut look = |_| {
            copied.extend(modes(&copies).into_iter().map(|(path, _)| path));
            ControlFlow::Continue(())
        };
        let tables = ["messages", "absent"];
        let copy = CopiedDatabase::unless_stopped(&path, &tables, &copies, &mut look);
        let copy = copy.expect(what).expect("nobody stopped it");
        assert!(bytes(dir.path()) == before, "{what}: something changed");
        // The files themselves are not copied.
        assert!(
            copied.iter().all(|path| !path.ends_with("copy.sqlite-wal")),
            "{what}"
        );
        let mut rows = copy
            .connection()
            .prepare("SELECT rowid, CAST(content AS BLOB) FROM messages ORDER BY rowid")
            .expect("it is there");
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let rows: Vec<(i64, Vec<u8>)> = rows
            .expect("it can be read")
            .collect::<Result<_, _>>()
            .expect("it can be read");
        assert_eq!(rows, [(7, b"seven".to_vec()), (9, vec![0, 255])], "{what}");
        for table in ["secrets", "absent"] {
            let is_there = copy.connection().table_exists(None, table);
            assert!(!is_there.expect("it can be asked"), "{what}: {table}");
        }
    };
    check("with a log");
    drop(agent);
    assert!(!dir.path().join("state.db-wal").exists());
    check("without a log");
}

#[test]
fn generated_columns_are_copied_and_tables_are_found_in_any_case() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let path = dir.path().join("state.db");
    let agent = Connection::open(&path).expect("it can be made");
    agent
        .execute_batch(
            "CREATE TABLE Messages (content TEXT, upper_content TEXT GENERATED ALWAYS AS (upper(content)) VIRTUAL, \
                n INTEGER AS (length(content)) STORED);
             INSERT INTO Messages (content) VALUES ('hollyhock');",
        )
        .expect("it can be filled");
    let copies = dir.path().join("copies");
    let copied = CopiedDatabase::of(&path, &["messages"], &copies).expect("it can be read");
    let row: (String, String, i64) = copied
        .connection()
        .query_row(
            "SELECT content, upper_content, n FROM messages",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .expect("all its columns are there");
    assert_eq!(row, ("hollyhock".to_owned(), "HOLLYHOCK".to_owned(), 9));
}

#[test]
fn what_a_killed_process_left_is_removed_before_the_next_copy() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (path, _agent) = database(dir.path());
    let copies = dir.path().join("copies");
    let left = copies.join("copy-left");
    fs::create_dir_all(&left).expect("it can be made");
    fs::write(left.join("copy.sqlite"), "what was said").expect("it can be written");
    CopiedDatabase::of(&path, &["messages"], &copies).expect("it can be read");
    assert!(!left.exists());
}
