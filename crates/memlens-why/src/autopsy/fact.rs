//! Where a fact is written: the line that holds most of its words, in the library or in any file on the disk.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memlens_ingest::{Kind, Reason, Verdict};
use memlens_library::notes::place::{Place, note_path};
use memlens_library::{EngineError, Library};
use memlens_params::Params;
use memlens_retrieve::Part;
use memlens_store::{Folder, FolderId};
use memlens_written::{Gaps, NOTE_LINES, Passage, best_passage};

use super::Case;
use super::disk::{self, OnDisk, UNWATCHED};
use super::words::content_words;

/// Number of chunks of the library that are read for a fact, those with most of its words first.
const CHUNKS_READ: usize = 80;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 400;
/// Bytes of a file of which a line is named.
pub(super) const FILE_BYTES: u64 = 256 * 1024 * 1024;

/// A fact, and where it is written.
pub(super) struct Fact {
    /// As the user gave it.
    pub typed: String,
    /// The distinctive words: normalised, and as written.
    pub words: Vec<(String, String)>,
    /// Where it is written, if anywhere.
    pub found: Option<Found>,
    /// The line that comes nearest if it is written nowhere; `None` if no line holds any of its words.
    pub near: Option<Near>,
    /// What was not read; empty if everything was, or the fact was found before.
    pub gaps: Gaps,
}

/// Where a fact is written.
pub(super) struct Found {
    /// The note; its folder is [`UNWATCHED`] if it is in no watched folder, its path then as it is shown.
    pub place: Place,
    /// The file; `None` if its folder is no longer watched.
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    pub line: u32,
    /// The line; not shown where [`Found::is_private`].
    pub text: String,
    /// Whether an ignore rule or a dot before the name leaves the note out: its text is then not shown.
    pub is_private: bool,
    /// Whether the library contains it and the file no longer does.
    pub is_gone: bool,
}

impl Found {
    fn new(library: &Library, place: Place, line: u32, text: String) -> Found {
        let file = folder(library, place.folder).map(|folder| note_path(&folder.path, &place.path));
        let is_private = matches!(
            disk::reason(library, &place),
            Some(Reason::Ignored { .. } | Reason::Hidden { .. } | Reason::Link)
        );
        Found {
            place,
            file,
            line,
            text,
            is_private,
            is_gone: false,
        }
    }

    /// Whether it is in a watched folder.
    pub fn is_watched(&self) -> bool {
        self.place.folder != UNWATCHED
    }

    pub fn at(&self) -> String {
        format!("{}:{}", self.place.path, self.line)
    }
}

/// A line that contains some of a fact's words.
pub(super) struct Near {
    pub path: String,
    pub line: u32,
    /// Words that it lacks, as they were typed.
    pub missing: Vec<String>,
}

/// The best passage so far.
struct Held {
    place: Place,
    line: u32,
    text: String,
    n_words: usize,
    n_near: usize,
    missing: Vec<usize>,
}

impl Near {
    /// The place as it is named.
    pub fn at(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }
}

impl Fact {
    /// The line that comes nearest if it lacks only numbers or less than half of the words: it may say the fact in other words.
    pub fn near_miss(&self) -> Option<&Near> {
        let is_number = |word: &String| word.chars().all(|sign| sign.is_ascii_digit());
        self.near.as_ref().filter(|near| {
            let n_missing = near.missing.len();
            let is_but_numbers = near.missing.iter().all(is_number);
            (is_but_numbers && n_missing < self.words.len()) || n_missing * 2 < self.words.len()
        })
    }

    /// Finds it: as a line of a note if it is written like one, else by its words.
    ///
    /// # Errors
    /// [`EngineError::NoFact`]; as [`Library::search`].
    pub fn find(case: &Case<'_>, typed: &str, here: Option<&Path>) -> Result<Fact, EngineError> {
        let typed = typed.trim();
        if let Some(found) = at_line(case.library, typed, here)? {
            return Ok(Fact {
                typed: typed.to_owned(),
                words: content_words(&found.text),
                found: Some(found),
                near: None,
                gaps: Gaps::default(),
            });
        }
        let words = content_words(typed);
        if words.is_empty() {
            return Err(EngineError::NoFact);
        }
        let terms: Vec<String> = words.iter().map(|(term, _)| term.clone()).collect();
        let mut fact = Fact {
            typed: typed.to_owned(),
            words,
            found: None,
            near: None,
            gaps: Gaps::default(),
        };
        let is_whole = |held: &Held| held.n_words == terms.len();
        let mut in_library = in_library(case, typed, &terms)?;
        // The file may have changed since it was indexed.
        let mut removed = None;
        if let Some(held) = in_library.take_if(|held| is_whole(held)) {
            match now(case.library, &held, &terms) {
                Some((line, text)) => {
                    fact.found = Some(Found::new(case.library, held.place, line, text));
                    return Ok(fact);
                }
                None => removed = Some(held),
            }
        }
        let (on_disk, gaps) = disk::search(case, &terms);
        fact.gaps = gaps;
        match on_disk {
            Some(OnDisk { place, hit }) if hit.n_words == terms.len() => {
                let found = Found::new(case.library, place, hit.line, hit.text);
                fact.found = Some(Found {
                    file: Some(hit.absolute),
                    ..found
                });
                fact.gaps = Gaps::default();
            }
            on_disk => {
                let on_disk = on_disk.map(|OnDisk { place, hit }| Held {
                    place,
                    line: hit.line,
                    text: String::new(),
                    n_words: hit.n_words,
                    n_near: hit.n_near,
                    missing: hit.missing,
                });
                fact.near = better(in_library, on_disk).map(|held| fact.near_of(held));
                fact.found = removed.map(|held| Found {
                    is_gone: true,
                    ..Found::new(case.library, held.place, held.line, held.text)
                });
            }
        }
        Ok(fact)
    }

