//! The files that an instruction file imports with `@path`.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser};
use regex::Regex;

use crate::measure::html_comments;

/// Matches an import of Claude Code.
static CLAUDE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|\s)@((?:[^\s\\]|\\ )+)").expect("it is valid"));

/// Matches the code delimiters of Gemini CLI.
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`+").expect("it is valid"));

/// The paths that Claude Code imports, as they are written, each once: not in code and not in comments. A part after `#` is left out.
pub(super) fn claude(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    // A comment beside other text is removed from its block; the rest of the block counts.
    let mut bare = text.to_owned();
    for comment in html_comments(text).into_iter().rev() {
        bare.replace_range(comment, "\n");
    }
    let mut segment = String::new();
    let mut n_code = 0_u32;
    for event in Parser::new_ext(&bare, Options::empty()) {
        match event {
            Event::Start(pulldown_cmark::Tag::CodeBlock(_)) => n_code += 1,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => n_code -= 1,
            Event::Text(more) if n_code == 0 => segment.push_str(&more),
            Event::SoftBreak | Event::HardBreak => segment.push('\n'),
            Event::Code(_) | Event::InlineHtml(_) => segment.push('`'),
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {
                claude_segment(&std::mem::take(&mut segment), &mut paths);
            }
        }
    }
    claude_segment(&segment, &mut paths);
    paths
}

fn claude_segment(segment: &str, paths: &mut Vec<String>) {
    for found in CLAUDE.captures_iter(segment) {
        let path = found[1].split('#').next().unwrap_or_default();
        let path = path.replace("\\ ", " ");
        let is_path = path.starts_with("./")
            || path.starts_with("~/")
            || (path.starts_with('/') && path != "/")
            || path.starts_with(|first: char| {
                first.is_ascii_alphanumeric() || matches!(first, '.' | '_' | '-')
            });
        if is_path && !paths.contains(&path) {
            paths.push(path);
        }
    }
}

/// The paths that Gemini CLI imports, as they are written: not between equal runs of backticks.
pub(super) fn gemini(text: &str) -> Vec<String> {
    let code = code(text);
    let mut paths = Vec::new();
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'@', &bytes[at..]) {
        let start = at + found;
        if start > 0 && !is_space(bytes[start - 1]) {
            at = start + 1;
            continue;
        }
        let end = bytes[start + 1..].iter().position(|&byte| is_space(byte));
        let end = end.map_or(bytes.len(), |n| start + 1 + n);
        let path = &text[start + 1..end];
        let is_path = path
            .starts_with(|first: char| first == '.' || first == '/' || first.is_ascii_alphabetic());
        if is_path && !code.iter().any(|range| range.contains(&start)) {
            paths.push(path.to_owned());
        }
        at = (end + 1).min(bytes.len());
    }
    paths
}

/// From each run of backticks to the next run of the same length.
fn code(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(run) = CODE.find_at(text, at) {
        // The expression backtracks to fewer backticks if the longer run is not closed.
        let closed = (1..=run.len()).rev().find_map(|n| {
            let start = run.start() + n;
            let mark = &text[run.start()..start];
            let end = text[start..].find(mark)?;
            Some(start + end + n)
        });
        match closed {
            Some(end) => {
                ranges.push(run.start()..end);
                at = end;
            }
            None => at = run.end(),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_code_imports_outside_of_code_and_comments() {
        for (text, expected) in [
            ("@a.md", &["a.md"][..]),
            (
                "See @docs/a.md and @./b.md, @~/c.md\n@/d.md#part",
                &["docs/a.md", "./b.md,", "~/c.md", "/d.md"],
            ),
            (
                "mail@example.org `@a.md` and\n\n```\n@b.md\n```\n\n    @c.md\n",
                &[],
            ),
            ("<!-- @a.md -->\n\n@b.md\n", &["b.md"]),
            ("<!-- @a.md --> @b.md\n", &["b.md"]),
            ("- item @a.md\n- **@b.md**\n", &["a.md", "b.md"]),
            ("@my\\ notes.md @a_b_c.md", &["my notes.md", "a_b_c.md"]),
            ("@@a @#b @(c) @", &[]),
        ] {
            assert_eq!(claude(text), expected, "{text:?}");
        }
    }

    #[test]
    fn gemini_cli_imports_outside_of_backticks() {
        for (text, expected) in [
            (
                "@./a.md\nsee @b.md @/c.md",
                &["./a.md", "b.md", "/c.md"][..],
            ),
            ("x@a.md `@b.md` ```\n@c.md\n``` @1.md @_d", &[]),
            ("`` ` @a.md `` @b.md ` @c.md", &["b.md", "c.md"]),
        ] {
            assert_eq!(gemini(text), expected, "{text:?}");
        }
    }
}
