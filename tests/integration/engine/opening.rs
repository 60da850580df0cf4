//! Opening notes: only those in a watched folder and in the library, and nothing else on the machine.
//!
//! Properties checked: a note is shown with its current text and with its chunks as indexed; every way out of a folder
//! is refused.

use std::collections::HashSet;
use std::fs;

use memlens_engine::FolderId;
use memlens_engine::view::{EntryState, TreeEntry};
use memlens_tests::{Notes, fresh, open};

#[test]
fn a_note_is_shown_with_its_chunks() {
    let notes = Notes::new(&[(
        "x/ü.md",
        "\u{feff}---\nagent: iris\ntags: [home]\n---\r\n# Hall\r\nThe relay.\n",
    )]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let shown = library
        .document(folder, "x/ü.md")
        .expect("it can be opened");
    assert_eq!(
        shown.text,
        "---\nagent: iris\ntags: [home]\n---\n# Hall\nThe relay.\n"
    );
    assert_eq!(
        (shown.n_lines, shown.agent.as_deref(), shown.tags),
        (6, Some("iris"), vec!["home".to_owned()])
    );
    assert_eq!(
        (shown.folder_name.as_str(), shown.path.as_str()),
        ("notes", "x/ü.md")
    );
    assert_eq!(shown.chunks.len(), 1);
    assert_eq!(
        library.absolute(folder, "x/ü.md").expect("it is there"),
        notes.at("x/ü.md")
    );

    // The note changed: the current text is shown.
    notes.write("x/ü.md", "Other words.");
    assert_eq!(
        library
            .document(folder, "x/ü.md")
            .expect("it can be opened")
            .text,
        "Other words."
    );
    // A note that waits to be indexed.
    notes.write("new.md", "---\ntags: [attic]\n---\nThe stairs.");
    let waiting = library
        .document(folder, "new.md")
        .expect("it can be opened");
    assert_eq!(
        (waiting.chunks.len(), waiting.n_lines, waiting.tags),
        (0, 4, vec!["attic".to_owned()])
    );
    notes.remove("x/ü.md");
    let error = library.document(folder, "x/ü.md").expect_err("it is gone");
    assert_eq!(
        error.to_string(),
        "cannot open x/ü.md: it is not in the library"
    );
}

#[test]
fn no_path_leads_out_of_a_watched_folder() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("x/b.md", "The relay."),
        (".hidden.md", "Secret."),
        ("c.bin", "no note"),
    ]);
    let outside = notes.path().with_file_name("outside.md");
    fs::write(&outside, "Not to be read.").expect("it can be written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&outside, notes.at("link.md")).expect("a link can be made");
        symlink(notes.path().parent().expect("it has one"), notes.at("up"))
            .expect("a link can be made");
    }
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let absolute = outside.display().to_string();
    let own = notes.at("a.md").display().to_string();
    for path in [
        "../outside.md",
        "x/../../outside.md",
        "x/../a.md",
        "./a.md",
        "x//b.md",
        "/x/b.md",
        "a.md/",
        "a.md/b.md",
        "..",
        ".",
        "",
        "x",
        "none.md",
        "link.md",
        "up/outside.md",
        "up/notes/a.md",
        ".hidden.md",
        "c.bin",
        "a.md\0",
        &absolute,
        &own,
    ] {
        let expected = format!("cannot open {path}: it is not in the library");
        for error in [
            library.document(folder, path).map(drop).expect_err(path),
            library.absolute(folder, path).map(drop).expect_err(path),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }
    // A folder that is not watched has no notes.
    let elsewhere = FolderId(folder.0 + 1);
    assert!(
        library.document(elsewhere, "a.md").is_err()
            && library.absolute(elsewhere, "a.md").is_err()
    );
    assert!(library.document(folder, "a.md").is_ok() && library.absolute(folder, "a.md").is_ok());

    // A note when it was indexed, and a link now.
    #[cfg(unix)]
    {
        notes.remove("a.md");
        std::os::unix::fs::symlink(&outside, notes.at("a.md")).expect("a link can be made");
        assert!(
            library.document(folder, "a.md").is_err() && library.absolute(folder, "a.md").is_err()
        );
        fs::rename(notes.at("x"), notes.path().with_file_name("moved")).expect("it can be renamed");
        std::os::unix::fs::symlink(notes.path().with_file_name("moved"), notes.at("x"))
            .expect("a link can be made");
        assert!(
            library.document(folder, "x/b.md").is_err()
                && library.absolute(folder, "x/b.md").is_err()
        );
    }
}

