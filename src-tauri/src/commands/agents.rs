//! The commands about agents: which are found, what they load, and watching one's memory.

use memlens_engine::view::{AgentsView, AlwaysText, AlwaysView, LibraryState, LoadedFile};
use memlens_engine::{Engine, EngineError, Folder};
use memlens_files::System;
use tauri::State;

use super::{Answer, Shell, work};

/// Why nothing can be looked for.
pub(super) fn no_home() -> EngineError {
    EngineError::System {
        attempt: "look for agents",
        why: format!(
            "this system names no home folder; set {}",
            System::CURRENT.home_variable()
        ),
    }
}

/// The watched folders, read from the store: the lists are refreshed a moment after a folder was added.
pub(super) fn watched(engine: &Engine) -> Result<Vec<Folder>, EngineError> {
    Ok(engine.library().store().folders()?)
}

/// Looks for agents where they keep their memory, and nowhere else.
#[tauri::command]
#[specta::specta]
pub async fn agents(shell: State<'_, Shell>) -> Answer<AgentsView> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        let watched = watched(engine)?;
        Ok(memlens_engine::agents(&home.ok_or_else(no_home)?, &watched))
    })
    .await
}

/// What agents load of their files up to their caps.
#[tauri::command]
#[specta::specta]
pub async fn agents_loaded(shell: State<'_, Shell>) -> Answer<Vec<LoadedFile>> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        let watched = watched(engine)?;
        Ok(memlens_engine::loaded(&home.ok_or_else(no_home)?, &watched).files)
    })
    .await
}

/// Watches the folders of an agent that are not watched yet.
#[tauri::command]
#[specta::specta]
pub async fn add_agent(shell: State<'_, Shell>, id: String) -> Answer<LibraryState> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        engine.add_agent(&home.ok_or_else(no_home)?, &id)
    })
    .await
}

/// The files that an agent always loads; empty unless the agent is watched.
#[tauri::command]
#[specta::specta]
pub async fn always_loaded(shell: State<'_, Shell>, agent: String) -> Answer<AlwaysView> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        let watched = watched(engine)?;
        memlens_engine::always_view(&home.ok_or_else(no_home)?, &watched, &agent)
    })
    .await
}

/// The text of a file that a watched agent always loads.
#[tauri::command]
#[specta::specta]
pub async fn always_text(
    shell: State<'_, Shell>,
    agent: String,
    path: String,
) -> Answer<AlwaysText> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        let watched = watched(engine)?;
        let home = home.ok_or_else(no_home)?;
        memlens_engine::always_text(&home, &watched, &agent, &path)
    })
    .await
}
