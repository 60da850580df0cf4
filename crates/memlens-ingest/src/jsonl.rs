//! JSONL: one observation a line.
//!
//! Properties checked: a line that cannot be read costs that line alone and is named; places refer to the raw line,
//! escapes counted; a long text gives several chunks at distinct places of its line; half of a surrogate pair costs
//! one character.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;

use crate::chunks::{Allowance, pack};
use crate::dates::date_of_value;
use crate::document::{Chunk, IngestOptions, OVERLAP_GIVEN_UP, Problem, Window};
use crate::front_matter::{NAME_CHARS_MAX, is_short, is_weight};
use crate::lines::{lines_from, offset};
use crate::windows;

/// So many problems are named one by one; of the rest only the number is told.
const PROBLEMS_NAMED: usize = 20;

/// The observations of a document.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) windows: Vec<Window>,
    pub(crate) problems: Vec<Problem>,
}

/// Reads the lines of `text`; blank ones count for nothing.
pub(crate) fn observations(text: &str, options: &IngestOptions) -> Observations {
    let mut found = Observations::default();
    let mut problems = Problems::default();
    let mut allowance = Allowance::of(text.len());
    let mut overlaps = true;
    for (line, range) in (1..).zip(lines_from(text, 0)) {
        let raw = without_mark(&text[range]);
        if raw.trim().is_empty() {
            continue;
        }
        match observation(text, raw, line, &mut problems) {
            Ok(observation) => {
                let still_overlaps = observation.split(line, options, &mut allowance, &mut found);
                if overlaps && !still_overlaps {
                    overlaps = false;
                    problems.push(line, OVERLAP_GIVEN_UP.to_owned());
                }
            }
            Err(message) => problems.push(line, message),
        }
    }
    found.problems = problems.finish();
    found
}

/// A line's fields, not yet looked into: a wrong one must not cost the others.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    agent: Option<&'a RawValue>,
    #[serde(borrow)]
    date: Option<&'a RawValue>,
    #[serde(borrow)]
    weight: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// What a line says.
struct Observation {
    text: String,
    places: Places,
    agent: Option<String>,
    date: Option<jiff::civil::Date>,
    weight: Option<f64>,
    external_id: Option<String>,
}

/// A line without the byte order marks that it begins with, where files were put one behind the other.
fn without_mark(line: &str) -> &str {
    line.trim_start_matches('\u{feff}')
}

/// Reads a line, which is a slice of `text`.
fn observation(
    text: &str,
    raw: &str,
    line: u32,
    problems: &mut Problems,
) -> Result<Observation, String> {
    if !raw.trim_start().starts_with('{') {
        return Err("not a JSON object; skipped".to_owned());
    }
    let Record {
        text: said,
        content,
        agent,
        date,
        weight,
        id,
    } = serde_json::from_str(raw)
        .map_err(|error| format!("not JSON ({}); skipped", cause(&error)))?;
    let token = text_token(said, content).ok_or("no text or content; skipped")?;
    let Said { said, is_damaged } = serde_json::from_str(token)
        .map_err(|error| format!("text cannot be read ({}); skipped", cause(&error)))?;
    if said.trim().is_empty() {
        return Err("text is blank; skipped".to_owned());
    }
    if is_damaged {
        problems.push(
            line,
            "text has half of a surrogate pair; read as \u{FFFD}".to_owned(),
        );
    }
    let mut optional = |key: &str, is_good: bool| {
        if !is_good {
            problems.push(line, format!("{key} cannot be read; left out"));
        }
    };
    let name = agent.map(|value| serde_json::from_str::<String>(value.get()));
    optional("agent, which is not a name,", !matches!(name, Some(Err(_))));
    let day = date.map(|value| {
        serde_json::from_str::<String>(value.get())
            .ok()
            .and_then(|day| date_of_value(&day))
    });
    optional("date, which is not YYYY-MM-DD,", day != Some(None));
    let number = weight.map(|value| {
        serde_json::from_str::<f64>(value.get())
            .ok()
            .filter(|&number| is_weight(number))
    });
    optional(
        "weight, which is not a number from 0,",
        number != Some(None),
    );
    let external_id = id.map(|value| id_of(value.get()));
    optional(
        "id, which is neither text nor a number,",
        external_id != Some(None),
    );
    let mut short = |key: &str, name: Option<String>| {
        let is_long = name.as_ref().is_some_and(|name| !is_short(name));
        if is_long {
            problems.push(
                line,
                format!("{key} is longer than {NAME_CHARS_MAX} characters; left out"),
            );
        }
        name.filter(|_| !is_long)
    };
    Ok(Observation {
        places: Places::of(text, token),
        text: said,
        agent: short(
            "agent",
            name.and_then(Result::ok)
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty()),
        ),
        date: day.flatten(),
        weight: number.flatten(),
        external_id: short("id", external_id.flatten()),
    })
}

