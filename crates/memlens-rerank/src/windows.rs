//! Cuts texts into pieces that are short enough to be read.

use std::ops::Range;

use crate::{Limits, RerankError};

/// Calls `read` for the parts of `text` in order, until the call is given up. If `read` returns a number of characters,
/// the part is too long, and is cut into pieces of that length.
///
/// # Errors
/// Like [`Limits::check`], and those of `read`.
pub(crate) fn read_parts(
    text: &str,
    mut parts: Vec<Range<usize>>,
    limits: &Limits,
    mut read: impl FnMut(Range<usize>) -> Result<Option<usize>, RerankError>,
) -> Result<(), RerankError> {
    // The next part is the last element.
    parts.reverse();
    while let Some(part) = parts.pop() {
        limits.check()?;
        if let Some(chars_max) = read(part.clone())? {
            let shorter = windows(&text[part.clone()], chars_max);
            let shorter = shorter.iter().rev();
            parts.extend(shorter.map(|it| part.start + it.start..part.start + it.end));
        }
    }
    Ok(())
}

/// Cuts `text` into pieces of at most `chars_max` characters, at least 1, and returns their byte ranges, ascending.
///
/// A piece ends at the last line end that keeps it short enough; in a longer line at the last end of a sentence, then
/// the last blank, then the last sign, then anywhere. White space between pieces belongs to none, so a blank text has
/// no piece.
pub(crate) fn windows(text: &str, chars_max: usize) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = 0;
    loop {
        start = text.len() - text[start..].trim_start().len();
        let rest = text[start..].trim_end();
        if rest.is_empty() {
            return windows;
        }
        let end = match rest.char_indices().nth(chars_max.max(1)) {
            None => rest.len(),
            Some((limit, _)) => last_cut(rest, limit),
        };
        windows.push(start..start + rest[..end].trim_end().len());
        start += end;
    }
}

/// Returns where to cut a text whose piece ends at byte `limit` at the latest; above 0.
fn last_cut(text: &str, limit: usize) -> usize {
    // The character after the piece may be the blank at which it is cut.
    let next = text[limit..].chars().next().map_or(0, char::len_utf8);
    let within = &text[..limit + next];
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':');
    let sentence = || {
        let blanks = within
            .char_indices()
            .rev()
            .filter(|(_, c)| c.is_whitespace());
        blanks
            .map(|(at, _)| at)
            .find(|&at| text[..at].ends_with(is_end))
    };
    within
        .rfind('\n')
        .or_else(sentence)
        .or_else(|| within.rfind(char::is_whitespace))
        .or_else(|| Some(text[..limit].trim_end_matches(char::is_alphanumeric).len()))
        .filter(|&cut| cut > 0)
        .unwrap_or(limit)
}

/// Checks the place of cuts, and that pieces ascend, are short enough and hold all that is not blank.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, chars_max: usize, expected: &[&str]) {
        let found: Vec<&str> = windows(text, chars_max)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_best_place_is_cut_at() {
        check("", 10, &[]);
        check(" \n\n ", 10, &[]);
        check("one\ntwo", 10, &["one\ntwo"]);
        check("one\ntwo\nthree", 10, &["one\ntwo", "three"]);
        check("one\ntwo\nthree", 7, &["one\ntwo", "three"]);
        check("a b. c d e", 8, &["a b.", "c d e"]);
        check("one. 3.14 e", 10, &["one.", "3.14 e"]);
        check("one two three", 8, &["one two", "three"]);
        check("one,two-three", 8, &["one,two-", "three"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check(
            "\u{e9}\u{e9}\u{e9}\u{e9}",
            3,
            &["\u{e9}\u{e9}\u{e9}", "\u{e9}"],
        );
        check("ab", 0, &["a", "b"]);
    }

    proptest! {
        #[test]
        fn pieces_hold_all_that_is_not_blank(text in "[a-c. \\n\u{e9}\u{4e2d}]{0,80}", chars_max in 1_usize..20) {
            let found = windows(&text, chars_max);
            let pieces: Vec<&str> = found.iter().map(|range| &text[range.clone()]).collect();
            let said = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(said(&pieces.concat()), said(&text));
            prop_assert!(found.is_sorted_by(|a, b| a.end <= b.start));
            for piece in pieces {
                prop_assert!(!piece.trim().is_empty() && piece.chars().count() <= chars_max);
            }
        }
    }
}
