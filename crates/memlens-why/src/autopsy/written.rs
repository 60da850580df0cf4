//! Was the fact written, and before it was needed?
//!
//! The versions of the note that the library saw decide, then a save of the file before the moment, then the date of the line or
//! the day that its file is named after, then the git history of its folder.
//! A save after the moment decides nothing: the line may have been there before it. Neither does the front matter, whose date may
//! be that of a plan or of the last change, nor a file named after a week or month.

use std::path::Path;
use std::time::SystemTime;

use jiff::Span;
use jiff::civil::Date;
use memlens_document::{Text, quoted_note};
use memlens_history::{Limits, LineHistory, NoteHistory, Question, line_history};
use memlens_ingest::Kind;
use memlens_library::EngineError;
use memlens_params::Params;
use memlens_past::Places;
use memlens_rank::DateSource;
use memlens_wire::{AutopsyStep, StepOutcome, StepProof};
use memlens_written::best_passage;

use super::disk::gaps_said;
use super::fact::{Fact, Found, folder, is_changed};
use super::first_sight::FirstSight;
use super::words::{OWN_WORDS, day, moment, plain};
use super::{Case, step as proof};

/// Number of lines searched for the words of a fact in an older text.
const NEAR_LINES: u32 = 3;

/// The step for a fact that is written nowhere, with the closest line; text that was not read leaves that open.
pub(super) fn nowhere(case: &Case<'_>, fact: &Fact) -> StepProof {
    let near = match &fact.near {
        None => Text::from(" No line holds any of its words."),
        Some(near) => {
            let place = format!(" {}:{} comes nearest, without ", near.path, near.line);
            Text::from(place) + quoted_note(near.missing.iter().map(String::as_str)) + "."
        }
    };
    let gaps = gaps_said(case.library, &fact.gaps);
    let (outcome, no_file, unread) = match gaps {
        None if fact.near_miss().is_some() => (StepOutcome::Unknown, "No file", String::new()),
        None => (StepOutcome::Failed, "No file", String::new()),
        Some(gaps) => {
            let unread = format!(" Not read: {gaps}.");
            (StepOutcome::Unknown, "No file that was read", unread)
        }
    };
    let said = Text::from(format!("{no_file} holds all of its words: "))
        + quoted_note(fact.words.iter().map(|(_, typed)| typed.as_str()))
        + "."
        + near
        + unread;
    proof(AutopsyStep::Written, outcome, said)
}

/// The git history of the fact's note; `None` if no moment is asked about, or the note is in no watched folder.
pub(super) fn history(case: &Case<'_>, fact: &Fact, found: &Found) -> Option<NoteHistory> {
    let at_ms = case.at_ms?;
    let folder = folder(case.library, found.place.folder)?;
    let file = found.file.as_deref()?;
    if found.is_gone || found.text.trim().is_empty() {
        return None;
    }
    let terms: Vec<String> = fact.words.iter().map(|(term, _)| term.clone()).collect();
    let line = plain(&found.text);
    let question = Question {
        top: Path::new(&folder.path),
        file,
        holds: &|text| {
            let passage = || best_passage(text, &terms, 1, NEAR_LINES);
            plain(text).contains(&line)
                || (terms.len() >= OWN_WORDS
                    && passage().is_some_and(|it| it.n_words == terms.len()))
        },
        at_ms,
    };
    Some(line_history(
        &question,
        &Limits::default(),
        case.run.stop_flag(),
    ))
}

/// Says in which note and line it is written, and whether it existed at the time in question.
///
/// # Errors
/// As [`Library::search`](memlens_library::Library::search).
pub(super) fn step(
    case: &Case<'_>,
    found: &Found,
    sight: &FirstSight,
    history: Option<&NoteHistory>,
    places: &Places,
) -> Result<StepProof, EngineError> {
    let (outcome, said) = existence(case, found, sight, history, places)?;
    let said = Text::from(found.at()) + said;
    Ok(proof(AutopsyStep::Written, outcome, said))
}

/// What decides the step: its outcome, and what follows the place in its sentence.
type Decided = (StepOutcome, Text);

/// Whether the line existed at the time in question.
fn existence(
    case: &Case<'_>,
    found: &Found,
    sight: &FirstSight,
    history: Option<&NoteHistory>,
    places: &Places,
) -> Result<Decided, EngineError> {
    if found.is_gone {
        return Ok((
            StepOutcome::Unknown,
            " as of its indexing; the file no longer holds it, so whether the agent could read it is not known.".into(),
        ));
    }
    let Some(at_ms) = case.at_ms else {
        return Ok((StepOutcome::Passed, ".".into()));
    };
    let needed = moment(at_ms);
    if let Some(decided) = by_sight(sight, &needed) {
        return Ok(decided);
    }
    let Some(saved_ms) = saved_ms(case, found, places) else {
        return Ok((
            StepOutcome::Unknown,
            "; when it was written is not known, since the file is gone.".into(),
        ));
    };
    let saved = moment(saved_ms);
    if saved_ms <= at_ms {
        let said = format!(", unchanged since {saved}; it was needed on {needed}.");
        return Ok((StepOutcome::Passed, said.into()));
    }
    if let Some(dated) = dated(case, found)?
        && let Some(decided) = by_date(&dated, at_ms, saved_ms, &needed)
    {
        return Ok(decided);
    }
    Ok(by_git(history, &needed).unwrap_or_else(|open| {
        let said = format!(
            ". Not known whether this line was there on {needed}: the file was saved last on {saved}, and {open}."
        );
        (StepOutcome::Unknown, said.into())
    }))
}

