//! The links in the files of notes.
//!
//! A document never changes under its id, so a file is read once for each.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_ingest::{Kind, NoteLinks, links};
use memlens_library::{EngineError, Library};
use memlens_store::{DocumentId, DocumentRow, FolderId, Snapshot};

/// The files that were read.
#[derive(Default)]
pub(super) struct Texts {
    known: HashMap<DocumentId, Arc<NoteLinks>>,
    n_failed: u32,
}

impl Texts {
    /// Reads files that were not read yet, for a time; `None` for all of them. Returns how many are left.
    pub(super) fn read(&mut self, snapshot: &Snapshot, time: Option<Duration>) -> u32 {
        let started = Instant::now();
        let mut before = std::mem::take(&mut self.known);
        self.n_failed = 0;
        let mut n_unread = 0;
        for document in snapshot.documents.iter() {
            if let Some(known) = before.remove(&document.id) {
                self.known.insert(document.id, known);
            } else if time.is_some_and(|time| started.elapsed() >= time) {
                n_unread += 1;
            } else if let Some(read) = read(snapshot, document) {
                self.known.insert(document.id, Arc::new(read));
            } else {
                // It is tried again with the next generation.
                self.n_failed += 1;
            }
        }
        n_unread
    }

    pub(super) fn of(&self, document: DocumentId) -> Option<Arc<NoteLinks>> {
        self.known.get(&document).cloned()
    }

    /// Number of files that could not be read at the last call of [`Texts::read`].
    pub(super) fn n_failed(&self) -> u32 {
        self.n_failed
    }
}

/// The links of a note's file; `None` if it cannot be read now.
fn read(snapshot: &Snapshot, document: &DocumentRow) -> Option<NoteLinks> {
    if !is_markdown(&document.path) {
        return Some(NoteLinks::default());
    }
    text(snapshot, document.folder, &document.path).map(|text| links(&text))
}

fn text(snapshot: &Snapshot, folder: FolderId, path: &str) -> Option<String> {
    let folder = snapshot.folder(folder)?;
    let file = memlens_ingest::find(Path::new(&folder.path), path).ok()??;
    let bytes = memlens_ingest::read(&file).ok()?;
    memlens_ingest::text_of(&bytes)
}

/// Number of lines of a note; `None` if its file cannot be read now.
pub(super) fn n_lines(snapshot: &Snapshot, folder: FolderId, path: &str) -> Option<u32> {
    text(snapshot, folder, path).map(|text| text.lines().count() as u32)
}

fn is_markdown(path: &str) -> bool {
    Kind::of(Path::new(path)) == Some(Kind::Markdown)
}

/// The links of any note that the reader shows.
///
/// # Errors
/// As [`Library::document`].
pub(super) fn links_of_note(
    library: &Library,
    snapshot: &Snapshot,
    folder: FolderId,
    path: &str,
) -> Result<NoteLinks, EngineError> {
    let at = snapshot.find(folder, path);
    let known = at.and_then(|at| read(snapshot, &snapshot.documents[at]));
    match known {
        Some(links) => Ok(links),
        None if is_markdown(path) => Ok(links(&library.document(folder, path)?.text)),
        None => library.document(folder, path).map(|_| NoteLinks::default()),
    }
}
