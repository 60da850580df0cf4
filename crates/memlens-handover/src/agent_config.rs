//! An agent's own config as a ranking: what its search does today.

use std::path::{Path, PathBuf};

use memlens_agents::{
    Config, Effect, Home, Setting, SettingGroup, TARGETS, Takes, Target, Void,
    read_config_and_files,
};
use memlens_emulate::openclaw::Edition;
use memlens_library::EngineError;
use memlens_library::ranking::{Ranking, pipeline};
use memlens_params::{ParameterSet, Value};

/// A config that was read.
pub struct AgentConfig {
    /// Program and version that the config is read for.
    pub target: &'static Target,
    /// Pipeline of that version, with the config's values.
    pub ranking: Ranking,
    /// Text of the config, and each key with its effect in that version.
    pub config: Config,
    /// The agent in it whose own settings are used; `None` for those of all.
    pub agent: Option<String>,
    /// Values that the search does not take; its defaults are used for them.
    pub problems: Vec<String>,
}

/// Whose settings of a config are wanted.
pub(crate) enum Wanted<'a> {
    All,
    /// Those of one agent over those of all.
    Agent(&'a str),
    /// Those of the agent that the program uses if none is named.
    Default,
}

/// Reads the config of an agent that Memlens emulates. If `agent` names one of its agents, the settings of that agent go over
/// those of all.
///
/// # Errors
/// [`EngineError::AgentConfig`] if it cannot be read, is of no program that is known, or has no agent of that name with
/// settings of its own.
pub fn read_agent_config(path: &Path, agent: Option<&str>) -> Result<AgentConfig, EngineError> {
    let wanted = agent.map_or(Wanted::All, Wanted::Agent);
    read_for(path, &wanted, &mut |_| ())
}

/// The same; `before` is called with the config and every file that it includes before each is looked for.
///
/// # Errors
/// As [`read_agent_config`].
pub(crate) fn read_for(
    path: &Path,
    wanted: &Wanted<'_>,
    before: &mut dyn FnMut(&Path),
) -> Result<AgentConfig, EngineError> {
    let refused = |why: String| EngineError::AgentConfig {
        path: path.to_owned(),
        why,
    };
    let (config, target) = read_with_files(path, before)?;
    let Ok(pipeline) = pipeline(target.id) else {
        return Err(refused(format!(
            "Memlens cannot search as {} does; its settings can only be exported",
            target.label
        )));
    };
    let groups = &config.settings.groups;
    let with_own: Vec<&str> = groups.iter().filter_map(|it| it.agent.as_deref()).collect();
    let default;
    let agent = match wanted {
        Wanted::All => None,
        Wanted::Agent(agent) if with_own.contains(agent) => Some(*agent),
        Wanted::Agent(agent) => {
            return Err(refused(if with_own.is_empty() {
                format!("it holds search settings for no single agent, and so none for {agent}")
            } else {
                format!(
                    "it has no search settings for {agent}, only for {}",
                    with_own.join(", ")
                )
            }));
        }
        Wanted::Default => {
            default = config.default_agent();
            default.as_deref().filter(|it| with_own.contains(it))
        }
    };
    let mut ranking = Ranking::of(pipeline);
    let mut problems = Vec::new();
    let holding = groups.iter().filter(|group| match &group.agent {
        None => true,
        Some(own) => Some(own.as_str()) == agent,
    });
    let settings: Vec<&Setting> = holding.flat_map(|group| &group.settings).collect();
    for (parameter, key, value) in values(&settings) {
        if let Err(error) = ranking.values.set(parameter, value) {
            problems.push(format!("{key}: {error}"));
        }
    }
    for setting in settings {
        if let Effect::WrongKind(takes) = setting.effect {
            problems.push(format!("{}: {} is not {takes}", setting.key, setting.value));
        }
    }
    let agent = agent.map(str::to_owned);
    Ok(AgentConfig {
        target,
        ranking,
        config,
        agent,
        problems,
    })
}

/// Values of `candidateMultiplier` above this are treated as this, up to OpenClaw 2026.7.
const MULTIPLIER_MAX: f64 = 20.0;

