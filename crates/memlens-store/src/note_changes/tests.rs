//! What is saved of a change, and when it goes.

use proptest::prelude::*;

use super::*;
use crate::line_diff::LineKind;
use crate::versions::FirstSight;
use crate::{Change, EmbeddingId, NewChunk, Severity, StoredProblem};

struct Notes {
    _dir: tempfile::TempDir,
    store: Store,
    folder: FolderId,
    embedding: EmbeddingId,
}

fn notes() -> Notes {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut store = Store::open(dir.path()).expect("it can be opened");
    let folder = store
        .add_folder("/notes", "notes")
        .expect("it can be added")
        .id;
    store
        .save_embeddings("m@1", &[([0; 32], vec![0.6, 0.8])])
        .expect("it can be saved");
    let ids = store
        .embeddings("m@1", [[0; 32]])
        .expect("they can be read");
    let embedding = ids[&[0; 32]];
    Notes {
        _dir: dir,
        store,
        folder,
        embedding,
    }
}

impl Notes {
    /// Indexes a note of these lines, as read at a moment, in chunks of one line each.
    fn put(&mut self, path: &str, lines: &[&str], at_ms: i64) {
        self.put_cut(path, lines, 1, 0, at_ms);
    }

    /// The same in chunks of some lines, which share some with the one before.
    fn put_cut(&mut self, path: &str, lines: &[&str], n_lines: usize, n_shared: usize, at_ms: i64) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let chunks = (0..lines.len()).step_by(n_lines).map(|first| {
            let from = first.saturating_sub(n_shared);
            let to = (first + n_lines).min(lines.len());
            let bytes = starts[from]..starts[to];
            NewChunk {
                text: text[bytes.clone()].to_owned(),
                start_line: from as u32 + 1,
                end_line: to as u32,
                bytes: bytes.start as u32..bytes.end as u32,
                heading: String::new(),
                agent: None,
                date: None,
                weight: None,
                external_id: None,
                tokens: 1,
                embedding: self.embedding,
                windows: Vec::new(),
            }
        });
        let document = NewDocument {
            folder: self.folder,
            path: path.to_owned(),
            hash: *blake3::hash(text.as_bytes()).as_bytes(),
            size: 1,
            modified_ms: 1,
            changed_ns: 1,
            kind: "markdown".to_owned(),
            encoding: "UTF-8".to_owned(),
            agent: None,
            date: None,
            tags: Vec::new(),
            weight: None,
            chunks: chunks.collect(),
            observations: Vec::new(),
            problems: Vec::new(),
            first_sight: Some(FirstSight { at_ms, words: None }),
        };
        self.apply(Change::Put(Box::new(document)));
    }

    fn apply(&mut self, change: Change) {
        self.store.apply(&[change]).expect("it can be saved");
    }

    fn remove(&mut self, path: &str) {
        self.apply(Change::Remove {
            folder: self.folder,
            path: path.to_owned(),
        });
    }

    fn changes(&self, path: &str) -> Vec<NoteChange> {
        self.store
            .note_changes(self.folder, path)
            .expect("they can be read")
    }

    /// Sum of the sizes by the rows; fails if that in `meta` is another.
    fn n_bytes(&self) -> i64 {
        let rows: i64 = self
            .store
            .connection
            .query_row(
                "SELECT coalesce(sum(length(content)), 0) FROM note_changes",
                [],
                |row| row.get(0),
            )
            .expect("it can be read");
        assert_eq!(
            self.store.note_changes_bytes().expect("it can be read"),
            rows as u64
        );
        rows
    }
}

fn saved(change: &NoteChange) -> &LineDiff {
    let ChangedTexts::Saved(diff) = &change.texts else {
        panic!("{:?}", change.texts)
    };
    diff
}

/// The lines of one kind.
fn lines(diff: &LineDiff, kind: LineKind) -> Vec<&str> {
    let lines = diff.parts.iter().flat_map(|part| &part.lines);
    lines
        .filter(|(one, _)| *one == kind)
        .map(|(_, text)| &**text)
        .collect()
}

