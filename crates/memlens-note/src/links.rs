//! The links of a note to others and of others to it.
//!
//! Links are those of the files as they are now. A file is read once for each version that the library has of it.

mod names;
mod texts;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use memlens_ingest::{NoteLinks, WrittenLink};
use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, FeatureState, Library};
use memlens_store::{FolderId, Snapshot};
use memlens_wire::{FollowedLink, LinkPlace, LinkRow, LinksOfNote};
use parking_lot::Mutex;

use names::{From, Leads, Names, line_of_part};
use texts::Texts;

/// How long one call of the window reads notes that were not read before; the next call goes on.
const READING_TIME: Duration = Duration::from_millis(300);

/// Maximum number of links that are returned unless all are wanted.
const LINKS_SHOWN: usize = 200;

/// What is kept beside a library.
#[derive(Default)]
struct Linked {
    texts: Mutex<Texts>,
    web: Mutex<Option<Arc<Web>>>,
}

impl FeatureState for Linked {}

/// The links of all notes that were read.
struct Web {
    generation: u64,
    n_unread: u32,
    n_failed: u32,
    names: Names,
    /// What each note contains, by its number; `None` if it was not read.
    links: Vec<Option<Arc<NoteLinks>>>,
    /// The links that lead to each note; empty until all notes are read.
    to: HashMap<u32, Vec<To>>,
    /// Number of lines of the notes of which a link names one, by folder and path; `None` if the file cannot be read.
    n_lines: Mutex<HashMap<(FolderId, String), Option<u32>>>,
}

/// A link to a note.
struct To {
    /// Number of the note that contains it.
    from: u32,
    /// Its position among the links of that note.
    link: u32,
    n_alike: u32,
}

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
    let web = web(library, Some(READING_TIME))?;
    let limit = if is_all { usize::MAX } else { LINKS_SHOWN };
    web.links_of(library, folder, path, limit)
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
    web(library, None)?.links_of(library, folder, path, usize::MAX)
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
    let names = Names::of(&library.lists().snapshot, &library.store().problems()?);
    let from = From { folder, path };
    let leads = names.leads(from, &link);
    let mut found = if link.is_wiki && matches!(leads, Leads::Nowhere(_)) {
        let names = &web(library, None)?.names;
        followed(library, names, from, names.leads(from, &link))?
    } else {
        followed(library, &names, from, leads)?
    };
    if found.place.is_none() {
        found.problem = found
            .problem
            .map(|why| format!("cannot follow {address}: {why}"));
    }
    Ok(found)
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

/// The links of all notes as they are now. Reads notes for this long; `None` for as long as it takes.
fn web(library: &Library, time: Option<Duration>) -> Result<Arc<Web>, EngineError> {
    let state = library.feature::<Linked>();
    let lists = library.lists();
    let generation = lists.snapshot.generation;
    // Who asks for the same meanwhile waits for the reading.
    let mut texts = state.texts.lock();
    let known = state.web.lock().clone();
    if let Some(web) = known.filter(|web| web.generation == generation && web.n_unread == 0) {
        return Ok(web);
    }
    let n_unread = texts.read(&lists.snapshot, time);
    let problems = library.store().problems()?;
    let web = Arc::new(Web::of(
        &lists.snapshot,
        Names::of(&lists.snapshot, &problems),
        &texts,
        n_unread,
    ));
    *state.web.lock() = Some(web.clone());
    Ok(web)
}

/// The links to each note, by folder, path and line of the note that contains them.
fn links_to(names: &Names, links: &[Option<Arc<NoteLinks>>]) -> HashMap<u32, Vec<To>> {
    let mut to: HashMap<u32, Vec<To>> = HashMap::new();
    for (from, read) in (0..).zip(links) {
        let written = read.iter().flat_map(|read| &read.links);
        for (link, written) in (0..).zip(written) {
            if let Leads::To { note, n_alike, .. } = names.leads(names.from(from), written) {
                to.entry(note).or_default().push(To {
                    from,
                    link,
                    n_alike,
                });
            }
        }
    }
    to
}

