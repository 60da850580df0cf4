//! `memlens search`.

use std::path::PathBuf;

use memlens_engine::{EngineError, Scope};

use crate::arguments::SearchArgs;
use crate::error::CliError;
use crate::explain;
use crate::output::{print_json, print_text, tell};
use crate::settings::{open, params};

/// Searches and prints the results, the trace or the whole report.
pub fn run(library: Option<PathBuf>, arguments: &SearchArgs) -> Result<(), CliError> {
    let params = params(&arguments.settings)?;
    if arguments.query.trim().is_empty() {
        return Err(EngineError::EmptyQuery.into());
    }
    let library = open(library)?;
    library.aggregate_for(&params)?;
    let scope = arguments
        .scope
        .as_deref()
        .map(|typed| Scope::parse(&library.lists().snapshot, typed))
        .transpose()?;
    let search = library.search(&arguments.query, &params, scope.as_ref())?;
    let report = library.report(&search, &params)?;
    if arguments.json {
        return print_json(&report);
    }
    for notice in &report.notices {
        tell(notice);
    }
    print_text(|out| {
        if arguments.explain {
            explain::write(out, &report)
        } else {
            explain::write_results(out, &report)
        }
    })
}
