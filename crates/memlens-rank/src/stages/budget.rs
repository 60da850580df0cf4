//! Limits the number of tokens.

use memlens_params::StageId;

use crate::look::{Hue, Look, Start};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, record};
use crate::stages::SWITCHED_OFF;

/// The row's tokens against the rest of the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// The row's length in tokens.
    pub tokens: u32,
    /// The tokens left in the budget before this row.
    pub left: u32,
}

/// Limits the number of tokens.
pub const STAGE: Stage = Stage {
    id: StageId::BUDGET,
    explain: budget,
    look: Look {
        start: Some(Start::number("budget_tokens", 2000.0)),
        only_cuts: true,
        ..Look::of(Hue::Cut)
    },
};

/// Drops rows that do not fit into the rest of `budget_tokens`; smaller rows below them may still fit.
fn budget(context: &Context<'_>, rows: &[Row]) -> Outcome {
    if !context.params.budget_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if context.params.budget_tokens == 0 {
        return Outcome::skipped("no budget is set");
    }
    let mut left = context.params.budget_tokens;
    let reasons = context.decided(rows.iter().map(|row| {
        let tokens = context.set.candidates[row.slot as usize].tokens;
        let reason = Budget { tokens, left };
        left -= if tokens <= left { tokens } else { 0 };
        reason
    }));
    Outcome {
        note: Some(format!(
            "{} of {} tokens",
            context.params.budget_tokens - left,
            context.params.budget_tokens
        )),
        ..Outcome::applied(reasons)
    }
}

impl Reason for Budget {
    fn effect(&self) -> Effect {
        Effect::kept_if(self.tokens <= self.left)
    }

    fn sentence(&self) -> String {
        let Budget { tokens, left } = self;
        if tokens > left {
            format!("does not fit: {tokens} tokens, {left} left")
        } else {
            format!("{tokens} of the {left} tokens left")
        }
    }

    fn record(&self) -> Record {
        record!("budget", self: tokens, left)
    }
}