/// An id: a text, or a number as it is written, which may have more digits than any number type holds.
fn id_of(value: &str) -> Option<String> {
    if value.starts_with(|char: char| char == '-' || char.is_ascii_digit()) {
        return Some(value.to_owned());
    }
    serde_json::from_str(value).ok()
}

/// The string that is a line's text: any other value of `text` is not, and `content` stands in for it.
fn text_token<'a>(text: Option<&'a RawValue>, content: Option<&'a RawValue>) -> Option<&'a str> {
    let mut values = [text, content].into_iter().flatten().map(RawValue::get);
    values.find(|value| value.starts_with('"'))
}

/// The text of a line that [`observations`] reads; none of any other.
pub(crate) fn text_of_line(line: &str) -> Option<String> {
    let Record { text, content, .. } = serde_json::from_str(without_mark(line)).ok()?;
    let said: Said = serde_json::from_str(text_token(text, content)?).ok()?;
    Some(said.said)
}

impl Observation {
    /// Adds the chunks and windows of a line; says whether its chunks overlap as they should.
    fn split(
        self,
        line: u32,
        options: &IngestOptions,
        allowance: &mut Allowance,
        found: &mut Observations,
    ) -> bool {
        let Self {
            text,
            places,
            agent,
            date,
            weight,
            external_id,
        } = self;
        let first_chunk = offset(found.chunks.len());
        let packed = pack(&text, &[], options, allowance);
        let chunks = packed.chunks;
        let drafts = windows::build(&text, 0, &[], options.window_chars as usize);
        let window_bytes: Vec<Range<usize>> =
            drafts.iter().map(|draft| draft.bytes.clone()).collect();
        let assigned = windows::assign(&window_bytes, &chunks);
        found.chunks.extend(chunks.into_iter().map(|chunk| Chunk {
            text: text[chunk.clone()].to_owned(),
            start_line: line,
            end_line: line,
            bytes: places.raw(&chunk),
            heading_path: Vec::new(),
            agent: agent.clone(),
            date,
            weight,
            external_id: external_id.clone(),
        }));
        found
            .windows
            .extend(drafts.into_iter().zip(assigned).map(|(draft, chunks)| {
                Window {
                    text: draft.text,
                    start_line: line,
                    end_line: line,
                    bytes: places.raw(&draft.bytes),
                    chunks: chunks
                        .into_iter()
                        .map(|chunk| first_chunk + chunk)
                        .collect(),
                }
            }));
        packed.overlap_given_up_at.is_none()
    }
}

/// A JSON string, with U+FFFD for every half of a surrogate pair: programs cut texts in the middle of an emoji.
struct Said {
    said: String,
    is_damaged: bool,
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Said;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Said, E> {
                Ok(Said::of(bytes.to_owned()))
            }
        }
        // Asked for bytes, serde_json gives such halves as WTF-8 in place of an error.
        deserializer.deserialize_bytes(Bytes)
    }
}

impl Said {
    /// `bytes` is UTF-8 but for surrogates, three bytes each, which begin with 0xED and a byte from 0xA0.
    fn of(mut bytes: Vec<u8>) -> Self {
        const REPLACEMENT: [u8; 3] = [0xEF, 0xBF, 0xBD];
        let mut is_damaged = false;
        for at in 0..bytes.len().saturating_sub(2) {
            if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
                bytes[at..at + REPLACEMENT.len()].copy_from_slice(&REPLACEMENT);
                is_damaged = true;
            }
        }
        let said = String::from_utf8(bytes).expect("a document is UTF-8, and so are its escapes");
        Self { said, is_damaged }
    }
}

