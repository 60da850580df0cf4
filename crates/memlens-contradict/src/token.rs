//! Tokens of a sentence: words in lower case, numbers, unit signs and breaks, each with its bytes.

use std::ops::Range;

/// The kind of a token, with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Letters, also with digits, `_`, inner `-`, `'` and `.`.
    Word {
        lower: String,
        /// It begins with a capital letter.
        is_capital: bool,
    },
    /// A plain number.
    Number(f64),
    /// Hours and minutes, in minutes.
    Clock(u32),
    /// Year, month, day.
    Date(Option<u32>, u8, u8),
    /// Digits of another form: a version, an address, a telephone number, a number with leading zeros.
    Code(String),
    /// `%`, `€`, `$`, `£`, `°`, `#`.
    Sign(&'static str),
    /// Punctuation that separates clauses.
    Break(char),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) shape: Shape,
    /// Byte range in the text.
    pub(crate) bytes: Range<usize>,
    /// Whether it follows the token before without white space.
    pub(crate) is_glued: bool,
    /// Whether it is inside quotation marks.
    pub(crate) is_quoted: bool,
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        if let Shape::Word { lower, .. } = &self.shape {
            Some(lower)
        } else {
            None
        }
    }

    pub(crate) fn is_break(&self) -> bool {
        matches!(self.shape, Shape::Break(_))
    }
}

/// Returns the tokens of a part of `text`.
pub(crate) fn tokens(text: &str, part: Range<usize>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let end = part.end;
    let mut at = part.start;
    let mut is_quoted = false;
    // Between single marks, which are apostrophes elsewhere.
    let mut single_end = at;
    let mut last_end = usize::MAX;
    while let Some(char) = text[at..end].chars().next() {
        let rest = &text[at..end];
        let (shape, length) = if char.is_alphabetic() || char == '_' {
            word(rest)
        } else if char.is_ascii_digit() || is_negative(rest, tokens.last(), last_end == at) {
            number(rest)
        } else {
            let shape = match char {
                '%' => Some(Shape::Sign("%")),
                '\u{20ac}' => Some(Shape::Sign("\u{20ac}")),
                '$' => Some(Shape::Sign("$")),
                '\u{a3}' => Some(Shape::Sign("\u{a3}")),
                '\u{b0}' => Some(Shape::Sign("\u{b0}")),
                '#' => Some(Shape::Sign("#")),
                '+' | '~' | '<' | '>' | '\u{2264}' | '\u{2265}' | '\u{2192}' => {
                    Some(Shape::Break(char))
                }
                ',' | ';' | ':' | '(' | ')' | '[' | ']' | '\u{2013}' | '\u{2014}' | '!' | '?'
                | '/' | '=' => Some(Shape::Break(char)),
                '.' => Some(Shape::Break('.')),
                '"' => {
                    is_quoted = !is_quoted;
                    None
                }
                '\u{201c}' => {
                    is_quoted = true;
                    None
                }
                '\u{201d}' => {
                    is_quoted = false;
                    None
                }
                '\'' | '\u{2018}' => {
                    let is_behind_word = text[part.start..at].ends_with(char::is_alphanumeric);
                    if at >= single_end && !is_behind_word {
                        single_end = single_quote_end(rest).map_or(at, |length| at + length);
                    }
                    None
                }
                _ => None,
            };
            match shape {
                Some(shape) => (shape, char.len_utf8()),
                None => {
                    at += char.len_utf8();
                    continue;
                }
            }
        };
        tokens.push(Token {
            shape,
            bytes: at..at + length,
            is_glued: last_end == at,
            is_quoted: is_quoted || at < single_end,
        });
        at += length;
        last_end = at;
    }
    tokens
}

/// Returns how many bytes a quotation has that begins with a single mark, up to the mark that ends it; `None` if none does. An
/// apostrophe inside a word ends none.
fn single_quote_end(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().peekable();
    chars.next();
    let (_, first) = chars.peek()?;
    if !first.is_alphanumeric() {
        return None;
    }
    while let Some((at, char)) = chars.next() {
        let is_inside = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if matches!(char, '\'' | '\u{2019}') && !is_inside {
            return Some(at);
        }
    }
    None
}

/// Returns whether a minus sign begins a negative number, and is no dash, bullet or range.
fn is_negative(rest: &str, before: Option<&Token>, is_glued: bool) -> bool {
    rest.starts_with('-')
        && !is_glued
        && before.is_some_and(|before| !before.is_break())
        && rest[1..].starts_with(|next: char| next.is_ascii_digit())
}

fn word(rest: &str) -> (Shape, usize) {
    let mut chars = rest.char_indices().peekable();
    let mut length = 0;
    let mut is_after_letter = false;
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_inside = char.is_alphanumeric()
            || char == '_'
            || (is_after_letter
                && matches!(char, '-' | '\'' | '\u{2019}')
                && next.is_some_and(char::is_alphanumeric))
            || (char == '.'
                && is_after_letter
                && next.is_some_and(|next| next.is_lowercase() || next.is_ascii_digit()));
        if !is_inside {
            break;
        }
        is_after_letter = char.is_alphanumeric() || char == '_';
        length = at + char.len_utf8();
    }
    let word = &rest[..length];
    let is_capital = word.starts_with(char::is_uppercase);
    let lower = word.to_lowercase().replace('\u{2019}', "'");
    (Shape::Word { lower, is_capital }, length)
}

