//! Which words are next to each other and to values.

use crate::lexicon::Traits;
use crate::token::{Shape, Token};

use super::Reader;
use super::lists::{AUXILIARIES, FINITE, REQUIRED, SUBORDINATE};
use super::values::ValueKind;

impl Reader<'_> {
    /// Fills in which words are next to each other and to values.
    pub(super) fn find_neighbours(&mut self) {
        let mut symbol_at: Vec<Option<u64>> = vec![None; self.tokens.len()];
        for word in &self.words {
            symbol_at[word.token] = Some(word.symbol);
        }
        let symbol = |at: Option<usize>| at.and_then(|at| symbol_at.get(at).copied().flatten());
        for word in &mut self.words {
            word.describes = symbol(Some(word.token + 1));
            word.behind = symbol(word.token.checked_sub(1));
        }
        let verb = (0..self.tokens.len()).find(|at| {
            let word = self.word_at(*at);
            FINITE.contains(&word) || AUXILIARIES.contains(&word)
        });
        let is_one_clause = |verb: usize| {
            (0..verb)
                .all(|at| !self.tokens[at].is_break() && !SUBORDINATE.contains(&self.word_at(at)))
        };
        let verb = verb.filter(|verb| is_one_clause(*verb));
        if let (Some(verb), Some(first)) = (verb, self.words.first_mut()) {
            first.is_of_subject = first.describes.is_some() && first.token + 1 < verb;
        }
        for value in &mut self.values {
            let before = |back: usize| symbol(value.first.checked_sub(back));
            let behind = symbol(Some(value.end));
            value.near = [before(1), before(2), behind];
            value.describes = behind;
            let next = self.tokens.get(value.end);
            let is_before_verb = next.is_some_and(|next| match &next.shape {
                Shape::Word { lower, .. } => AUXILIARIES.contains(&lower.as_str()),
                Shape::Break(sign) => *sign == ':',
                Shape::Number(_)
                | Shape::Clock(_)
                | Shape::Date(..)
                | Shape::Code(_)
                | Shape::Sign(_) => false,
            });
            // "Room 204 holds": a number behind a noun, before any verb.
            let is_before_all = value.first > 0
                && next.is_some_and(|next| next.word().is_some())
                && (0..value.first).all(|at| {
                    let word = self.words.iter().find(|word| word.token == at);
                    let is_determiner = self.tokens[at].word().is_some_and(|word| {
                        matches!(
                            word,
                            "the" | "our" | "my" | "your" | "a" | "an" | "this" | "each"
                        )
                    });
                    is_determiner || word.is_some_and(|word| !word.traits.has(Traits::LIGHT))
                });
            let is_subject = value.first > 0
                && before(1).is_some()
                && ((value.first <= 3 && is_before_verb) || is_before_all);
            let is_signed = value
                .first
                .checked_sub(1)
                .is_some_and(|at| self.tokens[at].shape == Shape::Sign("#"));
            let is_numbered = value.first.checked_sub(1).is_some_and(|at| {
                self.words
                    .iter()
                    .any(|word| word.token == at && word.traits.has(Traits::NUMBERED))
            });
            // "Node 18 is required": a version of what is named.
            let is_version = !is_numbered
                && value.first == 1
                && matches!(
                    self.tokens[0].shape,
                    Shape::Word {
                        is_capital: true,
                        ..
                    }
                )
                && self
                    .tokens
                    .get(value.end + 1)
                    .and_then(Token::word)
                    .is_some_and(|word| REQUIRED.contains(&word));
            value.is_label = !is_version
                && matches!(value.kind, ValueKind::Number | ValueKind::Code)
                && (is_subject || is_signed || is_numbered);
        }
    }
}
