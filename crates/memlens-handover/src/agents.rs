//! Agents and the library: which of their folders are watched, which agent a watched folder belongs to, and which part
//! of a note its agent loads.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memlens_agents::{
    AGENTS, Agent, Cut, FileLoad, Found, Home, LineLoads, Loaded, Lost, Searched, count, look,
};
use memlens_indexer::Indexer;
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library};
use memlens_retrieve::Part;
use memlens_store::{Folder, FolderId, Store, StoreError};
use memlens_wire::{
    AgentFolder, AgentView, AgentsView, LoadCut, LoadedFile, Unloaded, UnloadedLines, WhyAnswer,
    WhyNot,
};

use crate::load_said::{lines_said, unloaded_said};

/// Time limit of finding agents with folders of any size: what remains after scanning and measuring is for counting.
const FINDING_TIME: Duration = Duration::from_millis(150);

const COUNTING_TIME_MIN: Duration = Duration::from_millis(30);

/// A folder of an agent that is to be watched, and its name on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderToAdd {
    /// Absolute path of the folder.
    pub path: PathBuf,
    /// Id of the agent that it belongs to.
    pub agent: &'static str,
    /// Name of the folder on screen.
    pub name: String,
}

/// Agents found in a home folder, where some folders are watched.
pub fn agents(home: &Home, watched: &[Folder]) -> AgentsView {
    let started = Instant::now();
    let found = look_and_follow(home, watched);
    let mut agents: Vec<AgentView> = found
        .iter()
        .map(|found| agent_view(home, found, watched))
        .collect();
    let left = FINDING_TIME.saturating_sub(started.elapsed());
    let searched: Vec<Option<Searched>> = found
        .iter()
        .map(|found| Searched::of(home, found.agent.id))
        .collect();
    let folders = found.iter().zip(&searched);
    let folders = folders.map(|(found, searched)| (found.folders.as_slice(), searched.as_ref()));
    let counted = count(folders, left.max(COUNTING_TIME_MIN));
    for (agent, counted) in agents.iter_mut().zip(counted) {
        agent.n_notes = saturated(counted.n_notes);
        agent.n_unsearched = saturated(counted.n_unsearched);
        agent.newest_ms = counted.newest_ms.map(|ms| ms as f64);
        agent.is_partial = counted.is_partial;
    }
    let places = found.iter().flat_map(|found| &found.places);
    AgentsView {
        not_found: AGENTS
            .into_iter()
            .filter(|agent| found.iter().all(|found| found.agent.id != agent.id))
            .map(|agent| agent.name.to_owned())
            .collect(),
        places: places.map(|place| home.shown(place)).collect(),
        agents,
        took_ms: started.elapsed().as_secs_f64() * 1000.0,
    }
}

/// Agents found in a home folder; for watched agents, the settings of their projects are read too.
fn look_and_follow(home: &Home, watched: &[Folder]) -> Vec<Found> {
    let mut all = look(home);
    for found in &mut all {
        let is_watched = |folder: &PathBuf| watching(folder, watched).is_some();
        if found.folders.iter().any(is_watched) {
            found.follow_projects(home);
        }
    }
    all
}

/// What agents load of their memory files when a session begins.
#[derive(Debug, Default)]
pub struct LoadedView {
    /// One row for each limit of each file.
    pub files: Vec<LoadedFile>,
    /// Why files could not be measured.
    pub problems: Vec<String>,
    /// Files that an agent would load and that do not exist, and settings that turn loading off.
    pub findings: Vec<Finding>,
}

/// Something about what an agent loads that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Id of the agent in the catalogue.
    pub agent: String,
    /// The finding as a sentence for the user.
    pub said: String,
}

/// Memory files that the agents of a home folder load.
pub fn loaded(home: &Home, watched: &[Folder]) -> LoadedView {
    let mut view = LoadedView::default();
    for found in look_and_follow(home, watched) {
        let these = loaded_of(home, &found, watched);
        view.files.extend(these.files);
        view.problems.extend(these.problems);
        let said = these.missing.into_iter().chain(found.switches);
        view.findings.extend(said.map(|said| Finding {
            agent: found.agent.id.to_owned(),
            said,
        }));
    }
    view
}

/// The agent of an id.
///
/// # Errors
/// [`EngineError::NoAgent`] for an id that no agent has.
pub fn known_agent(id: &str) -> Result<&'static Agent, EngineError> {
    memlens_agents::agent(id).ok_or_else(|| EngineError::NoAgent { id: id.to_owned() })
}

