//! What the window is told of a ranking on its way into another program.

use memlens_params::Value;
use serde::Serialize;
use specta::Type;

/// A program that can be handed a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TargetInfo {
    /// Its id, with its version.
    pub id: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// The usual name of its config; none where it is told by arguments.
    pub file: Option<&'static str>,
    /// Where its config is on this machine, with `~` for the home folder; none where there is none.
    pub config: Option<String>,
    /// Whether that config is of this version.
    pub is_of_config: bool,
}

/// A ranking as a target can be told it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Export {
    /// Names this answer: only what was shown is written.
    pub id: u32,
    /// The target's id.
    pub target: &'static str,
    /// Each parameter that acts, in the order of its table.
    pub rows: Vec<ExportRow>,
    /// The settings alone: a config with nothing else, or the arguments of a call.
    pub text: String,
    /// What becomes of the target's config; none where none is known, or it cannot be read.
    pub change: Option<ConfigChange>,
    /// Why the target's config cannot be read; none where it can, or none is known.
    pub problem: Option<String>,
}

/// A config that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WrittenConfig {
    /// The file.
    pub path: String,
    /// The file beside it that holds what it held.
    pub backup: String,
    /// The number of such files beside the config.
    pub n_backups: u32,
}

/// What becomes of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ExportRow {
    /// Its id.
    pub parameter: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// Its value.
    pub value: Value,
    /// The key that holds it there; none where there is none.
    pub key: Option<&'static str>,
    /// What would stand there, as JSON.
    pub told: Option<String>,
    /// `exact`, `approximate`, `not_expressible` or `proposed`.
    pub fit: &'static str,
    /// What a person should know of it; none where it is exact.
    pub why: Option<&'static str>,
}

/// A config before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ConfigChange {
    /// The file, with `~` for the home folder.
    pub path: String,
    /// What changes, as a unified diff without texts and comments; empty where nothing does.
    pub diff: String,
    /// Whether it already holds all of these settings.
    pub is_same: bool,
    /// What a person should know before they write it.
    pub notes: Vec<String>,
    /// Why it cannot be written; none where it can.
    pub refused: Option<String>,
    /// The watched folder that it lies in; none where it lies in none.
    pub watched: Option<String>,
    /// The program's agents, where each can be told by itself.
    pub agents: Vec<String>,
}

/// The setting of another program that comes nearest to a ranking, on judged queries.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NearestSetting {
    /// That program's pipeline with the values found.
    pub ranking: super::Ranking,
    /// Its name on screen.
    pub label: &'static str,
    /// Each parameter that differs from its default there, with its value.
    pub changed: Vec<String>,
    /// nDCG@10 of the ranking that was to be handed over.
    pub full: f64,
    /// nDCG@10 of the settings as they are mapped.
    pub mapped: f64,
    /// nDCG@10 of the settings found.
    pub found: f64,
    /// How many queries it was chosen by.
    pub n_queries: u32,
    /// How many settings were tried.
    pub n_tried: u32,
    /// What the user must know of the queries.
    pub notices: Vec<String>,
}

/// What an agent's config says of its search.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentConfig {
    /// The file, with `~` for the home folder.
    pub path: String,
    /// The program and version that it is taken for.
    pub label: &'static str,
    /// The version that wrote it; none where it does not say.
    pub version: Option<String>,
    /// What makes the settings void, most decisive first: the version refuses the file, the search is switched off.
    pub voids: Vec<String>,
    /// That version's pipeline, with its values.
    pub ranking: super::Ranking,
    /// Each key.
    pub settings: Vec<AgentSetting>,
    /// The agents that set something of their own.
    pub agents: Vec<String>,
    /// Values that the search does not take; its defaults stand for them.
    pub problems: Vec<String>,
}

/// One key of an agent's config.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentSetting {
    /// The agent whose it is; none for one of all.
    pub agent: Option<String>,
    /// Its path in the config, joined by dots.
    pub key: String,
    /// Its value, as JSON.
    pub value: String,
    /// `sets`, `elsewhere`, `not_emulated`, `without_effect`, `refused` or `wrong_kind`.
    pub effect: &'static str,
    /// The parameter that it sets; none where it sets none.
    pub parameter: Option<&'static str>,
    /// Why it sets none; none where it does.
    pub why: Option<&'static str>,
}
