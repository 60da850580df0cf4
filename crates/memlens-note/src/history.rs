//! What a note said before: the changes that the library saw, and the commits of the repository that holds the note.
//!
//! Properties checked: a diff names the lines of the note; no repository outside of the watched folder is read.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Component, Path};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memlens_history::{Limits, NoteCommits, note_commits};
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library, Writes};
use memlens_store::{ChangedTexts, FolderId, NOTE_CHANGES_BYTES, NoteChange, Passage};
use memlens_wire::{ChangeOrigin, HistoryKept, NoteChanged, NoteHistory};
use similar::{ChangeTag, DiffTag, TextDiff};

use crate::named;

/// Commits of a note that are listed.
const COMMITS_MOST: usize = 50;
/// Lines of one diff that are shown.
const LINES_MOST: usize = 400;
/// Lines around a change.
const CONTEXT: usize = 2;
/// Bytes of both texts of a diff together.
const DIFF_BYTES: usize = 1 << 20;
/// After this, a diff is found more coarsely.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// The changes of a note, the newest first: all that are saved, and its newest [`COMMITS_MOST`] commits.
///
/// # Errors
/// [`EngineError::Store`]; [`EngineError::NotWatched`].
pub fn note_history(
    library: &Library,
    folder: FolderId,
    path: &str,
    stop: &AtomicBool,
) -> Result<NoteHistory, EngineError> {
    let top = {
        let lists = library.lists();
        let mut folders = lists.snapshot.folders.iter();
        let found = folders.find(|it| it.id == folder);
        let found = found.filter(|_| is_confined(path));
        let refused = || EngineError::NotWatched {
            path: path.to_owned(),
        };
        found.ok_or_else(refused)?.path.clone()
    };
    let (seen, is_kept) = {
        let store = library.store();
        (
            store.note_changes(folder, path)?,
            store.keeps_note_changes()?,
        )
    };
    let mut changes: Vec<NoteChanged> = seen.iter().map(seen_change).collect();
    let (commits, commits_end) = commits(Path::new(&top), &note_path(&top, path), stop);
    changes.extend(commits);
    // Stable, so that changes of one moment stay in their order.
    changes.sort_by(|a, b| b.at_ms.total_cmp(&a.at_ms));
    Ok(NoteHistory {
        changes,
        is_kept,
        commits_end,
    })
}

/// The same for a note as the user types it: see [`memlens_library::Place::parse`].
///
/// # Errors
/// [`EngineError::Note`] if it names no note of the library, and as [`note_history`].
pub fn note_history_at(
    library: &Library,
    typed: &str,
    here: Option<&Path>,
    stop: &AtomicBool,
) -> Result<NoteHistory, EngineError> {
    let place = named(library, typed, here)?;
    let lists = library.lists();
    let mut documents = lists.snapshot.documents.iter();
    if !documents.any(|it| it.folder == place.folder && it.path == place.path) {
        return Err(EngineError::Note {
            typed: typed.to_owned(),
            why: "the library does not contain it".to_owned(),
        });
    }
    note_history(library, place.folder, &place.path, stop)
}

/// What is saved of the changes of all notes.
///
/// # Errors
/// [`EngineError::Store`].
pub fn history_kept(library: &Library) -> Result<HistoryKept, EngineError> {
    let store = library.store();
    Ok(HistoryKept {
        is_kept: store.keeps_note_changes()?,
        n_bytes: store.note_changes_bytes()? as f64,
        n_bytes_most: NOTE_CHANGES_BYTES as f64,
    })
}

/// Sets whether changes of notes are saved; `false` also forgets those that are saved.
///
/// # Errors
/// As [`Writes::write`].
pub fn keep_history(writes: &impl Writes, keeps: bool) -> Result<(), EngineError> {
    writes.write(|store| Ok(store.keep_note_changes(keeps)?))
}

/// Whether a path stays in its folder.
fn is_confined(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_)))
}

fn seen_change(change: &NoteChange) -> NoteChanged {
    let lines = |passages: &[Passage]| -> Vec<Line> {
        let lines = passages.iter().flat_map(|passage| {
            let numbers = passage.start_line..;
            numbers.zip(passage.text.lines().map(str::to_owned))
        });
        lines.collect()
    };
    let shown = match &change.texts {
        ChangedTexts::Saved(passages) => diff(&lines(&passages.before), &lines(&passages.after)),
        ChangedTexts::TooLong => Shown::lacking("the texts were too long to be saved"),
        ChangedTexts::Damaged => Shown::lacking("the saved texts are damaged"),
    };
    shown.of(ChangeOrigin::Seen, change.at_ms)
}

