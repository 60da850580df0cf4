//! A search as JSON: the contract of `memlens search --json`.

mod csv;
mod markdown;

use memlens_params::{ParameterSet, StageId, Values};
use memlens_rank::{Columns, Detail, Status, Trace};
use memlens_wire::{Emulated, OnDisk};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::search::report::markdown::trace_markdown;
use crate::search::{Search, copies};
use crate::{EngineError, Library, Ranking};

/// Raised when a field changes its meaning or is removed.
const SCHEMA_VERSION: u32 = 1;
/// Number of dropped rows whose notes are compared with the disk: those that came nearest to being kept.
const DROPPED_COMPARED: usize = 60;

/// File format of an exported trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum TraceForm {
    /// A page to paste into a report.
    Markdown,
    /// A line per row, for a spreadsheet.
    Csv,
}

impl TraceForm {
    /// File extension of this form, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            TraceForm::Markdown => "md",
            TraceForm::Csv => "csv",
        }
    }
}

/// A search with every stage and every row.
#[derive(Debug, Serialize)]
pub struct SearchReport {
    /// Version of this format, 1; raised when a field changes its meaning or is removed.
    pub schema_version: u32,
    /// The query as it was typed.
    pub query: String,
    /// Value of every parameter of the pipeline.
    #[serde(serialize_with = "crate::ranking::values_in_file::serialize_in_file")]
    pub params: Values,
    /// How closely it matches another program's own search; `None` for Memlens's own pipeline.
    pub emulated: Option<Emulated>,
    /// Id of the model that embedded the notes; `None` if there are no notes, or it is not known.
    pub model: Option<String>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Every stage in its order.
    pub stages: Vec<StageReport>,
    /// Rows that were returned, best first.
    pub results: Vec<RowReport>,
    /// Dropped rows, nearest to the results first; without the candidates that neither list returned within its depth,
    /// which the fusion stage counts.
    pub dropped: Vec<RowReport>,
}

/// Effect of one stage on the rows.
#[derive(Debug, Serialize)]
pub struct StageReport {
    /// Id of the stage, as parameters name it.
    pub id: &'static str,
    /// Name of the stage on screen.
    pub label: &'static str,
    /// Rows that reached it; for a list, the chunks searched.
    #[serde(rename = "in")]
    pub n_in: u32,
    /// Rows that the stage passed on.
    #[serde(rename = "out")]
    pub n_out: u32,
    /// Rows it dropped: `in - out`.
    pub dropped: u32,
    /// Wall time in milliseconds; `None` if the stage did no work.
    pub ms: Option<f64>,
    /// One of `applied`, `skipped` or `fallback`.
    pub status: &'static str,
    /// Why it was skipped or fell back.
    pub why: Option<String>,
    /// One fact about its work.
    pub note: Option<String>,
}

/// One row with its path through all stages.
#[derive(Debug, Serialize)]
pub struct RowReport {
    /// Rank of the row, 1-based; `None` if dropped.
    pub rank: Option<u32>,
    /// The path in its folder.
    pub path: String,
    /// The watched folder's absolute path.
    pub folder: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Score after the last scoring stage; `None` if it never got one.
    pub score: Option<f64>,
    /// Best passage of the chunk; `None` if the note changed since the search.
    pub snippet: Option<String>,
    /// Reason for a missing passage, to show to the user; `None` if there is one.
    pub missing: Option<String>,
    /// The note on the disk, compared with what was indexed of it; `None` if it was not compared: of dropped rows the first
    /// are, and of another program's memory only missing files are reported.
    pub on_disk: Option<OnDisk>,
    /// Source of the note: its agent or folder.
    pub source: String,
    /// Length of the chunk in tokens.
    pub tokens: u32,
    /// Chunks whose texts are copies of this one's and that are folded under it, the newest first.
    pub copies: Vec<CopyReport>,
    /// Every stage that it reached.
    pub journey: Vec<StepReport>,
}

/// A chunk that is folded under a row.
#[derive(Debug, Serialize)]
pub struct CopyReport {
    /// The path in its folder.
    pub path: String,
    /// The watched folder's absolute path.
    pub folder: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
}

/// What one stage did to the row.
#[derive(Debug, Serialize)]
pub struct StepReport {
    /// Id of the stage, as parameters name it.
    pub stage: &'static str,
    /// Name of the stage on screen.
    pub label: &'static str,
    /// Rank before the stage, 1-based; `None` if it had none.
    pub rank_before: Option<u32>,
    /// The 1-based rank after; in a list, the rank there.
    pub rank_after: Option<u32>,
    /// Score before the stage; `None` if it had none.
    pub score_before: Option<f64>,
    /// The score after; in a list, the raw score there.
    pub score_after: Option<f64>,
    /// Whether it was dropped here.
    pub dropped: bool,
    /// Numbers that decided the step.
    pub detail: Detail,
    /// The step in words, with its numbers.
    pub sentence: String,
}

/// Rows of a search as JSON, in the order that is asked for: a list of [`RowReport`].
///
/// # Errors
/// [`EngineError::NoRow`], and [`EngineError::Store`] when texts cannot be read.
pub fn rows_json(
    library: &Library,
    search: &Search,
    params: &impl ParameterSet,
    slots: &[u32],
) -> Result<String, EngineError> {
    let (trace, columns) = search.traced(params);
    let on_disk = library.on_disk(search, slots)?;
    let rows = rows(search, &trace, &columns, slots, &on_disk)?;
    // Strings and numbers can always be written as JSON.
    Ok(serde_json::to_string_pretty(&rows).unwrap_or_default())
}

