//! The ranking that an agent uses on this machine: the pipeline of its version with the values of its own config, or with the
//! published defaults if there is no config or the agent refuses it.
//!
//! Everything that ranks as an agent asks [`crate::own_ranking::own_ranking_of`], which reads a config again only after it or a file that it
//! includes has changed.
//!
//! Properties checked: a change, a loss and a return of the config or of an include are followed; what is wrong with a file is
//! reported, and the defaults rank then.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memlens_agents::{Home, MemorySearch, TARGETS, Void, look};
use memlens_library::ranking::{NATIVE_NAME, Ranking, pipeline, pipelines};
use memlens_library::{EngineError, FeatureState, Library};
use memlens_params::ParameterSet as _;
use memlens_rank::AnyPipeline;
use parking_lot::Mutex;

use crate::agent_config::{self, AgentConfig, Wanted, acts, read_for, version_assumed};

/// The ranking of one agent on this machine.
pub struct OwnRanking {
    /// Pipeline of the agent, with its values.
    pub ranking: Ranking,
    /// Its name on screen: `OpenClaw 2026.9 (yours)`, or that of the pipeline for the published defaults.
    pub label: String,
    /// The config that was found, whether or not its values are used.
    pub config: Option<PathBuf>,
    /// Whether the values are those of the config.
    pub is_yours: bool,
    /// Why its version is assumed, in a clause about the config; `None` if the config says its version, or there is none.
    pub version_assumed: Option<String>,
    /// What is wrong with the config, what makes it void, and what the emulation does differently, a sentence each.
    pub problems: Vec<String>,
    /// Ids of the program's other agents that have settings of their own, which are not used.
    pub others: Vec<String>,
    /// What the agent searches, if it is OpenClaw and its config can be read.
    pub search: Option<MemorySearch>,
}

impl OwnRanking {
    /// The published defaults of a pipeline.
    fn published(pipeline: &'static dyn AnyPipeline) -> OwnRanking {
        OwnRanking {
            ranking: Ranking::of(pipeline),
            label: pipeline.label().to_owned(),
            config: None,
            is_yours: false,
            version_assumed: None,
            problems: Vec::new(),
            others: Vec::new(),
            search: None,
        }
    }

    /// The problems that concern one agent of the program: settings of its other agents are no problem. Without `member`, all.
    pub fn problems_for(&self, member: Option<&str>) -> Vec<String> {
        let is_of = |id: &str| member.is_none_or(|member| member.eq_ignore_ascii_case(id));
        let mut unconcerned = Vec::new();
        for other in self.others.iter().filter(|id| !is_of(id)) {
            unconcerned.push(of_other(other));
        }
        let is_concerned =
            |problem: &&String| !unconcerned.iter().any(|other| problem.ends_with(other));
        self.problems.iter().filter(is_concerned).cloned().collect()
    }

    /// The config as the window shows it; `None` if there is none.
    pub(crate) fn to_view(&self, home: Option<&Home>) -> Option<memlens_wire::YourConfig> {
        let config = self.config.as_ref()?;
        let values = self.ranking.values.changed().into_iter();
        Some(memlens_wire::YourConfig {
            path: shown(config, home),
            label: self.label.clone(),
            values: values.map(|(id, value)| (id.to_owned(), value)).collect(),
            version_assumed: self.version_assumed.clone(),
            problems: self.problems.clone(),
        })
    }

    /// A sentence saying which values are used for ranking.
    pub fn sentence(&self, home: Option<&Home>) -> String {
        match self.config.as_ref().filter(|_| self.is_yours) {
            Some(config) => {
                let by = format!("{}, by {}", self.label, shown(config, home));
                let Some(why) = &self.version_assumed else {
                    return by;
                };
                format!("{by}; {why}, so this version is assumed")
            }
            None => format!("{} with its published defaults", self.label),
        }
    }
}

/// The ranking that an agent uses in a home, by the agent's id; `None` if Memlens does not emulate its search.
pub fn own_ranking(home: Option<&Home>, agent: &str) -> Option<OwnRanking> {
    read(home, agent, &mut |_| ())
}

