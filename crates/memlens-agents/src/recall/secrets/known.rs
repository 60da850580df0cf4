//! Keys of known makes, by the rules of gitleaks (`data/gitleaks/SOURCE.md`).
//!
//! A rule is tried only where one of its keywords occurs, and compiled when it is first tried. All of it takes linear time.
//!
//! Properties checked: every rule is read and compiles; a key is found within a sentence, beside letters of other scripts too.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

const RULES: &str = include_str!("../../../data/gitleaks/gitleaks.toml");

/// A rule for whatever has a name like a key. Names are the caller's.
const GENERIC: &str = "generic-api-key";

/// What ends a key in code, and in a sentence.
const END_IN_CODE: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const END: &str = r#"(?:[\x60'"\s;?!.,:)\]}|<]|\\[nr]|$)"#;

#[derive(Default)]
struct Rule {
    id: &'static str,
    pattern: Option<&'static str>,
    keywords: Vec<&'static str>,
    /// The group that holds the key; the first that took part, if the rule does not say.
    group: Option<usize>,
    /// Less random matches are no keys, in bits per byte.
    entropy: f64,
    is_for_files: bool,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let pattern = self.pattern?.replace(END_IN_CODE, END);
            // ASCII, as Go's: a letter of another script before a key is no part of its word.
            RegexBuilder::new(&pattern).unicode(false).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

struct Rules {
    rules: Vec<Rule>,
    keywords: RegexSet,
    /// The rules of each keyword.
    by_keyword: Vec<Vec<usize>>,
}

static KNOWN: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = read(RULES);
    rules.retain(|rule| rule.pattern.is_some() && !rule.is_for_files && rule.id != GENERIC);
    let words: BTreeSet<&str> = rules.iter().flat_map(|it| it.keywords.clone()).collect();
    let by_keyword = words
        .iter()
        .map(|word| {
            let has = |rule: &Rule| rule.keywords.contains(word);
            (0..rules.len()).filter(|at| has(&rules[*at])).collect()
        })
        .collect();
    let keywords = RegexSetBuilder::new(words.iter().map(|word| regex::escape(word)))
        .case_insensitive(true)
        .unicode(false)
        .build()
        .expect("literals are patterns");
    Rules {
        rules,
        keywords,
        by_keyword,
    }
});

/// Where keys of known makes are in a text.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let known = &*KNOWN;
    let mut rules: Vec<usize> = known
        .keywords
        .matches(text.as_bytes())
        .into_iter()
        .flat_map(|word| known.by_keyword[word].iter().copied())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let mut spans = Vec::new();
    for rule in rules.into_iter().map(|rule| &known.rules[rule]) {
        let Some(regex) = rule.regex() else {
            continue;
        };
        for found in regex.captures_iter(text.as_bytes()) {
            let first = || (1..found.len()).find_map(|group| found.get(group));
            let secret = match rule.group {
                Some(group) => found.get(group),
                None => first(),
            };
            let Some(secret) = secret.or_else(|| found.get(0)) else {
                continue;
            };
            if entropy(secret.as_bytes()) > rule.entropy {
                spans.push(whole_characters(text, secret.range()));
            }
        }
    }
    spans
}

fn whole_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=span.start).rev().find(is_boundary).unwrap_or(0);
    let end = (span.end..=text.len()).find(is_boundary);
    start..end.unwrap_or(text.len())
}

/// Shannon's entropy of the bytes, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let n = bytes.len() as f64;
    let share = |count: &u32| f64::from(*count) / n;
    let counts = counts.iter().filter(|count| **count > 0);
    -counts.map(share).map(|it| it * it.log2()).sum::<f64>()
}

/// Reads the rules of a configuration as gitleaks publishes it: one key a line, texts in `'''` or `"`, lists in brackets.
fn read(config: &'static str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    // Allow lists of a rule have headers of their own.
    let mut is_in_rule = false;
    let mut is_in_keywords = false;
    for line in config.lines() {
        let line = line.trim();
        if line == "[[rules]]" {
            rules.push(Rule::default());
            is_in_rule = true;
            continue;
        }
        let Some(rule) = rules.last_mut().filter(|_| is_in_rule) else {
            continue;
        };
        if is_in_keywords {
            rule.keywords.extend(quoted(line));
            is_in_keywords = !line.contains(']');
            continue;
        }
        if line.starts_with('[') {
            is_in_rule = false;
            continue;
        }
        let Some((key, value)) = line.split_once(" = ") else {
            continue;
        };
        match key {
            "id" => rule.id = quoted(value).next().unwrap_or_default(),
            "regex" => {
                rule.pattern = value
                    .strip_prefix("'''")
                    .and_then(|it| it.strip_suffix("'''"));
            }
            "keywords" => {
                rule.keywords.extend(quoted(value));
                is_in_keywords = !value.contains(']');
            }
            "secretGroup" => rule.group = value.parse().ok(),
            "entropy" => rule.entropy = value.parse().unwrap_or_default(),
            "path" => rule.is_for_files = true,
            _ => {}
        }
    }
    rules
}

/// The texts in double quotes of a line.
fn quoted(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_read_and_compiles() {
        let rules = read(RULES);
        let count = |key: &str| RULES.lines().filter(|line| line.starts_with(key)).count();
        assert_eq!(rules.len(), count("[[rules]]"));
        assert_eq!(
            rules.iter().filter(|it| it.pattern.is_some()).count(),
            count("regex = ")
        );
        assert_eq!(
            rules.iter().filter(|it| it.entropy > 0.0).count(),
            count("entropy = ")
        );
        assert_eq!(
            rules.iter().filter(|it| it.group.is_some()).count(),
            count("secretGroup = ")
        );
        assert_eq!(
            rules.iter().filter(|it| it.is_for_files).count(),
            count("path = ")
        );
        assert!(rules.iter().any(|it| it.id == GENERIC));
        assert!(KNOWN.rules.len() > 210, "{}", KNOWN.rules.len());
        for rule in &KNOWN.rules {
            assert!(rule.regex().is_some(), "{} does not compile", rule.id);
            // Without a keyword it would never be tried.
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
        }
    }

    #[test]
    fn keys_of_known_makes_are_found_in_sentences() {
        for (text, secret) in [
            (
                "is glpat-8Kq2mZx7Tn4Rw1Vb9sLp still valid?",
                "glpat-8Kq2mZx7Tn4Rw1Vb9sLp",
            ),
            (
                "why does dop_v1_0f3a9c7be2d14856a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7 fail?",
                "dop_v1_0f3a9c7be2d14856a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7",
            ),
            (
                "the hook (https://hooks.slack.com/services/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)",
                "https://hooks.slack.com/services/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",
            ),
            ("鍵はAKIAQ3EGRZ7TNV5XWK2Pですか", "AKIAQ3EGRZ7TNV5XWK2P"),
            ("the airtable key: k3y8q2mzx7tn4rw1v.", "k3y8q2mzx7tn4rw1v"),
        ] {
            let spans = spans(text);
            let found: Vec<&str> = spans.iter().map(|span| &text[span.clone()]).collect();
            assert!(found.contains(&secret), "{text}: {found:?}");
        }
        for text in [
            "",
            "Which pump is in the pond?",
            "where is the key of the shed",
            "ключ",
        ] {
            assert!(spans(text).is_empty(), "{text}");
        }
    }
}
