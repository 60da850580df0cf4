//! What single English words mean for a comparison: stop words, negations, synonyms, classes of names, units.

use std::collections::HashMap;

use frostem::{Algorithm, Stemmer};
use memlens_corroborate::fnv1a;

use crate::oppositions::Oppositions;
use crate::reading::Form;

/// Words without content of their own.
const STOP: &str = "a about all also am an and any are as at be because been being between both but by can could did do does doing during each every few for from get gets got had has have having he her hers herself him himself his how i if in into is it its itself just may me might more most much must my of off on onto or other our ours out over same shall she should so some such than that the their them themselves then there these they this those through to too toward under until unless up upon us very via was we were what when where whether which while who whom whose why will with would you your yours yourself still even only ever least across against along although among around away back else however instead maybe per perhaps rather since therefore though thus towards versus yet";

/// Adverbs and fillers that add nothing to compare.
const HEDGES: &str = "about actually again almost already always anyway approximately basically certainly clearly commonly completely currently especially essentially exactly fairly finally frequently fully generally here immediately indeed later likely mainly maybe mostly nearly normally now nowadays often ok okay overall please possibly practically pretty previously primarily probably quite really recently roughly simply somewhat soon sure there today together typically usually well whole entire";

/// Verbs and nouns that carry so little that their exchange does not change the subject.
const LIGHT: &str = "use run take make set put give let go come happen occur write work stay remain become do need want keep hold store call name contain include provide serve listen live last expire mean say see know show be have thing way kind part lot time version value number default base locate based located decide fact start begin";

/// Each group is treated as one word, the first.
const SAME: &[&str] = &[
    "keep kept retain retention expire expires expiry ttl lifetime last lasts",
    "limit maximum max cap ceiling",
    "minimum min",
    "finish complete completed done",
    "repository repo",
    "configuration config setting settings",
    "database db",
    "documentation docs doc",
    "production prod",
    "development dev",
    "environment env",
    "directory folder dir",
    "user person",
    "own owner owns",
    "lead leader",
    "manage manager",
    "maintain maintainer",
    "answer reply respond",
    "live reside based base",
    "listen serve serves",
    "locate located",
    "memory ram",
    "begin start",
    "write written wrote implemented implement",
    "run ran",
    "send sent",
    "buy bought",
    "build built",
    "choose chose chosen",
    "take took taken",
    "give gave given",
    "speak spoke spoken",
    "teach taught",
    "hold held",
    "lead led",
    "sell sold",
    "break broke",
    "drink drank",
    "eat ate eaten",
    "drive drove driven",
    "disagree disagrees",
    "colour color",
    "programme program",
    "photo picture",
    "laptop notebook",
    "phone telephone",
    "holiday vacation",
    "film movie",
];

/// Verbs whose object or place is one only, so that another name contradicts.
const FUNCTIONAL: &str =
    "live locate base call name write answer report born host set default belong marry";

/// Roles that one at a time has. In the first list a second holder contradicts for certain.
const ROLES: [&str; 2] = [
    "own lead ceo cto chair head boss",
    "manage maintain responsible author",
];

/// Verbs and comparatives that hold in one direction only.
const DIRECTED: &str = "report manage own depend replace supervise precede follow import extend inherit block trigger teach hire employ owe defeat beat mentor lead outrank contain include call require invoke parent child subclass before after above below";

/// Names of which a slot holds one. In capitals where the word has another meaning.
const CLASSES: &[&str] = &[
    "english german french spanish russian chinese japanese italian dutch portuguese polish swedish danish norwegian finnish turkish arabic hindi korean czech",
    "Rust Go Python Java typescript javascript kotlin Swift Ruby php scala haskell elixir clojure perl",
    "postgresql postgres mysql sqlite mariadb mongodb oracle cassandra dynamodb redis duckdb",
    "berlin munich hamburg paris london madrid rome vienna zurich amsterdam brussels copenhagen oslo stockholm helsinki warsaw prague budapest lisbon barcelona dublin geneva milan tokyo osaka seoul beijing shanghai singapore sydney melbourne toronto vancouver montreal chicago boston seattle austin denver",
    "red green blue yellow black white orange purple grey gray brown pink",
    "linux windows macos",
    "ubuntu debian fedora Arch alpine",
    "firefox chrome safari",
    "vim neovim emacs vscode",
    "aws azure gcp",
    "json yaml toml xml csv",
    "npm yarn pnpm",
    "bash zsh",
    "github gitlab bitbucket",
    "docker podman",
    "slack discord",
];