    fn near_of(&self, held: Held) -> Near {
        let missing = held.missing.iter().map(|at| self.words[*at].1.clone());
        Near {
            path: held.place.path,
            line: held.line,
            missing: missing.collect(),
        }
    }

    /// Where the fact is in a line: as it was typed, else each of its words. Empty if one of them is not in the line.
    pub fn ranges_in(&self, line: &str) -> Vec<Range<usize>> {
        // Lower case of ASCII keeps every byte at its place.
        let typed = self.typed.to_ascii_lowercase();
        let as_typed = line.to_ascii_lowercase().find(&typed);
        if let Some(at) = as_typed {
            return std::iter::once(at..at + typed.len()).collect();
        }
        let in_line = memlens_index::words(line);
        let mut ranges = Vec::new();
        for (term, _) in &self.words {
            let of_word = in_line.iter().filter(|word| word.term == *term);
            let n_before = ranges.len();
            ranges.extend(of_word.map(|word| word.bytes.clone()));
            if ranges.len() == n_before {
                return Vec::new();
            }
        }
        ranges
    }

    /// The distinctive words that a question shares with the fact or its line, as the question writes them.
    pub fn shared(&self, question: &str) -> Vec<String> {
        let line = self
            .found
            .iter()
            .flat_map(|found| content_words(&found.text))
            .map(|(term, _)| term);
        let known: BTreeSet<String> = self
            .words
            .iter()
            .map(|(term, _)| term.clone())
            .chain(line)
            .collect();
        let asked = content_words(question).into_iter();
        asked
            .filter(|(term, typed)| known.contains(term) && !memlens_index::is_stop_word(typed))
            .map(|(_, typed)| typed)
            .collect()
    }
}

/// The line that `PATH:LINE` names; `None` if it is no such place.
fn at_line(
    library: &Library,
    typed: &str,
    here: Option<&Path>,
) -> Result<Option<Found>, EngineError> {
    let Some((named, _)) = typed.rsplit_once(':').filter(|(path, line)| {
        !path.is_empty() && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    }) else {
        return Ok(None);
    };
    let refused = |why: &str| EngineError::Place {
        typed: typed.to_owned(),
        why: why.to_owned(),
    };
    // Words may end in a colon and digits as well: 22:31.
    let not_there = |error: EngineError| match is_path(named) {
        true => Err(error),
        false => Ok(None),
    };
    let lists = library.lists();
    let place = match Place::parse(&lists.snapshot, typed, here) {
        Ok(Some(place)) => place,
        Ok(None) => {
            return not_there(refused(
                "no note in a watched folder has this name; say the fact in words instead",
            ));
        }
        Err(error) => return not_there(error),
    };
    let (Some(line), Some(folder)) = (place.line, folder(library, place.folder)) else {
        return Ok(None);
    };
    let root = Path::new(&folder.path);
    let is_closed = match memlens_ingest::judge(root, &place.path)? {
        Verdict::Read(_) => false,
        Verdict::LeftOut { reason, .. } => matches!(
            reason,
            Reason::Link | Reason::NotRegular | Reason::Unseen(_) | Reason::Outside
        ),
        Verdict::Folder => return not_there(refused("it is a folder; name a note in it")),
        Verdict::Gone => {
            return not_there(refused(
                "there is no such file; say the fact in words instead",
            ));
        }
    };
    let place = Place {
        line: None,
        ..place
    };
    let text = match is_closed {
        true => None,
        false => memlens_written::text(root, &place.path, FILE_BYTES)
            .ok()
            .flatten(),
    };
    let Some(text) = text else {
        return Ok(Some(Found::new(library, place, line, String::new())));
    };
    let Some(line_text) = text.lines().nth(line as usize - 1) else {
        let n_lines = text.lines().count();
        return Err(refused(&format!("it has {n_lines} lines")));
    };
    if line_text.trim().is_empty() {
        return Err(refused("this line is empty"));
    }
    Ok(Some(Found::new(library, place, line, shown(line_text))))
}

/// Whether a text before a colon and a line number is meant as the path of a note, and not as words.
fn is_path(named: &str) -> bool {
    let is_address = named.contains("://");
    let has_folders = named.contains('/') && !named.contains(char::is_whitespace);
    !is_address && (has_folders || Kind::of(Path::new(named)).is_some())
}