/// The parameters that settings set, with the key of each, as the program takes their values.
fn values<'a>(settings: &[&'a Setting]) -> Vec<(&'static str, &'a str, Value)> {
    let mut values = Vec::new();
    for setting in settings {
        let Effect::Sets(parameter) = setting.effect else {
            continue;
        };
        let number = setting.value.as_f64().map(|number| match parameter {
            "openclaw.candidate_multiplier" => number.min(MULTIPLIER_MAX),
            _ => number,
        });
        let value = setting.value.as_bool().map(Value::Toggle);
        if let Some(value) = value.or_else(|| number.map(Value::Number)) {
            values.push((parameter, setting.key.as_str(), value));
        }
    }
    let last = |id: &str| values.iter().rev().find(|(parameter, ..)| *parameter == id);
    let is_nothing = |id: &str| last(id).is_some_and(|(.., value)| *value == Value::Number(0.0));
    const WEIGHTS: [&str; 2] = ["openclaw.vector_weight", "openclaw.text_weight"];
    // OpenClaw uses its defaults if both weights are 0.
    if WEIGHTS.iter().all(|id| is_nothing(id)) {
        values.retain(|(parameter, ..)| !WEIGHTS.contains(parameter));
    }
    values
}

impl AgentConfig {
    /// The program and its versions, as the user reads them.
    pub fn label(&self) -> &'static str {
        if self.config.settings.is_before_2026_2 {
            "OpenClaw before 2026.2"
        } else {
            self.target.label
        }
    }

    /// Reasons that make its settings void, most decisive first.
    pub fn voids(&self) -> Vec<Void> {
        self.config.voids(self.agent.as_deref())
    }

    /// The config as the window shows it.
    pub fn to_view(&self, path: String) -> memlens_wire::AgentConfig {
        let groups = &self.config.settings.groups;
        let settings = groups.iter().flat_map(|group| {
            group.settings.iter().map(|it| memlens_wire::AgentSetting {
                agent: group.agent.clone(),
                key: it.key.clone(),
                value: it.value.to_string(),
                effect: it.effect.name(),
                parameter: it.effect.parameter(),
                why: it.effect.why(),
            })
        });
        memlens_wire::AgentConfig {
            path,
            label: self.label(),
            voids: self
                .voids()
                .iter()
                .map(|it| it.sentence().to_owned())
                .collect(),
            version: self.config.settings.version.clone(),
            ranking: self.ranking.to_view(),
            settings: settings.collect(),
            agents: groups.iter().filter_map(|it| it.agent.clone()).collect(),
            problems: self.problems.clone(),
        }
    }
}

/// Reads a config, and finds the program and version that it belongs to.
///
/// # Errors
/// [`EngineError::AgentConfig`].
pub(crate) fn read(path: &Path) -> Result<(Config, &'static Target), EngineError> {
    read_with_files(path, &mut |_| ())
}

fn read_with_files(
    path: &Path,
    before: &mut dyn FnMut(&Path),
) -> Result<(Config, &'static Target), EngineError> {
    let read = read_config_and_files(path, before);
    let config = read.map_err(|why| EngineError::AgentConfig {
        path: path.to_owned(),
        why,
    })?;
    let target = target_of(&config);
    Ok((config, target))
}

/// The version that a config is of: the one that wrote it, if it says so, else the newest.
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

/// Why the version that a config is of is assumed, in a clause about it; `None` if it says one that is known.
pub(crate) fn version_assumed(config: &Config) -> Option<String> {
    let version = config.settings.version.as_deref();
    if config.program != "openclaw" || version.and_then(Edition::of).is_some() {
        return None;
    }
    Some(version.map_or_else(
        || "it does not say which version wrote it".to_owned(),
        |version| format!("no version is known by {}", memlens_params::brief(version)),
    ))
}

/// Where the config of a program usually is, whether or not it is there; `None` if the program has no usual place.
pub(crate) fn place(target: &Target, home: &Home) -> Option<PathBuf> {
    match target.takes {
        Takes::Config { place, .. } => place(home),
        Takes::Arguments(_) => None,
    }
}

/// Whether any key of a group has an effect.
pub(crate) fn acts(group: &SettingGroup) -> bool {
    let acting = |effect: &Effect| {
        matches!(
            effect,
            Effect::Sets(_) | Effect::NotEmulated(_) | Effect::Elsewhere(_)
        )
    };
    group.settings.iter().any(|it| acting(&it.effect))
}

fn edition(version: &str) -> Edition {
    Edition::of(version).unwrap_or(Edition::V2026_8)
}
