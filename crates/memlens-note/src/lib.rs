//! What is known beside one note: the links from it and to it, and what it said before.
//!
//! Each link is resolved in one place, `links/names.rs`, for the lists and for the reader who follows one.

mod history;
mod links;

use std::path::Path;

use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, Library, Place};
use memlens_wire::BesideNote;

pub use history::{history_kept, keep_history, note_history, note_history_at};
pub use links::{followed_link, links_of};

/// All that is known beside a note that the user names by a path; for a program that can wait. The path is relative to `here` or
/// to a watched folder.
///
/// # Errors
/// [`EngineError::Note`] if no watched folder contains it, [`EngineError::NoDocument`] if there is no such note,
/// [`EngineError::Ingest`] if it cannot be read, and [`EngineError::Store`].
pub fn beside_note(
    library: &Library,
    typed: &str,
    here: Option<&Path>,
) -> Result<BesideNote, EngineError> {
    let place = named(library, typed, here)?;
    let lists = library.lists();
    let (folder, path) = (place.folder, place.path.as_str());
    Ok(BesideNote {
        folder: folder.0.to_string(),
        path: path.to_owned(),
        name: NoteNames::of(&lists.snapshot.folders).name(folder, path),
        links: links::whole_links_of(library, folder, path)?,
    })
}

/// The place that the user names by a path.
///
/// # Errors
/// [`EngineError::Note`] if it is in no watched folder.
fn named(library: &Library, typed: &str, here: Option<&Path>) -> Result<Place, EngineError> {
    let refused = |why: String| EngineError::Note {
        typed: typed.to_owned(),
        why,
    };
    match Place::parse(&library.lists().snapshot, typed, here) {
        Err(EngineError::Place { why, .. }) => Err(refused(why)),
        place => place?.ok_or_else(|| refused("it is not in a watched folder".to_owned())),
    }
}
