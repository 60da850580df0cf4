//! Snapshots in a file: used if they lead to the present state, ignored otherwise.
//!
//! Properties checked (beside those of `snapshots.rs`): a saved snapshot is used, and saved again once much has
//! changed; no state of its file changes an answer; it is not used for another state of the database; what the user
//! asked to forget does not stay in it.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_store::{Change, Snapshot, Store};
use rusqlite::Connection;

use super::{library, note, open, put, scratch, snapshot};

fn file(dir: &Path) -> PathBuf {
    dir.join("snapshot")
}

/// Makes a library of 40 notes, and saves a snapshot of it.
fn saved(dir: &Path) -> Store {
    let (mut store, folder) = library(dir);
    for at in 0..40 {
        let mut document = note(&mut store, folder, &format!("{at}.md"), &[0, 20]);
        document.tags = vec!["home".to_owned()];
        document.agent = Some("iris".to_owned());
        document.chunks[1].heading = "Ünder > a heading".to_owned();
        document.chunks[1].date = Some("2026-02-28".to_owned());
        store.apply(&[put(document)]).expect("it can be applied");
    }
    store.save_snapshot().expect("it can be saved");
    assert!(file(dir).exists());
    store
}

fn resumed(store: &Store) -> Snapshot {
    store.resumed_snapshot().expect("it can be read")
}

/// Changes something that only a reading from the beginning sees.
fn alter(dir: &Path) {
    let raw = Connection::open(dir.join("library.sqlite")).expect("it is SQLite");
    let sql = "UPDATE chunks SET heading = 'x' WHERE document = (SELECT id FROM documents WHERE path = '0.md') AND start_byte = 0";
    let n_changed = raw.execute(sql, []);
    assert_eq!(n_changed.expect("it can be changed"), 1);
}

fn change(store: &mut Store, at: usize) {
    let folder = store.folders().expect("they can be read")[0].id;
    let document = note(store, folder, &format!("{at}.md"), &[5]);
    store.apply(&[put(document)]).expect("it can be applied");
}

#[test]
fn a_saved_snapshot_is_followed() {
    let dir = scratch();
    let mut store = saved(dir.path());
    let before = snapshot(&store);
    assert_eq!(resumed(&store), before);
    // It is what is read: the row that turned is in no file.
    alter(dir.path());
    assert_eq!(resumed(&store), before);
    assert_eq!(snapshot(&store).altered.len(), 1);
    // A reader that may not write reads it too.
    let reader = Store::open_read_only(dir.path()).expect("it can be read");
    assert_eq!(resumed(&reader), before);
    change(&mut store, 1);
    let after = resumed(&reader);
    assert_eq!(after.documents.len(), 40);
    assert_eq!(after.n_chunks(), before.n_chunks() - 1);
}

#[test]
fn it_is_saved_again_once_much_has_changed() {
    let dir = scratch();
    let mut store = saved(dir.path());
    let bytes = || fs::read(file(dir.path())).expect("it is there");
    let first = bytes();
    let save = |store: &mut Store| store.save_snapshot().expect("it can be saved");
    // A note that is inserted again is another document.
    store
        .apply(&[Change::Touch {
            document: snapshot(&store).documents[0].id,
            modified_ms: 5,
            changed_ns: 6,
        }])
        .expect("it can be touched");
    save(&mut store);
    assert!(bytes() == first);
    drop(store);
    // Every program that opens the library sees the same.
    let mut store = open(dir.path());
    save(&mut store);
    assert!(bytes() == first);
    change(&mut store, 2);
    save(&mut store);
    let second = bytes();
    assert!(second != first);
    assert_eq!(resumed(&store), snapshot(&store));
    save(&mut store);
    assert!(bytes() == second);
}

