//! Which note a link means. Everything that shows or follows a link asks here.
//!
//! An address without a scheme is a path: beside the note, then from its watched folder on, then as an absolute path into any
//! watched folder, each also with `.md` behind it. A `[[name]]` is such a path if it has a `/`, then the end of a path or a
//! file's name without `.md`, then a name that a note gives itself in front matter, then a note's first heading. Case does not
//! matter for names. The first of these that finds a note decides; of several notes found so the nearest is meant: in the same
//! watched folder, in the same folder, with the shortest path.
//!
//! Properties checked: a path never leads out of the watched folders; the choice does not depend on the order of notes.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

use memlens_files::composed;
use memlens_ingest::{NoteLinks, WrittenLink};
use memlens_store::{FolderId, Snapshot, StoredProblem};

/// Extensions that a name may leave out.
const MARKDOWN: [&str; 3] = [".md", ".markdown", ".mdx"];
/// Schemes that lead out of the memory; the window asks before it follows one.
const OUTSIDE: [&str; 3] = ["http", "https", "mailto"];

const NO_NOTE: &str = "no note has this name";
const NO_PATH: &str = "the library has no note at this path";
const OUT_OF_FOLDERS: &str = "it leads out of the watched folders, and is not followed";
const REFUSED: &str = "it is neither a path nor a web page, and is not followed";

/// The notes of the library by their names.
pub(super) struct Names {
    /// Id and path of each watched folder.
    folders: Vec<(FolderId, String)>,
    /// By folder and path.
    notes: Vec<Note>,
    at: HashMap<(FolderId, String), u32>,
    /// By the file's name, with and without its extension.
    by_file: HashMap<String, Vec<u32>>,
    /// By the names in front matter.
    by_name: HashMap<String, Vec<u32>>,
    by_heading: HashMap<String, Vec<u32>>,
}

/// A note of a watched folder.
pub(super) struct Note {
    pub(super) folder: FolderId,
    pub(super) path: String,
}

/// The note that contains a link.
#[derive(Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) folder: FolderId,
    pub(super) path: &'a str,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Leads {
    /// To a heading or line of its own note; empty for its top.
    Within(String),
    /// To a note.
    To {
        /// Number of the note.
        note: u32,
        /// Heading or line; empty for its top.
        part: String,
        /// Number of other notes that the name may mean.
        n_alike: u32,
    },
    /// To a web page or mail address.
    Outside,
    /// To no note, and why.
    Nowhere(&'static str),
}

impl Names {
    /// All notes that are indexed, or that have a problem. They have no names but those of their files until
    /// [`Names::add_names`].
    pub(super) fn of(snapshot: &Snapshot, problems: &[StoredProblem]) -> Names {
        let documents = snapshot.documents.iter();
        let indexed = documents.map(|document| (document.folder, document.path.as_str()));
        let with_problem = problems
            .iter()
            .map(|problem| (problem.folder, problem.path.as_str()));
        let folders = snapshot
            .folders
            .iter()
            .map(|folder| (folder.id, folder.path.as_str()));
        Names::among(folders, indexed.chain(with_problem))
    }

    fn among<'a>(
        folders: impl Iterator<Item = (FolderId, &'a str)>,
        notes: impl Iterator<Item = (FolderId, &'a str)>,
    ) -> Names {
        let mut names = Names {
            folders: folders.map(|(id, path)| (id, plain(path))).collect(),
            notes: Vec::new(),
            at: HashMap::new(),
            by_file: HashMap::new(),
            by_name: HashMap::new(),
            by_heading: HashMap::new(),
        };
        for (folder, path) in notes {
            names.add(folder, path);
        }
        names
    }

    fn add(&mut self, folder: FolderId, path: &str) {
        let note = self.notes.len() as u32;
        let key = (folder, path.to_owned());
        if self.at.contains_key(&key) {
            return;
        }
        self.at.insert(key, note);
        let name = path.rsplit('/').next().unwrap_or(path);
        let keys = HashSet::from([key_of(name), key_of(without_extension(name))]);
        for key in keys {
            self.by_file.entry(key).or_default().push(note);
        }
        self.notes.push(Note {
            folder,
            path: path.to_owned(),
        });
    }

    /// Adds what a note calls itself.
    pub(super) fn add_names(&mut self, note: u32, links: &NoteLinks) {
        let keys: HashSet<String> = links.names.iter().map(|name| key_of(name)).collect();
        for key in keys {
            self.by_name.entry(key).or_default().push(note);
        }
        if let Some(heading) = links
            .headings
            .first()
            .filter(|heading| !heading.words.is_empty())
        {
            self.by_heading
                .entry(key_of(&heading.words))
                .or_default()
                .push(note);
        }
    }

    pub(super) fn n_notes(&self) -> usize {
        self.notes.len()
    }

    pub(super) fn note(&self, note: u32) -> &Note {
        &self.notes[note as usize]
    }

    pub(super) fn from(&self, note: u32) -> From<'_> {
        let Note { folder, path } = self.note(note);
        From {
            folder: *folder,
            path,
        }
    }

