//! A sound library, and ways to damage its files.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_params::Params;
use memlens_tests::{Notes, answers, index, open};
use serde_json::Value;

pub const QUERIES: [&str; 3] = ["quiet relay", "hall 7", "?!"];

/// A library with everything needed to damage it.
pub struct Sound {
    pub notes: Notes,
    pub dir: tempfile::TempDir,
    /// The library before its last change.
    pub old: tempfile::TempDir,
    pub answers: Vec<Value>,
}

/// Makes a library of twelve notes.
pub fn sound() -> Sound {
    let notes = Notes::new(&[]);
    for number in 0..12 {
        notes.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\nThe quiet relay stands in hall {number}."),
        );
    }
    let [dir, old] =
        std::array::from_fn(|_| tempfile::tempdir().expect("a scratch folder can be made"));
    index(dir.path(), &[notes.path()]);
    copy(dir.path(), old.path());
    notes.write("7.md", "The loud relay left hall 7.");
    index(dir.path(), &[notes.path()]);
    let answers = answers(&open(dir.path()), &QUERIES, &Params::default());
    Sound {
        notes,
        dir,
        old,
        answers,
    }
}

/// Replaces a folder with a copy of another.
pub fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        if entry.file_type().expect("it has one").is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
        }
    }
}

/// Returns the largest file in a folder whose name holds `part`.
pub fn largest(dir: &Path, part: &str) -> PathBuf {
    let files = fs::read_dir(dir)
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").path());
    let named = files.filter(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().contains(part))
    });
    named
        .max_by_key(|path| path.metadata().map_or(0, |metadata| metadata.len()))
        .expect("there is one")
}

/// Cuts off the second half of a file.
pub fn truncate(path: &Path) {
    let bytes = fs::read(path).expect("it can be read");
    // A new file, so that a mapping of the old one stays sound.
    fs::remove_file(path).expect("it can be removed");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("it can be written");
}

/// Replaces the bytes of a file with meaningless ones.
pub fn garble(path: &Path) {
    let n_bytes = fs::read(path).expect("it can be read").len();
    fs::remove_file(path).expect("it can be removed");
    let garbage: Vec<u8> = (0..n_bytes).map(|at| (at * 131 % 251) as u8).collect();
    fs::write(path, garbage).expect("it can be written");
}

/// Flips one bit in the middle of a file.
pub fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("it can be read");
    let at = bytes.len() / 2;
    bytes[at] ^= 0x10;
    fs::remove_file(path).expect("it can be removed");
    fs::write(path, bytes).expect("it can be written");
}
