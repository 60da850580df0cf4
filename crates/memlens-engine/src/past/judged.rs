//! What an agent's use of a note after a question says of its lines.

use memlens_agents::{PastQuestion, Used};

use super::places::{NotePlace, Places};

/// The lines of a note that an agent used after a question.
pub(crate) struct Judged {
    /// The note.
    pub place: NotePlace,
    /// The lines, first and last, 1-based; of a whole note those that were returned of it, none where these are not known.
    pub lines: Vec<(u32, u32)>,
    /// When it was used, milliseconds since 1970.
    pub at_ms: i64,
}

impl Judged {
    /// What a use says; none where the note is not there, was changed since, or nobody knows when it was used: its lines may
    /// be others now.
    pub fn of(asked: &PastQuestion, used: &Used, places: &Places) -> Option<Judged> {
        let at_ms = used.at_ms.or(asked.at_ms)?;
        let place = places.find(&asked.agent, &used.path).ok()?;
        if place.saved_ms > at_ms {
            return None;
        }
        let lines = match used.lines {
            Some(lines) => vec![lines],
            None => {
                let returned = asked.returned.iter().flatten();
                let of_note = returned.filter(|it| it.path == used.path);
                of_note.filter_map(|it| it.lines).collect()
            }
        };
        Some(Judged {
            place,
            lines,
            at_ms,
        })
    }
}
