//! A text without its markup, so that a name and its value are adjacent.
//!
//! Properties checked: emphasis, code marks, tags and invisible signs are removed; every part of the plain text can be
//! mapped back to the original.

use std::ops::Range;

/// A text without its markup, with offsets into the original.
pub(super) struct Plain {
    pub text: String,
    /// For each byte of the plain text, where its character is in the original one.
    places: Vec<(usize, usize)>,
}

/// Longest tag that is taken for one.
const TAG_MAX: usize = 100;

impl Plain {
    pub fn of(original: &str) -> Plain {
        let mut plain = Plain {
            text: String::with_capacity(original.len()),
            places: Vec::with_capacity(original.len()),
        };
        let mut before = None;
        let mut at = 0;
        while let Some(sign) = original[at..].chars().next() {
            let end = at + sign.len_utf8();
            let after = original[end..].chars().next();
            if sign == '<'
                && let Some(length) = tag(&original[at..])
            {
                at += length;
                continue;
            }
            if sign == '_' {
                let length = original[at..].len() - original[at..].trim_start_matches('_').len();
                let is_word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
                // Within a name they are a part of it.
                if is_word(before) && is_word(original[at + length..].chars().next()) {
                    (at..at + length).for_each(|at| plain.push('_', at..at + 1));
                }
                at += length;
                continue;
            }
            if !is_markup(sign, before, after) {
                plain.push(simple(sign), at..end);
            }
            before = Some(sign);
            at = end;
        }
        plain
    }

    fn push(&mut self, sign: char, place: Range<usize>) {
        self.text.push(sign);
        let n = sign.len_utf8();
        self.places
            .extend(std::iter::repeat_n((place.start, place.end), n));
    }

    /// Where a part of the plain text is in the original one; what was left out within it belongs to it.
    pub fn original(&self, span: Range<usize>) -> Range<usize> {
        match (
            self.places.get(span.start),
            self.places.get(span.end.wrapping_sub(1)),
        ) {
            (Some((start, _)), Some((_, end))) if span.start < span.end => *start..*end,
            _ => 0..0,
        }
    }
}

/// Whether a sign only sets off what is beside it.
fn is_markup(sign: char, before: Option<char>, after: Option<char>) -> bool {
    match sign {
        '*' | '`' => true,
        '~' => before == Some('~') || after == Some('~'),
        // Soft hyphen, marks of direction, joiners and what has no width.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => true,
        _ => false,
    }
}

/// The same sign in ASCII, if there is one that means the same.
fn simple(sign: char) -> char {
    match sign {
        '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '『' | '』' | '＂' => '"',
        '‘' | '’' | '‚' | '‹' | '›' => '\'',
        '：' | '﹕' | '꞉' => ':',
        '＝' => '=',
        '｜' => '|',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        _ => sign,
    }
}

/// The length of the HTML tag at the beginning of a text.
fn tag(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.starts_with(|sign: char| sign.is_ascii_lowercase())
        .then_some(())?;
    let end = rest
        .bytes()
        .take(TAG_MAX)
        .position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
    let is_known = TAGS.contains(
        &name
            .split(|sign: char| !sign.is_ascii_alphanumeric())
            .next()?,
    );
    (is_known && rest.as_bytes()[end] == b'>').then_some(end + 2)
}

/// Tags that set off a text.
const TAGS: [&str; 14] = [
    "b", "br", "code", "em", "i", "kbd", "li", "mark", "p", "span", "strong", "td", "th", "u",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_the_text_stays() {
        for (original, plain) in [
            ("**Password:** hunter2", "Password: hunter2"),
            ("__Password:__ `hunter2`", "Password: hunter2"),
            ("_password_: hunter2", "password: hunter2"),
            ("DB_PASSWORD=a__b", "DB_PASSWORD=a__b"),
            ("***___Pass___*** word_", "Pass word"),
            ("<b>Password</b>: <code>hunter2</code>", "Password: hunter2"),
            ("pass\u{200b}word： “hunter2”", "password: \"hunter2\""),
            ("a < b > c <your password>", "a < b > c <your password>"),
            ("~~old~~ ~/notes", "old ~/notes"),
            ("", ""),
        ] {
            assert_eq!(Plain::of(original).text, plain, "{original}");
        }
    }

    #[test]
    fn parts_are_found_again() {
        let original = "é **pass**: “hun`te`r2” ß";
        let plain = Plain::of(original);
        for (part, expected) in [
            ("pass", "pass"),
            ("hunter2", "hun`te`r2"),
            ("é", "é"),
            ("ß", "ß"),
            ("\"hunter2\"", "“hun`te`r2”"),
        ] {
            let at = plain.text.find(part).expect(part);
            let span = plain.original(at..at + part.len());
            assert_eq!(&original[span], expected);
        }
        assert_eq!(plain.original(0..0), 0..0);
    }
}
