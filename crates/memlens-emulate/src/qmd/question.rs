//! A question as qmd parses it: the expression for its words, typed lines, the model's additions, and the words of an
//! intent.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::cut::{is_space_char, split, trim};

static HYPHENATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\p{L}\p{N}][\p{L}\p{N}'-]*-[\p{L}\p{N}][\p{L}\p{N}'-]*$")
        .expect("a valid pattern")
});
static PART: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}_]+$").expect("a valid pattern"));
static DENSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+")
        .expect("a valid pattern")
});
static STRIPPED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[^\p{L}\p{N}'_]").expect("a valid pattern"));
static NEGATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?:^|\s)-[0-9A-Za-z_"]"#).expect("a valid pattern"));
static AROUND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$").expect("a valid pattern"));
static TYPED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?i:(lex|vec|hyde|intent)):\s*(.*)$").expect("a valid pattern"));

/// Words that are ignored in an intent, from its package (MIT, Copyright (c) 2024-2026 Tobi Lutke).
const STOP_WORDS: &str = include_str!("stop-words/stop-words.txt");

/// The kind of search of a typed line, or of a line of the model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A search by words, with BM25.
    Lex,
    /// By meaning, as a question.
    Vec,
    /// By meaning, as a hypothetical answer in a note.
    Hyde,
}

impl Kind {
    /// Returns the word that qmd uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Lex => "lex",
            Kind::Vec => "vec",
            Kind::Hyde => "hyde",
        }
    }

    fn of(word: &str) -> Option<Kind> {
        [Kind::Lex, Kind::Vec, Kind::Hyde]
            .into_iter()
            .find(|it| it.as_str() == word)
    }
}

/// One search of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The kind of the search.
    pub kind: Kind,
    /// The text to search for, without its type.
    pub text: String,
}

/// A question with typed lines: `lex: …`, `vec: …`, `hyde: …`, `intent: …`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// The searches of the question.
    pub lines: Vec<Line>,
    /// The intent, if it is stated.
    pub intent: Option<String>,
}

impl Typed {
    /// Returns the typed lines of a question; `None` if it is a plain one.
    pub fn of(question: &str) -> Option<Typed> {
        let mut typed = Typed::default();
        for line in question.lines().map(trim).filter(|line| !line.is_empty()) {
            let found = TYPED.captures(line)?;
            let text = trim(&found[2]).to_owned();
            match Kind::of(&found[1].to_lowercase()) {
                Some(kind) => typed.lines.push(Line { kind, text }),
                None => typed.intent = Some(text),
            }
        }
        (!typed.lines.is_empty()).then_some(typed)
    }
}

/// Returns why qmd rejects a line; `None` if it accepts it.
pub fn refused(line: &Line) -> Option<&'static str> {
    if line.text.contains(['\r', '\n']) {
        return Some("a typed search is one line");
    }
    match line.kind {
        Kind::Lex if line.text.matches('"').count() % 2 == 1 => {
            Some("a lex line has a quote that is not closed")
        }
        Kind::Vec | Kind::Hyde if NEGATION.is_match(&line.text) => {
            Some("vec and hyde lines know no negation")
        }
        Kind::Lex | Kind::Vec | Kind::Hyde => None,
    }
}

/// Returns the text for reranking and for selecting a chunk: the first lex line, otherwise the first vec line,
/// otherwise the first line.
pub fn primary(lines: &[Line]) -> &str {
    let first = |kind| {
        let line = lines.iter().find(|line| line.kind == kind)?;
        (!line.text.is_empty()).then_some(line)
    };
    let line = first(Kind::Lex)
        .or_else(|| first(Kind::Vec))
        .or(lines.first());
    line.map_or("", |line| &line.text)
}

/// Returns the searches that the model's answer to a question adds.
pub fn expansion(question: &str, answer: &str) -> Vec<Line> {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_kept = |line: &Line| {
        let text = line.text.to_lowercase();
        words.is_empty() || words.iter().any(|word| text.contains(word))
    };
    let lines = answer.lines().filter_map(|line| {
        let (kind, text) = trim(line).split_once(':')?;
        let kind = Kind::of(trim(kind))?;
        let text = trim(text).to_owned();
        Some(Line { kind, text })
    });
    let mut kept: Vec<Line> = lines.filter(is_kept).collect();
    if kept.is_empty() {
        kept.push(Line {
            kind: Kind::Hyde,
            text: format!("Information about {question}"),
        });
    }
    kept.retain(|line| line.text != question);
    kept
}

/// Returns the words of an intent that count.
pub fn intent_words(intent: &str) -> Vec<String> {
    let stop: HashSet<&str> = STOP_WORDS.split_whitespace().collect();
    let lower = intent.to_lowercase();
    split(&lower)
        .map(|word| AROUND.replace_all(word, "").into_owned())
        .filter(|word| word.encode_utf16().count() > 1 && !stop.contains(word.as_str()))
        .collect()
}

/// Returns a text as its words are indexed: with a space around every character of scripts without spaces.
pub fn spaced(text: &str) -> String {
    let around = |found: &regex::Captures<'_>| {
        let signs: Vec<String> = found[0].chars().map(String::from).collect();
        format!(" {} ", signs.join(" "))
    };
    DENSE.replace_all(text, around).into_owned()
}

