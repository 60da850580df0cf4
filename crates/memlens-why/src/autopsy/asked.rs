//! Did the agent ask, and in words that can find the fact?

use std::collections::BTreeSet;

use memlens_document::{Text, quoted_note};
use memlens_library::notes::note_names::agent_name;
use memlens_library::{EngineError, Library};
use memlens_past as past;
use memlens_past::{Past, PastFilter, PastKinds};
use memlens_wire::{AskedThen, AutopsyStep, StepOutcome, StepProof};

use super::about::About;
use super::ranked::Ranked;
use super::words::{listed, moment, quoted, times};
use super::{Case, asked_then, step as proof};

/// How long before the time in question a question may have been about it.
const BEFORE_MS: i64 = 24 * 60 * 60 * 1000;
/// Maximum number of questions listed.
const N_QUESTIONS_SHOWN: usize = 20;
/// Number of patterns named in one sentence.
const PATTERNS_NAMED: usize = 3;

/// Questions asked around the time of the fact.
pub(super) struct Asked {
    /// The questions, the newest first.
    pub questions: Vec<Past>,
    /// The calls that opened notes, the newest first.
    pub openings: Vec<Past>,
    /// Whether a log was read that would contain them.
    pub is_logged: bool,
    /// Whether what was read of the logs covers that time, so that a question of it would be known.
    pub is_time_read: bool,
    /// Names of other agents whose logs were read.
    pub others: Vec<String>,
    /// Description of their time: "in this session".
    pub when: String,
}

/// Which questions are wanted.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub agent: Option<String>,
    /// The id of the agent among those of its program; questions of no known one are wanted too.
    pub member: Option<String>,
    pub session: Option<String>,
    /// Whether a log with the session was read.
    pub is_session_read: bool,
    /// The moment in question, milliseconds since 1970.
    pub at_ms: Option<i64>,
}

impl Wanted {
    fn is_wanted(&self, agent: &str, member: Option<&str>) -> bool {
        let is_of_agent = self.agent.as_deref().is_none_or(|it| it == agent);
        is_of_agent && (self.member.is_none() || self.member.as_deref() == member)
    }
}

impl Asked {
    /// The questions of a session, else those of the hours before a moment, else all.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn of(library: &Library, wanted: &Wanted) -> Result<Asked, EngineError> {
        let at_ms = wanted.at_ms;
        let since_ms = match (&wanted.session, at_ms) {
            (None, Some(at_ms)) => Some(at_ms.saturating_sub(BEFORE_MS)),
            (Some(_), _) | (None, None) => None,
        };
        let of_kind = |kinds| {
            let mut past = past::list(
                library,
                &PastFilter {
                    kinds,
                    agent: wanted.agent.clone(),
                    session: wanted.session.clone(),
                    since_ms,
                    ..PastFilter::default()
                },
            )?;
            past.retain(|past| {
                let is_in_time =
                    at_ms.is_none_or(|at_ms| past.asked.at_ms.is_none_or(|asked| asked <= at_ms));
                let members = wanted.member.as_ref().zip(past.member.as_ref());
                is_in_time && members.is_none_or(|(wanted, asked)| wanted == asked)
            });
            Ok::<_, EngineError>(past)
        };
        let questions = of_kind(PastKinds::Searches)?;
        let openings = of_kind(PastKinds::Openings)?;
        let mut is_read = false;
        let mut others = BTreeSet::new();
        for (log, _) in library.store().read_logs()? {
            if log.cursor.is_none() {
                continue;
            }
            let member = past::member_of_log(&log.agent, &log.path);
            if wanted.is_wanted(&log.agent, member.as_deref()) {
                is_read = true;
            } else if wanted.agent.as_ref() != Some(&log.agent) {
                others.insert(agent_name(&log.agent).name);
            }
        }
        if wanted.session.is_some() {
            is_read = wanted.is_session_read;
        }
        Ok(Asked {
            is_time_read: match since_ms.zip(at_ms) {
                None => true,
                Some(_) if !questions.is_empty() || !openings.is_empty() => true,
                Some(time) => is_time_read(library, wanted, time)?,
            },
            is_logged: is_read || !questions.is_empty() || !openings.is_empty(),
            others: others.into_iter().collect(),
            questions,
            openings,
            when: match (&wanted.session, at_ms) {
                (Some(_), _) => "in this session".to_owned(),
                (None, Some(at_ms)) => format!("in the day before {}", moment(at_ms)),
                (None, None) => "in all that is logged".to_owned(),
            },
        })
    }

    /// The agent that asked; `None` if several did, or none.
    pub fn agent(&self) -> Option<String> {
        let mut agents: Vec<&str> = self
            .questions
            .iter()
            .chain(&self.openings)
            .map(|it| it.asked.agent.as_str())
            .collect();
        agents.sort_unstable();
        agents.dedup();
        match agents.as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        }
    }

    /// The one agent of a program that asked; `None` if several did, or if that is not known.
    pub fn member(&self) -> Option<String> {
        let mut all = self.questions.iter().chain(&self.openings);
        let first = all.next()?.member.as_ref()?;
        all.all(|it| it.member.as_ref() == Some(first))
            .then(|| first.clone())
    }

    /// Time of a session's last question; `None` without a session.
    pub fn last_ms(&self, wanted: &Wanted) -> Option<i64> {
        wanted.session.as_ref()?;
        let all = self.questions.iter().chain(&self.openings);
        all.filter_map(|it| it.asked.at_ms).max()
    }
}

