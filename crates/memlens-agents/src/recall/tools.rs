//! The tools by which agents search and read their memory, and what the arguments of each say.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::Value;

use super::Used;
use super::happening::{Call, Shape};

struct Tool {
    /// Its name, without that of a server before it.
    name: &'static str,
    /// What a server's name before it must hold; empty for any.
    server: &'static str,
    does: Does,
}

enum Does {
    /// It searches for what this argument says.
    Searches(&'static str),
    /// It opens the notes that this argument names.
    Opens(&'static str),
}

use Does::{Opens, Searches};

/// Tools that are known, with where they come from.
const TOOLS: &[Tool] = &[
    // OpenClaw, and many servers that took the name over.
    tool("memory_search", "", Searches("query")),
    tool("memory_get", "", Opens("path")),
    // basic-memory.
    tool("search_notes", "", Searches("query")),
    tool("read_note", "", Opens("identifier")),
    tool("view_note", "", Opens("identifier")),
    // qmd; its names are everybody's.
    tool("query", "qmd", Searches("query")),
    tool("search", "qmd", Searches("query")),
    tool("vsearch", "qmd", Searches("query")),
    tool("vector_search", "qmd", Searches("query")),
    tool("deep_search", "qmd", Searches("query")),
    tool("get", "qmd", Opens("file")),
    // OpenViking, and Hermes with it.
    tool("openviking_search", "", Searches("query")),
    tool("openviking_find", "", Searches("query")),
    tool("openviking_read", "", Opens("uri")),
    tool("viking_search", "", Searches("query")),
    tool("viking_read", "", Opens("uri")),
    // mem0, the reference server, Hindsight.
    tool("search_memories", "", Searches("query")),
    tool("search_memory", "", Searches("query")),
    tool("mem0_search", "", Searches("query")),
    tool("search_nodes", "", Searches("query")),
    tool("hindsight_recall", "", Searches("query")),
    // Codex.
    tool("search", "memories", Searches("queries")),
    tool("read", "memories", Opens("path")),
    // Hermes: what was said in earlier sessions.
    tool("session_search", "", Searches("query")),
];

const fn tool(name: &'static str, server: &'static str, does: Does) -> Tool {
    Tool { name, server, does }
}

/// Names used by memory tools only, and the servers of the other tools.
static NAMED: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    let names = TOOLS.iter().map(|tool| match tool.server {
        "" => tool.name,
        server => server,
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    // One that holds another is found with it.
    let all = names.clone();
    names.retain(|name| {
        !all.iter()
            .any(|other| other != name && name.contains(other))
    });
    names.into_iter().map(Finder::new).collect()
});

/// Whether a line may name a tool of memory.
pub(super) fn is_named(line: &[u8]) -> bool {
    NAMED.iter().any(|name| name.find(line).is_some())
}

/// What a tool was called for; `None` if it is not a memory tool. Arguments may be JSON in a string.
pub(super) fn call(name: &str, arguments: &Value, at_ms: Option<i64>) -> Option<Call> {
    let tool = known(name)?;
    let parsed: Value;
    let arguments = match arguments.as_str() {
        Some(text) => {
            parsed = serde_json::from_str(text).ok()?;
            &parsed
        }
        None => arguments,
    };
    match tool.does {
        Searches(argument) => Some(Call::Search {
            question: question(arguments, argument)?,
            settings: settings(arguments, &[argument, "searches"]),
            answer: Shape::Results,
            // Codex finds exact text.
            is_pattern: tool.server == "memories",
        }),
        Opens(argument) => {
            let path = arguments[argument]
                .as_str()
                .or_else(|| arguments["path"].as_str())?;
            // A number of a row is no path.
            let path = Some(path).filter(|path| !path.is_empty() && !path.starts_with('#'))?;
            Some(Call::Open(vec![Used {
                path: path.to_owned(),
                lines: lines(arguments),
                at_ms,
                is_part: false,
            }]))
        }
    }
}

/// The tool of a name such as `memory_search` or `mcp__qmd__query`.
fn known(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| {
        let server = name.strip_suffix(tool.name);
        server.is_some_and(|server| {
            let is_whole = server.is_empty() || server.ends_with(['_', '-', '.', '/', ':']);
            is_whole && server.contains(tool.server)
        })
    })
}

/// The words of a question; several searches of one call are one question.
fn question(arguments: &Value, argument: &str) -> Option<String> {
    if let Some(text) = arguments[argument].as_str() {
        return Some(text.to_owned());
    }
    // qmd: `searches: [{type, query}]`; Codex: `queries: [text]`.
    let several = [&arguments[argument], &arguments["searches"]];
    let several = several.into_iter().find_map(Value::as_array)?;
    let words = several
        .iter()
        .filter_map(|one| one.as_str().or_else(|| one["query"].as_str()));
    Some(words.collect::<Vec<_>>().join("\n"))
}

/// What a call asks for besides its question.
pub(super) fn settings(arguments: &Value, question: &[&str]) -> BTreeMap<String, Value> {
    let arguments = arguments.as_object().into_iter().flatten();
    arguments
        .filter(|(name, value)| !question.contains(&name.as_str()) && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// First and last line that a call asks for.
pub(super) fn lines(arguments: &Value) -> Option<(u32, u32)> {
    let number = |names: &[&str]| {
        let numbers = names.iter().filter_map(|name| arguments[*name].as_u64());
        let mut numbers = numbers.filter_map(|number| u32::try_from(number).ok());
        numbers.find(|number| *number > 0)
    };
    let first = number(&["from", "offset", "line_offset", "start_line"]);
    let last = number(&["end_line"]);
    let n = number(&["lines", "limit", "max_lines"]);
    match (
        first,
        last.or_else(|| Some(first.unwrap_or(1).saturating_add(n? - 1))),
    ) {
        (first, Some(last)) => Some((first.unwrap_or(1), last)),
        // From a line to the note's end.
        (Some(first), None) => (first > 1).then_some((first, u32::MAX)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A call in short form.
    fn described(name: &str, arguments: Value) -> Option<String> {
        Some(match call(name, &arguments, None)? {
            Call::Search {
                question, settings, ..
            } => format!("asks {question} {settings:?}"),
            Call::OpenAmong(_) => return None,
            Call::Open(opened) => {
                let opened = opened
                    .iter()
                    .map(|it| format!("opens {} {:?}", it.path, it.lines));
                opened.collect::<Vec<_>>().join(", ")
            }
        })
    }

    #[test]
    fn tools_of_memory_are_known_by_name_and_server() {
        let koi = || json!({"query": "koi"});
        for name in [
            "memory_search",
            "mcp__openclaw__memory_search",
            "mcp__qmd__query",
            "mcp_qmd_search",
            "qmd.vsearch",
            "basic-memory:search_notes",
            "viking_search",
        ] {
            assert_eq!(
                described(name, koi()).as_deref(),
                Some("asks koi {}"),
                "{name}"
            );
        }
        for name in [
            "query",
            "mcp__postgres__query",
            "search",
            "web_search",
            "my_memory_searcher",
            "inmemory_search",
            "",
        ] {
            assert_eq!(described(name, koi()), None, "{name}");
        }
    }

    #[test]
    fn arguments_may_be_a_text_and_say_lines_in_several_ways() {
        let get = |arguments| described("memory_get", arguments);
        assert_eq!(
            get(json!(r#"{"path":"a.md","from":9,"lines":6}"#)).as_deref(),
            Some("opens a.md Some((9, 14))")
        );
        assert_eq!(
            get(json!({"path": "a.md", "from": 9})).as_deref(),
            Some("opens a.md Some((9, 4294967295))")
        );
        assert_eq!(
            get(json!({"path": "a.md", "lines": 4_294_967_295_u32, "from": 3})).as_deref(),
            Some("opens a.md Some((3, 4294967295))")
        );
        for nothing in [
            json!("{"),
            json!({}),
            json!({"path": 3}),
            json!({"path": ""}),
            json!(null),
        ] {
            assert_eq!(get(nothing.clone()), None, "{nothing}");
        }
        assert_eq!(described("mcp__qmd__get", json!({"file": "#a1b2c3"})), None);
    }
}
