//! Window commands that call rerankers and hooks for one search.

use memlens_engine::{Heat, RerankTime, SentText};
use memlens_params::{ParameterSet, Params};
use memlens_rank::Columns;
use serde::Serialize;
use specta::Type;
use tauri::State;

use super::{Answer, Shell, work};

/// A ranking with the results of these calls.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Reranked {
    /// Columns of the new ranking.
    pub columns: Columns,
    /// Whether the time ran out while the reranker was still loading; a repeated call waits for it.
    pub is_loading: bool,
}

/// Asks the reranker and the hook for what these parameters still need, and ranks with the answers. A newer call stops an older
/// one, which then answers with what it has. A failure of the reranker or the hook is no error: it is in the status of the stage.
/// If the reranker is still loading, ask again to wait for it.
#[tauri::command]
#[specta::specta]
pub async fn rerank(shell: State<'_, Shell>, search: u32, params: Params) -> Answer<Reranked> {
    work(&shell, move |engine| {
        let params = params.check()?;
        let asked = engine.library().ask(search, &params)?;
        Ok(Reranked {
            columns: asked.columns(&params),
            is_loading: asked.is_reranker_loading,
        })
    })
    .await
}

/// Stops the call to the reranker or the hook that is running, if any. It answers with what it has.
#[tauri::command]
#[specta::specta]
pub async fn cancel_rerank(shell: State<'_, Shell>) -> Answer<()> {
    work(&shell, |engine| {
        engine.library().cancel_asking();
        Ok(())
    })
    .await
}

/// The texts of rows as the reranker gets them.
#[tauri::command]
#[specta::specta]
pub async fn rerank_preview(
    shell: State<'_, Shell>,
    search: u32,
    params: Params,
    slots: Vec<u32>,
) -> Answer<Vec<SentText>> {
    work(&shell, move |engine| {
        let library = engine.library();
        let params = params.check()?;
        let search = library.kept(search)?;
        memlens_engine::sent_texts(&search, &params, &slots)
    })
    .await
}

/// Which words of a row's text match which words of the question. Only late interaction reports them.
#[tauri::command]
#[specta::specta]
pub async fn rerank_heat(
    shell: State<'_, Shell>,
    search: u32,
    params: Params,
    slot: u32,
) -> Answer<Heat> {
    work(&shell, move |engine| {
        let library = engine.library();
        let params = params.check()?;
        let search = library.kept(search)?;
        memlens_engine::heat(library, &search, &params, slot)
    })
    .await
}

/// The latest calls to rerankers with their times, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn rerank_calls(shell: State<'_, Shell>) -> Answer<Vec<RerankTime>> {
    work(&shell, |engine| {
        memlens_engine::rerank_calls(engine.library())
    })
    .await
}
