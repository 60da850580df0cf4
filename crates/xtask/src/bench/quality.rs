//! Ranking quality of the built `memlens` on sets of notes with known answers.
//!
//! Everything is measured through the command line, as the user would see it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Figure, Target};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::run;
use crate::setup::{self, Install, Purpose};

/// One set of questions, what else is in the library, and what the defaults should reach.
struct Set {
    name: &'static str,
    /// Folders below the sets' folder; the questions are in the first.
    folders: &'static [&'static str],
    /// Whether a question is asked of its own sub-folder only.
    is_in_scope: bool,
    ndcg_target: f64,
    hit_file_target: Option<f64>,
}

const SETS: &[Set] = &[
    Set {
        name: "agent-memory-57",
        folders: &["agent-memory-57"],
        is_in_scope: false,
        ndcg_target: 0.85,
        hit_file_target: Some(0.96),
    },
    Set {
        name: "agent-memory-57 among locomo",
        folders: &["agent-memory-57", "locomo"],
        is_in_scope: false,
        ndcg_target: 0.77,
        hit_file_target: None,
    },
    Set {
        name: "locomo in scope",
        folders: &["locomo"],
        is_in_scope: true,
        ndcg_target: 0.765,
        hit_file_target: None,
    },
    Set {
        name: "qmsum in scope",
        folders: &["qmsum"],
        is_in_scope: true,
        ndcg_target: 0.75,
        hit_file_target: None,
    },
];

/// Other ways to rank, for comparison: name and what is set for it.
const OTHERS: &[(&str, &str)] = &[
    ("vector alone", "bm25_on=false"),
    ("bm25 alone", "vector_on=false"),
    ("fusion=rrf", "fusion=rrf"),
    ("rerank=late", "rerank=late"),
    ("corroboration", "corroboration_on=true"),
    ("diversity 0.9", "mmr_lambda=0.9"),
    ("diversity 0.7", "mmr_lambda=0.7"),
    // Not decay: the notes of these sets have no honest dates.
];

/// The two lists that the defaults must not fall below.
const N_LISTS: usize = 2;

/// Builds `memlens`, indexes each set in `sets` and evaluates it; missing sets are named and skipped.
pub fn measure(project: &Project, sets: &Path) -> Result<Vec<Figure>> {
    let open_error = |source: std::io::Error| Error::Open {
        path: sets.to_owned(),
        cause: source.to_string(),
    };
    let sets = fs::canonicalize(sets).map_err(open_error)?;
    setup::setup(project, Purpose::Terminal, Install::Missing)?;
    run::build(project, &["memlens"])?;
    let mut figures = Vec::new();
    for set in SETS {
        let folders: Vec<PathBuf> = set.folders.iter().map(|name| sets.join(name)).collect();
        if let Some(absent) = folders.iter().find(|folder| !folder.is_dir()) {
            eprintln!("Skipping {}: no folder {}", set.name, absent.display());
            continue;
        }
        figures.extend(measure_set(project, set, &folders)?);
    }
    Ok(figures)
}

fn measure_set(project: &Project, set: &Set, folders: &[PathBuf]) -> Result<Vec<Figure>> {
    // Kept between runs: nothing unchanged is embedded again.
    let library = project
        .root
        .join("target/bench")
        .join(set.name.replace(' ', "-"));
    let memlens = || {
        let mut memlens = Command::new(project.program("memlens"));
        memlens.arg("--library").arg(&library);
        memlens
    };
    command::run(memlens().arg("index").args(folders))?;
    let queries = folders
        .first()
        .expect("every set has a folder")
        .join("queries.jsonl");
    let evaluate = |setting: Option<&str>| -> Result<Value> {
        let mut memlens = memlens();
        memlens.arg("eval").arg(&queries).arg("--json");
        memlens.arg(if set.is_in_scope {
            "--in-scope"
        } else {
            "--pooled"
        });
        if let Some(setting) = setting {
            memlens.args(["--set", setting]);
        }
        let answer = command::output(&mut memlens)?;
        serde_json::from_str(&answer).map_err(|error| Error::Answer {
            program: command::line(&memlens),
            cause: error.to_string(),
        })
    };
    let figure = |name: String, value: f64, target: Option<Target>| Figure {
        name,
        value,
        unit: String::new(),
        target,
        note: String::new(),
    };

    let ours = evaluate(None)?;
    let mut figures = Vec::new();
    let mut best_list = f64::NEG_INFINITY;
    for (index, (name, setting)) in OTHERS.iter().enumerate() {
        let ndcg = metric(&evaluate(Some(setting))?, "ndcg@10")?;
        if index < N_LISTS {
            best_list = best_list.max(ndcg);
        }
        figures.push(figure(format!("{}: nDCG@10, {name}", set.name), ndcg, None));
    }
    let target = Target::AtLeast(set.ndcg_target.max(best_list));
    let ndcg = metric(&ours, "ndcg@10")?;
    figures.insert(
        0,
        figure(
            format!("{}: nDCG@10, defaults", set.name),
            ndcg,
            Some(target),
        ),
    );
    if let Some(target) = set.hit_file_target {
        figures.push(figure(
            format!("{}: hit rate by file, defaults", set.name),
            metric(&ours, "hit_file")?,
            Some(Target::AtLeast(target)),
        ));
    }
    Ok(figures)
}

fn metric(answer: &Value, name: &str) -> Result<f64> {
    answer["all"][name].as_f64().ok_or_else(|| Error::Answer {
        program: "memlens eval".to_owned(),
        cause: format!("no metric {name}"),
    })
}