/// Maps places of a decoded JSON string to places of the document.
struct Places {
    /// (decoded, raw) at the start and after every escape; in between both advance together.
    anchors: Vec<(usize, usize)>,
}

impl Places {
    /// `token` is the string with its quotes, a slice of `text` that has been decoded without an error.
    fn of(text: &str, token: &str) -> Self {
        let start = token.as_ptr() as usize - text.as_ptr() as usize + 1;
        let inner = &token[1..token.len() - 1];
        let mut anchors = vec![(0, start)];
        let (mut decoded, mut raw) = (0, 0);
        while let Some(length) = inner[raw..].find('\\') {
            decoded += length;
            raw += length;
            let unit = |at: usize| {
                let digits = inner
                    .get(at..)
                    .and_then(|rest| rest.strip_prefix("\\u"))
                    .and_then(|rest| rest.get(..4));
                digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
            };
            let (n_decoded, n_raw) = match unit(raw) {
                None => (1, 2),
                Some(unit_here) => match char::from_u32(unit_here) {
                    Some(char) => (char.len_utf8(), 6),
                    None if is_pair(unit_here, unit(raw + 6)) => (4, 12),
                    // Half of a pair, read as U+FFFD.
                    None => ('\u{FFFD}'.len_utf8(), 6),
                },
            };
            decoded += n_decoded;
            raw += n_raw;
            anchors.push((decoded, start + raw));
        }
        Self { anchors }
    }

    fn raw(&self, decoded: &Range<usize>) -> Range<u32> {
        let place = |at: usize| {
            let after = self.anchors.partition_point(|&(anchor, _)| anchor <= at);
            let (anchor, raw) = self.anchors[after - 1];
            offset(raw + at - anchor)
        };
        place(decoded.start)..place(decoded.end)
    }
}

/// Says whether two UTF-16 units, the second one if there is any, make one character.
fn is_pair(first: u32, second: Option<u32>) -> bool {
    (0xD800..0xDC00).contains(&first)
        && second.is_some_and(|second| (0xDC00..0xE000).contains(&second))
}

/// Gathers problems; a run of lines with the same one is told once.
#[derive(Default)]
struct Problems {
    /// First line, last line, what is wrong with them.
    runs: Vec<(u32, u32, String)>,
    n_more: usize,
}

impl Problems {
    fn push(&mut self, line: u32, message: String) {
        let has_room = self.runs.len() < PROBLEMS_NAMED;
        match self.runs.last_mut() {
            Some((_, last, said)) if *last + 1 == line && *said == message => *last = line,
            Some(_) | None if has_room => self.runs.push((line, line, message)),
            Some(_) | None => self.n_more += 1,
        }
    }

    fn finish(self) -> Vec<Problem> {
        let named = self.runs.into_iter().map(|(first, last, message)| Problem {
            line: Some(first),
            message: if first == last {
                message
            } else {
                format!("lines {first} to {last}: {message}")
            },
        });
        let more = (self.n_more > 0).then(|| Problem {
            line: None,
            message: format!("and {} more", self.n_more),
        });
        named.chain(more).collect()
    }
}

