//! View types of handing a ranking over to another program.

use memlens_params::Value;
use serde::Serialize;
use specta::Type;

/// A program that can receive a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TargetInfo {
    /// Id of the target, with its version.
    pub id: &'static str,
    /// Name of the program on screen.
    pub label: &'static str,
    /// Usual file name of its config; `None` if it takes arguments instead.
    pub file: Option<&'static str>,
    /// Path of its config on this machine, with `~` for the home folder; `None` if none was found.
    pub config: Option<String>,
    /// Whether that config is of this version.
    pub is_of_config: bool,
}

/// A ranking in the form of a target's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Export {
    /// Number of this answer; only settings that were shown can be written.
    pub id: u32,
    /// Id of the target, with its version.
    pub target: &'static str,
    /// Each parameter that has an effect, in the order of its table.
    pub rows: Vec<ExportRow>,
    /// The settings alone: a config without anything else, or the arguments of a call.
    pub text: String,
    /// Notice to show to the user: the library's embedding model, where the target may use another; also among the notes of `change`.
    pub model: String,
    /// Change of the target's config; `None` if no config is known, or it cannot be read.
    pub change: Option<ConfigChange>,
    /// Why the target's config cannot be read; `None` if it can, or no config is known.
    pub problem: Option<String>,
}

/// A config file that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WrittenConfig {
    /// Path of the changed file.
    pub path: String,
    /// Path of the backup beside it, with the previous contents.
    pub backup: String,
    /// Number of such backups beside the config.
    pub n_backups: u32,
    /// What the program does not take of the file as it was read back; empty if it takes all of it.
    pub problems: Vec<String>,
}

/// One parameter and its form in the target.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ExportRow {
    /// Id of the parameter in its table.
    pub parameter: &'static str,
    /// Name of the parameter on screen.
    pub label: &'static str,
    /// Value of the parameter in the ranking.
    pub value: Value,
    /// Config key that holds it in the target; `None` if the target has none.
    pub key: Option<&'static str>,
    /// Value under that key, as JSON; `None` if it is not written.
    #[serde(rename = "told")]
    pub written: Option<String>,
    /// How well the target can express the value: `exact`, `approximate`, `not_expressible` or `proposed`.
    pub fit: &'static str,
    /// Notice to show to the user; `None` if the fit is exact.
    pub why: Option<&'static str>,
}

/// A config file before and after the change.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ConfigChange {
    /// Path of the file, with `~` for the home folder.
    pub path: String,
    /// The change as a unified diff without texts and comments; empty if nothing changes.
    pub diff: String,
    /// Whether the file already contains all of these settings.
    pub is_same: bool,
    /// Notices to show to the user before the file is written.
    pub notes: Vec<String>,
    /// Why the file cannot be written; `None` if it can.
    pub refused: Option<String>,
    /// Watched folder that contains the file; `None` if none does.
    pub watched: Option<String>,
    /// Agents of the program that can be configured separately.
    pub agents: Vec<String>,
    /// The ranking by the file as it is; `None` if the program's search is not emulated.
    pub before: Option<super::Ranking>,
    /// The ranking by the file after the change, as `before`.
    pub after: Option<super::Ranking>,
}

/// The settings of another program that come nearest to a ranking on judged queries.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NearestSetting {
    /// Pipeline of that program with the values found.
    pub ranking: super::Ranking,
    /// Name of that pipeline on screen.
    pub label: &'static str,
    /// Each parameter with a non-default value, with that value.
    pub changed: Vec<String>,
    /// nDCG@10 of the ranking to be handed over.
    pub full: f64,
    /// nDCG@10 of the settings as mapped directly.
    pub mapped: f64,
    /// nDCG@10 of the settings found by the search.
    pub found: f64,
    /// Number of queries that chose the settings.
    pub n_queries: u32,
    /// Number of settings that were tried.
    pub n_tried: u32,
    /// What the user must know of the queries.
    pub notices: Vec<String>,
}

/// Search settings in an agent's config.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentConfig {
    /// Path of the file, with `~` for the home folder.
    pub path: String,
    /// Program and version that the config is read for.
    pub label: &'static str,
    /// Version that wrote the file; `None` if it does not say.
    pub version: Option<String>,
    /// What makes the settings void, most decisive first: the version rejects the file, or the search is switched off.
    pub voids: Vec<String>,
    /// Pipeline of that version, with the values of the file.
    pub ranking: super::Ranking,
    /// One entry for each key of the search settings.
    pub settings: Vec<AgentSetting>,
    /// Agents with settings of their own.
    pub agents: Vec<String>,
    /// Values that the search rejects; it uses its defaults instead.
    pub problems: Vec<String>,
}

/// A key of an agent's config.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AgentSetting {
    /// Agent that the key applies to; `None` for all agents.
    pub agent: Option<String>,
    /// Path of the key, joined by dots.
    pub key: String,
    /// Value of the key, as JSON.
    pub value: String,
    /// Effect of the key: `sets`, `elsewhere`, `not_emulated`, `without_effect`, `refused` or `wrong_kind`.
    pub effect: &'static str,
    /// Id of the parameter that the key sets; `None` if it sets none.
    pub parameter: Option<&'static str>,
    /// Why it sets no parameter; `None` if it does.
    pub why: Option<&'static str>,
}
