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
}

/// How far the chunks of an emulated memory are embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct EmulationProgress {
    /// How many are done.
    pub n_done: u32,
    /// Of how many that were not embedded yet.
    pub n_all: u32,
}