/// The folders of an agent that are not watched yet; empty if all of them are.
///
/// # Errors
/// [`EngineError::Agent`] for an id that no agent has, and if nothing of the agent is there.
pub fn folders_to_add(
    home: &Home,
    id: &str,
    watched: &[Folder],
) -> Result<Vec<FolderToAdd>, EngineError> {
    let refused = |why: String| EngineError::Agent {
        id: id.to_owned(),
        why,
    };
    let agent = known_agent(id).map_err(|error| refused(error.to_string()))?;
    let Some(found) = look(home).into_iter().find(|found| found.agent.id == id) else {
        return Err(refused(format!(
            "{} was not found on this machine",
            agent.name
        )));
    };
    if found.folders.is_empty() {
        let why = found.problems.first().cloned();
        return Err(refused(why.unwrap_or_else(|| {
            format!("{} has no folder of notes yet", agent.name)
        })));
    }
    Ok(found
        .folders
        .iter()
        .filter(|folder| watching(folder, watched).is_none())
        .map(|folder| FolderToAdd {
            path: folder.clone(),
            agent: agent.id,
            name: found.name_of(folder, home),
        })
        .collect())
}

/// Adds folders of an agent to a library without another writer; the next scan indexes them.
///
/// # Errors
/// As [`Indexer::add_folder`]; folders that were added before stay.
pub fn add_agent_folders(
    indexer: &mut Indexer,
    folders: &[FolderToAdd],
) -> Result<(), EngineError> {
    for FolderToAdd { path, agent, name } in folders {
        indexer.add_folder_of(path, agent, name)?;
    }
    Ok(())
}

/// The watched folders of the library in `dir`; empty if there is no library yet.
///
/// # Errors
/// [`EngineError::Store`].
pub fn watched_folders(dir: &Path) -> Result<Vec<Folder>, EngineError> {
    match folders_of_library(dir) {
        Err(EngineError::Store(StoreError::Missing { .. })) => Ok(Vec::new()),
        found => found,
    }
}

/// The watched folders of the library in `dir`.
///
/// # Errors
/// [`EngineError::Store`], also if there is no library.
pub fn folders_of_library(dir: &Path) -> Result<Vec<Folder>, EngineError> {
    Ok(Store::open_read_only(dir)?.folders()?)
}

/// Stores the agent of each watched folder; returns whether anything changed. What was stored before stays if nothing
/// is found now: another program may run in another environment.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_agents(store: &mut Store, home: &Home) -> Result<bool, EngineError> {
    let folders = store.folders()?;
    if folders.is_empty() {
        return Ok(false);
    }
    let found = look(home);
    let mut is_new = false;
    for folder in folders {
        let agent = memlens_agents::whose(&found, Path::new(&folder.path)).map(|agent| agent.id);
        if agent.is_some() && agent != folder.agent.as_deref() {
            store.set_folder_agent(folder.id, agent)?;
            is_new = true;
        }
    }
    Ok(is_new)
}

/// The watched folders of one agent.
///
/// # Errors
/// [`EngineError::Scope`] if no watched folder belongs to that agent; [`EngineError::NoAgent`] if there is no such agent either.
pub fn part_of_agent(library: &Library, agent: &str) -> Result<Part, EngineError> {
    let lists = library.lists();
    let folders = lists.snapshot.folders.iter();
    let of_agent: Vec<_> = folders
        .filter(|folder| folder.agent.as_deref() == Some(agent))
        .map(|folder| folder.id)
        .collect();
    if of_agent.is_empty() {
        known_agent(agent)?;
        return Err(EngineError::Scope {
            typed: agent.to_owned(),
            why: "no watched folder belongs to this agent".to_owned(),
        });
    }
    Ok(Part::Folders(of_agent))
}

/// Adds to an answer what the note's agents do not load of the place that was asked about.
pub fn with_load_cap(library: &Library, mut answer: WhyAnswer, home: &Home) -> WhyAnswer {
    let lists = library.lists();
    let files = loaded(home, &lists.snapshot.folders).files;
    let of_note = files.iter().filter(|file| {
        file.folder.as_deref() == Some(&answer.folder) && file.note.as_deref() == Some(&answer.path)
    });
    let lines = answer
        .line
        .map(|line| line..=line)
        .or_else(|| best_lines(&answer.why));
    answer.load_cap = unloaded_by_all(of_note, lines).or_else(|| {
        let id = answer.folder.parse().ok()?;
        let folder = lists.snapshot.folder(FolderId(id))?.path.clone();
        let file = note_path(&folder, &answer.path);
        switched_off(home, None, &file)
    });
    answer
}

