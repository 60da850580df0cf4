//! The user's thumbs weight the score.

use memlens_params::StageId;

use crate::look::{Cell, Column, Hue, Look, Sort};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, record};
use crate::stages::SWITCHED_OFF;
use crate::stages::weights::{product, weighted};
use crate::trace::Entry;
use crate::words::{number, scored, setting};
use crate::{CellValue, Thumbs};

/// Maximum distance of a weight from 1, at strength 1.
const REACH: f64 = 0.5;
/// Number of neutral thumbs that are added to the real ones. With 2, a single thumb has a third of the maximum effect and
/// ten agreeing ones have five sixths.
const THUMBS_OF_NO_OPINION: f64 = 2.0;

/// How thumbs weight the row: `base * weight`, `weight = 1 + strength * 0.5 * (up - down) / (up + down + 2)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Feedback {
    /// The score before the stage.
    pub base: f64,
    /// Number of thumbs up on the text.
    pub n_up: u32,
    /// Number of thumbs down on the text.
    pub n_down: u32,
    /// The thumbs up, each counted by its closeness in `[0, 1]`; see [`Thumbs`].
    pub up: f64,
    /// The thumbs down, counted in the same way.
    pub down: f64,
    /// Value of the parameter `feedback_strength`, above 0.
    pub strength: f64,
    /// 1 without thumbs, in `(0.5, 1.5)` at strength 1, in `(0, 2)` at 2.
    pub weight: f64,
}

/// Weights rows by the user's thumbs.
pub const STAGE: Stage = Stage {
    id: StageId::FEEDBACK,
    explain: feedback,
    look: Look {
        columns: &[Column {
            key: "feedback",
            label: "Feedb.",
            name: "Feedback",
            below: "weight",
            cell: Cell::Weight {
                by: "by your thumbs",
                without: "No thumb weighs it",
            },
            sort: Sort::Value,
            is_lasting: false,
            weight: 40,
        }],
        ..Look::of(Hue::Feedback)
    },
};

/// Weights every row by the user's thumbs on it. Each thumb counts by how close its question is to this one.
fn feedback(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let strength = context.params.feedback_strength;
    if !context.params.feedback_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if strength == 0.0 {
        return Outcome::skipped("off: strength 0");
    }
    let thumbs_on = |row: &Row| context.set.candidates[row.slot as usize].thumbs;
    let has_thumbs = |row: &&Row| thumbs_on(row) != Thumbs::default();
    if !rows.iter().any(|row| has_thumbs(&row)) {
        return Outcome::skipped("no chunk has a thumb");
    }
    let counts = |row: &&Row| thumbs_on(row).up + thumbs_on(row).down > 0.0;
    let n_weighted = rows.iter().filter(counts).count();
    if n_weighted == 0 {
        return Outcome::skipped("no thumb was given for a question close to this one");
    }
    let reasons = rows.iter().map(|row| {
        let Thumbs {
            n_up,
            n_down,
            up,
            down,
        } = thumbs_on(row);
        Feedback {
            base: row.score.unwrap_or(0.0),
            n_up,
            n_down,
            up,
            down,
            strength,
            weight: 1.0 + strength * REACH * (up - down) / (up + down + THUMBS_OF_NO_OPINION),
        }
    });
    Outcome {
        note: Some(format!("{n_weighted} with thumbs")),
        ..Outcome::applied(context.decided(reasons))
    }
}

/// Formats a sum of thumbs: without decimals if it is a whole number, otherwise with three.
fn counted(thumbs: f64) -> String {
    number(thumbs, if thumbs.fract() == 0.0 { 0 } else { 3 })
}

impl Reason for Feedback {
    fn effect(&self) -> Effect {
        Effect::Score(weighted(self.base, self.weight))
    }

    fn sentence(&self) -> String {
        let Feedback {
            n_up,
            n_down,
            up,
            down,
            ..
        } = *self;
        if (n_up, n_down) == (0, 0) {
            return "no thumbs".to_owned();
        }
        let counted = if (up, down) == (f64::from(n_up), f64::from(n_down)) {
            String::new()
        } else {
            format!(
                ", counted as {} and {} by how close their questions are to this one",
                counted(up),
                counted(down)
            )
        };
        let weight = number(self.weight, 3);
        format!("{n_up} up, {n_down} down{counted}: weight {weight}")
    }

    fn record(&self) -> Record {
        record!("feedback", self: base, n_up, n_down, up, down, strength, weight)
    }

    fn cell(&self, _: &Column, _: &Entry) -> CellValue {
        CellValue::of((self.up + self.down > 0.0).then_some(self.weight))
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        if self.up + self.down <= 0.0 {
            return Vec::new();
        }
        let (up, down) = (counted(self.up), counted(self.down));
        let of_thumbs = format!(
            "weight = 1 + {} · {REACH} · ({up} \u{2212} {down}) / ({up} + {down} + {THUMBS_OF_NO_OPINION})",
            setting(self.strength)
        );
        let mut lines = vec![(of_thumbs, self.weight)];
        lines.extend(scored(product(self.base, self.weight), self.effect()));
        lines
    }
}
