//! Values in Markdown tables, named by the cell before or by the head of their column.
//!
//! Properties checked: both kinds of tables; a line of a shell with `|` is none.

use std::ops::Range;

/// Where cells are that hold a secret; `is_name` says whether a cell is the name of one.
pub(super) fn spans(text: &str, is_name: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    // The columns that hold secrets, in the table that the line before belongs to.
    let mut columns: Option<Vec<bool>> = None;
    let lines = lines(text);
    for (at, line) in lines.iter().enumerate() {
        let cells = cells(text, line.clone());
        let is_ruled = |line: &Range<usize>| is_rule(&text[line.clone()]);
        let is_head = lines.get(at + 1).is_some_and(is_ruled) && cells.len() > 1;
        let is_row = text[line.clone()].trim_start().starts_with('|');
        if is_head {
            let named = cells.iter().map(|cell| is_name(&text[cell.clone()]));
            columns = Some(named.collect());
        } else if is_ruled(line) {
        } else if !is_row && (columns.is_none() || cells.len() < 2) {
            columns = None;
        } else {
            let is_secret = |at: usize| {
                let column = columns.as_ref().and_then(|it| it.get(at));
                let is_named = at > 0 && is_name(&text[cells[at - 1].clone()]);
                column.copied().unwrap_or(false) || is_named
            };
            let secret = (0..cells.len()).filter(|at| is_secret(*at));
            spans.extend(
                secret
                    .map(|at| cells[at].clone())
                    .filter(|it| !is_blank(&text[it.clone()])),
            );
        }
    }
    spans
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(at..at + line.len());
        at += line.len();
    }
    lines
}

/// The cells of a line, without blanks around them.
fn cells(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let whole = trimmed(text, line);
    let mut inner = text[whole.clone()].to_owned();
    let mut start = whole.start;
    if inner.starts_with('|') {
        inner.remove(0);
        start += 1;
    }
    if inner.ends_with('|') {
        inner.pop();
    }
    let mut cells = Vec::new();
    for cell in inner.split('|') {
        cells.push(trimmed(text, start..start + cell.len()));
        start += cell.len() + 1;
    }
    cells
}

fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The line below the head of a table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('|')
        && line.contains('-')
        && line
            .chars()
            .all(|sign| matches!(sign, '|' | '-' | ':' | ' '))
}

/// A cell that holds nothing.
fn is_blank(cell: &str) -> bool {
    cell.chars().all(|sign| !sign.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let spans = spans(text, |cell| cell == "Password");
        let found: Vec<&str> = spans.into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn cells_are_named_by_row_or_column() {
        check("| Password | hunter2 |", &["hunter2"]);
        check("|Password|hunter2|\n|User|iris|", &["hunter2"]);
        let table = "| User | Password | Room |\n|---|:--|---|\n| iris | hunter2 | 3 |\n| ada | – | 4 |\n| bo | a b | 5 |";
        check(table, &["hunter2", "a b"]);
        check(
            "User | Password\n--- | ---\niris | hunter2\n\nnext | one",
            &["hunter2"],
        );
        check("| Password |\n| hunter2 |", &[]);
        check("cat Password | head", &[]);
        check("a\n| b | Password | |", &[]);
        check("", &[]);
    }
}
