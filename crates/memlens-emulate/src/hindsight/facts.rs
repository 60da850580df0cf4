//! The input of Hindsight's stages: the lists of its arms, and the facts of each memory.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use memlens_rank::{Age, CandidateSet, ListId, ListState, OwnFacts};

use super::params::Boost;

const SECONDS_A_DAY: f64 = 24.0 * 60.0 * 60.0;
/// Number of days by which a span may be shorter than its month or year.
const SHORT_BY_DAYS: f64 = 1.0;

/// The facts of one fusion.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The arms that found anything, in order.
    pub arms: Vec<Arm>,
    /// Whether these are Memlens's own lists.
    pub is_of_memlens: bool,
    /// The facts of each memory, by slot.
    pub rows: Vec<RowFact>,
    /// The cross-encoder's scores, by slot, `None` for memories that it did not score. `None` as a whole if it was not
    /// called.
    pub scores: Option<Vec<Option<f64>>>,
}

/// The result of one arm.
#[derive(Debug, Clone)]
pub struct Arm {
    /// The kind of the arm.
    pub kind: ArmKind,
    /// Slots of its memories, best first.
    pub slots: Vec<u32>,
    /// The boost of an arm that Memlens does not have; otherwise a parameter decides.
    pub boost: Option<Boost>,
}

/// An arm of Hindsight's search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmKind {
    /// Searches by meaning, with vectors.
    Semantic,
    /// Searches by words, with BM25.
    Bm25,
    /// Follows the links between two memories.
    Graph,
    /// Searches near a time that the question names.
    Temporal,
}

impl ArmKind {
    /// Returns the arm's name as displayed to the user.
    pub fn as_str(self) -> &'static str {
        match self {
            ArmKind::Semantic => "semantic",
            ArmKind::Bm25 => "bm25",
            ArmKind::Graph => "graph",
            ArmKind::Temporal => "temporal",
        }
    }
}

/// The facts of one memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RowFact {
    /// The date of the memory, if it is known.
    pub dated: Option<Dated>,
    /// Number of observations that support it.
    pub n_proofs: Option<u32>,
    /// How close it is to the time that the question names, if the temporal arm found it.
    pub proximity: Option<f64>,
}

/// The date of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dated {
    /// Age of the memory in days.
    pub days: f64,
    /// Whether it covers a whole month or year, so that it never counts as recent.
    pub is_period: bool,
}

impl Dated {
    /// Returns the date from the start, the end and the mention of a memory: the end of a whole month or year,
    /// otherwise the first known of start, mention and end.
    pub fn of(
        start: Option<Timestamp>,
        end: Option<Timestamp>,
        mentioned: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<Dated> {
        let period = start
            .zip(end)
            .filter(|(start, end)| is_period(*start, *end));
        let at = match period {
            Some((_, end)) => end,
            None => start.or(mentioned).or(end)?,
        };
        Some(Dated {
            days: days_between(at, now),
            is_period: period.is_some(),
        })
    }
}

fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64() / SECONDS_A_DAY
}

/// Returns whether a span is one calendar month or year.
fn is_period(start: Timestamp, end: Timestamp) -> bool {
    let first: Zoned = start.to_zoned(TimeZone::UTC);
    let is_midnight = first.time() == jiff::civil::Time::midnight();
    if first.day() != 1 || !is_midnight {
        return false;
    }
    let days = days_between(start, end);
    let is_length = |whole: i16| {
        let whole = f64::from(whole);
        days >= whole - SHORT_BY_DAYS && days <= whole
    };
    is_length(i16::from(first.days_in_month()))
        || (first.month() == 1 && is_length(first.days_in_year()))
}

impl Facts {
    /// Returns the facts of a set. For a set of Memlens, these are its two lists as arms, and the age of each row.
    pub fn of(set: &CandidateSet) -> Cow<'_, Facts> {
        if let Some(facts) = set.own.as_ref().and_then(OwnFacts::get) {
            return Cow::Borrowed(facts);
        }
        let arm = |(kind, id): (ArmKind, ListId)| {
            let list = set.list(id).filter(|it| it.state == ListState::Ready)?;
            let mut ranked: Vec<(u32, u32)> = (0..set.candidates.len() as u32)
                .filter_map(|slot| Some((list.value(slot).rank?, slot)))
                .collect();
            ranked.sort_unstable();
            Some(Arm {
                kind,
                slots: ranked.into_iter().map(|(_, slot)| slot).collect(),
                boost: None,
            })
        };
        let arms = [
            (ArmKind::Semantic, ListId::VECTOR),
            (ArmKind::Bm25, ListId::BM25),
        ];
        let arms = arms.into_iter().filter_map(arm);
        let row = |age: Age| RowFact {
            dated: match age {
                Age::Days { days, .. } => Some(Dated {
                    days,
                    is_period: false,
                }),
                Age::Unknown | Age::Evergreen => None,
            },
            ..RowFact::default()
        };
        Cow::Owned(Facts {
            arms: arms.filter(|it| !it.slots.is_empty()).collect(),
            is_of_memlens: true,
            rows: set.candidates.iter().map(|it| row(it.age)).collect(),
            scores: None,
        })
    }
}
