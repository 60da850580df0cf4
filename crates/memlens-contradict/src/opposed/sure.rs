//! Whether two sentences cannot both be true of one thing at one time, as far as their words show.
//!
//! Both must say the same but for what opposes: each other word of one has its counterpart in the other, in any order that
//! exchanges no roles, but for function words and the name of a kind beside a name ("the flag new_search"). What opposes must
//! be a state, a rule, or a value or name of which a thing has one until somebody changes it. With conditions, hedges,
//! quantifiers, defaults, examples and reported speech both can be true.

use std::ops::Range;

use super::{Opposed, Pair};
use crate::lexicon::{self, Dimension};
use crate::reading::{Bound, Literal, Sentence, Value, ValueKind};
use crate::verdict::{Kind, Side};

/// Function words that one sentence may have and the other not.
const HARMLESS: &str =
    "the our we us is are be being am has have do does to of in on at for by with there still a an";

/// Words that say "of all of them".
const UNIVERSAL: &str = "every each all always";

const NEGATORS: &str = "not never no without nothing against";

const DUTY: &str = "must should shall";

const PERMISSION: &str = "may can allowed permitted fine ok okay";

/// Words that begin a request, besides the word that is denied.
const REQUESTS: &str = "do never always don't avoid use answer write ask keep";

/// Words that say when one of these words holds now and the other did before.
const NOW: &str = "now nowadays anymore";

/// What is done once, and holds afterwards: "was paid".
const RESULTS: &str = "accepted approved cancelled canceled deleted discontinued dropped finished merged paid rejected removed renewed settled signed sold";

/// Words with which both sentences can be true, although one says the opposite of the other.
const UNCERTAIN: [&str; 7] = [
    // Conditions and reasons.
    "if unless except only when whenever while until till otherwise once because but where wherever depending depends provided assuming given whether although though however instead else case cases then",
    // Hedges.
    "about almost nearly mostly usually mainly largely partly partially generally typically normally commonly primarily practically basically roughly fairly somewhat quite rather maybe perhaps probably possibly likely seem seems seemed appear appears apparently supposedly approximately around circa up over under often sometimes rarely seldom frequently occasionally necessarily exactly fully completely entirely really just even especially might could would will ought going plan plans planned try tries trying",
    // Quantifiers.
    "anything anyone both either everything everyone few half less many more most much neither none one ones other others another part parts several some something someone somebody certain different various extra additional",
    // What changes from day to day.
    "now nowadays today yesterday tomorrow tonight currently current yet already again anymore longer soon later recently recent latest last next newest previous previously formerly this week been had did ago temporarily",
    // Defaults, examples and lists.
    "default defaults example examples e.g i.e eg ie like such say or nor plus also as well too etc respectively",
    // What is said elsewhere.
    "it they them he she these those here same following above below former latter which who whose what how why you your someone's",
    // What others say or want.
    "says said claim claims think thinks believe believes wish ensure sure suppose supposed expect expected hope hopes let please",
];

/// Words of reference documentation: what is said of "the option" holds of one and not of another.
const GENERIC: &str = "argument array attribute callback class constructor element event example field function handler instance interface iterator key macro method mode number object operation option parameter property request response result return string struct token type value variable";

const DETERMINERS: &str = "the our my your";

/// Nouns that name the kind of a thing that has a name: "the feature flag new_search".
const KINDS: &str = "feature flag option user client customer service system project repo repository branch app application tool team company host server machine";

/// Nouns of which a thing has one amount until somebody changes it. The distance that somebody runs has several.
const ATTRIBUTES: &str = "budget capacity delay height interval limit memory quota ram rate rent retained retention salary size threshold timeout width warranty";

/// Verbs of states, before an amount.
const STATES: &str = "is are has have hold holds need needs require requires use uses support supports allow allows accept accepts fit fits seat seats contain contains consist consists keep keeps kept retained expire expires stored lasts limited set capped configured rotated renewed deleted fire fires trigger triggers valid times";

/// Verbs before an amount that is another one each time.
const VARYING: &str = "take takes took lasted cost costs price prices fee fees weigh weighs spend spends earn earns visit visits call calls";

/// Adjectives behind a length: "5 km long".
const LENGTHS: &str = "away deep high long tall thick wide";

/// What happens at one time, or once a day.
const ONCE: &str = "are begin begins close closes due end ends expire expires is nightly open opens run runs start starts";

/// Nouns and verbs of which a bare number is the value.
const NUMBERED: &str = "port version vlan";

