//! The tools as a client sees them: names, arguments and their limits.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Served;
use crate::answers::{self, QUERY_BYTES_MAX, Refused};
use crate::caller::Caller;
use crate::recording::{record_opening, record_search};

/// Longest path in bytes: the limit of Linux.
const PATH_BYTES_MAX: usize = 4096;

/// Arguments of `memory_search`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchArguments {
    #[serde(alias = "q")]
    pub query: String,
    #[serde(alias = "limit")]
    pub max_results: Option<u32>,
    pub min_score: Option<f64>,
    #[serde(rename = "in")]
    pub scope: Option<String>,
}

/// Arguments of `memory_get`.
#[derive(Debug, Deserialize)]
pub(crate) struct GetArguments {
    pub path: String,
    /// First line, 1-based.
    pub from: Option<u32>,
    /// Number of lines.
    pub lines: Option<u32>,
}

/// Arguments of `memory_why`.
#[derive(Debug, Deserialize)]
pub(crate) struct WhyArguments {
    #[serde(alias = "q")]
    pub query: String,
    pub path: String,
    /// Line in the note, 1-based.
    pub line: Option<u32>,
}

/// A call whose arguments were checked.
pub(crate) enum Call {
    Search(SearchArguments),
    Get(GetArguments),
    Why(WhyArguments),
    Drift,
    Status,
}

impl Call {
    /// The call of a tool; `None` if there is no such tool.
    pub fn new(name: &str, arguments: JsonObject) -> Option<Result<Call, Refused>> {
        Some(match name {
            "memory_search" => parsed(name, arguments).and_then(|asked: SearchArguments| {
                check_query(&asked.query)?;
                check_path(asked.scope.as_deref().unwrap_or_default())?;
                Ok(Call::Search(asked))
            }),
            "memory_get" => parsed(name, arguments)
                .and_then(|asked: GetArguments| check_path(&asked.path).map(|()| Call::Get(asked))),
            "memory_why" => parsed(name, arguments).and_then(|asked: WhyArguments| {
                check_query(&asked.query)?;
                check_path(&asked.path)?;
                Ok(Call::Why(asked))
            }),
            "memory_drift" => Ok(Call::Drift),
            "memory_status" => Ok(Call::Status),
            _ => return None,
        })
    }

    /// Does what was asked, and records it if the user allows that.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn answer(&self, served: &Served, caller: &Caller) -> Result<Value, Refused> {
        match self {
            Call::Search(asked) => {
                let searched = answers::search(served, caller, asked);
                let found = searched.as_ref().ok().map(|(_, searched)| searched);
                record_search(served, caller, asked, found);
                searched.map(|(answer, _)| answer)
            }
            Call::Get(asked) => {
                let (answer, note) = answers::get(served, caller, asked)?;
                record_opening(served, caller, asked, (&note.folder.path, &note.path));
                Ok(answer)
            }
            Call::Why(asked) => answers::explain(served, caller, asked),
            Call::Drift => answers::drift(served, caller),
            Call::Status => answers::status(served, caller),
        }
    }
}

fn check_path(path: &str) -> Result<(), Refused> {
    if path.len() <= PATH_BYTES_MAX {
        return Ok(());
    }
    Err(Refused::Path {
        typed: memlens_params::brief(path).into_owned(),
        why: "it is too long",
    })
}

fn parsed<T: DeserializeOwned>(name: &str, arguments: JsonObject) -> Result<T, Refused> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let error = error.to_string();
        let error = memlens_params::brief(&error);
        Refused::Arguments(format!("cannot use the arguments of {name}: {error}"))
    })
}

fn check_query(query: &str) -> Result<(), Refused> {
    if query.len() > QUERY_BYTES_MAX {
        return Err(Refused::QueryTooLong {
            n_bytes: query.len(),
        });
    }
    Ok(())
}

/// Every tool.
pub(crate) fn all() -> Vec<Tool> {
    let text = |says: &str| json!({"type": "string", "description": says});
    let number = |says: &str| json!({"type": "integer", "minimum": 1, "description": says});
    let query = text("The question, in words");
    vec![
        tool(
            "memory_search",
            "Search the user's memory notes. Returns results with path, startLine, endLine, score and snippet, best first.",
            json!({
                "query": query,
                "maxResults": number("Most results to return (default 10, at most 100)"),
                "minScore": {"type": "number", "description": "Leave out results with a lower score"},
                "in": text("Search only this folder or note"),
            }),
            &["query"],
        ),
        tool(
            "memory_get",
            "Read lines of a memory note, as memory_search names it.",
            json!({
                "path": text("Path of the note, as in a result"),
                "from": number("First line (default 1)"),
                "lines": number("Number of lines (default: to the end)"),
            }),
            &["path"],
        ),
        tool(
            "memory_why",
            "Explain why a note is not among the results of a question, or where it ranks, and which change of settings would return it.",
            json!({
                "query": query,
                "path": text("Path of the note"),
                "line": number("Line in the note"),
            }),
            &["query", "path"],
        ),
        tool(
            "memory_drift",
            "List memory notes that contradict each other, and facts that newer notes replace.",
            json!({}),
            &[],
        ),
        tool(
            "memory_status",
            "Report which folders of notes are served, their size, and the ranking in use.",
            json!({}),
            &[],
        ),
    ]
}

fn tool(name: &'static str, says: &'static str, arguments: Value, required: &[&str]) -> Tool {
    let schema = JsonObject::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), arguments),
        ("required".to_owned(), json!(required)),
    ]);
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(name, says, Arc::new(schema)).with_annotations(hints)
}
