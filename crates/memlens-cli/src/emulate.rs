use std::path::PathBuf;

use memlens_engine::read_agent_config;
use memlens_params::ParameterSet;

use crate::arguments::{EmulateArgs, EvalArgs, RankingArgs, SearchArgs, SettingArgs};
use crate::error::CliError;
use crate::output::notify;
use crate::{evaluate, search};

/// Searches, or runs a query set, as another program does.
pub fn run(library: Option<PathBuf>, arguments: EmulateArgs) -> Result<(), CliError> {
    let (agent, settings) = match &arguments.config {
        None => (arguments.agent, arguments.settings),
        Some(config) => {
            let read = read_agent_config(config, None)?;
            for void in read.voids() {
                notify(void.sentence());
            }
            for problem in &read.problems {
                notify(problem);
            }
            let values = read.ranking.values.changed();
            let values = values
                .into_iter()
                .map(|(id, value)| format!("{id}={value}"));
            let settings = values.chain(arguments.settings).collect();
            (read.ranking.pipeline.id().0.to_owned(), settings)
        }
    };
    let ranking = RankingArgs {
        pipeline: Some(agent),
        defaults: arguments.defaults,
        settings: SettingArgs {
            settings,
            preset: None,
        },
    };
    if let Some(queries) = arguments.queries {
        return evaluate::run(
            library,
            &EvalArgs {
                queries,
                topics: arguments.topics,
                in_scope: true,
                pooled: false,
                ranking,
                run_out: arguments.run_out,
                baseline: None,
                max_drop: 0.0,
                metric: "ndcg@10".to_owned(),
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
            markdown: arguments.markdown,
            csv: arguments.csv,
            no_text: arguments.no_text,
        },
    )
}
