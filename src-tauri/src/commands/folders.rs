//! Watched folders and their notes.

use std::path::Path;

use memlens_engine::view::{
    Activity, DocumentView, FileProblem, FolderTree, HiddenNotes, KnownStamps, LibraryState,
    UnreadFolder,
};
use memlens_engine::{EngineError, acts};
use tauri::{AppHandle, State};

use super::{Answer, Shell, folder_id, work};
use crate::editors::{self, Editor};
use crate::file_manager;

/// Marks a note or folder as one that does not decay, or removes the mark. An empty path is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn set_evergreen(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    is_evergreen: bool,
) -> Answer<()> {
    work(&shell, move |engine| {
        acts::set_evergreen(engine, folder_id(&folder)?, &path, is_evergreen)
    })
    .await
}

/// Copies the sample notes beside the library, unless they are there, and watches them.
#[tauri::command]
#[specta::specta]
pub async fn open_sample_notes(shell: State<'_, Shell>) -> Answer<LibraryState> {
    work(&shell, memlens_engine::open_sample_notes).await
}

/// What the watched folders hold; of a folder whose stamp is known, what it holds is left out.
#[tauri::command]
#[specta::specta]
pub async fn tree(shell: State<'_, Shell>, known: KnownStamps) -> Answer<Vec<FolderTree>> {
    work(&shell, move |engine| {
        let trees = engine.trees()?.into_iter();
        Ok(trees.map(|tree| tree.without(&known)).collect())
    })
    .await
}

/// What is not read in folders of a watched folder; "" is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn unread(
    shell: State<'_, Shell>,
    folder: String,
    paths: Vec<String>,
) -> Answer<Vec<UnreadFolder>> {
    work(&shell, move |engine| {
        memlens_engine::unread(engine.library(), folder_id(&folder)?, &paths)
    })
    .await
}

/// Hidden files and folders of all watched folders that may be notes and are not read.
#[tauri::command]
#[specta::specta]
pub async fn hidden_notes(shell: State<'_, Shell>) -> Answer<HiddenNotes> {
    work(&shell, |engine| {
        Ok(memlens_engine::hidden_notes(engine.library()))
    })
    .await
}

/// A note's text, chunks and problems, read from its file.
#[tauri::command]
#[specta::specta]
pub async fn document(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<DocumentView> {
    work(&shell, move |engine| {
        engine.library().document(folder_id(&folder)?, &path)
    })
    .await
}

/// The problems of files, each with its place.
#[tauri::command]
#[specta::specta]
pub async fn problems(shell: State<'_, Shell>) -> Answer<Vec<FileProblem>> {
    work(&shell, |engine| engine.library().problems()).await
}

/// What happened to notes lately, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn activity(shell: State<'_, Shell>) -> Answer<Vec<Activity>> {
    work(&shell, |engine| Ok(engine.activity())).await
}

/// Adds a folder to the watched ones.
#[tauri::command]
#[specta::specta]
pub async fn add_folder(shell: State<'_, Shell>, path: String) -> Answer<LibraryState> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        engine.add_folder(Path::new(&path))?;
        if let Some(home) = home {
            engine.note_agents(&home)?;
        }
        Ok(engine.state())
    })
    .await
}

/// Removes a folder from the watched ones.
#[tauri::command]
#[specta::specta]
pub async fn remove_folder(shell: State<'_, Shell>, folder: String) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.remove_folder(folder_id(&folder)?)
    })
    .await
}

/// Tells the library the new path of a watched folder.
#[tauri::command]
#[specta::specta]
pub async fn move_folder(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.move_folder(folder_id(&folder)?, Path::new(&path))
    })
    .await
}

/// Pauses the indexing of a folder, or continues it.
#[tauri::command]
#[specta::specta]
pub async fn pause_folder(
    shell: State<'_, Shell>,
    folder: String,
    paused: bool,
) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.pause_folder(folder_id(&folder)?, paused)
    })
    .await
}

/// Pauses all indexing, or continues it.
#[tauri::command]
#[specta::specta]
pub async fn pause_indexing(shell: State<'_, Shell>, paused: bool) -> Answer<LibraryState> {
    work(&shell, move |engine| Ok(engine.pause_indexing(paused))).await
}

/// Opens a note of a watched folder with the user's program, at a line counted from 1 if the program takes one.
#[tauri::command]
#[specta::specta]
pub async fn open_in_editor(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    line: Option<u32>,
    editor: Editor,
) -> Answer<()> {
    work(&shell, move |engine| {
        let note = engine.library().absolute(folder_id(&folder)?, &path)?;
        editors::open(editor, &note, line)
            .map_err(|source| EngineError::NoEditor { path: note, source })
    })
    .await
}

/// Shows a file or folder of a watched folder in the system's file manager; an empty path is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn show_in_folder(shell: State<'_, Shell>, folder: String, path: String) -> Answer<()> {
    work(&shell, move |engine| {
        let found = memlens_engine::location(engine.library(), folder_id(&folder)?, &path)?;
        file_manager::show(&found).map_err(|source| EngineError::File {
            attempt: "show in the file manager",
            path: found,
            source,
        })
    })
    .await
}

/// Opens the system's folder dialog; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn pick_folder(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |_| {
        let chosen = dialogs.folder(&app);
        Ok(chosen.map(|path| path.display().to_string()))
    })
    .await
}
