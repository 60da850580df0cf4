//! `memlens compare`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use memlens_engine::view::{ComparedRow, ComparedSide, Comparison};
use memlens_engine::{Library, Part, Ranking, compare, pipeline, read_ranking};
use memlens_eval::{Query, QuerySet, Scores, Summary, rank_biased_overlap, score};
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::CompareArgs;
use crate::error::CliError;
use crate::evaluate::{base, read, warn_of_missing};
use crate::output::{BOLD, DIM, print_json, print_text, shown, tell};
use crate::settings::{open, search_as};

/// How many queries are told that differ most, to either side.
const QUERIES_SHOWN: usize = 10;

/// Compares two rankings for one question, or over a query set.
pub fn run(library: Option<PathBuf>, arguments: &CompareArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let a = ranking(&library, &arguments.a)?;
    let b = ranking(&library, &arguments.b)?;
    match &arguments.queries {
        Some(queries) => over_queries(&library, &a, &b, queries, arguments),
        None => one_question(&library, &a, &b, arguments),
    }
}

/// A ranking as it was typed: `default`, a program, a file, or the name of a preset.
fn ranking(library: &Library, typed: &str) -> Result<Ranking, CliError> {
    if typed == "default" {
        return Ok(Ranking::of(pipeline("memlens")?));
    }
    if let Some(preset) = library.presets()?.into_iter().find(|it| it.name == typed) {
        return Ok(Ranking::native(&preset.params));
    }
    let path = Path::new(typed);
    if path.extension().is_some_and(|it| it == "json") || path.is_file() {
        return Ok(read_ranking(path)?);
    }
    Ok(Ranking::of(pipeline(typed)?))
}

fn one_question(
    library: &Library,
    a: &Ranking,
    b: &Ranking,
    arguments: &CompareArgs,
) -> Result<(), CliError> {
    let query = arguments.query.as_deref().unwrap_or_default();
    let part = match &arguments.scope {
        Some(typed) => Part::Folder(library.scope(typed)?),
        None => Part::All,
    };
    let by_a = search_as(library, query, a, part.clone())?;
    let by_b = search_as(library, query, b, part)?;
    let comparison = compare((&by_a, a), (&by_b, b))?;
    if arguments.json {
        return print_json(&comparison);
    }
    for notice in comparison.a.notices.iter().chain(&comparison.b.notices) {
        tell(notice);
    }
    print_text(|out| write_one(out, &comparison))
}

fn write_one(out: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    let Comparison { a, b, .. } = comparison;
    writeln!(
        out,
        "A {BOLD}{}{BOLD:#}, B {BOLD}{}{BOLD:#}: {} in both, {} entered, {} left, overlap {}\n",
        a.label,
        b.label,
        comparison.n_both,
        comparison.n_entered,
        comparison.n_left,
        number(comparison.overlap, 2)
    )?;
    writeln!(
        out,
        "{DIM}{:>4}{:>4}  {:>7}{:>9}{DIM:#}",
        "B", "A", "B", "A"
    )?;
    for row in b.rows.iter().filter(|row| row.rank.is_some()) {
        let other = row.other.map(|at| &a.rows[at as usize]);
        let was = match other {
            Some(other) => other
                .rank
                .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
            None => "·".to_owned(),
        };
        writeln!(
            out,
            "{:>4}{:>4}  {:>7}{:>9}  {BOLD}{}{BOLD:#}:{}–{}",
            row.rank.unwrap_or_default(),
            was,
            told(row.score),
            told(other.and_then(|other| other.score)),
            shown(&row.path),
            row.start_line,
            row.end_line
        )?;
    }
    let left = |row: &&ComparedRow| {
        let is_kept = |at: u32| b.rows[at as usize].rank.is_some();
        row.rank.is_some() && !row.other.is_some_and(is_kept)
    };
    for row in a.rows.iter().filter(left) {
        writeln!(
            out,
            "{:>4}{:>4}  {:>7}{:>9}  {BOLD}{}{BOLD:#}:{}–{}  {DIM}{}{DIM:#}",
            "–",
            row.rank.unwrap_or_default(),
            "",
            told(row.score),
            shown(&row.path),
            row.start_line,
            row.end_line,
            why_left(row, b)
        )?;
    }
    Ok(())
}