/// Returns whether a list of words, with spaces between them, has a word.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Returns whether the sentences say the same but for what opposes, and hold nothing with which both can be true. The newer
/// side, if one is given, may say that it is about a change: "now", "no longer".
pub(super) fn is_sure(pair: &Pair<'_>, found: &Opposed, newer: Option<Side>) -> bool {
    let sides = [
        Rest::of(pair.a, &found.a, found.kind, newer == Some(Side::A)),
        Rest::of(pair.b, &found.b, found.kind, newer == Some(Side::B)),
    ];
    let [Some(a), Some(b)] = sides else {
        return false;
    };
    let is_of_one = match found.kind {
        Kind::Opposition | Kind::Negation => have_one_mode(pair, found, [&a, &b]),
        Kind::Number | Kind::Time | Kind::Date | Kind::Unit => have_one_value(pair, found),
        Kind::Name | Kind::Roles => true,
    };
    is_of_one && (found.kind == Kind::Roles || are_alike(a, b))
}

/// A word, value or place of what opposes.
struct Term {
    key: u64,
    /// Whether the word names the kind of the name beside it.
    is_kind: bool,
}

/// How a sentence states what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Fact,
    /// "must", or a request.
    Duty,
    /// "may".
    Permission,
}

/// What a sentence says besides what opposes.
struct Rest {
    terms: Vec<Term>,
    mode: Mode,
    denies: bool,
}

impl Rest {
    /// Reads what a sentence says besides the words that oppose; `None` if it may be true together with its opposite.
    fn of(
        sentence: &Sentence,
        opposing: &[Range<usize>],
        kind: Kind,
        is_newer: bool,
    ) -> Option<Rest> {
        if !sentence.is_plain || is_generic(sentence) {
            return None;
        }
        let is_opposing = |literal: &Literal| {
            let mut ranges = opposing.iter();
            ranges.any(|range| range.contains(&literal.start))
        };
        let literal = &sentence.literal;
        let is_turned = matches!(kind, Kind::Opposition | Kind::Negation);
        let denies = literal
            .iter()
            .any(|literal| is_opposing(literal) && has(NEGATORS, &literal.word));
        let last_opposing = literal.iter().rposition(is_opposing);
        let first = literal.first()?;
        let mut mode = if has(REQUESTS, &first.word) {
            Mode::Duty
        } else {
            Mode::Fact
        };
        let mut terms: Vec<Term> = Vec::new();
        let mut value_end = 0;
        for (at, literal) in literal.iter().enumerate() {
            if is_opposing(literal) {
                // "Can't".
                match literal.word.as_str() {
                    "can" => mode = Mode::Permission,
                    "must" | "should" | "shall" => mode = Mode::Duty,
                    _ => {}
                }
                if Some(at) == last_opposing {
                    let key = lexicon::hash("what opposes");
                    terms.push(Term {
                        key,
                        is_kind: false,
                    });
                }
                continue;
            }
            if literal.start < value_end {
                continue;
            }
            let value = sentence
                .values
                .iter()
                .find(|value| value.bytes.contains(&literal.start));
            if let Some(value) = value {
                value_end = value.bytes.end;
                terms.push(Term {
                    key: value.identity(),
                    is_kind: false,
                });
                continue;
            }
            let word = literal.word.as_str();
            let next = sentence.literal.get(at + 1);
            let before = at
                .checked_sub(1)
                .map_or("", |before| sentence.literal[before].word.as_str());
            let is_next_result =
                next.is_some_and(|next| is_opposing(next) && has(RESULTS, &next.word));
            let is_behind_denial = at.checked_sub(1).is_some_and(|before| {
                let before = &sentence.literal[before];
                is_opposing(before) && has(NEGATORS, &before.word)
            });
            match word {
                _ if is_newer && has(NOW, word) => {}
                "a" | "an" if at == 0 => return None,
                // It may be forbidden, or possible that it is not so.
                "may" if next.is_some_and(|next| next.word == "not") => return None,
                // "Is not at home": where somebody or something is changes.
                "in" | "at" if is_behind_denial => return None,
                "any" => {
                    if !denies {
                        return None;
                    }
                }
                "was" | "were" if is_next_result => {}
                "was" | "were" if is_turned || kind == Kind::Name => return None,
                _ if has(UNIVERSAL, word) => {
                    if denies {
                        return None;
                    }
                }
                _ if UNCERTAIN.iter().any(|list| has(list, word)) => return None,
                _ if is_turned && has(DUTY, word) => mode = Mode::Duty,
                _ if is_turned && has(PERMISSION, word) => mode = Mode::Permission,
                _ if has(HARMLESS, word) => {}
                "use" | "used" | "uses" | "written" if kind == Kind::Name => {}
                // "Decided to use" and "decided against", "stored in plain text".
                "use" if kind == Kind::Negation && before == "to" => {}
                "stored" | "kept" if kind == Kind::Opposition => {}
                _ if has(NEGATORS, word) => terms.push(Term {
                    key: lexicon::hash("not"),
                    is_kind: false,
                }),
                _ => terms.push(Term {
                    key: literal.stem,
                    is_kind: has(KINDS, word) && is_beside_name(sentence, at),
                }),
            }
        }
        Some(Rest {
            terms,
            mode,
            denies,
        })
    }
}

