use std::path::{Path, PathBuf};

use memlens_document::{Document, Table, Text, dim, left, right, strong};
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
use crate::output::{notify, print, print_json};
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
        notify(notice);
    }
    print(&of_one(&comparison))
}

fn of_one(comparison: &Comparison) -> Document {
    let Comparison { a, b, .. } = comparison;
    let mut page = Document::new();
    page.line(
        Text::from("A ")
            + strong(&a.label)
            + ", B "
            + strong(&b.label)
            + format!(
                ": {} in both, {} entered, {} left, agreement of order {}",
                comparison.n_both,
                comparison.n_entered,
                comparison.n_left,
                number(comparison.overlap, 2)
            ),
    );
    add_models(&mut page, &a.model, &b.model);
    page.gap();
    let mut table = Table::new([
        right("B").width(4),
        right("A").width(3).gap(1),
        right("B").width(7),
        right("A").width(8).gap(1),
        left(""),
    ]);
    let place =
        |row: &ComparedRow| strong(&row.path) + format!(":{}–{}", row.start_line, row.end_line);
    for row in b.rows.iter().filter(|row| row.rank.is_some()) {
        let other = row.other.map(|at| &a.rows[at as usize]);
        let was = match other {
            Some(other) => other
                .rank
                .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
            None => "·".to_owned(),
        };
        table.row(vec![
            row.rank.unwrap_or_default().to_string().into(),
            was.into(),
            score_text(row.score).into(),
            score_text(other.and_then(|other| other.score)).into(),
            place(row)
                + row
                    .put_below_by
                    .as_ref()
                    .map_or_else(Text::default, |stage| {
                        Text::from("  ") + dim(format!("put below lower scores by {stage}"))
                    }),
        ]);
    }
    let left = |row: &&ComparedRow| {
        let is_kept = |at: u32| b.rows[at as usize].rank.is_some();
        row.rank.is_some() && !row.other.is_some_and(is_kept)
    };
    for row in a.rows.iter().filter(left) {
        table.row(vec![
            "–".into(),
            row.rank.unwrap_or_default().to_string().into(),
            "".into(),
            score_text(row.score).into(),
            place(row) + "  " + dim(why_left(row, b)),
        ]);
    }
    page.table(table);
    page
}

/// Adds the model that embedded the notes; both if they differ.
fn add_models(page: &mut Document, a: &Option<String>, b: &Option<String>) {
    match (a, b) {
        (Some(a), Some(b)) if a != b => {
            page.line(format!(
                "the notes were embedded by different models: for A by {a}, for B by {b}"
            ));
        }
        (Some(model), Some(_)) => page.line(format!("notes embedded by {model}")),
        (Some(a), None) => page.line(format!(
            "notes embedded for A by {a}; the model for B is not known"
        )),
        (None, Some(b)) => page.line(format!(
            "notes embedded for B by {b}; the model for A is not known"
        )),
        (None, None) => {}
    }
}

fn score_text(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

/// Returns why a row of A is not a result of B.
fn why_left(row: &ComparedRow, b: &ComparedSide) -> String {
    let other = row.other.map(|at| &b.rows[at as usize]);
    match other.and_then(|other| other.reason.as_ref()) {
        Some(reason) => reason.clone(),
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
    let file = answered_set(library, queries, arguments.topics.as_deref())?;
    let (named_a, named_b) = ((arguments.a.as_str(), a), (arguments.b.as_str(), b));
    let compared = while_comparing(library, || compare_over(library, &file, named_a, named_b))?;
    let Some(report) = compared else {
        return Err(CliError::Stopped);
    };
    for notice in &report.notices {
        notify(notice);
    }
    if arguments.json {
        return print_json(&report);
    }
    print(&of_set(&report))
}

fn change(query: &QueryChange) -> f64 {
    query.b.ndcg_10 - query.a.ndcg_10
}

fn means(report: &SetComparison) -> Table {
    let mut means = Table::new([
        left("").width(20),
        right("nDCG@10").gap(1),
        right("MRR@10").width(7).gap(1),
        right("hit rate").width(9).gap(1),
        right("results").gap(1),
    ]);
    for (name, side) in [("A", &report.a), ("B", &report.b)] {
        let mean = &side.all.mean;
        means.row(vec![
            name.into(),
            format!("{:.3}", mean.ndcg_10).into(),
            format!("{:.3}", mean.mrr_10).into(),
            format!("{:.3}", mean.hit_file).into(),
            format!("{:.1}", mean.returned).into(),
        ]);
    }
    means
}

fn changes(report: &SetComparison) -> Table {
    let mut changes = Table::new([
        left("nDCG@10").width(20),
        right("n").width(4).gap(1),
        right("A").width(7).gap(1),
        right("B").width(7).gap(1),
        right("change").width(8).gap(1),
        left("win / tie / loss"),
    ]);
    let all = ("all", &report.all);
    let by_category = report.by_category.iter();
    let by_category = by_category.map(|(name, change)| (name.as_str(), change));
    for (name, change) in by_category.chain([all]) {
        let Change { a, b, outcome, .. } = change;
        changes.row(vec![
            name.into(),
            change.n.to_string().into(),
            format!("{a:.3}").into(),
            format!("{b:.3}").into(),
            signed(b - a).into(),
            format!("{} / {} / {}", outcome.wins, outcome.ties, outcome.losses).into(),
        ]);
    }
    changes
}

fn of_set(report: &SetComparison) -> Document {
    let mut page = Document::new();
    page.line(
        Text::from("A ")
            + strong(&report.a.named)
            + ", B "
            + strong(&report.b.named)
            + format!(
                ", {} queries, mean agreement of order {}",
                report.n_queries,
                number(report.overlap, 2)
            ),
    );
    add_models(&mut page, &report.a.model, &report.b.model);
    page.gap();
    page.table(means(report));
    for (name, side) in [("A", &report.a), ("B", &report.b)] {
        if let Some(sentence) = nothing_found(&side.nonsense) {
            page.line(format!("{name}: {sentence}"));
        }
    }
    page.gap();
    page.table(changes(report));
    if let Some(verdict) = &report.verdict {
        page.line(verdict);
    }
    let mut changed: Vec<&QueryChange> = report
        .per_query
        .iter()
        .filter(|it| change(it) != 0.0)
        .collect();
    changed.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()));
    if changed.is_empty() {
        return page;
    }
    page.gap();
    page.heading(2, "Queries that differ most");
    let mut queries = Table::new([right("").width(7), left("").width(7), left("").gap(1)]);
    for query in changed.into_iter().take(QUERIES_SHOWN) {
        queries.row(vec![
            signed(change(query)).into(),
            (&query.id).into(),
            (&query.query).into(),
        ]);
    }
    page.table(queries);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_for_the_sides_of_which_it_is_known() {
        let check = |a: Option<&str>, b: Option<&str>, expected: &str| {
            let mut page = Document::new();
            add_models(&mut page, &a.map(str::to_owned), &b.map(str::to_owned));
            assert_eq!(page.terminal(true).trim_end(), expected);
        };
        check(None, None, "");
        check(Some("m"), Some("m"), "notes embedded by m");
        check(
            Some("m"),
            None,
            "notes embedded for A by m; the model for B is not known",
        );
        check(
            None,
            Some("m"),
            "notes embedded for B by m; the model for A is not known",
        );
        check(
            Some("m"),
            Some("e"),
            "the notes were embedded by different models: for A by m, for B by e",
        );
    }
}
