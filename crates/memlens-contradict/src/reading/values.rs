//! Numbers, amounts, times and dates of a sentence.

use std::ops::Range;

use crate::lexicon::{self, Dimension, Lexicon};
use crate::token::{Shape, Token};

/// What a value measures. Only values of one kind are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ValueKind {
    /// A number without a unit.
    Number,
    Quantity(Dimension),
    /// Time of day, in minutes.
    Clock,
    /// Day of the year, as month times 32 plus day.
    Date,
    Month,
    Weekday,
    Season,
    Year,
    /// How often, in seconds.
    Period,
    /// "first", "2nd".
    Ordinal,
    /// A version, an address, a number with leading zeros; by its hash.
    Code,
}

impl ValueKind {
    /// Returns whether it says when something happens, and not how much.
    pub(crate) fn is_of_calendar(self) -> bool {
        matches!(
            self,
            ValueKind::Date
                | ValueKind::Month
                | ValueKind::Weekday
                | ValueKind::Season
                | ValueKind::Year
        )
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            ValueKind::Number => 1,
            ValueKind::Quantity(dimension) => 100 + dimension.number(),
            ValueKind::Clock => 3,
            ValueKind::Date => 4,
            ValueKind::Month => 5,
            ValueKind::Weekday => 6,
            ValueKind::Season => 7,
            ValueKind::Year => 8,
            ValueKind::Period => 9,
            ValueKind::Ordinal => 10,
            ValueKind::Code => 11,
        }
    }
}

/// Precision of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    /// "about".
    About,
    /// "at least", "or later".
    Lower,
    /// "at most", "up to".
    Upper,
}

#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) kind: ValueKind,
    pub(crate) amount: f64,
    /// A date's year.
    pub(crate) year: Option<u32>,
    /// What its unit is multiplied by; 1 without a unit.
    pub(crate) factor: f64,
    pub(crate) bound: Bound,
    /// "per minute", in seconds.
    pub(crate) per: Option<f64>,
    /// The content words around it: the two before, the one behind.
    pub(crate) near: [Option<u64>; 3],
    /// The content word directly behind.
    pub(crate) describes: Option<u64>,
    pub(crate) bytes: Range<usize>,
    /// Index of its first token, and of the one behind its last.
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) is_negated: bool,
    /// It names the subject: "Migration 42 is ...".
    pub(crate) is_label: bool,
    /// An end of a range.
    pub(crate) is_range: bool,
    pub(crate) is_quoted: bool,
    /// It comes again: "on Fridays".
    pub(crate) is_recurring: bool,
}

impl Value {
    /// Returns a number that is equal for equal values.
    pub(crate) fn identity(&self) -> u64 {
        let per = self.per.unwrap_or(0.0).to_bits();
        let bits =
            self.amount.to_bits().rotate_left(17) ^ per ^ u64::from(self.year.unwrap_or(0)) << 40;
        bits.wrapping_add(self.kind.number())
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ u64::from(self.is_negated)
    }
}

/// Returns the value that begins at a token, and how many tokens it has.
pub(crate) fn at(lexicon: &Lexicon, tokens: &[Token], first: usize) -> Option<(usize, Value)> {
    let look = Look { lexicon, tokens };
    let found = look
        .calendar(first)
        .or_else(|| look.clock(first))
        .or_else(|| look.amount(first))?;
    let mut end = first + found.n_tokens;
    let mut value = Value {
        kind: found.kind,
        amount: found.amount,
        year: found.year,
        factor: found.factor,
        bound: look.bound(first, end),
        per: None,
        near: [None; 3],
        describes: None,
        bytes: tokens[first].bytes.start..tokens[end - 1].bytes.end,
        first,
        end,
        is_negated: false,
        is_label: false,
        is_range: look.is_range(first, end),
        is_quoted: tokens[first].is_quoted,
        is_recurring: false,
    };
    if let Some((n_tokens, seconds)) = look.per(end) {
        value.per = Some(seconds);
        // "per minute" directly behind belongs to it; behind a noun it is read again as a word of no content.
        if n_tokens.1 == end {
            end += n_tokens.0;
            value.end = end;
            value.bytes.end = tokens[end - 1].bytes.end;
        }
    }
    Some((end - first, value))
}

struct Found {
    kind: ValueKind,
    amount: f64,
    year: Option<u32>,
    /// What the unit is multiplied by.
    factor: f64,
    n_tokens: usize,
}

