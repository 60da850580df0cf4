//! Pipelines and their parameters as a window holds them.

use std::collections::BTreeMap;

use memlens_params::{Parameter, StageInfo, Value};
use serde::{Deserialize, Serialize};
use specta::Type;

/// What a question is ranked by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Ranking {
    /// The pipeline's id.
    pub pipeline: String,
    /// Values of its parameters by id; what is left out has its default.
    pub values: BTreeMap<String, Value>,
}

/// A pipeline that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PipelineInfo {
    /// Its id.
    pub id: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// Its parameters, in the order of its stages.
    pub parameters: Vec<Parameter>,
    /// Its stages, in their order.
    pub stages: Vec<StageInfo>,
    /// What the program's own config on this machine says; `None` if there is none, or it is of another version.
    pub yours: Option<YourConfig>,
}

/// The config of a program on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct YourConfig {
    /// The file, with `~` for the home folder.
    pub path: String,
    /// The name on screen of the ranking by it: `OpenClaw 2026.9 (yours)`; that of the pipeline if its values are not used.
    pub label: String,
    /// The values that it sets; empty if they are not used.
    pub values: BTreeMap<String, Value>,
    /// What is wrong with it, what makes it void, and what the emulation does differently.
    pub problems: Vec<String>,
}

/// How true the answers of an emulated memory are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Emulated {
    /// In a few words: `other model: order is approximate`.
    pub label: String,
    /// Why, in a sentence.
    pub why: String,
    /// The id of the agent among those of the program whose index was searched; `None` if the program's own rules are not followed.
    #[serde(skip)]
    pub member: Option<String>,
    /// Why its answers may differ from those of the program, in a clause; `None` if it searches the same notes, texts and vectors
    /// with the same embedding model.
    #[serde(skip)]
    pub why_inexact: Option<String>,
}

/// How far the chunks of an emulated memory are embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct EmulationProgress {
    /// How many are done.
    pub n_done: u32,
    /// Of how many that were not embedded yet.
    pub n_all: u32,
}
