//! Past questions for the window: a page of the list, and suggestions made from them elsewhere.

use std::ops::Range;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use memlens_agents::{PastKind, Used};
use memlens_library::notes::note_names::agent_name;
use memlens_library::{EngineError, Library};
use memlens_store::{PastKey, PastWanted, Store};
use memlens_wire::{
    AskingSession, AutopsyChoices, PastAgent, PastDay, PastLately, PastPlace, PastQuestions,
    PastRow,
};

use super::replay::Replayed;
use super::{Past, PastFilter, past};
use crate::served;
use crate::worked_out::worked_out;

/// Number of rows of a page.
const PAGE: usize = 500;
/// Maximum number of sessions offered in a menu.
const SESSIONS_OFFERED: u32 = 100;
/// Number of past questions suggested while typing.
const WORDINGS_OFFERED: usize = 6;

/// Number of days that count as recent.
const LATELY_DAYS: u32 = 30;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Every search.
const SEARCHES: PastWanted<'static> = PastWanted {
    is_opening: Some(false),
    text: "",
    agent: None,
    session: None,
    since_ms: None,
    found_nothing: false,
    among: None,
};
/// Every search that was answered with nothing.
const NOTHING: PastWanted<'static> = PastWanted {
    found_nothing: true,
    ..SEARCHES
};

/// Which past questions are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum PastOnly {
    /// Searches and openings of notes.
    #[default]
    All,
    /// Searches, without openings of notes.
    Searches,
    /// Openings of notes, without searches.
    Openings,
    /// Questions with a different answer now, by the last replay.
    Changed,
    /// Questions that found nothing then.
    FoundNothing,
}

/// Which page of the list is requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastPage {
    /// 0-based index of a row on the page; `None` for the page of `open`, or else the first page.
    pub at: Option<u32>,
    /// Id of the past question whose index is returned.
    pub open: Option<String>,
}

/// A page of the past questions, the newest first, with what is true of all of them.
///
/// # Errors
/// [`EngineError::Store`].
pub fn page(
    library: &Library,
    filter: &PastFilter,
    only: PastOnly,
    page: &PastPage,
) -> Result<PastQuestions, EngineError> {
    let (replay, lost) = (worked_out(library).replayed(), worked_out(library).lost());
    let store = library.store();
    let changed = replay.as_deref().map(changed);
    let wanted = PastWanted {
        is_opening: match only {
            PastOnly::All => None,
            PastOnly::Openings => Some(true),
            PastOnly::Searches | PastOnly::Changed | PastOnly::FoundNothing => Some(false),
        },
        found_nothing: only == PastOnly::FoundNothing,
        among: match only {
            PastOnly::Changed => Some(changed.as_deref().unwrap_or_default()),
            PastOnly::All | PastOnly::Searches | PastOnly::Openings | PastOnly::FoundNothing => {
                None
            }
        },
        ..filter.wanted()
    };
    let keys = store.past_keys(&wanted)?;
    let open: Option<i64> = page.open.as_deref().and_then(|id| id.parse().ok());
    let open_at = open.and_then(|id| keys.iter().position(|key| key.id == id));
    let at = page.at.map(|at| at as usize).or(open_at).unwrap_or(0);
    // A position beyond the end, because questions were forgotten, gives the last page.
    let first = at.min(keys.len().saturating_sub(1)) / PAGE * PAGE;
    let ids: Vec<i64> = keys
        .iter()
        .skip(first)
        .take(PAGE)
        .map(|key| key.id)
        .collect();
    let of_page = PastWanted {
        among: Some(&ids),
        ..PastWanted::default()
    };
    let rows = store.past_wanted(&of_page)?.into_iter().map(|stored| {
        let past = past(stored);
        let of_replay = replay.as_ref().and_then(|it| it.questions.get(&past.id));
        PastRow {
            fates: of_replay.and_then(|it| it.fates.clone()),
            ..row(&past)
        }
    });
    let n_found_nothing = store.n_past_wanted(&NOTHING)?;
    let is_compared = replay.as_ref().is_some_and(|it| it.summary.n_compared > 0);
    let n_changed = changed.as_deref().filter(|_| is_compared).map(|changed| {
        store.n_past_wanted(&PastWanted {
            among: Some(changed),
            ..PastWanted::default()
        })
    });
    let agents = agents(&store)?;
    Ok(PastQuestions {
        first: first as u32,
        rows: rows.collect(),
        n_shown: keys.len() as u32,
        open_at: open_at.map(|at| at as u32),
        days: days(&keys, replay.as_deref()),
        n_all: agents.iter().map(|it| it.n_questions + it.n_openings).sum(),
        n_openings: agents.iter().map(|it| it.n_openings).sum(),
        n_found_nothing,
        lately: lately(&store, n_found_nothing)?,
        n_changed: n_changed.transpose()?,
        agents,
        replay: replay.as_ref().map(|it| it.summary.clone()),
        lost,
    })
}

