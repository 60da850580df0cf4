use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::UNIX_EPOCH;

use proptest::prelude::*;
use tempfile::TempDir;

use super::weighing::changed_ns;
use super::*;
use crate::document::Kind;
use crate::read;

/// Creates a folder from pairs of path and content. A path that ends in `/` is a folder.
fn tree(entries: &[(&str, &str)]) -> TempDir {
    let root = tempfile::Builder::new()
        .prefix("notes")
        .tempdir()
        .expect("a scratch folder");
    for (path, content) in entries {
        let absolute = root.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(&absolute).expect("a folder");
        } else {
            fs::create_dir_all(absolute.parent().expect("a parent")).expect("a folder");
            fs::write(&absolute, content).expect("a file");
        }
    }
    root
}

fn walk_all(root: &Path) -> Walked {
    walk(root, &AtomicBool::new(false)).expect("a folder")
}

fn paths(walked: &Walked) -> Vec<&str> {
    walked.files.iter().map(|file| file.path.as_str()).collect()
}

fn skipped(walked: &Walked) -> Vec<(&str, &str)> {
    walked
        .skipped
        .iter()
        .map(|skipped| (skipped.path.as_str(), skipped.reason.as_str()))
        .collect()
}

fn check(entries: &[(&str, &str)], expected: &[&str]) {
    let root = tree(entries);
    let walked = walk_all(root.path());
    assert_eq!(paths(&walked), expected);
    assert_eq!(skipped(&walked), [], "{entries:?}");
    for (path, _) in entries {
        let found = find(root.path(), path.trim_end_matches('/')).expect("a folder");
        assert_eq!(
            found.as_ref(),
            walked.files.iter().find(|file| &file.path == path),
            "{path}"
        );
    }
}

#[test]
fn kinds_and_order() {
    check(&[], &[]);
    check(&[("empty/", "")], &[]);
    check(
        &[
            ("b.md", ""),
            ("a/z.txt", ""),
            ("a.md", ""),
            ("a/b/c.jsonl", ""),
            ("x.png", ""),
            ("README", ""),
            ("B.MD", ""),
        ],
        &["B.MD", "a.md", "a/b/c.jsonl", "a/z.txt", "b.md"],
    );
    // Names that differ only by case, if the system distinguishes them.
    if !tree(&[("a.md", "")]).path().join("A.md").exists() {
        check(&[("a.md", ""), ("A.md", "")], &["A.md", "a.md"]);
    }
    check(
        &[
            ("Grüße 🌊\nעברית.md", ""),
            ("a\\b.md", ""),
            ("-x.md", ""),
            (" .md", ""),
        ],
        &[" .md", "-x.md", "Grüße 🌊\nעברית.md", "a\\b.md"],
    );
}

#[test]
fn facts() {
    let root = tree(&[("a.md", "four")]);
    let modified = UNIX_EPOCH + std::time::Duration::from_millis(1_234_567);
    let file = File::options()
        .write(true)
        .open(root.path().join("a.md"))
        .expect("a file");
    file.set_modified(modified).expect("a time");
    let expected = FoundFile {
        path: "a.md".to_owned(),
        absolute: root.path().join("a.md"),
        size: 4,
        modified_ms: 1_234_567,
        changed_ns: changed_ns(&file.metadata().expect("it is there")),
        kind: Kind::Markdown,
    };
    assert_eq!(walk_all(root.path()).files, [expected]);
    file.set_modified(UNIX_EPOCH - std::time::Duration::from_millis(5))
        .expect("a time");
    assert_eq!(walk_all(root.path()).files[0].modified_ms, -5);
}

#[test]
fn hidden_ones_are_left_out_unless_named() {
    check(
        &[
            (".a.md", ""),
            (".git/b.md", ""),
            ("x/.obsidian/c.md", ""),
            ("d.md", ""),
        ],
        &["d.md"],
    );
    check(
        &[
            (".gitignore", "!.notes/\n"),
            (".notes/a.md", ""),
            (".notes/.b.md", ""),
            (".other/c.md", ""),
        ],
        &[".notes/a.md"],
    );
    let root = tree(&[(".notes/a.md", "")]);
    assert_eq!(paths(&walk_all(&root.path().join(".notes"))), ["a.md"]);
}

