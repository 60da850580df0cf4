//! The words by which a text differs from another.
//!
//! Property checked: a text differs in no word exactly if all its words are in the other.

use std::collections::HashSet;
use std::ops::Range;

use crate::words::words;

/// The words by which a text differs from another, as [`Measure::Words`](crate::Measure::Words) counts them: neither their order
/// nor how often they occur matters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// Byte ranges of the words that the other text does not have, ascending; neighbours are one range.
    pub own: Vec<Range<usize>>,
    /// The words that only the other text has, as written there, in its order, each once.
    pub missing: Vec<String>,
}

/// Returns how `text` differs from `other`.
pub fn difference(text: &str, other: &str) -> Difference {
    let (own, others) = (tokens(text), tokens(other));
    let has = |tokens: &[Token<'_>]| -> HashSet<String> {
        tokens.iter().map(|token| token.word.clone()).collect()
    };
    let (in_text, in_other) = (has(&own), has(&others));
    let mut difference = Difference::default();
    let mut is_next_to_marked = false;
    for token in &own {
        let is_marked = !in_other.contains(&token.word);
        match difference.own.last_mut() {
            Some(last) if is_marked && is_next_to_marked => last.end = token.bytes.end,
            Some(_) | None if is_marked => difference.own.push(token.bytes.clone()),
            Some(_) | None => {}
        }
        is_next_to_marked = is_marked;
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for token in &others {
        if !in_text.contains(&token.word) && seen.insert(&token.word) {
            difference.missing.push(token.written.to_owned());
        }
    }
    difference
}

/// A word of a text.
struct Token<'t> {
    /// Without the punctuation around it.
    bytes: Range<usize>,
    written: &'t str,
    word: String,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    text.split_whitespace()
        .filter_map(|token| {
            let word = words(token).pop()?;
            let written = token.trim_matches(|char: char| !char.is_alphanumeric());
            let written = if written.is_empty() { token } else { written };
            // Parts of a text have their place in it.
            let start = written.as_ptr() as usize - text.as_ptr() as usize;
            Some(Token {
                bytes: start..start + written.len(),
                written,
                word,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::Fingerprint;

    proptest! {
        #[test]
        fn texts_differ_in_no_word_exactly_if_they_have_the_same(a in "[a-c.!É ]{0,12}", b in "[a-cé ]{0,12}") {
            let found = difference(&a, &b);
            for bytes in &found.own {
                prop_assert!(a.get(bytes.clone()).is_some_and(|part| !part.trim().is_empty()));
            }
            let is_same = Fingerprint::of(&a).words == Fingerprint::of(&b).words;
            prop_assert_eq!(found.own.is_empty() && found.missing.is_empty(), is_same);
            let back = difference(&b, &a);
            prop_assert_eq!(found.own.is_empty(), back.missing.is_empty());
        }
    }

    #[test]
    fn words_that_differ_are_named_without_punctuation() {
        let check = |text: &str, other: &str, own: &[&str], missing: &[&str]| {
            let found = difference(text, other);
            let parts: Vec<&str> = found.own.iter().map(|bytes| &text[bytes.clone()]).collect();
            assert_eq!(parts, own, "{text:?} {other:?}");
            assert_eq!(found.missing, missing, "{text:?} {other:?}");
        };
        let port = "The push relay listens on 8093.";
        check(
            "the push relay still listens on 8093",
            port,
            &["still"],
            &[],
        );
        check(
            port,
            "The push relay (old) listens on 8093, old",
            &[],
            &["old"],
        );
        check("a very big, red boat", "A boat.", &["very big, red"], &[]);
        check("listens on the relay", "the relay listens on", &[], &[]);
        check(
            "",
            port,
            &[],
            &["The", "push", "relay", "listens", "on", "8093"],
        );
        check("日本 — Zürich!", "zürich", &["日本"], &[]);
        check("👍 fine", "fine", &["👍"], &[]);
    }
}
