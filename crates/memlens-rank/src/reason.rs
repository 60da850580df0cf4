//! The open form of a reason, for pipelines outside this crate.

use std::fmt;
use std::sync::Arc;

use memlens_params::StageId;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::ListValue;
use crate::detail::Effect;

/// Why a stage of a pipeline outside this crate decided as it did on one row.
///
/// One value gives effect, sentence and formulas, as every [`Detail`](crate::Detail) does: a formula that is not the effect's
/// own cannot be told.
pub trait Reason: fmt::Debug + Send + Sync {
    /// What it does to the row.
    fn effect(&self) -> Effect;

    /// The same in a person's words.
    fn sentence(&self) -> String;

    /// The numbers that it decided with, by name; finite.
    fn terms(&self) -> Vec<(&'static str, f64)>;

    /// The formulas that led to the number, with their values filled in, and each result.
    fn formulas(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Where a list holds the row, in a stage that reads one.
    fn listed(&self) -> Option<ListValue> {
        None
    }

    /// What each list's stage adds to the score, in a stage that makes one score of them; the amounts sum to it.
    fn shares(&self) -> Vec<(StageId, f64)> {
        Vec::new()
    }

    /// The score that every row must reach, in a stage that asks for one.
    fn least(&self) -> Option<f64> {
        None
    }

    /// A remark that a kept row should carry; none where nothing is out of the ordinary.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A [`Reason`] of whatever type.
#[derive(Debug, Clone)]
pub struct OwnReason(Arc<dyn Reason>);

impl OwnReason {
    /// The reason.
    pub fn get(&self) -> &dyn Reason {
        &*self.0
    }

    /// Its effect; a score that is not finite counts as 0.
    pub(crate) fn effect(&self) -> Effect {
        let finite = |score: f64| if score.is_finite() { score } else { 0.0 };
        match self.0.effect() {
            Effect::Score(score) => Effect::Score(finite(score)),
            Effect::Settle { place, score } => Effect::Settle {
                place,
                score: finite(score),
            },
            other @ (Effect::Keep | Effect::Place(_) | Effect::Drop) => other,
        }
    }
}

impl<R: Reason + 'static> From<R> for OwnReason {
    fn from(reason: R) -> OwnReason {
        OwnReason(Arc::new(reason))
    }
}

impl PartialEq for OwnReason {
    fn eq(&self, other: &OwnReason) -> bool {
        self.effect() == other.effect()
            && self.0.terms() == other.0.terms()
            && self.0.sentence() == other.0.sentence()
    }
}

/// The terms by name.
impl Serialize for OwnReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let terms = self.0.terms();
        let mut map = serializer.serialize_map(Some(terms.len()))?;
        for (name, value) in terms {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}