#[test]
fn a_change_holds_the_lines_of_one_version_alone() {
    let mut notes = notes();
    notes.put("a.md", &["one", "two", "two", "three"], 5);
    assert_eq!(notes.changes("a.md"), []);
    notes.put("a.md", &["new", "one", "two", "three"], 7);
    notes.put("a.md", &["new", "one", "two", "THREE"], 9);
    let changes = notes.changes("a.md");
    assert_eq!(
        changes.iter().map(|it| it.at_ms).collect::<Vec<_>>(),
        [9, 7]
    );
    let of = |at: usize, kind| lines(saved(&changes[at]), kind);
    assert_eq!(of(0, LineKind::Removed), ["three"]);
    assert_eq!(of(0, LineKind::Added), ["THREE"]);
    assert_eq!(of(1, LineKind::Removed), ["two"]);
    assert_eq!(of(1, LineKind::Added), ["new"]);
    assert!(notes.n_bytes() > 0);
}

#[test]
fn lines_in_several_chunks_and_moved_borders_of_chunks_are_no_change() {
    let mut notes = notes();
    let former: Vec<String> = (0..40).map(|line| format!("entry {line}")).collect();
    let former: Vec<&str> = former.iter().map(String::as_str).collect();
    let mut later = former.clone();
    later.insert(1, "entry of a new day");
    notes.put_cut("a.md", &former, 7, 3, 1);
    notes.put_cut("a.md", &later, 7, 3, 2);
    let changes = notes.changes("a.md");
    let diff = saved(&changes[0]);
    assert_eq!((diff.n_added, diff.n_removed), (1, 0));
    assert_eq!(lines(diff, LineKind::Added), ["entry of a new day"]);
    assert_eq!(diff.parts[0].line, 1);
    notes.put_cut("a.md", &later, 5, 2, 3);
    assert_eq!(notes.changes("a.md").len(), 1);
}

#[test]
fn bytes_that_are_the_same_are_no_change() {
    let mut notes = notes();
    notes.put("a.md", &["one", "two"], 5);
    notes.put("a.md", &["one", "two"], 6);
    assert_eq!(notes.changes("a.md"), []);
}

#[test]
fn the_changes_of_a_note_go_with_its_file_and_stay_while_it_cannot_be_read() {
    let mut notes = notes();
    for path in ["a.md", "b.md"] {
        notes.put(path, &["one"], 5);
        notes.put(path, &["two"], 6);
    }
    notes.remove("a.md");
    assert_eq!(notes.changes("a.md"), []);
    let problem = StoredProblem {
        folder: notes.folder,
        path: "b.md".to_owned(),
        line: None,
        message: "permission denied".to_owned(),
        severity: Severity::Error,
    };
    notes.apply(Change::Fail(problem));
    notes
        .store
        .confirm_folder(notes.folder, now_ms())
        .expect("it can be saved");
    assert_eq!(notes.changes("b.md").len(), 2);
    assert_eq!(
        notes.changes("b.md")[0].texts,
        ChangedTexts::Unread,
        "what changes now is not known"
    );
    notes.store.forget_documents().expect("they can be removed");
    assert_eq!(notes.changes("b.md").len(), 2);
    // Deleted while it had no document.
    notes
        .store
        .confirm_folder(notes.folder, now_ms())
        .expect("it can be saved");
    assert_eq!(notes.changes("b.md"), []);
    assert_eq!(notes.n_bytes(), 0);
}

#[test]
fn a_folder_that_is_no_longer_watched_takes_the_changes_of_its_notes_with_it() {
    let mut notes = notes();
    notes.put("a.md", &["one"], 5);
    notes.put("a.md", &["two"], 6);
    assert!(notes.n_bytes() > 0);
    notes
        .store
        .remove_folder(notes.folder)
        .expect("it can be removed");
    assert_eq!(notes.n_bytes(), 0);
}

#[test]
fn switched_off_nothing_is_left_or_saved_and_switched_on_it_begins_again() {
    let mut notes = notes();
    notes.put("a.md", &["one"], 5);
    notes.put("a.md", &["two"], 6);
    let forgotten = notes.store.unrest().expect("it can be read");
    assert!(notes.store.keeps_note_changes().expect("it can be read"));
    notes
        .store
        .keep_note_changes(false)
        .expect("it can be saved");
    assert!(!notes.store.keeps_note_changes().expect("it can be read"));
    assert_ne!(
        notes.store.unrest().expect("it can be read"),
        forgotten,
        "the disk is cleaned"
    );
    assert_eq!(notes.n_bytes(), 0);
    notes.put("a.md", &["three"], 7);
    assert_eq!(notes.changes("a.md"), []);
    notes
        .store
        .keep_note_changes(true)
        .expect("it can be saved");
    notes.put("a.md", &["four"], 8);
    assert_eq!(
        lines(saved(&notes.changes("a.md")[0]), LineKind::Removed),
        ["three"]
    );
    notes.store.erase_all().expect("it can be erased");
    assert_eq!(notes.n_bytes(), 0);
}

