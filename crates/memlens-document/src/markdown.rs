//! Markdown, by CommonMark with GitHub's tables.

use crate::text::{Style, Text};
use crate::{Block, Table};

pub(crate) fn rendered(blocks: &[Block]) -> String {
    let blocks = blocks.iter().filter_map(|block| {
        Some(match block {
            Block::Heading(level, text) => {
                let signs = "#".repeat(usize::from(*level));
                format!("{signs} {}\n", inline(text))
            }
            Block::Paragraph(text) => format!("{}\n", begun(text)),
            Block::Notice(text) => format!("> {}\n", begun(text)),
            Block::List(_, items) => items
                .iter()
                .map(|item| format!("- {}\n", begun(item)))
                .collect(),
            Block::Numbered(number, text) => format!("{number}. {}\n", begun(text)),
            Block::Table(table) => rows(table),
            Block::Verbatim { text, .. } => fenced(text),
            Block::Gap => return None,
        })
    });
    blocks.collect::<Vec<String>>().join("\n")
}

fn rows(table: &Table) -> String {
    let mut out = String::from("|");
    for column in &table.columns {
        let title = plain(&column.title);
        out += if title.is_empty() { "" } else { " " };
        out += &format!("{title} |");
    }
    out += "\n|";
    for column in &table.columns {
        out += if column.is_right { "--:|" } else { "---|" };
    }
    out.push('\n');
    for row in &table.rows {
        let cells = row.iter().map(|cell| format!(" {} |", inline(cell)));
        out += &format!("|{}\n", cells.collect::<String>());
    }
    out
}

/// A text at the beginning of a block, where some characters would make another block of it.
fn begun(text: &Text) -> String {
    let text = inline(text);
    let text = text.trim_start();
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(n_digits);
    let is_marker = match n_digits {
        0 => rest.starts_with(['-', '+', '=']),
        _ => rest.starts_with(['.', ')']),
    };
    format!("{number}{}{rest}", if is_marker { "\\" } else { "" })
}

fn inline(text: &Text) -> String {
    let mut out = String::with_capacity(text.len());
    for (text, style) in text.styles() {
        let plain = plain(text);
        let inside = plain.trim();
        match style {
            Style::Code => out += &code(text),
            // The signs count only if no blank is inside of them.
            Style::Strong if !inside.is_empty() => {
                let begin = &plain[..plain.len() - plain.trim_start().len()];
                let end = &plain[plain.trim_end().len()..];
                out += &format!("{begin}**{inside}**{end}");
            }
            Style::Plain | Style::Strong | Style::Dim | Style::Warn => out += &plain,
        }
    }
    out
}

/// A text on one line, escaped so that nothing in it becomes Markdown or a new cell.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, sign) in text.char_indices() {
        match sign {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                plain.push('\\');
                plain.push(sign);
            }
            '&' if is_entity(&text[at + 1..]) => plain.push_str("\\&"),
            sign if is_break(sign) => plain.push(' '),
            sign => plain.push(sign),
        }
    }
    plain
}

/// Whether a text after `&` begins with a name and a semicolon.
fn is_entity(text: &str) -> bool {
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && text[end..].starts_with(';'))
}

/// A text as code on one line.
fn code(text: &str) -> String {
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

/// A text of several lines in a fence that the text cannot close.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|sign| sign != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Whether some reader treats the character as a line end.
fn is_break(sign: char) -> bool {
    sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}')
}
