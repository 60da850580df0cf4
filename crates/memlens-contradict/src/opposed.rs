//! The rules: whether two sentences oppose each other, and whether they surely speak of the same thing.

mod names;
mod subject;
mod sure;
mod values;

use std::ops::Range;

use crate::lexicon::{self, Special, Traits};
use crate::reading::{Form, Sentence, Value, ValueKind, Word};
use crate::verdict::{Apart, Contradiction, Kind, Place, Side, Verdict};

/// The least share of common content words. Sentences below it are never compared, so that near pairs suffice.
pub const OVERLAP_MIN: f64 = 0.5;

/// The least share of the shorter sentence's content words that the other has too.
const COVER_MIN: f64 = 0.6;

/// The stem of "default".
const DEFAULT: &str = "default";

/// What opposes in two sentences.
struct Opposed {
    kind: Kind,
    a: Vec<Range<usize>>,
    b: Vec<Range<usize>>,
    /// Whether nothing suggests that they speak of different things or occasions.
    is_of_one: bool,
}

/// Two sentences with what they share.
struct Pair<'a> {
    a: &'a Sentence,
    b: &'a Sentence,
    n_both: usize,
    special: Special,
}

/// Compares two sentences for a contradiction.
pub(crate) fn compare(a: &Sentence, b: &Sentence, special: Special) -> Verdict {
    match opposed(a, b, special) {
        Ok(found) => Verdict::Contradiction(found),
        Err(why) => Verdict::Apart(why),
    }
}

fn opposed(a: &Sentence, b: &Sentence, special: Special) -> Result<Contradiction, Apart> {
    if a.hash == b.hash {
        return Err(Apart::Same);
    }
    let n_both = n_common(&a.core, &b.core);
    let n_all = a.core.len() + b.core.len() - n_both;
    let score = n_both as f64 / n_all as f64;
    let n_shorter = a.core.len().min(b.core.len());
    if n_both < 2 || score < OVERLAP_MIN || (n_both as f64) < n_shorter as f64 * COVER_MIN {
        return Err(Apart::Unrelated);
    }
    let pair = Pair {
        a,
        b,
        n_both,
        special,
    };
    let found = pair.opposed()?;
    let is_quoted = |sentence: &Sentence, words: &[Range<usize>]| {
        let in_words = sentence
            .words
            .iter()
            .filter(|word| word.is_quoted)
            .map(|word| &word.bytes);
        let in_values = sentence
            .values
            .iter()
            .filter(|value| value.is_quoted)
            .map(|value| &value.bytes);
        in_words.chain(in_values).any(|quoted| {
            words
                .iter()
                .any(|word| word.start < quoted.end && quoted.start < word.end)
        })
    };
    if is_quoted(a, &found.a) || is_quoted(b, &found.b) {
        return Err(Apart::Quoted);
    }
    let is_update = |side: Side| {
        let (this, other) = match side {
            Side::A => (a, b),
            Side::B => (b, a),
        };
        this.manner.is_update && !other.manner.is_update && sure::is_sure(&pair, &found, Some(side))
    };
    let update = if !found.is_of_one {
        None
    } else if is_update(Side::A) {
        Some(Side::A)
    } else if is_update(Side::B) {
        Some(Side::B)
    } else {
        values::replaced(a, b)
    };
    let sure = found.is_of_one
        && a.manner.is_update == b.manner.is_update
        && sure::is_sure(&pair, &found, None);
    Ok(Contradiction {
        kind: found.kind,
        sure,
        score,
        update,
        a: Place {
            sentence: a.bytes.clone(),
            words: ascending(found.a),
        },
        b: Place {
            sentence: b.bytes.clone(),
            words: ascending(found.b),
        },
    })
}

fn ascending(mut words: Vec<Range<usize>>) -> Vec<Range<usize>> {
    words.sort_by_key(|word| (word.start, word.end));
    words.dedup();
    words
}

/// Returns the number of items that two ascending lists share.
pub(crate) fn n_common(mut a: &[u64], mut b: &[u64]) -> usize {
    let mut n = 0;
    while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
        match first_a.cmp(first_b) {
            std::cmp::Ordering::Less => a = rest_a,
            std::cmp::Ordering::Greater => b = rest_b,
            std::cmp::Ordering::Equal => {
                n += 1;
                (a, b) = (rest_a, rest_b);
            }
        }
    }
    n
}