    pub(super) fn find(&self, folder: FolderId, path: &str) -> Option<u32> {
        self.at.get(&(folder, path.to_owned())).copied()
    }

    /// Returns where a link of a note leads.
    pub(super) fn leads(&self, from: From<'_>, link: &WrittenLink) -> Leads {
        // In `[[Meeting: Oslo]]` the colon is part of the name.
        let may_have_scheme = !link.is_wiki
            || link
                .address
                .split_once(':')
                .is_some_and(|(_, rest)| rest.starts_with("//"));
        match scheme_of(&link.address).filter(|_| may_have_scheme) {
            Some(scheme) if OUTSIDE.contains(&scheme.as_str()) => return Leads::Outside,
            Some(_) => return Leads::Nowhere(REFUSED),
            None if link.address.starts_with("//") || link.address.starts_with('\\') => {
                return Leads::Nowhere(REFUSED);
            }
            None => {}
        }
        let (name, part) = link.address.split_once('#').unwrap_or((&link.address, ""));
        let (name, part) = match link.is_wiki {
            // Of `[[note#heading#heading below]]` the last one is meant.
            true => (
                name.trim().to_owned(),
                part.rsplit('#').next().unwrap_or(part).trim().to_owned(),
            ),
            false => (
                decoded(name.split('?').next().unwrap_or(name)),
                decoded(part),
            ),
        };
        if name.is_empty() {
            return Leads::Within(part);
        }
        let found = match link.is_wiki && !name.contains('/') {
            true => self.by_name(from, &name).ok_or(NO_NOTE),
            false => match self.by_path(from, &name) {
                Ok(note) => Ok((note, 0)),
                Err(NO_PATH) if link.is_wiki => self.by_name(from, &name).ok_or(NO_NOTE),
                Err(why) => Err(why),
            },
        };
        match found {
            Ok((note, _)) if self.is(note, from) => Leads::Within(part),
            Ok((note, n_alike)) => Leads::To {
                note,
                part,
                n_alike,
            },
            Err(why) => Leads::Nowhere(why),
        }
    }

    fn is(&self, note: u32, from: From<'_>) -> bool {
        let Note { folder, path } = self.note(note);
        *folder == from.folder && path == from.path
    }

    fn by_path(&self, from: From<'_>, name: &str) -> Result<u32, &'static str> {
        let home = self.folders.iter().find(|(id, _)| *id == from.folder);
        let above = from.path.rsplit_once('/').map_or("", |(above, _)| above);
        let absolute = match home {
            _ if name.starts_with('/') => joined("", name),
            Some((_, home)) => joined(&format!("{home}/{above}"), name),
            None => None,
        };
        let in_folders = absolute
            .iter()
            .flat_map(|absolute| self.in_folders(absolute));
        let from_top = joined("", name).map(|path| (from.folder, path));
        let places: Vec<(FolderId, String)> = in_folders.chain(from_top).collect();
        if places.is_empty() {
            return Err(OUT_OF_FOLDERS);
        }
        let endings = |path: &str| [path.to_owned(), format!("{path}.md")];
        let mut keys = places
            .iter()
            .flat_map(|(folder, path)| endings(path).map(|path| (*folder, path)));
        keys.find_map(|key| self.at.get(&key).copied())
            .ok_or(NO_PATH)
    }

    /// A watched folder may be in another, so a path may have a place in several.
    fn in_folders<'a>(
        &'a self,
        absolute: &'a str,
    ) -> impl Iterator<Item = (FolderId, String)> + 'a {
        self.folders.iter().filter_map(move |(id, folder)| {
            let inner = absolute.strip_prefix(folder.as_str())?.strip_prefix('/')?;
            Some((*id, inner.to_owned()))
        })
    }

    /// The note that this name means, and how many others have it as a file's name, in front matter or as their first heading.
    fn by_name(&self, from: From<'_>, name: &str) -> Option<(u32, u32)> {
        let key = key_of(name.trim_start_matches("./"));
        let ends_so = |note: &&u32| {
            let path = key_of(&self.note(**note).path);
            let ends = |path: &str| {
                path.strip_suffix(&key)
                    .is_some_and(|above| above.is_empty() || above.ends_with('/'))
            };
            ends(&path) || ends(without_extension(&path))
        };
        let file = key.rsplit('/').next().unwrap_or(&key);
        let by_file = self.by_file.get(file).into_iter().flatten();
        let by_file: Vec<u32> = by_file.filter(ends_so).copied().collect();
        let notes_of = |names: &HashMap<String, Vec<u32>>| names.get(&key).cloned();
        let kinds = [
            by_file,
            notes_of(&self.by_name).unwrap_or_default(),
            notes_of(&self.by_heading).unwrap_or_default(),
        ];
        let meant = kinds.iter().find(|notes| !notes.is_empty())?;
        let nearest = meant
            .iter()
            .copied()
            .min_by_key(|note| self.distance(from, *note))?;
        let all: HashSet<u32> = kinds.into_iter().flatten().collect();
        Some((nearest, all.len() as u32 - 1))
    }

    /// Order of notes of one name, the nearest first.
    fn distance<'a>(&'a self, from: From<'_>, note: u32) -> impl Ord + use<'a> {
        let Note { folder, path } = self.note(note);
        let above = |path: &str| {
            path.rsplit_once('/')
                .map_or(String::new(), |(above, _)| above.to_owned())
        };
        let is_in_folder = *folder == from.folder;
        let is_beside = is_in_folder && above(path) == above(from.path);
        let n_steps = path.matches('/').count();
        (
            Reverse(is_in_folder),
            Reverse(is_beside),
            n_steps,
            *folder,
            path.as_str(),
        )
    }
}

