//! Thumbs: the user says that a chunk answers a question, or does not.
//!
//! A thumb is a judgment. If the feedback stage is on, it also weighs every chunk with the same text: fully for its own
//! question, and for another one by the cosine of the two questions. It is stored with the text, so it survives
//! re-indexing, and follows the text when the note is edited.
//!
//! Properties checked: any text and question come back through an export; every line of a file is accepted or refused
//! by its number.

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use memlens_ingest::content_hash;
use memlens_params::brief;
use memlens_retrieve::{RowFacts, TextId};
use memlens_store::{Imported, NewFeedback, NoText, Snapshot, Store, Thumb, Voted};
use memlens_wire::{FeedbackEntry, FeedbackImport, FeedbackPlace, RowThumb};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judging::following::Stands;
use crate::judging::thumbs::GivenThumbs;
use crate::notes::place::Place;
use crate::search::{Search, found};
use crate::writes::Writes;
use crate::{EngineError, Library};

/// Maximum size of a file of thumbs; a larger one is something else.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Number of lines without a thumb that are listed; the others are counted.
const N_PROBLEMS_SHOWN: usize = 3;

/// A line of an exported file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    path: String,
    text: String,
    query: String,
    /// 1 for up or -1 for down.
    thumb: Value,
    /// Time in the format of RFC 3339.
    at: String,
}

impl Library {
    /// Every thumb, the newest first.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn feedback(&self) -> Result<Vec<FeedbackEntry>, EngineError> {
        let given = self.thumbs()?;
        let lists = self.lists();
        let stored = self.store().feedback()?;
        let entries = stored.into_iter().map(|one| {
            let stands = given.stands(one.id);
            let found = stands.place();
            FeedbackEntry {
                id: one.id.to_string(),
                up: one.feedback.thumb == Thumb::Up,
                query: one.feedback.query,
                path: one.feedback.path,
                text: one.feedback.text,
                at_ms: one.feedback.at_ms as f64,
                is_edited: matches!(stands, Stands::Edited(_)),
                found: found.map(|place| place_of(&lists.snapshot, place)),
            }
        });
        Ok(entries.collect())
    }

    /// The thumbs that the rows of a search have for its question, ascending by slot.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn row_thumbs(&self, search: &Search) -> Result<Vec<RowThumb>, EngineError> {
        let given = self.thumbs()?;
        let Some(given) = given.for_question(&search.query) else {
            return Ok(Vec::new());
        };
        let thumb_of = |row: &RowFacts| given.get(&row.text?);
        Ok((0..)
            .zip(&search.retrieved.rows)
            .filter_map(|(slot, row)| {
                let up = *thumb_of(row)? == Thumb::Up;
                Some(RowThumb { slot, up })
            })
            .collect())
    }

    /// All thumbs as JSON Lines, one object each: `path`, `text`, `query`, `thumb` (1 or -1), `at`.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    fn feedback_text(&self) -> Result<String, EngineError> {
        let stored = self.store().feedback()?;
        let lines = stored.into_iter().map(|one| {
            let NewFeedback {
                text,
                query,
                thumb,
                at_ms,
                path,
                ..
            } = one.feedback;
            let at = Timestamp::from_millisecond(at_ms).unwrap_or_default();
            let line = Line {
                path,
                text,
                query,
                thumb: thumb.number().into(),
                at: at.to_string(),
            };
            serde_json::to_string(&line).expect("plain data can always be written as JSON") + "\n"
        });
        Ok(lines.collect())
    }

    /// Writes all thumbs to a file, atomically.
    ///
    /// # Errors
    /// As [`Library::write_output`], and [`EngineError::Store`].
    pub fn write_feedback(&self, path: &Path) -> Result<(), EngineError> {
        self.write_output(self.feedback_text()?.as_bytes(), path, &[])
    }

    /// The vote for a thumb at a place, and the thumbs on earlier forms of its text.
    pub(crate) fn typed_vote(
        &self,
        query: &str,
        typed: &str,
        up: bool,
        here: Option<&Path>,
    ) -> Result<(NewFeedback, Vec<i64>), EngineError> {
        let query = query.trim();
        if query.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let lists = self.lists();
        let place = chunk_at(&lists.snapshot, typed, here)?;
        let (_, chunk) = lists.snapshot.chunk(place);
        let text = self.store().chunk_texts([chunk.id])?.pop();
        let text = text.unwrap_or(Err(NoText::Gone));
        let given = self.thumbs()?;
        let edited = given.standing_on(query, TextId(chunk.embedding.0));
        let vote = new_feedback(&path_of(&lists.snapshot, place), text, query, thumb(up))?;
        Ok((vote, edited.to_vec()))
    }

    /// Makes all cached searches rank with the current thumbs.
    ///
    /// # Errors
    /// [`EngineError::Store`]; the searches rank as before then.
    pub(crate) fn take_up_feedback(&self) -> Result<(), EngineError> {
        let kept: Vec<Arc<Search>> = self.searches().iter().cloned().collect();
        if kept.is_empty() {
            return Ok(());
        }
        let thumbs = self.thumbs()?;
        for search in kept {
            search.facts.asked.prepare(&thumbs, &search.retrieved);
        }
        self.replace_searches(|search| {
            let mut next = search.clone();
            next.facts.thumbs = self.thumbs()?;
            next.facts.put_thumbs(&mut next.retrieved);
            Ok(next)
        })
    }

    /// Thumbs on the texts of the current library; read again after any change.
    pub(crate) fn thumbs(&self) -> Result<Arc<GivenThumbs>, EngineError> {
        let lists = self.lists();
        let store = self.store();
        let mut read = self.read_thumbs();
        Ok(read.now(&store, lists.vectors.model(), &lists.snapshot)?)
    }
}

