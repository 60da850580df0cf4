//! A library follows its folders: whatever was done to the notes, it ends as a fresh one would.
//!
//! Properties checked: a change, a rename and a deletion show in the next search; nothing unchanged is embedded again;
//! a library after any edits, seen by walks or by a watcher, in any rhythm, equals a fresh one; cancelled work is taken
//! up where it stood; never more texts are unsaved than the indexer says; folders that are away keep their notes; no
//! clock hides a change.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memlens_embed::Hashing;
use memlens_engine::view::Activity;
use memlens_engine::{Counts, Folder, Indexer, Observer, Step};
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{
    Asked, Content, Notes, Recording, answers, cases, content, fresh, image, index, index_with,
    open,
};
use proptest::prelude::*;
use serde_json::Value;

/// Returns the path of the best row for a query; none when nothing is found by a word.
fn best(dir: &Path, query: &str) -> Option<String> {
    let library = open(dir);
    let by_words = Params {
        vector_on: false,
        ..Params::default()
    };
    let search = library
        .search(query, &by_words, None)
        .expect("it can be searched");
    let trace = search.rank(&by_words);
    trace
        .kept()
        .first()
        .map(|slot| search.row(*slot).expect("it has a row").path)
}

/// Checks that `dir` holds and answers just what a library made anew of these folders does.
fn check_equals_fresh(dir: &Path, folders: &[&Path], queries: &[&str]) {
    let anew = fresh(folders);
    let [found, expected] = [dir, anew.path()].map(|dir| {
        let library = open(dir);
        assert_eq!(library.notices(), [""; 0]);
        let content = content(&library.store());
        (content, answers(&library, queries, &Params::default()))
    });
    let lines = |content: &Content| [content.lines.clone(), content.problems.clone()].concat();
    let pairs = lines(&found.0).into_iter().zip(lines(&expected.0));
    for (found, expected) in pairs {
        assert_eq!(found, expected);
    }
    assert_eq!(found.0, expected.0);
    for (query, (found, expected)) in queries.iter().zip(found.1.iter().zip(&expected.1)) {
        assert_eq!(difference(found, expected), None, "{query}");
    }
}

/// Returns where two values differ first, and how; none when they are equal.
fn difference(found: &Value, expected: &Value) -> Option<String> {
    let within = |key: String, found: &Value, expected: &Value| {
        difference(found, expected).map(|rest| format!("{key} {rest}"))
    };
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .find_map(|(key, value)| within(key.clone(), value, &b[key])),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| within(at.to_string(), a, b))
        }
        _ => (found != expected).then(|| format!("{found} in place of {expected}")),
    }
}

