//! An agent's own config as a ranking: what its search does today.

use std::path::Path;

use memlens_agents::{Effect, SearchSettings, openclaw_search};
use memlens_emulate::openclaw::Edition;
use memlens_params::{ParameterSet, Value};

use crate::EngineError;
use crate::ranking::Ranking;

/// A config that was read.
pub struct AgentConfig {
    /// The pipeline of the version that wrote it, with its values.
    pub ranking: Ranking,
    /// Each key, with what that version does with it.
    pub settings: SearchSettings,
    /// Values that the search does not take; its defaults stand for them.
    pub problems: Vec<String>,
}

/// Reads an OpenClaw config. The settings of one of its agents go over those of all, where `agent` names it.
///
/// # Errors
/// [`EngineError::AgentConfig`] where it cannot be read, or has no agent of that name with settings of its own.
pub fn read_openclaw(path: &Path, agent: Option<&str>) -> Result<AgentConfig, EngineError> {
    let refused = |why: String| EngineError::AgentConfig {
        path: path.to_owned(),
        why,
    };
    let edition_of = |version: &str| Edition::of(version).unwrap_or(Edition::V2026_8);
    let is_since_2026_8 = |version: &str| edition_of(version) == Edition::V2026_8;
    let settings = openclaw_search(path, is_since_2026_8).map_err(refused)?;
    let edition = settings
        .version
        .as_deref()
        .map_or(Edition::V2026_8, edition_of);
    let own = settings.groups.iter().filter(|group| group.agent.is_some());
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
                "it holds no search settings for {agent}, but for {}",
                known.join(", ")
            )
        }));
    }
    let mut ranking = Ranking::of(edition.pipeline());
    let mut problems = Vec::new();
    let holding = settings.groups.iter().filter(|group| match &group.agent {
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
            Effect::NotEmulated(_) | Effect::Without(_) => {}
        }
    }
    Ok(AgentConfig {
        ranking,
        settings,
        problems,
    })
}