/// Whether a chunk of another note holds all words of a fact.
///
/// # Errors
/// As [`Library::search`].
pub(super) fn is_in_another_note(
    case: &Case<'_>,
    fact: &Fact,
    place: &Place,
) -> Result<bool, EngineError> {
    let typed: Vec<&str> = fact.words.iter().map(|(_, typed)| typed.as_str()).collect();
    let terms: Vec<String> = fact.words.iter().map(|(term, _)| term.clone()).collect();
    let mut is_any = false;
    passages(case, case.part(), &typed.join(" "), &terms, |held| {
        let is_same = held.place.folder == place.folder && held.place.path == place.path;
        is_any |= !is_same && held.n_words == terms.len();
    })?;
    Ok(is_any)
}

/// The best passage among the chunks of the library.
fn in_library(case: &Case<'_>, typed: &str, terms: &[String]) -> Result<Option<Held>, EngineError> {
    let mut best = None;
    passages(case, case.own_part(), typed, terms, |held| {
        best = better(best.take(), Some(held));
    })?;
    Ok(best)
}

/// Calls `each` with the best passage of each of the chunks that hold most of some words.
fn passages(
    case: &Case<'_>,
    part: Part,
    typed: &str,
    terms: &[String],
    mut each: impl FnMut(Held),
) -> Result<(), EngineError> {
    let search = case.library.search_in(typed, &Params::default(), part)?;
    let candidates = &search.set().candidates;
    let mut slots: Vec<u32> = (0..candidates.len() as u32).collect();
    slots.sort_by_key(|slot| {
        let candidate = &candidates[*slot as usize];
        let n_held = candidate.n_matched + candidate.n_joined;
        (std::cmp::Reverse(n_held), candidate.order)
    });
    slots.truncate(CHUNKS_READ);
    let texts = search.texts(&slots)?;
    for (slot, text) in slots.into_iter().zip(texts) {
        let Ok(text) = text else { continue };
        let row = search.row_facts(slot)?;
        let Some(Passage {
            line,
            text,
            n_words,
            n_near,
            missing,
        }) = best_passage(&text, terms, row.start_line, u32::MAX)
        else {
            continue;
        };
        each(Held {
            place: Place {
                folder: row.note.folder,
                path: row.note.path.clone(),
                line: None,
            },
            line,
            text,
            n_words,
            n_near,
            missing,
        });
    }
    Ok(())
}

/// The line and text of a passage in its file as it is now; `None` if the file no longer holds it.
fn now(library: &Library, held: &Held, terms: &[String]) -> Option<(u32, String)> {
    if !is_changed(library, &held.place) {
        return Some((held.line, held.text.clone()));
    }
    let folder = folder(library, held.place.folder)?;
    let text = memlens_written::text(Path::new(&folder.path), &held.place.path, FILE_BYTES);
    let passage = best_passage(&text.ok()??, terms, 1, NOTE_LINES)?;
    (passage.n_words == terms.len()).then_some((passage.line, passage.text))
}

/// Whether a note's file differs from the indexed bytes. A file with only a new mtime is unchanged; an unreadable one
/// counts as changed.
pub(super) fn is_changed(library: &Library, place: &Place) -> bool {
    let lists = library.lists();
    let Some(at) = lists.snapshot.find(place.folder, &place.path) else {
        return true;
    };
    let document = &lists.snapshot.documents[at];
    let bytes = folder(library, place.folder)
        .and_then(|folder| memlens_ingest::find(Path::new(&folder.path), &place.path).ok()?)
        .and_then(|file| memlens_ingest::read(&file).ok());
    bytes.is_none_or(|bytes| blake3::hash(&bytes).as_bytes() != &document.hash)
}

pub(super) fn folder(library: &Library, id: FolderId) -> Option<Folder> {
    let lists = library.lists();
    let mut folders = lists.snapshot.folders.iter();
    folders.find(|folder| folder.id == id).cloned()
}

/// The one that holds more words, nearer to each other; the first of equals.
fn better(one: Option<Held>, other: Option<Held>) -> Option<Held> {
    let worth = |held: &Held| (held.n_words, held.n_near);
    match (one, other) {
        (Some(one), Some(other)) if worth(&other) > worth(&one) => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

/// A line as it is shown.
fn shown(line: &str) -> String {
    line.trim().chars().take(LINE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_numbers_or_few_words_may_say_it_otherwise() {
        let is_near = |typed: &str, missing: &[&str]| {
            let near = Near {
                path: "n.md".to_owned(),
                line: 2,
                missing: missing.iter().map(|word| (*word).to_owned()).collect(),
            };
            let fact = Fact {
                typed: typed.to_owned(),
                words: content_words(typed),
                found: None,
                near: Some(near),
                gaps: Gaps::default(),
            };
            fact.near_miss().is_some()
        };
        assert!(is_near("pond 4000", &["4000"]));
        assert!(is_near("pond holds water lilies", &["lilies"]));
        assert!(!is_near("pond holds water lilies", &["water", "lilies"]));
        assert!(!is_near("4000 4711", &["4000", "4711"]));
    }
}
