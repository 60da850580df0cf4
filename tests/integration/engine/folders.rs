//! Folders are watched, go missing, come back and are removed.
//!
//! Properties checked: a folder that is watched already, or is not a folder, is refused by name; a missing folder keeps
//! its notes, whatever waits to be read in it; a removed folder takes its own notes with it and no others.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use memlens_embed::Hashing;
use memlens_engine::{Indexer, Step};
use memlens_tests::{Notes, check_equals_fresh, content, index, open};

#[test]
fn folders_that_cannot_be_watched_are_refused() {
    let notes = Notes::new(&[("inner/a.md", "The hall.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    indexer
        .add_folder(&notes.at("inner"))
        .expect("it can be added");
    let root = notes.path().display().to_string();
    let library = dir.path().canonicalize().expect("it is there");
    let cases = [
        (notes.at("none"), "cannot open folder {root}/none: No such file or directory (os error 2)".to_owned()),
        (notes.at("inner/a.md"), "cannot open folder {root}/inner/a.md: not a directory".to_owned()),
        (notes.at("inner"), "cannot add {root}/inner: it is already watched".to_owned()),
        // The same folder by another name.
        (notes.at("inner/../inner"), "cannot add {root}/inner: it is already watched".to_owned()),
        (
            notes.path().to_owned(),
            "cannot add {root}: it contains {root}/inner, which is already watched; remove that folder first".to_owned(),
        ),
        (
            library.clone(),
            format!("cannot watch {}: Memlens keeps its own library there", library.display()),
        ),
    ];
    for (path, expected) in cases {
        let error = indexer
            .add_folder(&path)
            .expect_err("it is refused")
            .to_string();
        assert_eq!(error, expected.replace("{root}", &root));
    }
    assert_eq!(
        indexer.store().folders().expect("they can be read").len(),
        1
    );
}

#[test]
fn a_folder_that_is_away_keeps_its_notes() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    let before = content(&open(dir.path()).store());
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);

    // The folder goes missing while changes in it wait to be read.
    notes.write("a.md", "The attic.");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    let away = notes.path().with_file_name("away");
    fs::rename(notes.path(), &away).expect("it can be renamed");
    assert_eq!(
        indexer.run(&go_on, &mut ()).expect("it goes on"),
        Step::Idle
    );
    let error = indexer.scan(&folder, &go_on).expect_err("it is away");
    assert_eq!(
        error.to_string(),
        format!("cannot open folder {}: it does not exist", folder.path)
    );
    assert!(
        !indexer
            .look_at(&folder, &notes.at("a.md"))
            .expect("it can be asked"),
        "a walk must report it"
    );
    assert_eq!(content(indexer.store()), before);

    fs::rename(&away, notes.path()).expect("it can be renamed");
    indexer.scan(&folder, &go_on).expect("it is back");
    assert_eq!(
        indexer.run(&go_on, &mut ()).expect("it goes on"),
        Step::Idle
    );
    drop(indexer);
    check_equals_fresh(dir.path(), &[notes.path()], &["attic hall"]);
}

#[test]
fn a_removed_folder_is_forgotten_and_the_others_stay() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    // The folder that stays comes first, so that it has the same name as in a fresh library.
    index(dir.path(), &[second.path(), first.path()]);
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folders = indexer.store().folders().expect("they can be read");
    let gone = folders
        .iter()
        .find(|folder| Path::new(&folder.path) == first.path())
        .expect("it is watched");
    // Some of its work still has to be done and saved.
    first.write("a.md", "The attic.");
    first.write("c.md", "The cellar.");
    indexer.scan(gone, &go_on).expect("it can be walked");
    indexer.step(&go_on, &mut ()).expect("it can be indexed");
    indexer.remove_folder(gone.id).expect("it can be removed");
    assert_eq!(
        indexer.run(&go_on, &mut ()).expect("it can be indexed"),
        Step::Idle
    );
    drop(indexer);
    check_equals_fresh(dir.path(), &[second.path()], &["attic cellar hall relay"]);
    assert!(first.at("a.md").exists() && first.at("c.md").exists());
}
