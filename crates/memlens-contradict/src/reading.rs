//! What a sentence states: its content words, what it denies, its values.

mod content;
mod lists;
mod manner;
mod negation;
mod neighbours;
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

/// How a word is written, which keeps apart words that have one stem: "signe" and "signs".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The stem and "e": a verb of this form has "es" and no "s".
    WithE,
    /// The stem alone, or with "s".
    WithoutE,
    /// Any other form.
    Other,
}

/// A word with a meaning of its own, not a function word.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// Equal for words of one meaning, for both sides of an opposition and for names of one class.
    pub(crate) symbol: u64,
    /// Equal for forms of one word.
    pub(crate) stem: u64,
    pub(crate) form: Form,
    /// The word without a negating prefix.
    pub(crate) base: Option<u64>,
    /// The side of an opposition, after negations.
    pub(crate) polar: Option<Polar>,
    pub(crate) class: Option<u8>,
    pub(crate) negator: Option<Range<usize>>,
    pub(crate) bytes: Range<usize>,
    /// Index of its token in the sentence.
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
    /// Whether it says which of several the subject is: "required arguments are".
    pub(crate) is_of_subject: bool,
    /// Whether it describes a noun of which there may be several: "a dark mode", "local files".
    pub(crate) is_attributive: bool,
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
    /// "can", "may": it says what is possible.
    pub(crate) is_possible: bool,
    /// It says what is possible, allowed or required, and not what is.
    pub(crate) is_modal: bool,
    /// "want", "make sure": it says what shall be.
    pub(crate) is_wish: bool,
    /// It is about an appointment or a bill, of which there are several.
    pub(crate) is_appointment: bool,
    /// "today", "this week": it speaks of the day on which it was written.
    pub(crate) is_of_its_day: bool,
    /// It begins with a date or a time, as an entry of a log does.
    pub(crate) is_entry: bool,
    /// It reports a past event: "was rotated", "paid".
    pub(crate) is_past: bool,
    /// Its first verb tells of something that happened: "we fixed", "the tests have passed". It may happen again.
    pub(crate) is_event: bool,
    /// It tells of something that happens once: "Anna joined the team", "the invoice was paid".
    pub(crate) is_once: bool,
    /// It is a measurement that changes by itself: "80 % full", "the temperature is 20 degrees".
    pub(crate) is_measurement: bool,
    /// It is about something that is green or red by turns: "the build".
    pub(crate) is_signal: bool,
    /// It is about a train or a bus, which leaves several times.
    pub(crate) is_timetable: bool,
    /// "by", which turns subject and object round.
    pub(crate) has_agent: bool,
    /// It begins with "the", "our" or a possessive: one certain thing.
    pub(crate) is_definite: bool,
    /// It begins with "it", "its", "they" or a verb like "is", ends with "this", or speaks of "the following": what it
    /// speaks of is said elsewhere.
    pub(crate) is_anaphoric: bool,
    /// It has a subject and a verb, as far as function words show. "Decode bytes to a string" or "Default: true" have
    /// not: what they are about is said by a heading or another line.
    pub(crate) is_whole: bool,
    /// It ends with a colon, or is a copyright notice.
    pub(crate) is_open: bool,
}

/// A word or number as it is written, in lower case and without contractions.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) word: String,
    /// Equal for forms of one word, and for words of one meaning.
    pub(crate) stem: u64,
    /// Where its token begins in the text.
    pub(crate) start: usize,
}

/// The statement of a sentence.
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
    /// All words and numbers, in their order.
    pub(crate) literal: Vec<Literal>,
    /// Whether it has no quotes, brackets, labels or other signs.
    pub(crate) is_plain: bool,
}

/// Signs that a sentence of plain words and numbers may hold.
const PLAIN: &str = ".,:'\u{2019}-_`*%$\u{20ac}\u{a3}\u{b0}";
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
        let mut sentence = reader.finish(bytes);
        sentence.is_plain = is_plain(&text[sentence.bytes.clone()], &all);
        sentence.literal = literal(lexicon, &all);
        if sentence.core.is_empty() || sentence.core.len() + sentence.values.len() < 2 {
            return Err(Apart::Short);
        }
        Ok(sentence)
    }
}

/// Returns whether a sentence consists of words and numbers, with one mark at its end.
fn is_plain(sentence: &str, tokens: &[Token]) -> bool {
    let is_plain =
        |char: char| char.is_alphanumeric() || char.is_whitespace() || PLAIN.contains(char);
    let sentence = sentence.trim_end_matches(['.', '!']);
    let n_tokens = tokens.iter().rposition(|token| !token.is_break());
    sentence.chars().all(is_plain)
        && tokens[..n_tokens.map_or(0, |last| last + 1)]
            .iter()
            .all(|token| {
                (!token.is_break() || token.shape == Shape::Break(',')) && !token.is_quoted
            })
}

/// Returns the words and numbers of a sentence, contractions in full.
fn literal(lexicon: &Lexicon, tokens: &[Token]) -> Vec<Literal> {
    let mut literal = Vec::new();
    for token in tokens {
        let mut push = |word: &str| {
            literal.push(Literal {
                word: word.to_owned(),
                stem: lexicon::hash(&lexicon.stem(word.strip_suffix("'s").unwrap_or(word))),
                start: token.bytes.start,
            });
        };
        match &token.shape {
            Shape::Break(_) => {}
            Shape::Word { lower, .. } => match in_full(lower) {
                Some(words) => words.iter().for_each(|word| push(word)),
                None => push(lower),
            },
            Shape::Number(_)
            | Shape::Clock(_)
            | Shape::Date(..)
            | Shape::Code(_)
            | Shape::Sign(_) => push(&format!("{:?}", token.shape)),
        }
    }
    literal
}

/// Returns the words of a contraction with a negation: "can't", "isn't", "cannot".
fn in_full(lower: &str) -> Option<[&str; 2]> {
    match lower {
        "cannot" | "can't" => Some(["can", "not"]),
        "won't" => Some(["will", "not"]),
        "shan't" => Some(["shall", "not"]),
        _ => lower.strip_suffix("n't").map(|verb| [verb, "not"]),
    }
}

/// A sentence while it is read.
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

    fn has_word(&self, list: &[&str]) -> bool {
        let mut words = self.tokens.iter().filter_map(Token::word);
        words.any(|word| list.contains(&word))
    }

    /// Returns whether a token is a word that is not a function word.
    fn is_content(&self, at: usize) -> bool {
        let word = self.word_at(at);
        !word.is_empty() && !self.lexicon.of_word(word).has(Traits::STOP)
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
            literal: Vec::new(),
            is_plain: false,
            words: self.words,
            values: self.values,
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
