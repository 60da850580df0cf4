//! Whether two sentences are one and the same sentence but for what opposes in it.
//!
//! Only such pairs are sure. Sentences that differ in other words may speak of different things, and so may sentences with a
//! condition, a hedge, a quantifier, an indefinite object or a list.

use crate::lexicon::Dimension;
use crate::reading::{Bound, Literal, Sentence, Value, ValueKind, Word};
use crate::verdict::Kind;

const NEGATORS: &str = "not never";

/// Forms of "be" before a predicate.
const BE: &str = "is are";

/// Prepositions that may follow a predicate: "allowed on Fridays", not "open source".
const AFTER_PREDICATE: &str = "at by during for from in inside of on outside to with";

/// Predicates of rules and settings, which hold until somebody changes them. A door that is open today and closed tomorrow is
/// no contradiction.
const LASTING: &str = "allowed automated automatic banned deprecated disabled disallowed enabled encrypted external false forbidden internal irreversible mandatory manual optional permitted private prohibited public read-only required reversible supported true unencrypted writable";

/// The same with a day of the week: "closed on Mondays".
const LASTING_ON_DAYS: &str = "closed open shut";

/// Verbs of what is so at one time and not at another: "the printer does not work".
const PASSING: &str = "boot build close compile crash exist fail feel fit hang have know load look match move open pass reach respond run see sound start stop work";

/// What happens once, so that another time or date is another claim. Somebody can go to the dentist on two days.
const ONCE: &str = "begin begins due end ends expire expires start starts";

/// The same with a time of day or a date, but not with a day of the week.
const ONCE_A_DAY: &str = "are close closes is nightly open opens";

/// What has one amount until somebody changes it. The distance that somebody runs and the size of an archive have several.
const ATTRIBUTES: &str = "budget capacity delay height interval kept limit quota rent retained retention threshold timeout width";

/// Nouns of which a bare number is the value.
const NUMBERED: &str = "port";

/// Words with which both sentences can be true, although one says the opposite of the other.
const UNCERTAIN: [&str; 7] = [
    // Conditions, times and reasons.
    "if unless except only when whenever while until till otherwise once because since but where wherever after before during depending depends provided assuming given without whether although though however instead else case cases then than",
    // Hedges.
    "about almost nearly mostly usually mainly largely partly partially generally typically normally commonly primarily practically basically roughly fairly somewhat quite rather maybe perhaps probably possibly likely seem seems seemed appear appears apparently supposedly approximately around circa up over under often sometimes rarely seldom frequently occasionally always necessarily exactly fully completely entirely really just even especially may might could would will shall should ought going plan plans planned try tries trying",
    // Quantifiers and indefinite objects.
    "a an all any anything anyone both each either every everything everyone few half less many more most much neither no none one ones other others another part parts several some something someone somebody certain different various extra additional first second third",
    // What changes from day to day.
    "now nowadays today yesterday tomorrow tonight currently current still yet already again anymore longer soon later recently recent latest last next new newest old previous previously formerly this week was were been had did ago temporarily daily weekly takes take took lasts lasted cost costs price prices fee fees weigh weighs spends earns per",
    // Defaults, examples and lists.
    "default defaults example examples e.g i.e eg ie like such say and or nor plus also as well etc respectively",
    // What is said elsewhere.
    "it its they them their he she his her that these those here there same following above below former latter which who whose what how why you your someone's",
    // What others say or want.
    "says said claim claims think thinks believe believes wants want wish need needs ensure sure suppose supposed expect expected hope hopes let please",
];

/// Things of which every project has its own: "the server listens on port 80" holds in one and not in another.
const GENERIC: &str = "api app application argument array attribute backend branch bug build bundle button cache callback change check class cli client code command compiler component config configuration connection constructor container crate data database dependency device directory document documentation element engine error event feature field file filter flag folder format framework frontend function handler host image implementation input install instance interface issue item job key language library license limit line link list loader machine macro message method migration mode model module name network node number object operation option output package page parameter parser path pipeline plugin port process product program project property protocol query queue release repo repository request response result return rule runtime schema script sdk server service session setting setup site size software solution source state status step stream string style support syntax system table target task template test text thread time timeout token tool tree type url usage value variable version view warning website window worker workflow wrapper";

const DETERMINERS: &str = "the our my your";

/// Returns whether a list of words, with spaces between them, has a word.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Returns whether the sentences are token for token equal but for one negator, one opposite predicate or one value, and
/// hold nothing with which both can be true.
pub(super) fn is_exact(a: &Sentence, b: &Sentence, kind: Kind) -> bool {
    let are_certain = [a, b]
        .iter()
        .all(|sentence| sentence.is_plain && !is_uncertain(sentence) && !is_generic(sentence));
    are_certain
        && match kind {
            Kind::Opposition | Kind::Negation => {
                is_denied(a, b) || is_denied(b, a) || have_opposite_predicates(a, b)
            }
            Kind::Number | Kind::Time | Kind::Date | Kind::Unit => have_other_value(a, b),
            Kind::Name | Kind::Roles => false,
        }
}