/// The class of colours in [`CLASSES`].
pub(crate) const COLOURS: u8 = 4;

/// Relations that hold in one direction at a time, so that both can hold.
const MUTUAL: &str = "call invoke trigger follow teach block require hire";

const NEGATORS: &str =
    "not no never without nobody none nothing neither nor cannot hardly scarcely no-one un";

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
const SEASONS: [&str; 5] = ["spring", "summer", "autumn", "winter", "fall"];
const SMALL_NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
const TENS: [(&str, f64); 7] = [
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];
const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];

/// Nouns before a number that names a thing and states nothing of it.
const NUMBERED: &str = "number session step chapter page issue ticket pr bug migration phase part section figure table episode round lesson item task sprint iteration attempt exercise question invoice order case commit build release day week server room rack host vlan sensor disk channel zone floor";

/// Frequent words of other languages that are no English words.
const FOREIGN: &str = "der das und nicht ist ein eine einen einem einer mit auf von zu dem den sind wird werden wir ihr auch nur noch nach bei wenn für über durch kein keine immer jeden le les des une est pas dans pour sur avec qui que sont vous nous cette il elle au aux du el los las es una por para con como está pero muy cada siempre il lo gli che non di sono della del een het van niet zijn voor dat wordt elke altijd som är och att det inte på och er ikke jest nie się";

/// Frequent English words that those languages do not have.
const ENGLISH: &str = "the of and to is are was were be been with for on at by from this that these those it its he she they we you your our their must should would could has have had not never always every each when which what who will can does do did after before only into than then there";

/// A physical dimension, so that only like quantities are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dimension {
    Time,
    Bytes,
    Percent,
    Money(u8),
    Length,
    Mass,
    /// Of which scale: 0 is unknown, 1 Celsius, 2 Fahrenheit.
    Degrees(u8),
    Watts,
    Hertz,
    Times,
}

impl Dimension {
    pub(crate) fn number(self) -> u64 {
        match self {
            Dimension::Time => 0,
            Dimension::Bytes => 1,
            Dimension::Percent => 2,
            Dimension::Length => 3,
            Dimension::Mass => 4,
            Dimension::Degrees(scale) => 20 + u64::from(scale),
            Dimension::Watts => 6,
            Dimension::Hertz => 7,
            Dimension::Times => 8,
            Dimension::Money(currency) => 9 + u64::from(currency),
        }
    }
}