fn told(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

/// Why a row of A is no result of B.
fn why_left(row: &ComparedRow, b: &ComparedSide) -> String {
    let other = row.other.map(|at| &b.rows[at as usize]);
    match other.and_then(|other| other.reason.as_ref()) {
        Some(reason) => shown(reason).to_string(),
        None => format!("not near the results of {}", b.label),
    }
}

#[derive(Serialize)]
struct SetComparison<'a> {
    queries: String,
    n_queries: usize,
    a: Compared<'a>,
    b: Compared<'a>,
    /// The mean overlap of both lists.
    overlap: f64,
    by_category: BTreeMap<String, Change>,
    all: Change,
    per_query: Vec<QueryChange<'a>>,
}

#[derive(Serialize)]
struct Compared<'a> {
    named: &'a str,
    pipeline: &'static str,
    all: Summary,
}

/// How nDCG@10 changes from A to B.
#[derive(Debug, Clone, Default, Serialize)]
struct Change {
    n: usize,
    a: f64,
    b: f64,
    wins: usize,
    ties: usize,
    losses: usize,
}

impl Change {
    fn add(&mut self, a: &Scores, b: &Scores) {
        let n = self.n as f64;
        self.a = (self.a * n + a.ndcg_10) / (n + 1.0);
        self.b = (self.b * n + b.ndcg_10) / (n + 1.0);
        self.n += 1;
        match b.ndcg_10.total_cmp(&a.ndcg_10) {
            std::cmp::Ordering::Greater => self.wins += 1,
            std::cmp::Ordering::Equal => self.ties += 1,
            std::cmp::Ordering::Less => self.losses += 1,
        }
    }
}

#[derive(Serialize)]
struct QueryChange<'a> {
    id: &'a str,
    query: &'a str,
    category: Option<&'a str>,
    a: Scores,
    b: Scores,
    overlap: f64,
}

impl QueryChange<'_> {
    fn change(&self) -> f64 {
        self.b.ndcg_10 - self.a.ndcg_10
    }
}

fn over_queries(
    library: &Library,
    a: &Ranking,
    b: &Ranking,
    queries: &Path,
    arguments: &CompareArgs,
) -> Result<(), CliError> {
    let set = QuerySet::parse(&read(queries)?);
    for bad in &set.bad_lines {
        tell(format_args!(
            "{}:{}: skipped: {}",
            queries.display(),
            bad.line,
            bad.why
        ));
    }
    if set.queries.is_empty() {
        return Err(CliError::NoQueries {
            path: queries.to_owned(),
            why: "it has no judged queries".to_owned(),
        });
    }
    let base = base(queries)?;
    warn_of_missing(library, &base, &set.queries);
    for ranking in [a, b] {
        if let Some(params) = ranking.params() {
            library.aggregate_for(&params)?;
        }
    }
    let bar =
        ProgressBar::with_draw_target(Some(set.queries.len() as u64), ProgressDrawTarget::stderr());
    let per_query = set
        .queries
        .iter()
        .map(|query| {
            bar.inc(1);
            compare_query(library, query, &base, a, b)
        })
        .collect::<Result<Vec<QueryChange<'_>>, CliError>>()?;
    bar.finish_and_clear();
    let mut all = Change::default();
    let mut by_category: BTreeMap<String, Change> = BTreeMap::new();
    for change in &per_query {
        all.add(&change.a, &change.b);
        if let Some(category) = change.category {
            by_category
                .entry(category.to_owned())
                .or_default()
                .add(&change.a, &change.b);
        }
    }
    let summary = |scores: Vec<&Scores>| Summary::of(scores).expect("there is at least one query");
    let report = SetComparison {
        queries: queries.display().to_string(),
        n_queries: per_query.len(),
        a: Compared {
            named: &arguments.a,
            pipeline: a.pipeline.id().0,
            all: summary(per_query.iter().map(|it| &it.a).collect()),
        },
        b: Compared {
            named: &arguments.b,
            pipeline: b.pipeline.id().0,
            all: summary(per_query.iter().map(|it| &it.b).collect()),
        },
        overlap: per_query.iter().map(|it| it.overlap).sum::<f64>() / per_query.len() as f64,
        by_category,
        all,
        per_query,
    };
    if arguments.json {
        return print_json(&report);
    }
    print_text(|out| write_set(out, &report))
}

