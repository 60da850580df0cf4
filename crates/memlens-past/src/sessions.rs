//! Finds the session that the user names by its id or by the beginning of its id.

use std::path::Path;

use memlens_library::{EngineError, Library};

use super::member_of_log;

/// Number of sessions named in one sentence.
const NAMED: usize = 4;

/// A session of a log that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// Id of the agent.
    pub agent: String,
    /// Its id, as the log has it.
    pub id: String,
    /// The id of the agent among those of its program, if the log's path names it.
    pub member: Option<String>,
}

/// The session with an id, else the only one whose id begins so; of one agent, or of any. `None` if no log was read that could
/// hold it.
///
/// A log in a file of its own is known by its name even if nothing was searched in the session.
///
/// # Errors
/// [`EngineError::NoSession`] if no session, or several, may be meant; [`EngineError::Store`].
pub fn session_named(
    library: &Library,
    agent: Option<&str>,
    typed: &str,
) -> Result<Option<KnownSession>, EngineError> {
    let typed = typed.trim();
    let store = library.store();
    let is_wanted = |it: &str| agent.is_none_or(|agent| agent == it);
    let mut is_read = false;
    let mut known: Vec<KnownSession> = Vec::new();
    for (log, _) in store.read_logs()? {
        if log.cursor.is_none() || !is_wanted(&log.agent) {
            continue;
        }
        is_read = true;
        if let Some(id) = memlens_agents::session_of_file(&log.agent, Path::new(&log.path)) {
            let member = member_of_log(&log.agent, &log.path);
            known.push(KnownSession {
                agent: log.agent,
                id,
                member,
            });
        }
    }
    for it in store.past_sessions(agent, u32::MAX)? {
        is_read = true;
        let is_it = |known: &KnownSession| known.agent == it.agent && known.id == it.session;
        if !known.iter().any(is_it) {
            known.push(KnownSession {
                agent: it.agent,
                id: it.session,
                member: None,
            });
        }
    }
    if !is_read {
        return Ok(None);
    }
    let no_session = |why: String| {
        Err(EngineError::NoSession {
            typed: typed.to_owned(),
            why,
        })
    };
    let of = |is_it: &dyn Fn(&str) -> bool| -> Vec<KnownSession> {
        let mut found: Vec<KnownSession> = Vec::new();
        for one in known.iter().filter(|it| is_it(&it.id)) {
            let is_same = |it: &KnownSession| it.agent == one.agent && it.id == one.id;
            // A session may be in several files.
            if !found.iter().any(is_same) {
                found.push(one.clone());
            }
        }
        found
    };
    let mut found = of(&|id| id == typed);
    if found.is_empty() && !typed.is_empty() {
        found = of(&|id| id.starts_with(typed));
    }
    match found.as_slice() {
        [_] => Ok(found.pop()),
        [] => {
            no_session("no search that was read, and no log file, is of such a session".to_owned())
        }
        several => {
            let name = |it: &KnownSession| format!("{} of {}", it.id, it.agent);
            let mut names: Vec<String> = several.iter().take(NAMED).map(name).collect();
            if let Some(more) = several.len().checked_sub(NAMED).filter(|more| *more > 0) {
                names.push(format!("{more} more"));
            }
            no_session(format!("it may be any of {}", names.join(", ")))
        }
    }
}
