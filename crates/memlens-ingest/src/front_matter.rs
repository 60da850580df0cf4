//! Front matter: the YAML block that a Markdown note may begin with.
//!
//! Properties checked: each field in each form; what is wrong in one field costs that field alone; broken YAML costs
//! no text; text between two rules is no front matter; a hostile block costs little.

use std::fmt;

use jiff::civil::Date;
use serde::Deserialize;
use serde::de::{
    self, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use crate::document::Problem;
use crate::lines::{lines_from, offset};

/// More than a person writes above a note; a YAML of this size cannot be made to expand into much.
const FRONT_MATTER_BYTES_MAX: usize = 16 * 1024;

/// More than a person tags.
const TAGS_MAX: usize = 100;

/// More than any name has. Names stand on every chunk of a document, so that a huge one would be multiplied.
pub(crate) const NAME_CHARS_MAX: usize = 200;

/// What a note says about itself in its first lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// Who wrote the note, as written, at most 200 characters; none when missing or blank.
    pub agent: Option<String>,
    /// The day of the note; of a point in time the day as written, whatever its offset.
    pub date: Option<Date>,
    /// In the order of the note, without blanks around; at most 100.
    pub tags: Vec<String>,
    /// In `[0, inf)`; none when not given, which is not 0.
    pub weight: Option<f64>,
}

/// A document's front matter, and what stands after it.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) front: FrontMatter,
    /// Byte at which the line after the front matter starts; 0 without any, or with one that is read as text.
    pub(crate) body_start: usize,
    /// Byte from which Markdown is Markdown: the closing line of a faulty front matter would underline a heading.
    pub(crate) outline_start: usize,
    pub(crate) problems: Vec<Problem>,
}

/// Reads the front matter of a note; a note without, or with one that cannot be read, is all body.
pub(crate) fn head(text: &str) -> Head {
    let (yaml, body_start) = match block(text) {
        Block::Closed { yaml, body_start } => (yaml, body_start),
        Block::TooLong => {
            return Head::without(
                1,
                format!("front matter is longer than {FRONT_MATTER_BYTES_MAX} bytes; read as text"),
            );
        }
        Block::Unclosed => {
            return Head::without(
                1,
                "front matter is never closed by ---; read as text".to_owned(),
            );
        }
        Block::None => return Head::default(),
    };
    let fields: Fields = match serde_yaml_ng::from_str(yaml) {
        Ok(Document::Fields(fields)) => fields,
        Ok(Document::Empty) => {
            return Head {
                body_start,
                outline_start: body_start,
                ..Head::default()
            };
        }
        // A paragraph or a list between two rules.
        Ok(Document::Text) => return Head::default(),
        Err(error) => {
            let line = error
                .location()
                .map_or(1, |location| line_of_char(yaml, location.index()));
            let words = error.to_string();
            // The parser counts its lines from the line after the first.
            let cause = words.split(" at line ").next().unwrap_or(&words);
            return Head {
                outline_start: body_start,
                ..Head::without(
                    line,
                    format!("front matter cannot be read ({cause}); read as text"),
                )
            };
        }
    };
    let mut head = Head {
        body_start,
        outline_start: body_start,
        ..Head::default()
    };
    let mut wrong = |key: &str, message: String| {
        head.problems.push(Problem {
            line: line_of_key(yaml, key),
            message,
        });
    };
    let Fields {
        agent,
        date,
        tags,
        weight,
    } = fields;
    head.front.agent = agent_of(agent).unwrap_or_else(|message| {
        wrong("agent", message);
        None
    });
    head.front.date = date_of(date).unwrap_or_else(|value| {
        wrong("date", format!("date is not YYYY-MM-DD: {value}; left out"));
        None
    });
    head.front.tags = tags_of(tags).unwrap_or_else(|| {
        wrong(
            "tags",
            "tags are neither a list nor words between commas; left out".to_owned(),
        );
        Vec::new()
    });
    head.front.weight = weight_of(weight).unwrap_or_else(|value| {
        wrong(
            "weight",
            format!("weight is not a number from 0: {value}; left out"),
        );
        None
    });
    head
}

