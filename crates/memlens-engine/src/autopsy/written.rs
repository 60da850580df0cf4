//! Was the fact written, and before it was needed?
//!
//! A date that the line or its note carries tells, then the file's times. A file that stood before the moment and was changed
//! since does not tell when this line came; nor do files that were all copied here since.

use std::path::Path;
use std::time::SystemTime;

use jiff::Span;
use jiff::civil::Date;
use memlens_params::Params;
use memlens_rank::DateSource;

use super::fact::{Fact, Found, folder, words_told};
use super::given::Given;
use super::words::{day, moment, quoted};
use super::{Case, step as proof};
use crate::EngineError;
use crate::view::{AutopsyStep, StepOutcome, StepProof};

/// Says that it stands nowhere, and what comes nearest.
pub(super) fn nowhere(case: &Case<'_>, fact: &Fact) -> StepProof {
    let whose = match &case.agent {
        Some((_, name)) => format!("No note of {name}"),
        None => "No note".to_owned(),
    };
    let near = match &fact.near {
        None => " None of its words stands in any line.".to_owned(),
        Some(near) => format!(
            " {}:{} comes nearest, without {}.",
            near.path,
            near.line,
            quoted(near.missing.iter().map(String::as_str))
        ),
    };
    let said = format!(
        "{whose} holds all of its words: {}.{near}",
        words_told(fact)
    );
    proof(AutopsyStep::Written, StepOutcome::Failed, said)
}

/// Says where it stands, and whether it stood there at the moment.
///
/// # Errors
/// As [`Library::search`](crate::Library::search).
pub(super) fn step(
    case: &Case<'_>,
    found: &Found,
    given: &Given<'_>,
) -> Result<StepProof, EngineError> {
    let place = format!("{}:{}", found.place.path, found.line);
    let say = |outcome, when: String| {
        let said = format!("{place}{when}");
        Ok(proof(AutopsyStep::Written, outcome, said))
    };
    let Some(at_ms) = case.at_ms else {
        return say(StepOutcome::Passed, ".".to_owned());
    };
    let needed = moment(at_ms);
    if let (Some(dated), Some(needed_day)) = (dated(case, found)?, day(at_ms)) {
        if dated < needed_day {
            return say(
                StepOutcome::Passed,
                format!(", dated {dated}, before it was needed on {needed}."),
            );
        }
        if dated > needed_day {
            return say(
                StepOutcome::Failed,
                format!(", dated {dated}; it was needed on {needed}."),
            );
        }
    }
    let Some(times) = times(case, found) else {
        return say(
            StepOutcome::Unknown,
            "; when it was written cannot be known, since the file is gone.".to_owned(),
        );
    };
    let changed = moment(times.modified_ms);
    if times.modified_ms <= at_ms {
        return say(
            StepOutcome::Passed,
            format!(", unchanged since {changed}; it was needed on {needed}."),
        );
    }
    let stood = times.created_ms.is_some_and(|created| created <= at_ms);
    if stood || given.is_note_known {
        return say(
            StepOutcome::Unknown,
            format!(
                ". Whether this line stood there on {needed} cannot be known: the note did, and was changed since, last on {changed}."
            ),
        );
    }
    if is_copied(case, at_ms) {
        return say(
            StepOutcome::Unknown,
            format!(
                ". When it was written cannot be known: every note's file is younger than {needed}, when memory was searched, so they were copied here since."
            ),
        );
    }
    say(
        StepOutcome::Failed,
        format!(
            ", written by {changed}. It was needed on {needed}, and nothing shows the note before that."
        ),
    )
}

/// Whether no file is as old as a moment at which the agent searched its memory: then the files' times tell nothing of their lines.
fn is_copied(case: &Case<'_>, at_ms: i64) -> bool {
    let lists = case.library.lists();
    let mut documents = lists.snapshot.documents.iter();
    !case.asked.questions.is_empty() && documents.all(|it| it.modified_ms > at_ms)
}

/// The day that the line, its note or the note's name carries, `YYYY-MM-DD`.
///
/// # Errors
/// As [`Library::search`](crate::Library::search).
fn dated(case: &Case<'_>, found: &Found) -> Result<Option<String>, EngineError> {
    if found.text.is_empty() {
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
    let said = row.and_then(|row| row.said);
    Ok(said
        .filter(|said| said.from != DateSource::Modified)
        .and_then(|said| {
            let first = Date::constant(1970, 1, 1);
            let day = first.checked_add(Span::new().try_days(said.day as i64).ok()?);
            Some(day.ok()?.to_string())
        }))
}

/// When a file was made and last changed.
struct Times {
    created_ms: Option<i64>,
    modified_ms: i64,
}

fn times(case: &Case<'_>, found: &Found) -> Option<Times> {
    let folder = folder(case.library, found.place.folder)?;
    let file = Path::new(&folder.path).join(&found.place.path);
    let metadata = file.symlink_metadata().ok()?;
    let ms = |at: SystemTime| Some(jiff::Timestamp::try_from(at).ok()?.as_millisecond());
    Some(Times {
        // Some systems keep no such time.
        created_ms: metadata.created().ok().and_then(ms),
        modified_ms: metadata.modified().ok().and_then(ms)?,
    })
}

/// Whether a note changed since it was indexed, or is gone.
pub(super) fn is_changed(case: &Case<'_>, found: &Found) -> bool {
    let lists = case.library.lists();
    let at = lists.snapshot.find(found.place.folder, &found.place.path);
    let indexed_ms = at.map(|at| lists.snapshot.documents[at].modified_ms);
    times(case, found).map(|times| times.modified_ms) != indexed_ms
}
