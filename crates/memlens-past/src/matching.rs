//! Matches results of now with results of then.

use memlens_agents::Returned;
use memlens_library::EngineError;
use memlens_library::search::Search;
use memlens_library::search::compare::{Span, pairs};
use memlens_wire::Fate;

use super::Past;
use super::places::{NoPlace, NotePlace, Places};

/// Greater than any line number of a note.
const LAST_LINE: u32 = 1 << 24;

/// A result of then with the current place of its note.
pub(crate) struct Then<'a> {
    pub result: &'a Returned,
    /// Current place of the note in the library.
    pub place: Result<NotePlace, NoPlace>,
}

impl Then<'_> {
    pub fn span(&self) -> Span {
        let (start_line, end_line) = self.result.lines.unwrap_or((1, LAST_LINE));
        let place = self.place.as_ref();
        Span {
            folder: place.map_or(0, |place| place.folder.0),
            path: place.map_or_else(|_| self.result.path.clone(), |place| place.path.clone()),
            start_line,
            end_line,
            is_kept: true,
        }
    }
}

/// The results of then, each with its place.
pub(crate) fn then<'a>(past: &'a Past, places: &Places) -> Vec<Then<'a>> {
    let returned = past.asked.returned.iter().flatten();
    returned
        .map(|result| Then {
            result,
            place: places.find_of(past, &result.path),
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

/// Matches results of then with results of now.
///
/// Agents that search by lines may return several results from what is one chunk here: these count as one result of
/// then, listed more than once.
pub(crate) struct Matched {
    /// Index in now by index in then, both 0-based; `None` if the result is gone.
    pub now: Vec<Option<usize>>,
    /// Index in then by index in now, both 0-based; `None` for a new result.
    pub then: Vec<Option<usize>>,
    /// By index in then: the 0-based rank, counting results that are one chunk now only once.
    ranks: Vec<usize>,
}

impl Matched {
    pub fn of(then: &[Then<'_>], now: &[Span]) -> Matched {
        let spans: Vec<Span> = then.iter().map(Then::span).collect();
        let mut matched = Matched {
            now: vec![None; then.len()],
            then: vec![None; now.len()],
            ranks: Vec::with_capacity(then.len()),
        };
        for (was, is) in pairs(&spans, now) {
            matched.now[was] = Some(is);
            matched.then[is] = Some(was);
        }
        let is_alone = |was: usize| matched.now[was].is_none();
        let left: Vec<usize> = (0..then.len()).filter(|was| is_alone(*was)).collect();
        for was in left {
            // A chunk that is matched already is the same chunk.
            let span = std::slice::from_ref(&spans[was]);
            let same = pairs(span, now).first().map(|(_, is)| *is);
            matched.now[was] = same;
        }
        let mut n_before = 0;
        for (was, is) in matched.now.iter().enumerate() {
            let first = is.and_then(|is| matched.now[..was].iter().position(|it| *it == Some(is)));
            let rank = first.map_or(n_before, |first| matched.ranks[first]);
            n_before += usize::from(first.is_none());
            matched.ranks.push(rank);
        }
        matched
    }

    /// 1-based rank of a result of then, counting results that are one chunk now only once.
    pub fn rank(&self, was: usize) -> u32 {
        self.ranks[was] as u32 + 1
    }

    /// Number of ranks that a result of then rose; negative if it fell, `None` if it is gone.
    pub fn rose(&self, was: usize) -> Option<i32> {
        let is = self.now[was]?;
        Some(self.ranks[was] as i32 - is as i32)
    }

    /// Fate of a result of then.
    pub fn fate(&self, was: usize) -> Fate {
        match self.rose(was) {
            None => Fate::Gone,
            Some(1..) => Fate::Rose,
            Some(0) => Fate::Kept,
            Some(_) => Fate::Fell,
        }
    }

    /// Fates of the results of then in their order, followed by the new ones.
    pub fn fates(&self) -> Vec<Fate> {
        let of_then = (0..self.now.len()).map(|was| self.fate(was));
        let new = self.then.iter().filter(|then| then.is_none());
        of_then.chain(new.map(|_| Fate::New)).collect()
    }
}

#[cfg(test)]
mod tests {
    use memlens_agents::Returned;
    use memlens_store::FolderId;

    use super::{Matched, Then};
    use crate::places::NotePlace;
    use memlens_library::search::compare::Span;
    use memlens_wire::Fate;

    fn result(path: &str, lines: (u32, u32)) -> Returned {
        Returned {
            path: path.to_owned(),
            lines: Some(lines),
            score: None,
            is_name_only: false,
            line_hashes: Vec::new(),
            text: None,
        }
    }

    fn fates(then: &[Returned], now: &[(&str, u32, u32)]) -> Vec<Fate> {
        let then: Vec<Then<'_>> = then
            .iter()
            .map(|result| Then {
                result,
                place: Ok(NotePlace {
                    folder: FolderId(1),
                    path: result.path.clone(),
                    saved_ms: 0,
                }),
            })
            .collect();
        let now: Vec<Span> = now
            .iter()
            .map(|(path, start_line, end_line)| Span {
                folder: 1,
                path: (*path).to_owned(),
                start_line: *start_line,
                end_line: *end_line,
                is_kept: true,
            })
            .collect();
        Matched::of(&then, &now).fates()
    }

    #[test]
    fn lines_of_one_chunk_are_one_result() {
        use Fate::{Fell, Gone, Kept, New, Rose};
        // As an agent greps: each line that contains the word.
        let grep = [
            result("koi.md", (3, 3)),
            result("koi.md", (7, 7)),
            result("pond.md", (1, 1)),
            result("koi.md", (9, 9)),
        ];
        let both = [("koi.md", 1, 10), ("pond.md", 1, 4)];
        assert_eq!(fates(&grep, &both), [Kept, Kept, Kept, Kept]);
        let turned = [("pond.md", 1, 4), ("koi.md", 1, 10)];
        assert_eq!(fates(&grep, &turned), [Fell, Fell, Rose, Fell]);
        let first = [("koi.md", 1, 8), ("bees.md", 1, 4)];
        assert_eq!(fates(&grep, &first), [Kept, Kept, Gone, Gone, New]);
        assert_eq!(fates(&grep, &[]), [Gone; 4]);
        assert_eq!(fates(&[], &both), [New, New]);
        // Lines at the end of the integer range.
        assert_eq!(
            fates(&[result("koi.md", (1, u32::MAX))], &both[..1]),
            [Kept]
        );
    }
}
