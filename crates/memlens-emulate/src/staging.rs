//! What stages of every program say in the same way.

use std::cmp::Ordering;

use memlens_params::{StageId, StageInfo};
use memlens_rank::{Detail, Effect, Outcome, Reason, Row, number};

/// A 0-based place; none for a row that is dropped.
pub type Place = Option<u32>;

/// A stage as its program's table describes it.
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

/// A row with a score at a place, or none of both.
pub fn settled(place: Place, score: f64) -> Effect {
    match place {
        Some(place) => Effect::Settle { place, score },
        None => Effect::Drop,
    }
}

/// A score as people compare it: those near 0 with the places that tell them from 0.
pub fn precise(score: f64) -> String {
    if score != 0.0 && score.abs() < 0.0005 {
        format!("{score:.1e}")
    } else {
        number(score, 4)
    }
}

/// A reason of this crate as a stage gives it.
pub fn own(reason: impl Reason + 'static) -> Detail {
    Detail::Own(reason.into())
}

/// One reason for each row.
pub fn each(rows: &[Row], detail: impl FnMut(&Row) -> Detail) -> Outcome {
    Outcome::applied(rows.iter().map(detail).collect())
}

/// The 0-based place of each row that is kept, by an order of them.
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

/// The first rows are kept; `of` says what they are.
pub fn counted(rows: &[Row], limit: u32, of: &'static str) -> Outcome {
    let details = (1..=rows.len() as u32).map(|rank| own(Counted { rank, limit, of }));
    Outcome::applied(details.collect())
}

/// A note among the first.
#[derive(Debug)]
struct Counted {
    /// The 1-based place.
    rank: u32,
    /// How many are kept.
    limit: u32,
    /// What they are.
    of: &'static str,
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
        format!("place {} of the {} {}", self.rank, self.limit, self.of)
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("limit", f64::from(self.limit)),
        ]
    }
}
