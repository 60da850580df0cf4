//! A sentence that knows which of its words are a note's.

use std::fmt;
use std::ops::{Deref, Range};

use serde::{Serialize, Serializer};

/// A sentence in which words of a note or a fact are marked, so that it can be shown without them. In JSON it is its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prose {
    text: String,
    /// Byte ranges of `text`, ascending and apart.
    words: Vec<Range<usize>>,
}

impl Prose {
    /// Appends text of Memlens.
    #[must_use]
    pub(crate) fn and(mut self, text: &str) -> Prose {
        self.text.push_str(text);
        self
    }

    /// Appends words of a note or a fact, in quotation marks and with commas between them.
    #[must_use]
    pub(crate) fn quoting<'a>(mut self, words: impl IntoIterator<Item = &'a str>) -> Prose {
        for (place, word) in words.into_iter().enumerate() {
            self.text.push_str(if place == 0 { "“" } else { ", “" });
            let start = self.text.len();
            self.text.push_str(word);
            self.words.push(start..self.text.len());
            self.text.push('”');
        }
        self
    }

    /// Appends another sentence.
    #[must_use]
    pub(crate) fn and_prose(mut self, other: &Prose) -> Prose {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        let words = other.words.iter();
        self.words
            .extend(words.map(|it| it.start + offset..it.end + offset));
        self
    }

    /// The sentence with an ellipsis for each marked word.
    pub fn without_words(&self) -> String {
        let mut shown = String::with_capacity(self.text.len());
        let mut from = 0;
        for word in &self.words {
            shown.push_str(&self.text[from..word.start]);
            shown.push('…');
            from = word.end;
        }
        shown.push_str(&self.text[from..]);
        shown
    }
}

impl From<String> for Prose {
    fn from(text: String) -> Prose {
        Prose {
            text,
            words: Vec::new(),
        }
    }
}

impl From<&str> for Prose {
    fn from(text: &str) -> Prose {
        text.to_owned().into()
    }
}

impl Deref for Prose {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Prose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Prose;

    #[test]
    fn only_marked_words_are_left_out() {
        let first = Prose::from("This is it: ").quoting(["is", "it"]).and(".");
        assert_eq!(&*first, "This is it: “is”, “it”.");
        assert_eq!(first.without_words(), "This is it: “…”, “…”.");
        let both = Prose::from("É. ").and_prose(&first);
        assert_eq!(both.without_words(), "É. This is it: “…”, “…”.");
        assert_eq!(Prose::from("is").without_words(), "is");
    }
}
