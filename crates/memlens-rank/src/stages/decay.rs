//! Age weights the score.

use memlens_params::StageId;

use crate::look::{Cell, Column, Hue, Look, Sort, Start};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, Term, record};
use crate::stages::SWITCHED_OFF;
use crate::stages::weights::{product, weighted};
use crate::trace::Entry;
use crate::words::{number, scored};
use crate::{Age, CellValue, DateSource};

/// How age weights the row: `base * factor`, `factor = exp(-ln 2 * days / half_life_days)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Decay {
    /// The score before the stage.
    pub base: f64,
    /// Age in days, at least 0; `None` if the row does not decay.
    pub days: Option<f64>,
    /// Source of the date, if any.
    pub from: Option<DateSource>,
    /// Whether the file does not decay, whatever its date.
    pub is_evergreen: bool,
    /// Value of the parameter `half_life_days`, above 0.
    pub half_life_days: f64,
    /// The factor in `[0, 1]`; 1 if the row does not decay.
    pub factor: f64,
}

/// Weights rows by their age.
pub const STAGE: Stage = Stage {
    id: StageId::DECAY,
    explain: decay,
    look: Look {
        columns: &[Column {
            key: "decay",
            label: "Decay",
            name: "Decay",
            below: "weight",
            cell: Cell::Weight {
                by: "by its age",
                without: "Does not decay",
            },
            sort: Sort::Value,
            is_lasting: false,
            weight: 30,
        }],
        start: Some(Start::number("half_life_days", 30.0)),
        fades: true,
        ..Look::of(Hue::Decay)
    },
};

/// Halves a row's weight for every `half_life_days` of its age.
fn decay(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let half_life_days = context.params.half_life_days;
    if !context.params.decay_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if half_life_days == 0.0 {
        return Outcome::skipped("off: half-life 0");
    }
    let mut n_dated = 0;
    let reasons: Vec<Decay> = rows
        .iter()
        .map(|row| {
            let base = row.score.unwrap_or(0.0);
            let (days, from, is_evergreen) = match context.set.candidates[row.slot as usize].age {
                Age::Days { days, from } if days.is_finite() => {
                    (Some(days.max(0.0)), Some(from), false)
                }
                Age::Days { .. } | Age::Unknown => (None, None, false),
                Age::Evergreen => (None, None, true),
            };
            n_dated += u32::from(days.is_some());
            let factor = days.map_or(1.0, |days| {
                (-std::f64::consts::LN_2 * days / half_life_days).exp()
            });
            Decay {
                base,
                days,
                from,
                is_evergreen,
                half_life_days,
                factor,
            }
        })
        .collect();
    if n_dated == 0 {
        return Outcome::skipped("no chunk has a date that counts");
    }
    Outcome {
        note: Some(format!("{n_dated} with a date")),
        ..Outcome::applied(context.decided(reasons))
    }
}

impl From<DateSource> for Term {
    fn from(value: DateSource) -> Term {
        Term::Word(match value {
            DateSource::Written => "written",
            DateSource::FileName => "file_name",
            DateSource::Modified => "modified",
        })
    }
}

impl Reason for Decay {
    fn effect(&self) -> Effect {
        Effect::Fade {
            score: weighted(self.base, self.factor),
            before: self.base,
        }
    }

    fn sentence(&self) -> String {
        if self.is_evergreen {
            return "evergreen, so it does not decay".to_owned();
        }
        let Some(days) = self.days else {
            return "no date, so it does not decay".to_owned();
        };
        let by = match self.from {
            Some(DateSource::Written) | None => "its own date",
            Some(DateSource::FileName) => "the date in its path",
            Some(DateSource::Modified) => "the file's last change",
        };
        // Rounded like the days, so that a row saved a minute ago reads 1.000.
        let days = number(days, 0);
        let s = if days == "1" { "" } else { "s" };
        format!("{days} day{s} old by {by}: weight {:.3}", self.factor)
    }

    fn record(&self) -> Record {
        record!("decay", self: base, days, from, is_evergreen, half_life_days, factor)
    }

    fn cell(&self, _: &Column, _: &Entry) -> CellValue {
        CellValue::of(self.days.map(|_| self.factor))
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        let Some(days) = self.days else {
            return Vec::new();
        };
        let of_age = format!(
            "age = e^(\u{2212}ln 2 · {} / {})",
            number(days, 3),
            self.half_life_days
        );
        let mut lines = vec![(of_age, self.factor)];
        lines.extend(scored(product(self.base, self.factor), self.effect()));
        lines
    }
}
