//! The outline of a Markdown document: its headings and its fenced code blocks.
//!
//! Properties checked: a `#` is a heading if and only if it is one in CommonMark and not inside a list or quote; the
//! heading path leaves out missing levels.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

use crate::lines::lines_from;

/// Maximum number of characters that a heading contributes to a path. A path is part of every chunk and window below
/// it, which would multiply one huge heading.
pub(crate) const TITLE_CHARS_MAX: usize = 200;

/// Longer line prefixes of blanks, list marks and quote marks are read as words. The parser visits every open list and
/// quote again for every line below, so a million of each would take days.
const MARKS_BYTES_MAX: usize = 400;

/// Headings and fences of a document, in order.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
    /// Byte ranges of fenced code blocks, from the start of the first line to the end of the last, without its line
    /// end.
    pub(crate) fences: Vec<Range<usize>>,
}

/// A heading that is not inside a list or a quote.
#[derive(Debug)]
pub(crate) struct Heading {
    /// From the start of its first line to the end of its last, including the underline and without the line end.
    pub(crate) bytes: Range<usize>,
    /// Its text without `#` and underline; empty for a bare `#`.
    pub(crate) title: Range<usize>,
    /// The level, 1 to 6.
    pub(crate) level: usize,
}

/// The headings around a place of a document, by level.
#[derive(Debug, Default)]
pub(crate) struct HeadingPath {
    /// Level n is at index n - 1; empty if a level is missing.
    titles: Vec<String>,
}

impl Outline {
    /// Parses the Markdown of `text` from `start` (the start of a line) on. Offsets refer to `text`.
    pub(crate) fn of(text: &str, start: usize) -> Self {
        let mut outline = Self::default();
        let mut depth = 0_usize;
        let markdown = without_long_marks(&text[start..]);
        for (event, range) in Parser::new_ext(&markdown, Options::empty()).into_offset_iter() {
            let range = start + range.start..start + range.end;
            if let Event::End(_) = event {
                depth -= 1;
            }
            let Event::Start(tag) = event else { continue };
            if let Tag::Heading { level, .. } = tag
                && depth == 0
            {
                outline
                    .headings
                    .push(Heading::at(text, whole_lines(text, range), level));
            } else if let Tag::CodeBlock(CodeBlockKind::Fenced(_)) = tag {
                outline.fences.push(whole_lines(text, range));
            }
            depth += 1;
        }
        outline
    }
}

impl Heading {
    fn at(text: &str, bytes: Range<usize>, level: HeadingLevel) -> Self {
        let lines = &text[bytes.clone()];
        let title = match lines.rfind('\n') {
            // Underlined; such a title may have several lines.
            Some(end) => lines[..end].trim(),
            None => {
                let title = lines.trim().trim_start_matches('#').trim();
                let without_closing = title.trim_end_matches('#');
                // `# C#` keeps its `#`, `# Title ##` does not.
                if without_closing.is_empty() || without_closing.ends_with([' ', '\t']) {
                    without_closing.trim_end()
                } else {
                    title
                }
            }
        };
        let from = bytes.start + (title.as_ptr() as usize - lines.as_ptr() as usize);
        Self {
            title: from..from + title.len(),
            bytes,
            level: level as usize,
        }
    }
}

impl HeadingPath {
    /// Enters the section of `heading`, and leaves those of its level and below.
    pub(crate) fn enter(&mut self, text: &str, heading: &Heading) {
        self.titles.resize(heading.level - 1, String::new());
        let mut words = text[heading.title.clone()].split_whitespace();
        let mut title = String::new();
        let mut n_chars = 0;
        // A title of several lines becomes one, and a run of blanks between words becomes one blank.
        while let Some(word) = words.next().filter(|_| n_chars < TITLE_CHARS_MAX) {
            if n_chars > 0 {
                title.push(' ');
                n_chars += 1;
            }
            let before = title.len();
            title.extend(word.chars().take(TITLE_CHARS_MAX - n_chars));
            n_chars += title[before..].chars().count();
        }
        self.titles.push(title);
    }

    /// Returns the titles, the outermost first, without missing levels.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &String> {
        self.titles.iter().filter(|title| !title.is_empty())
    }
}

