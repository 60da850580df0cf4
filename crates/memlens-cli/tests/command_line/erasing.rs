//! `erase`: everything is erased if that is confirmed. Otherwise nothing is, and never a foreign file.

use std::fs;

use memlens_tests::{Notes, image};
use serde_json::json;

use crate::memlens::{Memlens, text};

#[test]
fn everything_is_forgotten_when_it_is_asked_for_plainly() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let memlens = Memlens::of(&[&notes]);
    let library = memlens.library().display().to_string();
    let before = image(memlens.library());
    let run = memlens.run(&["erase"]);
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
    let expected = format!("memlens: cannot erase {library} without --yes: this deletes ");
    assert!(
        run.err.starts_with(&expected)
            && run.err.ends_with(
                " bytes (folders: 1, files: 2, presets: 0, thumbs: 0, query sets: 0, runs: 0), settings, downloaded models and keys in the keyring; your notes are not touched\n"
            ),
        "{run:?}"
    );
    let files = |image: memlens_tests::Image| -> Vec<_> {
        // The files that SQLite keeps beside the database for readers are left out.
        let kept = image.into_iter().filter(|(path, _)| {
            path.is_file() && !path.to_string_lossy().contains("library.sqlite-")
        });
        kept.collect()
    };
    assert!(
        files(image(memlens.library())) == files(before),
        "nothing was asked for"
    );

    let out = memlens.print(&["erase", "--yes"]);
    assert!(out.starts_with("erased; "), "{out}");
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(
        (&status["n_files"], &status["n_chunks"], &status["folders"]),
        (&json!(0), &json!(0), &json!([]))
    );
    assert_eq!(
        memlens.json(&["search", "hall", "--json"])["results"],
        json!([])
    );
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(
        (
            &report["n_added"],
            &report["n_embedded"],
            &report["notices"]
        ),
        (&json!(2), &json!(2), &json!([]))
    );
    assert!(notes.at("x/b.md").exists());
}

#[test]
fn a_library_that_cannot_be_erased_stays() {
    let memlens = Memlens::new();
    let missing = format!(
        "there is no library in {}: index a folder first",
        memlens.library().display()
    );
    memlens.refused(&["erase"], 1, &missing);
    memlens.refused(&["erase", "--yes"], 1, &missing);

    // A damaged library can be erased too.
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let database = memlens.library().join("library.sqlite");
    fs::remove_file(&database).expect("it can be removed");
    fs::write(&database, "no database at all".repeat(100)).expect("it can be written");
    let run = memlens.run(&["search", "hall"]);
    assert_eq!(run.status, 1, "{run:?}");
    let damaged = format!("the library's database {} is damaged: ", database.display());
    assert!(
        run.err.contains(&damaged) && run.err.contains("`memlens erase --yes`"),
        "{run:?}"
    );
    let run = memlens.run(&["erase"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains(&damaged) && database.exists(), "{run:?}");
    memlens.print(&["erase", "--yes"]);
    assert_eq!(
        memlens.json(&["index", text(notes.path()), "--json"])["n_added"],
        1
    );
}

#[test]
fn what_lies_in_the_librarys_folder_and_is_not_its_own_stays() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::new();
    // A folder with the user's own files, given by mistake.
    let novel = memlens.library().join("text/novel.txt");
    let drawing = memlens.library().join("vectors/drawing.svg");
    for precious in [&novel, &drawing] {
        fs::create_dir_all(precious.parent().expect("it lies in a folder"))
            .expect("it can be made");
        fs::write(precious, "precious").expect("it can be written");
    }
    let refused = format!(
        "cannot create list in {}: the folder contains \"novel.txt\", which is not part of a list and would be lost; choose another \
         folder for the library, or move it away",
        memlens.library().join("text").display()
    );
    memlens.refused(&["index", text(notes.path())], 1, &refused);
    assert_eq!(fs::read_to_string(&novel).expect("it is there"), "precious");
    fs::remove_file(&novel).expect("it can be removed");
    let run = memlens.run(&["index", text(notes.path())]);
    assert_eq!(run.status, 0, "{run:?}");
    memlens.print(&["erase", "--yes"]);
    assert_eq!(
        fs::read_to_string(&drawing).expect("it is there"),
        "precious"
    );
}
