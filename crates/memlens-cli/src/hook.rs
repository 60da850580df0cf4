use std::io::Read;
use std::path::PathBuf;

use memlens_engine::{HookEvent, rank_given, without_mark};
use serde_json::error::Category;

use crate::arguments::HookArgs;
use crate::error::CliError;
use crate::output::{notify, print_line};
use crate::settings::{open_to_search, params};

/// The most bytes read as an event; no agent's results are this long.
const EVENT_BYTES_MAX: u64 = 64 << 20;

/// Reranks the results of the event on standard input and prints the hook's answer. Nothing is printed before the
/// answer is complete.
pub fn run(library: Option<PathBuf>, arguments: &HookArgs) -> Result<(), CliError> {
    let params = params(&arguments.settings)?;
    let event = read_event()?;
    let library = open_to_search(library)?;
    library.aggregate_for(&params)?;
    let ranking = rank_given(library, &event, &params)?;
    for notice in &ranking.notices {
        notify(notice);
    }
    let answer =
        serde_json::to_string(&ranking.answer).expect("plain data can always be written as JSON");
    print_line(&answer)
}

fn read_event() -> Result<HookEvent, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(EVENT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(CliError::Input)?;
    let refused = |why: String| CliError::NoEvent { why };
    if bytes.len() as u64 > EVENT_BYTES_MAX {
        return Err(refused(format!(
            "it is longer than {} MiB",
            EVENT_BYTES_MAX >> 20
        )));
    }
    let bytes = without_mark(&bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(refused("it is empty".to_owned()));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        refused(match error.classify() {
            Category::Eof => "it is incomplete".to_owned(),
            Category::Syntax | Category::Io => format!("it is not JSON at {place}"),
            // The error's own text could repeat content of the event.
            Category::Data => format!(
                "it is not an event at {place}: it needs a query, and results with path, startLine, endLine and score"
            ),
        })
    })
}
