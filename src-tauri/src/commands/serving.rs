//! The commands about Memlens as a server of tools in agents' configs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use memlens_engine::tool_server::{
    self, Wanted, command_line_program, connected, disconnected, is_unserved, launch, own_library,
    tool_servers as entered_servers, try_tool_server,
};
use memlens_engine::view::{
    ToolServer, ToolServerChange as ChangeView, ToolServerChoice, ToolServerTest, ToolServerWritten,
};
use memlens_engine::{Engine, EngineError, ToolServerConfig, default_library, saved_ranking};
use parking_lot::Mutex;
use tauri::{AppHandle, State};

use super::agents::{no_home, watched};
use super::{Answer, Shell, work};

/// The change that the window last showed, by the number of its answer, so that it writes nothing else.
#[derive(Default)]
pub struct ShownChange {
    shown: Mutex<Option<(u32, tool_server::ToolServerChange)>>,
    n_answers: AtomicU32,
}

fn config(agent: &str) -> Result<&'static ToolServerConfig, EngineError> {
    ToolServerConfig::of(agent).ok_or_else(|| EngineError::NoAgent {
        id: agent.to_owned(),
    })
}

/// What the entry of an agent is to serve, by the user's choice.
fn wanted(engine: &Engine, choice: &ToolServerChoice) -> Wanted {
    let default = default_library();
    Wanted {
        library: own_library(engine.library().dir(), default.as_deref()),
        all_folders: choice.all_folders,
        preset: None,
        saved_preset: choice.preset.clone(),
    }
}

fn own_program() -> Result<PathBuf, EngineError> {
    let own = std::env::current_exe().map_err(|error| EngineError::System {
        attempt: "find the program that agents start",
        why: error.to_string(),
    })?;
    command_line_program(&own)
}

/// Every agent whose config can name Memlens, with what it holds.
#[tauri::command]
#[specta::specta]
pub async fn tool_servers(shell: State<'_, Shell>) -> Answer<Vec<ToolServer>> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        Ok(entered_servers(
            &home.ok_or_else(no_home)?,
            &watched(engine)?,
        ))
    })
    .await
}

/// What would become of an agent's config: with the entry of a choice, or without the entry if there is none.
#[tauri::command]
#[specta::specta]
pub async fn tool_server_change(
    shell: State<'_, Shell>,
    agent: String,
    choice: Option<ToolServerChoice>,
) -> Answer<ChangeView> {
    let (home, serving) = (shell.home.clone(), shell.serving.clone());
    work(&shell, move |engine| {
        let home = home.ok_or_else(no_home)?;
        let config = config(&agent)?;
        let change = match choice {
            None => disconnected(&home, config)?,
            Some(choice) => {
                if is_unserved(&watched(engine)?, config, choice.all_folders) {
                    return Err(tool_server::unserved(config));
                }
                if let Some(name) = &choice.preset {
                    saved_ranking(engine.library(), name)?;
                }
                let launch = launch(&own_program()?, config, &wanted(engine, &choice))?;
                connected(&home, config, &launch)?
            }
        };
        let id = serving.n_answers.fetch_add(1, Ordering::Relaxed) + 1;
        let view = change.to_view(id, config, &home, engine.library());
        *serving.shown.lock() = Some((id, change));
        Ok(view)
    })
    .await
}

/// Writes the change of this answer into the agent's config, if the user agrees; null if they do not.
#[tauri::command]
#[specta::specta]
pub async fn tool_server_write(
    app: AppHandle,
    shell: State<'_, Shell>,
    id: u32,
) -> Answer<Option<ToolServerWritten>> {
    let (dialogs, serving) = (shell.dialogs.clone(), shell.serving.clone());
    work(&shell, move |_| {
        // The lock is not held while the dialog is open; the user agrees to what was shown.
        let shown = serving.shown.lock().clone();
        let shown = shown.filter(|(shown, _)| *shown == id);
        let (_, change) = shown.ok_or_else(|| EngineError::System {
            attempt: "change the agent's config",
            why: "another change was shown in the meantime; look at it again".to_owned(),
        })?;
        if !dialogs.allows_tool_server(&app, &change.path, change.starts.as_deref()) {
            return Ok(None);
        }
        let backup = change.write()?;
        Ok(Some(ToolServerWritten {
            path: change.path.display().to_string(),
            backup: backup.map(|backup| backup.display().to_string()),
        }))
    })
    .await
}

/// Starts the command that an agent's config enters, as the agent does, and asks one question.
#[tauri::command]
#[specta::specta]
pub async fn test_tool_server(
    shell: State<'_, Shell>,
    agent: String,
    query: String,
) -> Answer<ToolServerTest> {
    let home = shell.home.clone();
    work(&shell, move |_| {
        try_tool_server(&home.ok_or_else(no_home)?, config(&agent)?, &query)
    })
    .await
}
