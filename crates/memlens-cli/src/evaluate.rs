use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use memlens_document::{Document, Table, left, right};
use memlens_engine::tuning::NamedSet;
use memlens_engine::{
    JudgedFile, Library, QueryFile, Ranking, Run, RunDrop, RunRecord, answers_outside,
    folded_sentence, judged, models, preset, run_query, values_in_file,
};
use memlens_eval::{
    FilesPassing, Metric, NO_CATEGORY, Nonsense, Place, Query, Scores, Summary, by_category,
    files_passing, score,
};
use serde::Serialize;

use crate::arguments::EvalArgs;
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::{open, ranking};

#[derive(Serialize)]
struct EvalReport<'a> {
    schema_version: u32,
    queries: String,
    /// The number of queries that have an answer.
    n_queries: usize,
    scope: &'static str,
    pipeline: &'static str,
    params: serde_json::Value,
    /// `None` if no query has an answer.
    all: Option<Summary>,
    /// The hashes of the queries and of the notes searched. A later run compared with this one reports if they differ.
    queries_hash: String,
    corpus: String,
    /// The id of the model that embedded the notes; `None` if it is not known.
    model: Option<String>,
    nonsense: Nonsense,
    /// The share of nonsense queries that returned nothing; `None` if there are no such queries.
    nothing: Option<f64>,
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
    scores: serde_json::Value,
}

#[derive(Serialize)]
struct RunLine<'a> {
    id: &'a str,
    /// The id of the model that embedded the notes; `None` if it is not known.
    model: Option<&'a str>,
    results: Vec<RunResult<'a>>,
}

#[derive(Serialize)]
struct RunResult<'a> {
    #[serde(flatten)]
    place: &'a Place,
    score: f64,
}

/// Runs every query and prints the scores of the ranking.
pub fn run(library: Option<PathBuf>, arguments: &EvalArgs) -> Result<(), CliError> {
    let ranking = ranking(&arguments.ranking)?;
    let library = open(library)?;
    let set = query_set(&library, &arguments.queries, arguments.topics.as_deref())?;
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let preset = arguments.ranking.settings.preset.as_deref();
    let inputs: Vec<&Path> = [
        preset,
        arguments.topics.as_deref(),
        arguments.baseline.as_deref(),
    ]
    .into_iter()
    .flatten()
    .chain(set.input())
    .collect();
    if let Some(path) = &arguments.run_out {
        library.refuse_output(path, &inputs)?;
    }
    let judged = judged(&library, &set)?;
    for notice in &judged.notices {
        notify(notice);
    }
    let runs = run_all(&library, &judged, &set, &ranking, arguments.pooled)?;
    if let Some(path) = &arguments.run_out {
        library.write_output(&run_text(&set, &runs), path, &inputs)?;
    }

    let report = report(&library, arguments, &set, &ranking, (&judged, &runs));
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&page(&report))?;
    }
    match &arguments.baseline {
        None => Ok(()),
        Some(path) => compare_with(
            path,
            &report,
            metric(&arguments.metric)?,
            arguments.max_drop,
        ),
    }
}

/// Runs every query, and reports notices and answers that the ranking cannot find.
fn run_all(
    library: &Library,
    judged: &JudgedFile<'_>,
    set: &QueryFile,
    ranking: &Ranking,
    is_pooled: bool,
) -> Result<Vec<Run>, CliError> {
    let answers = judged.queries.iter().filter_map(Query::gold).flatten();
    let answers: Vec<PathBuf> = answers.map(|place| PathBuf::from(&place.path)).collect();
    let answers = answers.iter().map(PathBuf::as_path);
    if let Some(outside) = answers_outside(library, ranking, answers)? {
        notify(outside);
    }
    let bar = progress(judged.queries.len());
    let is_of_library = ranking.is_of_library();
    let runs = library
        .in_turn(&judged.queries, |query| {
            is_of_library.then_some(&*query.query)
        })
        .map(|query| {
            bar.inc(1);
            let run = run_query(library, query, &set.base, ranking, is_pooled)?;
            for notice in &run.notices {
                notify(format_args!("query {}: {notice}", query.id));
            }
            Ok(run)
        })
        .collect::<Result<Vec<Run>, CliError>>()?;
    bar.finish_and_clear();
    if let Some(said) = folded_sentence(runs.iter().map(|run| run.n_folded).sum()) {
        notify(said);
    }
    Ok(runs)
}

