//! What is known beside one note.

use std::sync::atomic::AtomicBool;

use memlens_engine::acts;
use memlens_engine::view::{
    AlikeNotes, FollowedLink, HistoryKept, LinksOfNote, NoteDrift, NoteHistory, NoteQuestions,
    SaidElsewhere,
};
use memlens_params::{ParameterSet, Params};
use tauri::State;

use super::{Answer, Shell, folder_id, work};

/// The links of a note to others and of others to it, all of them or the first 200 of each. While `n_unread` is above 0, ask again.
#[tauri::command]
#[specta::specta]
pub async fn note_links(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    is_all: bool,
) -> Answer<LinksOfNote> {
    work(&shell, move |engine| {
        memlens_engine::links_of(engine.library(), folder_id(&folder)?, &path, is_all)
    })
    .await
}

/// Where a link of a note leads: an address, or `[[a name]]`.
#[tauri::command]
#[specta::specta]
pub async fn followed_link(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    address: String,
) -> Answer<FollowedLink> {
    work(&shell, move |engine| {
        memlens_engine::followed_link(engine.library(), folder_id(&folder)?, &path, &address)
    })
    .await
}

/// The changes of a note that are known, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn note_history(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<NoteHistory> {
    work(&shell, move |engine| {
        let stop = AtomicBool::new(false);
        memlens_engine::note_history(engine.library(), folder_id(&folder)?, &path, &stop)
    })
    .await
}

/// What is saved of the changes of all notes.
#[tauri::command]
#[specta::specta]
pub async fn history_kept(shell: State<'_, Shell>) -> Answer<HistoryKept> {
    work(&shell, |engine| {
        memlens_engine::history_kept(engine.library())
    })
    .await
}

/// Sets whether changes of notes are saved; `false` also forgets those that are saved.
#[tauri::command]
#[specta::specta]
pub async fn keep_history(shell: State<'_, Shell>, is_kept: bool) -> Answer<HistoryKept> {
    work(&shell, move |engine| {
        acts::keep_history(engine, is_kept)?;
        memlens_engine::history_kept(engine.library())
    })
    .await
}

/// The notes most like a note, by the vectors of chunks.
#[tauri::command]
#[specta::specta]
pub async fn notes_like(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<AlikeNotes> {
    work(&shell, move |engine| {
        memlens_engine::notes_like(engine.library(), folder_id(&folder)?, &path)
    })
    .await
}

/// The statements of a note that other passages make too; null before all notes were compared.
#[tauri::command]
#[specta::specta]
pub async fn said_elsewhere(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    params: Params,
) -> Answer<Option<SaidElsewhere>> {
    work(&shell, move |engine| {
        let params = params.check()?;
        let folder = folder_id(&folder)?;
        Ok(memlens_engine::said_elsewhere(
            engine.library(),
            &params,
            folder,
            &path,
        ))
    })
    .await
}

/// The sure contradictions and the changes with a side in a note; null before all notes were compared.
#[tauri::command]
#[specta::specta]
pub async fn note_drift(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<Option<NoteDrift>> {
    work(&shell, move |engine| {
        memlens_engine::note_drift(engine.library(), folder_id(&folder)?, &path)
    })
    .await
}

/// The past questions that found, opened or missed a note, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn note_questions(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<NoteQuestions> {
    work(&shell, move |engine| {
        memlens_engine::note_questions(engine.library(), folder_id(&folder)?, &path)
    })
    .await
}