const UNITS: &[(&str, Dimension, f64)] = &[
    ("ms", Dimension::Time, 0.001),
    ("millisecond", Dimension::Time, 0.001),
    ("milliseconds", Dimension::Time, 0.001),
    ("s", Dimension::Time, 1.0),
    ("sec", Dimension::Time, 1.0),
    ("secs", Dimension::Time, 1.0),
    ("second", Dimension::Time, 1.0),
    ("seconds", Dimension::Time, 1.0),
    ("min", Dimension::Time, 60.0),
    ("mins", Dimension::Time, 60.0),
    ("minute", Dimension::Time, 60.0),
    ("minutes", Dimension::Time, 60.0),
    ("h", Dimension::Time, 3_600.0),
    ("hr", Dimension::Time, 3_600.0),
    ("hrs", Dimension::Time, 3_600.0),
    ("hour", Dimension::Time, 3_600.0),
    ("hours", Dimension::Time, 3_600.0),
    ("d", Dimension::Time, 86_400.0),
    ("day", Dimension::Time, 86_400.0),
    ("days", Dimension::Time, 86_400.0),
    ("week", Dimension::Time, 604_800.0),
    ("weeks", Dimension::Time, 604_800.0),
    ("month", Dimension::Time, 2_592_000.0),
    ("months", Dimension::Time, 2_592_000.0),
    ("year", Dimension::Time, 31_536_000.0),
    ("years", Dimension::Time, 31_536_000.0),
    ("kb", Dimension::Bytes, 1e3),
    ("kib", Dimension::Bytes, 1_024.0),
    ("kilobytes", Dimension::Bytes, 1e3),
    ("mb", Dimension::Bytes, 1e6),
    ("mib", Dimension::Bytes, 1_048_576.0),
    ("megabytes", Dimension::Bytes, 1e6),
    ("gb", Dimension::Bytes, 1e9),
    ("gib", Dimension::Bytes, 1_073_741_824.0),
    ("gigabyte", Dimension::Bytes, 1e9),
    ("gigabytes", Dimension::Bytes, 1e9),
    ("tb", Dimension::Bytes, 1e12),
    ("tib", Dimension::Bytes, 1_099_511_627_776.0),
    ("terabyte", Dimension::Bytes, 1e12),
    ("terabytes", Dimension::Bytes, 1e12),
    ("%", Dimension::Percent, 1.0),
    ("percent", Dimension::Percent, 1.0),
    ("€", Dimension::Money(0), 1.0),
    ("eur", Dimension::Money(0), 1.0),
    ("euro", Dimension::Money(0), 1.0),
    ("euros", Dimension::Money(0), 1.0),
    ("$", Dimension::Money(1), 1.0),
    ("usd", Dimension::Money(1), 1.0),
    ("dollar", Dimension::Money(1), 1.0),
    ("dollars", Dimension::Money(1), 1.0),
    ("£", Dimension::Money(2), 1.0),
    ("gbp", Dimension::Money(2), 1.0),
    ("pounds", Dimension::Money(2), 1.0),
    ("mm", Dimension::Length, 0.001),
    ("cm", Dimension::Length, 0.01),
    ("m", Dimension::Length, 1.0),
    ("meter", Dimension::Length, 1.0),
    ("meters", Dimension::Length, 1.0),
    ("metre", Dimension::Length, 1.0),
    ("metres", Dimension::Length, 1.0),
    ("km", Dimension::Length, 1e3),
    ("kilometers", Dimension::Length, 1e3),
    ("kilometres", Dimension::Length, 1e3),
    ("miles", Dimension::Length, 1_609.0),
    ("g", Dimension::Mass, 1.0),
    ("gram", Dimension::Mass, 1.0),
    ("grams", Dimension::Mass, 1.0),
    ("kg", Dimension::Mass, 1e3),
    ("kilos", Dimension::Mass, 1e3),
    ("kilograms", Dimension::Mass, 1e3),
    ("degree", Dimension::Degrees(0), 1.0),
    ("degrees", Dimension::Degrees(0), 1.0),
    ("°", Dimension::Degrees(0), 1.0),
    ("watt", Dimension::Watts, 1.0),
    ("watts", Dimension::Watts, 1.0),
    ("w", Dimension::Watts, 1.0),
    ("kw", Dimension::Watts, 1e3),
    ("hz", Dimension::Hertz, 1.0),
    ("khz", Dimension::Hertz, 1e3),
    ("mhz", Dimension::Hertz, 1e6),
    ("ghz", Dimension::Hertz, 1e9),
    ("times", Dimension::Times, 1.0),
];

/// Adverbs and adjectives that name a period, in seconds.
const PERIODS: &[(&str, f64)] = &[
    ("hourly", 3_600.0),
    ("daily", 86_400.0),
    ("nightly", 86_400.0),
    ("weekly", 604_800.0),
    ("fortnightly", 1_209_600.0),
    ("monthly", 2_592_000.0),
    ("quarterly", 7_776_000.0),
    ("yearly", 31_536_000.0),
    ("annually", 31_536_000.0),
    ("annual", 31_536_000.0),
];