impl Pair<'_> {
    fn opposed(&self) -> Result<Opposed, Apart> {
        let (a, b) = (self.a, self.b);
        if a.manner.is_future != b.manner.is_future || a.manner.is_former != b.manner.is_former {
            return Err(Apart::Tense);
        }
        let differing = values::differing(self);
        let denied = self.denied();
        let flips = self.flips();
        let n_turned = self.n_denying(&denied) + flips.len();
        let is_dated = differing.iter().any(|value| value.is_occasion);
        let is_measured = differing.iter().any(|value| !value.is_occasion);
        if n_turned % 2 == 1 {
            // Another day or amount besides: another occasion.
            if is_dated || is_measured || names::differ(self) {
                return Err(Apart::Scope);
            }
            return self.turned(&denied, &flips);
        }
        let are_entries = a.manner.is_entry && b.manner.is_entry;
        if is_dated && (is_measured || a.manner.is_entry || b.manner.is_entry)
            || are_entries && differing.iter().any(values::Differing::is_of_clock)
        {
            return Err(Apart::Log);
        }
        if !differing.is_empty() {
            return self.of_values(&differing, is_measured);
        }
        if n_turned > 0 {
            return Err(Apart::Agree);
        }
        if let Some(found) = names::opposed(self)? {
            return Ok(found);
        }
        self.roles().ok_or(Apart::Agree)
    }

    /// The opposition if one sentence turns what the other says, by a negation or an opposite word.
    ///
    /// # Errors
    /// The reason if both can be true.
    fn turned(&self, denied: &[u64], flips: &[(&Word, &Word)]) -> Result<Opposed, Apart> {
        if self.is_in_condition(denied, flips) {
            return Err(Apart::Scope);
        }
        // "Required arguments" and "optional arguments".
        let is_of_subject = |(a, b): &(&Word, &Word)| {
            a.is_of_subject && b.is_of_subject && a.describes == b.describes
        };
        if !flips.is_empty() && flips.iter().all(is_of_subject) {
            return Err(Apart::Subject);
        }
        // "A calls B" and "B does not call A".
        if flips.is_empty() && self.is_denied_in_turn(denied) {
            return Err(Apart::Agree);
        }
        // "It has a dark mode" and "it has a light mode".
        let are_several = flips
            .iter()
            .any(|(a, b)| a.is_attributive || b.is_attributive);
        let mut found = if flips.is_empty() {
            self.negation(denied)
        } else {
            self.opposition(flips)
        };
        let says_enough = self.n_shared(flips) >= 1 && self.are_whole();
        let may_happen_twice = self.are_updates()
            || self.are_events() && !self.are_of_once() && !self.is_directed(flips);
        found.is_of_one = self.is_of_one()?
            && !self.is_of_one_scope()
            && !self.is_one_possible()
            && !are_several
            && says_enough
            && !may_happen_twice;
        Ok(found)
    }

    /// The opposition if values differ.
    ///
    /// # Errors
    /// The reason if both can be true.
    fn of_values(
        &self,
        differing: &[values::Differing<'_>],
        is_measured: bool,
    ) -> Result<Opposed, Apart> {
        let (a, b) = (self.a, self.b);
        if a.manner.is_of_its_day || b.manner.is_of_its_day {
            return Err(Apart::Log);
        }
        if differing.iter().any(|value| value.is_label)
            || values::have_other_labels(self)
            || names::differ(self)
        {
            return Err(Apart::Subject);
        }
        let may_happen_twice = self.may_happen_twice(differing, is_measured);
        let is_of_one = self.is_of_one()?
            && !self.is_of_one_scope()
            && !may_happen_twice
            && !self.has_other_measure()
            && (self.are_of_once() || !differing.iter().any(values::Differing::is_of_other_years));
        let mut found = values::opposed(differing, is_of_one);
        // Versions, figures and days of entries of a list: "Upgrade to Unicode 16".
        found.is_of_one &= self.are_whole() || found.kind == Kind::Time;
        Ok(found)
    }

    /// Returns whether values that differ can be those of two occasions: "we fixed 3 bugs", "on Fridays".
    fn may_happen_twice(&self, differing: &[values::Differing<'_>], is_measured: bool) -> bool {
        let (a, b) = (self.a.manner, self.b.manner);
        !self.are_of_once() && (a.is_event || b.is_event)
            || self.are_updates()
            || (a.is_appointment || b.is_appointment) && !values::share_date(self)
            || !self.are_of_once() && (a.is_past || b.is_past) && !is_measured
            || (a.is_measurement || b.is_measurement) && is_measured
            || (a.is_timetable || b.is_timetable)
                && differing.iter().any(values::Differing::is_of_clock)
            || differing.iter().any(values::Differing::is_recurring)
    }

    /// Returns whether both report an event, which may happen again.
    fn are_events(&self) -> bool {
        self.a.manner.is_event && self.b.manner.is_event
    }

    /// Returns whether both tell of what happens once.
    fn are_of_once(&self) -> bool {
        self.a.manner.is_once && self.b.manner.is_once
    }

    /// Returns whether both say "now": each was true when it was written.
    fn are_updates(&self) -> bool {
        self.a.manner.is_update && self.b.manner.is_update
    }

    /// Returns whether one says what is possible, and the other what is.
    fn is_one_possible(&self) -> bool {
        let (a, b) = (self.a.manner, self.b.manner);
        a.is_possible && !b.is_modal || b.is_possible && !a.is_modal
    }

    /// Returns whether one denies of two things what the other says of them in exchanged roles.
    fn is_denied_in_turn(&self, denied: &[u64]) -> bool {
        let at = |sentence: &Sentence, stem: u64| {
            let mut words = sentence.words.iter();
            words.position(|word| word.stem == stem)
        };
        self.a.manner.has_agent == self.b.manner.has_agent
            && denied
                .iter()
                .any(|stem| match (at(self.a, *stem), at(self.b, *stem)) {
                    (Some(a), Some(b)) => self.is_exchanged(a, b, |_| true),
                    _ => false,
                })
    }

    /// Returns whether the values may be of two attributes of a thing: what it "uses" and what it "has", a "default" and what
    /// is set, or a default of something that is not named.
    fn has_other_measure(&self) -> bool {
        let default = lexicon::hash(DEFAULT);
        let light = |sentence: &Sentence| -> Vec<u64> {
            let words = sentence.words.iter();
            let mut light: Vec<u64> = words
                .filter(|word| word.traits.has(Traits::LIGHT) && !word.is_named)
                .map(|word| word.stem)
                .collect();
            light.sort_unstable();
            light.dedup();
            light
        };
        let (of_a, of_b) = (light(self.a), light(self.b));
        of_a != of_b || of_a.contains(&default) && self.n_both < 3
    }

    /// Returns whether what is opposite is an order: "before" and "after".
    fn is_directed(&self, flips: &[(&Word, &Word)]) -> bool {
        !flips.is_empty()
            && flips
                .iter()
                .all(|(word, _)| word.traits.has(Traits::DIRECTED))
    }

    /// Returns how many of the sentences deny what the other states. "Do not commit it to A" and "commit it to B, not to A"
    /// agree: each denies what the other states.
    fn n_denying(&self, denied: &[u64]) -> usize {
        let denies = |sentence: &Sentence| {
            sentence.words.iter().any(|word| {
                word.polar.is_none() && word.negator.is_some() && denied.contains(&word.stem)
            })
        };
        usize::from(denies(self.a)) + usize::from(denies(self.b))
    }

    /// Returns how many words and values both share besides those that are opposite: "default is true" and "default is
    /// false" share one.
    fn n_shared(&self, flips: &[(&Word, &Word)]) -> usize {
        let is_flip = |symbol: u64| {
            flips
                .iter()
                .any(|(a, b)| a.symbol == symbol || b.symbol == symbol)
        };
        let n_words = self
            .a
            .core
            .iter()
            .filter(|symbol| self.b.core.binary_search(symbol).is_ok() && !is_flip(**symbol))
            .count();
        let is_there = |value: &Value| {
            let mut there = self.b.values.iter();
            there.any(|other| other.identity() == value.identity())
        };
        n_words + self.a.values.iter().filter(|value| is_there(value)).count()
    }

    /// Returns whether what opposes is part of a condition in both: "if it is open" and "if it is closed".
    fn is_in_condition(&self, denied: &[u64], flips: &[(&Word, &Word)]) -> bool {
        let is_denied_there = |sentence: &Sentence| {
            let mut of_sentence = sentence
                .words
                .iter()
                .filter(|word| denied.contains(&word.stem));
            of_sentence.all(|word| word.is_condition)
        };
        if flips.is_empty() {
            is_denied_there(self.a) && is_denied_there(self.b)
        } else {
            flips.iter().all(|(a, b)| a.is_condition && b.is_condition)
        }
    }

    fn is_conditional(&self) -> bool {
        let (a, b) = (self.a.manner, self.b.manner);
        a.is_conditional != b.is_conditional
            || a.is_hedged
            || b.is_hedged
            || a.is_anaphoric
            || b.is_anaphoric
            || a.is_open
            || b.is_open
            || a.is_wish != b.is_wish
            || a.has_agent != b.has_agent
    }

    /// Returns whether one shows that it has a subject and a verb. The other, if it says the same, has them too.
    fn are_whole(&self) -> bool {
        self.a.manner.is_whole || self.b.manner.is_whole
    }

    /// Returns whether both speak of the same thing, as far as their words show.
    fn is_of_one(&self) -> Result<bool, Apart> {
        Ok(subject::is_same(self)? && !self.is_conditional() && !self.is_turned())
    }

    /// Returns whether a shared word follows "to" in one and "from" in the other.
    fn is_turned(&self) -> bool {
        self.a.words.iter().any(|word| {
            let mut there = self.b.words.iter();
            there.any(|other| {
                word.stem == other.stem
                    && word.preposition.is_some()
                    && other.preposition.is_some()
                    && word.preposition != other.preposition
            })
        })
    }

    /// Returns whether only one of them names a day or a part, or only one a time of day.
    fn is_of_one_scope(&self) -> bool {
        let is_day = |kind: ValueKind| kind.is_of_calendar() || kind == ValueKind::Ordinal;
        let is_time = |kind: ValueKind| kind == ValueKind::Clock;
        let has = |sentence: &Sentence, is_scope: &dyn Fn(ValueKind) -> bool| {
            sentence.values.iter().any(|value| is_scope(value.kind))
        };
        has(self.a, &is_day) != has(self.b, &is_day)
            || has(self.a, &is_time) != has(self.b, &is_time)
    }

    /// Returns the symbols that one denies and the other states.
    fn denied(&self) -> Vec<u64> {
        let state = |sentence: &Sentence, stem: u64| {
            let mut found = None;
            for word in sentence
                .words
                .iter()
                .filter(|word| word.stem == stem && word.polar.is_none())
            {
                let is_denied = word.negator.is_some();
                match found {
                    None => found = Some(is_denied),
                    // It both denies and states it.
                    Some(before) if before != is_denied => return None,
                    Some(_) => {}
                }
            }
            found
        };
        let mut denied: Vec<u64> = Vec::new();
        let words = self.a.words.iter().chain(&self.b.words);
        for word in words.filter(|word| word.negator.is_some() && word.polar.is_none()) {
            if let (Some(of_a), Some(of_b)) = (state(self.a, word.stem), state(self.b, word.stem))
                && of_a != of_b
                && self.are_of_one_word(word.stem)
            {
                denied.push(word.stem);
            }
        }
        denied.sort_unstable();
        denied.dedup();
        denied
    }

    /// Returns whether words of this stem can be forms of one word in both: "Signe" and "signs" are not.
    fn are_of_one_word(&self, stem: u64) -> bool {
        let has = |sentence: &Sentence, form: Form| {
            let mut words = sentence.words.iter();
            words.any(|word| word.stem == stem && word.form == form)
        };
        let is_apart = |a: &Sentence, b: &Sentence| {
            has(a, Form::WithE) && has(b, Form::WithoutE) && !has(b, Form::WithE)
        };
        !is_apart(self.a, self.b) && !is_apart(self.b, self.a)
    }

    fn negation(&self, denied: &[u64]) -> Opposed {
        let words = |sentence: &Sentence| {
            let of_sentence = sentence
                .words
                .iter()
                .filter(|word| word.polar.is_none() && denied.contains(&word.stem));
            of_sentence
                .flat_map(|word| word.negator.clone().into_iter().chain([word.bytes.clone()]))
                .collect()
        };
        Opposed {
            kind: Kind::Negation,
            a: words(self.a),
            b: words(self.b),
            is_of_one: true,
        }
    }

    /// Returns the words that are on opposite sides of an opposition.
    fn flips(&self) -> Vec<(&Word, &Word)> {
        let mut flips = Vec::new();
        let mut pairs: Vec<u16> = self
            .a
            .words
            .iter()
            .filter_map(|word| word.polar)
            .map(|polar| polar.0)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let (Some(a), Some(b)) = (of_pair(self.a, pair), of_pair(self.b, pair)) else {
                continue;
            };
            let (word_a, word_b) = (&self.a.words[a], &self.b.words[b]);
            if word_a.polar == word_b.polar {
                continue;
            }
            // "Kept for 30 days" and "deleted after 30 days" agree.
            if Some(pair) == self.special.keep && values::have_durations(self) {
                continue;
            }
            // "A before B" and "B after A" agree.
            if word_a.traits.has(Traits::DIRECTED) && self.is_exchanged(a, b, |word| word.is_core) {
                continue;
            }
            flips.push((word_a, word_b));
        }
        for (x, y, is_swapped) in [(self.a, self.b, false), (self.b, self.a, true)] {
            let of_prefix = prefixed(x, y);
            flips.extend(of_prefix.map(|(x, y)| if is_swapped { (y, x) } else { (x, y) }));
        }
        for (x, y, is_swapped) in [(self.a, self.b, false), (self.b, self.a, true)] {
            let needless = self.needless(x, y);
            flips.extend(needless.map(|(x, y)| if is_swapped { (y, x) } else { (x, y) }));
        }
        flips
    }

    /// Returns the first word of `x` and "need" of `y`, if `x` says "must" and `y` "no need to".
    fn needless<'s>(&self, x: &'s Sentence, y: &'s Sentence) -> Option<(&'s Word, &'s Word)> {
        let require = |sentence: &'s Sentence| {
            sentence.words.iter().find(|word| {
                word.polar
                    .is_some_and(|polar| Some(polar.0) == self.special.require)
            })
        };
        let needless = require(y).filter(|word| word.polar.is_some_and(|polar| !polar.1))?;
        let first = x.words.first()?;
        let is_duty = x.manner.is_duty && require(x).is_none();
        let is_denied = x.words.iter().any(|word| word.negator.is_some());
        (is_duty && !is_denied).then_some((first, needless))
    }

    fn opposition(&self, flips: &[(&Word, &Word)]) -> Opposed {
        let words = |word: &Word| word.negator.clone().into_iter().chain([word.bytes.clone()]);
        Opposed {
            kind: Kind::Opposition,
            a: flips.iter().flat_map(|(word, _)| words(word)).collect(),
            b: flips.iter().flat_map(|(_, word)| words(word)).collect(),
            is_of_one: true,
        }
    }

    /// Returns whether what is before a word in one is behind it in the other, and the other way round.
    fn is_exchanged(&self, a: usize, b: usize, counts: impl Fn(&Word) -> bool) -> bool {
        let parts = |sentence: &Sentence, at: usize| {
            let symbols = |words: &[Word]| {
                let mut symbols: Vec<u64> = words
                    .iter()
                    .filter(|word| counts(word))
                    .map(|word| word.stem)
                    .collect();
                symbols.sort_unstable();
                symbols.dedup();
                symbols
            };
            (
                symbols(&sentence.words[..at]),
                symbols(&sentence.words[at + 1..]),
            )
        };
        let ((before_a, behind_a), (before_b, behind_b)) = (parts(self.a, a), parts(self.b, b));
        let crossed = n_common(&before_a, &behind_b) + n_common(&behind_a, &before_b);
        let straight = n_common(&before_a, &before_b) + n_common(&behind_a, &behind_b);
        crossed > straight
            && n_common(&before_a, &behind_b) > 0
            && n_common(&behind_a, &before_b) > 0
    }

    /// Returns the exchanged roles of a relation that holds in one direction only.
    fn roles(&self) -> Option<Opposed> {
        if self.a.core != self.b.core || self.a.manner.has_agent || self.b.manner.has_agent {
            return None;
        }
        let relation = |sentence: &Sentence| {
            let mut found = None;
            for (at, word) in sentence.words.iter().enumerate() {
                if word.traits.has(Traits::DIRECTED) {
                    if found.is_some() || word.negator.is_some() {
                        return None;
                    }
                    found = Some(at);
                }
            }
            found
        };
        let (at_a, at_b) = (relation(self.a)?, relation(self.b)?);
        let sides = |sentence: &Sentence, at: usize| {
            let symbols = |words: &[Word]| {
                let mut symbols: Vec<u64> = words
                    .iter()
                    .filter(|word| word.is_core)
                    .map(|word| word.stem)
                    .collect();
                symbols.sort_unstable();
                symbols
            };
            (
                symbols(&sentence.words[..at]),
                symbols(&sentence.words[at + 1..]),
            )
        };
        let ((before_a, behind_a), (before_b, behind_b)) =
            (sides(self.a, at_a), sides(self.b, at_b));
        let is_exchanged = self.a.words[at_a].symbol == self.b.words[at_b].symbol
            && self.a.words[at_a].polar == self.b.words[at_b].polar
            && !before_a.is_empty()
            && !behind_a.is_empty()
            && before_a == behind_b
            && behind_a == before_b
            && before_a != behind_a;
        let bytes = |sentence: &Sentence, at: usize| {
            let others = sentence
                .words
                .iter()
                .enumerate()
                .filter(|(other, word)| *other != at && word.is_core);
            others.map(|(_, word)| word.bytes.clone()).collect()
        };
        is_exchanged.then(|| Opposed {
            kind: Kind::Roles,
            a: bytes(self.a, at_a),
            b: bytes(self.b, at_b),
            is_of_one: !self.is_conditional()
                && !self.a.manner.is_event
                && !self.b.manner.is_event
                && self.are_whole()
                && values::are_equal(self)
                && !self.a.words[at_a].traits.has(Traits::MUTUAL),
        })
    }

    /// Returns the words of one that the other does not have.
    fn own<'s>(&self, sentence: &'s Sentence, other: &Sentence) -> Vec<&'s Word> {
        let is_own = |word: &&Word| {
            word.is_core
                && other.core.binary_search(&word.symbol).is_err()
                // "Unpaid" and "paid".
                && !other.words.iter().any(|there| {
                    word.base == Some(there.stem) || there.base == Some(word.stem) || there.stem == word.stem
                })
        };
        sentence.words.iter().filter(is_own).collect()
    }
}

