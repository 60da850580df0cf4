//! OpenClaw: its config, by the three editions whose searches differ.
//!
//! Sources: the schemas of the published packages 2026.2.12, 2026.7.35, 2026.8.1 and 2026.9.6. Since 2026.8 the schema is strict:
//! an unknown key is refused, and with it the whole config.

use std::path::PathBuf;

use memlens_params::{Parameter, StageId};
use serde_json::json;

use crate::Home;
use crate::agents::openclaw_config;
use crate::openclaw_search::{
    FEB_2026 as KEYS_FEB_2026, SINCE_2026_8 as KEYS_SINCE_2026_8, UP_TO_2026_7 as KEYS_UP_TO_2026_7,
};
use crate::targets::{Fit, Mapped, Own, Takes, Target};

const FILE: &str = "openclaw.json";

pub(super) static SINCE_2026_8: Target = Target {
    id: "openclaw@2026.9",
    label: "OpenClaw 2026.8 and later",
    takes: Takes::Config {
        file: FILE,
        root: &["memory", "search"],
        root_of_agent: Some(|agent| {
            ["agents", "entries", agent, "memory", "search"]
                .map(str::to_owned)
                .to_vec()
        }),
        place,
    },
    keys: KEYS_SINCE_2026_8,
    from_memlens: |own| {
        vec![
            own.results(MAX_RESULTS, Fit::Exact),
            own.least_score(MIN_SCORE),
        ]
    },
    otherwise: fixed,
};

pub(super) static UP_TO_2026_7: Target = Target {
    id: "openclaw@2026.7",
    label: "OpenClaw 2026.3 to 2026.7",
    takes: OLDER,
    keys: KEYS_UP_TO_2026_7,
    from_memlens: since_march,
    otherwise: lacking,
};

pub(super) static FEB_2026: Target = Target {
    id: "openclaw@2026.2",
    label: "OpenClaw 2026.2",
    takes: OLDER,
    keys: KEYS_FEB_2026,
    from_memlens: sum_and_cut,
    otherwise: lacking,
};

const OLDER: Takes = Takes::Config {
    file: FILE,
    root: &["agents", "defaults", "memorySearch"],
    root_of_agent: None,
    place,
};

fn place(home: &Home) -> Option<PathBuf> {
    Some(openclaw_config(home))
}

const MAX_RESULTS: &str = "query.maxResults";
const MIN_SCORE: &str = "query.minScore";

/// Mapping for every edition before 2026.8.
fn sum_and_cut(own: &Own<'_>) -> Vec<Mapped> {
    let summed = Fit::Approximate(
        "it adds cosine and keyword score by these shares; how Memlens combines the lists is left out",
    );
    let is_summed = own.is_on("fusion_on") && own.is_on("vector_on") && own.is_on("bm25_on");
    let (vector, text) = if is_summed {
        (own.number("vector_weight"), own.number("text_weight"))
    } else if own.is_on("vector_on") {
        (1.0, 0.0)
    } else {
        (0.0, 1.0)
    };
    let results = own.number("max_results").max(1.0);
    let per_result = |depth: &str| (own.number(depth) / results).ceil().clamp(1.0, 20.0);
    let depth = if own.number("vector_depth") >= own.number("bm25_depth") {
        "vector_depth"
    } else {
        "bm25_depth"
    };
    let mut mapped = vec![
        own.results(MAX_RESULTS, Fit::Exact),
        own.least_score(MIN_SCORE),
        own.set("vector_weight", "query.hybrid.vectorWeight", vector, summed),
        own.set("text_weight", "query.hybrid.textWeight", text, summed),
        own.set(
            depth,
            "query.hybrid.candidateMultiplier",
            per_result(depth),
            Fit::Approximate(
                "both lists are as deep, in multiples of maxResults, 200 chunks at most",
            ),
        ),
    ];
    for (characters, key) in [
        ("chunk_chars", "chunking.tokens"),
        ("chunk_overlap_chars", "chunking.overlap"),
    ] {
        if own.is_changed(characters) {
            let fit = Fit::Approximate("it counts 4 characters as a token and keeps whole lines");
            mapped.push(own.set(characters, key, (own.number(characters) / 4.0).round(), fit));
        }
    }
    let bm25 = own.is_on("bm25_on");
    mapped.push(own.set("bm25_on", "query.hybrid.enabled", bm25, Fit::Exact));
    mapped
}

