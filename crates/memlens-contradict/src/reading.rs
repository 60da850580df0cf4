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
    /// Whether it has no quotes, brackets, lists, labels or other signs.
    pub(crate) is_plain: bool,
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
        let mut sentence = reader.finish(bytes);
        sentence.is_plain = is_plain(&text[sentence.bytes.clone()], &all);
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
            .all(|token| !token.is_break() && !token.is_quoted)
}

/// Returns the words and numbers of a sentence, contractions in full.
fn literal(tokens: &[Token]) -> Vec<Literal> {
    let mut literal = Vec::new();
    for token in tokens {
        let mut push = |word: &str| {
            literal.push(Literal {
                word: word.to_owned(),
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

/// Signs that a sentence of plain words and numbers may hold.
const PLAIN: &str = ".,:'\u{2019}-_`*%$\u{20ac}\u{a3}\u{b0}";
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
/// Verbs that have a subject, unlike "to be".
const FINITE: &[&str] = &[
    "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't",
];
/// Verbs before which a subject is missing if they begin a sentence.
const WITHOUT_SUBJECT: &[&str] = &[
    "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "has", "had", "does",
    "did", "doesn't", "didn't", "can", "can't", "cannot", "could", "will", "would", "may", "might",
];
/// What points to something that was said before, at the end of a sentence.
const POINTERS: &[&str] = &["this", "that", "these", "those"];
/// Words of possibility.
const POSSIBLE: &[&str] = &["can", "could", "may", "might"];
/// Words of what is allowed or required, besides those of possibility.
const MODAL: &[&str] = &[
    "must",
    "mustn't",
    "should",
    "shouldn't",
    "shall",
    "cannot",
    "can't",
    "allow",
    "allows",
    "allowed",
    "permit",
    "permits",
    "permitted",
    "forbid",
    "forbids",
    "forbidden",
    "prohibited",
    "banned",
    "required",
    "never",
    "always",
    "don't",
    "avoid",
    "ok",
    "okay",
    "fine",
];
/// Verbs of changes, which may be made again: "is raised to 1.71".
const CHANGES: &[&str] = &[
    "increased",
    "raised",
    "bumped",
    "updated",
    "upgraded",
    "downgraded",
    "lowered",
    "reduced",
    "changed",
    "renamed",
    "moved",
    "switched",
    "migrated",
    "released",
    "published",
];
/// Words of what is not wholly so, was not so before, or is so of a part.
const PARTLY: &[&str] = &[
    "almost",
    "nearly",
    "mostly",
    "usually",
    "mainly",
    "largely",
    "partly",
    "partially",
    "generally",
    "typically",
    "normally",
    "commonly",
    "primarily",
    "practically",
    "basically",
    "roughly",
    "fairly",
    "somewhat",
    "yet",
    "still",
    "already",
    "some",
    "few",
    "several",
    "most",
    "many",
    "other",
    "others",
    "another",
    "certain",
];
/// Words of what shall be.
const WISHES: &[&str] = &[
    "want", "wants", "wanted", "wish", "wishes", "hope", "hopes", "ensure", "ensures", "suppose",
    "supposed", "intend", "intends", "aim", "aims",
];
/// Appointments and bills.
const APPOINTMENTS: &[&str] = &[
    "appointment",
    "appointments",
    "meeting",
    "meetings",
    "deadline",
    "deadlines",
    "release",
    "releases",
    "next",
    "bill",
    "bills",
    "invoice",
    "invoices",
    "payment",
    "visit",
    "checkup",
    "dinner",
    "lunch",
    "call",
    "party",
    "trip",
    "exam",
    "interview",
    "session",
    "lesson",
    "concert",
    "delivery",
];
/// Stems of verbs that have an opposite.
const OPPOSING_VERBS: &[&str] = &[
    "allow",
    "permit",
    "forbid",
    "forbidden",
    "prohibit",
    "disallow",
    "ban",
    "like",
    "prefer",
    "love",
    "enjoy",
    "dislik",
    "hate",
    "avoid",
    "enabl",
    "activ",
    "disabl",
    "deactiv",
    "start",
    "begin",
    "stop",
    "end",
    "finish",
    "increas",
    "rais",
    "grow",
    "decreas",
    "lower",
    "reduc",
    "shrink",
    "keep",
    "retain",
    "delet",
    "remov",
    "drop",
    "discard",
    "accept",
    "reject",
    "refus",
    "declin",
    "add",
    "succeed",
    "work",
    "fail",
    "alway",
    "never",
    "everi",
    "sometim",
    "rare",
    "seldom",
    "befor",
    "after",
    "more",
    "abov",
    "over",
    "fewer",
    "less",
    "below",
    "under",
    "support",
    "need",
    "requir",
    "open",
    "close",
    "shut",
    "encrypt",
    "includ",
    "exclud",
];
/// Words that begin a sentence with a subject.
const BEGINNINGS: &[&str] = &[
    "i", "we", "you", "he", "she", "they", "it", "there", "all", "every", "each", "nobody",
    "everyone",
];
/// Words of rules: "never push to main".
const DIRECTIVES: &[&str] = &["always", "never", "don't", "do", "avoid", "must", "only"];
/// What begins a subordinate clause.
const SUBORDINATE: &[&str] = &[
    "that", "which", "who", "whose", "if", "when", "where", "while", "unless", "whenever",
];
const NO_WAY: &[&str] = &["way", "time", "case", "means", "circumstances"];
/// Verbs of the past that do not end in "ed".
const PAST: &[&str] = &[
    "was", "were", "paid", "went", "met", "bought", "sold", "sent", "took", "gave", "made", "had",
    "ran", "wrote", "came", "left", "got", "began", "held", "spoke", "won", "lost", "broke", "did",
    "slept", "drove", "ate", "drank", "swam", "flew", "rode", "walked", "spent", "found", "fell",
    "rose", "grew", "saw", "said", "told", "thought", "taught", "caught", "kept", "built", "drew",
    "threw", "chose", "woke", "felt", "became", "brought", "fought", "shot", "sat", "stood",
];
/// Verbs of the past after which what is said lasts, and participles behind a noun: "the branch called main".
const LASTING: &[&str] = &[
    "decided", "agreed", "chose", "called", "named", "based", "located",
];
/// Auxiliaries of the present.
const PRESENT: &[&str] = &[
    "is", "are", "am", "isn't", "aren't", "must", "should", "can", "cannot", "may", "do", "does",
    "don't", "doesn't",
];
/// Verbs of the third person, so that a sentence that begins with a name is known to have a verb.
const VERBS: &[&str] = &[
    "answers", "closes", "costs", "drinks", "eats", "ends", "expires", "holds", "keeps", "leads",
    "likes", "listens", "lives", "manages", "needs", "opens", "owns", "prefers", "reports",
    "requires", "runs", "sends", "speaks", "starts", "stores", "takes", "uses", "wants", "works",
    "writes",
];
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "our", "my", "your", "this", "each", "every",
];
/// Verbs that begin a line of reference documentation: "Returns reports".
const REFERENCE_VERBS: &[&str] = &[
    "adds",
    "allows",
    "checks",
    "converts",
    "creates",
    "generates",
    "gets",
    "provides",
    "reads",
    "removes",
    "returns",
    "sets",
];
/// What directly follows an amount that changes by itself.
const AFTER_MEASUREMENT: &[&str] = &[
    "full",
    "free",
    "used",
    "left",
    "remaining",
    "available",
    "occupied",
    "done",
    "complete",
    "completed",
    "finished",
    "pending",
    "open",
    "unread",
    "charged",
    "covered",
    "old",
    "large",
    "big",
    "heavy",
    "stars",
    "downloads",
    "followers",
    "subscribers",
    "views",
    "likes",
];
/// What changes by itself.
const MEASURED: &[&str] = &[
    "usage",
    "load",
    "utilization",
    "utilisation",
    "coverage",
    "temperature",
    "battery",
    "balance",
    "backlog",
    "queue",
    "inbox",
    "humidity",
    "pressure",
    "progress",
    "uptime",
    "weighs",
    "weight",
    "current",
    "latest",
    "newest",
];
/// Words of rules for such an amount: "the load limit is 80 %".
const BOUNDS: &[&str] = &[
    "limit",
    "limited",
    "maximum",
    "max",
    "minimum",
    "min",
    "threshold",
    "quota",
    "target",
    "capacity",
    "default",
    "set",
    "alert",
    "alarm",
    "must",
    "should",
];
/// What is green or red by turns.
const SIGNALS: &[&str] = &[
    "build", "builds", "pipeline", "ci", "tests", "job", "status", "light", "lamp",
];
const TIMETABLES: &[&str] = &[
    "train", "trains", "bus", "buses", "ferry", "ferries", "tram", "trams", "flight", "flights",
    "shuttle",
];
/// What "this" points to: something else in a note of another folder.
const PLACES: &[&str] = &[
    "repo",
    "repository",
    "project",
    "codebase",
    "folder",
    "directory",
    "file",
    "document",
    "page",
    "section",
    "chapter",
    "machine",
    "host",
    "server",
    "computer",
    "package",
    "crate",
    "module",
    "library",
    "app",
    "service",
    "release",
    "version",
    "branch",
    "example",
    "guide",
    "tutorial",
];
/// What others say, believe or can prove, before "that".
const REPORTS: &[&str] = &[
    "say",
    "says",
    "said",
    "claim",
    "claims",
    "claimed",
    "mean",
    "means",
    "meant",
    "know",
    "knows",
    "knew",
    "report",
    "reports",
    "reported",
    "suggest",
    "suggests",
    "suggested",
    "guarantee",
    "guarantees",
    "guaranteed",
    "promise",
    "promises",
    "promised",
    "expect",
    "expects",
    "expected",
    "confirm",
    "confirms",
    "confirmed",
    "mention",
    "mentions",
    "mentioned",
    "evidence",
    "proof",
    "sign",
    "indication",
    "reason",
    "rule",
    "told",
    "written",
];
/// What others say or believe, and may be wrong about.
const DOUBTS: &[&str] = &[
    "think",
    "thinks",
    "thought",
    "believe",
    "believes",
    "believed",
    "doubt",
    "doubts",
    "doubted",
    "hope",
    "hopes",
    "hoped",
    "fear",
    "fears",
    "feared",
    "suspect",
    "suspects",
    "suspected",
    "guess",
    "guesses",
    "guessed",
    "assume",
    "assumes",
    "assumed",
    "pretend",
    "pretends",
    "pretended",
    "deny",
    "denies",
    "denied",
    "wonder",
    "wonders",
    "wondered",
    "claim",
    "claims",
    "claimed",
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

fn is_of_reference(word: &str) -> bool {
    VERBS.contains(&word) || REFERENCE_VERBS.contains(&word)
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

    /// Returns whether a word is a verb of the past.
    fn is_past(&self, at: usize, lower: &str) -> bool {
        PAST.contains(&lower)
            || (lower.len() > 4
                && lower.ends_with("ed")
                && !lower.ends_with("eed")
                && lower != "hundred"
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
        let mut at = 0;
        while at < self.tokens.len() {
            at += self.step(at).max(1);
        }
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

    fn has_word(&self, list: &[&str]) -> bool {
        let mut words = self.tokens.iter().filter_map(Token::word);
        words.any(|word| list.contains(&word))
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
    fn is_doubted(&self, at: usize, lower: &str) -> bool {
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
            value.is_recurring = self.is_recurring(at, &value);
            let is_followed = AFTER_MEASUREMENT.contains(&self.word_at(at + n_tokens));
            self.manner.is_measurement |= is_followed && !self.has_word(BOUNDS);
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
        // "It is true", "set to false", not one of the values that an option takes.
        if matches!(lower, "true" | "false") {
            return self.is_before(at, 3, BE) || self.is_before(at, 1, &["to", "as"]);
        }
        true
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

    /// Returns whether this word is the negation that waits for its word.
    fn is_pending(&self, word: &str) -> bool {
        self.pending.as_ref().is_some_and(|pending| {
            let mut tokens = self.tokens.iter();
            tokens.any(|token| token.bytes == *pending && token.word() == Some(word))
        })
    }

    /// Returns whether a token is a word that is not a function word.
    fn is_content(&self, at: usize) -> bool {
        let word = self.word_at(at);
        !word.is_empty() && !self.lexicon.of_word(word).has(Traits::STOP)
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
            literal: literal(self.tokens),
            is_plain: false,
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