/// Returns the question as an FTS5 expression; `None` if there is nothing to search.
pub fn expression(question: &str) -> Option<String> {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    let mut rest = trim(question);
    while let Some(first) = rest.chars().next() {
        if is_space_char(first) {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let is_negated = first == '-';
        rest = rest.strip_prefix('-').unwrap_or(rest);
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
            rest = behind;
            let phrase = phrase(trim(text));
            if !phrase.is_empty() {
                let side = if is_negated {
                    &mut unwanted
                } else {
                    &mut wanted
                };
                side.push(format!("\"{phrase}\""));
            }
            continue;
        }
        let end = rest
            .find(|sign| is_space_char(sign) || sign == '"')
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        let parts = parts(word);
        if is_negated && parts.len() > 1 {
            unwanted.push(format!("({})", parts.join(" AND ")));
        } else if is_negated {
            unwanted.extend(parts);
        } else {
            wanted.extend(parts);
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let not = unwanted.iter().map(|it| format!(" NOT {it}"));
    Some(wanted.join(" AND ") + &not.collect::<String>())
}

/// Returns the expressions for one word, all of which must match.
fn parts(word: &str) -> Vec<String> {
    let quoted = |phrase: String| -> Vec<String> {
        let is_any = !phrase.is_empty();
        is_any
            .then(|| format!("\"{phrase}\""))
            .into_iter()
            .collect()
    };
    let prefix = |part: &str| {
        let stripped = stripped(part);
        (!stripped.is_empty()).then(|| format!("\"{stripped}\"*"))
    };
    if HYPHENATED.is_match(word) {
        let parts: Vec<String> = word.split('-').map(stripped).collect();
        quoted(joined(parts))
    } else if is_dotted(word) {
        word.split('.').filter_map(prefix).collect()
    } else if DENSE.is_match(word) {
        quoted(phrase(word))
    } else {
        prefix(word).into_iter().collect()
    }
}

fn phrase(text: &str) -> String {
    let spaced = spaced(text);
    let parts = split(&spaced).flat_map(|word| {
        if is_dotted(word) {
            word.split('.').map(stripped).collect()
        } else {
            vec![stripped(word)]
        }
    });
    joined(parts.collect())
}

fn joined(parts: Vec<String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| PART.is_match(part))
}

/// Returns a word in lower case, with only letters, digits, `'` and `_`.
fn stripped(word: &str) -> String {
    STRIPPED.replace_all(word, "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Line, Typed, expansion, expression, intent_words, primary};

    fn line(kind: Kind, text: &str) -> Line {
        Line {
            kind,
            text: text.to_owned(),
        }
    }

    #[test]
    fn questions_become_expressions() {
        let cases: &[(&str, Option<&str>)] = &[
            (
                "What is the relay's IP?",
                Some("\"what\"* AND \"is\"* AND \"the\"* AND \"relay's\"* AND \"ip\"*"),
            ),
            (
                "performance -sports",
                Some("\"performance\"* NOT \"sports\"*"),
            ),
            ("- sports", Some("\"sports\"*")),
            ("-sports", None),
            ("multi-agent", Some("\"multi agent\"")),
            ("2026.4", Some("\"2026\"* AND \"4\"*")),
            (
                "valve -2026.4",
                Some("\"valve\"* NOT (\"2026\"* AND \"4\"*)"),
            ),
            ("\"machine learning", Some("\"machine learning\"")),
            ("東京の", Some("\"東 京 の\"")),
            ("q-path.md", Some("\"qpathmd\"*")),
            (
                "valve OR kestrel",
                Some("\"valve\"* AND \"or\"* AND \"kestrel\"*"),
            ),
            ("??? \"\"", None),
        ];
        for (question, expected) in cases {
            assert_eq!(expression(question).as_deref(), *expected, "{question}");
        }
    }

    #[test]
    fn typed_lines_are_distinguished_from_plain_questions() {
        let typed =
            Typed::of("Lex: relay ip\n\n vec:  where is it\nintent: the network\n").unwrap();
        assert_eq!(
            typed.lines,
            [line(Kind::Lex, "relay ip"), line(Kind::Vec, "where is it")]
        );
        assert_eq!(typed.intent.as_deref(), Some("the network"));
        assert_eq!(primary(&typed.lines[1..]), "where is it");
        let unsaid = [
            line(Kind::Lex, ""),
            line(Kind::Hyde, "an answer"),
            line(Kind::Vec, "it"),
        ];
        assert_eq!(primary(&unsaid), "it");
        for plain in [
            "where is it",
            "lexical: no",
            "lex: relay\nand more",
            "intent: alone",
            "",
        ] {
            assert_eq!(Typed::of(plain), None, "{plain}");
        }
    }

    #[test]
    fn an_answer_keeps_lines_that_hold_a_word_of_the_question() {
        let answer = "lex: relay\nvec: something else\nfoo: relay\nvec: the Relay stands\nvec: where is the relay";
        assert_eq!(
            expansion("where is the relay", answer),
            [
                line(Kind::Lex, "relay"),
                line(Kind::Vec, "the Relay stands")
            ]
        );
        assert_eq!(
            expansion("relay", "nothing"),
            [line(Kind::Hyde, "Information about relay")]
        );
    }

    #[test]
    fn words_of_an_intent_are_bare_and_say_something() {
        assert_eq!(
            intent_words("About the (small) server-API, a x"),
            ["small", "server-api"]
        );
    }
}