/// Whether logs of the agent hold calls before and after a time, from and to in milliseconds since 1970. A log that was deleted, or
/// is not read yet, leaves one side empty.
///
/// # Errors
/// [`EngineError::Store`].
fn is_time_read(
    library: &Library,
    wanted: &Wanted,
    (from_ms, to_ms): (i64, i64),
) -> Result<bool, EngineError> {
    let (mut is_before, mut is_after) = (false, false);
    for kinds in [PastKinds::Searches, PastKinds::Openings] {
        let filter = PastFilter {
            kinds,
            agent: wanted.agent.clone(),
            ..PastFilter::default()
        };
        for past in past::list(library, &filter)? {
            let members = wanted.member.as_ref().zip(past.member.as_ref());
            if members.is_some_and(|(wanted, asked)| wanted != asked) {
                continue;
            }
            is_before |= past.asked.at_ms.is_some_and(|at_ms| at_ms < from_ms);
            is_after |= past.asked.at_ms.is_some_and(|at_ms| at_ms > to_ms);
        }
    }
    Ok(is_before && is_after)
}

/// The step; `ranked` is the result of each question about the fact.
pub(super) fn step(case: &Case<'_>, about: &[About], ranked: Option<&Ranked>) -> StepProof {
    let asked = &case.asked;
    let (who, when) = (case.who(), &asked.when);
    let say = |outcome, said: String| proof(AutopsyStep::Asked, outcome, said);
    if !asked.is_logged {
        let only = match asked.others.as_slice() {
            [] => String::new(),
            others => format!(", only logs of {}", listed(others)),
        };
        return say(
            StepOutcome::Unknown,
            format!(
                "What {who} asked is not known: none of its logs is read{only}. Import past questions first."
            ),
        );
    }
    let n_about = about.iter().filter(|it| it.is_about()).count();
    if case.agent_id().is_none() && n_about == 0 {
        return say(
            StepOutcome::Unknown,
            format!(
                "No question about it is known {when}. Which agent should have known it is not known either: name it with --agent."
            ),
        );
    }
    if asked.questions.is_empty() && !asked.is_time_read {
        return say(
            StepOutcome::Unknown,
            format!("Not known: what was read of the logs does not show what {who} did {when}."),
        );
    }
    if asked.questions.is_empty() {
        return say(
            StepOutcome::Failed,
            format!("Never: {who} searched its memory for nothing {when}."),
        );
    }
    if n_about == 0 {
        return never_about(case, about);
    }
    let questions: Vec<AskedThen> = match ranked {
        Some(ranked) => ranked.to_view(case, about),
        None => closest_first(about)
            .into_iter()
            .filter(|at| about[*at].is_about())
            .map(|at| asked_then(&asked.questions[at], String::new(), about[at].cosine))
            .take(N_QUESTIONS_SHOWN)
            .collect(),
    };
    let (outcome, said) = by_words(case, about, ranked, n_about);
    StepProof {
        questions,
        ..proof(AutopsyStep::Asked, outcome, said)
    }
}

