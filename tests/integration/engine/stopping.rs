//! Indexing that is stopped, killed or fails continues where it was.
//!
//! Properties checked: cancelled work is continued by the same process and by the next; no text is embedded twice;
//! there are never more unsaved texts than the indexer says; a model or a database that refuses costs no work.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memlens_embed::Hashing;
use memlens_engine::view::{Activity, Progress};
use memlens_engine::{Indexer, Observer, Step};
use memlens_faults::{Fault, Place};
use memlens_store::Store;
use memlens_tests::{Asked, Notes, Recording, check_equals_fresh, index, index_with};

/// Returns notes with over a hundred texts to embed, some of them equal.
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

/// Returns an indexer that has seen all notes and read none.
fn about_to_index(dir: &Path, notes: &Notes, asked: &Arc<Asked>) -> Indexer {
    let (mut indexer, _) =
        Indexer::open(dir, Box::new(Recording::new(asked))).expect("it can be opened");
    let folder = indexer.add_folder(notes.path()).expect("it can be added");
    indexer
        .scan(&folder, &AtomicBool::new(false))
        .expect("it can be walked");
    indexer
}

/// Returns the distinct texts that an index of these notes embeds.
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
    // The empty text tests whether a model that refused a text refuses all of them.
    texts.retain(|text| !text.is_empty());
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

/// Looks at the saved embeddings at each report of progress: a kill would lose those that are not there.
struct Unsaved<'a> {
    reader: Store,
    asked: &'a Asked,
    n_unsaved_max: usize,
}

impl Observer for Unsaved<'_> {
    fn progress(&mut self, _: &Progress) {
        let n_saved = self.reader.n_embeddings().expect("they can be counted") as usize;
        let n_unsaved = self.asked.texts().len() - n_saved;
        self.n_unsaved_max = self.n_unsaved_max.max(n_unsaved);
    }
}