impl Search {
    /// The same search without the thumbs of its own question, so that it can be judged by them.
    pub fn without_own_thumbs(&self) -> Search {
        let mut judged = self.clone();
        judged.facts.without_thumbs_for = Some(self.query.clone());
        judged.facts.put_thumbs(&mut judged.retrieved);
        judged
    }

    /// The vote for a thumb on a row of this search.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], [`EngineError::NoteChanged`], [`EngineError::NoteAltered`], [`EngineError::Store`].
    pub(crate) fn vote(&self, slot: u32, up: bool) -> Result<NewFeedback, EngineError> {
        let note = &self.row_facts(slot)?.note;
        let path = format!("{}/{}", note.folder_name, note.path);
        new_feedback(&path, self.text(slot)?, &self.query, thumb(up))
    }
}

fn import_report(imported: Imported, problems: Vec<String>) -> FeedbackImport {
    let Imported {
        n_added,
        n_turned,
        n_known,
    } = imported;
    FeedbackImport {
        n_added,
        n_turned,
        n_known,
        problems,
    }
}

/// Gives a row of a search a thumb: turns the other one, removes the same one. All cached searches rank with it from then on.
/// Returns the thumbs of the search's rows.
///
/// # Errors
/// [`EngineError::SearchGone`], [`EngineError::NoRow`], [`EngineError::Store`], and as [`Writes::write`].
pub fn vote(
    writes: &impl Writes,
    search: u32,
    slot: u32,
    up: bool,
) -> Result<Vec<RowThumb>, EngineError> {
    let library = writes.library();
    let kept = library.kept(search)?;
    let vote = kept.vote(slot, up)?;
    let given = library.thumbs()?;
    let text = kept.row_facts(slot)?.text;
    let edited = text.map_or(&[][..], |text| given.standing_on(&kept.query, text));
    writes.write(|store| Ok(store.vote_again(&vote, edited)?))?;
    library.take_up_feedback()?;
    library.row_thumbs(&kept)
}

/// Gives the chunk at a typed place a thumb for a question, like [`vote`] for a row. If several chunks contain the line, the
/// first one counts.
///
/// # Errors
/// [`EngineError::EmptyQuery`]; [`EngineError::Thumb`] if the place names no chunk, or more than one; as [`Writes::write`].
pub fn judge_place(
    writes: &impl Writes,
    query: &str,
    typed: &str,
    up: bool,
    here: Option<&Path>,
) -> Result<Voted, EngineError> {
    let (vote, edited) = writes.library().typed_vote(query, typed, up, here)?;
    let voted = writes.write(|store| Ok(store.vote_again(&vote, &edited)?))?;
    writes.library().take_up_feedback()?;
    Ok(voted)
}

/// Takes a thumb back.
///
/// # Errors
/// [`EngineError::NoFeedback`], and as [`Writes::write`].
pub fn undo_feedback(writes: &impl Writes, id: &str) -> Result<(), EngineError> {
    writes.write(|store| undo(store, id))?;
    writes.library().take_up_feedback()
}

/// Adds the thumbs of an exported file. A line without a thumb is refused by its number, and the others are added.
///
/// # Errors
/// [`EngineError::File`], [`EngineError::Feedback`] for a file that is no export; as [`Writes::write`].
pub fn import_feedback(writes: &impl Writes, path: &Path) -> Result<FeedbackImport, EngineError> {
    let (votes, problems) = read_file(path)?;
    let imported = writes.write(|store| Ok(store.import_feedback(&votes)?))?;
    writes.library().take_up_feedback()?;
    Ok(import_report(imported, problems))
}

