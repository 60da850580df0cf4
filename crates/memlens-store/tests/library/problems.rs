//! What went wrong with files.
//!
//! Properties checked: errors come first; a walk replaces what it found and nothing else.

use memlens_store::{Change, Severity, Store};

use super::{library, note, problem, put, scratch};

#[test]
fn problems_come_errors_first_and_a_walk_replaces_its_own() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let first = store
        .add_folder("/first", "first")
        .expect("it can be added");
    let mut document = note(&mut store, folder, "b.md", &[0]);
    let note_of = |line, message| problem(folder, "b.md", line, message, Severity::Note);
    document.problems = vec![
        note_of(Some(9), "x"),
        note_of(Some(2), "z"),
        note_of(Some(2), "y"),
        note_of(None, "w"),
    ];
    let failed = |folder, path: &str| problem(folder, path, None, "binary", Severity::Error);
    let batch = [
        put(document),
        Change::Fail(failed(folder, "c.md")),
        Change::Fail(failed(first.id, "d.md")),
    ];
    store.apply(&batch).expect("it can be applied");
    let listed = |store: &Store| -> Vec<String> {
        let problems = store.problems().expect("they can be read");
        let line = |line: Option<u32>| line.map_or(String::new(), |line| format!(":{line}"));
        problems
            .iter()
            .map(|one| {
                format!(
                    "{} {}{} {}",
                    one.folder.0,
                    one.path,
                    line(one.line),
                    one.message
                )
            })
            .collect()
    };
    let notes = ["1 b.md w", "1 b.md:2 y", "1 b.md:2 z", "1 b.md:9 x"];
    let expected = [&["2 d.md binary", "1 c.md binary"][..], &notes].concat();
    assert_eq!(listed(&store), expected);
    assert_eq!(store.n_unreadable().expect("it can be read"), 2);

    // Problems that a walk reports for files outside the library replace the earlier ones, in that folder alone.
    store
        .set_walk_problems(
            folder,
            &[failed(folder, "e.md"), failed(folder, "e.md")],
            |_| false,
        )
        .expect("it can be noted");
    let expected = [
        &["2 d.md binary", "1 e.md binary", "1 e.md binary"][..],
        &notes,
    ]
    .concat();
    assert_eq!(listed(&store), expected);
    assert_eq!(store.n_unreadable().expect("it can be read"), 2);
    // But for what is about to be read.
    assert!(
        !store
            .is_noted(&failed(folder, "e.md"))
            .expect("it can be read"),
        "it stands there twice"
    );
    store
        .set_walk_problems(folder, &[failed(folder, "f.md")], |path| path == "e.md")
        .expect("it can be noted");
    assert_eq!(store.n_unreadable().expect("it can be read"), 3);
    assert!(
        store
            .is_noted(&failed(folder, "f.md"))
            .expect("it can be read")
    );
    store
        .set_walk_problems(folder, &[], |_| false)
        .expect("it can be noted");
    assert_eq!(listed(&store), [&["2 d.md binary"][..], &notes].concat());
}

#[test]
fn a_file_that_holds_nothing_to_read_is_no_problem() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let unread = problem(
        folder,
        "package.json",
        None,
        "not read: other",
        Severity::Unread,
    );
    store
        .apply(&[Change::Fail(unread.clone())])
        .expect("it can be saved");
    assert_eq!(store.problems().expect("they can be read"), []);
    assert_eq!(store.n_unreadable().expect("they can be counted"), 0);
    assert!(store.is_noted(&unread).expect("it can be read"));
    let why = |path: &str| store.why_unread(folder, path).expect("it can be read");
    assert_eq!(why("package.json").as_deref(), Some("not read: other"));
    assert_eq!(why("other.json"), None);
}
