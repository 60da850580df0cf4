//! Stages 6 and 7: thumbs and age weight the score.
//!
//! Both multiply the score; the formulas are documented at [`Detail::Feedback`] and [`Detail::Decay`].

use crate::detail::Detail;
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;
use crate::{Age, Thumbs};

/// Limit of the effect of thumbs at strength 1: weights lie within 1 ± this.
pub(crate) const REACH: f64 = 0.5;
/// Number of neutral thumbs that are added to the real ones. With 2, a single thumb has a third of the reach and ten
/// agreeing ones have five sixths.
pub(crate) const THUMBS_OF_NO_OPINION: f64 = 2.0;

/// Weights every row by the user's thumbs on it. Each thumb counts by how close its question is to this one.
pub fn feedback(context: &Context<'_>, rows: &[Row]) -> Outcome {
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
    let details = rows
        .iter()
        .map(|row| {
            let thumbs = thumbs_on(row);
            let Thumbs {
                n_up,
                n_down,
                up,
                down,
            } = thumbs;
            Detail::Feedback {
                base: row.score.unwrap_or(0.0),
                n_up,
                n_down,
                up,
                down,
                strength,
                weight: 1.0 + strength * REACH * (up - down) / (up + down + THUMBS_OF_NO_OPINION),
            }
        })
        .collect();
    Outcome {
        note: Some(format!("{n_weighted} with thumbs")),
        ..Outcome::applied(details)
    }
}

/// Halves a row's weight for every `half_life_days` of its age.
pub fn decay(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let half_life_days = context.params.half_life_days;
    if !context.params.decay_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if half_life_days == 0.0 {
        return Outcome::skipped("off: half-life 0");
    }
    let mut n_dated = 0;
    let details: Vec<Detail> = rows
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
            Detail::Decay {
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
        ..Outcome::applied(details)
    }
}
