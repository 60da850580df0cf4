//! Whether a file searcher finds a line by the pattern that an agent gave it.

use regex::{Regex, RegexBuilder};

/// Bytes of a compiled pattern.
const SIZE_MAX: usize = 1 << 20;

/// The patterns of one search. Case and dialect are not logged, so a line counts as found if any of them finds it.
#[derive(Debug)]
pub struct Pattern {
    regexes: Vec<Regex>,
    literals: Vec<String>,
}

impl Pattern {
    /// Reads patterns, one a line, as in [`PastQuestion::question`](super::PastQuestion).
    #[must_use]
    pub fn new(question: &str) -> Pattern {
        let patterns = question.lines().map(str::trim).filter(|it| !it.is_empty());
        let mut pattern = Pattern {
            regexes: Vec::new(),
            literals: Vec::new(),
        };
        for one in patterns {
            // `grep` without -E writes alternatives and groups with a backslash.
            for dialect in [one.to_owned(), without_backslashes(one)] {
                let regex = RegexBuilder::new(&dialect)
                    .case_insensitive(true)
                    .size_limit(SIZE_MAX)
                    .build();
                pattern.regexes.extend(regex);
            }
            pattern.literals.push(one.to_lowercase());
        }
        pattern
    }

    /// Whether a line is found.
    #[must_use]
    pub fn finds(&self, line: &str) -> bool {
        let lower = line.to_lowercase();
        self.regexes.iter().any(|regex| regex.is_match(line))
            || self.literals.iter().any(|literal| lower.contains(literal))
    }
}

fn without_backslashes(pattern: &str) -> String {
    ["|", "(", ")", "+", "?", "{", "}"]
        .iter()
        .fold(pattern.to_owned(), |pattern, sign| {
            pattern.replace(&format!("\\{sign}"), sign)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_what_a_searcher_of_files_finds() {
        let line = "- The trailer hitch pin (steel) is in the left drawer";
        for (pattern, is_found) in [
            ("hitch", true),
            ("HITCH PIN", true),
            ("pin of the trailer", false),
            ("pump|hitch", true),
            ("pump\\|hitch", true),
            ("hitch.*drawer", true),
            ("HITCH.*drawer", true),
            ("drawer.*hitch", false),
            ("pin (steel)", true),
            ("pin (", true),
            ("pump\nleft drawer", true),
            ("pump\npond", false),
            ("\\bhitc\\b", false),
            ("", false),
        ] {
            assert_eq!(Pattern::new(pattern).finds(line), is_found, "{pattern:?}");
        }
    }
}
