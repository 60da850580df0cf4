//! Contradictions among notes.

use memlens_engine::view::{DriftAnswer, OppositionPair, SecondOpinionChoice};
use memlens_engine::{acts, is_new_second_opinion};
use memlens_engine::{oppositions as all_oppositions, second_opinion as chosen_second_opinion};
use memlens_params::{ParameterSet, Params};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// The contradictions that the last pass over all observations found.
#[tauri::command]
#[specta::specta]
pub async fn drift(shell: State<'_, Shell>, params: Params) -> Answer<DriftAnswer> {
    work(&shell, move |engine| engine.drift(&params.check()?)).await
}

/// Marks a pair of sentences as no contradiction, or removes the mark, and returns the contradictions.
#[tauri::command]
#[specta::specta]
pub async fn dismiss_contradiction(
    shell: State<'_, Shell>,
    id: String,
    is_dismissed: bool,
    params: Params,
) -> Answer<DriftAnswer> {
    work(&shell, move |engine| {
        let params = params.check()?;
        acts::dismiss_contradiction(engine, &id, is_dismissed)?;
        engine.drift(&params)
    })
    .await
}

/// Marks a pair of sentences as resolved by the newer one, or removes the mark, and returns the contradictions. `id` is the
/// pair's `resolved_id`.
#[tauri::command]
#[specta::specta]
pub async fn resolve_contradiction(
    shell: State<'_, Shell>,
    id: String,
    is_resolved: bool,
    params: Params,
) -> Answer<DriftAnswer> {
    work(&shell, move |engine| {
        let params = params.check()?;
        acts::resolve_contradiction(engine, &id, is_resolved)?;
        engine.drift(&params)
    })
    .await
}

/// Passes over all observations now, if anything changed, and returns the contradictions.
#[tauri::command]
#[specta::specta]
pub async fn drift_now(shell: State<'_, Shell>, params: Params) -> Answer<DriftAnswer> {
    work(&shell, move |engine| engine.drift_now(&params.check()?)).await
}

/// The pairs of opposite words by which notes are compared: the user's own, then the standard ones.
#[tauri::command]
#[specta::specta]
pub async fn oppositions(shell: State<'_, Shell>) -> Answer<Vec<OppositionPair>> {
    work(&shell, move |engine| all_oppositions(engine.library())).await
}

/// Adds a pair of opposite words and returns all pairs; each side is one or more words, with commas between them.
#[tauri::command]
#[specta::specta]
pub async fn add_opposition(
    shell: State<'_, Shell>,
    words: String,
    opposite: String,
) -> Answer<Vec<OppositionPair>> {
    work(&shell, move |engine| {
        acts::add_opposition(engine, &words, &opposite)
    })
    .await
}

/// Removes a pair of the user's own and returns all pairs.
#[tauri::command]
#[specta::specta]
pub async fn remove_opposition(shell: State<'_, Shell>, id: String) -> Answer<Vec<OppositionPair>> {
    work(&shell, move |engine| acts::remove_opposition(engine, &id)).await
}

/// Switches a standard pair off or on and returns all pairs.
#[tauri::command]
#[specta::specta]
pub async fn switch_opposition(
    shell: State<'_, Shell>,
    id: String,
    is_on: bool,
) -> Answer<Vec<OppositionPair>> {
    work(&shell, move |engine| {
        acts::switch_opposition(engine, &id, is_on)
    })
    .await
}

/// The folder whose model gives a second opinion on pairs that may contradict.
#[tauri::command]
#[specta::specta]
pub async fn second_opinion(shell: State<'_, Shell>) -> Answer<SecondOpinionChoice> {
    work(&shell, |engine| chosen_second_opinion(engine.library())).await
}

/// Chooses the folder whose model gives a second opinion, or none, and returns what is chosen then. The model is loaded and compares
/// a trial first. If it is a folder that the user did not agree to before, they are asked first, and no file in it is read if they
/// do not agree.
#[tauri::command]
#[specta::specta]
pub async fn choose_second_opinion(
    app: AppHandle,
    shell: State<'_, Shell>,
    folder: Option<String>,
) -> Answer<SecondOpinionChoice> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if let Some(folder) = &folder
            && is_new_second_opinion(engine.library(), folder)
            && !dialogs.allows_second_opinion(&app, folder)
        {
            return chosen_second_opinion(engine.library());
        }
        acts::choose_second_opinion(engine, folder.as_deref())
    })
    .await
}
