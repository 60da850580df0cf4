//! Values of two sentences that fill the same place and differ.

use std::ops::Range;

use super::{Opposed, Pair};
use crate::lexicon::{self, Dimension};
use crate::reading::{Bound, Sentence, Value, ValueKind};
use crate::verdict::{Kind, Side};

/// About values agree up to this ratio.
const ABOUT: f64 = 1.25;
/// Converted units agree up to this ratio: months have 30 or 31 days.
const CONVERTED: f64 = 1.04;

/// Two values in one place that differ.
pub(super) struct Differing<'a> {
    a: &'a Value,
    b: &'a Value,
    /// It says when or which, and not how much.
    pub(super) is_occasion: bool,
    /// It is the number by which the subject is named.
    pub(super) is_label: bool,
}

/// Returns the values that differ.
pub(super) fn differing<'a>(pair: &Pair<'a>) -> Vec<Differing<'a>> {
    let mut found: Vec<Differing<'a>> = Vec::new();
    let mut kinds: Vec<ValueKind> = Vec::new();
    for value in &pair.a.values {
        if !kinds.iter().any(|kind| are_alike(*kind, value.kind)) {
            kinds.push(value.kind);
        }
    }
    let is_limit = |sentence: &Sentence| {
        let limit = lexicon::hash("limit");
        sentence.words.iter().any(|word| word.stem == limit)
    };
    let limits = (is_limit(pair.a), is_limit(pair.b));
    for kind in kinds {
        let of_kind = |sentence: &'a Sentence| -> Vec<&'a Value> {
            sentence
                .values
                .iter()
                .filter(|value| are_alike(value.kind, kind))
                .collect()
        };
        let (all_a, all_b) = (of_kind(pair.a), of_kind(pair.b));
        let is_listed = |value: &Value, others: &[&Value], limits: (bool, bool)| {
            others.iter().any(|other| agree(value, other, limits))
        };
        let left_a: Vec<&Value> = all_a
            .iter()
            .copied()
            .filter(|value| !is_listed(value, &all_b, limits))
            .collect();
        let turned = (limits.1, limits.0);
        let left_b: Vec<&Value> = all_b
            .iter()
            .copied()
            .filter(|value| !is_listed(value, &all_a, turned))
            .collect();
        if left_a.iter().chain(&left_b).any(|value| value.is_range) {
            continue;
        }
        if all_a.len() == 1 && all_b.len() == 1 {
            if let (Some(a), Some(b)) = (left_a.first(), left_b.first())
                && fits_alone(pair, a, b)
            {
                found.push(of(a, b));
            }
            continue;
        }
        // Of several days none is the same.
        if kind == ValueKind::Weekday {
            if left_a.len() == all_a.len()
                && left_b.len() == all_b.len()
                && let (Some(a), Some(b)) = (left_a.first(), left_b.first())
            {
                found.push(of(a, b));
            }
            continue;
        }
        let is_same_length = all_a.len() == all_b.len();
        for (at, a) in all_a.iter().enumerate() {
            if !left_a.iter().any(|left| std::ptr::eq(*left, *a)) {
                continue;
            }
            let partners: Vec<&&Value> = all_b
                .iter()
                .enumerate()
                .filter(|(other, b)| {
                    left_b.iter().any(|left| std::ptr::eq(*left, **b))
                        && near(a, b)
                        && (!is_same_length || *other == at || all_a.len() != left_a.len())
                })
                .map(|(_, b)| b)
                .collect();
            // Two that fit are a list.
            if let [b] = partners[..] {
                found.push(of(a, b));
            }
        }
    }
    found
}

fn of<'a>(a: &'a Value, b: &'a Value) -> Differing<'a> {
    Differing {
        a,
        b,
        is_occasion: a.kind.is_of_calendar() || a.kind == ValueKind::Ordinal,
        is_label: (a.is_label || b.is_label)
            || (a.kind == ValueKind::Ordinal && a.describes.is_some()),
    }
}

/// Returns whether values of two kinds are compared with each other.
fn are_alike(a: ValueKind, b: ValueKind) -> bool {
    match (a, b) {
        (ValueKind::Quantity(Dimension::Money(_)), ValueKind::Quantity(Dimension::Money(_))) => {
            true
        }
        (ValueKind::Number, ValueKind::Quantity(Dimension::Times))
        | (ValueKind::Quantity(Dimension::Times), ValueKind::Number) => true,
        _ => a == b,
    }
}

/// Returns whether the only two values of a kind stand in one place.
fn fits_alone(pair: &Pair<'_>, a: &Value, b: &Value) -> bool {
    if a.per != b.per {
        return false;
    }
    match a.kind {
        // "Port 8093" and "room 204".
        ValueKind::Number | ValueKind::Code | ValueKind::Ordinal => {
            let is_bare = |value: &Value| value.near[0].is_none() && value.near[2].is_none();
            near(a, b)
                || is_bare(a)
                || is_bare(b)
                || a.kind != b.kind
                || pair.own(pair.a, pair.b).is_empty() && pair.own(pair.b, pair.a).is_empty()
        }
        ValueKind::Period => {
            a.describes.is_none() && b.describes.is_none()
                || near(a, b) && a.describes == b.describes
        }
        ValueKind::Quantity(_)
        | ValueKind::Clock
        | ValueKind::Date
        | ValueKind::Month
        | ValueKind::Weekday
        | ValueKind::Season
        | ValueKind::Year => true,
    }
}

