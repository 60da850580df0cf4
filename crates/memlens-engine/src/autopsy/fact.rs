//! Where a fact stands: the line that holds most of its words, in the library or in a note that is not in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use memlens_ingest::{IngestOptions, Kind, MAX_FILE_BYTES, Verdict};
use memlens_params::Params;
use memlens_retrieve::Part;
use memlens_store::{Folder, FolderId};

use super::words::telling;
use super::{Case, words};
use crate::place::Place;
use crate::scope::with_slashes;
use crate::{EngineError, Library};

/// How many chunks of the library are read for a fact, those with most of its words first.
const CHUNKS_READ: usize = 80;
/// How many lines in a row may say a fact.
const LINES_MOST: usize = 3;
/// How many files are looked at that are not in the library as they are.
const FILES_MOST: usize = 5_000;
/// What is told of a line, in characters.
const LINE_CHARS: usize = 400;

/// A fact, and where it stands.
pub(super) struct Fact {
    /// As the person gave it.
    pub typed: String,
    /// Its telling words: as they are compared, and as they are written.
    pub words: Vec<(String, String)>,
    /// Where it stands; none where it stands nowhere.
    pub found: Option<Found>,
    /// What comes nearest where it stands nowhere; none where no line holds any of its words.
    pub near: Option<Near>,
}

/// Where a fact stands.
pub(super) struct Found {
    /// The note.
    pub place: Place,
    /// The 1-based line.
    pub line: u32,
    /// The line.
    pub text: String,
}

/// A line that holds some of a fact's words.
pub(super) struct Near {
    pub path: String,
    pub line: u32,
    /// The words that it lacks, as they were typed.
    pub missing: Vec<String>,
}

/// A line and how many of the words stand in it or beside it.
struct Held {
    place: Place,
    line: u32,
    text: String,
    /// The words of the whole passage that was looked at.
    terms: BTreeSet<String>,
    /// How many stand in these few lines.
    n_near: usize,
}

impl Fact {
    /// Finds it: as a line of a note where it is written like one, else by its words.
    ///
    /// # Errors
    /// [`EngineError::NoFact`]; as [`Library::search`].
    pub fn find(case: &Case<'_>, typed: &str, here: Option<&Path>) -> Result<Fact, EngineError> {
        let typed = typed.trim();
        if let Some(found) = at_line(case.library, typed, here)? {
            return Ok(Fact {
                typed: typed.to_owned(),
                words: telling(&found.text),
                found: Some(found),
                near: None,
            });
        }
        let words = telling(typed);
        if words.is_empty() {
            return Err(EngineError::NoFact);
        }
        let mut best = in_library(case, typed, &words)?;
        let is_whole = |held: &Option<Held>| {
            held.as_ref()
                .is_some_and(|held| held.terms.len() == words.len())
        };
        if !is_whole(&best) {
            best = better(best, on_disk(case, &words));
        }
        let is_found = is_whole(&best);
        let (found, near) = match best {
            Some(held) if is_found => {
                let Held {
                    place, line, text, ..
                } = held;
                (Some(Found { place, line, text }), None)
            }
            Some(held) => {
                let missing = words.iter().filter(|(term, _)| !held.terms.contains(term));
                let near = Near {
                    path: held.place.path,
                    line: held.line,
                    missing: missing.map(|(_, typed)| typed.clone()).collect(),
                };
                (None, Some(near))
            }
            None => (None, None),
        };
        Ok(Fact {
            typed: typed.to_owned(),
            words,
            found,
            near,
        })
    }

    /// The words of the fact that a question holds, as the question writes them.
    pub fn shared(&self, question: &str) -> Vec<String> {
        let line = self
            .found
            .iter()
            .flat_map(|found| telling(&found.text))
            .map(|(term, _)| term);
        let known: BTreeSet<String> = self
            .words
            .iter()
            .map(|(term, _)| term.clone())
            .chain(line)
            .collect();
        let asked = telling(question).into_iter();
        asked
            .filter(|(term, _)| known.contains(term))
            .map(|(_, typed)| typed)
            .collect()
    }
}

