//! The tasks of the project, as `cargo xtask TASK`: set up a machine, run, test, measure, generate, keep in order.
//!
//! Each task does all that it needs, so that two commands are enough on a fresh machine: `cargo xtask run` and
//! `cargo xtask test`. This crate is built before anything is installed and knows neither the window nor the engine: it
//! starts programs, reads what they print and checks files.

mod bench;
mod check_agents;
#[cfg(unix)]
mod check_platforms;
mod codegen;
mod command;
mod display;
mod error;
mod fingerprint;
mod openclaw_plugin;
mod package;
mod project;
mod run;
mod setup;
mod test;
mod tidy;
mod ui;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::project::Project;
use crate::setup::{Install, Purpose};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Build, test and package Memlens"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install everything needed to run and test
    Setup(SetupArgs),
    /// Build Memlens and open it on a folder of notes, or on sample notes
    Run(run::RunArgs),
    /// Run every check and test
    Test(test::TestArgs),
    /// Regenerate the files that are made from Rust
    Codegen {
        /// Only list files that are out of date, and fail if there are any
        #[arg(long)]
        check: bool,
    },
    /// Check the project's own rules
    Tidy,
    /// Build the package of this system: window, command line, model and ONNX Runtime in one file
    Package(package::PackageArgs),
    /// Run benchmarks; prints figures and saves them to target/bench.json
    Bench(bench::BenchArgs),
    /// Ask the published agents what they load at the start of a session, and print where that differs from Memlens's prediction
    CheckAgents(check_agents::CheckAgentsArgs),
    /// Check on Debian that Memlens compiles for macOS and Windows, and run its Windows command line under wine; downloads both
    #[cfg(unix)]
    CheckPlatforms(check_platforms::CheckPlatformsArgs),
}

#[derive(Args)]
struct SetupArgs {
    /// Install no system packages: if any are missing, print the command to install them, and fail
    #[arg(long)]
    no_install: bool,
    /// Also fetch an optional embedding model; `multilingual` is for notes in other languages than English (75 MB)
    #[arg(long, value_enum)]
    model: Option<OptionalModel>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OptionalModel {
    Multilingual,
}

fn set_up(project: &Project, args: &SetupArgs) -> error::Result<()> {
    setup::setup(project, Purpose::Headless, args.install())?;
    match args.model {
        Some(OptionalModel::Multilingual) => setup::multilingual(project),
        None => Ok(()),
    }
}

impl SetupArgs {
    fn install(&self) -> Install {
        if self.no_install {
            Install::Nothing
        } else {
            Install::Missing
        }
    }
}

fn main() -> ExitCode {
    let project = Project::find();
    let result = match Cli::parse().task {
        Task::Setup(args) => set_up(&project, &args),
        Task::Run(args) => run::run(&project, &args),
        Task::Test(args) => test::test(&project, &args),
        Task::Codegen { check: false } => codegen::write_all(&project),
        Task::Codegen { check: true } => codegen::check_all(&project),
        Task::Tidy => tidy::tidy(&project),
        Task::Package(args) => package::package(&project, &args),
        Task::Bench(args) => bench::bench(&project, &args),
        Task::CheckAgents(args) => check_agents::check_agents(&project, &args),
        #[cfg(unix)]
        Task::CheckPlatforms(args) => check_platforms::check_platforms(&project, &args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
