//! Markdown for pasting into a report: text of notes, questions and logs stays plain text in it.

use std::fmt::Write as _;

use crate::EngineError;
use crate::search::Search;

/// Number of rows that are written with their text.
const TEXTS: usize = 10;

/// A text on one line, escaped so that nothing in it becomes Markdown or a new cell.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                plain.push('\\');
                plain.push(sign);
            }
            sign if is_break(sign) => plain.push(' '),
            sign => plain.push(sign),
        }
    }
    plain
}

/// A text as code on one line.
pub(crate) fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|sign| match sign {
            '`' => '\'',
            '|' => '¦',
            sign if is_break(sign) => ' ',
            sign => sign,
        })
        .collect();
    if text.is_empty() {
        "–".to_owned()
    } else {
        format!("`{text}`")
    }
}

/// A place in a note as code.
pub(crate) fn place(path: &str, start: Option<u32>, end: Option<u32>) -> String {
    let lines = match start.zip(end) {
        None => String::new(),
        Some((start, end)) if start == end => format!(":{start}"),
        Some((start, end)) => format!(":{start}–{end}"),
    };
    code(&format!("{path}{lines}"))
}

/// Texts of a search's best rows, each below its rank and place; a row whose note changed since is left out.
pub(crate) fn texts(search: &Search, kept: &[u32]) -> Result<String, EngineError> {
    let slots = &kept[..kept.len().min(TEXTS)];
    let mut out = String::new();
    for (rank, (text, slot)) in (1..).zip(search.texts(slots)?.into_iter().zip(slots)) {
        let row = search.row_facts(*slot)?;
        if let Ok(text) = text {
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "\n{rank}. {}:\n\n{}\n",
                place(&row.note.path, Some(row.start_line), Some(row.end_line)),
                fenced(&text)
            );
        }
    }
    Ok(out)
}

/// A note's text in a fence that the text cannot close.
pub(crate) fn fenced(text: &str) -> String {
    let longest = text
        .split(|sign| sign != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

/// Whether some reader treats the character as a line end.
fn is_break(sign: char) -> bool {
    sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::{code, fenced, place, plain};

    #[test]
    fn no_text_leaves_its_place() {
        assert_eq!(
            plain("a | b <i> *x*\nc\u{2028}# d ~~e~~"),
            "a \\| b \\<i\\> \\*x\\* c \\# d \\~\\~e\\~\\~"
        );
        assert_eq!(code("a`b|c\r\nd"), "`a'b¦c  d`");
        assert_eq!(code(""), "–");
        assert_eq!(fenced("x"), "```text\nx\n```");
        assert_eq!(fenced("```\nx\n````\n"), "`````text\n```\nx\n````\n`````");
    }

    #[test]
    fn a_place_names_its_lines_where_they_are_known() {
        assert_eq!(place("a.md", Some(3), Some(9)), "`a.md:3–9`");
        assert_eq!(place("a.md", Some(3), Some(3)), "`a.md:3`");
        assert_eq!(place("a.md", None, None), "`a.md`");
    }
}
