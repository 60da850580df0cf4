//! Extracts the results of a search from the many forms of tools' answers.

use serde_json::Value;

use super::folders::is_absolute;
use super::found::{self, Found};
use super::happening::{Answer, Output, Shape};
use super::{Returned, text_line};

/// Maximum number of results of one search.
const RESULTS: usize = 1000;
/// The names under which tools list their results, and those that an answer is wrapped in.
const LISTS: &[&str] = &[
    "results", "matches", "hits", "notes", "memories", "items", "data",
];
const WRAPPERS: &[&str] = &[
    "functionResponse",
    "response",
    "structuredContent",
    "text",
    "output",
    "content",
    "result",
];
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "file",
    "uri",
    "permalink",
    "session_id",
    "id",
];
const FIRST_LINES: &[&str] = &[
    "startLine",
    "start_line",
    "line",
    "from",
    "match_line_number",
];
const LAST_LINES: &[&str] = &["endLine", "end_line", "line", "to", "match_line_number"];
const SCORES: &[&str] = &["score", "similarity", "relevance"];

/// Result of a search, as read from its answer.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    Returned(Vec<Returned>),
    /// The search ended with an error.
    Failed,
    /// The answer does not say, or not in a known form.
    Unknown,
}

/// Part of a note that an answer showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// What the call asked for.
    AsAsked,
    Whole,
    /// These lines, first and last, 1-based.
    Lines(u32, u32),
    /// A part of what was asked for, but unknown which.
    Part,
    /// Nothing: an error, or text that was shown before and is not repeated.
    Nothing,
}

/// Reads the result of a search from its answer.
pub(super) fn outcome(shape: &Shape, answer: &Answer<'_>) -> Outcome {
    match shape {
        Shape::Results => {
            if answer.is_error || is_refused(answer) {
                return Outcome::Failed;
            }
            let returned = answer.parts.iter().find_map(|part| listed(part));
            returned.map_or(Outcome::Unknown, Outcome::Returned)
        }
        Shape::Found {
            place,
            from,
            output,
        } => searched(place, from.as_deref(), *output, answer),
    }
}

/// What a searcher of files answered.
fn searched(place: &str, from: Option<&str>, output: Output, answer: &Answer<'_>) -> Outcome {
    let code = answer.parts.iter().find_map(|part| exit_code(part));
    // A searcher that finds nothing exits with 1, and one that fails with more.
    let has_failed = code.map_or(answer.is_error, |code| code > 1);
    let found = answer
        .parts
        .iter()
        .find_map(|part| found_in(part, place, output));
    match found {
        _ if output == Output::Changed && has_failed => Outcome::Failed,
        _ if output == Output::Changed => Outcome::Unknown,
        Some(Found::Results(mut returned)) => {
            for result in &mut returned {
                result.path = joined(from, &result.path);
            }
            Outcome::Returned(returned)
        }
        Some(Found::Nothing) if !has_failed => Outcome::Returned(Vec::new()),
        Some(Found::Error) => Outcome::Failed,
        Some(Found::Nothing | Found::Other) | None if has_failed => Outcome::Failed,
        Some(Found::Nothing | Found::Other) | None => Outcome::Unknown,
    }
}

fn joined(from: Option<&str>, path: &str) -> String {
    let is_absolute = is_absolute(path) || path.starts_with(['~', '$']);
    match from {
        Some(from) if !is_absolute => format!("{}/{path}", from.trim_end_matches('/')),
        _ => path.to_owned(),
    }
}

/// Which parts of the notes opened by a call its answer showed.
pub(super) fn shown(answer: &Answer<'_>) -> Shown {
    if answer.is_error || has_ended_badly(answer) || is_refused(answer) {
        return Shown::Nothing;
    }
    let (mut by_fields, mut by_text) = (None, None);
    let mut has_text = None;
    let mut is_cut = false;
    let mut is_repeated = false;
    for part in &answer.parts {
        visit(part, DEPTH, &mut |leaf| match leaf {
            Leaf::Object(fields) => {
                is_repeated |= fields["type"] == "file_unchanged";
                by_fields = by_fields.or_else(|| range_of(fields));
            }
            Leaf::Text(text) => {
                let text = found::output_of(text);
                *has_text.get_or_insert(false) |= !text.trim().is_empty();
                is_cut |= CUT.iter().any(|sign| text.contains(sign));
                is_repeated |= text.starts_with("File unchanged since last read");
                by_text = by_text.or_else(|| range_in(text));
            }
        });
    }
    if is_repeated || has_text == Some(false) {
        Shown::Nothing
    } else if is_cut {
        Shown::Part
    } else {
        by_fields.or(by_text).unwrap_or(Shown::AsAsked)
    }
}

