//! Why a stage decided as it did on one row: the trait of all reasons, and their shared form in a trace.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use memlens_params::StageId;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::look::Column;
use crate::trace::Entry;
use crate::{CellValue, ListValue};

/// Why a stage decided as it did on one row.
///
/// One value yields the effect, the sentence and the formulas, so that they cannot contradict each other.
pub trait Reason: Any + fmt::Debug + Send + Sync {
    /// Returns what the reason does to the row.
    ///
    /// This is the only place where a reason becomes a number; replaying it gives every score.
    fn effect(&self) -> Effect;

    /// Returns one sentence for the user: what the stage did and why.
    fn sentence(&self) -> String;

    /// Returns the finite numbers that the stage decided with, by name. A reason of Memlens's own gives a
    /// [`record`](Reason::record) instead.
    fn terms(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Returns what the stage decided with, as files and JSON output show it.
    fn record(&self) -> Record {
        let terms = self.terms().into_iter();
        Record::new("own", terms.map(|(name, value)| (name, value.into())))
    }

    /// Returns the formulas that led to the number, with their values filled in, each with its result.
    fn formulas(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Returns the row's rank in a list, `None` beyond its depth, and its raw score; `None` if the stage reads no list.
    fn listed(&self) -> Option<ListValue> {
        None
    }

    /// Returns what each list's stage adds to the score, if this stage fuses lists. The amounts sum to the score.
    fn shares(&self) -> Vec<(StageId, f64)> {
        Vec::new()
    }

    /// Returns the name of the score that [`shares`](Reason::shares) sum to; `None` for the stage's label.
    fn total(&self) -> Option<&'static str> {
        None
    }

    /// Returns the score that every row must reach; `None` if the stage has no such threshold.
    fn least(&self) -> Option<f64> {
        None
    }

    /// Returns the score that is compared with [`least`](Reason::least); `None` if it is the row's score before the
    /// stage.
    fn compared(&self) -> Option<f64> {
        None
    }

    /// Returns what a column of the stage shows of the row: unless the stage decides otherwise, the ranks before and
    /// after it, and the score after it.
    fn cell(&self, _column: &Column, entry: &Entry) -> CellValue {
        CellValue {
            value: entry.score_after,
            ..CellValue::ranks(entry)
        }
    }

    /// Returns a remark to show on a kept row, or `None` if there is nothing unusual.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Returns what placed the row, if a score did not.
    fn placer(&self) -> Placer {
        match self.effect() {
            Effect::Place(_) | Effect::Settle { .. } => Placer::Stage,
            Effect::Keep | Effect::Score(_) | Effect::Fade { .. } | Effect::Drop => Placer::Nothing,
        }
    }
}

/// What a reason does to a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// The row keeps its score and order.
    Keep,
    /// The row has this score from here on; finite.
    Score(f64),
    /// The row has `score` from here on, but the least score is compared with `before` until a later stage scores
    /// again; both finite.
    Fade {
        /// The row's new score, after fading.
        score: f64,
        /// The score that counts for the least score.
        before: f64,
    },
    /// The row takes this 0-based place until a later stage scores again.
    Place(u32),
    /// The row gets this score and takes this 0-based place, regardless of the other scores.
    Settle {
        /// The row's new 0-based place.
        place: u32,
        /// The row's new score; finite.
        score: f64,
    },
    /// The row is dropped and reaches no later stage.
    Drop,
}

impl Effect {
    /// Returns the row's new score; `None` if its score does not change.
    pub fn score(self) -> Option<f64> {
        match self {
            Effect::Score(score) | Effect::Fade { score, .. } | Effect::Settle { score, .. } => {
                Some(score)
            }
            Effect::Keep | Effect::Place(_) | Effect::Drop => None,
        }
    }

    /// Returns the row's new 0-based place; `None` if its score decides the place.
    pub(crate) fn place(self) -> Option<u32> {
        match self {
            Effect::Place(place) | Effect::Settle { place, .. } => Some(place),
            Effect::Keep | Effect::Score(_) | Effect::Fade { .. } | Effect::Drop => None,
        }
    }

    /// Returns the same effect; a score that is not finite counts as 0.
    pub(crate) fn finite(self) -> Effect {
        let finite = |score: f64| if score.is_finite() { score } else { 0.0 };
        match self {
            Effect::Score(score) => Effect::Score(finite(score)),
            Effect::Fade { score, before } => Effect::Fade {
                score: finite(score),
                before: finite(before),
            },
            Effect::Settle { place, score } => Effect::Settle {
                place,
                score: finite(score),
            },
            other @ (Effect::Keep | Effect::Place(_) | Effect::Drop) => other,
        }
    }

    /// Returns the effect of a cut.
    pub(crate) fn kept_if(is_kept: bool) -> Effect {
        if is_kept { Effect::Keep } else { Effect::Drop }
    }
}

