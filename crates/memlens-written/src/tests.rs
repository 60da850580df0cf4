use std::fs;
use std::path::Path;

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    dir
}

fn terms(fact: &str) -> Vec<String> {
    let words = memlens_index::words(fact).into_iter();
    words.map(|word| word.term).collect()
}

fn find_in(dirs: &[&Path], fact: &str, limits: &Limits) -> Searched {
    let roots: Vec<Root> = dirs.iter().map(|dir| Root::new(dir)).collect();
    search(
        &roots,
        &terms(fact),
        limits,
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

fn find(dir: &Path, fact: &str) -> Searched {
    find_in(&[dir], fact, &Limits::default())
}

/// The file and line that hold all words of a fact, if any.
fn whole(found: &Searched, fact: &str) -> Option<(String, u32)> {
    let best = found.best.as_ref()?;
    (best.n_words == terms(fact).len()).then(|| (best.path.clone(), best.line))
}

fn check(files: &[(&str, &str)], fact: &str, expected: Option<(&str, u32)>) {
    let dir = folder(files);
    let found = find(dir.path(), fact);
    let expected = expected.map(|(path, line)| (path.to_owned(), line));
    assert_eq!(whole(&found, fact), expected, "{files:?}: {found:?}");
    assert!(found.gaps.is_empty(), "{found:?}");
}

#[test]
fn any_text_file_is_read() {
    let fact = "flour green bin";
    let line = "The flour is in the green bins";
    let rows = format!("a,b\nc,d\n{line}\n");
    for path in [
        "pantry.csv",
        "pantry.MD",
        ".hidden/pantry.md",
        ".pantry",
        "node_modules/a/pantry.js",
        "deep/er/pantry.org",
        "pantry",
    ] {
        check(
            &[(path, &rows), ("other.md", "nothing\n")],
            fact,
            Some((path, 3)),
        );
    }
    check(
        &[(".gitignore", "private/\n"), ("private/a.md", line)],
        fact,
        Some(("private/a.md", 1)),
    );
    check(&[(".git/config", line), ("x/.git/a", line)], fact, None);
    check(&[("a.bin", &format!("\0\0{line}"))], fact, None);
}

#[test]
fn words_are_folded_and_stemmed_and_stand_near_each_other() {
    check(
        &[("a.txt", "Cafés CLOSED early")],
        "café closing",
        Some(("a.txt", 1)),
    );
    check(
        &[("a.txt", "flour\ngreen\nbin\n")],
        "flour green bin",
        Some(("a.txt", 1)),
    );
    let far = format!("flour\n{}bin\n", "x\n".repeat(60));
    check(&[("a.csv", &far), ("b.md", &far)], "flour bin", None);
    // A note's passage is as long as a chunk, that of a table is not.
    let chunk = format!("flour\n{}bin\n", "x\n".repeat(20));
    check(&[("a.csv", &chunk)], "flour bin", None);
    check(&[("a.md", &chunk)], "flour bin", Some(("a.md", 22)));
}

#[test]
fn strings_of_json_are_read_as_they_are_meant() {
    let memory = "{\n  \"text\": \"one\\nflour in the gr\\u00fcn bin\"\n}\n";
    check(
        &[("memory.json", memory)],
        "flour grün bin",
        Some(("memory.json", 2)),
    );
    check(
        &[("a.jsonl", "{\"odd\": \"a\\tflour\"}\n")],
        "flour",
        Some(("a.jsonl", 1)),
    );
    check(
        &[("a.json", "\"\\ud83c\\udf0a flour \\u12\"")],
        "flour",
        Some(("a.json", 1)),
    );
}

#[test]
fn other_encodings_are_read() {
    let dir = folder(&[]);
    let utf_16: Vec<u8> = "\u{feff}a\nDie Schlüssel\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(dir.path().join("a.txt"), utf_16).expect("a file");
    let found = find(dir.path(), "schlüssel");
    assert_eq!(whole(&found, "schlüssel"), Some(("a.txt".to_owned(), 2)));
    let dir = folder(&[]);
    let latin = b"Die Schl\xfcssel h\xe4ngen im Flur, und die T\xfcr ist gr\xfcn.\n";
    fs::write(dir.path().join("a.csv"), latin).expect("a file");
    let found = find(dir.path(), "schlüssel flur");
    assert_eq!(
        whole(&found, "schlüssel flur"),
        Some(("a.csv".to_owned(), 1))
    );
}

#[test]
fn long_files_and_long_lines_are_read_whole() {
    let lines = "nothing here\n".repeat(200_000);
    check(
        &[("a.log", &format!("{lines}flour bin\n"))],
        "flour bin",
        Some(("a.log", 200_001)),
    );
    let long = format!("[{}\"flour bin\"]", "\"nothing\", ".repeat(300_000));
    check(&[("a.json", &long)], "flour bin", Some(("a.json", 1)));
    let unbroken = format!("{}é flour", "ä".repeat(1_200_000));
    check(&[("a.txt", &unbroken)], "flour", Some(("a.txt", 1)));
    let dir = folder(&[("a.json", &long)]);
    let text = find(dir.path(), "flour bin")
        .best
        .expect("it is there")
        .text;
    assert!(text.contains("flour") && text.len() < 2_000, "{text}");
}

#[test]
fn what_comes_nearest_is_named_with_what_it_lacks() {
    let dir = folder(&[("a.md", "the green door\n"), ("b.md", "the green flour\n")]);
    let best = find(dir.path(), "green flour bin").best.expect("two words");
    assert_eq!(
        (best.path.as_str(), best.n_words, best.missing),
        ("b.md", 2, vec![2])
    );
    assert_eq!(find(dir.path(), "zebra").best, None);
}

#[test]
fn limits_and_cancelling_are_reported() {
    let dir = folder(&[
        ("a.md", "one\n"),
        ("b.md", "two\n"),
        ("c.csv", &"x".repeat(100)),
    ]);
    let few = Limits {
        files: 1,
        ..Limits::default()
    };
    assert!(find_in(&[dir.path()], "zebra", &few).gaps.is_cut_off);
    let small = Limits {
        file_bytes: 50,
        ..Limits::default()
    };
    let found = find_in(&[dir.path()], "zebra", &small);
    assert_eq!(found.gaps.too_large, [dir.path().join("c.csv")]);
    let roots = [Root::new(dir.path())];
    let stop = AtomicBool::new(false);
    let mut n_calls = 0;
    let found = search(
        &roots,
        &terms("zebra"),
        &Limits::default(),
        &stop,
        &mut |_| {
            n_calls += 1;
            stop.store(true, Ordering::Relaxed);
        },
    );
    assert!(found.gaps.is_cancelled && n_calls == 1, "{found:?}");
}

#[test]
fn a_file_may_be_a_root_and_nothing_is_read_twice() {
    let dir = folder(&[("a.md", "flour\n"), ("in/b.md", "bin\n")]);
    let file = dir.path().join("a.md");
    let found = find_in(&[&file], "flour", &Limits::default());
    assert_eq!(whole(&found, "flour"), Some((String::new(), 1)));
    let inner = dir.path().join("in");
    let missing = dir.path().join("missing");
    let found = find_in(
        &[dir.path(), &inner, &file, &missing],
        "zebra",
        &Limits::default(),
    );
    assert_eq!(
        (found.n_files, found.gaps.is_empty()),
        (2, true),
        "{found:?}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let outside = folder(&[("secret.md", "the safe code\n")]);
    let dir = folder(&[("a.md", "one\n"), ("in/b.md", "two\n")]);
    let link = |target: &Path, name: &str| {
        symlink(target, dir.path().join(name)).expect("links can be made");
    };
    link(&outside.path().join("secret.md"), "link.md");
    link(outside.path(), "folder");
    link(&dir.path().join("in"), "inside");
    link(Path::new("/missing"), "broken");
    let found = find(dir.path(), "safe code");
    assert_eq!(found.best, None);
    let mut links = found.gaps.links;
    links.sort();
    assert_eq!(
        links,
        [dir.path().join("folder"), dir.path().join("link.md")]
    );
    // A folder that cannot be listed is a gap, unless everything can be read anyway.
    let closed = folder(&[("in/a.md", "the safe code\n")]);
    let inner = closed.path().join("in");
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).expect("rights can be set");
    let found = find(closed.path(), "safe code");
    assert!(
        found.best.is_some() || found.gaps.unreadable.len() == 1,
        "{found:?}"
    );
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).expect("rights can be set");
}
