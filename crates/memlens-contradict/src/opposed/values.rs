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

/// Units of 1,000 and of 1,024 bytes agree up to this ratio.
const BINARY: f64 = 1.08;

/// Two values in one place that differ.
pub(super) struct Differing<'a> {
    a: &'a Value,
    b: &'a Value,
    /// It says when or which, and not how much.
    pub(super) is_occasion: bool,
    /// It is the number by which the subject is named.
    pub(super) is_label: bool,
}

impl Differing<'_> {
    /// Returns whether they are times of day.
    pub(super) fn is_of_clock(&self) -> bool {
        self.a.kind == ValueKind::Clock
    }

    /// Returns whether they are of two years.
    pub(super) fn is_of_other_years(&self) -> bool {
        self.a.kind == ValueKind::Year
            || matches!((self.a.year, self.b.year), (Some(a), Some(b)) if a != b)
    }

    /// Returns whether they are days or months that come again: both can be true.
    pub(super) fn is_recurring(&self) -> bool {
        self.a.is_recurring || self.b.is_recurring
    }
}

/// Returns the values that differ.
pub(super) fn differing<'a>(pair: &Pair<'a>) -> Vec<Differing<'a>> {
    let mut found: Vec<Differing<'a>> = Vec::new();
    let is_limit = |sentence: &Sentence| {
        let limit = lexicon::hash("limit");
        sentence.words.iter().any(|word| word.stem == limit)
    };
    let limits = (is_limit(pair.a), is_limit(pair.b));
    for kind in kinds(pair) {
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
        found.extend(matched(&left_a, &left_b, [all_a.len(), all_b.len()]));
    }
    found
}

/// Returns the kinds of both sentences' values, one of those that are compared with each other.
fn kinds(pair: &Pair<'_>) -> Vec<ValueKind> {
    let mut all: Vec<ValueKind> = pair
        .a
        .values
        .iter()
        .chain(&pair.b.values)
        .map(|value| value.kind)
        .collect();
    all.sort_by_key(|kind| kind.number());
    let mut kinds: Vec<ValueKind> = Vec::new();
    for kind in all {
        if !kinds.iter().any(|known| are_alike(*known, kind)) {
            kinds.push(kind);
        }
    }
    kinds
}

/// Returns the values of two lists that fit each other and no others. `n_all` holds the lengths of both lists with the
/// values that agree.
fn matched<'a>(
    left_a: &[&'a Value],
    left_b: &[&'a Value],
    n_all: [usize; 2],
) -> Vec<Differing<'a>> {
    // Lists of one length without a common value are compared one by one.
    let is_one_by_one =
        n_all[0] == n_all[1] && left_a.len() == n_all[0] && left_b.len() == n_all[1];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (at, a) in left_a.iter().enumerate() {
        for (other, b) in left_b.iter().enumerate() {
            if near(a, b) && (!is_one_by_one || at == other) {
                pairs.push((at, other));
            }
        }
    }
    // A value that fits several is one of a list.
    let n_of_a = |at: usize| pairs.iter().filter(|pair| pair.0 == at).count();
    let n_of_b = |at: usize| pairs.iter().filter(|pair| pair.1 == at).count();
    pairs
        .iter()
        .filter(|(at, other)| n_of_a(*at) == 1 && n_of_b(*other) == 1)
        .map(|(at, other)| of(left_a[*at], left_b[*other]))
        .collect()
}

fn of<'a>(a: &'a Value, b: &'a Value) -> Differing<'a> {
    Differing {
        a,
        b,
        is_occasion: a.kind.is_of_calendar() || a.kind == ValueKind::Ordinal,
        is_label: (a.is_label || b.is_label)
            || (a.kind == ValueKind::Ordinal && (a.describes.is_some() || b.describes.is_some())),
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

/// Returns whether the only two values of a kind fill the same place.
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

/// Returns whether two values are next to a common word.
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
    // "Node 20" and "Node 20.11".
    let is_part = |whole: &Value, other: &Value| {
        whole.kind == ValueKind::Number
            && whole.amount.fract() == 0.0
            && whole.amount == other.amount.trunc()
            && whole.near[0].is_some()
            && whole.near[0] == other.near[0]
    };
    let is_converted = a.factor != b.factor;
    let same_up_to = if a.kind == ValueKind::Quantity(Dimension::Bytes) && is_converted {
        BINARY
    } else if a.kind == ValueKind::Period
        || (a.kind == ValueKind::Quantity(Dimension::Time) && is_converted)
    {
        CONVERTED
    } else {
        1.0 + 1e-9
    };
    a.amount == b.amount || ratio(a, b) <= same_up_to || is_part(a, b) || is_part(b, a)
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

/// Returns whether both number what they speak of, and no number is the same: "#663" and "#632".
pub(super) fn have_other_labels(pair: &Pair<'_>) -> bool {
    let labels = |sentence: &'_ Sentence| -> Vec<u64> {
        let labels = sentence.values.iter().filter(|value| value.is_label);
        labels.map(Value::identity).collect()
    };
    let (of_a, of_b) = (labels(pair.a), labels(pair.b));
    !of_a.is_empty() && !of_b.is_empty() && !of_a.iter().any(|label| of_b.contains(label))
}

/// Returns whether both name the same values.
pub(super) fn are_equal(pair: &Pair<'_>) -> bool {
    let identities = |sentence: &Sentence| -> Vec<u64> {
        let mut identities: Vec<u64> = sentence.values.iter().map(Value::identity).collect();
        identities.sort_unstable();
        identities
    };
    identities(pair.a) == identities(pair.b)
}

/// Returns whether both name one date, so that they speak of one appointment.
pub(super) fn share_date(pair: &Pair<'_>) -> bool {
    let dates = |sentence: &Sentence| -> Vec<u64> {
        let dates = sentence.values.iter();
        let dates = dates.filter(|value| value.kind == ValueKind::Date);
        dates.map(Value::identity).collect()
    };
    let (of_a, of_b) = (dates(pair.a), dates(pair.b));
    !of_a.is_empty() && of_a == of_b
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
pub(super) fn opposed(differing: &[Differing<'_>], is_of_one: bool) -> Opposed {
    let kind = differing
        .first()
        .map_or(Kind::Number, |first| kind_of(first.a, first.b));
    let bytes = |of: fn(&Differing<'_>) -> Range<usize>| differing.iter().map(of).collect();
    Opposed {
        kind,
        a: bytes(|value| value.a.bytes.clone()),
        b: bytes(|value| value.b.bytes.clone()),
        is_of_one,
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
