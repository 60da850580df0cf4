//! Strings of a document: their text, and where it is.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use crate::lines::offset;

/// A JSON string. Every half of a surrogate pair becomes U+FFFD, because programs cut texts in the middle of an emoji.
struct Decoded {
    text: String,
    is_damaged: bool,
}

impl<'de> Deserialize<'de> for Decoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Decoded;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Decoded, E> {
                Ok(Decoded::of(bytes.to_owned()))
            }
        }
        // If asked for bytes, serde_json returns such halves as WTF-8 instead of an error.
        deserializer.deserialize_bytes(Bytes)
    }
}

impl Decoded {
    /// `bytes` is UTF-8 except for surrogates of three bytes, which begin with 0xED and a byte from 0xA0.
    fn of(mut bytes: Vec<u8>) -> Self {
        const REPLACEMENT: [u8; 3] = [0xEF, 0xBF, 0xBD];
        let mut is_damaged = false;
        for at in 0..bytes.len().saturating_sub(2) {
            if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
                bytes[at..at + REPLACEMENT.len()].copy_from_slice(&REPLACEMENT);
                is_damaged = true;
            }
        }
        let text = String::from_utf8(bytes).expect("a document is UTF-8, and so are its escapes");
        Self { text, is_damaged }
    }
}

/// The joined text of some strings of a JSON document, and where each part of it is in the document.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// Whether half of a surrogate pair was replaced by U+FFFD.
    pub(super) is_damaged: bool,
    /// Ascending: one at the start of every string and after every escape. Between anchors, text and document advance
    /// together.
    anchors: Vec<Anchor>,
}

#[derive(Debug)]
struct Anchor {
    text: usize,
    document: usize,
    /// Whether the text from here on separates two strings and is not in the document.
    is_between: bool,
}

impl Said {
    /// Appends a string, given with its quotes as a slice of `document` after the strings before it. `between`
    /// separates them.
    ///
    /// # Errors
    /// The parser's error if the string is not valid text.
    pub(super) fn add(
        &mut self,
        document: &str,
        token: &str,
        between: &str,
    ) -> Result<(), serde_json::Error> {
        let Decoded { text, is_damaged } = serde_json::from_str(token)?;
        if text.is_empty() {
            return Ok(());
        }
        let mut raw = token.as_ptr() as usize - document.as_ptr() as usize + 1;
        if !self.text.is_empty() {
            // The end of the previous string.
            let before = self.document(self.text.len(), true);
            self.anchor(before, true);
            self.text.push_str(between);
        }
        self.is_damaged |= is_damaged;
        let start = self.text.len();
        self.text.push_str(&text);
        let inner = &token[1..token.len() - 1];
        self.anchors.push(Anchor {
            text: start,
            document: raw,
            is_between: false,
        });
        let mut at = start;
        let mut rest = inner;
        while let Some(length) = rest.find('\\') {
            let (n_text, n_raw) = escape(&rest[length..]);
            at += length + n_text;
            raw += length + n_raw;
            rest = &rest[length + n_raw..];
            self.anchors.push(Anchor {
                text: at,
                document: raw,
                is_between: false,
            });
        }
        Ok(())
    }

    fn anchor(&mut self, document: usize, is_between: bool) {
        self.anchors.push(Anchor {
            text: self.text.len(),
            document,
            is_between,
        });
    }

    /// Returns the place in the document of a non-empty range of the text.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<u32> {
        offset(self.document(range.start, false))..offset(self.document(range.end, true))
    }

    /// Returns the place of a position. At the border of two strings it is the end of the first or the start of the
    /// second.
    fn document(&self, at: usize, is_end: bool) -> usize {
        if is_end {
            let idx = self.anchors.partition_point(|anchor| anchor.text < at);
            // Of several anchors here, the first is the end of what comes before. An empty line at the start of a
            // string ends there, after the previous string, because ends of chunks ascend.
            return match self.anchors.get(idx).filter(|anchor| anchor.text == at) {
                Some(anchor) => anchor.document,
                None => self.anchors[..idx].last().map_or(0, |anchor| anchor.at(at)),
            };
        }
        let after = self.anchors.partition_point(|anchor| anchor.text <= at);
        match (self.anchors[..after].last(), self.anchors.get(after)) {
            (Some(anchor), Some(second)) if anchor.is_between => second.document,
            (Some(anchor), _) => anchor.at(at),
            (None, _) => 0,
        }
    }
}

impl Anchor {
    fn at(&self, at: usize) -> usize {
        if self.is_between {
            self.document
        } else {
            self.document + at - self.text
        }
    }
}

/// Returns the number of text bytes that the escape at the start of `raw` stands for, and the number of its own bytes.
fn escape(raw: &str) -> (usize, usize) {
    let unit = |at: usize| {
        let digits = raw
            .get(at..)
            .and_then(|rest| rest.strip_prefix("\\u"))
            .and_then(|rest| rest.get(..4));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    match unit(0) {
        None => (1, 2),
        Some(first) => match char::from_u32(first) {
            Some(char) => (char.len_utf8(), 6),
            None if is_pair(first, unit(6)) => (4, 12),
            // Half of a pair, replaced by U+FFFD.
            None => ('\u{FFFD}'.len_utf8(), 6),
        },
    }
}

/// Returns whether two UTF-16 units form one character.
fn is_pair(first: u32, second: Option<u32>) -> bool {
    (0xD800..0xDC00).contains(&first)
        && second.is_some_and(|second| (0xDC00..0xE000).contains(&second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn several_strings_are_one_text_with_places() {
        let document = r#"["Otto\n", "é\u0041", "key"]"#;
        let mut said = Said::default();
        for token in [r#""Otto\n""#, r#""é\u0041""#, r#""key""#] {
            let start = document.find(token).expect("inside");
            said.add(document, &document[start..start + token.len()], "\n")
                .expect("a string");
        }
        assert_eq!(said.text, "Otto\n\néA\nkey");
        let check = |text: &str, expected: &str| {
            let start = said.text.find(text).expect("inside");
            let place = said.place(&(start..start + text.len()));
            assert_eq!(
                &document[place.start as usize..place.end as usize],
                expected,
                "{text:?}"
            );
        };
        check("Otto\n", r"Otto\n");
        check("éA", r"é\u0041");
        check("A", r"\u0041");
        check("key", "key");
        check("A\nkey", r#"\u0041", "key"#);
        check("\nkey", "key");
        check("A\n", r#"\u0041", ""#);
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_raw_line(said in "[a-c\"\\\\\n\t/é水🌊\u{1}]{0,40}", is_ascii in any::<bool>()) {
            let mut token = serde_json::to_string(&said).expect("a string");
            if is_ascii {
                let mut units = [0; 2];
                token = token.chars().map(|char| match char.is_ascii() {
                    true => char.to_string(),
                    false => char.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
                }).collect();
            }
            let text = format!("{{\"text\": {token}}}");
            let start = text.find(&token).expect("inside");
            let mut read = Said::default();
            read.add(&text, &text[start..start + token.len()], "").expect("a string");
            let bounds: Vec<usize> = (0..=said.len()).filter(|&at| said.is_char_boundary(at)).collect();
            for pair in bounds.windows(2) {
                let raw = read.place(&(pair[0]..pair[1]));
                let raw = &text[raw.start as usize..raw.end as usize];
                let decoded: String = serde_json::from_str(&format!("\"{raw}\"")).expect("an escape or a character");
                prop_assert_eq!(&decoded, &said[pair[0]..pair[1]]);
            }
        }
    }
}
