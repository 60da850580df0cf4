//! A flipped bit anywhere in a library, as on a failing disk, is never served.
//!
//! Properties checked: whatever bit of whatever file flips, nothing panics, and every text served is one that was
//! saved; a note with a flipped text or vector is refused by name and read again by the next walk of any folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_embed::Hashing;
use memlens_engine::{EngineError, Indexer, Library, Observer};
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{Notes, answers, check_equals_fresh, hashing, index, open};

use crate::sound::{QUERIES, Sound, copy, sound};

/// The number of bits flipped in each file, one at a time.
const FLIPS_PER_FILE: usize = 16;

/// Returns every file below a folder that is not empty, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.metadata().expect("it is there").len() > 0 {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Returns the text of every chunk that a reader finds.
fn texts(library: &Library) -> Result<BTreeSet<String>, EngineError> {
    let mut texts = BTreeSet::new();
    for query in QUERIES {
        let search = library.search(query, &Params::default(), None)?;
        library.answer(&search, &Params::default())?;
        let slots: Vec<u32> = (0..).take(search.set().candidates.len()).collect();
        let read = search.texts(&slots)?;
        texts.extend(read.into_iter().flatten());
    }
    Ok(texts)
}

/// Opens, walks and indexes as a writer does.
fn write(dir: &Path) -> Result<(), EngineError> {
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) = Indexer::open(dir, Box::new(Hashing::default()))?;
    for folder in indexer.store().folders()? {
        // A damaged path leads nowhere.
        let _ = indexer.scan(&folder, &go_on);
    }
    indexer.run(&go_on, &mut ())?;
    Ok(())
}

#[test]
fn no_bit_that_turned_is_served() {
    let it = sound();
    let saved = texts(&open(it.dir.path())).expect("it is sound");
    let whole = tempfile::tempdir().expect("a scratch folder can be made");
    copy(it.dir.path(), whole.path());
    for file in files(whole.path()) {
        let name = file.strip_prefix(whole.path()).expect("it lies in it");
        for number in 0..FLIPS_PER_FILE {
            copy(whole.path(), it.dir.path());
            let path = it.dir.path().join(name);
            let mut bytes = fs::read(&path).expect("it can be read");
            // Spread over the whole file, with another bit each time.
            let at = (number * bytes.len() / FLIPS_PER_FILE + number * 37) % bytes.len();
            bytes[at] ^= 1 << (number % 8);
            fs::write(&path, bytes).expect("it can be written");
            let check = |found: Result<BTreeSet<String>, EngineError>| match found {
                Ok(found) => assert!(
                    found.is_subset(&saved),
                    "{} at {at}: {found:?}",
                    name.display()
                ),
                Err(error) => assert!(error.to_string().starts_with("cannot "), "{error}"),
            };
            check(Library::open(it.dir.path(), hashing()).and_then(|library| texts(&library)));
            let written = write(it.dir.path());
            check(
                written
                    .and_then(|()| Library::open(it.dir.path(), hashing()))
                    .and_then(|library| texts(&library)),
            );
        }
    }
}

#[derive(Default)]
struct Recorder(Vec<String>);

impl Observer for Recorder {
    fn noticed(&mut self, notice: &str) {
        self.0.push(notice.to_owned());
    }
}

/// Changes a sound library's database without the library's knowledge.
fn alter(it: &Sound, sql: &str) {
    let database =
        rusqlite::Connection::open(it.dir.path().join("library.sqlite")).expect("it is SQLite");
    let n_changed = database.execute(sql, []).expect("it can be changed");
    assert_eq!(n_changed, 1);
}

/// Walks the folder and checks that one note is read again, and that the library is then as before.
fn check_read_again(it: &Sound, mut indexer: Indexer, n_embedded: u32) -> Recorder {
    let mut recorder = Recorder::default();
    let go_on = AtomicBool::new(false);
    let folder = &indexer.store().folders().expect("they can be read")[0];
    indexer.scan(folder, &go_on).expect("it can be walked");
    // Until then the note is not found.
    let found = texts(&open(it.dir.path())).expect("the others are sound");
    assert!(found.iter().all(|text| !text.contains("hall 3")));
    indexer
        .run(&go_on, &mut recorder)
        .expect("it can be indexed");
    let counts = indexer.counts();
    assert_eq!(
        (counts.n_added, counts.n_unchanged, counts.n_embedded),
        (1, 11, n_embedded)
    );
    drop(indexer);
    let library = open(it.dir.path());
    assert_eq!(library.notices(), [""; 0]);
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    recorder
}

const FORGOTTEN: &str = "3.md was damaged in the library, perhaps by a disk fault; it will be re-indexed at the next scan";

#[test]
fn a_text_that_turned_is_refused_and_read_again() {
    let it = sound();
    alter(
        &it,
        "UPDATE chunks SET text = replace(text, 'quiet', 'quick') WHERE text LIKE '%hall 3.'",
    );
    let found = texts(&open(it.dir.path())).expect("the others are sound");
    assert!(found.iter().all(|text| !text.contains("hall 3")));
    let (indexer, notices) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    assert_eq!(notices, [""; 0]);
    assert_eq!(check_read_again(&it, indexer, 0).0, [FORGOTTEN]);
}