/// A side of an opposition: the number of the pair, and whether it is its first side.
pub(crate) type Polar = (u16, bool);

/// A phrase of an opposition: the stems after the first, and its side.
type Phrase = (Vec<String>, Polar);

/// Properties of a word, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits(u16);

impl Traits {
    pub(crate) const STOP: Traits = Traits(1);
    pub(crate) const HEDGE: Traits = Traits(1 << 1);
    pub(crate) const LIGHT: Traits = Traits(1 << 2);
    pub(crate) const NEGATOR: Traits = Traits(1 << 3);
    pub(crate) const FUNCTIONAL: Traits = Traits(1 << 4);
    pub(crate) const ROLE: Traits = Traits(1 << 5);
    pub(crate) const SOLE_ROLE: Traits = Traits(1 << 6);
    pub(crate) const DIRECTED: Traits = Traits(1 << 7);
    pub(crate) const FOREIGN: Traits = Traits(1 << 8);
    pub(crate) const ENGLISH: Traits = Traits(1 << 9);
    pub(crate) const NUMBERED: Traits = Traits(1 << 10);
    pub(crate) const MUTUAL: Traits = Traits(1 << 11);

    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }
}

/// The word lists, prepared for look-up.
pub(crate) struct Lexicon {
    stemmer: Stemmer,
    /// Traits by the word as written.
    words: HashMap<String, Traits>,
    /// Traits by stem, for words not in `words`.
    stems: HashMap<String, Traits>,
    same: HashMap<String, String>,
    /// By stem: the class, and whether only a capital letter makes the word a member.
    classes: HashMap<String, (u8, bool)>,
    polar: HashMap<String, Polar>,
    /// Phrases by their first stem.
    phrases: HashMap<String, Vec<Phrase>>,
    units: HashMap<&'static str, (Dimension, f64)>,
    /// The pairs that hold `required`, `keep`, `always` and `on`, if the list has them.
    pub(crate) special: Special,
}

/// Pairs that the rules know, by their numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Special {
    pub(crate) require: Option<u16>,
    pub(crate) keep: Option<u16>,
    pub(crate) always: Option<u16>,
    pub(crate) on: Option<u16>,
}

impl Lexicon {
    pub(crate) fn of(oppositions: &Oppositions) -> Lexicon {
        let mut lexicon = Lexicon {
            stemmer: Stemmer::new(Algorithm::English),
            words: HashMap::new(),
            stems: HashMap::new(),
            same: HashMap::new(),
            classes: HashMap::new(),
            polar: HashMap::new(),
            phrases: HashMap::new(),
            units: UNITS
                .iter()
                .map(|(name, dimension, factor)| (*name, (*dimension, *factor)))
                .collect(),
            special: Special::default(),
        };
        for (list, of_list) in [
            (STOP, Traits::STOP),
            (HEDGES, Traits::HEDGE),
            (NEGATORS, Traits::NEGATOR),
            (FOREIGN, Traits::FOREIGN),
            (ENGLISH, Traits::ENGLISH),
        ] {
            for word in list.split(' ') {
                lexicon.words.entry(word.to_owned()).or_default().0 |= of_list.0;
            }
        }
        for group in SAME {
            let mut words = group.split(' ');
            let Some(first) = words.next() else { continue };
            let first = lexicon.plain_stem(first);
            for word in words {
                let stem = lexicon.plain_stem(word);
                lexicon.same.entry(stem).or_insert_with(|| first.clone());
            }
        }
        for (list, of_list) in [
            (LIGHT, Traits::LIGHT),
            (FUNCTIONAL, Traits::FUNCTIONAL),
            (ROLES[0], Traits(Traits::ROLE.0 | Traits::SOLE_ROLE.0)),
            (ROLES[1], Traits::ROLE),
            (DIRECTED, Traits::DIRECTED),
            (MUTUAL, Traits::MUTUAL),
            (NUMBERED, Traits::NUMBERED),
        ] {
            for word in list.split(' ') {
                let stem = lexicon.stem(word);
                lexicon.stems.entry(stem).or_default().0 |= of_list.0;
            }
        }
        for (class, names) in (0..).zip(CLASSES) {
            for name in names.split(' ') {
                let is_ambiguous = name.starts_with(char::is_uppercase);
                let stem = lexicon.stem(&name.to_lowercase());
                lexicon.classes.insert(stem, (class, is_ambiguous));
            }
        }
        for (pair, opposition) in (0..).zip(oppositions.pairs()) {
            for (words, side) in [(&opposition.words, true), (&opposition.opposite, false)] {
                for word in words {
                    lexicon.add_polar(word, (pair, side));
                }
            }
        }
        let number = |word: &str| {
            lexicon
                .polar
                .get(&lexicon.stem(word))
                .map(|(pair, _)| *pair)
        };
        lexicon.special = Special {
            require: number("required"),
            keep: number("keep"),
            always: number("always"),
            on: number("on"),
        };
        lexicon
    }

