//! A library that comes to rest: what was forgotten is in no byte of its files, and what the user made is kept in a file of its
//! own, from which it comes back after damage.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_store::{
    Change, Judgment, NewChunk, NewDocument, NewFeedback, NewPast, NewSet, Origin, ReadLog, Rested,
    Store, StoredPreset, Thumb,
};
use rusqlite::Connection;

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the library can be opened")
}

/// Every file below a folder.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Words that a file of the library contains, with that file.
fn found<'a>(dir: &Path, words: &[&'a str]) -> Vec<(&'a str, PathBuf)> {
    let mut found = Vec::new();
    for path in files(dir) {
        let bytes = fs::read(&path).expect("it can be read");
        for word in words {
            if memchr::memmem::find(&bytes, word.as_bytes()).is_some() {
                found.push((*word, path.clone()));
            }
        }
    }
    found
}

fn set(content: &str) -> NewSet {
    NewSet {
        hash: "1".to_owned(),
        changed_ms: 1,
        summary: "{}".to_owned(),
        content: content.to_owned(),
    }
}

fn thumb(question: &str, text: &str) -> NewFeedback {
    NewFeedback {
        hash: *blake3::hash(text.as_bytes()).as_bytes(),
        text: text.to_owned(),
        query: question.to_owned(),
        thumb: Thumb::Up,
        at_ms: 5,
        path: "notes/a.md".to_owned(),
    }
}

fn past(call: &str, question: &str, at_ms: i64) -> NewPast {
    NewPast {
        agent: "openclaw".to_owned(),
        session: "s".to_owned(),
        call: call.to_owned(),
        at_ms: Some(at_ms),
        is_opening: false,
        has_failed: false,
        is_pattern: false,
        served: None,
        question: question.to_owned(),
        settings: "{}".to_owned(),
        returned: Some(format!("[\"{question} answered\"]")),
        opened: "[]".to_owned(),
        cited: "[]".to_owned(),
    }
}

fn log() -> ReadLog {
    ReadLog {
        path: "/home/iris/log.jsonl".to_owned(),
        agent: "openclaw".to_owned(),
        cursor: Some("12".to_owned()),
        n_bytes: 12,
        stamp: "1".to_owned(),
        problem: None,
    }
}

/// Inserts a note of one chunk.
fn put(store: &mut Store, path: &str, text: &str) {
    let folder = match store.folders().expect("they can be read").first() {
        Some(folder) => folder.id,
        None => {
            store
                .add_folder("/notes", "notes")
                .expect("it can be added")
                .id
        }
    };
    let hash = *blake3::hash(text.as_bytes()).as_bytes();
    store
        .save_embeddings("model", &[(hash, vec![0.6, 0.8])])
        .expect("it can be saved");
    let embedding = store.embeddings("model", [hash]).expect("it is there")[&hash];
    let chunk = NewChunk {
        text: text.to_owned(),
        start_line: 1,
        end_line: 1,
        bytes: 0..10,
        heading: format!("heading of {text}"),
        agent: None,
        date: None,
        weight: None,
        external_id: None,
        tokens: 3,
        embedding,
        windows: Vec::new(),
    };
    let document = NewDocument {
        folder,
        path: path.to_owned(),
        hash,
        size: 20,
        modified_ms: 1000,
        changed_ns: 7,
        kind: "markdown".to_owned(),
        encoding: "UTF-8".to_owned(),
        agent: None,
        date: None,
        tags: Vec::new(),
        weight: None,
        chunks: vec![chunk],
        observations: Vec::new(),
        first_sight: None,
        problems: Vec::new(),
    };
    store
        .apply(&[Change::Put(Box::new(document))])
        .expect("it can be put");
}

/// A library with one thing of each kind that the user makes.
fn made(dir: &Path) -> Store {
    let mut store = open(dir);
    put(&mut store, "a.md", "foxglove");
    store
        .vote(&thumb("aster", "foxglove"))
        .expect("it can be saved");
    store
        .add_query_set("bryony", &set("campion"))
        .expect("it can be saved");
    store
        .add_run("dahlia", 3, "elder")
        .expect("it can be saved");
    let preset = StoredPreset {
        name: "fuchsia".to_owned(),
        params: "gorse".to_owned(),
    };
    store.save_preset(&preset).expect("it can be saved");
    store
        .put_setting("saved_questions", Some("heather"))
        .expect("it can be saved");
    store
}