#[test]
fn changes_renames_and_deletions_show_in_the_next_search() {
    let notes = Notes::new(&[
        ("router.md", "# Router\n\nThe router stands in the hall.\n"),
        ("people/signe.md", "Signe likes oolong.\n"),
    ]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    // What is done, what the next index counts, and where words are found afterwards.
    type Step<'a> = (&'a dyn Fn(), Counts, &'a [(&'a str, Option<&'a str>)]);
    let counts = |n_added, n_changed, n_removed, n_unchanged, n_embedded| Counts {
        n_added,
        n_changed,
        n_removed,
        n_unchanged,
        n_embedded,
        ..Counts::default()
    };
    let nothing: &dyn Fn() = &|| {};
    let steps: &[Step<'_>] = &[
        (
            nothing,
            // A chunk and a window each; the window of a note without headings is its chunk.
            counts(2, 0, 0, 0, 4),
            &[
                ("hall", Some("router.md")),
                ("oolong", Some("people/signe.md")),
                ("attic", None),
            ],
        ),
        (
            nothing,
            counts(0, 0, 0, 2, 0),
            &[("hall", Some("router.md"))],
        ),
        (
            &|| notes.write("router.md", "# Router\n\nThe router stands in the attic.\n"),
            counts(0, 1, 0, 1, 2),
            &[("hall", None), ("attic", Some("router.md"))],
        ),
        (
            &|| notes.rename("router.md", "network/box.md"),
            counts(1, 0, 1, 1, 0),
            // The words of the file's name count, and the old name's do not.
            &[
                ("attic", Some("network/box.md")),
                ("box", Some("network/box.md")),
            ],
        ),
        (
            &|| notes.write("people/signe.md", "Signe likes oolong.\n"),
            counts(0, 0, 0, 2, 0),
            &[("oolong", Some("people/signe.md"))],
        ),
        (
            &|| notes.remove("network/box.md"),
            counts(0, 0, 1, 1, 0),
            &[
                ("attic", None),
                ("box", None),
                ("oolong", Some("people/signe.md")),
            ],
        ),
        (
            &|| notes.write("again.md", "# Router\n\nThe router stands in the hall.\n"),
            // It was embedded in the beginning.
            counts(1, 0, 0, 1, 0),
            &[("hall", Some("again.md"))],
        ),
        (
            &|| notes.rename("people", "persons"),
            counts(1, 0, 1, 1, 0),
            &[("oolong", Some("persons/signe.md"))],
        ),
    ];
    for (number, (act, expected, found)) in steps.iter().enumerate() {
        act();
        let counts = index(dir.path(), &[notes.path()]);
        assert_eq!(&counts, expected, "step {number}");
        for (query, path) in *found {
            assert_eq!(
                best(dir.path(), query).as_deref(),
                *path,
                "step {number}: {query}"
            );
        }
        check_equals_fresh(dir.path(), &[notes.path()], &["router hall attic", "Signe"]);
    }
}

/// Notes of many kinds, some of them wrong in part, in whole, or more than one chunk long.
fn texts() -> Vec<Vec<u8>> {
    let long: String = (0..80)
        .map(|line| format!("## Part {line}\n\nThe relay number {line} is quiet at night.\n\n"))
        .collect();
    let lines = "{\"text\":\"Signe drinks oolong\",\"agent\":\"iris\"}\nbroken\n\n{\"no\":\"text\"}\n{\"content\":\"relay hall\"}\n";
    [
        "# Router\n\nThe router stands in the hall.\n",
        "---\nagent: iris\ndate: 2026-02-30\ntags: [home]\n---\nQuiet hours are from ten to six.\n",
        "---\nagent: [unclosed\n---\nThe hall is quiet.\n",
        "\u{feff}Relay\r\n\r\nhall\r\n",
        &long,
        &long[..700],
        lines,
        "",
        "  \n\n",
        "# Only a heading",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    // Text that is not UTF-8, and a file that is no text.
    .chain([
        b"K\xfcche und Flur, caf\xe9 hall".to_vec(),
        b"relay\0hall".to_vec(),
    ])
    .collect()
}

const PATHS: [&str; 7] = [
    "a.md",
    "B.txt",
    "c.jsonl",
    "x/a.md",
    "x/y/long-name.md",
    "x.md",
    ".hidden/h.md",
];
const FOLDERS: [&str; 3] = ["x", "x/y", "z"];

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    RenameFolder(usize, usize),
    /// More than is read of a file.
    Grow(usize),
    /// Rules that leave out one path.
    Ignore(Option<usize>),
    /// A link in place of a note.
    Link(usize),
}

#[derive(Debug, Clone)]
enum Act {
    Edit(Edit),
    /// What happened is seen, all of it or a walk of everything.
    See,
    Walk,
    /// So many steps of work are done.
    Work(usize),
    /// The process ends and another begins.
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let path = || 0..PATHS.len();
    let folder = || 0..FOLDERS.len();
    let edit = prop_oneof![
        6 => (path(), 0..texts().len()).prop_map(|(path, text)| Edit::Write(path, text)),
        2 => path().prop_map(Edit::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => (folder(), folder()).prop_map(|(from, to)| Edit::RenameFolder(from, to)),
        1 => path().prop_map(Edit::Grow),
        1 => proptest::option::of(path()).prop_map(Edit::Ignore),
        1 => path().prop_map(Edit::Link),
    ];
    prop_oneof![
        5 => edit.prop_map(Act::Edit),
        3 => Just(Act::See),
        1 => Just(Act::Walk),
        3 => (1_usize..4).prop_map(Act::Work),
        1 => Just(Act::Restart),
    ]
}

/// Returns the outermost folder that a note needs and that is not there; a watcher is told of it.
fn missing_folder(notes: &Notes, path: &str) -> Option<PathBuf> {
    let folders = Path::new(path)
        .ancestors()
        .skip(1)
        .map(|folder| notes.path().join(folder));
    folders.take_while(|folder| !folder.exists()).last()
}

/// Does an edit where it can be done, and returns the paths that a watcher would name.
fn edit(notes: &Notes, edit: &Edit) -> Vec<PathBuf> {
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    // Whatever stands in the way of a file goes.
    let clear = |path: &Path| match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).expect("it can be removed"),
        Ok(_) => fs::remove_file(path).expect("it can be removed"),
        Err(_) => {}
    };
    match edit {
        Edit::Write(path, text) => {
            let path = PATHS[*path];
            clear(&notes.at(path));
            let made = missing_folder(notes, path);
            notes.write(path, &texts()[*text]);
            made.into_iter().chain([notes.at(path)]).collect()
        }
        Edit::Remove(path) => {
            clear(&notes.at(PATHS[*path]));
            vec![notes.at(PATHS[*path])]
        }
        Edit::Rename(from, to) if from != to && is_there(&notes.at(PATHS[*from])) => {
            let (from, to) = (PATHS[*from], PATHS[*to]);
            clear(&notes.at(to));
            let made = missing_folder(notes, to);
            notes.rename(from, to);
            let mut seen = vec![notes.at(from)];
            seen.extend(made.into_iter().chain([notes.at(to)]));
            seen
        }
        Edit::RenameFolder(from, to) => {
            let (from, to) = (notes.at(FOLDERS[*from]), notes.at(FOLDERS[*to]));
            let can_move = from.is_dir() && !to.exists() && !to.starts_with(&from);
            if !can_move || to.parent().is_some_and(|parent| !parent.is_dir()) {
                return Vec::new();
            }
            fs::rename(&from, &to).expect("it can be renamed");
            vec![from, to]
        }
        Edit::Grow(path) if notes.at(PATHS[*path]).is_file() => {
            let path = notes.at(PATHS[*path]);
            // What grows behind a link is told by its own name.
            let grown = fs::read_link(&path).unwrap_or(path);
            let file = fs::File::create(&grown);
            // A hole: nothing is really written.
            file.and_then(|file| file.set_len((16 << 20) + 1))
                .expect("it can grow");
            vec![grown]
        }
        Edit::Ignore(path) => {
            notes.write(".ignore", path.map_or("", |path| PATHS[path]));
            vec![notes.at(".ignore")]
        }
        Edit::Link(path) => {
            let path = notes.at(PATHS[*path]);
            if !path.parent().is_some_and(Path::is_dir) {
                return Vec::new();
            }
            clear(&path);
            #[cfg(unix)]
            std::os::unix::fs::symlink(notes.at("target.md"), &path).expect("a link can be made");
            vec![path]
        }
        Edit::Rename(..) | Edit::Grow(_) => Vec::new(),
    }
}

