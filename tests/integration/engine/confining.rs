//! Nothing outside the watched folders is shown, searched, opened or written, under any name, and whatever takes a
//! note's place after it was indexed.
//!
//! Every name of the table goes to every function that takes a name. No function may return text from outside.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use memlens_engine::{EngineError, FolderId, Library, Place, Scope, preset, report, why_typed};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, image, index, open};

/// A text that every note outside holds and no note inside.
const SECRET: &str = "the safe opens with 4711";
/// The note inside that is used first.
const NOTE: &str = "a/note.md";

/// A watched folder, and notes beside it that hold the secret.
struct Ground {
    notes: Notes,
    library: tempfile::TempDir,
}

impl Ground {
    fn new() -> Ground {
        let notes = Notes::new(&[
            (NOTE, "Oolong is drunk at night."),
            ("b.md", "Tea is green."),
        ]);
        for outside in ["../secret.md", "../notes-2/note.md", "../a/note.md"] {
            let path = notes.at(outside);
            fs::create_dir_all(path.parent().expect("it lies in a folder"))
                .expect("folders can be made");
            fs::write(path, format!("# Secret\n\n{SECRET}\n")).expect("it can be written");
        }
        let library = fresh(&[notes.path()]);
        Ground { notes, library }
    }

    fn outside(&self) -> PathBuf {
        let outside = self.notes.path().parent();
        outside.expect("it lies in a folder").to_owned()
    }

    /// Returns names that lead out of the folder on some system, or nowhere.
    fn names(&self) -> Vec<String> {
        let secret = self.notes.at("../secret.md");
        let settled = self.outside().join("secret.md");
        let fixed = [
            "",
            ".",
            "..",
            "/",
            "~",
            "../secret.md",
            "./../secret.md",
            "a/../../secret.md",
            "a/../../../../../../../../etc/passwd",
            "a/..",
            "../notes-2/note.md",
            "../notes/../secret.md",
            "/etc/passwd",
            "//etc/passwd",
            "~/secret.md",
            "a//../../secret.md",
            "..%2fsecret.md",
            "%2e%2e/secret.md",
            "%2e%2e%2fsecret.md",
            "..%c0%afsecret.md",
            "..\\secret.md",
            "a\\..\\..\\secret.md",
            "..\u{2215}secret.md",
            "\u{ff0e}\u{ff0e}/secret.md",
            "C:\\secret.md",
            "C:secret.md",
            "C:/secret.md",
            "\\\\server\\share\\secret.md",
            "\\\\?\\C:\\secret.md",
            "//?/C:/secret.md",
            "file:///etc/passwd",
            "a/note.md/../../../secret.md",
            "a/note.md\0/../../../secret.md",
            "../secret.md\0a/note.md",
            "../secret.md:1",
            " ../secret.md",
            "../secret.md ",
            "leads-out.md",
            "leads-out/secret.md",
            "leads-out/notes/../secret.md",
            "leads-to-note-2.md",
        ];
        let mut names: Vec<String> = fixed.map(str::to_owned).into();
        names.extend([secret, settled].map(|path| path.display().to_string()));
        names
    }
}

