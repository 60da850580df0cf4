//! What a sentence states: its content words, what it denies, its values.

mod values;

use std::ops::Range;

use crate::lexicon::{self, Lexicon, Polar, Traits};
use crate::sentence::{is_foreign, is_speech, screened, without_label};
use crate::token::{Shape, Token, tokens};
use crate::verdict::Apart;

pub(crate) use values::{Bound, Value, ValueKind};

/// What comes before a name, so that it is known whether the place holds one name only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Governor {
    /// Nothing: it is the subject.
    None,
    /// A form of "be".
    Be,
    /// A word, by its symbol; whether its place holds one only.
    Word { symbol: u64, is_functional: bool },
}

/// A content word.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// Equal for words of one meaning, for both sides of an opposition and for names of one class.
    pub(crate) symbol: u64,
    /// Equal for forms of one word.
    pub(crate) stem: u64,
    /// The word without a negating prefix.
    pub(crate) base: Option<u64>,
    /// The side of an opposition, after negations.
    pub(crate) polar: Option<Polar>,
    pub(crate) class: Option<u8>,
    pub(crate) negator: Option<Range<usize>>,
    pub(crate) bytes: Range<usize>,
    /// Index of its token.
    pub(crate) token: usize,
    pub(crate) is_name: bool,
    /// A name in the place of "called NAME", which is no content of its own.
    pub(crate) is_named: bool,
    pub(crate) traits: Traits,
    /// Whether it counts for what the sentence is about.
    pub(crate) is_core: bool,
    /// A preposition directly before, by its hash.
    pub(crate) preposition: Option<u64>,
    pub(crate) governor: Governor,
    /// The content word directly behind, which it describes.
    pub(crate) describes: Option<u64>,
    /// The content word directly before.
    pub(crate) behind: Option<u64>,
    pub(crate) is_quoted: bool,
    /// Whether it is part of a condition: "if the door is open".
    pub(crate) is_condition: bool,
}

/// The words that say when a statement holds or how certain it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// "if", "unless", "only", "except".
    pub(crate) is_conditional: bool,
    /// "maybe", "probably", "not every".
    pub(crate) is_hedged: bool,
    /// "will", "plan to".
    pub(crate) is_future: bool,
    /// "used to", "formerly".
    pub(crate) is_former: bool,
    /// "now", "no longer", "instead of".
    pub(crate) is_update: bool,
    /// "must", "have to".
    pub(crate) is_duty: bool,
    /// "today", "this week": it speaks of the day on which it was written.
    pub(crate) is_of_its_day: bool,
    /// It begins with a date or a time, as an entry of a log does.
    pub(crate) is_entry: bool,
    /// It tells of something that happened: "was rotated", "paid".
    pub(crate) is_past: bool,
    /// "by", which turns subject and object round.
    pub(crate) has_agent: bool,
    /// It begins with "the", "our" or a possessive: one certain thing.
    pub(crate) is_definite: bool,
    /// It begins with "it", "its", "they": what it speaks of is said before it.
    pub(crate) is_anaphoric: bool,
}

/// What a sentence states.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    pub(crate) bytes: Range<usize>,
    pub(crate) words: Vec<Word>,
    pub(crate) values: Vec<Value>,
    /// The symbols of what it is about, ascending and distinct.
    pub(crate) core: Vec<u64>,
    /// Equal for sentences of the same words, negations and values.
    pub(crate) hash: u64,
    /// Equal for sentences that differ in numbers and dates alone.
    pub(crate) template: u64,
    pub(crate) manner: Manner,
}

/// Fewer words and numbers state too little.
const TOKENS_MIN: usize = 3;

/// Longer sentences are rarely single statements.
const TOKENS_MAX: usize = 150;

