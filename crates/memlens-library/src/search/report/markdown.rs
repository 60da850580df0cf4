//! A search stage by stage as a document, to paste into a report.

use memlens_document::{Document, Table, Text, code, left, place, right};
use memlens_params::ParameterSet;
use memlens_rank::number;
use memlens_wire::OnDisk;

use super::{RowReport, SearchReport, StageReport, StepReport};
use crate::markdown::add_texts;
use crate::search::Search;
use crate::search::report::report;
use crate::{EngineError, Library, Ranking};

/// Number of dropped rows listed, nearest to the results first.
const DROPPED_NAMED: usize = 15;

/// A search with a ranking, stage by stage; with the texts of its best results, or without any text of a note.
/// `preset` is the user's name for the ranking.
///
/// # Errors
/// As [`crate::report`].
pub(crate) fn trace_markdown(
    library: &Library,
    search: &Search,
    ranking: &Ranking,
    preset: Option<&str>,
    with_text: bool,
) -> Result<String, EngineError> {
    let report = report(library, search, &ranking.values)?;
    let mut document = Document::new();
    add_head(&mut document, &report, ranking, preset);
    add_stages(&mut document, &report.stages);
    add_results(&mut document, &report);
    add_dropped(&mut document, &report.dropped);
    if with_text && !report.results.is_empty() {
        document.heading(2, "Texts");
        add_texts(&mut document, search, search.rank(&ranking.values).kept())?;
    }
    let home = library.home();
    let home = home.map(|home| home.folder().display().to_string());
    // A home folder at the root would match every separator.
    if let Some(home) = home.filter(|home| home.len() > 1) {
        document.replace(&home, "~");
    }
    Ok(document.markdown(with_text))
}

fn add_head(
    document: &mut Document,
    report: &SearchReport,
    ranking: &Ranking,
    preset: Option<&str>,
) {
    document.heading(1, format!("Search: {}", report.query));
    let pipeline = ranking.pipeline;
    let preset = preset.map_or_else(String::new, |name| format!(", preset “{name}”"));
    document.item(
        0,
        Text::from(format!("Ranked by: {} (", pipeline.label()))
            + code(pipeline.id().0)
            + format!("){preset}"),
    );
    let values = ranking.values.changed();
    let mut changed = Text::from("Changed from its defaults: ");
    changed += if values.is_empty() { "nothing" } else { "" };
    for (at, (id, value)) in values.into_iter().enumerate() {
        changed += if at == 0 { "" } else { ", " };
        changed += code(id) + " " + code(value.to_string());
    }
    document.item(0, changed);
    if let Some(emulated) = &report.emulated {
        document.item(0, format!("Emulated: {}. {}", emulated.label, emulated.why));
    }
    if let Some(model) = &report.model {
        document.item(0, Text::from("Notes embedded by: ") + code(model));
    }
    document.item(0, format!("Memlens {}", env!("CARGO_PKG_VERSION")));
    for notice in &report.notices {
        document.notice(notice);
    }
}

fn add_stages(document: &mut Document, stages: &[StageReport]) {
    document.heading(2, "Stages");
    let mut table = Table::new([left("stage"), right("rows in"), right("rows out"), left("")]);
    for stage in stages {
        let why = stage.why.as_deref().map(|why| match stage.status {
            "fallback" => format!("fell back: {why}"),
            _ => why.to_owned(),
        });
        let remarks: Vec<String> = why.into_iter().chain(stage.note.clone()).collect();
        let remarks = remarks.join("; ");
        let (n_in, n_out, remarks) = match stage.status {
            "skipped" => (
                "–".to_owned(),
                "–".to_owned(),
                format!("skipped: {remarks}"),
            ),
            _ => (stage.n_in.to_string(), stage.n_out.to_string(), remarks),
        };
        table.row(vec![
            stage.label.into(),
            n_in.into(),
            n_out.into(),
            remarks.into(),
        ]);
    }
    document.table(table);
}

/// Appends the results, each with its score after every stage that changed it.
fn add_results(document: &mut Document, report: &SearchReport) {
    document.heading(2, "Results");
    if report.results.is_empty() {
        return document.line("Nothing was kept.");
    }
    let counts = |stage: &&StageReport| {
        let mut steps = report.results.iter().filter_map(|row| step(row, stage));
        steps.any(|step| {
            step.score_before != step.score_after || step.rank_before != step.rank_after
        })
    };
    let stages: Vec<&StageReport> = report.stages.iter().filter(counts).collect();
    let mut columns = vec![right("rank"), left("note"), right("score")];
    columns.extend(stages.iter().map(|stage| right(stage.label)));
    let mut table = Table::new(columns);
    for row in &report.results {
        let rank = row.rank.unwrap_or_default().to_string();
        let mut cells = vec![rank.into(), at(row), score(row.score).into()];
        cells.extend(stages.iter().map(|stage| cell(step(row, stage)).into()));
        table.row(cells);
    }
    document.table(table);
}

fn add_dropped(document: &mut Document, rows: &[RowReport]) {
    if rows.is_empty() {
        return;
    }
    document.heading(2, "Dropped");
    if rows.len() > DROPPED_NAMED {
        document.line(format!(
            "Of {} rows, the {DROPPED_NAMED} that came nearest to being kept.",
            rows.len()
        ));
    }
    let mut table = Table::new([
        left("note"),
        right("score"),
        left("dropped by"),
        left("why"),
    ]);
    for row in rows.iter().take(DROPPED_NAMED) {
        let step = row.journey.iter().find(|step| step.dropped);
        let (by, why) = step.map_or(("", ""), |step| (step.label, step.sentence.as_str()));
        table.row(vec![
            at(row),
            score(row.score).into(),
            by.into(),
            why.into(),
        ]);
    }
    document.table(table);
}

/// Effect of a stage on a row; `None` if the row did not reach it.
fn step<'a>(row: &'a RowReport, stage: &StageReport) -> Option<&'a StepReport> {
    row.journey.iter().find(|step| step.stage == stage.id)
}

/// The score after a stage, and the rank if the stage gave one or changed it.
fn cell(step: Option<&StepReport>) -> String {
    let Some(step) = step else {
        return String::new();
    };
    let rank = match (step.rank_before, step.rank_after) {
        (None, Some(rank)) => format!(" (rank {rank})"),
        (Some(before), Some(after)) if before != after => format!(" ({before} → {after})"),
        _ => String::new(),
    };
    format!("{}{rank}", score(step.score_after))
        .trim()
        .to_owned()
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

fn at(row: &RowReport) -> Text {
    let place = place(&row.path, Some((row.start_line, row.end_line)));
    match row.on_disk.and_then(OnDisk::sentence) {
        Some(stale) => place + format!(" ({stale})"),
        None => place,
    }
}
