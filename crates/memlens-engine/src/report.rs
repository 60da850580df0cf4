//! A search as JSON: the contract of `memlens search --json`.

mod markdown;

use memlens_params::{ParameterSet, StageId, Values};
use memlens_rank::{Detail, Status};
use serde::Serialize;

use crate::search::Search;
use crate::view::Emulated;
use crate::{EngineError, Library};

/// Raised when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// A search with every stage and every row.
#[derive(Debug, Serialize)]
pub struct SearchReport {
    /// The version of this form, 1; raised when a field changes its meaning or goes.
    pub schema_version: u32,
    /// The query.
    pub query: String,
    /// Every parameter.
    pub params: Values,
    /// How true it is to another program's own search; none for the library's.
    pub emulated: Option<Emulated>,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// Every stage in its order.
    pub stages: Vec<StageReport>,
    /// The results, best first.
    pub results: Vec<RowReport>,
    /// What was dropped, nearest to being kept first; without the candidates that neither list holds
    /// within its depth, which the fusion stage counts.
    pub dropped: Vec<RowReport>,
}

/// What one stage did.
#[derive(Debug, Serialize)]
pub struct StageReport {
    /// The stage.
    pub id: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// Rows that reached it; for a list, the chunks searched.
    #[serde(rename = "in")]
    pub n_in: u32,
    /// Rows that left it.
    #[serde(rename = "out")]
    pub n_out: u32,
    /// `in - out`.
    pub dropped: u32,
    /// Wall time in milliseconds, where it did work.
    pub ms: Option<f64>,
    /// applied, skipped or fallback.
    pub status: &'static str,
    /// Why it was skipped or fell back.
    pub why: Option<String>,
    /// One fact about its work.
    pub note: Option<String>,
}

/// One row.
#[derive(Debug, Serialize)]
pub struct RowReport {
    /// The 1-based rank; none when dropped.
    pub rank: Option<u32>,
    /// The path in its folder.
    pub path: String,
    /// The watched folder's absolute path.
    pub folder: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// The last score; none when it never got one.
    pub score: Option<f64>,
    /// The best passage; none where the note changed since the search.
    pub snippet: Option<String>,
    /// Why there is no passage, for a person; none where there is.
    pub missing: Option<String>,
    /// Who says it.
    pub source: String,
    /// Its length in tokens.
    pub tokens: u32,
    /// Every stage that it reached.
    pub journey: Vec<StepReport>,
}

/// What one stage did to the row.
#[derive(Debug, Serialize)]
pub struct StepReport {
    /// The stage.
    pub stage: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// The 1-based rank before.
    pub rank_before: Option<u32>,
    /// The 1-based rank after; in a list, the rank there.
    pub rank_after: Option<u32>,
    /// The score before.
    pub score_before: Option<f64>,
    /// The score after; in a list, the raw score there.
    pub score_after: Option<f64>,
    /// Whether it was dropped here.
    pub dropped: bool,
    /// The numbers it was decided with.
    pub detail: Detail,
    /// The same in words.
    pub sentence: String,
}

impl Library {
    /// A search as a report.
    ///
    /// # Errors
    /// [`EngineError::Store`] when texts cannot be read.
    pub fn report(
        &self,
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
        let snippets = search.snippets(&listed)?;
        let mut rows = Vec::with_capacity(listed.len());
        for (position, (slot, snippet)) in listed.iter().zip(snippets).enumerate() {
            let row = search.row(*slot)?;
            rows.push(RowReport {
                rank: (position < columns.n_kept as usize).then_some(position as u32 + 1),
                path: row.path,
                folder: search.row_facts(*slot)?.note.folder_path.clone(),
                start_line: row.start_line,
                end_line: row.end_line,
                score: columns.score[*slot as usize],
                snippet: snippet.text,
                missing: snippet.missing,
                source: row.source,
                tokens: row.tokens,
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
        let dropped = rows.split_off(columns.n_kept as usize);
        Ok(SearchReport {
            schema_version: SCHEMA_VERSION,
            query: search.query.clone(),
            params: params.values(),
            emulated: search.emulated.clone(),
            notices,
            stages,
            results: rows,
            dropped,
        })
    }
}
