//! The reasons of OpenViking's stages for one record: numbers, effect, sentence and formulas.

use memlens_params::StageId;
use memlens_rank::{Effect, ListValue, Reason, number};

use super::facts::Given;
use super::params::VECTOR;
use crate::staging::precise;

/// Half-life of the score of an event, in days.
const HALF_LIFE_DAYS: f64 = 7.0;

/// The similarity of a record.
#[derive(Debug)]
pub struct Listed {
    /// The inner product; `None` without a vector.
    pub inner: Option<f64>,
    /// Its rank among all records.
    pub rank: Option<u32>,
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        match self.inner.zip(self.rank) {
            Some((inner, rank)) => format!("rank {rank}: inner product {}", precise(inner)),
            None => "has no vector".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let rank = self.rank.map(|it| ("rank", f64::from(it)));
        let inner = self.inner.map(|it| ("inner_product", it));
        rank.into_iter().chain(inner).collect()
    }
    fn listed(&self) -> Option<ListValue> {
        Some(ListValue {
            score: self.inner,
            rank: self.rank,
        })
    }
}

/// The score of an inner product.
#[derive(Debug)]
pub struct Scored {
    /// The inner product; `None` without a vector.
    pub inner: Option<f64>,
}

impl Scored {
    /// Returns the score, in the precision of the store.
    fn score(&self) -> Option<f64> {
        let score = self.inner.map(|inner| ((1.0 + inner) / 2.0) as f32);
        score.map(f64::from)
    }
}

impl Reason for Scored {
    fn effect(&self) -> Effect {
        self.score().map_or(Effect::Drop, Effect::Score)
    }
    fn sentence(&self) -> String {
        match self.inner {
            Some(inner) => format!("inner product {}, moved to 0..1", precise(inner)),
            None => "has no vector".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let inner = self.inner.map(|it| ("inner_product", it));
        inner.into_iter().collect()
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let both = self.inner.zip(self.score());
        let formula = both.map(|(inner, score)| (format!("(1 + {}) / 2", number(inner, 4)), score));
        formula.into_iter().collect()
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let score = self.score().map(|it| (VECTOR, it));
        score.into_iter().collect()
    }
}

/// How age lowers the score of an event.
#[derive(Debug)]
pub struct Faded {
    /// The score before the stage.
    pub base: f64,
    /// Distance from now in days; `None` if it is no event.
    pub days: Option<f64>,
    /// Number of days during which it does not fade.
    pub protected: f64,
}

impl Faded {
    fn factor(&self) -> f64 {
        let days = self
            .days
            .map_or(0.0, |days| (days - self.protected).max(0.0));
        0.5_f64.powf(days / HALF_LIFE_DAYS)
    }
}

impl Reason for Faded {
    fn effect(&self) -> Effect {
        match self.days {
            Some(_) => Effect::Score(self.base * self.factor()),
            None => Effect::Keep,
        }
    }
    fn sentence(&self) -> String {
        match self.days {
            Some(days) => format!(
                "an event, {} days from now: × {}",
                number(days, 1),
                precise(self.factor())
            ),
            None => "no event, so it does not fade".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let days = self.days.map(|it| ("days", it)).into_iter();
        days.chain([("factor", self.factor())]).collect()
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let formula = self.days.map(|days| {
            let text = format!(
                "{} × 0.5^(max(0, {} - {}) / {HALF_LIFE_DAYS})",
                number(self.base, 4),
                number(days, 1),
                number(self.protected, 1)
            );
            (text, self.base * self.factor())
        });
        formula.into_iter().collect()
    }
}

/// Whether a record is the best of its address.
#[derive(Debug)]
pub struct Addressed {
    /// Whether it is the first with its address.
    pub is_first: bool,
}

impl Reason for Addressed {
    fn effect(&self) -> Effect {
        if self.is_first {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        if self.is_first {
            "the best record of its address".to_owned()
        } else {
            "another record of the same address ranks higher".to_owned()
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// A reranker's score in place of a vector score.
#[derive(Debug)]
pub struct Replaced {
    /// The score that the reranker gave.
    pub given: Given,
    /// The vector score that it replaces.
    pub base: f64,
}

impl Reason for Replaced {
    fn effect(&self) -> Effect {
        match self.given {
            Given::Score(score) => Effect::Score(score),
            Given::NotRead | Given::NoNumber => Effect::Keep,
        }
    }
    fn sentence(&self) -> String {
        let base = precise(self.base);
        match self.given {
            Given::Score(score) => {
                format!(
                    "what was read of it was given {}, in place of {base}",
                    precise(score)
                )
            }
            Given::NotRead => format!("nothing of it was read, so it keeps {base}"),
            Given::NoNumber => {
                format!("what was read of it was given no number, so it keeps {base}")
            }
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let before = ("vector_score", self.base);
        match self.given {
            Given::Score(score) => vec![before, ("rerank", score)],
            Given::NotRead | Given::NoNumber => vec![before],
        }
    }
}

/// The decision of the threshold.
#[derive(Debug)]
pub struct Cut {
    /// The score of the record.
    pub score: f64,
    /// The score that must be exceeded.
    pub threshold: f64,
    /// Whether an equal score is sufficient.
    pub or_equal: bool,
}

impl Cut {
    fn is_kept(&self) -> bool {
        self.score > self.threshold || (self.or_equal && self.score == self.threshold)
    }
}

impl Reason for Cut {
    fn effect(&self) -> Effect {
        if self.is_kept() {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        let (score, threshold) = (precise(self.score), number(self.threshold, 2));
        if self.is_kept() {
            format!("{score} exceeds the threshold {threshold}")
        } else {
            format!("{score} does not exceed the threshold {threshold}")
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("score", self.score), ("threshold", self.threshold)]
    }
    fn least(&self) -> Option<f64> {
        Some(self.threshold)
    }
}
