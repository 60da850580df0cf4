//! Calls the user's hook command with the rows that a ranking returns.

use std::time::{Duration, Instant};

use memlens_params::{Params, StageId};
use memlens_rank::{ChunkId, HookAnswer, HookMove};
use memlens_rerank::hook::{Event, EventRow};
use memlens_rerank::{Limits, RerankError};

use crate::reranking::{Call, providers};
use crate::search::Search;
use crate::{EngineError, Library};

/// Agent name that the command receives.
const AGENT: &str = "memlens";
/// Source of rows, as agents name it.
const SOURCE: &str = "memory";
/// Number of answers cached with a search; each is for other rows.
const ANSWERS_KEPT: usize = 8;

impl Library {
    /// Runs the command if these parameters' rows wait for it, and keeps its answer, or why there is none, with the
    /// search.
    ///
    /// # Errors
    /// As [`Library::ask`].
    pub(crate) fn ask_hook(
        &self,
        id: u32,
        params: &Params,
        call: &Call,
    ) -> Result<(), EngineError> {
        // A failure may be temporary: the command is called again.
        let search = self.replace_search(id, |search| {
            search
                .retrieved
                .set
                .hook
                .retain(|answer| answer.returned.is_ok());
        })?;
        let waiting = search.waiting_for_hook(params);
        if waiting.is_empty() || call.cancel.is_cancelled() {
            return Ok(());
        }
        let started = Instant::now();
        let limits = Limits {
            deadline: started + Duration::from_millis(u64::from(params.hook_timeout_ms)),
            cancel: call.cancel.clone(),
        };
        let given = waiting
            .iter()
            .map(|(slot, score)| (search.chunk_id(*slot), *score))
            .collect();
        let returned = match self.run_hook(&search, &waiting, &limits) {
            Err(EngineError::Rerank(RerankError::Cancelled)) => return Ok(()),
            other => other.map_err(|error| error.to_string()),
        };
        let keep = |search: &mut Search| {
            if !self.reranking.is_wanted(call) {
                return;
            }
            search.timing.hook = started.elapsed();
            let answers = &mut search.retrieved.set.hook;
            answers.push(HookAnswer { given, returned });
            let n_over = answers.len().saturating_sub(ANSWERS_KEPT);
            answers.drain(..n_over);
        };
        self.replace_search(id, keep).map(drop)
    }

    fn run_hook(
        &self,
        search: &Search,
        waiting: &[(u32, f64)],
        limits: &Limits,
    ) -> Result<Vec<(ChunkId, f64)>, EngineError> {
        let command = providers::hook(&self.store())?.ok_or(EngineError::NoHook)?;
        let slots: Vec<u32> = waiting.iter().map(|(slot, _)| *slot).collect();
        let texts = search.texts(&slots)?;
        let results = waiting
            .iter()
            .zip(texts)
            .map(|((slot, score), snippet)| {
                let row = search.row_facts(*slot)?;
                let snippet = search.found("send", *slot, snippet)?;
                Ok(EventRow {
                    path: row.note.path.clone(),
                    start_line: u64::from(row.start_line),
                    end_line: u64::from(row.end_line),
                    score: *score,
                    snippet,
                    source: SOURCE.to_owned(),
                })
            })
            .collect::<Result<Vec<_>, EngineError>>()?;
        let event = Event {
            query: search.query.clone(),
            agent_id: AGENT.to_owned(),
            results,
        };
        let kept = command.run(&event, limits)?;
        Ok(kept
            .into_iter()
            .map(|row| (search.chunk_id(slots[row.index]), row.score))
            .collect())
    }
}

impl Search {
    /// The rows that wait for the command, best first, with their scores; empty if it was already asked or does not
    /// run.
    fn waiting_for_hook(&self, params: &Params) -> Vec<(u32, f64)> {
        let trace = self.rank(params);
        let entries = trace.stage(StageId::HOOK).map(|stage| &stage.entries);
        entries
            .into_iter()
            .flatten()
            .filter(|entry| matches!(entry.detail.get(), Some(HookMove::Pending)))
            .map(|entry| (entry.slot, entry.score_before.unwrap_or(0.0)))
            .collect()
    }
}