fn undo(store: &mut Store, id: &str) -> Result<(), EngineError> {
    let is_undone = match id.parse() {
        Ok(number) => store.undo_feedback(number)?,
        Err(_) => false,
    };
    is_undone
        .then_some(())
        .ok_or_else(|| EngineError::NoFeedback { id: id.to_owned() })
}

/// Reads an export: its thumbs, at least one, and the invalid lines.
fn read_file(path: &Path) -> Result<(Vec<NewFeedback>, Vec<String>), EngineError> {
    let file_error = |source| EngineError::File {
        attempt: "read",
        path: path.to_owned(),
        source,
    };
    let bytes = memlens_files::read(path, FILE_BYTES_MAX).map_err(file_error)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(EngineError::Feedback {
            path: path.to_owned(),
            why: format!("it is larger than {} MiB", FILE_BYTES_MAX >> 20),
        });
    }
    let (feedback, problems) = read_lines(&bytes, now_ms());
    if feedback.is_empty() {
        return Err(EngineError::Feedback {
            path: path.to_owned(),
            why: no_thumb(&problems),
        });
    }
    Ok((feedback, problems))
}

/// Error message for a file without a thumb, with the problems of its first lines.
fn no_thumb(problems: &[String]) -> String {
    let mut reasons = vec!["it contains no thumbs".to_owned()];
    reasons.extend(problems.iter().take(N_PROBLEMS_SHOWN).cloned());
    if problems.len() > N_PROBLEMS_SHOWN {
        reasons.push(format!("and {} more", problems.len() - N_PROBLEMS_SHOWN));
    }
    reasons.join("; ")
}

/// Reads the lines of an export; later dates than `now_ms` are replaced by it.
fn read_lines(bytes: &[u8], now_ms: i64) -> (Vec<NewFeedback>, Vec<String>) {
    let (mut feedback, mut problems) = (Vec::new(), Vec::new());
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_line(line, now_ms) {
            Ok(one) => feedback.push(one),
            Err(why) => problems.push(format!("line {number}: {why}")),
        }
    }
    (feedback, problems)
}

/// The thumb on a line, or the reason why it is invalid.
fn read_line(line: &[u8], now_ms: i64) -> Result<NewFeedback, String> {
    let Line {
        path,
        text,
        query,
        thumb,
        at,
    } = serde_json::from_slice(line).map_err(|error| {
        // The message would contain a line number within this line.
        let said = error.to_string();
        said.split(" at line ").next().unwrap_or(&said).to_owned()
    })?;
    let query = query.trim();
    if query.is_empty() {
        return Err("query is empty".to_owned());
    }
    if text.trim().is_empty() {
        return Err("text is empty".to_owned());
    }
    let thumb = thumb
        .as_i64()
        .and_then(Thumb::of_number)
        .ok_or_else(|| format!("thumb must be 1 or -1, not {}", brief(&thumb.to_string())))?;
    let at: Timestamp = at.parse().map_err(|_| {
        let at = brief(&at);
        format!("at must be a time such as 2026-01-31T12:00:00Z, not {at:?}")
    })?;
    Ok(NewFeedback {
        hash: content_hash(&text),
        text,
        query: query.to_owned(),
        thumb,
        at_ms: at.as_millisecond().min(now_ms),
        path,
    })
}

fn new_feedback(
    path: &str,
    text: Result<String, NoText>,
    query: &str,
    thumb: Thumb,
) -> Result<NewFeedback, EngineError> {
    // A thumb on an empty text would apply to every missing text.
    let text = found("give a thumb to", path, text)?;
    Ok(NewFeedback {
        hash: content_hash(&text),
        text,
        query: query.to_owned(),
        thumb,
        at_ms: now_ms(),
        path: path.to_owned(),
    })
}

/// Position of the chunk that the user names by a note and a line of it.
fn chunk_at(snapshot: &Snapshot, typed: &str, here: Option<&Path>) -> Result<u32, EngineError> {
    let refused = |why: &str| EngineError::Thumb {
        typed: typed.to_owned(),
        why: why.to_owned(),
    };
    let place = Place::parse(snapshot, typed, here)
        .map_err(|error| {
            if let EngineError::Place { typed, why } = error {
                EngineError::Thumb { typed, why }
            } else {
                error
            }
        })?
        .ok_or_else(|| refused("it is not in a watched folder"))?;
    let document = snapshot
        .find(place.folder, &place.path)
        .ok_or_else(|| refused("it is not in the library"))?;
    let mut chunks = snapshot.places(document..document + 1);
    match place.line {
        Some(line) => chunks
            .find(|at| {
                let (_, chunk) = snapshot.chunk(*at);
                (chunk.start_line..=chunk.end_line).contains(&line)
            })
            .ok_or_else(|| refused("no chunk contains this line")),
        None if chunks.len() > 1 => Err(refused("it has several chunks; name one of its lines")),
        None => chunks.next().ok_or_else(|| refused("it has no chunks")),
    }
}

