//! The user's own command reorders, rescores and drops rows.
//!
//! Ranking never runs the command. It uses the command's answer for exactly these rows, if there is one.

use memlens_params::{HookMode, StageId};

use crate::ChunkId;
use crate::look::{Hue, Look, Start};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Placer, Reason, Record, Term};
use crate::stages::SWITCHED_OFF;
use crate::words::number;

/// What the user's command did with a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HookMove {
    /// The command has not run for these rows yet.
    Pending,
    /// The command left the row out.
    Dropped {
        /// The 1-based rank at which the command received the row.
        rank: u32,
    },
    /// The command returned the row.
    Placed {
        /// The 1-based rank at which the command received the row.
        rank: u32,
        /// The score with which the command received the row.
        base: f64,
        /// The row's new 0-based place.
        place: u32,
        /// The score that the command returned.
        score: f64,
    },
}

/// Why a stage that waits for the command did nothing.
const NOT_ASKED: &str = "the command has not been asked about these rows yet";

/// Runs the user's own command.
pub const STAGE: Stage = Stage {
    id: StageId::HOOK,
    explain: hook,
    look: Look {
        start: Some(Start::choice("hook", "on")),
        ..Look::of(Hue::Cut)
    },
};

/// Applies the command's answer for these rows. Runs nothing.
fn hook(context: &Context<'_>, rows: &[Row]) -> Outcome {
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
        return Outcome {
            reasons: context.decided(rows.iter().map(|_| HookMove::Pending)),
            ..Outcome::skipped(NOT_ASKED)
        };
    };
    let returned = match &answer.returned {
        Ok(returned) => returned,
        Err(why) => return Outcome::fallback(why),
    };
    let moves = (1..).zip(&given).map(|(rank, (chunk, base))| {
        let place = returned.iter().position(|(other, _)| other == chunk);
        place.map_or(HookMove::Dropped { rank }, |place| HookMove::Placed {
            rank,
            base: *base,
            place: place as u32,
            score: returned[place].1,
        })
    });
    let n_dropped = given.len() - returned.len();
    Outcome {
        note: (n_dropped > 0).then(|| format!("{n_dropped} dropped by the command")),
        ..Outcome::applied(context.decided(moves))
    }
}

impl Reason for HookMove {
    fn effect(&self) -> Effect {
        match *self {
            HookMove::Pending => Effect::Keep,
            HookMove::Dropped { .. } => Effect::Drop,
            HookMove::Placed { place, score, .. } => Effect::Settle { place, score },
        }
    }

    fn sentence(&self) -> String {
        match *self {
            HookMove::Pending => NOT_ASKED.to_owned(),
            HookMove::Dropped { rank } => {
                format!("dropped by the command, which got it as rank {rank}")
            }
            HookMove::Placed {
                rank,
                base,
                place,
                score,
            } => {
                let placed = match place + 1 {
                    new if new == rank => "kept in place".to_owned(),
                    new => format!("moved from rank {rank} to {new}"),
                };
                if score == base {
                    format!("{placed} by the command")
                } else {
                    format!("{placed} by the command, scored {}", number(score, 3))
                }
            }
        }
    }

    fn record(&self) -> Record {
        let terms: Vec<(&'static str, Term)> = match *self {
            HookMove::Pending => vec![("move", "pending".into())],
            HookMove::Dropped { rank } => vec![("move", "dropped".into()), ("rank", rank.into())],
            HookMove::Placed {
                rank,
                base,
                place,
                score,
            } => vec![
                ("move", "placed".into()),
                ("rank", rank.into()),
                ("base", base.into()),
                ("place", place.into()),
                ("score", score.into()),
            ],
        };
        Record::new("hook", terms)
    }

    fn placer(&self) -> Placer {
        match self {
            HookMove::Placed { .. } => Placer::Named("the command"),
            HookMove::Pending | HookMove::Dropped { .. } => Placer::Nothing,
        }
    }
}
