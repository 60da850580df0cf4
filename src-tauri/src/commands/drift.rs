//! Contradictions among notes.

use memlens_engine::acts;
use memlens_engine::view::DriftAnswer;
use memlens_params::{ParameterSet, Params};
use tauri::State;

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