#[test]
fn ignore_files() {
    check(
        &[
            (".gitignore", "drafts/\n*.txt\n"),
            ("drafts/a.md", ""),
            ("b.txt", ""),
            ("x/c.txt", ""),
            ("x/drafts.md", ""),
        ],
        &["x/drafts.md"],
    );
    check(
        &[
            (".ignore", "a.md\n"),
            ("a.md", ""),
            ("x/a.md", ""),
            ("b.md", ""),
        ],
        &["b.md"],
    );
    check(
        &[
            ("x/.gitignore", "/a.md\n"),
            ("a.md", ""),
            ("x/a.md", ""),
            ("x/y/a.md", ""),
        ],
        &["a.md", "x/y/a.md"],
    );
    // The inner file takes precedence; `.ignore` takes precedence over `.gitignore`.
    check(
        &[
            (".gitignore", "*.md\n"),
            ("x/.gitignore", "!a.md\n"),
            ("a.md", ""),
            ("x/a.md", ""),
            ("x/b.md", ""),
        ],
        &["x/a.md"],
    );
    check(
        &[
            (".ignore", "!a.md\n"),
            ("x/.gitignore", "*.md\n"),
            ("x/a.md", ""),
            ("x/b.md", ""),
        ],
        &["x/a.md"],
    );
    // Files in an ignored folder cannot be included again.
    check(&[(".gitignore", "x/\n!x/a.md\n"), ("x/a.md", "")], &[]);
}

#[test]
fn rules_from_above_do_not_count() {
    let root = tree(&[
        (".gitignore", "*\n"),
        (".ignore", "*\n"),
        ("notes/a.md", ""),
    ]);
    assert_eq!(paths(&walk_all(&root.path().join("notes"))), ["a.md"]);
}

#[test]
fn faulty_rules_are_reported() {
    let root = tree(&[(".gitignore", "*.txt\na{b\n"), ("a.txt", ""), ("a.md", "")]);
    let walked = walk_all(root.path());
    assert_eq!(paths(&walked), ["a.md"]);
    assert_eq!(
        skipped(&walked),
        [(
            ".gitignore",
            "some of its rules are not applied: line 2: error parsing glob 'a{b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
        )]
    );
    fs::write(root.path().join(".gitignore"), "a{b\n".repeat(1000)).expect("a file");
    let walked = walk_all(root.path());
    assert!(
        walked.skipped[0].reason.ends_with("; and 997 more"),
        "{:?}",
        walked.skipped
    );
    fs::write(
        root.path().join(".gitignore"),
        "a{b\n".repeat(16 * 1024 + 1),
    )
    .expect("a file");
    assert_eq!(
        skipped(&walk_all(root.path())),
        [(
            ".gitignore",
            "larger than 64 KiB; none of its rules are applied, so files that it names are read"
        )]
    );
}

#[test]
fn all_ignore_files_of_a_path_have_one_limit() {
    let half = format!("*.txt\n{}\n", "#".repeat(40 * 1024));
    let root = tree(&[
        (".gitignore", &half),
        ("a.txt", ""),
        ("in/.gitignore", &half.replace("txt", "md")),
        ("in/a.md", ""),
        ("in/a.txt", ""),
        ("in/deep/.ignore", "*.org\n"),
        ("in/deep/a.org", ""),
        ("in/deep/a.md", ""),
    ]);
    let walked = walk_all(root.path());
    assert_eq!(paths(&walked), ["in/a.md", "in/deep/a.md"]);
    assert_eq!(
        skipped(&walked),
        [(
            "in/.gitignore",
            "larger than 64 KiB, with the ignore files around it; none of its rules are applied, so files that it names are read"
        )]
    );
}

#[test]
fn large_files_are_left_out() {
    let root = tree(&[("a.md", ""), ("b.md", ""), ("c.png", "")]);
    for (name, size) in [
        ("a.md", MAX_FILE_BYTES),
        ("b.md", MAX_FILE_BYTES + 1),
        ("c.png", MAX_FILE_BYTES + 1),
    ] {
        File::create(root.path().join(name))
            .and_then(|file| file.set_len(size))
            .expect("a sparse file");
    }
    let walked = walk_all(root.path());
    assert_eq!(
        (paths(&walked), skipped(&walked)),
        (
            vec!["a.md"],
            vec![("b.md", "cannot read the document: it is larger than 16 MiB")]
        )
    );
    assert_eq!(
        read(&walked.files[0]).expect("a file").len() as u64,
        MAX_FILE_BYTES
    );
    File::options()
        .append(true)
        .open(root.path().join("a.md"))
        .and_then(|mut file| io::Write::write_all(&mut file, b"x"))
        .expect("it grows");
    assert!(matches!(read(&walked.files[0]), Err(IngestError::TooLarge)));
}