/// The step if no question was about the fact.
fn never_about(case: &Case<'_>, about: &[About]) -> StepProof {
    let (asked, who) = (&case.asked, case.who());
    let shown = closest_first(about).into_iter().take(N_QUESTIONS_SHOWN);
    let shown = shown.map(|at| {
        let came = "not about it".to_owned();
        asked_then(&asked.questions[at], came, about[at].cosine)
    });
    let said = format!(
        "Never about this: {who} searched {} {}, for other things.",
        times(asked.questions.len()),
        asked.when
    );
    StepProof {
        questions: shown.collect(),
        ..proof(AutopsyStep::Asked, StepOutcome::Failed, said)
    }
}

/// Whether the words of the questions can find the fact; `n_about` is the number of questions about it.
fn by_words(
    case: &Case<'_>,
    about: &[About],
    ranked: Option<&Ranked>,
    n_about: usize,
) -> (StepOutcome, Text) {
    let when = &case.asked.when;
    let n_times = capitalized(&times(n_about));
    let is_reached = ranked.is_some_and(Ranked::is_reached);
    let patterns: Vec<&str> = ranked
        .filter(|_| !is_reached)
        .map(|ranked| ranked.patterns().take(PATTERNS_NAMED))
        .into_iter()
        .flatten()
        .map(|at| case.asked.questions[at].asked.question.as_str())
        .collect();
    if !patterns.is_empty() {
        let said = format!(
            "{n_times} {when}, but by a search through files that cannot find it: no line of the note holds {}.",
            quoted(patterns)
        );
        return (StepOutcome::Failed, said.into());
    }
    let shared = shared_words(about, ranked);
    if !shared.is_empty() {
        let said = Text::from(format!("{n_times} {when}, with words of the fact: "))
            + quoted_note(shared.iter().map(String::as_str))
            + ".";
        return (StepOutcome::Passed, said);
    }
    if is_reached {
        let said =
            format!("{n_times} {when}, without a word of the fact; by meaning it was reached.");
        return (StepOutcome::Passed, said.into());
    }
    if let Some(gap) = case.ranking_gap() {
        let said = format!(
            "{n_times} {when}, without a word of the fact; whether that can find it is not known: {gap}."
        );
        return (StepOutcome::Unknown, said.into());
    }
    // Only a search by the agent's own ranking and model shows that meaning does not reach it.
    let is_asked_again = case.is_emulated()
        && ranked.is_some_and(|ranked| {
            ranked
                .best
                .as_ref()
                .is_some_and(|best| best.inexact().is_none())
        });
    if !is_asked_again && !case.searches_files() {
        let said = format!(
            "{n_times} {when}, without a word of the fact; whether its meaning can find it is not known."
        );
        return (StepOutcome::Unknown, said.into());
    }
    let said =
        format!("{n_times} {when}, but in words that cannot find it: none is one of the fact's.");
    (StepOutcome::Failed, said.into())
}

/// The distinct words that questions share with the fact, in lower case and sorted.
fn shared_words(about: &[About], ranked: Option<&Ranked>) -> Vec<String> {
    // Words of a pattern that no line of the note contains find nothing.
    let finding: Vec<&About> = match ranked.filter(|ranked| ranked.is_tried()) {
        Some(ranked) => ranked.reached().map(|at| &about[at]).collect(),
        None => about.iter().collect(),
    };
    let shared = finding.iter().flat_map(|about| &about.shared);
    let mut shared: Vec<String> = shared.map(|word| word.to_lowercase()).collect();
    shared.sort();
    shared.dedup();
    shared
}

/// Indices of the questions, those closest to the fact first, then the newest.
pub(super) fn closest_first(about: &[About]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..about.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (about[*a].closeness(), about[*b].closeness());
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1))
    });
    order
}

fn capitalized(said: &str) -> String {
    let mut chars = said.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
