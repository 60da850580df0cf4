//! The commits of a note are read again only if its repository has another newest commit.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use memlens_engine::view::ChangeOrigin;
use memlens_engine::{Library, note_history};
use memlens_tests::{Notes, fresh, open};

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=Iris", "-c", "user.email=iris@example.org"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{output:?}");
}

fn commit(notes: &Notes, subject: &str) {
    git(notes.path(), &["add", "-A"]);
    git(
        notes.path(),
        &["commit", "-q", "--allow-empty", "-m", subject],
    );
}

/// Subjects of the commits of a note, and why older ones are missing. If `is_stopped`, a reading ends at its first commit.
fn commits(library: &Library, path: &str, is_stopped: bool) -> (Vec<String>, Option<String>) {
    let folder = library.lists().snapshot.folders[0].id;
    let stop = AtomicBool::new(is_stopped);
    let history = note_history(library, folder, path, &stop).expect("it can be read");
    let changes = history.changes.into_iter();
    let subjects = changes.filter_map(|change| match change.origin {
        ChangeOrigin::Commit { subject, .. } => Some(subject),
        ChangeOrigin::Seen => None,
    });
    (subjects.collect(), history.commits_end)
}

#[test]
fn commits_are_read_once_for_each_newest_commit() {
    let notes = Notes::new(&[("a.md", "one\n"), ("b.md", "two\n")]);
    git(notes.path(), &["init", "-q", "-b", "main"]);
    commit(&notes, "both");
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let both = (vec!["both".to_owned()], None);
    let cancelled = (vec![], Some("reading it was cancelled".to_owned()));
    // What was not read to its end is not kept.
    assert_eq!(commits(&library, "a.md", true), cancelled);
    assert_eq!(commits(&library, "a.md", false), both);
    // A saved note without a commit changes nothing.
    notes.write("b.md", "three\n");
    assert_eq!(commits(&library, "a.md", true), both);
    assert_eq!(commits(&library, "b.md", true), cancelled);
    assert_eq!(commits(&library, "a.md", true), both);
    notes.write("a.md", "four\n");
    commit(&notes, "second");
    assert_eq!(commits(&library, "a.md", true), cancelled);
    let second = (vec!["second".to_owned(), "both".to_owned()], None);
    assert_eq!(commits(&library, "a.md", false), second);
    assert_eq!(commits(&library, "a.md", true), second);
    // Another branch is another newest commit.
    git(notes.path(), &["checkout", "-q", "-b", "other", "HEAD~1"]);
    assert_eq!(commits(&library, "a.md", false), both);
}
