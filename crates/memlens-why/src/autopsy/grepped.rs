//! Results of a file searcher in the fact's note: agents without an index grep their memory, and nothing ranks the
//! results.

use std::path::Path;

use memlens_agents::Pattern;

use super::Case;
use super::fact::{FILE_BYTES, Found, folder};

/// How far a search for a pattern gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// No line of the note holds it.
    Nothing,
    /// Other lines of the note hold it.
    Note,
    /// The fact's line holds it.
    Line,
}

/// The text that patterns are tried on.
pub(super) struct Grepped {
    line: String,
    /// The whole note; empty if it cannot be read.
    note: String,
}

impl Grepped {
    pub fn of(case: &Case<'_>, found: &Found) -> Grepped {
        let read = |root: &Path, path: &str| {
            let text = memlens_written::text(root, path, FILE_BYTES);
            text.ok().flatten().unwrap_or_default()
        };
        let note = match folder(case.library, found.place.folder) {
            Some(folder) => read(Path::new(&folder.path), &found.place.path),
            None => found
                .file
                .as_ref()
                .and_then(|file| {
                    let name = file.file_name()?.to_str()?;
                    Some(read(file.parent()?, name))
                })
                .unwrap_or_default(),
        };
        let whole = note.lines().nth((found.line as usize).saturating_sub(1));
        Grepped {
            // The line as it is shown may be cut.
            line: whole.unwrap_or(&found.text).to_owned(),
            note,
        }
    }

    /// How far a search for the patterns of a question gets.
    pub fn reach(&self, question: &str) -> Reach {
        let pattern = Pattern::new(question);
        if pattern.finds(&self.line) {
            Reach::Line
        } else if self.note.lines().any(|line| pattern.finds(line)) {
            Reach::Note
        } else {
            Reach::Nothing
        }
    }
}
