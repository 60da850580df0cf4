//! Past questions of agents, as the library stores them.

pub mod check;
mod comparable;
mod judged;
mod listed;
mod markdown;
mod matching;
mod of_note;
pub mod own;
pub mod places;
mod queries;
mod replay;
mod served;
mod sessions;
mod suggested;
mod then_now;
pub mod vectors;
mod worked_out;

use std::path::{Path, PathBuf};

use memlens_agents::{PastKind, PastQuestion};
use memlens_store::{NewPast, PastWanted, Store, StoredPast};
use serde::Serialize;
use serde::de::DeserializeOwned;

use memlens_library::emulation::searched::Asker;
use memlens_library::{EngineError, Library};

pub use check::{Checked, Lost};
pub use judged::{Judged, LeftOut};
pub use listed::{PastOnly, PastPage, autopsy_choices, complete, page};
pub use markdown::markdown;
pub use of_note::questions_of;
pub use own::OwnPipelines;
pub use places::Places;
pub use queries::{is_past_id, past_set_of};
pub use queries::{queries_text, write_queries};
pub use replay::replay;
pub(crate) use replay::{Replayed, search_past};
pub use sessions::{KnownSession, session_named};
pub use suggested::suggested;
pub use then_now::then_now;
pub use worked_out::{Era, WorkedOut, forget_worked_out, worked_out};

/// A search or an opening of notes that is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// Id of the question in the library; never reused.
    pub id: i64,
    /// The question as the agent's log contains it.
    pub asked: PastQuestion,
    /// The id of the agent among those of its program that asked it, if its log names it.
    pub member: Option<String>,
    /// The log that it was read from, absolute.
    pub log: PathBuf,
}

impl Past {
    /// The agent on whose behalf it is asked again.
    pub fn asker(&self) -> Asker<'_> {
        Asker {
            member: self.member.as_deref(),
        }
    }
}

/// Which entries of the logs are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PastKinds {
    /// Searches: what can be asked again, judged and exported.
    #[default]
    Searches,
    /// Openings of notes, without searches.
    Openings,
    /// Searches and openings of notes.
    All,
}

/// Which past questions are wanted; by default all searches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastFilter {
    /// Whether searches, openings or both.
    pub kinds: PastKinds,
    /// Words that are all in the question, or in the paths of what was opened, whatever their case; empty for any.
    pub text: String,
    /// Id of the agent; `None` for any.
    pub agent: Option<String>,
    /// Session id; `None` for any session.
    pub session: Option<String>,
    /// Only questions at or after this time, milliseconds since 1970; `None` for any, including those without a time.
    pub since_ms: Option<i64>,
}

impl PastFilter {
    /// The part of the filter that the store applies.
    fn wanted(&self) -> PastWanted<'_> {
        PastWanted {
            is_opening: match self.kinds {
                PastKinds::Searches => Some(false),
                PastKinds::Openings => Some(true),
                PastKinds::All => None,
            },
            text: &self.text,
            agent: self.agent.as_deref(),
            session: self.session.as_deref(),
            since_ms: self.since_ms,
            ..PastWanted::default()
        }
    }
}

/// The past questions of a filter, the newest first; those without a time come last.
///
/// # Errors
/// [`EngineError::Store`].
pub fn list(library: &Library, filter: &PastFilter) -> Result<Vec<Past>, EngineError> {
    let stored = library.store().past_wanted(&filter.wanted())?;
    Ok(stored.into_iter().map(past).collect())
}

/// The newest searches, at most so many, each once per asker.
///
/// # Errors
/// [`EngineError::Store`].
pub(crate) fn newest(library: &Library, n_most: u32) -> Result<Vec<Past>, EngineError> {
    let stored = library.store().newest_past(n_most, member_of_log)?;
    Ok(stored.into_iter().map(past).collect())
}

/// The past question of an id.
///
/// # Errors
/// [`EngineError::NoPast`] if there is none, [`EngineError::Store`].
pub fn find(library: &Library, id: &str) -> Result<Past, EngineError> {
    let number = id.parse().ok();
    let stored = match number {
        Some(number) => library.store().past_question(number)?,
        None => None,
    };
    let none = || EngineError::NoPast { id: id.to_owned() };
    stored.map(past).ok_or_else(none)
}

/// The newest questions of a session, the newest last.
pub fn of_session(
    store: &Store,
    agent: &str,
    session: &str,
    n_most: u32,
) -> Result<Vec<PastQuestion>, EngineError> {
    let stored = store.past_of_session(agent, session, n_most)?;
    Ok(stored.into_iter().map(|it| past(it).asked).collect())
}

/// A question in its stored form.
pub fn stored(asked: &PastQuestion) -> NewPast {
    NewPast {
        agent: asked.agent.clone(),
        session: asked.session.clone(),
        call: asked.call.clone(),
        at_ms: asked.at_ms,
        is_opening: asked.kind == PastKind::Opening,
        has_failed: asked.has_failed,
        question: asked.question.clone(),
        is_pattern: asked.is_pattern,
        settings: json(&asked.settings),
        returned: asked.returned.as_ref().map(json),
        opened: json(&asked.opened),
        cited: json(&asked.cited),
        served: asked.served.as_ref().map(json),
    }
}

fn past(stored: StoredPast) -> Past {
    let NewPast {
        agent,
        session,
        call,
        at_ms,
        is_opening,
        has_failed,
        question,
        is_pattern,
        settings,
        returned,
        opened,
        cited,
        served,
    } = stored.past;
    Past {
        id: stored.id,
        member: member_of_log(&agent, &stored.log),
        log: PathBuf::from(&stored.log),
        asked: PastQuestion {
            kind: if is_opening {
                PastKind::Opening
            } else {
                PastKind::Search
            },
            has_failed,
            agent,
            session,
            call,
            at_ms,
            question,
            is_pattern,
            settings: read(&settings),
            returned: returned.as_deref().map(read),
            opened: read(&opened),
            cited: read(&cited),
            // One of a newer version counts as answered by another program.
            served: served.and_then(|served| serde_json::from_str(&served).ok()),
        },
    }
}

/// The id of the agent among those of its program that wrote a log; `None` if the log's path does not name it.
pub fn member_of_log(agent: &str, log: &str) -> Option<String> {
    (agent == "openclaw")
        .then(|| memlens_agents::openclaw_member(Path::new(log)))
        .flatten()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can always be written as JSON")
}

/// A value written by a newer Memlens in another form counts as empty.
fn read<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}
