use std::fmt;
use std::ops::{Add, AddAssign, Deref};

use serde::{Serialize, Serializer};

/// A text on one line that knows which of its words are a note's, and which are styled. In JSON it is a string.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    text: String,
    runs: Vec<Run>,
}

/// A part of a text that is formatted alike. It begins where the one before it ends.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    end: usize,
    style: Style,
    /// For words of a note, the text to show without them.
    instead: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    Dim,
    Warn,
    Code,
}

/// The important part of a line.
pub fn strong(text: impl Into<Text>) -> Text {
    text.into().styled(Style::Strong)
}

/// The less important part of a line; plain in Markdown.
pub fn dim(text: impl Into<Text>) -> Text {
    text.into().styled(Style::Dim)
}

/// A warning; plain in Markdown.
pub fn warn(text: impl Into<Text>) -> Text {
    text.into().styled(Style::Warn)
}

/// An identifier or a value; plain in a terminal.
pub fn code(text: impl Into<String>) -> Text {
    Text::run(text.into(), Style::Code, None)
}

/// A place in a note, as code.
pub fn place(path: &str, lines: Option<(u32, u32)>) -> Text {
    code(match lines {
        None => path.to_owned(),
        Some((start, end)) if start == end => format!("{path}:{start}"),
        Some((start, end)) => format!("{path}:{start}–{end}"),
    })
}

/// Words of a note or a fact.
pub fn note(words: impl Into<String>) -> Text {
    note_or(words, "…")
}

/// Words of a note or a fact, and what is shown without them.
pub fn note_or(words: impl Into<String>, instead: &'static str) -> Text {
    Text::run(words.into(), Style::Plain, Some(instead))
}

/// Words of a note or a fact, in quotation marks and with commas between them.
pub fn quoted_note<'a>(words: impl IntoIterator<Item = &'a str>) -> Text {
    let mut text = Text::default();
    for (place, word) in words.into_iter().enumerate() {
        text = text + if place == 0 { "“" } else { ", “" } + note(word) + "”";
    }
    text
}

impl Text {
    fn run(text: String, style: Style, instead: Option<&'static str>) -> Text {
        let runs = vec![Run {
            end: text.len(),
            style,
            instead,
        }];
        Text { text, runs }
    }

    /// Sets the style of what has none.
    fn styled(mut self, style: Style) -> Text {
        for run in &mut self.runs {
            if run.style == Style::Plain {
                run.style = style;
            }
        }
        self
    }

    /// The parts of the text with their styles.
    pub(crate) fn styles(&self) -> impl Iterator<Item = (&str, Style)> {
        self.spans().map(|(text, run)| (text, run.style))
    }

    fn spans(&self) -> impl Iterator<Item = (&str, &Run)> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let text = &self.text[start..run.end];
            start = run.end;
            (text, run)
        })
    }

    /// The text with another in place of each run's own.
    fn mapped(&self, map: impl Fn(&str, &Run) -> (String, Option<&'static str>)) -> Text {
        let mut all = Text::default();
        for (text, run) in self.spans() {
            let (text, instead) = map(text, run);
            all += Text::run(text, run.style, instead);
        }
        all
    }

    /// The text with an ellipsis for words of a note; `None` if it consists of them.
    pub(crate) fn without_note(&self) -> Option<Text> {
        let is_note = |run: &Run| run.instead.is_some();
        if !self.runs.is_empty() && self.runs.iter().all(is_note) {
            return None;
        }
        Some(self.mapped(|text, run| (run.instead.unwrap_or(text).to_owned(), None)))
    }

    pub(crate) fn replaced(&self, from: &str, to: &str) -> Text {
        self.mapped(|text, run| (text.replace(from, to), run.instead))
    }
}

impl<T: Into<Text>> AddAssign<T> for Text {
    fn add_assign(&mut self, other: T) {
        let Text { text, runs } = other.into();
        let offset = self.text.len();
        self.text.push_str(&text);
        for run in runs {
            let end = run.end + offset;
            match self.runs.last_mut() {
                Some(last)
                    if run.style != Style::Code
                        && last.style == run.style
                        && last.instead.is_none()
                        && run.instead.is_none() =>
                {
                    last.end = end;
                }
                _ => self.runs.push(Run { end, ..run }),
            }
        }
    }
}

impl<T: Into<Text>> Add<T> for Text {
    type Output = Text;

    fn add(mut self, other: T) -> Text {
        self += other;
        self
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::run(text, Style::Plain, None)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.to_owned().into()
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Text {
        text.clone().into()
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Text {
        text.clone()
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