/// The newest commits of a note, and why older ones are not listed.
fn commits(top: &Path, file: &Path, stop: &AtomicBool) -> (Vec<NoteChanged>, Option<String>) {
    let mut commits = Vec::new();
    let mut has_more = false;
    let read = note_commits(top, file, &Limits::default(), stop, |it| {
        if commits.len() == COMMITS_MOST {
            has_more = true;
            return ControlFlow::Break(());
        }
        let origin = ChangeOrigin::Commit {
            id: it.commit.id.clone(),
            subject: it.subject.to_owned(),
        };
        let n_bytes = it.before.map_or(0, str::len) + it.after.map_or(0, str::len);
        let shown = if n_bytes > DIFF_BYTES {
            Shown::lacking("the note is too long to be compared")
        } else {
            diff(&numbered(it.before), &numbered(it.after))
        };
        commits.push(shown.of(origin, it.commit.at_ms));
        ControlFlow::Continue(())
    });
    let end = match read {
        NoteCommits::Cut(why) => Some(why),
        NoteCommits::Read if has_more => {
            Some(format!("only its newest {COMMITS_MOST} commits are listed"))
        }
        NoteCommits::Read | NoteCommits::None => None,
    };
    (commits, end)
}

/// A line with its number.
type Line = (u32, String);

fn numbered(text: Option<&str>) -> Vec<Line> {
    let lines = text.unwrap_or_default().lines().map(str::to_owned);
    (1..).zip(lines).collect()
}

/// A diff as it is shown.
struct Shown {
    diff: String,
    n_added: u32,
    n_removed: u32,
    lacks: Option<String>,
}

impl Shown {
    fn lacking(why: &str) -> Shown {
        Shown {
            diff: String::new(),
            n_added: 0,
            n_removed: 0,
            lacks: Some(why.to_owned()),
        }
    }

    fn of(self, origin: ChangeOrigin, at_ms: i64) -> NoteChanged {
        NoteChanged {
            origin,
            at_ms: at_ms as f64,
            n_added: self.n_added,
            n_removed: self.n_removed,
            diff: self.diff,
            lacks: self.lacks,
        }
    }
}

/// The difference of two versions, in parts with [`CONTEXT`] lines around each change.
fn diff(before: &[Line], after: &[Line]) -> Shown {
    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|(_, text)| text.as_str()).collect()
    }
    let (old, new) = (texts(before), texts(after));
    let found = TextDiff::configure()
        .deadline(Instant::now() + DIFF_TIME)
        .diff_slices(&old, &new);
    let mut shown = Shown {
        diff: String::new(),
        n_added: 0,
        n_removed: 0,
        lacks: None,
    };
    let mut n_lines = 0;
    for part in found.grouped_ops(CONTEXT) {
        let Some(first) = part.first() else { continue };
        let only_removes = part
            .iter()
            .all(|op| matches!(op.tag(), DiffTag::Delete | DiffTag::Equal));
        let line = if only_removes {
            before.get(first.old_range().start)
        } else {
            after.get(first.new_range().start)
        };
        if let Some((line, _)) = line {
            let _ = writeln!(shown.diff, "@@ line {line} @@");
        }
        for change in part.iter().flat_map(|op| found.iter_changes(op)) {
            if n_lines == LINES_MOST {
                shown.lacks = Some(format!("only {LINES_MOST} lines are shown"));
                return shown;
            }
            n_lines += 1;
            let sign = match change.tag() {
                ChangeTag::Insert => {
                    shown.n_added += 1;
                    '+'
                }
                ChangeTag::Delete => {
                    shown.n_removed += 1;
                    '-'
                }
                ChangeTag::Equal => ' ',
            };
            let _ = writeln!(shown.diff, "{sign}{}", change.value());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> Shown {
        diff(&numbered(Some(before)), &numbered(Some(after)))
    }

    #[test]
    fn a_diff_names_lines_of_the_later_version_or_of_the_former_if_lines_only_went() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        assert_eq!(
            shown(old, "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\n").diff,
            "@@ line 3 @@\n c\n d\n-e\n+E\n f\n g\n"
        );
        let went = shown(old, "b\nc\nd\ne\nf\ng\nh\nj\n");
        assert_eq!(
            went.diff,
            "@@ line 1 @@\n-a\n b\n c\n@@ line 7 @@\n g\n h\n-i\n j\n"
        );
        assert_eq!((went.n_added, went.n_removed, went.lacks), (0, 2, None));
        assert_eq!(shown(old, old).diff, "");
    }

    #[test]
    fn numbers_are_those_of_the_note_where_only_some_chunks_are_known() {
        let before = [(10, "x".to_owned()), (40, "y".to_owned())];
        let after = [(12, "x".to_owned()), (42, "z".to_owned())];
        assert_eq!(diff(&before, &after).diff, "@@ line 12 @@\n x\n-y\n+z\n");
    }

    #[test]
    fn a_long_diff_says_that_it_is_cut() {
        let long: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let cut = shown("", &long);
        assert_eq!(cut.lacks.as_deref(), Some("only 400 lines are shown"));
        assert_eq!(cut.n_added as usize, LINES_MOST);
    }
}