/// Calls every function that takes a name with this one. Panics if the secret or a path outside comes out.
fn ask_all(ground: &Ground, library: &Library, folder: FolderId, name: &str) {
    let check = |what: &str, reported: String| {
        assert!(!reported.contains("4711"), "{what} {name:?}: {reported}");
    };
    let note = library.document(folder, name);
    assert!(note.is_err(), "document {name:?}");
    check("document", note.unwrap_err().to_string());
    // The name of a folder, or of nothing.
    let path = library.absolute(folder, name);
    assert!(path.is_err(), "open in editor {name:?}: {path:?}");
    let place = memlens_engine::location(library, folder, name);
    let is_inside = place.as_ref().is_ok_and(|place| {
        // A link is shown where it is, so only the folder around it is resolved.
        let root = ground.notes.path();
        let around = place.parent().and_then(|at| at.canonicalize().ok());
        place == root || around.is_some_and(|at| at.starts_with(root))
    });
    assert!(place.is_err() || is_inside, "show {name:?}: {place:?}");

    let params = Params::default();
    let search_in = |scope: &Scope| {
        // A part of the memory without notes may be refused or empty.
        let Ok(search) = library.search("the safe opens with", &params, Some(scope)) else {
            return;
        };
        let report = report(library, &search, &params).expect("a search can be explained");
        let report = serde_json::to_string(&report).expect("a report is plain data");
        check("search", report);
    };
    search_in(&Scope {
        folder,
        path: name.to_owned(),
    });
    if let Ok(scope) = library.scope(name) {
        search_in(&scope);
    }

    let search = library
        .search("the safe opens with", &params, None)
        .expect("it can be searched");
    let why = |place: Result<_, _>| match place {
        Ok(answer) => check(
            "why",
            serde_json::to_string(&answer).expect("an answer is plain data"),
        ),
        Err(error) => {
            let error: EngineError = error;
            check("why", error.to_string());
        }
    };
    why(memlens_engine::why(
        library,
        &search,
        &params,
        &Place {
            folder,
            path: name.to_owned(),
            line: None,
        },
        None,
    ));
    for here in [None, Some(ground.notes.path()), Some(&*ground.outside())] {
        why(why_typed(library, &search, &params, name, here));
    }
}

#[cfg(unix)]
fn link(to: impl AsRef<Path>, at: &Path) {
    std::os::unix::fs::symlink(to, at).expect("a link can be made");
}

#[cfg(unix)]
#[test]
fn no_name_leads_out_of_a_watched_folder() {
    let ground = Ground::new();
    let (notes, outside) = (&ground.notes, ground.outside());
    link(outside.join("secret.md"), &notes.at("leads-out.md"));
    link(&outside, &notes.at("leads-out"));
    link("../notes-2/note.md", &notes.at("leads-to-note-2.md"));
    index(ground.library.path(), &[notes.path()]);
    let library = open(ground.library.path());
    let [folder] = &library.lists().snapshot.folders[..] else {
        panic!("one folder is watched")
    };
    let note = library.document(folder.id, NOTE).expect("it is inside");
    assert!(note.text.contains("Oolong"));
    let path = library.absolute(folder.id, NOTE).expect("it is inside");
    assert_eq!(path, notes.at(NOTE));
    for name in ground.names() {
        ask_all(&ground, &library, folder.id, &name);
        // A folder that is not watched gives no access either.
        ask_all(&ground, &library, FolderId(folder.id.0 + 1), &name);
    }
    // A note has one name; other paths to it are not accepted.
    for other in [
        "./a/note.md",
        "a/./note.md",
        "a//note.md",
        "a/note.md/",
        "A/../a/note.md",
    ] {
        assert!(library.document(folder.id, other).is_err(), "{other}");
    }
}

