//! Terms of a text besides its plain words: identifiers as a whole, letters without accents, and numbers without the signs
//! between their digits.
//!
//! The growth of the vocabulary is bounded: a text of n words has at most 2 n such terms.
//!
//! - The wholes of a run of p words are the run, its stretches between `/ : @ #` and its words in camelCase. Each joins
//!   at least two words, and any two of them are apart or one is in the other, so there are at most p - 1.
//! - Each word has at most one form without accents.
//! - A row of digits that blanks cut into stretches adds one number for each stretch of several groups, and at most three
//!   more if there are several stretches. Each stretch is in another run, so wholes and numbers of a row of n words are
//!   at most 2 n, and its words have no accents.
//!
//! A whole of more than [`WHOLE_BYTES_MAX`] bytes is left out; its parts are found.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::question::Form;
use crate::words::{Word, is_stop_word, places, unstemmed, words};

/// The kind of a term that is no plain word, and its mark in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    /// An identifier without the signs between its words.
    Whole,
    /// Other joined words without the signs between them: `up-to-date`, `and/or`, `GitHub`.
    Compound,
    /// A word without its accents.
    Folded,
    /// The digits of a number, without the signs between them.
    Digits,
}

impl NameKind {
    /// Returns the term as the list stores it.
    pub(crate) fn key(self, term: &str) -> String {
        let mark = match self {
            NameKind::Whole => '=',
            NameKind::Compound => '-',
            NameKind::Folded => '~',
            NameKind::Digits => '#',
        };
        format!("{mark}{term}")
    }
}

/// The maximum length of a whole in bytes.
const WHOLE_BYTES_MAX: usize = 128;
/// How many digits a number has that is also known without the signs between its digits: phone numbers and dates.
pub(crate) const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// How many digits a date has.
const DATE_DIGITS: usize = 8;
/// How many digits a number beside a phone number has that is no part of it: that of a list, or a count.
const COUNT_DIGITS_MAX: usize = 2;
/// How many digits a year has.
const YEAR_DIGITS: usize = 4;

/// A run of words that are joined by single signs, cut into its parts.
#[derive(Debug)]
pub(crate) struct Group {
    /// The parts in order: stretches of camelCase and the words between the signs.
    pub(crate) parts: Vec<Word>,
    /// The index of each joined word's first part.
    firsts: Vec<usize>,
    /// The sign before each joined word but the first.
    signs: Vec<u8>,
}