/// Reads the ranking of an agent by its id; `None` if Memlens does not emulate its search. `before` is called with every file
/// that the answer depends on, present or not, before it is looked for.
fn read(home: Option<&Home>, agent: &str, before: &mut dyn FnMut(&Path)) -> Option<OwnRanking> {
    if agent == NATIVE_NAME {
        return None;
    }
    let newest = pipeline(agent).ok()?;
    let place = home.and_then(|home| {
        let mut targets = TARGETS.into_iter().filter(|it| it.program() == agent);
        targets.find_map(|target| agent_config::place(target, home))
    });
    let Some(place) = place else {
        return Some(OwnRanking::published(newest));
    };
    before(&place);
    if place.symlink_metadata().is_err() {
        return Some(OwnRanking::published(newest));
    }
    let mut own = match read_for(&place, &Wanted::Default, before) {
        Ok(read) => of_config(&read),
        Err(error) => {
            // The file itself may be sound and name its version if an include is not.
            let found = home.map(look).unwrap_or_default().into_iter();
            let version = found
                .filter(|found| found.agent.id == agent)
                .find_map(|found| found.version);
            let of_version = version.and_then(|it| pipeline(&format!("{agent}@{it}")).ok());
            let mut own = OwnRanking::published(of_version.unwrap_or(newest));
            own.problems
                .push(if let EngineError::AgentConfig { why, .. } = error {
                    why
                } else {
                    error.to_string()
                });
            own
        }
    };
    let shown = shown(&place, home);
    if !own.is_yours {
        own.problems
            .push("the published defaults are used".to_owned());
    }
    for problem in &mut own.problems {
        *problem = format!("{shown}: {problem}");
    }
    own.config = Some(place);
    Some(own)
}

fn of_config(read: &AgentConfig) -> OwnRanking {
    let voids = read.voids();
    let is_refused = voids.iter().any(|it| matches!(it, Void::Refused(_)));
    let mut own = OwnRanking::published(read.ranking.pipeline);
    own.version_assumed = version_assumed(&read.config);
    own.problems
        .extend(voids.iter().map(|it| it.sentence().to_owned()));
    if is_refused {
        return own;
    }
    own.ranking = read.ranking.clone();
    own.label.push_str(" (yours)");
    own.is_yours = true;
    own.search = read.config.memory_search(read.agent.as_deref());
    own.problems.extend(read.problems.iter().cloned());
    let not_emulated = own.search.iter().flat_map(MemorySearch::not_emulated);
    own.problems.extend(not_emulated);
    for group in &read.config.settings.groups {
        if let Some(other) = &group.agent
            && Some(other) != read.agent.as_ref()
            && acts(group)
        {
            own.problems.push(of_other(other));
            own.others.push(other.clone());
        }
    }
    own
}

fn of_other(agent: &str) -> String {
    format!("agent {agent} has settings of its own, which are not used here")
}

fn shown(path: &Path, home: Option<&Home>) -> String {
    home.map_or_else(|| path.display().to_string(), |home| home.shown(path))
}

/// Size, change times and identity of a file; `None` if it is not there.
type Stamp = Option<(u64, Option<SystemTime>, [i64; 3])>;

fn stamp(path: &Path) -> Stamp {
    let found = path.symlink_metadata().ok()?;
    #[cfg(unix)]
    let more = {
        use std::os::unix::fs::MetadataExt;
        // A file may be written twice within one tick of its time.
        [found.ctime(), found.ctime_nsec(), found.ino() as i64]
    };
    #[cfg(not(unix))]
    let more = [0; 3];
    Some((found.len(), found.modified().ok(), more))
}

/// What was read of an agent, and the files that it depends on.
struct Known {
    files: Vec<(PathBuf, Stamp)>,
    own: Option<Arc<OwnRanking>>,
}

/// The rankings of agents that were read, by the agent's id.
#[derive(Default)]
struct OwnRankings(Mutex<HashMap<String, Known>>);

impl FeatureState for OwnRankings {}

/// The ranking that an agent uses on this machine, by the agent's id; `None` if Memlens does not emulate its search.
pub fn own_ranking_of(library: &Library, agent: &str) -> Option<Arc<OwnRanking>> {
    let rankings = library.feature::<OwnRankings>();
    let mut known = rankings.0.lock();
    if let Some(known) = known.get(agent)
        && known.files.iter().all(|(path, at)| stamp(path) == *at)
    {
        return known.own.clone();
    }
    let mut files = Vec::new();
    let own = read(library.home(), agent, &mut |path| {
        files.push((path.to_owned(), stamp(path)));
    });
    let own = own.map(Arc::new);
    known.insert(
        agent.to_owned(),
        Known {
            files,
            own: own.clone(),
        },
    );
    own
}

/// Every pipeline with its parameters and the values of the program's own config, for a window.
pub fn pipelines_of(library: &Library) -> Vec<memlens_wire::PipelineInfo> {
    let info = |pipeline: &dyn AnyPipeline| {
        let id = pipeline.id().0;
        let program = id.split('@').next().unwrap_or(id);
        let own = own_ranking_of(library, program);
        let own = own.filter(|own| own.ranking.pipeline.id() == pipeline.id());
        memlens_wire::PipelineInfo {
            id,
            label: pipeline.label(),
            parameters: pipeline.table().parameters.clone(),
            stages: pipeline.table().stages.to_vec(),
            is_own: own.is_some(),
            yours: own.and_then(|own| own.to_view(library.home())),
        }
    };
    pipelines().into_iter().map(info).collect()
}