impl Sentence {
    /// Reads one sentence of `text`.
    pub(crate) fn read(
        lexicon: &Lexicon,
        text: &str,
        bytes: Range<usize>,
        line_is_speech: bool,
    ) -> Result<Sentence, Apart> {
        if let Some(why) = screened(text, &bytes) {
            return Err(why);
        }
        let (statement, label) = without_label(text, bytes.clone());
        let all = tokens(text, statement);
        if is_foreign(lexicon, &all) {
            return Err(Apart::Language);
        }
        if line_is_speech || is_speech(&all) {
            return Err(Apart::Speech);
        }
        // The label says what the statement is about.
        let all = match label {
            Some(label) => {
                let mut labelled = tokens(text, label.clone());
                labelled.push(Token {
                    shape: Shape::Break(':'),
                    bytes: label.end..label.end + 1,
                    is_glued: true,
                    is_quoted: false,
                });
                labelled.extend(all);
                labelled
            }
            None => all,
        };
        let n_telling = all.iter().filter(|token| !token.is_break()).count();
        if n_telling < TOKENS_MIN {
            return Err(Apart::Short);
        }
        if n_telling > TOKENS_MAX {
            return Err(Apart::Long);
        }
        let mut reader = Reader::of(lexicon, &all);
        reader.read();
        let sentence = reader.finish(bytes);
        if sentence.core.is_empty() || sentence.core.len() + sentence.values.len() < 2 {
            return Err(Apart::Short);
        }
        Ok(sentence)
    }
}

struct Reader<'a> {
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
    words: Vec<Word>,
    values: Vec<Value>,
    manner: Manner,
    /// The negation that waits for its word.
    pending: Option<Range<usize>>,
    has_negated: bool,
    is_condition: bool,
    preposition: Option<u64>,
    governor: Governor,
}

const PREPOSITIONS: &[&str] = &[
    "in", "on", "at", "for", "during", "under", "within", "via", "from", "with", "by", "into",
    "through", "of", "to",
];
const BE: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "being", "isn't", "aren't", "wasn't", "weren't",
];
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "must", "should", "shall", "may", "might",
    "can", "could", "will", "would", "does", "do", "did", "cannot",
];
const NO_WAY: &[&str] = &["way", "time", "case", "means", "circumstances"];
/// Verbs of the past that do not end in "ed".
const PAST: &[&str] = &[
    "was", "were", "paid", "went", "met", "bought", "sold", "sent", "took", "gave", "made", "had",
    "ran", "wrote", "came", "left", "got", "began", "held", "spoke", "won", "lost", "broke", "did",
];
const PARTIAL: &[&str] = &[
    "every",
    "all",
    "each",
    "both",
    "necessarily",
    "just",
    "exactly",
    "only",
    "quite",
    "everyone",
    "everything",
];