/// What placed a row regardless of its score, as the user reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placer {
    /// Nothing but its score.
    Nothing,
    /// The stage, by its label.
    Stage,
    /// The stage, under this name.
    Named(&'static str),
}

/// A value of a [`Record`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Term {
    /// Absent; serialised as null.
    Missing,
    /// A boolean.
    Flag(bool),
    /// A non-negative whole number.
    Count(u32),
    /// A finite number.
    Number(f64),
    /// A word of a fixed set.
    Word(&'static str),
    /// A list of whole numbers.
    Counts(Vec<u32>),
    /// A nested record.
    Terms(Terms),
}

/// Named values in a fixed order. Serialises as a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms(pub Vec<(&'static str, Term)>);

impl Serialize for Terms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// What a stage decided with on one row, as files and JSON output show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    kind: &'static str,
    terms: Terms,
}

impl Record {
    /// Returns a record; `kind` names the type of the reason.
    pub fn new(
        kind: &'static str,
        terms: impl IntoIterator<Item = (&'static str, Term)>,
    ) -> Record {
        Record {
            kind,
            terms: Terms(terms.into_iter().collect()),
        }
    }

    /// Adds a term that only some reasons of the kind have.
    pub(crate) fn add(&mut self, name: &'static str, term: Term) {
        self.terms.0.push((name, term));
    }
}

/// Serialises as a map from term name to value; the first entry is `kind`.
impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Terms(terms) = &self.terms;
        let mut map = serializer.serialize_map(Some(terms.len() + 1))?;
        map.serialize_entry("kind", self.kind)?;
        for (name, value) in terms {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Makes the [`Record`] of a reason from its fields: `record!("limit", self: rank, max_results)`.
macro_rules! record {
    ($kind:literal, $reason:ident: $($field:ident),* $(,)?) => {
        $crate::reason::Record::new(
            $kind,
            [$((stringify!($field), $crate::reason::Term::from($reason.$field.clone()))),*],
        )
    };
}
pub(crate) use record;

impl From<bool> for Term {
    fn from(value: bool) -> Term {
        Term::Flag(value)
    }
}

impl From<u32> for Term {
    fn from(value: u32) -> Term {
        Term::Count(value)
    }
}

impl From<f64> for Term {
    fn from(value: f64) -> Term {
        Term::Number(value)
    }
}

impl From<&'static str> for Term {
    fn from(value: &'static str) -> Term {
        Term::Word(value)
    }
}

impl From<Vec<u32>> for Term {
    fn from(value: Vec<u32>) -> Term {
        Term::Counts(value)
    }
}

impl From<(u32, u32)> for Term {
    fn from((first, last): (u32, u32)) -> Term {
        Term::Counts(vec![first, last])
    }
}

impl<T: Into<Term>> From<Option<T>> for Term {
    fn from(value: Option<T>) -> Term {
        value.map_or(Term::Missing, T::into)
    }
}

/// The reasons of one stage, of any type.
trait AnyReasons: fmt::Debug + Send + Sync {
    fn get(&self, at: usize) -> &dyn Reason;
}

impl<R: Reason> AnyReasons for Vec<R> {
    fn get(&self, at: usize) -> &dyn Reason {
        &self[at]
    }
}

/// A shared [`Reason`] of any type, as a trace holds it.
#[derive(Clone)]
pub struct Detail {
    /// The reasons of the stage, which all its details share.
    reasons: Arc<dyn AnyReasons>,
    at: usize,
}

impl Detail {
    /// Returns the details of a stage; they share one allocation.
    pub(crate) fn all<R: Reason>(reasons: Vec<R>) -> Vec<Detail> {
        let n = reasons.len();
        let reasons: Arc<dyn AnyReasons> = Arc::new(reasons);
        (0..n)
            .map(|at| Detail {
                reasons: Arc::clone(&reasons),
                at,
            })
            .collect()
    }

    /// Returns the reason if it is of type `R`.
    pub fn get<R: Reason>(&self) -> Option<&R> {
        let reason: &dyn Any = &**self;
        reason.downcast_ref()
    }

    /// Returns the reason's effect; a score that is not finite counts as 0.
    pub fn effect(&self) -> Effect {
        (**self).effect().finite()
    }

    /// Returns why the row was dropped, or `None` if it was not.
    pub fn drop_reason(&self) -> Option<String> {
        (self.effect() == Effect::Drop).then(|| self.sentence())
    }
}

impl Deref for Detail {
    type Target = dyn Reason;

    fn deref(&self) -> &dyn Reason {
        self.reasons.get(self.at)
    }
}

impl fmt::Debug for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Detail {
    fn eq(&self, other: &Detail) -> bool {
        self.effect() == other.effect()
            && self.record() == other.record()
            && self.sentence() == other.sentence()
    }
}

/// Serialises like its [`Record`].
impl Serialize for Detail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record().serialize(serializer)
    }
}
