//! The files that an agent loads whenever a session begins: read only for agents that the user watches, never indexed, never
//! sent to a provider.

use std::path::Path;

use memlens_agents::{AlwaysKind, AlwaysLoaded, Content, Cut, Found, Home, SessionLoad, look};
use memlens_library::EngineError;
use memlens_store::Folder;
use memlens_wire::{AlwaysFile, AlwaysFileKind, AlwaysState, AlwaysText, AlwaysView};

use crate::agents::{known_agent, saturated, unloaded_lines, watching};

/// What an agent loads in any session, with the texts and the ranges that are loaded; empty unless a folder of the agent is watched.
pub fn always_loaded(home: &Home, watched: &[Folder], agent: &str) -> SessionLoad {
    match watched_agent(home, watched, agent) {
        Some(found) => memlens_agents::always_loaded(home, &found),
        None => SessionLoad::default(),
    }
}

/// What an agent loads in sessions that begin in a folder; empty unless a folder of the agent is watched.
pub fn loaded_in_folder(home: &Home, watched: &[Folder], agent: &str, cwd: &Path) -> SessionLoad {
    let Some(found) = watched_agent(home, watched, agent) else {
        return SessionLoad::default();
    };
    let mut load = memlens_agents::session_load(home, &found, Some(cwd));
    // Its user's instruction files; its memory files depend on the folder.
    let of_user = memlens_agents::session_load(home, &found, None).files;
    let more = of_user
        .into_iter()
        .filter(|file| file.kind != AlwaysKind::Memory);
    load.files.extend(more);
    load
}

/// The agent of an id if a folder of it is watched.
fn watched_agent(home: &Home, watched: &[Folder], agent: &str) -> Option<Found> {
    let found = look(home)
        .into_iter()
        .find(|found| found.agent.id == agent)?;
    let is_watched = |folder: &std::path::PathBuf| watching(folder, watched).is_some();
    found.folders.iter().any(is_watched).then_some(found)
}

/// The files that an agent always loads, for a list; without their texts.
///
/// # Errors
/// [`EngineError::NoAgent`].
pub fn always_view(
    home: &Home,
    watched: &[Folder],
    agent: &str,
) -> Result<AlwaysView, EngineError> {
    let agent = known_agent(agent)?;
    let found = watched_agent(home, watched, agent.id);
    let load = found
        .as_ref()
        .map(|found| memlens_agents::always_loaded(home, found))
        .unwrap_or_default();
    Ok(AlwaysView {
        agent: agent.id.to_owned(),
        agent_name: agent.name.to_owned(),
        is_watched: found.is_some(),
        version: agent.source.version.to_owned(),
        files: load
            .files
            .iter()
            .map(|file| always_file(home, watched, file))
            .collect(),
        switches: load.switches,
    })
}

/// The text of a file that an agent always loads.
///
/// # Errors
/// [`EngineError::Agent`] for a file that is not among those that the agent loads, or that was not read.
pub fn always_text(
    home: &Home,
    watched: &[Folder],
    agent: &str,
    path: &str,
) -> Result<AlwaysText, EngineError> {
    let load = always_loaded(home, watched, known_agent(agent)?.id);
    let file = load.files.iter().find(|file| file.path == Path::new(path));
    let Some((file, text)) = file.and_then(|file| Some((file, file.text()?))) else {
        return Err(EngineError::Agent {
            id: agent.to_owned(),
            why: format!("{path} is not a file that it always loads and that may be read"),
        });
    };
    Ok(AlwaysText {
        file: always_file(home, watched, file),
        text: text.to_owned(),
    })
}

fn always_file(home: &Home, watched: &[Folder], file: &AlwaysLoaded) -> AlwaysFile {
    let place = watching(&file.path, watched);
    let (state, why) = match &file.content {
        Content::Loaded { .. } => (AlwaysState::Loaded, None),
        Content::NotRead(why) => (AlwaysState::NotRead, Some(why.clone())),
        Content::NotLoaded(why) => (AlwaysState::NotLoaded, Some(why.clone())),
        Content::Missing(why) => (AlwaysState::Missing, Some(why.clone())),
    };
    let (cut_at_line, again_at_line) = match file.cut() {
        Cut::FromLine(line) => (Some(saturated(line)), None),
        Cut::Middle { from, again } => (Some(saturated(from)), Some(saturated(again))),
        Cut::None | Cut::Files => (None, None),
    };
    let text = file.text().unwrap_or_default();
    AlwaysFile {
        path: file.path.display().to_string(),
        shown: home.shown(&file.path),
        kind: match file.kind {
            AlwaysKind::Memory => AlwaysFileKind::Memory,
            AlwaysKind::Instructions => AlwaysFileKind::Instructions,
            AlwaysKind::Rule => AlwaysFileKind::Rule,
            AlwaysKind::Import => AlwaysFileKind::Import,
        },
        project: file.project.as_ref().map(|project| home.shown(project)),
        by: file.by.as_ref().map(|by| home.shown(by)),
        folder: place.as_ref().map(|(folder, _)| folder.id.0.to_string()),
        note: place.map(|(_, note)| note),
        state,
        why,
        n_lines: saturated(text.lines().count() as u64),
        n_characters: saturated(text.chars().count() as u64),
        cut_at_line,
        again_at_line,
        unloaded: match &file.content {
            Content::Loaded { text, measured, .. } => unloaded_lines(measured, text),
            Content::NotRead(_) | Content::NotLoaded(_) | Content::Missing(_) => Vec::new(),
        },
    }
}
