//! basic-memory: `config.json`.
//!
//! Source: the settings of the published package 0.24.1, as our description has them.

use std::path::PathBuf;

use memlens_params::{Parameter, StageId};

use crate::Home;
use crate::agents::basic_memory_config;
use crate::openclaw_search::{Effect, Kind, Known};
use crate::targets::{Fit, Mapped, Own, Takes, Target};

pub(super) static TARGET: Target = Target {
    id: "basic-memory@0.24",
    label: "basic-memory 0.24",
    takes: Takes::Config {
        file: "config.json",
        root: &[],
        root_of_agent: None,
        place: |home: &Home| -> Option<PathBuf> { Some(basic_memory_config(home)) },
    },
    keys: &KEYS,
    from_memlens: map,
    otherwise: lacking,
};

pub(crate) static KEYS: [Known; 2] = [
    (
        "semantic_min_similarity",
        Kind::Number,
        Effect::Sets("basic_memory.semantic_min_similarity"),
    ),
    (
        "reranker_candidates",
        Kind::Number,
        Effect::Sets("basic_memory.reranker_candidates"),
    ),
];

fn map(own: &Own<'_>) -> Vec<Mapped> {
    if !own.reranks() {
        return Vec::new();
    }
    vec![own.set(
        "rerank_max_docs",
        "reranker_candidates",
        own.reranked(),
        Fit::Approximate("it counts notes, and its reranker must be switched on there"),
    )]
}

fn lacking(parameter: &Parameter) -> &'static str {
    if parameter.id == "basic_memory.reranker_by" {
        return "basic-memory reranks by a model of its own";
    }
    match parameter.stage {
        Some(StageId::LIMIT) => "the page size is given with each call",
        Some(StageId::THRESHOLD) => {
            "semantic_min_similarity cuts the vector list before it is joined, not the final score"
        }
        Some(StageId::FUSION) => {
            "basic-memory fixes its fusion: the greater score and 0.3 of the lesser"
        }
        Some(StageId::VECTOR | StageId::BM25) => "basic-memory sets this by itself",
        Some(StageId::RERANK) => "basic-memory has no setting for it",
        Some(_) => "basic-memory has no such step",
        None => "basic-memory cuts notes by itself",
    }
}
