//! A question in the form that basic-memory passes to SQLite.

use std::sync::LazyLock;

use regex::Regex;

static OPERATOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(])(?:AND|OR|NOT)(?:$|[\s)])").expect("a valid pattern"));
static NEGATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(])NOT(?:$|[\s)])").expect("a valid pattern"));
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\w']+").expect("a valid pattern"));
static PUNCTUATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[^\w]").expect("a valid pattern"));

/// Characters that are stripped from the edges of a word.
const EDGES: [char; 6] = ['?', '!', '.', ',', ';', ':'];
/// Minimum number of words in a question for which any of them is sufficient.
const RELAXED_WORDS: usize = 3;
/// The words that are ignored if any word is sufficient; derived from the golden rows.
const STOP_WORDS: [&str; 28] = [
    "a", "an", "and", "at", "by", "did", "do", "does", "for", "from", "how", "i", "in", "is", "it",
    "of", "or", "that", "the", "this", "to", "was", "what", "when", "where", "who", "why", "with",
];

/// A query in the syntax of FTS5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// The expression as SQLite parses it.
    pub text: String,
    /// Whether one column must match all of it. An expression with NOT is matched against all columns at once.
    pub is_of_one_column: bool,
}

impl Expression {
    fn new(text: String) -> Expression {
        Expression {
            is_of_one_column: !NEGATION.is_match(&text),
            text,
        }
    }
}

/// Returns the expression that requires every word; `None` if the question has no word.
pub fn strict(question: &str) -> Option<Expression> {
    let question = question.trim();
    if OPERATOR.is_match(question) {
        return Some(Expression::new(question.to_owned()));
    }
    if is_phrase(question) {
        return Some(Expression::new(format!("{question}*")));
    }
    let words = question.split_whitespace();
    let words = words.map(|word| word.trim_matches(EDGES).trim_end_matches('*'));
    let is_word = |word: &&str| {
        word.chars()
            .any(|sign| sign == '_' || sign.is_alphanumeric())
    };
    let words: Vec<String> = words.filter(is_word).map(prefix).collect();
    (!words.is_empty()).then(|| Expression::new(words.join(" AND ")))
}

/// Returns the expression that requires any word, used if no note holds every one. `None` if the question is too short
/// or contains a number, a quote or an operator.
pub fn relaxed(question: &str) -> Option<Expression> {
    if question.contains('"') || OPERATOR.is_match(question) {
        return None;
    }
    let words: Vec<&str> = WORD.find_iter(question).map(|it| it.as_str()).collect();
    let is_number = |word: &&str| word.chars().all(char::is_numeric);
    if words.len() < RELAXED_WORDS || words.iter().any(is_number) {
        return None;
    }
    let says_something = |word: &&str| !STOP_WORDS.contains(&word.to_lowercase().as_str());
    let words: Vec<String> = words
        .into_iter()
        .filter(says_something)
        .map(prefix)
        .collect();
    (!words.is_empty()).then(|| Expression::new(words.join(" OR ")))
}

/// Returns whether the whole question is quoted.
fn is_phrase(question: &str) -> bool {
    question.len() > 2 && question.starts_with('"') && question.ends_with('"')
}

/// Returns a word as a prefix query, or the path of a note as a phrase.
fn prefix(word: &str) -> String {
    let quoted = || format!("\"{}\"", word.replace('"', "\"\""));
    if word.contains('/') && word.ends_with(".md") {
        quoted()
    } else if PUNCTUATION.is_match(word) {
        format!("{}*", quoted())
    } else {
        format!("{word}*")
    }
}

#[cfg(test)]
mod tests {
    use super::{relaxed, strict};

    #[test]
    fn every_word_is_asked_for_as_a_beginning() {
        let cases = [
            ("evidence ladder?", Some("evidence* AND ladder*")),
            ("\"evidence ladder\"", Some("\"evidence ladder\"*")),
            ("migr*", Some("migr*")),
            ("signe-profile", Some("\"signe-profile\"*")),
            (
                "people/signe.md and tea",
                Some("\"people/signe.md\" AND and* AND tea*"),
            ),
            ("& -- rung", Some("rung*")),
            ("a 5\" disk", Some("a* AND \"5\"\"\"* AND disk*")),
            (
                "(ladder OR migraine) AND rung",
                Some("(ladder OR migraine) AND rung"),
            ),
            ("?!", None),
        ];
        for (question, expected) in cases {
            let found = strict(question);
            let text = found.as_ref().map(|it| it.text.as_str());
            assert_eq!(text, expected, "{question}");
            assert!(found.is_none_or(|it| it.is_of_one_column), "{question}");
        }
        let negated = strict("coffee NOT tremor").unwrap();
        assert!(!negated.is_of_one_column);
    }

    #[test]
    fn any_word_is_enough_for_plain_questions_of_three_words() {
        let cases = [
            (
                "Where is the mobile-first design",
                Some("mobile* OR first* OR design*"),
            ),
            (
                "three o'clock lunch",
                Some("three* OR \"o'clock\"* OR lunch*"),
            ),
            ("two words", None),
            ("SPEC 16 ladder rung", None),
            ("the \"evidence ladder\" rung", None),
            ("coffee or tea NOT now", None),
            ("what is it", None),
        ];
        for (question, expected) in cases {
            let found = relaxed(question);
            assert_eq!(found.map(|it| it.text).as_deref(), expected, "{question}");
        }
    }
}
