//! The open form of a reason, for pipelines outside this crate.

use std::fmt;
use std::sync::Arc;

use memlens_params::StageId;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::ListValue;
use crate::detail::Effect;

/// Why a stage of a pipeline in another crate decided as it did on one row.
///
/// One value yields the effect, the sentence and the formulas, as every [`Detail`](crate::Detail) does, so that they
/// cannot contradict each other.
pub trait Reason: fmt::Debug + Send + Sync {
    /// Returns what the reason does to the row.
    fn effect(&self) -> Effect;

    /// Returns one sentence for the user: what the stage did and why.
    fn sentence(&self) -> String;

    /// Returns the finite numbers that the stage decided with, by name.
    fn terms(&self) -> Vec<(&'static str, f64)>;

    /// Returns the formulas that led to the number, with their values filled in, each with its result.
    fn formulas(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Returns the row's rank and score in the list that the stage reads; `None` if the stage reads no list.
    fn listed(&self) -> Option<ListValue> {
        None
    }

    /// Returns what each list's stage adds to the score, if this stage fuses lists. The amounts sum to the score.
    fn shares(&self) -> Vec<(StageId, f64)> {
        Vec::new()
    }

    /// Returns the score that every row must reach; `None` if the stage has no such threshold.
    fn least(&self) -> Option<f64> {
        None
    }

    /// Returns a remark to show on a kept row, or `None` if there is nothing unusual.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A shared [`Reason`] of any type.
#[derive(Debug, Clone)]
pub struct OwnReason(Arc<dyn Reason>);

impl OwnReason {
    /// Returns the wrapped reason.
    pub fn get(&self) -> &dyn Reason {
        &*self.0
    }

    /// Returns the reason's effect; a score that is not finite counts as 0.
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

/// Serialises as a map from term name to value.
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
