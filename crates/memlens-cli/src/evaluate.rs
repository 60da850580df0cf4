//! `memlens eval`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use memlens_engine::{Library, Run};
use memlens_eval::{
    FilesPassing, Place, Query, QuerySet, Scores, Summary, by_category, files_passing, score,
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
    let (_, set) = query_set(&arguments.queries)?;
    let library = open(library)?;
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let base = base(&arguments.queries)?;
    let preset = arguments.ranking.settings.preset.as_deref();
    let inputs: Vec<&Path> = preset.into_iter().chain([&*arguments.queries]).collect();
    if let Some(path) = &arguments.run_out {
        library.refuse_output(path, &inputs)?;
    }
    warn_of_missing(&library, &base, &set.queries);
    let bar = progress(set.queries.len());
    let runs = set
        .queries
        .iter()
        .map(|query| {
            bar.inc(1);
            let run = library.run_query(query, &base, &ranking, arguments.pooled)?;
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

/// Reads a query set, its bytes too; tells which lines it leaves out.
pub fn query_set(path: &Path) -> Result<(Vec<u8>, QuerySet), CliError> {
    let bytes = read(path)?;
    let set = QuerySet::parse(&bytes);
    for bad in &set.bad_lines {
        tell(format_args!(
            "{}:{}: skipped: {}",
            path.display(),
            bad.line,
            bad.why
        ));
    }
    if set.queries.is_empty() {
        return Err(CliError::NoQueries {
            path: path.to_owned(),
            why: "it has no judged queries".to_owned(),
        });
    }
    Ok((bytes, set))
}

/// Shows how many queries of so many were asked.
pub fn progress(n: usize) -> ProgressBar {
    ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::stderr())
}

/// More is no file that a person wrote or exported, bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Reads a file of the person's.
pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let file_error = |source| CliError::File {
        attempt: "read",
        path: path.to_owned(),
        source,
    };
    let bytes = memlens_files::read(path, FILE_BYTES_MAX).map_err(file_error)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let why = format!("it is larger than {} MiB", FILE_BYTES_MAX >> 20);
        return Err(file_error(io::Error::other(why)));
    }
    Ok(bytes)
}

/// The folder that the paths of the query set are relative to.
pub fn base(queries: &Path) -> Result<PathBuf, CliError> {
    let resolved = queries.canonicalize().map_err(|source| CliError::File {
        attempt: "read",
        path: queries.to_owned(),
        source,
    })?;
    Ok(resolved.parent().map(Path::to_owned).unwrap_or_default())
}

/// When the notes that hold the answers are not in the library: every figure would be 0.
pub fn warn_of_missing(library: &Library, base: &Path, queries: &[Query]) {
    let there = library.note_paths();
    let gold: BTreeSet<&str> = queries
        .iter()
        .flat_map(|query| &query.relevant)
        .map(|place| place.path.as_str())
        .collect();
    let n_missing = gold
        .iter()
        .filter(|path| !there.contains(&base.join(path)))
        .count();
    if n_missing > 0 {
        tell(format_args!(
            "{n_missing} of the {} notes with answers are not in the library; index {} first",
            gold.len(),
            base.display()
        ));
    }
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
