//! Stages 10, 11 and 13: threshold, limit and budget, which drop rows and change no score.

use crate::detail::Detail;
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;

/// Drops rows whose score before decay is below `min_score`, so that age alone never empties a result list. Also drops
/// rows whose score is below `min_score_of_best` times the best score.
pub fn threshold(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if !params.threshold_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    let score_of = |row: &Row| row.score.unwrap_or(0.0);
    let best = rows.iter().map(score_of).fold(0.0, f64::max);
    let min_of_best = params.min_score_of_best * best;
    let detail = |row| Detail::Threshold {
        score: score_of(row),
        before_decay: row.before_decay.unwrap_or_else(|| score_of(row)),
        min_score: params.min_score,
        min_of_best,
    };
    Outcome::applied(rows.iter().map(detail).collect())
}

/// Drops rows beyond `max_results`.
pub fn limit(context: &Context<'_>, rows: &[Row]) -> Outcome {
    if !context.params.limit_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    let max_results = context.params.max_results;
    Outcome::applied(
        (1..=rows.len() as u32)
            .map(|rank| Detail::Limit { rank, max_results })
            .collect(),
    )
}

/// Drops rows that do not fit into the rest of `budget_tokens`; smaller rows below them may still fit.
pub fn budget(context: &Context<'_>, rows: &[Row]) -> Outcome {
    if !context.params.budget_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if context.params.budget_tokens == 0 {
        return Outcome::skipped("no budget is set");
    }
    let mut left = context.params.budget_tokens;
    let details = rows
        .iter()
        .map(|row| {
            let tokens = context.set.candidates[row.slot as usize].tokens;
            let detail = Detail::Budget { tokens, left };
            left -= if tokens <= left { tokens } else { 0 };
            detail
        })
        .collect();
    Outcome {
        note: Some(format!(
            "{} of {} tokens",
            context.params.budget_tokens - left,
            context.params.budget_tokens
        )),
        ..Outcome::applied(details)
    }
}
