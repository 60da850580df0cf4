//! Observations: the statements of a document, one list item, paragraph or JSON record each.
//!
//! They belong to the document, not to its chunks, so that overlapping chunks repeat none. Headings, code, tables, HTML
//! and alternative texts of pictures (such as badges) are no observations.
//!
//! Properties checked, for arbitrary texts: ranges ascend and do not overlap; nothing is blank; parsing never panics.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::document::{Kind, Parsed};
use crate::front_matter::head;
use crate::json::{Text, texts_of_json, texts_of_jsonl};
use crate::lines::{Lines, lines_from, offset};
use crate::outline::without_long_marks;

/// One statement of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Its text on one line, without the marks of emphasis, links and lists; never blank.
    pub text: String,
    /// Byte range in [`Parsed::text`], on character boundaries; for JSON, that of its strings.
    pub bytes: Range<u32>,
    /// First line of the observation, 1-based.
    pub start_line: u32,
    /// Last line, 1-based and inclusive.
    pub end_line: u32,
    /// The agent from the JSON record, otherwise from the front matter. If it is `None`, the folder counts as the
    /// source.
    pub agent: Option<String>,
    /// The date from the same place.
    pub date: Option<Date>,
    /// The weight from the same place, in `[0, inf)`; `None` if not given, which is not 0.
    pub weight: Option<f64>,
}

/// How an observation is written in its document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// Where each part of [`Observation::text`] begins in that text, and where in the document; ascending. No part spans
    /// two lines, except code between backticks.
    pub parts: Vec<(usize, u32)>,
    /// The bytes of [`Observation::text`] that are struck through, ascending.
    pub strikethrough: Vec<Range<usize>>,
    /// Whether it is in a block quote.
    pub is_quoted: bool,
}

impl Written {
    /// Returns where in the document the part begins that holds a byte of the observation's text.
    pub fn place(&self, byte: usize) -> Option<u32> {
        let n_before = self.parts.partition_point(|(start, _)| *start <= byte);
        self.parts[..n_before].last().map(|(_, place)| *place)
    }

    /// Returns whether a part of these bytes of the observation's text is struck through.
    pub fn is_strikethrough(&self, bytes: &Range<usize>) -> bool {
        self.strikethrough
            .iter()
            .any(|strikethrough| strikethrough.start < bytes.end && bytes.start < strikethrough.end)
    }
}

/// Returns how each observation of a Markdown or plain text is written, by the start of its [`Observation::bytes`]; none
/// for JSON, whose observations are on one line.
pub fn written(kind: Kind, text: &str) -> BTreeMap<u32, Written> {
    let found = match kind {
        Kind::Markdown => of_markdown(text),
        Kind::Plain => of_plain(text),
        Kind::Jsonl | Kind::Json => Vec::new(),
    };
    found
        .into_iter()
        .map(|said| {
            let (start, written) = (offset(said.bytes.start), said.written());
            (start, written)
        })
        .collect()
}

/// Returns the observations of a document in the order of the text; ranges do not overlap.
pub fn observations(parsed: &Parsed) -> Vec<Observation> {
    let found = match parsed.kind {
        Kind::Markdown => of_markdown(&parsed.text),
        Kind::Plain => of_plain(&parsed.text),
        Kind::Jsonl => return of_texts(texts_of_jsonl(&parsed.text), &parsed.text),
        Kind::Json => return of_texts(texts_of_json(&parsed.text), &parsed.text),
    };
    let lines = Lines::of(&parsed.text);
    found
        .into_iter()
        .map(|said| (one_line(&said.text), said.bytes))
        .filter(|(text, _)| !text.is_empty())
        .map(|(text, bytes)| {
            let bytes = offset(bytes.start)..offset(bytes.end);
            Observation {
                text,
                start_line: lines.line_of(bytes.start),
                end_line: lines.line_of(bytes.end - 1),
                bytes,
                agent: parsed.front.agent.clone(),
                date: parsed.front.date,
                weight: parsed.front.weight,
            }
        })
        .collect()
}

