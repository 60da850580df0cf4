//! A relevant place that follows its text: the judged lines, found again in the current note.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use memlens_corroborate::words;
use memlens_ingest::IngestOptions;
use memlens_library::judging::following::SHARE_MIN;
use memlens_store::Snapshot;
use memlens_wire::GoldState;

use crate::judged::note_at;

/// Longer judged texts are not stored, only their place.
const CHARS_MAX: usize = 64 * 1024;

/// Lines of the library's notes, read on demand.
pub(crate) struct NoteLines<'a> {
    snapshot: &'a Snapshot,
    /// Lines by absolute path; `None` if the note is in no watched folder, or cannot be read.
    known: HashMap<PathBuf, Option<Vec<String>>>,
}

impl<'a> NoteLines<'a> {
    /// Those of the notes of a snapshot.
    pub fn of(snapshot: &'a Snapshot) -> NoteLines<'a> {
        NoteLines {
            snapshot,
            known: HashMap::new(),
        }
    }

    /// Text of a range of lines of a note, both inclusive and 1-based; `None` if they do not exist or the text is too
    /// long to store.
    pub fn text(&mut self, path: &Path, (start, end): (u32, u32)) -> Option<String> {
        let lines = self.lines(path)?;
        let text = lines
            .get((start as usize).checked_sub(1)?..end as usize)?
            .join("\n");
        (text.len() <= CHARS_MAX).then_some(text)
    }

    /// Where a text is now that was at these lines; if its text is unknown, the lines are assumed to be right as long
    /// as the note exists.
    pub fn follow(
        &mut self,
        path: &Path,
        (start, end): (u32, u32),
        text: Option<&str>,
    ) -> (GoldState, Option<(u32, u32)>) {
        let Some(lines) = self.lines(path) else {
            return (GoldState::Gone, None);
        };
        let Some(text) = text else {
            return if start as usize <= lines.len() {
                (GoldState::Fits, Some((start, end)))
            } else {
                (GoldState::Gone, None)
            };
        };
        let wanted: Vec<&str> = text.split('\n').collect();
        let place = |at: usize| (at as u32 + 1, (at + wanted.len()) as u32);
        let at = (start as usize).saturating_sub(1);
        let is_at = |at: usize| {
            let there = lines.get(at..at + wanted.len());
            there.is_some_and(|there| there.iter().zip(&wanted).all(|(a, b)| a == b))
        };
        if is_at(at) {
            return (GoldState::Fits, Some(place(at)));
        }
        let moved = (0..lines.len()).filter(|at| is_at(*at));
        if let Some(at) = moved.min_by_key(|it| it.abs_diff(at)) {
            return (GoldState::Moved, Some(place(at)));
        }
        match nearest(lines, &wanted, at) {
            Some(at) => {
                let (start, end) = place(at);
                (GoldState::Moved, Some((start, end.min(lines.len() as u32))))
            }
            None => (GoldState::Gone, None),
        }
    }

    fn lines(&mut self, path: &Path) -> Option<&Vec<String>> {
        if !self.known.contains_key(path) {
            let read = self.read(path);
            self.known.insert(path.to_owned(), read);
        }
        self.known.get(path)?.as_ref()
    }

    fn read(&self, path: &Path) -> Option<Vec<String>> {
        let (folder, inner) = note_at(self.snapshot, path)?;
        let folder = self.snapshot.folder(folder)?;
        let file = memlens_ingest::find(Path::new(&folder.path), &inner).ok()??;
        let bytes = memlens_ingest::read(&file).ok()?;
        let parsed = memlens_ingest::parse(file.kind, &bytes, &IngestOptions::default()).ok()?;
        Some(parsed.text.lines().map(str::to_owned).collect())
    }
}

/// The range of as many lines that contains most of the wanted words, of equals the nearest to the old place; `None` if
/// no range contains enough.
fn nearest(lines: &[String], wanted: &[&str], was: usize) -> Option<usize> {
    let words_of = |line: &str| words(line);
    let wanted_words: HashSet<String> = wanted.iter().flat_map(|line| words_of(line)).collect();
    if wanted_words.is_empty() {
        return None;
    }
    let per_line: Vec<HashSet<String>> = lines
        .iter()
        .map(|line| {
            words_of(line)
                .into_iter()
                .filter(|it| wanted_words.contains(it))
                .collect()
        })
        .collect();
    let mut best: Option<(f64, usize)> = None;
    for at in 0..lines.len() {
        let window = &per_line[at..(at + wanted.len()).min(lines.len())];
        let held: HashSet<&String> = window.iter().flatten().collect();
        let share = held.len() as f64 / wanted_words.len() as f64;
        let is_better = best.is_none_or(|(most, place)| {
            share > most || (share == most && at.abs_diff(was) < place.abs_diff(was))
        });
        if share >= SHARE_MIN && is_better {
            best = Some((share, at));
        }
    }
    best.map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn an_edited_text_is_found_where_most_of_its_words_stand() {
        let lines: Vec<String> = [
            "# House",
            "",
            "The router stands in the attic.",
            "It hums.",
            "Milk.",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(
            nearest(&lines, &["The router stands in the hall."], 0),
            Some(2)
        );
        assert_eq!(
            nearest(&lines, &["The router stands", "in the hall. It hums."], 0),
            Some(2)
        );
        assert_eq!(
            nearest(&lines, &["The boiler was serviced in May."], 2),
            None
        );
        assert_eq!(nearest(&lines, &[""], 1), None);
        assert_eq!(nearest(&[], &["The router"], 1), None);
    }
}