impl<'a> Reader<'a> {
    fn of(lexicon: &'a Lexicon, tokens: &'a [Token]) -> Reader<'a> {
        Reader {
            lexicon,
            tokens,
            words: Vec::new(),
            values: Vec::new(),
            manner: Manner::default(),
            pending: None,
            has_negated: false,
            is_condition: false,
            preposition: None,
            governor: Governor::None,
        }
    }

    fn word_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).and_then(Token::word).unwrap_or("")
    }

    /// Returns whether one of the words before is in a list, at most `n` tokens back.
    fn is_before(&self, at: usize, n: usize, list: &[&str]) -> bool {
        (at.saturating_sub(n)..at).any(|before| list.contains(&self.word_at(before)))
    }

    /// Returns whether nothing but breaks and words like "on" comes before.
    fn is_beginning(&self, at: usize) -> bool {
        self.tokens[..at].iter().all(|token| {
            token.is_break()
                || token
                    .word()
                    .is_some_and(|word| matches!(word, "on" | "at" | "date" | "time"))
        })
    }

    /// Returns whether a word is a verb of the past.
    fn is_past(&self, at: usize, lower: &str) -> bool {
        PAST.contains(&lower)
            || (lower.len() > 4
                && lower.ends_with("ed")
                && !self.is_before(at, 2, &["is", "are", "be", "must", "should"]))
    }

    /// Returns whether a number with a bound comes behind these tokens: "more than 8".
    fn is_bound(&self, at: usize, n_tokens: usize) -> bool {
        let last = self.word_at(at + n_tokens - 1);
        matches!(last, "than" | "above" | "below")
            && at + n_tokens < self.tokens.len()
            && values::at(self.lexicon, self.tokens, at + n_tokens).is_some()
    }

    fn read(&mut self) {
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
        );
        let mut at = 0;
        while at < self.tokens.len() {
            at += self.step(at).max(1);
        }
    }

    /// Reads what begins at a token. Returns how many tokens that was.
    fn step(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        if let Some((n_tokens, mut value)) = values::at(self.lexicon, self.tokens, at) {
            let is_when = value.kind == ValueKind::Clock
                || (value.kind.is_of_calendar() && value.kind != ValueKind::Season);
            self.manner.is_entry |= is_when && self.is_beginning(at);
            if let Some(negator) = self.pending.take() {
                value.bytes = negator.start.min(value.bytes.start)..value.bytes.end;
                value.is_negated = true;
            }
            self.preposition = None;
            self.values.push(value);
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
        self.manner.is_past |= self.is_past(at, lower);
        if let Some(n_tokens) = self.negator(at, lower) {
            return n_tokens;
        }
        if let Some(n_tokens) = self.manner(at, lower) {
            return n_tokens;
        }
        let stem = self.lexicon.stem(lower.strip_suffix("'s").unwrap_or(lower));
        if let Some((n_tokens, polar)) = self.phrase(at, &stem) {
            if self.is_bound(at, n_tokens) {
                return n_tokens;
            }
            self.push_polar(at, n_tokens, &stem, polar, true);
            return n_tokens;
        }
        let mut traits = self.lexicon.traits(lower, &stem);
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
        // Its place in the sentence makes "Go" a name and "go" none.
        let class = self.lexicon.class(&stem, is_capital, is_first);
        if class.is_some() || (is_name && traits.has(Traits::LIGHT) && !traits.has(Traits::ROLE)) {
            traits = Traits::default();
        }
        let own = lexicon::hash(&stem);
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
        });
        self.governor = Governor::Word {
            symbol: own,
            is_functional: traits.has(Traits::FUNCTIONAL) || is_named,
        };
        1
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
        true
    }

    fn push_polar(&mut self, at: usize, n_tokens: usize, stem: &str, polar: Polar, is_core: bool) {
        let negator = self.pending.take();
        self.has_negated |= negator.is_some();
        let (pair, side) = polar;
        let last = at + n_tokens - 1;
        let symbol = lexicon::hash(&format!("pair {pair}"));
        let traits = self.lexicon.traits(self.word_at(at), stem);
        self.words.push(Word {
            symbol,
            stem: lexicon::hash(stem),
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
        });
        self.governor = Governor::Word {
            symbol,
            is_functional: false,
        };
    }

    /// Reads a negation. Returns how many tokens it has; `None` if there is none.
    fn negator(&mut self, at: usize, lower: &str) -> Option<usize> {
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
        let is_negator = self.lexicon.of_word(lower).has(Traits::NEGATOR)
            || lower.ends_with("n't")
            || matches!(
                lower,
                "avoid" | "avoids" | "refrain" | "unable" | "impossible"
            )
            || (matches!(
                lower,
                "fail" | "fails" | "failed" | "refuse" | "refuses" | "refused"
            ) && next == "to")
            || (lower == "against"
                && self.is_before(
                    at,
                    2,
                    &[
                        "decide",
                        "decided",
                        "advise",
                        "advised",
                        "vote",
                        "voted",
                        "argue",
                        "argued",
                        "recommend",
                        "recommended",
                        "chose",
                        "opted",
                    ],
                ));
        if !is_negator {
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

    /// Reads words that say when or how certainly a statement holds. Returns how many tokens were read; `None` if none.
    fn manner(&mut self, at: usize, lower: &str) -> Option<usize> {
        let next = self.word_at(at + 1);
        let is_passive = self.is_before(at, 1, BE);
        match lower {
            "if" | "unless" | "when" | "while" | "until" | "whenever" => self.is_condition = true,
            "then" => self.is_condition = false,
            _ => {}
        }
        let manner = &mut self.manner;
        match lower {
            "if" | "unless" | "except" | "only" | "when" | "while" | "until" | "otherwise"
            | "once" | "because" | "whenever" | "but" => manner.is_conditional = true,
            "maybe" | "perhaps" | "probably" | "possibly" | "might" | "could" | "would"
            | "likely" | "seems" => {
                manner.is_hedged = true;
            }
            "will" | "won't" | "shall" => manner.is_future = true,
            "going" | "plan" | "plans" | "planned" | "planning" | "want" | "wants"
                if next == "to" =>
            {
                manner.is_future |= !lower.starts_with("want");
                return None;
            }
            "used" if next == "to" && !is_passive => {
                manner.is_former = true;
                return Some(2);
            }
            "formerly" | "previously" | "originally" => manner.is_former = true,
            "now" | "nowadays" | "anymore" => manner.is_update = true,
            "any" if matches!(next, "more" | "longer") => {
                manner.is_update = true;
                return Some(2);
            }
            "changed" | "switched" | "moved" | "migrated" | "renamed" | "replaced"
                if matches!(next, "to" | "from") =>
            {
                manner.is_update = true;
                return None;
            }
            "must" => manner.is_duty = true,
            "have" | "has" if next == "to" => manner.is_duty = true,
            "today" | "yesterday" | "tomorrow" | "tonight" => manner.is_of_its_day = true,
            "this" | "last" | "next"
                if matches!(
                    next,
                    "morning"
                        | "evening"
                        | "week"
                        | "month"
                        | "year"
                        | "afternoon"
                        | "night"
                        | "weekend"
                        | "time"
                ) =>
            {
                manner.is_of_its_day = true;
                manner.is_future |= lower == "next";
                return Some(2);
            }
            "by" => manner.has_agent = true,
            _ => return None,
        }
        let is_said = self.lexicon.of_word(lower);
        if is_said.has(Traits::STOP) {
            self.stop(lower);
        }
        (is_said.has(Traits::STOP)
            || is_said.has(Traits::HEDGE)
            || matches!(
                lower,
                "anymore"
                    | "formerly"
                    | "yesterday"
                    | "tomorrow"
                    | "tonight"
                    | "won't"
                    | "must"
                    | "otherwise"
                    | "once"
                    | "whenever"
                    | "seems"
                    | "originally"
                    | "except"
            ))
        .then_some(1)
    }

    fn stop(&mut self, lower: &str) {
        if BE.contains(&lower) {
            self.governor = Governor::Be;
            self.preposition = None;
        } else if PREPOSITIONS.contains(&lower) {
            self.preposition = Some(lexicon::hash(lower));
        } else if AUXILIARIES.contains(&lower) {
            self.preposition = None;
        }
    }

    fn finish(mut self, bytes: Range<usize>) -> Sentence {
        self.find_neighbours();
        let mut core: Vec<u64> = self
            .words
            .iter()
            .filter(|word| word.is_core)
            .map(|word| word.symbol)
            .collect();
        if self
            .values
            .iter()
            .any(|value| value.kind == ValueKind::Period)
        {
            core.push(lexicon::hash("period"));
        }
        if core.len() < 2 {
            // "CI does not run": verbs of little content are all that is left.
            for word in &mut self.words {
                let is_verb = !word.is_core && !word.is_named && word.traits.has(Traits::LIGHT);
                if is_verb {
                    word.is_core = true;
                    core.push(word.symbol);
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        let (hash, template) = self.hashes();
        Sentence {
            bytes,
            core,
            hash,
            template,
            manner: self.manner,
            words: self.words,
            values: self.values,
        }
    }

    /// Fills in which words are next to each other and to values.
    fn find_neighbours(&mut self) {
        let mut symbol_at: Vec<Option<u64>> = vec![None; self.tokens.len()];
        for word in &self.words {
            symbol_at[word.token] = Some(word.symbol);
        }
        let symbol = |at: Option<usize>| at.and_then(|at| symbol_at.get(at).copied().flatten());
        for word in &mut self.words {
            word.describes = symbol(Some(word.token + 1));
            word.behind = symbol(word.token.checked_sub(1));
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
            value.is_label = matches!(value.kind, ValueKind::Number | ValueKind::Code)
                && (is_subject || is_signed || is_numbered);
        }
    }

    fn hashes(&self) -> (u64, u64) {
        let mut parts: Vec<(usize, u64, u64)> = Vec::new();
        for word in &self.words {
            let side = word.polar.map_or(0, |(_, side)| 1 + u64::from(side));
            let said = word.stem
                ^ side.wrapping_mul(0x9e37_79b9)
                ^ (u64::from(word.negator.is_some()) << 63);
            parts.push((word.token, said, said));
        }
        for value in &self.values {
            parts.push((value.first, value.identity(), value.kind.number()));
        }
        parts.sort_unstable();
        let fold = |part: fn(&(usize, u64, u64)) -> u64| {
            parts.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, entry| {
                (sum.rotate_left(5) ^ part(entry)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        (fold(|entry| entry.1), fold(|entry| entry.2))
    }
}