/// Returns the same for a sentence that says that it is about a change: "now", "no longer".
pub(super) fn is_exact_update(newer: &Sentence, older: &Sentence, kind: Kind) -> bool {
    let mut newer = newer.clone();
    let mut literal: Vec<Literal> = Vec::new();
    for next in newer.literal {
        match next.word.as_str() {
            "now" | "nowadays" | "anymore" => {}
            "longer" if literal.last().is_some_and(|last| last.word == "no") => {
                if let Some(last) = literal.last_mut() {
                    last.word = "not".to_owned();
                }
            }
            _ => literal.push(next),
        }
    }
    newer.literal = literal;
    is_exact(&newer, older, kind)
}

fn is_uncertain(sentence: &Sentence) -> bool {
    let mut words = sentence.literal.iter();
    words.any(|literal| UNCERTAIN.iter().any(|list| has(list, &literal.word)))
}

/// Returns whether the subject is a thing of which every project has its own, or is not named at all: "duplicate keys are
/// allowed" says nothing without its heading.
fn is_generic(sentence: &Sentence) -> bool {
    let words: Vec<&str> = sentence
        .literal
        .iter()
        .map(|literal| literal.word.as_str())
        .collect();
    let is_generic = |noun: &&str| {
        let singular = noun.strip_suffix('s').unwrap_or(noun);
        has(GENERIC, noun) || has(GENERIC, singular)
    };
    if let Some((first, rest)) = words.split_first()
        && has(DETERMINERS, first)
    {
        return rest.first().is_none_or(&is_generic);
    }
    let verb = words.iter().position(|word| has(BE, word));
    let n_subject = verb.unwrap_or(2).min(words.len());
    // A predicate alone, without a place or time.
    let is_bare = verb.is_some_and(|verb| {
        words[verb + 1..]
            .iter()
            .filter(|word| !has(NEGATORS, word))
            .count()
            < 2
    });
    is_bare || words[..n_subject].iter().any(is_generic)
}

/// Returns whether `denied` is `stated` with one negator more: "never", "not", or "do not" before the verb.
fn is_denied(stated: &Sentence, denied: &Sentence) -> bool {
    let words = |sentence: &Sentence| -> Vec<String> {
        let literal = sentence.literal.iter();
        literal.map(|literal| literal.word.clone()).collect()
    };
    let has_days = has_days(stated);
    let (stated, denied) = (words(stated), words(denied));
    let negators: Vec<usize> = (0..denied.len())
        .filter(|at| has(NEGATORS, denied[*at].as_str()))
        .collect();
    let [at] = negators[..] else {
        return false;
    };
    if stated.iter().any(|word| has(NEGATORS, word.as_str())) {
        return false;
    }
    let (before, after) = (&denied[..at], &denied[at + 1..]);
    if before.is_empty() {
        return false;
    }
    if stated.len() == before.len() + after.len() && stated.starts_with(before) {
        let lasts = match (before.last(), after.first()) {
            (Some(be), Some(predicate)) if has(BE, be) => is_lasting(predicate, has_days),
            (_, Some(verb)) => !is_passing(verb),
            (_, None) => false,
        };
        return lasts && stated[before.len()..] == *after;
    }
    // "Does not run" and "runs".
    let Some((auxiliary, subject)) = before.split_last() else {
        return false;
    };
    let is_support = !subject.is_empty() && matches!(auxiliary.as_str(), "do" | "does");
    let (Some((verb, rest)), true) = (after.split_first(), is_support) else {
        return false;
    };
    if stated.len() != subject.len() + 1 + rest.len() || !stated.starts_with(subject) {
        return false;
    }
    let is_verb = if auxiliary == "do" {
        stated[subject.len()] == *verb
    } else {
        is_third_person(verb, &stated[subject.len()])
    };
    is_verb && !is_passing(verb) && stated[subject.len() + 1..] == *rest
}

/// Returns whether a sentence says on which days of the week something is so.
fn has_days(sentence: &Sentence) -> bool {
    let mut values = sentence.values.iter();
    values.any(|value| value.kind == ValueKind::Weekday && value.is_recurring)
}

/// Returns whether a predicate holds until somebody changes it.
fn is_lasting(predicate: &str, has_days: bool) -> bool {
    has(LASTING, predicate) || has_days && has(LASTING_ON_DAYS, predicate)
}

fn is_passing(verb: &str) -> bool {
    PASSING
        .split(' ')
        .any(|passing| verb == passing || is_third_person(passing, verb))
}

