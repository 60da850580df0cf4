//! Moves rows up that differ from those above them.
//!
//! Maximal marginal relevance; reorders, never rescores. Source: Carbonell and Goldstein, SIGIR 1998.

use memlens_params::StageId;

use crate::CellValue;
use crate::look::{Cell, Column, Hue, Look, Sort, Start};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Placer, Reason, Record, record};
use crate::stages::SWITCHED_OFF;
use crate::trace::Entry;
use crate::words::{number, setting, times};

/// Number of rows compared per result that may be kept; the rows after them keep their order.
const COMPARED_PER_RESULT: usize = 3;

/// What the row adds to those above it: `lambda * score - (1 - lambda) * cosine`, the greatest of those left.
#[derive(Debug, Clone, PartialEq)]
pub struct Diversity {
    /// The score before the stage.
    pub score: f64,
    /// Value of the parameter `mmr_lambda`, below 1.
    pub lambda: f64,
    /// The cosine to the most similar row above; 0 for the first row.
    pub cosine: f64,
    /// The 1-based rank, after this stage, of that row; `None` for the first row and for rows that are not compared.
    pub nearest: Option<u32>,
    /// Whether the row is among those that are compared.
    pub is_compared: bool,
    /// The row's new 0-based place.
    pub place: u32,
}

/// Reorders by maximal marginal relevance.
pub const STAGE: Stage = Stage {
    id: StageId::DIVERSITY,
    explain: diversity,
    look: Look {
        columns: &[Column {
            key: "diversity",
            label: "Divers.",
            name: "Diversity",
            below: "moved",
            cell: Cell::Place,
            sort: Sort::Rank,
            is_lasting: false,
            weight: 20,
        }],
        start: Some(Start::number("mmr_lambda", 0.7)),
        ..Look::of(Hue::Diversity)
    },
};

/// Repeatedly takes the row with the greatest `lambda * score - (1 - lambda) * cosine to the nearest row taken`. Ties
/// keep the order before the stage.
fn diversity(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let lambda = context.params.mmr_lambda;
    if !context.params.diversity_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if lambda >= 1.0 {
        return Outcome::skipped("off: λ 1");
    }
    let Some(directions) = &context.set.directions else {
        return Outcome::skipped("no vectors to compare");
    };
    let n_compared = rows
        .len()
        .min(context.params.max_results as usize * COMPARED_PER_RESULT);
    if n_compared < 2 {
        return Outcome::skipped("fewer than two rows");
    }
    let compared = directions.compared(
        rows[..n_compared]
            .iter()
            .map(|row| context.set.candidates[row.slot as usize].direction),
    );
    let score = |at: usize| rows[at].score.unwrap_or(0.0);

    let mut reasons: Vec<Option<Diversity>> = vec![None; n_compared];
    // Remaining positions in their order, each with the cosine to the nearest row taken and that row's place.
    let mut left: Vec<(usize, f64, Option<u32>)> =
        (0..n_compared).map(|at| (at, 0.0, None)).collect();
    for place in 0..n_compared as u32 {
        let value = |&(at, cosine, _): &(usize, f64, Option<u32>)| {
            marginal_relevance(lambda, score(at), cosine)
        };
        let (best, _) = left
            .iter()
            .enumerate()
            .reduce(|best, next| {
                if value(next.1) > value(best.1) {
                    next
                } else {
                    best
                }
            })
            .expect("as many are left as places");
        let (taken, cosine, nearest) = left.remove(best);
        reasons[taken] = Some(Diversity {
            score: score(taken),
            lambda,
            cosine,
            nearest: nearest.map(|place| place + 1),
            is_compared: true,
            place,
        });
        for (at, cosine, nearest) in &mut left {
            let to_taken = compared.cosine(*at, taken);
            if nearest.is_none() || to_taken > *cosine {
                (*cosine, *nearest) = (to_taken, Some(place));
            }
        }
    }
    let is_moved = |(at, reason): &(u32, &Option<Diversity>)| {
        reason.as_ref().is_some_and(|reason| reason.place != *at)
    };
    let n_moved = (0..).zip(&reasons).filter(is_moved).count();
    let below = (n_compared..rows.len()).map(|at| Diversity {
        score: score(at),
        lambda,
        cosine: 0.0,
        nearest: None,
        is_compared: false,
        place: at as u32,
    });
    Outcome {
        note: Some(format!("{n_moved} moved")),
        ..Outcome::applied(context.decided(reasons.into_iter().flatten().chain(below)))
    }
}

/// `lambda * score - (1 - lambda) * cosine`.
fn marginal_relevance(lambda: f64, score: f64, cosine: f64) -> f64 {
    lambda * score - (1.0 - lambda) * cosine
}

impl Reason for Diversity {
    fn effect(&self) -> Effect {
        Effect::Place(self.place)
    }

    fn sentence(&self) -> String {
        match self.nearest {
            _ if !self.is_compared => "beyond the rows compared; keeps its place".to_owned(),
            Some(rank) => format!(
                "most similar to rank {rank} above, cosine {}",
                number(self.cosine, 3)
            ),
            None => "first: the best score".to_owned(),
        }
    }

    fn record(&self) -> Record {
        record!("diversity", self: score, lambda, cosine, nearest, is_compared, place)
    }

    fn cell(&self, _: &Column, entry: &Entry) -> CellValue {
        CellValue::ranks(entry)
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        if !self.is_compared {
            return Vec::new();
        }
        let expression = format!(
            "{} · {} \u{2212} {} · {}",
            setting(self.lambda),
            times(self.score),
            setting(1.0 - self.lambda),
            times(self.cosine)
        );
        let relevance = marginal_relevance(self.lambda, self.score, self.cosine);
        vec![(expression, relevance)]
    }

    fn placer(&self) -> Placer {
        Placer::Named("diversity")
    }
}
