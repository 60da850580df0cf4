//! An agent's own config as a ranking: what its search does today.

use std::path::Path;

use memlens_agents::{Config, Effect, Schema, SettingGroup, TARGETS, Target, read_config};
use memlens_emulate::openclaw::Edition;
use memlens_params::{ParameterSet, Value};

use crate::ranking::{Ranking, pipeline};
use crate::{EngineError, view};

/// A config that was read.
pub struct AgentConfig {
    /// The program and version that it is taken for.
    pub target: &'static Target,
    /// That version's pipeline, with the config's values.
    pub ranking: Ranking,
    /// Its text, and each key with what that version does with it.
    pub config: Config,
    /// Values that the search does not take; its defaults stand for them.
    pub problems: Vec<String>,
}

/// Reads the config of an agent that Memlens emulates. The settings of one of its agents go over those of all, where `agent`
/// names it.
///
/// # Errors
/// [`EngineError::AgentConfig`] where it cannot be read, is of no program that is known, or has no agent of that name with
/// settings of its own.
pub fn read_agent_config(path: &Path, agent: Option<&str>) -> Result<AgentConfig, EngineError> {
    let refused = |why: String| EngineError::AgentConfig {
        path: path.to_owned(),
        why,
    };
    let (config, target) = read(path)?;
    let Ok(pipeline) = pipeline(target.id) else {
        return Err(refused(format!(
            "Memlens cannot search as {} does; its settings can only be exported",
            target.label
        )));
    };
    let groups = &config.settings.groups;
    let own = groups.iter().filter(|group| group.agent.is_some());
    if let Some(agent) = agent
        && !own
            .clone()
            .any(|group| group.agent.as_deref() == Some(agent))
    {
        let known: Vec<&str> = own.filter_map(|group| group.agent.as_deref()).collect();
        return Err(refused(if known.is_empty() {
            format!("it holds search settings for no single agent, and so none for {agent}")
        } else {
            format!(
                "it has no search settings for {agent}, only for {}",
                known.join(", ")
            )
        }));
    }
    let mut ranking = Ranking::of(pipeline);
    let mut problems = Vec::new();
    let holding = groups.iter().filter(|group| match &group.agent {
        None => true,
        Some(own) => Some(own.as_str()) == agent,
    });
    for setting in holding.flat_map(|group| &group.settings) {
        match setting.effect {
            Effect::Sets(parameter) => {
                let value = setting.value.as_bool().map(Value::Toggle);
                let value = value.or_else(|| setting.value.as_f64().map(Value::Number));
                let Some(value) = value else { continue };
                if let Err(error) = ranking.values.set(parameter, value) {
                    problems.push(format!("{}: {error}", setting.key));
                }
            }
            Effect::WrongKind(takes) => {
                problems.push(format!("{}: {} is not {takes}", setting.key, setting.value));
            }
            Effect::NotEmulated(_) | Effect::Without(_) | Effect::Refused(_) => {}
        }
    }
    Ok(AgentConfig {
        target,
        ranking,
        config,
        problems,
    })
}

impl AgentConfig {
    /// What a window shows of it.
    pub fn told(&self, path: String) -> view::AgentConfig {
        let groups = &self.config.settings.groups;
        let settings = groups.iter().flat_map(|group| {
            group.settings.iter().map(|it| view::AgentSetting {
                agent: group.agent.clone(),
                key: it.key.clone(),
                value: it.value.to_string(),
                effect: it.effect.name(),
                parameter: it.effect.parameter(),
                why: it.effect.why(),
            })
        });
        view::AgentConfig {
            path,
            label: self.target.label,
            version: self.config.settings.version.clone(),
            ranking: self.ranking.told(),
            settings: settings.collect(),
            agents: groups.iter().filter_map(|it| it.agent.clone()).collect(),
            problems: self.problems.clone(),
        }
    }
}

/// Reads a config, and tells what program and version it is taken for.
///
/// # Errors
/// [`EngineError::AgentConfig`].
pub(crate) fn read(path: &Path) -> Result<(Config, &'static Target), EngineError> {
    let read = read_config(path, |version| match edition(version) {
        Edition::V2026_2 => Schema::Feb2026,
        Edition::V2026_7 => Schema::UpTo2026Jul,
        Edition::V2026_8 => Schema::Since2026Aug,
    });
    let config = read.map_err(|why| EngineError::AgentConfig {
        path: path.to_owned(),
        why,
    })?;
    let target = target_of(&config);
    Ok((config, target))
}

/// The version that a config is of: the one that wrote it, where it says so, else the newest.
fn target_of(config: &Config) -> &'static Target {
    let version = config.settings.version.as_deref().map(edition);
    let newest = TARGETS.iter().find(|it| it.program() == config.program);
    let written_by = version.and_then(|edition| {
        let id = edition.pipeline().id().0;
        TARGETS.iter().find(|it| it.id == id)
    });
    written_by
        .or(newest)
        .expect("every program whose config is read is a target")
}

/// Whether any key of a group acts.
pub(crate) fn acts(group: &SettingGroup) -> bool {
    let acting = |effect: &Effect| matches!(effect, Effect::Sets(_) | Effect::NotEmulated(_));
    group.settings.iter().any(|it| acting(&it.effect))
}

fn edition(version: &str) -> Edition {
    Edition::of(version).unwrap_or(Edition::V2026_8)
}
