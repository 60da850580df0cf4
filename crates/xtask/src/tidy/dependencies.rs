//! The direction of dependency, and which library is known where.

use serde::Deserialize;

use super::Finding;
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

/// Each of our packages with those of ours that it may depend on. Tests may depend on more.
const ALLOWED: &[(&str, &[&str])] = &[
    ("memlens-params", &[]),
    ("memlens-corroborate", &[]),
    ("memlens-contradict", &["memlens-corroborate"]),
    ("memlens-document", &[]),
    ("memlens-files", &[]),
    ("memlens-embed", &["memlens-files"]),
    ("memlens-faults", &[]),
    ("memlens-ingest", &["memlens-faults"]),
    (
        "memlens-agents",
        &["memlens-files", "memlens-ingest", "memlens-params"],
    ),
    ("memlens-rerank", &["memlens-embed", "memlens-files"]),
    ("memlens-rank", &["memlens-corroborate", "memlens-params"]),
    ("memlens-eval", &["memlens-rank", "memlens-params"]),
    ("memlens-index", &["memlens-files", "memlens-ingest"]),
    ("memlens-history", &["memlens-ingest"]),
    (
        "memlens-written",
        &["memlens-files", "memlens-index", "memlens-ingest"],
    ),
    (
        "memlens-store",
        &[
            "memlens-corroborate",
            "memlens-faults",
            "memlens-files",
            "memlens-ingest",
        ],
    ),
    (
        "memlens-retrieve",
        &[
            "memlens-corroborate",
            "memlens-embed",
            "memlens-index",
            "memlens-ingest",
            "memlens-params",
            "memlens-rank",
            "memlens-store",
        ],
    ),
    (
        "memlens-emulate",
        &[
            "memlens-agents",
            "memlens-index",
            "memlens-params",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
        ],
    ),
    (
        "memlens-indexer",
        &[
            "memlens-embed",
            "memlens-faults",
            "memlens-files",
            "memlens-index",
            "memlens-ingest",
            "memlens-params",
            "memlens-store",
        ],
    ),
    (
        "memlens-wire",
        &[
            "memlens-document",
            "memlens-eval",
            "memlens-indexer",
            "memlens-params",
            "memlens-rank",
            "memlens-rerank",
        ],
    ),
    (
        "memlens-library",
        &[
            "memlens-agents",
            "memlens-contradict",
            "memlens-corroborate",
            "memlens-document",
            "memlens-embed",
            "memlens-emulate",
            "memlens-eval",
            "memlens-files",
            "memlens-index",
            "memlens-indexer",
            "memlens-ingest",
            "memlens-params",
            "memlens-rank",
            "memlens-rerank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-handover",
        &[
            "memlens-agents",
            "memlens-emulate",
            "memlens-eval",
            "memlens-files",
            "memlens-indexer",
            "memlens-library",
            "memlens-params",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-past",
        &[
            "memlens-agents",
            "memlens-document",
            "memlens-emulate",
            "memlens-eval",
            "memlens-files",
            "memlens-handover",
            "memlens-library",
            "memlens-params",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-evidence",
        &[
            "memlens-agents",
            "memlens-corroborate",
            "memlens-emulate",
            "memlens-eval",
            "memlens-files",
            "memlens-handover",
            "memlens-index",
            "memlens-ingest",
            "memlens-library",
            "memlens-params",
            "memlens-past",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-why",
        &[
            "memlens-agents",
            "memlens-document",
            "memlens-emulate",
            "memlens-evidence",
            "memlens-files",
            "memlens-handover",
            "memlens-history",
            "memlens-index",
            "memlens-ingest",
            "memlens-library",
            "memlens-params",
            "memlens-past",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
            "memlens-written",
        ],
    ),
    (
        "memlens-recall",
        &[
            "memlens-agents",
            "memlens-evidence",
            "memlens-ingest",
            "memlens-library",
            "memlens-past",
            "memlens-rank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-overview",
        &[
            "memlens-agents",
            "memlens-embed",
            "memlens-handover",
            "memlens-ingest",
            "memlens-library",
            "memlens-params",
            "memlens-past",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-note",
        &[
            "memlens-files",
            "memlens-history",
            "memlens-ingest",
            "memlens-library",
            "memlens-params",
            "memlens-past",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-map",
        &[
            "memlens-embed",
            "memlens-files",
            "memlens-index",
            "memlens-library",
            "memlens-overview",
            "memlens-params",
            "memlens-retrieve",
            "memlens-store",
            "memlens-wire",
        ],
    ),
    (
        "memlens-serve",
        &[
            "memlens-agents",
            "memlens-files",
            "memlens-handover",
            "memlens-ingest",
            "memlens-library",
            "memlens-params",
            "memlens-rank",
            "memlens-rerank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-why",
            "memlens-wire",
        ],
    ),
    (
        "memlens-engine",
        &[
            "memlens-agents",
            "memlens-embed",
            "memlens-eval",
            "memlens-evidence",
            "memlens-files",
            "memlens-handover",
            "memlens-indexer",
            "memlens-library",
            "memlens-map",
            "memlens-note",
            "memlens-overview",
            "memlens-params",
            "memlens-past",
            "memlens-recall",
            "memlens-rerank",
            "memlens-retrieve",
            "memlens-store",
            "memlens-why",
            "memlens-wire",
        ],
    ),
    (
        "memlens-cli",
        &[
            "memlens-document",
            "memlens-engine",
            "memlens-eval",
            "memlens-files",
            "memlens-rank",
            "memlens-params",
            "memlens-serve",
        ],
    ),
    (
        "memlens-app",
        &[
            "memlens-engine",
            "memlens-eval",
            "memlens-files",
            "memlens-rank",
            "memlens-params",
        ],
    ),
    ("xtask", &["memlens-params"]),
];

/// The package of tests across crates; it may know all of them and every library.
const TESTS: &str = "memlens-tests";

/// Libraries that only the named packages may know, by the beginning of their name.
const CONFINED: &[(&str, &[&str])] = &[
    ("notify", &["memlens-indexer"]),
    ("tokio", &["memlens-rerank", "memlens-serve", "memlens-app"]),
    ("rmcp", &["memlens-serve"]),
    ("hyper", &["memlens-serve"]),
    ("reqwest", &["memlens-rerank"]),
    ("keyring", &["memlens-rerank"]),
    ("process-wrap", &["memlens-rerank"]),
    (
        "rusqlite",
        &["memlens-agents", "memlens-emulate", "memlens-store"],
    ),
    ("tantivy", &["memlens-index"]),
    ("fastembed", &["memlens-embed", "memlens-rerank"]),
    ("ort", &["memlens-embed", "memlens-rerank"]),
    ("tauri", &["memlens-app"]),
    ("gix", &["memlens-history"]),
    ("bhtsne", &["memlens-map"]),
    ("ndarray", &["memlens-map"]),
];

/// What ranking must never reach for.
const PURE: &[&str] = &[
    "memlens-params",
    "memlens-corroborate",
    "memlens-contradict",
    "memlens-rank",
];
const IMPURE_LIBRARIES: &[&str] = &["rand", "log", "tracing", "rayon", "tokio", "jiff"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or none for a normal one.
    kind: Option<String>,
}

/// Checks the manifests of the workspace; also that the lock file fits them.
pub fn check(project: &Project) -> Result<Vec<Finding>> {
    let mut cargo = command::cargo(project);
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let answer = command::output(&mut cargo)?;
    let metadata: Metadata = serde_json::from_str(&answer).map_err(|error| Error::Answer {
        program: "cargo metadata".to_owned(),
        cause: error.to_string(),
    })?;
    Ok(metadata.packages.iter().flat_map(check_package).collect())
}

fn check_package(package: &Package) -> Vec<Finding> {
    let name = package.name.as_str();
    if name == TESTS {
        return Vec::new();
    }
    let finding = |rule: String| Finding {
        path: name.to_owned(),
        line: None,
        rule,
    };
    let Some((_, allowed)) = ALLOWED.iter().find(|(package, _)| *package == name) else {
        return vec![finding(
            "has no line in the table of allowed dependencies".to_owned(),
        )];
    };
    let mut findings = Vec::new();
    for dependency in &package.dependencies {
        let other = dependency.name.as_str();
        let is_ours = other.starts_with("memlens-") || other == "xtask";
        let is_for_tests = dependency.kind.as_deref() == Some("dev");
        if is_ours && !is_for_tests && !allowed.contains(&other) {
            findings.push(finding(format!("must not depend on {other}")));
        }
        let confined = CONFINED
            .iter()
            .find(|(library, _)| is_of_family(other, library));
        if let Some((_, homes)) = confined
            && !homes.contains(&name)
        {
            findings.push(finding(format!(
                "must not depend on {other}, which is reserved for {}",
                homes.join(", ")
            )));
        }
        if PURE.contains(&name) && !is_for_tests && IMPURE_LIBRARIES.contains(&other) {
            findings.push(finding(format!("is pure and must not depend on {other}")));
        }
    }
    findings
}

/// Whether `name` is `family` or an addition to it, such as `tauri-build` to `tauri`.
fn is_of_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    //! Each rule finds its breach and nothing else.

    use super::*;

    fn check_rules(name: &str, dependencies: &[(&str, Option<&str>)], expected: &[&str]) {
        let package = Package {
            name: name.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: kind.map(str::to_owned),
                })
                .collect(),
        };
        let rules: Vec<String> = check_package(&package)
            .into_iter()
            .map(|finding| finding.rule)
            .collect();
        assert_eq!(rules, expected);
    }

    #[test]
    fn dependencies_point_one_way() {
        check_rules(
            "memlens-rank",
            &[("memlens-params", None), ("serde", None)],
            &[],
        );
        check_rules(
            "memlens-rank",
            &[("memlens-store", None)],
            &["must not depend on memlens-store"],
        );
        check_rules("memlens-rank", &[("memlens-eval", Some("dev"))], &[]);
        check_rules(
            "memlens-engine",
            &[("memlens-cli", None)],
            &["must not depend on memlens-cli"],
        );
        check_rules(
            "memlens-library",
            &[("memlens-past", None)],
            &["must not depend on memlens-past"],
        );
    }

    #[test]
    fn a_library_stays_in_its_crate() {
        check_rules("memlens-store", &[("rusqlite_migration", None)], &[]);
        check_rules(
            "memlens-indexer",
            &[("rusqlite", None), ("notify-debouncer-full", None)],
            &[
                "must not depend on rusqlite, which is reserved for memlens-agents, memlens-emulate, memlens-store",
            ],
        );
        check_rules(
            "memlens-engine",
            &[("notify", None), ("memlens-indexer", None)],
            &["must not depend on notify, which is reserved for memlens-indexer"],
        );
        check_rules(
            "memlens-engine",
            &[("tauri-plugin-dialog", Some("dev"))],
            &["must not depend on tauri-plugin-dialog, which is reserved for memlens-app"],
        );
        check_rules("memlens-engine", &[("ortho", None)], &[]);
    }

    #[test]
    fn ranking_knows_no_clock_and_no_chance() {
        check_rules(
            "memlens-params",
            &[("rand", None)],
            &["is pure and must not depend on rand"],
        );
        check_rules("memlens-rank", &[("rand", Some("dev"))], &[]);
    }

    #[test]
    fn an_unknown_package_is_found() {
        check_rules(
            "memlens-new",
            &[],
            &["has no line in the table of allowed dependencies"],
        );
    }
}