/// Is an indexer that is told of changes as the engine tells it.
struct Follower {
    indexer: Indexer,
    folder: Folder,
    seen: Vec<PathBuf>,
}

impl Follower {
    fn open(dir: &Path, notes: &Notes) -> Follower {
        let (mut indexer, notices) =
            Indexer::open(dir, Box::new(Hashing::default())).expect("it can be opened");
        assert_eq!(notices, [""; 0]);
        let known = indexer.store().folders().expect("they can be read").pop();
        let folder =
            known.unwrap_or_else(|| indexer.add_folder(notes.path()).expect("it can be added"));
        let mut follower = Follower {
            indexer,
            folder,
            seen: Vec::new(),
        };
        follower.walk();
        follower
    }

    fn walk(&mut self) {
        self.indexer
            .scan(&self.folder, &AtomicBool::new(false))
            .expect("it can be walked");
    }

    fn see(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        let mut seen = seen.iter();
        if !seen.all(|path| {
            self.indexer
                .look_at(&self.folder, path)
                .expect("it can be looked at")
        }) {
            self.walk();
        }
    }

    fn work(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            self.indexer
                .step(&AtomicBool::new(false), &mut ())
                .expect("it can be indexed");
        }
    }

    fn finish(mut self) {
        self.see();
        let step = self
            .indexer
            .run(&AtomicBool::new(false), &mut ())
            .expect("it can be indexed");
        assert_eq!(step, Step::Idle);
    }
}