/// Scores the runs, one for each query.
fn report<'a>(
    library: &Library,
    arguments: &EvalArgs,
    set: &QueryFile,
    ranking: &Ranking,
    (judged, runs): (&'a JudgedFile<'_>, &[Run]),
) -> EvalReport<'a> {
    let mut scored: Vec<(&Query, Scores)> = Vec::new();
    let mut nonsense = Nonsense::default();
    for (query, run) in judged.queries.iter().zip(runs) {
        match query.gold() {
            Some(gold) => scored.push((query, score(gold, &run.places))),
            None => nonsense.add(run.places.len()),
        }
    }
    let scored = || scored.iter().map(|(query, scores)| (*query, scores));
    EvalReport {
        schema_version: 1,
        queries: set.path.display().to_string(),
        n_queries: scored().count(),
        scope: if arguments.pooled {
            "pooled"
        } else {
            "in scope"
        },
        pipeline: ranking.pipeline.id().0,
        params: values_in_file(&ranking.values),
        all: Summary::of(scored().map(|(_, scores)| scores)),
        queries_hash: set.version.clone(),
        corpus: preset::fingerprint(library),
        model: models(runs.iter().map(|run| run.model.as_deref())),
        nonsense,
        nothing: nonsense.share(),
        by_category: by_category(
            scored().map(|(query, scores)| (query.category.as_deref(), scores)),
        ),
        files_passing: files_passing(
            judged
                .queries
                .iter()
                .zip(runs.iter().map(|run| run.places.as_slice())),
        ),
        per_query: scored()
            .map(|(query, scores)| QueryReport {
                id: &query.id,
                query: &query.query,
                category: query.category.as_deref(),
                scores: counted(scores),
            })
            .collect(),
    }
}

/// Reports the change of a metric since an earlier run.
///
/// # Errors
/// [`CliError::Dropped`] if the metric fell by more than is allowed, or if the metric is undefined for more queries
/// than before.
///
/// [`CliError::Engine`] if the file cannot be read, is not a run, or has no query in common with `report`.
fn compare_with(
    path: &Path,
    report: &EvalReport<'_>,
    metric: Metric,
    max_drop: f64,
) -> Result<(), CliError> {
    let before = RunRecord::read(path)?;
    let now = serde_json::to_value(report).and_then(serde_json::from_value::<RunRecord>);
    let now = now.expect("a report is a run");
    let RunDrop {
        row,
        fell_by,
        n_lost,
        verdict,
        notices,
    } = before.drop_to(&now, metric)?;
    for notice in notices.into_iter().chain(verdict) {
        notify(notice);
    }
    let figure = |figure: Option<f64>| figure.map_or_else(String::new, |it| format!("{it:.4}"));
    let change = format!(
        "{} {} now, {} in {}; {} better, {} the same, {} worse",
        metric.label(),
        figure(row.now),
        figure(row.pinned),
        path.display(),
        row.wins,
        row.ties,
        row.losses
    );
    // The tolerance keeps a rounding error from counting as a drop.
    if fell_by > max_drop + 1e-9 || n_lost > 0 {
        return Err(CliError::Dropped { change, max_drop });
    }
    notify(change);
    Ok(())
}

/// Returns the metric with this name.
pub fn metric(named: &str) -> Result<Metric, CliError> {
    named.parse().map_err(CliError::from)
}

/// Reads a query set with at least one judged query, and reports what it leaves out.
fn query_set(
    library: &Library,
    named: &Path,
    topics: Option<&Path>,
) -> Result<QueryFile, CliError> {
    Ok(read(library, named, topics)?.with_queries()?)
}

/// Reads a query set with at least one query that has an answer, and reports what it leaves out.
pub fn answered_set(
    library: &Library,
    named: &Path,
    topics: Option<&Path>,
) -> Result<QueryFile, CliError> {
    Ok(read(library, named, topics)?.with_answers()?)
}

