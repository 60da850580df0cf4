//! Analysis of a question: its words, the identifiers in it, and which of them belong together.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use crate::terms::{DIGITS, Group, NameKind, folded, groups, has_digit, numbers, whole_of};
use crate::words::{STOP_WORD_WEIGHT, Word, is_stop_word};

/// The shortest word that is also looked up as the beginning of longer ones.
const PREFIX_BYTES_MIN: usize = 7;
/// How many words of a question are joined to look for a whole.
const JOINED_WORDS: std::ops::RangeInclusive<usize> = 2..=5;
/// The least number of joined words of a question that may be an identifier. Two are too often one by chance.
const NAME_WORDS_MIN: usize = 3;
/// The maximum number of words of a question that are joined with their neighbours.
const JOINED_WORDS_MAX: usize = 256;
/// Maximum number of distinct words of a query that are looked up. More is a pasted document, not a question. The limit
/// bounds time and memory, and lets a position fit in 16 bits.
pub(crate) const QUERY_WORDS_MAX: usize = 4096;

/// The maximum number of parts of a question that are scored separately.
pub const PARTS_MAX: usize = 64;

/// How a question's word is related to the words around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordKind {
    /// A word that is not part of an identifier.
    #[default]
    Plain,
    /// A part of an identifier.
    Part,
    /// An identifier as a whole, or words of the question that may be one.
    Whole,
    /// A number without the signs between its digits.
    Digits,
}

/// A place in the list where a question's word is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// A plain word of a text.
    Word(String),
    /// A term that is no plain word.
    Name(NameKind, String),
    /// Every word and whole that begins so and is longer, if no chunk in scope holds another form; beside the other forms
    /// if [`Asked::is_hash`].
    Prefix(String),
}

impl Form {
    pub(crate) fn is_prefix(&self) -> bool {
        matches!(self, Form::Prefix(_))
    }
}

/// One term of a question before it is looked up.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The stem or whole; unique in the question.
    pub(crate) term: String,
    /// Its first place in the question.
    pub(crate) typed: Range<usize>,
    pub(crate) kind: WordKind,
    /// 1, or less for a stop word.
    pub(crate) weight: f32,
    /// Whether it is an identifier if the list holds it in any form.
    pub(crate) is_name: bool,
    /// Whether it is an identifier if the list holds it as one.
    pub(crate) may_be_name: bool,
    /// Whether it counts even if no chunk holds it.
    pub(crate) is_typed: bool,
    /// Whether it is a hexadecimal number by itself, which is often the beginning of a longer one.
    pub(crate) is_hash: bool,
    pub(crate) forms: Vec<Form>,
    /// Every place where it is a word by itself or a part.
    pub(crate) places: Vec<Range<usize>>,
    /// Every place where it joins parts: a run of words with signs between them, or a number.
    pub(crate) covers: Vec<Range<usize>>,
    /// Every place where it is a single word in camelCase.
    pub(crate) camel: Vec<Range<usize>>,
    /// Every place where it joins words with blanks between them.
    pub(crate) rows: Vec<Range<usize>>,
}

/// Words that a chunk must hold if it must hold every word: all words of one of these. An identifier is held by its
/// parts or as a whole.
pub(crate) type Need = Vec<Vec<u16>>;

/// A question, cut into its terms.
#[derive(Debug)]
pub(crate) struct Question {
    /// The distinct terms, in the order of the question; parts come before their whole.
    pub(crate) asked: Vec<Asked>,
    /// What a chunk must hold for each entry of `asked`.
    pub(crate) needs: Vec<Need>,
    /// Number of further distinct words.
    pub(crate) n_left_out: usize,
}

impl Question {
    pub(crate) fn of(text: &str) -> Self {
        let groups = groups(text);
        let numbers = numbers(text);
        let mut terms = Terms::default();
        // Runs of words outside identifiers, which may be joined.
        let mut alone: Vec<(usize, &Word)> = Vec::new();
        let mut needs: Vec<(Range<usize>, Need)> = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let parts: Option<Vec<u16>> = match group.parts.as_slice() {
                [word] => {
                    alone.push((at, word));
                    terms.add(plain(text, word)).map(|it| vec![it])
                }
                parts => {
                    let parts = parts.iter().map(|part| terms.add(part_of(text, part)));
                    // Evaluated eagerly, so that all parts are added even if one is left out.
                    let parts: Vec<Option<u16>> = parts.collect();
                    let parts: Option<BTreeSet<u16>> = parts.into_iter().collect();
                    parts.map(|parts| parts.into_iter().collect())
                }
            };
            let whole = whole(text, group).and_then(|whole| terms.add(whole));
            let need = parts.into_iter().chain(whole.map(|it| vec![it]));
            needs.push((group.bytes(), need.collect()));
        }
        for number in numbers {
            let range = number.bytes.clone();
            if let Some(digits) = terms.add(digits(number)) {
                let first = needs.partition_point(|(bytes, _)| bytes.start < range.start);
                let inside = needs[first..].iter_mut();
                for (_, need) in inside.take_while(|(bytes, _)| bytes.end <= range.end) {
                    need.push(vec![digits]);
                }
            }
        }
        alone.truncate(JOINED_WORDS_MAX);
        for start in 0..alone.len() {
            for n in JOINED_WORDS {
                let Some(row) = alone.get(start..start + n) else {
                    break;
                };
                if is_row(text, row)
                    && let Some(joined) = joined(text, row)
                {
                    terms.add(joined);
                }
            }
        }
        let mut known = HashSet::new();
        let needs = needs.into_iter().map(|(_, need)| need);
        Self {
            needs: needs
                .filter(|need| !need.is_empty() && known.insert(need.clone()))
                .collect(),
            asked: terms.distinct,
            n_left_out: terms.n_left_out,
        }
    }
}

