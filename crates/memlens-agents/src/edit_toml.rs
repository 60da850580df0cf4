//! Changes one table of a TOML config and leaves everything else of its text unchanged.
//!
//! Properties checked: comments, order, line endings and the byte-order mark stay; a reader of the new text finds what the old one
//! held, with the table changed; what cannot be changed safely is refused.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::{Format, parse};
use crate::edit::{UNSAFE, unified};

/// The text with these texts and lists of texts in the table at `path`. An equal value stays as it is written.
///
/// # Errors
/// The problem of the text, for the user: broken syntax, or a table that is written in another way than under a header.
pub(crate) fn edited(
    text: &str,
    path: &[&str],
    values: &[(&str, Value)],
) -> Result<String, String> {
    let mut expected = parse(text, Format::Toml)?;
    let parsed = DeTable::parse(body(text)).map_err(|error| error.message().to_owned())?;
    let after = match find(parsed.get_ref(), path) {
        None => with_table(text, path, values),
        Some(found) => with_values(text, found, values)?,
    };
    let mut at = &mut expected;
    for key in path {
        if at.get(key).is_none() {
            at[*key] = Value::Object(Map::new());
        }
        at = at.get_mut(*key).filter(|at| at.is_object()).ok_or(UNSAFE)?;
    }
    for (key, value) in values {
        at[*key] = value.clone();
    }
    checked(after, &expected)
}