#[cfg(unix)]
#[test]
fn what_takes_a_notes_place_later_is_not_followed() {
    /// Replaces a note of the ground by something else.
    type Swap = fn(&Ground);
    let swaps: &[(&str, Swap)] = &[
        ("the note by a link", |ground| {
            ground.notes.remove(NOTE);
            link(ground.outside().join("secret.md"), &ground.notes.at(NOTE));
        }),
        ("the note by a link that is relative", |ground| {
            ground.notes.remove(NOTE);
            link("../../secret.md", &ground.notes.at(NOTE));
        }),
        ("its folder by a link", |ground| {
            ground.notes.rename("a", "c");
            link(ground.outside().join("a"), &ground.notes.at("a"));
        }),
        ("the note by a link to a link", |ground| {
            ground.notes.remove(NOTE);
            link("../between.md", &ground.notes.at(NOTE));
            link("../secret.md", &ground.notes.at("between.md"));
        }),
    ];
    for (what, swap) in swaps {
        let ground = Ground::new();
        let library = open(ground.library.path());
        let folder = library.lists().snapshot.folders[0].id;
        assert!(library.document(folder, NOTE).is_ok());
        swap(&ground);
        // At once, while the library still holds the old note.
        ask_all(&ground, &library, folder, NOTE);
        // And after the library was indexed again.
        index(ground.library.path(), &[ground.notes.path()]);
        let library = open(ground.library.path());
        ask_all(&ground, &library, folder, NOTE);
        let documents = &library.lists().snapshot.documents;
        assert!(
            documents.iter().all(|document| document.path != NOTE),
            "{what}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_preset_is_written_into_no_watched_folder() {
    let ground = Ground::new();
    let (notes, outside) = (&ground.notes, ground.outside());
    link(notes.path(), &outside.join("to-notes"));
    link(notes.at("a"), &outside.join("to-a"));
    let library = open(ground.library.path());
    let before = image(notes.path());
    let refused = [
        notes.at("memlens.json"),
        notes.at("a/memlens.json"),
        notes.at("a/../memlens.json"),
        notes.at("../notes/memlens.json"),
        notes.at("../notes-2/../notes/b.md"),
        outside.join("to-notes/memlens.json"),
        outside.join("to-notes/../notes/memlens.json"),
        outside.join("to-a/memlens.json"),
        outside.join("to-a/../memlens.json"),
        outside.join("nowhere/../notes/memlens.json"),
    ];
    for path in refused {
        let written = preset::write_preset(&library, &Params::default(), &path, &[]);
        assert!(written.is_err(), "{}", path.display());
        assert_eq!(image(notes.path()), before, "{}", path.display());
    }
    // The target of a link decides.
    link(notes.at("b.md"), &outside.join("link.json"));
    let written = preset::write_preset(
        &library,
        &Params::default(),
        &outside.join("link.json"),
        &[],
    );
    assert!(matches!(written, Err(EngineError::WatchedPlace { .. })));
    assert_eq!(image(notes.path()), before);
}

#[test]
fn no_file_of_a_person_is_written_into_the_library() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let held = || fs::read(dir.path().join("library.sqlite")).expect("it is there");
    let before = held();
    for name in [
        "library.sqlite",
        "new.json",
        "text/new.json",
        "text/../new.json",
    ] {
        let path = dir.path().join(name);
        for written in [
            preset::write_preset(&library, &Params::default(), &path, &[]),
            library.write_feedback(&path),
        ] {
            assert!(
                matches!(written, Err(EngineError::OwnPlace { .. })),
                "{name}: {written:?}"
            );
        }
        assert_eq!(path.exists(), name == "library.sqlite", "{name}");
    }
    assert!(held() == before, "the library changed");
}

#[test]
fn nothing_is_written_into_a_watched_folder() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("x/b.md", "The relay."),
        ("bad.jsonl", "{"),
        ("c.md", "no\0text"),
    ]);
    let before = image(notes.path());
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let search = library
        .search("relay hall", &Params::default(), None)
        .expect("it can be searched");
    library
        .answer(&search, &Params::default())
        .expect("it can be explained");
    search
        .journey(&Params::default(), 0)
        .expect("it can be explained");
    let folder = library.store().folders().expect("they can be read")[0].id;
    library
        .document(folder, "x/b.md")
        .expect("it can be opened");
    library
        .tree(folder, &HashSet::new())
        .expect("it can be explained");
    for path in [
        notes.at("memlens.json"),
        notes.at("x/memlens.json"),
        notes.at("x/../memlens.json"),
    ] {
        let error = preset::write_preset(&library, &Params::default(), &path, &[])
            .expect_err("it is refused");
        let expected = format!(
            "cannot write {}: it is in {}, a watched folder, where Memlens never writes",
            path.display(),
            notes.path().display()
        );
        assert_eq!(error.to_string(), expected);
    }
    index(dir.path(), &[notes.path()]);
    assert!(image(notes.path()) == before, "the notes' folder changed");
}
