//! Other spellings of words and numbers in a text: what an editor, a web page or a typesetter puts inside a word.
//!
//! They are only added to the words that are written, so that nothing is lost by them:
//!
//! - entities of HTML: `caf&eacute;`, `caf&#233;`;
//! - blanks without width inside a word;
//! - marks of emphasis around a part of a word, in pairs: `**vio**lin`;
//! - a word that is broken at the end of a line;
//! - numbers with a sign between thousands: `4,000`, `4 000`, `4.000`, `4'000`.

use std::ops::Range;

/// Longest name of an entity in bytes.
const ENTITY_BYTES: usize = 10;
/// Combining marks by the ending of an entity's name, as in `&eacute;`.
const ACCENTS: [(&str, char); 8] = [
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circ", '\u{302}'),
    ("tilde", '\u{303}'),
    ("uml", '\u{308}'),
    ("ring", '\u{30a}'),
    ("caron", '\u{30c}'),
    ("cedil", '\u{327}'),
];
/// Entities that are no letter with an accent.
const ENTITIES: [(&str, &str); 18] = [
    ("nbsp", " "),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("shy", ""),
    ("zwnj", ""),
    ("zwj", ""),
    ("amp", "&"),
    ("apos", "'"),
    ("szlig", "ß"),
    ("aelig", "æ"),
    ("AElig", "Æ"),
    ("oelig", "œ"),
    ("OElig", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("eth", "ð"),
    ("thorn", "þ"),
];

/// A part of a text, on one line, with what it also spells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub place: Range<usize>,
    pub text: String,
}

/// The other spellings in a text, in no order. Numbers are only read if `with_numbers`.
pub(crate) fn spellings(text: &str, with_numbers: bool) -> Vec<Spelling> {
    let mut found = Vec::new();
    if text.contains(['&', '*', '`', '~', '\u{200b}']) {
        for (start, token) in tokens(text) {
            let plain = without_marks(&without_entities(token));
            if plain != token {
                let place = start..start + token.len();
                found.push(Spelling { place, text: plain });
            }
        }
    }
    for (end, _) in text.match_indices('\n') {
        found.extend(broken_word(text, end));
    }
    if with_numbers {
        numbers(text, &mut found);
    }
    found
}

/// The parts of a text between blanks, with their places.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start_of_text = text.as_ptr() as usize;
    let start = move |token: &str| token.as_ptr() as usize - start_of_text;
    text.split_whitespace()
        .map(move |token| (start(token), token))
}

fn without_entities(token: &str) -> String {
    let mut plain = String::with_capacity(token.len());
    let mut rest = token;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest
            .find(';')
            .filter(|end| (2..=ENTITY_BYTES).contains(end));
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((spelled, end)) => {
                plain.push_str(&spelled);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain + rest
}

/// The text of an entity by its name; `None` if the name is none.
fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return Some(char::from_u32(code.ok()?)?.to_string());
    }
    if let Some((_, spelled)) = ENTITIES.iter().find(|(known, _)| *known == name) {
        return Some((*spelled).to_owned());
    }
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let (_, accent) = ACCENTS.iter().find(|(ending, _)| *ending == &name[1..])?;
    Some(format!("{letter}{accent}"))
}

/// A token without blanks of no width between letters, and without pairs of marks of emphasis.
fn without_marks(token: &str) -> String {
    let plain: String = token.chars().filter(|sign| *sign != '\u{200b}').collect();
    let is_mark = |sign: char| matches!(sign, '*' | '`' | '~');
    // Each run of marks, with whether it has letters on both sides.
    let (mut n_runs, mut is_inside) = (0_u32, false);
    let mut before = None;
    let mut signs = plain.chars().peekable();
    while let Some(sign) = signs.next() {
        if !is_mark(sign) {
            before = Some(sign);
            continue;
        }
        while signs.next_if(|next| is_mark(*next)).is_some() {}
        n_runs += 1;
        let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
        is_inside |= is_letter(before) && is_letter(signs.peek().copied());
    }
    match is_inside && n_runs % 2 == 0 {
        true => plain.chars().filter(|sign| !is_mark(*sign)).collect(),
        false => plain,
    }
}

