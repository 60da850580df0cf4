use std::path::PathBuf;

use jiff::Timestamp;
use memlens_document::{Document, Text, dim, strong};
use memlens_engine::view::{
    AgentView, AlwaysFile, AlwaysFileKind, AlwaysState, AlwaysView, LoadedFile, UnloadedLines,
};
use memlens_engine::{
    EngineError, Folder, Home, Indexer, LoadedView, Purpose, add_agent_folders, agents,
    always_view, cut_said, folders_to_add, known_agent, loaded, removed_lines_said,
    unloaded_lines_said, watched_folders,
};
use serde::Serialize;

use crate::arguments::{AgentsAct, AgentsArgs, IndexArgs};
use crate::error::CliError;
use crate::index;
use crate::output::{notify, plural, print, print_json};
use crate::settings::{library_dir, source};

/// One agent. Keys for problems are present only if there are problems.
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
    /// The agent version that Memlens's statements about it were checked with.
    #[serde(skip_serializing_if = "str::is_empty")]
    checked_version: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<&'a str>,
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
    cap: Option<u32>,
    cuts: bool,
    cut_at_line: Option<u32>,
    again_at_line: Option<u32>,
    /// Lines that are not loaded whole.
    unloaded: &'a [UnloadedLines],
    version: &'a str,
}

/// A remark that the user should know, printed among the rows.
#[derive(Serialize)]
struct FindingReport<'a> {
    agent: &'a str,
    finding: &'a str,
}

