//! A glob pattern as the agents' programs understand it: wildcards match no name that begins with a dot.

use globset::{GlobBuilder, GlobMatcher};

/// A pattern over paths that are separated by `/`.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    /// `None` if it is not valid, and so matches nothing.
    matcher: Option<GlobMatcher>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

impl Pattern {
    pub fn new(text: &str) -> Pattern {
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .case_insensitive(cfg!(any(windows, target_os = "macos")))
            .build();
        Pattern {
            text: text.to_owned(),
            matcher: glob.ok().map(|glob| glob.compile_matcher()),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether every note below the folder matches, except hidden ones. False if that is not certain.
    pub fn takes_all_notes(&self) -> bool {
        matches!(self.text.as_str(), "**" | "**/*" | "**/*.md")
    }

    pub fn matches(&self, path: &str) -> bool {
        let Some(matcher) = &self.matcher else {
            return false;
        };
        let is_hidden = |name: &str| name.starts_with('.');
        let names_hidden = self.text.split(['/', '{', ',']).any(is_hidden);
        matcher.is_match(path) && (names_hidden || !path.split('/').any(is_hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn wildcards_match_within_a_name_and_no_hidden_one() {
        for (pattern, path, expected) in [
            ("**/*.md", "a.md", true),
            ("**/*.md", "a/b/c.md", true),
            ("*.md", "a/b.md", false),
            ("*.md", "a.txt", false),
            ("{a,b}/*.md", "b/c.md", true),
            ("**/*.md", ".a/b.md", false),
            ("**/*.md", "a/.b.md", false),
            (".a/*.md", ".a/b.md", true),
            ("[", "[", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(path),
                expected,
                "{pattern} {path}"
            );
        }
    }
}