/// Returns whether a word is the third person of a verb: "runs", "passes", "carries".
fn is_third_person(verb: &str, word: &str) -> bool {
    let stem = verb.strip_suffix('y');
    word.strip_prefix(verb)
        .is_some_and(|end| matches!(end, "s" | "es"))
        || stem.is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
}

/// The words before and after a part of a sentence.
fn around(sentence: &Sentence, start: usize, end: usize) -> [Vec<&str>; 2] {
    let words = |is_there: &dyn Fn(&Literal) -> bool| -> Vec<&str> {
        let literal = sentence.literal.iter();
        literal
            .filter(|literal| is_there(literal))
            .map(|literal| literal.word.as_str())
            .collect()
    };
    [
        words(&|literal| literal.start < start),
        words(&|literal| literal.start >= end),
    ]
}

/// Returns whether both say what the subject is, with words of one opposition pair: "is enabled" and "is disabled".
fn have_opposite_predicates(a: &Sentence, b: &Sentence) -> bool {
    let is_negated = |word: &Word| word.negator.is_some();
    if a.words.iter().chain(&b.words).any(is_negated) || a.words.len() != b.words.len() {
        return false;
    }
    let mut differing = a.words.iter().zip(&b.words).filter(|(word_a, word_b)| {
        matches!((word_a.polar, word_b.polar), (Some(of_a), Some(of_b)) if of_a != of_b)
    });
    let (Some((word_a, word_b)), None) = (differing.next(), differing.next()) else {
        return false;
    };
    if word_a.polar.map(|(pair, _)| pair) != word_b.polar.map(|(pair, _)| pair) {
        return false;
    }
    let (around_a, around_b) = (
        around(a, word_a.bytes.start, word_a.bytes.end),
        around(b, word_b.bytes.start, word_b.bytes.end),
    );
    let [before, after] = &around_a;
    let is_after_be = before.last().is_some_and(|word| has(BE, word));
    let lasts = |sentence: &Sentence, word: &Word| {
        let mut literal = sentence.literal.iter();
        literal.any(|literal| {
            literal.start == word.bytes.start && is_lasting(&literal.word, has_days(sentence))
        })
    };
    let is_after_be = is_after_be && lasts(a, word_a) && lasts(b, word_b);
    let is_predicate = after.first().is_none_or(|word| has(AFTER_PREDICATE, word));
    is_after_be && is_predicate && around_a == around_b
}

/// Returns whether one value differs, and both are exact values of one kind.
fn have_other_value(a: &Sentence, b: &Sentence) -> bool {
    if a.values.len() != b.values.len() {
        return false;
    }
    let differing: Vec<(&Value, &Value)> = a
        .values
        .iter()
        .zip(&b.values)
        .filter(|(a, b)| a.identity() != b.identity())
        .collect();
    let [(value_a, value_b)] = differing[..] else {
        return false;
    };
    let (around_a, around_b) = (
        around(a, value_a.bytes.start, value_a.bytes.end),
        around(b, value_b.bytes.start, value_b.bytes.end),
    );
    let before = match around_a[0].split_last() {
        Some((&("at" | "on"), before)) => before,
        _ => around_a[0].as_slice(),
    };
    let happens = |lists: &[&str]| {
        let last = before.last();
        last.is_some_and(|last| lists.iter().any(|list| has(list, last)))
    };
    let has_attribute = around_a.iter().flatten().any(|word| has(ATTRIBUTES, word));
    let is_named = around_a[0].last().is_some_and(|word| has(NUMBERED, word));
    let is_exact = |value: &Value| {
        value.bound == Bound::Exact && !value.is_range && !value.is_negated && !value.is_recurring
    };
    let is_of_one_kind = match (value_a.kind, value_b.kind) {
        (ValueKind::Quantity(Dimension::Times), _) | (_, ValueKind::Quantity(Dimension::Times)) => {
            false
        }
        (ValueKind::Quantity(of_a), ValueKind::Quantity(of_b)) => {
            let are_money = matches!((of_a, of_b), (Dimension::Money(_), Dimension::Money(_)));
            has_attribute && (of_a == of_b || are_money)
        }
        (ValueKind::Number, ValueKind::Number) => is_named,
        (ValueKind::Date, ValueKind::Date) => {
            value_a.year == value_b.year && happens(&[ONCE, ONCE_A_DAY])
        }
        (ValueKind::Clock, ValueKind::Clock) => happens(&[ONCE, ONCE_A_DAY]),
        (ValueKind::Weekday, ValueKind::Weekday) => happens(&[ONCE]),
        _ => false,
    };
    is_of_one_kind && is_exact(value_a) && is_exact(value_b) && around_a == around_b
}