#[test]
fn the_newest_changes_stay_within_the_bounds() {
    let mut notes = notes();
    notes.put("b.md", &["one"], 1);
    notes.put("b.md", &["two"], 2);
    let n = CHANGES_OF_NOTE as usize + 20;
    for at in 0..n {
        notes.put("a.md", &[&format!("text {at}")], at as i64);
    }
    let changes = notes.changes("a.md");
    assert_eq!(changes.len(), CHANGES_OF_NOTE as usize);
    assert_eq!(changes[0].at_ms, n as i64 - 1);
    assert_eq!(notes.changes("b.md").len(), 1);
    let half = notes.n_bytes() / 2;
    let transaction = notes.store.connection.transaction().expect("it can begin");
    trim(&transaction, half).expect("it can be trimmed");
    transaction.commit().expect("it can be saved");
    assert!(notes.n_bytes() <= half);
    let left = notes.changes("a.md");
    assert_eq!(left[..], changes[..left.len()]);
    assert!(
        !left.is_empty() && notes.changes("b.md").is_empty(),
        "the oldest went first"
    );
}

#[test]
fn a_change_that_is_too_long_or_damaged_says_so() {
    let mut notes = notes();
    let long = "x".repeat(SAVED_BYTES + 1);
    notes.put("a.md", &["one"], 1);
    notes.put("a.md", &["two"], 2);
    notes.put("a.md", &[&long], 3);
    notes.put("b.md", &["one"], 1);
    notes.put("b.md", &["two"], 2);
    let damage =
        "UPDATE note_changes SET content = x'00' || substr(content, 2) WHERE path = 'b.md'";
    notes
        .store
        .connection
        .execute(damage, [])
        .expect("it can be damaged");
    let changes = notes.changes("a.md");
    assert_eq!(
        changes[0],
        NoteChange {
            at_ms: 3,
            texts: ChangedTexts::TooLong
        }
    );
    assert_eq!(lines(saved(&changes[1]), LineKind::Added), ["two"]);
    assert_eq!(notes.changes("b.md")[0].texts, ChangedTexts::Damaged);
}

#[test]
fn a_former_version_that_is_damaged_is_not_compared() {
    let mut notes = notes();
    notes.put("a.md", &["one", "two"], 1);
    notes
        .store
        .connection
        .execute("UPDATE chunks SET text = 'other' WHERE start_line = 1", [])
        .expect("it can be damaged");
    notes.put("a.md", &["one", "three"], 2);
    assert_eq!(notes.changes("a.md")[0].texts, ChangedTexts::Damaged);
}

proptest! {
    #[test]
    fn what_was_packed_is_unpacked_and_no_bytes_panic(
        before in proptest::collection::vec("[ab]{0,3}", 0..9),
        after in proptest::collection::vec("[ab]{0,3}", 0..9),
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let numbered = |lines: &[String]| -> Vec<crate::NumberedLine> {
            (1..)
                .zip(lines)
                .map(|(number, text)| crate::NumberedLine { number, text: text.clone() })
                .collect()
        };
        let diff = line_diff(&numbered(&before), &numbered(&after));
        prop_assert_eq!(unpack(&pack(&diff)), Some(diff));
        let _ = unpack(&bytes);
    }

    /// The former lines without the removed ones are the later ones without the added ones, however both are cut.
    #[test]
    fn a_change_turns_one_version_into_the_other(
        former in proptest::collection::vec("[ab]", 1..8),
        later in proptest::collection::vec("[abc]", 1..8),
        cut in 1..4usize,
        shared in 0..3usize,
    ) {
        let mut notes = notes();
        fn of(all: &[String]) -> Vec<&str> {
            all.iter().map(String::as_str).collect()
        }
        notes.put_cut("a.md", &of(&former), cut, shared, 1);
        notes.put_cut("a.md", &of(&later), 2, 1, 2);
        let changes = notes.changes("a.md");
        let diff = changes.first().map(|it| saved(it).clone()).unwrap_or_default();
        let without = |all: &[String], part: &[&str]| {
            let mut left = all.to_vec();
            for one in part {
                let at = left.iter().position(|text| text == one).expect("it is of this version");
                left.remove(at);
            }
            left.sort();
            left
        };
        prop_assert_eq!(
            without(&former, &lines(&diff, LineKind::Removed)),
            without(&later, &lines(&diff, LineKind::Added))
        );
        prop_assert_eq!(diff.n_added as usize, lines(&diff, LineKind::Added).len());
    }
}
