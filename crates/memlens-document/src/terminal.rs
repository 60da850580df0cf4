//! Lines of a terminal: nothing of a text is obeyed by it, and columns are aligned by the width that it draws.

use std::fmt::{self, Display, Formatter, Write as _};

use anstyle::AnsiColor;
use unicode_width::UnicodeWidthStr as _;

use crate::text::{Style, Text};
use crate::{Block, Table, dim, strong};

pub(crate) fn rendered(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Heading(_, text) => line(&mut out, 0, &strong(text)),
            Block::Paragraph(text) | Block::Notice(text) => line(&mut out, 0, text),
            Block::List(indent, items) => {
                items.iter().for_each(|item| line(&mut out, *indent, item));
            }
            Block::Numbered(number, text) => {
                line(&mut out, 0, &(Text::from(format!("{number}. ")) + text));
            }
            Block::Table(table) => rows(&mut out, table),
            Block::Verbatim { text, .. } => {
                text.lines().for_each(|it| line(&mut out, 0, &it.into()));
            }
            Block::Gap => out.push('\n'),
        }
    }
    out
}

fn line(out: &mut String, indent: usize, text: &Text) {
    out.extend(std::iter::repeat_n(' ', indent));
    styled(out, text);
    out.push('\n');
}

fn rows(out: &mut String, table: &Table) {
    let titles = table.columns.iter().map(|column| dim(&column.title));
    let has_titles = table.columns.iter().any(|column| !column.title.is_empty());
    let head = has_titles.then(|| titles.collect::<Vec<Text>>());
    let all = || head.iter().chain(&table.rows);
    // The last cell of a short row takes the rest of the line and does not widen a column.
    let is_wide = |row: &[Text], at| at + 1 == row.len() && at + 1 < table.columns.len();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            let cells = all().filter(|row| !is_wide(row, at));
            let widths = cells.filter_map(|row| row.get(at)).map(width);
            widths.max().unwrap_or(0).max(table.columns[at].width)
        })
        .collect();
    for row in all() {
        let mut blanks = 0;
        for (at, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
            let fill = match is_wide(row, at) {
                true => 0,
                false => widths[at] - width(cell),
            };
            blanks += if at == 0 { 0 } else { column.gap };
            blanks += if column.is_right { fill } else { 0 };
            if !cell.is_empty() {
                out.extend(std::iter::repeat_n(' ', std::mem::take(&mut blanks)));
                styled(out, cell);
            }
            blanks += if column.is_right { 0 } else { fill };
        }
        out.push('\n');
    }
}

/// The number of columns that a terminal draws for a text.
fn width(text: &Text) -> usize {
    shown(text).to_string().width()
}

fn styled(out: &mut String, text: &Text) {
    for (text, style) in text.styles() {
        let ansi = match style {
            Style::Plain | Style::Code => anstyle::Style::new(),
            Style::Strong => anstyle::Style::new().bold(),
            Style::Dim => anstyle::Style::new().dimmed(),
            Style::Warn => AnsiColor::Yellow.on_default(),
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "{ansi}{}{ansi:#}", shown(text));
    }
}

/// Returns a text in a form of which a terminal obeys nothing.
///
/// Control characters including line ends, characters that change the text direction, and invisible characters are
/// escaped as in Rust: `\n`, `\u{1b}`. Right-to-left text is kept, and so are joiners between non-ASCII characters. The
/// window has the same function in `ui/src/shared/visible.ts`.
pub fn shown(text: &str) -> Shown<'_> {
    Shown(text)
}

/// The value that [`shown`] returns.
pub struct Shown<'a>(&'a str);

impl Display for Shown<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut before = None;
        let mut signs = self.0.chars().peekable();
        while let Some(sign) = signs.next() {
            let is_beyond = |sign: Option<char>| sign.is_some_and(|sign| !sign.is_ascii());
            let is_joiner = matches!(sign, '\u{200c}' | '\u{200d}')
                && is_beyond(before)
                && is_beyond(signs.peek().copied());
            if is_obeyed(sign) || (is_unseen(sign) && !is_joiner) {
                write!(formatter, "{}", sign.escape_default())?;
            } else {
                formatter.write_char(sign)?;
            }
            before = Some(sign);
        }
        Ok(())
    }
}

/// Returns whether a terminal acts on `sign` instead of drawing it.
fn is_obeyed(sign: char) -> bool {
    // Line and paragraph separators; embeddings, overrides and isolates of direction.
    let turns = matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    sign.is_control() || turns
}

/// Returns whether a character has no width or shows nothing.
fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::shown;

    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text).to_string(), expected);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        check(
            "\u{1b}[2J\u{1b}]0;owned\u{7}",
            "\\u{1b}[2J\\u{1b}]0;owned\\u{7}",
        );
        check("a\nb\rc\td\u{8}\u{7f}", "a\\nb\\rc\\td\\u{8}\\u{7f}");
        // The one-sign forms of the escape sequences.
        check("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}");
        check(
            "gpj.\u{202e}dm\u{2066}\u{2028}",
            "gpj.\\u{202e}dm\\u{2066}\\u{2028}",
        );
        check(
            "pass\u{200b}word \u{feff}a\u{200d}b\u{ad}\u{e0067}\u{61c}",
            "pass\\u{200b}word \\u{feff}a\\u{200d}b\\u{ad}\\u{e0067}\\u{61c}",
        );
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "a\\b 'c' \"d\"",
            "Grüße, 東京都, القاهرة, عب‌ری, नमस्ते",
            "👩‍👧 🇩🇰 e\u{301}",
        ] {
            check(text, text);
        }
    }
}