/// Returns whether two values stand beside a common word.
fn near(a: &Value, b: &Value) -> bool {
    if a.near[2].is_some() && a.near[2] == b.near[2] {
        return true;
    }
    let before = |value: &Value| [value.near[0], value.near[1]];
    before(a)
        .iter()
        .flatten()
        .any(|word| before(b).contains(&Some(*word)))
}

/// Returns whether both values can be true at once. `limits` says whether each sentence speaks of a limit.
fn agree(a: &Value, b: &Value, limits: (bool, bool)) -> bool {
    if a.is_negated != b.is_negated {
        return !is_equal(a, b);
    }
    if is_equal(a, b) {
        return true;
    }
    if a.kind.is_of_calendar() || matches!(a.kind, ValueKind::Ordinal | ValueKind::Code) {
        return false;
    }
    if a.kind == ValueKind::Clock {
        // One may be of the afternoon without saying so.
        return (a.amount - b.amount).abs() == 720.0;
    }
    let bound = |value: &Value, is_limit: bool| {
        if is_limit && value.bound == Bound::Exact {
            Bound::Upper
        } else {
            value.bound
        }
    };
    let (bound_a, bound_b) = (bound(a, limits.0), bound(b, limits.1));
    match (bound_a, bound_b) {
        (Bound::Lower, Bound::Lower) | (Bound::Upper, Bound::Upper) => false,
        (Bound::Lower, _) => b.amount >= a.amount,
        (_, Bound::Lower) => a.amount >= b.amount,
        (Bound::Upper, _) => b.amount <= a.amount,
        (_, Bound::Upper) => a.amount <= b.amount,
        (Bound::About, _) | (_, Bound::About) => ratio(a, b) <= ABOUT,
        (Bound::Exact, Bound::Exact) => false,
    }
}

fn is_equal(a: &Value, b: &Value) -> bool {
    if let (
        ValueKind::Quantity(Dimension::Money(of_a)),
        ValueKind::Quantity(Dimension::Money(of_b)),
    ) = (a.kind, b.kind)
        && of_a != of_b
    {
        return false;
    }
    if let (Some(year_a), Some(year_b)) = (a.year, b.year)
        && year_a != year_b
    {
        return false;
    }
    let is_converted =
        a.kind == ValueKind::Quantity(Dimension::Time) || a.kind == ValueKind::Period;
    a.amount == b.amount
        || (is_converted && a.amount.min(b.amount) > 1e5 && ratio(a, b) <= CONVERTED)
}

fn ratio(a: &Value, b: &Value) -> f64 {
    let (small, large) = (
        a.amount.abs().min(b.amount.abs()),
        a.amount.abs().max(b.amount.abs()),
    );
    if a.amount.signum() != b.amount.signum() {
        f64::INFINITY
    } else {
        large / small
    }
}

/// Returns whether both name a duration.
pub(super) fn have_durations(pair: &Pair<'_>) -> bool {
    let has = |sentence: &Sentence| {
        sentence
            .values
            .iter()
            .any(|value| value.kind == ValueKind::Quantity(Dimension::Time))
    };
    has(pair.a) && has(pair.b)
}

/// Returns the side that says "not" before the other's value.
pub(super) fn replaced(a: &Sentence, b: &Sentence) -> Option<Side> {
    let denies = |x: &Sentence, y: &Sentence| {
        let mut denied = x.values.iter().filter(|value| value.is_negated);
        let has_own = x.values.iter().any(|value| !value.is_negated);
        has_own
            && denied.any(|value| {
                y.values
                    .iter()
                    .any(|other| !other.is_negated && is_equal(value, other))
            })
    };
    match (denies(a, b), denies(b, a)) {
        (true, false) => Some(Side::A),
        (false, true) => Some(Side::B),
        (true, true) | (false, false) => None,
    }
}

/// Returns the opposition of differing values; the list must not be empty.
pub(super) fn opposed(differing: &[Differing<'_>], sure: bool) -> Opposed {
    let kind = differing
        .first()
        .map_or(Kind::Number, |first| kind_of(first.a, first.b));
    let bytes = |of: fn(&Differing<'_>) -> Range<usize>| differing.iter().map(of).collect();
    Opposed {
        kind,
        a: bytes(|value| value.a.bytes.clone()),
        b: bytes(|value| value.b.bytes.clone()),
        sure,
    }
}

fn kind_of(a: &Value, b: &Value) -> Kind {
    match a.kind {
        ValueKind::Quantity(Dimension::Money(_)) if a.kind != b.kind && a.amount == b.amount => {
            Kind::Unit
        }
        ValueKind::Quantity(Dimension::Time) | ValueKind::Clock | ValueKind::Period => Kind::Time,
        ValueKind::Date
        | ValueKind::Month
        | ValueKind::Weekday
        | ValueKind::Season
        | ValueKind::Year => Kind::Date,
        ValueKind::Number | ValueKind::Quantity(_) | ValueKind::Ordinal | ValueKind::Code => {
            Kind::Number
        }
    }
}
