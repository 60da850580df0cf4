//! An open library follows its folders by itself, with the real notify and real files.
//!
//! Properties checked: a change to a note is reported once it can be searched, however an editor saves it; afterwards
//! the library equals a fresh one, also after ten thousand files changed at once and if the system reports nothing;
//! folders that are paused, go missing, are replaced or unmounted, and come back; a second engine beside the first.
//!
//! Nothing waits for a fixed time: every step waits for an event of the engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_engine::Watching;
use memlens_engine::acts;
use memlens_engine::preset;
use memlens_engine::view::{EntryState, FolderStatus, Happening, IndexingPhase, Progress};
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{Asked, Notes, hashing, open, recording};

use crate::watched::{Watched, scratch};

#[test]
fn notes_are_followed_as_they_change() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    assert_eq!(it.status(&notes), Some(FolderStatus::Watching));

    notes.write("new.md", "The attic.");
    it.wait_reported(Happening::Added, "new.md");
    assert_eq!(it.found("attic"), ["new.md"]);

    notes.write("a.md", "The cellar.");
    it.wait_reported(Happening::Changed, "a.md");
    assert_eq!(
        (it.found("cellar"), it.found("hall")),
        (vec!["a.md".to_owned()], vec![])
    );

    // As editors save: a new file beside the note, moved into its place.
    for number in 0..3 {
        it.reported.clear();
        notes.write(".a.md.tmp", format!("The cellar, saved {number} times."));
        notes.rename(".a.md.tmp", "a.md");
        it.wait_reported(Happening::Changed, "a.md");
        assert_eq!(it.found(&number.to_string()), ["a.md"]);
    }
    // Or keeping the old file for a moment.
    it.reported.clear();
    notes.rename("a.md", "a.md~");
    notes.write("a.md", "The kitchen.");
    notes.remove("a.md~");
    it.wait("the kitchen is found", |it| it.found("kitchen") == ["a.md"]);
    assert_eq!(it.found("cellar"), [""; 0]);

    notes.rename("new.md", "x/moved.md");
    it.wait_reported(Happening::Renamed, "x/moved.md");
    assert_eq!(it.found("attic"), ["x/moved.md"]);

    notes.remove("x/moved.md");
    it.wait_reported(Happening::Deleted, "x/moved.md");
    assert_eq!(it.found("attic"), [""; 0]);
    assert!(it.engine.activity().len() >= 7 && it.engine.activity()[0].what == Happening::Deleted);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn folders_in_a_folder_are_followed() {
    let notes = Notes::new(&[("x/y/a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);

    notes.rename("x", "z");
    it.wait("the folder's new name is found", |it| {
        it.found("hall") == ["z/y/a.md"] && it.found("relay") == ["z/b.md"]
    });
    // A new folder is followed from then on.
    notes.write("n/e/w/c.md", "The attic.");
    it.wait_reported(Happening::Added, "n/e/w/c.md");
    notes.write("n/e/w/c.md", "The cellar.");
    it.wait_reported(Happening::Changed, "n/e/w/c.md");
    // A folder with notes is moved in from elsewhere, and another is removed.
    let outside = Notes::new(&[("d.md", "The kitchen.")]);
    fs::rename(outside.path(), notes.at("came")).expect("it can be renamed");
    it.wait_reported(Happening::Added, "came/d.md");
    fs::remove_dir_all(notes.at("n")).expect("it can be removed");
    it.wait_reported(Happening::Deleted, "n/e/w/c.md");
    // Ignore rules change what is read.
    notes.write(".ignore", "came\n");
    it.wait_reported(Happening::Deleted, "came/d.md");
    assert_eq!(it.found("kitchen"), [""; 0]);
    notes.remove(".ignore");
    it.wait("the kitchen is back", |it| {
        it.found("kitchen") == ["came/d.md"]
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_folder_goes_away_and_comes_back() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let away = notes.path().with_file_name("away");
    for round in 0..2 {
        fs::rename(notes.path(), &away).expect("it can be renamed");
        it.wait("the folder is missing", |it| {
            it.status(&notes) == Some(FolderStatus::Missing)
        });
        let why = format!(
            "cannot open folder {}: it does not exist; its notes stay in the library, and Memlens watches it again \
             once it is back",
            notes.path().display()
        );
        assert_eq!(
            it.status_and_why(&notes),
            Some((FolderStatus::Missing, why))
        );
        it.wait_reported(Happening::Away, &notes.path().display().to_string());
        assert_eq!(
            (it.found("relay"), it.engine.state().n_files),
            (vec!["b.md".to_owned()], 2)
        );
        // It changes meanwhile.
        fs::write(away.join("a.md"), format!("The attic {round}.")).expect("it can be written");
        fs::rename(&away, notes.path()).expect("it can be renamed");
        it.wait("the folder is back", |it| {
            it.status(&notes) == Some(FolderStatus::Watching)
                && it.found(&round.to_string()) == ["a.md"]
        });
        it.wait_reported(Happening::Back, &notes.path().display().to_string());
        // The folder is followed again.
        it.reported.clear();
        notes.write("b.md", format!("The relay {round}."));
        it.wait_reported(Happening::Changed, "b.md");
    }
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_paused_folder_is_left_alone_until_it_goes_on() {
    let (paused, other) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&paused, &other]);
    let id = it.id(&paused);
    it.engine.pause_folder(id, true).expect("it can be paused");
    assert_eq!(it.status(&paused), Some(FolderStatus::Paused));
    paused.write("a.md", "The attic.");
    paused.write("c.md", "The attic.");
    // Any event there would have been seen before this one.
    for round in 0..3 {
        it.reported.clear();
        other.write("b.md", format!("The relay {round}."));
        it.wait_reported(Happening::Changed, "b.md");
    }
    assert_eq!(
        (it.found("attic"), it.found("hall")),
        (vec![], vec!["a.md".to_owned()])
    );

    it.engine.pause_folder(id, false).expect("it can go on");
    it.wait("what was done meanwhile is found", |it| {
        it.found("attic") == ["a.md", "c.md"]
    });
    assert_eq!(it.status(&paused), Some(FolderStatus::Watching));
    paused.remove("c.md");
    it.wait_reported(Happening::Deleted, "c.md");
    it.check_equals_fresh(dir.path(), &[&paused, &other]);
}

#[test]
fn indexing_is_paused_and_goes_on() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    it.engine.pause_indexing(true);
    notes.write("b.md", "The relay.");
    it.wait("the work that waits is reported", |it| {
        let state = it.engine.state();
        let waits = |progress: &Progress| progress.n_total > progress.n_done;
        state.phase == IndexingPhase::Paused && state.indexing.as_ref().is_some_and(waits)
    });
    assert_eq!(it.found("relay"), [""; 0]);
    it.engine.pause_indexing(false);
    it.wait_reported(Happening::Added, "b.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn what_happened_while_nobody_looked_is_found_at_the_start() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    drop(Watched::of(dir.path(), &[&notes]));
    notes.write("a.md", "The attic.");
    notes.remove("b.md");
    let mut it = Watched::open(dir.path());
    it.wait("the changes are found", |it| {
        it.found("attic") == ["a.md"] && it.found("relay").is_empty()
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_removed_folder_is_forgotten_at_once() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&first, &second]);
    let id = it.id(&second);
    let state = it.engine.remove_folder(id).expect("it can be removed");
    assert_eq!(
        (state.folders.len(), state.n_files, it.found("relay")),
        (1, 1, vec![])
    );
    // The folder can be added again.
    it.engine
        .add_folder(second.path())
        .expect("it can be added");
    it.wait("it is back", |it| it.found("relay") == ["b.md"]);
    it.check_equals_fresh(dir.path(), &[&first, &second]);
}

#[test]
fn a_folder_that_moved_is_found_again_and_keeps_what_was_said_of_it() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall."), ("old/b.md", "The relay.")]),
        Notes::new(&[("c.md", "The attic.")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&first, &second]);
    let id = it.id(&first);
    acts::set_evergreen(&it.engine, id, "old", true).expect("it can be marked");
    let elsewhere = Notes::new(&[]);
    let to = elsewhere.path().join("kept");
    fs::rename(first.path(), &to).expect("it can be moved");
    it.wait("it is missing", |it| {
        let state = it.engine.state();
        let folder = state.folders.iter().find(|one| one.id == id.0.to_string());
        folder.is_some_and(|one| one.status == FolderStatus::Missing)
    });
    let refused = it.engine.move_folder(id, second.path());
    assert!(refused.is_err(), "another folder is watched there");
    let refused = it.engine.move_folder(id, &to.join("nowhere"));
    assert!(refused.is_err(), "nothing is there");
    assert_eq!(it.found("relay"), ["old/b.md"]);

    it.engine.move_folder(id, &to).expect("it can be moved");
    it.wait("it is back", |it| it.found("relay") == ["old/b.md"]);
    let state = it.engine.state();
    let folder = state.folders.iter().find(|one| one.id == id.0.to_string());
    assert_eq!(folder.map(|one| one.name.as_str()), Some("kept"));
    let kept = it.engine.library().evergreen().expect("they can be listed");
    assert_eq!(
        kept.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(),
        ["old"]
    );
    fs::write(to.join("d.md"), "The cellar.").expect("it can be written");
    it.wait("it is watched there", |it| it.found("cellar") == ["d.md"]);
}

#[test]
fn a_second_engine_reads_what_the_first_writes_and_takes_over_from_it() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut first = Watched::of(dir.path(), &[&notes]);
    let mut second = Watched::open(dir.path());
    let read_only = second
        .engine
        .state()
        .read_only
        .expect("the first one writes");
    assert!(
        read_only.contains(&format!("process {}", std::process::id())),
        "{read_only}"
    );
    let error = second
        .engine
        .add_folder(dir.path())
        .expect_err("it only reads");
    assert!(
        error.to_string().starts_with("cannot change the library: "),
        "{error}"
    );

    notes.write("b.md", "The relay.");
    first.wait_reported(Happening::Added, "b.md");
    second.wait("the other one's change is found", |it| {
        it.found("relay") == ["b.md"]
    });

    drop(first);
    second.wait("it may write", |it| {
        it.engine.state().read_only.is_none() && it.status(&notes) == Some(FolderStatus::Watching)
    });
    notes.write("c.md", "The attic.");
    second.wait_reported(Happening::Added, "c.md");
    second.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_note_is_found_however_an_editor_saves_it() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let at = |path: &str| notes.at(path);
    let write = |path: &str, text: &str| fs::write(at(path), text).expect("it can be written");
    let rename = |from: &str, to: &str| fs::rename(at(from), at(to)).expect("it can be renamed");
    let remove = |path: &str| fs::remove_file(at(path)).expect("it can be removed");
    type Save<'a> = (&'static str, &'a dyn Fn(&str));
    let saves: &[Save<'_>] = &[
        ("in place", &|text| write("a.md", text)),
        ("beside and put in place", &|text| {
            write("a.md.tmp", text);
            rename("a.md.tmp", "a.md");
        }),
        ("with a hidden file beside", &|text| {
            write(".a.md.swp", "swap");
            write("4913", "");
            remove("4913");
            rename("a.md", "a.md~");
            write("a.md", text);
            remove("a.md~");
            remove(".a.md.swp");
        }),
        ("with a lock and a copy that is saved by itself", &|text| {
            #[cfg(unix)]
            std::os::unix::fs::symlink("ada@home.1:2", at(".#a.md")).expect("a link can be made");
            write("#a.md#", "The cellar that is never found.");
            write("a.md", text);
            remove("#a.md#");
            #[cfg(unix)]
            remove(".#a.md");
        }),
        ("removed and rewritten", &|text| {
            remove("a.md");
            write("a.md", text);
        }),
        ("emptied and written in pieces", &|text| {
            write("a.md", "");
            for end in 1..=text.len() {
                write("a.md", &text[..end]);
            }
        }),
        ("with the time of before", &|text| {
            let before = at("a.md").metadata().expect("it is there").modified();
            write("a.md", text);
            let file = fs::File::options().write(true).open(at("a.md"));
            file.and_then(|file| file.set_modified(before?))
                .expect("it can be dated");
        }),
    ];
    for (number, (name, save)) in saves.iter().enumerate() {
        // The texts have the same length, so the size shows nothing.
        save(&format!("The hall, as saved{number}."));
        it.wait(&format!("what was saved {name} is found"), |it| {
            it.found(&format!("saved{number}")) == ["a.md"]
        });
        assert_eq!(it.found("cellar"), [""; 0]);
    }
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn ten_thousand_files_change_at_once() {
    let notes = Notes::new(&[]);
    let text = |number: usize, what: &str| format!("The {what} relay number {number}.");
    let path = |number: usize| notes.at(&format!("{}/{number}.md", number % 40));
    for folder in 0..40 {
        fs::create_dir(notes.at(&folder.to_string())).expect("a folder can be made");
    }
    for number in 0..6000 {
        fs::write(path(number), text(number, "old")).expect("it can be written");
    }
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    assert_eq!(it.engine.state().n_files, 6000);
    for number in 0..3000 {
        fs::remove_file(path(number)).expect("it can be removed");
        fs::write(path(number + 3000), text(number, "new")).expect("it can be written");
    }
    // Some are in new folders, which are filled while they are noticed.
    for number in 6000..10_000 {
        let folder = notes.at(&format!("new/{}/{}", number % 50, number % 7));
        fs::create_dir_all(&folder).expect("folders can be made");
        fs::write(folder.join(format!("{number}.md")), text(number, "late"))
            .expect("it can be written");
    }
    it.wait("all of it is in the library", |it| {
        let state = it.engine.state();
        state.n_files == 7000 && state.indexing.is_none()
    });
    // These folders are followed too.
    notes.write("new/7/3/last.md", "The very last one.");
    it.wait_reported(Happening::Added, "new/7/3/last.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn folders_are_looked_through_where_the_system_tells_nothing() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let polled = Watching {
        polls: true,
        ..Watching::default()
    };
    let mut it = Watched::open_with(dir.path(), hashing(), polled).adding(&[&notes]);
    assert_eq!(
        it.status_and_why(&notes),
        Some((
            FolderStatus::Polling,
            "checked every 5 s because polling was requested".to_owned()
        ))
    );
    notes.write("x/y/new.md", "The attic.");
    notes.remove("a.md");
    // A problem of a file is reported once, however often it is seen.
    notes.write("bad.md", "no\0text");
    it.wait_reported(Happening::Added, "x/y/new.md");
    it.wait_reported(Happening::Skipped, "bad.md");
    it.reported.clear();
    notes.write("x/b.md", "The loud relay.");
    it.wait_reported(Happening::Changed, "x/b.md");
    assert!(
        !it.has_reported(Happening::Skipped, "bad.md"),
        "{:?}",
        it.reported
    );
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn another_folder_in_the_place_of_the_first_is_taken_up() {
    let notes = Notes::new(&[("a.md", "The hall."), ("same.md", "The relay.")]);
    let other = Notes::new(&[("b.md", "The attic."), ("same.md", "The relay.")]);
    let dir = scratch();
    let asked = Arc::new(Asked::default());
    let mut it =
        Watched::open_with(dir.path(), recording(&asked), Watching::default()).adding(&[&notes]);
    let n_texts = asked.texts().len();
    let away = notes.path().with_file_name("away");
    fs::rename(notes.path(), &away).expect("it can be renamed");
    fs::rename(other.path(), notes.path()).expect("it can be renamed");
    it.wait("the other one's notes are found", |it| {
        it.found("attic") == ["b.md"] && it.found("hall").is_empty()
    });
    it.reported.clear();
    notes.write("b.md", "The cellar.");
    it.wait_reported(Happening::Changed, "b.md");

    // The whole path goes, and the first folder comes back with it: none of its notes is embedded again.
    let above = notes.path().parent().expect("it has one");
    let moved = above.with_extension("moved");
    fs::rename(above, &moved).expect("it can be renamed");
    it.wait("the folder is missing", |it| {
        it.status(&notes) == Some(FolderStatus::Missing)
    });
    fs::remove_dir_all(moved.join("notes")).expect("it can be removed");
    fs::rename(moved.join("away"), moved.join("notes")).expect("it can be renamed");
    fs::rename(&moved, above).expect("it can be renamed");
    it.wait("the first one's notes are found", |it| {
        it.found("hall") == ["a.md"] && it.status(&notes) == Some(FolderStatus::Watching)
    });
    let embedded_texts: Vec<String> = asked.texts().split_off(n_texts);
    assert!(
        embedded_texts
            .iter()
            .all(|text| !["The hall.", "The relay."].contains(&text.as_str())),
        "{embedded_texts:?}"
    );
    it.reported.clear();
    notes.write("a.md", "The kitchen.");
    it.wait_reported(Happening::Changed, "a.md");
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn a_disk_that_is_not_mounted_keeps_its_notes() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = scratch();
    drop(Watched::of(dir.path(), &[&notes]));
    // This simulates a mounted disk: mounting one takes rights that a test does not have.
    let path = notes.path().display().to_string();
    let mut store = Store::open(dir.path()).expect("it can be opened");
    let folder = store.folders().expect("they can be read")[0].id;
    if store.folders().expect("they can be read")[0]
        .mount
        .is_none()
    {
        return; // This system does not list what is mounted where.
    }
    store
        .set_folder_mount(folder, Some(&path))
        .expect("it can be noted");
    drop(store);
    let away = notes.path().with_file_name("away");
    fs::rename(notes.path(), &away).expect("it can be renamed");
    fs::create_dir(notes.path()).expect("a folder can be made");

    let mut it = Watched::open(dir.path());
    it.wait("the disk is missing", |it| {
        it.status(&notes) == Some(FolderStatus::Missing)
    });
    let why = format!(
        "cannot open folder {path}: it is empty, and no disk is mounted at {path} any more; its notes stay in \
         the library, and Memlens watches it again once it is back"
    );
    assert_eq!(
        it.status_and_why(&notes),
        Some((FolderStatus::Missing, why))
    );
    assert_eq!(
        (it.found("relay"), it.engine.state().n_files),
        (vec!["b.md".to_owned()], 2)
    );
    fs::remove_dir(notes.path()).expect("it can be removed");
    fs::write(away.join("b.md"), "The attic.").expect("it can be written");
    fs::rename(&away, notes.path()).expect("it can be renamed");
    it.wait("the disk is back", |it| {
        it.status(&notes) == Some(FolderStatus::Watching) && it.found("attic") == ["b.md"]
    });

    // A folder that is only emptied holds nothing any more.
    notes.remove("a.md");
    notes.remove("b.md");
    it.wait("the notes are gone", |it| it.engine.state().n_files == 0);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn files_that_wait_to_be_read_are_shown_as_waiting() {
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let states = |it: &Watched| -> Vec<(String, EntryState)> {
        let tree = it.engine.trees().expect("they can be explained").remove(0);
        let mut states: Vec<(String, EntryState)> = Vec::new();
        let mut entries = tree.entries;
        while let Some(entry) = entries.pop() {
            states.push((entry.path, entry.state));
            entries.extend(entry.children);
        }
        states.sort();
        states
    };
    let expected = |listed: &[(&str, EntryState)]| -> Vec<(String, EntryState)> {
        let listed = listed.iter();
        listed
            .map(|(path, state)| ((*path).to_owned(), *state))
            .collect()
    };
    it.engine.pause_indexing(true);
    notes.write("x/b.md", "The attic.");
    notes.write("new.md", "The cellar.");
    let waiting = expected(&[
        ("a.md", EntryState::Indexed),
        ("new.md", EntryState::Pending),
        ("x", EntryState::Pending),
        ("x/b.md", EntryState::Pending),
    ]);
    it.wait("both wait", |it| states(it) == waiting);
    it.engine.pause_indexing(false);
    it.wait_reported(Happening::Added, "new.md");
    it.wait("nothing waits", |it| {
        states(it)
            .iter()
            .all(|(_, state)| *state == EntryState::Indexed)
    });
    it.check_equals_fresh(dir.path(), &[&notes]);
}

#[test]
fn everything_is_forgotten_at_once() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    for number in 0..200 {
        notes.write(
            &format!("{number}.md"),
            format!("The quiet relay {number}. ").repeat(40),
        );
    }
    let dir = scratch();
    let asked = Arc::new(Asked::default());
    let it =
        Watched::open_with(dir.path(), recording(&asked), Watching::default()).adding(&[&notes]);
    acts::save_preset(&it.engine, "mine", &Params::default()).expect("it can be saved");
    let before = it.engine.library().data_size();
    let reader = open(dir.path());

    let state = it.engine.erase_all().expect("it can be erased");
    assert_eq!(
        (
            state.folders.len(),
            state.n_files,
            state.n_chunks,
            state.n_problems
        ),
        (0, 0, 0, 0)
    );
    assert_eq!((it.found("relay"), it.engine.activity().len()), (vec![], 0));
    assert!(
        preset::presets(it.engine.library())
            .expect("they can be read")
            .iter()
            .all(|preset| preset.is_built_in)
    );
    let store = Store::open_read_only(dir.path()).expect("it can be read");
    assert_eq!(store.n_embeddings().expect("they can be counted"), 0);
    drop(store);
    let after = it.engine.library().data_size();
    assert!(
        after.database < before.database / 4.0
            && after.vectors < 1000.0
            && after.total < before.total / 4.0,
        "{before:?} {after:?}"
    );
    for path in files(dir.path()) {
        let bytes = fs::read(&path).expect("it can be read");
        let is_found = bytes.windows(11).any(|part| part == b"quiet relay");
        assert!(!is_found, "{} still holds notes", path.display());
    }
    // Other readers drop it too.
    assert!(reader.refresh().expect("it can be taken up"));
    assert_eq!(reader.lists().snapshot.n_chunks(), 0);
    assert!(notes.at("a.md").exists(), "the notes stay");

    // The folder is added as a new one, whose texts are all embedded again.
    let n_asked = |text: &str| asked.texts().iter().filter(|it| *it == text).count();
    assert_eq!(n_asked("The hall."), 1);
    let it = it.adding(&[&notes]);
    assert_eq!(n_asked("The hall."), 2);
    it.check_equals_fresh(dir.path(), &[&notes]);
}

/// All files below a folder.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}
