//! `memlens emulate`.

use std::path::PathBuf;

use crate::arguments::{EmulateArgs, EvalArgs, RankingArgs, SearchArgs, SettingArgs};
use crate::error::CliError;
use crate::{evaluate, search};

/// Searches, or asks a query set, as another program does.
pub fn run(library: Option<PathBuf>, arguments: EmulateArgs) -> Result<(), CliError> {
    let ranking = RankingArgs {
        pipeline: Some(arguments.agent),
        settings: SettingArgs {
            settings: arguments.settings,
            preset: None,
        },
    };
    if let Some(queries) = arguments.queries {
        return evaluate::run(
            library,
            &EvalArgs {
                queries,
                in_scope: true,
                pooled: false,
                ranking,
                run_out: arguments.run_out,
                json: arguments.json,
            },
        );
    }
    search::run(
        library,
        &SearchArgs {
            query: arguments.query.unwrap_or_default(),
            scope: arguments.scope,
            agent: None,
            ranking,
            json: arguments.json,
            explain: arguments.explain,
        },
    )
}