/// Returns whether nothing but names of kinds is between a word and a name.
fn is_beside_name(sentence: &Sentence, at: usize) -> bool {
    let is_name = |literal: &Literal| {
        let mut words = sentence.words.iter();
        words.any(|word| word.bytes.start == literal.start && word.is_name)
    };
    let mut behind = sentence.literal[at + 1..].iter();
    behind
        .find(|literal| !has(KINDS, &literal.word))
        .is_some_and(is_name)
        || at > 0 && is_name(&sentence.literal[at - 1])
}

/// Returns whether the subject is a thing of reference documentation, or is not named at all: "duplicate keys are allowed" says
/// nothing without its heading.
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
    let verb = words.iter().position(|word| matches!(*word, "is" | "are"));
    let is_bare = verb.is_some_and(|verb| {
        let predicate = words[verb + 1..].iter();
        words[verb] == "are" && predicate.filter(|word| !has(NEGATORS, word)).count() < 2
    });
    let n_subject = verb.unwrap_or(2).min(words.len());
    is_bare || words[..n_subject].iter().any(is_generic)
}

/// Returns whether a denied statement and the other are both facts, or both rules: what must be so may not be so.
fn have_one_mode(pair: &Pair<'_>, found: &Opposed, [a, b]: [&Rest; 2]) -> bool {
    let (denied, stated, sentences) = if a.denies {
        (a, b, [pair.a, pair.b])
    } else {
        (b, a, [pair.b, pair.a])
    };
    let mode = |rest: &Rest, sentence: &Sentence, other: &Sentence| {
        let ranges = [&found.a, &found.b];
        // "Push to main" and "do not push to main".
        let is_request = found.kind == Kind::Negation
            && sentence.literal.first().is_some_and(|first| {
                let mut all = ranges.iter().flat_map(|ranges| ranges.iter());
                all.any(|range| range.contains(&first.start))
                    && other
                        .literal
                        .iter()
                        .skip(1)
                        .any(|there| there.word == first.word)
            });
        if is_request { Mode::Duty } else { rest.mode }
    };
    let of_denied = mode(denied, sentences[0], sentences[1]);
    let of_stated = mode(stated, sentences[1], sentences[0]);
    if !denied.denies {
        return of_denied == of_stated;
    }
    match (of_stated, of_denied) {
        (Mode::Fact, Mode::Fact | Mode::Permission) => true,
        (Mode::Duty | Mode::Permission, Mode::Duty | Mode::Permission) => true,
        (Mode::Fact, Mode::Duty) | (Mode::Duty | Mode::Permission, Mode::Fact) => false,
    }
}

/// Returns whether both sentences say the same besides what opposes.
fn are_alike(a: Rest, b: Rest) -> bool {
    let keys = |rest: &Rest| -> Vec<u64> {
        let mut keys: Vec<u64> = rest.terms.iter().map(|term| term.key).collect();
        keys.sort_unstable();
        keys
    };
    let of = [keys(&a), keys(&b)];
    let without = |rest: Rest, there: &[u64]| -> Vec<u64> {
        let is_kept = |term: &Term| !term.is_kind || there.binary_search(&term.key).is_ok();
        let terms = rest.terms.into_iter().filter(is_kept);
        terms.map(|term| term.key).collect()
    };
    let (a, b) = (without(a, &of[1]), without(b, &of[0]));
    a.len() > 1 && is_reordered(&a, &b)
}

/// Returns whether one list is the other, but for one part that is elsewhere: "on port 8093 the relay listens".
fn is_reordered(a: &[u64], b: &[u64]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let Some(first) = (0..a.len()).find(|at| a[*at] != b[*at]) else {
        return true;
    };
    let last = (first..a.len())
        .rfind(|at| a[*at] != b[*at])
        .unwrap_or(first);
    let (a, b) = (&a[first..=last], &b[first..=last]);
    a.iter().position(|key| *key == b[0]).is_some_and(|at| {
        let n_behind = a.len() - at;
        a[at..] == b[..n_behind] && a[..at] == b[n_behind..]
    })
}

