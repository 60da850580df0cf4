//! The rules: whether two sentences oppose each other, and whether they surely speak of the same thing.

mod names;
mod subject;
mod values;

use std::ops::Range;

use crate::lexicon::{Special, Traits};
use crate::reading::{Sentence, ValueKind, Word};
use crate::verdict::{Apart, Contradiction, Kind, Place, Side, Verdict};

/// The least share of common content words. Sentences below it are never compared, so that near pairs suffice.
pub const OVERLAP_MIN: f64 = 0.5;

/// The least share of the shorter sentence's content words that the other has too.
const COVER_MIN: f64 = 0.6;

/// What opposes in two sentences.
struct Opposed {
    kind: Kind,
    a: Vec<Range<usize>>,
    b: Vec<Range<usize>>,
    sure: bool,
}

/// Two sentences with what they share.
struct Pair<'a> {
    a: &'a Sentence,
    b: &'a Sentence,
    n_both: usize,
    special: Special,
}

/// Compares two sentences.
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
    let (is_update_a, is_update_b) = (a.manner.is_update, b.manner.is_update);
    let update = match (is_update_a, is_update_b) {
        (true, false) => Some(Side::A),
        (false, true) => Some(Side::B),
        (true, true) | (false, false) => values::replaced(a, b),
    };
    Ok(Contradiction {
        kind: found.kind,
        sure: found.sure,
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
        let n_turned = usize::from(!denied.is_empty()) + flips.len();
        let is_dated = differing.iter().any(|value| value.is_occasion);
        let is_measured = differing.iter().any(|value| !value.is_occasion);
        if n_turned % 2 == 1 {
            // Another day or amount besides: another occasion.
            if is_dated || is_measured || names::differ(self) {
                return Err(Apart::Scope);
            }
            if self.is_in_condition(&denied, &flips) {
                return Err(Apart::Scope);
            }
            let mut found = if flips.is_empty() {
                self.negation(&denied)
            } else {
                self.opposition(&flips)
            };
            found.sure = self.is_sure()? && !self.is_of_one_scope();
            return Ok(found);
        }
        let are_entries = a.manner.is_entry && b.manner.is_entry;
        if is_dated && (is_measured || a.manner.is_entry || b.manner.is_entry)
            || are_entries && differing.iter().any(values::Differing::is_of_clock)
        {
            return Err(Apart::Log);
        }
        if !differing.is_empty() {
            if a.manner.is_of_its_day || b.manner.is_of_its_day {
                return Err(Apart::Log);
            }
            if differing.iter().any(|value| value.is_label) || names::differ(self) {
                return Err(Apart::Subject);
            }
            let is_past = a.manner.is_past || b.manner.is_past;
            let may_happen_twice = is_past && !is_measured;
            let sure = self.is_sure()? && !self.is_of_one_scope() && !may_happen_twice;
            return Ok(values::opposed(&differing, sure));
        }
        if n_turned > 0 {
            return Err(Apart::Agree);
        }
        if let Some(found) = names::opposed(self)? {
            return Ok(found);
        }
        self.roles().ok_or(Apart::Agree)
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
    }

    /// Returns whether both surely speak of the same thing.
    fn is_sure(&self) -> Result<bool, Apart> {
        Ok(subject::is_same(self)? && !self.is_conditional())
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
            {
                denied.push(word.stem);
            }
        }
        denied.sort_unstable();
        denied.dedup();
        denied
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
            sure: true,
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
            let of_pair = |sentence: &'_ Sentence| -> Option<usize> {
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
            };
            let (Some(a), Some(b)) = (of_pair(self.a), of_pair(self.b)) else {
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
            if word_a.traits.has(Traits::DIRECTED) && self.is_exchanged(a, b) {
                continue;
            }
            flips.push((word_a, word_b));
        }
        for (x, y, is_swapped) in [(self.a, self.b, false), (self.b, self.a, true)] {
            for word in x
                .words
                .iter()
                .filter(|word| word.base.is_some() && word.polar.is_none())
            {
                let is_there = y.words.iter().any(|other| other.stem == word.stem);
                let other = y
                    .words
                    .iter()
                    .find(|other| Some(other.stem) == word.base && other.polar.is_none());
                if let Some(other) = other.filter(|_| !is_there)
                    && other.negator.is_some() == word.negator.is_some()
                {
                    flips.push(if is_swapped {
                        (other, word)
                    } else {
                        (word, other)
                    });
                }
            }
        }
        // "Must" and "no need to".
        for (x, y, is_swapped) in [(self.a, self.b, false), (self.b, self.a, true)] {
            let has_require = |sentence: &Sentence| {
                sentence.words.iter().position(|word| {
                    word.polar
                        .is_some_and(|polar| Some(polar.0) == self.special.require)
                })
            };
            let needless = has_require(y)
                .map(|at| &y.words[at])
                .filter(|word| word.polar.is_some_and(|polar| !polar.1));
            if x.manner.is_duty
                && has_require(x).is_none()
                && let Some(needless) = needless
                && let Some(first) = x.words.first()
                && !x.words.iter().any(|word| word.negator.is_some())
            {
                flips.push(if is_swapped {
                    (needless, first)
                } else {
                    (first, needless)
                });
            }
        }
        flips
    }

    fn opposition(&self, flips: &[(&Word, &Word)]) -> Opposed {
        let words = |word: &Word| word.negator.clone().into_iter().chain([word.bytes.clone()]);
        Opposed {
            kind: Kind::Opposition,
            a: flips.iter().flat_map(|(word, _)| words(word)).collect(),
            b: flips.iter().flat_map(|(_, word)| words(word)).collect(),
            sure: true,
        }
    }

    /// Returns whether what is before a word in one is behind it in the other, and the other way round.
    fn is_exchanged(&self, a: usize, b: usize) -> bool {
        let parts = |sentence: &Sentence, at: usize| {
            let symbols = |words: &[Word]| {
                let mut symbols: Vec<u64> = words
                    .iter()
                    .filter(|word| word.is_core)
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
            sure: !self.is_conditional(),
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
