use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memlens_engine::view::{
    Change, ComparedRow, ComparedSide, Comparison, QueryChange, SetComparison,
};
use memlens_engine::{
    Library, Part, Ranking, compare, compare_over, pipeline, preset, read_ranking,
};
use memlens_eval::signed;
use memlens_rank::number;

use crate::arguments::CompareArgs;
use crate::error::CliError;
use crate::evaluate::{answered_set, nothing_found};
use crate::output::{BOLD, DIM, print_json, print_text, shown, tell};
use crate::settings::{of_program, open_to_search, search_as, while_comparing, without_hook};

/// The number of queries shown for each side, those that differ most.
const QUERIES_SHOWN: usize = 10;

/// Compares two rankings for one question, or over a query set.
pub fn run(library: Option<PathBuf>, arguments: &CompareArgs) -> Result<(), CliError> {
    let library = open_to_search(library)?;
    let a = ranking(library, &arguments.a)?;
    let b = ranking(library, &arguments.b)?;
    match &arguments.queries {
        Some(queries) => over_queries(library, &a, &b, queries, arguments),
        None => one_question(library, &a, &b, arguments),
    }
}

/// Returns the ranking that was typed: `default`, a program, a file, or the name of a preset.
pub fn ranking(library: &Library, typed: &str) -> Result<Ranking, CliError> {
    if typed == "default" {
        return Ok(Ranking::of(pipeline("memlens")?));
    }
    if let Some(preset) = preset::presets(library)?
        .into_iter()
        .find(|it| it.name == typed)
    {
        return Ok(Ranking::native(&preset.params));
    }
    let path = Path::new(typed);
    if path.extension().is_some_and(|it| it == "json") || path.is_file() {
        let mut ranking = read_ranking(path)?;
        without_hook(&mut ranking)?;
        return Ok(ranking);
    }
    of_program(typed)
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

/// Returns why a row of A is not a result of B.
fn why_left(row: &ComparedRow, b: &ComparedSide) -> String {
    let other = row.other.map(|at| &b.rows[at as usize]);
    match other.and_then(|other| other.reason.as_ref()) {
        Some(reason) => shown(reason).to_string(),
        None => format!("not near the results of {}", b.label),
    }
}

fn over_queries(
    library: &Library,
    a: &Ranking,
    b: &Ranking,
    queries: &Path,
    arguments: &CompareArgs,
) -> Result<(), CliError> {
    let file = answered_set(queries, arguments.topics.as_deref())?;
    let (named_a, named_b) = ((arguments.a.as_str(), a), (arguments.b.as_str(), b));
    let compared = while_comparing(library, || compare_over(library, &file, named_a, named_b))?;
    let Some(report) = compared else {
        return Err(CliError::Stopped);
    };
    for notice in &report.notices {
        tell(notice);
    }
    if arguments.json {
        return print_json(&report);
    }
    print_text(|out| write_set(out, &report))
}

fn change(query: &QueryChange) -> f64 {
    query.b.ndcg_10 - query.a.ndcg_10
}

fn write_set(out: &mut dyn Write, report: &SetComparison) -> io::Result<()> {
    writeln!(
        out,
        "A {BOLD}{}{BOLD:#}, B {BOLD}{}{BOLD:#}, {} queries, mean overlap {}\n",
        shown(&report.a.named),
        shown(&report.b.named),
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
    for (name, side) in [("A", &report.a), ("B", &report.b)] {
        if let Some(told) = nothing_found(&side.nonsense) {
            writeln!(out, "{name}: {told}")?;
        }
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
            change.outcome.wins,
            change.outcome.ties,
            change.outcome.losses
        )
    };
    for (name, change) in &report.by_category {
        line(name, change)?;
    }
    line("all", &report.all)?;
    let mut changed: Vec<&QueryChange> = report
        .per_query
        .iter()
        .filter(|it| change(it) != 0.0)
        .collect();
    changed.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()));
    if !changed.is_empty() {
        writeln!(out, "\n{BOLD}Queries that differ most{BOLD:#}")?;
    }
    for query in changed.into_iter().take(QUERIES_SHOWN) {
        writeln!(
            out,
            "{:>7}  {:<8}{}",
            signed(change(query)),
            shown(&query.id),
            shown(&query.query)
        )?;
    }
    Ok(())
}