/// What the user made, a line each, as it is exported.
fn lines(dir: &Path) -> Vec<String> {
    let exported = Store::export_made(dir).expect("it can be read");
    let exported = String::from_utf8(exported.bytes).expect("it is text");
    exported.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn what_was_forgotten_is_in_no_byte_of_the_library() {
    let dir = scratch();
    let mut store = made(dir.path());
    let planted = [
        "iris-note",
        "jasmine-past",
        "kerria-old",
        "lilac-thumb",
        "mallow-set",
        "nettle-change",
        "oxlip-run",
        "peony-preset",
        "quince-setting",
        "rowan-observed",
        "sorrel-name",
    ];
    let [
        note,
        asked,
        old,
        thumbed,
        kept_set,
        changed,
        run,
        preset,
        setting,
        observed,
        name,
    ] = planted;
    put(&mut store, "b.md", note);
    put(&mut store, &format!("{name}.md"), "hazel");
    store.save_snapshot().expect("it can be saved");
    let judgment = Judgment {
        origin: Origin::Observed,
        question: asked.to_owned(),
        hash: [7; 32],
        text: observed.to_owned(),
        path: "a.md".to_owned(),
        at_ms: 5,
    };
    let questions = [past("1", asked, 1000), past("2", old, 10)];
    store
        .keep_past(&log(), &questions, &[judgment])
        .expect("it can be kept");
    store
        .vote(&thumb(thumbed, "foxglove"))
        .expect("it can be saved");
    let of_set = store
        .add_query_set(kept_set, &set(kept_set))
        .expect("it can be saved");
    let other = store
        .add_query_set("other", &set(changed))
        .expect("it can be saved");
    let of_run = store.add_run(run, 3, run).expect("it can be saved");
    let of_preset = StoredPreset {
        name: preset.to_owned(),
        params: preset.to_owned(),
    };
    store.save_preset(&of_preset).expect("it can be saved");
    store
        .put_setting("chosen", Some(setting))
        .expect("it can be saved");
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    let words: Vec<&str> = found(dir.path(), &planted)
        .into_iter()
        .map(|(word, _)| word)
        .collect();
    assert!(
        planted.iter().all(|word| words.contains(word)),
        "all are there: {words:?}"
    );

    let folder = store.folders().expect("they can be read")[0].id;
    let gone = |path: &str| Change::Remove {
        folder,
        path: path.to_owned(),
    };
    store
        .apply(&[gone("b.md"), gone(&format!("{name}.md"))])
        .expect("they can be removed");
    assert_eq!(
        store.forget_past_before(500).expect("it can be forgotten"),
        [old]
    );
    store.forget_past().expect("it can be forgotten");
    store
        .vote(&thumb(thumbed, "foxglove"))
        .expect("it can be taken back");
    store
        .delete_query_set(of_set.expect("it is new"))
        .expect("it can be deleted");
    let new = set("nothing");
    assert!(
        store
            .change_query_set(other.expect("it is new"), "1", &new)
            .expect("it can be changed")
    );
    store.delete_run(of_run).expect("it can be deleted");
    store.delete_preset(preset).expect("it can be deleted");
    store
        .put_setting("chosen", None)
        .expect("it can be taken back");
    store.replace_saved_snapshot().expect("it can be saved");
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    assert_eq!(store.unrest().expect("it can be read"), None);
    assert_eq!(found(dir.path(), &planted), []);
    // What was not forgotten is still there.
    assert!(!found(dir.path(), &["foxglove"]).is_empty());
    drop(store);
    assert_eq!(found(dir.path(), &planted), []);
}

#[test]
fn a_changed_note_goes_from_the_disk_within_the_time_that_is_named() {
    let dir = scratch();
    let mut store = made(dir.path());
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    for n in 0..200 {
        put(
            &mut store,
            &format!("{n}.md"),
            &format!("willow-{n:04} {}", "long ".repeat(n)),
        );
    }
    let folder = store.folders().expect("they can be read")[0].id;
    let removed: Vec<Change> = (0..200)
        .filter(|n| n % 3 != 0)
        .map(|n| Change::Remove {
            folder,
            path: format!("{n}.md"),
        })
        .collect();
    for change in removed {
        store.apply(&[change]).expect("it can be removed");
    }
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Later
    );
    // As if the time had passed.
    store
        .set_meta("rewritten_ms", "0")
        .expect("it can be written");
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    let words: Vec<String> = (0..200).map(|n| format!("willow-{n:04}")).collect();
    let gone: Vec<&str> = (0..200)
        .filter(|n| n % 3 != 0)
        .map(|n| &*words[n])
        .collect();
    assert_eq!(found(dir.path(), &gone), []);
    assert!(!found(dir.path(), &[&words[0]]).is_empty());
}

