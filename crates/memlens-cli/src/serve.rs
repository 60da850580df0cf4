//! `memlens serve`.

mod install;

use std::path::PathBuf;

use memlens_engine::part_of_agent;
use memlens_serve::{Serving, serve_stdio};

use crate::arguments::{ServeAct, ServeArgs};
use crate::error::CliError;
use crate::settings::{open, ranking, without_hook};

/// Serves one agent on standard input and output until it closes standard input, or changes an agent's config.
pub fn run(library: Option<PathBuf>, arguments: &ServeArgs) -> Result<(), CliError> {
    match &arguments.act {
        None => serve(library, arguments),
        Some(ServeAct::Install(arguments)) => install::install(library, arguments),
        Some(ServeAct::Uninstall { agent }) => install::uninstall(agent),
    }
}

fn serve(library: Option<PathBuf>, arguments: &ServeArgs) -> Result<(), CliError> {
    let mut ranking = ranking(&arguments.ranking)?;
    let mut settings = arguments.ranking.settings.settings.iter();
    let names_hook = settings.any(|setting| {
        setting
            .split_once('=')
            .is_some_and(|(id, _)| id.trim() == "hook")
    });
    if !names_hook {
        without_hook(&mut ranking)?;
    }
    // It is served until the process ends.
    let library = Box::leak(Box::new(open(library)?));
    if let Some(agent) = &arguments.agent {
        part_of_agent(library, agent)?;
    }
    Ok(serve_stdio(Serving {
        library,
        ranking,
        agent: arguments.agent.clone(),
    })?)
}