/// The line of a heading of this name, or else the line that `L12` or `12` names; `None` for the top, and for the mark of a block.
/// The lines are counted only if they are needed; any line is accepted of a note whose lines cannot be counted.
///
/// # Errors
/// A sentence if the note has no such heading or line.
pub(super) fn line_of_part(
    links: &NoteLinks,
    part: &str,
    n_lines: impl FnOnce() -> Option<u32>,
) -> Result<Option<u32>, String> {
    if part.is_empty() || part.starts_with('^') {
        return Ok(None);
    }
    if let Some(line) = heading_line(links, part) {
        return Ok(Some(line));
    }
    match numbered_line(part) {
        Some(line) if n_lines().is_none_or(|n_lines| line <= n_lines) => Ok(Some(line)),
        Some(_) => Err(format!("the note has no heading or line “{part}”")),
        None => Err(format!("the note has no heading “{part}”")),
    }
}

fn heading_line(links: &NoteLinks, part: &str) -> Option<u32> {
    let wanted = heading_name(part);
    let mut n_before: HashMap<String, u32> = HashMap::new();
    links.headings.iter().find_map(|heading| {
        let name = heading_name(&heading.words);
        let n = n_before.entry(name.clone()).or_default();
        // Of headings alike the second is `name-1`.
        let is_it = if *n == 0 {
            name == wanted
        } else {
            format!("{name}-{n}") == wanted
        };
        *n += 1;
        is_it.then_some(heading.line)
    })
}

/// The line that `L12` or `12` names.
fn numbered_line(part: &str) -> Option<u32> {
    let digits = part.strip_prefix(['L', 'l']).unwrap_or(part);
    let is_number = !digits.is_empty()
        && digits.len() <= 9
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|line| is_number && *line > 0)
}

/// What a heading is called in an address, as GitHub makes it: small letters, spaces as hyphens, no other signs.
fn heading_name(heading: &str) -> String {
    let letters = heading.trim().chars().flat_map(char::to_lowercase);
    letters
        .filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_' | ' '))
        .map(|sign| if sign == ' ' { '-' } else { sign })
        .collect()
}

/// What names are compared by.
fn key_of(name: &str) -> String {
    composed(name.trim()).to_lowercase()
}

fn without_extension(name: &str) -> &str {
    let cut = |ending: &str| {
        let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
        name.get(at..)
            .filter(|end| end.eq_ignore_ascii_case(ending))
            .map(|_| &name[..at])
    };
    MARKDOWN
        .iter()
        .find_map(|ending| cut(ending))
        .unwrap_or(name)
}

/// The scheme of an address, in lower case, without what browsers leave out before they read it. A single letter is a drive.
fn scheme_of(address: &str) -> Option<String> {
    let read: String = address
        .chars()
        .filter(|sign| !sign.is_control() && *sign != ' ')
        .collect();
    let (scheme, _) = read.split_once(':')?;
    let is_scheme = scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "+.-".contains(sign));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

/// A folder's path with `/` and without one at its ends.
fn plain(path: &str) -> String {
    let names = Path::new(path).components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        Component::Prefix(drive) => drive.as_os_str().to_str(),
        Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    names.collect::<Vec<_>>().join("/")
}

/// A path without `.` and `..` and without a `/` at its ends; `None` if it leaves the root.
fn joined(base: &str, name: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for step in base.split('/').chain(name.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            step => names.push(step),
        }
    }
    Some(names.join("/"))
}

/// The text of an address without its `%20`; as it is if that is no UTF-8.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests;
