//! The current ranking of an agent's questions: its own pipeline, with the settings that each question asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use memlens_agents::PastQuestion;
use memlens_handover::own_ranking::OwnRanking;
use memlens_handover::{own_ranking_of, part_of_agent};
use memlens_library::{Library, Ranking};
use memlens_params::{ParameterSet as _, Params, Value};
use memlens_rank::{AnyPipeline, RetrieverId};
use memlens_retrieve::Part;
use parking_lot::Mutex;

use crate::served;

/// Rankings of agents on this machine, constant while this is alive.
pub struct OwnPipelines<'a> {
    library: &'a Library,
    known: Mutex<BTreeMap<String, Option<Arc<OwnRanking>>>>,
}

impl<'a> OwnPipelines<'a> {
    /// Rankings of a library's machine; each is read when it is first asked for.
    pub fn of(library: &'a Library) -> OwnPipelines<'a> {
        OwnPipelines {
            library,
            known: Mutex::default(),
        }
    }

    /// The ranking of an agent; `None` if Memlens does not emulate its search.
    pub fn own(&self, agent: &str) -> Option<Arc<OwnRanking>> {
        let mut known = self.known.lock();
        if let Some(own) = known.get(agent) {
            return own.clone();
        }
        let own = own_ranking_of(self.library, agent);
        known.insert(agent.to_owned(), own.clone());
        own
    }

    /// The pipeline of an agent: of its version if that is known, else of the newest; `None` if it is not emulated.
    pub fn pipeline(&self, agent: &str) -> Option<&'static dyn AnyPipeline> {
        self.own(agent).map(|own| own.ranking.pipeline)
    }

    /// The name on screen of a ranking: that of the agent's own if it is that, whatever a single question asked for.
    pub fn label(&self, agent: &str, ranking: &Ranking) -> String {
        let own = self.own(agent);
        let own = own.filter(|own| own.ranking.pipeline.id() == ranking.pipeline.id());
        own.map_or_else(
            || ranking.pipeline.label().to_owned(),
            |own| own.label.clone(),
        )
    }

    /// Problems of an agent's config, and differences of the emulation.
    pub fn problems(&self, agent: &str) -> Vec<String> {
        self.own(agent)
            .map_or_else(Vec::new, |own| own.problems.clone())
    }

    /// The same for one agent of the program: settings of its other agents are no problem.
    pub fn problems_for(&self, agent: &str, member: Option<&str>) -> Vec<String> {
        self.own(agent)
            .map_or_else(Vec::new, |own| own.problems_for(member))
    }

    /// The values used for the agents so far, and their problems.
    pub fn notices(&self) -> Vec<String> {
        let known = self.known.lock();
        let yours = known.values().flatten().flat_map(|own| {
            let by = own.is_yours.then(|| own.sentence(self.library.home()));
            by.into_iter().chain(own.problems.iter().cloned())
        });
        yours.collect()
    }

    /// The text that a question asks the library's own lists; `None` if it asks another program's memory.
    pub fn of_library<'q>(&self, asked: &'q PastQuestion) -> Option<&'q str> {
        let served = asked.served.as_ref().and_then(served::ranking);
        let own = served
            .map(|served| served.pipeline)
            .or_else(|| self.pipeline(&asked.agent));
        let is_of_library = own.is_none_or(|own| own.retriever() == RetrieverId::NATIVE);
        is_of_library.then_some(&*asked.question)
    }

    /// A setting of a question that the emulation of its agent does not support; `None` if it supports all, or there is
    /// none.
    pub fn unfollowed(&self, asked: &PastQuestion) -> Option<String> {
        // A call's own settings were followed where Memlens served it.
        if asked.served.is_some() {
            return None;
        }
        let own = self.own(&asked.agent)?;
        asked_for(own.ranking.clone(), asked).1
    }

    /// Ranking of a question: the one that answered it if Memlens served it; else its agent's own if that is emulated, else
    /// Memlens's; with the settings that it asked for.
    pub fn ranking(&self, asked: &PastQuestion) -> Ranking {
        if let Some(served) = asked.served.as_ref().and_then(served::ranking) {
            return served;
        }
        match self.own(&asked.agent) {
            Some(own) => asked_for(own.ranking.clone(), asked).0,
            None => Ranking::native(&Params::default()),
        }
    }
}

/// A ranking with what a question asked for, and the first setting that the pipeline does not know or refuses, which is left as it
/// is. Parameters go by the agent's own names.
fn asked_for(ranking: Ranking, asked: &PastQuestion) -> (Ranking, Option<String>) {
    let parameters = &ranking.values.table().parameters;
    let mut values = ranking.values.clone();
    let mut unfollowed = None;
    for (name, value) in &asked.settings {
        if value.is_null() {
            continue;
        }
        let is_named = |label: &str| label.trim_start_matches('-').eq_ignore_ascii_case(name);
        let parameter = parameters.iter().find(|it| is_named(it.label));
        let value = value.as_f64().map(Value::Number);
        if let (Some(parameter), Some(value)) = (parameter, value)
            && let Ok(with) = values.clone().with([(parameter.id, value)])
        {
            values = with;
        } else {
            unfollowed.get_or_insert_with(|| name.clone());
        }
    }
    (Ranking { values, ..ranking }, unfollowed)
}

/// The part of the library that a question of an agent searches: its own folders if some are watched.
pub fn part_asked(library: &Library, agent: &str) -> Part {
    part_of_agent(library, agent).unwrap_or(Part::All)
}
