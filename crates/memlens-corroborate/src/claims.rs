//! A text's claims: its negations and numbers. Near-duplicates that differ here are kept apart, because there is no
//! better detection of contradictions yet.
//!
//! Properties checked: the notation of a number does not matter; agreement is symmetric and lets a text without numbers
//! join those with numbers.

use crate::words::fnv1a;

const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without",
    "cannot", "cant", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont",
    "wouldnt", "shouldnt", "couldnt", "mustnt", "neednt", "hasnt", "havent", "hadnt", "aint",
];

/// Numbers as words. Without `one`, which has many meanings, and `second`, which is also a unit of time.
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
];

/// A text's claims: its number of negations, and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Claims {
    /// Number of negating words in the text.
    pub n_negations: u32,
    /// A hash of the distinct numbers, independent of their order; 0 if there are none.
    pub numbers: u64,
}

impl Claims {
    /// Reads the claims of a text; `words` are its words.
    pub(crate) fn of(text: &str, words: &[String]) -> Claims {
        let n_negations = words
            .iter()
            .filter(|word| NEGATIONS.contains(&word.as_str()))
            .count();
        let digits = text
            .split_whitespace()
            .filter(|token| token.contains(|char: char| char.is_ascii_digit()))
            .map(number);
        let spelled = words.iter().filter_map(|word| {
            NUMBER_WORDS
                .iter()
                .find(|(name, _)| name == word)
                .map(|(_, digits)| (*digits).to_owned())
        });
        let mut numbers: Vec<String> = digits.chain(spelled).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Claims {
            n_negations: n_negations as u32,
            numbers: if numbers.is_empty() {
                0
            } else {
                fnv1a(&numbers.join(" ")).max(1)
            },
        }
    }

    /// Returns whether two near-duplicates may be joined: they have equally many negations, and the same numbers if
    /// both have any.
    pub fn agree(self, other: Claims) -> bool {
        self.n_negations == other.n_negations
            && (self.numbers == other.numbers || self.numbers == 0 || other.numbers == 0)
    }

    /// Returns the claims of two joined clusters that agree: a text without numbers takes the other's.
    pub(crate) fn joined(self, other: Claims) -> Claims {
        Claims {
            numbers: self.numbers.max(other.numbers),
            ..self
        }
    }
}

/// Normalises a number: lower case, without surrounding punctuation, thousands separators and leading zeros.
fn number(token: &str) -> String {
    let bare = token
        .trim_matches(|char: char| !char.is_alphanumeric())
        .to_lowercase()
        .replace(',', "");
    let digits = bare.trim_start_matches('0');
    // `05:45` becomes `5:45`; `0` and `0.5` do not change.
    if digits.starts_with(|char: char| char.is_ascii_digit()) {
        digits.to_owned()
    } else {
        bare
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    fn check(a: &str, b: &str, agree: bool) {
        let (x, y) = (Claims::of(a, &words(a)), Claims::of(b, &words(b)));
        assert_eq!((x.agree(y), y.agree(x)), (agree, agree), "{a:?} {b:?}");
    }

    #[test]
    fn numbers_and_negations_part_texts() {
        check("Backups run at 2:15.", "Backups run at 3:15.", false);
        check("Backups run at 2:15.", "(2:15), backups run at", true);
        check("Backups run at 05:45", "backups run at 5:45!", true);
        check("It costs 1,000 euros", "it costs 1000 euros", true);
        check("at 0.5 bar", "at 5 bar", false);
        check("Backups run nightly.", "Backups run nightly at 2:15.", true);
        check("He never drinks coffee", "He drinks coffee", false);
        check(
            "He doesn\u{2019}t drink coffee",
            "He does not drink coffee",
            true,
        );
        check("wait four minutes", "wait two minutes", false);
        check("wait four minutes", "wait 4 minutes", true);
        check("", "...", true);
    }
}
