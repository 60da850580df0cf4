//! What is known beside one note: the links from it and to it, the notes most like it, what says the same, the past questions about
//! it, and what it said before.
//!
//! Each link is resolved in one place, `links/names.rs`, for the lists and for the reader who follows one.

mod alike;
mod history;
mod links;
mod said;

use std::path::Path;

use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, Library, Place, note_drift};
use memlens_params::Params;
use memlens_past::questions_of;
use memlens_store::FolderId;
use memlens_wire::{BesideNote, NoteQuestions};

pub use alike::notes_like;
pub use history::{history_kept, keep_history, note_history, note_history_at};
pub use links::{followed_link, links_of};
pub use said::said_elsewhere;

/// Number of past questions that are returned.
const QUESTIONS: usize = 100;

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
    params: &Params,
) -> Result<BesideNote, EngineError> {
    let place = named(library, typed, here)?;
    let lists = library.lists();
    let (folder, path) = (place.folder, place.path.as_str());
    let links = links::whole_links_of(library, folder, path)?;
    library.aggregate()?;
    let drift = note_drift(library, folder, path)?;
    let (contradictions, changed) = drift.map_or_else(Default::default, |drift| {
        (drift.contradictions, drift.changed)
    });
    Ok(BesideNote {
        folder: folder.0.to_string(),
        path: path.to_owned(),
        name: NoteNames::of(&lists.snapshot.folders).name(folder, path),
        links,
        alike: notes_like(library, folder, path)?,
        said: said_elsewhere(library, params, folder, path),
        contradictions,
        changed,
        questions: note_questions(library, folder, path)?,
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

/// The entries of past questions about a note, the newest first.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_questions(
    library: &Library,
    folder: FolderId,
    path: &str,
) -> Result<NoteQuestions, EngineError> {
    questions_of(library, folder, path, QUESTIONS)
}