fn check_script(script: &[Act]) {
    let notes = Notes::new(&[("x/y/long-name.md", "The hall."), ("a.md", "The relay.")]);
    fs::write(notes.at("target.md"), "Where links lead.").expect("it can be written");
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut follower = Follower::open(dir.path(), &notes);
    for act in script {
        match act {
            Act::Edit(what) => follower.seen.extend(edit(&notes, what)),
            Act::See => follower.see(),
            Act::Walk => follower.walk(),
            Act::Work(n_steps) => follower.work(*n_steps),
            Act::Restart => {
                drop(follower);
                follower = Follower::open(dir.path(), &notes);
            }
        }
    }
    follower.finish();
    check_equals_fresh(
        dir.path(),
        &[notes.path()],
        &[
            "relay hall",
            "quiet at night number 7",
            "oolong",
            "long name",
            "Küche",
            "?!",
        ],
    );
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn after_any_edits_it_equals_a_fresh_one(script in prop::collection::vec(act(), 1..16)) {
        check_script(&script);
    }
}

/// Scripts that once ended otherwise than a fresh library.
#[test]
fn edits_that_went_wrong_once() {
    use Act::{Edit as Did, Restart, See, Walk, Work};
    let scripts: &[&[Act]] = &[
        // Gone while its first version waited to be saved.
        &[
            Did(Edit::Write(1, 0)),
            Did(Edit::Write(2, 6)),
            See,
            Work(2),
            Did(Edit::Remove(1)),
            Did(Edit::Remove(2)),
            See,
        ],
        // Changed and changed back while the change waited to be saved.
        &[
            Did(Edit::Write(0, 0)),
            See,
            Work(9),
            Did(Edit::Write(4, 1)),
            Did(Edit::Write(0, 1)),
            Did(Edit::Write(1, 1)),
            See,
            Work(2),
            Did(Edit::Write(0, 0)),
            See,
        ],
        &[
            Did(Edit::Write(0, 0)),
            See,
            Work(9),
            Did(Edit::Write(4, 1)),
            Did(Edit::Write(0, 1)),
            Did(Edit::Write(1, 1)),
            Walk,
            Work(2),
            Did(Edit::Write(0, 0)),
            Walk,
        ],
        // Too large all at once: it is told, and told again.
        &[
            Work(9),
            Did(Edit::Grow(0)),
            Walk,
            Work(9),
            Restart,
            Work(9),
            Walk,
        ],
        &[Work(9), Did(Edit::Grow(0)), See],
        &[Work(9), Did(Edit::Link(0)), See],
        // Too large between being listed and being read, behind a link.
        &[
            Did(Edit::Link(1)),
            Did(Edit::Rename(1, 6)),
            Did(Edit::Grow(6)),
        ],
    ];
    for script in scripts {
        check_script(script);
    }
}

/// Returns notes that give a good hundred texts to embed, some of them the same.
fn many_notes() -> Notes {
    let notes = Notes::new(&[]);
    for number in 0..18 {
        let sections: String = (0..8)
            .map(|section| {
                let line = format!(
                    "The relay {} of note {number} is quiet at night.",
                    section % 5
                );
                format!("## Part {}\n\n{}\n\n", section % 5, [&*line; 6].join(" "))
            })
            .collect();
        notes.write(&format!("note-{number}.md"), sections);
    }
    notes
}

/// Returns each distinct text that an index of these notes embeds.
fn texts_of(notes: &Notes) -> BTreeSet<String> {
    let asked = Arc::new(Asked::default());
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let counts = index_with(
        dir.path(),
        &[notes.path()],
        Box::new(Recording::new(&asked)),
    );
    let texts: BTreeSet<String> = asked.texts().into_iter().collect();
    assert_eq!(
        counts.n_embedded as usize,
        texts.len(),
        "no text is embedded twice"
    );
    texts
}

