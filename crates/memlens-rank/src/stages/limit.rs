//! Limits the number of results.

use memlens_params::StageId;

use crate::look::{Hue, Look};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, record};
use crate::stages::SWITCHED_OFF;

/// The row's rank against the number of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The 1-based rank before the stage.
    pub rank: u32,
    /// Value of the parameter `max_results`, at least 1.
    pub max_results: u32,
}

/// Limits the number of results.
pub const STAGE: Stage = Stage {
    id: StageId::LIMIT,
    explain: limit,
    look: Look {
        only_cuts: true,
        ..Look::of(Hue::Cut)
    },
};

fn limit(context: &Context<'_>, rows: &[Row]) -> Outcome {
    if !context.params.limit_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    let max_results = context.params.max_results;
    let reasons = (1..=rows.len() as u32).map(|rank| Limit { rank, max_results });
    Outcome::applied(context.decided(reasons))
}

impl Reason for Limit {
    fn effect(&self) -> Effect {
        Effect::kept_if(self.rank <= self.max_results)
    }

    fn sentence(&self) -> String {
        let Limit { rank, max_results } = self;
        let sign = if rank > max_results { ">" } else { "≤" };
        format!("rank {rank} {sign} max results {max_results}")
    }

    fn record(&self) -> Record {
        record!("limit", self: rank, max_results)
    }
}