/// Returns whether one value opposes, and a thing has one such value until somebody changes it.
fn have_one_value(pair: &Pair<'_>, found: &Opposed) -> bool {
    let of = |sentence: &'_ Sentence, ranges: &[Range<usize>]| -> Option<Value> {
        let [range] = ranges else { return None };
        let mut values = sentence.values.iter();
        values.find(|value| value.bytes == *range).cloned()
    };
    let (Some(a), Some(b)) = (of(pair.a, &found.a), of(pair.b, &found.b)) else {
        return false;
    };
    let is_exact =
        |value: &Value| value.bound == Bound::Exact && !value.is_range && !value.is_negated;
    is_exact(&a) && is_exact(&b) && is_lasting(pair.a, &a, &b) && is_lasting(pair.b, &b, &a)
}

/// Returns whether a thing has one value of this kind, by the words around it.
fn is_lasting(sentence: &Sentence, value: &Value, other: &Value) -> bool {
    let words = |is_there: &dyn Fn(&Literal) -> bool| -> Vec<&str> {
        let literal = sentence.literal.iter();
        literal
            .filter(|literal| is_there(literal))
            .map(|literal| literal.word.as_str())
            .collect()
    };
    let before = words(&|literal| literal.start < value.bytes.start);
    let after = words(&|literal| literal.start >= value.bytes.end);
    let is_any = |list: &str| before.iter().chain(&after).any(|word| has(list, word));
    let is_any_before = |list: &str| before.iter().any(|word| has(list, word));
    let has_attribute = is_any(ATTRIBUTES);
    // "Ana runs 5 km every morning."
    let is_habit = value.per.is_some()
        || sentence
            .values
            .iter()
            .any(|value| value.kind == ValueKind::Period);
    let is_named = before.last().is_some_and(|word| has(NUMBERED, word));
    let is_behind_name = value.near[0].is_some()
        && value.near[0] == other.near[0]
        && sentence
            .words
            .iter()
            .any(|word| word.token + 1 == value.first && (word.is_name || word.token == 0));
    let is_number = || {
        let is_set_to = matches!(before[..], [.., "set" | "limited" | "capped", "to" | "at"]);
        let is_set = before
            .last()
            .is_some_and(|word| matches!(*word, "is" | "are"))
            && after.is_empty();
        let is_count = value.near[2].is_some() && is_any_before(STATES);
        is_named || is_behind_name || is_set || is_set_to || is_count || has_attribute || is_habit
    };
    if is_any(VARYING) && !has_attribute {
        return false;
    }
    match (value.kind, other.kind) {
        (ValueKind::Quantity(Dimension::Times), _) | (_, ValueKind::Quantity(Dimension::Times)) => {
            false
        }
        (ValueKind::Quantity(of_a), ValueKind::Quantity(_)) => {
            has_attribute
                || is_habit
                || match of_a {
                    Dimension::Time => is_any_before(STATES),
                    Dimension::Bytes | Dimension::Percent | Dimension::Watts | Dimension::Hertz => {
                        let is_size = before
                            .last()
                            .is_some_and(|word| matches!(*word, "is" | "are"));
                        !is_size && is_any_before(STATES)
                    }
                    Dimension::Length => after.first().is_some_and(|word| has(LENGTHS, word)),
                    Dimension::Degrees(_) => is_any_before("set kept heated cooled"),
                    Dimension::Money(_) | Dimension::Mass | Dimension::Times => false,
                }
        }
        (ValueKind::Number, ValueKind::Number) | (ValueKind::Code, ValueKind::Code) => is_number(),
        (ValueKind::Date, ValueKind::Date) => value.year == other.year && is_any_before(ONCE),
        (ValueKind::Clock, ValueKind::Clock) => is_any_before(ONCE),
        (ValueKind::Weekday, ValueKind::Weekday) => {
            let is_on = before
                .last()
                .is_some_and(|word| matches!(*word, "at" | "on"));
            let verb = before.len().checked_sub(1 + usize::from(is_on));
            !value.is_recurring
                && verb.is_some_and(|at| has("begins ends due expires starts", before[at]))
        }
        (ValueKind::Year, ValueKind::Year) => sentence.manner.is_once,
        (ValueKind::Period, ValueKind::Period) => true,
        _ => false,
    }
}