#[test]
fn no_change_of_a_deleted_note_is_left() {
    let dir = scratch();
    let mut store = made(dir.path());
    put(
        &mut store,
        "b.md",
        "the willow stands by the pond and wants water in July",
    );
    put(
        &mut store,
        "b.md",
        "the yarrow grows behind the shed and wants none at all",
    );
    let folder = store.folders().expect("they can be read")[0].id;
    let n_changes = |store: &Store| {
        let changes = store.note_changes(folder, "b.md");
        changes.expect("they can be read").len()
    };
    assert_eq!(n_changes(&store), 1);
    // The texts are compressed, so their packed bytes are looked for.
    let packed: Vec<u8> = rusqlite::Connection::open(dir.path().join("library.sqlite"))
        .and_then(|database| {
            database.query_row("SELECT content FROM note_changes", [], |row| row.get(0))
        })
        .expect("it can be read");
    let holds = || {
        let mut files = files(dir.path()).into_iter();
        files.any(|path| {
            let bytes = fs::read(path).expect("it can be read");
            memchr::memmem::find(&bytes, &packed).is_some()
        })
    };
    assert!(packed.len() > 20 && holds());
    let removed = Change::Remove {
        folder,
        path: "b.md".to_owned(),
    };
    store.apply(&[removed]).expect("it can be removed");
    store
        .set_meta("rewritten_ms", "0")
        .expect("it can be written");
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    assert_eq!(n_changes(&store), 0);
    assert!(!holds());
}

#[test]
fn no_copy_is_left_in_pages_that_rows_were_moved_from() {
    let dir = scratch();
    let mut store = open(dir.path());
    let mut random = fastrand::Rng::with_seed(4);
    let (mut there, mut gone) = (Vec::new(), Vec::new());
    for n in 0..600 {
        if random.f32() < 0.6 || there.is_empty() {
            let word = format!("yarrow-{n:05}-");
            let content = format!(
                "{word}{}",
                "lorem ".repeat(*random.choice(&[1, 5, 40, 900]).expect("there are some"))
            );
            let id = store
                .add_query_set(&word, &set(&content))
                .expect("it can be saved")
                .expect("it is new");
            there.push((id, word));
        } else {
            let (id, word) = there.swap_remove(random.usize(..there.len()));
            store.delete_query_set(id).expect("it can be deleted");
            gone.push(word);
        }
    }
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    let gone: Vec<&str> = gone.iter().map(String::as_str).collect();
    assert_eq!(found(dir.path(), &gone), []);
}

#[test]
fn a_reader_that_holds_the_log_is_waited_for() {
    let dir = scratch();
    let mut store = made(dir.path());
    store
        .add_run("thistle", 3, "thistle")
        .expect("it can be saved");
    let reader = Connection::open(dir.path().join("library.sqlite")).expect("it is SQLite");
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM runs;")
        .expect("it can be read");
    let runs = store.runs().expect("they can be read");
    let run = runs
        .iter()
        .find(|it| it.name == "thistle")
        .expect("it was saved");
    store.delete_run(run.id).expect("it can be deleted");
    assert_eq!(
        store.come_to_rest(true).expect("it is tried again"),
        Rested::Held
    );
    assert!(store.unrest().expect("it can be read").is_some());
    reader.execute_batch("COMMIT").expect("it is over");
    assert_eq!(
        store.come_to_rest(true).expect("it can rest"),
        Rested::Fully
    );
    assert_eq!(found(dir.path(), &["thistle"]), []);
}

#[test]
fn a_library_is_at_rest_once_its_last_writer_is_gone() {
    let dir = scratch();
    let mut store = made(dir.path());
    let run = store
        .add_run("thistle", 3, "thistle")
        .expect("it can be saved");
    store.delete_run(run).expect("it can be deleted");
    drop(store);
    assert_eq!(found(dir.path(), &["thistle"]), []);
    assert!(!found(dir.path(), &["elder"]).is_empty());
    assert!(dir.path().join("made.jsonl").exists());
    open(dir.path()).erase_all().expect("it can be erased");
    assert_eq!(found(dir.path(), &["elder", "foxglove", "fuchsia"]), []);
}

