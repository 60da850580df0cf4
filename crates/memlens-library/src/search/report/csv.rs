//! A search as CSV, for a spreadsheet: a line per row, two columns per stage.

use memlens_wire::OnDisk;

use super::{RowReport, SearchReport, StageReport};

/// The header and one line per row: results, then dropped rows. Texts that a spreadsheet would interpret as a formula
/// begin with an apostrophe.
pub(super) fn written(report: &SearchReport, with_text: bool) -> Result<String, csv::Error> {
    let rows = || report.results.iter().chain(&report.dropped);
    let reached = |stage: &&StageReport| rows().any(|row| step_of(row, stage).is_some());
    let stages: Vec<&StageReport> = report.stages.iter().filter(reached).collect();
    let mut out = csv::Writer::from_writer(Vec::new());

    let mut head: Vec<String> = ["rank", "path", "start_line", "end_line", "source", "tokens"]
        .map(str::to_owned)
        .to_vec();
    for stage in &stages {
        head.extend([format!("{} rank", stage.id), format!("{} score", stage.id)]);
    }
    head.extend(["score", "dropped_by", "why", "on_disk", "model"].map(str::to_owned));
    if with_text {
        head.push("passage".to_owned());
    }
    out.write_record(&head)?;

    for row in rows() {
        let mut cells = vec![
            number(row.rank),
            text(&row.path),
            row.start_line.to_string(),
            row.end_line.to_string(),
            text(&row.source),
            row.tokens.to_string(),
        ];
        for stage in &stages {
            let step = step_of(row, stage);
            cells.push(number(step.and_then(|step| step.rank_after)));
            cells.push(number(step.and_then(|step| step.score_after)));
        }
        let lost = row.journey.iter().find(|step| step.dropped);
        cells.push(number(row.score));
        cells.push(lost.map_or_else(String::new, |step| step.stage.to_owned()));
        cells.push(lost.map_or_else(String::new, |step| text(&step.sentence)));
        let on_disk = row.on_disk.and_then(OnDisk::sentence);
        cells.push(on_disk.unwrap_or_default().to_owned());
        cells.push(text(report.model.as_deref().unwrap_or_default()));
        if with_text {
            cells.push(text(row.snippet.as_deref().unwrap_or_default()));
        }
        out.write_record(&cells)?;
    }
    let bytes = out.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn step_of<'a>(row: &'a RowReport, stage: &StageReport) -> Option<&'a super::StepReport> {
    row.journey.iter().find(|step| step.stage == stage.id)
}

/// An empty text for `None`, so that a column contains only numbers.
fn number(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Text of notes is untrusted: no cell of it may be interpreted as a formula.
fn text(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}
