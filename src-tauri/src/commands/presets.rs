//! Saved parameters: presets, and the file `memlens.json`.

use memlens_engine::view::{ErrorInfo, Preset};
use memlens_engine::{Engine, EngineError, acts, preset};
use memlens_params::{HookMode, ParameterSet, Params};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};
use crate::dialogs::Dialogs;

/// The note of a preset whose hook the user did not allow.
const HOOK_LEFT_OFF: &str = "This file turns on your own command (hook); it was left off.";

/// The text of `memlens.json` for these parameters.
#[tauri::command]
#[specta::specta]
pub async fn export_text(shell: State<'_, Shell>, params: Params) -> Answer<String> {
    work(&shell, move |engine| {
        preset::preset_text(engine.library(), &params.check()?, None)
    })
    .await
}

/// Asks where and writes `memlens.json`. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn export_save(
    app: AppHandle,
    shell: State<'_, Shell>,
    params: Params,
) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_preset(&app) else {
            return Ok(None);
        };
        preset::write_preset(engine.library(), &params.check()?, &path, &[])?;
        Ok(Some(dialogs.note_saved(path)))
    })
    .await
}

/// Asks for a preset file and reads it; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn preset_open(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<Preset>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let chosen = dialogs.preset(&app);
        chosen
            .map(|path| {
                let preset = preset::read_preset(engine.library(), &path)?;
                without_hook_unless_allowed(engine, &dialogs, &app, preset)
            })
            .transpose()
    })
    .await
}

/// A preset from a file, with the user's command switched off unless the user agrees to what the file would start.
fn without_hook_unless_allowed(
    engine: &Engine,
    dialogs: &Dialogs,
    app: &AppHandle,
    mut preset: Preset,
) -> Result<Preset, EngineError> {
    if let Some(command) =
        memlens_engine::providers::hook_started_by(engine.library(), &preset.params)?
        && !dialogs.allows_hook_of_preset(app, &preset.name, &command)
    {
        preset.params.hook = HookMode::Off;
        preset.notes.push(HOOK_LEFT_OFF.to_owned());
    }
    Ok(preset)
}

/// Reads a file back that `export_save` wrote in this session. No other can be named.
#[tauri::command]
#[specta::specta]
pub async fn preset_read(app: AppHandle, shell: State<'_, Shell>, path: String) -> Answer<Preset> {
    let Some(saved) = shell.dialogs.saved(&path) else {
        return Err(ErrorInfo {
            code: "error".to_owned(),
            message: format!("cannot read preset {path}: it was not saved by this window"),
        });
    };
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let preset = preset::read_preset(engine.library(), &saved)?;
        without_hook_unless_allowed(engine, &dialogs, &app, preset)
    })
    .await
}

/// All saved presets, by name.
#[tauri::command]
#[specta::specta]
pub async fn presets(shell: State<'_, Shell>) -> Answer<Vec<Preset>> {
    work(&shell, |engine| preset::presets(engine.library())).await
}

/// Saves a preset. Returns all of them.
#[tauri::command]
#[specta::specta]
pub async fn preset_save(
    shell: State<'_, Shell>,
    name: String,
    params: Params,
) -> Answer<Vec<Preset>> {
    work(&shell, move |engine| {
        acts::save_preset(engine, &name, &params.check()?)?;
        preset::presets(engine.library())
    })
    .await
}

/// Deletes a preset. Returns those that are left.
#[tauri::command]
#[specta::specta]
pub async fn preset_delete(shell: State<'_, Shell>, name: String) -> Answer<Vec<Preset>> {
    work(&shell, move |engine| {
        acts::delete_preset(engine, &name)?;
        preset::presets(engine.library())
    })
    .await
}
