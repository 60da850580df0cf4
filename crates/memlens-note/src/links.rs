//! The links of a note to others and of others to it.
//!
//! Links are those of the files as they are now. A file is read once for each version that the library has of it.

mod names;
mod texts;
mod web;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use memlens_ingest::{NoteLinks, WrittenLink};
use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, FeatureState, Library};
use memlens_store::{FolderId, Snapshot};
use memlens_wire::{FollowedLink, LinkPlace, LinkRow, LinksOfNote};
use parking_lot::Mutex;

use names::{From, Leads, Names, line_of_part};
use web::{To, Web};

/// How long one call of the window reads notes that were not read before; the next call goes on.
const READING_TIME: Duration = Duration::from_millis(300);

/// Maximum number of links that are returned unless all are wanted.
const LINKS_SHOWN: usize = 200;

/// What is cached beside a library.
#[derive(Default)]
struct Linked(Mutex<Web>);

impl FeatureState for Linked {}

/// The links from a note and to it, at most [`LINKS_SHOWN`] of each unless `is_all`. Notes that were not read before are read for a
/// moment only; until all are, [`LinksOfNote::n_unread`] is above 0.
///
/// # Errors
/// [`EngineError::NoDocument`] if no watched folder has the note, [`EngineError::Ingest`] if it cannot be read, and
/// [`EngineError::Store`].
pub fn links_of(
    library: &Library,
    folder: FolderId,
    path: &str,
    is_all: bool,
) -> Result<LinksOfNote, EngineError> {
    let limit = if is_all { usize::MAX } else { LINKS_SHOWN };
    with_web(library, Some(READING_TIME), |web, snapshot| {
        let shown = Shown::new(library, web, snapshot);
        shown.links_of(From { folder, path }, limit)
    })?
}

/// All links from a note and to it; for a program that can wait.
///
/// # Errors
/// As [`links_of`].
pub(crate) fn whole_links_of(
    library: &Library,
    folder: FolderId,
    path: &str,
) -> Result<LinksOfNote, EngineError> {
    with_web(library, None, |web, snapshot| {
        let shown = Shown::new(library, web, snapshot);
        shown.links_of(From { folder, path }, usize::MAX)
    })?
}

/// Where a link of a note leads: an address, or `[[a name]]`. The links of all notes are read only if no file has such a name.
///
/// # Errors
/// [`EngineError::Store`], and [`EngineError::Ingest`] if the note cannot be read.
pub fn followed_link(
    library: &Library,
    folder: FolderId,
    path: &str,
    address: &str,
) -> Result<FollowedLink, EngineError> {
    let wiki = address
        .strip_prefix("[[")
        .and_then(|inner| inner.strip_suffix("]]"));
    let link = WrittenLink {
        line: 1,
        words: String::new(),
        address: wiki.unwrap_or(address).to_owned(),
        is_wiki: wiki.is_some(),
    };
    let from = From { folder, path };
    let known = with_web(library, Some(READING_TIME), |web, _| {
        let is_read = web.n_unread() == 0;
        is_read.then(|| followed(library, web.names(), from, web.names().leads(from, &link)))
    })?;
    let mut found = match known {
        Some(found) => found?,
        None => followed_by_file(library, from, &link)?,
    };
    if found.place.is_none() {
        found.problem = found
            .problem
            .map(|why| format!("cannot follow {address}: {why}"));
    }
    Ok(found)
}

/// As [`followed_link`], by the names of files if possible: those are known before the notes are read.
fn followed_by_file(
    library: &Library,
    from: From<'_>,
    link: &WrittenLink,
) -> Result<FollowedLink, EngineError> {
    let names = Names::of(&library.lists().snapshot, &library.store().problems()?);
    let leads = names.leads(from, link);
    if link.is_wiki && matches!(leads, Leads::Nowhere(_)) {
        return with_web(library, None, |web, _| {
            followed(library, web.names(), from, web.names().leads(from, link))
        })?;
    }
    followed(library, &names, from, leads)
}

fn followed(
    library: &Library,
    names: &Names,
    from: From<'_>,
    leads: Leads,
) -> Result<FollowedLink, EngineError> {
    let nowhere = |why: &str| FollowedLink {
        place: None,
        problem: Some(why.to_owned()),
    };
    let (target, part) = match leads {
        Leads::Within(part) => (from, part),
        Leads::To { note, part, .. } => (names.from(note), part),
        Leads::Nowhere(why) => return Ok(nowhere(why)),
        Leads::Outside => return Ok(nowhere("it leads out of the memory")),
    };
    let lists = library.lists();
    let line = match part.as_str() {
        "" => Ok(None),
        part => {
            let links = texts::links_of_note(library, &lists.snapshot, target.folder, target.path)?;
            let n_lines = || texts::n_lines(&lists.snapshot, target.folder, target.path);
            line_of_part(&links, part, n_lines)
        }
    };
    let screen = NoteNames::of(&lists.snapshot.folders);
    let at = line.as_ref().ok().copied().flatten();
    Ok(FollowedLink {
        place: Some(place_of(&screen, target.folder, target.path, at)),
        problem: line.err(),
    })
}