/// Returns the text of every paragraph and list item, and where it is.
fn of_markdown(text: &str) -> Vec<Said> {
    let start = head(text).outline_start;
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut found: Vec<Said> = Vec::new();
    let mut said = Open::default();
    // Headings, code, tables and HTML hold no observations.
    let mut n_silent = 0_u32;
    let (mut n_strikethrough, mut n_quotes) = (0_u32, 0_u32);
    let markdown = without_long_marks(&text[start..]);
    for (event, range) in Parser::new_ext(&markdown, options).into_offset_iter() {
        let range = start + range.start..start + range.end;
        if ends_what_is_said(&event) {
            said.finish(n_quotes > 0, &mut found);
        }
        n_strikethrough += u32::from(matches!(event, Event::Start(Tag::Strikethrough)));
        n_strikethrough -= u32::from(matches!(event, Event::End(TagEnd::Strikethrough)));
        n_quotes += u32::from(matches!(event, Event::Start(Tag::BlockQuote(_))));
        n_quotes -= u32::from(matches!(event, Event::End(TagEnd::BlockQuote(_))));
        if let Event::Start(tag) = &event
            && (is_silent(&tag.to_end()) || tag.to_end() == TagEnd::Image)
        {
            n_silent += 1;
        } else if let Event::End(tag) = &event
            && (is_silent(tag) || *tag == TagEnd::Image)
        {
            n_silent -= 1;
        } else if n_silent > 0 {
            continue;
        } else if let Event::Text(words) | Event::Code(words) = &event {
            // Only the parser sees the words that replace long marks.
            let is_as_written = matches!(markdown, Cow::Owned(_)) && words.len() == range.len();
            said.add(
                if is_as_written {
                    &text[range.clone()]
                } else {
                    words
                },
                range,
                n_strikethrough > 0,
            );
        } else if let Event::SoftBreak | Event::HardBreak = event {
            said.add(" ", range, false);
        }
    }
    said.finish(false, &mut found);
    found
}

/// Returns whether a block of this kind holds no observations.
fn is_silent(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Table
    )
}

/// Returns whether a block begins or ends here. A list inside an item ends the item's own text.
fn ends_what_is_said(event: &Event<'_>) -> bool {
    let is_block = |tag: &TagEnd| {
        is_silent(tag)
            || matches!(
                tag,
                TagEnd::Paragraph | TagEnd::Item | TagEnd::List(_) | TagEnd::BlockQuote(_)
            )
    };
    if let Event::Start(tag) = event {
        is_block(&tag.to_end())
    } else if let Event::End(tag) = event {
        is_block(tag)
    } else {
        false
    }
}

/// The text of one block before its white space is joined.
struct Said {
    text: String,
    bytes: Range<usize>,
    /// Where each piece of the text begins in it, where it begins in the document, and whether it is struck through.
    pieces: Vec<(usize, usize, bool)>,
    is_quoted: bool,
}

impl Said {
    fn written(&self) -> Written {
        let mut written = Written {
            is_quoted: self.is_quoted,
            ..Written::default()
        };
        let mut end = 0;
        for (at, (start, place, is_strikethrough)) in self.pieces.iter().enumerate() {
            let next = self.pieces.get(at + 1);
            let piece = &self.text[*start..next.map_or(self.text.len(), |next| next.0)];
            for (n_words, word) in piece.split_whitespace().enumerate() {
                let is_apart = n_words > 0
                    || self.text[..*start].ends_with(char::is_whitespace)
                    || piece.starts_with(char::is_whitespace);
                let first = end + usize::from(end > 0 && is_apart);
                if n_words == 0 {
                    let n_blank = piece.len() - piece.trim_start().len();
                    written.parts.push((first, offset(*place + n_blank)));
                }
                end = first + word.len();
                if *is_strikethrough {
                    written.strikethrough.push(first..end);
                }
            }
        }
        written
    }
}

/// Collects the text of one block.
#[derive(Default)]
struct Open {
    text: String,
    bytes: Option<Range<usize>>,
    pieces: Vec<(usize, usize, bool)>,
}

impl Open {
    fn add(&mut self, words: &str, range: Range<usize>, is_strikethrough: bool) {
        self.pieces
            .push((self.text.len(), range.start, is_strikethrough));
        self.text.push_str(words);
        if !words.trim().is_empty() {
            let start = self.bytes.as_ref().map_or(range.start, |bytes| bytes.start);
            self.bytes = Some(start..range.end);
        }
    }

    fn finish(&mut self, is_quoted: bool, found: &mut Vec<Said>) {
        let Open {
            text,
            bytes,
            pieces,
        } = std::mem::take(self);
        if let Some(bytes) = bytes {
            found.push(Said {
                text,
                bytes,
                pieces,
                is_quoted,
            });
        }
    }
}