#[test]
fn roots() {
    let root = tree(&[("a.md", "")]);
    let answers = |path: &str| {
        let path = root.path().join(path);
        let never = AtomicBool::new(false);
        [walk(&path, &never).map(drop), find(&path, "a.md").map(drop)].map(|answer| {
            answer
                .expect_err("no folder")
                .to_string()
                .replace(&*path.to_string_lossy(), "F")
        })
    };
    assert_eq!(
        answers("missing"),
        ["cannot open folder F: it does not exist"; 2]
    );
    assert_eq!(
        answers("a.md"),
        ["cannot open folder F: it is not a folder"; 2]
    );
    assert_eq!(
        answers("a.md/x"),
        ["cannot open folder F: it does not exist"; 2]
    );
    let cancelled = walk(root.path(), &AtomicBool::new(true));
    assert!(
        matches!(cancelled, Err(IngestError::Cancelled { .. })),
        "{cancelled:?}"
    );
}

#[test]
fn verdicts_say_why() {
    let root = tree(&[
        (".gitignore", "drafts/\n"),
        ("x/.ignore", "*.txt\n"),
        ("a.md", ""),
        ("drafts/a.md", ""),
        ("x/a.txt", ""),
        ("x/.h/a.md", ""),
        ("a.png", ""),
    ]);
    for (path, expected) in [
        (
            "drafts/a.md",
            Some(("drafts", "ignored by drafts/ in .gitignore")),
        ),
        (
            "x/a.txt",
            Some(("x/a.txt", "ignored by *.txt in x/.ignore")),
        ),
        (
            "x/.h/a.md",
            Some((
                "x/.h",
                "hidden; the line !.h in a file named .ignore beside it includes it",
            )),
        ),
        ("a.png", Some(("a.png", "not a kind of file that is read"))),
        ("missing.md", None),
        ("a.md/b.md", None),
        (
            "../a.md",
            Some(("../a.md", "not a path inside the watched folder")),
        ),
        (
            "x/../a.md",
            Some(("x/../a.md", "not a path inside the watched folder")),
        ),
        (
            "/a.md",
            Some(("/a.md", "not a path inside the watched folder")),
        ),
        (
            "./a.md",
            Some(("./a.md", "not a path inside the watched folder")),
        ),
        ("", Some(("", "not a path inside the watched folder"))),
        ("a.md/", None),
    ] {
        let found = match judge(root.path(), path).expect("a folder") {
            Verdict::LeftOut { path, reason } => Some((path, reason.to_string())),
            Verdict::Gone => None,
            other @ (Verdict::Read(_) | Verdict::Folder) => panic!("{path}: {other:?}"),
        };
        let found = found.as_ref().map(|(path, reason)| (&**path, &**reason));
        assert_eq!(found, expected, "{path}");
    }
    assert_eq!(judge(root.path(), "x").expect("a folder"), Verdict::Folder);
    assert!(matches!(judge(root.path(), "a.md"), Ok(Verdict::Read(_))));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;

    #[test]
    fn what_is_hidden_is_included_as_its_reason_says() {
        let root = tree(&[(".h/a.md", ""), ("b.md", "")]);
        let paths = || -> Vec<String> {
            let walked = walk(root.path(), &AtomicBool::new(false)).expect("a folder");
            walked.files.into_iter().map(|file| file.path).collect()
        };
        assert_eq!(paths(), ["b.md"]);
        let verdict = judge(root.path(), ".h/a.md").expect("a folder");
        let Verdict::LeftOut { reason, .. } = verdict else {
            panic!("it is hidden")
        };
        let reason = reason.to_string();
        let line = reason.split_whitespace().find(|word| word.starts_with('!'));
        fs::write(
            root.path().join(".ignore"),
            line.expect("it names the line"),
        )
        .expect("it can be written");
        assert_eq!(paths(), [".h/a.md", "b.md"]);
    }

    #[test]
    fn links_are_not_followed() {
        let elsewhere = tree(&[("secret.md", ""), ("rules", "*.md\n")]);
        let root = tree(&[("a.md", ""), ("x/", "")]);
        let link =
            |target: &Path, name: &str| symlink(target, root.path().join(name)).expect("a link");
        link(elsewhere.path(), "folder");
        link(root.path(), "x/loop");
        link(&elsewhere.path().join("secret.md"), "secret.md");
        link(&root.path().join("a.md"), "b.md");
        link(Path::new("nowhere.md"), "dangling.md");
        link(&elsewhere.path().join("secret.md"), "secret.png");
        link(&elsewhere.path().join("rules"), ".gitignore");
        let walked = walk_all(root.path());
        assert_eq!(paths(&walked), ["a.md"]);
        let reason = "a link; links are not followed";
        assert_eq!(
            skipped(&walked),
            [
                (".gitignore", "a link; its rules are not applied"),
                ("b.md", reason),
                ("folder", reason),
                ("secret.md", reason),
                ("x/loop", reason)
            ]
        );
        for path in [
            "folder/secret.md",
            "secret.md",
            "x/loop/a.md",
            "dangling.md",
        ] {
            assert_eq!(find(root.path(), path).expect("a folder"), None, "{path}");
        }
        // The watched folder itself may be a link.
        assert_eq!(paths(&walk_all(&root.path().join("x/loop"))), ["a.md"]);
    }

    #[test]
    fn special_files_are_never_opened() {
        let root = tree(&[("a.md", "x"), ("b.md", "x")]);
        let pipe = |name: &str| {
            let made = Command::new("mkfifo")
                .arg(root.path().join(name))
                .status()
                .expect("mkfifo");
            assert!(made.success());
        };
        let walked = walk_all(root.path());
        for name in ["a.md", "b.md"] {
            fs::remove_file(root.path().join(name)).expect("removed");
        }
        pipe("a.md");
        pipe(".gitignore");
        pipe("other");
        let _socket = UnixListener::bind(root.path().join("b.md")).expect("a socket");
        // Opening the pipe would wait for a writer forever.
        for file in &walked.files {
            assert!(matches!(read(file), Err(IngestError::NotAFile { .. })));
            assert_eq!(find(root.path(), &file.path).expect("a folder"), None);
        }
        let reason = "not a regular file";
        assert_eq!(
            skipped(&walk_all(root.path())),
            [("a.md", reason), ("b.md", reason)]
        );
    }

    #[test]
    fn names_that_are_not_utf_8() {
        let root = tree(&[("a.md", "")]);
        let at = |name: &[u8]| root.path().join(OsStr::from_bytes(name));
        fs::write(at(b"b\xFF.md"), "").expect("a file");
        fs::write(at(b"b\xFF.png"), "").expect("a file");
        fs::create_dir(at(b"c\xFF")).expect("a folder");
        fs::write(at(b"c\xFF/a.md"), "").expect("a file");
        let walked = walk_all(root.path());
        assert_eq!(paths(&walked), ["a.md"]);
        let reason = "its name is not UTF-8";
        assert_eq!(
            skipped(&walked),
            [("b\u{FFFD}.md", reason), ("c\u{FFFD}", reason)]
        );
    }

    #[test]
    fn deep_folders_end_where_the_system_ends() {
        // The path is longer than any system allows.
        const N_LEVELS: usize = 2100;
        let root = tree(&[("a.md", ""), ("d/b.md", "")]);
        let inner = Path::new("d");
        nest(root.path(), inner, N_LEVELS);
        let walked = walk_all(root.path());
        let [SkippedFile { path, reason, .. }] = walked.skipped.as_slice() else {
            panic!("{:?}", walked.skipped)
        };
        assert_eq!(
            reason,
            "cannot open this folder: its path is longer than this system allows"
        );
        assert!(path.starts_with("d/d/d/") && path.len() > 1000, "{path}");
        assert_eq!(paths(&walked), ["a.md"], "the other is out of reach");
        assert!(find(root.path(), "a.md").is_ok_and(|found| found.is_some()));
        let deepest = format!("{}b.md", "d/".repeat(N_LEVELS));
        assert!(find(root.path(), &deepest).is_ok_and(|found| found.is_none()));
        unnest(root.path(), inner, N_LEVELS);
        assert_eq!(paths(&walk_all(root.path())), ["a.md", "d/b.md"]);
    }

    /// Number of folders nested at once, so that their path is never too long.
    const AT_ONCE: usize = 100;

    /// Nests the folder `inner` of `root` in itself, `n_levels` deep, with paths short enough for the system.
    fn nest(root: &Path, inner: &Path, n_levels: usize) {
        let chain: PathBuf = std::iter::repeat_n(inner, AT_ONCE).collect();
        for _ in 0..n_levels / AT_ONCE {
            fs::rename(root.join(inner), root.join("rest")).expect("renamed");
            fs::create_dir_all(root.join(&chain)).expect("folders");
            fs::rename(root.join("rest"), root.join(&chain).join(inner)).expect("renamed");
        }
    }

    /// Undoes [`nest`]: such a deep tree cannot be removed at once.
    fn unnest(root: &Path, inner: &Path, n_levels: usize) {
        let chain: PathBuf = std::iter::repeat_n(inner, AT_ONCE).collect();
        for _ in 0..n_levels / AT_ONCE {
            fs::rename(root.join(&chain).join(inner), root.join("rest")).expect("renamed");
            fs::remove_dir_all(root.join(inner)).expect("removed");
            fs::rename(root.join("rest"), root.join(inner)).expect("renamed");
        }
    }

    #[test]
    fn closed_folders_and_files_are_reported() {
        let root = tree(&[("a.md", ""), ("b.md", ""), ("closed/c.md", "")]);
        let close = |name: &str, mode: u32| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(root.path().join(name), mode).expect("permissions");
        };
        close("b.md", 0o000);
        close("closed", 0o000);
        if fs::read_dir(root.path().join("closed")).is_ok() {
            return run_as_another_user("walk::tests::unix::closed_folders_and_files_are_reported");
        }
        let walked = walk_all(root.path());
        let inside = find(root.path(), "closed/c.md");
        let file = read(&walked.files[1]);
        close("closed", 0o700);
        assert_eq!(paths(&walked), ["a.md", "b.md"]);
        assert_eq!(
            skipped(&walked),
            [("closed", "cannot open this folder: Permission denied")]
        );
        assert!(matches!(inside, Ok(None)), "{inside:?}");
        let message = file.expect_err("closed").to_string();
        assert_eq!(message, "cannot read this file: Permission denied");
        close("", 0o000);
        let closed = walk(root.path(), &AtomicBool::new(false));
        close("", 0o700);
        assert!(
            matches!(closed, Err(IngestError::FolderUnreadable { .. })),
            "{closed:?}"
        );
    }

    /// Runs a test of this binary as user `nobody`, because the superuser can read everything.
    fn run_as_another_user(test: &str) {
        const NOBODY: u32 = 65534;
        let scratch = tree(&[("tmp/", "")]);
        let binary = scratch.path().join("tests");
        fs::copy(std::env::current_exe().expect("this binary"), &binary)
            .expect("a copy that others reach");
        for (path, mode) in [
            (scratch.path(), 0o755),
            (&scratch.path().join("tmp"), 0o777),
            (&binary, 0o755),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        }
        let output = Command::new(&binary)
            .args(["--exact", test])
            .env("TMPDIR", scratch.path().join("tmp"))
            .current_dir(scratch.path())
            .uid(NOBODY)
            .gid(NOBODY)
            .output()
            .expect("the test runs as another user");
        let words = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && words.contains("1 passed"),
            "{words}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn single_answers_agree_with_the_walk(
        files in proptest::collection::btree_set("(\\.?[ab]/){0,3}(\\.?[abc]\\.(md|txt|png)|a)", 0..12),
        rules in proptest::collection::vec(("([ab]/){0,2}", "\\.(git)?ignore", "(!?/?(\\*|[ab]|\\.a|\\*\\*/b)(\\.md|\\.txt|/)?\n){0,3}"), 0..4),
    ) {
        let root = tempfile::tempdir().expect("a scratch folder");
        let mut made = BTreeSet::new();
        for file in files {
            let path = root.path().join(&file);
            // A folder may have taken the name of a file, or the reverse.
            if fs::create_dir_all(path.parent().expect("a parent")).is_ok() && fs::write(&path, "x").is_ok() {
                made.insert(file);
            }
        }
        for (folder, name, content) in rules {
            let folder = root.path().join(folder);
            if fs::create_dir_all(&folder).is_ok() {
                fs::write(folder.join(name), content).expect("a file");
            }
        }
        let walked = walk_all(root.path());
        for path in &made {
            let found = find(root.path(), path).expect("a folder");
            prop_assert_eq!(found.as_ref(), walked.files.iter().find(|file| &file.path == path));
        }
        prop_assert!(walked.files.iter().all(|file| made.contains(&file.path)));
        prop_assert!(walked.files.is_sorted_by(|a, b| a.path < b.path));

        // The library that provides the matchers must walk to the same files.
        let mut builder = ignore::WalkBuilder::new(root.path());
        builder.require_git(false).parents(false).git_global(false).git_exclude(false);
        let theirs: BTreeSet<String> = builder
            .build()
            .map(|entry| entry.expect("readable"))
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()) && Kind::of(entry.path()).is_some())
            .map(|entry| entry.path().strip_prefix(root.path()).expect("inside").display().to_string())
            .collect();
        prop_assert_eq!(theirs, walked.files.iter().map(|file| file.path.clone()).collect::<BTreeSet<_>>());
    }
}
