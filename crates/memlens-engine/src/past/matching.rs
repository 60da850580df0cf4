//! Which result of now is which of then.

use memlens_agents::{PastQuestion, Returned};

use super::places::{NotePlace, Places};
use crate::EngineError;
use crate::compare::{Span, pairs};
use crate::search::Search;
use crate::view::Fate;

/// More lines than a note has.
const LAST_LINE: u32 = 1 << 24;

/// A result of then with where its note stands now.
pub(crate) struct Then<'a> {
    pub result: &'a Returned,
    /// None where no note of the library has this name.
    pub place: Option<NotePlace>,
}

impl Then<'_> {
    pub fn span(&self) -> Span {
        let (start_line, end_line) = self.result.lines.unwrap_or((1, LAST_LINE));
        Span {
            folder: self.place.as_ref().map_or(0, |place| place.folder.0),
            path: self
                .place
                .as_ref()
                .map_or_else(|| self.result.path.clone(), |place| place.path.clone()),
            start_line,
            end_line,
            is_kept: true,
        }
    }
}

/// The results of then, each with its place.
pub(crate) fn then<'a>(asked: &'a PastQuestion, places: &Places) -> Vec<Then<'a>> {
    let returned = asked.returned.iter().flatten();
    returned
        .map(|result| Then {
            result,
            place: places.find(&asked.agent, &result.path),
        })
        .collect()
}

/// A row of a search as a span of lines.
pub(crate) fn span(search: &Search, slot: u32, is_kept: bool) -> Result<Span, EngineError> {
    let row = search.row_facts(slot)?;
    Ok(Span {
        folder: row.note.folder.0,
        path: row.note.path.clone(),
        start_line: row.start_line,
        end_line: row.end_line,
        is_kept,
    })
}

/// What became of each result.
pub(crate) struct Matched {
    /// By the rank of then, 0-based: the rank of now, 0-based; none where it is gone.
    pub now: Vec<Option<usize>>,
    /// By the rank of now, 0-based: the rank of then.
    pub then: Vec<Option<usize>>,
}

impl Matched {
    pub fn of(then: &[Then<'_>], now: &[Span]) -> Matched {
        let spans: Vec<Span> = then.iter().map(Then::span).collect();
        let mut matched = Matched {
            now: vec![None; then.len()],
            then: vec![None; now.len()],
        };
        for (was, is) in pairs(&spans, now) {
            matched.now[was] = Some(is);
            matched.then[is] = Some(was);
        }
        matched
    }

    /// What became of a result of then.
    pub fn fate(&self, was: usize) -> Fate {
        match self.now[was] {
            None => Fate::Gone,
            Some(is) if is < was => Fate::Rose,
            Some(is) if is > was => Fate::Fell,
            Some(_) => Fate::Kept,
        }
    }

    /// Those of then in their order, then the new ones.
    pub fn fates(&self) -> Vec<Fate> {
        let of_then = (0..self.now.len()).map(|was| self.fate(was));
        let new = self.then.iter().filter(|then| then.is_none());
        of_then.chain(new.map(|_| Fate::New)).collect()
    }
}