impl Found {
    fn of(kind: ValueKind, amount: f64, n_tokens: usize) -> Option<Found> {
        Some(Found {
            kind,
            amount,
            year: None,
            factor: 1.0,
            n_tokens,
        })
    }
}

struct Look<'a> {
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
}

impl<'a> Look<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).and_then(Token::word).unwrap_or("")
    }

    fn before(&self, at: usize, back: usize) -> &'a str {
        at.checked_sub(back).map_or("", |at| self.word(at))
    }

    fn is_capital(&self, at: usize) -> bool {
        matches!(
            self.tokens.get(at).map(|token| &token.shape),
            Some(Shape::Word {
                is_capital: true,
                ..
            })
        )
    }

    fn whole(&self, at: usize, max: f64) -> Option<u32> {
        match self.tokens.get(at)?.shape {
            Shape::Number(number) if number >= 0.0 && number <= max && number.fract() == 0.0 => {
                Some(number as u32)
            }
            Shape::Word { .. }
            | Shape::Number(_)
            | Shape::Clock(_)
            | Shape::Date(..)
            | Shape::Code(_)
            | Shape::Sign(_)
            | Shape::Break(_) => None,
        }
    }

    fn month(&self, at: usize) -> Option<u8> {
        let month = lexicon::month(self.word(at))?;
        self.is_capital(at).then_some(month)
    }

    fn year(&self, at: usize) -> Option<u32> {
        self.whole(at, 2_100.0).filter(|year| *year >= 1_900)
    }

    /// Returns the length of an ordinal's letters behind a number: "3rd".
    fn suffix(&self, at: usize) -> usize {
        let is_suffix = matches!(self.word(at), "st" | "nd" | "rd" | "th");
        usize::from(is_suffix && self.tokens[at].is_glued)
    }

    fn calendar(&self, at: usize) -> Option<Found> {
        if let Some(Token {
            shape: Shape::Date(year, month, day),
            ..
        }) = self.tokens.get(at)
        {
            let amount = f64::from(*month) * 32.0 + f64::from(*day);
            return Some(Found {
                kind: ValueKind::Date,
                amount,
                year: *year,
                factor: 1.0,
                n_tokens: 1,
            });
        }
        // "3 March 2026", "3rd of March".
        if let Some(day) = self.whole(at, 31.0).filter(|day| *day > 0) {
            let mut next = at + 1 + self.suffix(at + 1);
            next += usize::from(self.word(next) == "of");
            if let Some(month) = self.month(next) {
                return Some(self.date(at, next + 1, month, day));
            }
        }
        if let Some(month) = self.month(at) {
            // "March 3rd, 2026".
            if let Some(day) = self.whole(at + 1, 31.0).filter(|day| *day > 0) {
                let end = at + 2 + self.suffix(at + 2);
                return Some(self.date(at, end, month, day));
            }
            let is_may_verb = month == 5 && at == 0;
            if !is_may_verb {
                let year = self.year(at + 1);
                let n_tokens = 1 + usize::from(year.is_some());
                return Some(Found {
                    kind: ValueKind::Month,
                    amount: f64::from(month),
                    year,
                    factor: 1.0,
                    n_tokens,
                });
            }
        }
        if let Some(day) = lexicon::weekday(self.word(at)) {
            return Found::of(ValueKind::Weekday, f64::from(day), 1);
        }
        if let Some(season) = lexicon::season(self.word(at)) {
            let is_season = self.word(at) != "fall"
                || matches!(self.before(at, 1), "in" | "the" | "every" | "each");
            let is_spring = self.word(at) != "spring"
                || matches!(
                    self.before(at, 1),
                    "in" | "the" | "every" | "each" | "this" | "last" | "of"
                );
            if is_season && is_spring {
                return Found::of(ValueKind::Season, f64::from(season), 1);
            }
        }
        if let Some(year) = self.year(at) {
            let is_year = matches!(
                self.before(at, 1),
                "in" | "since"
                    | "until"
                    | "by"
                    | "of"
                    | "from"
                    | "before"
                    | "after"
                    | "during"
                    | "till"
            ) && self.unit(at + 1).is_none();
            if is_year {
                return Found::of(ValueKind::Year, f64::from(year), 1);
            }
        }
        None
    }

    /// Returns the date of month and day, with the year that may stand at `end`.
    fn date(&self, first: usize, end: usize, month: u8, day: u32) -> Found {
        let is_comma = self
            .tokens
            .get(end)
            .is_some_and(|token| token.shape == Shape::Break(','));
        let place = end + usize::from(is_comma);
        let year = self.year(place);
        let end = if year.is_some() { place + 1 } else { end };
        Found {
            kind: ValueKind::Date,
            amount: f64::from(month) * 32.0 + f64::from(day),
            year,
            factor: 1.0,
            n_tokens: end - first,
        }
    }

    fn clock(&self, at: usize) -> Option<Found> {
        let (minutes, n_tokens) = match &self.tokens[at].shape {
            Shape::Clock(minutes) => (*minutes, 1),
            Shape::Number(_) => {
                let hours = self.whole(at, 24.0)?;
                let next = self.word(at + 1);
                if !matches!(next, "am" | "pm" | "a.m" | "p.m" | "o'clock") {
                    return None;
                }
                (hours * 60, 1)
            }
            Shape::Word { lower, .. } => match lower.as_str() {
                "noon" => (720, 1),
                "midnight" => (0, 1),
                "quarter" | "half" => {
                    let hour = lexicon::spelled(self.word(at + 2))
                        .or_else(|| self.whole(at + 2, 12.0).map(f64::from))?;
                    let minutes = match (lower.as_str(), self.word(at + 1)) {
                        ("quarter", "past") => hour * 60.0 + 15.0,
                        ("quarter", "to") => hour * 60.0 - 15.0,
                        ("half", "past") => hour * 60.0 + 30.0,
                        _ => return None,
                    };
                    return Found::of(ValueKind::Clock, minutes.max(0.0), 3);
                }
                spelled => {
                    let hours = lexicon::spelled(spelled).filter(|hours| *hours <= 12.0)?;
                    let next = self.word(at + 1);
                    if !matches!(next, "am" | "pm" | "a.m" | "p.m" | "o'clock") {
                        return None;
                    }
                    (hours as u32 * 60, 1)
                }
            },
            Shape::Date(..) | Shape::Code(_) | Shape::Sign(_) | Shape::Break(_) => return None,
        };
        let half = self.word(at + n_tokens);
        let minutes = match half {
            "pm" | "p.m" if minutes < 720 => minutes + 720,
            "am" | "a.m" if minutes >= 720 => minutes - 720,
            _ => minutes,
        };
        let is_half = matches!(half, "am" | "pm" | "a.m" | "p.m" | "o'clock");
        Found::of(
            ValueKind::Clock,
            f64::from(minutes),
            n_tokens + usize::from(is_half),
        )
    }

    fn amount(&self, at: usize) -> Option<Found> {
        let token = &self.tokens[at];
        let (mut amount, mut n_tokens) = match &token.shape {
            Shape::Number(number) => (*number, 1),
            Shape::Code(code) => {
                let hash = lexicon::hash(code) >> 12;
                return Found::of(ValueKind::Code, hash as f64, 1);
            }
            Shape::Sign(sign) => {
                // "$ 5".
                let (dimension, _) = self.lexicon.unit(sign)?;
                let Shape::Number(number) = self.tokens.get(at + 1)?.shape else {
                    return None;
                };
                if !matches!(dimension, Dimension::Money(_)) {
                    return None;
                }
                return Found::of(ValueKind::Quantity(dimension), number, 2);
            }
            Shape::Word { lower, .. } => return self.worded(at, lower),
            Shape::Clock(_) | Shape::Date(..) | Shape::Break(_) => return None,
        };
        if let Some(factor) = lexicon::multiplier(self.word(at + n_tokens)) {
            amount *= factor;
            n_tokens += 1;
        } else if self.word(at + 1) == "k" && self.tokens[at + 1].is_glued {
            amount *= 1e3;
            n_tokens += 1;
        }
        if self.suffix(at + 1) == 1 {
            return Found::of(ValueKind::Ordinal, amount, 2);
        }
        Some(self.with_unit(at, amount, n_tokens))
    }

    /// Reads a number in words, a period, or "an hour".
    fn worded(&self, at: usize, lower: &str) -> Option<Found> {
        if let Some(seconds) = lexicon::period(lower) {
            return Found::of(ValueKind::Period, seconds, 1);
        }
        if let Some((n_tokens, seconds)) = self.every(at, lower) {
            return Found::of(ValueKind::Period, seconds, n_tokens);
        }
        if lower == "twice" {
            return Found::of(ValueKind::Quantity(Dimension::Times), 2.0, 1);
        }
        if lower == "half"
            && matches!(self.word(at + 1), "a" | "an")
            && let Some((dimension @ Dimension::Time, factor)) = self.unit(at + 2)
        {
            return Some(Found {
                kind: ValueKind::Quantity(dimension),
                amount: factor / 2.0,
                year: None,
                factor: factor / 2.0,
                n_tokens: 3,
            });
        }
        let is_article = matches!(lower, "a" | "an" | "one");
        if is_article && let Some((dimension, factor)) = self.unit(at + 1) {
            let is_amount = lower == "one"
                || matches!(
                    self.before(at, 1),
                    "for"
                        | "in"
                        | "after"
                        | "within"
                        | "than"
                        | "about"
                        | "takes"
                        | "take"
                        | "least"
                        | "most"
                );
            return (is_amount && dimension == Dimension::Time).then_some(Found {
                kind: ValueKind::Quantity(dimension),
                amount: factor,
                year: None,
                factor,
                n_tokens: 2,
            });
        }
        if lexicon::ordinal(lower).is_some() && lower != "second" {
            return Found::of(ValueKind::Ordinal, f64::from(lexicon::ordinal(lower)?), 1);
        }
        if lower == "second" && !matches!(self.before(at, 1), "a" | "per") {
            return Found::of(ValueKind::Ordinal, 2.0, 1);
        }
        let mut amount = lexicon::spelled(lower)?;
        let mut n_tokens = 1;
        // "twenty five".
        if amount >= 20.0
            && let Some(ones) =
                lexicon::spelled(self.word(at + 1)).filter(|ones| (1.0..10.0).contains(ones))
        {
            amount += ones;
            n_tokens += 1;
        }
        while let Some(factor) =
            lexicon::multiplier(self.word(at + n_tokens)).filter(|_| n_tokens < 4)
        {
            amount *= factor;
            n_tokens += 1;
        }
        Some(self.with_unit(at, amount, n_tokens))
    }

    fn with_unit(&self, at: usize, amount: f64, n_tokens: usize) -> Found {
        let is_signed = at.checked_sub(1).map(|before| &self.tokens[before].shape);
        if let Some(Shape::Sign(sign)) = is_signed
            && let Some((dimension @ Dimension::Money(_), _)) = self.lexicon.unit(sign)
        {
            return Found {
                kind: ValueKind::Quantity(dimension),
                amount,
                year: None,
                factor: 1.0,
                n_tokens,
            };
        }
        match self.unit(at + n_tokens) {
            Some((Dimension::Degrees(_), _)) => {
                let scale = match self.word(at + n_tokens + 1) {
                    "c" | "celsius" => 1,
                    "f" | "fahrenheit" => 2,
                    _ => 0,
                };
                // The word stays a word: Celsius and Fahrenheit are opposites.
                let n_letters = usize::from(matches!(self.word(at + n_tokens + 1), "c" | "f"));
                Found {
                    kind: ValueKind::Quantity(Dimension::Degrees(scale)),
                    amount,
                    year: None,
                    factor: 1.0,
                    n_tokens: n_tokens + 1 + n_letters,
                }
            }
            Some((dimension, factor)) => Found {
                kind: ValueKind::Quantity(dimension),
                amount: amount * factor,
                year: None,
                factor,
                n_tokens: n_tokens + 1,
            },
            None => Found {
                kind: ValueKind::Number,
                amount,
                year: None,
                factor: 1.0,
                n_tokens,
            },
        }
    }

    fn unit(&self, at: usize) -> Option<(Dimension, f64)> {
        let token = self.tokens.get(at)?;
        let name = match &token.shape {
            Shape::Word { lower, .. } => lower.as_str(),
            Shape::Sign(sign) => sign,
            Shape::Number(_)
            | Shape::Clock(_)
            | Shape::Date(..)
            | Shape::Code(_)
            | Shape::Break(_) => return None,
        };
        // A single letter is a unit only next to its number.
        if name.len() == 1 && name.is_ascii() && name != "%" && name != "$" && !token.is_glued {
            return None;
        }
        self.lexicon.unit(name)
    }

    /// Returns how many tokens "every two weeks" or "once a day" has, and the period in seconds.
    fn every(&self, at: usize, lower: &str) -> Option<(usize, f64)> {
        let mut next = match lower {
            "every" | "each" => at + 1,
            "once" if matches!(self.word(at + 1), "a" | "an" | "per" | "every" | "each") => at + 2,
            _ => return None,
        };
        let mut n = 1.0;
        if let Some(number) = self
            .whole(next, 1_000.0)
            .map(f64::from)
            .or_else(|| lexicon::spelled(self.word(next)))
        {
            n = number;
            next += 1;
        } else if matches!(self.word(next), "other" | "second") {
            n = 2.0;
            next += 1;
        }
        let name = self.word(next);
        let name = if matches!(name, "night" | "morning" | "evening") {
            "day"
        } else {
            name
        };
        let (dimension, factor) = self.lexicon.unit(name)?;
        (dimension == Dimension::Time && n > 0.0 && name.len() > 2)
            .then_some((next + 1 - at, n * factor))
    }

    /// Returns the length and place of "per minute" at most two tokens behind, and its seconds.
    fn per(&self, end: usize) -> Option<((usize, usize), f64)> {
        (end..end + 3).find_map(|at| {
            let is_per = matches!(self.word(at), "per" | "a" | "an" | "each" | "every")
                || self
                    .tokens
                    .get(at)
                    .is_some_and(|token| token.shape == Shape::Break('/'));
            let (dimension, factor) = is_per.then(|| self.lexicon.unit(self.word(at + 1)))??;
            (dimension == Dimension::Time).then_some(((2, at), factor))
        })
    }

    fn bound(&self, first: usize, end: usize) -> Bound {
        let (one, two) = (self.before(first, 1), self.before(first, 2));
        let sign = first
            .checked_sub(1)
            .map(|before| &self.tokens[before].shape);
        match (two, one) {
            (
                _,
                "about" | "around" | "roughly" | "approximately" | "nearly" | "almost" | "circa",
            ) => return Bound::About,
            ("at", "least")
            | ("more" | "greater" | "higher" | "longer" | "later", "than")
            | (_, "over" | "above" | "minimum") => return Bound::Lower,
            ("at", "most")
            | ("less" | "fewer" | "lower", "than")
            | ("up", "to")
            | (_, "under" | "below" | "within" | "maximum") => {
                return Bound::Upper;
            }
            _ => {}
        }
        match sign {
            Some(Shape::Break('~')) => return Bound::About,
            Some(Shape::Break('>' | '\u{2265}')) => return Bound::Lower,
            Some(Shape::Break('<' | '\u{2264}')) => return Bound::Upper,
            _ => {}
        }
        if self
            .tokens
            .get(end)
            .is_some_and(|token| token.shape == Shape::Break('+') && token.is_glued)
        {
            return Bound::Lower;
        }
        for at in end..end + 3 {
            match (self.word(at), self.word(at + 1)) {
                ("or", "more" | "later" | "newer" | "higher" | "above" | "longer" | "up")
                | ("at", "least") => return Bound::Lower,
                ("or", "less" | "fewer" | "earlier" | "older" | "lower" | "shorter")
                | ("at", "most")
                | ("max" | "tops", _) => {
                    return Bound::Upper;
                }
                _ => {}
            }
        }
        Bound::Exact
    }

    /// Returns whether the value is an end of a range: "Monday to Thursday", "9-17", "between 2 and 3".
    fn is_range(&self, first: usize, end: usize) -> bool {
        let joins = |at: Option<usize>| {
            at.and_then(|at| self.tokens.get(at))
                .is_some_and(|token| match &token.shape {
                    Shape::Word { lower, .. } => {
                        matches!(lower.as_str(), "to" | "through" | "till" | "between")
                    }
                    Shape::Break(sign) => *sign == '\u{2013}',
                    Shape::Number(_)
                    | Shape::Clock(_)
                    | Shape::Date(..)
                    | Shape::Code(_)
                    | Shape::Sign(_) => false,
                })
        };
        let is_value = |at: Option<usize>| {
            at.and_then(|at| self.tokens.get(at))
                .is_some_and(|token| match &token.shape {
                    Shape::Number(_) | Shape::Clock(_) | Shape::Date(..) => true,
                    Shape::Word { lower, .. } => {
                        lexicon::spelled(lower).is_some()
                            || lexicon::weekday(lower).is_some()
                            || lexicon::month(lower).is_some()
                    }
                    Shape::Code(_) | Shape::Sign(_) | Shape::Break(_) => false,
                })
        };
        (joins(Some(end)) && is_value(Some(end + 1)))
            || (joins(first.checked_sub(1))
                && (is_value(first.checked_sub(2)) || self.before(first, 1) == "between"))
            || (self.before(first, 1) == "and" && self.before(first, 3) == "between")
    }
}