/// Reads `YYYY-MM-DD`, alone or before a time.
pub(crate) fn parse_date(written: &str) -> Option<Date> {
    let (day, time) = written.trim().split_at_checked("YYYY-MM-DD".len())?;
    let is_plain = day
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_time = time.is_empty()
        || (time.starts_with(['T', 't', ' '])
            && time[1..]
                .trim_start()
                .starts_with(|char: char| char.is_ascii_digit()));
    day.parse().ok().filter(|_| is_plain && is_time)
}

impl Head {
    fn without(line: u32, message: String) -> Self {
        Self {
            problems: vec![Problem {
                line: Some(line),
                message,
            }],
            ..Self::default()
        }
    }
}

enum Block<'a> {
    None,
    Unclosed,
    TooLong,
    Closed { yaml: &'a str, body_start: usize },
}

/// Finds the lines between `---` at the very start and `---` or `...`.
fn block(text: &str) -> Block<'_> {
    let mut lines = lines_from(text, 0);
    let Some(first) = lines
        .next()
        .filter(|first| text[first.clone()].trim_end() == "---")
    else {
        return Block::None;
    };
    let start = (first.end + 1).min(text.len());
    // Only something like `key: value` is meant as front matter; other notes may begin with a rule.
    let is_meant = lines_from(text, start).next().is_some_and(|line| {
        text[line].split_once(':').is_some_and(|(key, _)| {
            !key.is_empty()
                && key
                    .chars()
                    .all(|char| char.is_alphanumeric() || "_-".contains(char))
        })
    });
    for line in lines {
        if matches!(text[line.clone()].trim_end(), "---" | "...") {
            return Block::Closed {
                yaml: &text[start..line.start],
                body_start: (line.end + 1).min(text.len()),
            };
        }
        if line.end - start > FRONT_MATTER_BYTES_MAX {
            return if is_meant {
                Block::TooLong
            } else {
                Block::None
            };
        }
    }
    if is_meant {
        Block::Unclosed
    } else {
        Block::None
    }
}

/// The line on which the character of the YAML with that number stands, counted in the note.
///
/// The parser's own lines end at more signs than ours, such as U+2028.
fn line_of_char(yaml: &str, n_before: usize) -> u32 {
    let n_ends = yaml
        .chars()
        .take(n_before)
        .filter(|&char| char == '\n')
        .count();
    offset(n_ends) + 2
}

/// The line of a top-level key, counted in the note.
fn line_of_key(yaml: &str, key: &str) -> Option<u32> {
    let idx = yaml.lines().position(|line| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
    });
    idx.map(|idx| offset(idx) + 2)
}

fn agent_of(value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Text(text) if is_short(text.trim()) => {
            Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        Value::Text(_) => Err(format!(
            "agent is longer than {NAME_CHARS_MAX} characters; left out"
        )),
        Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Fields => {
            Err("agent is not a name; left out".to_owned())
        }
    }
}

/// Says whether a name may stand on every chunk.
pub(crate) fn is_short(name: &str) -> bool {
    name.chars().nth(NAME_CHARS_MAX).is_none()
}

fn date_of(value: Value) -> Result<Option<Date>, Value> {
    match value {
        Value::Null => Ok(None),
        Value::Text(text) => parse_date(&text).map(Some).ok_or(Value::Text(text)),
        Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Fields => Err(value),
    }
}

