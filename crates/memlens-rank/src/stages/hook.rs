//! Stage 12: the user's own command reorders, rescores and drops rows.
//!
//! Ranking never runs the command. It uses the command's answer for exactly these rows, if there is one.

use memlens_params::HookMode;

use crate::ChunkId;
use crate::detail::{Detail, HookMove};
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;

/// Applies the command's answer for these rows. Runs nothing.
pub fn hook(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if !params.hook_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if params.hook == HookMode::Off {
        return Outcome::skipped("off: the command does not run");
    }
    if rows.is_empty() {
        return Outcome::skipped("no results to give it");
    }
    let given: Vec<(ChunkId, f64)> = rows
        .iter()
        .map(|row| {
            let chunk = context.set.candidates[row.slot as usize].chunk;
            (chunk, row.score.unwrap_or(0.0))
        })
        .collect();
    let answer = context
        .set
        .hook
        .iter()
        .rev()
        .find(|answer| answer.given == given);
    let Some(answer) = answer else {
        let details = rows.iter().map(|_| Detail::Hook(HookMove::Pending));
        return Outcome {
            details: details.collect(),
            ..Outcome::skipped("the command has not been asked about these rows yet")
        };
    };
    let returned = match &answer.returned {
        Ok(returned) => returned,
        Err(why) => return Outcome::fallback(why),
    };
    let details: Vec<Detail> = (1..)
        .zip(&given)
        .map(|(rank, (chunk, base))| {
            let place = returned.iter().position(|(other, _)| other == chunk);
            Detail::Hook(
                place.map_or(HookMove::Dropped { rank }, |place| HookMove::Placed {
                    rank,
                    base: *base,
                    place: place as u32,
                    score: returned[place].1,
                }),
            )
        })
        .collect();
    let n_dropped = given.len() - returned.len();
    Outcome {
        note: (n_dropped > 0).then(|| format!("{n_dropped} dropped by the command")),
        ..Outcome::applied(details)
    }
}