/// A parser's words with the column alone: its line is always 1.
fn cause(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match words.strip_suffix(&place) {
        Some(words) => format!("{words} at column {}", error.column()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Observations {
        observations(text, &IngestOptions::default())
    }

    fn check_problem(line: &str, n_chunks: usize, message: &str) {
        let found = read(&format!("\n{line}\n{{\"text\": \"good\"}}\n"));
        assert_eq!(found.chunks.len(), n_chunks + 1, "{line}");
        let problems: Vec<_> = found
            .problems
            .iter()
            .map(|problem| (problem.line, problem.message.as_str()))
            .collect();
        assert_eq!(problems, [(Some(2), message)], "{line}");
    }

    #[test]
    fn fields() {
        let found = read(
            "{\"id\": \"o1\", \"agent\": \"iris\", \"date\": \"2026-03-01\", \"weight\": 0.5, \"text\": \"One.\", \"other\": [{}]}\n\n{\"content\":\"Two.\",\"id\":7,\"agent\":null,\"text\":null}",
        );
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let [one, two] = found.chunks.as_slice() else {
            panic!("{:?}", found.chunks)
        };
        assert_eq!(
            (one.text.as_str(), one.start_line, one.end_line),
            ("One.", 1, 1)
        );
        assert_eq!(
            (one.external_id.as_deref(), one.agent.as_deref(), one.weight),
            (Some("o1"), Some("iris"), Some(0.5))
        );
        assert_eq!(one.date, "2026-03-01".parse().ok());
        assert_eq!(
            (
                two.text.as_str(),
                two.start_line,
                two.external_id.as_deref()
            ),
            ("Two.", 3, Some("7"))
        );
        assert_eq!(
            (two.agent.as_deref(), two.weight, two.date),
            (None, None, None)
        );
        let windows: Vec<_> = found
            .windows
            .iter()
            .map(|window| (window.text.as_str(), window.chunks.as_slice()))
            .collect();
        assert_eq!(windows, [("One.", &[0][..]), ("Two.", &[1])]);
    }

    #[test]
    fn bad_lines_are_named_and_good_ones_kept() {
        check_problem("plain words", 0, "not a JSON object; skipped");
        check_problem("[\"text\"]", 0, "not a JSON object; skipped");
        check_problem(
            "{\"text\": \"cut",
            0,
            "not JSON (EOF while parsing a string at column 13); skipped",
        );
        check_problem(
            "{\"text\": \"a\"} x",
            0,
            "not JSON (trailing characters at column 15); skipped",
        );
        check_problem(
            "{\"query\": \"a\", \"relevant\": []}",
            0,
            "no text or content; skipped",
        );
        check_problem("{\"text\": 5}", 0, "no text or content; skipped");
        check_problem("{\"text\": \" \\n\"}", 0, "text is blank; skipped");
        check_problem(
            "{\"text\": \"a\", \"agent\": 5}",
            1,
            "agent, which is not a name, cannot be read; left out",
        );
        check_problem(
            "{\"text\": \"a\", \"date\": \"May\"}",
            1,
            "date, which is not YYYY-MM-DD, cannot be read; left out",
        );
        check_problem(
            "{\"text\": \"a\", \"weight\": -1}",
            1,
            "weight, which is not a number from 0, cannot be read; left out",
        );
        check_problem(
            "{\"text\": \"a\", \"id\": []}",
            1,
            "id, which is neither text nor a number, cannot be read; left out",
        );
        let deep = format!(
            "{{\"text\": \"a\", \"x\": {}1{}}}",
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert_eq!(read(&deep).chunks.len() + read(&deep).problems.len(), 1);
    }

    #[test]
    fn names_stand_on_every_chunk_and_so_are_short() {
        let line =
            |name: &str| format!("{{\"text\": \"a\", \"agent\": \"{name}\", \"id\": \"{name}\"}}");
        let longest = "é".repeat(200);
        let found = read(&line(&longest));
        let chunk = &found.chunks[0];
        assert_eq!(
            (chunk.agent.as_ref(), chunk.external_id.as_ref()),
            (Some(&longest), Some(&longest))
        );
        let found = read(&line(&"é".repeat(201)));
        assert_eq!(
            (&found.chunks[0].agent, &found.chunks[0].external_id),
            (&None, &None)
        );
        let told: Vec<&str> = found
            .problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            told,
            [
                "agent is longer than 200 characters; left out",
                "id is longer than 200 characters; left out"
            ]
        );
    }

    #[test]
    fn a_number_as_id_is_kept_as_written() {
        for id in ["7", "-1", "1.50", "1e3", "12345678901234567890123", "1e999"] {
            let found = read(&format!("{{\"text\": \"a\", \"id\": {id} }}"));
            assert_eq!(found.chunks[0].external_id.as_deref(), Some(id));
            assert!(found.problems.is_empty());
        }
    }

    #[test]
    fn byte_order_marks_before_a_line_do_not_count() {
        // Two files, one behind the other.
        let text = "{\"text\": \"a\"}\n\u{feff}{\"text\": \"b\"}\n\u{feff}\n";
        let found = read(text);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let bytes = found.chunks[1].bytes.clone();
        assert_eq!(&text[bytes.start as usize..bytes.end as usize], "b");
    }

    #[test]
    fn a_document_repeats_itself_so_much_whatever_its_lines() {
        let line = format!(
            "{{\"text\": \"{}{}\"}}\n",
            "x".repeat(1590),
            "\\ny".repeat(160)
        );
        let text = line.repeat(300);
        let found = read(&text);
        let held: usize = found.chunks.iter().map(|chunk| chunk.text.len()).sum();
        assert!(held < 5 * text.len() + 1024 * 1024 + 4096, "{held}");
        let [told] = found.problems.as_slice() else {
            panic!("{:?}", found.problems)
        };
        assert_eq!(told.message, OVERLAP_GIVEN_UP);
        // One line alone is cut as ever.
        let one = read(&line);
        assert!(one.chunks.len() > 50 && one.problems.is_empty());
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character() {
        for (written, expected, is_told) in [
            (r"cut \ud83d", "cut \u{FFFD}", true),
            (r"\ude42 cut", "\u{FFFD} cut", true),
            (r"a\ud83d\ud83d\ude42b", "a\u{FFFD}🙂b", true),
            (r"a\ud83d\u0041\ud83d\nb", "a\u{FFFD}A\u{FFFD}\nb", true),
            (r"a\ud83d\ude42b", "a🙂b", false),
            ("a🙂\u{d7ff}b", "a🙂\u{d7ff}b", false),
        ] {
            let text = format!("{{\"text\": \"{written}\"}}");
            let found = read(&text);
            assert_eq!(found.chunks[0].text, expected);
            let bytes = &found.chunks[0].bytes;
            assert_eq!(&text[bytes.start as usize..bytes.end as usize], written);
            let told: Vec<&str> = found
                .problems
                .iter()
                .map(|problem| problem.message.as_str())
                .collect();
            let expected: &[&str] = if is_told {
                &["text has half of a surrogate pair; read as \u{FFFD}"]
            } else {
                &[]
            };
            assert_eq!(told, expected, "{written}");
        }
    }

    #[test]
    fn a_run_of_lines_with_one_problem_is_told_once() {
        let found = read("{}\n{}\n\n{}\nx\n");
        let told: Vec<(Option<u32>, &str)> = found
            .problems
            .iter()
            .map(|problem| (problem.line, problem.message.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (Some(1), "lines 1 to 2: no text or content; skipped"),
                (Some(4), "no text or content; skipped"),
                (Some(5), "not a JSON object; skipped"),
            ]
        );
    }

    #[test]
    fn only_the_first_problems_are_named() {
        let found = read(&"{}\nx\n".repeat(500));
        assert_eq!(found.problems.len(), 21);
        assert_eq!(found.problems[19].line, Some(20));
        assert_eq!(
            found.problems[20],
            Problem {
                line: None,
                message: "and 980 more".to_owned()
            }
        );
    }

    #[test]
    fn long_texts_become_several_chunks() {
        let said: String = (0..100)
            .map(|idx| format!("Sentence number {idx} says \\\"wörd\\\".\\n"))
            .collect();
        let text = format!("{{\"text\": \"short\"}}\n{{\"text\": \"{said}\"}}");
        let found = read(&text);
        assert!(found.chunks.len() > 2 && found.windows.len() > found.chunks.len());
        for chunk in &found.chunks[1..] {
            assert_eq!((chunk.start_line, chunk.end_line), (2, 2));
            let raw = &text[chunk.bytes.start as usize..chunk.bytes.end as usize];
            assert_eq!(
                serde_json::from_str::<String>(&format!("\"{raw}\"")).expect("JSON"),
                chunk.text
            );
        }
        assert!(
            found.windows[1..]
                .iter()
                .all(|window| window.chunks.iter().all(|&chunk| chunk > 0))
        );
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
            let places = Places::of(&text, &text[start..start + token.len()]);
            let bounds: Vec<usize> = (0..=said.len()).filter(|&at| said.is_char_boundary(at)).collect();
            for pair in bounds.windows(2) {
                let raw = places.raw(&(pair[0]..pair[1]));
                let raw = &text[raw.start as usize..raw.end as usize];
                let decoded: String = serde_json::from_str(&format!("\"{raw}\"")).expect("an escape or a character");
                prop_assert_eq!(&decoded, &said[pair[0]..pair[1]]);
            }
        }
    }
}
