//! qmd: no settings file; every call takes its settings as arguments.

use std::fmt::Write as _;

use memlens_params::{Parameter, StageId};
use serde_json::json;

use crate::openclaw_search::{Effect, Kind, Known};
use crate::targets::{Fit, Mapped, Own, Takes, Target};

pub(super) static TARGET: Target = Target {
    id: "qmd@2.8",
    label: "qmd 2.8",
    takes: Takes::Arguments(command_line),
    keys: &KEYS,
    from_memlens: map,
    otherwise: lacking,
};

static KEYS: [Known; 5] = [
    ("command", Kind::Text, Effect::Sets("qmd.command")),
    ("limit", Kind::Number, Effect::Sets("qmd.limit")),
    ("minScore", Kind::Number, Effect::Sets("qmd.min_score")),
    (
        "candidateLimit",
        Kind::Number,
        Effect::Sets("qmd.candidate_limit"),
    ),
    ("rerank", Kind::Toggle, Effect::Sets("qmd.rerank")),
];

/// Arguments of qmd's command line, by their names over MCP. `question` is the placeholder of the query.
pub(super) fn command_line(written: &[(&str, serde_json::Value)], question: &str) -> String {
    let of = |key: &str| written.iter().find(|(written, _)| *written == key);
    let command = of("command").and_then(|(_, it)| it.as_str());
    let mut line = format!("qmd {} {question}", command.unwrap_or("query"));
    for (key, flag) in [
        ("limit", "-n"),
        ("minScore", "--min-score"),
        ("candidateLimit", "--candidate-limit"),
    ] {
        if let Some((_, value)) = of(key) {
            let _ = write!(line, " {flag} {value}");
        }
    }
    if of("rerank").is_some_and(|(_, value)| *value == json!(false)) {
        line.push_str(" --no-rerank");
    }
    line
}

fn map(own: &Own<'_>) -> Vec<Mapped> {
    let mut mapped = vec![
        own.results("limit", Fit::Approximate("it returns notes, not chunks")),
        own.least_score("minScore"),
    ];
    if !own.is_on("vector_on") {
        mapped.push(own.set("vector_on", "command", json!("search"), Fit::Exact));
    } else if !own.is_on("bm25_on") {
        mapped.push(own.set("bm25_on", "command", json!("vsearch"), Fit::Exact));
    } else if own.reranks() {
        let fit = Fit::Approximate("it counts notes, and reranks by its own model");
        mapped.push(own.set("rerank_max_docs", "candidateLimit", own.reranked(), fit));
    } else {
        mapped.push(own.set("rerank", "rerank", json!(false), Fit::Exact));
    }
    mapped
}

fn lacking(parameter: &Parameter) -> &'static str {
    if parameter.id == "qmd.rerank_by" {
        return "qmd reranks by its own model";
    }
    match parameter.stage {
        Some(StageId::FUSION) => {
            "qmd fixes its fusion: reciprocal rank, k 60, the question's own lists twice"
        }
        Some(StageId::VECTOR | StageId::BM25) => "qmd takes 20 notes of each list",
        Some(StageId::RERANK) => "qmd reranks by its own model and fixes how it counts",
        Some(_) => "qmd has no such step",
        None => "qmd cuts notes by itself",
    }
}