/// What the versions of the note decide that the library saw; `None` if they decide nothing.
fn by_sight(sight: &FirstSight, needed: &str) -> Option<Decided> {
    match sight {
        FirstSight::Unknown => None,
        FirstSight::Before { seen_ms } => {
            let seen = moment(*seen_ms);
            let said = format!(", seen there by Memlens on {seen}; it was needed on {needed}.");
            Some((StepOutcome::Passed, said.into()))
        }
        FirstSight::After {
            lacking_ms,
            lacking,
        } => {
            let without = moment(*lacking_ms);
            let said = Text::from(", and Memlens saw the note without ")
                + quoted_note(lacking.iter().map(String::as_str))
                + format!(" as late as {without}. It was needed on {needed}.");
            Some((StepOutcome::Failed, said))
        }
    }
}

/// What the date of the line decides, or the day that its file is named after; `None` if it decides nothing.
fn by_date(dated: &Dated, at_ms: i64, saved_ms: i64, needed: &str) -> Option<Decided> {
    let (needed_day, saved_day) = (day(at_ms)?, day(saved_ms)?);
    let date = &dated.day;
    if dated.is_of_appended_line && *date < needed_day {
        let said = format!(", dated {date}, before it was needed on {needed}.");
        return Some((StepOutcome::Passed, said.into()));
    }
    // A day after the last save is that of a plan.
    let is_after = *date > needed_day && *date <= saved_day;
    is_after.then(|| {
        let said = format!(", dated {date}; it was needed on {needed}.");
        (StepOutcome::Failed, said.into())
    })
}

/// What the git history decides.
///
/// # Errors
/// Why it decides nothing, as a clause.
fn by_git(history: Option<&NoteHistory>, needed: &str) -> Result<Decided, String> {
    match history.map(|history| &history.line) {
        None | Some(LineHistory::None) => Err("nothing else dates the line".to_owned()),
        Some(LineHistory::Unknown(why)) => Err(format!("its git history does not say: {why}")),
        Some(LineHistory::Before { commit, path }) => {
            let held = path
                .as_ref()
                .map_or_else(String::new, |path| format!(" as {path}"));
            let (id, at) = (&commit.id, moment(commit.at_ms));
            let said = format!(", in git commit {id} of {at}{held}; it was needed on {needed}.");
            Ok((StepOutcome::Passed, said.into()))
        }
        Some(LineHistory::After {
            lacking,
            is_proven,
            first,
        }) => {
            let lacks = format!("{} of {}", lacking.id, moment(lacking.at_ms));
            // Before the first commit that holds it, it may have been there without a commit.
            let outcome = match is_proven {
                true => StepOutcome::Failed,
                false => StepOutcome::Unknown,
            };
            let said = match (first, is_proven) {
                (Some(first), is_proven) => {
                    let holds = format!("{} of {}", first.id, moment(first.at_ms));
                    let but = match is_proven {
                        true => "",
                        false => " Whether it was there before without a commit is not known.",
                    };
                    format!(
                        "; git commit {holds} is the first that holds it, and {lacks} does not. It was needed on {needed}.{but}"
                    )
                }
                (None, true) => format!(
                    "; git commit {lacks} saved the note without it. It was needed on {needed}."
                ),
                (None, false) => {
                    return Err(format!(
                        "git commit {lacks} does not hold it, and no later one saved the note"
                    ));
                }
            };
            Ok((outcome, said.into()))
        }
    }
}

/// A day before which a line was not written.
struct Dated {
    /// `YYYY-MM-DD`.
    day: String,
    /// Whether the line itself carries it, in a file to which lines are appended: it was written then.
    is_of_appended_line: bool,
}

/// The day that the line carries, in a JSON document or JSONL; otherwise the day that its file is named after.
///
/// # Errors
/// As [`Library::search`](memlens_library::Library::search).
fn dated(case: &Case<'_>, found: &Found) -> Result<Option<Dated>, EngineError> {
    if found.text.is_empty() || !found.is_watched() {
        return Ok(None);
    }
    let search = case
        .library
        .search_in(&found.text, &Params::default(), case.part())?;
    let mut rows = search.retrieved.rows.iter();
    let row = rows.find(|row| {
        row.note.folder == found.place.folder
            && row.note.path == found.place.path
            && (row.start_line..=row.end_line).contains(&found.line)
    });
    let Some(said) = row.and_then(|row| row.said) else {
        return Ok(None);
    };
    let first = Date::constant(1970, 1, 1);
    let after = Span::new().try_days(said.day as i64).ok();
    let Some(date) = after.and_then(|days| first.checked_add(days).ok()) else {
        return Ok(None);
    };
    let day = date.to_string();
    let kind = Kind::of(Path::new(&found.place.path));
    let name = found.place.path.rsplit('/').next().unwrap_or_default();
    let is_dated = match said.from {
        DateSource::Written => matches!(kind, Some(Kind::Json | Kind::Jsonl)),
        DateSource::FileName => name.starts_with(&day),
        DateSource::Modified => false,
    };
    Ok(is_dated.then_some(Dated {
        day,
        is_of_appended_line: said.from == DateSource::Written && kind == Some(Kind::Jsonl),
    }))
}

/// When the file was last saved, milliseconds since 1970; a new mtime on unchanged bytes does not count.
pub(super) fn saved_ms(case: &Case<'_>, found: &Found, places: &Places) -> Option<i64> {
    if found.is_watched() && !is_changed(case.library, &found.place) {
        return places.saved_ms(found.place.folder, &found.place.path);
    }
    let metadata = found.file.as_ref()?.symlink_metadata().ok()?;
    let ms = |at: SystemTime| Some(jiff::Timestamp::try_from(at).ok()?.as_millisecond());
    metadata.modified().ok().and_then(ms)
}