fn compare_query<'a>(
    library: &Library,
    query: &'a Query,
    base: &Path,
    a: &Ranking,
    b: &Ranking,
) -> Result<QueryChange<'a>, CliError> {
    let by_a = library.run_query(query, base, a, false)?;
    let by_b = library.run_query(query, base, b, false)?;
    for notice in by_a.notices.iter().chain(&by_b.notices) {
        tell(format_args!("query {}: {notice}", query.id));
    }
    // The same note and lines that overlap are the same; each place of B is at most one of A.
    let mut taken = vec![false; by_a.places.len()];
    let items: Vec<usize> = (0..)
        .zip(&by_b.places)
        .map(|(at, place)| {
            let mut of_a = by_a.places.iter().enumerate();
            match of_a.find(|(at, it)| !taken[*at] && it.overlaps(place)) {
                Some((same, _)) => {
                    taken[same] = true;
                    same
                }
                None => by_a.places.len() + at,
            }
        })
        .collect();
    let of_a: Vec<usize> = (0..by_a.places.len()).collect();
    Ok(QueryChange {
        id: &query.id,
        query: &query.query,
        category: query.category.as_deref(),
        a: score(&query.relevant, &by_a.places),
        b: score(&query.relevant, &by_b.places),
        overlap: rank_biased_overlap(&of_a, &items, memlens_engine::OVERLAP_P),
    })
}

fn write_set(out: &mut dyn Write, report: &SetComparison<'_>) -> io::Result<()> {
    writeln!(
        out,
        "A {BOLD}{}{BOLD:#}, B {BOLD}{}{BOLD:#}, {} queries, mean overlap {}\n",
        shown(report.a.named),
        shown(report.b.named),
        report.n_queries,
        number(report.overlap, 2)
    )?;
    writeln!(
        out,
        "{:<20}{:>8}{:>8}{:>10}{:>8}",
        "", "nDCG@10", "MRR@10", "hit rate", "results"
    )?;
    for (name, side) in [("A", &report.a), ("B", &report.b)] {
        let mean = &side.all.mean;
        writeln!(
            out,
            "{name:<20}{:>8.3}{:>8.3}{:>10.3}{:>8.1}",
            mean.ndcg_10, mean.mrr_10, mean.hit_file, mean.returned
        )?;
    }
    writeln!(
        out,
        "\n{:<20}{:>5}{:>8}{:>8}{:>9}  win / tie / loss",
        "nDCG@10", "n", "A", "B", "change"
    )?;
    let mut line = |name: &str, change: &Change| {
        writeln!(
            out,
            "{:<20}{:>5}{:>8.3}{:>8.3}{:>9}  {} / {} / {}",
            shown(name).to_string(),
            change.n,
            change.a,
            change.b,
            signed(change.b - change.a),
            change.wins,
            change.ties,
            change.losses
        )
    };
    for (name, change) in &report.by_category {
        line(name, change)?;
    }
    line("all", &report.all)?;
    let mut changed: Vec<&QueryChange<'_>> = report
        .per_query
        .iter()
        .filter(|it| it.change() != 0.0)
        .collect();
    changed.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
    if !changed.is_empty() {
        writeln!(out, "\n{BOLD}Queries that differ most{BOLD:#}")?;
    }
    for change in changed.iter().take(QUERIES_SHOWN) {
        writeln!(
            out,
            "{:>7}  {:<8}{}",
            signed(change.change()),
            change.id,
            shown(change.query)
        )?;
    }
    Ok(())
}

/// A change with its sign.
fn signed(change: f64) -> String {
    if change > 0.0 {
        format!("+{}", number(change, 3))
    } else {
        number(change, 3)
    }
}