fn tags_of(value: Value) -> Option<Vec<String>> {
    let tags: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::Text(text) => text.split(',').map(str::to_owned).collect(),
        Value::List(items) => items
            .iter()
            .map(|item| match item {
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {
                    Some(item.to_string())
                }
                Value::List(_) | Value::Fields => None,
            })
            .collect::<Option<_>>()?,
        Value::Bool(_) | Value::Number(_) | Value::Fields => return None,
    };
    let tags = tags
        .iter()
        .map(|tag| {
            tag.trim()
                .trim_start_matches(|sign: char| sign == '#' || sign.is_whitespace())
        })
        .filter(|tag| !tag.is_empty());
    Some(tags.take(TAGS_MAX).map(str::to_owned).collect())
}

fn weight_of(value: Value) -> Result<Option<f64>, Value> {
    match value {
        Value::Null => Ok(None),
        Value::Number(number) if is_weight(number) => Ok(Some(number)),
        Value::Number(_) | Value::Text(_) | Value::Bool(_) | Value::List(_) | Value::Fields => {
            Err(value)
        }
    }
}

/// Says whether `number` can weigh an observation: finite, not negative.
pub(crate) fn is_weight(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// What stands between the two lines of a block.
enum Document {
    Empty,
    Text,
    Fields(Fields),
}

#[derive(Default)]
struct Fields {
    agent: Value,
    date: Value,
    tags: Value,
    weight: Value,
}

/// A YAML value, with what is nested deeper than a list of words left out: aliases could make it huge.
#[derive(Default)]
enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Fields,
}