/// A search as a report.
///
/// # Errors
/// [`EngineError::Store`] when texts cannot be read.
pub fn report(
    library: &Library,
    search: &Search,
    params: &impl ParameterSet,
) -> Result<SearchReport, EngineError> {
    let (trace, columns) = search.traced(params);
    let notices = search.notices.iter().cloned();
    let notices = notices.chain(columns.fallbacks()).collect();
    let stages = columns
        .stages
        .iter()
        .map(|stage| {
            let (status, why) = match &stage.status {
                Status::Applied => ("applied", None),
                Status::Skipped { why } => ("skipped", Some(why.clone())),
                Status::Fallback { why } => ("fallback", Some(why.clone())),
            };
            StageReport {
                id: stage.id.as_str(),
                label: stage.label,
                n_in: stage.n_in,
                n_out: stage.n_out,
                dropped: stage.n_dropped,
                ms: stage.micros.map(|micros| micros / 1000.0),
                status,
                why,
                note: stage.note.clone(),
            }
        })
        .collect();
    let listed: Vec<u32> = columns
        .order
        .iter()
        .copied()
        .filter(|slot| columns.dropped_by[*slot as usize] != Some(StageId::FUSION))
        .collect();
    let n_compared = listed.len().min(columns.n_kept as usize + DROPPED_COMPARED);
    let on_disk = library.on_disk(search, &listed[..n_compared])?;
    let mut rows = rows(search, &trace, &columns, &listed, &on_disk)?;
    let dropped = rows.split_off(columns.n_kept as usize);
    Ok(SearchReport {
        schema_version: SCHEMA_VERSION,
        query: search.query.clone(),
        params: params.values(),
        emulated: search.emulated.clone(),
        model: search.model.clone(),
        notices,
        stages,
        results: rows,
        dropped,
    })
}

/// A search with a ranking in one form; `preset` is the user's name for the ranking. Without `with_text` it
/// contains no text of a note.
///
/// # Errors
/// As [`crate::report`].
pub fn trace_text(
    library: &Library,
    search: &Search,
    ranking: &Ranking,
    preset: Option<&str>,
    form: TraceForm,
    with_text: bool,
) -> Result<String, EngineError> {
    match form {
        TraceForm::Markdown => trace_markdown(library, search, ranking, preset, with_text),
        TraceForm::Csv => {
            let report = report(library, search, &ranking.values)?;
            // Writing a table of strings to memory cannot fail.
            Ok(csv::written(&report, with_text).unwrap_or_default())
        }
    }
}

impl Search {
    /// The whole texts of rows, in the order that is asked for, a blank line between two.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], and as [`Search::texts`] if a note has changed since.
    pub fn rows_text(&self, slots: &[u32]) -> Result<String, EngineError> {
        let texts = slots.iter().zip(self.texts(slots)?);
        let texts = texts
            .map(|(slot, text)| self.found("Copying its text", *slot, text))
            .collect::<Result<Vec<String>, _>>()?;
        Ok(texts.join("\n\n"))
    }
}

fn copy_report(search: &Search, slot: u32) -> Result<CopyReport, EngineError> {
    let row = search.row_facts(slot)?;
    Ok(CopyReport {
        path: row.note.path.clone(),
        folder: row.note.folder_path.clone(),
        start_line: row.start_line,
        end_line: row.end_line,
    })
}

/// The reports of rows, in the order of `slots`; `on_disk` has the state of the first of them.
fn rows(
    search: &Search,
    trace: &Trace,
    columns: &Columns,
    slots: &[u32],
    on_disk: &[Option<OnDisk>],
) -> Result<Vec<RowReport>, EngineError> {
    let mut ranks = vec![None; columns.order.len()];
    for (rank, slot) in (1..).zip(&columns.order[..columns.n_kept as usize]) {
        ranks[*slot as usize] = Some(rank);
    }
    let snippets = search.snippets(slots)?;
    let mut rows = Vec::with_capacity(slots.len());
    let states = on_disk.iter().copied().chain(std::iter::repeat(None));
    for ((slot, snippet), on_disk) in slots.iter().zip(snippets).zip(states) {
        let row = search.row(*slot)?;
        rows.push(RowReport {
            rank: ranks[*slot as usize],
            path: row.path,
            folder: search.row_facts(*slot)?.note.folder_path.clone(),
            start_line: row.start_line,
            end_line: row.end_line,
            score: columns.score[*slot as usize],
            snippet: snippet.text,
            missing: snippet.missing,
            on_disk,
            source: row.source,
            tokens: row.tokens,
            copies: copies::folded_under(columns, *slot)
                .iter()
                .map(|copy| copy_report(search, *copy))
                .collect::<Result<_, _>>()?,
            journey: trace
                .entries_of(*slot)
                .into_iter()
                .map(|(stage, entry)| StepReport {
                    stage: stage.id.as_str(),
                    label: stage.label,
                    rank_before: entry.rank_before,
                    rank_after: entry.rank_after,
                    score_before: entry.score_before,
                    score_after: entry.score_after,
                    dropped: entry.is_dropped,
                    sentence: entry.detail.sentence(),
                    detail: entry.detail.clone(),
                })
                .collect(),
        });
    }
    Ok(rows)
}