/// Returns the text of every run of lines that are not blank. A line that begins like a list item starts a new run.
fn of_plain(text: &str) -> Vec<Said> {
    let mut found = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut finish = |open: &mut Option<Range<usize>>| {
        if let Some(bytes) = open.take() {
            let start = bytes.end - without_mark(text[bytes.clone()].trim_start()).len();
            let lines = lines_from(&text[start..bytes.end], 0);
            let pieces = lines
                .map(|line| (line.start, start + line.start, false))
                .collect();
            found.push(Said {
                text: text[start..bytes.end].to_owned(),
                bytes,
                pieces,
                is_quoted: false,
            });
        }
    };
    for line in lines_from(text, 0) {
        let content = text[line.clone()].trim();
        if content.is_empty() || without_mark(content).len() < content.len() {
            finish(&mut open);
        }
        if !content.is_empty() {
            let start = open.as_ref().map_or(line.start, |bytes| bytes.start);
            open = Some(start..line.end);
        }
    }
    finish(&mut open);
    found
}

/// Returns the line without the mark of a list item: `- `, `* `, `+ `, `• `, `1. `, `2) `.
fn without_mark(line: &str) -> &str {
    let after_bullet = ["- ", "* ", "+ ", "\u{2022} "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let after_number = || {
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let is_number = (1..4).contains(&(line.len() - rest.len()));
        rest.strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))
            .filter(|_| is_number)
    };
    after_bullet
        .or_else(after_number)
        .map_or(line, str::trim_start)
}