/// What the agents that load a note do not load of some lines of it, or of the whole note; `None` if all load all of it.
fn unloaded_by_all<'a>(
    of_note: impl Iterator<Item = &'a LoadedFile>,
    lines: Option<RangeInclusive<u32>>,
) -> Option<String> {
    let mut by_agent: Vec<Vec<&LoadedFile>> = Vec::new();
    for file in of_note {
        match by_agent.iter_mut().find(|rows| rows[0].agent == file.agent) {
            Some(rows) => rows.push(file),
            None => by_agent.push(vec![file]),
        }
    }
    let said: Vec<Option<String>> = by_agent
        .iter()
        .map(|rows| {
            let lines = lines.clone().unwrap_or(1..=rows[0].n_lines.max(1));
            unloaded_said(rows, lines)
        })
        .collect();
    if said.iter().all(Option::is_none) {
        return None;
    }
    let these = match &lines {
        Some(lines) => lines_said(*lines.start(), *lines.end()),
        None => "the whole note".to_owned(),
    };
    let sentences = said.into_iter().zip(&by_agent).map(|(said, rows)| {
        said.unwrap_or_else(|| format!("{} loads {these}.", rows[0].agent_name))
    });
    Some(sentences.collect::<Vec<_>>().join(" "))
}

/// First and last lines of the best chunk.
fn best_lines(why: &WhyNot) -> Option<RangeInclusive<u32>> {
    match why {
        WhyNot::Searched { chunks, .. } => {
            let row = &chunks.first()?.journey.row;
            Some(row.start_line..=row.end_line)
        }
        WhyNot::NotWatched
        | WhyNot::Gone
        | WhyNot::LeftOut { .. }
        | WhyNot::Unreadable { .. }
        | WhyNot::Pending { .. }
        | WhyNot::NotHeld { .. }
        | WhyNot::Empty
        | WhyNot::OutOfScope => None,
    }
}

/// What is known of an agent before its notes are counted.
fn agent_view(home: &Home, found: &Found, watched: &[Folder]) -> AgentView {
    let folders: Vec<AgentFolder> = found
        .folders
        .iter()
        .map(|folder| AgentFolder {
            path: folder.display().to_string(),
            shown: home.shown(folder),
            is_watched: watching(folder, watched).is_some(),
        })
        .collect();
    let Measured {
        files: loaded,
        problems: unreadable,
        missing,
    } = loaded_of(home, found, watched);
    AgentView {
        id: found.agent.id.to_owned(),
        name: found.agent.name.to_owned(),
        version: found.version.clone(),
        recall: found.agent.recall.to_owned(),
        loads: found.agent.loads.to_owned(),
        n_notes: 0,
        n_unsearched: 0,
        newest_ms: None,
        is_partial: false,
        is_watched: !folders.is_empty() && folders.iter().all(|folder| folder.is_watched),
        folders,
        loaded,
        missing,
        switches: found.switches.clone(),
        instructions: found
            .agent
            .instructions
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
        checked_version: found.agent.source.version.to_owned(),
        problems: found.problems.iter().cloned().chain(unreadable).collect(),
    }
}

/// What is loaded of an agent's memory files.
struct Measured {
    files: Vec<LoadedFile>,
    problems: Vec<String>,
    missing: Vec<String>,
}

fn loaded_of(home: &Home, found: &Found, watched: &[Folder]) -> Measured {
    let load = memlens_agents::loaded(found);
    let of_files: Vec<(&FileLoad, Vec<UnloadedLines>)> = load
        .files
        .iter()
        .map(|file| (file, unloaded_lines(&file.measured, &file.text)))
        .collect();
    let files = load.rows.into_iter().map(|row| {
        let file = of_files.iter().find(|(file, _)| file.path == row.path);
        loaded_file(found, row, file, watched)
    });
    Measured {
        files: files.collect(),
        problems: load
            .unreadable
            .iter()
            .map(|one| format!("cannot measure {}: {}", home.shown(&one.path), one.why))
            .collect(),
        missing: load
            .missing
            .iter()
            .map(|one| format!("{} is missing, {}", home.shown(&one.path), one.so))
            .chain(
                load.files
                    .iter()
                    .flat_map(|file| blocked(home, found, file)),
            )
            .collect(),
    }
}

