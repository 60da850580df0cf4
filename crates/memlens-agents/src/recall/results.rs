//! What a search returned, out of the many ways in which tools answer.

use serde_json::Value;

use super::Returned;
use super::found;
use super::happening::{Answer, Shape};

/// So many results of one search are kept.
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

/// The results of an answer; none where it does not tell, or tells that the search failed.
pub(super) fn of(shape: &Shape, answer: &Answer<'_>) -> Option<Vec<Returned>> {
    let mut parts = answer.parts.iter();
    parts.find_map(|part| match shape {
        Shape::Results => listed(part),
        Shape::Found { place } => found_of(part, place),
    })
}

/// Whether a command ended with an error: what it was to show was not shown. A searcher that found nothing ends so too.
pub(super) fn has_ended_badly(answer: &Answer<'_>) -> bool {
    answer
        .parts
        .iter()
        .any(|part| exit_code(part).is_some_and(|code| code != 0))
}

fn exit_code(value: &Value) -> Option<i64> {
    if let Some(text) = value.as_str() {
        if text.starts_with('{') {
            return exit_code(&serde_json::from_str(text).ok()?);
        }
        // Codex tells of the process before its output.
        let told = text.split("\nOutput:").next().unwrap_or_default();
        let ways = ["Process exited with code ", "Exit code: "];
        let (_, code) = ways.iter().find_map(|way| told.split_once(way))?;
        return code.lines().next()?.trim().parse().ok();
    }
    let inner = [value, &value["metadata"]];
    let mut codes = inner
        .into_iter()
        .flat_map(|it| [&it["exit_code"], &it["exitCode"]]);
    codes.find_map(Value::as_i64)
}

/// What a searcher of files found: results like any, or lines of text.
fn found_of(value: &Value, place: &str) -> Option<Vec<Returned>> {
    if LISTS.iter().any(|name| value[*name].is_array()) {
        return listed(value);
    }
    let text = texts(value)?;
    match serde_json::from_str::<Value>(&text) {
        Ok(inner) if inner.is_object() => found_of(&inner, place),
        _ => Some(found::found(&text, place)),
    }
}

/// The texts of an answer, as they stand in one or in blocks.
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
    })
}
