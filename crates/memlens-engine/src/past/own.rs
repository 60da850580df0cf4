//! What an agent's questions are ranked by now: its own pipeline, with what each question asked for.

use std::collections::BTreeMap;

use memlens_agents::{PastQuestion, look};
use memlens_params::{ParameterSet as _, Params, Value};
use memlens_rank::{AnyPipeline, RetrieverId};
use memlens_retrieve::Part;

use crate::ranking::{NATIVE_NAME, pipeline};
use crate::{Library, Ranking};

/// The pipelines of agents, by the versions that are found in a home.
pub(crate) struct OwnPipelines {
    versions: BTreeMap<&'static str, Option<String>>,
}

impl OwnPipelines {
    pub fn of(library: &Library) -> OwnPipelines {
        let found = library.home.as_ref().map(look).unwrap_or_default();
        OwnPipelines {
            versions: found
                .into_iter()
                .map(|found| (found.agent.id, found.version))
                .collect(),
        }
    }

    /// The pipeline of an agent: of its version where that is known, else of the newest; none where it is not emulated.
    pub fn pipeline(&self, agent: &str) -> Option<&'static dyn AnyPipeline> {
        if agent == NATIVE_NAME {
            return None;
        }
        let version = self.versions.get(agent).cloned().flatten();
        let of_version = version.and_then(|version| pipeline(&format!("{agent}@{version}")).ok());
        of_version.or_else(|| pipeline(agent).ok())
    }

    /// The words that a question asks the library's own lists; none where it asks another program's memory.
    pub fn of_library<'a>(&self, asked: &'a PastQuestion) -> Option<&'a str> {
        let own = self.pipeline(&asked.agent);
        let is_of_library = own.is_none_or(|own| own.retriever() == RetrieverId::NATIVE);
        is_of_library.then_some(&*asked.question)
    }

    /// What a question is ranked by: its agent's own pipeline where that is emulated, else Memlens's; with what it asked for.
    pub fn ranking(&self, asked: &PastQuestion) -> Ranking {
        let own = self.pipeline(&asked.agent);
        let ranking = own.map_or_else(|| Ranking::native(&Params::default()), Ranking::of);
        if own.is_some() {
            asked_for(ranking, asked)
        } else {
            ranking
        }
    }
}

/// A ranking with what a question asked for: parameters go by the agent's own names. What its pipeline refuses is left as it is.
fn asked_for(ranking: Ranking, asked: &PastQuestion) -> Ranking {
    let parameters = &ranking.values.table().parameters;
    let mut values = ranking.values.clone();
    for (name, value) in &asked.settings {
        let is_named = |label: &str| label.trim_start_matches('-').eq_ignore_ascii_case(name);
        let parameter = parameters.iter().find(|it| is_named(it.label));
        let value = value.as_f64().map(Value::Number);
        if let (Some(parameter), Some(value)) = (parameter, value)
            && let Ok(with) = values.clone().with([(parameter.id, value)])
        {
            values = with;
        }
    }
    Ranking { values, ..ranking }
}

impl Library {
    /// The part of the library that a question of an agent is asked of: its own folders where some are watched.
    pub(crate) fn part_asked(&self, agent: &str) -> Part {
        self.part_of_agent(agent).unwrap_or(Part::All)
    }
}
