//! The links in the files of notes.

use std::path::Path;

use memlens_ingest::{Kind, NoteLinks, links};
use memlens_library::{EngineError, Library};
use memlens_store::{DocumentRow, FolderId, Snapshot};

/// The links of a note's file; `None` if it cannot be read now.
pub(super) fn read(snapshot: &Snapshot, document: &DocumentRow) -> Option<NoteLinks> {
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