#[test]
fn whatever_becomes_of_the_file_changes_no_answer() {
    let dir = scratch();
    let mut store = saved(dir.path());
    let expected = snapshot(&store);
    let path = file(dir.path());
    let bytes = fs::read(&path).expect("it is there");
    let mut altered: Vec<Vec<u8>> = (0..bytes.len())
        .step_by(bytes.len() / 24)
        .map(|at| bytes[..at].to_vec())
        .collect();
    altered.extend((0..bytes.len()).step_by(bytes.len() / 48).map(|at| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    }));
    // Files with a valid checksum: of another format; with other numbers of rows, one of them larger than memory; with
    // a last document that continues past the end, or has more chunks or windows than are left.
    let n_chunks = expected.n_chunks() as u8;
    for (at, byte) in [
        (17, b'1'),
        (24, n_chunks - 1),
        (24, n_chunks + 1),
        (31, 0xff),
        (32, 0),
        (39, 0xff),
        (bytes.len() - 8, 0x80),
        (bytes.len() - 6, 3),
        (bytes.len() - 5, 5),
    ] {
        let mut content = bytes[..bytes.len() - 4].to_vec();
        content[at] = byte;
        let crc32 = crc32fast::hash(&content);
        content.extend(crc32.to_le_bytes());
        altered.push(content);
    }
    for (at, bytes) in altered.iter().enumerate() {
        fs::write(&path, bytes).expect("it can be written");
        assert_eq!(resumed(&store), expected, "alteration {at}");
    }
    // The next writer that checks saves it again.
    drop(store);
    store = open(dir.path());
    store.save_snapshot().expect("it can be saved");
    assert!(fs::read(&path).expect("it is there") == bytes);
    alter(dir.path());
    assert_eq!(resumed(&store), expected);
}

#[cfg(unix)]
#[test]
fn what_stands_in_its_place_is_neither_followed_nor_written_to() {
    let dir = scratch();
    let mut store = saved(dir.path());
    let expected = snapshot(&store);
    let theirs = dir.path().join("theirs");
    fs::rename(file(dir.path()), &theirs).expect("it can be moved");
    let bytes = fs::read(&theirs).expect("it is there");
    for name in ["snapshot", "snapshot.new"] {
        std::os::unix::fs::symlink(&theirs, dir.path().join(name)).expect("it can be made");
    }
    alter(dir.path());
    // A link is no file of ours: all is read.
    assert_eq!(resumed(&store).altered.len(), 1);
    // Nothing is saved of a note that is not as it was.
    store.save_snapshot().expect("it can be tried");
    assert!(file(dir.path()).is_symlink());
    change(&mut store, 0);
    drop(store);
    store = open(dir.path());
    store.save_snapshot().expect("it can be saved");
    assert!(fs::read(&theirs).expect("it is there") == bytes);
    assert!(
        file(dir.path())
            .symlink_metadata()
            .expect("it is there")
            .is_file()
    );
    assert_eq!(resumed(&store).documents.len(), expected.documents.len());
}

/// The database is restored from a copy, and continues differently under the same numbers.
#[test]
fn it_is_not_believed_of_another_state_of_the_database() {
    let dir = scratch();
    let store = saved(dir.path());
    drop(store);
    let database = dir.path().join("library.sqlite");
    let copy = fs::read(&database).expect("it can be read");
    let mut store = open(dir.path());
    for at in 0..5 {
        change(&mut store, at);
    }
    store.save_snapshot().expect("it can be saved");
    drop(store);
    fs::write(&database, copy).expect("it can be put back");
    let mut store = open(dir.path());
    for at in 20..26 {
        change(&mut store, at);
    }
    assert_eq!(resumed(&store), snapshot(&store));
}

#[test]
fn what_is_to_be_forgotten_does_not_stay_in_it() {
    let dir = scratch();
    let mut store = saved(dir.path());
    let folder = store.folders().expect("they can be read")[0].id;
    store.remove_folder(folder).expect("it can be removed");
    assert!(!file(dir.path()).exists());
    assert!(resumed(&store).documents.is_empty());
    drop(store);

    let dir = scratch();
    let mut store = saved(dir.path());
    store.erase_all().expect("it can be erased");
    assert!(!file(dir.path()).exists());
    drop(store);

    let dir = scratch();
    drop(saved(dir.path()));
    Store::remove_damaged(dir.path()).expect("it can be removed");
    assert!(!file(dir.path()).exists());
}
