//! Identifiers are found first by their parts, as a whole and in another style, whatever sounds alike.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_engine::report;
use memlens_params::Params;
use memlens_tests::{fresh, index, open};
use serde_json::Value;
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/cases")
        .join(name)
}

/// Writes the notes of `identifiers.tsv` whose names start with `start` into a folder: a name, a heading and a text a
/// line.
fn notes(start: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let table = fs::read_to_string(fixture("identifiers.tsv")).expect("it is committed");
    for line in table.lines().filter(|line| line.starts_with(start)) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, heading, text] = cells[..] else {
            panic!("{line}")
        };
        let path = folder.path().join(format!("{name}.md"));
        fs::write(path, format!("# {heading}\n\n{text}\n")).expect("it can be written");
    }
    folder
}

/// Returns the result of rank 1 for a question: its path and lines.
fn first(library: &memlens_engine::Library, question: &str) -> (String, u64, u64) {
    let params = Params::default();
    let search = library
        .search(question, &params, None)
        .expect("it can be searched");
    let report = report(library, &search, &params).expect("it can be reported");
    let report = serde_json::to_value(report).expect("a report is plain data");
    let result = &report["results"][0];
    let line = |name: &str| {
        result[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{question}: {result}"))
    };
    let path = result["path"]
        .as_str()
        .unwrap_or_else(|| panic!("{question}: {result}"));
    (path.to_owned(), line("start_line"), line("end_line"))
}

fn check_first(notes: &TempDir, expected: &[(&str, &str)]) {
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    for (question, path) in expected {
        assert_eq!(first(&library, question).0, *path, "{question}");
    }
}

#[test]
fn camel_case_and_snake_case_meet() {
    check_first(
        &notes("fn-"),
        &[
            ("merge user queue", "fn-034.md"),
            ("merge_user_queue", "fn-034.md"),
            ("mergeUserQueue", "fn-034.md"),
            ("getDepotById", "fn-007.md"),
            ("get depot by id", "fn-007.md"),
        ],
    );
}

#[test]
fn a_pull_request_is_found_by_its_number() {
    check_first(
        &notes(""),
        &[
            ("PR #1701", "pr-043.md"),
            ("what did PR 1568 change", "pr-024.md"),
        ],
    );
}

#[test]
fn a_version_is_found_where_it_is_the_heading() {
    let dir = fresh(&[&fixture("version-number")]);
    let library = open(dir.path());
    let mut n_versions = 0;
    for name in ["lamp", "kite"] {
        let path = format!("{name}-CHANGELOG.md");
        let text = fs::read_to_string(fixture("version-number").join(&path)).expect("it is there");
        for (line, heading) in (1..).zip(text.lines()) {
            let Some(heading) = heading.strip_prefix("## ") else {
                continue;
            };
            let version = heading
                .trim_start_matches("Version ")
                .trim_start_matches('[');
            let version = version.split(']').next().expect("there is a beginning");
            n_versions += 1;
            let question = format!("what changed in {name} {version}");
            let (found, start, end) = first(&library, &question);
            assert_eq!(found, path, "{question}");
            assert!(
                (start..=end).contains(&line),
                "{question}: {start}-{end} without {line}"
            );
        }
    }
    assert!(n_versions > 200, "{n_versions}");
}

/// The list is one that the release before identifiers wrote, without the field of identifiers.
#[test]
fn a_list_of_the_format_before_is_rebuilt_and_nothing_is_embedded_again() {
    let notes = notes("fn-");
    let dir = fresh(&[notes.path()]);
    let text = dir.path().join("text");
    let schema = || {
        let meta = fs::read_to_string(text.join("meta.json")).expect("it is there");
        let meta: Value = serde_json::from_str(&meta).expect("it is JSON");
        meta["schema"].clone()
    };
    let new = schema();
    fs::remove_dir_all(&text).expect("it is there");
    fs::create_dir(&text).expect("it was removed");
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lists/text-4");
    for entry in fs::read_dir(old).expect("it is committed") {
        let entry = entry.expect("it can be listed");
        fs::copy(entry.path(), text.join(entry.file_name())).expect("it can be copied");
    }
    assert_ne!(schema(), new);
    let counts = index(dir.path(), &[notes.path()]);
    assert_eq!(counts.n_embedded, 0);
    assert_eq!(schema(), new);
    assert_eq!(first(&open(dir.path()), "merge user queue").0, "fn-034.md");
}

#[test]
fn the_record_says_how_each_word_is_held() {
    let dir = fresh(&[notes("fn-").path()]);
    let library = open(dir.path());
    let params = Params::default();
    let search = library
        .search("merge_user_queue", &params, None)
        .expect("it can be searched");
    let trace = search.rank(&params);
    let slot = trace.kept()[0];
    let journey = serde_json::to_value(search.journey(&params, slot).expect("it can be read"));
    let journey = journey.expect("it is plain data").to_string();
    assert!(
        journey.contains(
            "3 of 3: merge (part), user (part), queue (part); joined: merge_user_queue (whole)"
        ),
        "{journey}"
    );
    // The share that moves from the vectors to the words, by the number that decided.
    assert!(
        journey.contains("identifiers (merge_user_queue) = 0.60 · "),
        "{journey}"
    );
    assert!(
        journey.contains("3 of 3 words, 1 of 1 joined identifiers"),
        "{journey}"
    );
    let _: Value = serde_json::from_str(&journey).expect("it is JSON");
}