/// The distinct terms of a question.
#[derive(Default)]
struct Terms {
    distinct: Vec<Asked>,
    /// `None` for a term that is left out.
    at: HashMap<String, Option<u16>>,
    n_left_out: usize,
}

impl Terms {
    /// Adds a term, or one more place of a known one. Returns its position, or `None` if it is left out.
    fn add(&mut self, asked: Asked) -> Option<u16> {
        if let Some(known) = self.at.get(&asked.term) {
            let known = *known;
            if let Some(at) = known {
                self.distinct[usize::from(at)].merge(asked);
            }
            return known;
        }
        let at = (self.distinct.len() < QUERY_WORDS_MAX).then_some(self.distinct.len() as u16);
        self.at.insert(asked.term.clone(), at);
        match at {
            Some(_) => self.distinct.push(asked),
            None => self.n_left_out += usize::from(asked.is_typed),
        }
        at
    }
}

impl Asked {
    /// Returns how much its kind says: a word by itself says more than a part of an identifier.
    fn rank(&self) -> u8 {
        match self.kind {
            // Neighbours that may be an identifier.
            WordKind::Whole if self.covers.is_empty() && self.camel.is_empty() => 0,
            WordKind::Part => 1,
            WordKind::Plain => 2,
            WordKind::Digits => 3,
            WordKind::Whole => 4,
        }
    }

    /// Returns which of the ascending disjoint `parts` of the question hold the term: bit `n` is set for part `n`.
    pub(crate) fn parts(&self, parts: &[Range<usize>]) -> u64 {
        let places = [&self.places, &self.covers, &self.camel, &self.rows];
        places.into_iter().flatten().fold(0, |held, place| {
            let at = parts.partition_point(|part| part.end < place.end);
            let holds = |part: &Range<usize>| part.start <= place.start;
            held | u64::from(parts.get(at).is_some_and(holds)) << at.min(PARTS_MAX - 1)
        })
    }

    /// Adds what another place of the term says.
    fn merge(&mut self, other: Asked) {
        if other.rank() > self.rank() {
            self.kind = other.kind;
        }
        if other.is_typed && !self.is_typed {
            self.typed = other.typed;
        }
        self.weight = self.weight.max(other.weight);
        self.is_name |= other.is_name;
        self.may_be_name |= other.may_be_name;
        self.is_typed |= other.is_typed;
        self.is_hash |= other.is_hash;
        self.places.extend(other.places);
        self.covers.extend(other.covers);
        self.camel.extend(other.camel);
        self.rows.extend(other.rows);
        for form in other.forms {
            if !self.forms.contains(&form) {
                self.forms.push(form);
            }
        }
    }
}

/// Returns a word that is not joined with others.
fn plain(text: &str, word: &Word) -> Asked {
    let typed = &text[word.bytes.clone()];
    let is_number = typed.bytes().all(|byte| byte.is_ascii_digit());
    let is_numbered = text[..word.bytes.start].ends_with('#');
    Asked {
        // A short number is a name only behind `#`: it may count anything.
        is_name: has_digit(typed)
            && !is_counted(typed)
            && (!is_number || is_numbered || DIGITS.contains(&typed.len())),
        may_be_name: !is_stop_word(typed),
        is_hash: is_hash(typed),
        kind: WordKind::Plain,
        forms: with_wholes(forms(&word.term, typed), &word.term),
        ..asked(&word.term, typed, word.bytes.clone())
    }
}

/// Returns a part of an identifier.
fn part_of(text: &str, word: &Word) -> Asked {
    let typed = &text[word.bytes.clone()];
    Asked {
        kind: WordKind::Part,
        forms: forms(&word.term, typed),
        ..asked(&word.term, typed, word.bytes.clone())
    }
}

/// Returns a run as a whole; `None` if it has one part, or is too long. One word in camelCase is looked up as if it were
/// typed in lower case.
fn whole(text: &str, group: &Group) -> Option<Asked> {
    let whole = group.whole(text)?;
    let typed = &text[group.bytes()];
    let bytes = vec![group.bytes()];
    let (forms, covers, camel) = if group.is_one_word() {
        (forms(&whole, typed), Vec::new(), bytes)
    } else {
        (vec![Form::Word(whole.clone())], bytes, Vec::new())
    };
    Some(Asked {
        kind: WordKind::Whole,
        is_name: group.is_name(text),
        may_be_name: !group.is_phrase(text),
        is_typed: false,
        forms: with_wholes(forms, &whole),
        places: Vec::new(),
        covers,
        camel,
        ..asked(&whole, typed, group.bytes())
    })
}