impl Web {
    fn of(snapshot: &Snapshot, mut names: Names, texts: &Texts, n_unread: u32) -> Web {
        let mut links: Vec<Option<Arc<NoteLinks>>> = vec![None; names.n_notes()];
        for document in snapshot.documents.iter() {
            let note = names.find(document.folder, &document.path);
            if let (Some(note), Some(read)) = (note, texts.of(document.id)) {
                names.add_names(note, &read);
                links[note as usize] = Some(read);
            }
        }
        // Not for each part that is read: it takes longer than to read the part.
        let to = match n_unread {
            0 => links_to(&names, &links),
            _ => HashMap::new(),
        };
        Web {
            generation: snapshot.generation,
            n_unread,
            n_failed: texts.n_failed(),
            names,
            links,
            to,
            n_lines: Mutex::default(),
        }
    }

    fn links_of(
        &self,
        library: &Library,
        folder: FolderId,
        path: &str,
        limit: usize,
    ) -> Result<LinksOfNote, EngineError> {
        let lists = library.lists();
        let screen = NoteNames::of(&lists.snapshot.folders);
        let note = self.names.find(folder, path);
        let known = note.and_then(|note| self.links[note as usize].clone());
        let own = match known {
            Some(links) => links,
            None => Arc::new(texts::links_of_note(
                library,
                &lists.snapshot,
                folder,
                path,
            )?),
        };
        let mut found = LinksOfNote {
            from: Vec::new(),
            n_from: 0,
            n_broken: 0,
            to: Vec::new(),
            n_to: 0,
            n_notes_to: 0,
            n_within: 0,
            n_outside: 0,
            n_unread: self.n_unread,
            n_failed: self.n_failed,
        };
        for link in &own.links {
            let from = From { folder, path };
            let row = self.row_from(&mut found, from, &own, link, &screen, &lists.snapshot);
            found.n_from += u32::from(row.is_some());
            if found.from.len() < limit {
                found.from.extend(row);
            }
        }
        let to = note
            .and_then(|note| self.to.get(&note))
            .map_or(&[][..], Vec::as_slice);
        found.n_to = to.len() as u32;
        found.n_notes_to = to
            .iter()
            .map(|link| link.from)
            .collect::<HashSet<_>>()
            .len() as u32;
        found.to = to
            .iter()
            .take(limit)
            .filter_map(|link| self.row_to(link, &screen))
            .collect();
        Ok(found)
    }

    /// A link of the note to others; `None` if it is only counted.
    fn row_from(
        &self,
        found: &mut LinksOfNote,
        from: From<'_>,
        own: &NoteLinks,
        link: &WrittenLink,
        screen: &NoteNames,
        snapshot: &Snapshot,
    ) -> Option<LinkRow> {
        let (place, problem, n_alike) = match self.names.leads(from, link) {
            Leads::Outside => {
                found.n_outside += 1;
                return None;
            }
            Leads::Within(part) => match self.line_of_part(snapshot, from, own, &part) {
                Ok(_) => {
                    found.n_within += 1;
                    return None;
                }
                Err(problem) => (
                    Some(place_of(screen, from.folder, from.path, None)),
                    Some(problem),
                    0,
                ),
            },
            Leads::To {
                note,
                part,
                n_alike,
            } => {
                let target = self.names.from(note);
                let line = match &self.links[note as usize] {
                    Some(links) => self.line_of_part(snapshot, target, links, &part),
                    // Its headings are not known, and also a number may be one.
                    None => Ok(None),
                };
                let at = line.as_ref().ok().copied().flatten();
                (
                    Some(place_of(screen, target.folder, target.path, at)),
                    line.err(),
                    n_alike,
                )
            }
            Leads::Nowhere(_) if link.is_wiki && self.n_unread > 0 => (
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

    /// As [`line_of_part`]; the lines of a note are counted once.
    fn line_of_part(
        &self,
        snapshot: &Snapshot,
        note: From<'_>,
        links: &NoteLinks,
        part: &str,
    ) -> Result<Option<u32>, String> {
        let From { folder, path } = note;
        line_of_part(links, part, || {
            let mut counted = self.n_lines.lock();
            let count = || texts::n_lines(snapshot, folder, path);
            *counted
                .entry((folder, path.to_owned()))
                .or_insert_with(count)
        })
    }

    fn row_to(&self, to: &To, screen: &NoteNames) -> Option<LinkRow> {
        let link = self.links[to.from as usize]
            .as_ref()?
            .links
            .get(to.link as usize)?;
        let note = self.names.note(to.from);
        let place = place_of(screen, note.folder, &note.path, Some(link.line));
        Some(row(link, Some(place), None, to.n_alike))
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
