//! OpenViking: `ov.conf`. Unknown keys are ignored with a warning, so they look applied and do nothing.
//!
//! Source: the settings of the published package 0.5.2, as our description has them.

use std::path::PathBuf;

use memlens_params::{Parameter, StageId};

use crate::Home;
use crate::agents::openviking_config;
use crate::openclaw_search::{Effect, Kind, Known};
use crate::targets::{Fit, Mapped, Own, Takes, Target};

/// Fewer input tokens are refused, but for 0, which cuts nothing.
const INPUT_TOKENS_MIN: f64 = 128.0;

pub(super) static TARGET: Target = Target {
    id: "openviking@0.5",
    label: "OpenViking 0.5",
    takes: Takes::Config {
        file: "ov.conf",
        root: &[],
        root_of_agent: None,
        place: |home: &Home| -> Option<PathBuf> { Some(openviking_config(home)) },
    },
    keys: &KEYS,
    from_memlens: map,
    otherwise: lacking,
};

pub(crate) const UNREAD: Effect =
    Effect::Without("0.5.2 reads it nowhere: the limit is given with each call");
pub(crate) const PROPOSED: Effect = Effect::Without("proposed, and not released: 0.5.2 ignores it");

pub(crate) static KEYS: [Known; 7] = [
    (
        "rerank.threshold",
        Kind::Number,
        Effect::Sets("openviking.rerank_threshold"),
    ),
    (
        "rerank.max_input_tokens",
        Kind::Number,
        Effect::NotEmulated("it cuts what the reranker reads, which is not asked here"),
    ),
    ("rerank.max_docs", Kind::Number, PROPOSED),
    ("rerank.max_chars_per_doc", Kind::Number, PROPOSED),
    (
        "rerank.timeout",
        Kind::Number,
        Effect::NotEmulated("no call is waited for here"),
    ),
    ("default_search_limit", Kind::Number, UNREAD),
    ("default_search_mode", Kind::Text, UNREAD),
];

fn map(own: &Own<'_>) -> Vec<Mapped> {
    if !own.reranks() {
        return Vec::new();
    }
    let mut mapped = vec![
        own.set(
            "rerank_max_docs",
            "rerank.max_docs",
            own.number("rerank_max_docs"),
            Fit::Proposed("0.5.2 ignores it and reranks twice the limit of each call"),
        ),
        own.set(
            "rerank_timeout_ms",
            "rerank.timeout",
            own.number("rerank_timeout_ms") / 1000.0,
            Fit::Approximate("in seconds; a provider called cohere waits 30 s whatever is set"),
        ),
    ];
    let characters = own.number("rerank_max_chars");
    if characters > 0.0 {
        mapped.push(own.set(
            "rerank_max_chars",
            "rerank.max_input_tokens",
            (characters / 4.0).round().max(INPUT_TOKENS_MIN),
            Fit::Approximate(
                "it counts 4 characters as a token, of question and text together, and takes 128 at least; \
                 rerank.max_chars_per_doc is proposed and does nothing in 0.5.2",
            ),
        ));
    }
    if let Some(least) = own.optional("rerank_threshold") {
        mapped.push(own.set(
            "rerank_threshold",
            "rerank.threshold",
            least,
            Fit::Approximate(
                "it also cuts the vector scores of find, and of a search whose reranker failed",
            ),
        ));
    }
    mapped
}

fn lacking(parameter: &Parameter) -> &'static str {
    if parameter.id == "openviking.rerank_by" {
        return "OpenViking reranks by the provider that its configuration names";
    }
    match parameter.stage {
        Some(StageId::LIMIT) => {
            "the limit is given with each call; default_search_limit is read nowhere"
        }
        Some(StageId::VECTOR | StageId::BM25 | StageId::FUSION) => {
            "OpenViking ranks by vectors alone"
        }
        Some(StageId::THRESHOLD) => {
            "its one threshold cuts reranked scores and vectors alike, on another scale"
        }
        Some(StageId::RERANK) => "OpenViking follows its reranker alone",
        Some(_) => "OpenViking has no such step",
        None => "OpenViking cuts notes by itself",
    }
}