/// The name of a chunk's watched folder with the note's path in it.
fn path_of(snapshot: &Snapshot, place: u32) -> String {
    let (document, _) = snapshot.chunk(place);
    let folder = snapshot.folder(document.folder);
    let name = folder.map_or("", |folder| folder.name.as_str());
    format!("{name}/{}", document.path)
}

fn place_of(snapshot: &Snapshot, place: u32) -> FeedbackPlace {
    let (document, chunk) = snapshot.chunk(place);
    FeedbackPlace {
        folder: document.folder.0.to_string(),
        path: document.path.clone(),
        start_line: chunk.start_line,
        end_line: chunk.end_line,
    }
}

fn thumb(up: bool) -> Thumb {
    if up { Thumb::Up } else { Thumb::Down }
}

fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since.as_millis() as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW_MS: i64 = 1_800_000_000_000;

    /// Checks that a file of one line is refused with this reason.
    fn check_refused(line: &str, why: &str) {
        let (feedback, problems) = read_lines(line.as_bytes(), NOW_MS);
        assert_eq!(feedback, [], "{line}");
        assert_eq!(problems, [format!("line 1: {why}")], "{line}");
    }

    #[test]
    fn a_bad_line_is_refused_by_what_is_wrong() {
        let line = |thumb: &str| {
            format!(
                r#"{{"path":"n/a.md","text":"t","query":"q","thumb":{thumb},"at":"2026-01-31T12:00:00Z"}}"#
            )
        };
        for thumb in [
            "0", "2", "-2", "1.5", "1.0", "\"1\"", "null", "true", "1e300",
        ] {
            let shown: Value = serde_json::from_str(thumb).unwrap();
            check_refused(&line(thumb), &format!("thumb must be 1 or -1, not {shown}"));
        }
        let (long, beginning) = ("x".repeat(100_000), "x".repeat(79));
        check_refused(
            &line(&format!("\"{long}\"")),
            &format!("thumb must be 1 or -1, not \"{beginning}…"),
        );
        check_refused(
            &line("1").replace("2026-01-31T12:00:00Z", &long),
            &format!("at must be a time such as 2026-01-31T12:00:00Z, not \"x{beginning}…\""),
        );
        check_refused(&line("NaN"), "expected value");
        check_refused("7", "invalid type: integer `7`, expected struct Line");
        check_refused(
            &line("1").replace("\"path\"", "\"weight\":-3,\"path\""),
            "unknown field `weight`, expected one of `path`, `text`, `query`, `thumb`, `at`",
        );
        check_refused(
            &line("1").replace(r#""text":"t","#, ""),
            "missing field `text`",
        );
        check_refused(&line("1").replace(r#""t""#, r#"" ""#), "text is empty");
        check_refused(&line("1").replace(r#""q""#, r#""""#), "query is empty");
        check_refused(
            &line("1").replace("2026-01-31T12:00:00Z", "yesterday"),
            "at must be a time such as 2026-01-31T12:00:00Z, not \"yesterday\"",
        );
    }

    #[test]
    fn the_lines_around_a_bad_one_are_kept() {
        let good = r#"{"text":"t","query":" q ","thumb":-1,"at":"9999-01-01T00:00:00Z"}"#;
        let bytes = [
            b"\xef\xbb\xbf".as_slice(),
            good.as_bytes(),
            b"\r\n\n\xff\xfe\n{}\n",
            good.as_bytes(),
        ]
        .concat();
        let (feedback, problems) = read_lines(&bytes, NOW_MS);
        assert_eq!(feedback.len(), 2);
        let first = &feedback[0];
        assert_eq!(
            (first.query.as_str(), first.thumb, first.at_ms),
            ("q", Thumb::Down, NOW_MS)
        );
        assert_eq!(problems.len(), 2);
        assert!(problems[0].starts_with("line 3: "), "{problems:?}");
        assert_eq!(problems[1], "line 4: missing field `text`");
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let n_lines = bytes.split(|byte| *byte == b'\n').count();
            let (feedback, problems) = read_lines(&bytes, NOW_MS);
            prop_assert!(feedback.len() + problems.len() <= n_lines);
        }
    }
}