/// Reads what begins with a digit or a minus sign. Letters behind it ("30d", "5pm") are another token.
fn number(rest: &str) -> (Shape, usize) {
    let bytes = rest.as_bytes();
    let sign = usize::from(bytes[0] == b'-');
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut length = sign;
    while is_digit(length)
        || (matches!(bytes.get(length), Some(b'.' | b',' | b':' | b'-')) && is_digit(length + 1))
    {
        length += 1;
    }
    let raw = &rest[sign..length];
    let shape = clock(raw)
        .or_else(|| iso_date(raw))
        .or_else(|| plain(raw))
        .unwrap_or_else(|| Shape::Code(raw.to_owned()));
    let shape = if let Shape::Number(number) = shape
        && sign == 1
    {
        Shape::Number(-number)
    } else {
        shape
    };
    (shape, length)
}

fn clock(raw: &str) -> Option<Shape> {
    let mut parts = raw.split(':');
    let (hours, minutes) = (parts.next()?, parts.next()?);
    if hours.len() > 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 25 && minutes < 60).then_some(Shape::Clock(hours * 60 + minutes))
}

fn iso_date(raw: &str) -> Option<Shape> {
    let mut parts = raw.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() != 2 || day.len() != 2 || parts.next().is_some() {
        return None;
    }
    let (month, day): (u8, u8) = (month.parse().ok()?, day.parse().ok()?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(Shape::Date(year.parse().ok(), month, day))
}

fn plain(raw: &str) -> Option<Shape> {
    let is_padded = raw.len() > 1 && raw.starts_with('0') && !raw.starts_with("0.");
    if is_padded || raw.len() > 15 {
        return None;
    }
    // Thousands are separated by commas.
    let mut groups = raw.split(',');
    let first = groups.next()?;
    let digits: String = if raw.contains(',') {
        let whole = raw.split('.').next()?;
        let are_thousands = !first.is_empty()
            && first.len() <= 3
            && whole.split(',').skip(1).all(|group| group.len() == 3);
        if !are_thousands {
            return None;
        }
        raw.replace(',', "")
    } else {
        raw.to_owned()
    };
    digits.parse().ok().map(Shape::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<Shape> {
        tokens(text, 0..text.len())
            .into_iter()
            .map(|token| token.shape)
            .collect()
    }

    fn word(lower: &str, is_capital: bool) -> Shape {
        Shape::Word {
            lower: lower.to_owned(),
            is_capital,
        }
    }

    #[test]
    fn numbers_are_recognised_by_their_form() {
        for (text, expected) in [
            ("8093", Shape::Number(8093.0)),
            ("1,000", Shape::Number(1000.0)),
            ("0.5", Shape::Number(0.5)),
            ("05:45", Shape::Clock(345)),
            ("2026-05-02", Shape::Date(Some(2026), 5, 2)),
            ("2026-13-02", Shape::Code("2026-13-02".to_owned())),
            ("0042", Shape::Code("0042".to_owned())),
            ("1.4.2", Shape::Code("1.4.2".to_owned())),
            ("192.168.20.1", Shape::Code("192.168.20.1".to_owned())),
            ("555-0142", Shape::Code("555-0142".to_owned())),
            ("12,5", Shape::Code("12,5".to_owned())),
            ("99:99", Shape::Code("99:99".to_owned())),
            ("99999999999999999999", Shape::Code("9".repeat(20))),
        ] {
            assert_eq!(shapes(text), [expected], "{text}");
        }
        assert_eq!(shapes("it is -5")[2], Shape::Number(-5.0));
        assert_eq!(shapes("- 5"), [Shape::Number(5.0)]);
        assert_eq!(shapes("30d"), [Shape::Number(30.0), word("d", false)]);
    }

    #[test]
    fn single_marks_quote_and_apostrophes_do_not() {
        let quoted = |text: &str| -> Vec<String> {
            let tokens = tokens(text, 0..text.len()).into_iter();
            tokens
                .filter(|token| token.is_quoted)
                .map(|token| text[token.bytes].to_owned())
                .collect()
        };
        assert_eq!(quoted("it says 'not open' here"), ["not", "open"]);
        assert_eq!(
            quoted("it says \u{2018}don\u{2019}t open\u{2019} here"),
            ["don\u{2019}t", "open"]
        );
        assert_eq!(quoted("'a' and 'b'"), ["a", "b"]);
        assert_eq!(
            quoted("the users' notes aren't Ana's"),
            Vec::<String>::new()
        );
        assert_eq!(quoted("rock of the '90s"), Vec::<String>::new());
        assert_eq!(quoted("' open '"), Vec::<String>::new());
        assert_eq!(quoted("'"), Vec::<String>::new());
    }

    #[test]
    fn words_keep_what_is_inside() {
        assert_eq!(shapes("Force-pushing"), [word("force-pushing", true)]);
        assert_eq!(shapes("new_search"), [word("new_search", false)]);
        assert_eq!(
            shapes("don\u{2019}t."),
            [word("don't", false), Shape::Break('.')]
        );
        assert_eq!(shapes("config.toml"), [word("config.toml", false)]);
        assert_eq!(
            shapes("\u{e9}t\u{e9} \u{1f600}"),
            [word("\u{e9}t\u{e9}", false)]
        );
    }
}
