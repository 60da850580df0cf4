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
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Component, Path};

use memlens_files::composed;
use memlens_ingest::{NoteLinks, WrittenLink};
use memlens_store::{Folder, FolderId, Snapshot, StoredProblem};

/// Extensions that a name may leave out.
const MARKDOWN: [&str; 3] = [".md", ".markdown", ".mdx"];
/// Schemes that lead out of the memory; the window asks before it follows one.
const OUTSIDE: [&str; 3] = ["http", "https", "mailto"];

const NO_NOTE: &str = "no note has this name";
const NO_PATH: &str = "the library has no note at this path";
const OUT_OF_FOLDERS: &str = "it leads out of the watched folders, and is not followed";
const REFUSED: &str = "it is neither a path nor a web page, and is not followed";

/// The notes of the library by their names.
#[derive(Default)]
pub(super) struct Names {
    /// Id and path of each watched folder.
    folders: Vec<(FolderId, String)>,
    /// By number; `None` for a number that is free.
    notes: Vec<Option<Note>>,
    /// The free numbers.
    free: Vec<u32>,
    at: HashMap<(FolderId, String), u32>,
    /// By the file's name, with and without its extension.
    by_file: ByKey,
    /// By the names in front matter.
    by_name: ByKey,
    by_heading: ByKey,
}

/// The numbers of the notes of each key.
type ByKey = HashMap<String, Vec<u32>>;