/// Returns a number without the signs between its digits.
fn digits(number: Word) -> Asked {
    let term = number.term;
    Asked {
        kind: WordKind::Digits,
        is_name: true,
        is_typed: false,
        forms: vec![
            Form::Word(term.clone()),
            Form::Name(NameKind::Digits, term.clone()),
        ],
        places: Vec::new(),
        covers: vec![number.bytes.clone()],
        ..asked(&term, &term, number.bytes)
    }
}

/// Returns whether nothing but blanks is between words.
fn is_row(text: &str, row: &[(usize, &Word)]) -> bool {
    row.windows(2).all(|pair| {
        let ((at, before), (next, after)) = (pair[0], pair[1]);
        let between = text.get(before.bytes.end..after.bytes.start);
        next == at + 1
            && between.is_some_and(|it| !it.is_empty() && it.chars().all(char::is_whitespace))
    })
}

/// Returns whether a word is an ordinal number, an hour, or a number with a unit.
fn is_counted(typed: &str) -> bool {
    const ENDS: [&str; 25] = [
        "st", "nd", "rd", "th", "am", "pm", "ms", "s", "min", "h", "kb", "mb", "gb", "tb", "x",
        "k", "mm", "cm", "m", "km", "mg", "g", "kg", "ml", "l",
    ];
    let lower = typed.to_lowercase();
    let mut numbers = ENDS.iter().filter_map(|end| lower.strip_suffix(end));
    numbers.any(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns neighbouring words of the question as the identifier that they may be; `None` if they are only stop words.
fn joined(text: &str, row: &[(usize, &Word)]) -> Option<Asked> {
    let is_stop = |word: &Word| is_stop_word(&text[word.bytes.clone()]);
    let n_stops = row.iter().filter(|(_, word)| is_stop(word)).count();
    if n_stops == row.len() {
        return None;
    }
    let parts: Vec<Word> = row.iter().map(|(_, word)| (*word).clone()).collect();
    let whole = whole_of(text, &parts)?;
    let bytes = parts.first()?.bytes.start..parts.last()?.bytes.end;
    Some(Asked {
        kind: WordKind::Whole,
        may_be_name: row.len() >= NAME_WORDS_MIN && n_stops + 1 < row.len(),
        is_typed: false,
        forms: with_wholes(Vec::new(), &whole),
        places: Vec::new(),
        rows: vec![bytes.clone()],
        ..asked(&whole, &text[bytes.clone()], bytes)
    })
}

/// Returns a term at its place, without forms.
fn asked(term: &str, typed: &str, bytes: Range<usize>) -> Asked {
    Asked {
        term: term.to_owned(),
        typed: bytes.clone(),
        kind: WordKind::Plain,
        weight: if is_stop_word(typed) {
            STOP_WORD_WEIGHT
        } else {
            1.0
        },
        is_name: false,
        may_be_name: false,
        is_typed: true,
        is_hash: false,
        forms: Vec::new(),
        places: vec![bytes],
        covers: Vec::new(),
        camel: Vec::new(),
        rows: Vec::new(),
    }
}

/// Returns the forms in which a text holds one word.
fn forms(term: &str, typed: &str) -> Vec<Form> {
    let mut forms = vec![Form::Word(term.to_owned())];
    let lower = typed.to_lowercase();
    if lower.bytes().all(|byte| byte.is_ascii_digit()) && DIGITS.contains(&lower.len()) {
        forms.push(Form::Name(NameKind::Digits, lower.clone()));
    }
    if is_prefix(&lower) {
        forms.push(Form::Prefix(lower));
    }
    match folded(typed) {
        Some(plain) => {
            forms.push(Form::Word(plain.clone()));
            forms.push(Form::Name(NameKind::Folded, plain));
        }
        None => forms.push(Form::Name(NameKind::Folded, term.to_owned())),
    }
    forms
}

/// Adds the forms in which a text holds joined words.
fn with_wholes(mut forms: Vec<Form>, whole: &str) -> Vec<Form> {
    for kind in [NameKind::Whole, NameKind::Compound] {
        forms.push(Form::Name(kind, whole.to_owned()));
    }
    forms
}

/// Returns whether a word may be the beginning of longer ones: long hexadecimal numbers, and other long words with a
/// digit.
fn is_prefix(word: &str) -> bool {
    word.len() >= PREFIX_BYTES_MIN
        && word.is_ascii()
        && (has_digit(word) || word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether a word may be the beginning of a longer hexadecimal number that means the same: it has letters and
/// digits. Digits alone may be any number.
fn is_hash(word: &str) -> bool {
    is_prefix(word)
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has_digit(word)
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}