/// Checks that `asked` holds every text of the notes once.
fn check_embedded_once(notes: &Notes, asked: &Asked) {
    let mut texts = asked.texts();
    texts.sort();
    assert_eq!(texts, Vec::from_iter(texts_of(notes)));
}

#[test]
fn cancelled_work_is_taken_up_where_it_stood() {
    let notes = many_notes();
    let n_texts = texts_of(&notes).len();
    assert!(
        n_texts > 100,
        "{n_texts} texts are too few to be interrupted"
    );
    for (n_before, is_same_process) in [
        (1, true),
        (1, false),
        (40, true),
        (40, false),
        (n_texts - 1, true),
        (n_texts, false),
    ] {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let asked = Arc::new(Asked::default());
        let flag = Arc::new(AtomicBool::new(false));
        asked.interrupt_after(n_before, &flag);
        let open = || {
            Indexer::open(dir.path(), Box::new(Recording::new(&asked)))
                .expect("it can be opened")
                .0
        };
        let mut indexer = open();
        let folder = indexer.add_folder(notes.path()).expect("it can be added");
        indexer.scan(&folder, &flag).expect("it can be walked");
        assert_eq!(
            indexer.run(&flag, &mut ()).expect("it can be indexed"),
            Step::Cancelled
        );
        let n_first = indexer.counts().n_embedded as usize;
        assert!(
            (n_before..n_texts + 1).contains(&n_first),
            "{n_first} after {n_before}"
        );

        flag.store(false, Ordering::Relaxed);
        let n_second = if is_same_process {
            assert_eq!(
                indexer.run(&flag, &mut ()).expect("it can be indexed"),
                Step::Idle
            );
            indexer.counts().n_embedded as usize - n_first
        } else {
            drop(indexer);
            let mut indexer = open();
            indexer.scan(&folder, &flag).expect("it can be walked");
            assert_eq!(
                indexer.run(&flag, &mut ()).expect("it can be indexed"),
                Step::Idle
            );
            indexer.counts().n_embedded as usize
        };
        assert_eq!(n_first + n_second, n_texts, "cancelled after {n_before}");
        check_embedded_once(&notes, &asked);
        check_equals_fresh(dir.path(), &[notes.path()], &["relay 3"]);
    }
}

/// Looks at the saved embeddings whenever the indexer tells how far it is: what is not there then, a kill would lose.
struct Unsaved<'a> {
    reader: Store,
    asked: &'a Asked,
    n_unsaved_max: usize,
}

impl Observer for Unsaved<'_> {
    fn progress(&mut self, _: &memlens_engine::view::Progress) {
        let n_saved = self.reader.n_embeddings().expect("they can be counted") as usize;
        let n_unsaved = self.asked.texts().len() - n_saved;
        self.n_unsaved_max = self.n_unsaved_max.max(n_unsaved);
    }
}

#[test]
fn a_kill_loses_at_most_forty_embeddings() {
    let notes = many_notes();
    // One long note besides: what is saved only at its end would show.
    let lines: String = (0..300)
        .map(|line| format!("Line {line} of the long note.\n\n"))
        .collect();
    notes.write("long.md", lines.repeat(3));
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let asked = Arc::new(Asked::default());
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Recording::new(&asked))).expect("it can be opened");
    let folder = indexer.add_folder(notes.path()).expect("it can be added");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    let reader = Store::open_read_only(dir.path()).expect("it can be read");
    let mut unsaved = Unsaved {
        reader,
        asked: &asked,
        n_unsaved_max: 0,
    };
    indexer
        .run(&go_on, &mut unsaved)
        .expect("it can be indexed");
    // 32 that wait for a transaction and a slice of 8 that is being embedded.
    assert!(
        (1..=32 + 8).contains(&unsaved.n_unsaved_max),
        "{}",
        unsaved.n_unsaved_max
    );
}