    fn add_polar(&mut self, word: &str, polar: Polar) {
        let mut stems = word.split(' ').map(|part| self.stem(part));
        let Some(first) = stems.next() else { return };
        let rest: Vec<String> = stems.collect();
        if rest.is_empty() {
            self.polar.entry(first).or_insert(polar);
        } else {
            let phrases = self.phrases.entry(first).or_default();
            phrases.push((rest, polar));
            // Longer phrases first.
            phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
    }

    fn plain_stem(&self, word: &str) -> String {
        let mut stem = self.stemmer.stem(word).into_owned();
        // Snowball leaves "allergi" for "allergies" and "allerg" for "allergic".
        if stem.len() > 4 && (stem.ends_with('i') || stem.ends_with('y')) {
            stem.pop();
        }
        stem
    }

    /// Returns how a word in lower case is written.
    pub(crate) fn form(&self, word: &str) -> Form {
        let stem = self.stemmer.stem(word);
        match word.strip_prefix(&*stem) {
            Some("e") => Form::WithE,
            Some("" | "s") => Form::WithoutE,
            Some(_) | None => Form::Other,
        }
    }

    /// Returns the stem of a word in lower case, the same one for words of one meaning.
    pub(crate) fn stem(&self, word: &str) -> String {
        let stem = self.plain_stem(word);
        match self.same.get(&stem) {
            Some(same) => same.clone(),
            None => stem,
        }
    }

    /// Returns the stems of a word or phrase in lower case.
    pub(crate) fn stems(&self, phrase: &str) -> Vec<String> {
        phrase.split(' ').map(|word| self.stem(word)).collect()
    }

    /// Returns the properties of a word and of its stem.
    pub(crate) fn traits(&self, word: &str, stem: &str) -> Traits {
        let of_word = self.words.get(word).copied().unwrap_or_default();
        let of_stem = self.stems.get(stem).copied().unwrap_or_default();
        Traits(of_word.0 | of_stem.0)
    }

    /// Returns the properties that a word has as it is written.
    pub(crate) fn of_word(&self, word: &str) -> Traits {
        self.words.get(word).copied().unwrap_or_default()
    }

    pub(crate) fn polar(&self, stem: &str) -> Option<Polar> {
        self.polar.get(stem).copied()
    }

    /// Returns the phrases that begin with a stem, the longest first.
    pub(crate) fn phrases(&self, first: &str) -> &[Phrase] {
        self.phrases.get(first).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn class(&self, stem: &str, is_capital: bool, is_first: bool) -> Option<u8> {
        let (class, is_ambiguous) = self.classes.get(stem)?;
        (!is_ambiguous || (is_capital && (!is_first || stem == "rust"))).then_some(*class)
    }

    pub(crate) fn unit(&self, word: &str) -> Option<(Dimension, f64)> {
        self.units.get(word).copied()
    }
}

/// Returns the number that a word spells, if any; not `one`, which has many meanings.
pub(crate) fn spelled(word: &str) -> Option<f64> {
    if word == "one" {
        return None;
    }
    if let Some(at) = SMALL_NUMBERS.iter().position(|small| *small == word) {
        return Some(at as f64);
    }
    if let Some((tens, unit)) = word.split_once('-') {
        let tens = spelled(tens).filter(|tens| *tens >= 20.0 && *tens < 100.0)?;
        let unit = SMALL_NUMBERS[1..10]
            .iter()
            .position(|small| *small == unit)?;
        return Some(tens + unit as f64 + 1.0);
    }
    let found = TENS.iter().find(|(name, _)| *name == word);
    found.map(|(_, number)| *number)
}

/// Returns what a spelled number is multiplied by.
pub(crate) fn multiplier(word: &str) -> Option<f64> {
    match word {
        "dozen" => Some(12.0),
        "hundred" => Some(100.0),
        "thousand" => Some(1_000.0),
        "million" => Some(1_000_000.0),
        _ => None,
    }
}

/// Returns the month's number from 1.
pub(crate) fn month(word: &str) -> Option<u8> {
    let at = MONTHS.iter().position(|month| *month == word)?;
    Some(at as u8 + 1)
}

/// Returns the number of a day of the week, also of its plural.
pub(crate) fn weekday(word: &str) -> Option<u8> {
    let at = DAYS.iter().position(|day| {
        word.strip_prefix(day)
            .is_some_and(|rest| matches!(rest, "" | "s" | "'s" | "\u{2019}s"))
    })?;
    Some(at as u8)
}

/// Returns the number of a season; autumn and fall are the same.
pub(crate) fn season(word: &str) -> Option<u8> {
    let at = SEASONS.iter().position(|season| *season == word)?;
    Some(if at == 4 { 2 } else { at as u8 })
}

/// Returns the number that an ordinal names.
pub(crate) fn ordinal(word: &str) -> Option<u8> {
    let at = ORDINALS.iter().position(|ordinal| *ordinal == word)?;
    Some(at as u8 + 1)
}

/// Returns the period that an adverb names, in seconds.
pub(crate) fn period(word: &str) -> Option<f64> {
    let found = PERIODS.iter().find(|(name, _)| *name == word);
    found.map(|(_, seconds)| *seconds)
}

/// Returns the word without a prefix that negates it ("unpaid"), if it has one.
pub(crate) fn without_prefix(word: &str) -> Option<&str> {
    const NOT_NEGATED: [&str; 13] = [
        "under",
        "union",
        "unit",
        "until",
        "universe",
        "universal",
        "unless",
        "unique",
        "uni",
        "unanimous",
        "uncle",
        "until",
        "upon",
    ];
    const DIS: [&str; 9] = [
        "agree", "connect", "approve", "allow", "trust", "obey", "satisf", "honest", "continue",
    ];
    const ADJECTIVES: [&str; 17] = [
        "able",
        "ible",
        "active",
        "valid",
        "correct",
        "secure",
        "complete",
        "sufficient",
        "proper",
        "legal",
        "regular",
        "perfect",
        "patient",
        "possible",
        "sensitive",
        "dependent",
        "mutable",
    ];
    if let Some(rest) = word.strip_prefix("non-") {
        return Some(rest);
    }
    if let Some(rest) = word.strip_prefix("un") {
        let is_other = NOT_NEGATED.iter().any(|other| word.starts_with(other));
        return (rest.len() >= 3 && !is_other).then_some(rest);
    }
    if let Some(rest) = word.strip_prefix("dis") {
        return DIS
            .iter()
            .any(|root| rest.starts_with(root))
            .then_some(rest);
    }
    let rest = ["in", "im", "ir", "il"]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix))?;
    (rest.len() >= 5 && ADJECTIVES.iter().any(|end| rest.ends_with(end))).then_some(rest)
}

/// Returns a number that identifies a text.
pub(crate) fn hash(text: &str) -> u64 {
    fnv1a(text)
}