impl Group {
    /// Returns the byte range of the run.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let (first, last) = (&self.parts[0], &self.parts[self.parts.len() - 1]);
        first.bytes.start..last.bytes.end
    }

    /// Returns whether the run is one word, maybe in camelCase.
    pub(crate) fn is_one_word(&self) -> bool {
        self.signs.is_empty()
    }

    /// Returns whether the run is an identifier however the list holds it: it has one of the signs `_ : @ #`, or a digit
    /// beside letters or signs.
    pub(crate) fn is_name(&self, text: &str) -> bool {
        !self.is_time(text)
            && !self.is_range(text, 0..self.firsts.len())
            && (self.signs.iter().any(is_name_sign)
                || self.parts.len() > 1 && has_digit(&text[self.bytes()]))
    }

    /// Returns whether the run is words with hyphens of which one is a stop word, as "up-to-date".
    pub(crate) fn is_phrase(&self, text: &str) -> bool {
        !self.signs.is_empty()
            && self.signs.iter().all(|sign| *sign == b'-')
            && self
                .parts
                .iter()
                .any(|part| is_stop_word(&text[part.bytes.clone()]))
    }

    /// Returns whether two joined words are a range or a fraction: two numbers with a hyphen or a slash between them.
    fn is_range(&self, text: &str, joined: Range<usize>) -> bool {
        let is_number = |part: &Word| {
            let typed = &text[part.bytes.clone()];
            typed.bytes().all(|byte| byte.is_ascii_digit())
        };
        joined.len() == 2
            && matches!(self.signs[joined.start], b'-' | b'/')
            && self.parts[self.parts_of(joined)].iter().all(is_number)
    }

    /// Returns whether the run is a time of day.
    fn is_time(&self, text: &str) -> bool {
        let is_short_number = |part: &Word| {
            let typed = &text[part.bytes.clone()];
            let hour = typed.trim_end_matches(['a', 'A', 'p', 'P', 'm', 'M']);
            let behind = &typed[hour.len()..];
            (behind.is_empty()
                || behind.eq_ignore_ascii_case("am")
                || behind.eq_ignore_ascii_case("pm"))
                && (1..=2).contains(&hour.len())
                && hour.bytes().all(|byte| byte.is_ascii_digit())
        };
        self.parts.len() > 1
            && self.signs.iter().all(|sign| *sign == b':')
            && self.parts.iter().all(is_short_number)
    }

    /// Returns the run as a whole; `None` if it has one part, is a range of numbers, or is too long.
    pub(crate) fn whole(&self, text: &str) -> Option<String> {
        if self.is_range(text, 0..self.firsts.len()) {
            return None;
        }
        whole_of(text, &self.parts)
    }

    /// Returns all wholes of the run, with their places.
    fn wholes(&self, text: &str) -> Vec<(NameKind, Word)> {
        let n_words = self.firsts.len();
        // Ranges of joined words.
        let mut cuts: Vec<Range<usize>> = std::iter::once(0..n_words).collect();
        if n_words > 1 {
            cuts.extend((0..n_words).map(|word| word..word + 1));
            let mut start = 0;
            for (at, sign) in self.signs.iter().enumerate() {
                if matches!(sign, b'/' | b':' | b'@' | b'#') {
                    cuts.push(start..at + 1);
                    start = at + 1;
                }
            }
            if start > 0 {
                cuts.push(start..n_words);
            }
        }
        cuts.sort_unstable_by_key(|cut| (cut.start, cut.end));
        cuts.dedup();
        let whole = |cut: Range<usize>| {
            if self.is_range(text, cut.clone()) {
                return None;
            }
            let parts = &self.parts[self.parts_of(cut.clone())];
            let term = whole_of(text, parts)?;
            let bytes = parts.first()?.bytes.start..parts.last()?.bytes.end;
            Some((self.kind(text, cut), Word { term, bytes }))
        };
        cuts.into_iter().filter_map(whole).collect()
    }

    /// Returns the parts of a range of joined words.
    fn parts_of(&self, words: Range<usize>) -> Range<usize> {
        let first_of = |word: usize| self.firsts.get(word).map_or(self.parts.len(), |it| *it);
        first_of(words.start)..first_of(words.end)
    }

    /// Returns how the list stores a range of joined words. Hyphens alone make no identifier of words, and neither does
    /// the second capital of a name (`GitHub`).
    fn kind(&self, text: &str, joined: Range<usize>) -> NameKind {
        let signs = &self.signs[joined.start..joined.end - 1];
        let of_word = |word: usize| &self.parts[self.parts_of(word..word + 1)];
        let is_camel = |word: usize| match of_word(word) {
            [first, second] => {
                let mut first = text[first.bytes.clone()].chars();
                let mut second = text[second.bytes.clone()].chars();
                first.next().is_some_and(char::is_lowercase)
                    && first.next().is_some()
                    && second.any(char::is_lowercase)
            }
            parts => parts.len() > 2,
        };
        let mut each = joined.clone();
        let parts = &self.parts[self.parts_of(joined)];
        let has_digit = parts
            .iter()
            .any(|part| has_digit(&text[part.bytes.clone()]));
        let is_joined_otherwise =
            signs.iter().any(|sign| *sign != b'-') || each.clone().any(|it| of_word(it).len() > 1);
        let is_identifier = signs.iter().any(is_name_sign)
            || each.any(is_camel)
            || has_digit && is_joined_otherwise;
        if is_identifier && !self.is_time(text) {
            NameKind::Whole
        } else {
            NameKind::Compound
        }
    }
}

fn is_name_sign(sign: &u8) -> bool {
    matches!(sign, b'_' | b':' | b'@' | b'#')
}