fn since_march(own: &Own<'_>) -> Vec<Mapped> {
    let mut mapped = sum_and_cut(own);
    let half_life = own.number("half_life_days");
    let decays = own.is_on("decay_on") && half_life > 0.0;
    let key = "query.hybrid.temporalDecay.enabled";
    mapped.push(own.set("decay_on", key, json!(decays), Fit::Exact));
    if decays {
        let fit = Fit::Approximate(
            "it takes a note's age from the date in its name; undated memory does not decay",
        );
        let key = "query.hybrid.temporalDecay.halfLifeDays";
        mapped.push(own.set("half_life_days", key, half_life, fit));
    }
    let lambda = own.number("mmr_lambda");
    let diversifies = own.is_on("diversity_on") && lambda < 1.0;
    let key = "query.hybrid.mmr.enabled";
    mapped.push(own.set("diversity_on", key, json!(diversifies), Fit::Exact));
    if diversifies {
        let fit = Fit::Approximate("it compares words, Memlens compares vectors");
        mapped.push(own.set("mmr_lambda", "query.hybrid.mmr.lambda", lambda, fit));
    }
    mapped
}

/// Why a version since 2026.8 cannot express a parameter.
fn fixed(parameter: &Parameter) -> &'static str {
    match (parameter.id, parameter.stage) {
        (
            "vector_weight" | "text_weight" | "openclaw.vector_weight" | "openclaw.text_weight",
            _,
        ) => "2026.8 and later fix the weights at 0.7 and 0.3, and refuse the key",
        ("vector_depth" | "bm25_depth" | "openclaw.candidate_multiplier", _) => {
            "2026.8 and later fix both lists at 200 chunks, and refuse the key"
        }
        ("half_life_days" | "openclaw.decay_on" | "openclaw.half_life_days", _) => {
            "2026.8 and later always decay dated notes by 30 days, and refuse the key"
        }
        ("mmr_lambda" | "openclaw.mmr_on" | "openclaw.mmr_lambda", _) => {
            "2026.8 and later always use MMR with lambda 0.7, and refuse the key"
        }
        (
            "chunk_chars"
            | "chunk_overlap_chars"
            | "openclaw.chunk_tokens"
            | "openclaw.chunk_overlap",
            _,
        ) => "2026.8 and later fix how notes are cut, and refuse the key",
        _ => lacking(parameter),
    }
}

/// Why no version can express a parameter.
fn lacking(parameter: &Parameter) -> &'static str {
    match parameter.stage {
        Some(StageId::FUSION) => "OpenClaw always adds weighted scores",
        Some(StageId::VECTOR | StageId::BM25) => "OpenClaw sets this by itself",
        Some(StageId::RERANK) => "OpenClaw has no reranker",
        Some(StageId::CORROBORATION) => "OpenClaw compares no notes with each other",
        Some(StageId::FEEDBACK) => "OpenClaw has no thumbs",
        Some(StageId::DECAY | StageId::DIVERSITY) => "OpenClaw 2026.2 has no such step",
        Some(StageId::REPEATS) => "OpenClaw keeps overlapping chunks where they rank",
        Some(StageId::THRESHOLD) => "OpenClaw has no other cut than minScore",
        Some(StageId::HOOK) => "OpenClaw runs no command of yours after a search",
        Some(StageId::BUDGET) => "OpenClaw counts results, not tokens",
        _ => "OpenClaw has no setting for it",
    }
}
