//! Was the fact among what the agent was given, and did it use it: by its own log alone.

use memlens_agents::Used;

use super::fact::Found;
use super::words::moment;
use super::{Case, asked_then, step as proof};
use crate::past::{Past, Places};
use crate::view::{AutopsyStep, StepOutcome, StepProof};

/// What the agent's log says of a fact's line.
pub(super) struct Given<'a> {
    /// The questions whose answers held it, each with its 1-based rank there.
    by: Vec<(&'a Past, usize)>,
    /// The questions after which it was opened or cited, each with how.
    used: Vec<(&'a Past, &'static str)>,
    /// How many answers are logged.
    n_answers: usize,
    /// Whether any answer until then held the note, whatever lines.
    pub is_note_known: bool,
}

impl<'a> Given<'a> {
    /// Looks through the answers.
    pub fn of(case: &'a Case<'_>, found: &Found, places: &Places) -> Given<'a> {
        let is_note = |past: &Past, path: &str| {
            let place = places.find(&past.asked.agent, path);
            place.is_ok_and(|it| it.folder == found.place.folder && it.path == found.place.path)
        };
        let covers = |lines: Option<(u32, u32)>| {
            lines.is_none_or(|(start, end)| (start..=end).contains(&found.line))
        };
        let mut given = Given {
            by: Vec::new(),
            used: Vec::new(),
            n_answers: 0,
            is_note_known: false,
        };
        for past in &case.asked.questions {
            given.n_answers += usize::from(past.asked.returned.is_some());
            let returned = past.asked.returned.iter().flatten();
            for (rank, result) in (1..).zip(returned) {
                if is_note(past, &result.path) {
                    given.is_note_known = true;
                    if covers(result.lines)
                        && given.by.last().is_none_or(|(it, _)| it.id != past.id)
                    {
                        given.by.push((past, rank));
                    }
                }
            }
            let is_it = |used: &&Used| covers(used.lines) && is_note(past, &used.path);
            let opened = past.asked.opened.iter().find(is_it).map(|_| "opened");
            let cited = past.asked.cited.iter().find(is_it).map(|_| "cited");
            if let Some(how) = cited.or(opened) {
                given.used.push((past, how));
            }
        }
        given
    }

    /// Whether the agent had it, by a search or by opening its note.
    pub fn is_given(&self) -> bool {
        !self.by.is_empty() || !self.used.is_empty()
    }

    /// The answer that held it highest, and its rank there.
    pub fn best(&self) -> Option<(&Past, usize)> {
        let best = self.by.iter().min_by_key(|(_, rank)| *rank)?;
        Some((best.0, best.1))
    }

    /// Says whether it was given.
    pub fn step(&self, case: &Case<'_>) -> StepProof {
        let say = |outcome, said: String| proof(AutopsyStep::Given, outcome, said);
        if let Some((past, rank)) = self.best() {
            let at = past
                .asked
                .at_ms
                .map_or_else(String::new, |at| format!(" on {}", moment(at)));
            let told = self
                .by
                .iter()
                .map(|(past, rank)| asked_then(past, format!("rank {rank}")));
            return StepProof {
                questions: told.take(20).collect(),
                ..say(
                    StepOutcome::Passed,
                    format!(
                        "Yes, at rank {rank} of the answer to “{}”{at}.",
                        past.asked.question
                    ),
                )
            };
        }
        if !self.used.is_empty() {
            return say(
                StepOutcome::Passed,
                "By no search, but the agent opened the note.".to_owned(),
            );
        }
        match (case.asked.questions.len(), self.n_answers) {
            (0, _) => say(
                StepOutcome::Unknown,
                "No question is known, and so no answer.".to_owned(),
            ),
            (_, 0) => say(
                StepOutcome::Unknown,
                "No answer is logged, so this cannot be known.".to_owned(),
            ),
            (_, 1) => say(
                StepOutcome::Failed,
                "No. It is not in the answer.".to_owned(),
            ),
            (_, n) => say(
                StepOutcome::Failed,
                format!("No. It is in none of the {n} answers."),
            ),
        }
    }

    /// Says whether it was used.
    pub fn used_step(&self, case: &Case<'_>) -> StepProof {
        let say = |outcome, said: String| proof(AutopsyStep::Used, outcome, said);
        if let Some((past, how)) = self.used.first() {
            return say(
                StepOutcome::Passed,
                format!("Yes, it was {how} after “{}”.", past.asked.question),
            );
        }
        if self.is_given() {
            return say(
                StepOutcome::Failed,
                format!("No. {} neither opened nor cited it afterwards.", case.who()),
            );
        }
        say(
            StepOutcome::Unknown,
            "Unknown, and it does not matter here: nothing shows that it was given.".to_owned(),
        )
    }
}
