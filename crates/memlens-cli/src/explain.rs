//! A search as text for a terminal.

use memlens_document::{Document, Table, Text, dim, left, note, right, strong, warn};
use memlens_engine::{OnDisk, RowReport, SearchReport, StageReport};
use memlens_rank::{ListId, Listed, number};

use crate::output::plural;

/// The number of copies named per row; `--json` has them all.
const COPIES_SHOWN: usize = 3;

/// The number of dropped rows shown; `--json` has them all.
const DROPPED_SHOWN: usize = 15;

/// Returns each result with its passage.
pub fn results(report: &SearchReport) -> Document {
    let mut page = Document::new();
    add_emulated(&mut page, report);
    for row in &report.results {
        let rank = row.rank.unwrap_or_default();
        page.line(
            strong(format!("{rank:>3}"))
                + format!("  {}  ", score(row))
                + strong(place(row))
                + "  "
                + dim(&row.source)
                + stale(row),
        );
        page.item(5, note(passage(row)));
        add_copies(&mut page, row);
    }
    if report.results.is_empty() {
        add_nothing(&mut page, report);
    }
    page
}

/// Adds the names of the copies folded into a row.
fn add_copies(page: &mut Document, row: &RowReport) {
    let n = row.copies.len();
    if n == 0 {
        return;
    }
    let named = row.copies.iter().take(COPIES_SHOWN);
    let mut named: Vec<String> = named
        .map(|copy| format!("{}:{}", copy.path, copy.start_line))
        .collect();
    if n > COPIES_SHOWN {
        named.push(format!("{} more", n - COPIES_SHOWN));
    }
    let copies = plural(n, "copy", "copies");
    page.item(5, dim(format!("and {n} {copies}: {}", named.join(", "))));
}

/// Returns every stage, then every row with its path through the stages.
pub fn trace(report: &SearchReport) -> Document {
    let mut page = Document::new();
    add_emulated(&mut page, report);
    page.heading(1, &report.query);
    page.gap();
    let width = column(report.stages.iter().map(|stage| stage.label));
    let mut stages = Table::new([
        left("").width(width),
        right("").width(16).gap(0),
        right("").width(8),
        left(""),
    ]);
    report
        .stages
        .iter()
        .for_each(|stage| stages.row(of_stage(stage)));
    page.table(stages);
    if let Some(model) = &report.model {
        page.line(dim(format!("notes embedded by {model}")));
    }
    page.gap();
    if report.results.is_empty() {
        add_nothing(&mut page, report);
    }
    for row in &report.results {
        add_row(&mut page, row, width);
    }
    if report.dropped.is_empty() {
        return page;
    }
    page.line(dim(format!(
        "── {} kept, {} dropped ──",
        report.results.len(),
        report.dropped.len()
    )));
    for row in report.dropped.iter().take(DROPPED_SHOWN) {
        let reason = row.journey.iter().find(|step| step.dropped);
        let (stage, why) = reason.map_or(("", ""), |step| (step.label, step.sentence.as_str()));
        let line = format!("{}  {}  {stage}: {why}", score(row), place(row));
        page.item(5, dim(line) + stale(row));
    }
    if report.dropped.len() > DROPPED_SHOWN {
        let n_more = report.dropped.len() - DROPPED_SHOWN;
        page.item(5, dim(format!("and {n_more} more; --json lists them all")));
    }
    page
}

/// Adds how closely the emulation follows the other program's own search.
fn add_emulated(page: &mut Document, report: &SearchReport) {
    if let Some(emulated) = &report.emulated {
        page.line(dim(format!("emulated · {}", emulated.label)));
    }
}

/// Returns the width of the column of stage labels.
fn column<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    labels
        .map(|label| label.chars().count() + 1)
        .max()
        .unwrap_or(0)
        .max(14)
}

fn of_stage(stage: &StageReport) -> Vec<Text> {
    let label = Text::from(stage.label);
    match &stage.why {
        Some(why) if stage.status == "skipped" && stage.note.is_none() => {
            let why = format!("skipped: {why}");
            vec![dim(label), "".into(), dim(why)]
        }
        Some(why) => {
            let why = format!("{}: {why}", stage.status);
            vec![label, flow(stage).into(), warn(why)]
        }
        None => {
            let time = stage.ms.map_or(String::new(), duration);
            let note = stage.note.as_deref().unwrap_or_default();
            vec![label, flow(stage).into(), time.into(), dim(note)]
        }
    }
}

