//! When a fact came into its note, by the versions of the note that the library saw.
//!
//! A note contained a line at a time if the versions seen around that time contain it. It did not contain a fact if the
//! version of the time lacks one of its words, every older version lacks one too, and no other note may have contained
//! it. The version of the time is known if the note was confirmed at that time or later; otherwise the note must have
//! been seen without a word shortly before and shortly after. Everything else is unknown: a line that was moved, cut
//! into other chunks or worded differently was not newly written, and nothing is claimed about a period without
//! observations.

use std::collections::BTreeSet;
use std::path::Path;

use memlens_ingest::Kind;
use memlens_library::EngineError;
use memlens_store::Version;

use super::Case;
use super::fact::{Fact, Found, is_changed, is_in_another_note};
use super::words::{OWN_WORDS, content_words};

/// Maximum distance of two sightings of a note that prove its contents between them, in milliseconds.
const BETWEEN_MS: i64 = 5 * 60 * 1000;

/// What the versions of a note say about a fact at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FirstSight {
    Unknown,
    /// The note contained the line.
    Before {
        /// When the line was seen last up to the moment, milliseconds since 1970.
        seen_ms: i64,
    },
    /// The note did not contain the fact.
    After {
        /// When the note was seen without it, at the moment or later; milliseconds since 1970.
        lacking_ms: i64,
        /// The words that it lacked then, as they are written.
        lacking: Vec<String>,
    },
}

/// What the library saw of the fact's note around the time in question.
///
/// # Errors
/// [`EngineError::Store`]; as [`Library::search`](memlens_library::Library::search).
pub(super) fn first_sight(
    case: &Case<'_>,
    fact: &Fact,
    found: &Found,
) -> Result<FirstSight, EngineError> {
    let Some(at_ms) = case.at_ms else {
        return Ok(FirstSight::Unknown);
    };
    let is_lines = matches!(
        Kind::of(Path::new(&found.place.path)),
        Some(Kind::Markdown | Kind::Plain)
    );
    let is_as_held = found.is_watched()
        && !found.is_gone
        && !found.text.trim().is_empty()
        && !is_changed(case.library, &found.place);
    if !is_lines || !is_as_held {
        return Ok(FirstSight::Unknown);
    }
    let (folder, path) = (found.place.folder, found.place.path.as_str());
    let versions = case.library.store().versions(folder, path)?;
    let of_line = content_words(&found.text);
    if of_line.len() >= OWN_WORDS
        && let Some(seen_ms) = held(&versions, &found.text, at_ms)
    {
        return Ok(FirstSight::Before { seen_ms });
    }
    // Words common to the fact and its line: the line may contain more, and the fact may be spread over several lines.
    let of_line: BTreeSet<&str> = of_line.iter().map(|(term, _)| term.as_str()).collect();
    let words: Vec<&(String, String)> = fact
        .words
        .iter()
        .filter(|(term, _)| of_line.contains(term.as_str()))
        .collect();
    let Some((lacking_ms, lacking)) = lacked(&versions, &words, at_ms) else {
        return Ok(FirstSight::Unknown);
    };
    let terms = words.iter().map(|(term, _)| term.as_str());
    if case
        .library
        .store()
        .may_have_held(at_ms, terms, (folder, path))?
        || is_in_another_note(case, fact, &found.place)?
    {
        return Ok(FirstSight::Unknown);
    }
    Ok(FirstSight::After {
        lacking_ms,
        lacking,
    })
}

/// When a line was seen last up to a moment, if the note held it then. The version of now, which is last, is known to hold it.
fn held(versions: &[Version], line: &str, at_ms: i64) -> Option<i64> {
    let at = versions
        .iter()
        .rposition(|version| version.first_ms <= at_ms)?;
    let (version, later) = (&versions[at], versions.get(at + 1));
    let holds = |at: usize| at + 1 == versions.len() || versions[at].holds_line(line);
    let is_held = holds(at) && (at_ms <= version.last_ms || later.is_none() || holds(at + 1));
    is_held.then(|| version.last_ms.min(at_ms))
}

/// When a note was seen without some words at a moment or later, and the words that it lacked; `None` if it may have held them all at
/// the moment.
fn lacked(
    versions: &[Version],
    words: &[&(String, String)],
    at_ms: i64,
) -> Option<(i64, Vec<String>)> {
    let lacking = |version: &Version| -> Vec<String> {
        let lacking = words.iter().filter(|(term, _)| version.lacks(term));
        lacking.map(|(_, typed)| typed.clone()).collect()
    };
    let first = versions
        .iter()
        .position(|version| lacking(version).is_empty())?;
    let at = versions[..first]
        .iter()
        .rposition(|version| version.first_ms <= at_ms)?;
    let (version, later) = (&versions[at], versions[..first].get(at + 1));
    let (lacking_ms, version) = match later {
        _ if at_ms <= version.last_ms => (version.last_ms, version),
        Some(later) if later.first_ms - version.last_ms <= BETWEEN_MS => (later.first_ms, later),
        Some(_) | None => return None,
    };
    Some((lacking_ms, lacking(version)))
}
