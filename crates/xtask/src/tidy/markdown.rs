//! Documents whose lines are short enough to be read and compared as text.

use std::fs;

use super::Finding;
use crate::error::{Error, Result};
use crate::project::Project;

/// Maximum length of a line, in characters. Tables and lines with an address cannot be broken and may be longer.
const LINE_CHARS_MAX: usize = 160;

/// A page that is printed from the parameter table.
const GENERATED: &str = "crates/memlens-params/PARAMETERS.md";

/// Checks every Markdown file that is written by hand and is no fixture.
pub fn check(project: &Project, files: &[String]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in files.iter().filter(|path| is_document(path)) {
        let text = fs::read_to_string(project.root.join(path)).map_err(|source| Error::Read {
            path: path.into(),
            source,
        })?;
        findings.extend(long_lines(path, &text));
    }
    Ok(findings)
}

fn is_document(path: &str) -> bool {
    path.ends_with(".md") && path != GENERATED && !path.contains("fixtures/")
}

fn long_lines(path: &str, text: &str) -> Vec<Finding> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| line.chars().count() > LINE_CHARS_MAX)
        .filter(|(_, line)| !line.trim_start().starts_with('|') && !line.contains("://"))
        .map(|(index, _)| Finding {
            path: path.to_owned(),
            line: Some(index + 1),
            rule: format!("is longer than {LINE_CHARS_MAX} characters: break the line"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    //! Long lines are found by their characters; tables, addresses, generated pages and fixtures are exempt.

    use super::*;

    #[test]
    fn long_lines_are_found() {
        let fits = "é".repeat(LINE_CHARS_MAX);
        let text = format!("{fits}\n{fits}x\n| {fits} |\n  | {fits} |\nhttps://{fits}\n");
        let found: Vec<String> = long_lines("a.md", &text)
            .iter()
            .map(Finding::to_string)
            .collect();
        assert_eq!(
            found,
            ["a.md:2: is longer than 160 characters: break the line"]
        );
    }

    #[test]
    fn documents_are_markdown_outside_of_fixtures() {
        for (path, expected) in [
            ("README.md", true),
            (".github/CONTRIBUTING.md", true),
            ("crates/a/src/lib.rs", false),
            (GENERATED, false),
            ("tests/fixtures/notes/a.md", false),
            ("crates/memlens-eval/tests/fixtures/eval/README.md", false),
        ] {
            assert_eq!(is_document(path), expected, "{path}");
        }
    }
}
