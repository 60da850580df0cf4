//! A search as text for a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use memlens_engine::{OnDisk, RowReport, SearchReport, StageReport};
use memlens_rank::{ListId, Listed, number};

use crate::output::{BOLD, DIM, shown};

const WARN: Style = AnsiColor::Yellow.on_default();

/// The number of copies named per row; `--json` has them all.
const COPIES_SHOWN: usize = 3;

/// The number of dropped rows shown; `--json` has them all.
const DROPPED_SHOWN: usize = 15;

/// Writes each result with its passage.
pub fn write_results(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    write_emulated(out, report)?;
    for row in &report.results {
        let rank = row.rank.unwrap_or_default();
        writeln!(
            out,
            "{BOLD}{rank:>3}{BOLD:#}  {}  {BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}{}",
            score(row),
            place(row),
            shown(&row.source),
            stale(row)
        )?;
        writeln!(out, "     {}", shown(passage(row)))?;
        write_copies(out, row)?;
    }
    if report.results.is_empty() {
        write_nothing(out, report)?;
    }
    Ok(())
}

/// Writes the names of the copies folded into a row.
fn write_copies(out: &mut dyn Write, row: &RowReport) -> io::Result<()> {
    let n = row.copies.len();
    if n == 0 {
        return Ok(());
    }
    let named = row.copies.iter().take(COPIES_SHOWN);
    let mut named: Vec<String> = named
        .map(|copy| shown(&format!("{}:{}", copy.path, copy.start_line)).to_string())
        .collect();
    if n > COPIES_SHOWN {
        named.push(format!("{} more", n - COPIES_SHOWN));
    }
    let copies = if n == 1 { "copy" } else { "copies" };
    writeln!(
        out,
        "     {DIM}and {n} {copies}: {}{DIM:#}",
        named.join(", ")
    )
}

/// Writes every stage, then every row with its path through the stages.
pub fn write(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    write_emulated(out, report)?;
    writeln!(out, "{BOLD}{}{BOLD:#}\n", shown(&report.query))?;
    let width = column(report.stages.iter().map(|stage| stage.label));
    for stage in &report.stages {
        write_stage(out, stage, width)?;
    }
    writeln!(out)?;
    if report.results.is_empty() {
        write_nothing(out, report)?;
    }
    for row in &report.results {
        write_row(out, row, width)?;
    }
    if report.dropped.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "{DIM}── {} kept, {} dropped ──{DIM:#}",
        report.results.len(),
        report.dropped.len()
    )?;
    for row in report.dropped.iter().take(DROPPED_SHOWN) {
        let reason = row.journey.iter().find(|step| step.dropped);
        let (stage, why) = reason.map_or(("", ""), |step| (step.label, step.sentence.as_str()));
        writeln!(
            out,
            "{DIM}     {}  {}  {stage}: {}{DIM:#}{}",
            score(row),
            place(row),
            shown(why),
            stale(row)
        )?;
    }
    if report.dropped.len() > DROPPED_SHOWN {
        writeln!(
            out,
            "{DIM}     and {} more; --json lists them all{DIM:#}",
            report.dropped.len() - DROPPED_SHOWN
        )?;
    }
    Ok(())
}

/// Writes how closely the emulation follows the other program's own search.
fn write_emulated(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    match &report.emulated {
        Some(emulated) => writeln!(out, "{DIM}emulated · {}{DIM:#}", shown(&emulated.label)),
        None => Ok(()),
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

fn write_stage(out: &mut dyn Write, stage: &StageReport, width: usize) -> io::Result<()> {
    let time = stage.ms.map_or(String::new(), duration);
    let note = shown(stage.note.as_deref().unwrap_or_default());
    match stage.why.as_deref().map(shown) {
        Some(why) if stage.status == "skipped" && stage.note.is_none() => {
            writeln!(
                out,
                "{DIM}{:<width$}{:>16}  skipped: {why}{DIM:#}",
                stage.label, ""
            )
        }
        Some(why) => writeln!(
            out,
            "{:<width$}{:>16}  {WARN}{}: {why}{WARN:#}",
            stage.label,
            flow(stage),
            stage.status
        ),
        None => writeln!(
            out,
            "{:<width$}{:>16}  {time:>8}  {DIM}{note}{DIM:#}",
            stage.label,
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

fn write_row(out: &mut dyn Write, row: &RowReport, width: usize) -> io::Result<()> {
    let rank = row.rank.unwrap_or_default();
    writeln!(
        out,
        "{BOLD}{rank:>3}{BOLD:#}  {BOLD}{}{BOLD:#}  {}  {DIM}{}{DIM:#}{}",
        score(row),
        place(row),
        shown(&row.source),
        stale(row)
    )?;
    for step in &row.journey {
        let moved = match (step.rank_before, step.rank_after) {
            (Some(before), Some(after)) if before != after => format!("  ({before} → {after})"),
            _ => String::new(),
        };
        writeln!(
            out,
            "     {DIM}{:<width$}{DIM:#}{}{moved}",
            step.label,
            shown(&step.sentence)
        )?;
        // The number of words hit is not a BM25 formula.
        let list = step.detail.get().map(|listed: &Listed| listed.list);
        if list != Some(ListId::BM25) {
            for (expression, value) in step.detail.formulas() {
                writeln!(
                    out,
                    "     {DIM}{:<width$}{expression} = {}{DIM:#}",
                    "",
                    number(value, 4)
                )?;
            }
        }
    }
    writeln!(out, "     {DIM}{}{DIM:#}", shown(passage(row)))
}

/// Writes what dropped the row that came nearest to being kept.
fn write_nothing(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    let nearest = report.dropped.first();
    let step = nearest.and_then(|row| row.journey.iter().find(|step| step.dropped));
    match nearest.zip(step) {
        Some((row, step)) => writeln!(
            out,
            "no results: of {} candidates, {} came closest; {}: {}",
            report.dropped.len(),
            place(row),
            step.label,
            shown(&step.sentence)
        ),
        None => writeln!(out, "no results"),
    }
}

/// Returns the passage of a row, or the reason that there is none.
fn passage(row: &RowReport) -> &str {
    let missing = row.missing.as_deref().unwrap_or_default();
    row.snippet.as_deref().unwrap_or(missing)
}

/// Returns the remark that the note on disk differs from what was indexed; empty if it does not.
fn stale(row: &RowReport) -> String {
    row.on_disk
        .and_then(OnDisk::sentence)
        .map_or_else(String::new, |stale| format!("  {WARN}{stale}{WARN:#}"))
}

fn score(row: &RowReport) -> String {
    row.score
        .map_or("  –  ".to_owned(), |score| number(score, 3))
}

fn place(row: &RowReport) -> String {
    let path = shown(&row.path);
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
        let mut printed = Vec::new();
        write(&mut anstream::StripStream::new(&mut printed), &report).unwrap();
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
        let printed = String::from_utf8(printed).unwrap();
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert_eq!(lines, expected);
    }
}