/// Returns the words of a text and the runs that they are joined to.
pub(crate) fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for word in words(text) {
        let joined = groups.last_mut().and_then(|group| {
            let end = group.bytes().end;
            let sign = *text.as_bytes().get(end)?;
            let is_joiner = matches!(sign, b'.' | b'-' | b'_' | b'/' | b':' | b'@' | b'#' | b'+');
            (is_joiner && word.bytes.start == end + 1).then_some((group, sign))
        });
        let group = match joined {
            Some((group, sign)) => {
                group.signs.push(sign);
                group.firsts.push(group.parts.len());
                group
            }
            None => {
                groups.push(Group {
                    parts: Vec::new(),
                    firsts: vec![0],
                    signs: Vec::new(),
                });
                groups.last_mut().expect("it was just added")
            }
        };
        let cuts = camel_cuts(&text[word.bytes.clone()]);
        if cuts.is_empty() {
            group.parts.push(word);
            continue;
        }
        let mut start = word.bytes.start;
        let ends = cuts.iter().map(|cut| word.bytes.start + cut);
        for end in ends.chain([word.bytes.end]) {
            group
                .parts
                .extend(words(&text[start..end]).into_iter().map(|part| Word {
                    term: part.term,
                    bytes: start + part.bytes.start..start + part.bytes.end,
                }));
            start = end;
        }
    }
    groups
}

/// Returns where the parts of a word in camelCase begin, without the first. A word that is too long to be known as a
/// whole is not cut: it would be lost.
fn camel_cuts(word: &str) -> Vec<usize> {
    if word.len() > WHOLE_BYTES_MAX {
        return Vec::new();
    }
    let is_capital = |c: char| c.is_uppercase();
    // Most words have no capital behind their first letter.
    if !word.chars().skip(1).any(is_capital) {
        return Vec::new();
    }
    // A mark belongs to the letter before it.
    let is_letter = |c: char| c.is_alphanumeric() && !is_combining_mark(c);
    let letters = word.char_indices().filter(|(_, c)| is_letter(*c));
    let letters: Vec<(usize, char)> = letters.collect();
    let mut cuts = Vec::new();
    for at in 1..letters.len() {
        let (before, (place, c)) = (letters[at - 1].1, letters[at]);
        let next = letters.get(at + 1).map(|(_, next)| *next);
        let is_word = next.is_some_and(char::is_lowercase);
        let starts =
            before.is_lowercase() || (is_capital(before) || before.is_numeric()) && is_word;
        if is_capital(c) && starts {
            cuts.push(place);
        }
    }
    cuts
}

/// Joins parts, in lower case and without the signs between them. A point stays between two digits, so that `1.23` and
/// `12.3` differ; a `v` before a version does not.
pub(crate) fn whole_of(text: &str, parts: &[Word]) -> Option<String> {
    let (first, last) = (parts.first()?, parts.last()?);
    if parts.len() < 2 || last.bytes.end - first.bytes.start > WHOLE_BYTES_MAX {
        return None;
    }
    let mut whole = String::new();
    for (at, part) in parts.iter().enumerate() {
        let lower = unstemmed(&text[part.bytes.clone()]);
        let mut lower = lower.first()?.term.as_str();
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if at == 0
            && let Some(number) = lower.strip_prefix('v')
            && is_number(number)
            && is_number(&text[parts[1].bytes.clone()])
        {
            lower = number;
        }
        if whole.ends_with(|c: char| c.is_ascii_digit())
            && lower.starts_with(|c: char| c.is_ascii_digit())
        {
            whole.push('.');
        }
        whole.push_str(lower);
    }
    Some(stemmed_whole(whole))
}

/// Returns the whole as the same letters would be stored if they were one word.
fn stemmed_whole(whole: String) -> String {
    match words(&whole).as_slice() {
        [word] if word.bytes == (0..whole.len()) => word.term.clone(),
        _ => whole,
    }
}