/// An instruction file of a watched agent, printed among the rows.
#[derive(Serialize)]
struct InstructionReport<'a> {
    agent: &'a str,
    always_loaded: &'a str,
    project: Option<&'a str>,
    imported_by: Option<&'a str>,
    state: AlwaysState,
    why: Option<&'a str>,
    lines: u32,
    cut_at_line: Option<u32>,
    again_at_line: Option<u32>,
    /// Lines that are not loaded whole.
    unloaded: &'a [UnloadedLines],
    version: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LoadedRow<'a> {
    Instructions(InstructionReport<'a>),
    File(LoadedReport<'a>),
    Finding(FindingReport<'a>),
}

/// Lists the agents on this machine, watches an agent's folders, or reports what agents load.
pub fn run(library: Option<PathBuf>, arguments: &AgentsArgs) -> Result<(), CliError> {
    let home = Home::of_process().ok_or(CliError::NoHome)?;
    match &arguments.act {
        None => list(&home, library, arguments.json),
        Some(AgentsAct::Add { id }) => add(&home, library, id),
        Some(AgentsAct::Loaded(json)) => print_loaded(&home, library, json.json),
    }
}

fn list(home: &Home, library: Option<PathBuf>, as_json: bool) -> Result<(), CliError> {
    let view = agents(home, &watched(library)?);
    if as_json {
        let reports: Vec<AgentReport> = view.agents.iter().map(report).collect();
        return print_json(&reports);
    }
    if view.agents.is_empty() {
        notify("no agent was found on this machine; `memlens index FOLDER` adds a folder of notes");
    }
    let mut page = Document::new();
    view.agents
        .iter()
        .for_each(|agent| add_agent(&mut page, agent));
    print(&page)
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
        checked_version: &agent.checked_version,
        findings: findings(agent).collect(),
        problems: &agent.problems,
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn findings(agent: &AgentView) -> impl Iterator<Item = &str> {
    agent
        .missing
        .iter()
        .chain(&agent.switches)
        .map(String::as_str)
}

fn add_agent(page: &mut Document, agent: &AgentView) {
    let version = agent.version.as_deref().unwrap_or("");
    let least = if agent.is_partial { "at least " } else { "" };
    let notes = format!(
        "{} {}",
        agent.n_notes,
        plural(agent.n_notes, "note", "notes")
    );
    let newest = agent
        .newest_ms
        .and_then(moment)
        .map_or_else(String::new, |at| format!(", newest {at}"));
    let watched = if agent.is_watched { ", watched" } else { "" };
    page.line(
        strong(&agent.id)
            + format!("  {} {version}  ", agent.name)
            + dim(format!("{least}{notes}{newest}{watched}")),
    );
    for folder in &agent.folders {
        let mark = match (folder.is_watched, agent.is_watched) {
            (true, false) => "  (watched)",
            (true, true) | (false, _) => "",
        };
        page.item(4, format!("{}{mark}", folder.shown));
    }
    if agent.n_unsearched > 0 {
        let (n, name) = (agent.n_unsearched, &agent.name);
        let are = plural(n, "is", "are");
        page.item(
            4,
            format!("{n} of {least}{notes} {are} never searched by {name}"),
        );
    }
    if !agent.checked_version.is_empty() {
        page.item(
            4,
            dim(format!(
                "loads {} (checked with {})",
                agent.loads, agent.checked_version
            )),
        );
    }
    for finding in findings(agent) {
        page.item(4, format!("finding: {finding}"));
    }
    for problem in &agent.problems {
        page.item(4, format!("problem: {problem}"));
    }
}

/// Watches the agent's folders and indexes them, as `memlens index` does.
fn add(home: &Home, library: Option<PathBuf>, id: &str) -> Result<(), CliError> {
    let folders = folders_to_add(home, id, &watched(library.clone())?)?;
    if folders.is_empty() {
        notify(format_args!("all folders of {id} are watched already"));
        return Ok(());
    }
    let dir = library_dir(library.clone())?;
    let embedder = source(&dir)(Purpose::Indexing).map_err(EngineError::from)?;
    let (mut indexer, _) = Indexer::open(&dir, embedder).map_err(EngineError::from)?;
    add_agent_folders(&mut indexer, &folders)?;
    // Indexing opens an indexer of its own.
    drop(indexer);
    for folder in &folders {
        notify(format_args!(
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
            model: None,
            model_folder: None,
            json: false,
        },
    )
}

fn print_loaded(home: &Home, library: Option<PathBuf>, as_json: bool) -> Result<(), CliError> {
    let watched = watched(library)?;
    let mut ids: Vec<&str> = watched
        .iter()
        .filter_map(|folder| folder.agent.as_deref())
        .filter(|id| known_agent(id).is_ok())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let view = loaded(home, &watched);
    let LoadedView {
        files,
        problems,
        findings,
    } = &view;
    let always = ids
        .iter()
        .map(|id| always_view(home, &watched, id))
        .collect::<Result<Vec<AlwaysView>, EngineError>>()?;
    // Memory files have their own rows.
    let instructions: Vec<(&AlwaysView, &AlwaysFile)> = always
        .iter()
        .flat_map(|view| view.files.iter().map(move |file| (view, file)))
        .filter(|(_, file)| !files.iter().any(|row| row.path == file.path))
        .filter(|(_, file)| file.kind != AlwaysFileKind::Memory)
        .collect();
    for problem in problems {
        notify(problem);
    }
    if as_json {
        return print_json(&loaded_rows(&view, &instructions));
    }
    if files.is_empty() && findings.is_empty() && instructions.is_empty() {
        notify("no agent on this machine loads a memory file when a session begins");
    }
    let mut page = Document::new();
    for file in files {
        page.line(loading(file));
        page.item(4, &file.path);
    }
    for one in findings {
        page.line(format!("{:<12} finding: {}", one.agent, one.said));
    }
    for (view, file) in &instructions {
        page.line(always_loading(view, file));
    }
    print(&page)
}

/// Returns the rows of `memlens agents --loaded --json`: memory files, findings, instruction files.
fn loaded_rows<'a>(
    view: &'a LoadedView,
    instructions: &'a [(&'a AlwaysView, &'a AlwaysFile)],
) -> Vec<LoadedRow<'a>> {
    let files = view.files.iter().map(|file| {
        LoadedRow::File(LoadedReport {
            agent: &file.agent,
            path: &file.path,
            unit: &file.unit,
            used: file.used,
            cap: file.cap,
            cuts: file.cuts,
            cut_at_line: file.cut_at_line,
            again_at_line: file.again_at_line,
            unloaded: &file.unloaded,
            version: &file.version,
        })
    });
    let findings = view.findings.iter().map(|one| {
        LoadedRow::Finding(FindingReport {
            agent: &one.agent,
            finding: &one.said,
        })
    });
    let instructions = instructions.iter().map(|(view, file)| {
        LoadedRow::Instructions(InstructionReport {
            agent: &view.agent,
            always_loaded: &file.path,
            project: file.project.as_deref(),
            imported_by: file.by.as_deref(),
            state: file.state,
            why: file.why.as_deref(),
            lines: file.n_lines,
            cut_at_line: file.cut_at_line,
            again_at_line: file.again_at_line,
            unloaded: &file.unloaded,
            version: &view.version,
        })
    });
    let rows = files.chain(findings).chain(instructions);
    rows.collect()
}

/// Returns the line of an instruction file.
fn always_loading(view: &AlwaysView, file: &AlwaysFile) -> Text {
    let state = match file.state {
        AlwaysState::Loaded => {
            unloaded_lines_said(&file.unloaded, file.n_lines).unwrap_or_else(|| {
                let lines = plural(file.n_lines, "line", "lines");
                format!("{} {lines}, loaded whole", file.n_lines)
            })
        }
        AlwaysState::NotRead => "not read by Memlens".to_owned(),
        AlwaysState::NotLoaded => "not loaded".to_owned(),
        AlwaysState::Missing => "finding: it is missing".to_owned(),
    };
    let mut line = Text::from(format!(
        "{:<12} always loaded: {}  {state}",
        view.agent, file.shown
    ));
    if let Some(why) = &file.why {
        // A consequence: `so it loads nothing of its memories`.
        let joint = if why.starts_with("so ") { ", " } else { ": " };
        line += format!("{joint}{why}");
    }
    if let Some(project) = &file.project {
        line += format!("  (sessions in {project})");
    }
    line + "  " + dim(format!("(checked with {})", view.version))
}

/// Returns the line of a file that is loaded.
fn loading(file: &LoadedFile) -> Text {
    let LoadedFile {
        agent, unit, used, ..
    } = file;
    let of_all = if file.name == "In all" { " in all" } else { "" };
    let extent = if !file.blocked.is_empty() {
        "loaded without its blocked entries"
    } else if file.unloaded.is_empty() {
        "loaded whole"
    } else {
        "loaded in part"
    };
    let mut line = Text::from(match file.cap {
        Some(cap) if file.cuts => format!("{agent:<12} {used} of {cap} {unit}{of_all}"),
        Some(cap) => {
            format!("{agent:<12} {used} {unit}, {extent}; no entry can be added above {cap}")
        }
        None => format!("{agent:<12} {used} {unit}, {extent}"),
    });
    for said in [cut_said(file), removed_lines_said(&file.unloaded)] {
        if !said.is_empty() {
            line += strong(format!("  {said}"));
        }
    }
    for (first, last, patterns) in &file.blocked {
        let lines = if first == last {
            format!("line {first} is")
        } else {
            format!("lines {first} to {last} are")
        };
        line += strong(format!("  {lines} blocked: {patterns}"));
    }
    if file.is_by_total {
        line += "  (what the total leaves)";
    }
    line + "  " + dim(format!("(checked with {})", file.version))
}

/// Returns the watched folders; empty if there is no library yet.
fn watched(library: Option<PathBuf>) -> Result<Vec<Folder>, CliError> {
    Ok(watched_folders(&library_dir(library)?)?)
}

/// Returns a time in milliseconds as RFC 3339 text, cut to the second; `None` if it is out of range.
fn moment(ms: f64) -> Option<String> {
    Timestamp::from_second((ms / 1000.0).floor() as i64)
        .ok()
        .map(|at| at.to_string())
}
