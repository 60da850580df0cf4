//! Helpers that the stages of all programs share.

use std::cmp::Ordering;

use memlens_params::{StageId, StageInfo};
use memlens_rank::{Context, Effect, Outcome, Reason, Row, number};

/// A 0-based place; `None` for a row that is dropped.
pub type Place = Option<u32>;

/// Describes a stage for its program's table.
pub const fn stage(
    id: StageId,
    label: &'static str,
    switch: Option<&'static str>,
    sentence: &'static str,
) -> StageInfo {
    StageInfo {
        id,
        label,
        switch,
        sentence,
    }
}

/// Gives a row its score and place, or drops it.
pub fn settled(place: Place, score: f64) -> Effect {
    match place {
        Some(place) => Effect::Settle { place, score },
        None => Effect::Drop,
    }
}

/// Formats a score for comparison; scores near 0 get enough digits to differ from 0.
pub fn precise(score: f64) -> String {
    if score != 0.0 && score.abs() < 0.0005 {
        format!("{score:.1e}")
    } else {
        number(score, 4)
    }
}

/// Returns one reason per row.
pub fn each<P, R: Reason>(
    context: &Context<'_, P>,
    rows: &[Row],
    reason: impl FnMut(&Row) -> R,
) -> Outcome {
    Outcome::applied(context.decided(rows.iter().map(reason)))
}

/// Returns the 0-based place of each row that is kept, in the given order.
pub fn in_order(
    rows: &[Row],
    is_kept: impl Fn(usize) -> bool,
    by: impl Fn(usize, usize) -> Ordering,
) -> Vec<Place> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|at| is_kept(*at)).collect();
    order.sort_by(|a, b| by(*a, *b));
    let mut places = vec![None; rows.len()];
    for (place, at) in (0..).zip(order) {
        places[at] = Some(place);
    }
    places
}

/// Keeps the first `limit` rows; `then` says what happens to them, such as "notes are returned".
pub fn counted<P>(
    context: &Context<'_, P>,
    rows: &[Row],
    limit: u32,
    then: &'static str,
) -> Outcome {
    let reasons = (1..=rows.len() as u32).map(|rank| Counted { rank, limit, then });
    Outcome::applied(context.decided(reasons))
}

/// Whether a note is among the first.
#[derive(Debug)]
struct Counted {
    /// The 1-based rank of the row.
    rank: u32,
    /// Number of rows that are kept.
    limit: u32,
    /// What happens to the rows that are kept, after their number.
    then: &'static str,
}

impl Reason for Counted {
    fn effect(&self) -> Effect {
        if self.rank <= self.limit {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        format!(
            "place {}: the first {} {}",
            self.rank, self.limit, self.then
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("limit", f64::from(self.limit)),
        ]
    }
}
