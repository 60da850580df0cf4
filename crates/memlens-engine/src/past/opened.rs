//! Which notes of the library agents opened, by their logs.

use memlens_agents::{PastKind, Used};
use memlens_store::FolderId;

use super::{Past, PastFilter, PastKinds, Places};
use crate::{EngineError, Library};

/// One opening of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteOpening {
    /// Id of the entry that recorded it: of an opening, or of the search that it followed.
    pub past: i64,
    /// The agent's id.
    pub agent: String,
    /// The session, as the agent names it; empty if its log names none.
    pub session: String,
    /// What was opened of the note, and when. [`Used::holds`] tells whether a line was shown.
    pub used: Used,
}

impl Library {
    /// The openings of a note, newest first; `filter` narrows agent, session and time, its kinds are ignored.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn note_openings(
        &self,
        folder: FolderId,
        path: &str,
        filter: &PastFilter,
    ) -> Result<Vec<NoteOpening>, EngineError> {
        let past = self.past(&PastFilter {
            kinds: PastKinds::All,
            ..filter.clone()
        })?;
        let places = self.places()?;
        Ok(openings_of(&past, folder, path, &places))
    }
}

/// The openings of a note among entries, in the entries' order. An opening after a search is recorded with both and returned
/// once.
fn openings_of(past: &[Past], folder: FolderId, path: &str, places: &Places) -> Vec<NoteOpening> {
    let mut openings: Vec<NoteOpening> = Vec::new();
    // Entries of their own first, so that an opening is named by its own entry.
    let is_opening = |past: &&Past| past.asked.kind == PastKind::Opening;
    let own = past.iter().filter(is_opening);
    let of_searches = past.iter().filter(|past| !is_opening(past));
    for Past { id, asked, .. } in own.chain(of_searches) {
        for used in &asked.opened {
            let place = places.find(&asked.agent, &used.path);
            if !place.is_ok_and(|place| place.folder == folder && place.path == path) {
                continue;
            }
            let opening = NoteOpening {
                past: *id,
                agent: asked.agent.clone(),
                session: asked.session.clone(),
                used: used.clone(),
            };
            let is_known = |known: &NoteOpening| {
                (&known.agent, &known.session, &known.used)
                    == (&opening.agent, &opening.session, &opening.used)
            };
            if !openings.iter().any(is_known) {
                openings.push(opening);
            }
        }
    }
    openings.sort_by_key(|opening| std::cmp::Reverse(opening.used.at_ms));
    openings
}
