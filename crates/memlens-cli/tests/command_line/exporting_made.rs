//! `export-made`: what the user made is written from a sound library, from one whose database is damaged, and never over a note or a
//! file of the library.

use std::fs;

use memlens_store::{Store, StoredPreset};
use memlens_tests::Notes;

use crate::memlens::{Memlens, text};

fn library(notes: &Notes) -> Memlens {
    let memlens = Memlens::of(&[notes]);
    let mut store = Store::open(memlens.library()).expect("nobody writes");
    let preset = StoredPreset {
        name: "for the greenhouse".to_owned(),
        params: "{}".to_owned(),
    };
    store.save_preset(&preset).expect("it can be saved");
    store.come_to_rest(true).expect("it can rest");
    memlens
}

#[test]
fn what_the_user_made_is_written_also_from_a_damaged_library() {
    let notes = Notes::new(&[("a.md", "The koi eat at noon.\n")]);
    let memlens = library(&notes);
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let file = out.path().join("made.jsonl");
    let run = memlens.run(&["export-made", text(&file)]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    assert!(run.err.ends_with(" that you made\n"), "{run:?}");
    let sound = fs::read_to_string(&file).expect("it was written");
    assert!(sound.contains("for the greenhouse"), "{sound}");
    assert!(sound.contains(text(notes.path())), "{sound}");
    // To a pipe as well.
    assert_eq!(memlens.print(&["export-made"]), sound);

    let database = memlens.library().join("library.sqlite");
    fs::write(&database, vec![7; 4096]).expect("it can be damaged");
    for log in ["library.sqlite-wal", "library.sqlite-shm"] {
        let _ = fs::remove_file(memlens.library().join(log));
    }
    assert_ne!(memlens.run(&["queries"]).status, 0, "it is damaged");
    let again = out.path().join("again.jsonl");
    let run = memlens.run(&["export-made", text(&again)]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("this is from made.jsonl"), "{run:?}");
    assert_eq!(fs::read_to_string(&again).expect("it was written"), sound);
    // Nothing was repaired or moved meanwhile.
    assert_eq!(fs::read(&database).expect("it is there"), vec![7; 4096]);
}

#[test]
fn no_note_and_no_file_of_the_library_is_overwritten() {
    let notes = Notes::new(&[("a.md", "The koi eat at noon.\n")]);
    let memlens = library(&notes);
    let refuse = |place: &std::path::Path| {
        let run = memlens.run(&["export-made", text(place)]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(run.err.contains("cannot write"), "{run:?}");
    };
    refuse(&notes.at("a.md"));
    refuse(&memlens.library().join("library.sqlite"));
    // The same if only the file beside the database says what is watched.
    fs::write(memlens.library().join("library.sqlite"), vec![7; 4096]).expect("it can be damaged");
    refuse(&notes.at("a.md"));
    let note = fs::read_to_string(notes.at("a.md")).expect("it is there");
    assert_eq!(note, "The koi eat at noon.\n");
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let memlens = Memlens::new();
    let run = memlens.run(&["export-made", text(&scratch.path().join("made.jsonl"))]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(!scratch.path().join("made.jsonl").exists());
}
