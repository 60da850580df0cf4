//! Changes of the list of opposition pairs: which pairs can be added.

use std::fmt;

use crate::lexicon::{Lexicon, Traits};
use crate::oppositions::{Opposition, Oppositions, WORD_BYTES_MAX, list};
use crate::reading::Sentence;

/// Maximum number of words of a phrase.
pub const PHRASE_WORDS_MAX: usize = 4;

/// Why a pair cannot be in a list of opposition pairs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    /// A side has no word.
    #[error("one side is empty; each side needs at least one word")]
    Empty,
    /// A word has other characters than those of English words.
    #[error(
        "{word:?} is not an English word, and the rules are for English; use the letters a to z, and commas between the words of a side"
    )]
    NotEnglish {
        /// The word, cut if it is long.
        word: String,
    },
    /// A word is too long.
    #[error("a word has more than {WORD_BYTES_MAX} letters; use a shorter one")]
    TooLong,
    /// A phrase has too many words.
    #[error(
        "{phrase:?} has more than {PHRASE_WORDS_MAX} words; use a shorter phrase, or put commas between words of one meaning"
    )]
    Phrase {
        /// The phrase, cut if it is long.
        phrase: String,
    },
    /// A word is there twice.
    #[error("{word:?} is there twice; remove one")]
    Twice {
        /// The word.
        word: String,
    },
    /// Forms of one word are on both sides.
    #[error("{word:?} and {opposite:?} are one word to the rules; use words that differ")]
    OneWord {
        /// The word of the first side.
        word: String,
        /// The word of the second side.
        opposite: String,
    },
    /// The rules read a word as something else than a word with an opposite.
    #[error(
        "{word:?} cannot have an opposite: the rules read it as a number, a date, a negation or a filler"
    )]
    NoContent {
        /// The word.
        word: String,
    },
    /// A word is in another pair.
    #[error(
        "{word:?} is in the pair \"{pair}\" already, and a word can be in one pair only; switch that pair off, or remove it if it is your own"
    )]
    Taken {
        /// The word.
        word: String,
        /// The pair that has it.
        pair: Opposition,
    },
}

impl fmt::Display for Opposition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [words, opposite] = [&self.words, &self.opposite].map(|side| side.join(", "));
        write!(formatter, "{words} | {opposite}")
    }
}

impl Opposition {
    /// Reads a pair as the user typed it: the words of each side, with commas between them. What the rules could not find
    /// in a sentence is refused.
    ///
    /// # Errors
    /// [`PairError`], except [`PairError::Taken`].
    pub fn from_typed(words: &str, opposite: &str) -> Result<Opposition, PairError> {
        let pair = Opposition {
            words: list(words),
            opposite: list(opposite),
        };
        if pair.words.is_empty() || pair.opposite.is_empty() {
            return Err(PairError::Empty);
        }
        let all = || pair.words.iter().chain(&pair.opposite);
        for word in all() {
            check_word(word)?;
        }
        for (at, word) in all().enumerate() {
            if all().take(at).any(|before| before == word) {
                return Err(PairError::Twice { word: word.clone() });
            }
        }
        let lexicon = Lexicon::of(&Oppositions::edited(vec![pair.clone()], |_| true));
        for word in &pair.words {
            let is_form = |opposite: &&String| lexicon.stems(opposite) == lexicon.stems(word);
            if let Some(opposite) = pair.opposite.iter().find(is_form) {
                return Err(PairError::OneWord {
                    word: word.clone(),
                    opposite: opposite.clone(),
                });
            }
        }
        if let Some(word) = all().find(|word| !is_read(&lexicon, word)) {
            return Err(PairError::NoContent { word: word.clone() });
        }
        Ok(pair)
    }

