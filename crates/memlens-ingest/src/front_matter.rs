//! Front matter: the YAML block at the start of a Markdown note.
//!
//! Properties checked: each field in each form; an error in one field costs only that field; broken YAML costs no text;
//! text between two rules is no front matter; a hostile block is cheap.

use jiff::civil::Date;

use crate::dates::{date_of_number, date_of_unix, date_of_value};
use crate::document::Problem;
use crate::lines::{lines_from, offset};

mod singly;
mod values;

use singly::fields_singly;
pub(crate) use values::is_key;
use values::{Document, Fields, Value};

/// The keys that are read, in any case and with space, `-` or `_` between their words.
const KEYS: [&str; 11] = [
    "agent",
    "tags",
    "weight",
    "date",
    "created",
    "created_at",
    "date_created",
    "updated",
    "updated_at",
    "modified",
    "date_modified",
];

/// The keys of [`KEYS`] that date a note; the first one with a valid day counts.
pub(crate) const DATE_KEYS: &[&str] = KEYS.split_at(3).1;

/// Advice for a date that cannot be parsed.
pub(crate) const DATE_ADVICE: &str = "write it year first, such as 2026-05-06";

/// More than people write above a note. YAML of this size cannot expand into much.
const FRONT_MATTER_BYTES_MAX: usize = 16 * 1024;

/// Maximum number of tags; more than people use.
const TAGS_MAX: usize = 100;

/// Maximum length of a name. Names are part of every chunk of a document, which would multiply a huge one.
pub(crate) const NAME_CHARS_MAX: usize = 200;

/// The metadata that a note states in its first lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// Who wrote the note, as written, at most 200 characters; `None` if missing or blank.
    pub agent: Option<String>,
    /// The day of the note: `date`, otherwise `created`, `created_at`, `date_created`, `updated`, `updated_at`,
    /// `modified` or `date_modified`. For a point in time, the day as written, whatever its offset; for a week or a
    /// month, its last day.
    pub date: Option<Date>,
    /// In the order of the note, trimmed; at most 100.
    pub tags: Vec<String>,
    /// The weight in `[0, inf)`; `None` if not given, which is not 0.
    pub weight: Option<f64>,
}

/// A document's front matter, and where its body begins.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) front: FrontMatter,
    /// The byte at which the line after the front matter starts; 0 if there is none or it is read as text.
    pub(crate) body_start: usize,
    /// The byte from which Markdown is parsed: the closing line of a faulty front matter would underline a heading.
    pub(crate) outline_start: usize,
    pub(crate) problems: Vec<Problem>,
}

/// Parses the front matter of a note. If there is none, or it cannot be parsed, the whole note is the body.
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
    let (fields, problems) = match serde_yaml_ng::from_str(yaml) {
        Ok(Document::Fields(fields)) => (*fields, Vec::new()),
        Ok(Document::Empty) => {
            return Head {
                body_start,
                outline_start: body_start,
                ..Head::default()
            };
        }
        // A paragraph or a list between two rules.
        Ok(Document::Text) => return Head::default(),
        Err(error) => match fields_singly(yaml) {
            Some(read) => read,
            None => {
                let line = error
                    .location()
                    .map_or(1, |location| line_of_char(yaml, location.index()));
                let cause = cause(&error);
                return Head {
                    outline_start: body_start,
                    ..Head::without(
                        line,
                        format!("front matter cannot be read ({cause}); read as text"),
                    )
                };
            }
        },
    };
    let mut head = Head {
        body_start,
        outline_start: body_start,
        problems,
        ..Head::default()
    };
    head.read_fields(yaml, fields);
    head
}

impl Head {
    /// Reads the fields; one that cannot be read is left out, with a problem.
    fn read_fields(&mut self, yaml: &str, mut fields: Fields) {
        let mut wrong = |key: &str, message: String| {
            self.problems.push(Problem {
                line: line_of_key(yaml, key),
                message,
            });
        };
        for key in std::mem::take(&mut fields.repeated) {
            wrong(
                key,
                format!("{key} is given more than once; the first counts"),
            );
        }
        self.front.agent = agent_of(fields.take("agent")).unwrap_or_else(|message| {
            wrong("agent", message);
            None
        });
        for &key in DATE_KEYS {
            let date = date_of(fields.take(key)).unwrap_or_else(|value| {
                wrong(
                    key,
                    format!("{key} is no day, week or month: {value}; left out, {DATE_ADVICE}"),
                );
                None
            });
            self.front.date = self.front.date.or(date);
        }
        self.front.tags = tags_of(fields.take("tags")).unwrap_or_else(|| {
            wrong(
                "tags",
                "tags are neither a list nor words between commas; left out".to_owned(),
            );
            Vec::new()
        });
        self.front.weight = weight_of(fields.take("weight")).unwrap_or_else(|value| {
            wrong(
                "weight",
                format!("weight is not a number from 0: {value}; left out"),
            );
            None
        });
    }
}