fn place_of(names: &NoteNames, folder: FolderId, path: &str, line: Option<u32>) -> LinkPlace {
    LinkPlace {
        folder: folder.0.to_string(),
        path: path.to_owned(),
        name: names.name(folder, path),
        line,
    }
}

/// Calls `use_web` with the links of all notes as they are now. Reads notes for this long; `None` for as long as it takes.
fn with_web<T>(
    library: &Library,
    time: Option<Duration>,
    use_web: impl FnOnce(&Web, &Snapshot) -> T,
) -> Result<T, EngineError> {
    let state = library.feature::<Linked>();
    // Who asks for the same meanwhile waits for the reading.
    let mut web = state.0.lock();
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    if !web.is_of(snapshot.generation) {
        let problems = library.store().problems()?;
        web.follow(snapshot, &problems, time, |document| {
            texts::read(snapshot, document)
        });
    }
    Ok(use_web(&web, snapshot))
}

/// The links as they are shown.
struct Shown<'w> {
    library: &'w Library,
    web: &'w Web,
    snapshot: &'w Snapshot,
    screen: NoteNames,
}

impl<'w> Shown<'w> {
    fn new(library: &'w Library, web: &'w Web, snapshot: &'w Snapshot) -> Shown<'w> {
        Shown {
            library,
            web,
            snapshot,
            screen: NoteNames::of(&snapshot.folders),
        }
    }

    fn links_of(&self, note: From<'_>, limit: usize) -> Result<LinksOfNote, EngineError> {
        let From { folder, path } = note;
        let number = self.web.names().find(folder, path);
        let own = match number.and_then(|number| self.web.links(number)) {
            Some(links) => links.clone(),
            None => Arc::new(texts::links_of_note(
                self.library,
                self.snapshot,
                folder,
                path,
            )?),
        };
        let to = number.map_or(Vec::new(), |number| self.web.links_to(number));
        let notes_to: HashSet<u32> = to.iter().map(|link| link.from).collect();
        let mut found = LinksOfNote {
            from: Vec::new(),
            n_from: 0,
            n_broken: 0,
            to: to.iter().take(limit).map(|to| self.row_to(to)).collect(),
            n_to: to.len() as u32,
            n_notes_to: notes_to.len() as u32,
            n_within: 0,
            n_outside: 0,
            n_unread: self.web.n_unread(),
            n_failed: self.web.n_failed(),
        };
        for link in &own.links {
            let row = self.row_from(&mut found, note, &own, link);
            found.n_from += u32::from(row.is_some());
            if found.from.len() < limit {
                found.from.extend(row);
            }
        }
        Ok(found)
    }

    /// A link of the note to others; `None` if it is only counted.
    fn row_from(
        &self,
        found: &mut LinksOfNote,
        from: From<'_>,
        own: &NoteLinks,
        link: &WrittenLink,
    ) -> Option<LinkRow> {
        let (place, problem, n_alike) = match self.web.names().leads(from, link) {
            Leads::Outside => {
                found.n_outside += 1;
                return None;
            }
            Leads::Within(part) => match self.line_of_part(from, own, &part) {
                Ok(_) => {
                    found.n_within += 1;
                    return None;
                }
                Err(problem) => (Some(self.place_of(from, None)), Some(problem), 0),
            },
            Leads::To {
                note,
                part,
                n_alike,
            } => {
                let target = self.web.names().from(note);
                let line = match self.web.links(note) {
                    Some(links) => self.line_of_part(target, links, &part),
                    // Its headings are not known, and also a number may be one.
                    None => Ok(None),
                };
                let at = line.as_ref().ok().copied().flatten();
                (Some(self.place_of(target, at)), line.err(), n_alike)
            }
            Leads::Nowhere(_) if link.is_wiki && self.web.n_unread() > 0 => (
                None,
                Some("not known until all notes are read".to_owned()),
                0,
            ),
            Leads::Nowhere(why) => {
                found.n_broken += 1;
                (None, Some(why.to_owned()), 0)
            }
        };
        Some(row(link, place, problem, n_alike))
    }

    fn line_of_part(
        &self,
        note: From<'_>,
        links: &NoteLinks,
        part: &str,
    ) -> Result<Option<u32>, String> {
        let n_lines = || texts::n_lines(self.snapshot, note.folder, note.path);
        self.web.line_of_part(note, links, part, n_lines)
    }

    fn row_to(&self, to: &To<'_>) -> LinkRow {
        let note = self.web.names().from(to.from);
        let place = self.place_of(note, Some(to.link.line));
        row(to.link, Some(place), None, to.n_alike)
    }

    fn place_of(&self, note: From<'_>, line: Option<u32>) -> LinkPlace {
        place_of(&self.screen, note.folder, note.path, line)
    }
}

fn row(
    link: &WrittenLink,
    place: Option<LinkPlace>,
    problem: Option<String>,
    n_alike: u32,
) -> LinkRow {
    let words = if link.words.is_empty() {
        &link.address
    } else {
        &link.words
    };
    LinkRow {
        words: words.clone(),
        address: link.address.clone(),
        line: link.line,
        place,
        problem,
        n_alike,
    }
}