/// Returns the position of the last word of an opposition; `None` if the sentence has none, or both sides of it.
fn of_pair(sentence: &Sentence, pair: u16) -> Option<usize> {
    let mut found: Option<usize> = None;
    for (at, word) in sentence.words.iter().enumerate() {
        let Some((_, side)) = word.polar.filter(|polar| polar.0 == pair) else {
            continue;
        };
        let before = found.and_then(|found| sentence.words[found].polar);
        if before.is_some_and(|before| before.1 != side) {
            return None;
        }
        found = Some(at);
    }
    found
}

/// Returns the words of `x` with a negating prefix, each with the same word of `y` without it.
fn prefixed<'s>(
    x: &'s Sentence,
    y: &'s Sentence,
) -> impl Iterator<Item = (&'s Word, &'s Word)> + 's {
    let with_prefix = |word: &&Word| word.base.is_some() && word.polar.is_none();
    x.words.iter().filter(with_prefix).filter_map(|word| {
        let is_there = y.words.iter().any(|other| other.stem == word.stem);
        let other = y
            .words
            .iter()
            .find(|other| Some(other.stem) == word.base && other.polar.is_none())?;
        let is_denied_alike = other.negator.is_some() == word.negator.is_some();
        (!is_there && is_denied_alike).then_some((word, other))
    })
}