/// A note of a watched folder.
pub(super) struct Note {
    pub(super) folder: FolderId,
    pub(super) path: String,
    /// How often it was added and not removed.
    n_added: u32,
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
        let mut names = Names::new(&snapshot.folders);
        for document in snapshot.documents.iter() {
            names.add(document.folder, &document.path);
        }
        for problem in problems {
            names.add(problem.folder, &problem.path);
        }
        names
    }

    /// Without notes.
    pub(super) fn new(folders: &[Folder]) -> Names {
        let folders = folders.iter();
        Names {
            folders: folders.map(|it| (it.id, plain(&it.path))).collect(),
            ..Names::default()
        }
    }

    /// Whether these are the watched folders.
    pub(super) fn has_folders(&self, folders: &[Folder]) -> bool {
        let folders = folders.iter().map(|it| (it.id, plain(&it.path)));
        folders.eq(self.folders.iter().cloned())
    }

    /// Adds a note and returns its number, which it has until it is removed as often as it was added.
    pub(super) fn add(&mut self, folder: FolderId, path: &str) -> u32 {
        let key = (folder, path.to_owned());
        if let Some(note) = self.at.get(&key) {
            if let Some(known) = &mut self.notes[*note as usize] {
                known.n_added += 1;
            }
            return *note;
        }
        let note = self.free.pop().unwrap_or_else(|| {
            self.notes.push(None);
            self.notes.len() as u32 - 1
        });
        self.at.insert(key, note);
        for key in file_keys(path) {
            self.by_file.entry(key).or_default().push(note);
        }
        self.notes[note as usize] = Some(Note {
            folder,
            path: path.to_owned(),
            n_added: 1,
        });
        note
    }

    /// Removes a note if it was not added another time. Its other names must have been removed.
    pub(super) fn remove(&mut self, note: u32) {
        let Some(known) = &mut self.notes[note as usize] else {
            return;
        };
        known.n_added -= 1;
        if known.n_added > 0 {
            return;
        }
        let Some(known) = self.notes[note as usize].take() else {
            return;
        };
        for key in file_keys(&known.path) {
            remove(&mut self.by_file, &key, note);
        }
        self.at.remove(&(known.folder, known.path));
        self.free.push(note);
    }

    /// Adds what a note calls itself.
    pub(super) fn add_names(&mut self, note: u32, links: &NoteLinks) {
        for key in name_keys(links) {
            self.by_name.entry(key).or_default().push(note);
        }
        if let Some(key) = heading_key(links) {
            self.by_heading.entry(key).or_default().push(note);
        }
    }

    /// Removes what [`Names::add_names`] added of the same text.
    pub(super) fn remove_names(&mut self, note: u32, links: &NoteLinks) {
        for key in name_keys(links) {
            remove(&mut self.by_name, &key, note);
        }
        if let Some(key) = heading_key(links) {
            remove(&mut self.by_heading, &key, note);
        }
    }

    /// What a link can name a note by. `links` is the text of the note, as far as it is known.
    pub(super) fn note_keys(&self, note: u32, links: Option<&NoteLinks>) -> BTreeSet<String> {
        let mut keys = file_keys(&self.note(note).path);
        if let Some(links) = links {
            keys.extend(name_keys(links));
            keys.extend(heading_key(links));
        }
        keys
    }

    /// Of each note to which a link can lead, whatever notes there are, one key of [`Names::note_keys`] at least.
    pub(super) fn link_keys(&self, from: From<'_>, link: &WrittenLink) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let Address::Named { name, .. } = Address::of(link) else {
            return keys;
        };
        if link.is_wiki {
            let key = name_key(&name);
            keys.insert(file_of(&key).to_owned());
            keys.insert(key);
        }
        if !link.is_wiki || name.contains('/') {
            let places = self.places(from, &name);
            let paths = places.iter().flat_map(|(_, path)| with_endings(path));
            keys.extend(paths.map(|path| key_of(file_of(&path))));
        }
        keys
    }

    /// The note of a number that [`Names::add`] returned.
    pub(super) fn note(&self, note: u32) -> &Note {
        let note = self.notes[note as usize].as_ref();
        note.expect("the note was not removed")
    }

    pub(super) fn from(&self, note: u32) -> From<'_> {
        let Note { folder, path, .. } = self.note(note);
        From {
            folder: *folder,
            path,
        }
    }

    pub(super) fn find(&self, folder: FolderId, path: &str) -> Option<u32> {
        self.at.get(&(folder, path.to_owned())).copied()
    }

    /// Order of notes: by the path of their folder, then by their own.
    pub(super) fn order(&self, note: u32) -> (usize, &str) {
        let Note { folder, path, .. } = self.note(note);
        let mut folders = self.folders.iter();
        let folder = folders.position(|(id, _)| id == folder);
        (folder.unwrap_or(usize::MAX), path)
    }

    /// Returns where a link of a note leads.
    pub(super) fn leads(&self, from: From<'_>, link: &WrittenLink) -> Leads {
        let (name, part) = match Address::of(link) {
            Address::Outside => return Leads::Outside,
            Address::Refused => return Leads::Nowhere(REFUSED),
            Address::Within(part) => return Leads::Within(part),
            Address::Named { name, part } => (name, part),
        };
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
        let Note { folder, path, .. } = self.note(note);
        *folder == from.folder && path == from.path
    }

    fn by_path(&self, from: From<'_>, name: &str) -> Result<u32, &'static str> {
        let places = self.places(from, name);
        if places.is_empty() {
            return Err(OUT_OF_FOLDERS);
        }
        let mut keys = places
            .iter()
            .flat_map(|(folder, path)| with_endings(path).map(|path| (*folder, path)));
        keys.find_map(|key| self.at.get(&key).copied())
            .ok_or(NO_PATH)
    }

    /// Where a path in a note may lead, the first choice first; empty if it leads out of the watched folders.
    fn places(&self, from: From<'_>, name: &str) -> Vec<(FolderId, String)> {
        let home = self.folders.iter().find(|(id, _)| *id == from.folder);
        let above = folder_of(from.path);
        let absolute = match home {
            _ if name.starts_with('/') => joined("", name),
            Some((_, home)) => joined(&format!("{home}/{above}"), name),
            None => None,
        };
        let in_folders = absolute
            .iter()
            .flat_map(|absolute| self.in_folders(absolute));
        let from_top = joined("", name).map(|path| (from.folder, path));
        in_folders.chain(from_top).collect()
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
        let key = name_key(name);
        let ends_so = |note: &&u32| {
            let path = key_of(&self.note(**note).path);
            let ends = |path: &str| {
                path.strip_suffix(&key)
                    .is_some_and(|above| above.is_empty() || above.ends_with('/'))
            };
            ends(&path) || ends(without_extension(&path))
        };
        let by_file = self.by_file.get(file_of(&key)).into_iter().flatten();
        let by_file: Vec<u32> = by_file.filter(ends_so).copied().collect();
        let notes_of = |names: &ByKey| names.get(&key).cloned();
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
        let Note { folder, path, .. } = self.note(note);
        let is_in_folder = *folder == from.folder;
        let is_beside = is_in_folder && folder_of(path) == folder_of(from.path);
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

fn remove(names: &mut ByKey, key: &str, note: u32) {
    if let Some(notes) = names.get_mut(key) {
        notes.retain(|it| *it != note);
        if notes.is_empty() {
            names.remove(key);
        }
    }
}

/// What a link says about its target.
enum Address {
    /// A web page or mail address.
    Outside,
    /// Neither a path nor a web page.
    Refused,
    /// A heading or line of its own note.
    Within(String),
    /// A path or name, with a heading or line.
    Named { name: String, part: String },
}

impl Address {
    fn of(link: &WrittenLink) -> Address {
        // In `[[Meeting: Oslo]]` the colon is part of the name.
        let may_have_scheme = !link.is_wiki
            || link
                .address
                .split_once(':')
                .is_some_and(|(_, rest)| rest.starts_with("//"));
        match scheme_of(&link.address).filter(|_| may_have_scheme) {
            Some(scheme) if OUTSIDE.contains(&scheme.as_str()) => return Address::Outside,
            Some(_) => return Address::Refused,
            None if link.address.starts_with("//") || link.address.starts_with('\\') => {
                return Address::Refused;
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
        match name.is_empty() {
            true => Address::Within(part),
            false => Address::Named { name, part },
        }
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

/// The keys of a file: its name, with and without its extension.
fn file_keys(path: &str) -> BTreeSet<String> {
    let name = file_of(path);
    BTreeSet::from([key_of(name), key_of(without_extension(name))])
}

/// The keys of the names in front matter.
fn name_keys(links: &NoteLinks) -> BTreeSet<String> {
    links.names.iter().map(|name| key_of(name)).collect()
}

/// The key of the first heading.
fn heading_key(links: &NoteLinks) -> Option<String> {
    let first = links.headings.first();
    let first = first.filter(|heading| !heading.words.is_empty());
    first.map(|heading| key_of(&heading.words))
}

/// The key of what is in `[[ ]]`.
fn name_key(name: &str) -> String {
    key_of(name.trim_start_matches("./"))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

fn file_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path may be written without `.md`.
fn with_endings(path: &str) -> [String; 2] {
    [path.to_owned(), format!("{path}.md")]
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

/// The scheme of an address, in lower case, without what browsers leave out before they read it. A name with a space is no
/// scheme: `<Meeting notes: Oslo.md>` is a path.
fn scheme_of(address: &str) -> Option<String> {
    let read: String = address.chars().filter(|sign| !sign.is_control()).collect();
    let (scheme, _) = read.trim_start().split_once(':')?;
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
