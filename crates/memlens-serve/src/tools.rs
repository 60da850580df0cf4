//! The tools as a client sees them: names, arguments and their limits.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
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
    #[serde(alias = "limit", default, deserialize_with = "whole")]
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
    #[serde(default, deserialize_with = "whole")]
    pub from: Option<u32>,
    /// Number of lines, at least 1.
    #[serde(default, deserialize_with = "whole")]
    pub lines: Option<u32>,
}

/// Arguments of `memory_why`.
#[derive(Debug, Deserialize)]
pub(crate) struct WhyArguments {
    #[serde(alias = "q")]
    pub query: String,
    pub path: String,
    /// Line in the note, 1-based.
    #[serde(default, deserialize_with = "whole")]
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
            "memory_get" => parsed(name, arguments).and_then(|asked: GetArguments| {
                check_path(&asked.path)?;
                check_lines(asked.lines)?;
                Ok(Call::Get(asked))
            }),
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

/// No lines would have no next line.
fn check_lines(lines: Option<u32>) -> Result<(), Refused> {
    if lines == Some(0) {
        let why = "cannot read 0 lines: `lines` is the number of lines and at least 1";
        return Err(Refused::Arguments(why.to_owned()));
    }
    Ok(())
}

/// A whole number. Models also write it as `2.0`, which the type `integer` of JSON Schema allows, or as `"2"`.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let Some(value) = Option::<Value>::deserialize(from)? else {
        return Ok(None);
    };
    let number = match &value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<u32>().ok().map(f64::from),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let is_whole =
        |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
    match number.filter(is_whole) {
        Some(number) => Ok(Some(number as u32)),
        None => Err(D::Error::custom(format!(
            "{value} is no whole number from 0 to {}",
            u32::MAX
        ))),
    }
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

#[cfg(test)]
mod tests {
    //! Numbers are read in every form that means a whole one, and everything else is refused in plain words.

    use super::*;

    fn call(name: &str, arguments: Value) -> Result<Call, String> {
        let arguments = serde_json::from_value(arguments).expect("they are an object");
        let call = Call::new(name, arguments).expect("it is a tool");
        call.map_err(|refused| refused.to_string())
    }

    #[test]
    fn whole_numbers_may_be_written_as_fractions_or_texts() {
        let n_max = |n: Value| match call("memory_search", json!({"query": "q", "maxResults": n})) {
            Ok(Call::Search(asked)) => Ok(asked.max_results),
            Ok(_) => panic!("it is a search"),
            Err(refused) => Err(refused),
        };
        for (written, read) in [
            (json!(2), Some(2)),
            (json!(2.0), Some(2)),
            (json!("2"), Some(2)),
            (json!(" 2 "), Some(2)),
            (json!(0), Some(0)),
            (json!(-0.0), Some(0)),
            (json!(4_294_967_295_u32), Some(u32::MAX)),
            (json!(null), None),
        ] {
            assert_eq!(n_max(written.clone()), Ok(read), "{written}");
        }
        for wrong in [
            json!(2.5),
            json!(-1),
            json!("-1"),
            json!("2.5"),
            json!("two"),
            json!(""),
            json!(4_294_967_296_u64),
            json!(1e300),
            json!(true),
            json!([2]),
            json!({"n": 2}),
        ] {
            let refused = n_max(wrong.clone()).expect_err("it is no whole number");
            let why = format!(
                "cannot use the arguments of memory_search: {wrong} is no whole number from 0 to 4294967295"
            );
            assert_eq!(refused, why);
        }
        let others = [
            ("memory_search", json!({"query": "q", "limit": "5"})),
            (
                "memory_get",
                json!({"path": "a.md", "from": 2.0, "lines": "1"}),
            ),
            ("memory_get", json!({"path": "a.md"})),
            (
                "memory_why",
                json!({"query": "q", "path": "a.md", "line": 3.0}),
            ),
        ];
        for (name, arguments) in others {
            assert!(call(name, arguments.clone()).is_ok(), "{arguments}");
        }
    }

    #[test]
    fn no_lines_cannot_be_read() {
        for none in [json!(0), json!(0.0), json!("0")] {
            let refused = call("memory_get", json!({"path": "a.md", "lines": none}));
            let refused = refused.err().expect("it is refused");
            assert!(refused.contains("at least 1"), "{refused}");
        }
        let refused = call("memory_get", json!({"path": "a.md", "lines": -1}));
        let refused = refused.err().expect("it is refused");
        assert!(refused.contains("no whole number"), "{refused}");
    }
}
