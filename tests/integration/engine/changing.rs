//! A library follows its folders: after any changes to the notes it equals a fresh library.
//!
//! Properties checked: a change, a rename and a deletion show in the next search; nothing unchanged is embedded again;
//! after any edits, seen by walks or by a watcher in any rhythm, the library equals a fresh one; an event is reported
//! once it can be searched; no clock hides a change, and neither does a file or folder that is closed for a while.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memlens_embed::Hashing;
use memlens_engine::view::{Activity, FileProblem};
use memlens_engine::{Counts, Folder, Indexer, Observer, Step};
use memlens_params::Params;
use memlens_tests::{Notes, cases, check_equals_fresh, index, open};
use proptest::prelude::*;

/// Returns the path of the best row for a query; `None` if no word finds anything.
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

#[test]
fn changes_renames_and_deletions_show_in_the_next_search() {
    let notes = Notes::new(&[
        ("router.md", "# Router\n\nThe router stands in the hall.\n"),
        ("people/signe.md", "Signe likes oolong.\n"),
    ]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    // An action, what the next index counts, and where words are found afterwards.
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
            // A chunk and a window for each note; without headings the window is the chunk.
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
            // The words of the file's new name count, those of the old name do not.
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
            // Its text was embedded at the start.
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

/// Returns notes of many kinds, some of them partly or wholly invalid, some longer than a chunk.
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
    // Text that is not UTF-8, and a file that is not text.
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
    /// Grows a note beyond the size that is read.
    Grow(usize),
    /// Writes an ignore rule for one path, or removes it.
    Ignore(Option<usize>),
    /// Replaces a note by a link.
    Link(usize),
}

#[derive(Debug, Clone)]
enum Act {
    Edit(Edit),
    /// The changes so far are seen, one by one; `Walk` sees them with a walk of everything.
    See,
    Walk,
    /// This many steps of work are done.
    Work(usize),
    /// The process ends and another starts.
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

/// Returns the outermost missing folder of a note's path, whose creation a watcher reports.
fn missing_folder(notes: &Notes, path: &str) -> Option<PathBuf> {
    let folders = Path::new(path)
        .ancestors()
        .skip(1)
        .map(|folder| notes.path().join(folder));
    folders.take_while(|folder| !folder.exists()).last()
}

/// Makes an edit if it is possible. Returns the paths that a watcher would name.
fn edit(notes: &Notes, edit: &Edit) -> Vec<PathBuf> {
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    // Removes whatever is in the place of a file.
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
            // A file that grows behind a link is reported by its own name.
            let grown = fs::read_link(&path).unwrap_or(path);
            let file = fs::File::create(&grown);
            // A hole: no bytes are written.
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

/// An indexer that is notified of changes as the engine notifies it.
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

/// Scripts whose outcome once differed from a fresh library.
#[test]
fn edits_that_went_wrong_once() {
    use Act::{Edit as Did, Restart, See, Walk, Work};
    let scripts: &[&[Act]] = &[
        // Deleted while its first version waited to be saved.
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
        // Suddenly too large: it is reported, and reported again.
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
        // Grown too large between listing and reading, behind a link.
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

/// Records the activities that were reported.
#[derive(Default)]
struct Recorder(Vec<Activity>);

impl Observer for Recorder {
    fn committed(&mut self, happened: &[Activity]) {
        self.0.extend_from_slice(happened);
    }
}

#[test]
fn what_happened_is_reported_once_it_can_be_searched() {
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
    let mut activities = |act: &dyn Fn()| -> Vec<String> {
        act();
        indexer.scan(&folder, &go_on).expect("it can be walked");
        let mut recorder = Recorder::default();
        indexer
            .run(&go_on, &mut recorder)
            .expect("it can be indexed");
        let mut lines: Vec<String> = recorder
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
        activities(&|| {}),
        lines(&[
            "Added a.md 1 chunk",
            "Added b.md 1 chunk",
            "Added c.md 1 chunk"
        ])
    );
    assert_eq!(activities(&|| {}), lines(&[]));
    let act = || {
        notes.rename("a.md", "x/d.md");
        notes.write("b.md", "The relay hums.");
        notes.write("c.md", "no\0text");
    };
    // One rename instead of a deletion and an addition.
    assert_eq!(
        activities(&act),
        lines(&[
            "Changed b.md 1 chunk",
            "Renamed x/d.md from a.md",
            "Skipped c.md cannot read the document as text: NUL on line 1",
        ])
    );
    // A problem of a file is reported once, and again when the problem changes.
    assert_eq!(
        activities(&|| notes.remove("b.md")),
        lines(&["Deleted b.md"])
    );
    assert_eq!(
        activities(&|| notes.write("c.md", "still\nno\0text")),
        lines(&["Skipped c.md cannot read the document as text: NUL on line 2"])
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
        // The same time twice: only the system's own change time differs.
        UNIX_EPOCH + years(80),
    ];
    for (number, time) in times.into_iter().enumerate() {
        // All words have the same length.
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
    // Another time for the same bytes is not a change, and the next look knows the new time.
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
    let follow = |seen: &str| {
        let mut follower = Follower::open(dir.path(), &notes);
        follower.work(9);
        follower.seen.push(notes.at(seen));
        follower.finish();
        let library = open(dir.path());
        let problems = library.problems().expect("they can be explained");
        let line = |problem: FileProblem| format!("{}: {}", problem.path, problem.message);
        let n_files = library.lists().snapshot.documents.len();
        (n_files, problems.into_iter().map(line).collect::<Vec<_>>())
    };
    let opened =
        "cannot open this folder: Permission denied; its notes stay in the library as they were";
    let looked = "cannot inspect all of this folder: Permission denied; its notes stay in the library as they were";
    for (path, closed, open, n_files, why) in [
        (
            "a.md",
            0o000,
            0o644,
            1,
            "cannot read this file: Permission denied",
        ),
        ("x", 0o000, 0o755, 2, opened),
        // It can be listed, but nothing in it can be read.
        ("x", 0o444, 0o755, 2, looked),
    ] {
        allow(path, closed);
        for _ in 0..2 {
            assert_eq!(follow(path), (n_files, vec![format!("{path}: {why}")]));
        }
        allow(path, open);
        assert_eq!(follow(path), (2, vec![]));
        check_equals_fresh(dir.path(), &[notes.path()], &["hall relay"]);
    }
}