impl Fields {
    fn get_mut(&mut self, key: &Value) -> Option<&mut Value> {
        let Value::Text(key) = key else { return None };
        match key.as_str() {
            "agent" => Some(&mut self.agent),
            "date" => Some(&mut self.date),
            "tags" => Some(&mut self.tags),
            "weight" => Some(&mut self.weight),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Bool(value) => value.fmt(formatter),
            Self::Number(value) => value.fmt(formatter),
            // Enough to recognise it by.
            Self::Text(text) => text.chars().take(80).collect::<String>().fmt(formatter),
            Self::List(_) => "a list".fmt(formatter),
            Self::Fields => "a list of keys".fmt(formatter),
        }
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Document;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("keys and values")
            }
            fn visit_unit<E>(self) -> Result<Document, E> {
                Ok(Document::Empty)
            }
            fn visit_none<E>(self) -> Result<Document, E> {
                Ok(Document::Empty)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_i128<E>(self, _: i128) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_u128<E>(self, _: u128) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            // A tag says nothing of what it stands before.
            fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Document, A::Error> {
                let (IgnoredAny, content) = tagged.variant()?;
                content.newtype_variant()
            }
            fn visit_str<E>(self, _: &str) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Document::Text)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Document, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = entries.next_key::<Value>()? {
                    let Some(field) = fields.get_mut(&key) else {
                        entries.next_value::<IgnoredAny>()?;
                        continue;
                    };
                    if !matches!(field, Value::Null) {
                        return Err(de::Error::custom(format_args!("{key} stands there twice")));
                    }
                    *field = entries.next_value()?;
                }
                Ok(Document::Fields(fields))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any {
            may_nest: bool,
        }
        impl<'de> de::DeserializeSeed<'de> for Any {
            type Value = Value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
                deserializer.deserialize_any(self)
            }
        }
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_none<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Number(value))
            }
            fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
                let (IgnoredAny, content) = tagged.variant()?;
                content.newtype_variant_seed(self)
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while self.may_nest && list.len() < TAGS_MAX {
                    match items.next_element_seed(Any { may_nest: false })? {
                        Some(item) => list.push(item),
                        None => return Ok(Value::List(list)),
                    }
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Fields)
            }
        }
        deserializer.deserialize_any(Any { may_nest: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Front matter, body and problems of a note.
    fn read(text: &str) -> (FrontMatter, &str, Vec<(Option<u32>, String)>) {
        let head = head(text);
        let problems = head
            .problems
            .into_iter()
            .map(|problem| (problem.line, problem.message))
            .collect();
        (head.front, &text[head.body_start..], problems)
    }

    fn check(yaml: &str, expected: FrontMatter) {
        let text = format!("---\n{yaml}\n---\nbody");
        assert_eq!(read(&text), (expected, "body", vec![]), "{yaml:?}");
    }

    fn check_problem(text: &str, body: &str, line: u32, message: &str) {
        let (front, found_body, problems) = read(text);
        assert_eq!(
            (front, found_body),
            (FrontMatter::default(), body),
            "{text:?}"
        );
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].0, Some(line), "{problems:?}");
        assert!(problems[0].1.contains(message), "{problems:?}");
    }

    fn date(written: &str) -> Option<Date> {
        Some(written.parse().expect("a date"))
    }

    #[test]
    fn fields() {
        let none = FrontMatter::default;
        check("", none());
        check(
            "title: x\nnested: {a: [1, {b: 2}]}\n? [odd]\n: key\n0: zero",
            none(),
        );
        check(
            "agent: iris",
            FrontMatter {
                agent: Some("iris".to_owned()),
                ..none()
            },
        );
        check("agent: ' '\ndate:\ntags:\nweight: ~", none());
        check(
            "date: 2026-03-01",
            FrontMatter {
                date: date("2026-03-01"),
                ..none()
            },
        );
        check(
            "date: 2026-03-01T23:30:00-11:00",
            FrontMatter {
                date: date("2026-03-01"),
                ..none()
            },
        );
        check(
            "date: \"2026-03-01 09:00\"",
            FrontMatter {
                date: date("2026-03-01"),
                ..none()
            },
        );
        let tags = |tags: &[&str]| FrontMatter {
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..none()
        };
        check("tags: [a, 'b c', 3, '']", tags(&["a", "b c", "3"]));
        check("tags:\n  - a\n  - b", tags(&["a", "b"]));
        check("tags: 'a, b c,, #d'", tags(&["a", "b c", "d"]));
        check("tags: 'a, #, # b, ## # c'", tags(&["a", "b", "c"]));
        check(
            "weight: 2",
            FrontMatter {
                weight: Some(2.0),
                ..none()
            },
        );
        check(
            "weight: 0",
            FrontMatter {
                weight: Some(0.0),
                ..none()
            },
        );
        check(
            "weight: 0.25",
            FrontMatter {
                weight: Some(0.25),
                ..none()
            },
        );
        check(
            "weight: 123456789012345678901234567890",
            FrontMatter {
                weight: Some(1.2345678901234568e29),
                ..none()
            },
        );
        check(
            "agent: !name iris\ntags: !set [!x a, 12345678901234567890123, b]",
            FrontMatter {
                agent: Some("iris".to_owned()),
                tags: vec!["a".into(), "12345678901234568000000".into(), "b".into()],
                ..none()
            },
        );
        check(
            "!note\nagent: iris\n12345678901234567890123: x\n-12345678901234567890123: x\n!y z: 1",
            FrontMatter {
                agent: Some("iris".to_owned()),
                ..none()
            },
        );
    }

    #[test]
    fn a_name_stands_on_every_chunk_and_so_is_short() {
        let note = |agent: &str| format!("---\nagent: {agent}\ntags: a\n---\nbody");
        let (front, _, problems) = read(&note(&"é".repeat(200)));
        assert_eq!((front.agent, problems), (Some("é".repeat(200)), vec![]));
        let long = note(&"é".repeat(201));
        let (front, body, problems) = read(&long);
        assert_eq!((front.agent, front.tags.len(), body), (None, 1, "body"));
        assert_eq!(
            problems,
            [(
                Some(2),
                "agent is longer than 200 characters; left out".to_owned()
            )]
        );
    }

    #[test]
    fn a_wrong_field_is_named_and_costs_no_other() {
        let text = "---\nweight: -1\nagent: iris\ndate: 2026-02-30\ntags: {a: 1}\n---\nbody";
        let (front, body, problems) = read(text);
        assert_eq!(
            front,
            FrontMatter {
                agent: Some("iris".to_owned()),
                ..FrontMatter::default()
            }
        );
        assert_eq!(body, "body");
        let found: Vec<_> = problems
            .iter()
            .map(|(line, message)| (line.unwrap_or(0), message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (4, "date is not YYYY-MM-DD: 2026-02-30; left out"),
                (
                    5,
                    "tags are neither a list nor words between commas; left out"
                ),
                (2, "weight is not a number from 0: -1; left out"),
            ]
        );
        for yaml in [
            "weight: heavy",
            "weight: .nan",
            "weight: .inf",
            "weight: '1'",
            "date: 2026",
            "date: 2026-03",
            "date: 2026-03-01x",
            "date: yesterday",
            "date: +002026-1",
            "agent: [a]",
            "agent: 7",
        ] {
            let key = yaml.split(':').next().expect("a key");
            check_problem(&format!("---\n{yaml}\n---\nbody"), "body", 2, key);
        }
    }

    #[test]
    fn broken_front_matter_is_text() {
        for (text, line) in [
            ("---\nagent: iris\ntags: [a, b\n---\nbody", 3),
            ("---\nagent: 'iris\n---\nbody", 2),
            ("---\na: 1\na: b: c\n---\nbody", 3),
            ("---\nagent: a\nagent: b\n---\nbody", 3),
            // Signs at which YAML ends a line, and nobody else.
            ("---\ntags: [\u{2028}\u{2028}\u{85}\n---\nbody", 3),
        ] {
            let (_, _, problems) = read(text);
            let found = problems[0].0.expect("a line");
            assert!(found.abs_diff(line) <= 1, "{problems:?}");
            check_problem(text, text, found, "front matter cannot be read");
        }
        let text = "---\nagent: iris\n\nNever closed.";
        check_problem(text, text, 1, "never closed");
        let text = format!("---\nagent: {}\n---\nbody", "x".repeat(20_000));
        check_problem(&text, &text, 1, "longer than");
    }

    #[test]
    fn rules_are_no_front_matter() {
        for text in [
            "",
            "---",
            "---\n",
            "---\n\nA note: after a rule\n",
            "---\njust text\n---\nmore",
            "---\n- a\n- b\n---\n",
            "text\n---\nagent: x\n---\n",
            " ---\nagent: x\n---\n",
            "----\nagent: x\n----\n",
            "---\n12345678901234567890123\n---\n",
        ] {
            assert_eq!(
                read(text),
                (FrontMatter::default(), text, vec![]),
                "{text:?}"
            );
        }
        assert_eq!(read("---\n---\nbody").1, "body");
        assert_eq!(read("--- \nagent: x\n...\nbody").1, "body");
        assert_eq!(read("---\nagent: x\n---").1, "");
    }

    #[test]
    fn hostile_yaml_costs_little() {
        let mut bomb = "---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..20 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(",");
            bomb += &format!("a{level}: &a{level} [{aliases}]\n");
        }
        bomb += "tags: *a19\n---\nbody";
        let started = std::time::Instant::now();
        assert!(!head(&bomb).problems.is_empty());
        let deep = format!("---\ntags: {}\n---\nbody", "[".repeat(8000));
        assert!(!head(&deep).problems.is_empty());
        assert!(started.elapsed().as_secs() < 5);
    }

    proptest! {
        #[test]
        fn any_block(yaml in "(agent|tags|date|weight|[a-z&*!|>'\": \\[\\]{},#0-9.-]|\n){0,60}") {
            let text = format!("---\n{yaml}\n---\nbody");
            let head = head(&text);
            prop_assert!(head.body_start == 0 || text.as_bytes()[head.body_start - 1] == b'\n' );
            prop_assert!(head.front.weight.is_none_or(is_weight));
        }
    }
}