    /// Checks that no other pair has a word of this one, in any form.
    ///
    /// # Errors
    /// [`PairError::Taken`].
    pub fn check_beside(&self, others: &Oppositions) -> Result<(), PairError> {
        let lexicon = Lexicon::of(others);
        let own = self.words.iter().chain(&self.opposite);
        for word in own {
            let stems = lexicon.stems(word);
            let has = |pair: &&Opposition| {
                let mut words = pair.words.iter().chain(&pair.opposite);
                words.any(|other| lexicon.stems(other) == stems)
            };
            if let Some(pair) = others.pairs().iter().find(has) {
                return Err(PairError::Taken {
                    word: word.clone(),
                    pair: pair.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Checks the form of a word or phrase.
fn check_word(word: &str) -> Result<(), PairError> {
    let cut = || word.chars().take(WORD_BYTES_MAX).collect();
    let is_inside = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '\'');
    let is_word = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part.ends_with(|last: char| last.is_ascii_alphanumeric())
            && part.chars().all(is_inside)
    };
    if !word.split(' ').all(is_word) {
        return Err(PairError::NotEnglish { word: cut() });
    }
    if word.split(' ').count() > PHRASE_WORDS_MAX {
        return Err(PairError::Phrase { phrase: cut() });
    }
    if word.len() > WORD_BYTES_MAX {
        return Err(PairError::TooLong);
    }
    Ok(())
}

/// Returns whether the rules find a word of the only pair of a lexicon in a sentence, as a property or as a verb. A word without
/// content is found in nearly every sentence, so only those of the standard list may have an opposite.
fn is_read(lexicon: &Lexicon, word: &str) -> bool {
    let has_no_content = word
        .split(' ')
        .all(|part| lexicon.of_word(part).has(Traits::STOP));
    if has_no_content {
        let standard = Oppositions::standard();
        let mut pairs = standard.pairs().iter();
        let is_standard = pairs.any(|pair| {
            let mut words = pair.words.iter().chain(&pair.opposite);
            words.any(|standard| standard == word)
        });
        if !is_standard {
            return false;
        }
    }
    let found_in = |text: &str| {
        let sentence = Sentence::read(lexicon, text, 0..text.len(), false);
        sentence.is_ok_and(|sentence| sentence.words.iter().any(|word| word.polar.is_some()))
    };
    found_in(&format!("The valve in the cellar is {word}."))
        || found_in(&format!("We really {word} the valve in the cellar."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(words: &str, opposite: &str) -> Opposition {
        Opposition::from_typed(words, opposite).unwrap()
    }

    #[test]
    fn a_typed_pair_is_read() {
        let found = pair(" Primed,  topped   up ,", "DRAINED");
        assert_eq!(found.words, ["primed", "topped up"]);
        assert_eq!(found.to_string(), "primed, topped up | drained");
        pair("read-only", "writable");
        pair("ipv4", "ipv6");
    }

    #[test]
    fn the_standard_pairs_could_be_typed() {
        let standard = Oppositions::standard();
        for pair in standard.pairs() {
            let others = Oppositions::edited(Vec::new(), |other| other == pair);
            assert_eq!(pair.check_beside(&others), Ok(()));
            // These are denials or of manner in the sentences that a typed word is tried in.
            let plain = |side: &[String]| {
                let words = side
                    .iter()
                    .filter(|word| !matches!(word.as_str(), "avoid" | "never" | "by hand"));
                words.cloned().collect::<Vec<String>>()
            };
            let (words, opposite) = (plain(&pair.words), plain(&pair.opposite));
            let typed = Opposition::from_typed(&words.join(","), &opposite.join(","));
            assert_eq!(typed, Ok(Opposition { words, opposite }));
        }
    }

    #[test]
    fn what_the_rules_could_not_use_is_refused_with_its_reason() {
        let check = |words: &str, opposite: &str, expected: &str| {
            let found = Opposition::from_typed(words, opposite).unwrap_err();
            assert!(
                found.to_string().contains(expected),
                "{words} | {opposite}: {found}"
            );
        };
        check("", "drained", "one side is empty");
        check(" , ,", "drained", "one side is empty");
        check("primed", " \n", "one side is empty");
        check("primed", "primed", "\"primed\" is there twice");
        check("Primed", "pRIMED", "\"primed\" is there twice");
        check("primed, primed", "drained", "\"primed\" is there twice");
        check("open", "opened", "\"open\" and \"opened\" are one word");
        check("directory", "folder", "are one word");
        check(
            "ge\u{f6}ffnet",
            "zu",
            "\"ge\u{f6}ffnet\" is not an English word",
        );
        check("\u{958b}", "\u{9589}", "not an English word");
        check("primed", "drained | empty", "not an English word");
        check("primed", "8093", "not an English word");
        check("primed; full", "drained", "not an English word");
        check("'primed'", "drained", "not an English word");
        check("topped up to the brim", "drained", "has more than 4 words");
        check(&"a".repeat(61), "drained", "more than 60 letters");
        check("two", "three", "\"two\" cannot have an opposite");
        check("Monday", "Sunday", "\"monday\" cannot have an opposite");
        check("primed", "not", "\"not\" cannot have an opposite");
        check("the", "drained", "\"the\" cannot have an opposite");
        check("of the", "drained", "\"of the\" cannot have an opposite");
    }

    #[test]
    fn a_word_is_in_one_pair_only() {
        let standard = Oppositions::standard();
        let check = |typed: &Opposition, expected: Option<&str>| {
            let found = typed.check_beside(&standard).err();
            let found = found.map(|error| error.to_string());
            match expected {
                None => assert_eq!(found, None, "{typed}"),
                Some(part) => assert!(
                    found.as_deref().is_some_and(|found| found.contains(part)),
                    "{typed}: {found:?}"
                ),
            }
        };
        check(&pair("primed", "drained"), None);
        // A phrase is another word.
        check(&pair("open plan", "walled"), None);
        let open = "\"open\" is in the pair \"open | closed, shut\" already";
        check(&pair("open", "sealed"), Some(open));
        check(&pair("open", "closed"), Some(open));
        check(&pair("sealed", "opened"), Some("\"opened\" is in the pair"));
        check(
            &pair("rolling back", "firm"),
            Some("\"rolling back\" is in"),
        );
    }
}
