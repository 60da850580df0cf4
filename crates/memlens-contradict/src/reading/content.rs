//! Content words and values, token by token.

use crate::lexicon::{self, Polar, Traits};
use crate::token::{Shape, Token};

use super::lists::{AFTER_MEASUREMENT, AUXILIARIES, BE, BOUNDS, OPPOSING_VERBS, PREPOSITIONS};
use super::values::{self, Value, ValueKind};
use super::{Form, Governor, Reader, Word};

impl Reader<'_> {
    pub(super) fn read(&mut self) {
        self.read_whole_manner();
        let mut at = 0;
        while at < self.tokens.len() {
            at += self.step(at).max(1);
        }
    }

    /// Reads what begins at a token. Returns how many tokens that was.
    fn step(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        if let Some(n_tokens) = self.value(at) {
            return n_tokens;
        }
        let (lower, is_capital) = match &token.shape {
            Shape::Word { lower, is_capital } => (lower.as_str(), *is_capital),
            Shape::Break(_) => {
                self.pending = None;
                self.is_condition = false;
                self.preposition = None;
                return 1;
            }
            Shape::Number(_)
            | Shape::Clock(_)
            | Shape::Date(..)
            | Shape::Code(_)
            | Shape::Sign(_) => return 1,
        };
        // "Not tested or guaranteed" denies both.
        if lower == "or"
            && let Some(before) = self.words.last().filter(|word| word.token + 1 == at)
            && !self.lexicon.of_word(self.word_at(at + 1)).has(Traits::STOP)
        {
            self.pending = before.negator.clone();
        }
        self.manner.is_past |= self.is_past(at, lower);
        self.manner.is_hedged |= self.is_doubted(at, lower);
        if let Some(n_tokens) = self.negator(at, lower) {
            return n_tokens;
        }
        if let Some(n_tokens) = self.manner(at, lower) {
            return n_tokens;
        }
        self.content(at, lower, is_capital)
    }

    /// Reads a value. Returns how many tokens it has; `None` if none begins here.
    fn value(&mut self, at: usize) -> Option<usize> {
        let (n_tokens, mut value) = values::at(self.lexicon, self.tokens, at)?;
        let is_when = value.kind == ValueKind::Clock
            || (value.kind.is_of_calendar() && value.kind != ValueKind::Season);
        self.manner.is_entry |= is_when && self.is_beginning(at);
        if let Some(negator) = self.pending.take() {
            value.bytes = negator.start.min(value.bytes.start)..value.bytes.end;
            value.is_negated = true;
        }
        value.is_recurring = self.is_recurring(at, &value);
        let is_followed = AFTER_MEASUREMENT.contains(&self.word_at(at + n_tokens));
        self.manner.is_measurement |= is_followed && !self.has_word(BOUNDS);
        self.preposition = None;
        self.values.push(value);
        Some(n_tokens)
    }

    /// Returns whether a value of the calendar comes again each week or year: "on Fridays", "every March", "in summer".
    fn is_recurring(&self, at: usize, value: &Value) -> bool {
        match value.kind {
            ValueKind::Weekday => {
                self.word_at(at).ends_with('s') || self.is_before(at, 2, &["every", "each"])
            }
            ValueKind::Month => value.year.is_none(),
            ValueKind::Season => true,
            ValueKind::Number
            | ValueKind::Quantity(_)
            | ValueKind::Clock
            | ValueKind::Date
            | ValueKind::Year
            | ValueKind::Period
            | ValueKind::Ordinal
            | ValueKind::Code => false,
        }
    }

    /// Reads a word that is neither a negation nor of manner. Returns how many tokens were read.
    fn content(&mut self, at: usize, lower: &str, is_capital: bool) -> usize {
        let stem = self.lexicon.stem(lower.strip_suffix("'s").unwrap_or(lower));
        if let Some((n_tokens, polar)) = self.phrase(at, &stem) {
            if self.is_bound(at, n_tokens) {
                return n_tokens;
            }
            self.push_polar(at, n_tokens, &stem, polar, true);
            return n_tokens;
        }
        let mut traits = self.lexicon.traits(lower, &stem);
        let next = self.word_at(at + 1);
        if next == "than" || (stem == "work" && matches!(next, "for" | "under")) {
            traits = traits.with(Traits::DIRECTED);
        }
        let is_first = at == 0 || (at == 1 && self.tokens[0].is_break());
        // "ok" and "always" have an opposite, "like" and "on" only in some places.
        if let Some(polar) = self
            .lexicon
            .polar(&stem)
            .filter(|polar| self.is_polar(at, lower, *polar) && !self.is_bound(at, 1))
        {
            let is_core = Some(polar.0) != self.lexicon.special.always;
            self.push_polar(at, 1, &stem, polar, is_core);
            return 1;
        }
        let is_name = is_capital && !is_first && lower.len() > 1;
        if traits.has(Traits::STOP) && !(is_name && lower == "it") {
            self.stop(lower);
            return 1;
        }
        if traits.has(Traits::HEDGE) {
            return 1;
        }
        if lower.chars().count() < 2 && !is_name {
            return 1;
        }
        self.push_word(at, lower, &stem, traits, [is_capital, is_first]);
        1
    }

    /// Adds a content word that has no opposite.
    fn push_word(
        &mut self,
        at: usize,
        lower: &str,
        stem: &str,
        traits: Traits,
        [is_capital, is_first]: [bool; 2],
    ) {
        let token = &self.tokens[at];
        let is_name = is_capital && !is_first && lower.len() > 1;
        let mut traits = traits;
        // Its place in the sentence makes "Go" a name and "go" none.
        let class = self.lexicon.class(stem, is_capital, is_first);
        if class.is_some() || (is_name && traits.has(Traits::LIGHT) && !traits.has(Traits::ROLE)) {
            traits = Traits::default();
        }
        let own = lexicon::hash(stem);
        let is_named = self.tokens[..at]
            .last()
            .and_then(Token::word)
            .is_some_and(|before| matches!(before, "called" | "named"));
        let symbol = class.map_or(own, |class| lexicon::hash(&format!("class {class}")));
        let negator = self.pending.take();
        self.has_negated |= negator.is_some();
        let base =
            lexicon::without_prefix(lower).map(|rest| lexicon::hash(&self.lexicon.stem(rest)));
        self.words.push(Word {
            symbol,
            stem: own,
            form: self.lexicon.form(lower),
            base,
            polar: None,
            class,
            negator,
            bytes: token.bytes.clone(),
            token: at,
            is_name: is_name
                || (is_first && (class.is_some() || lower.ends_with("'s")))
                || lower.contains(|char: char| char == '_' || char.is_ascii_digit()),
            is_named,
            traits,
            is_core: !traits.has(Traits::LIGHT) && !is_named,
            preposition: self.preposition.take(),
            governor: self.governor,
            describes: None,
            behind: None,
            is_quoted: token.is_quoted,
            is_condition: self.is_condition,
            is_of_subject: false,
            is_attributive: false,
        });
        self.governor = Governor::Word {
            symbol: own,
            is_functional: traits.has(Traits::FUNCTIONAL) || is_named,
        };
    }

    /// Returns the number of tokens and the side of the phrase that begins here.
    fn phrase(&self, at: usize, stem: &str) -> Option<(usize, Polar)> {
        self.lexicon.phrases(stem).iter().find_map(|(rest, polar)| {
            let fits = (1..).zip(rest).all(|(behind, part)| {
                let word = self.word_at(at + behind);
                !word.is_empty() && self.lexicon.stem(word) == *part
            });
            fits.then_some((rest.len() + 1, *polar))
        })
    }

    /// Returns whether a word has the meaning of its opposition here.
    fn is_polar(&self, at: usize, lower: &str, polar: Polar) -> bool {
        if lower == "like" {
            let before = [
                "i", "we", "you", "they", "to", "not", "don't", "really", "also", "do", "did",
                "does", "doesn't", "always", "would",
            ];
            return self.is_before(at, 1, &before);
        }
        if Some(polar.0) == self.lexicon.special.on {
            // "The heating is on", not "on Mondays".
            let is_last = self.tokens.get(at + 1).is_none_or(Token::is_break);
            return is_last && self.is_before(at, 3, BE);
        }
        // "It is true", "set to false", not one of the values that an option takes.
        if matches!(lower, "true" | "false") {
            return self.is_before(at, 3, BE) || self.is_before(at, 1, &["to", "as"]);
        }
        true
    }

    /// Returns whether a number with a bound comes behind these tokens: "more than 8".
    fn is_bound(&self, at: usize, n_tokens: usize) -> bool {
        let last = self.word_at(at + n_tokens - 1);
        matches!(last, "than" | "above" | "below")
            && at + n_tokens < self.tokens.len()
            && values::at(self.lexicon, self.tokens, at + n_tokens).is_some()
    }

    fn push_polar(&mut self, at: usize, n_tokens: usize, stem: &str, polar: Polar, is_core: bool) {
        let last = at + n_tokens - 1;
        // "No public changes" denies the changes.
        let is_kept = self.is_pending("no") && self.is_content(last + 1);
        let negator = if is_kept { None } else { self.pending.take() };
        self.has_negated |= negator.is_some();
        let (pair, side) = polar;
        let symbol = lexicon::hash(&format!("pair {pair}"));
        let traits = self.lexicon.traits(self.word_at(at), stem);
        let is_verb = OPPOSING_VERBS.contains(&stem) && !self.word_at(at).ends_with("ed");
        let is_attributive = !is_verb
            && (self.is_content(last + 1) || self.is_before(at, 1, &["a", "an"]))
            && !self.is_before(at, 3, &["prefer", "prefers", "want", "wants"]);
        self.words.push(Word {
            symbol,
            stem: lexicon::hash(stem),
            form: Form::Other,
            base: None,
            polar: Some((pair, side != negator.is_some())),
            class: None,
            negator,
            bytes: self.tokens[at].bytes.start..self.tokens[last].bytes.end,
            token: last,
            is_name: false,
            is_named: false,
            traits,
            is_core,
            preposition: self.preposition.take(),
            governor: self.governor,
            describes: None,
            behind: None,
            is_quoted: self.tokens[at].is_quoted,
            is_condition: self.is_condition,
            is_of_subject: false,
            is_attributive,
        });
        self.governor = Governor::Word {
            symbol,
            is_functional: false,
        };
    }

    pub(super) fn stop(&mut self, lower: &str) {
        if BE.contains(&lower) {
            self.governor = Governor::Be;
            self.preposition = None;
        } else if PREPOSITIONS.contains(&lower) {
            self.preposition = Some(lexicon::hash(lower));
        } else if AUXILIARIES.contains(&lower) {
            self.preposition = None;
        }
    }
}
