//! View types of pipelines and their parameters.

use std::collections::BTreeMap;

use memlens_params::{Parameter, StageInfo, Value};
use serde::{Deserialize, Serialize};
use specta::Type;

/// A pipeline with values of its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Ranking {
    /// Id of the pipeline that ranks.
    pub pipeline: String,
    /// Parameter values by id; a missing parameter has its default.
    pub values: BTreeMap<String, Value>,
}

/// A pipeline that the user can choose.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PipelineInfo {
    /// Id of the pipeline, as settings name it.
    pub id: &'static str,
    /// Name of the pipeline on screen.
    pub label: &'static str,
    /// Parameters of the pipeline, in the order of its stages.
    pub parameters: Vec<Parameter>,
    /// Stages of the pipeline, in order.
    pub stages: Vec<StageInfo>,
    /// What the program's own config on this machine says; `None` if there is none, or it is of another version.
    pub yours: Option<YourConfig>,
    /// Whether it is the one that its program uses on this machine: that of its config's version, else the newest.
    pub is_own: bool,
}

/// Config of a program on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct YourConfig {
    /// Path of the file, with `~` for the home folder.
    pub path: String,
    /// The name on screen of the ranking by it: `OpenClaw 2026.9 (yours)`; that of the pipeline if its values are not used.
    pub label: String,
    /// The values that it sets; empty if they are not used.
    pub values: BTreeMap<String, Value>,
    /// Why the version that it is of is assumed, in a clause about the file; `None` if it says its version.
    pub version_assumed: Option<String>,
    /// What is wrong with it, what makes it void, and what the emulation does differently.
    pub problems: Vec<String>,
}

/// How closely the answers of an emulated memory match those of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Emulated {
    /// Short label, such as `other model: order is approximate`.
    pub label: String,
    /// Reason for that label, as a sentence.
    pub why: String,
    /// The id of the agent among those of the program whose index was searched; `None` if the program's own rules are not followed.
    #[serde(skip)]
    pub member: Option<String>,
    /// Why its answers may differ from those of the program, in a clause; `None` if it searches the same notes, texts and vectors
    /// with the same embedding model.
    #[serde(skip)]
    pub why_inexact: Option<String>,
}

/// Progress of embedding the chunks of an emulated memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct EmulationProgress {
    /// Number of chunks that are embedded.
    pub n_done: u32,
    /// Number of chunks that were not embedded yet.
    pub n_all: u32,
}
