//! `memlens agents`.

use std::io::{self, Write};
use std::path::PathBuf;

use jiff::Timestamp;
use memlens_engine::view::{AgentView, LoadCut, LoadedFile};
use memlens_engine::{
    EngineError, Folder, Home, Indexer, Purpose, add_agent_folders, agents, folders_to_add, loaded,
    watched_folders,
};
use serde::Serialize;

use crate::arguments::{AgentsAct, AgentsArgs, IndexArgs};
use crate::error::CliError;
use crate::index;
use crate::output::{BOLD, DIM, print_json, print_text, shown, tell};
use crate::settings::{library_dir, source};

/// One agent; the keys that say that something is wrong are there only where something is.
#[derive(Serialize)]
struct AgentReport<'a> {
    id: &'a str,
    name: &'a str,
    version: Option<&'a str>,
    folders: Vec<&'a str>,
    notes: u32,
    newest: Option<String>,
    watched: bool,
    #[serde(skip_serializing_if = "is_zero")]
    notes_never_searched: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    notes_are_partial: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
}

/// One file against one cap.
#[derive(Serialize)]
struct LoadedReport<'a> {
    agent: &'a str,
    path: &'a str,
    unit: &'a str,
    used: u32,
    cap: u32,
    cut_at_line: Option<u32>,
}

/// Lists the agents of this machine, watches one's folders, or tells what they load.
pub fn run(library: Option<PathBuf>, arguments: &AgentsArgs) -> Result<(), CliError> {
    let home = Home::of_process().ok_or(CliError::NoHome)?;
    match &arguments.act {
        None => list(&home, library, arguments.json),
        Some(AgentsAct::Add { id }) => add(&home, library, id),
        Some(AgentsAct::Loaded(json)) => tell_loaded(&home, library, json.json),
    }
}

fn list(home: &Home, library: Option<PathBuf>, as_json: bool) -> Result<(), CliError> {
    let view = agents(home, &watched(library)?);
    if as_json {
        let reports: Vec<AgentReport> = view.agents.iter().map(report).collect();
        return print_json(&reports);
    }
    if view.agents.is_empty() {
        tell("no agent was found on this machine; `memlens index FOLDER` adds a folder of notes");
    }
    print_text(|out| {
        view.agents
            .iter()
            .try_for_each(|agent| print_agent(out, agent))
    })
}

fn report(agent: &AgentView) -> AgentReport<'_> {
    AgentReport {
        id: &agent.id,
        name: &agent.name,
        version: agent.version.as_deref(),
        folders: agent
            .folders
            .iter()
            .map(|folder| folder.path.as_str())
            .collect(),
        notes: agent.n_notes,
        notes_never_searched: agent.n_unsearched,
        newest: agent.newest_ms.and_then(moment),
        watched: agent.is_watched,
        notes_are_partial: agent.is_partial,
        problems: &agent.problems,
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn print_agent(out: &mut dyn Write, agent: &AgentView) -> io::Result<()> {
    let version = agent.version.as_deref().unwrap_or("");
    let least = if agent.is_partial { "at least " } else { "" };
    let notes = match agent.n_notes {
        1 => "1 note".to_owned(),
        n => format!("{n} notes"),
    };
    let newest = agent
        .newest_ms
        .and_then(moment)
        .map_or_else(String::new, |at| format!(", newest {at}"));
    let watched = if agent.is_watched { ", watched" } else { "" };
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {} {}  {DIM}{least}{notes}{newest}{watched}{DIM:#}",
        agent.id,
        agent.name,
        shown(version)
    )?;
    for folder in &agent.folders {
        let mark = match (folder.is_watched, agent.is_watched) {
            (true, false) => "  (watched)",
            (true, true) | (false, _) => "",
        };
        writeln!(out, "    {}{mark}", shown(&folder.shown))?;
    }
    if agent.n_unsearched > 0 {
        let (n, name) = (agent.n_unsearched, &agent.name);
        let are = if n == 1 { "is" } else { "are" };
        writeln!(
            out,
            "    {n} of {least}{notes} {are} never searched by {name}"
        )?;
    }
    for problem in &agent.problems {
        writeln!(out, "    problem: {}", shown(problem))?;
    }
    Ok(())
}

/// Watches the folders and indexes them, as `memlens index` does.
fn add(home: &Home, library: Option<PathBuf>, id: &str) -> Result<(), CliError> {
    let folders = folders_to_add(home, id, &watched(library.clone())?)?;
    if folders.is_empty() {
        tell(format_args!("all folders of {id} are watched already"));
        return Ok(());
    }
    let dir = library_dir(library.clone())?;
    let embedder = source()(Purpose::Indexing).map_err(EngineError::from)?;
    let (mut indexer, _) = Indexer::open(&dir, embedder).map_err(EngineError::from)?;
    add_agent_folders(&mut indexer, &folders)?;
    // Another one indexes them.
    drop(indexer);
    for folder in &folders {
        tell(format_args!(
            "watching {} as {}",
            folder.path.display(),
            folder.name
        ));
    }
    let paths = folders.into_iter().map(|folder| folder.path).collect();
    index::run(
        library,
        &IndexArgs {
            paths,
            moved_from: None,
            json: false,
        },
    )
}

fn tell_loaded(home: &Home, library: Option<PathBuf>, as_json: bool) -> Result<(), CliError> {
    let (files, problems) = loaded(home, &watched(library)?);
    for problem in &problems {
        tell(problem);
    }
    if as_json {
        let reports: Vec<LoadedReport> = files
            .iter()
            .map(|file| LoadedReport {
                agent: &file.agent,
                path: &file.path,
                unit: &file.unit,
                used: file.used,
                cap: file.cap,
                cut_at_line: file.cut_at_line,
            })
            .collect();
        return print_json(&reports);
    }
    if files.is_empty() {
        tell("no agent on this machine has a file with a load cap");
    }
    print_text(|out| files.iter().try_for_each(|file| print_loaded(out, file)))
}

fn print_loaded(out: &mut dyn Write, file: &LoadedFile) -> io::Result<()> {
    let LoadedFile {
        agent,
        path,
        unit,
        used,
        cap,
        n_lines,
        ..
    } = file;
    let about = if file.is_estimate { "about " } else { "" };
    let of_all = if file.cut == LoadCut::Files || file.note.is_none() && file.name == "In all" {
        " in all"
    } else {
        ""
    };
    write!(out, "{agent:<12} {about}{used} of {cap} {unit}{of_all}")?;
    match (file.cut, file.cut_at_line) {
        (LoadCut::End, Some(line)) => write!(
            out,
            "  {BOLD}cut at line {line}: {} of {n_lines} lines are not loaded{BOLD:#}",
            n_lines - line + 1
        )?,
        (LoadCut::Middle, _) => write!(out, "  {BOLD}its middle is cut{BOLD:#}")?,
        (LoadCut::Files, _) => write!(out, "  {BOLD}some of its files are cut{BOLD:#}")?,
        (LoadCut::End | LoadCut::None, _) => {}
    }
    let reported = if file.is_reported {
        "  (as its users report)"
    } else {
        ""
    };
    writeln!(out, "{reported}\n    {}", shown(path))
}

/// The watched folders; none where there is no library yet.
fn watched(library: Option<PathBuf>) -> Result<Vec<Folder>, CliError> {
    Ok(watched_folders(&library_dir(library)?)?)
}

/// A time as other programs read it, to the second.
fn moment(ms: f64) -> Option<String> {
    Timestamp::from_second((ms / 1000.0).floor() as i64)
        .ok()
        .map(|at| at.to_string())
}
