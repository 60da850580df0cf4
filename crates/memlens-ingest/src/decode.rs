//! Bytes to text: encodings, byte order marks and line ends.
//!
//! Properties checked: every encoding named here gives the same text; a guess is reported; NUL is rejected; every line
//! end becomes `\n`; any bytes are decoded or rejected without a panic.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::document::Problem;
use crate::error::IngestError;
use crate::lines::offset;

/// Minimum percentage of ASCII characters for detecting UTF-16 without a byte order mark. In most scripts spaces and
/// line ends alone reach it.
const ZEROS_PERCENT_MIN: usize = 5;

/// The same for fewer characters than [`SURE_CHARS_MIN`], and for bytes that are valid UTF-8 except for a few zeros.
const ZEROS_PERCENT_MIN_IN_DOUBT: usize = 80;
const SURE_CHARS_MIN: usize = 100;

/// A document's decoded text, and how it was decoded.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// Without byte order marks at its start; all line ends are `\n`.
    pub(crate) text: String,
    /// The encoding's usual name, such as `UTF-8`.
    pub(crate) encoding: &'static str,
    /// What was guessed or could not be decoded.
    pub(crate) problem: Option<Problem>,
}

/// Decodes `bytes` as UTF-8; as UTF-16 if a byte order mark or the zeros of its ASCII characters say so; otherwise as
/// the likeliest older encoding.
///
/// # Errors
/// [`IngestError::Binary`] if the characters include a NUL.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, IngestError> {
    let (text, encoding, problem) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) if encoding == UTF_16LE || encoding == UTF_16BE => {
            utf_16(encoding, &bytes[mark..])
        }
        Some((_, mark)) => utf_8(&bytes[mark..]),
        None => match utf_16_unmarked(bytes) {
            Some(decoded) => decoded,
            None => utf_8(bytes),
        },
    };
    let text = without_marks(normalise_line_ends(text));
    match text.find('\0') {
        Some(byte) => Err(IngestError::Binary {
            line: line_at(&text.as_bytes()[..byte]),
        }),
        None => Ok(Decoded {
            text,
            encoding: encoding.name(),
            problem,
        }),
    }
}

/// Returns the text of a file's bytes with `\n` line ends; `None` for binary files.
pub fn text_of(bytes: &[u8]) -> Option<String> {
    decode(bytes).ok().map(|decoded| decoded.text)
}

fn utf_16(
    encoding: &'static Encoding,
    bytes: &[u8],
) -> (String, &'static Encoding, Option<Problem>) {
    let (text, is_damaged) = encoding.decode_without_bom_handling(bytes);
    let problem = is_damaged.then(|| Problem {
        line: None,
        message: format!(
            "damaged {}: some characters were replaced by \u{FFFD}",
            encoding.name()
        ),
    });
    (text.into_owned(), encoding, problem)
}