/// Returns the terms of a text besides its plain words, each with its place: wholes, words without accents, digits.
pub(crate) fn names(text: &str, groups: &[Group]) -> Vec<(NameKind, Word)> {
    let mut names = Vec::new();
    for group in groups {
        if group.parts.len() > 1 {
            names.extend(group.wholes(text));
        }
        for part in &group.parts {
            if let Some(term) = folded(&text[part.bytes.clone()]) {
                let bytes = part.bytes.clone();
                names.push((NameKind::Folded, Word { term, bytes }));
            }
        }
    }
    let numbers = numbers(text).into_iter();
    names.extend(numbers.map(|number| (NameKind::Digits, number)));
    names
}

/// Returns the stem of a word without its accents, or `None` if it has none. Only Latin and Greek letters lose them, and
/// the Cyrillic ё: in other scripts a mark makes another letter.
pub(crate) fn folded(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let lower = unstemmed(word);
    let [lower] = lower.as_slice() else {
        return None;
    };
    let mut plain = String::new();
    let mut is_base_folded = false;
    for c in lower.term.nfd() {
        if is_combining_mark(c) {
            if !is_base_folded {
                plain.push(c);
            }
            continue;
        }
        is_base_folded =
            matches!(c, 'a'..='z' | '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' | 'е');
        match c {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ı' => plain.push('i'),
            c => plain.push(c),
        }
    }
    let plain: String = plain.nfc().collect();
    if plain == lower.term {
        return None;
    }
    words(&plain).pop().map(|word| word.term)
}

/// Returns numbers that are written in groups of digits with signs between them, without these signs: each row of such
/// groups, and each stretch of it without blanks, so that a date is also known if a time or another number follows.
///
/// A count may be before or after a number with blanks, and two numbers beside each other: see [`rows_of`]. A point before
/// a blank ends a row.
pub(crate) fn numbers(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_sign =
        |at: usize| matches!(bytes.get(at), Some(b' ' | b'-' | b'.' | b'/' | b'(' | b')'));
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let mut groups: Vec<Range<usize>> = Vec::new();
        loop {
            let start = at;
            while is_digit(at) {
                at += 1;
            }
            groups.push(start..at);
            if is_sign(at) && is_digit(at + 1) {
                at += 1;
            } else if is_sign(at)
                && is_sign(at + 1)
                && is_digit(at + 2)
                && bytes[at..at + 2] != *b". "
            {
                at += 2;
            } else {
                break;
            }
        }
        let is_blank_between =
            |a: &Range<usize>, b: &Range<usize>| bytes[a.end..b.start].contains(&b' ');
        let stretches: Vec<&[Range<usize>]> =
            groups.chunk_by(|a, b| !is_blank_between(a, b)).collect();
        numbers.extend(
            rows_of(&stretches)
                .into_iter()
                .filter_map(|of| number(text, &groups[of])),
        );
        numbers.extend(stretches.into_iter().filter_map(|it| number(text, it)));
    }
    numbers
}

/// Returns the ranges of a row's groups that may be one number, each of several stretches: the row, the row without a
/// short first or last stretch, and its halves if they are alike and the row is too long for a number. A part of a number
/// is none of these: numbers that differ behind it would be one.
fn rows_of(stretches: &[&[Range<usize>]]) -> Vec<Range<usize>> {
    let n = stretches.len();
    let n_digits: Vec<usize> = stretches
        .iter()
        .map(|groups| groups.iter().map(Range::len).sum())
        .collect();
    let is_count = |at: usize| {
        let mut others = (0..n).filter(|other| *other != at);
        n_digits[at] <= COUNT_DIGITS_MAX && others.all(|other| n_digits[at] < n_digits[other])
    };
    let mut rows: Vec<Range<usize>> = Vec::new();
    if n > 1 {
        rows.push(0..n);
    }
    if n > 2 && is_count(0) {
        rows.push(1..n);
    }
    if n > 2 && is_count(n - 1) {
        rows.push(0..n - 1);
    }
    let half = n / 2;
    let is_long = n_digits.iter().sum::<usize>() > *DIGITS.end();
    if n > 2 && is_long && n_digits[..half] == n_digits[half..] {
        rows.extend([0..half, half..n]);
    }
    let n_groups = |n: usize| stretches[..n].iter().map(|it| it.len()).sum();
    rows.into_iter()
        .map(|row| n_groups(row.start)..n_groups(row.end))
        .collect()
}