/// A sentence for each entry that the agent blocks.
fn blocked(home: &Home, found: &Found, file: &FileLoad) -> Vec<String> {
    let entries = file.blocked_lines().into_iter();
    let sentence = |(first, last, patterns)| {
        format!(
            "{} blocks the entry in {} of {}: it takes it for a threat ({patterns})",
            found.agent.name,
            lines_said(saturated(first), saturated(last)),
            home.shown(&file.path)
        )
    };
    entries.map(sentence).collect()
}

/// The lines of a text that are not loaded whole.
pub(crate) fn unloaded_lines(
    measured: &memlens_agents::Measured,
    text: &str,
) -> Vec<UnloadedLines> {
    let runs = LineLoads::new(measured, text).unloaded().into_iter();
    runs.map(|run| UnloadedLines {
        first: saturated(run.first),
        last: saturated(run.last),
        loaded: run
            .loaded
            .into_iter()
            .map(|(first, last)| (saturated(first), saturated(last)))
            .collect(),
        why: match run.lost {
            Lost::Cut => Unloaded::PastCap,
            Lost::Removed => Unloaded::Removed,
            Lost::Blocked => Unloaded::Blocked,
        },
    })
    .collect()
}

fn loaded_file(
    found: &Found,
    row: Loaded,
    file: Option<&(&FileLoad, Vec<UnloadedLines>)>,
    watched: &[Folder],
) -> LoadedFile {
    let place = row.of.as_ref().and_then(|_| watching(&row.path, watched));
    let source = row.of.as_ref().map_or(found.agent.source, |cap| cap.source);
    let (cut, cut_at_line, again_at_line) = match row.cut {
        Cut::None => (LoadCut::None, None, None),
        Cut::FromLine(line) => (LoadCut::End, Some(saturated(line)), None),
        Cut::Middle { from, again } => (
            LoadCut::Middle,
            Some(saturated(from)),
            Some(saturated(again)),
        ),
        Cut::Files => (LoadCut::Files, None, None),
    };
    let name = match row.of {
        Some(_) => row
            .path
            .file_name()
            .map_or_else(String::new, |name| name.display().to_string()),
        None => "In all".to_owned(),
    };
    let (digest, blocked, unloaded) = file
        .map(|(file, unloaded)| (file.digest_lines(), file.blocked_lines(), unloaded.clone()))
        .unwrap_or_default();
    LoadedFile {
        agent: row.agent.to_owned(),
        agent_name: found.agent.name.to_owned(),
        path: row.path.display().to_string(),
        name,
        folder: place.as_ref().map(|(folder, _)| folder.id.0.to_string()),
        note: place.map(|(_, note)| note),
        unit: row.unit.name().to_owned(),
        used: saturated(row.used),
        cap: row.cap.map(saturated),
        cuts: row.cuts,
        is_by_total: row.is_by_total,
        cut,
        left_out: saturated(row.left_out),
        cut_at_line,
        again_at_line,
        digest: digest
            .into_iter()
            .map(|(first, last)| (saturated(first), saturated(last)))
            .collect(),
        blocked: blocked
            .into_iter()
            .map(|(first, last, patterns)| (saturated(first), saturated(last), patterns))
            .collect(),
        unloaded,
        n_lines: saturated(row.n_lines),
        entries: row
            .entries
            .map(|(past, all)| (saturated(past), saturated(all))),
        version: source.version.to_owned(),
        source: match source.version {
            "" => source.from.to_owned(),
            version => format!("{version}: {}", source.from),
        },
    }
}

/// The watched folder that contains a path, and the relative path in it.
pub(crate) fn watching<'a>(path: &Path, watched: &'a [Folder]) -> Option<(&'a Folder, String)> {
    let resolved = memlens_files::canonical(path).unwrap_or_else(|_| path.to_owned());
    watched.iter().find_map(|folder| {
        let inner = memlens_files::name_in(Path::new(&folder.path), &resolved)?;
        Some((folder, inner))
    })
}

pub(crate) fn saturated(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The setting that prevents an agent, or any agent, from loading a file of its memory, as a sentence.
pub fn switched_off(home: &Home, agent: Option<&str>, file: &Path) -> Option<String> {
    let mut found = memlens_agents::look(home);
    for one in &mut found {
        if one.folders.iter().any(|folder| file.starts_with(folder)) {
            one.follow_projects(home);
        }
    }
    let mut found = found
        .iter()
        .filter(|it| agent.is_none_or(|id| id == it.agent.id));
    let said = found.find_map(|it| it.switched_off(file).map(str::to_owned))?;
    Some(format!("{said}."))
}
