//! Negations, and the words that they deny.

use crate::lexicon::Traits;

use super::Reader;
use super::lists::{DECISIONS, NO_WAY, PARTIAL};

impl Reader<'_> {
    /// Reads a negation. Returns how many tokens it has; `None` if there is none.
    pub(super) fn negator(&mut self, at: usize, lower: &str) -> Option<usize> {
        let bytes = self.tokens[at].bytes.clone();
        let (next, after_next) = (self.word_at(at + 1), self.word_at(at + 2));
        let is_pair = match lower {
            "instead" => next == "of",
            "rather" => next == "than",
            _ => false,
        };
        if is_pair {
            self.manner.is_update |= lower == "instead";
            self.pending = Some(bytes.start..self.tokens[at + 1].bytes.end);
            return Some(2);
        }
        if !self.is_negator(at, lower) {
            return None;
        }
        // "There is no way to", "at no time".
        if lower == "no" && NO_WAY.contains(&next) {
            self.pending = Some(bytes.start..self.tokens[at + 1].bytes.end);
            return Some(2);
        }
        if matches!(lower, "no" | "not") {
            if next == "longer" {
                self.manner.is_update = true;
                self.pending = Some(bytes.start..self.tokens[at + 1].bytes.end);
                return Some(2);
            }
            // "no more than", "not later than" are bounds.
            if after_next == "than" || (lower == "not" && PARTIAL.contains(&next)) {
                self.manner.is_hedged |=
                    PARTIAL.contains(&next) && !matches!(next, "only" | "just");
                return Some(2);
            }
        }
        // "She signs nothing on Fridays."
        if lower == "nothing"
            && self.pending.is_none()
            && let Some(verb) = self
                .words
                .last_mut()
                .filter(|verb| verb.token + 1 == at && verb.polar.is_none())
        {
            verb.negator = Some(bytes);
            self.has_negated = true;
            return Some(1);
        }
        // "not ... without" is no negation.
        if lower == "without" && self.has_negated {
            self.affirm();
            return Some(1);
        }
        self.pending = match self.pending.take() {
            Some(_) => None,
            None => Some(bytes),
        };
        Some(1)
    }

    /// Returns whether a word denies what follows.
    fn is_negator(&self, at: usize, lower: &str) -> bool {
        let is_infinitive = self.word_at(at + 1) == "to";
        self.lexicon.of_word(lower).has(Traits::NEGATOR)
            || lower.ends_with("n't")
            || match lower {
                "avoid" | "avoids" | "refrain" | "unable" | "impossible" => true,
                "fail" | "fails" | "failed" | "refuse" | "refuses" | "refused" => is_infinitive,
                "against" => self.is_before(at, 2, DECISIONS),
                _ => false,
            }
    }

    /// Returns whether this word is the negation that waits for its word.
    pub(super) fn is_pending(&self, word: &str) -> bool {
        self.pending.as_ref().is_some_and(|pending| {
            let mut tokens = self.tokens.iter();
            tokens.any(|token| token.bytes == *pending && token.word() == Some(word))
        })
    }

    /// Takes back all negations so far.
    fn affirm(&mut self) {
        for word in &mut self.words {
            if word.negator.take().is_some() {
                word.polar = word.polar.map(|(pair, side)| (pair, !side));
            }
        }
        self.has_negated = false;
        self.pending = None;
    }
}
