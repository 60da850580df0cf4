//! Repositories made by git, where it is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// 2026-11-10, UTC.
const FIRST_S: i64 = 1_794_268_800;
const LINE: &str = "- The router needs four minutes.";

/// A repository with a commit for each step, a day apart; a step is a list of files, `None` for a removed one.
fn repository(steps: &[&[(&str, Option<&str>)]]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), 0, &["init", "-q", "-b", "main"]);
    for (step, files) in (0..).zip(steps) {
        for (path, text) in *files {
            let file = dir.path().join(path);
            match text {
                Some(text) => {
                    fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
                    fs::write(file, text).expect("a file");
                }
                None => fs::remove_file(file).expect("it is there"),
            }
        }
        git(dir.path(), step, &["add", "-A"]);
        git(
            dir.path(),
            step,
            &["commit", "-q", "--allow-empty", "-m", "step"],
        );
    }
    dir
}

fn git(dir: &Path, day: i64, arguments: &[&str]) {
    let date = format!("{} +0000", FIRST_S + day * DAY_MS / 1000);
    let status = Command::new("git")
        .args(["-c", "user.name=Iris", "-c", "user.email=iris@example.org"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", dir)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .status()
        .expect("git is installed");
    assert!(status.success(), "{arguments:?}");
}

/// The moment half a day after a step.
fn after_step(step: i64) -> i64 {
    FIRST_S * 1000 + step * DAY_MS + DAY_MS / 2
}

fn ask(dir: &Path, path: &str, at_ms: i64) -> NoteHistory {
    line_history(dir, &dir.join(path), LINE, at_ms, &Limits::default())
}

fn text(more: &str) -> String {
    format!("# House\n\n{more}{LINE}\n")
}

#[test]
fn a_line_is_older_or_younger_than_a_moment() {
    let with = text("");
    let repository = repository(&[
        &[("memory/house.md", Some("# House\n"))],
        &[("memory/house.md", Some(&with))],
        &[("memory/house.md", Some(&text("- More.\n")))],
    ]);
    let dir = repository.path();
    let line = |step: i64| ask(dir, "memory/house.md", after_step(step)).line;
    let LineHistory::After {
        first: Some(first),
        before,
        last,
    } = line(0)
    else {
        panic!("{:?}", line(0))
    };
    assert_eq!(first.at_ms, FIRST_S * 1000 + DAY_MS);
    assert_eq!(before.at_ms, FIRST_S * 1000);
    assert_eq!(last.at_ms, FIRST_S * 1000 + 2 * DAY_MS);
    for step in [1, 2] {
        let LineHistory::Before(commit) = line(step) else {
            panic!("{:?}", line(step))
        };
        assert_eq!(commit.at_ms, FIRST_S * 1000 + step * DAY_MS);
    }
    // Packed as well as loose.
    git(dir, 3, &["gc", "-q"]);
    assert!(matches!(line(0), LineHistory::After { .. }));
    assert!(matches!(line(1), LineHistory::Before(_)));
    // Before the first commit nothing is known.
    assert!(
        matches!(line(-1), LineHistory::Unknown(_)),
        "{:?}",
        line(-1)
    );
    let limits = Limits {
        commits: 1,
        ..Limits::default()
    };
    let cut = line_history(
        dir,
        &dir.join("memory/house.md"),
        LINE,
        after_step(0),
        &limits,
    );
    assert!(matches!(cut.line, LineHistory::Unknown(_)), "{cut:?}");
}

#[test]
fn a_renamed_note_is_followed() {
    let with = text("");
    let repository = repository(&[
        &[
            ("memory/old.md", Some(&with)),
            ("memory/other.md", Some("- Soup.\n")),
        ],
        &[("memory/old.md", None), ("memory/house.md", Some(&with))],
    ]);
    let dir = repository.path();
    let history = ask(dir, "memory/house.md", after_step(0));
    assert!(
        matches!(history.line, LineHistory::Before(_)),
        "{history:?}"
    );
    assert_eq!(history.former, [dir.join("memory/old.md")]);
}

#[test]
fn what_no_commit_holds_has_no_history() {
    let repository = repository(&[&[("a.md", Some("- Soup.\n"))]]);
    let dir = repository.path();
    fs::write(dir.join("new.md"), LINE).expect("a file");
    assert_eq!(ask(dir, "new.md", after_step(0)).line, LineHistory::None);
    let plain = tempfile::tempdir().expect("a folder");
    fs::write(plain.path().join("a.md"), LINE).expect("a file");
    assert_eq!(
        ask(plain.path(), "a.md", after_step(0)).line,
        LineHistory::None
    );
    // No repository around the watched folder is read.
    let inner = dir.join("inner");
    fs::create_dir(&inner).expect("a folder");
    let history = line_history(&inner, &inner.join("a.md"), LINE, 0, &Limits::default());
    assert_eq!(history.line, LineHistory::None);
}

#[test]
fn objects_outside_of_the_repository_are_not_read() {
    let repository = repository(&[&[("a.md", Some(&text("")))]]);
    let dir = repository.path();
    fs::write(dir.join(".git/objects/info/alternates"), "/elsewhere\n").expect("a file");
    assert!(matches!(
        ask(dir, "a.md", after_step(0)).line,
        LineHistory::Unknown(_)
    ));
}