/// The line that `PATH:LINE` names; none where it is no such place.
fn at_line(
    library: &Library,
    typed: &str,
    here: Option<&Path>,
) -> Result<Option<Found>, EngineError> {
    let is_place = typed.rsplit_once(':').is_some_and(|(path, line)| {
        !path.is_empty() && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !is_place {
        return Ok(None);
    }
    let lists = library.lists();
    // Words may end in a colon and digits as well: 22:31.
    let Ok(Some(place)) = Place::parse(&lists.snapshot, typed, here) else {
        return Ok(None);
    };
    let (Some(line), Some(folder)) = (place.line, folder(library, place.folder)) else {
        return Ok(None);
    };
    let text = match memlens_ingest::judge(Path::new(&folder.path), &place.path)? {
        Verdict::Read(file) => read(&file.absolute),
        // Of what a rule leaves out nothing is told but that.
        Verdict::LeftOut { .. } => {
            return Ok(Some(Found {
                place,
                line,
                text: String::new(),
            }));
        }
        Verdict::Folder | Verdict::Gone => None,
    };
    let Some(text) = text else {
        return Ok(None);
    };
    let Some(text) = text.lines().nth(line as usize - 1) else {
        return Err(EngineError::Place {
            typed: typed.to_owned(),
            why: format!("it has {} lines", text.lines().count()),
        });
    };
    if text.trim().is_empty() {
        return Err(EngineError::Place {
            typed: typed.to_owned(),
            why: "this line is empty".to_owned(),
        });
    }
    Ok(Some(Found {
        place,
        line,
        text: told(text),
    }))
}

/// The best line among the chunks of the library.
fn in_library(
    case: &Case<'_>,
    typed: &str,
    words: &[(String, String)],
) -> Result<Option<Held>, EngineError> {
    let part = case.part();
    let search = case.library.search_in(typed, &Params::default(), part)?;
    let candidates = &search.set().candidates;
    let mut slots: Vec<u32> = (0..candidates.len() as u32).collect();
    slots.sort_by_key(|slot| {
        let candidate = &candidates[*slot as usize];
        (std::cmp::Reverse(candidate.n_matched), candidate.order)
    });
    slots.truncate(CHUNKS_READ);
    let texts = search.texts(&slots)?;
    let mut best = None;
    for (slot, text) in slots.into_iter().zip(texts) {
        let Ok(text) = text else { continue };
        let row = search.row_facts(slot)?;
        let place = Place {
            folder: row.note.folder,
            path: row.note.path.clone(),
            line: None,
        };
        best = better(best, held(&text, words, &place, row.start_line));
    }
    Ok(best)
}

/// The best line of the notes that are not in the library as they are: new, changed, left out by a rule.
fn on_disk(case: &Case<'_>, words: &[(String, String)]) -> Option<Held> {
    let lists = case.library.lists();
    let folders: Vec<&Folder> = match case.part() {
        Part::Folders(ids) => {
            let folders = lists.snapshot.folders.iter();
            folders.filter(|folder| ids.contains(&folder.id)).collect()
        }
        Part::All | Part::Folder(_) | Part::Chunks(_) => lists.snapshot.folders.iter().collect(),
    };
    let mut best = None;
    for folder in folders {
        let root = Path::new(&folder.path);
        for file in files(root) {
            let Some(path) = file.strip_prefix(root).ok().and_then(with_slashes) else {
                continue;
            };
            let known = lists.snapshot.find(folder.id, &path);
            let known = known.map(|at| lists.snapshot.documents[at].modified_ms);
            if known.is_some() && known == modified_ms(&file) {
                continue;
            }
            let Some(text) = read(&file) else { continue };
            let place = Place {
                folder: folder.id,
                path,
                line: None,
            };
            let found = held(&text, words, &place, 1).map(|found| Held {
                text: if is_read(root, &place.path) {
                    found.text
                } else {
                    String::new()
                },
                ..found
            });
            best = better(best, found);
        }
    }
    best
}

/// Whether no rule leaves a note out: of one that is left out, no text is told.
fn is_read(root: &Path, path: &str) -> bool {
    memlens_ingest::find(root, path).is_ok_and(|file| file.is_some())
}

/// The files of kinds that are read, links and folders of other programs left out.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && !matches!(entry.file_name().to_str(), Some(".git" | "node_modules"))
            {
                folders.push(entry.path());
            } else if kind.is_file() && Kind::of(&entry.path()).is_some() {
                files.push(entry.path());
            }
            if files.len() >= FILES_MOST {
                return files;
            }
        }
    }
    files.sort();
    files
}