/// The text without the table at `path` and the tables below it.
///
/// # Errors
/// The problem of the text, for the user: as [`edited`], and a table that is not there.
pub(crate) fn removed(text: &str, path: &[&str]) -> Result<String, String> {
    let mut expected = parse(text, Format::Toml)?;
    let text_body = body(text);
    let parsed = DeTable::parse(text_body).map_err(|error| error.message().to_owned())?;
    let (key, table) =
        find(parsed.get_ref(), path).ok_or_else(|| format!("it has no {}", path.join(".")))?;
    let start = text_body[..key.span().start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    // One empty line above belongs to the table.
    let above = &text_body[..start];
    let above = ["\r\n", "\n"]
        .iter()
        .find_map(|end| {
            above
                .strip_suffix(end)
                .filter(|above| above.ends_with('\n'))
        })
        .unwrap_or(above);
    let last = end_of(table).max(key.span().end);
    let end = text_body[last..]
        .find('\n')
        .map_or(text_body.len(), |at| last + at + 1);
    let mark = &text[..text.len() - text_body.len()];
    let after = format!("{mark}{above}{}", &text_body[end..]);
    let (last, above) = path.split_last().ok_or(UNSAFE)?;
    let mut holder = &mut expected;
    for key in above {
        holder = &mut holder[*key];
    }
    holder.as_object_mut().ok_or(UNSAFE)?.remove(*last);
    // A table without a header of its own is gone with the last one in it.
    let pruned = without_empty(expected.clone(), above);
    checked(after.clone(), &expected).or_else(|_| checked(after, &pruned))
}

/// Changes from one text to another, as a unified diff. Texts and comments are left out, except the `words`.
pub(crate) fn diff(before: &str, after: &str, words: &[&str]) -> String {
    unified(&without_texts(before, words), &without_texts(after, words))
}

/// A text in which `…` replaces every comment and every value that is a text, except the `words`; empty if it is no TOML.
fn without_texts(text: &str, words: &[&str]) -> String {
    let text = body(text);
    let Ok(parsed) = DeTable::parse(text) else {
        return String::new();
    };
    let mut texts: Vec<(Range<usize>, bool)> = Vec::new();
    for value in parsed.get_ref().values() {
        collect_texts(value, words, &mut texts);
    }
    texts.sort_by_key(|(span, _)| span.start);
    let mut left = String::new();
    let mut at = 0;
    for (span, is_shown) in texts {
        left += &without_comments(&text[at..span.start]);
        if is_shown {
            left += &text[span.clone()];
        } else {
            let lines = "\n".repeat(text[span.clone()].matches('\n').count());
            left += &format!("\"…{lines}\"");
        }
        at = span.end;
    }
    left + &without_comments(&text[at..])
}

/// Adds the place of each text in a value, in bytes, and whether it is one of the `words`.
fn collect_texts(
    value: &Spanned<DeValue<'_>>,
    words: &[&str],
    texts: &mut Vec<(Range<usize>, bool)>,
) {
    match value.get_ref() {
        DeValue::String(text) => texts.push((value.span(), words.contains(&text.as_ref()))),
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| collect_texts(item, words, texts)),
        DeValue::Table(table) => table
            .values()
            .for_each(|value| collect_texts(value, words, texts)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

/// A part of a text without values that are texts, with `# …` for each comment.
fn without_comments(part: &str) -> String {
    let lines = part.split_inclusive('\n');
    lines
        .map(|line| match line.split_once('#') {
            Some((before, _)) if line.ends_with('\n') => format!("{before}# …\n"),
            Some((before, _)) => format!("{before}# …"),
            None => line.to_owned(),
        })
        .collect()
}

/// The same without the tables on a path that are empty.
fn without_empty(mut all: Value, path: &[&str]) -> Value {
    if let (Some((key, below)), Some(fields)) = (path.split_first(), all.as_object_mut())
        && let Some(inner) = fields.remove(*key)
    {
        let inner = without_empty(inner, below);
        if inner.as_object().is_none_or(|inner| !inner.is_empty()) {
            fields.insert((*key).to_owned(), inner);
        }
    }
    all
}

/// The text, if it holds what is expected.
fn checked(text: String, expected: &Value) -> Result<String, String> {
    if parse(&text, Format::Toml).is_ok_and(|after| after == *expected) {
        Ok(text)
    } else {
        Err(UNSAFE.to_owned())
    }
}

fn body(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

type Entry<'a, 'i> = (
    &'a Spanned<std::borrow::Cow<'i, str>>,
    &'a Spanned<DeValue<'i>>,
);

/// The key and the value at a path.
fn find<'a, 'i>(table: &'a DeTable<'i>, path: &[&str]) -> Option<Entry<'a, 'i>> {
    let (first, below) = path.split_first()?;
    let found = table.iter().find(|(key, _)| key.get_ref() == first)?;
    if below.is_empty() {
        return Some(found);
    }
    find(found.1.get_ref().as_table()?, below)
}

/// Where the last value in a value ends, in bytes.
fn end_of(value: &Spanned<DeValue<'_>>) -> usize {
    match value.get_ref().as_table() {
        Some(table) => table.values().map(end_of).max().unwrap_or(0),
        None => value.span().end,
    }
}

/// The text with a new table at its end.
fn with_table(text: &str, path: &[&str], values: &[(&str, Value)]) -> String {
    let is_dos = text.contains("\r\n");
    let mut added = String::new();
    if !body(text).is_empty() {
        if !text.ends_with('\n') {
            added.push('\n');
        }
        added.push('\n');
    }
    added += &table(path, values);
    if is_dos {
        added = added.replace('\n', "\r\n");
    }
    format!("{text}{added}")
}

/// A table as a config of its own, with nothing else.
pub(crate) fn table(path: &[&str], values: &[(&str, Value)]) -> String {
    let mut table = format!("[{}]\n", path.join("."));
    for (key, value) in values {
        table += &format!("{key} = {}\n", literal(value));
    }
    table
}

/// A text or a list of texts as TOML. Its basic strings take the escapes of JSON, except that DEL must be escaped.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            value.to_string().replace('\u{7f}', "\\u007f")
        }
    }
}

/// The text with values of a table that is there already.
fn with_values(
    text: &str,
    (key, found): Entry<'_, '_>,
    values: &[(&str, Value)],
) -> Result<String, String> {
    let text_body = body(text);
    let table = found.get_ref().as_table().ok_or(UNSAFE)?;
    let mut after = text_body.to_owned();
    let mut changes: Vec<(usize, usize, String)> = Vec::new();
    for (name, value) in values {
        let written = table.iter().find(|(key, _)| key.get_ref() == name);
        match written {
            Some((_, written)) => {
                let span = written.span();
                let is_same = parse(&format!("v = {}", &text_body[span.clone()]), Format::Toml)
                    .is_ok_and(|found| found["v"] == *value);
                if !is_same {
                    changes.push((span.start, span.end, literal(value)));
                }
            }
            None => {
                let at = text_body[key.span().end..].find('\n');
                let at = at.map(|at| key.span().end + at + 1).ok_or(UNSAFE)?;
                let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
                changes.push((at, at, format!("{name} = {}{end}", literal(value))));
            }
        }
    }
    changes.sort_by_key(|change| std::cmp::Reverse(change.0));
    for (start, end, new) in changes {
        after.replace_range(start..end, &new);
    }
    let mark = &text[..text.len() - text_body.len()];
    Ok(format!("{mark}{after}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: [&str; 2] = ["mcp_servers", "mine"];

    fn values() -> Vec<(&'static str, Value)> {
        vec![
            ("command", json!("/a \"b\"/x")),
            ("args", json!(["serve", "--mcp"])),
        ]
    }

    const ADDED: &str =
        "[mcp_servers.mine]\ncommand = \"/a \\\"b\\\"/x\"\nargs = [\"serve\", \"--mcp\"]\n";

    #[test]
    fn a_table_is_added_and_removed_and_everything_else_stays() {
        for text in [
            "",
            "# mine\nmodel = \"gpt\" # best\n",
            "a = 1\n\n\n",
            "[mcp_servers.theirs]\ncommand = 'x'\n\n[projects.\"/home/a.b\"]\ntrust_level = \"trusted\"\n# end\n",
            "\u{feff}a = 1\n",
        ] {
            let with = edited(text, &PATH, &values()).expect("it can be changed");
            let gap = if text.is_empty() { "" } else { "\n" };
            assert_eq!(with, format!("{text}{gap}{ADDED}"));
            let again = edited(&with, &PATH, &values());
            assert_eq!(again.as_ref(), Ok(&with));
            assert_eq!(removed(&with, &PATH).as_deref(), Ok(text));
        }
        let dos = edited("a = 1\r\n", &PATH, &values()).expect("it can be changed");
        assert_eq!(dos, format!("a = 1\r\n\r\n{}", ADDED.replace('\n', "\r\n")));
        assert_eq!(removed(&dos, &PATH).as_deref(), Ok("a = 1\r\n"));
    }

    #[test]
    fn a_table_that_is_there_is_changed_in_place() {
        let text = "# a\n[mcp_servers.mine] # b\ncommand = \"old\" # c\nstartup_timeout_sec = 20\nargs = [\n  'serve', # d\n  '--mcp',\n]\n\n[mcp_servers.mine.env]\nA = \"1\"\n\n# about z\n[z]\n";
        let after = edited(text, &PATH, &values()).expect("it can be changed");
        assert_eq!(after, text.replace("\"old\"", "\"/a \\\"b\\\"/x\""));
        assert_eq!(
            removed(&after, &PATH).as_deref(),
            Ok("# a\n\n# about z\n[z]\n")
        );
        let bare = edited("[mcp_servers.mine]\n[z]\n", &PATH, &values());
        assert!(bare.is_ok_and(|text| text.ends_with("[z]\n")));
    }

    #[test]
    fn a_table_without_a_header_is_removed() {
        for (text, expected) in [
            ("mcp_servers = {mine = {command = 'x'}}\nb = 1\n", "b = 1\n"),
            ("mcp_servers.mine.command = 'x'\nb = 1\n", "b = 1\n"),
            (
                "[mcp_servers]\n[mcp_servers.mine]\ncommand = 'x'\n",
                "[mcp_servers]\n",
            ),
        ] {
            assert_eq!(removed(text, &PATH).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_changed_is_reported() {
        for (text, message) in [
            ("a = ", "line 1"),
            ("mcp_servers = 1", "cannot be changed safely"),
            ("mcp_servers = {theirs = {}}", "cannot be changed safely"),
        ] {
            let refused = edited(text, &PATH, &values()).expect_err(text);
            assert!(refused.contains(message), "{text}: {refused}");
        }
        for (text, message) in [
            ("a = 1", "it has no mcp_servers.mine"),
            (
                "mcp_servers = {mine = {command = 'x'}, theirs = {}}",
                "cannot be changed safely",
            ),
            (
                "[mcp_servers.mine]\ncommand = 'x'\n[b]\nc = 1\n[mcp_servers.mine.env]\nA = '1'\n",
                "cannot be changed safely",
            ),
        ] {
            let refused = removed(text, &PATH).expect_err(text);
            assert!(refused.contains(message), "{text}: {refused}");
        }
    }
}
