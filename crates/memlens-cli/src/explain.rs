//! A search as text for a terminal.

use anstyle::{AnsiColor, Style};
use memlens_engine::{RowReport, SearchReport, StageReport};
use memlens_rank::number;

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const WARN: Style = AnsiColor::Yellow.on_default();

/// How many dropped rows are shown; `--json` has them all.
const DROPPED_SHOWN: usize = 15;

/// Prints the results, one each with its passage.
pub fn print_results(report: &SearchReport) {
    for row in &report.results {
        let rank = row.rank.unwrap_or_default();
        anstream::println!(
            "{BOLD}{rank:>3}{BOLD:#}  {}  {BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}",
            score(row),
            place(row),
            row.source
        );
        anstream::println!("     {}", row.snippet);
    }
    if report.results.is_empty() {
        print_nothing(report);
    }
}

/// Prints every stage, then every row with its way through them.
pub fn print(report: &SearchReport) {
    anstream::println!("{BOLD}{}{BOLD:#}\n", report.query);
    for stage in &report.stages {
        print_stage(stage);
    }
    anstream::println!();
    if report.results.is_empty() {
        print_nothing(report);
    }
    for row in &report.results {
        print_row(row);
    }
    if report.dropped.is_empty() {
        return;
    }
    anstream::println!(
        "{DIM}── {} kept, {} dropped ──{DIM:#}",
        report.results.len(),
        report.dropped.len()
    );
    for row in report.dropped.iter().take(DROPPED_SHOWN) {
        let reason = row.journey.iter().find(|step| step.dropped);
        let (stage, why) = reason.map_or(("", ""), |step| (step.stage, step.sentence.as_str()));
        anstream::println!(
            "{DIM}     {}  {}  {stage}: {why}{DIM:#}",
            score(row),
            place(row)
        );
    }
    if report.dropped.len() > DROPPED_SHOWN {
        anstream::println!(
            "{DIM}     and {} more; --json has them all{DIM:#}",
            report.dropped.len() - DROPPED_SHOWN
        );
    }
}

fn print_stage(stage: &StageReport) {
    let time = stage.ms.map_or(String::new(), duration);
    let note = stage.note.as_deref().unwrap_or_default();
    match &stage.why {
        Some(why) if stage.status == "skipped" && stage.note.is_none() => {
            anstream::println!("{DIM}{:<14}{:>16}  skipped: {why}{DIM:#}", stage.id, "");
        }
        Some(why) => anstream::println!(
            "{:<14}{:>16}  {WARN}{}: {why}{WARN:#}",
            stage.id,
            flow(stage),
            stage.status
        ),
        None => anstream::println!(
            "{:<14}{:>16}  {time:>8}  {DIM}{note}{DIM:#}",
            stage.id,
            flow(stage)
        ),
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

fn print_row(row: &RowReport) {
    let rank = row.rank.unwrap_or_default();
    anstream::println!(
        "{BOLD}{rank:>3}{BOLD:#}  {BOLD}{}{BOLD:#}  {}  {DIM}{}{DIM:#}",
        score(row),
        place(row),
        row.source
    );
    for step in &row.journey {
        let moved = match (step.rank_before, step.rank_after) {
            (Some(before), Some(after)) if before != after => format!("  ({before} → {after})"),
            _ => String::new(),
        };
        anstream::println!(
            "     {DIM}{:<12}{DIM:#}{}{moved}",
            step.stage,
            step.sentence
        );
    }
    anstream::println!("     {DIM}{}{DIM:#}", row.snippet);
}

/// Tells what kept out the row that came nearest to being kept.
fn print_nothing(report: &SearchReport) {
    let nearest = report.dropped.first();
    let step = nearest.and_then(|row| row.journey.iter().find(|step| step.dropped));
    match nearest.zip(step) {
        Some((row, step)) => anstream::println!(
            "nothing passed: of {} candidates {} came nearest, {}: {}",
            report.dropped.len(),
            place(row),
            step.stage,
            step.sentence
        ),
        None => anstream::println!("nothing found"),
    }
}

fn score(row: &RowReport) -> String {
    row.score
        .map_or("  –  ".to_owned(), |score| number(score, 3))
}

fn place(row: &RowReport) -> String {
    if row.start_line == row.end_line {
        format!("{}:{}", row.path, row.start_line)
    } else {
        format!("{}:{}–{}", row.path, row.start_line, row.end_line)
    }
}