/// Searches of the last [`LATELY_DAYS`], of which `n_found_nothing` of the whole list found nothing. A date after now counts
/// as recent for a day, because clocks differ.
fn lately(store: &Store, n_found_nothing: u32) -> Result<PastLately, EngineError> {
    let now = memlens_library::clock::now().as_millisecond();
    let (from, to) = (now - i64::from(LATELY_DAYS) * DAY_MS, now + DAY_MS);
    let n_between = |wanted: PastWanted<'static>| -> Result<u32, EngineError> {
        let n_since = |since_ms| {
            store.n_past_wanted(&PastWanted {
                since_ms: Some(since_ms),
                ..wanted
            })
        };
        Ok(n_since(from)? - n_since(to)?)
    };
    let n_dated = store.n_past_wanted(&PastWanted {
        since_ms: Some(i64::MIN),
        ..NOTHING
    })?;
    Ok(PastLately {
        n_days: LATELY_DAYS,
        n_questions: n_between(SEARCHES)?,
        n_found_nothing: n_between(NOTHING)?,
        n_undated_nothing: n_found_nothing - n_dated,
    })
}

/// Past questions that hold what is typed, each wording once, the newest first.
///
/// # Errors
/// [`EngineError::Store`].
pub fn complete(library: &Library, text: &str) -> Result<Vec<String>, EngineError> {
    Ok(library.store().past_wordings(text, WORDINGS_OFFERED)?)
}

/// Whose memory and which of an agent's sessions an autopsy can be asked about.
///
/// # Errors
/// [`EngineError::Store`].
pub fn autopsy_choices(
    library: &Library,
    agent: Option<&str>,
) -> Result<AutopsyChoices, EngineError> {
    let store = library.store();
    let sessions = store.past_sessions(agent, SESSIONS_OFFERED)?;
    Ok(AutopsyChoices {
        agents: agents(&store)?,
        sessions: sessions
            .into_iter()
            .map(|it| AskingSession {
                agent_name: agent_name(&it.agent).name,
                session: it.session,
                at_ms: it.at_ms.map(|at| at as f64),
            })
            .collect(),
    })
}

/// The agents that searched or opened something, with their names.
fn agents(store: &Store) -> Result<Vec<PastAgent>, EngineError> {
    let agents = store.past_agents()?;
    let named = agents.into_iter().map(|counts| PastAgent {
        name: agent_name(&counts.agent).name,
        id: counts.agent,
        n_questions: counts.n_questions,
        n_openings: counts.n_openings,
    });
    Ok(named.collect())
}

/// Questions with a different answer now.
fn changed(replay: &Replayed) -> Vec<i64> {
    let questions = replay.questions.iter();
    questions
        .filter(|(_, it)| it.is_changed())
        .map(|(id, _)| *id)
        .collect()
}

/// Days of the questions in their order, each with its counts, in the machine's time zone.
fn days(keys: &[PastKey], replay: Option<&Replayed>) -> Vec<PastDay> {
    let mut days: Vec<PastDay> = Vec::new();
    // Time range of the current day in milliseconds.
    let mut bounds: Option<Range<i64>> = None;
    for key in keys {
        let is_same = match (key.at_ms, &bounds) {
            (Some(at_ms), Some(bounds)) => bounds.contains(&at_ms),
            (None, None) => !days.is_empty(),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !is_same {
            bounds = key.at_ms.and_then(day_of);
            days.push(PastDay {
                at_ms: key.at_ms.map(|at| at as f64),
                n_questions: 0,
                n_openings: 0,
                n_compared: 0,
                n_changed: None,
            });
        }
        let Some(day) = days.last_mut() else { continue };
        if key.is_opening {
            day.n_openings += 1;
        } else {
            day.n_questions += 1;
        }
        let of_replay = replay.and_then(|it| it.questions.get(&key.id));
        if let Some(replayed) = of_replay.filter(|it| it.fates.is_some()) {
            day.n_compared += 1;
            *day.n_changed.get_or_insert(0) += u32::from(replayed.is_changed());
        }
    }
    days
}

/// Time range of the day that contains a moment, in milliseconds; `None` outside the range of the calendar.
fn day_of(at_ms: i64) -> Option<Range<i64>> {
    let here = Timestamp::from_millisecond(at_ms)
        .ok()?
        .to_zoned(TimeZone::system());
    let start = here.start_of_day().ok()?;
    let end = start.checked_add(1.day()).ok()?;
    Some(start.timestamp().as_millisecond()..end.timestamp().as_millisecond())
}

/// A past question without its results of a replay.
pub(super) fn row(past: &Past) -> PastRow {
    let asked = &past.asked;
    let place = |used: &Used| PastPlace {
        path: used.path.clone(),
        start_line: used.lines.map(|lines| lines.0),
        end_line: used.lines.map(|lines| lines.1),
        is_part: used.is_part,
        after_ms: used
            .at_ms
            .zip(asked.at_ms)
            .map(|(used, asked)| (used - asked).max(0) as f64),
    };
    PastRow {
        id: past.id.to_string(),
        agent: asked.agent.clone(),
        agent_name: agent_name(&asked.agent).name,
        session: asked.session.clone(),
        at_ms: asked.at_ms.map(|at| at as f64),
        is_opening: asked.kind == PastKind::Opening,
        has_failed: asked.has_failed,
        question: asked.question.clone(),
        n_returned: asked.returned.as_ref().map(|it| it.len() as u32),
        opened: asked.opened.iter().map(place).collect(),
        cited: asked.cited.iter().map(place).collect(),
        fates: None,
        served: asked.served.as_ref().map(served::view),
    }
}
