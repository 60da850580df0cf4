//! Watched folders.
//!
//! Properties checked: a folder is watched once; it knows whose memory it is; one that is paused is kept, one that is
//! removed goes with all it holds.

use memlens_store::{Change, Folder, Severity, Store, StoreError};

use super::{library, listed, note, open, problem, put, scratch, snapshot};

#[test]
fn folders_are_watched_once() {
    let dir = scratch();
    let mut store = open(dir.path());
    let mut add = |path: &str, name: &str| {
        store
            .add_folder(path, name)
            .map(|folder| folder.name)
            .map_err(|error| error.to_string())
    };
    let named = |name: &str| Ok(name.to_owned());
    let refused = |why: &str| Err(format!("cannot add {why}"));
    for (path, name, expected) in [
        ("/b/notes", "notes", named("notes")),
        ("/a/notes", "notes", named("notes 2")),
        ("/c/notes", "notes", named("notes 3")),
        // A generated name is still free for a folder that really has it.
        ("/d/notes 4", "notes 4", named("notes 4")),
        ("/e/notes", "notes", named("notes 5")),
        (
            "/b/notes",
            "notes",
            refused("/b/notes: it is already watched"),
        ),
        (
            "/b/notes/deep/er",
            "er",
            refused("/b/notes/deep/er: it is already watched within /b/notes"),
        ),
        // A name that only begins alike is another folder.
        ("/b/notes-old", "notes-old", named("notes-old")),
    ] {
        assert_eq!(add(path, name), expected, "{path}");
    }
    let paths: Vec<String> = store
        .folders()
        .expect("they can be read")
        .into_iter()
        .map(|folder| folder.path)
        .collect();
    assert_eq!(
        paths,
        [
            "/a/notes",
            "/b/notes",
            "/b/notes-old",
            "/c/notes",
            "/d/notes 4",
            "/e/notes"
        ]
    );
}

#[test]
fn a_folder_knows_whose_memory_it_is() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    store
        .add_folder("/other", "other")
        .expect("it can be added");
    let agents = |store: &Store| -> Vec<Option<String>> {
        let folders = store.folders().expect("they can be read");
        folders.into_iter().map(|folder| folder.agent).collect()
    };
    assert_eq!(agents(&store), [None, None]);
    for agent in [Some("codex"), Some("hermes"), None] {
        store
            .set_folder_agent(folder, agent)
            .expect("it can be noted");
        assert_eq!(agents(&store), [agent.map(str::to_owned), None]);
    }
    let mut give = |path: &str, name: &str| {
        store
            .add_folder_of(path, name, "claude-code")
            .map(|folder| folder.name)
            .expect("it can be added")
    };
    assert_eq!(
        give("/one/memory", "Claude Code garden"),
        "Claude Code garden"
    );
    assert_eq!(
        give("/two/memory", "Claude Code garden"),
        "Claude Code garden 2"
    );
    assert_eq!(give("/three/memory", "memory"), "memory");
    let folders = store.folders().expect("they can be read");
    let given = folders.iter().filter(|folder| folder.agent.is_some());
    assert_eq!(given.count(), 3);
}

#[test]
fn a_folder_that_moved_keeps_its_id_and_its_embeddings() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    store
        .add_folder("/other", "other")
        .expect("it can be added");
    store
        .set_folder_paused(folder, true)
        .expect("it can be paused");
    let at = |store: &Store| -> (String, String, bool) {
        let folders = store.folders().expect("they can be read");
        let found = folders.into_iter().find(|it| it.id == folder);
        found
            .map(|it| (it.path, it.name, it.is_paused))
            .expect("it is there")
    };
    for refused in ["/other", "/other/within"] {
        let error = store.move_folder(folder, refused, "within");
        assert!(
            matches!(error, Err(StoreError::AlreadyWatched { .. })),
            "{error:?}"
        );
        assert_eq!(at(&store).1, "notes");
    }
    let before = store.generation().expect("it can be read");
    let moved = store
        .move_folder(folder, "/elsewhere/other", "other")
        .expect("it can be moved");
    assert!(moved.generation > before);
    assert_eq!(
        at(&store),
        ("/elsewhere/other".to_owned(), "other 2".to_owned(), true)
    );
    assert!(
        store
            .documents(folder)
            .expect("they can be read")
            .is_empty()
    );
}

#[test]
fn folders_are_paused_and_removed() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    let kept = store.add_folder("/kept", "kept").expect("it can be added");
    let paused = |store: &Store| -> Vec<(String, bool)> {
        let folders = store.folders().expect("they can be read");
        folders
            .into_iter()
            .map(|folder: Folder| (folder.name, folder.is_paused))
            .collect()
    };
    store
        .set_folder_paused(folder, true)
        .expect("it can be paused");
    assert_eq!(
        paused(&store),
        [("kept".to_owned(), false), ("notes".to_owned(), true)]
    );
    store
        .set_folder_paused(folder, false)
        .expect("it can go on");
    assert_eq!(
        paused(&store),
        [("kept".to_owned(), false), ("notes".to_owned(), false)]
    );

    let batch = [
        put(note(&mut store, folder, "a.md", &[0, 20])),
        put(note(&mut store, kept.id, "a.md", &[0])),
        Change::Fail(problem(folder, "b.md", None, "binary", Severity::Error)),
        Change::Fail(problem(kept.id, "b.md", None, "binary", Severity::Error)),
    ];
    let applied = store.apply(&batch).expect("it can be applied");
    let removed = store.remove_folder(folder).expect("it can be removed");
    assert_eq!(removed.removed, [applied.added[0].document]);
    assert_eq!(removed.generation, applied.generation + 1);
    assert_eq!(listed(&snapshot(&store)), ["/kept/a.md@0-10"]);
    assert_eq!(store.problems().expect("they can be read").len(), 1);
    // Its path is free again, its id is not.
    let again = store
        .add_folder("/notes", "notes")
        .expect("it can be added");
    assert!(again.id != folder && again.id != kept.id);
}
