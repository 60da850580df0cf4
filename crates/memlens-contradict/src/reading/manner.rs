//! When a statement holds, how certain it is, and what kind of statement it is.

use crate::lexicon::Traits;
use crate::token::{Shape, Token};

use super::Reader;
use super::lists::{
    APPOINTMENTS, AUXILIARIES, BE, BEGINNINGS, BOUNDS, CHANGES, DETERMINERS, DIRECTIVES, DOUBTS,
    FINITE, HAPPEN_ONCE, LASTING, MANNER_ALONE, MEASURED, MODAL, PARTLY, PAST, PLACES, POINTERS,
    POSSIBLE, PRESENT, REFERENCE_VERBS, REPORTS, SIGNALS, SPANS, SUBORDINATE, TIMETABLES, VERBS,
    WISHES, WITHOUT_SUBJECT,
};

fn is_of_reference(word: &str) -> bool {
    VERBS.contains(&word) || REFERENCE_VERBS.contains(&word)
}

impl Reader<'_> {
    /// Reads what shows in the sentence as a whole.
    pub(super) fn read_whole_manner(&mut self) {
        let first = self.word_at(0);
        self.manner.is_definite =
            matches!(first, "the" | "our" | "my" | "your") || first.ends_with("'s");
        self.manner.is_anaphoric = matches!(
            first,
            "it" | "its"
                | "it's"
                | "this"
                | "that"
                | "these"
                | "those"
                | "they"
                | "their"
                | "he"
                | "she"
                | "his"
                | "her"
        ) || WITHOUT_SUBJECT.contains(&first)
            || self.is_pointing();
        self.manner.is_hedged = self.has_word(PARTLY);
        let is_wish = |at: usize| {
            let pair = (self.word_at(at), self.word_at(at + 1));
            matches!(pair, ("make", "sure") | ("need" | "needs", "to"))
                && !self.is_before(at, 1, &["no"])
        };
        self.manner.is_wish = self.has_word(WISHES) || (0..self.tokens.len()).any(is_wish);
        // "The team meeting is", not what is said of a meeting.
        self.manner.is_appointment = (0..4).any(|at| APPOINTMENTS.contains(&self.word_at(at)));
        self.manner.is_possible = self.has_word(POSSIBLE);
        self.manner.is_modal = self.manner.is_possible || self.has_word(MODAL) || first == "do";
        self.manner.is_whole = self.is_whole();
        self.manner.is_event = self.is_event();
        self.manner.is_once = self.has_word(HAPPEN_ONCE);
        self.manner.is_measurement = self.has_word(MEASURED) && !self.has_word(BOUNDS);
        self.manner.is_signal = self.has_word(SIGNALS);
        self.manner.is_timetable = self.has_word(TIMETABLES);
        let is_pointed_to = |at: usize| {
            matches!(self.word_at(at), "this" | "these" | "that")
                && PLACES.contains(&self.word_at(at + 1))
        };
        self.manner.is_anaphoric |= (0..self.tokens.len()).any(is_pointed_to);
        let last = self.tokens.last();
        self.manner.is_open =
            first == "copyright" || last.is_some_and(|token| token.shape == Shape::Break(':'));
    }

    /// Returns whether it speaks of "the following", or ends with "this".
    fn is_pointing(&self) -> bool {
        let mut words = self.tokens.iter().rev().filter(|token| !token.is_break());
        let last = words.next().and_then(Token::word);
        let is_following = |at: usize| {
            matches!(self.word_at(at), "the" | "as")
                && matches!(self.word_at(at + 1), "following" | "follows")
        };
        last.is_some_and(|last| POINTERS.contains(&last))
            || (0..self.tokens.len()).any(is_following)
    }

    /// Returns whether a word is a verb of the past.
    pub(super) fn is_past(&self, at: usize, lower: &str) -> bool {
        PAST.contains(&lower)
            || (lower.len() > 4
                && lower.ends_with("ed")
                && !lower.ends_with("eed")
                && lower != "hundred"
                && !self.is_before(at, 2, &["is", "are", "be", "must", "should"]))
    }

    /// Returns whether the first verb is one of the past, as far as its form shows.
    fn is_event(&self) -> bool {
        let is_past = |at: usize| {
            let lower = self.word_at(at);
            self.is_past(at, lower) && !LASTING.contains(&lower)
        };
        for at in 0..self.tokens.len() {
            let lower = self.word_at(at);
            if matches!(lower, "has" | "have" | "hasn't" | "haven't") {
                // "Has fixed", "have not been".
                return (at + 1..at + 3).any(|next| {
                    is_past(next) || matches!(self.word_at(next), "been" | "done" | "run")
                });
            }
            // "Is raised to 1.71".
            if FINITE.contains(&lower)
                && CHANGES.contains(&self.word_at(at + 1))
                && matches!(self.word_at(at + 2), "to" | "from")
            {
                return true;
            }
            if PRESENT.contains(&lower) || (at > 0 && VERBS.contains(&lower)) {
                return false;
            }
            let is_adjective = at > 0 && DETERMINERS.contains(&self.word_at(at - 1));
            // "Fixed 3 bugs", not "shared disks hold".
            let is_verb = at > 0
                || self.tokens.get(1).is_some_and(|next| {
                    next.word()
                        .is_none_or(|next| DETERMINERS.contains(&next) || PAST.contains(&lower))
                });
            if lower == "didn't" || (is_past(at) && !is_adjective && is_verb) {
                return true;
            }
        }
        false
    }

    /// Returns whether what follows a word is what others say, with a negation or a doubt: "nobody says that".
    pub(super) fn is_doubted(&self, at: usize, lower: &str) -> bool {
        let next = self.word_at(at + 1);
        let is_denied = self.pending.is_some() || self.has_negated;
        next == "whether"
            || (REPORTS.contains(&lower)
                && is_denied
                && (next == "that" || DETERMINERS.contains(&next)))
            || (DOUBTS.contains(&lower) && (next == "that" || DETERMINERS.contains(&next)))
    }

    /// Returns whether it has a subject and a verb, by its function words before the first subordinate clause.
    fn is_whole(&self) -> bool {
        let first = self.word_at(0);
        if BEGINNINGS.contains(&first) || self.manner.is_definite {
            return true;
        }
        let is_clause = |word: &str| SUBORDINATE.contains(&word);
        let words = (0..self.tokens.len())
            .map(|at| (at, self.word_at(at)))
            .take_while(|(_, word)| !is_clause(word));
        // "Alice prefers", not "returns reports".
        let has_verb = |at: usize, word: &str| {
            (1..=3).contains(&at) && VERBS.contains(&word) && !is_of_reference(first)
        };
        words.into_iter().any(|(at, word)| {
            // "Always push", not "to only build".
            (DIRECTIVES.contains(&word) && !self.is_before(at, 1, &["to"]))
                || has_verb(at, word)
                || (at > 0
                    && (FINITE.contains(&word)
                        || AUXILIARIES.contains(&word)
                        || word.ends_with("n't")
                        || word == "not"))
        })
    }

    /// Reads words that say when or how certainly a statement holds. Returns how many tokens were read; `None` if none.
    pub(super) fn manner(&mut self, at: usize, lower: &str) -> Option<usize> {
        match lower {
            "if" | "unless" | "when" | "while" | "until" | "whenever" => self.is_condition = true,
            "then" => self.is_condition = false,
            _ => {}
        }
        if self.note_pair(at, lower) {
            return Some(2);
        }
        if !self.note_word(at, lower) {
            return None;
        }
        let is_said = self.lexicon.of_word(lower);
        if is_said.has(Traits::STOP) {
            self.stop(lower);
        }
        let is_read = is_said.has(Traits::STOP)
            || is_said.has(Traits::HEDGE)
            || MANNER_ALONE.contains(&lower);
        is_read.then_some(1)
    }

    /// Notes the manner of two words that are nothing else: "used to". Returns whether these are such.
    fn note_pair(&mut self, at: usize, lower: &str) -> bool {
        let next = self.word_at(at + 1);
        match lower {
            "used" if next == "to" && !self.is_before(at, 1, BE) => self.manner.is_former = true,
            "any" if matches!(next, "more" | "longer") => self.manner.is_update = true,
            "this" | "last" | "next" if SPANS.contains(&next) => {
                self.manner.is_of_its_day = true;
                self.manner.is_future |= lower == "next";
            }
            _ => return false,
        }
        true
    }

    /// Notes the manner of a word. Returns whether it is a word of manner; a verb such as "planned" is not, though what
    /// follows it may give it a manner.
    fn note_word(&mut self, at: usize, lower: &str) -> bool {
        let next = self.word_at(at + 1);
        let manner = &mut self.manner;
        match lower {
            "if" | "unless" | "except" | "only" | "when" | "while" | "until" | "otherwise"
            | "once" | "because" | "whenever" | "but" => manner.is_conditional = true,
            "maybe" | "perhaps" | "probably" | "possibly" | "might" | "could" | "would"
            | "likely" | "seems" => manner.is_hedged = true,
            "will" | "won't" | "shall" => manner.is_future = true,
            "going" | "plan" | "plans" | "planned" | "planning" if next == "to" => {
                manner.is_future = true;
                return false;
            }
            "formerly" | "previously" | "originally" => manner.is_former = true,
            "now" | "nowadays" | "anymore" => manner.is_update = true,
            "changed" | "switched" | "moved" | "migrated" | "renamed" | "replaced"
                if matches!(next, "to" | "from") =>
            {
                manner.is_update = true;
                return false;
            }
            "must" => manner.is_duty = true,
            "have" | "has" if next == "to" => manner.is_duty = true,
            "today" | "yesterday" | "tomorrow" | "tonight" => manner.is_of_its_day = true,
            "by" => manner.has_agent = true,
            _ => return false,
        }
        true
    }
}
