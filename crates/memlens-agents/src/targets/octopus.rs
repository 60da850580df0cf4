//! Octopus: `appsettings.json`. `CredentialId` refers to a credential that the user creates; no key is ever written
//! there.

use memlens_params::{Parameter, StageId};
use serde_json::json;

use crate::openclaw_search::{Effect, Kind, Known};
use crate::targets::{Fit, Mapped, Own, Takes, Target};

pub(super) static TARGET: Target = Target {
    id: "octopus",
    label: "Octopus",
    takes: Takes::Config {
        file: "appsettings.json",
        root: &["Octopus", "Reranker"],
        root_of_agent: None,
        place: |_| None,
    },
    keys: &KEYS,
    from_memlens: map,
    otherwise: lacking,
};

/// Keys below `Octopus.Reranker`.
pub(crate) static KEYS: [Known; 1] = [("TopN", Kind::Number, Effect::Sets("octopus.top_n"))];

fn map(own: &Own<'_>) -> Vec<Mapped> {
    if !own.reranks() {
        return Vec::new();
    }
    let mut mapped = vec![own.results(
        "TopN",
        Fit::Approximate("so many are left after reranking; three times as many are reranked"),
    )];
    if own.is("rerank", "http") {
        let fit = Fit::Approximate(
            "Octopus knows Cohere alone; create the credential there and set CredentialId to its number",
        );
        mapped.push(own.set("rerank", "Provider", json!("Cohere"), fit));
    } else if own.is("rerank", "model") {
        let fit =
            Fit::Approximate("set Model to the file of your model, and rerankerEnabled per agent");
        mapped.push(own.set("rerank", "Provider", json!("ONNX"), fit));
    }
    mapped
}

fn lacking(parameter: &Parameter) -> &'static str {
    if parameter.id == "octopus.rerank_by" {
        return "Octopus reranks by the provider that its credential names";
    }
    match parameter.stage {
        Some(StageId::LIMIT) => "without a reranker Octopus has no setting for it",
        Some(StageId::THRESHOLD) => "Octopus fixes a floor of 0.6 for vectors",
        Some(StageId::RERANK) => "Octopus reranks three times TopN and follows the reranker alone",
        Some(StageId::VECTOR | StageId::BM25 | StageId::FUSION) => "Octopus sets this by itself",
        Some(_) => "Octopus has no such step",
        None => "Octopus cuts notes by itself",
    }
}