/// Decodes UTF-16 without a byte order mark if it is certain: only text characters, and enough of them ASCII, whose
/// other byte is 0. `None` for everything else.
fn utf_16_unmarked(bytes: &[u8]) -> Option<(String, &'static Encoding, Option<Problem>)> {
    if !bytes.len().is_multiple_of(2) || !bytes.contains(&0) {
        return None;
    }
    let n_zeros_at = |offset| {
        let bytes = bytes.iter().skip(offset).step_by(2);
        bytes.filter(|&&byte| byte == 0).count()
    };
    let (encoding, n_zeros) = match (n_zeros_at(0), n_zeros_at(1)) {
        (0, n_zeros) => (UTF_16LE, n_zeros),
        (n_zeros, 0) => (UTF_16BE, n_zeros),
        _ => return None,
    };
    let is_utf_8 = std::str::from_utf8(bytes)
        .is_ok_and(|text| text.chars().all(|char| char == '\0' || is_of_text(char)));
    let n_chars = bytes.len() / 2;
    let percent_min = if is_utf_8 || n_chars < SURE_CHARS_MIN {
        ZEROS_PERCENT_MIN_IN_DOUBT
    } else {
        ZEROS_PERCENT_MIN
    };
    if n_zeros * 100 < percent_min * n_chars {
        return None;
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    text.chars().all(is_of_text).then(|| {
        let problem = Problem {
            line: None,
            message: format!("no byte order mark, read as {}", encoding.name()),
        };
        (text.into_owned(), encoding, Some(problem))
    })
}

/// Returns whether `char` may occur in a text: no control character except blanks, and no private-use character.
fn is_of_text(char: char) -> bool {
    let is_private = ('\u{E000}'..='\u{F8FF}').contains(&char);
    matches!(char, '\t' | '\n' | '\r' | '\u{c}') || !(char.is_control() || is_private)
}

fn utf_8(bytes: &[u8]) -> (String, &'static Encoding, Option<Problem>) {
    let valid_up_to = match std::str::from_utf8(bytes) {
        Ok(text) => return (text.to_owned(), UTF_8, None),
        Err(error) => error.valid_up_to(),
    };
    if bytes.contains(&0) {
        // The caller rejects it whatever the encoding; guessing would only cost time.
        return (String::from_utf8_lossy(bytes).into_owned(), UTF_8, None);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let (text, is_damaged) = encoding.decode_without_bom_handling(bytes);
    let mut message = format!(
        "not UTF-8 at byte {valid_up_to}, read as {}",
        encoding.name()
    );
    if is_damaged {
        message.push_str(", with some characters replaced by \u{FFFD}");
    }
    (
        text.into_owned(),
        encoding,
        Some(Problem {
            line: Some(line_at(&bytes[..valid_up_to])),
            message,
        }),
    )
}

/// Removes further byte order marks: programs put one before a text that has one already.
fn without_marks(mut text: String) -> String {
    let n_bytes = text.len() - text.trim_start_matches('\u{feff}').len();
    text.drain(..n_bytes);
    text
}

/// Turns `\r\n` and lone `\r` into `\n`.
fn normalise_line_ends(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut normalised = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        normalised.push_str(&rest[..at]);
        normalised.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    normalised.push_str(rest);
    normalised
}

/// Returns the 1-based line of the byte after `before`, for any kind of line end.
fn line_at(before: &[u8]) -> u32 {
    let n_ends = before.iter().enumerate().filter(|&(at, &byte)| {
        byte == b'\n' || (byte == b'\r' && before.get(at + 1) != Some(&b'\n'))
    });
    offset(n_ends.count()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks text, encoding and problem, or the error message.
    fn check(bytes: &[u8], expected: (&str, &str, Option<(Option<u32>, &str)>)) {
        let decoded = decode(bytes).expect("the case can be decoded");
        let problem = decoded
            .problem
            .as_ref()
            .map(|problem| (problem.line, problem.message.as_str()));
        assert_eq!((decoded.text.as_str(), decoded.encoding, problem), expected);
    }

    #[test]
    fn encodings() {
        check(b"", ("", "UTF-8", None));
        check("Grüße 你好 🌊".as_bytes(), ("Grüße 你好 🌊", "UTF-8", None));
        check(b"\xEF\xBB\xBF# Title", ("# Title", "UTF-8", None));
        check(
            b"\xEF\xBB\xBF\xEF\xBB\xBF\xEF\xBB\xBF# Title\xEF\xBB\xBF",
            ("# Title\u{feff}", "UTF-8", None),
        );
        check(b"\xFF\xFE\xFF\xFEh\0i\0", ("hi", "UTF-16LE", None));
        check(b"\xFF\xFEh\0i\0\r\0\n\0", ("hi\n", "UTF-16LE", None));
        check(b"\xFE\xFF\0h\0i", ("hi", "UTF-16BE", None));
        check(
            b"\xFF\xFEh\0i",
            (
                "h\u{FFFD}",
                "UTF-16LE",
                Some((
                    None,
                    "damaged UTF-16LE: some characters were replaced by \u{FFFD}",
                )),
            ),
        );
        check(
            b"one\ntwo\nCaf\xE9 au lait, d\xE9j\xE0 vu",
            (
                "one\ntwo\nCafé au lait, déjà vu",
                "windows-1252",
                Some((Some(3), "not UTF-8 at byte 11, read as windows-1252")),
            ),
        );
        check(
            b"\xEF\xBB\xBFna\xEFve caf\xE9, d\xE9j\xE0 vu",
            (
                "naïve café, déjà vu",
                "windows-1252",
                Some((Some(1), "not UTF-8 at byte 2, read as windows-1252")),
            ),
        );
    }

    #[test]
    fn utf_16_is_known_by_its_zeros() {
        for text in [
            "a",
            "Quiet hours.\r\nFrom ten to six.\r\n",
            &"Погода в Москве ясная. ".repeat(5),
            &"天気は晴れです。\n明日は雨です。\n".repeat(7),
        ] {
            let text_le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let text_be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let expected = text.replace("\r\n", "\n");
            for (bytes, encoding) in [(text_le, "UTF-16LE"), (text_be, "UTF-16BE")] {
                let message = format!("no byte order mark, read as {encoding}");
                check(&bytes, (&expected, encoding, Some((None, &message))));
            }
        }
        for bytes in [
            &b"\0\0"[..],
            b"a\0b",
            b"hello\0xy",
            b"hello, all\0\n",
            b"a\nb\0",
            b"a\0\0b",
            b"a\0\x01\0",
            b"a\0\x00\xD8",
            b"a\0\x00\xE9",
            b"PK\x03\x04\x14\0\0\0\x08\0",
        ] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn other_scripts_are_guessed() {
        for (encoding, text) in [
            (
                encoding_rs::WINDOWS_1251,
                "Съешь же ещё этих мягких французских булок, да выпей чаю",
            ),
            (
                encoding_rs::SHIFT_JIS,
                "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。",
            ),
        ] {
            let (bytes, _, _) = encoding.encode(text);
            let decoded = decode(&bytes).expect("text");
            assert_eq!(
                (decoded.text.as_str(), decoded.encoding),
                (text, encoding.name())
            );
        }
    }

    #[test]
    fn line_ends() {
        check(b"a\r\nb\rc\nd\r\r\n\r", ("a\nb\nc\nd\n\n\n", "UTF-8", None));
    }

    #[test]
    fn nul_is_refused_with_its_line() {
        for bytes in [
            &b"a\nb\0c"[..],
            b"a\r\nb\0\xE9",
            b"\xFF\xFEa\0\n\0\0\0",
            b"\xFF\xFE\0\0a\0\0\0\n",
        ] {
            match decode(bytes) {
                Err(IngestError::Binary { line }) => {
                    assert_eq!(line, if bytes[2] == 0 { 1 } else { 2 })
                }
                other => panic!("{other:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            match decode(&bytes) {
                Ok(decoded) => prop_assert!(!decoded.text.contains(['\r', '\0'])),
                Err(error) => prop_assert!(matches!(error, IngestError::Binary { .. }), "{}", error),
            }
        }
    }
}
