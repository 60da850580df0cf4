//! The list of opposition pairs, which the user can edit.

/// The pairs that Memlens starts with, one per line: words of one meaning, `|`, words of the opposite.
const STANDARD: &str = "\
allow, allowed, permit, permitted, fine, ok | forbid, forbidden, prohibit, disallow, ban, banned
like, love, enjoy, prefer, favour, favor | dislike, hate, avoid, detest, loathe
enable, activate, active, turn on, turned on, switch on, switched on | disable, deactivate, inactive, turn off, turned off, switch off, switched off
open | closed, shut
always | never, rarely, seldom, sometimes
before | after
paid, settled | unpaid, outstanding, overdue
encrypted | unencrypted, plaintext, plain text, cleartext, clear text
reversible, roll back, rolled back, undo, undone | irreversible
true | false
correct | wrong, incorrect
fast, quick | slow
short, brief, concise, terse | long, detailed, verbose, lengthy
dark mode, dark theme, dark background | light mode, light theme, light background
tabs | spaces
increase, raise, grow, rise | decrease, reduce, shrink, lower
public | private
manual, manually, by hand | automatic, automatically, automated
required, mandatory, obligatory, compulsory, need, necessary | optional, unnecessary
keep, retain | delete, discard
accept, approve | reject, refuse, decline
more than, greater than, higher than | less than, fewer than, lower than
above | below
safe, secure | unsafe, insecure, dangerous
hot, warm | cold
succeed, success, successful, pass | fail, failure, broken
online | offline
supported, maintained | unsupported, removed, deprecated, discontinued
celsius | fahrenheit
metric | imperial
early | late
inside, indoors | outside, outdoors
internal | external
local, locally | remote, remotely
synchronous, synchronously | asynchronous, asynchronously
easy, simple | hard, difficult
cheap | expensive
high | low
big, large | small
horizontal | vertical
ascending | descending
uppercase, upper case | lowercase, lower case
read-only | writable
stateless | stateful
married | single, divorced
alive | dead
vegetarian, vegan | meat
on | off
";

/// Maximum number of pairs in a list, and of the user's own pairs.
pub const PAIRS_MAX: usize = 1_000;
/// Maximum number of bytes of a word or phrase.
pub const WORD_BYTES_MAX: usize = 60;

/// One pair: words of one meaning and words of the opposite meaning, in lower case. A phrase is several words, separated
/// by single spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opposition {
    /// Words of one meaning; never empty.
    pub words: Vec<String>,
    /// Words of the opposite meaning; never empty.
    pub opposite: Vec<String>,
}

/// A list of opposition pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oppositions {
    pairs: Vec<Opposition>,
}

/// Why a list of opposition pairs cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OppositionsError {
    /// A line is not two lists of words.
    #[error(
        "line {line} of the opposition pairs is not \"words | opposite words\": {text:?}; separate the words of each side with commas"
    )]
    Malformed {
        /// 1-based line in the file.
        line: usize,
        /// The line, cut if it is long.
        text: String,
    },
    /// A word is on both sides of one line.
    #[error("line {line} of the opposition pairs has {word:?} on both sides; remove it from one")]
    BothSides {
        /// 1-based line in the file.
        line: usize,
        /// The word that is on both sides.
        word: String,
    },
    /// A word is too long.
    #[error(
        "line {line} of the opposition pairs has a word of more than {WORD_BYTES_MAX} bytes; shorten it"
    )]
    TooLong {
        /// 1-based line in the file.
        line: usize,
    },
    /// There are too many lines.
    #[error("there are more than {PAIRS_MAX} opposition pairs; remove some")]
    TooMany,
}

impl Oppositions {
    /// Returns the list that Memlens starts with.
    pub fn standard() -> Oppositions {
        Oppositions::parse(STANDARD).unwrap_or(Oppositions { pairs: Vec::new() })
    }

    /// Returns the text of the standard list, for editing.
    pub fn standard_text() -> &'static str {
        STANDARD
    }

    /// Returns the list as the user edited it: `own` pairs first, then the standard pairs that are not switched off.
    pub fn edited(own: Vec<Opposition>, is_off: impl Fn(&Opposition) -> bool) -> Oppositions {
        let mut pairs = own;
        let standard = Oppositions::standard().pairs.into_iter();
        pairs.extend(standard.filter(|pair| !is_off(pair)));
        Oppositions { pairs }
    }

    /// Reads a list: one pair per line, words separated by commas, the opposite words behind `|`. Empty lines and lines
    /// that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`OppositionsError`], which names the line.
    pub fn parse(text: &str) -> Result<Oppositions, OppositionsError> {
        let mut pairs = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if pairs.len() == PAIRS_MAX {
                return Err(OppositionsError::TooMany);
            }
            let malformed = || OppositionsError::Malformed {
                line,
                text: text.chars().take(80).collect(),
            };
            let (words, opposite) = text.split_once('|').ok_or_else(malformed)?;
            if opposite.contains('|') {
                return Err(malformed());
            }
            let (words, opposite) = (list(words), list(opposite));
            if words.is_empty() || opposite.is_empty() {
                return Err(malformed());
            }
            if let Some(word) = words.iter().find(|word| opposite.contains(word)) {
                let word = word.chars().take(80).collect();
                return Err(OppositionsError::BothSides { line, word });
            }
            if words
                .iter()
                .chain(&opposite)
                .any(|word| word.len() > WORD_BYTES_MAX)
            {
                return Err(OppositionsError::TooLong { line });
            }
            pairs.push(Opposition { words, opposite });
        }
        Ok(Oppositions { pairs })
    }

    /// Returns the pairs in their order.
    pub fn pairs(&self) -> &[Opposition] {
        &self.pairs
    }
}

pub(crate) fn list(words: &str) -> Vec<String> {
    let words = words.split(',').map(|word| {
        let parts: Vec<String> = word.split_whitespace().map(str::to_lowercase).collect();
        parts.join(" ")
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_list_can_be_read() {
        let standard = Oppositions::standard();
        assert_eq!(
            Oppositions::parse(Oppositions::standard_text()),
            Ok(standard.clone())
        );
        assert_eq!(standard.pairs().len(), STANDARD.lines().count());
    }

    #[test]
    fn errors_name_the_line() {
        let check = |text: &str, expected: OppositionsError| {
            assert_eq!(Oppositions::parse(text), Err(expected), "{text:?}");
        };
        let malformed = |line, text: &str| OppositionsError::Malformed {
            line,
            text: text.to_owned(),
        };
        check("# comment\n\nup", malformed(3, "up"));
        check("up |", malformed(1, "up |"));
        check("| down", malformed(1, "| down"));
        check("a | b | c", malformed(1, "a | b | c"));
        let word = "up".to_owned();
        check(
            "up, over | Up",
            OppositionsError::BothSides { line: 1, word },
        );
        check(
            &format!("{} | a", "b".repeat(61)),
            OppositionsError::TooLong { line: 1 },
        );
        check(&"a | b\n".repeat(PAIRS_MAX + 1), OppositionsError::TooMany);
    }

    #[test]
    fn words_are_trimmed_and_lower_case() {
        let found = Oppositions::parse(" Rolled   Back ,, undone|  KEPT ").unwrap();
        let expected = Opposition {
            words: vec!["rolled back".to_owned(), "undone".to_owned()],
            opposite: vec!["kept".to_owned()],
        };
        assert_eq!(found.pairs(), [expected]);
    }
}