/// Joins groups of digits; `None` if they are one group, have too few or too many digits, or are part of a word. The `T`
/// between a date and a time is none.
fn number(text: &str, groups: &[Range<usize>]) -> Option<Word> {
    let (start, end) = (groups.first()?.start, groups.last()?.end);
    let n_digits: usize = groups.iter().map(Range::len).sum();
    if groups.len() < 2 || !DIGITS.contains(&n_digits) {
        return None;
    }
    let mut after = text[end..].chars();
    let next = after.next();
    let is_time = n_digits == DATE_DIGITS
        && matches!(next, Some('T' | 't'))
        && after.next().is_some_and(|c| c.is_ascii_digit());
    if is_ambiguous(text, groups) {
        return None;
    }
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    if is_letter(text[..start].chars().next_back()) || is_letter(next) && !is_time {
        return None;
    }
    let digits = groups.iter().map(|group| &text[group.clone()]);
    Some(Word {
        term: digits.collect(),
        bytes: start..end,
    })
}

/// Returns whether another number may have the same digits in other groups: addresses and versions with points, and dates
/// whose month or day has one digit, also with a port, a prefix length or a time behind them.
fn is_ambiguous(text: &str, groups: &[Range<usize>]) -> bool {
    let is_year = |group: &Range<usize>| {
        let digits = &text[group.clone()];
        digits.len() == YEAR_DIGITS && (digits.starts_with("19") || digits.starts_with("20"))
    };
    let is_short = |group: &Range<usize>| group.len() <= 2;
    let is_date = |of: &[Range<usize>]| {
        is_year(&of[0]) && is_short(&of[1]) && is_short(&of[2])
            || is_short(&of[0]) && is_short(&of[1]) && is_year(&of[2])
    };
    let n_digits = |of: &[Range<usize>]| of.iter().map(Range::len).sum::<usize>();
    let mut dates = groups.windows(3).filter(|of| is_date(of));
    if dates.any(|of| n_digits(of) != DATE_DIGITS) {
        return true;
    }
    // A date of eight digits is unambiguous, also with points.
    let is_whole_date = |of: &[Range<usize>]| of.len() >= 3 && is_date(&of[..3]);
    let is_point = |a: &Range<usize>, b: &Range<usize>| &text[a.end..b.start] == ".";
    let is_long = |group: &Range<usize>| group.len() >= YEAR_DIGITS && !is_year(group);
    let n_min = if groups.len() == 2 { 2 } else { 3 };
    groups
        .chunk_by(is_point)
        .map(|row| if is_whole_date(row) { &row[3..] } else { row })
        .any(|row| row.len() >= n_min && !row.iter().any(is_long))
}

