//! Past questions for the window's list.

use std::collections::BTreeMap;

use memlens_agents::{PastQuestion, Used};

use super::{Past, PastFilter};
use crate::agents::agent_name;
use crate::view::{PastAgent, PastPlace, PastQuestions, PastRow};
use crate::{EngineError, Library};

/// Which of the past questions are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum PastOnly {
    /// All.
    #[default]
    All,
    /// Those whose answer is another one now, by the last replay.
    Changed,
    /// Those that found nothing then.
    FoundNothing,
}

impl Library {
    /// Past questions for a list, with what is true of all of them.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn past_questions(
        &self,
        filter: &PastFilter,
        only: PastOnly,
    ) -> Result<PastQuestions, EngineError> {
        let all = self.past(&PastFilter::default())?;
        let replay = self.worked_out.replayed();
        let of_replay = |past: &Past| replay.as_ref().and_then(|it| it.questions.get(&past.id));
        let is_changed = |past: &Past| of_replay(past).is_some_and(|it| it.is_changed());
        let mut by_agent: BTreeMap<&str, u32> = BTreeMap::new();
        for past in &all {
            *by_agent.entry(&past.asked.agent).or_default() += 1;
        }
        let agents = by_agent.into_iter().map(|(id, n_questions)| PastAgent {
            id: id.to_owned(),
            name: agent_name(id).name,
            n_questions,
        });
        let is_shown = |past: &&Past| {
            filter.holds(&past.asked)
                && match only {
                    PastOnly::All => true,
                    PastOnly::Changed => is_changed(past),
                    PastOnly::FoundNothing => found_nothing(&past.asked),
                }
        };
        let row_of = |past: &Past| {
            let fates = of_replay(past).and_then(|it| it.fates.clone());
            PastRow { fates, ..row(past) }
        };
        let counted =
            |is: &dyn Fn(&Past) -> bool| all.iter().filter(|past| is(past)).count() as u32;
        Ok(PastQuestions {
            rows: all.iter().filter(is_shown).map(row_of).collect(),
            n_all: all.len() as u32,
            n_found_nothing: counted(&|past| found_nothing(&past.asked)),
            n_changed: replay.as_ref().map(|_| counted(&is_changed)),
            agents: agents.collect(),
            replay: replay.as_ref().map(|it| it.summary.clone()),
            lost: self.worked_out.lost(),
        })
    }
}

fn found_nothing(asked: &PastQuestion) -> bool {
    asked.returned.as_ref().is_some_and(Vec::is_empty)
}

/// A past question without what a replay says of it.
pub(super) fn row(past: &Past) -> PastRow {
    let asked = &past.asked;
    let place = |used: &Used| PastPlace {
        path: used.path.clone(),
        start_line: used.lines.map(|lines| lines.0),
        end_line: used.lines.map(|lines| lines.1),
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
        question: asked.question.clone(),
        n_returned: asked.returned.as_ref().map(|it| it.len() as u32),
        opened: asked.opened.iter().map(place).collect(),
        cited: asked.cited.iter().map(place).collect(),
        fates: None,
    }
}