#[test]
fn an_error_loses_no_work() {
    let notes = many_notes();
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let asked = Arc::new(Asked::default());
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Recording::new(&asked))).expect("it can be opened");
    let folder = indexer.add_folder(notes.path()).expect("it can be added");
    indexer.scan(&folder, &go_on).expect("it can be walked");

    // A text that gives no vector.
    asked.refuse(30);
    let error = indexer.run(&go_on, &mut ()).expect_err("a text is refused");
    assert!(error.to_string().contains("refused for a test"), "{error}");
    // A database that takes no document, as on a full disk.
    let database =
        rusqlite::Connection::open(dir.path().join("library.sqlite")).expect("it is SQLite");
    let trigger = "CREATE TRIGGER full BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'disk full'); END";
    database.execute_batch(trigger).expect("it can be made");
    let error = indexer
        .run(&go_on, &mut ())
        .expect_err("no document is taken");
    assert_eq!(error.to_string(), "cannot save a document: disk full");
    database
        .execute_batch("DROP TRIGGER full")
        .expect("it can be dropped");
    assert_eq!(
        indexer
            .run(&go_on, &mut ())
            .expect("nothing is wrong any more"),
        Step::Idle
    );
    drop(indexer);
    check_embedded_once(&notes, &asked);
    check_equals_fresh(dir.path(), &[notes.path()], &["relay 3"]);
}

/// Keeps what was told.
#[derive(Default)]
struct Told(Vec<Activity>);

impl Observer for Told {
    fn committed(&mut self, happened: &[Activity]) {
        self.0.extend_from_slice(happened);
    }
}