#[test]
fn a_vector_that_turned_is_forgotten_and_embedded_again() {
    let it = sound();
    // Four numbers that are NaN.
    alter(
        &it,
        "UPDATE embeddings SET vector = CAST(x'ffffffffffffffffffffffffffffffff' || substr(vector, 17) AS BLOB)
         WHERE id = (SELECT embedding FROM chunks WHERE text LIKE '%hall 3.')",
    );
    // The list is sound and answers as before, until it must be rebuilt.
    let found = answers(&open(it.dir.path()), &QUERIES, &Params::default());
    assert_eq!(found, it.answers);
    fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there");
    let (indexer, notices) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    assert_eq!(notices.last().map(String::as_str), Some(FORGOTTEN));
    assert_eq!(check_read_again(&it, indexer, 1).0, [""; 0]);
}

#[test]
fn a_note_that_waits_to_be_saved_outlives_its_embedding() {
    let it = sound();
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    // The note seen last comes first: it uses an existing embedding, and waits for the other.
    let text = fs::read_to_string(it.notes.path().join("3.md")).expect("it is there");
    for (name, text) in [("other.md", "The attic."), ("copy.md", &*text)] {
        it.notes.write(name, text);
        let found = indexer.look_at(&folder, &it.notes.path().join(name));
        assert!(found.expect("it can be looked at"));
    }
    let mut recorder = Recorder::default();
    indexer.step(&go_on, &mut recorder).expect("it can be read");
    alter(
        &it,
        "UPDATE embeddings SET vector = zeroblob(length(vector))
         WHERE id = (SELECT embedding FROM chunks WHERE text LIKE '%hall 3.')",
    );
    // Its own folder is not walked meanwhile, which would also read it again.
    let away = Notes::new(&[("away.md", "The cellar.")]);
    let folder = indexer.add_folder(away.path()).expect("it can be added");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer
        .run(&go_on, &mut recorder)
        .expect("it can be indexed");
    assert_eq!(recorder.0, [FORGOTTEN]);
    let problems = indexer.store().problems().expect("they can be read");
    assert!(problems.is_empty(), "{problems:?}");
    drop(indexer);
    check_equals_fresh(it.dir.path(), &[it.notes.path(), away.path()], &QUERIES);
}

/// Asks to stop as soon as an entry of a folder was seen.
struct Stopping(AtomicBool);

impl Observer for &Stopping {
    fn scanned(&mut self, _: usize) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn the_check_of_the_library_can_be_stopped() {
    let it = sound();
    // The folder has one entry, so the walk itself is over by then.
    let other = Notes::new(&[("other.md", "The attic.")]);
    alter(
        &it,
        "UPDATE chunks SET text = replace(text, 'quiet', 'quick') WHERE text LIKE '%hall 3.'",
    );
    let (mut indexer, _) =
        Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folder = indexer.add_folder(other.path()).expect("it can be added");
    let stopping = Stopping(AtomicBool::new(false));
    let stopped = indexer.scan_with_progress(&folder, &stopping.0, &mut &stopping);
    let error = stopped.expect_err("it was stopped").to_string();
    assert!(error.ends_with(": cancelled"), "{error}");
    let mut recorder = Recorder::default();
    let go_on = AtomicBool::new(false);
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer
        .run(&go_on, &mut recorder)
        .expect("it can be indexed");
    assert_eq!(recorder.0, [FORGOTTEN], "it is checked the next time");
}

#[test]
fn a_damaged_note_of_another_folder_is_read_again_with_the_one_that_is_walked() {
    let it = sound();
    let other = Notes::new(&[("other.md", "The attic.")]);
    index(it.dir.path(), &[other.path()]);
    for is_list_gone in [false, true] {
        alter(
            &it,
            "UPDATE chunks SET text = replace(text, 'quiet', 'quick') WHERE text LIKE '%hall 3.'",
        );
        if is_list_gone {
            // Without the list, the damage is found when the library is opened.
            fs::remove_dir_all(it.dir.path().join("text")).expect("it is there");
        }
        let counts = index(it.dir.path(), &[other.path()]);
        assert_eq!((counts.n_added, counts.n_unchanged), (1, 1));
        let paths = [it.notes.path(), other.path()];
        check_equals_fresh(it.dir.path(), &paths, &QUERIES);
    }
    // A note in a missing folder is read again once the folder is back, one in a paused folder once it is resumed.
    let away = it.notes.path().with_file_name("away");
    for is_away in [true, false] {
        alter(
            &it,
            "UPDATE chunks SET text = replace(text, 'quiet', 'quick') WHERE text LIKE '%hall 3.'",
        );
        let pause = |is_paused: bool| {
            let mut store = Store::open(it.dir.path()).expect("nobody else writes");
            let folders = store.folders().expect("they can be read");
            let mut folders = folders.iter();
            let folder = folders.find(|one| Path::new(&one.path) == it.notes.path());
            let folder = folder.expect("it is watched").id;
            store
                .set_folder_paused(folder, is_paused)
                .expect("it can be explained");
        };
        if is_away {
            fs::rename(it.notes.path(), &away).expect("it can be renamed");
        } else {
            pause(true);
        }
        assert_eq!(index(it.dir.path(), &[other.path()]).n_added, 0);
        if is_away {
            fs::rename(&away, it.notes.path()).expect("it can be renamed");
        } else {
            pause(false);
        }
        assert_eq!(index(it.dir.path(), &[it.notes.path()]).n_added, 1);
    }
    check_equals_fresh(it.dir.path(), &[it.notes.path(), other.path()], &QUERIES);
}