/// Returns one observation per text of a JSON document.
fn of_texts(texts: Vec<Text>, document: &str) -> Vec<Observation> {
    let lines = Lines::of(document);
    let of = |text: Text| {
        let bytes = text.place();
        Observation {
            text: one_line(text.text()),
            start_line: lines.line_of(bytes.start),
            end_line: lines.line_of(bytes.end - 1),
            bytes,
            agent: text.agent,
            date: text.date,
            weight: text.weight,
        }
    };
    texts.into_iter().map(of).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{IngestOptions, parse};

    fn of(kind: Kind, text: &str) -> Vec<Observation> {
        observations(
            &parse(kind, text.as_bytes(), &IngestOptions::default()).expect("the text can be read"),
        )
    }

    /// Checks each observation as `first line-last line text`.
    fn check(kind: Kind, text: &str, expected: &[&str]) {
        let found: Vec<String> = of(kind, text)
            .iter()
            .map(|said| format!("{}-{} {}", said.start_line, said.end_line, said.text))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn list_items_and_paragraphs() {
        check(
            Kind::Markdown,
            "---\nagent: iris\n---\n# Router\n\nQuiet *hours* are\nfrom `ten` to six.\n\n- [x] one [link](http://a.b)\n- two\n  - inner\n\n  more of two\n\n> quoted\n",
            &[
                "6-7 Quiet hours are from ten to six.",
                "9-9 one link",
                "10-10 two",
                "11-11 inner",
                "13-13 more of two",
                "15-15 quoted",
            ],
        );
        check(
            Kind::Markdown,
            "```\ncode\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n<div>x</div>\n\n    code\n\nTitle\n===\n",
            &[],
        );
        // Badges are no observations, but text beside a picture is.
        check(
            Kind::Markdown,
            "[![Build status](a.svg)](b) ![docs](c.svg)\n\nThe hall ![plan](d.png) is closed.\n",
            &["3-3 The hall is closed."],
        );
        check(Kind::Markdown, "", &[]);
        check(Kind::Markdown, "- \n-\n\n***\n", &[]);
        assert_eq!(
            of(
                Kind::Markdown,
                "---\nagent: iris\ndate: 2026-01-05\nweight: 2\n---\nsaid\n"
            )[0]
            .agent
            .as_deref(),
            Some("iris")
        );
    }

    #[test]
    fn lines_strikethrough_and_quotes() {
        let text = "# Relay\n\nIt is grey. The *push\nrelay* listens on ~~8093~~ 8443.\n\n- > They say so.\n- ~~all of it~~\n";
        let said = of(Kind::Markdown, text);
        let found = written(Kind::Markdown, text);
        let lines = Lines::of(text);
        let of = |at: usize| &found[&said[at].bytes.start];
        let line = |at: usize, word: &str| {
            let place = of(at).place(said[at].text.find(word).expect("the word is in it"));
            lines.line_of(place.expect("it has a part"))
        };
        assert_eq!(
            said[0].text,
            "It is grey. The push relay listens on 8093 8443."
        );
        assert_eq!(
            ["It", "push", "relay", "8443"].map(|word| line(0, word)),
            [3, 3, 4, 4]
        );
        let at = said[0].text.find("8093").expect("it is in it");
        assert_eq!(of(0).strikethrough.first(), Some(&(at..at + 4)));
        assert_eq!(of(0).strikethrough.len(), 1);
        assert!(
            of(0).is_strikethrough(&(at + 3..at + 9)) && !of(0).is_strikethrough(&(at + 4..at + 9))
        );
        assert_eq!(
            [0, 1, 2].map(|at| (of(at).is_quoted, of(at).strikethrough.is_empty())),
            [(false, false), (true, true), (false, false)]
        );

        let text = "- one\n  two  three\nfour\n";
        let found = written(Kind::Plain, text);
        assert_eq!(found[&0].parts, [(0, 2), (4, 8), (14, 19)]);
        assert_eq!(
            written(Kind::Jsonl, "{\"text\": \"one two\"}\n"),
            BTreeMap::new()
        );
    }

    #[test]
    fn plain_text_by_blank_lines_and_list_marks() {
        check(
            Kind::Plain,
            "one\nparagraph\n\n- item\n  goes on\n- next\n1. first\n12345. no mark\n# no heading here\n",
            &[
                "1-2 one paragraph",
                "4-5 item goes on",
                "6-6 next",
                "7-9 first 12345. no mark # no heading here",
            ],
        );
    }

    #[test]
    fn jsonl_by_lines_however_many_chunks_hold_them() {
        let long = "a word or two ".repeat(400);
        let text = format!(
            "{{\"text\": \"short \\u00e9\", \"agent\": \"iris\"}}\nno json\n{{\"content\": \"{long}\"}}\n"
        );
        let found = of(Kind::Jsonl, &text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (
                found[0].text.as_str(),
                found[0].agent.as_deref(),
                found[0].start_line
            ),
            ("short é", Some("iris"), 1)
        );
        assert_eq!(
            (
                found[1].text.as_str(),
                found[1].start_line,
                found[1].end_line
            ),
            (long.trim(), 3, 3)
        );
        assert!(
            parse(Kind::Jsonl, text.as_bytes(), &IngestOptions::default())
                .unwrap()
                .chunks
                .len()
                > 2
        );

        // Byte order marks count too.
        let marked = format!("\u{feff}{{\"text\": \"{long}\"}}");
        assert_eq!(of(Kind::Jsonl, &marked)[0].text, long.trim());

        // Half of a surrogate pair costs one character here too; no other field replaces the text.
        let text = format!("{{\"text\": \"{long}\\ud83d\", \"content\": \"other\"}}");
        let found = of(Kind::Jsonl, &text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, format!("{long}\u{FFFD}"));
    }

    #[test]
    fn long_marks_are_words_as_they_stand() {
        let marks = ">".repeat(500);
        check(
            Kind::Markdown,
            &format!("{marks} a &amp; b\nc\n"),
            &[&format!("1-2 {marks} a & b c")],
        );
    }

    proptest! {
        #[test]
        fn ranges_ascend_and_nothing_is_blank(
            text in prop_oneof![any::<String>(), prop::collection::vec(prop::sample::select(vec!["- ", "\n", "\n\n", "> ", "# ", "```", "word ", "  ", "*", "|", "---", "1. ", "<a>", "é", "[", "]", "\\", "&amp;", "\t"]), 0..60).prop_map(|parts| parts.concat())],
            kind in prop::sample::select(vec![Kind::Markdown, Kind::Plain]),
        ) {
            prop_assume!(!text.contains('\0'));
            let parsed = parse(kind, text.as_bytes(), &IngestOptions::default()).unwrap();
            let written = written(kind, &parsed.text);
            let mut end = 0;
            for said in observations(&parsed) {
                prop_assert!(said.bytes.start >= end && said.bytes.start < said.bytes.end, "{:?}", said);
                prop_assert!(parsed.text.get(said.bytes.start as usize..said.bytes.end as usize).is_some());
                prop_assert!(!said.text.trim().is_empty() && said.start_line <= said.end_line);
                end = said.bytes.end;
                let written = &written[&said.bytes.start];
                prop_assert_eq!(written.parts.first().map(|part| part.0), Some(0));
                for (at, place) in &written.parts {
                    prop_assert!(said.text.is_char_boundary(*at) && said.bytes.contains(place), "{:?} {:?}", said, written);
                }
                for strikethrough in &written.strikethrough {
                    prop_assert!(said.text.get(strikethrough.clone()).is_some());
                }
            }
        }
    }
}