#[test]
fn what_happened_is_told_once_it_can_be_searched() {
    let notes = Notes::new(&[
        ("a.md", "The hall."),
        ("b.md", "The relay."),
        ("c.md", "Quiet."),
    ]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folder = indexer.add_folder(notes.path()).expect("it can be added");
    let mut told = |act: &dyn Fn()| -> Vec<String> {
        act();
        indexer.scan(&folder, &go_on).expect("it can be walked");
        let mut told = Told::default();
        indexer.run(&go_on, &mut told).expect("it can be indexed");
        let mut lines: Vec<String> = told
            .0
            .iter()
            .map(|one| {
                let detail = one.detail.as_deref().unwrap_or_default();
                format!("{} {:?} {} {detail}", one.folder_name, one.what, one.path)
                    .trim_end()
                    .to_owned()
            })
            .collect();
        lines.sort();
        lines
    };
    let lines = |what: &[&str]| -> Vec<String> {
        what.iter().map(|line| format!("notes {line}")).collect()
    };
    assert_eq!(
        told(&|| {}),
        lines(&[
            "Added a.md 1 chunk",
            "Added b.md 1 chunk",
            "Added c.md 1 chunk"
        ])
    );
    assert_eq!(told(&|| {}), lines(&[]));
    let act = || {
        notes.rename("a.md", "x/d.md");
        notes.write("b.md", "The relay hums.");
        notes.write("c.md", "no\0text");
    };
    // One rename in place of a deletion and an addition.
    assert_eq!(
        told(&act),
        lines(&[
            "Changed b.md 1 chunk",
            "Renamed x/d.md from a.md",
            "Skipped c.md cannot read the document as text: NUL on line 1",
        ])
    );
    // What is wrong with a file is told once, and again when it is something else.
    assert_eq!(told(&|| notes.remove("b.md")), lines(&["Deleted b.md"]));
    assert_eq!(
        told(&|| notes.write("c.md", "still\nno\0text")),
        lines(&["Skipped c.md cannot read the document as text: NUL on line 2"])
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

    // It goes while changes in it wait to be read.
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
        "a walk must tell"
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
        // The same by another name.
        (notes.at("inner/../inner"), "cannot add {root}/inner: it is already watched".to_owned()),
        (
            notes.path().to_owned(),
            "cannot add {root}: it holds {root}/inner, which is watched already; remove that one first".to_owned(),
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
fn no_clock_hides_a_change() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    let date = |time: SystemTime| {
        let file = fs::File::options().write(true).open(notes.at("a.md"));
        file.and_then(|file| file.set_modified(time))
            .expect("it can be dated");
    };
    let years = |n_years: u64| Duration::from_secs(n_years * 365 * 24 * 60 * 60);
    let times = [
        UNIX_EPOCH,
        UNIX_EPOCH - years(9),
        UNIX_EPOCH + years(80),
        // Twice the same: only the system's own time of the change is another then.
        UNIX_EPOCH + years(80),
    ];
    for (number, time) in times.into_iter().enumerate() {
        // Of one length.
        let word = ["attic", "porch", "depot", "cabin"][number];
        fs::write(notes.at("a.md"), format!("The {word}.")).expect("it can be written");
        date(time);
        let counts = index(dir.path(), &[notes.path()]);
        let is_hidden = cfg!(not(unix)) && number == 3;
        assert!(
            is_hidden || (counts.n_changed, counts.n_unchanged) == (1, 1),
            "{number}: {counts:?}"
        );
        assert!(is_hidden || best(dir.path(), word).as_deref() == Some("a.md"));
    }
    // Another time for the same bytes is no change, and the next look knows it.
    for time in [UNIX_EPOCH + years(90), UNIX_EPOCH + years(1)] {
        date(time);
        for _ in 0..2 {
            let counts = index(dir.path(), &[notes.path()]);
            assert_eq!(
                (counts.n_changed, counts.n_unchanged, counts.n_embedded),
                (0, 2, 0)
            );
        }
    }
    check_equals_fresh(dir.path(), &[notes.path()], &["hall relay"]);
}

#[cfg(unix)]
#[test]
fn files_and_folders_that_are_closed_and_open_again_are_followed() {
    use std::os::unix::fs::PermissionsExt;

    if !memlens_tests::is_another_user() {
        return memlens_tests::run_as_another_user(
            "changing::files_and_folders_that_are_closed_and_open_again_are_followed",
        );
    }
    let notes = Notes::new(&[("a.md", "The hall."), ("x/b.md", "The relay.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    let allow = |path: &str, mode: u32| {
        fs::set_permissions(notes.at(path), fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    let check = |seen: &[PathBuf], n_problems: usize| {
        let mut follower = Follower::open(dir.path(), &notes);
        follower.work(9);
        follower.seen.extend(seen.iter().cloned());
        follower.finish();
        check_equals_fresh(dir.path(), &[notes.path()], &["hall relay"]);
        let problems = open(dir.path()).problems().expect("they can be told");
        assert_eq!(problems.len(), n_problems, "{problems:?}");
    };
    for (path, closed, open) in [("a.md", 0o000, 0o644), ("x", 0o000, 0o755)] {
        allow(path, closed);
        check(&[notes.at(path)], 1);
        allow(path, open);
        check(&[notes.at(path)], 0);
    }
}

#[test]
fn a_removed_folder_is_forgotten_and_the_others_stay() {
    let (first, second) = (
        Notes::new(&[("a.md", "The hall.")]),
        Notes::new(&[("b.md", "The relay.")]),
    );
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    // The one that stays comes first, so that its name is that of a fresh library.
    index(dir.path(), &[second.path(), first.path()]);
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folders = indexer.store().folders().expect("they can be read");
    let gone = folders
        .iter()
        .find(|folder| Path::new(&folder.path) == first.path())
        .expect("it is watched");
    // With work of it still to be done and to be saved.
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
        .expect("it can be told");
    search
        .journey(&library.store(), &Params::default(), 0)
        .expect("it can be told");
    let folder = library.store().folders().expect("they can be read")[0].id;
    library
        .document(folder, "x/b.md")
        .expect("it can be opened");
    library
        .tree(folder, &HashSet::new())
        .expect("it can be told");
    for path in [
        notes.at("memlens.json"),
        notes.at("x/memlens.json"),
        notes.at("x/../memlens.json"),
    ] {
        let error = library
            .write_preset(&Params::default(), &path)
            .expect_err("it is refused");
        let expected = format!(
            "cannot write {}: it lies in {}, a watched folder, where Memlens never writes",
            path.display(),
            notes.path().display()
        );
        assert_eq!(error.to_string(), expected);
    }
    index(dir.path(), &[notes.path()]);
    assert!(image(notes.path()) == before, "the notes' folder changed");
}
