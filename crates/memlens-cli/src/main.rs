//! The `memlens` command: prints what the engine answers and decides nothing itself.
//!
//! Results go to standard output, everything else to standard error. The exit status is 0 for success, 1 for a failure
//! and 2 for misuse.

mod agents;
mod arguments;
mod autopsy;
mod clusters;
mod compare;
mod download_bar;
mod drift;
mod emulate;
mod erase;
mod error;
mod evaluate;
mod evergreen;
mod explain;
mod export;
mod export_made;
mod feedback;
mod history;
mod hook;
mod import;
mod index;
mod manual;
mod map;
mod models;
mod note;
mod note_filter;
mod oppositions;
mod output;
mod overview;
mod params;
mod queries;
mod questions;
mod recall;
mod rerank_hook;
mod rerank_model;
mod rerank_provider;
mod search;
mod second_opinion;
mod serve;
mod settings;
mod status;
mod tune;
mod watch;
mod why;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Cli, Command};
use crate::error::CliError;
use crate::output::notify;

#[allow(unsafe_code)]
fn main() -> ExitCode {
    memlens_files::start_private();
    // SAFETY: First of all; no other thread runs yet.
    unsafe { memlens_engine::forbid_telemetry() };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(
            // rmcp calls it an error that a client goes away before its answer.
            tracing_subscriber::EnvFilter::try_from_default_env()
                .unwrap_or_else(|_| "error,rmcp=off".into()),
        )
        .init();
    let typed = arguments::typed(std::env::args_os());
    let Cli { library, command } = Cli::parse_from(typed);
    let place = library.clone();
    let done = match command {
        Command::Index(arguments) => index::run(library, &arguments),
        Command::Agents(arguments) => agents::run(library, &arguments),
        Command::Watch(arguments) => watch::run(library, &arguments),
        Command::Status(arguments) => status::run(library, &arguments),
        Command::Search(arguments) => search::run(library, &arguments),
        Command::Why(arguments) => why::run(library, &arguments),
        Command::Autopsy(arguments) => autopsy::run(library, &arguments),
        Command::Clusters(arguments) => clusters::run(library, &arguments),
        Command::Overview(arguments) => overview::run(library, &arguments),
        Command::Map(arguments) => map::run(library, &arguments),
        Command::Note(arguments) => note::run(library, &arguments),
        Command::Drift(arguments) => drift::run(library, &arguments),
        Command::History(arguments) => history::run(library, &arguments),
        Command::Feedback(arguments) => feedback::run(library, &arguments),
        Command::Evergreen(arguments) => evergreen::run(library, &arguments),
        Command::Questions(arguments) => questions::run(library, &arguments),
        Command::Emulate(arguments) => emulate::run(library, arguments),
        Command::Compare(arguments) => compare::run(library, &arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Params(arguments) => params::run(&arguments),
        Command::Eval(arguments) => evaluate::run(library, &arguments),
        Command::Tune(arguments) => tune::run(library, &arguments),
        Command::Queries(arguments) => queries::run(library, &arguments),
        Command::Export(arguments) => export::run(library, &arguments),
        Command::RerankProvider(arguments) => rerank_provider::run(library, &arguments),
        Command::RerankModel(arguments) => rerank_model::run(library, &arguments),
        Command::Models(arguments) => models::run(library, &arguments),
        Command::RerankHook(arguments) => rerank_hook::run(library, &arguments),
        Command::Hook(arguments) => hook::run(library, &arguments),
        Command::Serve(arguments) => serve::run(library, &arguments),
        Command::Recall(arguments) => recall::run(library, &arguments),
        Command::Erase(arguments) => erase::run(library, &arguments),
        Command::ExportMade(arguments) => export_made::run(library, &arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::pages(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // `memlens search … | head -1` ends as quietly as it would without `head`.
        Err(CliError::ReaderGone) => ExitCode::from(CliError::ReaderGone.exit_status()),
        Err(error) => {
            let status = error.exit_status();
            notify(error.at(place));
            ExitCode::from(status)
        }
    }
}
