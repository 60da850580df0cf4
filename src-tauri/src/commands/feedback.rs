//! Thumbs of the user.

use memlens_engine::{FeedbackEntry, FeedbackImport, RowThumb, acts};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// The thumbs that the rows of a search have for its question.
#[tauri::command]
#[specta::specta]
pub async fn thumbs(shell: State<'_, Shell>, search: u32) -> Answer<Vec<RowThumb>> {
    work(&shell, move |engine| {
        let library = engine.library();
        library.row_thumbs(&*library.kept(search)?)
    })
    .await
}

/// Gives a row a thumb: turns the other one, takes back the same one. Returns the thumbs of the search's rows.
#[tauri::command]
#[specta::specta]
pub async fn vote(
    shell: State<'_, Shell>,
    search: u32,
    slot: u32,
    up: bool,
) -> Answer<Vec<RowThumb>> {
    work(&shell, move |engine| acts::vote(engine, search, slot, up)).await
}

/// Every thumb, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn feedback(shell: State<'_, Shell>) -> Answer<Vec<FeedbackEntry>> {
    work(&shell, |engine| engine.library().feedback()).await
}

/// Takes a thumb back. Returns those that are left.
#[tauri::command]
#[specta::specta]
pub async fn feedback_undo(shell: State<'_, Shell>, id: String) -> Answer<Vec<FeedbackEntry>> {
    work(&shell, move |engine| {
        acts::undo_feedback(engine, &id)?;
        engine.library().feedback()
    })
    .await
}

/// Asks where and writes all thumbs. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn feedback_save(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_feedback(&app) else {
            return Ok(None);
        };
        engine.library().write_feedback(&path)?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Asks for a file and adds its thumbs; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn feedback_open(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<FeedbackImport>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let chosen = dialogs.feedback(&app);
        chosen
            .map(|path| acts::import_feedback(engine, &path))
            .transpose()
    })
    .await
}