fn flow(stage: &StageReport) -> String {
    format!("{} → {}", stage.n_in, stage.n_out)
}

fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => format!("{:.0} µs", ms * 1000.0),
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.0} ms"),
    }
}

fn add_row(page: &mut Document, row: &RowReport, width: usize) {
    let rank = row.rank.unwrap_or_default();
    page.line(
        strong(format!("{rank:>3}"))
            + "  "
            + strong(score(row))
            + format!("  {}  ", place(row))
            + dim(&row.source)
            + stale(row),
    );
    for step in &row.journey {
        let moved = match (step.rank_before, step.rank_after) {
            (Some(before), Some(after)) if before != after => format!("  ({before} → {after})"),
            _ => String::new(),
        };
        let label = dim(format!("{:<width$}", step.label));
        page.item(5, label + &step.sentence + moved);
        // The number of words hit is not a BM25 formula.
        let list = step.detail.get().map(|listed: &Listed| listed.list);
        if list != Some(ListId::BM25) {
            for (expression, value) in step.detail.formulas() {
                let formula = format!("{expression} = {}", number(value, 4));
                page.item(5 + width, dim(formula));
            }
        }
    }
    page.item(5, dim(note(passage(row))));
}

/// Adds what dropped the row that came nearest to being kept.
fn add_nothing(page: &mut Document, report: &SearchReport) {
    let nearest = report.dropped.first();
    let step = nearest.and_then(|row| row.journey.iter().find(|step| step.dropped));
    page.line(match nearest.zip(step) {
        Some((row, step)) => format!(
            "no results: of {} candidates, {} came closest; {}: {}",
            report.dropped.len(),
            place(row),
            step.label,
            step.sentence
        ),
        None => "no results".to_owned(),
    });
}

/// Returns the passage of a row, or the reason that there is none.
fn passage(row: &RowReport) -> &str {
    let missing = row.missing.as_deref().unwrap_or_default();
    row.snippet.as_deref().unwrap_or(missing)
}

/// Returns the remark that the note on disk differs from what was indexed; empty if it does not.
fn stale(row: &RowReport) -> Text {
    match row.on_disk.and_then(OnDisk::sentence) {
        Some(stale) => Text::from("  ") + warn(stale),
        None => Text::default(),
    }
}

fn score(row: &RowReport) -> String {
    row.score
        .map_or("  –  ".to_owned(), |score| number(score, 3))
}

fn place(row: &RowReport) -> String {
    let path = &row.path;
    if row.start_line == row.end_line {
        format!("{path}:{}", row.start_line)
    } else {
        format!("{path}:{}–{}", row.start_line, row.end_line)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlens_retrieve::Part;
    use memlens_tests::tiny::{Shelf, TINY, defaults};
    use memlens_tests::{Notes, fresh, open};

    use super::*;

    #[test]
    fn another_pipeline_is_printed_by_its_own_words() {
        let notes = Notes::new(&[("hall.md", "the hall")]);
        let dir = fresh(&[notes.path()]);
        let library = open(dir.path());
        let shelf = Arc::new(Shelf {
            folder: library.lists().snapshot.folders[0].id,
            notes: vec![
                ("hall.md", Some("the hall"), false),
                ("lamp.md", Some("a lamp"), true),
                ("tea.md", None, false),
            ],
        });
        let search = library
            .search_by("the hall", &TINY, &defaults(), shelf, Part::All)
            .unwrap();
        let mut report = memlens_engine::report(&library, &search, &defaults()).unwrap();
        for stage in &mut report.stages {
            stage.ms = None;
        }
        // This depends on whether there was time to compare the notes with the disk.
        for row in report.results.iter_mut().chain(&mut report.dropped) {
            row.on_disk = None;
        }
        let printed = trace(&report).terminal(true);
        let printed = anstream::adapter::strip_str(&printed).to_string();
        let expected = [
            "the hall",
            "",
            "Look                     3 → 3",
            "Cut                      3 → 2",
            "",
            "  1  2.000  hall.md:1  shelf",
            "     Look          2 words",
            "                   2 + 0 = 2.0000",
            "     Cut           place 1 of 2",
            "     the hall",
            "  2  0.500  lamp.md:1  shelf",
            "     Look          0 words",
            "                   0 + 0.5 = 0.5000",
            "     Cut           place 2 of 2",
            "     a lamp",
            "── 2 kept, 1 dropped ──",
            "     0.000  tea.md:1  Cut: place 3 of 2",
        ];
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert_eq!(lines, expected);
    }
}