/// Returns a parser's message without its position, which counts lines from the second one.
fn cause(error: &serde_yaml_ng::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or(&words);
    words.to_owned()
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
    // Only a line such as `key: value` begins front matter; other notes may begin with a rule.
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

/// Returns the line of the note that holds the YAML's character with this number.
///
/// The parser's own lines also end at characters such as U+2028.
fn line_of_char(yaml: &str, n_before: usize) -> u32 {
    let n_ends = yaml
        .chars()
        .take(n_before)
        .filter(|&char| char == '\n')
        .count();
    offset(n_ends) + 2
}

/// Returns the line of a top-level key of [`KEYS`], counted in the note.
fn line_of_key(yaml: &str, key: &str) -> Option<u32> {
    let idx = yaml.lines().position(|line| {
        let written = line.split_once(':').map(|(key, _)| key);
        written.is_some_and(|written| is_key(written.trim_end().trim_matches(['"', '\'']), key))
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

/// Returns whether a name is short enough to be part of every chunk.
pub(crate) fn is_short(name: &str) -> bool {
    name.chars().nth(NAME_CHARS_MAX).is_none()
}

fn date_of(value: Value) -> Result<Option<Date>, Value> {
    let date = match &value {
        Value::Null => return Ok(None),
        Value::Text(text) if text.trim().is_empty() => return Ok(None),
        Value::Text(text) => date_of_value(text),
        Value::Number(number) => date_of_number(*number).or_else(|| date_of_unix(*number)),
        // `[[2026-05-06]]` without quotes is a list in a list.
        Value::List(items) => match items.as_slice() {
            [Value::Text(text)] => date_of_value(text),
            [Value::List(inner)] => match inner.as_slice() {
                [Value::Text(text)] => date_of_value(text),
                _ => None,
            },
            _ => None,
        },
        Value::Bool(_) | Value::Fields => None,
    };
    date.map(Some).ok_or(value)
}

fn tags_of(value: Value) -> Option<Vec<String>> {
    let tags: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::Text(text) => text.split(',').map(str::to_owned).collect(),
        Value::List(items) => items
            .iter()
            .map(|item| match item {
                Value::Text(text) => Some(text.clone()),
                Value::Null | Value::Bool(_) | Value::Number(_) => Some(item.to_string()),
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

/// Returns whether `number` is a valid weight: finite, not negative.
pub(crate) fn is_weight(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the front matter, body and problems of a note.
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
        let long = "x".repeat(300);
        check(&format!("tags: [{long}]"), tags(&[&long]));
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
                (
                    4,
                    "date is no day, week or month: 2026-02-30; left out, write it year first, such as 2026-05-06"
                ),
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
            "date: 2026-03-01x",
            "date: yesterday",
            "date: 06.05.2026",
            "date: [2026-03-01, 2026-03-02]",
            "date: {on: 2026-03-01}",
            "date: +002026-1",
            "agent: [a]",
            "agent: 7",
        ] {
            let key = yaml.split(':').next().expect("a key");
            check_problem(&format!("---\n{yaml}\n---\nbody"), "body", 2, key);
        }
    }

    #[test]
    fn dates() {
        for yaml in [
            "Date: 2026-05-06",
            "DATE: 20260506",
            "created: 2026/05/06",
            "Created At: 2026.05.06",
            "created-at: 2026_05_06",
            "createdAt: 2026-05-06T10:00:00Z",
            "date created: Wednesday\ndate modified: 2026-05-06",
            "updated: 1778025600",
            "updated_at: 1778025600000",
            "date: \"[[2026-05-06]]\"",
            "date: [[2026-05-06]]",
            "date: [2026-05-06]",
            "date: \"[Wednesday](journal/2026-05-06.md)\"",
            "date: 2026-W19-3",
            // The order of the keys counts, not that of the lines.
            "updated: 2026-06-01\ncreated: 2026-05-31\ndate: 2026-05-06",
            "updated: 2026-06-01\ncreated: 2026-05-06",
            "created: 2026-05-06\ndate:",
        ] {
            let (front, _, _) = read(&format!("---\n{yaml}\n---\nbody"));
            assert_eq!(front.date, date("2026-05-06"), "{yaml}");
        }
        for (yaml, expected) in [
            ("date: 2026-W19", "2026-05-10"),
            ("date: 2026-05", "2026-05-31"),
        ] {
            let (front, _, problems) = read(&format!("---\n{yaml}\n---\nbody"));
            assert_eq!((front.date, problems), (date(expected), vec![]), "{yaml}");
        }
        // A date that cannot be parsed is reported, and the next one counts.
        let (front, _, problems) = read("---\ncreated: 2026-05-06\ndate: 06.05.2026\n---\nbody");
        assert_eq!(front.date, date("2026-05-06"));
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].0, Some(3));
        assert!(problems[0].1.contains("06.05.2026"), "{problems:?}");
    }

    #[test]
    fn a_bad_line_costs_that_line_alone() {
        let check = |text: &str, expected: &[(Option<u32>, &str)]| {
            let (front, body, problems) = read(text);
            assert_eq!(body, "body", "{text}");
            let named: Vec<_> = problems
                .iter()
                .map(|(line, message)| (*line, message.split(" (").next().unwrap_or("")))
                .collect();
            assert_eq!(named, expected, "{text}");
            front
        };
        let front = check(
            "---\ntitle: Governance: Who Signs What\ndate: 2026-02-11\nagent: iris\ntags: [signing, policy]\n---\nbody",
            &[(Some(2), "title is not valid YAML")],
        );
        assert_eq!(
            front,
            FrontMatter {
                agent: Some("iris".to_owned()),
                date: date("2026-02-11"),
                tags: vec!["signing".to_owned(), "policy".to_owned()],
                weight: None,
            }
        );
        let front = check(
            "---\ncreated: [[2026-05-06]]\nrelated: [[Boiler]], [[Pump]]\ndate: 2026-05-06\ntags: #heating\n---\nbody",
            &[(Some(3), "related is not valid YAML")],
        );
        assert_eq!(front.date, date("2026-05-06"));
        let front = check(
            "---\nagent: iris\ntags: [a, b\n---\nbody",
            &[(Some(3), "tags is not valid YAML")],
        );
        assert_eq!(front.agent.as_deref(), Some("iris"));
        let front = check(
            "---\nweight: 2\ntags:\n- a\n- b: c: d\n\n# a comment\n@home\nagent: 'x'\n---\nbody",
            &[
                (Some(3), "tags is not valid YAML"),
                (Some(8), "not valid YAML"),
            ],
        );
        assert_eq!(
            (front.weight, front.agent.as_deref()),
            (Some(2.0), Some("x"))
        );
        check(
            "---\na: 1\na: b: c\n---\nbody",
            &[(Some(3), "a is not valid YAML")],
        );
        // The first of two counts, in valid and in invalid YAML.
        for broken in ["", "x: y: z\n"] {
            let text = format!("---\nagent: a\nAgent: b\n{broken}---\nbody");
            let (front, _, problems) = read(&text);
            assert_eq!(front.agent.as_deref(), Some("a"));
            let repeated = "agent is given more than once; the first counts";
            assert!(
                problems
                    .iter()
                    .any(|it| it == &(Some(2), repeated.to_owned())),
                "{problems:?}"
            );
        }
        let many = "x: y: z\n".repeat(100);
        let (_, _, problems) = read(&format!("---\nagent: a\n{many}---\nbody"));
        assert_eq!(problems.len(), 11);
        assert!(problems[10].1.starts_with("and 90 more"), "{problems:?}");
    }

    #[test]
    fn broken_front_matter_is_text() {
        for (text, line) in [
            ("---\nagent: 'iris\n---\nbody", 2),
            ("---\nNote: this: that\n---\nbody", 2),
            // Lines without a key, and no key that counts.
            (
                "---\nNote: after a rule\njust: text: here\nand more\n---\nbody",
                4,
            ),
            // Characters that end a line only in YAML.
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

        /// Lines that are not YAML cost nothing but themselves, anywhere among good ones.
        #[test]
        fn bad_lines_among_good_ones(at in 0_usize..4, bad in "[a-z]{1,5}: ([a-z]{1,5}: [a-z]|\\[[a-z]{0,5}|\\[\\[a\\]\\], b|\"a\" b|@a)") {
            prop_assume!(!KEYS.iter().any(|key| bad.starts_with(&format!("{key}:"))));
            let mut lines = vec!["agent: iris", "date: 2026-05-06", "tags: [a, b]"];
            lines.insert(at, &bad);
            let text = format!("---\n{}\n---\nbody", lines.join("\n"));
            let (front, body, problems) = read(&text);
            prop_assert_eq!(front, FrontMatter {
                agent: Some("iris".to_owned()),
                date: date("2026-05-06"),
                tags: vec!["a".to_owned(), "b".to_owned()],
                weight: None,
            });
            prop_assert_eq!(body, "body");
            prop_assert_eq!(problems.len(), 1, "{:?}", problems);
            prop_assert_eq!(problems[0].0, Some(u32::try_from(at).expect("small") + 2));
        }
    }
}
