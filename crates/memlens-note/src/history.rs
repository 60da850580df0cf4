//! What a note said before: the changes that the library saw, and the commits of the repository that holds the note.
//!
//! Commits are read again only if the repository has another newest commit.
//!
//! Properties checked: no repository outside of the watched folder is read.

mod commits;

use std::fmt::Write;
use std::path::{Component, Path};
use std::sync::atomic::AtomicBool;

use memlens_history::NoteVersion;
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library, Writes};
use memlens_store::{
    ChangedTexts, FolderId, LineDiff, LineKind, NOTE_CHANGES_BYTES, NoteChange, NumberedLine,
    line_diff,
};
use memlens_wire::{ChangeOrigin, HistoryKept, NoteChanged, NoteHistory};

use crate::named;
use commits::commits_of;

/// Bytes of both texts of a diff together.
const DIFF_BYTES: usize = 1 << 20;

/// The changes of a note, the newest first: all that are saved, and its newest 50 commits.
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
    let commits = commits_of(library, Path::new(&top), &note_path(&top, path), stop);
    changes.extend(commits.changes.iter().cloned());
    // Stable, so that changes of one moment stay in their order.
    changes.sort_by(|a, b| b.at_ms.total_cmp(&a.at_ms));
    Ok(NoteHistory {
        changes,
        is_kept,
        commits_end: commits.end.clone(),
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
    let shown = match &change.texts {
        ChangedTexts::Saved(diff) => Shown::of_diff(diff),
        ChangedTexts::TooLong => Shown::lacking("the lines were too long to be saved"),
        ChangedTexts::Damaged => Shown::lacking("the saved lines are damaged"),
        ChangedTexts::Unread => Shown::lacking(
            "the note could not be read, and what changed until it was read again is not known",
        ),
    };
    shown.of(ChangeOrigin::Seen, change.at_ms)
}

fn numbered(text: &str) -> Vec<NumberedLine> {
    let lines = (1..).zip(text.lines());
    lines
        .map(|(number, text)| NumberedLine {
            number,
            text: text.to_owned(),
        })
        .collect()
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

    fn of_versions(before: NoteVersion<'_>, after: NoteVersion<'_>) -> Shown {
        let text = |version| match version {
            NoteVersion::Absent => Some(""),
            NoteVersion::NoText => None,
            NoteVersion::Text(text) => Some(text),
        };
        let (Some(before), Some(after)) = (text(before), text(after)) else {
            return Shown::lacking("one of both versions is no text");
        };
        if before.len() + after.len() > DIFF_BYTES {
            return Shown::lacking("the note is too long to be compared");
        }
        let diff = line_diff(&numbered(before), &numbered(after));
        if diff.is_empty() {
            return Shown::lacking("only the ends of lines changed");
        }
        Shown::of_diff(&diff)
    }

    fn of_diff(diff: &LineDiff) -> Shown {
        let mut text = String::new();
        for part in &diff.parts {
            let _ = writeln!(text, "@@ line {} @@", part.line);
            for (kind, line) in &part.lines {
                let sign = match kind {
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                    LineKind::Same => ' ',
                };
                let _ = writeln!(text, "{sign}{line}");
            }
        }
        let n_shown: usize = diff.parts.iter().map(|part| part.lines.len()).sum();
        let lacks = match (diff.is_cut, diff.is_by_chunk) {
            (true, _) => Some(format!("only {n_shown} lines are shown")),
            (false, true) => Some(
                "a string of JSON is compared in its chunks, of which neighbours may share lines"
                    .to_owned(),
            ),
            (false, false) => None,
        };
        Shown {
            diff: text,
            n_added: diff.n_added,
            n_removed: diff.n_removed,
            lacks,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_cannot_be_compared_by_lines_say_so() {
        let shown = |before, after| Shown::of_versions(before, after);
        let text = NoteVersion::Text;
        let one = shown(text("a\nb\n"), text("a\nc\n"));
        assert_eq!(one.diff, "@@ line 1 @@\n a\n-b\n+c\n");
        assert_eq!((one.n_added, one.n_removed, one.lacks), (1, 1, None));
        let binary = shown(text("a\n"), NoteVersion::NoText);
        assert_eq!((binary.diff.as_str(), binary.n_removed), ("", 0));
        assert_eq!(
            binary.lacks.as_deref(),
            Some("one of both versions is no text")
        );
        let ends = shown(text("a\r\nb\r\n"), text("a\nb"));
        assert_eq!(
            ends.lacks.as_deref(),
            Some("only the ends of lines changed")
        );
        let long: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let cut = shown(NoteVersion::Absent, text(&long));
        assert_eq!(cut.n_added, 1000);
        assert_eq!(cut.lacks.as_deref(), Some("only 400 lines are shown"));
    }

    #[test]
    fn a_path_stays_in_its_folder() {
        for path in ["../a.md", "a/../../b.md", "/etc/a.md"] {
            assert!(!is_confined(path), "{path}");
        }
        assert!(is_confined("a/b..md"));
    }
}