#[test]
fn a_kill_loses_at_most_forty_embeddings() {
    let notes = many_notes();
    // A long note is added: texts saved only at its end would be noticed.
    let lines: String = (0..300)
        .map(|line| format!("Line {line} of the long note.\n\n"))
        .collect();
    notes.write("long.md", lines.repeat(3));
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let asked = Arc::new(Asked::default());
    let mut indexer = about_to_index(dir.path(), &notes, &asked);
    let go_on = AtomicBool::new(false);
    let reader = Store::open_read_only(dir.path()).expect("it can be read");
    let mut unsaved = Unsaved {
        reader,
        asked: &asked,
        n_unsaved_max: 0,
    };
    indexer
        .run(&go_on, &mut unsaved)
        .expect("it can be indexed");
    // 32 that wait for a transaction, and a slice of 8 that is being embedded.
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
    let mut indexer = about_to_index(dir.path(), &notes, &asked);
    let go_on = AtomicBool::new(false);

    // A text that gets no vector the first time is tried again.
    asked.refuse(30);
    // A database that refuses every document, as on a full disk.
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

#[test]
fn tokens_are_counted_a_few_at_a_time_and_none_twice() {
    let notes = Notes::new(&[]);
    let lines: String = (0..4000)
        .map(|line| format!("Line {line} of the long note.\n"))
        .collect();
    notes.write("long.md", lines);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let asked = Arc::new(Asked::default());
    let mut indexer = about_to_index(dir.path(), &notes, &asked);
    let flag = Arc::new(AtomicBool::new(false));
    for n_counted in [1, 30] {
        asked.interrupt_after_counting(n_counted, &flag);
        let step = indexer.run(&flag, &mut ()).expect("it can be indexed");
        assert_eq!(step, Step::Cancelled);
        // At most a slice of 8 was finished.
        assert!(
            (n_counted..n_counted + 8).contains(&asked.n_counted()),
            "{} after {n_counted}",
            asked.n_counted()
        );
        flag.store(false, Ordering::Relaxed);
    }
    let step = indexer.run(&flag, &mut ()).expect("it can be indexed");
    assert_eq!(step, Step::Idle);
    drop(indexer);
    let n_counted = asked.n_counted();
    let once = Arc::new(Asked::default());
    let fresh_dir = tempfile::tempdir().expect("a scratch folder can be made");
    index_with(
        fresh_dir.path(),
        &[notes.path()],
        Box::new(Recording::new(&once)),
    );
    assert!(once.n_counted() > 60, "{}", once.n_counted());
    assert_eq!(n_counted, once.n_counted());
    check_equals_fresh(dir.path(), &[notes.path()], &["long note"]);
}

#[derive(Default)]
struct Last(Option<Progress>);

impl Observer for Last {
    fn progress(&mut self, progress: &Progress) {
        self.0 = Some(progress.clone());
    }
}

#[test]
fn progress_reaches_its_end_whatever_happened_to_the_work_before() {
    let notes = many_notes();
    let other = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let go_on = AtomicBool::new(false);
    let mut indexer = about_to_index(dir.path(), &notes, &Arc::new(Asked::default()));
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    let beside = indexer.add_folder(other.path()).expect("it can be added");
    let check_end = |indexer: &mut Indexer, what: &str| {
        let mut last = Last::default();
        let step = indexer.run(&go_on, &mut last).expect("it can be indexed");
        assert_eq!(step, Step::Idle, "{what}");
        let last = last.0.expect("there was work");
        assert_eq!((last.share, last.n_done), (1.0, last.n_total), "{what}");
    };
    let scan = |indexer: &mut Indexer, folder| {
        indexer.scan(folder, &go_on).expect("it can be walked");
    };
    scan(&mut indexer, &folder);
    check_end(&mut indexer, "walked twice");
    for number in 0..18 {
        notes.write(&format!("note-{number}.md"), format!("The attic {number}."));
    }
    scan(&mut indexer, &folder);
    scan(&mut indexer, &beside);
    indexer.leave_alone(folder.id);
    check_end(&mut indexer, "a paused folder is not counted");
    scan(&mut indexer, &folder);
    other.write("a.md", "The cellar.");
    scan(&mut indexer, &beside);
    indexer.remove_folder(folder.id).expect("it can be removed");
    check_end(&mut indexer, "a removed folder is not counted");
    other.remove("b.md");
    scan(&mut indexer, &beside);
    check_end(&mut indexer, "only to be taken out");
}

/// Asks to stop as soon as a note is started.
struct Stopping(AtomicBool);

impl Observer for &Stopping {
    fn progress(&mut self, _: &Progress) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_note_is_stopped_though_there_is_nothing_to_embed() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    notes.rename("a.md", "b.md");
    let (mut indexer, _) =
        Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
    let folders = indexer.store().folders().expect("they can be read");
    let go_on = AtomicBool::new(false);
    indexer.scan(&folders[0], &go_on).expect("it can be walked");
    // The old name is removed first.
    assert_eq!(indexer.step(&go_on, &mut ()).expect("it can"), Step::More);
    let stopping = Stopping(AtomicBool::new(false));
    let step = indexer.step(&stopping.0, &mut &stopping);
    assert_eq!(step.expect("it is no failure"), Step::Cancelled);
    assert_eq!(indexer.counts().n_added, 0);
    let step = indexer.run(&go_on, &mut ()).expect("it can be indexed");
    assert_eq!((step, indexer.counts().n_added), (Step::Idle, 1));
    drop(indexer);
    check_equals_fresh(dir.path(), &[notes.path()], &["hall"]);
}

#[test]
fn looking_up_many_texts_can_be_stopped() {
    let lines: String = (0..3000)
        .map(|line| format!("{{\"text\": \"Line {line}.\"}}\n"))
        .collect();
    let notes = Notes::new(&[("a.jsonl", &lines)]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut indexer = about_to_index(dir.path(), &notes, &Arc::new(Asked::default()));
    let look_up = || Fault::at(Place::Store, dir.path()).only("look up embeddings");
    let first = look_up().times(1).hangs();
    let flag = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stepping = scope.spawn(|| indexer.step(&flag, &mut ()));
        first.wait();
        flag.store(true, Ordering::Relaxed);
        let second = look_up().fails();
        drop(first);
        let step = stepping.join().expect("it does not panic");
        assert_eq!(step.expect("it was only stopped"), Step::Cancelled);
        assert_eq!(second.n_triggered(), 0, "no more of them are looked up");
    });
}

/// A reader that is slow to take up what was saved.
#[derive(Default)]
struct SlowReader {
    n_notified: usize,
    paths: Vec<String>,
}

impl Observer for SlowReader {
    fn committed(&mut self, happened: &[Activity]) {
        self.n_notified += 1;
        self.paths
            .extend(happened.iter().map(|one| one.path.clone()));
        // Any machine saves the rest within the following 25 s.
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn slow_readers_are_notified_rarely_and_of_everything_in_the_end() {
    let notes = Notes::new(&[]);
    // Three batches of changes.
    let n_notes = 2100;
    for number in 0..n_notes {
        notes.write(&format!("{number}.md"), format!("Note {number}."));
    }
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut indexer = about_to_index(dir.path(), &notes, &Arc::default());
    let mut reader = SlowReader::default();
    let step = indexer.run(&AtomicBool::new(false), &mut reader);
    assert_eq!(step.expect("it can be indexed"), Step::Idle);
    assert_eq!(
        reader.n_notified, 2,
        "the first batch, and the others together"
    );
    reader.paths.sort();
    reader.paths.dedup();
    assert_eq!(reader.paths.len(), n_notes);
    assert!(!indexer.is_busy());
}