/// Reads the file or the library's query set with this name.
fn read(library: &Library, named: &Path, topics: Option<&Path>) -> Result<QueryFile, CliError> {
    let queries = NamedSet::find(library, named, topics)?.into_file(library)?;
    for line in &queries.left_out {
        notify(line);
    }
    Ok(queries)
}

/// Returns a bar for `n` queries, drawn on standard error.
pub fn progress(n: usize) -> ProgressBar {
    ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::stderr())
}

/// The scores of one query as JSON, with the number of results as an integer.
fn counted(scores: &Scores) -> serde_json::Value {
    let mut value = serde_json::json!(scores);
    value["returned"] = (scores.returned as u64).into();
    value
}

/// Returns the results of each query as JSON Lines.
fn run_text(set: &QueryFile, runs: &[Run]) -> Vec<u8> {
    let mut text = Vec::new();
    for (query, run) in set.queries.iter().zip(runs) {
        let places = run.places_from(&set.base);
        let results = places
            .iter()
            .zip(&run.scores)
            .map(|(place, score)| RunResult {
                place,
                score: *score,
            })
            .collect();
        let line = RunLine {
            id: &query.id,
            model: run.model.as_deref(),
            results,
        };
        serde_json::to_writer(&mut text, &line).expect("plain data can always be written as JSON");
        text.push(b'\n');
    }
    text
}

fn page(report: &EvalReport<'_>) -> Document {
    let mut page = Document::new();
    if let Some(model) = &report.model {
        page.line(format!("notes embedded by {model}"));
    }
    let mut table = Table::new([
        left("").width(16),
        right("n").width(4).gap(1),
        right("nDCG@10").width(8).gap(1),
        right("MRR@10").width(8).gap(1),
        right("recall@10").gap(1),
        right("hit@1").width(7).gap(1),
        right("precision").gap(1),
        right("file").width(7).gap(1),
        right("file@1").width(7).gap(1),
        right("returned").width(9).gap(1),
    ]);
    let figure = |it: f64| format!("{it:.4}").into();
    let all = report.all.iter().map(|all| ("all", all));
    // A single category has the figures of all queries.
    let by_category = report
        .by_category
        .iter()
        .filter(|_| report.by_category.len() > 1);
    let by_category = by_category.map(|(name, summary)| match name.as_str() {
        NO_CATEGORY => ("no category", summary),
        name => (name, summary),
    });
    for (name, Summary { n, mean, .. }) in all.chain(by_category) {
        table.row(vec![
            name.into(),
            n.to_string().into(),
            figure(mean.ndcg_10),
            figure(mean.mrr_10),
            figure(mean.recall_10),
            figure(mean.hit_1),
            mean.precision.map_or_else(|| "–".into(), figure),
            figure(mean.hit_file),
            figure(mean.hit_file_1),
            format!("{:.1}", mean.returned).into(),
        ]);
    }
    if report.all.is_none() {
        page.line(
            "no query of this set has an answer, so nDCG@10 and the other figures of rank do not apply",
        );
        page.line(format!(
            "questions without an answer for which something was found: {} of {}",
            report.nonsense.n - report.nonsense.n_nothing,
            report.nonsense.n
        ));
    } else {
        page.table(table);
    }
    if let Some(all) = report.all.filter(|all| all.n_undefined > 0) {
        page.line(format!(
            "nothing was returned for {} of {}: precision leaves them out",
            all.n_undefined, all.n
        ));
    }
    if report.all.is_some() && report.files_passing.n_files > 0 {
        page.line(format!(
            "files passing with at least 3 of their queries: {} of {}",
            report.files_passing.n_passing, report.files_passing.n_files
        ));
    }
    if let Some(sentence) = nothing_found(&report.nonsense) {
        page.line(sentence);
    }
    page
}

/// Returns a sentence on the questions without an answer; `None` if there are none.
pub fn nothing_found(nonsense: &Nonsense) -> Option<String> {
    (nonsense.n > 0).then(|| {
        format!(
            "questions without an answer for which nothing was found: {} of {}",
            nonsense.n_nothing, nonsense.n
        )
    })
}