#[cfg(unix)]
#[test]
fn the_file_is_its_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = scratch();
    drop(made(dir.path()));
    let found = dir
        .path()
        .join("made.jsonl")
        .metadata()
        .expect("it is there");
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_export_says_when_it_is_of_the_file_beside_a_damaged_database() {
    let dir = scratch();
    drop(made(dir.path()));
    let before = lines(dir.path());
    let damage = || {
        let exported = Store::export_made(dir.path()).expect("it can be read");
        exported.damage.map(|error| error.to_string())
    };
    assert_eq!(damage(), None);
    let database = dir.path().join("library.sqlite");
    let connection = Connection::open(&database).expect("it is there");
    connection
        .pragma_update(None, "user_version", 9999)
        .expect("it can be changed");
    drop(connection);
    let error = Store::export_made(dir.path()).expect_err("it is of a newer version");
    assert!(error.to_string().contains("newer version"), "{error}");
    fs::write(&database, "no database ".repeat(1000)).expect("it can be written");
    assert!(damage().is_some_and(|error| error.contains("is damaged")));
    assert_eq!(lines(dir.path()), before);
}

/// Replaces the files of one folder by those of another.
fn copy(from: &Path, to: &Path) {
    for path in files(to) {
        fs::remove_file(path).expect("it can be removed");
    }
    for path in files(from) {
        let name = path.file_name().expect("it has one");
        fs::copy(&path, to.join(name)).expect("it can be copied");
    }
}

/// Opens a damaged library as a writer does. What the user made must be there, or an error must say that it cannot be opened.
#[track_caller]
fn check_nothing_is_lost(dir: &Path, expected: &[String], what: &str) -> bool {
    let kept = fs::read(dir.join("made.jsonl")).expect("it is there");
    match Store::open_repaired(dir) {
        Ok(repaired) => {
            let notices = repaired.notices.clone();
            drop(repaired);
            assert_eq!(lines(dir), expected, "{what}: {notices:?}");
            true
        }
        Err(error) => {
            assert!(error.to_string().starts_with("cannot "), "{what}: {error}");
            // It is kept so that it can be restored.
            let now = fs::read(dir.join("made.jsonl")).expect("it is there");
            assert!(now == kept, "{what}: {error}");
            false
        }
    }
}

#[test]
fn whatever_bit_is_flipped_nothing_that_the_user_made_is_lost() {
    let whole = scratch();
    drop(made(whole.path()));
    let expected = lines(whole.path());
    assert_eq!(expected.len(), 6);
    let dir = scratch();
    let (mut n_opened, mut n_refused) = (0, 0);
    for (name, n_flips) in [("library.sqlite", 120), ("made.jsonl", 30)] {
        let bytes = fs::read(whole.path().join(name)).expect("it can be read");
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..n_flips {
            copy(whole.path(), dir.path());
            // The position of the word; free space does not matter.
            let at = loop {
                let at = random.usize(..bytes.len());
                if bytes[at] != 0 {
                    break at;
                }
            };
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << random.u32(..8);
            let what = format!("{name} at {at}, page {}", at / 4096);
            let path = dir.path().join(name);
            fs::write(&path, flipped).expect("it can be written");
            match check_nothing_is_lost(dir.path(), &expected, &what) {
                true => n_opened += 1,
                false => n_refused += 1,
            }
        }
    }
    // Most damage is repaired, and is no reason to refuse a library.
    assert!(n_refused * 20 < n_opened, "{n_refused} of {n_opened}");
}

#[test]
fn a_row_that_is_not_as_it_was_saved_is_put_back_and_named() {
    let dir = scratch();
    drop(made(dir.path()));
    let expected = lines(dir.path());
    let path = dir.path().join("library.sqlite");
    let bytes = fs::read(&path).expect("it can be read");
    let mut altered = bytes.clone();
    let at = memchr::memmem::find(&bytes, b"campion").expect("it stands there");
    altered[at] = b'C';
    fs::write(&path, altered).expect("it can be written");
    let repaired = Store::open_repaired(dir.path()).expect("it can be repaired");
    assert_eq!(
        repaired.notices,
        [
            "of what you made, 1 query set was damaged in the library, perhaps by a disk fault, and was put back"
        ]
    );
    drop(repaired);
    assert_eq!(lines(dir.path()), expected);
    assert!(
        Store::open_repaired(dir.path())
            .expect("it is sound")
            .notices
            .is_empty()
    );
}

