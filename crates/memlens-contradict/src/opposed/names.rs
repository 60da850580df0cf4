//! Another name in a place that holds one only.

use super::{Opposed, Pair};
use crate::lexicon::{self, Traits};
use crate::reading::{Governor, Sentence, Word};
use crate::verdict::{Apart, Kind};

/// Stems of verbs whose object is one only behind one of these prepositions.
const SOLE_RELATIONS: &[(&str, &str)] = &[
    ("work employ", "for at"),
    ("own lead manag maintain writ write report", "by to"),
    ("deploy host run store locat studi move", "on in at to"),
];

/// Returns whether names of one class differ: places, languages.
pub(super) fn differ(pair: &Pair<'_>) -> bool {
    of_class(pair).is_some()
}

/// Returns the names of one class, if each sentence has one and they differ.
fn of_class<'a>(pair: &Pair<'a>) -> Option<(&'a Word, &'a Word)> {
    pair.a
        .words
        .iter()
        .filter_map(|word| word.class)
        .find_map(|class| {
            let only = |sentence: &'a Sentence| {
                let mut of_class = sentence
                    .words
                    .iter()
                    .filter(|word| word.class == Some(class));
                let first = of_class.next()?;
                of_class
                    .all(|word| word.stem == first.stem)
                    .then_some(first)
            };
            let (a, b) = (only(pair.a)?, only(pair.b)?);
            (a.stem != b.stem).then_some((a, b))
        })
}

/// Returns the name that opposes.
///
/// # Errors
/// The reason if the sentences speak of different things.
pub(super) fn opposed(pair: &Pair<'_>) -> Result<Option<Opposed>, Apart> {
    if pair
        .a
        .words
        .iter()
        .chain(&pair.b.words)
        .any(|word| word.negator.is_some())
    {
        return Ok(None);
    }
    if let Some((a, b)) = of_class(pair) {
        return of_one_class(pair, a, b);
    }
    if let (Some(a), Some(b)) = (named(pair.a), named(pair.b)) {
        let is_other = a.stem != b.stem && pair.a.core == pair.b.core;
        let is_of_one = !pair.is_conditional()
            && !pair.is_of_one_scope()
            && !pair.are_events()
            && are_statements(pair);
        return Ok(is_other.then(|| of(a, b, is_of_one)));
    }
    let (own_a, own_b) = (pair.own(pair.a, pair.b), pair.own(pair.b, pair.a));
    let ([a], [b]) = (&own_a[..], &own_b[..]) else {
        return Ok(None);
    };
    if are_of_role(pair, a, b) {
        let is_sole = [pair.a, pair.b].iter().all(|sentence| {
            let mut words = sentence.words.iter();
            words.any(|word| word.traits.has(Traits::SOLE_ROLE))
        });
        return Ok(Some(of(a, b, is_sole && !pair.is_conditional())));
    }
    let is_place = a.is_name && b.is_name && a.token > 0 && b.token > 0 && is_same_place(a, b);
    if !is_place
        || !is_sole(pair.a, a)
        || !is_sole(pair.b, b)
        || a.describes.is_some()
        || b.describes.is_some()
    {
        return Ok(None);
    }
    let is_be = a.governor == Governor::Be;
    let is_of_one = !pair.is_conditional()
        && !pair.is_of_one_scope()
        && !pair.are_events()
        && are_statements(pair)
        && (!is_be || (pair.a.manner.is_definite && pair.b.manner.is_definite));
    Ok(Some(of(a, b, is_of_one)))
}