pub(super) fn printed(answer: &Answer<'_>) -> String {
    let mut printed = String::new();
    for part in &answer.parts {
        visit(part, DEPTH, &mut |leaf| {
            if let Leaf::Text(text) = leaf {
                printed.push_str(found::output_of(text));
                printed.push('\n');
            }
        });
    }
    printed
}

/// Texts that agents write in place of output that is too long: Claude Code's Bash, Codex, Gemini CLI.
const CUT: &[&str] = &[
    " lines truncated] ...",
    " characters truncated] ...",
    "<persisted-output>",
    " tokens truncated…",
    " chars truncated…",
    "[truncated]",
];

/// The lines that an answer says it holds: of Claude Code's Read and of OpenClaw's `memory_get`.
fn range_of(fields: &Value) -> Option<Shown> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let file = &fields["file"];
    let (first, n, is_whole) = match number(&file["startLine"]) {
        Some(first) => {
            let n = number(&file["numLines"])?;
            (first, n, first == 1 && file["totalLines"] == n)
        }
        None => {
            let (first, n) = (number(&fields["from"])?, number(&fields["lines"])?);
            let is_memory_get = fields["text"].is_string() && fields["path"].is_string();
            // Before 2026.9 its answer repeats what was asked for and says nothing of the rest.
            let is_whole = first == 1 && fields["status"] == "ok" && fields["truncated"] != true;
            (first, n, is_memory_get.then_some(is_whole)?)
        }
    };
    if is_whole {
        return Some(Shown::Whole);
    }
    (first > 0 && n > 0).then(|| Shown::Lines(first, first.saturating_add(n - 1)))
}

/// The lines that a text says it holds: "Showing lines 1-2000 of 5000", or by the numbers before its lines.
fn range_in(text: &str) -> Option<Shown> {
    if let Some((_, rest)) = text.split_once("Showing lines ")
        && let Some((first, rest)) = rest.split_once('-')
        && let (Ok(first), last) = (first.parse(), digits(rest))
        && let Ok(last) = last.parse()
    {
        return (first <= last).then_some(Shown::Lines(first, last));
    }
    let number = |line: &str| {
        let line = line.trim_start();
        let number = digits(line);
        let is_numbered = line[number.len()..].starts_with(['→', '\t']);
        is_numbered.then(|| number.parse::<u32>().ok()).flatten()
    };
    let first = text.lines().next().and_then(number)?;
    let last = text.lines().rev().find_map(number)?;
    (first <= last).then_some(Shown::Lines(first, last))
}