#[test]
fn a_database_that_is_empty_gone_or_no_database_is_filled_from_the_file() {
    let whole = scratch();
    drop(made(whole.path()));
    let expected = lines(whole.path());
    type Damage = fn(&Path);
    let damages: [(Damage, &str); 3] = [
        (
            |path| fs::write(path, "").expect("it can be emptied"),
            "was empty (0 bytes)",
        ),
        (
            |path| fs::remove_file(path).expect("it is there"),
            "was put back",
        ),
        (
            |path| {
                fs::write(path, "no database, but a text".repeat(400)).expect("it can be written")
            },
            "set aside as",
        ),
    ];
    for (damage, named) in damages {
        let dir = scratch();
        copy(whole.path(), dir.path());
        damage(&dir.path().join("library.sqlite"));
        let repaired = Store::open_repaired(dir.path()).expect("it can be repaired");
        let notices = repaired.notices.join("\n");
        assert!(notices.contains(named), "{notices}");
        assert!(
            notices.contains("1 watched folder, 1 setting, 1 preset, 1 thumb, 1 query set, 1 run"),
            "{notices}"
        );
        assert!(repaired.is_new);
        drop(repaired);
        assert_eq!(lines(dir.path()), expected, "{named}");
    }
}

#[test]
fn an_empty_database_of_a_library_that_was_used_is_reported() {
    let dir = scratch();
    fs::create_dir(dir.path().join("text")).expect("it can be made");
    fs::write(dir.path().join("library.sqlite"), "").expect("it can be written");
    let repaired = Store::open_repaired(dir.path()).expect("it can be opened");
    assert!(
        repaired.notices[0].contains("was empty (0 bytes)"),
        "{:?}",
        repaired.notices
    );
    // A new one is no reason to say anything.
    let dir = scratch();
    let repaired = Store::open_repaired(dir.path()).expect("it can be made");
    assert!(repaired.notices.is_empty());
}

#[test]
fn what_is_newer_than_the_file_is_taken_from_the_damaged_database() {
    let dir = scratch();
    let mut store = made(dir.path());
    store.come_to_rest(true).expect("it can rest");
    store.add_run("later", 9, "later").expect("it can be saved");
    let runs = store.runs().expect("they can be read");
    store.delete_run(runs[1].id).expect("it can be deleted");
    let copied = scratch();
    copy(dir.path(), copied.path());
    drop(store);
    // The process was killed, and the disk is damaged in a place that nobody needs.
    assert!(Store::mark_damaged(copied.path()));
    let repaired = Store::open_repaired(copied.path()).expect("it can be repaired");
    let names: Vec<String> = repaired
        .store
        .runs()
        .expect("they can be read")
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["later"]);
    assert!(repaired.is_new);
}

#[test]
fn a_past_question_that_is_not_as_it_was_saved_is_passed_over_and_read_again() {
    let dir = scratch();
    let mut store = open(dir.path());
    let all = [
        past("1", "where is the koi", 10),
        past("2", "who has the key", 20),
    ];
    store.keep_past(&log(), &all, &[]).expect("it can be kept");
    assert!(store.is_past_as_saved().expect("it can be read"));
    drop(store);
    let database = Connection::open(dir.path().join("library.sqlite")).expect("it is SQLite");
    database
        .execute(
            "UPDATE past_questions SET question = 'where is the kot' WHERE call = '1'",
            [],
        )
        .expect("it can be changed");
    drop(database);
    let mut store = open(dir.path());
    let newest = store.newest_past(9, |_, _| None).expect("they can be read");
    assert_eq!(newest.len(), 1);
    assert_eq!(newest[0].past, all[1]);
    assert!(!store.is_past_as_saved().expect("it can be read"));
    assert_eq!(store.forget_damaged_past().expect("it can be repaired"), 1);
    let (read, _) = &store.read_logs().expect("they can be read")[0];
    assert_eq!(
        (read.cursor.as_deref(), &*read.stamp),
        (None, ""),
        "it is read again"
    );
    let kept = store.keep_past(&log(), &all, &[]).expect("it can be kept");
    assert_eq!(kept.n_new, 1);
    assert_eq!(store.forget_damaged_past().expect("it is sound"), 0);
}
