//! The words of a question in OpenClaw's keyword search.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

/// Its stop words by language, from its package (MIT, Copyright (c) 2026 OpenClaw Foundation).
static STOP_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let by_language: HashMap<String, Vec<String>> =
        serde_json::from_str(include_str!("stop-words/stop-words.json")).expect("the list is JSON");
    by_language.into_values().flatten().collect()
});

static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").expect("a valid pattern"));
static SIGNS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\p{P}\p{S}]+$").expect("a valid pattern"));
static BREAK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\s\p{P}]+").expect("a valid pattern"));
static JAPANESE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[a-z0-9_]+|[\x{30a0}-\x{30ff}]+|[\x{4e00}-\x{9fff}]+|[\x{3040}-\x{309f}]{2,}")
        .expect("a valid pattern")
});

/// Returns the tokens of a text: runs of letters, digits and `_`, as written.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    TOKEN.find_iter(text).map(|found| found.as_str())
}

/// Returns the question as an FTS5 expression that requires every token, quoted; `None` if it has no token.
pub fn all_of(text: &str) -> Option<String> {
    let quoted: Vec<String> = tokens(text).map(|token| format!("\"{token}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" AND "))
}

/// Returns the words of a question that are searched one by one, each once, in the order of the question. Without stop
/// words, numbers and words of one or two Latin letters. 2026.7.35 and 2026.9.6 choose the same words.
pub fn keywords(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    segments(text)
        .into_iter()
        .filter(|word| !STOP_WORDS.contains(word) && is_keyword(word))
        .filter(|word| seen.insert(word.clone()))
        .collect()
}

fn is_keyword(word: &str) -> bool {
    let is_latin = word.chars().all(|sign| sign.is_ascii_alphabetic());
    let is_number = word.chars().all(|sign| sign.is_ascii_digit());
    !is_number && !SIGNS.is_match(word) && (!is_latin || word.len() > 2)
}

/// Returns the words of a question in lower case. Words of scripts without spaces are split into pieces.
fn segments(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    for segment in BREAK.split(lower.trim()).filter(|it| !it.is_empty()) {
        if segment.chars().any(is_kana) {
            for part in JAPANESE.find_iter(segment) {
                let part = part.as_str();
                found.push(part.to_owned());
                if part.chars().all(is_han) {
                    found.extend(pairs(&part.chars().collect::<Vec<_>>()));
                }
            }
        } else if segment.chars().any(is_han) {
            let signs: Vec<char> = segment.chars().filter(|sign| is_han(*sign)).collect();
            found.extend(signs.iter().map(char::to_string));
            found.extend(pairs(&signs));
        } else if segment.chars().any(is_korean) {
            found.extend(korean(segment));
        } else {
            found.push(segment.to_owned());
        }
    }
    found
}

/// Korean particles at the end of a word, the longer ones first.
const PARTICLES: [&str; 25] = [
    "에서", "으로", "에게", "한테", "처럼", "같이", "보다", "까지", "부터", "마다", "밖에", "대로",
    "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만",
];

/// Returns a Korean word and its stem without a particle, if those are no stop words and the stem is long enough.
fn korean(word: &str) -> Vec<String> {
    let stem = PARTICLES
        .iter()
        .find_map(|particle| word.strip_suffix(particle).filter(|stem| !stem.is_empty()));
    let is_stop_word = |word: &str| STOP_WORDS.contains(word);
    let mut found = Vec::new();
    if !is_stop_word(word) && !stem.is_some_and(is_stop_word) {
        found.push(word.to_owned());
    }
    let is_useful = |stem: &str| {
        if stem.chars().any(is_hangul) {
            stem.chars().map(char::len_utf16).sum::<usize>() >= 2
        } else {
            stem.chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
        }
    };
    found.extend(
        stem.filter(|stem| !is_stop_word(stem) && is_useful(stem))
            .map(str::to_owned),
    );
    found
}

fn pairs(signs: &[char]) -> Vec<String> {
    signs.windows(2).map(|two| two.iter().collect()).collect()
}

fn is_kana(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}')
}

fn is_hangul(sign: char) -> bool {
    matches!(sign, '\u{ac00}'..='\u{d7af}')
}

fn is_korean(sign: char) -> bool {
    is_hangul(sign) || matches!(sign, '\u{3131}'..='\u{3163}')
}

fn is_han(sign: char) -> bool {
    matches!(sign, '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::{all_of, keywords};

    #[test]
    fn questions_become_expressions_and_keywords() {
        let cases: &[(&str, Option<&str>, &[&str])] = &[
            (
                "What is the relay's IP?",
                Some("\"What\" AND \"is\" AND \"the\" AND \"relay\" AND \"s\" AND \"IP\""),
                &["relay"],
            ),
            ("port 8123", Some("\"port\" AND \"8123\""), &["port"]),
            ("…!", None, &[]),
            ("\" OR x:y", Some("\"OR\" AND \"x\" AND \"y\""), &[]),
            (
                "路由器",
                Some("\"路由器\""),
                &["路", "由", "器", "路由", "由器"],
            ),
            (
                "등대에서 봤다",
                Some("\"등대에서\" AND \"봤다\""),
                &["등대에서", "등대", "봤다"],
            ),
            (
                "a + b = gamma",
                Some("\"a\" AND \"b\" AND \"gamma\""),
                &["gamma"],
            ),
        ];
        for (text, expression, words) in cases {
            assert_eq!(all_of(text).as_deref(), *expression, "{text}");
            assert_eq!(keywords(text), *words, "{text}");
        }
    }
}