/// Returns the opposition of two names of one class: places, languages.
///
/// # Errors
/// The reason if the sentences speak of different things.
fn of_one_class(pair: &Pair<'_>, a: &Word, b: &Word) -> Result<Option<Opposed>, Apart> {
    let rest = |sentence: &Sentence| {
        sentence
            .words
            .iter()
            .filter(|word| word.is_core && word.class.is_none())
            .count()
    };
    if !is_sole(pair.a, a)
        || !is_sole(pair.b, b)
        || !is_same_place(a, b)
        || rest(pair.a).min(rest(pair.b)) == 0
    {
        return Ok(None);
    }
    let is_signal =
        pair.a.manner.is_signal && pair.b.manner.is_signal && a.class == Some(lexicon::COLOURS);
    let is_of_one =
        pair.is_of_one()? && !pair.is_of_one_scope() && !pair.are_events() && !is_signal;
    let is_of_one = is_of_one && are_statements(pair);
    Ok(Some(of(a, b, is_of_one)))
}

/// Returns whether two subjects hold one role: "Tom is the owner" and "Priya owns it".
fn are_of_role(pair: &Pair<'_>, a: &Word, b: &Word) -> bool {
    let holds_role = |sentence: &Sentence, role: Traits| {
        sentence.words.iter().any(|word| {
            word.traits.has(role)
                && pair.b.core.contains(&word.symbol)
                && pair.a.core.contains(&word.symbol)
        })
    };
    // "Tom owns" describes nothing but the role.
    let is_subject = |word: &Word, sentence: &Sentence| {
        let of_role = |symbol: u64| {
            sentence
                .words
                .iter()
                .any(|word| word.symbol == symbol && word.traits.has(Traits::ROLE))
        };
        word.token == 0 && word.describes.is_none_or(of_role)
    };
    let are_subjects = is_subject(a, pair.a) && is_subject(b, pair.b);
    are_subjects
        && holds_role(pair.a, Traits::ROLE)
        && holds_role(pair.b, Traits::ROLE)
        && pair.n_both >= 2
}

/// Returns whether both have a subject and a verb, or begin with a request: "answer in English".
fn are_statements(pair: &Pair<'_>) -> bool {
    let is_request = |sentence: &Sentence| {
        let first = sentence.words.first().filter(|word| word.token <= 1);
        let requests = ["answer", "write"].map(lexicon::hash);
        first.is_some_and(|word| requests.contains(&word.stem))
    };
    [pair.a, pair.b]
        .iter()
        .all(|sentence| sentence.manner.is_whole || is_request(sentence))
}

fn named(sentence: &Sentence) -> Option<&Word> {
    sentence.words.iter().find(|word| word.is_named)
}

/// Returns whether the place of a name holds one name only.
fn is_sole(sentence: &Sentence, word: &Word) -> bool {
    match word.governor {
        Governor::Be => true,
        Governor::Word {
            symbol,
            is_functional,
        } => is_functional || is_sole_relation(symbol, word.preposition),
        // "Rust is used for the backend."
        Governor::None => {
            word.class.is_some()
                && word.token == 0
                && sentence.words.iter().any(|other| {
                    other.token > 0 && !other.is_core && other.traits.has(Traits::LIGHT)
                })
        }
    }
}

/// Returns whether a thing has one such relation at a time: "works for Kestrel", "is owned by Ana".
fn is_sole_relation(verb: u64, preposition: Option<u64>) -> bool {
    SOLE_RELATIONS.iter().any(|(verbs, before)| {
        let mut before = before.split(' ').map(lexicon::hash);
        let mut verbs = verbs.split(' ').map(lexicon::hash);
        before.any(|it| Some(it) == preposition) && verbs.any(|it| it == verb)
    })
}

/// Returns whether two names follow the same word, or verbs of one meaning.
fn is_same_place(a: &Word, b: &Word) -> bool {
    match (a.governor, b.governor) {
        (Governor::Word { symbol: of_a, .. }, Governor::Word { symbol: of_b, .. }) => of_a == of_b,
        (Governor::Be, Governor::Be) => a.preposition == b.preposition,
        _ => a.class.is_some(),
    }
}

fn of(a: &Word, b: &Word, is_of_one: bool) -> Opposed {
    Opposed {
        kind: Kind::Name,
        a: vec![a.bytes.clone()],
        b: vec![b.bytes.clone()],
        is_of_one,
    }
}