pub(crate) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns where a text holds one of a question's words in any form, in reading order; ranges may overlap.
pub(crate) fn places_of(text: &str, plain: &HashSet<&str>, forms: &[&Form]) -> Vec<Range<usize>> {
    let mut found = places(text, plain);
    if forms.is_empty() {
        return found;
    }
    let mut stems: HashSet<&str> = plain.clone();
    let mut wholes: HashSet<(NameKind, &str)> = HashSet::new();
    let mut prefixes: Vec<&str> = Vec::new();
    for form in forms {
        match form {
            Form::Word(term) => {
                stems.insert(term);
            }
            Form::Name(kind, term) => {
                wholes.insert((*kind, term));
            }
            Form::Prefix(prefix) => prefixes.push(prefix),
        }
    }
    let groups = groups(text);
    for part in groups.iter().flat_map(|group| &group.parts) {
        let is_prefixed = prefixes.iter().any(|prefix| part.term.starts_with(prefix));
        if stems.contains(part.term.as_str()) || is_prefixed {
            found.push(part.bytes.clone());
        }
    }
    for (kind, name) in names(text, &groups) {
        let is_joined = matches!(kind, NameKind::Whole | NameKind::Compound);
        let is_prefixed = is_joined && prefixes.iter().any(|prefix| name.term.starts_with(prefix));
        if wholes.contains(&(kind, name.term.as_str())) || is_prefixed {
            found.push(name.bytes);
        }
    }
    found.sort_by_key(|place| (place.start, place.end));
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, kind: NameKind) -> Vec<String> {
        let found = names(text, &groups(text)).into_iter();
        found
            .filter(|it| it.0 == kind)
            .map(|it| it.1.term)
            .collect()
    }

    fn check_wholes(text: &str, expected: &[&str]) {
        let found = names(text, &groups(text)).into_iter();
        let wholes: Vec<String> = found
            .filter(|(kind, _)| matches!(kind, NameKind::Whole | NameKind::Compound))
            .map(|(_, name)| name.term)
            .collect();
        assert_eq!(wholes, expected, "{text}");
    }

    #[test]
    fn words_with_hyphens_and_names_of_products_are_no_identifiers() {
        for text in [
            "up-to-date",
            "and/or",
            "e.g",
            "GitHub",
            "top-3",
            "FIN-779",
            "Next.js",
            "iPhone",
        ] {
            assert_eq!(of(text, NameKind::Whole), [""; 0], "{text}");
            assert_eq!(of(text, NameKind::Compound).len(), 1, "{text}");
        }
        for text in [
            "merge_user",
            "mergeUser",
            "MergeUserQueue",
            "a@b",
            "v1.2.3",
            "10.4.17.23",
            "batch-3.toml",
            "sha256Hash",
        ] {
            assert_eq!(of(text, NameKind::Whole).len(), 1, "{text}");
        }
    }

    #[test]
    fn camel_case_is_cut_behind_digits_and_marks() {
        let check = |text: &str, expected: &[&str]| {
            let groups = groups(text);
            let parts: Vec<&str> = groups
                .iter()
                .flat_map(|group| &group.parts)
                .map(|part| &text[part.bytes.clone()])
                .collect();
            assert_eq!(parts, expected, "{text}");
        };
        check("sha256Hash s3Bucket", &["sha256", "Hash", "s3", "Bucket"]);
        check(
            "cafe\u{301}Name caféName",
            &["cafe\u{301}", "Name", "café", "Name"],
        );
        check(
            "HTTPServer 3D 5GHZ MP3",
            &["HTTP", "Server", "3D", "5GHZ", "MP3"],
        );
        check("2026-11-26T10:30", &["2026", "11", "26T10", "30"]);
    }

    #[test]
    fn joined_words_are_one_whole_in_every_style() {
        check_wholes(
            "mergeUserCache, merge_user_cache, merge-user-cache",
            &["mergeusercach"; 3],
        );
        check_wholes(
            "HTTPServer parseJSON2 iOS",
            &["httpserver", "parsejson2", "io"],
        );
        check_wholes("v1.2.3 1.2.3 V1.2.3", &["1.2.3"; 3]);
        check_wholes("12.3 1.23", &["12.3", "1.23"]);
        check_wholes("OPS-77 ops_77 #1701", &["ops77", "ops77"]);
        check_wholes(
            "/srv/batch-3/config.toml",
            &["srvbatch3configtoml", "batch3", "configtoml"],
        );
        check_wholes("one two. Three, and don't", &[]);
        let long = format!("a{}", "_b".repeat(200));
        check_wholes(&long, &[]);
    }

    #[test]
    fn numbers_are_known_without_their_signs() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(of(text, NameKind::Digits), expected, "{text}")
        };
        check(
            "+49 30 1234 567 and 2026-11-26",
            &["49301234567", "20261126"],
        );
        check("(030) 1234-567", &["0301234567", "1234567"]);
        check("on 2026-11-26 10:30", &["2026112610", "20261126"]);
        check("2026-11-26T10:30:00Z", &["20261126"]);
        check("2026-11-26 3 of 1/2", &["202611263", "20261126"]);
        check("2026-11-26Tue 1234-567T8", &[]);
        check("10.4 and 1.2.3 and 1234567", &[]);
        check("1 2 3 4 5 6 7 8 9 10 11 12 13", &[]);
        check("x12-345678", &[]);
        check("1. 030 1234567", &["0301234567"]);
        check("1) 030 1234567", &["10301234567", "0301234567"]);
        check("030 1234567 2 times", &["03012345672", "0301234567"]);
        check("030 1234567. 2 times", &["0301234567"]);
        check("030 1234567 030 7654321", &["0301234567", "0307654321"]);
        check("12 34 56 78 90", &["1234567890"]);
    }

    #[test]
    fn accents_go_where_they_make_no_other_letter() {
        for (word, expected) in [
            ("Café", Some("cafe")),
            ("Ørsted", Some("orst")),
            ("straße", Some("strass")),
            ("й", None),
            ("cafe", None),
            ("नमस्ते", None),
            ("水", None),
        ] {
            assert_eq!(folded(word).as_deref(), expected, "{word}");
        }
    }

    fn assert_bounded(text: &str) {
        let groups = groups(text);
        let n_words: usize = groups.iter().map(|group| group.parts.len()).sum();
        let n_names = names(text, &groups).len();
        assert!(n_names <= 2 * n_words, "{n_names} of {n_words}: {text}");
    }

    #[test]
    fn the_densest_texts_are_within_the_bound() {
        for text in [
            "aB_cD/eF_gH:iJ@kL#mN ",
            "éB_cÉ/éF_gÉ:ñÑ ",
            "1-234567 8 1-234567 ",
            "1/234567:1/234567_1 234567 ",
            "12-345 678:12-345 678 ",
            "030 1234567 030 7654321 ",
            "1 030 123 45 2 é-12 345 678-é ",
        ] {
            assert_bounded(text);
            assert_bounded(&text.repeat(50));
            assert_bounded(&text.replace(' ', "/").repeat(50));
            assert_bounded(&text.replace(' ', "").repeat(50));
        }
        // Each kind by itself reaches what the bound allows it.
        let n_of = |text: &str, kind| of(text, kind).len();
        let joined = "aB_cD/eF_gH";
        let n_joined = [NameKind::Whole, NameKind::Compound].map(|kind| n_of(joined, kind));
        assert_eq!(n_joined, [3, 4]);
        assert_eq!(n_of("é ñ ü", NameKind::Folded), 3);
        assert_eq!(n_of("1-234567 8 1-234567", NameKind::Digits), 3);
    }

    proptest! {
        #[test]
        fn no_text_has_more_terms_than_the_bound(
            text in "([a-zé]{1,2}|[A-ZÉ]|[0-9]{1,7}|[-_/:@#.+ ()]|水|ﷺ|e\u{301}){0,60}",
            other in "\\PC{0,40}",
        ) {
            assert_bounded(&text);
            assert_bounded(&other);
        }
    }

    #[test]
    fn the_vocabulary_of_a_text_is_bounded() {
        use std::fmt::Write as _;
        let check = |text: &str| {
            let groups = groups(text);
            let n_words: usize = groups.iter().map(|group| group.parts.len()).sum();
            let names = names(text, &groups);
            assert!(names.len() <= 2 * n_words, "{} of {n_words}", names.len());
            let longest = groups
                .iter()
                .flat_map(|group| &group.parts)
                .map(|part| part.term.len())
                .max();
            assert!(longest.is_none_or(|longest| longest <= 256));
            assert!(
                names
                    .iter()
                    .all(|name| name.1.term.len() <= 2 * WHOLE_BYTES_MAX)
            );
            (n_words, names.len())
        };
        assert_eq!(check(&"0f".repeat(5 << 19)), (1, 0));
        assert_eq!(check(&"0f-".repeat(1 << 19)).1, 0);
        let mut identifiers = String::new();
        for at in 0..100_000 {
            write!(identifiers, "loadItem{at}FromQueue ").expect("a string takes everything");
        }
        assert_eq!(check(&identifiers), (400_000, 100_000));
    }
}
