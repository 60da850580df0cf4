//! Drops rows with low scores.

use memlens_params::StageId;

use crate::look::{Hue, Look};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, record};
use crate::stages::SWITCHED_OFF;
use crate::words::number;

/// The row's score against the two floors: kept if `before_decay >= min_score` and `score >= min_of_best`.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The score before the stage.
    pub score: f64,
    /// The score before decay; equals `score` if decay did not act.
    pub before_decay: f64,
    /// Value of the parameter `min_score`, in `[0, 1]`.
    pub min_score: f64,
    /// `min_score_of_best` times the best score; 0 if that parameter is 0.
    pub min_of_best: f64,
}

/// Drops rows with low scores.
pub const STAGE: Stage = Stage {
    id: StageId::THRESHOLD,
    explain: threshold,
    look: Look {
        only_cuts: true,
        ..Look::of(Hue::Cut)
    },
};

/// Drops rows whose score before decay is below `min_score`, so that age alone never empties a result list. Also drops
/// rows whose score is below `min_score_of_best` times the best score.
fn threshold(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if !params.threshold_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    let score_of = |row: &Row| row.score.unwrap_or(0.0);
    let best = rows.iter().map(score_of).fold(0.0, f64::max);
    let min_of_best = params.min_score_of_best * best;
    let reasons = rows.iter().map(|row| Threshold {
        score: score_of(row),
        before_decay: row.before_decay.unwrap_or_else(|| score_of(row)),
        min_score: params.min_score,
        min_of_best,
    });
    Outcome::applied(context.decided(reasons))
}

/// Formats a score with three places, or with as many more (up to nine) as it needs to read differently from `floor`.
fn below(score: f64, floor: f64) -> String {
    let reads_as_less = |places: &usize| {
        let rounded = |value: f64| format!("{value:.places$}");
        rounded(score) != rounded(floor)
    };
    let places = (3..=9).find(reads_as_less).unwrap_or(9);
    number(score, places)
}

impl Reason for Threshold {
    fn effect(&self) -> Effect {
        Effect::kept_if(self.before_decay >= self.min_score && self.score >= self.min_of_best)
    }

    fn sentence(&self) -> String {
        let Threshold {
            score,
            before_decay,
            min_score,
            min_of_best,
        } = *self;
        // Both are the same if decay did not act.
        let before = if before_decay == score {
            ""
        } else {
            " before decay"
        };
        let above_min = before_decay - min_score;
        let above_best = score - min_of_best;
        if before_decay < min_score {
            let (score, floor) = (below(before_decay, min_score), number(min_score, 2));
            format!("below min score: {score}{before} < {floor}")
        } else if self.effect() == Effect::Drop {
            let (score, floor) = (below(score, min_of_best), number(min_of_best, 3));
            format!("too far below the best row: {score} < {floor}")
        } else if min_of_best > 0.0 && above_best < above_min {
            format!("{} above {}", number(above_best, 3), number(min_of_best, 3))
        } else {
            let (above, floor) = (number(above_min, 3), number(min_score, 3));
            format!("{above} above {floor}{before}")
        }
    }

    fn record(&self) -> Record {
        record!("threshold", self: score, before_decay, min_score, min_of_best)
    }

    fn least(&self) -> Option<f64> {
        Some(self.min_score)
    }

    fn compared(&self) -> Option<f64> {
        Some(self.before_decay)
    }
}
