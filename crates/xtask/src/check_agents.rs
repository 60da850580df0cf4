//! `cargo xtask check-agents`: asks the published agents what they load when a session begins, compares that with what Memlens
//! predicts, installs the plugin for OpenClaw, and runs MCP's conformance scenarios. By hand: it downloads the programs and needs Node.js 24, npm, git and Python 3.

mod conformance;
mod homes;
mod plugin;
mod programs;
mod recorded;
mod server;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde_json::Value;

use self::homes::{Scratch, markers};
use self::programs::{Installed, Program};
use self::server::Server;
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

#[derive(Args)]
pub struct CheckAgentsArgs {
    /// Install the programs and make the scratch homes in this folder; default: target/check-agents
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Ask this agent alone, by its id; can be repeated
    #[arg(long, value_name = "AGENT")]
    agent: Vec<String>,
    /// Run MCP's conformance scenarios against the server over HTTP, and ask no agent
    #[arg(long, conflicts_with = "agent")]
    conformance: bool,
}

/// One text that Memlens predicts.
#[derive(Deserialize)]
struct Predicted {
    path: PathBuf,
    given: String,
    /// Whether the program hands the text on as it is.
    is_verbatim: bool,
}

/// Asks each program and prints every difference.
pub fn check_agents(project: &Project, args: &CheckAgentsArgs) -> Result<()> {
    let is_asked =
        |program: &Program| args.agent.is_empty() || args.agent.iter().any(|id| id == program.id());
    let asked: Vec<Program> = Program::ALL.into_iter().filter(is_asked).collect();
    if let Some(unknown) = args
        .agent
        .iter()
        .find(|id| Program::ALL.iter().all(|program| program.id() != *id))
    {
        let known: Vec<&str> = Program::ALL.iter().map(|program| program.id()).collect();
        return Err(Error::Setup(format!(
            "no agent `{unknown}` can be asked; known are {}",
            known.join(", ")
        )));
    }
    programs::check_node()?;
    let folder = args
        .dir
        .clone()
        .unwrap_or_else(|| project.root.join("target/check-agents"));
    if args.conformance {
        return match conform(project, &folder)? {
            0 => Ok(()),
            n_differences => Err(Error::Agents(n_differences)),
        };
    }
    let server = Server::start().map_err(|source| Error::Start {
        command: "the stand-in for models".to_owned(),
        source,
    })?;
    let mut n_differences = 0;
    let mut versions = Vec::new();
    for program in asked {
        let installed = program.install(&folder.join("programs"))?;
        let (homes, url) = (folder.join("homes"), server.url());
        let mut scratches = homes::of(program, &homes, &url)?;
        scratches.extend(recorded::of(program, project, &homes, &url)?);
        for scratch in scratches {
            let differences = differences(project, &installed, &scratch, &server)?;
            for difference in &differences {
                println!("{}: {difference}", scratch.name);
            }
            if differences.is_empty() {
                println!("{}: as predicted", scratch.name);
            }
            n_differences += differences.len();
        }
        if program == Program::OpenClaw {
            let differences = plugin::differences(project, &installed, &homes, &url)?;
            match differences.as_slice() {
                [] => println!(
                    "openclaw-plugin: loaded in the memory slot, with the tools of its manifest"
                ),
                found => found
                    .iter()
                    .for_each(|it| println!("openclaw-plugin: {it}")),
            }
            n_differences += differences.len();
        }
        let (package, version) = program.package();
        versions.push(format!("{package} {version}"));
    }
    if args.agent.is_empty() {
        n_differences += conform(project, &folder)?;
    }
    if n_differences > 0 {
        return Err(Error::Agents(n_differences));
    }
    println!("no difference: {}", versions.join(", "));
    Ok(())
}

/// Runs MCP's conformance scenarios, and returns how many fail.
fn conform(project: &Project, folder: &Path) -> Result<usize> {
    let found = conformance::differences(project, folder)?;
    match found.as_slice() {
        [] => println!("conformance: every scenario that applies passes"),
        found => found.iter().for_each(|it| println!("conformance: {it}")),
    }
    Ok(found.len())
}

fn differences(
    project: &Project,
    installed: &Installed,
    scratch: &Scratch,
    server: &Server,
) -> Result<Vec<String>> {
    server.take();
    let printed = installed.ask(scratch, &server.url())?;
    let mut given = String::new();
    server
        .take()
        .iter()
        .for_each(|body| collect(body, &mut given));
    if scratch.program == Program::Hermes {
        given = printed;
    } else if given.is_empty() {
        let cause = format!("it sent no request; it printed: {}", printed.trim());
        return Err(homes::unreadable(scratch.program.id(), cause));
    }
    // Claude Code quotes the line at which it cut in a warning of its own.
    let is_kept = |line: &&str| !line.starts_with("> WARNING:");
    let given = given.lines().filter(is_kept).collect::<Vec<_>>().join("\n");
    let predicted = predict(project, scratch)?;
    let mut found = Vec::new();
    let expected: BTreeSet<(usize, usize)> = predicted
        .iter()
        .flat_map(|file| markers(&file.given))
        .collect();
    let actual = markers(&given);
    for (number, path) in scratch.planted.iter().enumerate() {
        let path = path.strip_prefix(&scratch.home).unwrap_or(path).display();
        let of_file = |all: &BTreeSet<(usize, usize)>, but: &BTreeSet<(usize, usize)>| {
            let lines = all.difference(but).filter(|it| it.0 == number);
            lines.map(|it| it.1).collect::<Vec<_>>()
        };
        for (lines, what) in [
            (
                of_file(&expected, &actual),
                "predicted, but the program does not load them",
            ),
            (of_file(&actual, &expected), "loaded, but not predicted"),
        ] {
            if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
                found.push(format!(
                    "{path}: {} lines between line {first} and line {last} of the planted ones are {what}",
                    lines.len()
                ));
            }
        }
    }
    for file in predicted.iter().filter(|file| file.is_verbatim) {
        let text = file.given.trim();
        if !text.is_empty() && !given.contains(text) {
            let path = file.path.strip_prefix(&scratch.home).unwrap_or(&file.path);
            found.push(format!(
                "{}: the program is not given the predicted text of {} characters",
                path.display(),
                text.chars().count()
            ));
        }
    }
    Ok(found)
}

/// Every text in a request.
fn collect(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        Value::Object(values) => values.values().for_each(|value| collect(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What Memlens predicts, by a program of the crate that knows agents: this one is built before anything is installed.
fn predict(project: &Project, scratch: &Scratch) -> Result<Vec<Predicted>> {
    let printed = command::output(
        command::cargo(project)
            .args(["run", "--quiet", "--package", "memlens-agents"])
            .args(["--example", "session_load", "--"])
            .arg(&scratch.home)
            .arg(&scratch.cwd)
            .arg(scratch.program.id()),
    )?;
    serde_json::from_str(&printed).map_err(|error| homes::unreadable("session_load", error))
}