/// A note's text as it is on disk; none where it cannot be read.
fn read(file: &Path) -> Option<String> {
    let kind = Kind::of(file)?;
    let found = file.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > MAX_FILE_BYTES {
        return None;
    }
    let bytes = fs::read(file).ok()?;
    let parsed = memlens_ingest::parse(kind, &bytes, &IngestOptions::default()).ok()?;
    Some(parsed.text)
}

fn modified_ms(file: &Path) -> Option<i64> {
    let modified = file.metadata().ok()?.modified().ok()?;
    Some(jiff::Timestamp::try_from(modified).ok()?.as_millisecond())
}

/// A watched folder.
pub(super) fn folder(library: &Library, id: FolderId) -> Option<Folder> {
    let lists = library.lists();
    let mut folders = lists.snapshot.folders.iter();
    folders.find(|folder| folder.id == id).cloned()
}

/// The few lines of a text that hold most of the words; none where no line holds any.
fn held(text: &str, words: &[(String, String)], place: &Place, first_line: u32) -> Option<Held> {
    let wanted: BTreeSet<&str> = words.iter().map(|(term, _)| term.as_str()).collect();
    let lines: Vec<(&str, BTreeSet<String>)> = text
        .lines()
        .map(|line| {
            let terms = memlens_index::words(line).into_iter().map(|word| word.term);
            (
                line,
                terms
                    .filter(|term| wanted.contains(term.as_str()))
                    .collect(),
            )
        })
        .collect();
    let mut best: Option<(usize, std::cmp::Reverse<usize>, usize)> = None;
    for at in 0..lines.len() {
        let mut near = BTreeSet::new();
        for (length, (_, terms)) in (1..=LINES_MOST).zip(&lines[at..]) {
            near.extend(terms);
            let found = (near.len(), std::cmp::Reverse(length), at);
            if best.is_none_or(|(most, shortest, _)| (found.0, found.1) > (most, shortest)) {
                best = Some(found);
            }
        }
    }
    let (n_near, std::cmp::Reverse(length), at) = best.filter(|(n, ..)| *n > 0)?;
    let most = (at..at + length).max_by_key(|at| (lines[*at].1.len(), std::cmp::Reverse(*at)))?;
    Some(Held {
        place: place.clone(),
        line: first_line + most as u32,
        text: told(lines[most].0),
        terms: lines.iter().flat_map(|(_, terms)| terms.clone()).collect(),
        n_near,
    })
}

/// The one that holds more words, nearer to each other; the first of equals.
fn better(one: Option<Held>, other: Option<Held>) -> Option<Held> {
    let worth = |held: &Held| (held.terms.len(), held.n_near);
    match (one, other) {
        (Some(one), Some(other)) if worth(&other) > worth(&one) => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

/// A line as it is told.
fn told(line: &str) -> String {
    line.trim().chars().take(LINE_CHARS).collect()
}

/// What a fact's words are, for a sentence.
pub(super) fn words_told(fact: &Fact) -> String {
    words::quoted(fact.words.iter().map(|(_, typed)| typed.as_str()))
}