/// Replaces marks above [`MARKS_BYTES_MAX`] by words of the same length; usually there are none.
pub(crate) fn without_long_marks(markdown: &str) -> Cow<'_, str> {
    let is_mark = |byte: &u8| b" \t>*+-.)0123456789".contains(byte);
    let long_marks = lines_from(markdown, 0).filter_map(|line| {
        let bytes = &markdown.as_bytes()[line.clone()];
        let n_marks = bytes.iter().take_while(|byte| is_mark(byte)).count();
        (n_marks > MARKS_BYTES_MAX).then_some(line.start..line.start + n_marks)
    });
    let mut without = Cow::Borrowed(markdown);
    for marks in long_marks {
        let words = "x".repeat(marks.len());
        without.to_mut().replace_range(marks, &words);
    }
    without
}

/// Extends a block's range to whole lines and removes blank lines and the line end after it.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let end = range.start + text[range].trim_end_matches('\n').len();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each heading as `level title`, and each fence's text.
    fn check(text: &str, headings: &[&str], fences: &[&str]) {
        let outline = Outline::of(text, 0);
        let found: Vec<String> = outline
            .headings
            .iter()
            .map(|heading| format!("{} {}", heading.level, &text[heading.title.clone()]))
            .collect();
        assert_eq!(found, headings, "{text:?}");
        let found: Vec<&str> = outline
            .fences
            .iter()
            .map(|range| &text[range.clone()])
            .collect();
        assert_eq!(found, fences, "{text:?}");
    }

    #[test]
    fn headings() {
        check(
            "# One\n\n###   Three  ## \ntext\n",
            &["1 One", "3 Three"],
            &[],
        );
        check(
            "Title\n=====\nTwo\nlines\n---\n",
            &["1 Title", "2 Two\nlines"],
            &[],
        );
        check("#tag\n####### seven\n\\# escaped\n    # code\n", &[], &[]);
        check(
            "# C#\n#\n## ##\n   # indented",
            &["1 C#", "1 ", "2 ", "1 indented"],
            &[],
        );
        check("- # in a list\n\n> # quoted\n", &[], &[]);
        check(
            "<!-- \n# hidden\n-->\n\n<div>\n# html\n</div>\n\n# Shown\n",
            &["1 Shown"],
            &[],
        );
        check("# *Em* `code` [link](x)", &["1 *Em* `code` [link](x)"], &[]);
    }

    #[test]
    fn fences() {
        check(
            "a\n```sh\n# no heading\n```\nb\n~~~\n# nor this\n\n~~~\n",
            &[],
            &["```sh\n# no heading\n```", "~~~\n# nor this\n\n~~~"],
        );
        check(
            "- item\n  ```\n  # no\n  ```\n# Yes\n",
            &["1 Yes"],
            &["  ```\n  # no\n  ```"],
        );
        check("- ```\n  x\n  ```\n", &[], &["- ```\n  x\n  ```"]);
        check("```\n# never closed\n", &[], &["```\n# never closed"]);
        check("    # indented code is no fence\n", &[], &[]);
    }

    #[test]
    fn nesting_that_nobody_writes_is_read_as_words() {
        for marks in [">", "> ", "- ", "1. ", " "] {
            let deep = marks.repeat(10_000);
            let text = format!("# One\n\n{deep}a\nb\n\n# Two\n{deep}# no heading\n```\nc\n```\n");
            check(&text, &["1 One", "1 Two"], &["```\nc\n```"]);
        }
        // As deep as a realistic note.
        let deep = format!("{}- item\n\n# One\n", "> ".repeat(100));
        check(&deep, &["1 One"], &[]);
    }

    #[test]
    fn paths() {
        let text = "# A\n### C\n## B\n### D\n# E\n#\n## F\n";
        let mut path = HeadingPath::default();
        let found: Vec<String> = Outline::of(text, 0)
            .headings
            .iter()
            .map(|heading| {
                path.enter(text, heading);
                path.titles()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(" > ")
            })
            .collect();
        assert_eq!(found, ["A", "A > C", "A > B", "A > B > D", "E", "", "F"]);
    }

    #[test]
    fn long_titles_are_cut_and_blanks_joined() {
        for (title, expected) in [
            ("Two\n  lines".to_owned(), "Two lines".to_owned()),
            ("é".repeat(1000), "é".repeat(200)),
            (
                "ab ".repeat(100),
                "ab ".repeat(67).trim_end().to_owned()[..200].to_owned(),
            ),
        ] {
            let heading = Heading {
                bytes: 0..title.len(),
                title: 0..title.len(),
                level: 1,
            };
            let mut path = HeadingPath::default();
            path.enter(&title, &heading);
            assert_eq!(path.titles().next(), Some(&expected));
        }
    }
}