/// The word that is broken before the line break at `end`, with the place of its beginning.
fn broken_word(text: &str, end: usize) -> Option<Spelling> {
    let line = text[..end].trim_end_matches('\r');
    let line = line.strip_suffix(['-', '\u{2010}', '\u{ad}'])?;
    let beginning = last_letters(line);
    let next = text[end + 1..].trim_start_matches([' ', '\t', '>']);
    let rest = &next[..next
        .find(|sign: char| !sign.is_alphabetic())
        .unwrap_or(next.len())];
    let is_word = !beginning.is_empty() && rest.starts_with(char::is_lowercase);
    is_word.then(|| Spelling {
        place: line.len() - beginning.len()..line.len(),
        text: format!("{beginning}{rest}"),
    })
}

/// The letters that a line ends with.
fn last_letters(line: &str) -> &str {
    let start = line.rfind(|sign: char| !sign.is_alphabetic());
    let after = |at: usize| at + line[at..].chars().next().map_or(0, char::len_utf8);
    &line[start.map_or(0, after)..]
}

fn is_thousands_sign(sign: char) -> bool {
    matches!(
        sign,
        ',' | '.' | ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{2009}' | '\u{202f}'
    )
}

/// Adds the numbers with one and the same sign between their thousands, without the sign.
fn numbers(text: &str, found: &mut Vec<Spelling>) {
    let n_digits = |at: usize| {
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit);
        digits.count()
    };
    let mut at = 0;
    while let Some(first) = text[at..].find(|sign: char| sign.is_ascii_digit()) {
        let start = at + first;
        let mut end = start + n_digits(start);
        at = end;
        if end - start > 3 || text.as_bytes()[start] == b'0' {
            continue;
        }
        let mut digits = text[start..end].to_owned();
        let mut sign = None;
        while let Some(next) = text[end..].chars().next() {
            let group = end + next.len_utf8();
            let is_group = is_thousands_sign(next)
                && sign.is_none_or(|sign| sign == next)
                && n_digits(group) == 3;
            if !is_group {
                break;
            }
            sign = Some(next);
            digits.push_str(&text[group..group + 3]);
            end = group + 3;
        }
        // In a date, an address or a version more of the same sign follows or precedes.
        let is_part = |sign: char| {
            let is_digit = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
            let mut after = text[end..].chars();
            let mut before = text[..start].chars().rev();
            after.next() == Some(sign) && is_digit(after.next())
                || before.next() == Some(sign) && is_digit(before.next())
        };
        if let Some(sign) = sign
            && !is_part(sign)
            && !(sign == '.' && digits.len() > 9)
        {
            found.push(Spelling {
                place: start..end,
                text: digits,
            });
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<String> {
        let mut found = spellings(text, true);
        found.sort_by_key(|it| it.place.start);
        for it in &found {
            assert!(!text[it.place.clone()].contains('\n'), "{it:?} of {text:?}");
        }
        found.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn words_that_are_written_in_another_way_are_also_spelled_plainly() {
        for (text, expected) in [
            ("the caf&eacute; opens", &["cafe\u{301}"][..]),
            ("the caf&#233; and caf&#xE9;", &["café", "café"]),
            ("oil&nbsp;lamp", &["oil lamp"]),
            ("R&D and AT&T; a&b;", &[]),
            ("water\u{200b}melon", &["watermelon"]),
            ("a **vio**lin", &["violin"]),
            ("f**k, 2*3, a*b, *whole*, **two words**", &[]),
            ("a water-\nmelon", &["watermelon"]),
            ("> a water-\r\n> melon", &["watermelon"]),
            ("a list -\nmelon, Jean-\nPaul, 4-\nmelon", &[]),
        ] {
            assert_eq!(spelled(text), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_also_spelled_without_the_signs_between_thousands() {
        for (text, expected) in [
            ("4,000 tiles", &["4000"][..]),
            ("4 000, 4.000 and 4'000", &["4000", "4000", "4000"]),
            ("4\u{202f}000\u{202f}000", &["4000000"]),
            ("1,234.56", &["1234"]),
            ("0.125, 4,00, 4,0000, 4000, 12345,678", &[]),
            ("192.168.100.200 and 10.100.200.3", &[]),
            ("4,000.000", &["4000"]),
        ] {
            assert_eq!(spelled(text), expected, "{text:?}");
        }
    }
}