#[test]
fn files_and_folders_of_a_watched_folder_have_a_location() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("x/b.md", "The relay."),
        ("c.bin", "no note"),
        (".git/config", "no note"),
    ]);
    let outside = notes.path().with_file_name("outside.md");
    fs::write(&outside, "Not to be read.").expect("it can be written");
    #[cfg(unix)]
    for (to, name) in [(&*outside, "link.md"), (notes.path(), "loop")] {
        std::os::unix::fs::symlink(to, notes.at(name)).expect("a link can be made");
    }
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let location = |path: &str| memlens_engine::location(&library, folder, path);
    assert_eq!(location("").expect("it is watched"), notes.path());
    for path in ["a.md", "x", "x/b.md", "c.bin", ".git"] {
        assert_eq!(location(path).expect(path), notes.at(path));
    }
    // A link is shown where it is, not what it leads to.
    #[cfg(unix)]
    for path in ["link.md", "loop"] {
        assert_eq!(location(path).expect(path), notes.at(path));
    }
    for path in [
        "..",
        ".",
        "../outside.md",
        "x/../a.md",
        "/a.md",
        "a.md/b",
        "none.md",
        "loop/a.md",
        ".git/config",
        "link.md/x",
    ] {
        let error = location(path).expect_err(path);
        let expected = format!("cannot open {path}: it is not in the library");
        assert_eq!(error.to_string(), expected);
    }
    let elsewhere = FolderId(folder.0 + 1);
    assert!(memlens_engine::location(&library, elsewhere, "a.md").is_err());
    fs::remove_dir_all(notes.path()).expect("it can be removed");
    let root = notes.path().display();
    let error = location("").expect_err("it is gone").to_string();
    assert!(error.contains(&root.to_string()), "{error}");
}

#[test]
fn the_tree_shows_folders_first_and_what_went_wrong() {
    let notes = Notes::new(&[
        ("b.md", "The hall."),
        ("a/z.md", "The relay."),
        ("a/bad.jsonl", "{\"text\":\"good\"}\nbad\n"),
        ("a/b/deep.md", "Deep."),
        ("broken.md", "no\0text"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let mut shown = Vec::new();
    fn show(entries: &[TreeEntry], depth: usize, shown: &mut Vec<String>) {
        for entry in entries {
            let state = match entry.state {
                EntryState::Indexed => "",
                EntryState::Pending => " …",
                EntryState::Problem => " !",
            };
            shown.push(format!(
                "{}{} {}{state}",
                "  ".repeat(depth),
                entry.name,
                entry.n_chunks
            ));
            show(&entry.children, depth + 1, shown);
        }
    }
    show(
        &library
            .tree(folder, &HashSet::new())
            .expect("it can be explained"),
        0,
        &mut shown,
    );
    assert_eq!(
        shown,
        [
            "a 3 !",
            "  b 1",
            "    deep.md 1",
            "  bad.jsonl 1 !",
            "  z.md 1",
            "b.md 1",
            "broken.md 0 !"
        ]
    );
    let problems: Vec<String> = library
        .problems()
        .expect("they can be explained")
        .into_iter()
        .map(|problem| format!("{}:{:?} {}", problem.path, problem.line, problem.message))
        .collect();
    assert_eq!(
        problems,
        [
            "broken.md:None cannot read the document as text: NUL on line 1",
            "a/bad.jsonl:Some(2) not a JSON object; skipped"
        ]
    );
}
