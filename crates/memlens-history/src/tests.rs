//! Repositories made by git, which the tests need.

use std::fs;
use std::process::Command;

use super::*;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Time of the first commit: 2026-11-10, UTC.
const FIRST_S: i64 = 1_794_268_800;
const LINE: &str = "- The router needs four minutes.";
const NOTE: &str = "memory/house.md";

/// Files to be written, `None` for one to be removed.
type Step<'a> = &'a [(&'a str, Option<&'a str>)];

/// A repository with a commit for each step, a day apart.
fn repository(steps: &[Step<'_>]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), 0, &["init", "-q", "-b", "main"]);
    for (step, files) in (0..).zip(steps) {
        commit(dir.path(), step, files);
    }
    dir
}

fn commit(dir: &Path, day: i64, files: Step<'_>) {
    write(dir, files);
    git(dir, day, &["add", "-A"]);
    git(dir, day, &["commit", "-q", "--allow-empty", "-m", "step"]);
}

fn write(dir: &Path, files: Step<'_>) {
    for (path, text) in files {
        let file = dir.join(path);
        match text {
            Some(text) => {
                fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
                fs::write(file, text).expect("a file");
            }
            None => fs::remove_file(file).expect("it is there"),
        }
    }
}

fn git(dir: &Path, day: i64, arguments: &[&str]) {
    let date = format!("{} +0000", FIRST_S + day * DAY_MS / 1000);
    git_at(dir, (&date, &date), arguments);
}

/// Runs git with the times of author and committer.
fn git_at(dir: &Path, (author, committer): (&str, &str), arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=Iris", "-c", "user.email=iris@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", dir)
        .env("GIT_AUTHOR_DATE", author)
        .env("GIT_COMMITTER_DATE", committer)
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// The moment half a day after a step.
fn after_step(step: i64) -> i64 {
    FIRST_S * 1000 + step * DAY_MS + DAY_MS / 2
}

fn ask_within(dir: &Path, path: &str, at_ms: i64, limits: &Limits) -> NoteHistory {
    let question = Question {
        top: dir,
        file: &dir.join(path),
        holds: &|text| text.lines().any(|line| line == LINE),
        at_ms,
    };
    line_history(&question, limits, &AtomicBool::new(false))
}

fn ask(dir: &Path, step: i64) -> LineHistory {
    ask_within(dir, NOTE, after_step(step), &Limits::default()).line
}

/// Checks that the history does not say, and why.
fn check_unknown(line: &LineHistory, why: &str) {
    let LineHistory::Unknown(said) = line else {
        panic!("{line:?}")
    };
    assert!(said.contains(why), "{said}");
}

fn text(more: &str) -> String {
    format!("# House\n\n{more}{LINE}\n")
}

fn day_of(commit: &Commit) -> i64 {
    (commit.at_ms - FIRST_S * 1000) / DAY_MS
}

#[test]
fn a_line_is_older_or_younger_than_a_moment() {
    let with = text("");
    let repository = repository(&[
        &[(NOTE, Some("# House\n"))],
        &[(NOTE, Some("# The house\n"))],
        &[(NOTE, Some(&with))],
        &[(NOTE, Some(&text("- More.\n")))],
    ]);
    let dir = repository.path();
    let check = || {
        // The note was saved without the line after the moment, so the line came later.
        let LineHistory::After {
            lacking,
            is_proven: true,
            first: Some(first),
        } = ask(dir, 0)
        else {
            panic!("{:?}", ask(dir, 0))
        };
        assert_eq!((day_of(&lacking), day_of(&first)), (1, 2));
        // Between two commits it may have been there uncommitted.
        let LineHistory::After {
            lacking,
            is_proven: false,
            first: Some(first),
        } = ask(dir, 1)
        else {
            panic!("{:?}", ask(dir, 1))
        };
        assert_eq!((day_of(&lacking), day_of(&first)), (1, 2));
        for step in [2, 3] {
            let LineHistory::Before { commit, path: None } = ask(dir, step) else {
                panic!("{:?}", ask(dir, step))
            };
            assert_eq!(day_of(&commit), step);
        }
    };
    check();
    // Packed as well as loose, refs too.
    git(dir, 4, &["gc", "-q"]);
    assert!(dir.join(".git/packed-refs").exists());
    check();
    let limits = Limits {
        commits: 2,
        ..Limits::default()
    };
    let cut = ask_within(dir, NOTE, after_step(0), &limits);
    check_unknown(&cut.line, "only its newest 2 commits were read");
    let limits = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let late = ask_within(dir, NOTE, after_step(0), &limits);
    check_unknown(&late.line, "not read within");
    let question = Question {
        top: dir,
        file: &dir.join(NOTE),
        holds: &|_| true,
        at_ms: after_step(0),
    };
    let stopped = line_history(&question, &Limits::default(), &AtomicBool::new(true));
    check_unknown(&stopped.line, "cancelled");
}

#[test]
fn a_history_that_begins_later_may_say_nothing() {
    let with = text("");
    let holds = repository(&[&[(NOTE, Some(&with))]]);
    check_unknown(&ask(holds.path(), -1), "is younger and holds the line");
    let lacks = repository(&[&[(NOTE, Some("# House\n"))], &[(NOTE, Some(&with))]]);
    let line = ask(lacks.path(), -1);
    let LineHistory::After {
        lacking,
        is_proven: true,
        first: Some(first),
    } = &line
    else {
        panic!("{line:?}")
    };
    assert_eq!((day_of(lacking), day_of(first)), (0, 1));
}

#[test]
fn a_line_that_is_not_committed_came_after_the_note_was() {
    let repository = repository(&[
        &[(NOTE, Some("# House\n"))],
        &[(NOTE, Some("# The house\n"))],
    ]);
    let dir = repository.path();
    write(dir, &[(NOTE, Some(&text("")))]);
    for (step, is_proven) in [(0, true), (1, false)] {
        let line = ask(dir, step);
        let LineHistory::After {
            lacking,
            is_proven: found,
            first: None,
        } = &line
        else {
            panic!("{line:?}")
        };
        assert_eq!((day_of(lacking), *found), (1, is_proven), "{step}");
    }
}

#[test]
fn a_renamed_note_is_followed() {
    let with = text("");
    let repository = repository(&[
        &[
            ("memory/old.md", Some(&with)),
            ("memory/other.md", Some("- Soup.\n")),
        ],
        &[("memory/old.md", None), (NOTE, Some(&with))],
    ]);
    let dir = repository.path();
    let history = ask_within(dir, NOTE, after_step(0), &Limits::default());
    let LineHistory::Before {
        path: Some(path), ..
    } = &history.line
    else {
        panic!("{history:?}")
    };
    assert_eq!(path, "memory/old.md");
    assert_eq!(history.former, [dir.join("memory/old.md")]);
}

#[test]
fn a_line_of_another_note_was_there() {
    let with = text("");
    let repository = repository(&[
        &[(NOTE, Some("# House\n")), ("memory/net.md", Some(&with))],
        &[(NOTE, Some(&with)), ("memory/net.md", Some("# Net\n"))],
    ]);
    let line = ask(repository.path(), 0);
    let LineHistory::Before {
        path: Some(path), ..
    } = &line
    else {
        panic!("{line:?}")
    };
    assert_eq!(path, "memory/net.md");
}

#[test]
fn a_line_that_was_removed_and_came_again_is_not_known() {
    let with = text("");
    let repository = repository(&[
        &[(NOTE, Some(&with))],
        &[(NOTE, Some("# House\n"))],
        &[(NOTE, Some(&with))],
    ]);
    check_unknown(&ask(repository.path(), 1), "after it does not");
}

#[test]
fn a_merge_is_followed_by_its_first_parent() {
    let with = text("");
    let repository = repository(&[&[(NOTE, Some("# House\n"))]]);
    let dir = repository.path();
    git(dir, 1, &["checkout", "-q", "-b", "other"]);
    commit(dir, 1, &[(NOTE, Some(&with))]);
    git(dir, 1, &["checkout", "-q", "main"]);
    commit(dir, 2, &[("memory/soup.md", Some("- Soup.\n"))]);
    git(dir, 3, &["merge", "-q", "--no-ff", "-m", "merge", "other"]);
    // Before the branch contained it, no branch did.
    assert!(matches!(ask(dir, 0), LineHistory::After { .. }));
    // Another branch had it, which may have been another machine.
    check_unknown(&ask(dir, 2), "of another branch held the line");
    assert!(matches!(ask(dir, 3), LineHistory::Before { .. }));
}

#[test]
fn a_commit_that_was_made_again_says_nothing() {
    let repository = repository(&[&[(NOTE, Some("# House\n"))]]);
    let dir = repository.path();
    write(dir, &[(NOTE, Some(&text("")))]);
    git(dir, 1, &["add", "-A"]);
    let date = |day: i64| format!("{} +0000", FIRST_S + day * DAY_MS / 1000);
    git_at(
        dir,
        (&date(1), &date(9)),
        &["commit", "-q", "-m", "rebased"],
    );
    check_unknown(&ask(dir, 5), "was made again later");
}

#[test]
fn what_no_commit_holds_has_no_history() {
    let repository = repository(&[&[("a.md", Some("- Soup.\n"))]]);
    let dir = repository.path();
    write(dir, &[(NOTE, Some(&text("")))]);
    assert_eq!(ask(dir, 0), LineHistory::None);
    let plain = tempfile::tempdir().expect("a folder");
    write(plain.path(), &[(NOTE, Some(&text("")))]);
    assert_eq!(ask(plain.path(), 0), LineHistory::None);
    // No repository around the watched folder is read.
    let inner = dir.join("memory");
    let history = ask_within(&inner, "house.md", after_step(0), &Limits::default());
    assert_eq!(history.line, LineHistory::None);
    let empty = tempfile::tempdir().expect("a folder");
    git(empty.path(), 0, &["init", "-q", "-b", "main"]);
    assert_eq!(ask(empty.path(), 0), LineHistory::None);
}

#[test]
fn what_is_outside_of_the_repository_is_not_read() {
    let with = text("");
    let main = repository(&[&[(NOTE, Some(&with))], &[("a.md", Some("- Soup.\n"))]]);
    let scratch = tempfile::tempdir().expect("a folder");
    let source = main.path().to_str().expect("it is UTF-8");
    let url = format!("file://{source}");
    let place = |name: &str| scratch.path().join(name).display().to_string();
    git(main.path(), 2, &["worktree", "add", "-q", &place("tree")]);
    git(
        main.path(),
        2,
        &["clone", "-q", "--shared", source, &place("shared")],
    );
    git(
        main.path(),
        2,
        &["clone", "-q", "--depth", "1", &url, &place("shallow")],
    );
    let check = |name: &str, why: &str| check_unknown(&ask(&scratch.path().join(name), 0), why);
    check("tree", "its .git is a file");
    check("shared", "(alternates)");
    check("shallow", "its clone is shallow");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    let with = text("");
    for path in [
        "",
        "HEAD",
        "refs",
        "refs/heads/main",
        "objects",
        "objects/pack",
        "loose",
    ] {
        let repository = repository(&[&[(NOTE, Some(&with))]]);
        let dir = repository.path();
        let mut linked = dir.join(".git").join(path);
        if path.is_empty() {
            linked = dir.join(".git");
        } else if path == "loose" {
            let objects = fs::read_dir(dir.join(".git/objects")).expect("it is there");
            let is_fan = |it: &fs::DirEntry| it.file_name().len() == 2;
            let fan = objects.flatten().find(is_fan).expect("there is an object");
            linked = fan.path();
        }
        let elsewhere = tempfile::tempdir().expect("a folder");
        let target = elsewhere.path().join("target");
        fs::rename(&linked, &target).expect("it can be moved");
        std::os::unix::fs::symlink(&target, &linked).expect("links can be made");
        check_unknown(&ask(dir, 0), "is a link");
    }
}

#[test]
fn other_formats_and_broken_repositories_say_why() {
    let with = text("");
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    git(
        dir,
        0,
        &["init", "-q", "-b", "main", "--object-format=sha256"],
    );
    commit(dir, 0, &[(NOTE, Some(&with))]);
    check_unknown(&ask(dir, 0), "its objects have the format sha256");

    let circle = repository(&[&[(NOTE, Some(&with))]]);
    let heads = circle.path().join(".git/refs/heads");
    fs::write(heads.join("main"), "ref: refs/heads/other\n").expect("a file");
    fs::write(heads.join("other"), "ref: refs/heads/main\n").expect("a file");
    check_unknown(&ask(circle.path(), 0), "leads in a circle");
    fs::write(circle.path().join(".git/HEAD"), "ref: ../../elsewhere\n").expect("a file");
    check_unknown(&ask(circle.path(), 0), "names no reference of its own");
    fs::write(circle.path().join(".git/HEAD"), "nonsense\n").expect("a file");
    assert!(matches!(ask(circle.path(), 0), LineHistory::Unknown(_)));

    let broken = repository(&[&[(NOTE, Some(&with))]]);
    for fan in fs::read_dir(broken.path().join(".git/objects"))
        .expect("it is there")
        .flatten()
    {
        for object in fs::read_dir(fan.path()).expect("it is a folder").flatten() {
            let path = object.path();
            fs::remove_file(&path).expect("it can be removed");
            fs::write(&path, "no object").expect("a file");
        }
    }
    assert!(matches!(ask(broken.path(), 0), LineHistory::Unknown(_)));
}

#[test]
fn a_huge_note_is_not_read() {
    let large = "- filler of no use\n".repeat(1_000_000);
    let with = format!("{large}{LINE}\n");
    let repository = repository(&[&[(NOTE, Some(&with))], &[(NOTE, Some(&text("")))]]);
    check_unknown(&ask(repository.path(), 0), "larger than 16 MiB");
    git(repository.path(), 2, &["gc", "-q"]);
    check_unknown(&ask(repository.path(), 0), "larger than 16 MiB");
}

/// Id-less lines about the commits of the note: day, subject, lengths of both texts.
fn commits(dir: &Path, limits: &Limits, n_most: usize) -> (Vec<String>, NoteCommits) {
    let mut seen = Vec::new();
    let read = note_commits(
        dir,
        &dir.join(NOTE),
        limits,
        &AtomicBool::new(false),
        |it| {
            let n = |version: NoteVersion<'_>| match version {
                NoteVersion::Absent => "-".to_owned(),
                NoteVersion::NoText => "binary".to_owned(),
                NoteVersion::Text(text) => text.lines().count().to_string(),
            };
            seen.push(format!(
                "{} {} {}->{}",
                day_of(it.commit),
                it.subject,
                n(it.before),
                n(it.after)
            ));
            if seen.len() >= n_most {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        },
    );
    (seen, read)
}

#[test]
fn the_commits_of_a_note_are_those_that_changed_its_bytes() {
    let repository = repository(&[
        &[("other.md", Some("x"))],
        &[(NOTE, Some("one\n"))],
        &[("other.md", Some("y"))],
        &[(NOTE, Some("one\ntwo\n"))],
        &[(NOTE, None)],
        &[(NOTE, Some("three\n"))],
    ]);
    let dir = repository.path();
    let all = ["5 step -->1", "4 step 2->-", "3 step 1->2", "1 step -->1"];
    let read = |n_most| commits(dir, &Limits::default(), n_most);
    assert_eq!(
        read(9),
        (all.map(str::to_owned).to_vec(), NoteCommits::Read)
    );
    assert_eq!(read(2).0, all[..2]);
    let few = Limits {
        commits: 4,
        ..Limits::default()
    };
    let why = "only its newest 4 commits were read".to_owned();
    assert_eq!(
        commits(dir, &few, 9),
        (
            all[..3].iter().map(|it| (*it).to_owned()).collect(),
            NoteCommits::Limited(why)
        )
    );
    let no_time = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let why = "it was not read within 0 s".to_owned();
    assert_eq!(
        commits(dir, &no_time, 9),
        (Vec::new(), NoteCommits::Limited(why))
    );
}

#[test]
fn a_version_that_is_no_text_is_not_taken_for_an_empty_one() {
    let repository = repository(&[
        &[(NOTE, Some("one\n"))],
        &[(NOTE, Some("\0\u{1}\u{2}"))],
        &[(NOTE, Some("two\n"))],
    ]);
    let seen = commits(repository.path(), &Limits::default(), 9).0;
    assert_eq!(
        seen,
        ["2 step binary->1", "1 step 1->binary", "0 step -->1"]
    );
}

#[test]
fn the_commits_of_a_merged_branch_are_changes_of_the_merge() {
    let repository = repository(&[&[(NOTE, Some("one\n"))]]);
    let dir = repository.path();
    git(dir, 1, &["checkout", "-q", "-b", "side"]);
    commit(dir, 1, &[(NOTE, Some("one\ntwo\n"))]);
    git(dir, 2, &["checkout", "-q", "main"]);
    git(dir, 2, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let mut seen = Vec::new();
    let file = dir.join(NOTE);
    let stop = AtomicBool::new(false);
    note_commits(dir, &file, &Limits::default(), &stop, |it| {
        seen.push((day_of(it.commit), it.is_merge));
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(seen, [(2, true), (0, false)]);
}

#[test]
fn a_note_without_commits_and_a_damaged_repository_say_so() {
    let repository = repository(&[&[("other.md", Some("x"))]]);
    let dir = repository.path();
    write(dir, &[(NOTE, Some("one\n"))]);
    let read = || commits(dir, &Limits::default(), 9);
    assert_eq!(read(), (Vec::new(), NoteCommits::None));
    commit(dir, 1, &[(NOTE, Some("two\n"))]);
    assert_eq!(read().0, ["1 step -->1"]);
    for object in walk(&dir.join(".git/objects")) {
        fs::remove_file(object).expect("it is there");
    }
    let (seen, NoteCommits::Cut(why)) = read() else {
        panic!("{:?}", read())
    };
    assert!(seen.is_empty() && why.contains("cannot be read"), "{why}");
    let plain = tempfile::tempdir().expect("a folder");
    write(plain.path(), &[(NOTE, Some("one\n"))]);
    assert_eq!(
        commits(plain.path(), &Limits::default(), 9).1,
        NoteCommits::None
    );
}

/// All files below a folder.
fn walk(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a folder");
    entries
        .flat_map(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
