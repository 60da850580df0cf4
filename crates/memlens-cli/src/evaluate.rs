//! `memlens eval`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use memlens_engine::{Library, QueryFile, Run};
use memlens_eval::{
    FilesPassing, Place, Query, Scores, Summary, by_category, files_passing, score,
};
use memlens_params::Values;
use serde::Serialize;

use crate::arguments::EvalArgs;
use crate::error::CliError;
use crate::output::{print_json, print_text, shown, tell};
use crate::settings::{open, ranking};

#[derive(Serialize)]
struct EvalReport<'a> {
    schema_version: u32,
    queries: String,
    n_queries: usize,
    scope: &'static str,
    pipeline: &'static str,
    params: &'a Values,
    all: Summary,
    by_category: BTreeMap<String, Summary>,
    files_passing: FilesPassing,
    per_query: Vec<QueryReport<'a>>,
}

#[derive(Serialize)]
struct QueryReport<'a> {
    id: &'a str,
    query: &'a str,
    category: Option<&'a str>,
    #[serde(flatten)]
    scores: Scores,
}

#[derive(Serialize)]
struct RunLine<'a> {
    id: &'a str,
    results: Vec<RunResult<'a>>,
}

#[derive(Serialize)]
struct RunResult<'a> {
    #[serde(flatten)]
    place: &'a Place,
    score: f64,
}

/// Asks every query and prints what the ranking is worth.
pub fn run(library: Option<PathBuf>, arguments: &EvalArgs) -> Result<(), CliError> {
    let ranking = ranking(&arguments.ranking)?;
    let set = query_set(&arguments.queries)?;
    let library = open(library)?;
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let preset = arguments.ranking.settings.preset.as_deref();
    let inputs: Vec<&Path> = preset.into_iter().chain([&*arguments.queries]).collect();
    if let Some(path) = &arguments.run_out {
        library.refuse_output(path, &inputs)?;
    }
    warn_of_missing(&library, &set);
    let bar = progress(set.queries.len());
    let runs = set
        .queries
        .iter()
        .map(|query| {
            bar.inc(1);
            let run = library.run_query(query, &set.base, &ranking, arguments.pooled)?;
            for notice in &run.notices {
                tell(format_args!("query {}: {notice}", query.id));
            }
            Ok(run)
        })
        .collect::<Result<Vec<Run>, CliError>>()?;
    bar.finish_and_clear();
    if let Some(path) = &arguments.run_out {
        library.write_output(&run_text(&set.queries, &runs), path, &inputs)?;
    }

    let scores: Vec<Scores> = set
        .queries
        .iter()
        .zip(&runs)
        .map(|(query, run)| score(&query.relevant, &run.places))
        .collect();
    let scored = || set.queries.iter().zip(&scores);
    let report = EvalReport {
        schema_version: 1,
        queries: arguments.queries.display().to_string(),
        n_queries: set.queries.len(),
        scope: if arguments.pooled {
            "pooled"
        } else {
            "in scope"
        },
        pipeline: ranking.pipeline.id().0,
        params: &ranking.values,
        all: Summary::of(&scores).expect("there is at least one query"),
        by_category: by_category(
            scored().map(|(query, scores)| (query.category.as_deref(), scores)),
        ),
        files_passing: files_passing(
            set.queries
                .iter()
                .zip(runs.iter().map(|run| run.places.as_slice())),
        ),
        per_query: scored()
            .map(|(query, scores)| QueryReport {
                id: &query.id,
                query: &query.query,
                category: query.category.as_deref(),
                scores: *scores,
            })
            .collect(),
    };
    if arguments.json {
        return print_json(&report);
    }
    print_text(|out| write(out, &report))
}

/// Reads a query set, and tells which lines it leaves out.
pub fn query_set(path: &Path) -> Result<QueryFile, CliError> {
    let file = QueryFile::read(path)?;
    for line in &file.left_out {
        tell(line);
    }
    Ok(file.with_queries()?)
}

/// Tells where notes that hold the answers are not in the library.
pub fn warn_of_missing(library: &Library, file: &QueryFile) {
    if let Some(missing) = library.missing_answers(file) {
        tell(missing);
    }
}

/// Shows how many queries of so many were asked.
pub fn progress(n: usize) -> ProgressBar {
    ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::stderr())
}

/// What was returned for each query, a JSON object a line.
fn run_text(queries: &[Query], runs: &[Run]) -> Vec<u8> {
    let mut text = Vec::new();
    for (query, run) in queries.iter().zip(runs) {
        let results = run
            .places
            .iter()
            .zip(&run.scores)
            .map(|(place, score)| RunResult {
                place,
                score: *score,
            })
            .collect();
        let line = RunLine {
            id: &query.id,
            results,
        };
        serde_json::to_writer(&mut text, &line).expect("plain data can always be written as JSON");
        text.push(b'\n');
    }
    text
}

fn write(out: &mut dyn Write, report: &EvalReport<'_>) -> io::Result<()> {
    writeln!(
        out,
        "{:<16}{:>5}{:>9}{:>9}{:>10}{:>9}{:>9}{:>9}",
        "", "n", "nDCG@10", "MRR@10", "recall@10", "file", "file@1", "returned"
    )?;
    let mut line = |name: &str, Summary { n, mean }: &Summary| {
        writeln!(
            out,
            "{:<16}{:>5}{:>9.4}{:>9.4}{:>10.4}{:>9.4}{:>9.4}{:>9.1}",
            shown(name).to_string(),
            n,
            mean.ndcg_10,
            mean.mrr_10,
            mean.recall_10,
            mean.hit_file,
            mean.hit_file_1,
            mean.returned
        )
    };
    line("all", &report.all)?;
    for (name, summary) in &report.by_category {
        line(name, summary)?;
    }
    writeln!(
        out,
        "files passing with at least 3 of their queries: {} of {}",
        report.files_passing.n_passing, report.files_passing.n_files
    )
}