/// The digits with which a text begins.
fn digits(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

/// Whether an answer says that memory cannot be read, or that there is no such note.
fn is_refused(answer: &Answer<'_>) -> bool {
    let mut is_refused = false;
    for part in &answer.parts {
        visit(part, DEPTH, &mut |leaf| {
            if let Leaf::Object(fields) = leaf {
                let is_off = ["disabled", "unavailable"]
                    .iter()
                    .any(|name| fields[*name] == true);
                let has_failed = ["error", "not_found"]
                    .iter()
                    .any(|status| fields["status"] == *status);
                is_refused |= is_off || has_failed;
            }
        });
    }
    is_refused
}

/// How deep answers are wrapped in each other.
const DEPTH: u32 = 12;

/// A part of an answer.
enum Leaf<'v> {
    Object(&'v Value),
    /// A text that is not JSON.
    Text(&'v str),
}

/// Visits the objects and texts of an answer, also those in JSON that is a text.
fn visit(value: &Value, depth: u32, visitor: &mut dyn FnMut(Leaf<'_>)) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match value {
        Value::String(text) => {
            let is_json = text.trim_start().starts_with(['{', '[']);
            let inner = is_json.then(|| serde_json::from_str::<Value>(text.trim()));
            match inner {
                Some(Ok(inner)) => visit(&inner, depth, visitor),
                _ => visitor(Leaf::Text(text)),
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                visit(entry, depth, visitor);
            }
        }
        Value::Object(fields) => {
            visitor(Leaf::Object(value));
            for name in WRAPPERS.iter().chain(&["details"]) {
                if let Some(inner) = fields.get(*name) {
                    visit(inner, depth, visitor);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a command ended with an error, so that its output is missing. A searcher that found nothing ends in the same
/// way.
fn has_ended_badly(answer: &Answer<'_>) -> bool {
    answer
        .parts
        .iter()
        .any(|part| exit_code(part).is_some_and(|code| code != 0))
}

fn exit_code(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) if text.starts_with('{') => {
            exit_code(&serde_json::from_str(text).ok()?)
        }
        Value::String(text) => found::exit_code(text),
        Value::Array(blocks) => blocks.iter().find_map(exit_code),
        Value::Object(_) => {
            let inner = [value, &value["metadata"]];
            let mut codes = inner
                .into_iter()
                .flat_map(|it| [&it["exit_code"], &it["exitCode"]]);
            let code = codes.find_map(Value::as_i64);
            code.or_else(|| WRAPPERS.iter().find_map(|name| exit_code(&value[*name])))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// What a searcher of files found: results like any, or lines of text.
fn found_in(value: &Value, place: &str, output: Output) -> Option<Found> {
    if LISTS.iter().any(|name| value[*name].is_array()) {
        return listed(value).map(|results| match results.is_empty() {
            true => Found::Nothing,
            false => Found::Results(results),
        });
    }
    let text = texts(value)?;
    match serde_json::from_str::<Value>(&text) {
        Ok(inner) if inner.is_object() => found_in(&inner, place, output),
        _ => Some(found::found(&text, place, output)),
    }
}

/// Texts of an answer, either one string or several blocks.
fn texts(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().filter_map(texts).collect();
            (!texts.is_empty() || blocks.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(_) => WRAPPERS.iter().find_map(|name| texts(&value[*name])),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Results of a value, or of the JSON in its texts.
fn listed(value: &Value) -> Option<Vec<Returned>> {
    match value {
        Value::String(text) => {
            let Ok(inner) = serde_json::from_str::<Value>(text.trim()) else {
                return found::ranked(text);
            };
            (!inner.is_string()).then(|| listed(&inner)).flatten()
        }
        Value::Array(entries) => {
            // Blocks of an answer, or the results themselves.
            let is_block = |entry: &&Value| WRAPPERS.iter().any(|name| !entry[*name].is_null());
            let mut blocks = entries.iter().filter(is_block);
            blocks.find_map(listed).or_else(|| {
                let results: Vec<Returned> = entries.iter().filter_map(result).collect();
                (!results.is_empty() || entries.is_empty()).then_some(results)
            })
        }
        Value::Object(fields) => {
            let failed = ["disabled", "unavailable"];
            if failed.iter().any(|name| value[name] == true) {
                return None;
            }
            let lists = LISTS.iter().filter_map(|name| fields.get(*name));
            let mut lists = lists.filter_map(Value::as_array);
            match lists.next() {
                Some(list) => Some(list.iter().filter_map(result).take(RESULTS).collect()),
                None => WRAPPERS.iter().find_map(|name| listed(&value[*name])),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn result(value: &Value) -> Option<Returned> {
    let field = |names: &[&str]| {
        let mut fields = names.iter().filter_map(|name| value.get(name));
        fields.find(|field| !field.is_null())
    };
    let mut texts = PATHS.iter().filter_map(|name| value.get(name)?.as_str());
    let path = texts.find(|path| !path.is_empty())?;
    let line = |names: &[&str]| u32::try_from(field(names)?.as_u64()?).ok();
    let first = line(FIRST_LINES).filter(|line| *line > 0);
    Some(Returned {
        path: path.to_owned(),
        lines: first.map(|first| (first, line(LAST_LINES).unwrap_or(first).max(first))),
        score: field(SCORES).and_then(|score| score.as_f64()),
        is_name_only: false,
        line_hashes: text_line::hashes_of(value),
        text: text_line::text_of(value),
    })
}
